//! Keys that contain dots: a schema is refused if two of its values would have one joined path.
//!
//! The default nonce of a value is the hash of its path joined with dots, and other implementations
//! address values that way, so `{"a.b": …}` beside `{"a": {"b": …}}` has no well-defined certificate.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::number::parse_index;
use crate::path::{Path, Step};
use crate::schema::{Node, ObjectNode};
use crate::trie::{Branch, Trie};

/// Stands for any index of an array. No piece of a key is like it, since keys are cut at their dots.
const INDEX: &str = ".";

/// Refuses a schema two of whose values have the same path once their keys are joined with dots.
pub(crate) fn check(root: &ObjectNode) -> Result<(), CertError> {
    // Without a dot in a key, joining loses nothing.
    if !members_have_dots(root) {
        return Ok(());
    }
    let mut values = Values::default();
    values.object(root);
    values.compare()
}

fn members_have_dots(object: &ObjectNode) -> bool {
    let mut members = object.members().iter();
    members.any(|member| cut(&member.key).is_some() || has_dots(&member.node))
}

fn has_dots(node: &Node) -> bool {
    match node {
        Node::Leaf => false,
        Node::Object(object) => members_have_dots(object),
        Node::List(list) => has_dots(&list.items),
    }
}

/// What is before the first dot and what is after it.
fn cut(key: &str) -> Option<(&str, &str)> {
    let at = key.bytes().position(|byte| byte == b'.')?;
    let (piece, rest) = key.split_at_checked(at)?;
    Some((piece, rest.get(1..)?))
}

/// All values of a schema.
#[derive(Default)]
struct Values<'a> {
    paths: Vec<Path>,
    /// The same paths, their keys cut at the dots.
    pieces: Vec<Vec<String>>,
    /// Where the walk is.
    steps: Vec<Step<'a>>,
    along: Vec<String>,
}

impl<'a> Values<'a> {
    fn object(&mut self, object: &'a ObjectNode) {
        for member in object.members() {
            let length = self.along.len();
            let mut rest = member.key.as_str();
            while let Some((piece, after)) = cut(rest) {
                self.along.push(piece.to_string());
                rest = after;
            }
            self.along.push(rest.to_string());
            self.steps.push(Step::Key(&member.key));
            self.node(&member.node);
            self.steps.pop();
            self.along.truncate(length);
        }
    }

    fn node(&mut self, node: &'a Node) {
        self.paths.push(Path::from(self.steps.as_slice()));
        self.pieces.push(self.along.clone());
        match node {
            Node::Leaf => {}
            Node::Object(object) => self.object(object),
            Node::List(list) => {
                self.along.push(INDEX.to_string());
                self.steps.push(Step::Index(0));
                self.node(&list.items);
                self.steps.pop();
                self.along.pop();
            }
        }
    }

    fn compare(&self) -> Result<(), CertError> {
        let trie = Trie::new(&self.pieces);
        // What may be an index of the array that the branch `any` stands for.
        let meet = |pairs: &mut Vec<(usize, usize)>, any: usize, branch: &Branch| {
            for &at in &branch.children {
                let child = trie.branch(at);
                if child.is_some_and(|child| parse_index(&child.key).is_some()) {
                    pairs.push((any, at));
                }
            }
        };
        let index_of = |branch: &Branch| {
            let is_any = |at: &&usize| trie.branch(**at).is_some_and(|child| child.key == INDEX);
            branch.children.iter().find(is_any).copied()
        };
        // An array's `a.<index>` may meet a key `a.5`, and whatever continues both may meet further
        // down.
        let mut pairs = Vec::new();
        for branch in trie.branches() {
            if let (Some(_), Some(other)) = (branch.end, branch.other_end) {
                return Err(self.ambiguous(other));
            }
            if let Some(any) = index_of(branch) {
                meet(&mut pairs, any, branch);
            }
        }
        while let Some((left_at, right_at)) = pairs.pop() {
            let (Some(left), Some(right)) = (trie.branch(left_at), trie.branch(right_at)) else {
                continue;
            };
            if let (Some(_), Some(other)) = (left.end, right.end) {
                return Err(self.ambiguous(other));
            }
            for (one, other) in [(left, right), (right, left)] {
                if let Some(any) = index_of(one) {
                    meet(&mut pairs, any, other);
                }
            }
            let (fewer, more_at) = if left.children.len() <= right.children.len() {
                (left, right_at)
            } else {
                (right, left_at)
            };
            for &child in &fewer.children {
                let key = trie.branch(child).map_or("", |child| child.key.as_str());
                if let Some(other) = trie.child(more_at, key) {
                    pairs.push((child, other));
                }
            }
        }
        Ok(())
    }

    fn ambiguous(&self, at: usize) -> CertError {
        let path = self.paths.get(at).cloned().unwrap_or_default();
        CertError::new(
            ErrorCode::SchemaPathAmbiguous,
            path,
            "another value has the same path once keys are joined with dots: rename a key",
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::error::ErrorCode;
    use crate::schema::compile;
    use crate::value::Value;
    use alloc::format;

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
    fn tells_dots_from_nesting() {
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

    #[test]
    fn long_keys_are_no_problem() {
        let dots = ".".repeat(200_000);
        assert!(!is_ambiguous(&format!(
            r#"{{"a{dots}":{{}},"b{dots}":{{}}}}"#
        )));
    }
}
