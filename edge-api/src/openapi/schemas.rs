//! Generates JSON Schemas for the shapes in `api`.

use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value};

/// A function that generates a shape's schema.
type Schema = fn(&mut SchemaGenerator) -> schemars::Schema;

/// The schemas that the document refers to. Bodies and answers have separate generators: an optional field may be
/// absent in a body, but is null in an answer.
pub(super) struct Schemas {
    bodies: SchemaGenerator,
    answers: SchemaGenerator,
}

impl Default for Schemas {
    fn default() -> Self {
        let generator = |contract| {
            let settings = SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.contract = contract;
                settings.meta_schema = None;
            });
            settings.into_generator()
        };
        Self {
            bodies: generator(Contract::Deserialize),
            answers: generator(Contract::Serialize),
        }
    }
}

impl Schemas {
    /// Returns the schema of a shape in answers. It is a reference if the shape has a name.
    pub(super) fn answer<T: JsonSchema>(&mut self) -> Value {
        self.answer_of(SchemaGenerator::subschema_for::<T>)
    }

    pub(super) fn answer_of(&mut self, shape: Schema) -> Value {
        shape(&mut self.answers).to_value()
    }

    /// Returns the schema of a shape in request bodies.
    pub(super) fn body_of(&mut self, shape: Schema) -> Value {
        shape(&mut self.bodies).to_value()
    }

    /// Returns `components.schemas`, which contains all named schemas.
    pub(super) fn finish(&self) -> Map<String, Value> {
        let answers = self.answers.definitions().clone();
        let bodies = self.bodies.definitions().clone();
        let mut named: Map<String, Value> = answers.into_iter().chain(bodies).collect();
        named.values_mut().for_each(tidy);
        named
    }
}

/// Joins the lines of a comment. Keeps line breaks between paragraphs and before list items.
fn paragraphs(comment: &str) -> String {
    let mut text = String::new();
    let mut after_blank = true;
    for line in comment.lines() {
        let is_blank = line.trim().is_empty();
        if is_blank || after_blank || line.starts_with("- ") {
            text.push('\n');
        } else {
            text.push(' ');
        }
        text.push_str(line);
        after_blank = is_blank;
    }
    text.trim().to_owned()
}

/// Removes details of Rust: the sizes of integers, the default of `Option` fields, and the line breaks of comments. Also gives each
/// object schema a `properties` field.
fn tidy(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let is_size = |format: &Value| {
                let format = format.as_str().unwrap_or_default();
                format.starts_with("uint") || format.starts_with("int")
            };
            if fields.get("format").is_some_and(is_size) {
                for key in ["format", "minimum", "maximum"] {
                    fields.remove(key);
                }
            }
            // For an optional field, a missing value and null mean the same.
            if fields.get("default") == Some(&Value::Null) {
                fields.remove("default");
            }
            if fields.get("type").is_some_and(|kind| kind == "object") {
                let properties = fields.entry("properties");
                properties.or_insert_with(|| Value::Object(Map::new()));
            }
            if let Some(Value::String(text)) = fields.get_mut("description") {
                *text = paragraphs(text);
            }
            fields.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}
