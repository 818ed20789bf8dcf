//! Reads JSON into structs: rows of the database, stored requests, and answers of other services. All structs use the same reader, because
//! each further reader would add code for every struct to the program.

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error as _, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Error, Map, Value};

/// Reads a value as `T`. An absent member is null. The reader looks up members by name in the order of the struct's fields. This saves the
/// code that serde derives for each `T` to compare names.
///
/// # Errors
///
/// An error for the first value of the wrong type, with its member's name.
pub fn from_value<T: DeserializeOwned>(value: Value) -> Result<T, Error> {
    T::deserialize(Read(value))
}

/// Reads JSON text as `T`.
///
/// # Errors
///
/// The errors of [`from_value`], and an error for text that is not JSON.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    serde_json::from_str(text).and_then(from_value)
}

/// Parses JSON from bytes.
///
/// # Errors
///
/// An error if the bytes are not UTF-8 or not JSON.
pub fn parse(bytes: &[u8]) -> Result<Value, Error> {
    serde_json::from_str(core::str::from_utf8(bytes).map_err(Error::custom)?)
}

struct Read(Value);

impl<'de> Deserializer<'de> for Read {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.0.deserialize_any(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(list) => visitor.visit_seq(Elements(list.into_iter())),
            _ => Err(Error::custom("not a list")),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(members) => visitor.visit_seq(Members {
                members,
                fields: fields.iter(),
            }),
            _ => Err(Error::custom(format_args!(
                "not an object: {name} needs one"
            ))),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct tuple tuple_struct map identifier
        ignored_any
    }
}

/// The elements of a list.
struct Elements(alloc::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Elements {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        self.0
            .next()
            .map(|value| seed.deserialize(Read(value)))
            .transpose()
    }
}

/// The members of an object in the order of a struct's fields.
struct Members {
    members: Map<alloc::string::String, Value>,
    fields: core::slice::Iter<'static, &'static str>,
}

impl<'de> SeqAccess<'de> for Members {
    type Error = Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, Error> {
        let Some(field) = self.fields.next() else {
            return Ok(None);
        };
        let value = self.members.remove(*field).unwrap_or_default();
        seed.deserialize(Read(value))
            .map(Some)
            .map_err(|error| in_field(field, &error))
    }
}

fn in_field(field: &str, error: &Error) -> Error {
    Error::custom(format_args!("`{field}`: {error}"))
}

#[cfg(test)]
mod tests {
    use alloc::borrow::ToOwned;
    use alloc::string::{String, ToString};
    use alloc::vec::Vec;

    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::{from_text, from_value, parse};

    #[derive(Debug, Deserialize, PartialEq)]
    struct Shape {
        #[serde(rename = "ref")]
        reference: String,
        count: u32,
        note: Option<String>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Outer {
        shapes: Vec<Shape>,
        kind: Kind,
        rest: Value,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "lowercase")]
    enum Kind {
        Plain,
        Named(String),
    }

    fn shape(note: Option<&str>) -> Shape {
        Shape {
            reference: "r".to_owned(),
            count: 7,
            note: note.map(str::to_owned),
        }
    }

    #[test]
    fn members_are_read_by_name_in_any_order() {
        let row = json!({ "zeta": 1, "note": null, "count": 7, "ref": "r" });
        assert_eq!(from_value::<Shape>(row).unwrap(), shape(None));
        let without_note = json!({ "count": 7, "ref": "r" });
        assert_eq!(from_value::<Shape>(without_note).unwrap(), shape(None));
    }

    #[test]
    fn structs_in_lists_are_read_the_same_way() {
        let text = r#"{"kind":{"named":"n"},"rest":[{"a":1},null],"shapes":[{"note":"x","count":7,"ref":"r"}]}"#;
        let outer = Outer {
            shapes: [shape(Some("x"))].into(),
            kind: Kind::Named("n".to_owned()),
            rest: json!([{ "a": 1 }, null]),
        };
        assert_eq!(from_text::<Outer>(text).unwrap(), outer);
        let plain = json!({ "kind": "plain", "shapes": [] });
        assert_eq!(from_value::<Outer>(plain).unwrap().kind, Kind::Plain);
    }

    #[test]
    fn a_wrong_shape_is_an_error_that_names_the_member() {
        for value in [
            json!({ "ref": "r" }),
            json!({ "ref": "r", "count": "7" }),
            json!({ "ref": "r", "count": -7 }),
        ] {
            let error = from_value::<Shape>(value).unwrap_err().to_string();
            assert!(error.contains("`count`"), "{error}");
        }
        assert!(from_value::<Shape>(json!([])).is_err());
        for shapes in [json!({}), json!("text"), json!(null), json!([{ "ref": 1 }])] {
            let error = from_value::<Outer>(json!({ "shapes": shapes })).unwrap_err();
            assert!(error.to_string().starts_with("`shapes`"), "{error}");
        }
    }

    #[test]
    fn bytes_are_json_or_an_error() {
        assert_eq!(parse(b"[1]").unwrap(), json!([1]));
        assert!(parse(b"[1").is_err() && parse(b"\"\xff\"").is_err());
    }
}
