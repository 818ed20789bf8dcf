//! Reads a spreadsheet of OpenDocument (`.ods`) as a table.
//!
//! A file of a few kilobytes can repeat a cell a billion times. The sheet is therefore read as a stream, and a repetition is checked before it is made. No
//! crate reads OpenDocument in this way: calamine makes all cells of all sheets at once, and does not tell whether a number is a percentage.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Cursor};

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};
use zip::ZipArchive;

use crate::problem::Problem;
use crate::workbook::{Sheet, Sheets, decimal};

/// The file of the archive that has the sheets.
const CONTENT: &str = "content.xml";
/// The file of the archive that lists the others. It says whether they are encrypted.
const MANIFEST: &str = "META-INF/manifest.xml";
/// The maximum depth of elements. A spreadsheet has about ten.
const MAX_DEPTH: usize = 100;

/// Reads all sheets of a spreadsheet. `wanted` is the name of the sheet whose cells are kept, or `None` for none.
pub(crate) fn read(bytes: &[u8], wanted: Option<&str>) -> Result<Sheets, Problem> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Problem::Damaged)?;
    if let Ok(manifest) = archive.by_name(MANIFEST) {
        check_manifest(BufReader::new(manifest))?;
    }
    let content = archive.by_name(CONTENT).map_err(|_| Problem::Damaged)?;
    Content::new(BufReader::new(content)).sheets(wanted)
}

/// Refuses a spreadsheet with a password.
fn check_manifest(manifest: impl BufRead) -> Result<(), Problem> {
    let mut content = Content::new(manifest);
    loop {
        match content.next()? {
            Part::Start(element) if element.name == "manifest:encryption-data" => {
                return Err(Problem::Protected);
            }
            Part::Eof => return Ok(()),
            _ => {}
        }
    }
}

/// An element with the attributes that this module uses.
#[derive(Default)]
struct Element {
    name: String,
    attributes: HashMap<&'static str, String>,
}

/// The attributes that are kept.
const ATTRIBUTES: [&str; 14] = [
    "style:name",
    "table:display",
    "table:name",
    "table:style-name",
    "table:number-rows-repeated",
    "table:number-columns-repeated",
    "table:formula",
    "office:value-type",
    "calcext:value-type",
    "office:value",
    "office:date-value",
    "office:time-value",
    "office:boolean-value",
    "office:string-value",
];
/// The number of spaces of `<text:s>`.
const SPACES: &str = "text:c";

impl Element {
    fn of(start: &BytesStart<'_>) -> Result<Self, Problem> {
        let mut element = Self {
            name: start.name().0.to_owned(),
            attributes: HashMap::new(),
        };
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|_| Problem::Damaged)?;
            let key = ATTRIBUTES
                .into_iter()
                .chain([SPACES])
                .find(|key| *key == attribute.key.0);
            if let Some(key) = key {
                let value = attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map_err(|_| Problem::Damaged)?;
                element.attributes.insert(key, value.into_owned());
            }
        }
        Ok(element)
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.attributes.get(name).map(String::as_str)
    }

    /// Returns how often the element is repeated. A number that does not fit is too large for any sheet.
    fn repeats(&self, name: &str) -> Result<usize, Problem> {
        match self.get(name) {
            None => Ok(1),
            Some(text) if text.bytes().all(|byte| byte.is_ascii_digit()) => {
                Ok(text.parse().unwrap_or(usize::MAX).max(1))
            }
            Some(_) => Err(Problem::Damaged),
        }
    }
}

/// A part of an XML document. An empty element is a start and an end.
enum Part {
    Start(Element),
    End,
    Text(String),
    Other,
    Eof,
}

/// A cell of the current row: its column, how often it is repeated, and its text. `None` is a formula without a stored value.
struct RowCell {
    column: usize,
    repeats: usize,
    text: Option<String>,
}

/// A stream of XML.
struct Content<R> {
    reader: Reader<R>,
    buffer: Vec<u8>,
    depth: usize,
}

impl<R: BufRead> Content<R> {
    fn new(source: R) -> Self {
        let mut reader = Reader::from_reader(source);
        reader.config_mut().expand_empty_elements = true;
        Self {
            reader,
            buffer: Vec::new(),
            depth: 0,
        }
    }

