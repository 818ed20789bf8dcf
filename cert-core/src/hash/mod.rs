//! Hashers, noncers and their jobs.

pub(crate) mod deferred;
pub(crate) mod hex;
pub(crate) mod hmac;
pub(crate) mod keyed;
pub(crate) mod length;
pub(crate) mod sha256;
pub(crate) mod text;

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

use crate::aih1::Input;
use crate::error::{CertError, ErrorCode, Failure};
use crate::hash::text::Hash;
use crate::invariant::impossible;
use crate::json::path::{Path, Step};

/// The role of a hash in the tree, as the number that a JavaScript hasher receives (`docs/interface.md`,
/// Certification tool operations, option `hasher`: "Merkle tree position").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// The hash of a value.
    Value = 0,
    /// The hash of a value's hash and its nonce.
    Leaf = 1,
    /// The hash of a leaf and the node after it. For the closing node of a group: the hash of a nonce alone.
    Node = 2,
}

/// The location of a hash or a nonce in the tree: a group and a position in it.
#[derive(Clone, Copy, Debug)]
pub struct Location<'a> {
    group: &'a [Step<'a>],
    prefix: &'a str,
    position: usize,
}

impl<'a> Location<'a> {
    pub(crate) fn new(group: &'a [Step<'a>], prefix: &'a str, position: usize) -> Self {
        Self {
            group,
            prefix,
            position,
        }
    }

    /// Returns the path of the group, which is an object or array.
    #[must_use]
    pub fn group(&self) -> &'a [Step<'a>] {
        self.group
    }

    /// Returns the position in the group. The closing node has the position after the last value.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// Returns the string that [`Noncer::extend_prefix`] made from the group's path. Only the noncer uses this string.
    #[must_use]
    pub fn prefix(&self) -> &'a str {
        self.prefix
    }

    /// Returns the group's path with the position appended, as JavaScript callbacks receive it.
    #[must_use]
    pub fn path(&self) -> Path {
        let mut path = Path::from(self.group);
        path.push(self.position);
        path
    }
}

/// A string to hash, and the location of its hash in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The string.
    pub input: Input<'a>,
    /// The location.
    pub location: Location<'a>,
}

/// Consecutive nodes of one group. Each node's text contains the node after it, so nodes are hashed from last to first.
#[derive(Debug)]
pub struct Chain<'a> {
    /// The leaves.
    pub leaves: &'a [Hash],
    /// The location of each leaf.
    pub locations: &'a [Location<'a>],
    /// The node after the last leaf.
    pub next: &'a Hash,
    /// The output: one node for each leaf.
    pub nodes: &'a mut [Hash],
}

impl Chain<'_> {
    /// Returns the input of the node that is `back` nodes before the last one, or `None` if the chain has fewer nodes.
    pub(crate) fn input(&self, back: usize) -> Option<Input<'_>> {
        let index = self.index(back)?;
        let leaf = self.leaves.get(index)?;
        let next = self.nodes.get(index.checked_add(1)?);
        Some(Input::Node(leaf, next.unwrap_or(self.next)))
    }

    /// Stores the node that is `back` nodes before the last one.
    pub(crate) fn put(&mut self, back: usize, node: Hash) {
        let index = self.index(back);
        if let Some(place) = index.and_then(|index| self.nodes.get_mut(index)) {
            *place = node;
        }
    }

    fn index(&self, back: usize) -> Option<usize> {
        self.leaves.len().checked_sub(back)?.checked_sub(1)
    }
}

/// Computes hashes.
///
/// All hashes must be strings of the same length, because hashes are concatenated and hashed again. The first hash of a
/// [`Cert`](crate::Cert) fixes the length. If the hasher returns a hash of another length, the operation fails with
/// [`ErrorCode::HashLength`]. Evidence that contains such a hash is refused.
pub trait Hasher {
    /// Hashes `input`. `location` is the location of the hash in the tree.
    ///
    /// # Errors
    /// Any failure of the hasher. The failure becomes the source of an error with [`ErrorCode::HasherFailed`].
    fn hash(&self, input: Input<'_>, location: Location<'_>) -> Result<Hash, Failure>;

    /// Returns the length of every hash in UTF-16 code units, as JavaScript counts. `None` if the length is not known in advance. In this
    /// case, the first hash fixes the length.
    fn hash_length(&self) -> Option<usize> {
        None
    }

    /// Returns true if a text in evidence, given as bytes, consists of characters that this hasher's hashes have. The length is checked
    /// separately. The default accepts every text.
    fn can_be(&self, text: &[u8]) -> bool {
        let _ = text;
        true
    }

    /// Hashes independent jobs and appends their hashes in the order of the jobs. The default hashes one job after the other.
    ///
    /// # Errors
    /// [`ErrorCode::HasherFailed`] with the path of the first job that failed.
    fn hash_all(&self, jobs: &[Job<'_>], hashes: &mut Vec<Hash>) -> Result<(), CertError> {
        hash_each(&|input, location| self.hash(input, location), jobs, hashes)
    }

    /// Hashes the nodes of independent groups. The default hashes one node after the other.
    ///
    /// # Errors
    /// The errors of [`Hasher::hash_all`].
    fn chain(&self, chains: &mut [Chain<'_>]) -> Result<(), CertError> {
        chain_each(&|input, location| self.hash(input, location), chains)
    }
}

// The hasher's own function is passed as a pointer, so the code below is compiled once and not for every hasher.
type HashOne<'h> = &'h dyn Fn(Input<'_>, Location<'_>) -> Result<Hash, Failure>;

fn hash_one(hash: HashOne<'_>, input: Input<'_>, place: Location<'_>) -> Result<Hash, CertError> {
    hash(input, place).map_err(|source| {
        CertError::new(ErrorCode::HasherFailed, place.path(), "the hasher failed")
            .with_source(source)
    })
}

fn hash_each(hash: HashOne<'_>, jobs: &[Job<'_>], hashes: &mut Vec<Hash>) -> Result<(), CertError> {
    for Job { input, location } in jobs {
        hashes.push(hash_one(hash, *input, *location)?);
    }
    Ok(())
}

fn chain_each(hash: HashOne<'_>, chains: &mut [Chain<'_>]) -> Result<(), CertError> {
    for chain in chains {
        for (back, location) in chain.locations.iter().rev().enumerate() {
            if let Some(input) = chain.input(back) {
                let node = hash_one(hash, input, *location)?;
                chain.put(back, node);
            }
        }
    }
    Ok(())
}

