//! Reads JSON text, or any other self-describing format, into [`Value`].

use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor,
};

use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep};
use crate::json::str::{Keys, Str};
use crate::json::value::{Array, MAX_JSON_DEPTH, Object, Value, too_deep};

impl Value {
    /// Reads JSON text (RFC 8259) of at most [`MAX_JSON_DEPTH`] nesting levels.
    ///
    /// # Errors
    /// [`ErrorCode::JsonInvalid`], [`ErrorCode::JsonTooDeep`], [`ErrorCode::KeyDuplicate`], [`ErrorCode::NumberNotFinite`] for a number
    /// beyond the range of doubles, and [`ErrorCode::SurrogateUnpaired`] for an escape that names half of a surrogate pair.
    pub fn parse(text: &str) -> Result<Self, CertError> {
        parse(text, MAX_JSON_DEPTH)
    }
}

/// Reads JSON text of at most `levels` nesting levels.
pub(crate) fn parse(text: &str, levels: usize) -> Result<Value, CertError> {
    let mut json = serde_json::Deserializer::from_str(text);
    // Levels are counted in `read`, where the limit is the same for every format.
    json.disable_recursion_limit();
    let value = read(&mut json, levels)?;
    json.end().map_err(|error| not_json(&error))?;
    Ok(value)
}

impl<'de> Deserialize<'de> for Value {
    /// Reads as [`Value::parse`] does, but the error has only a message and no code. Readers such as `serde_json::from_str` have a lower depth
    /// limit.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        read(deserializer, MAX_JSON_DEPTH).map_err(D::Error::custom)
    }
}

/// `serde_json::Value` loses the order of keys unless a feature is set. It may round the last digit of a number. Of two equal keys, it
/// keeps only the last. If any of this matters, parse the text with [`Value::parse`]. For [`identify`](crate::identify), it always matters.
impl TryFrom<&serde_json::Value> for Value {
    type Error = CertError;

    /// # Errors
    /// [`ErrorCode::JsonTooDeep`].
    fn try_from(value: &serde_json::Value) -> Result<Self, CertError> {
        read(value, MAX_JSON_DEPTH)
    }
}

/// Reads a value of at most `levels` nesting levels from any self-describing format.
pub(crate) fn read<'de, D: Deserializer<'de>>(
    deserializer: D,
    levels: usize,
) -> Result<Value, CertError> {
    let mut reader = Reader {
        levels,
        path: Vec::new(),
        keys: Keys::new(),
        failure: None,
    };
    deserializer.deserialize_any(&mut reader).map_err(|error| {
        let failure = reader.failure.unwrap_or_else(|| not_json(&error));
        let path = reader.path.into_iter();
        path.rfold(failure, CertError::below)
    })
}

/// Maps an error of serde_json. Only the message of the error describes the fault.
pub(crate) fn not_json(error: &impl fmt::Display) -> CertError {
    let message = error.to_string();
    let (code, message) = if message.contains("hex escape") {
        (
            ErrorCode::SurrogateUnpaired,
            format!("an escape is half of a surrogate pair: {message}"),
        )
    } else if message.contains("number out of range") {
        (
            ErrorCode::NumberNotFinite,
            format!("a number is larger than any double: {message}"),
        )
    } else {
        (ErrorCode::JsonInvalid, format!("not JSON: {message}"))
    };
    CertError::new(code, Path::root(), message)
}

struct Reader {
    levels: usize,
    /// The path of the value that is being read. After an error: the path of the value that could not be read.
    path: Vec<PathStep>,
    keys: Keys,
    /// The reader's own error, which the error type of a format cannot carry.
    failure: Option<CertError>,
}

impl Reader {
    fn fail<E: serde::de::Error>(&mut self, failure: CertError) -> E {
        let error = E::custom(failure.message());
        self.failure = Some(failure);
        error
    }

    fn enter<E: serde::de::Error>(&mut self) -> Result<(), E> {
        if self.path.len() < self.levels {
            Ok(())
        } else {
            Err(self.fail(too_deep()))
        }
    }

    fn below(&mut self, step: PathStep) -> Below<'_> {
        Below { reader: self, step }
    }
}

