//! Computes imprints and proofs of a document, depth first. Sibling groups are hashed together, one window of positions at a time. The
//! groups inside a window are hashed before the window itself. The number of hashes in memory therefore grows with the depth of the
//! document and the requested proofs, not with the document's length (`docs/decisions/0003-hashing-in-windows.md`).

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use crate::aih1::Input;
use crate::aih1::closing;
use crate::aih1::disclose::{Disclosure, Draft};
use crate::aih1::group::{self, Group, Member, Members};
use crate::aih1::nonces::NonceCache;
use crate::aih1::proof::Proof;
use crate::aih1::tree::{Slot, WINDOW, Window, together};
use crate::error::CertError;
use crate::hash::length::OneLength;
use crate::hash::text::Hash;
use crate::hash::{Job, Location, Noncer};
use crate::invariant::{certain, impossible};
use crate::json::path::Step;
use crate::json::value::Value;
use crate::schema::{Node, ObjectNode};

/// Certifies documents of one schema.
pub(crate) struct Certifier<'c> {
    pub(crate) hasher: OneLength<'c>,
    pub(crate) noncer: &'c dyn Noncer,
    /// The nonces that depend on the schema alone.
    pub(crate) nonces: &'c NonceCache,
    pub(crate) disclosure: Disclosure<'c>,
}

/// The number of bytes reserved in a nonce prefix for one more step. Most keys and indexes fit.
const PREFIX_STEP: usize = 24;

/// A group, and the cache of its nonces if there is one.
pub(crate) struct Sibling<'a> {
    pub(crate) group: Group<'a>,
    pub(crate) cache: Option<&'a NonceCache>,
}

/// The progress of hashing one group. A group is hashed from its last position to its first.
pub(crate) struct Progress {
    /// The number of positions left to hash.
    left: usize,
    /// The nonce of the closing node.
    nonce: Hash,
    /// The node that was hashed last, initially the closing node. Once all positions are hashed, this is the imprint.
    pub(crate) node: Hash,
    draft: Option<Draft>,
    /// The proofs of the groups inside this group, in reverse document order. The group's own proof is added at the end.
    proofs: Vec<Proof>,
}

