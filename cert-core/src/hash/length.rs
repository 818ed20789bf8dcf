//! Requires one length for all hashes of a `Cert`.
//!
//! The text of a leaf or a node is the concatenation of two strings. If hashes had several lengths, such a text could be split at a
//! different position and read as a different pair (`aih1/closing.rs`).

use alloc::vec::Vec;
use core::sync::atomic::{AtomicUsize, Ordering};

use crate::aih1::Input;
use crate::error::{CertError, ErrorCode};
use crate::hash::text::Hash;
use crate::hash::{Chain, Hasher, Job, Location};
use crate::invariant::{certain, impossible};
use crate::json::utf16;

/// The length of a `Cert`'s hashes in UTF-16 code units. The first hash fixes it. Before that, the number is 0, which cannot be a length
/// because no hash is empty.
#[derive(Debug, Default)]
pub(crate) struct HashLength(AtomicUsize);

impl HashLength {
    fn get(&self) -> Option<usize> {
        let length = self.0.load(Ordering::Relaxed);
        (length > 0).then_some(length)
    }

    /// Fixes the length unless it is fixed already, and returns the fixed length.
    fn fix(&self, length: usize) -> usize {
        // No other memory depends on the number, so the order of accesses does not matter.
        let fixed = self
            .0
            .compare_exchange(0, length, Ordering::Relaxed, Ordering::Relaxed);
        fixed.err().unwrap_or(length)
    }
}

/// A hasher and the one length of its hashes: the declared length, or else the length of the `Cert`'s first hash.
#[derive(Clone, Copy)]
pub(crate) struct OneLength<'c> {
    hasher: &'c dyn Hasher,
    fixed: &'c HashLength,
}

impl<'c> OneLength<'c> {
    pub(crate) fn new(hasher: &'c dyn Hasher, fixed: &'c HashLength) -> Self {
        Self { hasher, fixed }
    }

    /// Hashes independent jobs and appends a hash for each.
    ///
    /// # Errors
    /// [`ErrorCode::HasherFailed`], and [`ErrorCode::HashLength`] with the path of the first hash that is empty or has a different length.
    pub(crate) fn hash_all(
        &self,
        jobs: &[Job<'_>],
        hashes: &mut Vec<Hash>,
    ) -> Result<(), CertError> {
        let before = hashes.len();
        self.hasher.hash_all(jobs, hashes)?;
        let new = hashes.get(before..).unwrap_or_default();
        if new.len() != jobs.len() {
            impossible("a hasher appends a hash for every job");
        }
        let mut each = new.iter().zip(jobs);
        each.try_for_each(|(hash, job)| self.check(hash, job.location))
    }

    /// Hashes one input.
    ///
    /// # Errors
    /// The errors of [`Self::hash_all`].
    pub(crate) fn hash(&self, input: Input<'_>, location: Location<'_>) -> Result<Hash, CertError> {
        let mut hashes = Vec::with_capacity(1);
        self.hash_all(&[Job { input, location }], &mut hashes)?;
        Ok(certain(hashes.pop(), "a job has a hash"))
    }

    /// Hashes the nodes of independent groups.
    ///
    /// # Errors
    /// The errors of [`Self::hash_all`].
    pub(crate) fn chain(&self, chains: &mut [Chain<'_>]) -> Result<(), CertError> {
        self.hasher.chain(chains)?;
        for chain in chains {
            // The last node is hashed first.
            let mut each = chain.nodes.iter().zip(chain.locations).rev();
            each.try_for_each(|(node, location)| self.check(node, *location))?;
        }
        Ok(())
    }

    /// Returns true if a text in evidence, given as bytes, can be a hash. Before the length is fixed, the text may have any length except 0.
    pub(crate) fn can_be(&self, text: &[u8]) -> bool {
        let has_length = |length| utf16::length(text) == length;
        !text.is_empty() && self.hasher.can_be(text) && self.length().is_none_or(has_length)
    }

    /// Returns true if the length is known.
    pub(crate) fn is_fixed(&self) -> bool {
        self.length().is_some()
    }

    fn length(&self) -> Option<usize> {
        self.hasher.hash_length().or_else(|| self.fixed.get())
    }

    fn check(&self, hash: &Hash, location: Location<'_>) -> Result<(), CertError> {
        if !hash.is_known() {
            return Ok(());
        }
        let length = utf16::length(hash.as_bytes());
        let declared = self.hasher.hash_length();
        let fixed = declared.unwrap_or_else(|| self.fixed.fix(length));
        if length == fixed && length > 0 {
            return Ok(());
        }
        Err(refusal(location))
    }
}

#[cold]
fn refusal(location: Location<'_>) -> CertError {
    CertError::new(
        ErrorCode::HashLength,
        location.path(),
        "the hasher returned an empty hash, or a hash whose length differs from that of its other hashes",
    )
}
