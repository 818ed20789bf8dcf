//! The values in attached evidence, each with its path.

use alloc::vec::Vec;
use core::mem;

use serde::ser::{Serialize, Serializer};

use crate::aih2::message::{malformed, refusal};
use crate::aih2::strict;
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep, Step};
use crate::json::sort;
use crate::json::value::{MAX_JSON_DEPTH, Value, too_deep};

/// A value in attached evidence.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Pair {
    pub(super) path: Path,
    pub(super) value: Value,
}

impl Serialize for Pair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.path, &self.value).serialize(serializer)
    }
}

/// Reads pairs of a path and a value, and sorts them by path.
pub(super) fn read_pairs(values: &Value) -> Result<Vec<Pair>, CertError> {
    let at = Step::Key("values");
    let array = values
        .as_array()
        .ok_or_else(|| malformed(&[at], "`values` must be a list of pairs"))?;
    let mut pairs = Vec::with_capacity(array.len());
    for (index, pair) in array.iter().enumerate() {
        let here = [at, Step::Index(index)];
        let pair = pair.as_array().map(|pair| pair.as_slice());
        let Some([path, value]) = pair else {
            return Err(malformed(
                &here,
                "a pair must be a list of a path and a value",
            ));
        };
        let path = Path::from_value(path)
            .ok_or_else(|| malformed(&here, "a path must be a list of keys and indexes"))?;
        strict::check(value).map_err(|error| error.below_all(path.steps()))?;
        if path.steps().len().saturating_add(value.depth()) > MAX_JSON_DEPTH {
            return Err(too_deep());
        }
        let value = value.clone();
        pairs.push(Pair { path, value });
    }
    let sorted = sorted(pairs);
    for (one, other) in sorted.iter().zip(sorted.iter().skip(1)) {
        // In this order, a path is followed directly by the paths inside it.
        if other.path.steps().starts_with(one.path.steps()) {
            return Err(refusal(
                ErrorCode::EvidenceMalformed,
                other.path.clone(),
                "this path is repeated in `values`, or lies inside another path",
            ));
        }
    }
    Ok(sorted)
}

/// Returns the pairs in the order of their paths.
pub(super) fn sorted(mut pairs: Vec<Pair>) -> Vec<Pair> {
    let by_path = |one: usize, other: usize| {
        let path = |at: usize| pairs.get(at).map(|pair| &pair.path);
        path(one).cmp(&path(other))
    };
    let order = sort::indexes(pairs.len(), &by_path);
    let mut sorted = Vec::with_capacity(pairs.len());
    for at in order {
        sorted.extend(pairs.get_mut(at).map(mem::take));
    }
    sorted
}

/// The pairs at and below a place. All their paths begin with the path of the place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs<'a> {
    pairs: &'a [Pair],
    depth: usize,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(pairs: &'a [Pair]) -> Self {
        Self { pairs, depth: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Returns the value of the place itself, or `None` if no pair gives it. A place that has a value has no pairs below it.
    pub(super) fn value(&self) -> Option<&'a Value> {
        let pair = self.pairs.first()?;
        (pair.path.steps().len() == self.depth).then_some(&pair.value)
    }

    /// Returns true if a key is the next step in the path of a pair.
    pub(super) fn have_key(&self) -> bool {
        let next = |pair: &'a Pair| pair.path.steps().get(self.depth);
        // Keys come before indexes.
        matches!(self.pairs.first().and_then(next), Some(PathStep::Key(_)))
    }

    /// Returns the pairs at and below the place that `step` leads to.
    pub(super) fn child(&self, step: Step<'_>) -> Self {
        let next = |pair: &Pair| {
            let next = pair.path.steps().get(self.depth).map(PathStep::as_step);
            next.map(|next| next.cmp(&step))
        };
        let from = self
            .pairs
            .partition_point(|pair| next(pair).is_none_or(|order| order.is_lt()));
        let to = self
            .pairs
            .partition_point(|pair| next(pair).is_none_or(|order| order.is_le()));
        Self {
            pairs: self.pairs.get(from..to).unwrap_or_default(),
            depth: self.depth.saturating_add(1),
        }
    }
}
