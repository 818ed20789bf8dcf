//! Sorting, in one place: every other sort of the standard library would be compiled once more.

use alloc::vec::Vec;
use core::cmp::Ordering;

/// The indexes below `count`, sorted by what they stand for; equal ones keep their order.
pub(crate) fn indexes(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indexes: Vec<usize> = (0..count).collect();
    indexes.sort_unstable_by(|&left, &right| compare(left, right).then(left.cmp(&right)));
    indexes
}

/// The items, sorted; equal ones keep their order.
pub(crate) fn items<T>(items: Vec<T>, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let order = indexes(
        items.len(),
        &|left, right| match (items.get(left), items.get(right)) {
            (Some(left), Some(right)) => compare(left, right),
            _ => Ordering::Equal,
        },
    );
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    order
        .into_iter()
        .filter_map(|at| items.get_mut(at)?.take())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_order() {
        let numbers: Vec<(u8, usize)> = (0..200_u8).map(|n| (n % 7, usize::from(n))).collect();
        let mut expected = numbers.clone();
        expected.sort_by_key(|(key, _)| *key);
        assert_eq!(items(numbers, |one, other| one.0.cmp(&other.0)), expected);
        assert_eq!(indexes(0, &|_, _| Ordering::Equal), Vec::<usize>::new());
    }
}
