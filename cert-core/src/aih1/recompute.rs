//! What evidence gives to compute, and whether that is what it says.

use alloc::vec;

use sha256_lanes::is_same;

use crate::aih1::connect::{ConnectedProofs, Proof};
use crate::aih1::tree::{Batch, Group, Member, Plan, leaf_at, node_at, text};
use crate::json::path::Path;
use crate::verify::report::{Reason, ReasonCode};

/// The nodes of every proof, from what it discloses and from the hashes that it brings along. Of these only those are used that
/// cannot be computed; `can_be` says what can be one.
pub(crate) fn plan<'e>(
    evidence: &'e ConnectedProofs<'e>,
    can_be: &dyn Fn(&[u8]) -> bool,
) -> Result<Plan<'e>, Reason> {
    let mut plan = Plan {
        has_nonces: true,
        ..Plan::default()
    };
    plan.members.reserve(evidence.count());
    plan.groups.reserve(evidence.proofs.len());
    for (number, proof) in evidence.proofs.iter().enumerate() {
        let malformed = || evidence.refusal(number, ReasonCode::HashMalformed);
        for entry in evidence.entries(proof) {
            plan.members
                .push(match (evidence.disclosed(entry), entry.leaf) {
                    (Some(disclosed), _) => {
                        Member::Disclosed(disclosed, entry.leaf.zip(entry.node))
                    }
                    (None, Some(leaf)) if can_be(leaf) => Member::Hidden(leaf),
                    (None, _) => return Err(malformed()),
                });
        }
        if !can_be(proof.end) {
            return Err(malformed());
        }
        plan.members.push(Member::Closed(proof.end));
        close(&mut plan, evidence, proof, 0);
    }
    Ok(plan)
}

/// The ends of these lists, which tell whether their proofs are about all items.
pub(crate) fn ends<'e>(evidence: &ConnectedProofs<'e>, lists: &[(Path, usize)]) -> Plan<'e> {
    let mut plan = Plan::default();
    let mut is_asked = vec![false; evidence.proofs.len()];
    for (_, list) in lists {
        if let Some(is_asked) = is_asked.get_mut(*list) {
            *is_asked = true;
        }
    }
    for (proof, is_asked) in evidence.proofs.iter().zip(is_asked) {
        if is_asked {
            plan.members.push(Member::Closing);
        }
        close(&mut plan, evidence, proof, proof.entries.len());
    }
    plan
}

/// Makes a group of the members that are in none yet; `first` is the position of the first one.
fn close<'e>(plan: &mut Plan<'e>, evidence: &ConnectedProofs<'e>, proof: &Proof<'e>, first: usize) {
    let start = plan.groups.last().map_or(0, |group| group.members.end);
    plan.groups.push(Group {
        parent: proof.parent,
        depth: evidence.steps(proof).len(),
        members: start..plan.members.len(),
        first,
        nonces: &[],
        is_list: proof.is_list,
    });
}

/// Holds what was computed against what the evidence says: the first proof of these for which that is another, and why.
pub(crate) fn mismatch(
    evidence: &ConnectedProofs<'_>,
    batch: &Batch<'_>,
) -> Option<(usize, ReasonCode)> {
    let differs = |at: usize, given: Option<&[u8]>| {
        given.is_some_and(|given| !is_same(text(&batch.hashes, at).as_bytes(), given))
    };
    for number in batch.groups.clone() {
        let proof = evidence.proofs.get(number)?;
        let start = batch.at(batch.plan.start(number));
        for (at, entry) in evidence.entries(proof).iter().enumerate() {
            let at = start.saturating_add(at);
            if differs(leaf_at(at), entry.leaf) || differs(node_at(at), entry.node) {
                return Some((number, ReasonCode::HashMismatch));
            }
        }
        if differs(node_at(start), proof.expected.map(str::as_bytes)) {
            return Some((number, ReasonCode::LinkMismatch));
        }
    }
    None
}
