//! Refuses a schema if two of its values have the same path once keys are joined with dots. This can happen if a key contains dots.
//!
//! The default nonce of a value is the hash of its group's path and its position, joined with dots. Other implementations address values by
//! paths that are joined with dots. A schema that has both a key `a.b` and a key `b` inside `a` therefore has no well-defined certificate.

use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::invariant::certain;
use crate::json::number::parse_index;
use crate::json::path::{Path, PathStep};
use crate::json::trie::{Branch, ROOT, Trie};
use crate::schema::{Node, ObjectNode};

/// The step that represents every index of an array. No piece of a key equals it, because keys are cut at their dots.
const INDEX: &str = ".";

/// Maximum number of pairs of values that are compared. Lists beside keys such as `a.5.k` can have a pair for each two values: 20 million pairs in
/// a schema of 256 kB. Other schemas have few pairs or none.
const MAX_PAIRS: usize = 100_000;

/// Refuses a schema with two values whose paths are equal once keys are joined with dots.
pub(crate) fn check(root: &ObjectNode) -> Result<(), CertError> {
    // If no key has a dot, joined paths are unambiguous.
    if !members_have_dots(root) {
        return Ok(());
    }
    let mut values = Values {
        trie: Trie::new(),
        count: 0,
    };
    let compared = values.object(root, ROOT).and_then(|()| values.compare());
    compared.map_err(|refusal| {
        let (number, message) = match refusal {
            Refusal::Ambiguous(number) => (
                number,
                "another value has the same path once keys are joined with dots: rename a key",
            ),
            Refusal::TooMany(number) => (
                number,
                "the schema has too many keys with dots and numbers to compare all paths: rename these keys",
            ),
        };
        let path = path_in(root, &mut { number });
        let path = certain(path, "the number belongs to a value of this schema");
        CertError::new(ErrorCode::SchemaPathAmbiguous, path, message)
    })
}

fn members_have_dots(object: &ObjectNode) -> bool {
    let mut members = object.members().iter();
    members.any(|member| cut(&member.key).is_some() || has_dots(&member.node))
}

fn has_dots(node: &Node) -> bool {
    match node {
        Node::Leaf(_) => false,
        Node::Object(object) => members_have_dots(object),
        Node::List(list) => has_dots(&list.items),
    }
}

/// Returns the parts of a key before and after its first dot, or `None` if the key has no dot.
fn cut(key: &str) -> Option<(&str, &str)> {
    let at = key.bytes().position(|byte| byte == b'.')?;
    let (piece, rest) = key.split_at_checked(at)?;
    Some((piece, rest.get(1..)?))
}

/// All values of a schema, numbered so that each value comes before the values in it.
struct Values {
    /// The paths of the values, with keys cut at their dots.
    trie: Trie,
    count: usize,
}

/// The reason to refuse a schema, with the number of a value.
enum Refusal {
    /// The value has the same path as another value.
    Ambiguous(usize),
    /// Too many pairs of values have to be compared. The value is in one of them.
    TooMany(usize),
}

impl Values {
    fn object(&mut self, object: &ObjectNode, at: usize) -> Result<(), Refusal> {
        for member in object.members() {
            let mut at = at;
            let mut rest = member.key.as_str();
            while let Some((piece, after)) = cut(rest) {
                at = self.trie.step(at, piece, self.count);
                rest = after;
            }
            at = self.trie.step(at, rest, self.count);
            self.node(&member.node, at)?;
        }
        Ok(())
    }

    fn node(&mut self, node: &Node, at: usize) -> Result<(), Refusal> {
        let number = self.count;
        self.count = number.saturating_add(1);
        if self.trie.end(at, number).is_some() {
            return Err(Refusal::Ambiguous(number));
        }
        match node {
            Node::Leaf(_) => Ok(()),
            Node::Object(object) => self.object(object, at),
            Node::List(list) => {
                let any = self.trie.step(at, INDEX, number);
                self.node(&list.items, any)
            }
        }
    }

