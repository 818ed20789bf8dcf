//! Lists the fields of a schema to which columns can be mapped, and finds the field of a column by its name.

use std::collections::BTreeMap;

use cert_core::{Path, PathStep};
use serde_json::Value;

use crate::accepts::structure;
use crate::reading::Reading;

/// Fields that are filled in for the issuer: the asset's ledger and id, and the addresses of its evidence and schema.
pub const OWN_FIELDS: [&str; 4] = ["ledgerId", "assetId", "$evidence", "$schema"];

/// The maximum number of properties that are examined, because references can repeat an object in many places.
const MAX_PROPERTIES: usize = 10_000;
/// The maximum nesting of objects that are examined.
const MAX_DEPTH: usize = 128;

/// A part of the schema to which a column can be mapped.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The field's path.
    pub path: Path,
    /// The `title` of its schema.
    pub title: Option<String>,
    pub(crate) schema: Value,
    /// How the column that fills the field writes dates and numbers. `None` as the schema's type demands.
    pub reading: Option<Reading>,
}

/// Returns the fields to which columns can be mapped by name: properties that are no objects and no lists, also inside objects. Leaves out
/// [`OWN_FIELDS`], and objects inside themselves.
pub fn fields(schema: &Value) -> Vec<Field> {
    let mut walk = Walk {
        root: schema,
        found: Vec::new(),
        left: MAX_PROPERTIES,
    };
    walk.collect(&mut vec![structure(schema, schema)], &Path::root());
    walk.found
}

struct Walk<'a> {
    root: &'a Value,
    found: Vec<Field>,
    left: usize,
}

impl<'a> Walk<'a> {
    /// Collects the fields of the last of the nested objects.
    fn collect(&mut self, objects: &mut Vec<&'a Value>, path: &Path) {
        let properties = objects.last().and_then(|object| object.get("properties"));
        let Some(properties) = properties.and_then(Value::as_object) else {
            return;
        };
        for (key, property) in properties {
            let Some(left) = self.left.checked_sub(1) else {
                return;
            };
            self.left = left;
            if path.is_empty() && OWN_FIELDS.contains(&key.as_str()) {
                continue;
            }
            let mut path = path.clone();
            path.push(key.as_str());
            let inside = structure(self.root, property);
            if inside.get("properties").is_some() {
                let is_inside_itself = objects.iter().any(|object| std::ptr::eq(*object, inside));
                if !is_inside_itself && objects.len() < MAX_DEPTH {
                    objects.push(inside);
                    self.collect(objects, &path);
                    objects.pop();
                }
            } else if inside.get("items").is_none() {
                self.found.push(field(path, property));
            }
        }
    }
}

fn field(path: Path, schema: &Value) -> Field {
    let title = schema
        .get("title")
        .and_then(Value::as_str)
        .map(str::to_owned);
    Field {
        path,
        title,
        schema: schema.clone(),
        reading: None,
    }
}

/// Returns the field at a path, which may lead into the items of a list, and along references. `None` if the schema has no such field.
pub fn field_at(schema: &Value, path: &Path) -> Option<Field> {
    let found = path.steps().iter().try_fold(schema, |at, step| {
        let inside = structure(schema, at);
        step_into(inside, step)
    })?;
    Some(field(path.clone(), found))
}

pub(crate) fn step_into<'a>(schema: &'a Value, step: &PathStep) -> Option<&'a Value> {
    match step {
        PathStep::Key(key) => schema.get("properties")?.get(key.as_str()),
        PathStep::Index(_) => schema.get("items"),
    }
}

/// The fields by their names: by their paths, by their titles, and by their last keys. A name maps to `None` if several fields have it.
pub struct Names<'f>([BTreeMap<String, Option<&'f Field>>; 3]);

impl<'f> Names<'f> {
    /// Indexes fields by their names.
    pub fn of(fields: &'f [Field]) -> Self {
        let of_path = |field: &Field| Some(field.path.to_string());
        let of_title = |field: &Field| field.title.clone();
        let of_last_key = |field: &Field| match field.path.steps().last() {
            Some(PathStep::Key(key)) => Some(key.as_str().to_owned()),
            _ => None,
        };
        let named = |of: fn(&Field) -> Option<String>| {
            let mut named = BTreeMap::new();
            for field in fields {
                if let Some(text) = of(field) {
                    named
                        .entry(plain(&text))
                        .and_modify(|found| *found = None)
                        .or_insert(Some(field));
                }
            }
            named
        };
        Self([named(of_path), named(of_title), named(of_last_key)])
    }

    /// Returns the field that fits a column's name. Compares the name with the fields' paths, then with their titles, then with their last
    /// keys. The first comparison that finds a field ends the search. Returns `None` if it finds several fields, or if no comparison finds
    /// one.
    pub fn guess(&self, column: &str) -> Option<&'f Field> {
        let name = plain(column);
        let found = self.0.iter().find_map(|named| named.get(&name));
        found.copied().flatten()
    }
}

/// Returns a name's letters and digits in lower case, so `Issued at`, `issued_at` and `issuedAt` are equal.
fn plain(name: &str) -> String {
    #[cfg(test)]
    tests::COMPARED.set(tests::COMPARED.get().saturating_add(1));
    name.chars()
        .filter(|char| char.is_alphanumeric())
        .flat_map(char::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::{Map, json};

    use super::*;

    thread_local! {
        /// The number of calls of [`plain`].
        pub(super) static COMPARED: Cell<usize> = const { Cell::new(0) };
    }

    #[test]
    fn each_column_and_each_field_is_compared_once() {
        let property = |at| (format!("f{at}"), json!({ "title": format!("c{at}") }));
        let properties: Map<String, Value> = (0..1_000).map(property).collect();
        let all = fields(&json!({ "type": "object", "properties": properties }));
        COMPARED.set(0);
        let names = Names::of(&all);
        assert!((0..1_000).all(|at| names.guess(&format!("c{at}")).is_some()));
        // A field has a path, a title and a last key.
        assert_eq!(COMPARED.get(), 4_000);
    }
}
