//! No text that was hashed may be read as another one.
//!
//! A hash does not say what its text was for, unless the hasher makes a difference. What may be read as what:
//!
//! - A *value's* text can be anything, such as two hashes or a nonce. Its hash is only ever the first half of a leaf's text, and
//!   computed from the value itself; nothing opens it as a leaf or node.
//! - A *leaf's* text, the hash of a value and a nonce, can be as long as a node's, a leaf and the next node. But leaves are only ever the
//!   first half of a node's text, and nodes the second half or an imprint. Hashes have one length, that of those which are computed
//!   ([`Lengths`]), so that halves stay halves: what the evidence calls a leaf is one. The half that is computed from a value leaves one
//!   reading for the nonce after it.
//! - An *imprint* is a value's text in the group above, and the schema says at which places. That of another group is another text.
//! - A *node* that is not opened is called the closing one: how proofs of a part end. That says nothing of what comes after it. What it
//!   says of a list's end is believed if it is the hash of the end's own nonce.
//! - A *closing node's* text is a nonce. If that is as long as two hashes, it can be opened as one more item, which is not shown, and
//!   one more closing node: then of ten items the positions are read as those of eleven, in another order. Of objects the schema
//!   knows the number of members. A list that could have been made longer so is refused: [`Doubt`]; and with nonces that nobody can
//!   compute who verifies none is certified: [`certifiable`]. What would be opened further takes a text whose hash is a given one.
//!
//! Hashers whose hashes have several lengths are held to none. They are safe as far as no hash can be found that begins or ends like a
//! given one, and one more item is refused there where the list's nonces are about as long as the two hashes of it.

use alloc::string::String;
use alloc::vec::Vec;

use crate::aih1::connect::{ConnectedProofs, Proof};
use crate::aih1::tree::{Batch, leaf_at, node_at, text};
use crate::error::{CertError, ErrorCode, Failure};
use crate::hash::text::Hash;
use crate::hash::{Location, Noncer, PathNoncer};
use crate::json::path::Step;
use crate::json::utf16;
use crate::verify::report::{Reason, ReasonCode};

/// UTF-16 code units by which the nonce after the last item may be longer than those before it: an index has one digit more there,
/// which is up to four characters in base64.
const GROWTH: usize = 4;

/// Gives the nonces of a position in the group at a path that are known here: the public one, and the verifier's own.
pub(crate) type KnownNonces<'n, E> = dyn FnMut(&[Step<'_>], usize) -> Result<Vec<Hash>, E> + 'n;