    fn compare(&self) -> Result<(), Refusal> {
        let trie = &self.trie;
        let key_of = |at: usize| trie.branch(at).key.as_str();
        // Pairs `any`, which represents all indexes of an array, with each child of `branch` whose key may be one of these indexes.
        let meet = |pairs: &mut Vec<(usize, usize)>, any: usize, branch: &Branch| {
            for &at in &branch.children {
                if parse_index(key_of(at)).is_some() {
                    pairs.push((any, at));
                }
            }
        };
        // An array's `a.<index>` may coincide with a key `a.5`, and continuations of both may coincide further down.
        let mut pairs = Vec::new();
        for (at, branch) in trie.branches().iter().enumerate() {
            if let Some(any) = trie.child(at, INDEX) {
                meet(&mut pairs, any, branch);
            }
        }
        let mut left_over = MAX_PAIRS;
        while let Some((left_at, right_at)) = pairs.pop() {
            let (left, right) = (trie.branch(left_at), trie.branch(right_at));
            if let (Some(_), Some(other)) = (left.end, right.end) {
                return Err(Refusal::Ambiguous(other));
            }
            left_over = left_over
                .checked_sub(1)
                .ok_or(Refusal::TooMany(right.first))?;
            for (one, other) in [(left_at, right), (right_at, left)] {
                if let Some(any) = trie.child(one, INDEX) {
                    meet(&mut pairs, any, other);
                }
            }
            let (fewer, more_at) = if left.children.len() <= right.children.len() {
                (left, right_at)
            } else {
                (right, left_at)
            };
            for &child in &fewer.children {
                if let Some(other) = trie.child(more_at, key_of(child)) {
                    pairs.push((child, other));
                }
            }
        }
        Ok(())
    }
}

/// Returns the path from the object to the value with this number, or `None` if the value is not in the object.
fn path_in(object: &ObjectNode, number: &mut usize) -> Option<Path> {
    let mut members = object.members().iter();
    members.find_map(|member| {
        let mut path = path_of(&member.node, number)?;
        path.prepend(member.key.as_str().into());
        Some(path)
    })
}

