//! The imprint that evidence gives.

use alloc::vec::Vec;

use crate::hash::Noncer;
use crate::linked::{Linked, Proof, refusal};
use crate::path::Step;
use crate::plan::{Group, Hashes, Member, Plan, text};
use crate::report::{Reason, ReasonCode};
use crate::text::Text;

/// What is to be computed of evidence: the nodes of every proof, from what it discloses and from the hashes that it brings along.
#[derive(Default)]
pub(crate) struct Computation<'e> {
    pub(crate) plan: Plan<'e>,
    /// So far those that the evidence brings along.
    pub(crate) hashes: Hashes,
    /// Where the end of a whole list is, for every proof of a list.
    ends: Vec<Option<usize>>,
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
            made.group(evidence.steps(proof), start, 0, None);
        }
        Ok(made)
    }

    /// Has the ends of all lists computed, too, which tell whether a proof is about all items of its list.
    pub(crate) fn add_ends(&mut self, evidence: &Linked<'e>, noncer: &dyn Noncer) {
        for proof in &evidence.proofs {
            let start = self.plan.members.len();
            self.ends.push(proof.is_list.then_some(start));
            if proof.is_list {
                self.plan.members.push(Member::End);
                let width = proof.entries.len();
                self.group(evidence.steps(proof), start, width, Some(noncer));
            }
        }
        let count = self.plan.members.len();
        self.hashes.make_room(count);
        self.hashes.make_room_for_nonces(count);
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

    /// Whether the proof with this number is of a list, and about all items of it.
    pub(crate) fn is_whole(&self, evidence: &Linked<'e>, number: usize) -> bool {
        match (evidence.proofs.get(number), self.ends.get(number)) {
            (Some(proof), Some(Some(end))) => *text(&self.hashes.nodes, *end) == *proof.end,
            _ => false,
        }
    }

    /// Makes a group of the members from `start` on.
    fn group(
        &mut self,
        path: &[Step<'e>],
        start: usize,
        first: usize,
        noncer: Option<&dyn Noncer>,
    ) {
        let plan = &mut self.plan;
        let (steps, text) = (plan.steps.len(), plan.texts.len());
        for step in path {
            plan.steps.push(*step);
            if let Some(noncer) = noncer {
                noncer.enter(&mut plan.texts, *step);
            }
        }
        plan.groups.push(Group {
            steps: steps..plan.steps.len(),
            text: text..plan.texts.len(),
            members: start..plan.members.len(),
            first,
        });
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
