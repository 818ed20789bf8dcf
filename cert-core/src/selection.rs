//! Paths to disclose or expose, stored as a tree, and the part of a document that they select.

use alloc::vec::Vec;

use crate::json::number::{Digits, parse_index};
use crate::json::path::{Path, PathStep, Step};
use crate::json::sort;
use crate::json::str::Str;
use crate::json::trie::{ROOT, Trie};
use crate::json::value::{Array, Object, Value};

/// The paths to disclose or expose.
///
/// Keys and indexes are matched by their text, as in a JavaScript property access: `0` and `"0"` name the same element.
#[derive(Debug)]
pub(crate) struct Selection {
    trie: Trie,
}

/// The part of a value that is selected.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Selected {
    Nothing,
    /// A part of the value's content. The number is a branch of the selection.
    Inside(usize),
    Everything,
}

impl Selected {
    /// Returns true if all or part of the value is selected. The proof of the value's group then discloses the value.
    pub(crate) fn is_disclosed(self) -> bool {
        !matches!(self, Self::Nothing)
    }
}

impl Selection {
    pub(crate) fn new(paths: &[Path]) -> Self {
        let mut all = Vec::with_capacity(paths.len());
        for path in paths {
            all.push(path);
        }
        Self::of(&all)
    }

    pub(crate) fn of(paths: &[&Path]) -> Self {
        let mut texts = Vec::with_capacity(paths.len());
        for (number, path) in paths.iter().enumerate() {
            let mut text: Vec<Str> = Vec::with_capacity(path.steps().len());
            for step in path.steps() {
                text.push(match step {
                    PathStep::Key(key) => key.clone(),
                    PathStep::Index(index) => Digits::new(*index).as_str().into(),
                });
            }
            texts.push((number, text));
        }
        let mut sorted = Vec::with_capacity(texts.len());
        for text in &texts {
            sorted.push(text);
        }
        // New children of a branch are added in the order of their keys.
        sorted = sort::items(&sorted, &|(_, one), (_, other)| one.cmp(other));
        let mut trie = Trie::new();
        for (number, text) in sorted {
            let mut at = ROOT;
            for key in text {
                at = trie.step(at, key, *number);
            }
            trie.end(at, *number);
        }
        Self { trie }
    }

    /// Returns the part of the root that is selected. The result is never `Nothing`, even without paths.
    pub(crate) fn root(&self) -> Selected {
        self.selected(ROOT)
    }

    /// Returns the selected part of the value one step below.
    pub(crate) fn child(&self, selected: Selected, step: Step<'_>) -> Selected {
        let Selected::Inside(at) = selected else {
            return selected;
        };
        let child = match step {
            Step::Key(key) => self.trie.child(at, key),
            Step::Index(index) => self.trie.child(at, Digits::new(index).as_str()),
        };
        child.map_or(Selected::Nothing, |child| self.selected(child))
    }

    /// Returns the keys and indexes that the paths name one step below, in the order in which the paths first name them. Empty if
    /// everything or nothing is selected.
    pub(crate) fn children(&self, selected: Selected) -> Vec<(&str, Selected)> {
        let Selected::Inside(at) = selected else {
            return Vec::new();
        };
        let children = &self.trie.branch(at).children;
        let by_path = |one: &usize, other: &usize| {
            let first = |child: usize| self.trie.branch(child).first;
            first(*one).cmp(&first(*other))
        };
        let mut found = Vec::with_capacity(children.len());
        for child in sort::items(children, &by_path) {
            found.push((self.trie.branch(child).key.as_str(), self.selected(child)));
        }
        found
    }

    fn selected(&self, at: usize) -> Selected {
        match self.trie.branch(at).end {
            Some(_) => Selected::Everything,
            None => Selected::Inside(at),
        }
    }
}

/// Returns a new object with the selected part of the data. A path that has no value in the data adds at most the objects and
/// lists around it.
pub(crate) fn expose(data: &Value, selection: &Selection) -> Value {
    part(data, selection, selection.root())
        .unwrap_or_else(|| Object::from_distinct(Vec::new()).into())
}

fn part(data: &Value, selection: &Selection, selected: Selected) -> Option<Value> {
    if matches!(selected, Selected::Everything) {
        return Some(data.clone());
    }
    match data {
        Value::Object(object) => {
            let mut entries = Vec::new();
            for (key, selected) in selection.children(selected) {
                let item = object
                    .get(key)
                    .and_then(|item| part(item, selection, selected));
                if let Some(item) = item {
                    entries.push((key.into(), item));
                }
            }
            Some(Object::from_distinct(entries).into())
        }
        Value::Array(array) => {
            let mut items = Vec::new();
            for (key, selected) in selection.children(selected) {
                let index = parse_index(key);
                let found = index.and_then(|index| part(array.get(index)?, selection, selected));
                if let (Some(index), Some(found)) = (index, found) {
                    while items.len() <= index {
                        items.push(Value::Null);
                    }
                    if let Some(place) = items.get_mut(index) {
                        *place = found;
                    }
                }
            }
            // `[]` would claim that the list has no items.
            (!items.is_empty()).then(|| Array::from_bounded(items).into())
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn a_path_selects_everything_below_it() {
        let paths = [
            Path::from(["a", "b"]),
            Path::from(["c", "0"]),
            Path::from(["a", "b", "d"]),
        ];
        let selection = Selection::new(&paths);
        let root = selection.root();
        assert!(matches!(root, Selected::Inside(0)));
        let a = selection.child(root, Step::Key("a"));
        assert!(matches!(a, Selected::Inside(_)));
        let b = selection.child(a, Step::Key("b"));
        assert!(matches!(b, Selected::Everything));
        assert!(matches!(
            selection.child(b, Step::Index(3)),
            Selected::Everything
        ));
        assert!(!selection.child(a, Step::Key("c")).is_disclosed());
        let c = selection.child(root, Step::Key("c"));
        assert!(selection.child(c, Step::Index(0)).is_disclosed());
        assert!(!selection.child(c, Step::Key("00")).is_disclosed());
        let keys: Vec<_> = selection
            .children(root)
            .into_iter()
            .map(|(key, _)| key)
            .collect();
        assert_eq!(keys, ["a", "c"]);
        assert!(matches!(
            Selection::new(&[Path::root()]).root(),
            Selected::Everything
        ));
        assert!(matches!(Selection::new(&[]).root(), Selected::Inside(0)));
    }

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
    fn exposing_keeps_only_the_selected_parts() {
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
