//! Reads a table of rows: CSV as spreadsheets save it, or NDJSON.

use std::collections::BTreeSet;

use encoding_rs::WINDOWS_1252;
use serde_json::Value;

use crate::failure::Failure;

/// The maximum number of rows of a batch. Issue more rows in several batches.
pub(crate) const MAX_ROWS: usize = 1_000_000;

/// The character encoding of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Encoding {
    /// UTF-8, with or without a byte order mark.
    #[value(name = "utf-8")]
    Utf8,
    /// The encoding in which spreadsheets in Western Europe save "CSV".
    #[value(name = "windows-1252")]
    Windows1252,
}

/// The character between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Delimiter {
    Comma,
    Semicolon,
    Tab,
}

impl Delimiter {
    const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    pub(crate) fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }
}

/// A table with a header.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cells {
    pub(crate) delimiter: Delimiter,
    pub(crate) columns: Vec<String>,
    pub(crate) rows: Vec<Cell>,
}

/// A row of cells: one for each column.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cell {
    /// The row number in a spreadsheet, where the header is row 1.
    pub(crate) row: usize,
    pub(crate) cells: Vec<String>,
}

/// A document of an NDJSON file.
#[derive(Debug, PartialEq)]
pub(crate) struct Document {
    /// The number of the line.
    pub(crate) row: usize,
    pub(crate) document: Value,
}

/// A row that cannot be read or issued. Serializes as `{"row":3,"column":"points","message":"…"}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub(crate) struct RowError {
    pub(crate) row: usize,
    pub(crate) column: Option<String>,
    pub(crate) message: String,
}

impl RowError {
    /// Returns the column, if there is one, and the message.
    pub(crate) fn text(&self) -> String {
        match &self.column {
            Some(column) => format!("`{column}`: {}", self.message),
            None => self.message.clone(),
        }
    }

    pub(crate) fn new(row: usize, column: Option<&str>, message: impl Into<String>) -> Self {
        Self {
            row,
            column: column.map(str::to_owned),
            message: message.into(),
        }
    }
}

/// Decodes a table's bytes, and removes a byte order mark of UTF-8. Fails for a workbook, PDF or UTF-16 file, for a wrong encoding and for
/// control characters other than tabs and line breaks.
pub(crate) fn decode(
    name: &str,
    bytes: &[u8],
    encoding: Option<Encoding>,
) -> Result<String, Failure> {
    let refused = |message: String| Failure::new("table-invalid", format!("{name}: {message}"));
    for (start, kind) in [
        (&b"PK\x03\x04"[..], "an Excel or OpenDocument workbook"),
        (b"\xd0\xcf\x11\xe0", "an old Excel workbook"),
        (b"%PDF", "a PDF document"),
        (b"\xff\xfe", "UTF-16 text"),
        (b"\xfe\xff", "UTF-16 text"),
    ] {
        if bytes.starts_with(start) {
            return Err(refused(format!(
                "this is {kind}: open it in a spreadsheet program and save it as \"CSV UTF-8\""
            )));
        }
    }
    let text = match (encoding, std::str::from_utf8(bytes)) {
        (None | Some(Encoding::Utf8), Ok(text)) => {
            text.strip_prefix('\u{feff}').unwrap_or(text).to_owned()
        }
        (Some(Encoding::Utf8), Err(error)) => {
            return Err(refused(format!(
                "the text is not UTF-8 from byte {} on",
                error.valid_up_to()
            )));
        }
        (None, Err(error)) => {
            return Err(refused(format!(
                "the text is not UTF-8. Read as Windows-1252, it contains `{}`: if that is right, add --encoding windows-1252",
                around(bytes, error.valid_up_to())
            )));
        }
        (Some(Encoding::Windows1252), Ok(_)) if !bytes.is_ascii() => {
            return Err(refused(
                "the text is UTF-8: leave out --encoding windows-1252".to_owned(),
            ));
        }
        (Some(Encoding::Windows1252), _) => {
            WINDOWS_1252.decode_without_bom_handling(bytes).0.into()
        }
    };
    // Windows-1252 leaves five bytes undefined. They decode to control characters, which are refused because they are not text.
    match text
        .chars()
        .find(|char| char.is_control() && !matches!(char, '\n' | '\r' | '\t'))
    {
        Some(char) => Err(refused(format!(
            "the text contains the control character U+{:04X}: check its encoding",
            u32::from(char)
        ))),
        None => Ok(text),
    }
}

