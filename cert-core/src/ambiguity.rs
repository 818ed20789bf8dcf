//! Keys that contain dots: a schema is refused if two of its values would have one joined path.
//!
//! The default nonce of a value is the hash of its path joined with dots, and other implementations
//! address values that way, so `{"a.b": …}` beside `{"a": {"b": …}}` has no well-defined certificate.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::error::{CertError, ErrorCode};
use crate::number::parse_index;
use crate::path::{Path, Step};
use crate::schema::{Node, ObjectNode};

/// Refuses a schema two of whose values have the same path once their keys are joined with dots.
pub(crate) fn check(root: &ObjectNode) -> Result<(), CertError> {
    // Without a dot in a key, joining loses nothing.
    if !members_have_dots(root) {
        return Ok(());
    }
    let mut trie = Trie {
        places: Vec::from([Place::default()]),
    };
    trie.object(root, 0, &mut Vec::new())?;
    trie.compare_indexes_with_keys()
}

fn members_have_dots(object: &ObjectNode) -> bool {
    object
        .members()
        .iter()
        .any(|member| member.key.contains('.') || has_dots(&member.node))
}

fn has_dots(node: &Node) -> bool {
    match node {
        Node::Leaf => false,
        Node::Object(object) => members_have_dots(object),
        Node::List(list) => has_dots(&list.items),
    }
}

/// All joined paths of a schema, as a tree of the pieces between the dots.
struct Trie {
    places: Vec<Place>,
}

#[derive(Default)]
struct Place {
    /// The value whose joined path ends here.
    owner: Option<Path>,
    pieces: BTreeMap<String, usize>,
    /// The continuation by any index of an array.
    indexes: Option<usize>,
}

impl Trie {
    fn object<'a>(
        &mut self,
        object: &'a ObjectNode,
        at: usize,
        path: &mut Vec<Step<'a>>,
    ) -> Result<(), CertError> {
        for member in object.members() {
            let mut place = at;
            for piece in member.key.split('.') {
                place = self.piece(place, piece);
            }
            path.push(Step::Key(&member.key));
            self.node(&member.node, place, path)?;
            path.pop();
        }
        Ok(())
    }

    fn node<'a>(
        &mut self,
        node: &'a Node,
        at: usize,
        path: &mut Vec<Step<'a>>,
    ) -> Result<(), CertError> {
        let own = Path::from(path.as_slice());
        if let Some(place) = self.places.get_mut(at) {
            if let Some(other) = &place.owner {
                return Err(ambiguous(other, own));
            }
            place.owner = Some(own);
        }
        match node {
            Node::Leaf => Ok(()),
            Node::Object(object) => self.object(object, at, path),
            Node::List(list) => {
                let below = self.indexes(at);
                path.push(Step::Index(0));
                self.node(&list.items, below, path)?;
                path.pop();
                Ok(())
            }
        }
    }

    fn piece(&mut self, at: usize, piece: &str) -> usize {
        let new = self.places.len();
        let Some(place) = self.places.get_mut(at) else {
            return at;
        };
        if let Some(&known) = place.pieces.get(piece) {
            return known;
        }
        place.pieces.insert(piece.to_string(), new);
        self.places.push(Place::default());
        new
    }

    fn indexes(&mut self, at: usize) -> usize {
        let new = self.places.len();
        let Some(place) = self.places.get_mut(at) else {
            return at;
        };
        if let Some(known) = place.indexes {
            return known;
        }
        place.indexes = Some(new);
        self.places.push(Place::default());
        new
    }

    /// An array's `a.<index>` may meet a key `a.5`, and whatever continues both may meet further down.
    fn compare_indexes_with_keys(&self) -> Result<(), CertError> {
        let mut pairs = Vec::new();
        for place in &self.places {
            for key in place.indexed_keys() {
                pairs.extend(place.indexes.map(|indexes| (indexes, key)));
            }
        }
        while let Some((left, right)) = pairs.pop() {
            let (Some(left), Some(right)) = (self.places.get(left), self.places.get(right)) else {
                continue;
            };
            if let (Some(one), Some(other)) = (&left.owner, &right.owner) {
                return Err(ambiguous(one, other.clone()));
            }
            pairs.extend(left.indexes.zip(right.indexes));
            for (one, other) in [(left, right), (right, left)] {
                for key in other.indexed_keys() {
                    pairs.extend(one.indexes.map(|indexes| (indexes, key)));
                }
            }
            let (fewer, more) = if left.pieces.len() <= right.pieces.len() {
                (left, right)
            } else {
                (right, left)
            };
            for (piece, &one) in &fewer.pieces {
                pairs.extend(more.pieces.get(piece).map(|&other| (one, other)));
            }
        }
        Ok(())
    }
}

impl Place {
    /// Where the pieces lead that could also be an index.
    fn indexed_keys(&self) -> impl Iterator<Item = usize> + '_ {
        self.pieces
            .iter()
            .filter(|(piece, _)| parse_index(piece).is_some())
            .map(|(_, &to)| to)
    }
}

fn ambiguous(one: &Path, other: Path) -> CertError {
    let message = format!(
        "`{one}` and this value have the same path once keys are joined with dots: rename a key"
    );
    CertError::new(ErrorCode::SchemaPathAmbiguous, other, message)
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
