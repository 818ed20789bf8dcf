//! The imprint that connected proofs give, and whether every hash in them is what their values give.

use alloc::vec::Vec;

use sha256_lanes::LANES;

use crate::aih1::Input;
use crate::aih1::closing::Lengths;
use crate::aih1::connect::{ConnectedProofs, Entry, ProofId};
use crate::aih1::tree::{self, Slot, WINDOW, Window};
use crate::error::CertError;
use crate::hash::text::Hash;
use crate::hash::{Hasher, Job, hashes};
use crate::verify::report::{Reason, ReasonCode};

/// Computes the imprint of sound evidence. A hash in the evidence is used only where it cannot be computed; one that can be has to
/// equal the computed one.
pub(crate) fn recompute(
    hasher: &dyn Hasher,
    proofs: &ConnectedProofs<'_>,
) -> Result<Result<Hash, Reason>, CertError> {
    let ids = proofs.ids();
    if let Some(id) = ids.iter().find(|id| !is_well_formed(hasher, proofs, **id)) {
        return Ok(Err(proofs.refusal(*id, ReasonCode::HashMalformed)));
    }
    let mut computed = Computed {
        hasher,
        proofs,
        lengths: Lengths::of(hasher),
    };
    let mut imprint = None;
    for ids in ids.chunks(LANES) {
        match computed.imprints(ids)? {
            Ok(imprints) => imprint = imprint.or_else(|| imprints.into_iter().next()),
            Err(refusal) => return Ok(Err(refusal)),
        }
    }
    let Some(imprint) = imprint else {
        unreachable!("connected proofs have a root");
    };
    Ok(match computed.lengths.refusal(proofs) {
        None => Ok(imprint),
        Some(refusal) => Err(refusal),
    })
}

/// Whether the hashes of a proof that are used can be hashes at all.
fn is_well_formed(hasher: &dyn Hasher, proofs: &ConnectedProofs<'_>, id: ProofId) -> bool {
    let mut entries = proofs.entries(id).iter();
    entries.all(|entry| match (proofs.disclosed(entry), entry.leaf) {
        (Some(_), _) => true,
        (None, Some(leaf)) => hasher.can_be(leaf),
        (None, None) => false,
    }) && hasher.can_be(proofs.proof(id).closing)
}

struct Computed<'p, 'e> {
    hasher: &'p dyn Hasher,
    proofs: &'p ConnectedProofs<'e>,
    lengths: Lengths,
}