/// The nonce of a position in the group at a path.
pub(crate) fn nonce(
    noncer: &dyn Noncer,
    steps: &[Step<'_>],
    index: usize,
) -> Result<Hash, Failure> {
    let mut text = String::new();
    for step in steps {
        noncer.extend_prefix(&mut text, *step);
    }
    noncer.nonce(Location::new(steps, &text, index))
}

/// Refuses to certify a list whose end could pass for one more item, unless the nonce there is the public one, which everybody who
/// verifies can compute.
pub(crate) fn certifiable(batch: &Batch<'_>, nonces: &[Hash]) -> Result<(), CertError> {
    let groups = batch.plan.groups.get(batch.groups.clone());
    for group in groups.unwrap_or_default() {
        let Some(last) = group.members.clone().last().filter(|_| group.is_list) else {
            continue;
        };
        let index = last.saturating_sub(group.members.start);
        let closing = text(nonces, batch.at(last));
        let imprint = text(&batch.hashes, node_at(batch.at(group.members.start)));
        if utf16::length(closing.as_bytes()) != twice(imprint.as_bytes()) {
            continue;
        }
        let steps = batch.plan.steps(group);
        if !nonce(&PathNoncer, &steps, index).is_ok_and(|public| public == *closing) {
            return Err(CertError::new(
                ErrorCode::NonceAmbiguous,
                Location::new(&steps, "", index).path(),
                "the nonce after a list's last item must not be as long as two hashes, or it could pass for one more item: make nonces longer or shorter",
            ));
        }
    }
    Ok(())
}

fn twice(hash: &[u8]) -> usize {
    utf16::length(hash).saturating_mul(2)
}

/// Lengths of the hashes that were computed.
#[derive(Default)]
pub(crate) struct Lengths {
    /// The smallest and the largest length.
    computed: Option<(usize, usize)>,
}

impl Lengths {
    /// Records the lengths of the hashes computed for a batch of evidence.
    pub(crate) fn note(&mut self, evidence: &ConnectedProofs<'_>, batch: &Batch<'_>) {
        for number in batch.groups.clone() {
            let Some(proof) = evidence.proofs.get(number) else {
                continue;
            };
            let start = batch.at(batch.plan.start(number));
            for (at, entry) in evidence.entries(proof).iter().enumerate() {
                let at = start.saturating_add(at);
                self.one(text(&batch.hashes, node_at(at)));
                if evidence.disclosed(entry).is_some() {
                    self.one(text(&batch.hashes, leaf_at(at)));
                }
            }
        }
    }

    fn one(&mut self, hash: &Hash) {
        let length = utf16::length(hash.as_bytes());
        let (least, greatest) = self.computed.unwrap_or((length, length));
        self.computed = Some((least.min(length), greatest.max(length)));
    }

    /// Finds a hash in the evidence whose length differs from the one length of all computed hashes.
    pub(crate) fn refusal(&self, evidence: &ConnectedProofs<'_>) -> Option<Reason> {
        let (length, _) = self
            .computed
            .filter(|(least, greatest)| least == greatest)?;
        let is_other = |hash: &[u8]| utf16::length(hash) != length;
        let found = evidence.proofs.iter().position(|proof| {
            let mut entries = evidence.entries(proof).iter();
            is_other(proof.end) || entries.any(|entry| entry.leaf.is_some_and(is_other))
        });
        found.map(|proof| evidence.refusal(proof, ReasonCode::HashMalformed))
    }
}

/// A list whose proof closes after an item that is not shown: the two hashes there could be the parts of one nonce, after which
/// the list really ends.
pub(crate) struct Doubt<'d, 'e> {
    steps: &'d [Step<'e>],
    /// The position of the hidden item.
    hidden: usize,
    leaf: &'e [u8],
    closing: &'e [u8],
    /// A position of the list that is shown, and its nonce, if that is as long as the two or shorter by no more than [`GROWTH`]: if
    /// one nonce is, the one after the last item may be just as long.
    shown: Option<(usize, &'e [u8])>,
}

impl<'d, 'e> Doubt<'d, 'e> {
    pub(crate) fn of(evidence: &'d ConnectedProofs<'e>, proof: &Proof<'e>) -> Option<Self> {
        let entries = evidence.entries(proof);
        let (last, before) = entries.split_last().filter(|_| proof.is_list)?;
        let leaf = last.leaf.filter(|_| evidence.disclosed(last).is_none())?;
        let mut doubt = Self {
            steps: evidence.steps(proof),
            hidden: before.len(),
            leaf,
            closing: proof.end,
            shown: None,
        };
        let length = doubt.length();
        let mut shown = before
            .iter()
            .enumerate()
            .filter_map(|(position, entry)| Some((position, evidence.disclosed(entry)?.nonce)));
        doubt.shown = shown.find(|(_, nonce)| {
            let shorter = length.checked_sub(utf16::length(nonce));
            shorter.is_some_and(|shorter| shorter <= GROWTH)
        });
        Some(doubt)
    }

    /// Whether nonces of this length can decide.
    pub(crate) fn asks_for(&self, length: usize) -> bool {
        let shown = self.shown.map(|(_, nonce)| utf16::length(nonce));
        length == self.length() || shown == Some(length)
    }

    /// How long a nonce is that the two would be the parts of.
    fn length(&self) -> usize {
        let parts = [self.leaf, self.closing].map(utf16::length);
        parts.iter().fold(0, |sum, part| sum.saturating_add(*part))
    }

    /// Whether the list may be believed: the two hashes are not the halves of a known nonce, and if they could be halves at all, the
    /// list's nonces are known here. `nonces` gives the known nonces of a position.
    pub(crate) fn is_right<E>(&self, nonces: &mut KnownNonces<'_, E>) -> Result<bool, E> {
        let at_hidden = nonces(self.steps, self.hidden)?;
        let is_split = at_hidden.iter().any(|nonce| {
            let rest = nonce.as_bytes().strip_prefix(self.leaf);
            rest == Some(self.closing)
        });
        // Asks for every nonce, whatever the earlier answers were: outside answers arrive in the order of the questions.
        let is_unknown = match self.shown {
            None => false,
            Some((position, given)) => {
                let known = nonces(self.steps, position)?;
                !known.iter().any(|nonce| nonce.as_bytes() == given)
            }
        };
        Ok(!is_split && !is_unknown)
    }
}
