//! Members of published metadata that are not part of the document.

use alloc::vec::Vec;

use crate::aih2::asset::POINTERS;
use crate::aih2::cert::Cert;
use crate::json::value::{Object, Value};

impl Cert {
    /// Returns the document in published metadata: everything except those [`POINTERS`] that the schema does not have.
    ///
    /// AIH-2 refuses keys that the schema does not have, so readers of metadata remove these members first.
    #[must_use]
    pub fn without_pointers(&self, metadata: Value) -> Value {
        let slots = self.shape.object.as_ref();
        let is_pointer = |key: &str| {
            POINTERS.contains(&key) && slots.is_none_or(|slots| slots.slot(key).is_none())
        };
        match metadata {
            Value::Object(object) if object.iter().any(|(key, _)| is_pointer(key)) => {
                let rest = object.entries().iter().filter(|(key, _)| !is_pointer(key));
                Object::from_distinct(rest.cloned().collect::<Vec<_>>()).into()
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::aih2::{Cert, parse};

    #[test]
    fn pointers_are_removed_unless_the_schema_has_them() {
        let metadata = r#"{"$schema":"s","name":"Ada","$evidence":"e","more":{"$schema":"s"}}"#;
        for (properties, rest) in [
            (r"{}", r#"{"name":"Ada","more":{"$schema":"s"}}"#),
            (
                r#"{"$schema":{}}"#,
                r#"{"$schema":"s","name":"Ada","more":{"$schema":"s"}}"#,
            ),
            (r#"{"$schema":{},"$evidence":{}}"#, metadata),
        ] {
            let schema = alloc::format!(r#"{{"type":"object","properties":{properties}}}"#);
            let cert = Cert::new(&parse(&schema).unwrap()).unwrap();
            let document = cert.without_pointers(parse(metadata).unwrap());
            assert_eq!(document.to_json(), rest);
        }
        let schema = parse(r#"{"type":"object","properties":{}}"#).unwrap();
        let cert = Cert::new(&schema).unwrap();
        assert_eq!(cert.without_pointers(parse("[]").unwrap()).to_json(), "[]");
    }
}
