//! The groups of a document. A group combines a part of the schema with the data for this part.

use alloc::string::String;
use alloc::vec::Vec;

use crate::aih1::order;
use crate::error::{CertError, ErrorCode};
use crate::invariant::certain;
use crate::json::join::join;
use crate::json::path::{Path, Step};
use crate::json::value::{Object, Scalar, Value};
use crate::schema::{ListNode, Node, ObjectNode};
use crate::selection::Selected;

/// An object or array of the document.
#[derive(Debug)]
pub(crate) struct Group<'a> {
    pub(crate) members: Members<'a>,
    /// The path of the object or array.
    pub(crate) steps: Vec<Step<'a>>,
    /// The string that the noncer makes from the path (`Location::prefix`).
    pub(crate) prefix: String,
    /// The part of the group that is selected.
    pub(crate) selected: Selected,
    /// The indexes of a list's items in the order of their positions.
    order: Vec<usize>,
}

/// The members of a group.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Members<'a> {
    /// The members that the schema names, and the object in the data; `None` if the object is absent or `null`.
    Object(&'a ObjectNode, Option<&'a Object>),
    List(&'a ListNode, &'a [Value]),
}

/// A member of a group: a group, or a single value that may be absent.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Member<'a> {
    Value(Option<Scalar<'a>>),
    Group(Members<'a>),
}

impl<'a> Group<'a> {
    /// # Errors
    /// [`ErrorCode::DataTypeMismatch`] if a part of the data is not of the kind that the schema requires. Only parts that contribute
    /// nothing to a hash are checked here.
    pub(crate) fn new(
        members: Members<'a>,
        steps: Vec<Step<'a>>,
        prefix: String,
        selected: Selected,
    ) -> Result<Self, CertError> {
        let order = match members {
            Members::Object(..) => Vec::new(),
            Members::List(_, items) => order::indexes(items.len()),
        };
        let group = Self {
            members,
            steps,
            prefix,
            selected,
            order,
        };
        if let Members::Object(schema, Some(data)) = members
            && schema.width() < schema.members().len()
        {
            let others = schema.members().iter();
            for member in others.filter(|member| member.position.is_none()) {
                check_nothing(&member.node, data.get(&member.key))
                    .map_err(|error| group.locate(Step::Key(&member.key), error))?;
            }
        }
        Ok(group)
    }

    /// Returns the number of positions.
    pub(crate) fn len(&self) -> usize {
        match self.members {
            Members::Object(node, _) => node.width(),
            Members::List(_, items) => items.len(),
        }
    }

    pub(crate) fn is_list(&self) -> bool {
        matches!(self.members, Members::List(..))
    }

    /// Returns the step from the group to a position, and the schema of the member at this position.
    pub(crate) fn step(&self, position: usize) -> (Step<'a>, &'a Node) {
        match self.members {
            Members::Object(node, _) => {
                let (_, member) = node.at(position);
                (Step::Key(&member.key), &member.node)
            }
            Members::List(node, _) => {
                let index = self.order.get(position);
                let index = certain(index, "every position of a list has an index");
                (Step::Index(*index), &node.items)
            }
        }
    }

    /// Returns the member at a position.
    ///
    /// # Errors
    /// [`ErrorCode::DataTypeMismatch`] if the data is not of the kind that the schema requires, and [`ErrorCode::NumberNotFinite`].
    pub(crate) fn member(
        &self,
        position: usize,
    ) -> Result<(Step<'a>, &'a Node, Member<'a>), CertError> {
        let (step, node) = self.step(position);
        let value = match (self.members, step) {
            (Members::Object(schema, Some(data)), Step::Key(key)) => {
                data.get_near(schema.at(position).0, key)
            }
            (Members::List(_, items), Step::Index(index)) => items.get(index),
            _ => None,
        };
        let member = member(node, value).map_err(|error| self.locate(step, error))?;
        Ok((step, node, member))
    }

    /// Returns the error with its full path from the root. `step` leads from this group to the error.
    #[cold]
    fn locate(&self, step: Step<'_>, error: CertError) -> CertError {
        let error = error.below(step.to_owned());
        let steps = self.steps.iter().rev();
        steps.fold(error, |error, step| error.below(step.to_owned()))
    }
}

/// Returns the root's members.
pub(crate) fn root<'a>(schema: &'a ObjectNode, data: &'a Value) -> Result<Members<'a>, CertError> {
    match data {
        Value::Null => Ok(Members::Object(schema, None)),
        Value::Object(object) => Ok(Members::Object(schema, Some(object))),
        other => Err(mismatch("an object", other)),
    }
}

/// Returns the member for a value. Refuses a value that does not match its part of the schema, and a number that is not finite.
pub(crate) fn member<'a>(
    node: &'a Node,
    value: Option<&'a Value>,
) -> Result<Member<'a>, CertError> {
    match (node, value) {
        (Node::Object(node), None | Some(Value::Null)) => {
            Ok(Member::Group(Members::Object(node, None)))
        }
        (Node::Object(node), Some(Value::Object(object))) => {
            Ok(Member::Group(Members::Object(node, Some(object))))
        }
        (Node::List(node), Some(Value::Array(array))) if !array.is_empty() => {
            if node.items.has_position() {
                return Ok(Member::Group(Members::List(node, array.as_slice())));
            }
            // A list whose items contribute nothing is hashed as an empty list.
            for (index, item) in array.iter().enumerate() {
                check_nothing(&node.items, Some(item))
                    .map_err(|error| error.below(index.into()))?;
            }
            Ok(Member::Value(None))
        }
        (Node::List(_), None | Some(Value::Null | Value::Array(_))) | (Node::Leaf(_), None) => {
            Ok(Member::Value(None))
        }
        (Node::Leaf(unread), Some(value)) => match value.as_scalar() {
            Some(Scalar::Number(number)) if !number.is_finite() => Err(CertError::new(
                ErrorCode::NumberNotFinite,
                Path::root(),
                "a number must be finite to be certified",
            )),
            Some(scalar) => Ok(Member::Value(Some(scalar))),
            None => Err(not_single(*unread, value)),
        },
        (Node::Object(_), Some(value)) => Err(mismatch("an object", value)),
        (Node::List(_), Some(value)) => Err(mismatch("an array", value)),
    }
}

/// Checks data against a part of the schema that contributes nothing to a hash.
pub(crate) fn check_nothing(node: &Node, value: Option<&Value>) -> Result<(), CertError> {
    match (node.as_object(), value) {
        (Some(node), Some(Value::Object(object))) => {
            for member in node.members() {
                let key = &member.key;
                check_nothing(&member.node, object.get(key))
                    .map_err(|error| error.below(key.as_str().into()))?;
            }
            Ok(())
        }
        (_, None | Some(Value::Null)) => Ok(()),
        (_, Some(value)) => Err(mismatch("an object", value)),
    }
}

/// Returns the error for an object or array where the schema has a leaf.
fn not_single(unread: Option<&str>, found: &Value) -> CertError {
    let message = match unread {
        Some(unread) => join(&[
            "AIH-1 does not read ",
            unread,
            ", so it cannot certify ",
            found.kind(),
            ": write out its `type`, or use AIH-2",
        ]),
        None => return mismatch("a single value", found),
    };
    CertError::new(ErrorCode::DataTypeMismatch, Path::root(), message)
}

fn mismatch(expected: &str, found: &Value) -> CertError {
    let message = join(&[
        "the schema requires ",
        expected,
        ", but the data has ",
        found.kind(),
        ", which cannot be certified",
    ]);
    CertError::new(ErrorCode::DataTypeMismatch, Path::root(), message)
}
