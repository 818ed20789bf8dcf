//! The hashes of a batch by SHA-256, several at once.

use alloc::string::String;
use core::mem;

use sha256_lanes::{Block, HALVES, INITIAL, LANES, Words};

use crate::aih1::tree::{Batch, Group, Member, leaf_at, next_at, node_at, text};
use crate::error::CertError;
use crate::hash::text::Hash;
use crate::hash::value_text;
use crate::json::number::Digits;
use crate::json::path::Step;

/// Of so many members of a group the nodes are begun at once: enough for all lanes, and few enough to stay at hand.
const WINDOW: usize = 16;

/// A queue whose texts have numbers.
#[derive(Debug)]
pub(crate) struct Queue {
    queue: sha256_lanes::Queue,
    numbers: [usize; LANES],
    hashes: [Words; LANES],
    waiting: usize,
    done: usize,
}

impl Default for Queue {
    fn default() -> Self {
        Self {
            queue: sha256_lanes::Queue::default(),
            numbers: [0; LANES],
            hashes: [INITIAL; LANES],
            waiting: 0,
            done: 0,
        }
    }
}

impl Queue {
    #[must_use = "a full queue takes no more"]
    fn push(&mut self, number: usize, one: &[u8], other: &[u8]) -> bool {
        self.add(number, |queue, each| queue.push(one, other, each))
    }

    #[must_use = "a full queue takes no more"]
    fn begin(&mut self, number: usize, half: &Block) -> bool {
        self.add(number, |queue, each| queue.begin(half, each))
    }

    #[must_use = "a full queue takes no more"]
    fn resume(&mut self, number: usize, from: &Words, half: &Block) -> bool {
        self.add(number, |queue, each| queue.resume(from, half, each))
    }

    fn flush(&mut self, each: &mut dyn FnMut(usize, &Words)) {
        self.hash(|queue, each| queue.finish(each));
        let waiting = mem::take(&mut self.waiting);
        for (number, hash) in self.numbers.iter().zip(&self.hashes).take(waiting) {
            each(*number, hash);
        }
        self.done = 0;
    }

    fn add(
        &mut self,
        number: usize,
        add: impl FnOnce(&mut sha256_lanes::Queue, &mut dyn FnMut(&Words)),
    ) -> bool {
        if let Some(place) = self.numbers.get_mut(self.waiting) {
            *place = number;
        }
        self.waiting = self.waiting.saturating_add(1);
        self.hash(add);
        self.waiting == LANES
    }

    fn hash(&mut self, add: impl FnOnce(&mut sha256_lanes::Queue, &mut dyn FnMut(&Words))) {
        let (hashes, done) = (&mut self.hashes, &mut self.done);
        add(&mut self.queue, &mut |hash| {
            if let Some(place) = hashes.get_mut(*done) {
                *place = *hash;
            }
            *done = done.saturating_add(1);
        });
    }
}

/// Makes the nonces of a batch: SHA-256 of what was gathered on the way and the position.
pub(crate) fn nonces(
    batch: &mut Batch<'_>,
    nonces: &mut [Hash],
    enter: &dyn Fn(&mut String, Step<'_>),
) -> Result<(), CertError> {
    batch.each_nonce(nonces, enter, &mut |batch, nonces, at, place| {
        let position = Digits::new(place.position);
        let text = place.prefix.as_bytes();
        push(&mut batch.queue, nonces, at, text, position.as_bytes());
        Ok(())
    })?;
    flush(&mut batch.queue, nonces);
    Ok(())
}

/// Computes the hashes of a batch.
pub(crate) fn hash(batch: &mut Batch<'_>, nonces: &[Hash]) {
    let plan = batch.plan;
    let groups = plan.groups.get(batch.groups.clone()).unwrap_or_default();
    if leaves(batch, groups, nonces) {
        return;
    }
    if HALVES {
        nodes_by_halves(batch, groups);
    } else {
        nodes(batch, groups);
    }
}

/// Computes the leaves of groups, and the nodes at their ends.
///
/// If all leaves and nodes are claimed, it computes all nodes, too, each from what is claimed of its parts, so that none has to wait:
/// if each is what it is claimed to be, so are the parts of the others; and if one is not, that will be noticed. It says whether it
/// did.
fn leaves(batch: &mut Batch<'_>, groups: &[Group<'_>], nonces: &[Hash]) -> bool {
    let end = groups.last().map_or(0, |group| group.members.end);
    let members = batch.plan.members.get(batch.first..end).unwrap_or_default();
    let (queue, hashes) = (&mut batch.queue, &mut batch.hashes);
    for (at, member) in members.iter().enumerate() {
        let value = match member {
            Member::Value(value) => value_text(value).as_bytes(),
            Member::Disclosed(given, _) => value_text(&given.value).as_bytes(),
            Member::Group(group) => text(&batch.imprints, *group).as_bytes(),
            _ => continue,
        };
        push(queue, hashes, leaf_at(at), value, &[]);
    }
    flush(queue, hashes);

    for (at, member) in members.iter().enumerate() {
        let nonce = text(nonces, at).as_bytes();
        let nonce = match member {
            Member::Value(_) | Member::Group(_) => nonce,
            Member::Disclosed(given, _) => given.nonce,
            Member::Closing => {
                push(queue, hashes, node_at(at), nonce, &[]);
                continue;
            }
            Member::Hidden(_) | Member::Closed(_) => continue,
        };
        // It takes the place of the value's hash.
        let value = text(hashes, leaf_at(at)).as_bytes();
        if queue.push(leaf_at(at), value, nonce) {
            flush(queue, hashes);
        }
    }
    let is_claimed = members.iter().all(|member| member.node().is_some());
    if is_claimed {
        for (at, pair) in members.windows(2).enumerate() {
            if let [Member::Disclosed(_, Some((leaf, _))), next] = pair {
                let next = next.node().unwrap_or_default();
                push(queue, hashes, node_at(at), leaf, next);
            }
        }
    }
    flush(queue, hashes);
    is_claimed
}

