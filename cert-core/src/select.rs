//! A set of paths, closed under prefixes, as a tree that a walk can descend along.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::number::Digits;
use crate::path::{Path, Step};

/// The paths to disclose or expose.
///
/// Keys and indexes are matched by their text, as a property access in JavaScript does: `0` and `"0"`
/// name the same element.
#[derive(Debug)]
pub(crate) struct Selection {
    nodes: Vec<Branch>,
}

#[derive(Debug, Default)]
struct Branch {
    /// A path ends here: everything below is selected.
    whole: bool,
    /// In the order in which the paths named them.
    children: Vec<(String, usize)>,
    by_key: BTreeMap<String, usize>,
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
        let mut selection = Self {
            nodes: Vec::from([Branch::default()]),
        };
        for path in paths {
            let mut at = 0;
            for step in path.steps() {
                at = selection.child_or_new(at, step.as_step());
            }
            if let Some(branch) = selection.nodes.get_mut(at) {
                branch.whole = true;
            }
        }
        selection
    }

    fn child_or_new(&mut self, at: usize, step: Step<'_>) -> usize {
        let new = self.nodes.len();
        let Some(branch) = self.nodes.get_mut(at) else {
            return at;
        };
        let key = step.to_string();
        if let Some(&known) = branch.by_key.get(&key) {
            return known;
        }
        branch.children.push((key.clone(), new));
        branch.by_key.insert(key, new);
        self.nodes.push(Branch::default());
        new
    }

    /// What is selected of the root, which every set of paths contains.
    pub(crate) fn root(&self) -> Picked {
        self.picked(0)
    }

    /// What is selected of the value one step below.
    pub(crate) fn child(&self, picked: Picked, step: Step<'_>) -> Picked {
        let Picked::Part(at) = picked else {
            return picked;
        };
        let Some(branch) = self.nodes.get(at) else {
            return Picked::Nothing;
        };
        let child = match step {
            Step::Key(key) => branch.by_key.get(key),
            Step::Index(index) => branch.by_key.get(Digits::new(index).as_str()),
        };
        child.map_or(Picked::Nothing, |&child| self.picked(child))
    }

    /// What the paths name one step below, in their order; nothing in particular if it is everything.
    pub(crate) fn children(&self, picked: Picked) -> impl Iterator<Item = (&str, Picked)> {
        let branch = match picked {
            Picked::Part(at) => self.nodes.get(at),
            Picked::Nothing | Picked::Everything => None,
        };
        branch
            .into_iter()
            .flat_map(|branch| &branch.children)
            .map(|(key, child)| (key.as_str(), self.picked(*child)))
    }

    fn picked(&self, at: usize) -> Picked {
        match self.nodes.get(at) {
            Some(branch) if branch.whole => Picked::Everything,
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
        let keys: Vec<_> = selection.children(root).map(|(key, _)| key).collect();
        assert_eq!(keys, ["a", "c"]);
        assert!(matches!(
            Selection::new(&[Path::root()]).root(),
            Picked::Everything
        ));
        assert!(matches!(Selection::new(&[]).root(), Picked::Part(0)));
    }
}
