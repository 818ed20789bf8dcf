//! Writes a [`Value`] as JSON text, as ECMAScript's `JSON.stringify` does or in the canonical form of RFC 8785.

use alloc::string::String;
use alloc::vec::Vec;

use crate::json::number::parse_index;
use crate::json::value::{Object, Value};

impl Value {
    /// Returns JSON text exactly as ECMAScript's `JSON.stringify` writes it: keys that are array indexes come first.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = String::new();
        value(&mut text, self);
        text
    }
}

pub(crate) fn value(out: &mut String, value: &Value) {
    write(out, value, &in_own_key_order);
}

/// Writes the canonical text of RFC 8785: as `JSON.stringify`, but with keys ordered by their UTF-16 code units.
pub(crate) fn canonical(out: &mut String, value: &Value) {
    write(out, value, &Object::by_utf16);
}

/// Returns the keys and values of an object in the order in which they are written.
type KeyOrder<'o> = &'o dyn for<'v> Fn(&'v Object) -> Vec<(&'v str, &'v Value)>;

fn write(out: &mut String, value: &Value, order: KeyOrder<'_>) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) if number.is_finite() => out.push_str(number.as_str()),
        // ECMA-262, SerializeJSONProperty.
        Value::Number(_) => out.push_str("null"),
        Value::String(string) => self::string(out, string),
        Value::Array(array) => {
            out.push('[');
            for (index, item) in array.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(out, item, order);
            }
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (index, (key, item)) in order(object).into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                string(out, key);
                out.push(':');
                write(out, item, order);
            }
            out.push('}');
        }
    }
}

/// ECMA-262, QuoteJSONString: short escapes, and `\u00xx` for the other control characters. No other character is escaped.
pub(crate) fn string(out: &mut String, string: &str) {
    out.push('"');
    for char in string.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0'..'\u{10}' => control(out, "\\u000", char),
            '\u{10}'..' ' => control(out, "\\u001", char),
            _ => out.push(char),
        }
    }
    out.push('"');
}

fn control(out: &mut String, start: &str, control: char) {
    out.push_str(start);
    out.extend(char::from_digit(control as u32 % 16, 16));
}

/// ECMA-262, OrdinaryOwnPropertyKeys: array indexes (0 to 2^32 − 2) come first, in ascending order. The other keys follow in the order of
/// insertion.
fn in_own_key_order(object: &Object) -> Vec<(&str, &Value)> {
    const GREATEST: usize = 0xffff_fffe;
    let rank = |key: &str| match parse_index(key) {
        Some(index) if index <= GREATEST => (false, index),
        _ => (true, 0),
    };
    object.sorted(&|one, other| rank(one).cmp(&rank(other)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> String {
        Value::parse(text).unwrap().to_json()
    }

    #[test]
    fn keys_are_written_in_javascript_order() {
        let text = r#"{"b":1,"10":2,"a":3,"2":4,"01":5,"4294967294":6,"4294967295":7,"-1":8,"":9,"1.5":10}"#;
        let order = r#"{"2":4,"10":2,"4294967294":6,"b":1,"a":3,"01":5,"4294967295":7,"-1":8,"":9,"1.5":10}"#;
        assert_eq!(rewritten(text), order);
    }

    #[test]
    fn canonical_text_orders_keys_by_code_units() {
        let text = r#"{"b":1,"10":{"z":[{"d":1,"c":2}],"y":3},"😀":4,"！":5,"9":6,"":7}"#;
        let mut out = String::new();
        canonical(&mut out, &Value::parse(text).unwrap());
        let order = r#"{"":7,"10":{"y":3,"z":[{"c":2,"d":1}]},"9":6,"b":1,"😀":4,"！":5}"#;
        assert_eq!(out, order);
    }

    #[test]
    fn strings_and_numbers_match_stringify() {
        assert_eq!(
            rewritten(r#""\u0000\u001f\u007f\u2028\/é\ud83d\ude00\b\f\n\r\t\"\\""#),
            "\"\\u0000\\u001f\u{7f}\u{2028}/é😀\\b\\f\\n\\r\\t\\\"\\\\\""
        );
        assert_eq!(rewritten("[1.0,-0,1e21,1E-7]"), "[1,0,1e+21,1e-7]");
        assert_eq!(Value::from(f64::INFINITY).to_json(), "null");
    }
}
