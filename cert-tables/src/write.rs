//! Writes tables.

use std::io;

use crate::cells::Delimiter;

/// Characters after which some spreadsheets begin a new cell.
const ENDS: [char; 6] = [',', ';', '\t', '\r', '\n', '"'];

/// Writes lines of cells as CSV. No spreadsheet runs one of the cells as a formula ([`harmless`]). A byte order mark makes spreadsheets read the text
/// as UTF-8.
///
/// # Errors
/// None in practice: the library for CSV returns errors for files that cannot be written.
pub fn write<I, L, C>(lines: I, delimiter: Delimiter) -> Result<String, csv::Error>
where
    I: IntoIterator<Item = L>,
    L: IntoIterator<Item = C>,
    C: AsRef<str>,
{
    let mut writer = csv::WriterBuilder::new()
        .delimiter(delimiter.byte())
        .terminator(csv::Terminator::CRLF)
        .flexible(true)
        .from_writer("\u{feff}".as_bytes().to_vec());
    for line in lines {
        writer.write_record(line.into_iter().map(|cell| harmless(cell.as_ref())))?;
    }
    let bytes = writer
        .into_inner()
        .map_err(|error| csv::Error::from(error.into_error()))?;
    String::from_utf8(bytes).map_err(|error| io::Error::other(error).into())
}

/// Returns a cell of the result table in a form that no spreadsheet runs as a formula.
///
/// Puts an apostrophe before a cell that begins with `=`, `+`, `-`, `@`, their full-width forms, a tab or a line break. A spreadsheet may
/// expect another delimiter than the file's, and then splits a cell at that delimiter. Therefore the part after each possible delimiter,
/// quotation mark and line break is treated like a cell. Numbers and telephone numbers stay unchanged, because digits and their punctuation
/// cannot name a function, a cell or a command.
pub fn harmless(cell: &str) -> String {
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

/// Returns true if a part of a cell is a number or a telephone number. A delimiter at the end of the part is ignored.
fn is_number(part: &str) -> bool {
    let part = part.strip_suffix(ENDS).unwrap_or(part);
    let signed = part.strip_prefix(['+', '-']).unwrap_or(part);
    signed
        .chars()
        .all(|char| char.is_ascii_digit() || matches!(char, ' ' | '.' | '(' | ')' | '/' | '-'))
}
