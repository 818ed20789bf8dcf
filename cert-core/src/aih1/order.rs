//! The order of an array's elements in its group: by the decimal text of their index. For twelve elements the order is 0, 1, 10, 11, 2,
//! …, 9.
//!
//! Finding an index or a position takes a few steps, even in a long array.

use alloc::vec::Vec;

/// Returns the index after `index` in the text order of an array of `length` elements. The first index is 0. Returns `None` after the last
/// index.
fn next(index: usize, length: usize) -> Option<usize> {
    let longer = index.checked_mul(10).filter(|longer| *longer < length);
    if index > 0 && longer.is_some() {
        return longer;
    }
    let mut shorter = index;
    loop {
        let after = shorter.checked_add(1)?;
        if after.wrapping_rem(10) != 0 && after < length {
            return Some(after);
        }
        shorter = shorter.wrapping_div(10);
        if shorter == 0 {
            return None;
        }
    }
}

/// Returns all indexes of an array in the order of their positions.
pub(crate) fn indexes(length: usize) -> Vec<usize> {
    let mut indexes = Vec::with_capacity(length);
    indexes.extend(iter(length));
    indexes
}

/// Iterates over all indexes of an array in the order of their positions.
pub(crate) fn iter(length: usize) -> impl Iterator<Item = usize> {
    let first = (length > 0).then_some(0);
    core::iter::successors(first, move |index| next(*index, length))
}

/// Returns the position of `index` in the text order of an array of `length` elements; `None` if `index` is out of range.
pub(crate) fn position(index: usize, length: usize) -> Option<usize> {
    if index >= length {
        return None;
    }
    if length <= 10 {
        return Some(index);
    }
    // For each number of digits, count the numbers below `length` whose text comes before the text of `index`.
    let mut position = 0_usize;
    let mut floor = 0_usize; // the smallest number with that many digits; 0 has one digit
    let mut bound = index; // `index`, cut or padded with zeros to that many digits
    let mut digits = index.checked_ilog10().unwrap_or(0);
    for _ in 0..digits {
        bound = bound.wrapping_div(10);
    }
    loop {
        // A shorter text that is a prefix of `index` also comes before `index`.
        let prefix = usize::from(digits > 0);
        let end = bound.saturating_add(prefix).min(length);
        position = position.saturating_add(end.saturating_sub(floor));
        floor = if floor == 0 {
            10
        } else {
            floor.saturating_mul(10)
        };
        if floor >= length {
            return Some(position);
        }
        if let Some(rest) = digits.checked_sub(1) {
            digits = rest;
            bound = index;
            for _ in 0..rest {
                bound = bound.wrapping_div(10);
            }
        } else {
            bound = bound.saturating_mul(10);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    /// Returns the order by its definition: the indexes sorted as texts.
    fn order(length: usize) -> Vec<usize> {
        let mut indexes: Vec<usize> = (0..length).collect();
        indexes.sort_by_key(ToString::to_string);
        indexes
    }

    #[test]
    fn positions_equal_those_of_sorted_texts() {
        for length in (0..=130).chain([999, 1000, 1001, 1002, 1009, 1010, 1011, 1999, 2345]) {
            let expected = order(length);
            assert_eq!(indexes(length), expected, "length {length}");
            for (place, &index) in expected.iter().enumerate() {
                assert_eq!(position(index, length), Some(place), "{index} of {length}");
            }
            assert_eq!(position(length, length), None);
        }
    }

    #[test]
    fn the_largest_lengths_do_not_overflow() {
        assert!(position(usize::MAX.wrapping_sub(1), usize::MAX).is_some());
        assert_eq!(
            position(9, usize::MAX).map(|p| p > usize::MAX.wrapping_div(2)),
            Some(true)
        );
        assert_eq!(
            next(usize::MAX.wrapping_sub(1), usize::MAX),
            Some(1_844_674_407_370_955_162)
        );
        assert_eq!(next(usize::MAX, usize::MAX), None);
    }
}