impl<'p> Computed<'p, '_> {
    /// The imprints of some proofs, or the reason to refuse the first of them that is refused.
    fn imprints(&mut self, ids: &[ProofId]) -> Result<Result<Vec<Hash>, Reason>, CertError> {
        let proofs = self.proofs;
        let mut entries: Vec<_> = ids.iter().map(|id| proofs.entries(*id)).collect();
        let closing = |id: &ProofId| Hash::of(proofs.proof(*id).closing);
        let mut nodes: Vec<_> = ids.iter().map(closing).collect();
        let is_claimed = |entry: &Entry<'_>| {
            entry.node.is_some() && entry.leaf.is_some() && proofs.disclosed(entry).is_some()
        };
        let is_claimed = entries.iter().copied().flatten().all(is_claimed);
        let mut differs = Vec::from_iter(ids.iter().map(|_| false));
        while entries.iter().any(|left| !left.is_empty()) {
            let mut claimed = Vec::with_capacity(entries.len());
            let mut windows = Vec::with_capacity(entries.len());
            for ((id, left), node) in ids.iter().zip(&mut entries).zip(&nodes) {
                let first = left.len().saturating_sub(WINDOW);
                let (before, last) = left.split_at_checked(first).unwrap_or((left, &[]));
                *left = before;
                claimed.push(last);
                windows.push(self.window(*id, first, last, node));
            }
            tree::hash_leaves(self.hasher, &mut windows)?;
            let computed = if is_claimed {
                hash_claimed(self.hasher, &windows, &claimed)?
            } else {
                tree::hash_nodes(self.hasher, &windows)?
            };
            let rest = differs.iter_mut().zip(&mut nodes);
            for (((window, claimed), computed), (differs, node)) in
                windows.iter().zip(claimed).zip(computed).zip(rest)
            {
                *differs |= self.differs(window, claimed, &computed);
                if let Some(first) = computed.into_iter().next_back() {
                    *node = first;
                }
            }
        }
        for ((id, node), differs) in ids.iter().zip(&nodes).zip(differs) {
            let expected = proofs.proof(*id).expected;
            let code = match expected {
                _ if differs => ReasonCode::HashMismatch,
                Some(expected) if !node.may_be(expected.as_bytes()) => ReasonCode::LinkMismatch,
                _ => continue,
            };
            return Ok(Err(proofs.refusal(*id, code)));
        }
        Ok(Ok(nodes))
    }

    /// Consecutive positions of a proof, before they are hashed.
    fn window(&self, id: ProofId, first: usize, entries: &[Entry<'p>], next: &Hash) -> Window<'p> {
        let mut slots = Vec::with_capacity(entries.len());
        let mut nonces = Vec::with_capacity(entries.len());
        for entry in entries {
            let (slot, nonce) = match (self.proofs.disclosed(entry), entry.leaf) {
                (Some(disclosed), _) => (Slot::Value(disclosed.value), Hash::of(disclosed.nonce)),
                (None, Some(leaf)) => (Slot::Withheld(Hash::of(leaf)), Hash::default()),
                (None, None) => unreachable!("every position has a value or a leaf"),
            };
            slots.push(slot);
            nonces.push(nonce);
        }
        Window {
            group: self.proofs.steps(id),
            first,
            slots,
            nonces,
            leaves: Vec::new(),
            next: next.clone(),
        }
    }

    /// Whether a claimed hash differs from the computed one; `nodes` are those of the window, the last one first.
    fn differs(&mut self, window: &Window<'_>, claimed: &[Entry<'_>], nodes: &[Hash]) -> bool {
        let mut differs = false;
        for ((entry, leaf), node) in claimed.iter().zip(&window.leaves).zip(nodes.iter().rev()) {
            let is_other = |hash: &Hash, claimed: Option<&[u8]>| {
                claimed.is_some_and(|claimed| !hash.may_be(claimed))
            };
            differs |= is_other(leaf, entry.leaf) || is_other(node, entry.node);
            self.lengths.note(node);
            if self.proofs.disclosed(entry).is_some() {
                self.lengths.note(leaf);
            }
        }
        differs
    }
}

/// Hashes the nodes of windows of which every leaf and node is claimed, each from the claimed node after it, so that none waits for
/// another: if each is what it is claimed to be, so are the parts of the others. (Measured in WebAssembly: a fifth less time for whole
/// evidence of an object of 1,000 strings.)
fn hash_claimed(
    hasher: &dyn Hasher,
    windows: &[Window<'_>],
    claimed: &[&[Entry<'_>]],
) -> Result<Vec<Vec<Hash>>, CertError> {
    let mut nexts = Vec::new();
    for (window, entries) in windows.iter().zip(claimed) {
        let claims = entries.iter().skip(1).filter_map(|entry| entry.node);
        nexts.extend(claims.map(Hash::of));
        if !entries.is_empty() {
            nexts.push(window.next.clone());
        }
    }
    let mut jobs = Vec::with_capacity(nexts.len());
    let leaves = windows.iter().flat_map(|window| {
        let leaves = window.leaves.iter().enumerate();
        leaves.map(|(slot, leaf)| (window.location(slot), leaf))
    });
    for ((location, leaf), next) in leaves.zip(&nexts) {
        let input = Input::Node(leaf, next);
        jobs.push(Job { input, location });
    }
    let mut computed = hashes(hasher, &jobs)?.into_iter();
    let mut nodes = Vec::with_capacity(windows.len());
    for window in windows {
        let mut own: Vec<_> = computed.by_ref().take(window.leaves.len()).collect();
        own.reverse();
        nodes.push(own);
    }
    Ok(nodes)
}
