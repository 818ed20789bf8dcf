//! Arranges a sheet on pages. Lengths are points, and positions grow to the right and downwards.

use krilla::image::Image;

use crate::code;
use crate::content::{Entry, Node};
use crate::error::PdfError;
use crate::layout::{Face, Layout, Line};
use crate::sheet::{Orientation, Sheet};
use crate::structure::{Element, Leaf, Role, Structure};
use crate::texts::Texts;

/// The most pages of a PDF.
pub const MAX_PAGES: usize = 40;

const MM: f32 = 72.0 / 25.4;
/// A4.
const SHORT_SIDE: f32 = 210.0 * MM;
const LONG_SIDE: f32 = 297.0 * MM;
/// The width of a module of a code. Phones read half a millimetre from a hand's distance.
pub(crate) const MODULE: f32 = 0.5 * MM;
/// The height of a line, relative to the size of its letters, and the part of it above the base line.
const LEADING: f32 = 1.36;
const ASCENT: f32 = 1.02;
/// Labels and notes, values, and the texts of the footer.
const SMALL: f32 = 8.5;
const NORMAL: f32 = 11.0;
const FOOT: f32 = 8.0;
/// Longer values take the whole width. In columns, of which Chinese, Japanese and Korean characters take two.
const LONG: usize = 200;
/// Headings with more columns are set smaller.
const MEDIUM_HEADING: usize = 40;
const LONG_HEADING: usize = 100;
/// Deeper groups are not set further to the right.
const MAX_INDENT: f32 = 24.0 * MM;
const INDENT: f32 = 4.0 * MM;
const GAP: f32 = 6.0 * MM;

/// The colour of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ink {
    Text,
    Quiet,
    Accent,
}

/// Something to draw.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// `y` is the base line.
    Text {
        x: f32,
        y: f32,
        line: Line,
        face: Face,
        ink: Ink,
        /// `None` for the number of a page.
        leaf: Option<Leaf>,
    },
    /// Decoration.
    Rule {
        x: f32,
        y: f32,
        width: f32,
        thickness: f32,
    },
    Picture {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        image: Image,
        leaf: Leaf,
    },
    /// The QR code, at its left and upper corner.
    Code {
        x: f32,
        y: f32,
        side: f32,
        leaf: Leaf,
    },
    /// A place that opens the sheet's link.
    Link {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
        leaf: Leaf,
    },
}

impl Op {
    fn moved(mut self, dx: f32, dy: f32) -> Self {
        match &mut self {
            Self::Text { x, y, .. }
            | Self::Rule { x, y, .. }
            | Self::Picture { x, y, .. }
            | Self::Code { x, y, .. }
            | Self::Link { x, y, .. } => {
                *x += dx;
                *y += dy;
            }
        }
        self
    }
}

/// A part that is not divided between pages. Its operations are relative to its left and upper corner.
#[derive(Clone, Debug, Default)]
struct Block {
    height: f32,
    ops: Vec<Op>,
}

