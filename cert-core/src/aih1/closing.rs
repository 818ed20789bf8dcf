//! Ensures that a hashed text has only one meaning (`docs/decisions/0004-unambiguous-hash-inputs.md`).
//!
//! AIH-1 joins two texts before it hashes them. A forger could try to split such a text at another place, or to present it as another kind
//! of text. Example: the list `["a"]` closes with `node(2) = hash(nonce(1))`. If `nonce(1)` is as long as two hashes, it can be read as a
//! hash `L` followed by a hash `C`. Then `node(2) = hash(L + C)`, which is also the node of a list with a second, hidden item whose leaf is
//! `L` and whose closing node is `C`. The imprint is the same, so evidence for `["a"]` could pass as evidence for a longer list. In a list
//! of ten items, the added item would also move others, because index 10 is sorted between 1 and 2.
//!
//! The hash itself does not show the role of its text, unless the hasher distinguishes roles. This list says for each kind of text why the
//! text has only one meaning, or how a second meaning is refused:
//!
//! - A *value's* text can be any text, even two joined hashes. But its hash is used only as the first half of a leaf's text, and the
//!   verifier computes this hash from the value. So a value's text cannot be presented as the text of a leaf or a node.
//! - A *leaf's* text is the hash of a value and a nonce. It can be as long as a node's text, which is a leaf and the next node. But a leaf
//!   is used only as the first half of a node's text. A node is used as the second half of a node's text or as an imprint. All hashes have
//!   the same length ([`OneLength`](crate::hash::length::OneLength)), so a text can be split into halves at one place only. For a disclosed
//!   value, the verifier computes the first half of the leaf's text, so the second half must be the nonce.
//! - An *imprint* of a group is the whole text of a value in the parent group. The schema fixes which positions have an imprint, so an
//!   imprint cannot be presented as a scalar, or a scalar as an imprint.
//! - The last *node* of a proof comes from the evidence. It proves nothing about later positions. A list is complete if this node is the
//!   hash of the nonce after the list's last item.
//! - A *closing node's* text is a nonce, which can be ambiguous as in the example. The schema gives the number of an object's members, so
//!   only lists are affected. Verification refuses a list that may have been extended in this way: [`ambiguous_list`]. Certification
//!   refuses a list whose closing nonce is as long as two hashes, unless every verifier can compute this nonce: [`certifiable`]. A forger
//!   can add only one item. To add a second item, the forger would have to find a text that has a given hash.

use alloc::vec::Vec;

use crate::aih1::connect::{ConnectedProofs, ProofId};
use crate::aih1::evidence::RawValue;
use crate::error::{CertError, ErrorCode};
use crate::hash::sha256::PathNoncer;
use crate::hash::text::Hash;
use crate::hash::{Location, Noncer, nonces, prefix_of};
use crate::json::path::Step;
use crate::json::utf16;
use crate::verify::report::{Reason, ReasonCode};

/// The maximum number of UTF-16 code units by which the nonce after the last item may be longer than a shown nonce of the list. A custom
/// noncer may encode the index in its nonces. The index after the last item may have one more digit, which takes up to four characters
/// in base64.
const GROWTH: usize = 4;

