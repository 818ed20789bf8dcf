//! Turns texts into lines of glyphs: direction (UAX #9), breaks (UAX #14), a font for each cluster, and shaping.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use krilla::text::{GlyphId, KrillaGlyph};
use rustybuzz::{Direction, UnicodeBuffer};
use unicode_bidi::{BidiInfo, Level, ParagraphInfo};
use unicode_linebreak::linebreaks;
use unicode_segmentation::UnicodeSegmentation as _;

use crate::error::Finding;
use crate::fonts::{Chosen, FontFile, is_ignorable};

/// Stands for a character without a font. `NotoSerif-Regular.ttf` and `NotoSerif-Bold.ttf` have it.
const REPLACEMENT: char = '\u{fffd}';

/// The size in points, and the weight.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Face {
    pub(crate) size: f32,
    pub(crate) is_bold: bool,
}

/// Glyphs of one font.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) font: FontFile,
    pub(crate) glyphs: Vec<KrillaGlyph>,
    /// In points.
    pub(crate) width: f32,
}

/// A line, with its runs from left to right.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// The text to which the glyphs refer.
    pub(crate) text: Arc<str>,
    pub(crate) runs: Vec<Run>,
    /// In points, without spaces at the end.
    pub(crate) width: f32,
    /// The width of spaces before the place of the text. In text from right to left, the spaces at the end stand there.
    pub(crate) overhang: f32,
    /// True if the paragraph is written from right to left.
    pub(crate) is_rtl: bool,
}

/// Lays out texts with some fonts, and collects the characters that no font has.
pub(crate) struct Layout<'f> {
    pub(crate) fonts: &'f Chosen<'f>,
    pub(crate) findings: BTreeSet<Finding>,
}

/// A part of a paragraph in one font and direction. `font` is `None` for characters without a font.
#[derive(Clone, Debug, PartialEq)]
struct Item {
    range: Range<usize>,
    font: Option<FontFile>,
}

