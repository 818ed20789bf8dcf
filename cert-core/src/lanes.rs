//! The hashes of a batch by SHA-256, several at once.

use alloc::string::String;

use sha256_lanes::{HALVES, INITIAL, LANES, Queue, Words};

use crate::error::CertError;
use crate::hash::value_text;
use crate::number::Digits;
use crate::path::Step;
use crate::plan::{Batch, Group, Member, put, text};
use crate::text::Text;

/// Of so many members of a group the nodes are begun at once: enough for all lanes, and few enough to stay at hand.
const WINDOW: usize = 16;

/// Makes the nonces of a batch: SHA-256 of what was gathered on the way and the position.
pub(crate) fn nonces(
    batch: &mut Batch<'_>,
    nonces: &mut [Text],
    enter: &dyn Fn(&mut String, Step<'_>),
) -> Result<(), CertError> {
    batch.each_nonce(enter, &mut |batch, at, place| {
        let position = Digits::new(place.index);
        let text = place.text.as_bytes();
        if batch.queue.push(at, text, position.as_bytes()) {
            flush(&mut batch.queue, nonces);
        }
        Ok(())
    })?;
    flush(&mut batch.queue, nonces);
    Ok(())
}

/// Computes the hashes of a batch.
pub(crate) fn hash(batch: &mut Batch<'_>, nonces: &[Text]) {
    let plan = batch.plan;
    let groups = plan.groups.get(batch.groups.clone()).unwrap_or_default();
    leaves(batch, groups, nonces);
    if HALVES {
        nodes_by_halves(batch, groups);
    } else {
        nodes(batch, groups);
    }
}

/// Computes the leaves of groups, and the nodes at their ends.
fn leaves(batch: &mut Batch<'_>, groups: &[Group<'_>], nonces: &[Text]) {
    let end = groups.last().map_or(0, |group| group.members.end);
    let members = batch.plan.members.get(batch.first..end).unwrap_or_default();
    let (queue, leaves) = (&mut batch.queue, &mut batch.leaves);
    for (at, member) in members.iter().enumerate() {
        let value = match member {
            Member::Value(value) => value_text(value).as_bytes(),
            Member::Disclosed(given) => value_text(&given.value).as_bytes(),
            Member::Group(group) => text(&batch.imprints, *group).as_bytes(),
            _ => continue,
        };
        if queue.push(at, value, &[]) {
            flush(queue, leaves);
        }
    }
    flush(queue, leaves);

    for (at, member) in members.iter().enumerate() {
        let nonce = text(nonces, at).as_bytes();
        let value = text(leaves, at).as_bytes();
        let is_full = match member {
            Member::Value(_) | Member::Group(_) => queue.push(at, value, nonce),
            Member::Disclosed(given) => queue.push(at, value, given.nonce),
            Member::End => queue.push(at, nonce, &[]),
            Member::Hidden(_) | Member::Closed(_) => continue,
        };
        if is_full {
            flush(queue, leaves);
        }
    }
    flush(queue, leaves);

    // What is a leaf elsewhere is the node of an end.
    for (at, member) in members.iter().enumerate() {
        if let Member::End = member {
            put(&mut batch.nodes, at, text(leaves, at).clone());
        }
    }
}

/// Computes the nodes of groups whose leaves and last ones are there. The nodes of a group have to wait for each other, so of every
/// group one is computed at a time.
fn nodes(batch: &mut Batch<'_>, groups: &[Group<'_>]) {
    for back in 1..width(groups) {
        for group in groups {
            if let Some(member) = group.members.clone().nth_back(back) {
                let at = batch.at(member);
                let leaf = text(&batch.leaves, at).as_bytes();
                let next = text(&batch.nodes, at.saturating_add(1)).as_bytes();
                // There are no more groups than lanes.
                let _ = batch.queue.push(at, leaf, next);
            }
        }
        flush(&mut batch.queue, &mut batch.nodes);
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
                    let leaf = text(&batch.leaves, batch.at(member)).as_block();
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
                    let next = text(&batch.nodes, at.saturating_add(1)).as_block();
                    // There are no more groups than lanes.
                    let _ = batch.queue.resume(at, begun, next);
                }
            }
            flush(&mut batch.queue, &mut batch.nodes);
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

/// Hashes the texts that wait.
fn flush(queue: &mut Queue, texts: &mut [Text]) {
    queue.flush(&mut |at, hash| {
        if let Some(text) = texts.get_mut(at) {
            text.put(hash);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::{Noncer as _, PathNoncer};
    use crate::value::Value;
    use crate::walk::{self, Keep};
    use alloc::format;
    use alloc::vec::Vec;

    /// The imprints of all groups.
    fn imprints(
        schema: &Value,
        data: &Value,
        nodes: fn(&mut Batch<'_>, &[Group<'_>]),
    ) -> Vec<Text> {
        let schema = crate::schema::compile(schema).unwrap();
        let (plan, _) = walk::plan(&schema, data, Keep::Nothing).unwrap();
        let (mut batch, mut nonces) = (Batch::new(&plan), Vec::new());
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
