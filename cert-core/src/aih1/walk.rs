//! From data to a plan: the walk along schema and data that finds every group.

use alloc::vec::Vec;

use crate::aih1::order;
use crate::aih1::tree::{Group, Member, Plan};
use crate::error::{CertError, ErrorCode};
use crate::json::join::join;
use crate::json::number::parse_index;
use crate::json::path::{Path, Step};
use crate::json::value::{Object, Scalar, Value};
use crate::schema::{ListNode, Node, ObjectNode};
use crate::selection::{Selected, Selection};

/// Arrays of more elements than this are ordered by text in another order than by number, so their
/// elements' positions depend on their length.
const SAME_ORDER: usize = 10;

/// What is to be known of the hashes besides the imprint.
#[derive(Clone, Copy)]
pub(crate) enum Keep<'a> {
    Nothing,
    /// Every value and node of every group.
    Everything,
    /// What it takes to verify the selected values.
    Selected(&'a Selection),
}

/// What the proofs of a plan are to say.
#[derive(Default)]
pub(crate) struct Picks {
    /// Whether nodes are shown that could be computed.
    pub(crate) everything: bool,
    /// Of every group.
    pub(crate) groups: Vec<Pick>,
    /// Of every member, whether its value is shown.
    pub(crate) members: Vec<bool>,
}

impl Picks {
    /// What the proof of a group is to say, if there is one.
    pub(crate) fn pick(&self, group: usize) -> Option<Pick> {
        let pick = self.groups.get(group).copied();
        pick.filter(|pick| *pick != Pick::Nothing)
    }

    /// Whether the value of a member is shown.
    pub(crate) fn shows(&self, member: usize) -> bool {
        self.members.get(member) == Some(&true)
    }
}

/// What the proof of a group is to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pick {
    /// There is none.
    Nothing,
    /// It closes after the last value that is shown.
    Part,
    /// It closes at the group's end.
    ToEnd,
}

/// Finds the groups of the data.
pub(crate) fn plan<'a>(
    schema: &'a ObjectNode,
    data: &'a Value,
    keep: Keep<'_>,
) -> Result<(Plan<'a>, Picks), CertError> {
    let object = match data {
        Value::Null => None,
        Value::Object(object) => Some(object),
        other => return Err(mismatch("an object", other)),
    };
    let mut walk = Walk {
        keep,
        plan: Plan::default(),
        picks: Picks {
            everything: matches!(keep, Keep::Everything),
            ..Picks::default()
        },
        sources: Vec::new(),
    };
    let selected = match keep {
        Keep::Nothing => Selected::Nothing,
        Keep::Everything => Selected::Everything,
        Keep::Selected(selection) => selection.root(),
    };
    walk.group(None, Source::Object(schema, object), selected);
    let mut at = 0_usize;
    while let Some((source, selected)) = walk.sources.get(at).copied() {
        walk.members(at, source, selected)?;
        at = at.saturating_add(1);
    }
    Ok((walk.plan, walk.picks))
}

/// Where the members of a group come from.
#[derive(Clone, Copy)]
enum Source<'a> {
    Object(&'a ObjectNode, Option<&'a Object>),
    List(&'a ListNode, &'a [Value]),
}

