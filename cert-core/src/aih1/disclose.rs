//! From hashes to proofs.

use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use crate::aih1::proof::{Proof, ProofNode, ProofValue};
use crate::aih1::tree::{Batch, Group, Member, Plan, node_at, text};
use crate::aih1::walk::{Pick, Picks};
use crate::hash::text::Hash;
use crate::json::path::{Path, Step};
use crate::json::value::Scalar;

/// What proofs are made into.
pub(crate) trait Collect: Default {
    /// What comes of all proofs.
    type All;

    /// Makes what it takes of a proof, before its hashes make place for others.
    fn take(&mut self, shown: Shown<'_, '_>);

    /// Puts all proofs in this order, in which each is named by when it was taken.
    fn in_order(self, order: Vec<usize>) -> Self::All;
}

/// The proofs of what is picked.
pub(crate) struct Proofs<'p, C> {
    picks: &'p Picks,
    /// Of every group that has one, when it was taken.
    taken: Vec<usize>,
    count: usize,
    into: C,
}

impl<'p, C: Collect> Proofs<'p, C> {
    pub(crate) fn new(picks: &'p Picks) -> Self {
        Self {
            picks,
            taken: vec![0; picks.groups.len()],
            count: 0,
            into: C::default(),
        }
    }

    /// Makes the proofs of some groups, whose hashes become theirs.
    pub(crate) fn take(&mut self, batch: &mut Batch<'_>, nonces: &mut [Hash]) {
        for number in batch.groups.clone() {
            if let Some(pick) = self.picks.pick(number)
                && let Some(taken) = self.taken.get_mut(number)
                && let Some(group) = batch.plan.groups.get(number)
            {
                *taken = self.count;
                self.count = self.count.saturating_add(1);
                self.into
                    .take(Shown::new(batch, nonces, self.picks, group, pick));
            }
        }
    }

    /// All of them, each group's before those of the groups in it.
    pub(crate) fn in_order(self, plan: &Plan<'_>) -> C::All {
        let mut order = Vec::with_capacity(self.count);
        // The groups that are still to come, the next one last.
        let mut rest = vec![0];
        while let Some(number) = rest.pop() {
            let taken = self.picks.pick(number).and(self.taken.get(number));
            let (Some(taken), Some(group)) = (taken, plan.groups.get(number)) else {
                continue;
            };
            order.push(*taken);
            for member in group.members.clone().rev() {
                if let Some(Member::Group(inner)) = plan.members.get(member) {
                    rest.push(*inner);
                }
            }
        }
        self.into.in_order(order)
    }
}

/// What the proof of a group shows.
pub(crate) struct Shown<'s, 'p> {
    batch: &'s mut Batch<'p>,
    nonces: &'s mut [Hash],
    picks: &'s Picks,
    group: &'s Group<'p>,
    /// The member before which it closes: the node of that is the last one it gives.
    close: usize,
}

impl<'s, 'p> Shown<'s, 'p> {
    fn new(
        batch: &'s mut Batch<'p>,
        nonces: &'s mut [Hash],
        picks: &'s Picks,
        group: &'s Group<'p>,
        pick: Pick,
    ) -> Self {
        let members = group.members.clone();
        let close = match pick {
            Pick::ToEnd => members.end.saturating_sub(1),
            _ => members
                .clone()
                .rev()
                .find(|member| picks.shows(*member))
                .map_or(members.start, |member| member.saturating_add(1)),
        };
        Self {
            batch,
            nonces,
            picks,
            group,
            close,
        }
    }

    /// The path of the group.
    pub(crate) fn steps(&self) -> Vec<Step<'p>> {
        self.batch.plan.steps(self.group)
    }

    /// Its nodes, by ascending index.
    pub(crate) fn nodes(&mut self, each: &mut dyn FnMut(usize, &mut Hash)) {
        let members = self.group.members.clone();
        let first = node_at(self.batch.at(members.start));
        let last = node_at(self.close.saturating_sub(members.start));
        for index in 0..=last {
            let member = members.start.saturating_add(index.wrapping_div(2));
            let is_leaf = index.wrapping_rem(2) == 1;
            let is_shown =
                self.picks.everything || index == last || is_leaf && !self.picks.shows(member);
            let hash = self.batch.hashes.get_mut(first.saturating_add(index));
            if let Some(hash) = hash.filter(|_| is_shown) {
                each(index, hash);
            }
        }
    }

    /// Its values with their nonces, by ascending index.
    pub(crate) fn values(&mut self, each: &mut dyn FnMut(usize, Option<Scalar<'_>>, &mut Hash)) {
        for (index, member) in (self.group.members.start..self.close).enumerate() {
            let nonce = self.nonces.get_mut(self.batch.at(member));
            if let Some(nonce) = nonce.filter(|_| self.picks.shows(member)) {
                let value = match self.batch.plan.members.get(member) {
                    Some(Member::Value(value)) => *value,
                    Some(Member::Group(inner)) => {
                        Some(Scalar::String(text(&self.batch.imprints, *inner)))
                    }
                    _ => None,
                };
                each(index, value, nonce);
            }
        }
    }
}

impl Collect for Vec<Option<Proof>> {
    type All = Vec<Proof>;

    fn take(&mut self, mut shown: Shown<'_, '_>) {
        let width = shown.close.saturating_sub(shown.group.members.start);
        let values = if shown.picks.everything { width } else { 0 };
        let mut proof = Proof {
            path: Path::from(shown.steps().as_slice()),
            nodes: Vec::with_capacity(width.saturating_add(values).saturating_add(1)),
            values: Vec::with_capacity(values),
        };
        shown.nodes(&mut |index, hash| {
            let hash = mem::take(hash);
            proof.nodes.push(ProofNode { index, hash });
        });
        shown.values(&mut |index, value, nonce| {
            proof.values.push(ProofValue {
                index,
                value: value.map(Scalar::to_value),
                nonce: mem::take(nonce),
            });
        });
        self.push(Some(proof));
    }

    fn in_order(mut self, order: Vec<usize>) -> Vec<Proof> {
        let mut proofs = Vec::with_capacity(order.len());
        for at in order {
            proofs.extend(self.get_mut(at).and_then(Option::take));
        }
        proofs
    }
}