/// The pages of a sheet.
pub(crate) struct Pages {
    pub(crate) width: f32,
    pub(crate) height: f32,
    pub(crate) pages: Vec<Vec<Op>>,
    pub(crate) document: Element,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Align {
    /// At the left, or at the right for text from right to left.
    Start,
    Centre,
}

/// Arranges a sheet. `modules` is the number of modules on a side of its QR code.
pub(crate) fn compose(
    sheet: &Sheet,
    layout: &mut Layout<'_>,
    modules: i32,
) -> Result<Pages, PdfError> {
    let (width, height, side, top) = match sheet.orientation {
        Orientation::Portrait => (SHORT_SIDE, LONG_SIDE, 20.0 * MM, 20.0 * MM),
        Orientation::Landscape => (LONG_SIDE, SHORT_SIDE, 26.0 * MM, 16.0 * MM),
    };
    let mut composer = Composer {
        layout,
        width: width - 2.0 * side,
        columns: match sheet.orientation {
            Orientation::Portrait => 2,
            Orientation::Landscape => 3,
        },
        texts: sheet.texts,
        structure: Structure::default(),
        blocks: Vec::new(),
    };
    composer.head(sheet);
    composer.nodes(&sheet.nodes, 0.0, 2);
    composer.notes(&sheet.notes);
    let foot = composer.foot(sheet, modules);
    let Composer {
        blocks, structure, ..
    } = composer;
    let room = height - 2.0 * top;
    let pages = paginate(blocks, room, foot.height)?;
    let count = pages.len();
    let mut drawn = Vec::with_capacity(count);
    for (index, page) in pages.into_iter().enumerate() {
        let is_last = index.saturating_add(1) == count;
        let used: f32 = page.iter().map(|block| block.height).sum();
        // A single page has its content somewhat above the middle.
        let free = room - used - foot.height;
        let mut y = top
            + if count == 1 {
                free.max(0.0) * 0.35
            } else {
                0.0
            };
        let mut ops = Vec::new();
        for block in page {
            ops.extend(block.ops.into_iter().map(|op| op.moved(side, y)));
            y += block.height;
        }
        if is_last {
            let y = height - top - foot.height;
            ops.extend(foot.ops.iter().cloned().map(|op| op.moved(side, y)));
        }
        if count > 1 {
            let text = format!("{} / {count}", index.saturating_add(1));
            let mut number = Composer {
                layout: &mut *layout,
                width,
                columns: 1,
                texts: sheet.texts,
                structure: Structure::default(),
                blocks: Vec::new(),
            };
            let block = number.text(&text, Type::foot(), width, Align::Centre, None);
            let y = height - 11.5 * MM - block.height;
            ops.extend(block.ops.into_iter().map(|op| op.moved(0.0, y)));
        }
        drawn.push(ops);
    }
    Ok(Pages {
        width,
        height,
        pages: drawn,
        document: structure.finish(),
    })
}

/// Distributes blocks to pages. The last page has room for the footer.
fn paginate(blocks: Vec<Block>, room: f32, foot: f32) -> Result<Vec<Vec<Block>>, PdfError> {
    let mut pages: Vec<Vec<Block>> = vec![Vec::new()];
    let mut used = 0.0;
    for block in blocks {
        if used + block.height > room && used > 0.0 {
            pages.push(Vec::new());
            used = 0.0;
        }
        if pages.len() > MAX_PAGES {
            return Err(PdfError::TooLong);
        }
        used += block.height;
        if let Some(page) = pages.last_mut() {
            page.push(block);
        }
    }
    if used + foot > room && used > 0.0 {
        pages.push(Vec::new());
    }
    if pages.len() > MAX_PAGES {
        return Err(PdfError::TooLong);
    }
    Ok(pages)
}

/// Size, weight and colour of a text.
#[derive(Clone, Copy, Debug)]
struct Type {
    face: Face,
    ink: Ink,
}

impl Type {
    fn of(size: f32, ink: Ink) -> Self {
        Self {
            face: Face {
                size,
                is_bold: false,
            },
            ink,
        }
    }

    fn bold(size: f32, ink: Ink) -> Self {
        Self {
            face: Face {
                size,
                is_bold: true,
            },
            ink,
        }
    }

    fn label() -> Self {
        Self::of(SMALL, Ink::Quiet)
    }

    fn foot() -> Self {
        Self::of(FOOT, Ink::Quiet)
    }
}

struct Composer<'l, 'f> {
    layout: &'l mut Layout<'f>,
    width: f32,
    /// The short fields side by side.
    columns: u8,
    texts: &'static Texts,
    structure: Structure,
    blocks: Vec<Block>,
}

impl Composer<'_, '_> {
    /// Returns a text as a block.
    fn text(
        &mut self,
        text: &str,
        style: Type,
        width: f32,
        align: Align,
        leaf: Option<Leaf>,
    ) -> Block {
        let size = style.face.size;
        let mut block = Block::default();
        for line in self.layout.lines(text, style.face, width) {
            let free = (width - line.width).max(0.0);
            let x = match align {
                Align::Centre => free / 2.0,
                Align::Start if line.is_rtl => free,
                Align::Start => 0.0,
            };
            let y = block.height + size * ASCENT;
            block.height += size * LEADING;
            block.ops.push(Op::Text {
                x,
                y,
                line,
                face: style.face,
                ink: style.ink,
                leaf,
            });
        }
        block
    }

