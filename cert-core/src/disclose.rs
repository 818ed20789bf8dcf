//! From hashes to proofs.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use crate::path::Path;
use crate::plan::{Batch, Group, Member, Plan, text};
use crate::proof::{Proof, ProofNode, ProofValue};
use crate::text::Text;
use crate::value::Scalar;
use crate::walk::{Pick, Picks};

/// The proofs of what is picked.
pub(crate) struct Proofs<'p> {
    picks: &'p Picks,
    /// Of every group that has one.
    made: Vec<Option<Proof>>,
}

impl<'p> Proofs<'p> {
    pub(crate) fn new(picks: &'p Picks) -> Self {
        let mut made = Vec::new();
        made.resize_with(picks.groups.len(), || None);
        Self { picks, made }
    }

    /// Makes the proofs of some groups, whose hashes become theirs.
    pub(crate) fn take(&mut self, batch: &mut Batch<'_>, nonces: &mut [Text]) {
        for number in batch.groups.clone() {
            if let Some(made) = self.made.get_mut(number)
                && let Some(pick) = self.picks.groups.get(number)
                && *pick != Pick::Nothing
                && let Some(group) = batch.plan.groups.get(number)
            {
                *made = Some(proof(batch, nonces, self.picks, group, *pick));
            }
        }
    }

    /// All of them, each group's before those of the groups in it.
    pub(crate) fn in_order(mut self, plan: &Plan<'_>) -> Vec<Proof> {
        let mut proofs = Vec::with_capacity(self.made.len());
        // The groups that are still to come, the next one last.
        let mut rest = vec![0];
        while let Some(number) = rest.pop() {
            let made = self.made.get_mut(number).and_then(Option::take);
            let (Some(proof), Some(group)) = (made, plan.groups.get(number)) else {
                continue;
            };
            proofs.push(proof);
            for member in group.members.clone().rev() {
                if let Some(Member::Group(inner)) = plan.members.get(member) {
                    rest.push(*inner);
                }
            }
        }
        proofs
    }
}

fn proof(
    batch: &mut Batch<'_>,
    nonces: &mut [Text],
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
        let at = batch.at(member);
        let before = index.saturating_mul(2);
        let is_shown = is_shown(member);
        if is_shown {
            let value = match batch.plan.members.get(member) {
                Some(Member::Value(value)) => value.map(Scalar::to_value),
                Some(Member::Group(inner)) => Some(text(&batch.imprints, *inner).as_str().into()),
                _ => None,
            };
            let nonce = take(nonces, at);
            values.push(ProofValue {
                index,
                value,
                nonce,
            });
        }
        if picks.everything {
            node(before, take(&mut batch.nodes, at));
        }
        if picks.everything || !is_shown {
            let leaf = take(&mut batch.leaves, at);
            node(before.saturating_add(1), leaf);
        }
    }
    let end = batch.at(close);
    node(width.saturating_mul(2), take(&mut batch.nodes, end));
    Proof {
        path: Path::from(batch.plan.steps(group).as_slice()),
        nodes,
        values,
    }
}

fn take(texts: &mut [Text], at: usize) -> Text {
    texts.get_mut(at).map(mem::take).unwrap_or_default()
}
