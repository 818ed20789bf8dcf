//! Sorting, in one place: those of the standard library are made for speed, and one more for every use.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The indexes below `count`, sorted by what they stand for; equal ones keep their order.
pub(crate) fn indexes(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut sorted = Vec::with_capacity(count);
    for at in 0..count {
        sorted.push(at);
    }
    // What comes in order, as most does, is left as it is.
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

/// The items, sorted; equal ones keep their order.
pub(crate) fn items<T: Copy>(items: &[T], compare: &dyn Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = indexes(
        items.len(),
        &|left, right| match (items.get(left), items.get(right)) {
            (Some(left), Some(right)) => compare(left, right),
            _ => Ordering::Equal,
        },
    );
    let mut sorted = Vec::with_capacity(items.len());
    for at in order {
        if let Some(item) = items.get(at) {
            sorted.push(*item);
        }
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
