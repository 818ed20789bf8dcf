//! Maps the columns of a table to the schema's fields, and cells to values.

mod described;

use std::collections::{BTreeMap, BTreeSet};

use cert_core::{Path, PathStep};
use serde_json::{Map, Number, Value};

use self::described::{Fit, accepts, structure};
use super::table::{Cell, RowError};
use crate::failure::Failure;
use crate::path;

/// Fields that the tool fills in itself: the asset's ledger and id, and the addresses of its evidence and schema.
pub(crate) const OWN_FIELDS: [&str; 4] = ["ledgerId", "assetId", "$evidence", "$schema"];

/// The largest integer that every reader of JSON represents exactly.
const SAFE: u64 = 9_007_199_254_740_991;

/// The maximum number of properties that are examined, because references can repeat an object in many places.
const MAX_PROPERTIES: usize = 10_000;
/// The maximum nesting of objects that are examined.
const MAX_DEPTH: usize = 128;

/// A part of the schema to which a column can be mapped.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    pub(crate) path: Path,
    title: Option<String>,
    schema: Value,
}

/// Returns the fields to which columns can be mapped by name: properties that are no objects and no lists, also inside objects. Leaves out
/// [`OWN_FIELDS`], and objects inside themselves.
pub(crate) fn fields(schema: &Value) -> Vec<Field> {
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
    }
}

/// Returns the field at a path, which may lead into the items of a list, and along references. `None` if the schema has no such field.
fn field_at(schema: &Value, path: &Path) -> Option<Field> {
    let found = path.steps().iter().try_fold(schema, |at, step| {
        let inside = structure(schema, at);
        step_into(inside, step)
    })?;
    Some(field(path.clone(), found))
}

/// Returns true if the schema describes a value, an object or a list at a path, which the evidence can show apart from other values.
pub(crate) fn is_field(schema: &Value, path: &Path) -> bool {
    schema_at(schema, path.steps()).is_some()
}

/// Returns the paths of fields that the schema has and the document lacks, next to the `shown` ones: in the document itself, and in each object of
/// which a part is shown. Evidence that includes these paths proves that the fields are empty.
pub(crate) fn empty(schema: &Value, document: &Value, shown: &[Path]) -> Vec<Path> {
    let above = |path: &Path| {
        let steps = path.steps().to_vec();
        (0..steps.len()).filter_map(move |depth| steps.get(..depth).map(<[PathStep]>::to_vec))
    };
    let parents: BTreeSet<Vec<PathStep>> =
        shown.iter().flat_map(above).chain([Vec::new()]).collect();
    let shown = Whole::of(shown);
    let mut found = Vec::new();
    for parent in parents {
        let (Some(Value::Object(object)), Some(properties)) = (
            value_at(document, &parent),
            schema_at(schema, &parent)
                .and_then(|schema| schema.get("properties"))
                .and_then(Value::as_object),
        ) else {
            continue;
        };
        for key in properties.keys().filter(|key| !object.contains_key(*key)) {
            let mut path = Path::from(parent.as_slice());
            path.push(key.as_str());
            if !shown.contains(&path) {
                found.push(path);
            }
        }
    }
    found
}

pub(crate) fn value_at<'a>(document: &'a Value, path: &[PathStep]) -> Option<&'a Value> {
    path.iter().try_fold(document, |value, step| match step {
        PathStep::Key(key) => value.get(key.as_str()),
        PathStep::Index(index) => value.get(*index),
    })
}

fn schema_at<'a>(schema: &'a Value, path: &[PathStep]) -> Option<&'a Value> {
    path.iter().try_fold(schema, step_into)
}

fn step_into<'a>(schema: &'a Value, step: &PathStep) -> Option<&'a Value> {
    match step {
        PathStep::Key(key) => schema.get("properties")?.get(key.as_str()),
        PathStep::Index(_) => schema.get("items"),
    }
}

