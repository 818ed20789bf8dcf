//! Turns rows of cells into documents.

use std::collections::BTreeMap;

use cert_core::{Path, PathStep};
use serde_json::{Map, Number, Value};

use crate::accepts::{Fit, accepts};
use crate::cells::Row;
use crate::fields::Field;
use crate::problem::{Problem, RowProblem};

/// The largest integer that every reader of JSON represents exactly.
const SAFE: u64 = 9_007_199_254_740_991;

/// Returns the document of a row, or a problem for each wrong cell. `fields` has the field of each column, or `None` if the column is left out. An empty cell
/// is an absent field. References in the fields' schemas lead into `schema`.
pub fn document(
    row: &Row,
    schema: &Value,
    fields: &[Option<Field>],
) -> Result<Map<String, Value>, Vec<RowProblem>> {
    let mut document = Value::Object(Map::new());
    let mut problems = Vec::new();
    for (column, (cell, field)) in row.cells.iter().zip(fields).enumerate() {
        let Some(field) = field.as_ref().filter(|_| !cell.is_empty()) else {
            continue;
        };
        let plain = field.reading.and_then(|reading| reading.plain(cell));
        let put = value(plain.as_deref().unwrap_or(cell), schema, &field.schema)
            .and_then(|value| put(&mut document, field.path.steps(), value));
        if let Err(problem) = put {
            problems.push(RowProblem {
                row: row.row,
                column: Some(column),
                problem,
            });
        }
    }
    match document {
        Value::Object(document) if problems.is_empty() => Ok(document),
        _ => Err(problems),
    }
}

/// Returns a problem for each key that is empty or equals the key of an earlier row. A key identifies its row, which is given by its number.
pub fn wrong_keys<'k>(keys: impl IntoIterator<Item = (usize, &'k str)>) -> Vec<(usize, Problem)> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for (row, key) in keys {
        if key.is_empty() {
            problems.push((row, Problem::KeyEmpty));
        } else if let Some(first) = known.get(key) {
            problems.push((row, Problem::KeyTwice(*first)));
        } else {
            known.insert(key, row);
        }
    }
    problems
}

/// Converts a cell to the value that its field's schema accepts: the text, otherwise `true` or `false`, otherwise the number. If the schema accepts
/// none of them, compares only their types, so that the validation reports the value.
pub fn value(cell: &str, root: &Value, schema: &Value) -> Result<Value, Problem> {
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
        Err(Problem::Boolean(plain.to_owned()))
    } else {
        Err(Problem::Single)
    }
}

/// Parses a number that every reader of JSON represents exactly.
fn number(cell: &str) -> Result<Number, Problem> {
    let number: Number = serde_json::from_str(cell).map_err(|_| {
        let number = cell.strip_suffix('%').map(str::trim_end);
        match number.map(serde_json::from_str::<Number>) {
            Some(Ok(_)) => Problem::Percent(cell.to_owned()),
            _ => Problem::Number(cell.to_owned()),
        }
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
        return Err(Problem::Digits(cell.to_owned()));
    }
    Ok(number)
}

/// Puts a value at a path. The items of a list must be filled in order, without gaps.
fn put(at: &mut Value, path: &[PathStep], value: Value) -> Result<(), Problem> {
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
            list.get_mut(*index).ok_or(Problem::Gap(*index))?
        }
        _ => {
            return Err(Problem::Filled);
        }
    };
    put(next, rest, value)
}

/// Returns the paths of a document's scalar values.
pub fn leaves(document: &Value) -> Vec<Path> {
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

/// Returns the value at a path.
pub fn value_at<'a>(document: &'a Value, path: &[PathStep]) -> Option<&'a Value> {
    path.iter().try_fold(document, |value, step| match step {
        PathStep::Key(key) => value.get(key.as_str()),
        PathStep::Index(index) => value.get(*index),
    })
}
