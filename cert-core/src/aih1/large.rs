//! Computes the imprint of a document from its JSON text, without holding all of its values in memory. Long objects and lists are indexed.
//! Their members are read a few at a time, when they are hashed. In addition to the text, memory holds the keys of long objects and up to
//! eight bytes for each item of a long list.

use alloc::borrow::ToOwned as _;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::fmt;
use core::slice;

use serde::de::{Deserializer as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::aih1::certify::{Certifier, Sibling};
use crate::aih1::group::{self, Group, Member, Members};
use crate::aih1::tree::{Slot, Window};
use crate::aih1::{Input, closing, order};
use crate::error::{CertError, ErrorCode};
use crate::hash::text::Hash;
use crate::hash::{Job, Location};
use crate::invariant::certain;
use crate::json::path::{Path, PathStep, Step};
use crate::json::read;
use crate::json::str::Str;
use crate::json::value::{MAX_JSON_DEPTH, Object, Value};
use crate::schema::paths::{self, MAX_UNCOVERED};
use crate::schema::{Node, ObjectNode};
use crate::selection::Selected;

/// The maximum length in bytes of an object or list that is read whole. Longer objects and lists are indexed.
pub(crate) const PART: usize = 16 << 10;
/// The number of positions that are hashed together.
const POSITIONS: usize = 64;

/// The certification of a document's JSON text.
pub(crate) struct Large<'l> {
    pub(crate) certifier: Certifier<'l>,
    /// The maximum length in bytes of an object or list that is read whole.
    pub(crate) part: usize,
    /// The paths of values that the schema does not describe. Paths inside indexed members come last.
    pub(crate) uncovered: Vec<Path>,
    /// Receives the number of bytes of each part that is read. Every part is read twice, unless it contributes nothing to a hash.
    pub(crate) progress: &'l mut dyn FnMut(usize),
}

/// The members of a long object or list.
enum Index<'t> {
    Object(Vec<(Str, &'t str)>),
    List(List<'t>),
}

/// A list's text, and the byte offsets at which its items begin.
struct List<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> List<'t> {
    /// Returns an item's text, or `None` if the list has no such item.
    fn item(&self, index: usize) -> Option<&'t str> {
        let at = |index: usize| usize::try_from(*self.starts.get(index)?).ok();
        let start = at(index)?;
        // A comma or the list's end follows each item.
        let (end, after) = match at(index.checked_add(1)?) {
            Some(next) => (next, ','),
            None => (self.text.len(), ']'),
        };
        let item = self.text.get(start..end)?.trim_ascii_end();
        Some(item.strip_suffix(after)?.trim_ascii_end())
    }
}

/// A member that was read: its value, or its imprint if it was indexed.
enum Loaded {
    Value(Option<Value>),
    Imprint(Hash),
}

