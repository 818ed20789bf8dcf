//! The structure of a sheet for readers that speak or reflow it: its parts in the order in which a person reads them aloud (ISO 32000-1, 14.8).

use std::collections::BTreeMap;
use std::num::NonZeroU16;

use krilla::tagging::{
    BBox, Identifier, ListNumbering, Node, TableHeaderScope, Tag, TagGroup, TagKind, TagTree,
};

use crate::fonts::language_of;

/// The most characters of a heading in a list of headings.
const MAX_TITLE: usize = 200;

/// The kind of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Document,
    Paragraph,
    /// With its level. Levels are not skipped.
    Heading(u16),
    List,
    /// Has a label, a body or both.
    Item,
    Label,
    Body,
    Table,
    Caption,
    Row,
    HeadCell,
    Cell,
    Link,
    /// With the text that is read in its place.
    Figure(String),
}

/// A piece of content: a text, a picture or the place of a link. It may be divided between pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Leaf(usize);

#[derive(Debug)]
enum Child {
    Element(Element),
    Leaf(Leaf),
}

/// A part with its parts.
#[derive(Debug)]
pub(crate) struct Element {
    role: Role,
    language: Option<&'static str>,
    /// The text of a heading, for lists of headings.
    title: Option<String>,
    children: Vec<Child>,
}

impl Element {
    fn of(role: Role) -> Self {
        Self {
            role,
            language: None,
            title: None,
            children: Vec::new(),
        }
    }
}

/// Collects the parts of a document in reading order.
#[derive(Debug)]
pub(crate) struct Structure {
    root: Element,
    /// The parts that are not complete, from the outer to the inner one.
    open: Vec<Element>,
    leaves: usize,
}

impl Default for Structure {
    fn default() -> Self {
        Self {
            root: Element::of(Role::Document),
            open: Vec::new(),
            leaves: 0,
        }
    }
}

impl Structure {
    /// Starts a part. It gets the following parts until [`Self::close`].
    pub(crate) fn open(&mut self, role: Role) {
        self.open.push(Element::of(role));
    }

    /// Completes the part that was opened last.
    pub(crate) fn close(&mut self) {
        if let Some(element) = self.open.pop() {
            self.push(Child::Element(element));
        }
    }

    /// Adds a part with one piece of content. `text` is what it shows or says.
    pub(crate) fn part(&mut self, role: Role, text: &str) -> Leaf {
        let mut element = Element::of(role);
        element.language = language_of(text);
        if matches!(element.role, Role::Heading(_)) {
            element.title = Some(text.chars().take(MAX_TITLE).collect());
        }
        let leaf = self.next();
        element.children.push(Child::Leaf(leaf));
        self.push(Child::Element(element));
        leaf
    }

    /// Adds a piece of content to the open part.
    pub(crate) fn leaf(&mut self) -> Leaf {
        let leaf = self.next();
        self.push(Child::Leaf(leaf));
        leaf
    }

    fn next(&mut self) -> Leaf {
        let leaf = Leaf(self.leaves);
        self.leaves = self.leaves.saturating_add(1);
        leaf
    }

    fn push(&mut self, child: Child) {
        let parent = self.open.last_mut().unwrap_or(&mut self.root);
        parent.children.push(child);
    }

    /// Returns the whole document.
    pub(crate) fn finish(mut self) -> Element {
        while !self.open.is_empty() {
            self.close();
        }
        self.root
    }
}

/// Where pieces of content were drawn.
#[derive(Default)]
pub(crate) struct Drawn {
    /// The marked sequences of each piece.
    marks: BTreeMap<Leaf, Vec<Identifier>>,
    /// The places of pictures.
    boxes: BTreeMap<Leaf, BBox>,
}

impl Drawn {
    pub(crate) fn mark(&mut self, leaf: Leaf, identifier: Identifier) {
        self.marks.entry(leaf).or_default().push(identifier);
    }

    pub(crate) fn place(&mut self, leaf: Leaf, place: BBox) {
        self.boxes.insert(leaf, place);
    }

    /// Returns the tags of a document. `language` is the language of the sheet's own words.
    pub(crate) fn tree(&self, document: Element, language: &str) -> TagTree {
        let mut tree = TagTree::new().with_lang(Some(language.to_owned()));
        for node in self.nodes(document.children) {
            tree.push(node);
        }
        tree
    }

    fn nodes(&self, children: Vec<Child>) -> Vec<Node> {
        let mut nodes = Vec::with_capacity(children.len());
        for child in children {
            match child {
                Child::Element(element) => nodes.push(self.group(element).into()),
                Child::Leaf(leaf) => {
                    let marks = self.marks.get(&leaf).into_iter().flatten();
                    nodes.extend(marks.map(|mark| Node::from(*mark)));
                }
            }
        }
        nodes
    }

    fn group(&self, element: Element) -> TagGroup {
        let place = element.children.iter().find_map(|child| match child {
            Child::Leaf(leaf) => self.boxes.get(leaf).copied(),
            Child::Element(_) => None,
        });
        let tag: TagKind = match element.role {
            Role::Document => Tag::Div.into(),
            Role::Paragraph => Tag::P.into(),
            Role::Heading(level) => {
                let level = NonZeroU16::new(level).unwrap_or(NonZeroU16::MIN);
                Tag::Hn(level, element.title).into()
            }
            Role::List => Tag::L(ListNumbering::None).into(),
            Role::Item => Tag::LI.into(),
            Role::Label => Tag::Lbl.into(),
            Role::Body => Tag::LBody.into(),
            Role::Table => Tag::Table.into(),
            Role::Caption => Tag::Caption.into(),
            Role::Row => Tag::TR.into(),
            Role::HeadCell => Tag::TH(TableHeaderScope::Column).into(),
            Role::Cell => Tag::TD.into(),
            Role::Link => Tag::Link.into(),
            Role::Figure(text) => Tag::Figure(Some(text)).with_bbox(place).into(),
        };
        let language = element.language.map(str::to_owned);
        TagGroup::with_children(tag.with_lang(language), self.nodes(element.children))
    }
}
