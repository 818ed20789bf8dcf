//! Ensures that no hashed text can be read as another one (`docs/decisions/0004-unambiguous-hash-inputs.md`).
//!
//! A hash does not show the role of its text, unless the hasher distinguishes roles. This list shows for each role that its text has only
//! one reading:
//!
//! - A *value's* text can be anything, such as two hashes or a nonce. Its hash is only ever the first half of a leaf's text, and it is
//!   computed from the value itself. No proof can present the text as that of a leaf or a node.
//! - A *leaf's* text is the hash of a value and a nonce. It can be as long as a node's text, which is a leaf and the next node. But a
//!   leaf is only ever the first half of a node's text, and a node is the second half or an imprint. All hashes have one length
//!   ([`OneLength`](crate::hash::length::OneLength)), so halves cannot shift. An entry that the evidence calls a leaf is therefore a
//!   leaf. The first half of its text is computed from a value, which leaves one reading for the nonce in the second half.
//! - An *imprint* is a value's text in the group above it, at positions that the schema fixes. Imprints of different groups never share
//!   a preimage.
//! - A *node* that is not opened is the closing node of its proof. It says nothing about later positions. A list is complete if the
//!   closing node is the hash of the nonce after the list's last item.
//! - A *closing node's* text is a nonce. A nonce as long as two hashes can be split into a hidden leaf and a closing node: one more item.
//!   An eleventh item also reorders the others, because index 10 sorts between 1 and 2. For objects the schema gives the number of
//!   members, so only lists are affected. Verification refuses a list that could have been extended in this way: [`doubt`]. Certification
//!   refuses a list whose nonces have that length and cannot be computed by every verifier: [`certifiable`]. To add a second item, a
//!   forger would need a text with a chosen hash.

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

/// The maximum number of UTF-16 code units by which the nonce after the last item may be longer than the nonces before it. The index
/// there may have one more digit, which takes up to four characters in base64.
const GROWTH: usize = 4;

/// Returns the nonce of a position in the group at a path.
pub(crate) fn nonce(
    noncer: &dyn Noncer,
    steps: &[Step<'_>],
    position: usize,
) -> Result<Hash, CertError> {
    let prefix = prefix_of(noncer, steps);
    let nonces = nonces(noncer, &[Location::new(steps, &prefix, position)])?;
    Ok(nonces.into_iter().next().unwrap_or_default())
}

/// Refuses to certify a list whose closing node could pass for one more item. A list with the public nonce there is accepted, because
/// every verifier can compute that nonce.
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
        "the nonce after a list's last item must not be as long as two hashes, or it could pass for one more item: make nonces longer or shorter",
    ))
}

/// Returns the reason to refuse a list of sound evidence whose closing node may have been taken for one more item. The noncer is called
/// only if nonces of its length can matter. Public nonces are tried under the same condition.
pub(crate) fn doubt(
    noncer: &dyn Noncer,
    proofs: &ConnectedProofs<'_>,
) -> Result<Option<Reason>, CertError> {
    for id in proofs.ids() {
        if let Some(doubt) = Doubt::of(proofs, id)
            && !doubt.is_right(noncer)?
        {
            return Ok(Some(proofs.refusal(id, ReasonCode::ClosingAmbiguous)));
        }
    }
    Ok(None)
}

/// A list whose proof closes after a hidden item. The two hashes there could be the parts of one nonce, which would mean that the list
/// ends before that item.
struct Doubt<'d> {
    steps: &'d [Step<'d>],
    /// The position of the hidden item.
    hidden: usize,
    leaf: &'d [u8],
    closing: &'d [u8],
    /// A shown position of the list and its nonce, if that nonce is as long as the two hashes or at most [`GROWTH`] shorter. Given such a
    /// nonce, the nonce after the last item may be as long as the two hashes.
    shown: Option<(usize, &'d [u8])>,
}

impl<'d> Doubt<'d> {
    fn of(proofs: &'d ConnectedProofs<'_>, id: ProofId) -> Option<Self> {
        let (entries, proof) = (proofs.entries(id), proofs.proof(id));
        let (last, before) = entries.split_last().filter(|_| proof.is_list)?;
        let leaf = last.leaf.filter(|_| !last.is_disclosed())?;
        let mut doubt = Self {
            steps: proofs.steps(id),
            hidden: before.len(),
            leaf,
            closing: proof.closing,
            shown: None,
        };
        let length = doubt.length();
        for (position, entry) in before.iter().enumerate() {
            if let Some(RawValue { nonce, .. }) = proofs.disclosed(entry)
                && let Some(shorter) = length.checked_sub(utf16::length(nonce))
                && shorter <= GROWTH
            {
                doubt.shown = Some((position, nonce));
                break;
            }
        }
        Some(doubt)
    }

    /// Returns the length of the two hashes joined, the length of a nonce that could pass for them.
    fn length(&self) -> usize {
        utf16::length(self.leaf).saturating_add(utf16::length(self.closing))
    }

    /// Returns true if nonces of this length can decide the doubt.
    fn depends_on(&self, length: usize) -> bool {
        let shown = self.shown.map(|(_, nonce)| utf16::length(nonce));
        length == self.length() || shown == Some(length)
    }

    /// Returns the nonces of a position that can be computed here and can decide the doubt.
    fn known(&self, noncer: &dyn Noncer, position: usize) -> Result<Vec<Hash>, CertError> {
        let mut known = Vec::with_capacity(2);
        for noncer in [noncer, &PathNoncer] {
            if noncer
                .nonce_length()
                .is_none_or(|length| self.depends_on(length))
            {
                known.push(nonce(noncer, self.steps, position)?);
            }
        }
        Ok(known)
    }

    /// Returns true if the list can be accepted. The two hashes must not be the halves of a nonce that can be computed here. If they
    /// could be the halves of a nonce at all, the nonces here must be the list's own.
    fn is_right(&self, noncer: &dyn Noncer) -> Result<bool, CertError> {
        let at_hidden = self.known(noncer, self.hidden)?;
        let is_split = at_hidden.iter().any(|nonce| {
            let rest = nonce.as_bytes().strip_prefix(self.leaf);
            nonce.is_known() && rest == Some(self.closing)
        });
        // Every nonce is requested, whatever the earlier answers were, because deferred answers come in the order of their questions.
        let is_unknown = match self.shown {
            None => false,
            Some((position, given)) => {
                let known = self.known(noncer, position)?;
                !known.iter().any(|nonce| nonce.may_be(given))
            }
        };
        Ok(!is_split && !is_unknown)
    }
}
