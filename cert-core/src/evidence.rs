//! The imprint that evidence gives.

use alloc::vec;

use crate::linked::{Linked, Proof, refusal};
use crate::path::Path;
use crate::plan::{Group, Hashes, Member, Plan, text};
use crate::report::{Reason, ReasonCode};
use crate::text::Text;

/// What is to be computed of evidence: the nodes of every proof, from what it discloses and from the hashes that it brings along.
#[derive(Default)]
pub(crate) struct Computation<'e> {
    pub(crate) plan: Plan<'e>,
    /// So far those that the evidence brings along.
    pub(crate) hashes: Hashes,
}

impl<'e> Computation<'e> {
    /// Of a proof only those hashes are used that cannot be computed; `can_be` says what can be one.
    pub(crate) fn new(
        evidence: &Linked<'e>,
        can_be: &dyn Fn(&str) -> bool,
    ) -> Result<Self, Reason> {
        let count = evidence.count();
        let mut made = Self::default();
        made.hashes.make_room(count);
        made.plan.members.reserve(count);
        for proof in &evidence.proofs {
            let start = made.plan.members.len();
            for entry in evidence.entries(proof) {
                let at = made.plan.members.len();
                made.plan
                    .members
                    .push(match (evidence.disclosed(entry), entry.leaf) {
                        (Some(disclosed), _) => Member::Disclosed(disclosed.value, disclosed.nonce),
                        (None, Some(leaf)) if can_be(leaf) => {
                            set(&mut made.hashes.leaves, at, leaf);
                            Member::Hidden
                        }
                        (None, _) => return Err(malformed(evidence, proof)),
                    });
            }
            if !can_be(proof.end) {
                return Err(malformed(evidence, proof));
            }
            set(&mut made.hashes.nodes, made.plan.members.len(), proof.end);
            made.plan.members.push(Member::Closed);
            made.plan.groups.push(Group {
                parent: proof.parent,
                depth: evidence.steps(proof).len(),
                members: start..made.plan.members.len(),
                first: 0,
            });
        }
        Ok(made)
    }

    /// Of the ends of these lists, which tell whether their proofs are about all items.
    pub(crate) fn of_ends(evidence: &Linked<'e>, lists: &[(Path, usize)]) -> Self {
        let mut made = Self::default();
        let mut is_asked = vec![false; evidence.proofs.len()];
        for (_, list) in lists {
            if let Some(is_asked) = is_asked.get_mut(*list) {
                *is_asked = true;
            }
        }
        for (proof, is_asked) in evidence.proofs.iter().zip(is_asked) {
            let start = made.plan.members.len();
            if is_asked {
                made.plan.members.push(Member::End);
            }
            made.plan.groups.push(Group {
                parent: proof.parent,
                depth: evidence.steps(proof).len(),
                members: start..made.plan.members.len(),
                first: proof.entries.len(),
            });
        }
        let count = made.plan.members.len();
        made.hashes.make_room(count);
        made.hashes.make_room_for_nonces(count);
        made
    }

    /// Holds what was computed against what the evidence says; gives the root's imprint.
    pub(crate) fn imprint(&self, evidence: &Linked<'e>) -> Result<Text, Reason> {
        let hashes = &self.hashes;
        let differs = |texts: &[Text], at, given: Option<&str>| {
            given.is_some_and(|given| text(texts, at).as_bytes() != given.as_bytes())
        };
        for (proof, group) in evidence.proofs.iter().zip(&self.plan.groups) {
            let mut code = None;
            for (entry, at) in evidence.entries(proof).iter().zip(group.members.clone()) {
                if differs(&hashes.leaves, at, entry.leaf) || differs(&hashes.nodes, at, entry.node)
                {
                    code = Some(ReasonCode::HashMismatch);
                }
            }
            if code.is_none() && differs(&hashes.nodes, group.members.start, proof.expected) {
                code = Some(ReasonCode::LinkMismatch);
            }
            if let Some(code) = code {
                return Err(refusal(code, evidence.steps(proof)));
            }
        }
        Ok(text(&hashes.nodes, 0).clone())
    }

    /// Of ends: whether the list of this proof is the whole one.
    pub(crate) fn is_whole(&self, evidence: &Linked<'e>, list: usize) -> bool {
        let end = text(&self.hashes.nodes, self.plan.start(list));
        let proof = evidence.proofs.get(list);
        proof.is_some_and(|proof| *end == *proof.end)
    }
}

fn malformed(evidence: &Linked<'_>, proof: &Proof<'_>) -> Reason {
    refusal(ReasonCode::HashMalformed, evidence.steps(proof))
}

fn set(texts: &mut [Text], at: usize, text: &str) {
    if let Some(place) = texts.get_mut(at) {
        place.set(text);
    }
}
