//! Serializes [`Value`] and [`Str`], and converts types of this crate to [`Value`].

use alloc::string::String;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::invariant::certain;
use crate::json::number::Number;
use crate::json::read::parse;
use crate::json::str::Str;
use crate::json::value::Value;

/// Converts a value of one of this crate's types to JSON.
pub(crate) fn to_value(of: &impl Serialize) -> Value {
    let text = serde_json::to_string(of).ok();
    let value = text.and_then(|text| parse(&text, usize::MAX).ok());
    let invariant = "values and the types of this crate have unique string keys";
    certain(value, invariant)
}

/// Whole numbers from −2^53 to 2^53 become integers. Infinities and NaN become `null`.
impl From<&Value> for serde_json::Value {
    fn from(value: &Value) -> Self {
        certain(serde_json::to_value(value).ok(), "all keys are strings")
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(bool) => serializer.serialize_bool(*bool),
            Self::Number(number) => number.serialize(serializer),
            Self::String(string) => string.serialize(serializer),
            Self::Array(array) => serializer.collect_seq(array),
            Self::Object(object) => serializer.collect_map(object.iter()),
        }
    }
}

impl Serialize for Str {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for Str {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for Number {
    /// Writes an integer if the number is whole and from −2^53 to 2^53, otherwise a double.
    ///
    /// Formats that are not human-readable receive a newtype `Number` that contains the text. A page that uses the text then does not have
    /// to load the tables for parsing numbers.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if !serializer.is_human_readable() {
            return serializer.serialize_newtype_struct("Number", self.as_str());
        }
        const EXACT: i64 = 1 << 53;
        match self.as_str().parse() {
            Ok(integer) if (-EXACT..=EXACT).contains(&integer) => serializer.serialize_i64(integer),
            _ => serializer.serialize_f64(self.to_f64()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::value::MAX_JSON_DEPTH;
    use alloc::string::ToString as _;
    use alloc::vec;

    #[test]
    fn values_round_trip_through_serde_json() {
        let text = r#"{"a":[1,-1.5,1e300,9007199254740992,9007199254740993,18446744073709551615,"x",true,null,{}]}"#;
        let value = Value::parse(text).unwrap();
        let foreign = serde_json::Value::from(&value);
        assert_eq!(foreign["a"][0].to_string(), "1");
        assert_eq!(Value::try_from(&foreign).unwrap(), value);
        let parsed: serde_json::Value = serde_json::from_str(text).unwrap();
        assert_eq!(Value::try_from(&parsed).unwrap(), value);
        assert_eq!(
            serde_json::Value::from(&Value::from(f64::NAN)),
            serde_json::Value::Null
        );
    }

    #[test]
    fn nesting_depth_is_limited() {
        let mut deep = serde_json::Value::Null;
        for _ in 0..MAX_JSON_DEPTH {
            deep = serde_json::Value::Array(vec![deep]);
        }
        assert!(Value::try_from(&deep).is_ok());
        let deeper = serde_json::Value::Array(vec![deep]);
        assert_eq!(
            Value::try_from(&deeper).unwrap_err().code(),
            crate::ErrorCode::JsonTooDeep
        );
    }
}
