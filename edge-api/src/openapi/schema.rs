//! The records as JSON Schemas, and examples of them.
//!
//! `records.json` names each type once. A record lists its `fields`, each as a type and a sentence; a name that ends with
//! `?` may be absent. A type is a name of the file, `string`, `integer`, `boolean`, a number (that constant),
//! `[type]` (a list), or alternatives such as `Ref|null`. Everything else in the file is a JSON Schema as it stands.

use cert_core::{Object, Value};

use super::json::{Built, Fields, array, number};

/// Where the document keeps its schemas.
const SCHEMAS: &str = "#/components/schemas/";

/// A type of `records.json` as a JSON Schema.
pub(super) fn schema(name: &str) -> Built {
    if let Some(item) = list_item(name) {
        return Fields::new()
            .with("type", "array")
            .with("items", schema(item)?)
            .build();
    }
    if name.contains('|') {
        let one_of = name.split('|').map(schema).collect::<Built<Vec<_>>>()?;
        return Fields::new().with("anyOf", array(one_of)?).build();
    }
    if let Ok(constant) = name.parse::<u32>() {
        return Fields::new()
            .with("type", "integer")
            .with("const", number(constant))
            .build();
    }
    match name {
        "string" | "integer" | "boolean" | "null" => Fields::new().with("type", name).build(),
        _ => Fields::new().with("$ref", [SCHEMAS, name].concat()).build(),
    }
}

/// What a list type lists.
pub(super) fn list_item(name: &str) -> Option<&str> {
    name.strip_prefix('[')?.strip_suffix(']')
}

/// A field's text: its type, then a sentence.
fn split(text: &str) -> (&str, &str) {
    text.split_once(' ').unwrap_or((text, ""))
}

/// A field's name, and whether it is always there.
fn required(name: &str) -> (&str, bool) {
    name.strip_suffix('?')
        .map_or((name, true), |name| (name, false))
}

/// An entry of `records.json` as a JSON Schema.
pub(super) fn record(entry: &Value) -> Built {
    let Some(source) = entry.as_object() else {
        return Err("a record is no object".to_owned());
    };
    let Some(fields) = source.get("fields").and_then(Value::as_object) else {
        return Ok(entry.clone());
    };
    let (mut properties, mut names) = (Fields::new(), Vec::new());
    for (name, text) in fields.iter() {
        let ((name, always), (kind, sentence)) = (
            required(name),
            split(text.as_str().ok_or("a field's type is no text")?),
        );
        let Value::Object(bare) = schema(kind)? else {
            continue;
        };
        let mut property = Fields::new();
        for (key, value) in bare.iter() {
            property.push(key, value.clone());
        }
        if !sentence.is_empty() {
            property.push("description", sentence);
        }
        properties.push(name, property.build()?);
        if always {
            names.push(Value::from(name));
        }
    }
    let names = if names.is_empty() {
        None
    } else {
        Some(array(names)?)
    };
    Fields::new()
        .with("type", "object")
        .with_some("description", source.get("description").cloned())
        .with("properties", properties.build()?)
        .with_some("required", names)
        .with_some("examples", source.get("examples").cloned())
        .build()
}

/// Examples of types: those of the file, else put together from the examples of their parts.
pub(super) struct Examples<'a> {
    pub(super) records: &'a Object,
    /// By name of a field, for fields whose type says too little.
    pub(super) by_name: &'a Object,
}

impl Examples<'_> {
    pub(super) fn of(&self, kind: &str) -> Built {
        if let Some(item) = list_item(kind) {
            return array([self.of(item)?]);
        }
        if let Some((first, _)) = kind.split_once('|') {
            return self.of(first);
        }
        if let Ok(constant) = kind.parse::<u32>() {
            return Ok(number(constant));
        }
        let Some(entry) = self.records.get(kind).and_then(Value::as_object) else {
            return match kind {
                "integer" => Ok(number(1_u32)),
                "boolean" => Ok(Value::Bool(true)),
                "string" => Ok(Value::from("text")),
                "null" => Ok(Value::Null),
                _ => Err(format!("there is no type `{kind}`")),
            };
        };
        let own = entry.get("examples").and_then(Value::as_array);
        if let Some(example) = own.and_then(|examples| examples.get(0)) {
            return Ok(example.clone());
        }
        let mut example = Fields::new();
        let fields = entry.get("fields").and_then(Value::as_object);
        for (name, text) in fields.into_iter().flat_map(Object::iter) {
            let (name, always) = required(name);
            let (kind, _) = split(text.as_str().unwrap_or_default());
            // Named types speak for themselves.
            let named = self
                .by_name
                .get(name)
                .filter(|_| self.records.get(kind).is_none());
            match named {
                Some(value) => example.push(name, value.clone()),
                None if always => example.push(name, self.of(kind)?),
                None => {}
            }
        }
        example.build()
    }
}
