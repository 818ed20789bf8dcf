//! Conversions from and to `serde_json::Value`.
//!
//! That type forgets the order of keys unless a feature says otherwise, may round a number's last
//! digit and keeps the last of two equal keys. Read text with [`Value::parse`] where any of this
//! counts: for [`identify`](crate::schema::identify) always.

use alloc::string::ToString;
use alloc::vec::Vec;

use crate::error::CertError;
use crate::json::number::Number;
use crate::json::path::PathStep;
use crate::json::value::{Array, MAX_JSON_DEPTH, Object, Value, too_deep};

impl TryFrom<&serde_json::Value> for Value {
    type Error = CertError;

    /// # Errors
    /// [`ErrorCode::JsonTooDeep`](crate::ErrorCode::JsonTooDeep).
    fn try_from(value: &serde_json::Value) -> Result<Self, CertError> {
        read(value, MAX_JSON_DEPTH)
    }
}

fn read(value: &serde_json::Value, levels: usize) -> Result<Value, CertError> {
    let below = || levels.checked_sub(1).ok_or_else(too_deep);
    Ok(match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(bool) => Value::Bool(*bool),
        // Where numbers are kept as text, what is out of range has no `as_f64`.
        serde_json::Value::Number(number) => Value::from(
            number
                .as_f64()
                .or_else(|| number.to_string().parse().ok())
                .unwrap_or(f64::NAN),
        ),
        serde_json::Value::String(string) => string.as_str().into(),
        serde_json::Value::Array(items) => {
            let below = below()?;
            let items = items.iter().enumerate().map(|(index, item)| {
                read(item, below).map_err(|error| error.below(PathStep::Index(index)))
            });
            Array::try_from(items.collect::<Result<Vec<_>, _>>()?)?.into()
        }
        serde_json::Value::Object(map) => {
            let below = below()?;
            let entries = map.iter().map(|(key, item)| match read(item, below) {
                Ok(value) => Ok((key.clone(), value)),
                Err(error) => Err(error.below(key.as_str().into())),
            });
            Object::try_from(entries.collect::<Result<Vec<_>, _>>()?)?.into()
        }
    })
}

/// Whole numbers that a double holds exactly become integers, what is not finite `null`.
impl From<&Value> for serde_json::Value {
    fn from(value: &Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(bool) => Self::Bool(*bool),
            Value::Number(number) => match integer(number) {
                Some(integer) => Self::from(integer),
                None => {
                    serde_json::Number::from_f64(number.to_f64()).map_or(Self::Null, Self::Number)
                }
            },
            Value::String(string) => Self::String(string.as_str().into()),
            Value::Array(array) => array.iter().map(Self::from).collect(),
            Value::Object(object) => object
                .iter()
                .map(|(key, item)| (key.to_string(), Self::from(item)))
                .collect(),
        }
    }
}

/// The number as an integer where it is one of at most 2^53.
fn integer(number: &Number) -> Option<i64> {
    const EXACT: i64 = 1 << 53;
    let integer = number.as_str().parse().ok()?;
    (-EXACT..=EXACT).contains(&integer).then_some(integer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn goes_there_and_back() {
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
    fn depth_is_limited() {
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
