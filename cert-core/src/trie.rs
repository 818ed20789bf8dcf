//! Paths as a tree, built by sorting them once.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;

use crate::sort;

/// Where the root is in a [`Trie`].
pub(crate) const ROOT: usize = 0;

/// A tree of texts; its branches are known by their number.
#[derive(Debug)]
pub(crate) struct Trie {
    branches: Vec<Branch>,
}

#[derive(Debug, Default)]
pub(crate) struct Branch {
    pub(crate) key: String,
    /// The number of the first path that goes through here.
    pub(crate) first: usize,
    /// The number of a path that ends here, and of another one if there is one.
    pub(crate) end: Option<usize>,
    pub(crate) other_end: Option<usize>,
    /// Ordered by key.
    pub(crate) children: Vec<usize>,
}

impl Trie {
    pub(crate) fn new(paths: &[Vec<String>]) -> Self {
        let mut trie = Self {
            branches: Vec::from([Branch::default()]),
        };
        let order = sort::indexes(paths.len(), &|one, other| match (
            paths.get(one),
            paths.get(other),
        ) {
            (Some(one), Some(other)) => one.cmp(other),
            _ => Ordering::Equal,
        });
        // The branches along the path before, the root's first.
        let mut along = Vec::from([ROOT]);
        let mut before: &[String] = &[];
        for number in order {
            let Some(path) = paths.get(number) else {
                continue;
            };
            let shared = before
                .iter()
                .zip(path)
                .take_while(|(one, other)| one == other)
                .count();
            along.truncate(shared.saturating_add(1));
            for key in path.iter().skip(shared) {
                let branch = Branch {
                    key: key.clone(),
                    first: number,
                    ..Branch::default()
                };
                let new = trie.branches.len();
                if let Some(parent) = along.last().and_then(|&at| trie.branches.get_mut(at)) {
                    parent.children.push(new);
                }
                trie.branches.push(branch);
                along.push(new);
            }
            for &at in &along {
                if let Some(branch) = trie.branches.get_mut(at) {
                    branch.first = branch.first.min(number);
                }
            }
            if let Some(branch) = along.last().and_then(|&at| trie.branches.get_mut(at)) {
                branch.other_end = branch.end;
                branch.end = Some(number);
            }
            before = path;
        }
        trie
    }

    pub(crate) fn branch(&self, at: usize) -> Option<&Branch> {
        self.branches.get(at)
    }

    pub(crate) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The branch one step further.
    pub(crate) fn child(&self, at: usize, key: &str) -> Option<usize> {
        let children = &self.branch(at)?.children;
        let key_of = |at: &usize| self.branch(*at).map_or("", |child| child.key.as_str());
        let found = children
            .binary_search_by(|child| key_of(child).cmp(key))
            .ok()?;
        children.get(found).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn finds_what_was_put_in() {
        let path = |text: &str| -> Vec<String> {
            text.split('/')
                .filter(|key| !key.is_empty())
                .map(ToString::to_string)
                .collect()
        };
        let texts = ["b/a", "a", "b", "a/x/y", "b/a", "c/a", ""];
        let paths: Vec<_> = texts.iter().map(|text| path(text)).collect();
        let trie = Trie::new(&paths);
        let at = |text: &str| {
            path(text)
                .iter()
                .try_fold(ROOT, |at, key| trie.child(at, key))
        };
        for (number, text) in texts.iter().enumerate() {
            let branch = trie.branch(at(text).unwrap()).unwrap();
            assert!(
                [branch.end, branch.other_end].contains(&Some(number)),
                "{text}"
            );
        }
        let ends = |text| {
            at(text)
                .and_then(|at| trie.branch(at))
                .map(|b| (b.end, b.other_end))
        };
        assert_eq!(ends("a/x"), Some((None, None)));
        assert_eq!(ends("b/a"), Some((Some(4), Some(0))));
        assert_eq!(at("a/y"), None);
        assert_eq!(at("d"), None);
        let first = |text| {
            at(text)
                .and_then(|at| trie.branch(at))
                .map(|branch| branch.first)
        };
        assert_eq!(
            [first("b"), first("a"), first("a/x"), first("c"), first("")],
            [0, 1, 3, 5, 0].map(Some)
        );
        assert!(Trie::new(&[]).branch(ROOT).is_some());
    }
}