impl Certifier<'_> {
    /// Returns the imprint of a document and the requested proofs. A group's proof comes before the proofs of the groups inside it.
    pub(crate) fn certify(
        &self,
        schema: &ObjectNode,
        data: &Value,
    ) -> Result<(Hash, Vec<Proof>), CertError> {
        let members = group::root(schema, data)?;
        let selected = self.disclosure.root();
        let group = Group::new(members, Vec::new(), String::new(), selected)?;
        let root = Sibling {
            group,
            cache: Some(self.nonces),
        };
        let root = self.groups(&[root], &mut Window::default())?.pop();
        let mut root = certain(root, "every group is certified");
        root.proofs.reverse();
        Ok((root.node, root.proofs))
    }

    /// Certifies groups of the same depth. The groups are hashed in batches, and all batches use `window`.
    pub(crate) fn groups<'a>(
        &self,
        groups: &[Sibling<'a>],
        window: &mut Window<'a>,
    ) -> Result<Vec<Progress>, CertError> {
        let mut certified = Vec::new();
        let mut rest = groups;
        while !rest.is_empty() {
            let count = together(rest.iter().map(|sibling| sibling.group.len()));
            let siblings = rest.split_off(..count).unwrap_or(rest);
            let mut progress = self.siblings(siblings, window)?;
            if certified.is_empty() {
                certified = progress;
            } else {
                certified.append(&mut progress);
            }
        }
        Ok(certified)
    }

    /// Certifies groups that are hashed together.
    fn siblings<'a>(
        &self,
        siblings: &[Sibling<'a>],
        window: &mut Window<'a>,
    ) -> Result<Vec<Progress>, CertError> {
        let mut progress = self.begin(siblings)?;
        let mut inner = Window::default();
        while progress.iter().any(|progress| progress.left > 0) {
            self.fill(window, &mut inner, siblings, &mut progress)?;
            let locations = locations(siblings, &window.counts, &progress);
            self.nonces(siblings, &locations, &window.counts, &mut window.nonces)?;
            window.hash_leaves(self.hasher, &locations)?;
            let mut nexts = Vec::with_capacity(siblings.len());
            for progress in &progress {
                nexts.push(&progress.node);
            }
            window.hash_nodes(self.hasher, &locations, &nexts)?;
            let mut start = 0_usize;
            let counts = mem::take(&mut window.counts);
            for (progress, count) in progress.iter_mut().zip(&counts) {
                if *count > 0
                    && let Some(node) = window.nodes.get(start)
                {
                    progress.node = node.clone();
                }
                let end = start.saturating_add(*count);
                if let Some(draft) = &mut progress.draft {
                    draft.take(window, start..end, progress.left);
                }
                start = end;
            }
            window.counts = counts;
        }
        for (sibling, progress) in siblings.iter().zip(&mut progress) {
            let group = &sibling.group;
            closing::certifiable(
                group.is_list(),
                &group.steps,
                group.len(),
                &progress.nonce,
                &progress.node,
            )?;
            if let Some(draft) = progress.draft.take() {
                progress.proofs.push(draft.finish());
            }
        }
        Ok(progress)
    }

    /// Hashes the closing node of each group, and returns the initial progress of each group.
    fn begin(&self, siblings: &[Sibling<'_>]) -> Result<Vec<Progress>, CertError> {
        let mut locations = Vec::with_capacity(siblings.len());
        for Sibling { group, .. } in siblings {
            locations.push(Location::new(&group.steps, &group.prefix, group.len()));
        }
        let mut nonces = Vec::with_capacity(siblings.len());
        self.nonces(siblings, &locations, &vec![1; siblings.len()], &mut nonces)?;
        let mut jobs = Vec::with_capacity(siblings.len());
        for (nonce, location) in nonces.iter().zip(&locations) {
            let (input, location) = (Input::Closing(nonce), *location);
            jobs.push(Job { input, location });
        }
        let mut nodes = Vec::with_capacity(siblings.len());
        self.hasher.hash_all(&jobs, &mut nodes)?;
        let mut progress = Vec::with_capacity(siblings.len());
        for ((sibling, nonce), node) in siblings.iter().zip(nonces).zip(nodes) {
            let mut draft = Draft::new(self.disclosure, &sibling.group);
            if let Some(draft) = &mut draft {
                draft.take_closing(sibling.group.len(), &node);
            }
            progress.push(Progress {
                left: sibling.group.len(),
                nonce,
                node,
                draft,
                proofs: Vec::new(),
            });
        }
        Ok(progress)
    }

    /// Fills a window with the last positions of each group that are left to hash, in ascending order. Members at these positions that are
    /// groups themselves are certified first, in the window of the next depth.
    fn fill<'a>(
        &self,
        window: &mut Window<'a>,
        inner_window: &mut Window<'a>,
        siblings: &[Sibling<'a>],
        progress: &mut [Progress],
    ) -> Result<(), CertError> {
        window.slots.clear();
        window.counts.clear();
        let mut inner = Vec::new();
        for (sibling, progress) in siblings.iter().zip(&mut *progress) {
            let end = progress.left;
            progress.left = end.saturating_sub(WINDOW);
            window.counts.push(end.saturating_sub(progress.left));
            for position in progress.left..end {
                window.slots.push(match sibling.group.member(position)? {
                    (_, _, Member::Value(value)) => Slot::Value(value),
                    (step, node, Member::Group(members)) => {
                        inner.push(self.within(sibling, position, (step, node), members)?);
                        Slot::Subtree(Hash::default())
                    }
                });
            }
        }
        if inner.is_empty() {
            return Ok(());
        }
        let mut certified = self.groups(&inner, inner_window)?;
        let mut certified = certified.iter_mut();
        let mut slots = window.slots.iter_mut();
        for (count, progress) in window.counts.iter().zip(progress) {
            let mut proofs = Vec::new();
            for slot in slots.by_ref().take(*count) {
                if let Slot::Subtree(imprint) = slot
                    && let Some(certified) = certified.next()
                {
                    *imprint = mem::take(&mut certified.node);
                    if !certified.proofs.is_empty() {
                        proofs.push(mem::take(&mut certified.proofs));
                    }
                }
            }
            while let Some(mut proofs) = proofs.pop() {
                progress.proofs.append(&mut proofs);
            }
        }
        Ok(())
    }

    /// Returns the group that is the member of `group` at a position.
    fn within<'a>(
        &self,
        Sibling { group, cache }: &Sibling<'a>,
        position: usize,
        (step, node): (Step<'a>, &'a Node),
        members: Members<'a>,
    ) -> Result<Sibling<'a>, CertError> {
        let mut steps = Vec::with_capacity(group.steps.len().saturating_add(1));
        steps.extend_from_slice(&group.steps);
        steps.push(step);
        let mut prefix = String::with_capacity(group.prefix.len().saturating_add(PREFIX_STEP));
        prefix.push_str(&group.prefix);
        self.noncer.extend_prefix(&mut prefix, step);
        let selected = self.disclosure.member(group.selected, step, node);
        Ok(Sibling {
            group: Group::new(members, steps, prefix, selected)?,
            cache: match group.members {
                Members::Object(schema, _) => {
                    cache.and_then(|cache| cache.member(schema.at(position).0))
                }
                Members::List(..) => None,
            },
        })
    }

    /// Fills `nonces` with one nonce for each location. `counts` gives the number of locations in each group. If no group has a cache, one
    /// call of the noncer makes all nonces.
    fn nonces(
        &self,
        siblings: &[Sibling<'_>],
        locations: &[Location<'_>],
        counts: &[usize],
        nonces: &mut Vec<Hash>,
    ) -> Result<(), CertError> {
        nonces.clear();
        if siblings.iter().all(|sibling| sibling.cache.is_none()) {
            self.noncer.nonces(locations, nonces)?;
        } else {
            let mut rest = locations;
            for (sibling, count) in siblings.iter().zip(counts) {
                let own = rest.split_off(..*count).unwrap_or_default();
                let cached = own.first().zip(sibling.cache);
                let cached =
                    cached.and_then(|(first, cache)| cache.nonces(first.position(), *count));
                match cached {
                    Some(cached) => nonces.extend_from_slice(cached),
                    None => self.noncer.nonces(own, nonces)?,
                }
            }
        }
        if nonces.len() != locations.len() {
            impossible("a noncer appends a nonce for every location");
        }
        Ok(())
    }
}

/// Returns the locations of the positions in a window.
fn locations<'s>(
    siblings: &'s [Sibling<'_>],
    counts: &[usize],
    progress: &[Progress],
) -> Vec<Location<'s>> {
    let mut locations = Vec::with_capacity(counts.iter().sum());
    for ((Sibling { group, .. }, count), progress) in siblings.iter().zip(counts).zip(progress) {
        for position in (progress.left..).take(*count) {
            locations.push(Location::new(&group.steps, &group.prefix, position));
        }
    }
    locations
}
