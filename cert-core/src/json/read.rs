//! JSON text to [`Value`] (RFC 8259).
//!
//! Why not an existing parser: numbers have to be the nearest double whatever features other crates
//! of a build turn on, keys have to keep their order, and a duplicate key, which another reader of
//! the same text may resolve differently, has to be an error.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::json::number::Number;
use crate::json::path::{Path, PathStep};
use crate::json::str::Keys;
use crate::json::value::{Array, Object, Value, deeper};

/// Reads JSON text.
pub(crate) fn parse(text: &str) -> Result<Value, CertError> {
    let mut reader = Reader {
        text,
        at: 0,
        keys: Keys::new(),
    };
    let value = reader.value(0)?;
    reader.space();
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.invalid("expected the end of the text")),
    }
}

struct Reader<'a> {
    text: &'a str,
    /// A byte offset, on a character boundary between any two tokens.
    at: usize,
    keys: Keys,
}

impl<'a> Reader<'a> {
    fn value(&mut self, depth: usize) -> Result<Value, CertError> {
        self.space();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Value::from),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.literal("null") => Ok(Value::Null),
            _ if self.literal("true") => Ok(Value::Bool(true)),
            _ if self.literal("false") => Ok(Value::Bool(false)),
            _ => Err(self.invalid("expected a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, CertError> {
        let inner = deeper(depth)?;
        self.bump();
        let mut items = Vec::new();
        self.space();
        if self.take(b']') {
            return Ok(Array::try_from(items)?.into());
        }
        loop {
            let item = self
                .value(inner)
                .map_err(|e| e.below(PathStep::Index(items.len())))?;
            items.push(item);
            self.space();
            if self.take(b']') {
                return Ok(Array::try_from(items)?.into());
            }
            if !self.take(b',') {
                return Err(self.invalid("expected `,` or `]`"));
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, CertError> {
        let inner = deeper(depth)?;
        self.bump();
        let mut entries = Vec::new();
        self.space();
        if self.take(b'}') {
            return Ok(Object::try_from(entries)?.into());
        }
        loop {
            self.space();
            if self.peek() != Some(b'"') {
                return Err(self.invalid("expected a key in quotes"));
            }
            let key = self.string()?;
            self.space();
            if !self.take(b':') {
                return Err(self.invalid("expected `:`"));
            }
            match self.value(inner) {
                Ok(value) => entries.push((self.keys.share(&key), value)),
                Err(error) => return Err(error.below(key.into())),
            }
            self.space();
            if self.take(b'}') {
                return Ok(Object::try_from(entries)?.into());
            }
            if !self.take(b',') {
                return Err(self.invalid("expected `,` or `}`"));
            }
        }
    }

    /// The grammar of RFC 8259, section 6; the value is the double nearest to the text, so that
    /// `1e999` is an infinity, as in ECMAScript's `JSON.parse`.
    fn number(&mut self) -> Result<Value, CertError> {
        let start = self.at;
        self.take(b'-');
        if !self.take(b'0') && self.digits() == 0 {
            return Err(self.invalid("expected a digit"));
        }
        if self.take(b'.') && self.digits() == 0 {
            return Err(self.invalid("expected a digit after the point"));
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            if self.digits() == 0 {
                return Err(self.invalid("expected a digit in the exponent"));
            }
        }
        let text = self.text.get(start..self.at).unwrap_or_default();
        match text.parse::<f64>() {
            Ok(number) => Ok(Value::Number(Number::from(number))),
            Err(_) => Err(self.invalid("expected a number")),
        }
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.bump();
        }
        self.at.saturating_sub(start)
    }

    fn string(&mut self) -> Result<String, CertError> {
        self.bump();
        let mut string = String::new();
        loop {
            let rest = self.rest();
            let plain = rest
                .bytes()
                .position(|b| matches!(b, b'"' | b'\\' | 0..=0x1f));
            let Some((before, _)) = plain.and_then(|end| rest.split_at_checked(end)) else {
                return Err(self.invalid("expected the closing `\"` of a string"));
            };
            string.push_str(before);
            self.at = self.at.saturating_add(before.len());
            match self.peek() {
                Some(b'"') => {
                    self.bump();
                    return Ok(string);
                }
                Some(b'\\') => {
                    self.bump();
                    string.push(self.escape()?);
                }
                _ => return Err(self.invalid("expected an escape instead of a control character")),
            }
        }
    }

    fn escape(&mut self) -> Result<char, CertError> {
        let kind = self.peek();
        let plain = match kind {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.bump();
                return self.code_point();
            }
            _ => return Err(self.invalid("expected an escape that JSON knows")),
        };
        self.bump();
        Ok(plain)
    }

    /// What follows `\u`: one code unit, or two that make a pair.
    fn code_point(&mut self) -> Result<char, CertError> {
        let first = self.code_unit()?;
        let mut units = [first, 0];
        let mut count = 1;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with("\\u") {
            self.at = self.at.saturating_add(2);
            units = [first, self.code_unit()?];
            count = 2;
        }
        let mut decoded = char::decode_utf16(units.into_iter().take(count));
        match decoded.next() {
            Some(Ok(char)) if decoded.next().is_none() => Ok(char),
            _ => Err(CertError::new(
                ErrorCode::SurrogateUnpaired,
                Path::root(),
                format!(
                    "the escape before byte {} is half of a surrogate pair",
                    self.at
                ),
            )),
        }
    }

    fn code_unit(&mut self) -> Result<u16, CertError> {
        let end = self.at.saturating_add(4);
        let digits = self
            .text
            .get(self.at..end)
            .filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
        let unit = unit.ok_or_else(|| self.invalid("expected four hexadecimal digits"))?;
        self.at = end;
        Ok(unit)
    }

    fn literal(&mut self, word: &str) -> bool {
        let found = self.rest().starts_with(word);
        if found {
            self.at = self.at.saturating_add(word.len());
        }
        found
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.bump();
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.bump();
        }
        found
    }

    fn bump(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn invalid(&self, expected: &str) -> CertError {
        CertError::new(
            ErrorCode::JsonInvalid,
            Path::root(),
            format!("not JSON: {expected} at byte {}", self.at),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::value::MAX_JSON_DEPTH;

    fn code(text: &str) -> ErrorCode {
        parse(text).unwrap_err().code()
    }

    #[test]
    fn what_is_not_json_is_refused() {
        for text in [
            "",
            " ",
            "nul",
            "nulll",
            "{",
            "}",
            "[",
            "]",
            "[1",
            "[1,",
            "[1,]",
            "[,]",
            "{\"a\"}",
            "{\"a\":}",
            "{\"a\":1,}",
            "{a:1}",
            "{,}",
            "01",
            "-",
            "-01",
            "1.",
            ".5",
            "1e",
            "1e+",
            "+1",
            "0x1",
            "NaN",
            "Infinity",
            "'a'",
            "\"a",
            "\"\\x\"",
            "\"\\u12g4\"",
            "\"\\u12\"",
            "\"\\u+123\"",
            "\"\n\"",
            "1 2",
            "[1] x",
            "\u{feff}1",
            "/**/1",
            "\"\\",
            "\"\\u",
            "tru",
            "\u{a0}1",
        ] {
            assert_eq!(code(text), ErrorCode::JsonInvalid, "{text:?}");
        }
    }

    #[test]
    fn what_is_json_is_read() {
        for (text, value) in [
            ("null", Value::Null),
            (" true\r\n\t", Value::Bool(true)),
            ("-0.5e+1", Value::from(-5.0)),
            ("0", Value::from(0.0)),
            (
                "123456789012345678901234567890",
                Value::from(123456789012345678901234567890.0),
            ),
            ("9007199254740993", Value::from(9007199254740992.0)),
            ("0.1", Value::from(0.1)),
            ("1e999", Value::from(f64::INFINITY)),
            (
                r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀""#,
                "a\"\\/\u{8}\u{c}\n\r\té😀é😀".into(),
            ),
        ] {
            assert_eq!(parse(text).unwrap(), value, "{text}");
        }
        let value =
            parse(r#" { "b" : [ 1 , { } , [ ] ] , "a" : { "__proto__" : null } } "#).unwrap();
        assert_eq!(value.to_json(), r#"{"b":[1,{},[]],"a":{"__proto__":null}}"#);
    }

    #[test]
    fn errors_name_the_place() {
        let error = parse(r#"{"a":[1,{"b":"\ud800"}]}"#).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SurrogateUnpaired);
        let expected: [PathStep; 3] = ["a".into(), 1.into(), "b".into()];
        assert_eq!(error.path(), &Path::from(expected));
        for text in [
            r#""\udc00""#,
            r#""\ud800\u0041""#,
            r#""\ud800\ud800""#,
            r#""\ud800x""#,
        ] {
            assert_eq!(code(text), ErrorCode::SurrogateUnpaired, "{text}");
        }
        let error = parse(r#"[{"a":1,"b":2,"a":3}]"#).unwrap_err();
        assert_eq!(error.code(), ErrorCode::KeyDuplicate);
        assert_eq!(alloc::format!("{}", error.path()), "[0].a");
    }

    #[test]
    fn depth_is_limited() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(parse(&nested(MAX_JSON_DEPTH)).is_ok());
        assert_eq!(code(&nested(MAX_JSON_DEPTH + 1)), ErrorCode::JsonTooDeep);
        assert_eq!(code(&"[".repeat(1_000_000)), ErrorCode::JsonTooDeep);
        assert_eq!(code(&"{\"a\":".repeat(1_000_000)), ErrorCode::JsonTooDeep);
    }
}