    /// Returns a text as a block, and adds it to the structure as a part of its own.
    fn part(&mut self, role: Role, text: &str, style: Type, width: f32, align: Align) -> Block {
        let leaf = self.structure.part(role, text);
        self.text(text, style, width, align, Some(leaf))
    }

    fn space(&mut self, height: f32) {
        self.blocks.push(Block {
            height,
            ops: Vec::new(),
        });
    }

    /// Adds the lines of a text as blocks of their own, in the middle of the page.
    fn centred(&mut self, role: Role, text: &str, style: Type) {
        let width = self.width * 0.9;
        let block = self.part(role, text, style, width, Align::Centre);
        let offset = (self.width - width) / 2.0;
        self.lines(block, offset, style.face.size * LEADING);
    }

    /// Adds a block of lines of one height, each line by itself.
    fn lines(&mut self, block: Block, x: f32, height: f32) {
        for (index, op) in block.ops.into_iter().enumerate() {
            let y = index as f32 * height;
            self.blocks.push(Block {
                height,
                ops: vec![op.moved(x, -y)],
            });
        }
    }

    /// Adds a picture. `text` is read in its place.
    fn picture(&mut self, image: &Image, text: &str, largest: (f32, f32), align: Align) {
        let leaf = self.structure.part(Role::Figure(text.to_owned()), "");
        let (width, height) = fitted(image, largest);
        let x = match align {
            Align::Centre => (self.width - width) / 2.0,
            Align::Start => 0.0,
        };
        self.blocks.push(Block {
            height,
            ops: vec![Op::Picture {
                x,
                y: 0.0,
                width,
                height,
                image: image.clone(),
                leaf,
            }],
        });
    }

    fn head(&mut self, sheet: &Sheet) {
        if let Some(logo) = &sheet.logo {
            let issuer = sheet.issuer_name.as_ref().or(sheet.issuer_id.as_ref());
            let text = issuer.map_or(sheet.texts.picture, String::as_str);
            self.picture(logo, text, (60.0 * MM, 18.0 * MM), Align::Centre);
            self.space(2.0 * MM);
        }
        if let Some(name) = &sheet.issuer_name {
            self.centred(Role::Paragraph, name, Type::bold(12.0, Ink::Text));
        }
        if let Some(id) = &sheet.issuer_id {
            self.centred(Role::Paragraph, id, Type::of(9.5, Ink::Quiet));
        }
        if !self.blocks.is_empty() {
            self.space(7.0 * MM);
        }
        if let Some(kicker) = &sheet.kicker {
            self.centred(Role::Paragraph, kicker, Type::of(NORMAL, Ink::Quiet));
            self.space(1.0 * MM);
        }
        let length = columns(&sheet.heading);
        let size = if length <= MEDIUM_HEADING {
            26.0
        } else if length <= LONG_HEADING {
            19.0
        } else {
            13.0
        };
        self.centred(
            Role::Heading(1),
            &sheet.heading,
            Type::bold(size, Ink::Text),
        );
        let rule = 26.0 * MM;
        self.space(4.0 * MM);
        self.blocks.push(Block {
            height: 5.0 * MM,
            ops: vec![Op::Rule {
                x: (self.width - rule) / 2.0,
                y: 0.0,
                width: rule,
                thickness: 0.9,
            }],
        });
        if let Some(Entry { label, text }) = &sheet.holder {
            self.structure.open(Role::List);
            self.structure.open(Role::Item);
            if let Some(label) = label {
                self.centred(Role::Label, label, Type::of(9.5, Ink::Quiet));
            }
            let size = if columns(text) > LONG_HEADING {
                13.0
            } else {
                22.0
            };
            self.centred(Role::Body, text, Type::of(size, Ink::Text));
            self.structure.close();
            self.structure.close();
            self.space(5.0 * MM);
        }
        if let Some(description) = &sheet.description {
            self.centred(Role::Paragraph, description, Type::of(NORMAL, Ink::Text));
            self.space(5.0 * MM);
        }
        if let Some(image) = &sheet.image {
            let text = sheet.texts.picture;
            self.picture(image, text, (80.0 * MM, 45.0 * MM), Align::Centre);
            self.space(5.0 * MM);
        }
    }

