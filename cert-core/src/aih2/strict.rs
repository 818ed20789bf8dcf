//! Rules for documents and schemas that are stricter than JSON: every reader must get the same value for each number.

use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep};
use crate::json::read;
use crate::json::value::{MAX_JSON_DEPTH, Value};

/// The greatest allowed integer, 2^53 − 1, in decimal digits.
const GREATEST: &str = "9007199254740991";

/// Reads the JSON text of a document or a schema.
///
/// # Errors
/// The errors of [`Value::parse`], and [`ErrorCode::IntegerTooLarge`] for an integer outside ±(2^53 − 1). A number counts as an integer if
/// its text or its canonical text has no decimal point and no exponent: `1e20` counts, `1e21` does not.
pub fn parse(text: &str) -> Result<Value, CertError> {
    parse_levels(text, MAX_JSON_DEPTH)
}

/// Reads a JSON text that has at most `levels` nesting levels.
pub(super) fn parse_levels(text: &str, levels: usize) -> Result<Value, CertError> {
    let value = read::parse(text, levels)?;
    check(&value)?;
    match written_too_large(text) {
        None => Ok(value),
        Some(number) => Err(too_large(path_of(&value, number))),
    }
}

/// Refuses numbers that are not finite, and integers whose canonical text is too large.
pub(super) fn check(value: &Value) -> Result<(), CertError> {
    match value {
        Value::Number(number) if !number.is_finite() => Err(CertError::new(
            ErrorCode::NumberNotFinite,
            Path::root(),
            "a number must be finite",
        )),
        Value::Number(number) if is_too_large(number.as_str()) => Err(too_large(Path::root())),
        Value::Array(array) => array.iter().enumerate().try_for_each(|(index, item)| {
            check(item).map_err(|error| error.below(PathStep::Index(index)))
        }),
        Value::Object(object) => object.entries().iter().try_for_each(|(key, item)| {
            check(item).map_err(|error| error.below(PathStep::Key(key.clone())))
        }),
        _ => Ok(()),
    }
}

fn too_large(path: Path) -> CertError {
    CertError::new(
        ErrorCode::IntegerTooLarge,
        path,
        "this integer is outside ±(2^53 − 1), where readers disagree about integers: write it as a string",
    )
}

/// Returns true if a number's text is an integer that is too large.
fn is_too_large(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    // Neither number has leading zeros, so digits of equal length compare like their numbers.
    digits.len() >= GREATEST.len()
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && (digits.len() > GREATEST.len() || digits > GREATEST)
}

/// Finds the first number of a JSON text that is written as an integer and is too large. Returns the count of numbers before it, or `None`
/// if there is no such number.
fn written_too_large(text: &str) -> Option<usize> {
    let (mut number, mut rest) = (0_usize, text);
    loop {
        let at = rest.find(|char: char| char == '"' || char == '-' || char.is_ascii_digit())?;
        rest = rest.get(at..)?;
        if rest.starts_with('"') {
            rest = after_string(rest)?;
            continue;
        }
        let is_part = |char: char| char.is_ascii_digit() || "+-.eE".contains(char);
        let end = rest.find(|char: char| !is_part(char)).unwrap_or(rest.len());
        let (token, after) = rest.split_at_checked(end)?;
        if is_too_large(token) {
            return Some(number);
        }
        number = number.saturating_add(1);
        rest = after;
    }
}

/// Returns the rest of a text that begins with a JSON string, or `None` if the string does not end.
fn after_string(text: &str) -> Option<&str> {
    let mut rest = text.strip_prefix('"')?;
    loop {
        let at = rest.find(['"', '\\'])?;
        let is_end = rest.as_bytes().get(at) == Some(&b'"');
        // Skips the quote, or the backslash and the escaped character.
        let mut chars = rest.get(at..)?.chars();
        chars.next();
        if is_end {
            return Some(chars.as_str());
        }
        chars.next();
        rest = chars.as_str();
    }
}

/// Returns the path of a number, given by its index among the numbers of the text.
fn path_of(value: &Value, mut number: usize) -> Path {
    let mut steps = Vec::new();
    find(value, &mut number, &mut steps);
    steps.reverse();
    steps.into()
}

/// Returns true if the number is in this value. If so, appends the steps to the number, the last step first.
fn find(value: &Value, number: &mut usize, steps: &mut Vec<PathStep>) -> bool {
    let (found, step) = match value {
        Value::Number(_) => {
            let is_it = *number == 0;
            *number = number.saturating_sub(1);
            return is_it;
        }
        Value::Array(array) => {
            let index = array.iter().position(|item| find(item, number, steps));
            (index.is_some(), index.map(PathStep::Index))
        }
        Value::Object(object) => {
            let mut entries = object.entries().iter();
            let entry = entries.find(|(_, item)| find(item, number, steps));
            (
                entry.is_some(),
                entry.map(|(key, _)| PathStep::Key(key.clone())),
            )
        }
        _ => (false, None),
    };
    steps.extend(step);
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString as _;

    #[test]
    fn integers_are_bounded_as_written_and_in_canonical_text() {
        for text in [
            "9007199254740991",
            "-9007199254740991",
            "1e21",
            "1E+21",
            "1000000000000000000000.0",
            "123456789012345678901234567890e0",
            "9007199254740991.0",
            "0.1",
            "-0",
            "-0.0",
            "5e-324",
            "1.7976931348623157e308",
            r#""9007199254740992""#,
            r#""\"9007199254740992\\""#,
            r#"["\\",{"\"1e20\"":"12345678901234567890"}]"#,
        ] {
            assert!(parse(text).is_ok(), "{text}");
        }
        for text in [
            "9007199254740992",
            "-9007199254740992",
            "9007199254740993",
            "10000000000000000",
            "1e20",
            "1e16",
            "-100000000000000000000",
            "100000000000000000000.0",
            "1000000000000000000000",
            "123456789012345678901234567890",
            "-123456789012345678901234567890",
        ] {
            assert_eq!(
                parse(text).unwrap_err().code(),
                ErrorCode::IntegerTooLarge,
                "{text}"
            );
        }
        for (text, path) in [
            (r#"{"a\"1":[1,{"b":["x9",-2,0.5,1e20]}]}"#, "a\"1[1].b[3]"),
            (
                r#"{"a\\":[1,{"b":["\"9",-2,0.5,1000000000000000000000],"c":1}]}"#,
                "a\\[1].b[3]",
            ),
        ] {
            assert_eq!(parse(text).unwrap_err().path().to_string(), path);
        }
    }

    #[test]
    fn numbers_in_memory_are_checked() {
        for (number, code) in [
            (f64::NAN, ErrorCode::NumberNotFinite),
            (f64::NEG_INFINITY, ErrorCode::NumberNotFinite),
            (1e20, ErrorCode::IntegerTooLarge),
            (9_007_199_254_740_992.0, ErrorCode::IntegerTooLarge),
        ] {
            assert_eq!(check(&Value::from(number)).unwrap_err().code(), code);
        }
        for number in [1e21, -0.0, 9_007_199_254_740_991.0, 5e-324] {
            assert!(check(&Value::from(number)).is_ok(), "{number}");
        }
    }

    #[test]
    fn noncharacters_are_allowed_and_a_byte_order_mark_is_not() {
        assert!(parse("\"\u{fffe}\u{ffff}\u{1ffff}\u{fdd0}\"").is_ok());
        assert!(parse(r#""\ufffe\uffff""#).is_ok());
        assert_eq!(
            parse("\u{feff}{}").unwrap_err().code(),
            ErrorCode::JsonInvalid
        );
    }
}