/// Returns the paths of a document's scalar values.
pub(crate) fn leaves(document: &Value) -> Vec<Path> {
    fn walk(value: &Value, path: &Path, found: &mut Vec<Path>) {
        let mut below = |step: PathStep, value: &Value| {
            let mut path = path.clone();
            path.push(step);
            walk(value, &path, found);
        };
        match value {
            Value::Object(object) => object
                .iter()
                .for_each(|(key, value)| below(PathStep::from(key.as_str()), value)),
            Value::Array(list) => list
                .iter()
                .enumerate()
                .for_each(|(index, value)| below(index.into(), value)),
            _ => found.push(path.clone()),
        }
    }
    let mut found = Vec::new();
    walk(document, &Path::root(), &mut found);
    found
}

/// A column, and the field that its cells fill.
pub(crate) struct Mapped {
    pub(crate) column: String,
    /// `None` if the column is not certified.
    pub(crate) field: Option<Field>,
    /// True if the user's mapping contains the column.
    pub(crate) is_given: bool,
}

/// Maps each column to a field: by the given mapping, otherwise by the column's name.
///
/// # Errors
/// If a given column does not exist, a given path is malformed or not in the schema, or two columns have the same field.
pub(crate) fn map(
    columns: &[String],
    schema: &Value,
    given: &BTreeMap<String, String>,
) -> Result<Vec<Mapped>, Failure> {
    let wrong = |message: String| Failure::new("mapping-invalid", message);
    let known: BTreeSet<&String> = columns.iter().collect();
    if let Some(unknown) = given.keys().find(|name| !known.contains(name)) {
        return Err(wrong(format!(
            "the table has no column `{unknown}`: its columns are {}",
            columns.join(", ")
        )));
    }
    let fields = fields(schema);
    let names = Names::of(&fields);
    let mut columns_of = BTreeMap::new();
    let mut mapped: Vec<Mapped> = Vec::new();
    for column in columns {
        let field = match given.get(column) {
            Some(text) if text.is_empty() => None,
            Some(text) => {
                let path = path::all(std::slice::from_ref(text))?
                    .pop()
                    .unwrap_or_default();
                Some(
                    field_at(schema, &path)
                        .ok_or_else(|| wrong(format!("the schema has no field `{text}`")))?,
                )
            }
            None => names.guess(column),
        };
        if let Some(field) = &field
            && let Some(other) = columns_of.insert(field.path.clone(), column)
        {
            return Err(wrong(format!(
                "the columns `{}` and `{column}` both fit the field `{}`: choose one with --map \"{column}={}\", and leave the other out with --map \"{}=\"",
                other,
                path::shown(&field.path),
                path::shown(&field.path),
                other,
            )));
        }
        mapped.push(Mapped {
            column: column.clone(),
            field,
            is_given: given.contains_key(column),
        });
    }
    Ok(mapped)
}

/// Paths, each with everything below it.
pub(super) struct Whole<'p>(BTreeSet<&'p [PathStep]>);

impl<'p> Whole<'p> {
    pub(super) fn of(paths: &'p [Path]) -> Self {
        Self(paths.iter().map(Path::steps).collect())
    }

    /// Returns true if the path or a path above it is one of the paths.
    pub(super) fn contains(&self, path: &Path) -> bool {
        let steps = path.steps();
        let mut above = (0..=steps.len()).filter_map(|depth| steps.get(..depth));
        above.any(|steps| self.0.contains(steps))
    }
}

/// The fields by their names: by their paths, by their titles, and by their last keys. A name maps to `None` if several fields have it.
struct Names<'f>([BTreeMap<String, Option<&'f Field>>; 3]);