/// Returns a few characters around a byte, read as Windows-1252.
fn around(bytes: &[u8], at: usize) -> String {
    let near = bytes
        .get(at.saturating_sub(12)..at.saturating_add(12).min(bytes.len()))
        .unwrap_or_default();
    let text = WINDOWS_1252.decode_without_bom_handling(near).0;
    text.replace(char::is_control, " ").trim().to_owned()
}

/// Reads CSV (RFC 4180). A line break is LF, CRLF or CR.
///
/// # Errors
/// The outer error is a [`Failure`] of the table as a whole. The inner error lists all rows that cannot be read.
pub(crate) fn csv(
    name: &str,
    text: &str,
    delimiter: Option<Delimiter>,
) -> Result<Result<Cells, Vec<RowError>>, Failure> {
    let refused = |message: &str| Failure::new("table-invalid", format!("{name}: {message}"));
    // After a quotation mark that is not closed, the reader would read the rest of the file as one cell.
    if !text.matches('"').count().is_multiple_of(2) {
        return Err(refused(
            "a quotation mark is not closed: put a cell that contains quotation marks into quotation marks, and double those inside it",
        ));
    }
    let delimiter = match delimiter {
        Some(delimiter) => delimiter,
        None => guess(text).ok_or_else(|| {
            refused("the header has several characters that may separate cells: add --delimiter comma, semicolon or tab")
        })?,
    };
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter.byte())
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes());
    let mut records = reader.records();
    let header = match records.next() {
        Some(Ok(header)) => header,
        Some(Err(error)) => return Err(refused(&error.to_string())),
        None => return Err(refused("the table is empty")),
    };
    let mut columns: Vec<String> = header.iter().map(|cell| cell.trim().to_owned()).collect();
    // Spreadsheets also save trailing columns that are empty now but were used before.
    while columns.last().is_some_and(String::is_empty) {
        columns.pop();
    }
    let mut names = BTreeSet::new();
    for (index, column) in columns.iter().enumerate() {
        if column.is_empty() {
            return Err(refused(&format!(
                "column {} has no name",
                index.saturating_add(1)
            )));
        }
        if !names.insert(column) {
            return Err(refused(&format!("two columns are called `{column}`")));
        }
    }
    let (mut rows, mut errors) = (Vec::new(), Vec::new());
    let mut row = empty_lines(text, &header).saturating_add(1);
    for record in records {
        let record = record.map_err(|error| refused(&error.to_string()))?;
        row = row
            .saturating_add(empty_lines(text, &record))
            .saturating_add(1);
        let mut cells: Vec<String> = record.iter().map(str::to_owned).collect();
        if cells.iter().all(|cell| cell.trim().is_empty()) {
            continue;
        }
        if rows.len() >= MAX_ROWS {
            return Err(refused(&format!("a batch has at most {MAX_ROWS} rows")));
        }
        while cells.len() > columns.len() && cells.last().is_some_and(String::is_empty) {
            cells.pop();
        }
        if cells.len() == columns.len() {
            rows.push(Cell { row, cells });
        } else {
            errors.push(RowError::new(
                row,
                None,
                format!(
                    "the row has {} cells, but the header has {}: put a cell that contains the separator into quotation marks",
                    cells.len(),
                    columns.len()
                ),
            ));
        }
    }
    if rows.is_empty() && errors.is_empty() {
        return Err(refused("the table has a header and no rows"));
    }
    let cells = Cells {
        delimiter,
        columns,
        rows,
    };
    Ok(if errors.is_empty() {
        Ok(cells)
    } else {
        Err(errors)
    })
}

/// Returns the number of empty lines before a record. The reader skips them, and spreadsheets count them as rows.
fn empty_lines(text: &str, record: &csv::StringRecord) -> usize {
    let start = record
        .position()
        .and_then(|position| usize::try_from(position.byte()).ok());
    let Some((before, mut rest)) = start.and_then(|start| text.split_at_checked(start)) else {
        return 0;
    };
    // The reader takes the second half of CRLF as the beginning of the next record.
    if before.ends_with('\r') {
        rest = rest.strip_prefix('\n').unwrap_or(rest);
    }
    let mut count = 0_usize;
    while let Some(after) = ["\r\n", "\n", "\r"]
        .into_iter()
        .find_map(|line_break| rest.strip_prefix(line_break))
    {
        rest = after;
        count = count.saturating_add(1);
    }
    count
}

