//! SHA-256, the default: of several texts at once, over the lanes of `sha256-lanes`.

use alloc::string::String;
use alloc::vec::Vec;

use sha256_lanes::{Block, HALVES, LANES, Queue, Words, hash, is_hex};

use crate::aih1::{Input, extend_nonce_prefix};
use crate::error::{CertError, Failure};
use crate::hash::text::Hash;
use crate::hash::{Chain, Hasher, Job, Location, Noncer};
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

    /// The nodes of a group wait for each other, so one node of every group is hashed at a time.
    fn chain(&self, chains: &mut [Chain<'_>]) -> Result<(), CertError> {
        for chains in chains.chunks_mut(LANES) {
            if HALVES {
                chain_by_halves(chains);
            } else {
                chain(chains);
            }
        }
        Ok(())
    }
}

fn chain(chains: &mut [Chain<'_>]) {
    let longest = longest(chains);
    let mut queue = Queue::default();
    let mut nodes = Vec::with_capacity(LANES);
    for _ in 0..longest {
        let mut each = |hash: &Words| nodes.push(Hash::from(*hash));
        for job in chains.iter().filter_map(Chain::job) {
            let [one, other] = job.input.parts();
            queue.push(one, other, &mut each);
        }
        queue.finish(&mut each);
        put(chains, &mut nodes);
    }
}

/// The same, but the first halves of the texts, which are leaves and need not wait, are hashed before: in WebAssembly that takes a
/// third less time where there is one group (measured with an object of 1,000 strings).
fn chain_by_halves(chains: &mut [Chain<'_>]) {
    let mut queue = Queue::default();
    let mut begun = Vec::new();
    let mut each = |state: &Words| begun.push(*state);
    for leaf in chains.iter().flat_map(|chain| chain.leaves) {
        queue.begin(block(leaf), &mut each);
    }
    queue.finish(&mut each);
    // The states of each chain, of which the last one is the first to be resumed.
    let mut rest = begun.as_slice();
    let mut states = Vec::with_capacity(chains.len());
    for chain in &*chains {
        let (own, others) = rest
            .split_at_checked(chain.leaves.len())
            .unwrap_or((rest, &[]));
        states.push(own.iter().rev());
        rest = others;
    }
    let mut nodes = Vec::with_capacity(LANES);
    for _ in 0..longest(chains) {
        let mut each = |hash: &Words| nodes.push(Hash::from(*hash));
        for (chain, states) in chains.iter().zip(&mut states) {
            if let Some(state) = states.next() {
                queue.resume(
                    state,
                    block(chain.nodes.last().unwrap_or(chain.next)),
                    &mut each,
                );
            }
        }
        queue.finish(&mut each);
        put(chains, &mut nodes);
    }
}

fn longest(chains: &[Chain<'_>]) -> usize {
    let lengths = chains.iter().map(|chain| chain.leaves.len());
    lengths.max().unwrap_or_default()
}

/// Gives each chain that waits for a node its own.
fn put(chains: &mut [Chain<'_>], nodes: &mut Vec<Hash>) {
    let waiting = chains.iter_mut().filter(|chain| chain.job().is_some());
    for (chain, node) in waiting.zip(nodes.drain(..)) {
        chain.nodes.push(node);
    }
}

/// A hash as half of a node's text.
fn block(hash: &Hash) -> &Block {
    let Some(block) = hash.as_block() else {
        unreachable!(
            "a hash of SHA-256 has 64 characters, and evidence with another one is refused"
        );
    };
    block
}

/// SHA-256 of a whole text, as hexadecimal text.
pub(crate) fn sha256(text: &str) -> Hash {
    hash(text.as_bytes(), &[]).into()
}

/// The default noncer: SHA-256 of the path joined with dots.
///
/// These nonces are public. They keep equal values at different places from looking alike, but a
/// value of few possibilities can be guessed from its leaf: see [`KeyedNoncer`](crate::KeyedNoncer).
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

    #[test]
    fn sha256_of_abc() {
        // FIPS 180-4, appendix B.1.
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sha256("abc").as_str(), abc);
    }

    /// A machine uses one of the two ways alone.
    #[test]
    fn both_ways_to_hash_nodes_agree() {
        let leaves: Vec<Hash> = (0..9_u8).map(|leaf| hash(&[leaf], &[]).into()).collect();
        let next = sha256("closing");
        for counts in [[0, 0, 0, 0], [1, 0, 9, 4], [9, 9, 9, 9], [3, 8, 1, 5]] {
            let chains = || -> Vec<Chain<'_>> {
                let chain = |count: usize| Chain {
                    group: &[],
                    first: 0,
                    leaves: &leaves[..count],
                    next: &next,
                    nodes: Vec::new(),
                };
                counts.map(chain).into()
            };
            let (mut one, mut other, mut plain) = (chains(), chains(), chains());
            chain(&mut one);
            chain_by_halves(&mut other);
            for chain in &mut plain {
                while let Some(job) = chain.job() {
                    let node = Sha256Hasher.hash(job.input, job.location).unwrap();
                    chain.nodes.push(node);
                }
            }
            for ((one, other), plain) in one.iter().zip(&other).zip(&plain) {
                assert_eq!(one.nodes, plain.nodes);
                assert_eq!(other.nodes, plain.nodes);
            }
        }
    }
}
