//! Recomputes the imprint from connected proofs, and compares the hashes in the proofs with the computed ones.

use alloc::vec::Vec;
use core::mem;

use crate::aih1::Input;
use crate::aih1::connect::{ConnectedProofs, Entry, ProofId};
use crate::aih1::tree::{Slot, WINDOW, Window, together};
use crate::error::CertError;
use crate::hash::length::OneLength;
use crate::hash::text::Hash;
use crate::hash::{Job, Location};
use crate::invariant::{certain, impossible};
use crate::verify::report::{Reason, ReasonCode};

/// Computes the imprint of connected evidence. A hash from the evidence is trusted only if it cannot be computed. A hash that can be
/// computed must equal the computed one. The inner `Err` is a reason to refuse the evidence.
pub(crate) fn recompute(
    hasher: OneLength<'_>,
    proofs: &ConnectedProofs<'_>,
) -> Result<Result<Hash, Reason>, CertError> {
    let ids = proofs.ids();
    let malformed = || {
        let id = ids.iter().find(|id| !is_well_formed(hasher, proofs, **id));
        id.map(|id| proofs.refusal(*id, ReasonCode::HashMalformed))
    };
    let was_fixed = hasher.is_fixed();
    if let Some(refusal) = malformed() {
        return Ok(Err(refusal));
    }
    let mut computed = Computed {
        hasher,
        proofs,
        window: Window::default(),
    };
    let mut imprint = None;
    let mut rest = &*ids;
    while !rest.is_empty() {
        let count = together(rest.iter().map(|id| proofs.entries(*id).len()));
        let ids = rest.split_off(..count).unwrap_or(rest);
        match computed.imprints(ids)? {
            Ok(imprints) => imprint = imprint.or_else(|| imprints.into_iter().next()),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    let imprint = certain(imprint, "connected proofs have a root");
    // If the hash length was not fixed before, the first computed hash has fixed it. The proofs are then checked again.
    let refusal = if was_fixed { None } else { malformed() };
    Ok(refusal.map_or(Ok(imprint), Err))
}

/// Returns true if every hash that cannot be computed has the length and the characters of the hasher's hashes. These are the withheld
/// leaves and the closing node.
fn is_well_formed(hasher: OneLength<'_>, proofs: &ConnectedProofs<'_>, id: ProofId) -> bool {
    let mut entries = proofs.entries(id).iter();
    entries.all(|entry| match (proofs.disclosed(entry), entry.leaf) {
        (Some(_), _) => true,
        (None, Some(leaf)) => hasher.can_be(leaf),
        (None, None) => false,
    }) && hasher.can_be(proofs.proof(id).closing)
}

struct Computed<'p, 'e> {
    hasher: OneLength<'p>,
    proofs: &'p ConnectedProofs<'e>,
    window: Window<'p>,
}

/// The progress of hashing one proof. A proof is hashed from its last position to its first.
struct Progress<'p> {
    /// The entries of the positions left to hash.
    left: &'p [Entry<'p>],
    /// The entries of the positions in the window.
    entries: &'p [Entry<'p>],
    /// The node that was hashed last, initially the closing node.
    node: Hash,
    /// True if a claimed hash differs from the computed one.
    differs: bool,
}