/// Returns the nonce of a position in the group at the path `steps`.
pub(crate) fn nonce(
    noncer: &dyn Noncer,
    steps: &[Step<'_>],
    position: usize,
) -> Result<Hash, CertError> {
    let prefix = prefix_of(noncer, steps);
    let nonces = nonces(noncer, &[Location::new(steps, &prefix, position)])?;
    Ok(nonces.into_iter().next().unwrap_or_default())
}

/// Refuses to certify a list whose closing node could be read as one more item. A list whose closing node has the
/// public nonce is accepted, because every verifier can compute that nonce.
pub(crate) fn certifiable(
    is_list: bool,
    steps: &[Step<'_>],
    length: usize,
    closing: &Hash,
    imprint: &Hash,
) -> Result<(), CertError> {
    // A deferred answer has no length yet. The list is checked again when every answer is known.
    let is_deferred = !closing.is_known() || !imprint.is_known();
    let twice = utf16::length(imprint.as_bytes()).saturating_mul(2);
    if is_deferred || !is_list || utf16::length(closing.as_bytes()) != twice {
        return Ok(());
    }
    let public = nonce(&PathNoncer, steps, length);
    if public.is_ok_and(|public| public == *closing) {
        return Ok(());
    }
    Err(CertError::new(
        ErrorCode::NonceAmbiguous,
        Location::new(steps, "", length).path(),
        "the nonce after a list's last item must not be as long as two hashes, or it could be read as one more item: use longer or shorter nonces",
    ))
}

/// Returns a reason to refuse evidence if the closing nonce of a list may have been presented as one more item. Returns `None` otherwise.
/// Nonces are computed only if their length can decide whether the list is ambiguous.
pub(crate) fn ambiguous_list(
    noncer: &dyn Noncer,
    proofs: &ConnectedProofs<'_>,
) -> Result<Option<Reason>, CertError> {
    for id in proofs.ids() {
        if let Some(end) = HiddenEnd::of(proofs, id)
            && !end.is_unambiguous(noncer)?
        {
            return Ok(Some(proofs.refusal(id, ReasonCode::ClosingAmbiguous)));
        }
    }
    Ok(None)
}

/// A list whose proof closes after a hidden item. The item's leaf and the closing node could be the two halves of
/// one nonce. In this case, the list really ends before that item.
struct HiddenEnd<'d> {
    steps: &'d [Step<'d>],
    /// The position of the hidden item.
    hidden: usize,
    leaf: &'d [u8],
    closing: &'d [u8],
    /// A shown position of the list, and its nonce. The nonce is as long as the two hashes, or shorter by at most [`GROWTH`]. The nonce
    /// after the last item may then be as long as the two hashes. `None` if no shown position has such a nonce.
    shown: Option<(usize, &'d [u8])>,
}

impl<'d> HiddenEnd<'d> {
    fn of(proofs: &'d ConnectedProofs<'_>, id: ProofId) -> Option<Self> {
        let (entries, proof) = (proofs.entries(id), proofs.proof(id));
        let (last, before) = entries.split_last().filter(|_| proof.is_list)?;
        let leaf = last.leaf.filter(|_| !last.is_disclosed())?;
        let mut end = Self {
            steps: proofs.steps(id),
            hidden: before.len(),
            leaf,
            closing: proof.closing,
            shown: None,
        };
        let length = end.length();
        for (position, entry) in before.iter().enumerate() {
            if let Some(RawValue { nonce, .. }) = proofs.disclosed(entry)
                && let Some(shorter) = length.checked_sub(utf16::length(nonce))
                && shorter <= GROWTH
            {
                end.shown = Some((position, nonce));
                break;
            }
        }
        Some(end)
    }

    /// Returns the length of the two joined hashes. Only a nonce of this length could be read as two hashes.
    fn length(&self) -> usize {
        utf16::length(self.leaf).saturating_add(utf16::length(self.closing))
    }

    /// Returns true if nonces of this length can decide whether the list is ambiguous.
    fn matters(&self, length: usize) -> bool {
        let shown = self.shown.map(|(_, nonce)| utf16::length(nonce));
        length == self.length() || shown == Some(length)
    }

    /// Returns the nonces of a position: the noncer's nonce and the public nonce. Leaves out a nonce whose length cannot decide whether the
    /// list is ambiguous.
    fn computable(&self, noncer: &dyn Noncer, position: usize) -> Result<Vec<Hash>, CertError> {
        let mut known = Vec::with_capacity(2);
        for noncer in [noncer, &PathNoncer] {
            if noncer
                .nonce_length()
                .is_none_or(|length| self.matters(length))
            {
                known.push(nonce(noncer, self.steps, position)?);
            }
        }
        Ok(known)
    }

    /// Returns true if the list can be accepted. Two conditions must hold. The two joined hashes must not equal a nonce that is computed
    /// for the hidden position. If [`Self::shown`] has a nonce, this nonce must equal a nonce that is computed for its position. Otherwise
    /// the list has nonces that cannot be computed here, and the two hashes could be such a nonce.
    fn is_unambiguous(&self, noncer: &dyn Noncer) -> Result<bool, CertError> {
        let at_hidden = self.computable(noncer, self.hidden)?;
        let is_split = at_hidden.iter().any(|nonce| {
            let rest = nonce.as_bytes().strip_prefix(self.leaf);
            nonce.is_known() && rest == Some(self.closing)
        });
        // Every nonce is requested, whatever the earlier answers were, because deferred answers are taken in the order of their questions.
        let is_unknown = match self.shown {
            None => false,
            Some((position, given)) => {
                let known = self.computable(noncer, position)?;
                !known.iter().any(|nonce| nonce.may_be(given))
            }
        };
        Ok(!is_split && !is_unknown)
    }
}