    fn next(&mut self) -> Result<Part, Problem> {
        self.buffer.clear();
        let event = self.reader.read_event_into(&mut self.buffer);
        Ok(match event.map_err(|_| Problem::Damaged)? {
            Event::Start(start) => {
                self.depth = self.depth.saturating_add(1);
                if self.depth > MAX_DEPTH {
                    return Err(Problem::Damaged);
                }
                Part::Start(Element::of(&start)?)
            }
            Event::End(_) => {
                self.depth = self.depth.saturating_sub(1);
                Part::End
            }
            Event::Text(text) => Part::Text(text.xml10_content().into_owned()),
            Event::CData(text) => Part::Text(text.xml10_content().into_owned()),
            Event::GeneralRef(entity) => Part::Text(entity_text(&entity)?),
            Event::Eof => Part::Eof,
            _ => Part::Other,
        })
    }

    /// Skips to the end of the current element.
    fn skip(&mut self) -> Result<(), Problem> {
        let mut open = 1_usize;
        while open > 0 {
            match self.next()? {
                Part::Start(_) => open = open.saturating_add(1),
                Part::End => open = open.saturating_sub(1),
                Part::Eof => return Err(Problem::Damaged),
                Part::Text(_) | Part::Other => {}
            }
        }
        Ok(())
    }

    /// Reads all sheets, and keeps the cells of one.
    fn sheets(&mut self, wanted: Option<&str>) -> Result<Sheets, Problem> {
        let mut sheets = Sheets::default();
        let mut style = String::new();
        let mut hidden_styles: Vec<String> = Vec::new();
        loop {
            match self.next()? {
                Part::Eof => return Ok(sheets),
                Part::Start(element) => match element.name.as_str() {
                    "style:style" => style = element.get("style:name").unwrap_or("").to_owned(),
                    "style:table-properties" if element.get("table:display") == Some("false") => {
                        hidden_styles.push(style.clone());
                    }
                    // Cells from other files, which the spreadsheet stores beside its own.
                    "table:dde-links" | "table:tracked-changes" => self.skip()?,
                    "table:table" => {
                        let name = element.get("table:name").unwrap_or("").to_owned();
                        let is_hidden = element
                            .get("table:style-name")
                            .is_some_and(|style| hidden_styles.iter().any(|one| one == style));
                        let is_wanted = wanted == Some(name.as_str())
                            && !sheets.list.iter().any(|sheet| sheet.name == name);
                        let has_cells = self.table(&mut sheets, is_wanted)?;
                        sheets.list.push(Sheet {
                            name,
                            is_visible: !is_hidden,
                            has_cells,
                        });
                    }
                    _ => {}
                },
                Part::End | Part::Text(_) | Part::Other => {}
            }
        }
    }

    /// Reads a sheet to its end. Returns true if it has a cell that is not empty.
    fn table(&mut self, sheets: &mut Sheets, is_wanted: bool) -> Result<bool, Problem> {
        let (mut row, mut has_cells, mut open) = (0_usize, false, 1_usize);
        loop {
            match self.next()? {
                Part::Eof => return Err(Problem::Damaged),
                Part::End => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return Ok(has_cells);
                    }
                }
                Part::Start(element) if element.name == "table:table-row" => {
                    let repeats = element.repeats("table:number-rows-repeated")?;
                    let cells = self.row()?;
                    has_cells |= !cells.is_empty();
                    if is_wanted && !cells.is_empty() {
                        sheets.check_extent(row, repeats)?;
                        for cell in &cells {
                            Sheets::check_columns(cell.column, cell.repeats)?;
                        }
                        for row in row..row.saturating_add(repeats) {
                            for cell in &cells {
                                for column in cell.column..cell.column.saturating_add(cell.repeats)
                                {
                                    sheets.add(row, column, cell.text.as_deref())?;
                                }
                            }
                        }
                    }
                    row = row.saturating_add(repeats);
                }
                // A shape on the sheet may contain a table of its own.
                Part::Start(element) if element.name == "table:shapes" => self.skip()?,
                Part::Start(_) => open = open.saturating_add(1),
                Part::Text(_) | Part::Other => {}
            }
        }
    }

    /// Reads a row to its end. Returns the cells that are not empty.
    fn row(&mut self) -> Result<Vec<RowCell>, Problem> {
        let (mut cells, mut column) = (Vec::new(), 0_usize);
        loop {
            match self.next()? {
                Part::Eof => return Err(Problem::Damaged),
                Part::End => return Ok(cells),
                Part::Start(element) => {
                    let repeats = element.repeats("table:number-columns-repeated")?;
                    let is_cell = element.name == "table:table-cell";
                    if is_cell {
                        let text = self.text()?;
                        let text = shown(&element, text);
                        if text.as_deref() != Some("") {
                            cells.push(RowCell {
                                column,
                                repeats,
                                text,
                            });
                        }
                    } else {
                        // A cell below a merged cell is not shown.
                        self.skip()?;
                    }
                    column = column.saturating_add(repeats);
                }
                Part::Text(_) | Part::Other => {}
            }
        }
    }

    /// Reads the text of a cell to the cell's end. Its paragraphs are lines. Comments and drawings are left out.
    fn text(&mut self) -> Result<String, Problem> {
        let (mut text, mut open, mut paragraphs) = (String::new(), 1_usize, 0_usize);
        loop {
            match self.next()? {
                Part::Eof => return Err(Problem::Damaged),
                Part::End => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return Ok(text);
                    }
                }
                Part::Text(more) if open > 1 => text.push_str(&more),
                Part::Text(_) | Part::Other => {}
                Part::Start(element) => {
                    match element.name.as_str() {
                        "office:annotation" | "table:table" | "draw:frame" => {
                            self.skip()?;
                            continue;
                        }
                        "text:p" | "text:h" => {
                            if paragraphs > 0 {
                                text.push('\n');
                            }
                            paragraphs = paragraphs.saturating_add(1);
                        }
                        "text:s" => {
                            let count = element.repeats(SPACES)?;
                            Sheets::check_text(count)?;
                            text.extend(std::iter::repeat_n(' ', count));
                        }
                        "text:tab" => text.push('\t'),
                        "text:line-break" => text.push('\n'),
                        _ => {}
                    }
                    open = open.saturating_add(1);
                }
            }
        }
    }
}

