//! Arranges a sheet on pages. Lengths are points, and positions grow to the right and downwards.

use krilla::image::Image;

use crate::code;
use crate::content::{Entry, Node};
use crate::error::PdfError;
use crate::layout::{Face, Layout, Line};
use crate::sheet::{Orientation, Sheet};

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
/// Longer values, in characters, take the whole width.
const LONG: usize = 200;
/// Headings with more characters are set smaller.
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
        size: f32,
        ink: Ink,
    },
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
    },
    /// The QR code, at its left and upper corner.
    Code { x: f32, y: f32 },
    /// A place that opens the sheet's link.
    Link {
        x: f32,
        y: f32,
        width: f32,
        height: f32,
    },
}

impl Op {
    fn moved(mut self, dx: f32, dy: f32) -> Self {
        match &mut self {
            Self::Text { x, y, .. }
            | Self::Rule { x, y, .. }
            | Self::Picture { x, y, .. }
            | Self::Code { x, y }
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
        item: sheet.texts.item,
        blocks: Vec::new(),
    };
    composer.head(sheet);
    composer.nodes(&sheet.nodes, 0.0);
    composer.notes(&sheet.notes);
    let foot = composer.foot(sheet, modules);
    let blocks = composer.blocks;
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
                item: "",
                blocks: Vec::new(),
            };
            let block = number.text(&text, Type::foot(), width, Align::Centre);
            let y = height - 11.5 * MM - block.height;
            ops.extend(block.ops.into_iter().map(|op| op.moved(0.0, y)));
        }
        drawn.push(ops);
    }
    Ok(Pages {
        width,
        height,
        pages: drawn,
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
    /// The name of a list's item without a title.
    item: &'static str,
    blocks: Vec<Block>,
}

impl Composer<'_, '_> {
    /// Returns a text as a block.
    fn text(&mut self, text: &str, style: Type, width: f32, align: Align) -> Block {
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
                size,
                ink: style.ink,
            });
        }
        block
    }

    fn space(&mut self, height: f32) {
        self.blocks.push(Block {
            height,
            ops: Vec::new(),
        });
    }

    /// Adds the lines of a text as blocks of their own, in the middle of the page.
    fn centred(&mut self, text: &str, style: Type) {
        let width = self.width * 0.9;
        let block = self.text(text, style, width, Align::Centre);
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

    fn picture(&mut self, image: &Image, largest: (f32, f32), align: Align) {
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
            }],
        });
    }

    fn head(&mut self, sheet: &Sheet) {
        if let Some(logo) = &sheet.logo {
            self.picture(logo, (60.0 * MM, 18.0 * MM), Align::Centre);
            self.space(2.0 * MM);
        }
        if let Some(name) = &sheet.issuer_name {
            self.centred(name, Type::bold(12.0, Ink::Text));
        }
        if let Some(id) = &sheet.issuer_id {
            self.centred(id, Type::of(9.5, Ink::Quiet));
        }
        if !self.blocks.is_empty() {
            self.space(7.0 * MM);
        }
        if let Some(kicker) = &sheet.kicker {
            self.centred(kicker, Type::of(NORMAL, Ink::Quiet));
            self.space(1.0 * MM);
        }
        let length = sheet.heading.chars().count();
        let size = if length <= MEDIUM_HEADING {
            26.0
        } else if length <= LONG_HEADING {
            19.0
        } else {
            13.0
        };
        self.centred(&sheet.heading, Type::bold(size, Ink::Text));
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
            if let Some(label) = label {
                self.centred(label, Type::of(9.5, Ink::Quiet));
            }
            let size = if text.chars().count() > LONG_HEADING {
                13.0
            } else {
                22.0
            };
            self.centred(text, Type::of(size, Ink::Text));
            self.space(5.0 * MM);
        }
        if let Some(description) = &sheet.description {
            self.centred(description, Type::of(NORMAL, Ink::Text));
            self.space(5.0 * MM);
        }
        if let Some(image) = &sheet.image {
            self.picture(image, (80.0 * MM, 45.0 * MM), Align::Centre);
            self.space(5.0 * MM);
        }
    }

    fn notes(&mut self, notes: &[String]) {
        if !notes.is_empty() {
            self.space(3.0 * MM);
        }
        for note in notes {
            self.centred(note, Type::label());
        }
    }

    /// Adds fields. Short ones stand side by side.
    fn nodes(&mut self, nodes: &[Node], indent: f32) {
        let mut short: Vec<&Entry> = Vec::new();
        for node in nodes {
            match node {
                Node::Value(entry)
                    if entry.text.chars().count() <= LONG && !entry.text.contains('\n') =>
                {
                    short.push(entry);
                }
                _ => {
                    self.grid(&std::mem::take(&mut short), indent);
                    self.wide(node, indent);
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
        let mut block = match label {
            Some(label) => self.text(label, Type::label(), width, Align::Start),
            None => Block::default(),
        };
        let value = self.text(text, Type::of(NORMAL, Ink::Text), width, Align::Start);
        let top = block.height;
        block
            .ops
            .extend(value.ops.into_iter().map(|op| op.moved(0.0, top)));
        block.height += value.height;
        block
    }

    /// Adds a part that takes the whole width.
    fn wide(&mut self, node: &Node, indent: f32) {
        let width = self.width - indent;
        match node {
            Node::Value(Entry { label, text }) => {
                self.caption(label.as_deref(), Type::label(), indent);
                let style = Type::of(NORMAL, Ink::Text);
                let block = self.text(text, style, width, Align::Start);
                self.lines(block, indent, NORMAL * LEADING);
                self.space(3.0 * MM);
            }
            Node::Picture(label, image) => {
                self.caption(label.as_deref(), Type::label(), indent);
                self.picture(image, (80.0 * MM, 45.0 * MM), Align::Start);
                self.space(3.0 * MM);
            }
            Node::Group(label, nodes) => {
                self.caption(label.as_deref(), Type::bold(9.5, Ink::Accent), indent);
                self.nodes(nodes, deeper(indent));
            }
            Node::List(label, nodes) => {
                self.caption(label.as_deref(), Type::label(), indent);
                self.items(nodes, deeper(indent));
                self.space(2.0 * MM);
            }
            Node::Table {
                label,
                columns,
                rows,
            } => {
                self.caption(label.as_deref(), Type::label(), indent);
                self.row(columns, Type::label(), indent, true);
                for row in rows {
                    self.row(row, Type::of(NORMAL - 0.5, Ink::Text), indent, false);
                }
                self.space(3.0 * MM);
            }
        }
    }

    /// Adds the items of a list.
    fn items(&mut self, nodes: &[Node], indent: f32) {
        let width = self.width - indent;
        for node in nodes {
            match node {
                Node::Value(entry) => {
                    let style = Type::of(NORMAL, Ink::Text);
                    let mut block = self.text(&entry.text, style, width, Align::Start);
                    let bullet = self.text("–", style, INDENT, Align::Start);
                    block
                        .ops
                        .extend(bullet.ops.into_iter().map(|op| op.moved(-INDENT, 0.0)));
                    // A long item is divided between pages without its bullet being separated.
                    if block.height > 40.0 * NORMAL {
                        block.ops.pop();
                        self.lines(block, indent, NORMAL * LEADING);
                    } else {
                        block.ops = block
                            .ops
                            .into_iter()
                            .map(|op| op.moved(indent, 0.0))
                            .collect();
                        self.blocks.push(block);
                    }
                }
                Node::Group(label, nodes) => {
                    let label = label.as_deref().unwrap_or(self.item);
                    self.caption(Some(label), Type::bold(9.5, Ink::Accent), indent);
                    self.nodes(nodes, indent);
                }
                node => self.wide(node, indent),
            }
        }
    }

    fn caption(&mut self, label: Option<&str>, style: Type, indent: f32) {
        if let Some(label) = label {
            let block = self.text(label, style, self.width - indent, Align::Start);
            self.lines(block, indent, style.face.size * LEADING);
        }
    }

    /// Adds a row of a table.
    fn row(&mut self, cells: &[String], style: Type, indent: f32, is_head: bool) {
        let count = cells.len().max(1) as f32;
        let width = (self.width - indent - GAP * (count - 1.0)) / count;
        let mut block = Block::default();
        for (index, cell) in cells.iter().enumerate() {
            let x = indent + index as f32 * (width + GAP);
            let cell = self.text(cell, style, width, Align::Start);
            block.height = block.height.max(cell.height);
            block
                .ops
                .extend(cell.ops.into_iter().map(|op| op.moved(x, 0.0)));
        }
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
        let number = self.text(
            &sheet.number,
            Type::foot(),
            side.max(34.0 * MM),
            Align::Centre,
        );
        let code_width = side.max(34.0 * MM);
        let code_height = side + number.height;
        let sign_width = 46.0 * MM;
        let words_width = self.width - sign_width - code_width - 2.0 * GAP;
        let style = Type::of(FOOT, Ink::Text);
        let mut words = self.text(&sheet.check, style, words_width, Align::Start);
        let address = self.text(&sheet.address, Type::foot(), words_width, Align::Start);
        words.ops.push(Op::Link {
            x: 0.0,
            y: words.height + 1.5 * MM,
            width: words_width,
            height: address.height,
        });
        let below = words.height + 1.5 * MM;
        words
            .ops
            .extend(address.ops.into_iter().map(|op| op.moved(0.0, below)));
        words.height = below + address.height;
        let signer = if sheet.signer.is_empty() {
            sheet.texts.signature
        } else {
            &sheet.signer
        };
        let signer = self.text(signer, Type::foot(), sign_width, Align::Centre);
        let signature = sheet.signature.as_ref();
        let picture = signature.map(|image| (fitted(image, (sign_width, 16.0 * MM)), image));
        let sign_height = 18.0 * MM + signer.height;

        let above = 6.0 * MM;
        let inner = code_height.max(words.height).max(sign_height);
        let mut ops = Vec::new();
        let mut put = |block: Vec<Op>, x: f32, y: f32| {
            ops.extend(block.into_iter().map(|op| op.moved(x, y)));
        };
        let bottom = above + inner;
        let sign_top = bottom - sign_height;
        if let Some(((width, height), image)) = picture {
            let image = Op::Picture {
                x: (sign_width - width) / 2.0,
                y: 17.0 * MM - height,
                width,
                height,
                image: image.clone(),
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
            Op::Code { x: corner, y: 0.0 },
            Op::Link {
                x: corner,
                y: 0.0,
                width: side,
                height: side,
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

fn deeper(indent: f32) -> f32 {
    (indent + INDENT).min(MAX_INDENT)
}