    fn notes(&mut self, notes: &[String]) {
        if !notes.is_empty() {
            self.space(3.0 * MM);
        }
        for note in notes {
            self.centred(Role::Paragraph, note, Type::label());
        }
    }

    /// Adds fields. Short ones stand side by side. `level` is the level of the next heading.
    fn nodes(&mut self, nodes: &[Node], indent: f32, level: u16) {
        for nodes in nodes.chunk_by(|one, next| is_field(one) == is_field(next)) {
            if nodes.first().is_some_and(is_field) {
                self.structure.open(Role::List);
                self.fields(nodes, indent, level);
                self.structure.close();
            } else {
                for node in nodes {
                    self.wide(node, indent, level);
                }
            }
        }
    }

    /// Adds values and pictures as items of a list.
    fn fields(&mut self, nodes: &[Node], indent: f32, level: u16) {
        let mut short: Vec<&Entry> = Vec::new();
        for node in nodes {
            match node {
                Node::Value(entry)
                    if columns(&entry.text) <= LONG && !entry.text.contains('\n') =>
                {
                    short.push(entry);
                }
                _ => {
                    self.grid(&std::mem::take(&mut short), indent);
                    self.structure.open(Role::Item);
                    self.wide(node, indent, level);
                    self.structure.close();
                }
            }
        }
        self.grid(&short, indent);
    }

    /// Adds short fields in columns.
    fn grid(&mut self, entries: &[&Entry], indent: f32) {
        let columns = f32::from(self.columns);
        let width = (self.width - indent - GAP * (columns - 1.0)) / columns;
        for row in entries.chunks(usize::from(self.columns)) {
            let mut block = Block::default();
            for (index, entry) in row.iter().enumerate() {
                let x = indent + index as f32 * (width + GAP);
                let cell = self.field(entry.label.as_deref(), &entry.text, width);
                block.height = block.height.max(cell.height);
                block
                    .ops
                    .extend(cell.ops.into_iter().map(|op| op.moved(x, 0.0)));
            }
            block.height += 3.0 * MM;
            self.blocks.push(block);
        }
    }

    /// Returns a label above a text.
    fn field(&mut self, label: Option<&str>, text: &str, width: f32) -> Block {
        self.structure.open(Role::Item);
        let mut block = match label {
            Some(label) => self.part(Role::Label, label, Type::label(), width, Align::Start),
            None => Block::default(),
        };
        let style = Type::of(NORMAL, Ink::Text);
        let value = self.part(Role::Body, text, style, width, Align::Start);
        self.structure.close();
        let top = block.height;
        block
            .ops
            .extend(value.ops.into_iter().map(|op| op.moved(0.0, top)));
        block.height += value.height;
        block
    }

    /// Adds a part that takes the whole width.
    fn wide(&mut self, node: &Node, indent: f32, level: u16) {
        let width = self.width - indent;
        match node {
            Node::Value(Entry { label, text }) => {
                self.caption(Role::Label, label.as_deref(), Type::label(), indent);
                let style = Type::of(NORMAL, Ink::Text);
                let block = self.part(Role::Body, text, style, width, Align::Start);
                self.lines(block, indent, NORMAL * LEADING);
                self.space(3.0 * MM);
            }
            Node::Picture(label, image) => {
                self.caption(Role::Label, label.as_deref(), Type::label(), indent);
                let text = label.as_deref().unwrap_or(self.texts.picture);
                self.structure.open(Role::Body);
                self.picture(image, text, (80.0 * MM, 45.0 * MM), Align::Start);
                self.structure.close();
                self.space(3.0 * MM);
            }
            Node::Group(label, nodes) => {
                let style = Type::bold(9.5, Ink::Accent);
                self.caption(Role::Heading(level), label.as_deref(), style, indent);
                let below = if label.is_some() {
                    level.saturating_add(1)
                } else {
                    level
                };
                self.nodes(nodes, deeper(indent), below);
            }
            Node::List(label, nodes) => {
                self.structure.open(Role::List);
                self.caption(Role::Caption, label.as_deref(), Type::label(), indent);
                self.items(nodes, deeper(indent), level);
                self.structure.close();
                self.space(2.0 * MM);
            }
            Node::Table {
                label,
                columns,
                rows,
            } => {
                self.structure.open(Role::Table);
                self.caption(Role::Caption, label.as_deref(), Type::label(), indent);
                self.row(columns, Type::label(), indent, true);
                for row in rows {
                    self.row(row, Type::of(NORMAL - 0.5, Ink::Text), indent, false);
                }
                self.structure.close();
                self.space(3.0 * MM);
            }
        }
    }