/// Returns the delimiter in the header, or `None` if the header has delimiters of several kinds. A header without a delimiter is one column,
/// and the result is a comma.
fn guess(text: &str) -> Option<Delimiter> {
    let mut quoted = false;
    let header: String = text
        .chars()
        .take_while(|char| {
            quoted ^= *char == '"';
            quoted || *char != '\n'
        })
        .collect();
    // Every second part is inside quotation marks.
    let outside: String = header.split('"').step_by(2).collect();
    let mut found = Delimiter::ALL
        .into_iter()
        .filter(|delimiter| outside.contains(char::from(delimiter.byte())));
    match (found.next(), found.next()) {
        (None, _) => Some(Delimiter::Comma),
        (one, None) => one,
        _ => None,
    }
}

/// Reads documents, one in each line. Empty lines are skipped.
///
/// # Errors
/// The outer error is a [`Failure`] of the table as a whole. The inner error lists all lines that cannot be read.
pub(crate) fn ndjson(
    name: &str,
    text: &str,
) -> Result<Result<Vec<Document>, Vec<RowError>>, Failure> {
    let refused = |message: String| Failure::new("table-invalid", format!("{name}: {message}"));
    let (mut documents, mut errors) = (Vec::new(), Vec::new());
    for (row, line) in (1_usize..).zip(text.lines()) {
        if line.trim().is_empty() {
            continue;
        }
        if documents.len() >= MAX_ROWS {
            return Err(refused(format!("a batch has at most {MAX_ROWS} rows")));
        }
        // The strict reader refuses duplicate keys and unsafe numbers.
        let read = cert_core::aih2::parse(line)
            .map_err(|error| error.to_string())
            .and_then(|_| serde_json::from_str(line).map_err(|error| error.to_string()));
        match read {
            Ok(document @ Value::Object(_)) => documents.push(Document { row, document }),
            Ok(_) => errors.push(RowError::new(
                row,
                None,
                "a document has to be a JSON object",
            )),
            Err(message) => errors.push(RowError::new(row, None, message)),
        }
    }
    if documents.is_empty() && errors.is_empty() {
        return Err(refused("the file has no documents".to_owned()));
    }
    Ok(if errors.is_empty() {
        Ok(documents)
    } else {
        Err(errors)
    })
}

/// Returns a cell of the result table in a form that no spreadsheet runs as a formula.
///
/// Puts an apostrophe before a cell that begins with `=`, `+`, `-`, `@`, their full-width forms, a tab or a line break. A spreadsheet may
/// expect another delimiter than the file's, and then splits a cell at that delimiter. Therefore the part after each possible delimiter,
/// quotation mark and line break is treated like a cell. Numbers and telephone numbers stay unchanged, because digits and their punctuation
/// cannot name a function, a cell or a command.
pub(crate) fn harmless(cell: &str) -> String {
    let mut harmless = String::with_capacity(cell.len());
    if cell.starts_with(['\t', '\r', '\n']) {
        harmless.push('\'');
    }
    for part in cell.split_inclusive(ENDS) {
        if part.starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']) && !is_number(part) {
            harmless.push('\'');
        }
        harmless.push_str(part);
    }
    harmless
}

/// Characters after which some spreadsheets begin a new cell.
const ENDS: [char; 6] = [',', ';', '\t', '\r', '\n', '"'];

/// Returns true if a part of a cell is a number or a telephone number. A delimiter at the end of the part is ignored.
fn is_number(part: &str) -> bool {
    let part = part.strip_suffix(ENDS).unwrap_or(part);
    let signed = part.strip_prefix(['+', '-']).unwrap_or(part);
    signed
        .chars()
        .all(|char| char.is_ascii_digit() || matches!(char, ' ' | '.' | '(' | ')' | '/' | '-'))
}

#[cfg(test)]
mod tests;