/// Computes the nodes of groups whose leaves and last ones are there. The nodes of a group have to wait for each other, so of every
/// group one is computed at a time.
fn nodes(batch: &mut Batch<'_>, groups: &[Group<'_>]) {
    for back in 1..width(groups) {
        for group in groups {
            if let Some(member) = group.members.clone().nth_back(back) {
                let at = batch.at(member);
                let leaf = text(&batch.hashes, leaf_at(at)).as_bytes();
                let next = text(&batch.hashes, next_at(at)).as_bytes();
                // There are no more groups than lanes.
                let _ = batch.queue.push(node_at(at), leaf, next);
            }
        }
        flush(&mut batch.queue, &mut batch.hashes);
    }
}

/// The same, but the halves of their texts that are leaves, which need not wait, come first.
fn nodes_by_halves(batch: &mut Batch<'_>, groups: &[Group<'_>]) {
    let width = width(groups);
    for start in (1..width).step_by(WINDOW) {
        let window = start..width.min(start.saturating_add(WINDOW));
        let mut begun = [[INITIAL; LANES]; WINDOW];
        let mut number = 0_usize;
        for back in window.clone() {
            for (lane, group) in groups.iter().enumerate() {
                if let Some(member) = group.members.clone().nth_back(back) {
                    let leaf = text(&batch.hashes, leaf_at(batch.at(member))).as_block();
                    if batch.queue.begin(number.saturating_add(lane), leaf) {
                        begin(&mut batch.queue, begun.as_flattened_mut());
                    }
                }
            }
            number = number.saturating_add(LANES);
        }
        begin(&mut batch.queue, begun.as_flattened_mut());
        for (back, begun) in window.zip(&begun) {
            for (group, begun) in groups.iter().zip(begun) {
                if let Some(member) = group.members.clone().nth_back(back) {
                    let at = batch.at(member);
                    let next = text(&batch.hashes, next_at(at)).as_block();
                    // There are no more groups than lanes.
                    let _ = batch.queue.resume(node_at(at), begun, next);
                }
            }
            flush(&mut batch.queue, &mut batch.hashes);
        }
    }
}

/// The number of members of the largest group. The last one is its end.
fn width(groups: &[Group<'_>]) -> usize {
    let widths = groups.iter().map(|group| group.members.len());
    widths.max().unwrap_or_default()
}

/// Hashes the halves of texts that wait.
fn begin(queue: &mut Queue, begun: &mut [Words]) {
    queue.flush(&mut |number, words| {
        if let Some(place) = begun.get_mut(number) {
            *place = *words;
        }
    });
}

/// Lets a text wait to be hashed; if no more can wait, hashes all.
fn push(queue: &mut Queue, texts: &mut [Hash], at: usize, one: &[u8], other: &[u8]) {
    if queue.push(at, one, other) {
        flush(queue, texts);
    }
}

/// Hashes the texts that wait.
fn flush(queue: &mut Queue, texts: &mut [Hash]) {
    queue.flush(&mut |at, hash| {
        if let Some(text) = texts.get_mut(at) {
            text.put(hash);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aih1::walk::{self, Keep};
    use crate::hash::{Noncer as _, PathNoncer};
    use crate::json::value::Value;
    use alloc::format;
    use alloc::vec::Vec;

    /// The imprints of all groups.
    fn imprints(
        schema: &Value,
        data: &Value,
        nodes: fn(&mut Batch<'_>, &[Group<'_>]),
    ) -> Vec<Hash> {
        let schema = crate::schema::compile(schema).unwrap();
        let (plan, _) = walk::plan(&schema, data, Keep::Nothing).unwrap();
        let (mut batch, mut nonces) = (Batch::new(&plan, true), Vec::new());
        while batch.next(&mut nonces) {
            PathNoncer.all(&mut batch, &mut nonces).unwrap();
            let groups = &plan.groups[batch.groups.clone()];
            leaves(&mut batch, groups, &nonces);
            nodes(&mut batch, groups);
            batch.close();
        }
        batch.imprints
    }

    /// Only one of them is used on a machine.
    #[test]
    fn both_ways_to_compute_nodes_agree() {
        let list = r#"{ "type": "array", "items": { "type": "array", "items": {} } }"#;
        let schema = format!(r#"{{ "type": "object", "properties": {{ "l": {list} }} }}"#);
        let schema = Value::parse(&schema).unwrap();
        let cert = crate::Cert::new(&schema).unwrap();
        for width in 0..40 {
            let lists = (0..=width).map(|at| {
                let items = (0..at * width % 41).map(|item| format!("{item}"));
                format!("[{}]", items.collect::<Vec<_>>().join(","))
            });
            let data = format!(r#"{{"l":[{}]}}"#, lists.collect::<Vec<_>>().join(","));
            let data = Value::parse(&data).unwrap();
            let one = imprints(&schema, &data, nodes);
            let other = imprints(&schema, &data, nodes_by_halves);
            assert_eq!(one, other, "{}", data.to_json());
            assert_eq!(one[0].as_str(), cert.imprint(&data).unwrap());
        }
    }
}
