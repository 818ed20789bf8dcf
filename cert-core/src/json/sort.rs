//! The crate's only sort. The standard library's sort takes more code, because it is optimized for speed and compiled again for every use.

use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::invariant::certain;

/// Returns the indexes below `count`, sorted with `compare`, which compares the items at two indexes. Equal items keep their order.
pub(crate) fn indexes(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted = Vec::with_capacity(count);
    for at in 0..count {
        sorted.push(at);
    }
    // Most inputs are already sorted.
    if sorted.is_sorted_by(|&one, &other| compare(one, other).is_le()) {
        return sorted;
    }
    let mut width = 1_usize;
    while width < count {
        let mut merged = Vec::with_capacity(count);
        let mut rest = sorted.as_slice();
        while !rest.is_empty() {
            let (mut left, after) = rest.split_at_checked(width).unwrap_or((rest, &[]));
            let (mut right, after) = after.split_at_checked(width).unwrap_or((after, &[]));
            rest = after;
            while let (Some((&one, ones)), Some((&other, others))) =
                (left.split_first(), right.split_first())
            {
                if compare(one, other).is_le() {
                    merged.push(one);
                    left = ones;
                } else {
                    merged.push(other);
                    right = others;
                }
            }
            merged.extend_from_slice(left);
            merged.extend_from_slice(right);
        }
        sorted = merged;
        width = width.saturating_mul(2);
    }
    sorted
}

/// Returns the items, sorted. Equal items keep their order.
pub(crate) fn items<T: Copy>(items: &[T], compare: &dyn Fn(&T, &T) -> Ordering) -> Vec<T> {
    let item = |at: usize| certain(items.get(at), "`indexes` gives numbers below the count");
    let mut sorted = Vec::with_capacity(items.len());
    for at in indexes(items.len(), &|one, other| compare(item(one), item(other))) {
        sorted.push(*item(at));
    }
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let numbers: Vec<(u8, usize)> = (0..200_u8).map(|n| (n % 7, usize::from(n))).collect();
        let mut expected = numbers.clone();
        expected.sort_by_key(|(key, _)| *key);
        assert_eq!(items(&numbers, &|one, other| one.0.cmp(&other.0)), expected);
        assert_eq!(indexes(0, &|_, _| Ordering::Equal), Vec::<usize>::new());
    }
}
