//! SHA-256, the default hash. Several inputs are hashed side by side in the lanes of `sha256-lanes`.

use alloc::string::String;
use alloc::vec::Vec;

use sha256_lanes::{Block, HAS_LANES, LANES, Queue, Words, hash};

use crate::aih1::{Input, extend_nonce_prefix};
use crate::error::{CertError, Failure};
use crate::hash::hex::is_hex;
use crate::hash::text::Hash;
use crate::hash::{Chain, Hasher, Job, Location, Noncer};
use crate::invariant::certain;
use crate::json::number::Digits;
use crate::json::path::Step;

/// The length of a SHA-256 hash as hexadecimal text.
pub(crate) const HEX_LENGTH: usize = 64;

/// The default hasher: SHA-256 of the text, as 64 lower-case hexadecimal characters.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sha256Hasher;

impl Hasher for Sha256Hasher {
    fn hash(&self, input: Input<'_>, _: Location<'_>) -> Result<Hash, Failure> {
        let [one, other] = input.parts();
        Ok(hash(one, other).into())
    }

    fn hash_length(&self) -> Option<usize> {
        Some(HEX_LENGTH)
    }

    fn can_be(&self, text: &[u8]) -> bool {
        is_hex(text)
    }

    fn hash_all(&self, jobs: &[Job<'_>], hashes: &mut Vec<Hash>) -> Result<(), CertError> {
        let mut queue = Queue::default();
        let mut each = |hash: &Words| hashes.push((*hash).into());
        for job in jobs {
            let [one, other] = job.input.parts();
            queue.push(one, other, &mut each);
        }
        queue.finish(&mut each);
        Ok(())
    }

    fn chain(&self, chains: &mut [Chain<'_>]) -> Result<(), CertError> {
        if HAS_LANES {
            chains.chunks_mut(LANES).for_each(chain_by_halves);
        } else {
            chains.iter_mut().for_each(chain_one_by_one);
        }
        Ok(())
    }
}

fn chain_one_by_one(chain: &mut Chain<'_>) {
    let mut next = chain.next;
    for (node, leaf) in chain.nodes.iter_mut().zip(chain.leaves).rev() {
        *node = hash(leaf.as_bytes(), next.as_bytes()).into();
        next = node;
    }
}

/// Hashes the nodes of as many chains as there are lanes. The nodes of one chain depend on each other, so one node of every chain is hashed
/// at a time. The first half of each node's text is a leaf. Leaves do not depend on nodes, so these halves are hashed in advance.
fn chain_by_halves(chains: &mut [Chain<'_>]) {
    let mut queue = Queue::default();
    let mut begun = Vec::with_capacity(longest(chains).saturating_mul(LANES));
    let mut each = |state: &Words| begun.push(*state);
    for chain in &*chains {
        for leaf in chain.leaves {
            queue.begin(block(leaf), &mut each);
        }
    }
    queue.finish(&mut each);
    for back in 0..longest(chains) {
        let mut nodes = Nodes::default();
        let mut end = 0_usize;
        for chain in &*chains {
            end = end.saturating_add(chain.leaves.len());
            if let Some(Input::Node(_, next)) = chain.input(back)
                && let Some(state) = end
                    .checked_sub(back)
                    .and_then(|at| begun.get(at.checked_sub(1)?))
            {
                queue.resume(state, block(next), &mut |node| nodes.push(node));
            }
        }
        queue.finish(&mut |node| nodes.push(node));
        nodes.put(chains, back);
    }
}

fn longest(chains: &[Chain<'_>]) -> usize {
    let lengths = chains.iter().map(|chain| chain.leaves.len());
    lengths.max().unwrap_or_default()
}

/// Nodes at the same distance from the ends of their chains. A chain that is too short has no such node.
#[derive(Default)]
struct Nodes {
    words: [Words; LANES],
    count: usize,
}

impl Nodes {
    fn push(&mut self, node: &Words) {
        if let Some(place) = self.words.get_mut(self.count) {
            *place = *node;
        }
        self.count = self.count.saturating_add(1);
    }

    fn put(&self, chains: &mut [Chain<'_>], back: usize) {
        let long = chains.iter_mut().filter(|chain| chain.leaves.len() > back);
        for (chain, node) in long.zip(&self.words) {
            chain.put(back, (*node).into());
        }
    }
}

/// Returns a hash as half of a node's text.
fn block(hash: &Hash) -> &Block {
    certain(
        hash.as_block(),
        "a hash of SHA-256 has 64 characters, and evidence with a hash of another length is refused",
    )
}

/// Returns the SHA-256 of a string, as hexadecimal text.
pub(crate) fn sha256(text: &str) -> Hash {
    hash(text.as_bytes(), &[]).into()
}

/// The default noncer: SHA-256 of [`Location::path`], joined with dots.
///
/// These nonces are public. They give different hashes to equal values at different locations. They do not protect a value that has few
/// possibilities, because anyone can guess the value from its leaf: see [`KeyedNoncer`](crate::KeyedNoncer).
#[derive(Clone, Copy, Debug, Default)]
pub struct PathNoncer;

impl Noncer for PathNoncer {
    fn nonce(&self, location: Location<'_>) -> Result<Hash, Failure> {
        let position = Digits::new(location.position());
        Ok(hash(location.prefix().as_bytes(), position.as_bytes()).into())
    }

    fn extend_prefix(&self, prefix: &mut String, step: Step<'_>) {
        extend_nonce_prefix(prefix, step);
    }

    fn nonce_length(&self) -> Option<usize> {
        Some(HEX_LENGTH)
    }

    fn path_only(&self) -> bool {
        true
    }

    fn nonces(&self, locations: &[Location<'_>], nonces: &mut Vec<Hash>) -> Result<(), CertError> {
        let mut queue = Queue::default();
        let mut each = |hash: &Words| nonces.push((*hash).into());
        for location in locations {
            let position = Digits::new(location.position());
            queue.push(location.prefix().as_bytes(), position.as_bytes(), &mut each);
        }
        queue.finish(&mut each);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn abc_has_the_hash_of_the_standard() {
        // FIPS 180-4, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256("abc").as_str(), abc);
    }

    /// Each target uses only one of the implementations, so no other test compares them.
    #[test]
    fn all_ways_to_hash_nodes_agree() {
        let leaves: Vec<Hash> = (0..9_u8).map(|leaf| hash(&[leaf], &[]).into()).collect();
        let locations = [Location::new(&[], "", 0); 9];
        let next = sha256("closing");
        for counts in [[0, 0, 0, 0], [1, 0, 9, 4], [9, 9, 9, 9], [3, 8, 1, 5]] {
            let nodes = |way: &dyn Fn(&mut [Chain<'_>])| {
                let mut nodes = counts.map(|count| vec![Hash::default(); count]);
                let mut chains: Vec<_> = nodes
                    .iter_mut()
                    .map(|nodes| Chain {
                        leaves: &leaves[..nodes.len()],
                        locations: &locations[..nodes.len()],
                        next: &next,
                        nodes,
                    })
                    .collect();
                way(&mut chains);
                nodes
            };
            let plain = |input: Input<'_>, location: Location<'_>| {
                Sha256Hasher.hash(input, location).map(String::from)
            };
            let expected = nodes(&|chains| plain.chain(chains).unwrap());
            assert_eq!(nodes(&chain_by_halves), expected);
            assert_eq!(
                nodes(&|chains| chains.iter_mut().for_each(chain_one_by_one)),
                expected
            );
        }
    }
}
