//! A row of the database as a struct.

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::DatabaseError;

/// A row as `T`, columns by name. The fields of `T` are taken in their own order, so that no code compares names, for every `T`, with
/// those of a row; a column that the row lacks is null.
pub(crate) fn from_row<T: DeserializeOwned>(row: Value) -> Result<T, DatabaseError> {
    let Value::Object(columns) = row else {
        return Err(DatabaseError::Unavailable("a row is no object".to_owned()));
    };
    T::deserialize(Row(columns)).map_err(wrong_shape)
}

fn wrong_shape(error: serde_json::Error) -> DatabaseError {
    DatabaseError::Unavailable(format!("a row has another shape: {error}"))
}

struct Row(Map<String, Value>);

impl<'de> Deserializer<'de> for Row {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        Value::Object(self.0).deserialize_any(visitor)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_seq(Columns {
            row: self.0,
            fields: fields.iter(),
        })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct seq tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// The columns that a struct asks for, in its order.
struct Columns {
    row: Map<String, Value>,
    fields: std::slice::Iter<'static, &'static str>,
}

impl<'de> SeqAccess<'de> for Columns {
    type Error = serde_json::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Self::Error> {
        let Some(field) = self.fields.next() else {
            return Ok(None);
        };
        let value = self.row.remove(*field).unwrap_or_default();
        seed.deserialize(value)
            .map(Some)
            .map_err(|error| in_column(field, &error))
    }
}

fn in_column(field: &str, error: &serde_json::Error) -> serde_json::Error {
    serde::de::Error::custom(format_args!("`{field}`: {error}"))
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::from_row;

    #[derive(Debug, Deserialize, PartialEq)]
    struct Shape {
        #[serde(rename = "ref")]
        reference: String,
        count: u32,
        note: Option<String>,
    }

    #[test]
    fn columns_are_read_by_name_whatever_their_order_and_others_are_passed_over() {
        let row = json!({ "zeta": 1, "note": null, "count": 7, "ref": "r" });
        let shape = Shape {
            reference: "r".to_owned(),
            count: 7,
            note: None,
        };
        assert_eq!(from_row::<Shape>(row), Ok(shape));
        let without_note = json!({ "count": 7, "ref": "r" });
        assert!(from_row::<Shape>(without_note).is_ok());
    }

    #[test]
    fn a_row_of_another_shape_is_an_error_that_names_the_column() {
        for row in [
            json!({ "ref": "r" }),
            json!({ "ref": "r", "count": "7" }),
            json!({ "ref": "r", "count": -7 }),
        ] {
            let error = from_row::<Shape>(row).unwrap_err().to_string();
            assert!(error.contains("`count`"), "{error}");
        }
        assert!(from_row::<Shape>(json!([])).is_err());
    }
}