impl Layout<'_> {
    /// Returns the lines of a text that is `width` points wide. Line breaks of the text start a new line.
    pub(crate) fn lines(&mut self, text: &str, face: Face, width: f32) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut paragraphs = text.split('\n').peekable();
        while let Some(paragraph) = paragraphs.next() {
            // The space separates words for readers that join the lines.
            let end = if paragraphs.peek().is_some() { " " } else { "" };
            self.paragraph(&format!("{paragraph}{end}"), face, width, &mut lines);
        }
        lines
    }

    fn paragraph(&mut self, text: &str, face: Face, width: f32, lines: &mut Vec<Line>) {
        let text: Arc<str> = Arc::from(text);
        let items = self.items(&text, face);
        let bidi = BidiInfo::new(&text, None);
        let Some(paragraph) = bidi.paragraphs.first() else {
            lines.push(Line {
                text,
                runs: Vec::new(),
                width: 0.0,
                overhang: 0.0,
                is_rtl: false,
            });
            return;
        };
        // Text that reaches this place has no separators of paragraphs besides line breaks. If it had, the rest would be laid out in the first direction.
        let paragraph = ParagraphInfo {
            range: 0..text.len(),
            level: paragraph.level,
        };
        for range in self.breaks(&text, &items, &bidi.levels, face, width) {
            lines.push(self.line(&text, &bidi, &paragraph, &items, range, face));
        }
    }

    /// Divides a paragraph by the font of its clusters.
    fn items(&mut self, text: &str, face: Face) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        for (start, cluster) in text.grapheme_indices(true) {
            let range = start..start.saturating_add(cluster.len());
            let font = self.fonts.font_for(cluster, face.is_bold);
            if font.is_none() {
                let missing = cluster.chars().filter(|char| {
                    let mut one = [0; 4];
                    self.fonts
                        .font_for(char.encode_utf8(&mut one), face.is_bold)
                        .is_none()
                });
                let missing: Vec<char> = missing.collect();
                // The fonts have all characters, but none has this combination.
                let named = if missing.is_empty() {
                    cluster.chars().collect()
                } else {
                    missing
                };
                self.findings
                    .extend(named.into_iter().map(Finding::MissingCharacter));
            }
            match items.last_mut() {
                Some(last) if last.font == font && font.is_some() => last.range.end = range.end,
                _ => items.push(Item { range, font }),
            }
        }
        items
    }

    /// Returns the ranges of the lines. A word that is longer than a line is broken between clusters.
    fn breaks(
        &self,
        text: &str,
        items: &[Item],
        levels: &[Level],
        face: Face,
        width: f32,
    ) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let (mut start, mut used) = (0, 0.0);
        let mut from = 0;
        for (to, _) in linebreaks(text) {
            let word = text.get(from..to).unwrap_or_default();
            let end = from.saturating_add(word.trim_end().len());
            let whole = self.measure(text, items, levels, from..to, face);
            let visible = if end == to {
                whole
            } else {
                self.measure(text, items, levels, from..end, face)
            };
            if used + visible > width && from > start {
                lines.push(start..from);
                (start, used) = (from, 0.0);
            }
            if visible > width {
                for (offset, cluster) in word.grapheme_indices(true) {
                    let at = from.saturating_add(offset);
                    let range = at..at.saturating_add(cluster.len());
                    let own = self.measure(text, items, levels, range, face);
                    if used + own > width && at > start && !cluster.trim().is_empty() {
                        lines.push(start..at);
                        (start, used) = (at, 0.0);
                    }
                    used += own;
                }
            } else {
                used += whole;
            }
            from = to;
        }
        if start < text.len() || lines.is_empty() {
            lines.push(start..text.len());
        }
        lines
    }

    /// Returns the width of a range. Letters of Arabic have other widths from left to right, so each part is shaped in its own direction.
    fn measure(
        &self,
        text: &str,
        items: &[Item],
        levels: &[Level],
        range: Range<usize>,
        face: Face,
    ) -> f32 {
        let width = |item: Item| {
            let direction = direction_of(levels.get(item.range.start));
            self.shape(text, &item, direction, face).width
        };
        within(items, &range).map(width).sum()
    }

    fn line(
        &self,
        text: &Arc<str>,
        bidi: &BidiInfo<'_>,
        paragraph: &ParagraphInfo,
        items: &[Item],
        range: Range<usize>,
        face: Face,
    ) -> Line {
        let shown = text.get(range.clone()).unwrap_or_default().trim_end().len();
        let spaces = range.start.saturating_add(shown)..range.end;
        let spaces = self.measure(text, items, &bidi.levels, spaces, face);
        let mut runs = Vec::new();
        if !range.is_empty() {
            let (levels, visual) = bidi.visual_runs(paragraph, range);
            for part in visual {
                let part_start = part.start;
                let is_rtl = levels.get(part_start).is_some_and(Level::is_rtl);
                let mut inside: Vec<Item> = within(items, &part).collect();
                if is_rtl {
                    inside.reverse();
                }
                let direction = direction_of(levels.get(part_start));
                runs.extend(
                    inside
                        .iter()
                        .map(|item| self.shape(text, item, direction, face)),
                );
            }
        }
        Line {
            text: Arc::clone(text),
            width: runs.iter().map(|run| run.width).sum::<f32>() - spaces,
            runs,
            overhang: if paragraph.level.is_rtl() {
                spaces
            } else {
                0.0
            },
            is_rtl: paragraph.level.is_rtl(),
        }
    }

    fn shape(&self, text: &str, item: &Item, direction: Direction, face: Face) -> Run {
        let own = item.font.unwrap_or(if face.is_bold {
            FontFile::SerifBold
        } else {
            FontFile::Serif
        });
        let part = text.get(item.range.clone()).unwrap_or_default();
        let Some(loaded) = self.fonts.get(own) else {
            return Run {
                font: own,
                glyphs: Vec::new(),
                width: 0.0,
            };
        };
        let mut buffer = UnicodeBuffer::new();
        match item.font {
            Some(_) => buffer.push_str(part),
            None => buffer.add(REPLACEMENT, 0),
        }
        buffer.guess_segment_properties();
        // UAX #9 has decided the direction, because it knows the neighbours.
        buffer.set_direction(direction);
        let shaped = rustybuzz::shape(&loaded.face, &[], buffer);
        let starts: BTreeSet<usize> = shaped
            .glyph_infos()
            .iter()
            .map(|info| cluster(info.cluster))
            .collect();
        let mut width = 0.0;
        let mut glyphs = Vec::with_capacity(shaped.len());
        let glyphs_of = shaped.glyph_infos().iter().zip(shaped.glyph_positions());
        for (info, position) in glyphs_of {
            let start = cluster(info.cluster);
            let next = starts.range(start.saturating_add(1)..).next();
            let end = next.copied().unwrap_or(part.len());
            // These have directed the shaper. Drawn as spaces without width, they would be in copied text.
            let source = part.get(start..end).unwrap_or_default();
            if item.font.is_some() && source.chars().all(is_ignorable) {
                continue;
            }
            let em = |units: i32| units as f32 / loaded.units;
            let advance = em(position.x_advance);
            width += advance * face.size;
            glyphs.push(KrillaGlyph::new(
                GlyphId::new(info.glyph_id),
                advance,
                em(position.x_offset),
                em(position.y_offset),
                em(position.y_advance),
                item.range.start.saturating_add(start)..item.range.start.saturating_add(end),
                None,
            ));
        }
        Run {
            font: own,
            glyphs,
            width,
        }
    }
}

