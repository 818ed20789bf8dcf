//! A set of paths, stored as a tree.

use alloc::string::String;
use alloc::vec::Vec;

use crate::invariant::certain;

/// The number of the root branch of a [`Trie`].
pub(crate) const ROOT: usize = 0;

/// The invariant of branch numbers.
const OWN: &str = "branch numbers come from this tree, and branches are never removed";

/// A tree of keys. Branches are identified by number.
#[derive(Debug)]
pub(crate) struct Trie {
    branches: Vec<Branch>,
}

#[derive(Debug, Default)]
pub(crate) struct Branch {
    pub(crate) key: String,
    /// The lowest number of the paths that go through this branch.
    pub(crate) first: usize,
    /// The number of the path that ends at this branch.
    pub(crate) end: Option<usize>,
    /// The branches one step below, ordered by key.
    pub(crate) children: Vec<usize>,
}

impl Trie {
    pub(crate) fn new() -> Self {
        Self {
            branches: Vec::from([Branch::default()]),
        }
    }

    /// Goes one step along the path with this number and returns the branch there. Creates the branch if it is missing. Callers should add
    /// the children of a branch in the order of their keys, because an insertion moves all later children.
    pub(crate) fn step(&mut self, at: usize, key: &str, number: usize) -> usize {
        match self.find(at, key) {
            Ok(child) => {
                let branch = self.branch_mut(child);
                branch.first = branch.first.min(number);
                child
            }
            Err(place) => {
                let new = self.branches.len();
                self.branch_mut(at).children.insert(place, new);
                self.branches.push(Branch {
                    key: key.into(),
                    first: number,
                    ..Branch::default()
                });
                new
            }
        }
    }

    /// Marks the last branch of a path. Returns the number of an earlier path that ends there, or `None` if there is no such path.
    pub(crate) fn end(&mut self, at: usize, number: usize) -> Option<usize> {
        self.branch_mut(at).end.replace(number)
    }

    pub(crate) fn branches(&self) -> &[Branch] {
        &self.branches
    }

    pub(crate) fn branch(&self, at: usize) -> &Branch {
        certain(self.branches.get(at), OWN)
    }

    fn branch_mut(&mut self, at: usize) -> &mut Branch {
        certain(self.branches.get_mut(at), OWN)
    }

    /// Returns the branch one step below, or `None` if there is none.
    pub(crate) fn child(&self, at: usize, key: &str) -> Option<usize> {
        self.find(at, key).ok()
    }

    /// Returns the branch one step below, or the index among the children at which it would be inserted.
    fn find(&self, at: usize, key: &str) -> Result<usize, usize> {
        let children = &self.branch(at).children;
        let key_of = |child: &usize| {
            #[cfg(test)]
            crate::steps::count();
            self.branch(*child).key.as_str()
        };
        let place = children.partition_point(|child| key_of(child) < key);
        match children.get(place) {
            Some(child) if key_of(child) == key => Ok(*child),
            _ => Err(place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn inserted_paths_are_found() {
        let path = |text: &str| -> Vec<String> {
            text.split('/')
                .filter(|key| !key.is_empty())
                .map(ToString::to_string)
                .collect()
        };
        let texts = ["b/a", "a", "b", "a/x/y", "b/a", "c/a", ""];
        let mut trie = Trie::new();
        let mut others = Vec::new();
        for number in [3, 0, 1, 2, 4, 5, 6] {
            let steps = path(texts[number]);
            let end = steps
                .iter()
                .fold(ROOT, |at, key| trie.step(at, key, number));
            others.push(trie.end(end, number));
        }
        assert_eq!(others, [None, None, None, None, Some(0), None, None]);
        let at = |text: &str| {
            path(text)
                .iter()
                .try_fold(ROOT, |at, key| trie.child(at, key))
        };
        let end = |text| at(text).and_then(|at| trie.branch(at).end);
        let ends = texts.map(end);
        assert_eq!(ends, [4, 1, 2, 3, 4, 5, 6].map(Some));
        assert_eq!(end("a/x"), None);
        assert_eq!(at("a/y"), None);
        assert_eq!(at("d"), None);
        let first = |text| at(text).map(|at| trie.branch(at).first);
        assert_eq!(
            [first("b"), first("a"), first("a/x"), first("c")],
            [0, 1, 3, 5].map(Some)
        );
        let root = trie.branch(ROOT);
        let keys: Vec<_> = root
            .children
            .iter()
            .map(|&at| &trie.branches()[at].key)
            .collect();
        assert_eq!(keys, ["a", "b", "c"]);
    }
}
