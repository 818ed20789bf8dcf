//! Imprints and proofs of a document, depth first: the groups within four sibling groups are hashed before these, a window of
//! positions at a time. So memory is needed for the depth of the document and not for its length.

use alloc::string::String;
use alloc::vec::Vec;

use sha256_lanes::LANES;

use crate::aih1::Input;
use crate::aih1::closing;
use crate::aih1::disclose::{Disclosure, Draft};
use crate::aih1::group::{self, Group, Member, Members};
use crate::aih1::nonces::NonceCache;
use crate::aih1::proof::Proof;
use crate::aih1::tree::{self, Slot, WINDOW, Window};
use crate::error::CertError;
use crate::hash::text::Hash;
use crate::hash::{Hasher, Job, Location, Noncer, hashes, nonces};
use crate::json::path::Step;
use crate::json::value::Value;
use crate::schema::{Node, ObjectNode};

/// Certifies documents of one schema.
pub(crate) struct Certifier<'c> {
    pub(crate) hasher: &'c dyn Hasher,
    pub(crate) noncer: &'c dyn Noncer,
    /// The nonces that are made already.
    pub(crate) nonces: &'c NonceCache,
    pub(crate) disclosure: Disclosure<'c>,
}

/// A group, and the nonces of it that are made already.
struct Sibling<'a> {
    group: Group<'a>,
    cache: Option<&'a NonceCache>,
}

/// A group that is hashed from its end.
struct Progress {
    /// The positions that are still to be hashed.
    left: usize,
    /// The nonce of the closing node.
    nonce: Hash,
    /// The node at the position that was hashed last.
    node: Hash,
    draft: Option<Draft>,
    /// The proofs of groups within it: the last one in the document first.
    proofs: Vec<Proof>,
}

/// The imprint of a group, and its proof after those of the groups within it, the last one in the document first.
struct Certified {
    imprint: Hash,
    proofs: Vec<Proof>,
}