fn path_of(node: &Node, number: &mut usize) -> Option<Path> {
    let Some(rest) = number.checked_sub(1) else {
        return Some(Path::root());
    };
    *number = rest;
    match node {
        Node::Leaf(_) => None,
        Node::Object(object) => path_in(object, number),
        Node::List(list) => {
            let mut path = path_of(&list.items, number)?;
            path.prepend(PathStep::Index(0));
            Some(path)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorCode;
    use crate::json::path::Path;
    use crate::json::value::Value;
    use crate::schema::compile;
    use crate::steps;
    use alloc::format;
    use alloc::string::String;
    use alloc::vec::Vec;

    fn is_ambiguous(properties: &str) -> bool {
        let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
        match compile(&Value::parse(&schema).unwrap()) {
            Ok(_) => false,
            Err(error) => {
                assert_eq!(error.code(), ErrorCode::SchemaPathAmbiguous);
                true
            }
        }
    }

    #[test]
    fn a_key_with_dots_is_ambiguous_if_it_equals_a_nested_path() {
        const B: &str = r#"{"type":"object","properties":{"b":{}}}"#;
        const LIST: &str = r#"{"type":"array","items":{}}"#;
        const LISTS: &str = r#"{"type":"array","items":{"type":"array","items":{}}}"#;
        for (properties, expected) in [
            (format!(r#"{{"a.b":{{}},"a":{B}}}"#), true),
            (format!(r#"{{"a.c":{{}},"a":{B}}}"#), false),
            (format!(r#"{{"a.b":{B},"a":{B}}}"#), true),
            (format!(r#"{{"a.5":{{}},"a":{LIST}}}"#), true),
            (format!(r#"{{"a.05":{{}},"a":{LIST}}}"#), false),
            (format!(r#"{{"a.b":{{}},"a":{LIST}}}"#), false),
            (format!(r#"{{"a.5":{LIST},"a":{LISTS}}}"#), true),
            (format!(r#"{{"a.5.x":{{}},"a":{LISTS}}}"#), false),
            (format!(r#"{{"a.5.7":{{}},"a":{LISTS}}}"#), true),
            (format!(r#"{{"a.1":{{}},"a.2":{{}},"1":{LIST}}}"#), false),
            (
                r#"{".":{},"":{"type":"object","properties":{"":{}}}}"#.into(),
                true,
            ),
            (
                r#"{".a":{},"":{"type":"object","properties":{"b":{}}}}"#.into(),
                false,
            ),
        ] {
            assert_eq!(is_ambiguous(&properties), expected, "{properties}");
        }
    }

    /// The error has the path of an ambiguous value at any depth.
    #[test]
    fn the_error_has_the_path_of_the_later_value() {
        let list = r#"{"type":"array","items":{"type":"object","properties":{"c.d":{}}}}"#;
        let schema = format!(
            r#"{{"type":"object","properties":{{"a":{{"type":"object","properties":{{"b":{list}}}}},"a.b.7.c":{{"type":"object","properties":{{"d":{{}}}}}}}}}}"#
        );
        let error = compile(&Value::parse(&schema).unwrap()).unwrap_err();
        assert_eq!(error.path(), &Path::from(["a.b.7.c", "d"]));
        let schema = r#"{"type":"object","properties":{"a":{"type":"object","properties":{"x":{},"b":{}}},"a.b":{}}}"#;
        let error = compile(&Value::parse(schema).unwrap()).unwrap_err();
        assert_eq!(error.path(), &Path::from(["a.b"]));
    }

    /// Returns `count` members with a number in the key and equal nodes.
    fn members(count: usize, key: impl Fn(usize) -> String, node: &str) -> String {
        let members = (0..count).map(|at| format!(r#""{}":{node}"#, key(at)));
        members.collect::<Vec<_>>().join(",")
    }

    /// Returns a list `a` of objects with these fields, and keys beside the list.
    fn list_beside(fields: &str, keys: &str) -> String {
        format!(
            r#"{{"a":{{"type":"array","items":{{"type":"object","properties":{{{fields}}}}}}},{keys}}}"#
        )
    }

    /// The steps of each key are compared with the fields of the list's items. A search among the fields would take quadratic time.
    #[test]
    fn the_work_for_keys_beside_a_list_grows_linearly() {
        steps::assert_linear(|count| {
            let fields = members(count, |at| format!("m{at}"), "{}");
            let keys = members(count, |at| format!("a.{at}.x"), "{}");
            let properties = list_beside(&fields, &keys);
            steps::of(|| assert!(!is_ambiguous(&properties)))
        });
    }

    /// Each `a.5.k` is a list whose indexes may be any number of a field `k.7.x`.
    #[test]
    fn a_schema_with_too_many_pairs_is_refused() {
        let properties = |count| {
            let fields = members(count, |at| format!("k.{at}.x"), "{}");
            let keys = members(
                count,
                |at| format!("a.{at}.k"),
                r#"{"type":"array","items":{}}"#,
            );
            list_beside(&fields, &keys)
        };
        assert!(!is_ambiguous(&properties(300)));
        let comparisons = steps::of(|| assert!(is_ambiguous(&properties(3_000))));
        assert!(comparisons < 2_000_000, "{comparisons}");
    }

    /// The parts of a key are stored once, however many values are below it.
    #[test]
    fn long_keys_are_stored_once() {
        let members = (0..5_000).map(|at| format!(r#""m{at}":{{}}"#));
        let members = members.collect::<alloc::vec::Vec<_>>().join(",");
        let key = "a.".repeat(20_000);
        assert!(!is_ambiguous(&format!(
            r#"{{"{key}":{{"type":"object","properties":{{{members}}}}}}}"#
        )));
        let dots = ".".repeat(200_000);
        assert!(!is_ambiguous(&format!(
            r#"{{"a{dots}":{{}},"b{dots}":{{}}}}"#
        )));
    }
}
