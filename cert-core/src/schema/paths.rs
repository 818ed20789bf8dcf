//! Finds the paths that can be disclosed under a schema, and the paths of data that the schema does not describe. No certificate covers
//! such data.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep, Step, path_bytes};
use crate::json::value::{Object, Value};
use crate::schema::{Node, ObjectNode};
use crate::verify::report::{MAX_ENTRIES, MAX_PATH_BYTES};

/// The maximum number of uncovered values that are listed. Otherwise a misspelt key in the items of a long list would be listed once for
/// each item.
pub const MAX_UNCOVERED: usize = 100;

/// Returns the paths that can be disclosed under a schema, in the order of their positions: at most [`MAX_ENTRIES`] paths. Their total size
/// is at most [`MAX_PATH_BYTES`].
pub(crate) fn disclosable(schema: &ObjectNode) -> Vec<Path> {
    let mut found = Disclosable::default();
    // The walk stops at the bound.
    let _ = members(&mut found, schema);
    found.paths
}

fn members(found: &mut Disclosable, object: &ObjectNode) -> ControlFlow<()> {
    for member in object.members() {
        below(found, member.key.as_str().into(), &member.node)?;
    }
    ControlFlow::Continue(())
}

fn below(found: &mut Disclosable, step: PathStep, node: &Node) -> ControlFlow<()> {
    if !node.has_position() {
        return ControlFlow::Continue(());
    }
    found.add(step, |found| match node {
        Node::Leaf(_) => ControlFlow::Continue(()),
        Node::Object(object) => members(found, object),
        Node::List(list) => below(found, PathStep::Index(0), &list.items),
    })
}

/// Collects the paths that a walk along a schema finds, within the bounds.
#[derive(Default)]
pub(crate) struct Disclosable {
    steps: Vec<PathStep>,
    pub(crate) paths: Vec<Path>,
    path_bytes: usize,
}

impl Disclosable {
    /// Returns the current path.
    pub(crate) fn path(&self) -> Path {
        self.steps.as_slice().into()
    }

    /// Adds the path with one more step, and the paths that `inside` finds below it.
    pub(crate) fn add(
        &mut self,
        step: PathStep,
        inside: impl FnOnce(&mut Self) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.steps.push(step);
        self.path_bytes = self.path_bytes.saturating_add(path_bytes(&self.steps));
        if self.paths.len() >= MAX_ENTRIES || self.path_bytes > MAX_PATH_BYTES {
            return ControlFlow::Break(());
        }
        self.paths.push(self.steps.as_slice().into());
        inside(self)?;
        self.steps.pop();
        ControlFlow::Continue(())
    }
}

/// Returns up to `limit` paths that the schema does not describe, in the order of the data.
pub(crate) fn uncovered(schema: &ObjectNode, data: &Value, limit: usize) -> Vec<Path> {
    let mut found = Uncovered::new(limit);
    if let Value::Object(object) = data {
        // The walk stops at the limit.
        let _ = keys(&mut found, schema, object);
    }
    found.paths
}

/// Fails with the first path that the schema does not describe.
pub(crate) fn require_covered(schema: &ObjectNode, data: &Value) -> Result<(), CertError> {
    match uncovered(schema, data, 1).pop() {
        None => Ok(()),
        Some(path) => Err(CertError::new(
            ErrorCode::DataUncovered,
            path,
            "the schema does not describe the value, so it would not be certified",
        )),
    }
}

/// Returns the paths in a member that its part of the schema does not describe: at most `limit`.
#[cfg(feature = "large")]
pub(crate) fn uncovered_in(node: &Node, data: &Value, limit: usize) -> Vec<Path> {
    let mut found = Uncovered::new(limit);
    let _ = described(&mut found, node, data);
    found.paths
}

fn keys<'a>(found: &mut Uncovered<'a>, node: &ObjectNode, object: &'a Object) -> ControlFlow<()> {
    for (index, (key, value)) in object.iter().enumerate() {
        found.at(Step::Key(key), |found| match node.member_near(index, key) {
            Some(member) => described(found, &member.node, value),
            None => found.add(),
        })?;
    }
    ControlFlow::Continue(())
}

fn described<'a>(found: &mut Uncovered<'a>, node: &Node, value: &'a Value) -> ControlFlow<()> {
    match (node, value) {
        (Node::Object(node), Value::Object(object)) => keys(found, node, object),
        (Node::List(node), Value::Array(items)) => found.each(items.as_slice(), |found, item| {
            described(found, &node.items, item)
        }),
        // The schema describes the value. Certification refuses a value of the wrong kind.
        _ => ControlFlow::Continue(()),
    }
}

/// Collects the paths that a walk along data finds, up to a limit.
pub(crate) struct Uncovered<'a> {
    steps: Vec<Step<'a>>,
    pub(crate) paths: Vec<Path>,
    limit: usize,
}

impl<'a> Uncovered<'a> {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            steps: Vec::new(),
            paths: Vec::new(),
            limit,
        }
    }

    /// Continues the walk one step deeper.
    pub(crate) fn at(
        &mut self,
        step: Step<'a>,
        walk: impl FnOnce(&mut Self) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        self.steps.push(step);
        walk(self)?;
        self.steps.pop();
        ControlFlow::Continue(())
    }

    /// Continues the walk in each item of a list.
    pub(crate) fn each(
        &mut self,
        items: &'a [Value],
        mut walk: impl FnMut(&mut Self, &'a Value) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for (index, item) in items.iter().enumerate() {
            self.at(Step::Index(index), |found| walk(found, item))?;
        }
        ControlFlow::Continue(())
    }

    /// Adds the current path.
    pub(crate) fn add(&mut self) -> ControlFlow<()> {
        self.paths.push(self.steps.as_slice().into());
        if self.paths.len() < self.limit {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    }
}