    /// Adds the items of a list.
    fn items(&mut self, nodes: &[Node], indent: f32, level: u16) {
        let width = self.width - indent;
        for node in nodes {
            self.structure.open(Role::Item);
            match node {
                Node::Value(entry) => {
                    let style = Type::of(NORMAL, Ink::Text);
                    let bullet = self.part(Role::Label, "–", style, INDENT, Align::Start);
                    let mut block = self.part(Role::Body, &entry.text, style, width, Align::Start);
                    let first = self.blocks.len();
                    // Only a long item is divided between pages.
                    if block.height > 40.0 * NORMAL {
                        self.lines(block, indent, NORMAL * LEADING);
                    } else {
                        block.ops = block
                            .ops
                            .into_iter()
                            .map(|op| op.moved(indent, 0.0))
                            .collect();
                        self.blocks.push(block);
                    }
                    let bullet = bullet.ops.into_iter();
                    if let Some(first) = self.blocks.get_mut(first) {
                        first
                            .ops
                            .extend(bullet.map(|op| op.moved(indent - INDENT, 0.0)));
                    }
                }
                Node::Group(label, nodes) => {
                    let label = label.as_deref().unwrap_or(self.texts.item);
                    let style = Type::bold(9.5, Ink::Accent);
                    self.caption(Role::Label, Some(label), style, indent);
                    self.structure.open(Role::Body);
                    self.nodes(nodes, indent, level);
                    self.structure.close();
                }
                node => {
                    self.structure.open(Role::Body);
                    self.nodes(std::slice::from_ref(node), indent, level);
                    self.structure.close();
                }
            }
            self.structure.close();
        }
    }

    fn caption(&mut self, role: Role, label: Option<&str>, style: Type, indent: f32) {
        if let Some(label) = label {
            let block = self.part(role, label, style, self.width - indent, Align::Start);
            self.lines(block, indent, style.face.size * LEADING);
        }
    }

    /// Adds a row of a table.
    fn row(&mut self, cells: &[String], style: Type, indent: f32, is_head: bool) {
        let count = cells.len().max(1) as f32;
        let width = (self.width - indent - GAP * (count - 1.0)) / count;
        let mut block = Block::default();
        self.structure.open(Role::Row);
        for (index, cell) in cells.iter().enumerate() {
            let x = indent + index as f32 * (width + GAP);
            let role = if is_head { Role::HeadCell } else { Role::Cell };
            let cell = self.part(role, cell, style, width, Align::Start);
            block.height = block.height.max(cell.height);
            block
                .ops
                .extend(cell.ops.into_iter().map(|op| op.moved(x, 0.0)));
        }
        self.structure.close();
        block.height += 2.0;
        block.ops.push(Op::Rule {
            x: indent,
            y: block.height - 1.0,
            width: self.width - indent,
            thickness: if is_head { 0.7 } else { 0.3 },
        });
        self.blocks.push(block);
    }