impl Large<'_> {
    /// Returns the imprint of an object's text.
    pub(crate) fn root(&mut self, schema: &ObjectNode, text: &str) -> Result<Hash, CertError> {
        match self.index(text)? {
            Index::Object(entries) => self.object(schema, &entries, &[], ""),
            Index::List(_) => Err(CertError::new(
                ErrorCode::DataTypeMismatch,
                Path::root(),
                "the schema requires an object, but the data has an array, which cannot be certified",
            )),
        }
    }

    /// Indexes an object or list.
    fn index<'t>(&self, text: &'t str) -> Result<Index<'t>, CertError> {
        let mut json = serde_json::Deserializer::from_str(text);
        json.disable_recursion_limit();
        let index = json.deserialize_any(Indexer { text });
        index
            .and_then(|index| json.end().map(|()| index))
            .map_err(|error| read::not_json(&error))
    }

    /// Reads a part that is `depth` levels below the root.
    fn read(&mut self, text: &str, depth: usize) -> Result<Value, CertError> {
        (self.progress)(text.len());
        read::parse(text, MAX_JSON_DEPTH.saturating_sub(depth))
    }

    /// Returns true if a member is indexed instead of being read whole.
    fn is_long(&self, node: &Node, text: &str) -> bool {
        text.len() > self.part
            && match node {
                Node::Leaf(_) => false,
                Node::Object(_) => node.has_position() && text.starts_with('{'),
                Node::List(list) => list.items.has_position() && text.starts_with('['),
            }
    }

    /// Reads a member that is not indexed. This is the first time that the member is read. Checks that it is JSON, and records the values
    /// that the schema does not describe.
    fn look(
        &mut self,
        node: Option<&Node>,
        text: &str,
        at: &[PathStep],
    ) -> Result<Value, CertError> {
        let value = self
            .read(text, at.len())
            .map_err(|error| below(error, at))?;
        let room = MAX_UNCOVERED.saturating_sub(self.uncovered.len());
        if room > 0 {
            let found = match node {
                Some(node) => paths::uncovered_in(node, &value, room),
                None => vec![Path::root()],
            };
            self.uncovered.extend(found.into_iter().map(|path| {
                let steps = at.iter().chain(path.steps()).cloned();
                steps.collect()
            }));
        }
        Ok(value)
    }

    fn object<'a>(
        &mut self,
        schema: &'a ObjectNode,
        entries: &[(Str, &str)],
        steps: &[Step<'a>],
        prefix: &str,
    ) -> Result<Hash, CertError> {
        // The check for duplicate keys does not need the values.
        let keys = entries.iter().map(|(key, _)| (key.clone(), Value::Null));
        Object::from_distinct(keys.collect())
            .check_keys()
            .map_err(|error| below(error, &owned(steps)))?;
        let mut at = owned(steps);
        let mut texts = vec![None; schema.width()];
        for (key, text) in entries {
            let member = schema.member(key);
            let position = member.and_then(|member| member.position);
            if let Some(place) = position.and_then(|position| texts.get_mut(position)) {
                *place = Some(*text);
            }
            at.push(PathStep::from(key.as_str()));
            if !member.is_some_and(|member| self.is_long(&member.node, text)) {
                let value = self.look(member.map(|member| &member.node), text, &at)?;
                if let Some(member) = member.filter(|member| member.position.is_none()) {
                    group::check_nothing(&member.node, Some(&value))
                        .map_err(|error| below(error, &at))?;
                }
            }
            at.pop();
        }
        let text_of = |position: usize| {
            let (_, member) = schema.at(position);
            let text = texts.get(position).copied().flatten();
            (Step::Key(&member.key), &member.node, text)
        };
        self.positions(schema.width(), false, &text_of, steps, prefix)
    }

    fn list<'a>(
        &mut self,
        node: &'a Node,
        list: &List<'_>,
        steps: &[Step<'a>],
        prefix: &str,
    ) -> Result<Hash, CertError> {
        let mut at = owned(steps);
        for index in 0..list.starts.len() {
            let text = list.item(index).unwrap_or_default();
            if !self.is_long(node, text) {
                at.push(index.into());
                self.look(Some(node), text, &at)?;
                at.pop();
            }
        }
        let count = list.starts.len();
        let order: Vec<u32> = order::iter(count)
            .map(|index| u32::try_from(index).unwrap_or(u32::MAX))
            .collect();
        let text_of = |position: usize| {
            let index = order
                .get(position)
                .and_then(|index| usize::try_from(*index).ok());
            let index = certain(index, "every position of a list has an index");
            (Step::Index(index), node, list.item(index))
        };
        self.positions(count, true, &text_of, steps, prefix)
    }

    /// Hashes the positions of a group, the last ones first, and returns the group's imprint.
    fn positions<'a, 't>(
        &mut self,
        count: usize,
        is_list: bool,
        text_of: &dyn Fn(usize) -> (Step<'a>, &'a Node, Option<&'t str>),
        steps: &[Step<'a>],
        prefix: &str,
    ) -> Result<Hash, CertError> {
        let end = Location::new(steps, prefix, count);
        let mut nonces = Vec::new();
        self.certifier.noncer.nonces(&[end], &mut nonces)?;
        let closing = certain(nonces.pop(), "a noncer appends a nonce for every location");
        let input = Input::Closing(&closing);
        let mut nodes = Vec::new();
        let job = Job {
            input,
            location: end,
        };
        self.certifier.hasher.hash_all(&[job], &mut nodes)?;
        let mut node = certain(nodes.pop(), "every job has a hash");
        let mut left = count;
        while left > 0 {
            let start = left.saturating_sub(POSITIONS);
            let mut loaded = Vec::with_capacity(POSITIONS);
            for position in start..left {
                loaded.push(self.load(text_of(position), steps, prefix)?);
            }
            node = self.window(start, &loaded, text_of, (steps, prefix), &node)?;
            left = start;
        }
        closing::certifiable(is_list, steps, count, &closing, &node)?;
        Ok(node)
    }

    /// Reads a member, or computes its imprint if it is long.
    fn load<'a>(
        &mut self,
        (step, node, text): (Step<'a>, &'a Node, Option<&str>),
        steps: &[Step<'a>],
        prefix: &str,
    ) -> Result<Loaded, CertError> {
        let Some(text) = text else {
            return Ok(Loaded::Value(None));
        };
        let (steps, prefix) = self.within(step, steps, prefix);
        if !self.is_long(node, text) {
            let at = owned(&steps);
            let value = self
                .read(text, at.len())
                .map_err(|error| below(error, &at))?;
            return Ok(Loaded::Value(Some(value)));
        }
        let index = self
            .index(text)
            .map_err(|error| below(error, &owned(&steps)))?;
        match (index, node) {
            (Index::Object(entries), Node::Object(node)) => self
                .object(node, &entries, &steps, &prefix)
                .map(Loaded::Imprint),
            (Index::List(list), Node::List(node)) if !list.starts.is_empty() => self
                .list(&node.items, &list, &steps, &prefix)
                .map(Loaded::Imprint),
            // The list is long only because of white space: it has no items.
            _ => Ok(Loaded::Value(None)),
        }
    }

    /// Hashes the positions of a window, and returns the node at its first position. `next` is the node after the window's last position.
    fn window<'a, 't>(
        &self,
        start: usize,
        loaded: &[Loaded],
        text_of: &dyn Fn(usize) -> (Step<'a>, &'a Node, Option<&'t str>),
        (steps, prefix): (&[Step<'a>], &str),
        next: &Hash,
    ) -> Result<Hash, CertError> {
        let mut window = Window::default();
        let mut inner = Vec::new();
        let mut locations = Vec::with_capacity(loaded.len());
        for (position, loaded) in (start..).zip(loaded) {
            locations.push(Location::new(steps, prefix, position));
            let (step, node, _) = text_of(position);
            window.slots.push(match loaded {
                Loaded::Imprint(imprint) => Slot::Subtree(imprint.clone()),
                Loaded::Value(value) => {
                    let (steps, prefix) = self.within(step, steps, prefix);
                    let member = group::member(node, value.as_ref());
                    match member.map_err(|error| below(error, &owned(&steps)))? {
                        Member::Value(value) => Slot::Value(value),
                        Member::Group(members) => {
                            inner.push(sibling(members, steps, prefix)?);
                            Slot::Subtree(Hash::default())
                        }
                    }
                }
            });
        }
        let mut certified = self
            .certifier
            .groups(&inner, &mut Window::default())?
            .into_iter();
        for slot in &mut window.slots {
            if let Slot::Subtree(imprint) = slot
                && imprint.as_bytes().is_empty()
                && let Some(progress) = certified.next()
            {
                *imprint = progress.node;
            }
        }
        window.counts.push(loaded.len());
        self.certifier
            .noncer
            .nonces(&locations, &mut window.nonces)?;
        window.hash_leaves(self.certifier.hasher, &locations)?;
        window.hash_nodes(self.certifier.hasher, &locations, slice::from_ref(&next))?;
        let first = window.nodes.into_iter().next();
        Ok(certain(first, "a window has a node for each position"))
    }

    /// Returns the path of a member, and the prefix that the noncer makes of this path.
    fn within<'a>(
        &self,
        step: Step<'a>,
        steps: &[Step<'a>],
        prefix: &str,
    ) -> (Vec<Step<'a>>, String) {
        let mut steps = steps.to_vec();
        steps.push(step);
        let mut prefix = prefix.to_owned();
        self.certifier.noncer.extend_prefix(&mut prefix, step);
        (steps, prefix)
    }
}

fn sibling<'a>(
    members: Members<'a>,
    steps: Vec<Step<'a>>,
    prefix: String,
) -> Result<Sibling<'a>, CertError> {
    Ok(Sibling {
        group: Group::new(members, steps, prefix, Selected::Nothing)?,
        cache: None,
    })
}

fn owned(steps: &[Step<'_>]) -> Vec<PathStep> {
    steps.iter().map(|step| (*step).to_owned()).collect()
}

/// Returns an error with its path from the root.
#[cold]
fn below(error: CertError, steps: &[PathStep]) -> CertError {
    steps.iter().rev().cloned().fold(error, CertError::below)
}

/// Indexes an object or list: finds the text of each member, or the offset at which each item begins.
struct Indexer<'t> {
    text: &'t str,
}

impl<'t> Visitor<'t> for Indexer<'t> {
    type Value = Index<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object or array")
    }

    fn visit_map<A: MapAccess<'t>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = access.next_entry::<String, &RawValue>()? {
            entries.push((key.into(), value.get()));
        }
        Ok(Index::Object(entries))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        let mut starts = Vec::new();
        while let Some(item) = access.next_element::<&RawValue>()? {
            let start = item
                .get()
                .as_ptr()
                .addr()
                .checked_sub(self.text.as_ptr().addr());
            let start = start.and_then(|start| u32::try_from(start).ok());
            starts.push(certain(
                start,
                "an item is a part of the text, which has less than 4 GiB",
            ));
        }
        let text = self.text.trim_ascii_end();
        Ok(Index::List(List { text, starts }))
    }
}

#[cfg(test)]
mod tests;