impl<'p> Computed<'p, '_> {
    /// Returns the imprints of some proofs, or the first reason to refuse a proof.
    fn imprints(&mut self, ids: &[ProofId]) -> Result<Result<Vec<Hash>, Reason>, CertError> {
        let proofs = self.proofs;
        let mut all = Vec::with_capacity(ids.len());
        for id in ids {
            all.push(Progress {
                left: proofs.entries(*id),
                entries: &[],
                node: Hash::of(proofs.proof(*id).closing),
                differs: false,
            });
        }
        let is_claimed = |entry: &Entry<'_>| {
            entry.node.is_some() && entry.leaf.is_some() && entry.is_disclosed()
        };
        let is_claimed = all
            .iter()
            .all(|progress| progress.left.iter().all(is_claimed));
        let mut window = mem::take(&mut self.window);
        while all.iter().any(|progress| !progress.left.is_empty()) {
            self.fill(&mut window, &mut all);
            let mut locations = Vec::with_capacity(window.slots.len());
            for (id, progress) in ids.iter().zip(&all) {
                let steps = proofs.steps(*id);
                for position in (progress.left.len()..).take(progress.entries.len()) {
                    locations.push(Location::new(steps, "", position));
                }
            }
            window.hash_leaves(self.hasher, &locations)?;
            if is_claimed {
                hash_claimed(self.hasher, &mut window, &locations, &all)?;
            } else {
                let mut nexts = Vec::with_capacity(all.len());
                for progress in &all {
                    nexts.push(&progress.node);
                }
                window.hash_nodes(self.hasher, &locations, &nexts)?;
            }
            Self::compare(&window, &mut all);
        }
        self.window = window;
        for (id, progress) in ids.iter().zip(&all) {
            let code = match proofs.proof(*id).expected {
                _ if progress.differs => ReasonCode::HashMismatch,
                Some(expected) if !progress.node.may_be(expected.as_bytes()) => {
                    ReasonCode::LinkMismatch
                }
                _ => continue,
            };
            return Ok(Err(proofs.refusal(*id, code)));
        }
        Ok(Ok(all.into_iter().map(|progress| progress.node).collect()))
    }

    /// Fills a window with the last positions of each proof that are left to hash, in ascending order.
    fn fill(&self, window: &mut Window<'p>, all: &mut [Progress<'p>]) {
        window.slots.clear();
        window.nonces.clear();
        window.counts.clear();
        for progress in all {
            let first = progress.left.len().saturating_sub(WINDOW);
            let halves = progress.left.split_at_checked(first);
            (progress.left, progress.entries) = halves.unwrap_or_default();
            window.counts.push(progress.entries.len());
            for entry in progress.entries {
                let (slot, nonce) = match (self.proofs.disclosed(entry), entry.leaf) {
                    (Some(disclosed), _) => {
                        (Slot::Value(disclosed.value), Hash::of(disclosed.nonce))
                    }
                    (None, Some(leaf)) => (Slot::Withheld(Hash::of(leaf)), Hash::default()),
                    (None, None) => impossible("every position has a value or a leaf"),
                };
                window.slots.push(slot);
                window.nonces.push(nonce);
            }
        }
    }

    /// Compares the claimed hashes with a hashed window, and stores the first node of each proof in the window.
    fn compare(window: &Window<'_>, all: &mut [Progress<'_>]) {
        let mut computed = window.leaves.iter().zip(&window.nodes);
        for progress in all {
            for (at, entry) in progress.entries.iter().enumerate() {
                let (leaf, node) = certain(
                    computed.next(),
                    "a window has a leaf and a node for each position",
                );
                let is_other = |hash: &Hash, claimed: Option<&[u8]>| {
                    claimed.is_some_and(|claimed| !hash.may_be(claimed))
                };
                progress.differs |= is_other(leaf, entry.leaf) || is_other(node, entry.node);
                if at == 0 {
                    progress.node = node.clone();
                }
            }
        }
    }
}

/// Hashes the nodes of proofs that claim every leaf and node. Each node is hashed from the claimed node after it, so no node waits for
/// another. If every computed node equals the claimed one, each node was hashed from a correct next node.
fn hash_claimed(
    hasher: OneLength<'_>,
    window: &mut Window<'_>,
    locations: &[Location<'_>],
    all: &[Progress<'_>],
) -> Result<(), CertError> {
    let mut nexts = Vec::with_capacity(locations.len());
    for Progress { entries, node, .. } in all {
        if let Some((_, others)) = entries.split_first() {
            for claimed in others.iter().filter_map(|entry| entry.node) {
                nexts.push(Hash::of(claimed));
            }
            nexts.push(node.clone());
        }
    }
    let mut jobs = Vec::with_capacity(locations.len());
    for ((leaf, next), location) in window.leaves.iter().zip(&nexts).zip(locations) {
        let (input, location) = (Input::Node(leaf, next), *location);
        jobs.push(Job { input, location });
    }
    window.nodes.clear();
    hasher.hash_all(&jobs, &mut window.nodes)
}