/// Returns the text of an entity: a character, or one of the five names that XML defines.
fn entity_text(entity: &BytesRef<'_>) -> Result<String, Problem> {
    if let Some(character) = entity.resolve_char_ref().map_err(|_| Problem::Damaged)? {
        return Ok(character.to_string());
    }
    let known = quick_xml::escape::resolve_predefined_entity(entity.as_ref());
    known.map(str::to_owned).ok_or(Problem::Damaged)
}

/// Returns the text of a cell, as the reader of Excel workbooks writes it. `displayed` is the text that the spreadsheet program showed. Returns `None` for a
/// formula whose value the program did not store.
fn shown(cell: &Element, displayed: String) -> Option<String> {
    let value = |name: &str| cell.get(name).map(str::to_owned);
    let number = || value("office:value").and_then(|text| text.parse::<f64>().ok());
    if cell.get("calcext:value-type") == Some("error") {
        return Some(displayed);
    }
    match cell.get("office:value-type") {
        Some("float" | "currency") => Some(match number() {
            Some(number) if is_padded(&displayed, number) => displayed,
            Some(number) => decimal(number),
            None => displayed,
        }),
        Some("percentage") => Some(match number() {
            Some(number) => format!("{}%", decimal(number * 100.0)),
            None => displayed,
        }),
        Some("date") => Some(value("office:date-value").map_or(displayed, |date| moment(&date))),
        Some("time") => {
            let time = value("office:time-value");
            Some(time.as_deref().and_then(clock).unwrap_or(displayed))
        }
        Some("boolean") => Some(value("office:boolean-value").unwrap_or(displayed)),
        Some(_) => Some(value("office:string-value").unwrap_or(displayed)),
        None if cell.get("table:formula").is_some() && displayed.is_empty() => None,
        None => Some(displayed),
    }
}

/// Returns true if a displayed text is the number with leading zeros, such as `00007`. The zeros are part of the code.
fn is_padded(displayed: &str, number: f64) -> bool {
    displayed.len() > 1
        && displayed.starts_with('0')
        && displayed.bytes().all(|byte| byte.is_ascii_digit())
        && displayed
            .parse::<f64>()
            .is_ok_and(|shown| shown.to_bits() == number.to_bits())
}

/// Returns a date without the time of midnight, and a time without fractions of a second.
fn moment(text: &str) -> String {
    match text.split_once('T') {
        None => text.to_owned(),
        Some((date, time)) => match time.split('.').next().unwrap_or_default() {
            "00:00:00" => date.to_owned(),
            time => format!("{date}T{time}"),
        },
    }
}

/// Returns a duration such as `PT09H30M00S` as a time. `None` if it has another form.
fn clock(text: &str) -> Option<String> {
    let (hours, rest) = text.strip_prefix("PT")?.split_once('H')?;
    let (minutes, rest) = rest.split_once('M')?;
    let seconds = rest.strip_suffix('S')?.split(['.', ',']).next()?;
    let is_number = |part: &&str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    [hours, minutes, seconds]
        .iter()
        .all(is_number)
        .then(|| format!("{hours:0>2}:{minutes:0>2}:{seconds:0>2}"))
}
