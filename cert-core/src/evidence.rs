//! The imprint that evidence gives.

use crate::error::CertError;
use crate::hash::{Hasher, Input, Part, Place};
use crate::linked::{Linked, Proof, refusal};
use crate::report::{Reason, ReasonCode};
use crate::text::Text;
use crate::walk::hash;

/// Computes every proof's imprint and holds it against the parent's; gives the root's.
pub(crate) fn imprint(
    evidence: &Linked<'_>,
    hasher: &dyn Hasher,
) -> Result<Result<Text, Reason>, CertError> {
    let mut root = None;
    for proof in &evidence.proofs {
        let refused = match of_proof(evidence, hasher, proof)? {
            Err(code) => code,
            Ok(imprint) => match proof.expected {
                None => {
                    root = Some(imprint);
                    continue;
                }
                Some(expected) if hasher.matches(&imprint, expected) => continue,
                Some(_) => ReasonCode::LinkMismatch,
            },
        };
        return Ok(Err(refusal(refused, evidence.steps(proof))));
    }
    Ok(root.ok_or_else(|| refusal(ReasonCode::RootMissing, &[])))
}

/// Computes the imprint of a proof from the end to the beginning. A hash that evidence brings along is
/// used only where none can be computed; where one can, both have to be equal.
fn of_proof(
    evidence: &Linked<'_>,
    hasher: &dyn Hasher,
    proof: &Proof<'_>,
) -> Result<Result<Text, ReasonCode>, CertError> {
    if !hasher.can_be(proof.end) {
        return Ok(Err(ReasonCode::HashMalformed));
    }
    let mut computed: Option<Text> = None;
    for (index, entry) in evidence.entries(proof).iter().enumerate().rev() {
        let place = Place::new(evidence.steps(proof), "", index);
        let made;
        let leaf = match (evidence.disclosed(entry), entry.leaf) {
            (Some(disclosed), given) => {
                let value = hash(hasher, Input::Value(disclosed.value), place)?;
                let parts = Input::Leaf(Part::Made(&value), Part::Given(disclosed.nonce));
                made = hash(hasher, parts, place)?;
                if given.is_some_and(|given| !hasher.matches(&made, given)) {
                    return Ok(Err(ReasonCode::HashMismatch));
                }
                Part::Made(&made)
            }
            (None, Some(given)) if hasher.can_be(given) => Part::Given(given),
            (None, _) => return Ok(Err(ReasonCode::HashMalformed)),
        };
        let next = computed.as_ref().map_or(Part::Given(proof.end), Part::Made);
        let node = hash(hasher, Input::Node(leaf, next), place)?;
        if entry
            .node
            .is_some_and(|given| !hasher.matches(&node, given))
        {
            return Ok(Err(ReasonCode::HashMismatch));
        }
        computed = Some(node);
    }
    Ok(Ok(computed.unwrap_or_else(|| proof.end.into())))
}
