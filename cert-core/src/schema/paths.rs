//! Paths that a schema can disclose, and paths of data that it does not describe, so that no certificate covers them.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep, Step, path_bytes};
use crate::json::value::{Object, Value};
use crate::schema::{Node, ObjectNode};
use crate::verify::report::{MAX_ENTRIES, MAX_PATH_BYTES};

/// Number of uncovered values named. A misspelt key of a long list's items would otherwise be named once per item.
pub const MAX_UNCOVERED: usize = 100;

/// The paths that a schema can disclose, in the order of their positions: at most [`MAX_ENTRIES`], and none beyond [`MAX_PATH_BYTES`].
pub(crate) fn disclosable(schema: &ObjectNode) -> Vec<Path> {
    let mut disclosable = Disclosable::default();
    // The walk breaks off at the bound.
    let _ = disclosable.object(schema);
    disclosable.paths
}

#[derive(Default)]
struct Disclosable {
    steps: Vec<PathStep>,
    paths: Vec<Path>,
    path_bytes: usize,
}

impl Disclosable {
    fn object(&mut self, object: &ObjectNode) -> ControlFlow<()> {
        for member in object.members() {
            self.below(member.key.as_str().into(), &member.node)?;
        }
        ControlFlow::Continue(())
    }

    fn below(&mut self, step: PathStep, node: &Node) -> ControlFlow<()> {
        if !node.has_position() {
            return ControlFlow::Continue(());
        }
        self.steps.push(step);
        self.path_bytes = self.path_bytes.saturating_add(path_bytes(&self.steps));
        if self.paths.len() >= MAX_ENTRIES || self.path_bytes > MAX_PATH_BYTES {
            return ControlFlow::Break(());
        }
        self.paths.push(self.steps.as_slice().into());
        match node {
            Node::Leaf => {}
            Node::Object(object) => self.object(object)?,
            Node::List(list) => self.below(PathStep::Index(0), &list.items)?,
        }
        self.steps.pop();
        ControlFlow::Continue(())
    }
}

/// The first paths, in the order of the data, that the schema does not describe: at most `limit`.
pub(crate) fn uncovered(schema: &ObjectNode, data: &Value, limit: usize) -> Vec<Path> {
    let mut uncovered = Uncovered {
        steps: Vec::new(),
        paths: Vec::new(),
        limit,
    };
    if let Value::Object(object) = data {
        // The walk breaks off at the limit.
        let _ = uncovered.object(schema, object);
    }
    uncovered.paths
}

/// Fails with the first path that the schema does not describe.
pub(crate) fn require_covered(schema: &ObjectNode, data: &Value) -> Result<(), CertError> {
    match uncovered(schema, data, 1).pop() {
        None => Ok(()),
        Some(path) => Err(CertError::new(
            ErrorCode::DataUncovered,
            path,
            "the schema does not describe the value, so nothing would certify it",
        )),
    }
}

struct Uncovered<'a> {
    steps: Vec<Step<'a>>,
    paths: Vec<Path>,
    limit: usize,
}

impl<'a> Uncovered<'a> {
    fn object(&mut self, node: &ObjectNode, object: &'a Object) -> ControlFlow<()> {
        for (index, (key, value)) in object.iter().enumerate() {
            self.steps.push(Step::Key(key));
            match node.member_near(index, key) {
                Some(member) => self.value(&member.node, value)?,
                None => self.add()?,
            }
            self.steps.pop();
        }
        ControlFlow::Continue(())
    }

    fn value(&mut self, node: &Node, value: &'a Value) -> ControlFlow<()> {
        match (node, value) {
            (Node::Object(node), Value::Object(object)) => self.object(node, object)?,
            (Node::List(node), Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.steps.push(Step::Index(index));
                    self.value(&node.items, item)?;
                    self.steps.pop();
                }
            }
            // The value is described; certification refuses one of another kind than described.
            _ => {}
        }
        ControlFlow::Continue(())
    }

    fn add(&mut self) -> ControlFlow<()> {
        self.paths.push(self.steps.as_slice().into());
        if self.paths.len() < self.limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
