//! A set of paths, closed under prefixes, as a tree that a walk can descend along.

use alloc::vec::Vec;

use crate::json::number::Digits;
use crate::json::path::{Path, PathStep, Step};
use crate::json::sort;
use crate::json::str::Str;
use crate::json::trie::{Branch, ROOT, Trie};

/// The paths to disclose or expose.
///
/// Keys and indexes are matched by their text, as a property access in JavaScript does: `0` and `"0"`
/// name the same element.
#[derive(Debug)]
pub(crate) struct Selection {
    trie: Trie,
}

/// How much of a value is selected.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Picked {
    Nothing,
    /// Some of what the value contains; the number is the selection's own.
    Part(usize),
    Everything,
}

impl Picked {
    /// Whether the value itself is selected, as a member of its group.
    pub(crate) fn any(self) -> bool {
        !matches!(self, Self::Nothing)
    }
}

impl Selection {
    pub(crate) fn new(paths: &[Path]) -> Self {
        let mut all = Vec::with_capacity(paths.len());
        for path in paths {
            all.push(path);
        }
        Self::of(&all)
    }

    pub(crate) fn of(paths: &[&Path]) -> Self {
        let mut texts = Vec::with_capacity(paths.len());
        for path in paths {
            let mut text: Vec<Str> = Vec::with_capacity(path.steps().len());
            for step in path.steps() {
                text.push(match step {
                    PathStep::Key(key) => key.clone(),
                    PathStep::Index(index) => Digits::new(*index).as_str().into(),
                });
            }
            texts.push(text);
        }
        let order = sort::indexes(texts.len(), &|one, other| {
            texts.get(one).cmp(&texts.get(other))
        });
        let mut trie = Trie::new();
        for number in order {
            let mut at = ROOT;
            for key in texts.get(number).into_iter().flatten() {
                at = trie.step(at, key, number);
            }
            trie.end(at, number);
        }
        Self { trie }
    }

    /// What is selected of the root, which every set of paths contains.
    pub(crate) fn root(&self) -> Picked {
        self.picked(ROOT)
    }

    /// What is selected of the value one step below.
    pub(crate) fn child(&self, picked: Picked, step: Step<'_>) -> Picked {
        let Picked::Part(at) = picked else {
            return picked;
        };
        let child = match step {
            Step::Key(key) => self.trie.child(at, key),
            Step::Index(index) => self.trie.child(at, Digits::new(index).as_str()),
        };
        child.map_or(Picked::Nothing, |child| self.picked(child))
    }

    /// What the paths name one step below, in their order; nothing in particular if it is everything.
    pub(crate) fn children(&self, picked: Picked) -> Vec<(&str, Picked)> {
        let branch = match picked {
            Picked::Part(at) => self.trie.branch(at),
            Picked::Nothing | Picked::Everything => None,
        };
        let children = branch.map_or(&[][..], |branch| &branch.children);
        let child = |at: usize| -> Option<(usize, &Branch)> {
            let child = *children.get(at)?;
            Some((child, self.trie.branch(child)?))
        };
        let first = |at: usize| child(at).map(|(_, branch)| branch.first);
        let order = sort::indexes(children.len(), &|one, other| first(one).cmp(&first(other)));
        let mut found = Vec::with_capacity(order.len());
        for at in order {
            if let Some((child, branch)) = child(at) {
                found.push((branch.key.as_str(), self.picked(child)));
            }
        }
        found
    }

    fn picked(&self, at: usize) -> Picked {
        match self.trie.branch(at) {
            Some(branch) if branch.end.is_some() => Picked::Everything,
            Some(_) => Picked::Part(at),
            None => Picked::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_under_prefixes_and_open_below() {
        let paths = [
            Path::from(["a", "b"]),
            Path::from(["c", "0"]),
            Path::from(["a", "b", "d"]),
        ];
        let selection = Selection::new(&paths);
        let root = selection.root();
        assert!(matches!(root, Picked::Part(0)));
        let a = selection.child(root, Step::Key("a"));
        assert!(matches!(a, Picked::Part(_)));
        let b = selection.child(a, Step::Key("b"));
        assert!(matches!(b, Picked::Everything));
        assert!(matches!(
            selection.child(b, Step::Index(3)),
            Picked::Everything
        ));
        assert!(!selection.child(a, Step::Key("c")).any());
        let c = selection.child(root, Step::Key("c"));
        assert!(selection.child(c, Step::Index(0)).any());
        assert!(!selection.child(c, Step::Key("00")).any());
        let keys: Vec<_> = selection
            .children(root)
            .into_iter()
            .map(|(key, _)| key)
            .collect();
        assert_eq!(keys, ["a", "c"]);
        assert!(matches!(
            Selection::new(&[Path::root()]).root(),
            Picked::Everything
        ));
        assert!(matches!(Selection::new(&[]).root(), Picked::Part(0)));
    }
}