impl<'de> Visitor<'de> for &mut Reader {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value of JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, bool: bool) -> Result<Value, E> {
        Ok(Value::Bool(bool))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Value, E> {
        Ok(Value::from(number as f64))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Value, E> {
        Ok(Value::from(number as f64))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Value, E> {
        Ok(Value::from(number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::from(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self.below(items.len().into()))? {
            items.push(item);
        }
        Ok(Array::from_bounded(items).into())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        self.enter()?;
        let mut entries = Vec::new();
        while let Some(key) = access.next_key_seed(Key(&mut self.keys))? {
            if key == NUMBER && numbers_are_objects() {
                return Err(self.fail(number_unreadable()));
            }
            let value = access.next_value_seed(self.below(PathStep::Key(key.clone())))?;
            entries.push((key, value));
        }
        let object = Object::from_distinct(entries);
        object.check_keys().map_err(|error| self.fail(error))?;
        Ok(object.into())
    }
}

/// A value one step below the current one.
struct Below<'r> {
    reader: &'r mut Reader,
    step: PathStep,
}

impl<'de> DeserializeSeed<'de> for Below<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        self.reader.path.push(self.step);
        let value = deserializer.deserialize_any(&mut *self.reader)?;
        self.reader.path.pop();
        Ok(value)
    }
}

/// A key. Equal keys share their text.
struct Key<'k>(&'k mut Keys);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Str;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Str, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Str;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Str, E> {
        Ok(self.0.share(key))
    }
}

/// The only key of the object that serde_json passes instead of a fraction if another crate in the build enables `arbitrary_precision`.
const NUMBER: &str = "$serde_json::private::Number";

fn numbers_are_objects() -> bool {
    // This number exceeds every double, so it parses only if serde_json keeps numbers as text.
    "1e999".parse::<serde_json::Number>().is_ok()
}

fn number_unreadable() -> CertError {
    CertError::new(
        ErrorCode::JsonInvalid,
        Path::root(),
        "serde_json's feature `arbitrary_precision` must be off, because it makes a number look like an object",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> ErrorCode {
        Value::parse(text).unwrap_err().code()
    }

    #[test]
    fn malformed_json_is_refused() {
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
    fn valid_json_is_read() {
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
            ("9223372036854775807", Value::from(9223372036854775808.0)),
            ("-9223372036854775809", Value::from(-9223372036854775808.0)),
            ("18446744073709551615", Value::from(18446744073709551616.0)),
            ("1.7976931348623158e308", Value::from(f64::MAX)),
            ("1e-999", Value::from(0.0)),
            (
                r#""a\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é😀""#,
                "a\"\\/\u{8}\u{c}\n\r\té😀é😀".into(),
            ),
        ] {
            assert_eq!(Value::parse(text).unwrap(), value, "{text}");
        }
        let value = Value::parse(r#" { "b" : [ 1 , { } , [ ] ] , "a" : { "__proto__" : null } } "#)
            .unwrap();
        assert_eq!(value.to_json(), r#"{"b":[1,{},[]],"a":{"__proto__":null}}"#);
    }

    #[test]
    fn errors_have_the_path_of_the_faulty_value() {
        let error = Value::parse(r#"{"a":[1,{"b":"\ud800"}]}"#).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SurrogateUnpaired);
        let expected = Path::from([PathStep::from("a"), 1.into(), "b".into()]);
        assert_eq!(error.path(), &expected);
        for text in [
            r#""\udc00""#,
            r#""\ud800\u0041""#,
            r#""\ud800\ud800""#,
            r#""\ud800x""#,
        ] {
            assert_eq!(code(text), ErrorCode::SurrogateUnpaired, "{text}");
        }
        let error = Value::parse(r#"{"a":[1,{"b":-1e999}]}"#).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NumberNotFinite);
        assert_eq!(error.path(), &expected);
        let error = Value::parse(r#"[{"a":1,"b":2,"a":3}]"#).unwrap_err();
        assert_eq!(error.code(), ErrorCode::KeyDuplicate);
        assert_eq!(alloc::format!("{}", error.path()), "[0].a");
    }

    #[test]
    fn nesting_depth_is_limited() {
        let nested = |n: usize| "[".repeat(n) + &"]".repeat(n);
        assert!(Value::parse(&nested(MAX_JSON_DEPTH)).is_ok());
        assert_eq!(code(&nested(MAX_JSON_DEPTH + 1)), ErrorCode::JsonTooDeep);
        assert_eq!(code(&"[".repeat(1_000_000)), ErrorCode::JsonTooDeep);
        assert_eq!(code(&"{\"a\":".repeat(1_000_000)), ErrorCode::JsonTooDeep);
    }
}