impl Certifier<'_> {
    /// The imprint of a document and its proofs, each after the proof of the group that contains it.
    pub(crate) fn certify(
        &self,
        schema: &ObjectNode,
        data: &Value,
    ) -> Result<(Hash, Vec<Proof>), CertError> {
        let members = group::root(schema, data)?;
        group::check(members)?;
        let selected = self.disclosure.root();
        let group = Group::new(members, Vec::new(), String::new(), selected);
        let root = Sibling {
            group,
            cache: Some(self.nonces),
        };
        let Some(mut root) = self.groups(&[root])?.pop() else {
            unreachable!("every group is certified");
        };
        root.proofs.reverse();
        Ok((root.imprint, root.proofs))
    }

    fn groups(&self, groups: &[Sibling<'_>]) -> Result<Vec<Certified>, CertError> {
        let mut certified = Vec::with_capacity(groups.len());
        for siblings in groups.chunks(LANES) {
            certified.append(&mut self.siblings(siblings)?);
        }
        Ok(certified)
    }

    /// Certifies as many groups as there are lanes.
    fn siblings(&self, siblings: &[Sibling<'_>]) -> Result<Vec<Certified>, CertError> {
        let mut progress = self.begin(siblings)?;
        while progress.iter().any(|progress| progress.left > 0) {
            let mut windows = self.windows(siblings, &mut progress)?;
            tree::hash_leaves(self.hasher, &mut windows)?;
            let nodes = tree::hash_nodes(self.hasher, &windows)?;
            for ((progress, window), nodes) in progress.iter_mut().zip(windows).zip(nodes) {
                progress.left = window.first;
                if let Some(draft) = &mut progress.draft {
                    draft.take(window, &nodes);
                }
                progress.node = nodes
                    .into_iter()
                    .next_back()
                    .unwrap_or_else(|| progress.node.clone());
            }
        }
        let mut certified = Vec::with_capacity(siblings.len());
        for (sibling, mut progress) in siblings.iter().zip(progress) {
            closing::certifiable(&sibling.group, &progress.nonce, &progress.node)?;
            progress.proofs.extend(progress.draft.map(Draft::finish));
            certified.push(Certified {
                imprint: progress.node,
                proofs: progress.proofs,
            });
        }
        Ok(certified)
    }

    /// Hashes the closing nodes of some groups.
    fn begin(&self, siblings: &[Sibling<'_>]) -> Result<Vec<Progress>, CertError> {
        let places = siblings
            .iter()
            .map(|sibling| (sibling, sibling.group.len()));
        let nonces = self.nonces(places)?;
        let mut jobs = Vec::with_capacity(siblings.len());
        for (Sibling { group, .. }, nonce) in siblings.iter().zip(&nonces) {
            let input = Input::Closing(nonce);
            let location = Location::new(&group.steps, "", group.len());
            jobs.push(Job { input, location });
        }
        let nodes = hashes(self.hasher, &jobs)?;
        let mut progress = Vec::with_capacity(siblings.len());
        for ((Sibling { group, .. }, nonce), node) in siblings.iter().zip(nonces).zip(nodes) {
            let mut draft = Draft::new(self.disclosure, group);
            if let Some(draft) = &mut draft {
                draft.take_closing(group.len(), &node);
            }
            progress.push(Progress {
                left: group.len(),
                nonce,
                node,
                draft,
                proofs: Vec::new(),
            });
        }
        Ok(progress)
    }

    /// The last positions of each group that are still to be hashed. The groups at these positions are certified here.
    fn windows<'s>(
        &self,
        siblings: &'s [Sibling<'_>],
        progress: &mut [Progress],
    ) -> Result<Vec<Window<'s>>, CertError> {
        let mut inner = Vec::new();
        let mut windows = Vec::with_capacity(siblings.len());
        for (sibling, progress) in siblings.iter().zip(&*progress) {
            let first = progress.left.saturating_sub(WINDOW);
            let mut slots = Vec::with_capacity(progress.left.saturating_sub(first));
            for position in first..progress.left {
                slots.push(match sibling.group.member(position) {
                    (_, _, Member::Value(value)) => Slot::Value(value),
                    (step, node, Member::Group(members)) => {
                        inner.push(self.within(sibling, position, (step, node), members));
                        Slot::Subtree(Hash::default())
                    }
                });
            }
            windows.push(Window {
                group: &sibling.group.steps,
                first,
                slots,
                nonces: Vec::new(),
                leaves: Vec::new(),
                next: progress.node.clone(),
            });
        }
        let mut certified = self.groups(&inner)?.into_iter();
        let places = siblings.iter().zip(&windows).flat_map(|(sibling, window)| {
            let positions = (window.first..).take(window.slots.len());
            positions.map(move |position| (sibling, position))
        });
        let mut nonces = self.nonces(places)?.into_iter();
        for (window, progress) in windows.iter_mut().zip(progress) {
            window.nonces = nonces.by_ref().take(window.slots.len()).collect();
            let mut proofs = Vec::new();
            for slot in &mut window.slots {
                if let Slot::Subtree(imprint) = slot
                    && let Some(certified) = certified.next()
                {
                    *imprint = certified.imprint;
                    proofs.push(certified.proofs);
                }
            }
            progress.proofs.extend(proofs.into_iter().rev().flatten());
        }
        Ok(windows)
    }

    /// A group at a position of another.
    fn within<'a>(
        &self,
        Sibling { group, cache }: &Sibling<'a>,
        position: usize,
        (step, node): (Step<'a>, &'a Node),
        members: Members<'a>,
    ) -> Sibling<'a> {
        let mut steps = Vec::with_capacity(group.steps.len().saturating_add(1));
        steps.extend_from_slice(&group.steps);
        steps.push(step);
        let mut prefix = group.prefix.clone();
        self.noncer.extend_prefix(&mut prefix, step);
        let selected = self.disclosure.member(group.selected, step, node);
        Sibling {
            group: Group::new(members, steps, prefix, selected),
            cache: match group.members {
                Members::Object(schema, _) => {
                    cache.and_then(|cache| cache.member(schema.at(position).0))
                }
                Members::List(..) => None,
            },
        }
    }

    /// The nonces of some positions, in their order.
    fn nonces<'s, 'a: 's>(
        &self,
        places: impl Iterator<Item = (&'s Sibling<'a>, usize)> + Clone,
    ) -> Result<Vec<Hash>, CertError> {
        let cached =
            |(sibling, position): &(&'s Sibling<'a>, usize)| sibling.cache?.nonce(*position);
        let missing = places.clone().filter(|place| cached(place).is_none());
        let missing = missing.map(|(Sibling { group, .. }, position)| {
            Location::new(&group.steps, &group.prefix, position)
        });
        let missing: Vec<_> = missing.collect();
        let mut made = nonces(self.noncer, &missing)?.into_iter();
        let nonce = |place| cached(&place).cloned().or_else(|| made.next());
        Ok(places.filter_map(nonce).collect())
    }
}
