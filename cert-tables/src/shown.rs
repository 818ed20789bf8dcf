//! The part of a document that is shown, and the fields beside it.

use std::collections::BTreeSet;

use cert_core::{Path, PathStep};
use serde_json::Value;

use crate::document::value_at;
use crate::fields::step_into;

/// Returns true if the schema describes a value, an object or a list at a path, which the evidence can show apart from other values.
pub fn is_field(schema: &Value, path: &Path) -> bool {
    schema_at(schema, path.steps()).is_some()
}

/// Returns the paths of fields that the schema has and the document lacks. Looks in the document itself, and in each object of which a part is `shown`.
/// Evidence that includes these paths proves that the fields are empty.
pub fn empty(schema: &Value, document: &Value, shown: &[Path]) -> Vec<Path> {
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

fn schema_at<'a>(schema: &'a Value, path: &[PathStep]) -> Option<&'a Value> {
    path.iter().try_fold(schema, step_into)
}

/// Paths, each with everything below it.
pub struct Whole<'p>(BTreeSet<&'p [PathStep]>);

impl<'p> Whole<'p> {
    /// Takes these paths.
    pub fn of(paths: &'p [Path]) -> Self {
        Self(paths.iter().map(Path::steps).collect())
    }

    /// Returns true if the path or a path above it is one of the paths.
    pub fn contains(&self, path: &Path) -> bool {
        let steps = path.steps();
        let mut above = (0..=steps.len()).filter_map(|depth| steps.get(..depth));
        above.any(|steps| self.0.contains(steps))
    }
}