fn direction_of(level: Option<&Level>) -> Direction {
    if level.is_some_and(Level::is_rtl) {
        Direction::RightToLeft
    } else {
        Direction::LeftToRight
    }
}

fn cluster(start: u32) -> usize {
    usize::try_from(start).unwrap_or(usize::MAX)
}

/// Returns the parts of items inside a range.
fn within<'i>(items: &'i [Item], range: &Range<usize>) -> impl Iterator<Item = Item> + use<'i> {
    let range = range.clone();
    // Items are in order, so the first one is found by halving.
    let first = items.partition_point(|item| item.range.end <= range.start);
    items.iter().skip(first).map_while(move |item| {
        let start = item.range.start.max(range.start);
        let end = item.range.end.min(range.end);
        (start < end).then_some(Item {
            range: start..end,
            font: item.font,
        })
    })
}

#[cfg(all(test, feature = "fonts"))]
mod tests {
    use super::*;
    use crate::error::PdfError;
    use crate::fonts::Fonts;

    /// Returns the fonts for a text.
    fn loaded(text: &str) -> Result<Fonts, PdfError> {
        let mut fonts = Fonts::new();
        // Whole fonts, tables, further tables and slices.
        for _ in 0..6 {
            for file in fonts.needs(&[text]).files {
                fonts.add_contained(file)?;
            }
        }
        Ok(fonts)
    }

    #[test]
    fn no_line_is_wider_than_its_place() {
        let face = Face {
            size: 11.0,
            is_bold: false,
        };
        for text in [
            "النص العربي مع English words و 123 رقم.",
            "שלום (abc) עולם 12",
            "श्रीमान् क्षत्रिय हिन्दी",
            "To AVATAR, Kraków: Wörter",
            "Donaudampfschifffahrtsgesellschaftskapitän",
            "数据安全与密码学基础课程，修业期满，成绩合格。",
            "東京都立大学の「暗号理論」コースを修了したことを証します。",
            "위 사람은 암호학 과정을 수료하였으므로 이 증서를 수여합니다.",
        ] {
            let text = [text; 30].join(" ");
            let fonts = loaded(&text).unwrap();
            let chosen = Chosen::of(&fonts, &fonts.needs(&[&text])).unwrap();
            let mut layout = Layout {
                fonts: &chosen,
                findings: BTreeSet::new(),
            };
            for width in [60.0, 200.0, 480.0] {
                let lines = layout.lines(&text, face, width);
                assert!(lines.len() > 3);
                for line in lines {
                    // Spaces between words may be kerned, which the search for breaks does not see.
                    assert!(
                        line.width <= width + 1.0,
                        "{} of {width}: {text:.30}",
                        line.width
                    );
                }
            }
        }
    }

    #[test]
    fn punctuation_stays_with_its_words() {
        // UAX #14: no line begins with these signs, or ends with an opening one.
        let text = "第一章「はじめに」、第二章（続き）。".repeat(20);
        let fonts = loaded(&text).unwrap();
        let chosen = Chosen::of(&fonts, &fonts.needs(&[&text])).unwrap();
        let mut layout = Layout {
            fonts: &chosen,
            findings: BTreeSet::new(),
        };
        let face = Face {
            size: 11.0,
            is_bold: false,
        };
        for width in [60.0, 93.0, 150.0] {
            for line in layout.lines(&text, face, width) {
                let places = line.runs.iter().flat_map(|run| &run.glyphs);
                let start = places.clone().map(|glyph| glyph.text_range.start).min();
                let end = places.map(|glyph| glyph.text_range.end).max();
                let shown = line.text.get(start.unwrap()..end.unwrap()).unwrap();
                assert!(!shown.starts_with(['」', '、', '）', '。']), "{shown}");
                assert!(!shown.ends_with(['「', '（']), "{shown}");
            }
        }
        assert!(layout.findings.is_empty());
    }
}
