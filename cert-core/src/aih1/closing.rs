//! No text that was hashed may be read as another one.
//!
//! A hash does not say what its text was for, unless the hasher makes a difference. The possible readings:
//!
//! - A *value's* text can be anything, such as two hashes or a nonce. Its hash is only ever the first half of a leaf's text, and
//!   computed from the value itself; nothing opens it as a leaf or node.
//! - A *leaf's* text, the hash of a value and a nonce, can be as long as a node's, a leaf and the next node. But leaves are only ever the
//!   first half of a node's text, and nodes the second half or an imprint. All hashes have one length
//!   ([`OneLength`](crate::hash::length::OneLength)), so that halves stay halves: what the evidence calls a leaf is one. The half that is
//!   computed from a value leaves one reading for the nonce after it.
//! - An *imprint* is a value's text in the group above, and the schema says at which positions. That of another group is another text.
//! - A *node* that is not opened is the closing one of its proof, which says nothing of the positions after it. A list is complete if
//!   the node is the hash of the nonce after the list's last item.
//! - A *closing node's* text is a nonce. If that is as long as two hashes, it can be opened as one more item, which is not shown, and
//!   one more closing node: then of ten items the positions are read as those of eleven, in another order. Of objects the schema
//!   knows the number of members. A list that could have been made longer so is refused: [`doubt`]; and with nonces that nobody can
//!   compute who verifies none is certified: [`certifiable`]. To open it further would take a text with a prescribed hash.

use alloc::vec::Vec;

use crate::aih1::connect::{ConnectedProofs, ProofId};
use crate::aih1::evidence::RawValue;
use crate::aih1::group::Group;
use crate::error::{CertError, ErrorCode};
use crate::hash::sha256::PathNoncer;
use crate::hash::text::Hash;
use crate::hash::{Location, Noncer, nonces, prefix_of};
use crate::json::path::Step;
use crate::json::utf16;
use crate::verify::report::{Reason, ReasonCode};

/// UTF-16 code units by which the nonce after the last item may be longer than those before it: an index has one digit more there,
/// which is up to four characters in base64.
const GROWTH: usize = 4;

/// The nonce of a position in the group at a path.
pub(crate) fn nonce(
    noncer: &dyn Noncer,
    steps: &[Step<'_>],
    position: usize,
) -> Result<Hash, CertError> {
    let prefix = prefix_of(noncer, steps);
    let nonces = nonces(noncer, &[Location::new(steps, &prefix, position)])?;
    Ok(nonces.into_iter().next().unwrap_or_default())
}

/// Refuses to certify a list whose closing node could pass for one more item, unless the nonce there is the public one, which everybody who
/// verifies can compute.
pub(crate) fn certifiable(
    group: &Group<'_>,
    closing: &Hash,
    imprint: &Hash,
) -> Result<(), CertError> {
    let twice = utf16::length(imprint.as_bytes()).saturating_mul(2);
    let is_certain = !closing.is_known() || !imprint.is_known();
    if is_certain || !group.is_list() || utf16::length(closing.as_bytes()) != twice {
        return Ok(());
    }
    let public = nonce(&PathNoncer, &group.steps, group.len());
    if public.is_ok_and(|public| public == *closing) {
        return Ok(());
    }
    Err(CertError::new(
        ErrorCode::NonceAmbiguous,
        Location::new(&group.steps, "", group.len()).path(),
        "the nonce after a list's last item must not be as long as two hashes, or it could pass for one more item: make nonces longer or shorter",
    ))
}

/// Finds a list of sound evidence whose closing node may have been taken for one more item. The noncer is asked only where its nonces can
/// decide; the public nonces can be computed by anyone, whoever issued the certificate.
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

/// A list whose proof closes after an item that is not shown: the two hashes there could be the parts of one nonce, after which
/// the list really ends.
struct Doubt<'d> {
    steps: &'d [Step<'d>],
    /// The position of the hidden item.
    hidden: usize,
    leaf: &'d [u8],
    closing: &'d [u8],
    /// A position of the list that is shown, and its nonce, if that is as long as the two or shorter by no more than [`GROWTH`]: if
    /// one nonce is, the one after the last item may be just as long.
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

    /// The length of a nonce that the two hashes would be the parts of.
    fn length(&self) -> usize {
        utf16::length(self.leaf).saturating_add(utf16::length(self.closing))
    }

    /// Whether nonces of this length can decide.
    fn depends_on(&self, length: usize) -> bool {
        let shown = self.shown.map(|(_, nonce)| utf16::length(nonce));
        length == self.length() || shown == Some(length)
    }

    /// The nonces of a position that are known here and can decide.
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

    /// Whether the list may be believed: the two hashes are not the halves of a known nonce, and if they could be halves at all, the
    /// list's nonces are known here.
    fn is_right(&self, noncer: &dyn Noncer) -> Result<bool, CertError> {
        let at_hidden = self.known(noncer, self.hidden)?;
        let is_split = at_hidden.iter().any(|nonce| {
            let rest = nonce.as_bytes().strip_prefix(self.leaf);
            nonce.is_known() && rest == Some(self.closing)
        });
        // Every nonce is asked for, whatever the earlier answers were: deferred answers come in the order of their questions.
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