/// What a member of a group is, once schema and data are seen together.
enum Found<'a> {
    Leaf(Option<Scalar<'a>>),
    Group(Source<'a>),
}

struct Walk<'a, 'w> {
    keep: Keep<'w>,
    plan: Plan<'a>,
    picks: Picks,
    /// Of every group that was found.
    sources: Vec<(Source<'a>, Selected)>,
}

impl<'a> Walk<'a, '_> {
    /// Appends a group.
    fn group(
        &mut self,
        parent: Option<(usize, Step<'a>)>,
        source: Source<'a>,
        selected: Selected,
    ) -> usize {
        let number = self.sources.len();
        let outer = parent.and_then(|(parent, _)| self.plan.groups.get(parent));
        self.plan.groups.push(Group {
            parent,
            depth: outer.map_or(0, |outer| outer.depth.saturating_add(1)),
            members: 0..0,
            first: 0,
            nonces: match source {
                Source::Object(node, _) => node.nonces(),
                Source::List(..) => &[],
            },
            is_list: matches!(source, Source::List(..)),
        });
        self.sources.push((source, selected));
        let pick = self.pick(source, selected);
        self.picks.groups.push(pick);
        number
    }

    /// Appends the members of a group, and the groups among them.
    fn members(
        &mut self,
        at: usize,
        source: Source<'a>,
        selected: Selected,
    ) -> Result<(), CertError> {
        let start = self.plan.members.len();
        match source {
            Source::Object(node, data) => {
                for (place, member) in node.members().iter().enumerate() {
                    let value = data.and_then(|data| data.get_near(place, &member.key));
                    let step = Step::Key(&member.key);
                    let added = if member.position.is_some() {
                        self.member(at, step, (&member.node, value), selected)
                    } else {
                        nothing(&member.node, value)
                    };
                    added.map_err(|error| self.below(at, step, error))?;
                }
            }
            Source::List(node, items) => {
                let mut next = Some(0);
                while let Some(index) = next {
                    let step = Step::Index(index);
                    self.member(at, step, (&node.items, items.get(index)), selected)
                        .map_err(|error| self.below(at, step, error))?;
                    next = order::next(index, items.len());
                }
            }
        }
        self.plan.members.push(Member::Closing);
        self.picks.members.push(false);
        if let Some(group) = self.plan.groups.get_mut(at) {
            group.members = start..self.plan.members.len();
        }
        Ok(())
    }

    fn member(
        &mut self,
        group: usize,
        step: Step<'a>,
        (node, value): (&'a Node, Option<&'a Value>),
        selected: Selected,
    ) -> Result<(), CertError> {
        let selected = self.child(selected, step, node);
        let member = match find(node, value)? {
            Found::Leaf(value) => Member::Value(value),
            Found::Group(source) => {
                Member::Group(self.group(Some((group, step)), source, selected))
            }
        };
        self.plan.members.push(member);
        self.picks.members.push(selected.is_disclosed());
        Ok(())
    }

    /// Puts an error where it belongs.
    fn below(&self, group: usize, step: Step<'_>, error: CertError) -> CertError {
        let group = self.plan.groups.get(group);
        let steps = group.map(|group| self.plan.steps(group));
        let mut error = error.below(step.to_owned());
        for step in steps.unwrap_or_default().iter().rev() {
            error = error.below(step.to_owned());
        }
        error
    }

    /// How much is selected of a member.
    fn child(&self, selected: Selected, step: Step<'_>, node: &Node) -> Selected {
        let Keep::Selected(selection) = self.keep else {
            return selected;
        };
        match (selection.child(selected, step), node) {
            // A path that goes on below a single value names nothing.
            (Selected::Inside(_), Node::Leaf) => Selected::Nothing,
            (selected, _) => selected,
        }
    }

    /// What the proof of a group is to say.
    fn pick(&self, source: Source<'a>, selected: Selected) -> Pick {
        let selection = match self.keep {
            Keep::Nothing => return Pick::Nothing,
            Keep::Everything => return Pick::ToEnd,
            Keep::Selected(selection) => selection,
        };
        match (source, selected) {
            (_, Selected::Nothing) => Pick::Nothing,
            (Source::List(_, items), _) if items.len() > SAME_ORDER => {
                let is_named = |key| parse_index(key).is_some_and(|index| index < items.len());
                let mut children = selection.children(selected).into_iter();
                if matches!(selected, Selected::Everything)
                    || children.any(|(key, _)| is_named(key))
                {
                    Pick::ToEnd
                } else {
                    Pick::Part
                }
            }
            _ => Pick::Part,
        }
    }
}

/// Holds a value against the schema.
fn find<'a>(node: &'a Node, value: Option<&'a Value>) -> Result<Found<'a>, CertError> {
    match (node, value) {
        (Node::Object(node), None | Some(Value::Null)) => {
            Ok(Found::Group(Source::Object(node, None)))
        }
        (Node::Object(node), Some(Value::Object(object))) => {
            Ok(Found::Group(Source::Object(node, Some(object))))
        }
        (Node::List(node), Some(Value::Array(array))) if !array.is_empty() => {
            if node.items.counts() {
                return Ok(Found::Group(Source::List(node, array.as_slice())));
            }
            // A list whose items contribute nothing is an empty one.
            for (index, item) in array.iter().enumerate() {
                nothing(&node.items, Some(item)).map_err(|error| error.below(index.into()))?;
            }
            Ok(Found::Leaf(None))
        }
        (Node::List(_), None | Some(Value::Null | Value::Array(_))) | (Node::Leaf, None) => {
            Ok(Found::Leaf(None))
        }
        (Node::Leaf, Some(value)) => match value.as_scalar() {
            Some(Scalar::Number(number)) if !number.is_finite() => Err(CertError::new(
                ErrorCode::NumberNotFinite,
                Path::root(),
                "a number has to be finite to be certified",
            )),
            Some(scalar) => Ok(Found::Leaf(Some(scalar))),
            None => Err(mismatch("a single value", value)),
        },
        (Node::Object(_), Some(value)) => Err(mismatch("an object", value)),
        (Node::List(_), Some(value)) => Err(mismatch("an array", value)),
    }
}

/// Holds data against a part of the schema that contributes nothing to a hash.
fn nothing(node: &Node, value: Option<&Value>) -> Result<(), CertError> {
    match (node.as_object(), value) {
        (Some(node), Some(Value::Object(object))) => {
            for member in node.members() {
                let key = &member.key;
                nothing(&member.node, object.get(key))
                    .map_err(|error| error.below(key.as_str().into()))?;
            }
            Ok(())
        }
        (_, None | Some(Value::Null)) => Ok(()),
        (_, Some(value)) => Err(mismatch("an object", value)),
    }
}

fn mismatch(expected: &str, found: &Value) -> CertError {
    let message = join(&[
        "the schema says ",
        expected,
        ", the data has ",
        found.kind(),
        ": certifying it would say nothing",
    ]);
    CertError::new(ErrorCode::DataTypeMismatch, Path::root(), message)
}