impl<'f> Names<'f> {
    fn of(fields: &'f [Field]) -> Self {
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
    fn guess(&self, column: &str) -> Option<Field> {
        let name = plain(column);
        let found = self.0.iter().find_map(|named| named.get(&name));
        found.copied().flatten().cloned()
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

/// Returns the document of a row, or an error for each wrong cell. An empty cell is an absent field.
pub(crate) fn document(
    row: &Cell,
    schema: &Value,
    mapped: &[Mapped],
) -> Result<Map<String, Value>, Vec<RowError>> {
    let mut document = Value::Object(Map::new());
    let mut errors = Vec::new();
    for (cell, Mapped { column, field, .. }) in row.cells.iter().zip(mapped) {
        let Some(field) = field.as_ref().filter(|_| !cell.is_empty()) else {
            continue;
        };
        let put = value(cell, schema, &field.schema)
            .and_then(|value| put(&mut document, field.path.steps(), value));
        if let Err(message) = put {
            errors.push(RowError::new(row.row, Some(column), message));
        }
    }
    match document {
        Value::Object(document) if errors.is_empty() => Ok(document),
        _ => Err(errors),
    }
}

/// Converts a cell to the value that its field's schema accepts: the text, otherwise `true` or `false`, otherwise the number. If the schema accepts
/// none of them, compares only their types, so that the validation reports the value. The error is a message for the user.
fn value(cell: &str, root: &Value, schema: &Value) -> Result<Value, String> {
    let plain = cell.trim();
    let boolean = match plain.to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    };
    let number = number(plain);
    let candidates = [
        Some(Value::from(cell)),
        boolean.map(Value::Bool),
        number.clone().ok().map(Value::Number),
    ];
    for fit in [Fit::Value, Fit::Type] {
        let mut values = candidates.iter().flatten();
        if let Some(value) = values.find(|value| accepts(root, schema, value, fit)) {
            return Ok(value.clone());
        }
    }
    if accepts(root, schema, &Value::from(0), Fit::Type) {
        number.map(Value::Number)
    } else if accepts(root, schema, &Value::Bool(true), Fit::Type) {
        Err(format!("`{plain}` must be `true` or `false`"))
    } else {
        Err("the field does not take text, a number or a boolean: map the column to a field inside the list or object, such as `list[0]`".to_owned())
    }
}

/// Parses a number that every reader of JSON represents exactly. The error is a message for the user.
fn number(cell: &str) -> Result<Number, String> {
    let number: Number = serde_json::from_str(cell).map_err(|_| {
        format!("`{cell}` is not a number: write digits, and a point before decimals, as in 97.5")
    })?;
    let is_exact = number.as_u64().map_or_else(
        || {
            number
                .as_i64()
                .is_none_or(|number| number.unsigned_abs() <= SAFE)
        },
        |number| number <= SAFE,
    );
    let is_whole_text = cell
        .trim_start_matches('-')
        .bytes()
        .all(|byte| byte.is_ascii_digit());
    let overflowed = is_whole_text && number.is_f64();
    if !is_exact || overflowed {
        return Err(format!(
            "`{cell}` has too many digits for a number: change the field's type to `string` in the schema"
        ));
    }
    Ok(number)
}

/// Puts a value at a path. The items of a list must be filled in order, without gaps. The error is a message for the user.
fn put(at: &mut Value, path: &[PathStep], value: Value) -> Result<(), String> {
    let Some((step, rest)) = path.split_first() else {
        *at = value;
        return Ok(());
    };
    let empty = || match rest.first() {
        Some(PathStep::Index(_)) => Value::Array(Vec::new()),
        Some(PathStep::Key(_)) => Value::Object(Map::new()),
        None => Value::Null,
    };
    let next = match (at, step) {
        (Value::Object(object), PathStep::Key(key)) => {
            object.entry(key.as_str().to_owned()).or_insert_with(empty)
        }
        (Value::Array(list), PathStep::Index(index)) => {
            if *index == list.len() {
                list.push(empty());
            }
            list.get_mut(*index).ok_or_else(|| {
                format!("item {index} of a list has a value, but an earlier item is empty")
            })?
        }
        _ => {
            return Err(
                "another column already fills the object or list that contains this field"
                    .to_owned(),
            );
        }
    };
    put(next, rest, value)
}

#[cfg(test)]
mod tests;