    /// Returns the end of the sheet: signature, words about checking, and code.
    fn foot(&mut self, sheet: &Sheet, modules: i32) -> Block {
        let side = modules
            .saturating_add(code::QUIET)
            .saturating_add(code::QUIET) as f32
            * MODULE;
        let code_width = side.max(34.0 * MM);
        let sign_width = 46.0 * MM;
        let words_width = self.width - sign_width - code_width - 2.0 * GAP;

        let picture = sheet.signature.as_ref().map(|image| {
            let role = Role::Figure(sheet.texts.signature.to_owned());
            let leaf = self.structure.part(role, "");
            (fitted(image, (sign_width, 16.0 * MM)), image, leaf)
        });
        let signer = if sheet.signer.is_empty() {
            sheet.texts.signature
        } else {
            &sheet.signer
        };
        let role = Role::Paragraph;
        let signer = self.part(role, signer, Type::foot(), sign_width, Align::Centre);
        let sign_height = 18.0 * MM + signer.height;

        let style = Type::of(FOOT, Ink::Text);
        let role = Role::Paragraph;
        let mut words = self.part(role, &sheet.check, style, words_width, Align::Start);
        self.structure.open(Role::Paragraph);
        let leaf = self.structure.part(Role::Link, &sheet.address);
        self.structure.close();
        let (address, style) = (&sheet.address, Type::foot());
        let address = self.text(address, style, words_width, Align::Start, Some(leaf));
        let below = words.height + 1.5 * MM;
        words.ops.push(Op::Link {
            x: 0.0,
            y: below,
            width: words_width,
            height: address.height,
            leaf,
        });
        words
            .ops
            .extend(address.ops.into_iter().map(|op| op.moved(0.0, below)));
        words.height = below + address.height;

        self.structure.open(Role::Paragraph);
        self.structure.open(Role::Link);
        let code_role = Role::Figure(sheet.texts.qr.to_owned());
        let code_leaf = self.structure.part(code_role, "");
        let link_leaf = self.structure.leaf();
        self.structure.close();
        self.structure.close();
        let role = Role::Paragraph;
        let number = self.part(role, &sheet.number, style, code_width, Align::Centre);
        let code_height = side + number.height;

        let above = 6.0 * MM;
        let inner = code_height.max(words.height).max(sign_height);
        let mut ops = Vec::new();
        let mut put = |block: Vec<Op>, x: f32, y: f32| {
            ops.extend(block.into_iter().map(|op| op.moved(x, y)));
        };
        let bottom = above + inner;
        let sign_top = bottom - sign_height;
        if let Some(((width, height), image, leaf)) = picture {
            let image = Op::Picture {
                x: (sign_width - width) / 2.0,
                y: 17.0 * MM - height,
                width,
                height,
                image: image.clone(),
                leaf,
            };
            put(vec![image], 0.0, sign_top);
        }
        let rule = Op::Rule {
            x: 0.0,
            y: 17.5 * MM,
            width: sign_width,
            thickness: 0.6,
        };
        put(vec![rule], 0.0, sign_top);
        put(signer.ops, 0.0, sign_top + 18.0 * MM);
        put(words.ops, sign_width + GAP, bottom - words.height);
        let left = self.width - code_width;
        let corner = (code_width - side) / 2.0;
        let top = bottom - code_height;
        let code = [
            Op::Code {
                x: corner,
                y: 0.0,
                side,
                leaf: code_leaf,
            },
            Op::Link {
                x: corner,
                y: 0.0,
                width: side,
                height: side,
                leaf: link_leaf,
            },
        ];
        put(code.into(), left, top);
        put(number.ops, left, top + side);
        Block {
            height: bottom,
            ops,
        }
    }
}

/// Returns width and height of a picture that fills a rectangle as far as its proportions allow. Pictures are not enlarged beyond 72 pixels an inch.
fn fitted(image: &Image, (width, height): (f32, f32)) -> (f32, f32) {
    let (across, down) = image.size();
    let (across, down) = (across as f32, down as f32);
    let scale = (width / across).min(height / down).min(1.0);
    (across * scale, down * scale)
}

/// Returns true for nodes that have a label and one value.
fn is_field(node: &Node) -> bool {
    matches!(node, Node::Value(_) | Node::Picture(..))
}

/// Returns the length of a text. Wide characters (UAX #11) take two columns.
fn columns(text: &str) -> usize {
    let is_wide = |char: &char| matches!(char, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff01}'..='\u{ff60}' | '\u{20000}'..='\u{3fffd}');
    let wide = text.chars().filter(is_wide).count();
    text.chars().count().saturating_add(wide)
}

fn deeper(indent: f32) -> f32 {
    (indent + INDENT).min(MAX_INDENT)
}