/// Computes the nonces that keep values from being guessed.
pub trait Noncer {
    /// Returns the nonce of a location. Every call for the same location must return the same nonce.
    ///
    /// # Errors
    /// Any failure of the noncer. The failure becomes the source of an error with [`ErrorCode::NoncerFailed`].
    fn nonce(&self, location: Location<'_>) -> Result<Hash, Failure>;

    /// Appends the noncer's string for a step to `prefix`. The result is the [`Location::prefix`] of the group that the step leads to. A
    /// nonce can then be computed without processing the whole path again. The default appends nothing.
    fn extend_prefix(&self, prefix: &mut String, step: Step<'_>) {
        let _ = (prefix, step);
    }

    /// Returns the length of every nonce in UTF-16 code units. `None` if it is not known.
    fn nonce_length(&self) -> Option<usize> {
        None
    }

    /// Returns true if a nonce depends only on [`Location::prefix`] and the position. In this case, the nonces of locations that exist in
    /// every document are computed only once, unless the prefix is long.
    fn path_only(&self) -> bool {
        false
    }

    /// Computes the nonces of some locations and appends them in the order of the locations. The default computes one nonce after the
    /// other.
    ///
    /// # Errors
    /// [`ErrorCode::NoncerFailed`] with the path of the first location that failed.
    fn nonces(&self, locations: &[Location<'_>], nonces: &mut Vec<Hash>) -> Result<(), CertError> {
        nonce_each(&|location| self.nonce(location), locations, nonces)
    }
}

fn nonce_each(
    nonce: &dyn Fn(Location<'_>) -> Result<Hash, Failure>,
    locations: &[Location<'_>],
    nonces: &mut Vec<Hash>,
) -> Result<(), CertError> {
    for location in locations {
        let nonce = nonce(*location);
        nonces.push(nonce.map_err(|source| {
            let path = location.path();
            CertError::new(ErrorCode::NoncerFailed, path, "the noncer failed").with_source(source)
        })?);
    }
    Ok(())
}

/// Returns the nonces of some locations, one for each.
pub(crate) fn nonces(
    noncer: &dyn Noncer,
    locations: &[Location<'_>],
) -> Result<Vec<Hash>, CertError> {
    let mut nonces = Vec::with_capacity(locations.len());
    noncer.nonces(locations, &mut nonces)?;
    if nonces.len() != locations.len() {
        impossible("a noncer appends a nonce for every location");
    }
    Ok(nonces)
}

/// Returns the nonce prefix of a group, computed from its whole path.
pub(crate) fn prefix_of(noncer: &dyn Noncer, group: &[Step<'_>]) -> String {
    let mut prefix = String::new();
    for step in group {
        noncer.extend_prefix(&mut prefix, *step);
    }
    prefix
}

impl<F> Hasher for F
where
    F: Fn(Input<'_>, Location<'_>) -> Result<String, Failure>,
{
    fn hash(&self, input: Input<'_>, location: Location<'_>) -> Result<Hash, Failure> {
        self(input, location).map(Hash::from)
    }
}

impl<F> Noncer for F
where
    F: Fn(Location<'_>) -> Result<String, Failure>,
{
    fn nonce(&self, location: Location<'_>) -> Result<Hash, Failure> {
        self(location).map(Hash::from)
    }
}

impl Hasher for &dyn Hasher {
    fn hash(&self, input: Input<'_>, location: Location<'_>) -> Result<Hash, Failure> {
        (**self).hash(input, location)
    }

    fn hash_length(&self) -> Option<usize> {
        (**self).hash_length()
    }

    fn can_be(&self, text: &[u8]) -> bool {
        (**self).can_be(text)
    }

    fn hash_all(&self, jobs: &[Job<'_>], hashes: &mut Vec<Hash>) -> Result<(), CertError> {
        (**self).hash_all(jobs, hashes)
    }

    fn chain(&self, chains: &mut [Chain<'_>]) -> Result<(), CertError> {
        (**self).chain(chains)
    }
}

/// Implements [`Noncer`] for a pointer to a noncer that is chosen at run time.
macro_rules! noncer_behind {
    ($pointer:ty) => {
        impl Noncer for $pointer {
            fn nonce(&self, location: Location<'_>) -> Result<Hash, Failure> {
                (**self).nonce(location)
            }

            fn extend_prefix(&self, prefix: &mut String, step: Step<'_>) {
                (**self).extend_prefix(prefix, step);
            }

            fn nonce_length(&self) -> Option<usize> {
                (**self).nonce_length()
            }

            fn path_only(&self) -> bool {
                (**self).path_only()
            }

            fn nonces(
                &self,
                locations: &[Location<'_>],
                nonces: &mut Vec<Hash>,
            ) -> Result<(), CertError> {
                (**self).nonces(locations, nonces)
            }
        }
    };
}

noncer_behind!(&dyn Noncer);
noncer_behind!(Box<dyn Noncer>);
