//! The hashes of a plan by SHA-256, several at once: which is why they are computed level by level.

use alloc::string::String;
use core::mem;

use sha256_lanes::{LANES, Message, Words, hash as hash_one, hashes};

use crate::error::CertError;
use crate::hash::value_text;
use crate::number::Digits;
use crate::path::Step;
use crate::plan::{Group, Hashes, Member, Plan, text};
use crate::text::Text;

/// Texts that wait until there are enough of them to be hashed at once.
struct Lanes {
    messages: [Message; LANES],
    /// The hash of a text that is too long to wait.
    long: [Option<Words>; LANES],
    /// Where the hash belongs.
    to: [usize; LANES],
    waiting: usize,
}

impl Lanes {
    const fn new() -> Self {
        Self {
            messages: [Message::NONE; LANES],
            long: [None; LANES],
            to: [0; LANES],
            waiting: 0,
        }
    }

    /// Takes a text in two parts, whose hash belongs at `to`; says whether there is room for no other.
    fn push(&mut self, to: usize, one: &[u8], other: &[u8]) -> bool {
        let lane = self.waiting;
        self.waiting = lane.saturating_add(1);
        if let Some(message) = self.messages.get_mut(lane)
            && !message.set(one, other)
            && let Some(long) = self.long.get_mut(lane)
        {
            *long = Some(hash_one(one, other));
        }
        if let Some(place) = self.to.get_mut(lane) {
            *place = to;
        }
        self.waiting == LANES
    }

    /// Hashes what waits.
    fn flush(&mut self, texts: &mut [Text]) {
        let waiting = mem::take(&mut self.waiting);
        let hashes = hashes(&self.messages, waiting);
        let lanes = self.to.iter().zip(hashes).zip(&mut self.long);
        for ((to, hash), long) in lanes.take(waiting) {
            if let Some(text) = texts.get_mut(*to) {
                text.put(&long.take().unwrap_or(hash));
            }
        }
    }
}

/// Makes the nonces of a plan: SHA-256 of what was gathered on the way and the position.
pub(crate) fn nonces(
    plan: &Plan<'_>,
    enter: &dyn Fn(&mut String, Step<'_>),
    nonces: &mut [Text],
) -> Result<(), CertError> {
    let mut lanes = Lanes::new();
    plan.each_nonce(enter, &mut |member, place| {
        let position = Digits::new(place.index);
        if lanes.push(member, place.text.as_bytes(), position.as_bytes()) {
            lanes.flush(nonces);
        }
        Ok(())
    })?;
    lanes.flush(nonces);
    Ok(())
}

/// Computes the hashes of a plan.
pub(crate) fn hash(plan: &Plan<'_>, hashes: &mut Hashes) {
    let mut lanes = Lanes::new();
    let mut rest = plan.groups.len();
    while rest > 0 {
        let level = plan.deepest(rest);
        rest = level.start;
        // As many groups at a time as their nodes are computed of, while what they are computed from is at hand.
        let groups = plan.groups.get(level).unwrap_or_default();
        for groups in groups.chunks(LANES) {
            leaves(plan, groups, &mut lanes, hashes);
            nodes(plan, groups, &mut lanes, hashes);
        }
    }
}

fn leaves(plan: &Plan<'_>, groups: &[Group<'_>], lanes: &mut Lanes, hashes: &mut Hashes) {
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return;
    };
    for member in first.members.start..last.members.end {
        let value = match plan.members.get(member) {
            Some(Member::Value(value) | Member::Disclosed(value, _)) => {
                value_text(value).as_bytes()
            }
            Some(Member::Group(group)) => text(&hashes.nodes, plan.start(*group)).as_bytes(),
            _ => continue,
        };
        if lanes.push(member, value, &[]) {
            lanes.flush(&mut hashes.leaves);
        }
    }
    lanes.flush(&mut hashes.leaves);

    for member in first.members.start..last.members.end {
        let nonce = match plan.members.get(member) {
            Some(Member::Value(_) | Member::Group(_)) => text(&hashes.nonces, member).as_bytes(),
            Some(Member::Disclosed(_, nonce)) => nonce.as_bytes(),
            _ => continue,
        };
        let value = text(&hashes.leaves, member).as_bytes();
        if lanes.push(member, value, nonce) {
            lanes.flush(&mut hashes.leaves);
        }
    }
    lanes.flush(&mut hashes.leaves);
}

/// The nodes of one group have to wait for each other: so of every group one is computed at a time.
fn nodes(plan: &Plan<'_>, groups: &[Group<'_>], lanes: &mut Lanes, hashes: &mut Hashes) {
    let widths = groups.iter().map(|group| group.members.len());
    for back in 0..widths.max().unwrap_or_default() {
        for group in groups {
            let Some(member) = group.members.clone().nth_back(back) else {
                continue;
            };
            let (one, other) = match plan.members.get(member) {
                None | Some(Member::Closed) => continue,
                Some(Member::End) => (text(&hashes.nonces, member).as_bytes(), &[][..]),
                Some(_) => {
                    let next = text(&hashes.nodes, member.saturating_add(1));
                    (text(&hashes.leaves, member).as_bytes(), next.as_bytes())
                }
            };
            lanes.push(member, one, other);
        }
        lanes.flush(&mut hashes.nodes);
    }
}
