//! From a plan and its hashes to proofs.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use crate::path::Path;
use crate::plan::{Group, Hashes, Member, Plan, text};
use crate::proof::{Proof, ProofNode, ProofValue};
use crate::text::Text;
use crate::value::Scalar;
use crate::walk::{Pick, Picks};

/// The proofs of what is picked, each group's before those of the groups in it. The hashes become theirs.
pub(crate) fn proofs(plan: &Plan<'_>, mut hashes: Hashes, picks: &Picks) -> Vec<Proof> {
    let mut proofs = Vec::new();
    // The groups that are still to come, the next one last.
    let mut rest = vec![0];
    while let Some(number) = rest.pop() {
        let (Some(group), Some(pick)) = (plan.groups.get(number), picks.groups.get(number)) else {
            continue;
        };
        if *pick == Pick::Nothing {
            continue;
        }
        for member in group.members.clone().rev() {
            if let Some(Member::Group(inner)) = plan.members.get(member) {
                rest.push(*inner);
            }
        }
        proofs.push(proof(plan, &mut hashes, picks, group, *pick));
    }
    proofs
}

fn proof(
    plan: &Plan<'_>,
    hashes: &mut Hashes,
    picks: &Picks,
    group: &Group<'_>,
    pick: Pick,
) -> Proof {
    let is_shown = |member: usize| picks.members.get(member) == Some(&true);
    let last_shown = || group.members.clone().rev().find(|member| is_shown(*member));
    // The member before which the proof closes: its node is the last one that is given.
    let close = match pick {
        Pick::ToEnd => group.members.end.saturating_sub(1),
        _ => last_shown().map_or(group.members.start, |member| member.saturating_add(1)),
    };
    let width = close.saturating_sub(group.members.start);
    let shown = if picks.everything { width } else { 0 };
    let mut values = Vec::with_capacity(shown);
    let mut nodes = Vec::with_capacity(width.saturating_add(shown).saturating_add(1));
    let mut node = |index: usize, hash: Text| nodes.push(ProofNode { index, hash });
    for (index, member) in (group.members.start..close).enumerate() {
        let before = index.saturating_mul(2);
        let is_shown = is_shown(member);
        if is_shown {
            let value = match plan.members.get(member) {
                Some(Member::Value(value)) => value.map(Scalar::to_value),
                Some(Member::Group(inner)) => {
                    let imprint = text(&hashes.nodes, plan.start(*inner));
                    Some(imprint.as_str().into())
                }
                _ => None,
            };
            let nonce = take(&mut hashes.nonces, member);
            values.push(ProofValue {
                index,
                value,
                nonce,
            });
        }
        if picks.everything {
            node(before, take(&mut hashes.nodes, member));
        }
        if picks.everything || !is_shown {
            let leaf = take(&mut hashes.leaves, member);
            node(before.saturating_add(1), leaf);
        }
    }
    node(width.saturating_mul(2), take(&mut hashes.nodes, close));
    Proof {
        path: Path::from(plan.steps(group).as_slice()),
        nodes,
        values,
    }
}

fn take(texts: &mut [Text], at: usize) -> Text {
    texts.get_mut(at).map(mem::take).unwrap_or_default()
}
