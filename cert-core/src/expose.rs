//! The part of the data that some paths name.

use alloc::vec::Vec;

use crate::json::number::parse_index;
use crate::json::value::{Array, Object, Value};
use crate::selection::{Picked, Selection};

/// A new object with what is selected of the data. A path that leads nowhere adds nothing.
pub(crate) fn expose(data: &Value, selection: &Selection) -> Value {
    value(data, selection, selection.root())
        .unwrap_or_else(|| Object::from_distinct(Vec::new()).into())
}

fn value(data: &Value, selection: &Selection, picked: Picked) -> Option<Value> {
    if matches!(picked, Picked::Everything) {
        return Some(data.clone());
    }
    match data {
        Value::Object(object) => {
            let mut entries = Vec::new();
            for (key, picked) in selection.children(picked) {
                let item = object
                    .get(key)
                    .and_then(|item| value(item, selection, picked));
                if let Some(item) = item {
                    entries.push((key.into(), item));
                }
            }
            Some(Object::from_distinct(entries).into())
        }
        Value::Array(array) => {
            let mut items = Vec::new();
            for (key, picked) in selection.children(picked) {
                let index = parse_index(key);
                let found = index.and_then(|index| value(array.get(index)?, selection, picked));
                if let (Some(index), Some(found)) = (index, found) {
                    while items.len() <= index {
                        items.push(Value::Null);
                    }
                    if let Some(place) = items.get_mut(index) {
                        *place = found;
                    }
                }
            }
            // An empty list would be a statement of its own.
            (!items.is_empty()).then(|| Array::from_bounded(items).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::path::{Path, PathStep};
    use alloc::string::String;

    fn exposed(data: &str, paths: &str) -> String {
        let paths = Value::parse(paths).unwrap();
        let paths: Vec<Path> = paths
            .as_array()
            .unwrap()
            .iter()
            .map(|path| {
                let steps = path.as_array().unwrap().iter().map(|step| match step {
                    Value::String(key) => PathStep::from(key.as_str()),
                    other => PathStep::Index(other.to_json().parse().unwrap()),
                });
                steps.collect()
            })
            .collect();
        expose(&Value::parse(data).unwrap(), &Selection::new(&paths)).to_json()
    }

    #[test]
    fn keeps_what_the_paths_name() {
        const DATA: &str =
            r#"{"a":{"b":1,"c":null},"l":[{"x":1},null,{"x":3,"y":4},[]],"s":"text","e":[]}"#;
        for (paths, expected) in [
            ("[]", "{}"),
            (r#"[["s"],["a","b"]]"#, r#"{"s":"text","a":{"b":1}}"#),
            (r#"[["a"],["a","b"]]"#, r#"{"a":{"b":1,"c":null}}"#),
            (r#"[["a","z"]]"#, r#"{"a":{}}"#),
            (r#"[["z"],["z",7]]"#, "{}"),
            (r#"[["l",2,"x"]]"#, r#"{"l":[null,null,{"x":3}]}"#),
            (r#"[["l","0"],["l",1]]"#, r#"{"l":[{"x":1},null]}"#),
            (
                r#"[["l",9],["l","00"],["e",0],["s",0],["s","length"]]"#,
                "{}",
            ),
            (r#"[["l",3]]"#, r#"{"l":[null,null,null,[]]}"#),
            (r#"[["l",3,0]]"#, "{}"),
            (r#"[["e"]]"#, r#"{"e":[]}"#),
            ("[[]]", DATA),
        ] {
            assert_eq!(exposed(DATA, paths), expected, "{paths}");
        }
        assert_eq!(exposed("null", r#"[["a"]]"#), "{}");
    }
}
