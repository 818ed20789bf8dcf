//! Reads a workbook of Excel (`.xlsx`) or a spreadsheet of OpenDocument (`.ods`) as a table.
//!
//! A file of a few kilobytes can unpack to gigabytes, name a cell in the last row of the sheet, or repeat one long text in each cell. The unpacked bytes are
//! therefore counted before anything is read, cells are read one by one, and rows, columns and texts are bounded.

use std::collections::HashSet;
use std::io::{self, Cursor, Read as _};

use calamine::{DataRef, ExcelDateTime, Reader as _, SheetVisible, Style, Xlsx, XlsxError};
use zip::ZipArchive;

use crate::cells::{Options, Row, Table, table};
use crate::decode::is_open_document;
use crate::ods;
use crate::problem::{Problem, RowProblem};

/// The maximum number of bytes of a workbook.
const MAX_FILE: usize = 20_000_000;
/// The maximum number of bytes of all files in a workbook, unpacked.
const MAX_UNPACKED: u64 = 100_000_000;
/// The maximum number of bytes of the text in all cells.
const MAX_TEXT: usize = 100_000_000;
/// The maximum number of rows and columns of a sheet.
const MAX_SHEET_ROWS: usize = 100_000;
const MAX_COLUMNS: usize = 500;
/// The number of significant digits that Excel stores and shows.
const DIGITS: usize = 15;

type Workbook<'b> = Xlsx<Cursor<&'b [u8]>>;

/// The maximum number of cells of the rectangle that the rows of a sheet make: 100,000 rows of 100 columns.
const MAX_CELLS: usize = 10_000_000;

/// Reads a sheet of a workbook.
///
/// # Errors
/// A problem of the workbook as a whole. [`Problem::Sheet`] if several sheets have cells and `sheet` names none of them.
pub fn workbook(bytes: &[u8], sheet: Option<&str>, options: Options) -> Result<Table, Problem> {
    if bytes.len() > MAX_FILE {
        return Err(Problem::TooLarge);
    }
    check_size(bytes, MAX_UNPACKED)?;
    let (name, sheets) = if is_open_document(bytes) {
        let name = chosen(ods::read(bytes, None)?.list, sheet)?;
        let sheets = ods::read(bytes, Some(&name))?;
        (name, sheets)
    } else {
        excel(bytes, sheet)?
    };
    let (rows, problems) = sheets.finish()?;
    let mut table = table(rows.into_iter(), options)?;
    table.sheet = Some(name);
    let header = table.header;
    let below = problems.into_iter().filter(|problem| problem.row > header);
    table.problems.extend(below);
    table.problems.sort();
    Ok(table)
}

/// A sheet of a workbook.
pub(crate) struct Sheet {
    pub(crate) name: String,
    pub(crate) is_visible: bool,
    pub(crate) has_cells: bool,
}

/// The sheets of a workbook, and the cells of the chosen one. Cells are added row by row, within the bounds of this module.
pub(crate) struct Sheets {
    pub(crate) list: Vec<Sheet>,
    rows: Vec<Row>,
    problems: Vec<RowProblem>,
    width: usize,
    text_left: usize,
}

impl Default for Sheets {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            rows: Vec::new(),
            problems: Vec::new(),
            width: 0,
            text_left: MAX_TEXT,
        }
    }
}

impl Sheets {
    /// Refuses rows beyond the bounds. `row` is the index of the first of them.
    pub(crate) fn check_extent(&self, row: usize, count: usize) -> Result<(), Problem> {
        is_within(row.saturating_add(count), MAX_SHEET_ROWS)
    }

    /// Refuses columns beyond the bounds. `column` is the index of the first of them.
    pub(crate) fn check_columns(column: usize, count: usize) -> Result<(), Problem> {
        is_within(column.saturating_add(count), MAX_COLUMNS)
    }

    /// Refuses a text of more bytes than all cells may have together.
    pub(crate) fn check_text(bytes: usize) -> Result<(), Problem> {
        is_within(bytes, MAX_TEXT)
    }

    /// Adds a cell with a text that is not empty. `None` is a formula without a stored value, which is a problem of the cell.
    pub(crate) fn add(
        &mut self,
        row: usize,
        column: usize,
        text: Option<&str>,
    ) -> Result<(), Problem> {
        self.check_extent(row, 1)?;
        Self::check_columns(column, 1)?;
        let number = row.saturating_add(1);
        if text.is_none() {
            self.problems.push(RowProblem {
                row: number,
                column: Some(column),
                problem: Problem::Formula,
            });
        }
        let text = text.unwrap_or_default();
        self.text_left = self
            .text_left
            .checked_sub(text.len())
            .ok_or(Problem::TooLarge)?;
        self.width = self.width.max(column.saturating_add(1));
        // Rows are stored in their order. Another order is a damaged file.
        match self.rows.last() {
            Some(last) if last.row > number => return Err(Problem::Damaged),
            Some(last) if last.row == number => {}
            _ => {
                let count = self.rows.len().saturating_add(1);
                is_within(count.saturating_mul(self.width), MAX_CELLS)?;
                self.rows.push(Row {
                    row: number,
                    cells: Vec::new(),
                });
            }
        }
        if let Some(last) = self.rows.last_mut() {
            if last.cells.len() <= column {
                last.cells.resize(column.saturating_add(1), String::new());
            }
            if let Some(place) = last.cells.get_mut(column) {
                text.clone_into(place);
            }
        }
        Ok(())
    }

    /// Returns the rows, all of the same length, and the problems of cells.
    fn finish(mut self) -> Result<(Vec<Row>, Vec<RowProblem>), Problem> {
        is_within(self.rows.len().saturating_mul(self.width), MAX_CELLS)?;
        for row in &mut self.rows {
            row.cells.resize(self.width, String::new());
        }
        Ok((self.rows, self.problems))
    }
}

fn is_within(number: usize, most: usize) -> Result<(), Problem> {
    if number <= most {
        Ok(())
    } else {
        Err(Problem::TooLarge)
    }
}

/// Reads the chosen sheet of a workbook of Excel.
fn excel(bytes: &[u8], sheet: Option<&str>) -> Result<(String, Sheets), Problem> {
    let mut book: Workbook<'_> = Xlsx::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let all: Vec<(String, bool)> = book
        .sheets_metadata()
        .iter()
        .map(|sheet| (sheet.name.clone(), sheet.visible == SheetVisible::Visible))
        .collect();
    let mut list = Vec::new();
    for (name, is_visible) in all {
        // The chosen sheet needs no look at the others.
        let has_cells = sheet.is_none() && has_cells(&mut book, &name)?;
        list.push(Sheet {
            name,
            is_visible,
            has_cells,
        });
    }
    let name = chosen(list, sheet)?;
    let without_value = formulas_without_value(&mut book, &name)?;
    let sheets = cells(&mut book, &name, &without_value)?;
    Ok((name, sheets))
}

fn damaged(error: &XlsxError) -> Problem {
    match error {
        XlsxError::Password => Problem::Protected,
        _ => Problem::Damaged,
    }
}

/// Unpacks all files, and counts their bytes. The sizes that an archive states about itself may be wrong.
fn check_size(bytes: &[u8], most: u64) -> Result<(), Problem> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Problem::Damaged)?;
    let mut left = most;
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(|_| Problem::Damaged)?;
        let more = left.saturating_add(1);
        let read = io::copy(&mut file.take(more), &mut io::sink()).map_err(|_| Problem::Damaged)?;
        left = left.checked_sub(read).ok_or(Problem::TooLarge)?;
    }
    Ok(())
}

/// Returns the name of the sheet to read: the given one, or the only one with cells. Hidden sheets count only if no other has cells.
fn chosen(list: Vec<Sheet>, wanted: Option<&str>) -> Result<String, Problem> {
    if let Some(wanted) = wanted {
        let is_known = list.iter().any(|sheet| sheet.name == wanted);
        return if is_known {
            Ok(wanted.to_owned())
        } else {
            let names = list.into_iter().map(|sheet| sheet.name);
            Err(Problem::Sheet(names.collect()))
        };
    }
    let filled = list.into_iter().filter(|sheet| sheet.has_cells);
    let (visible, hidden): (Vec<Sheet>, Vec<Sheet>) = filled.partition(|sheet| sheet.is_visible);
    let found = if visible.is_empty() {
        &hidden
    } else {
        &visible
    };
    match found.as_slice() {
        [] => Err(Problem::Empty),
        [sheet] => Ok(sheet.name.clone()),
        _ => {
            let names = visible.into_iter().chain(hidden).map(|sheet| sheet.name);
            Err(Problem::Sheet(names.collect()))
        }
    }
}

fn has_cells(book: &mut Workbook<'_>, name: &str) -> Result<bool, Problem> {
    // A sheet with only a chart has no cells to read.
    let Ok(mut reader) = book.worksheet_cells_reader(name) else {
        return Ok(false);
    };
    while let Some(cell) = reader.next_cell().map_err(|error| damaged(&error))? {
        if *cell.get_value() != DataRef::Empty {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Returns the positions of formulas whose value the program that saved the workbook did not store. Reads the sheet once more, because no method of
/// calamine returns a cell with both its formula and its style.
fn formulas_without_value(
    book: &mut Workbook<'_>,
    name: &str,
) -> Result<HashSet<(u32, u32)>, Problem> {
    let mut found = HashSet::new();
    let mut reader = book
        .worksheet_cells_reader(name)
        .map_err(|error| damaged(&error))?;
    while let Some(cell) = reader
        .next_cell_with_formula_metadata()
        .map_err(|error| damaged(&error))?
    {
        if cell.formula.is_some() && cell.value == DataRef::Empty {
            found.insert(cell.pos);
        }
    }
    Ok(found)
}

/// Reads the cells of a sheet.
fn cells(
    book: &mut Workbook<'_>,
    name: &str,
    without_value: &HashSet<(u32, u32)>,
) -> Result<Sheets, Problem> {
    let mut reader = book
        .worksheet_cells_reader(name)
        .map_err(|error| damaged(&error))?;
    let format = |style: &Style| {
        style
            .number_format
            .as_ref()
            .map(|one| one.format_code.clone())
    };
    let formats: Vec<String> = reader
        .styles()
        .iter()
        .map(|style| format(style).unwrap_or_default())
        .collect();
    let mut sheets = Sheets::default();
    while let Some((cell, style)) = reader
        .next_cell_with_style_id()
        .map_err(|error| damaged(&error))?
    {
        let (row, column) = cell.get_position();
        let row = usize::try_from(row).map_err(|_| Problem::TooLarge)?;
        let column = usize::try_from(column).map_err(|_| Problem::TooLarge)?;
        let text = shown(
            cell.get_value(),
            formats.get(style).map_or("", String::as_str),
        );
        if without_value.contains(&cell.get_position()) {
            sheets.add(row, column, None)?;
        } else if !text.is_empty() {
            sheets.add(row, column, Some(&text))?;
        }
    }
    Ok(sheets)
}

/// Returns the text of a cell: dates as ISO 8601 writes them, numbers with a decimal point, and the sign `%` and leading zeros as their format shows them.
fn shown(value: &DataRef<'_>, format: &str) -> String {
    match value {
        DataRef::Empty => String::new(),
        DataRef::String(text) | DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => {
            text.clone()
        }
        DataRef::SharedString(text) => (*text).to_owned(),
        DataRef::Bool(value) => value.to_string(),
        DataRef::Error(error) => error.to_string(),
        DataRef::DateTime(time) => moment(time),
        DataRef::Int(number) => formatted(&number.to_string(), format),
        DataRef::Float(number) if has_percent(format) => format!("{}%", decimal(number * 100.0)),
        DataRef::Float(number) => formatted(&decimal(*number), format),
    }
}

/// Returns a number with at most [`DIGITS`] significant digits, so that 0.1 + 0.2 is 0.3, as Excel shows it.
pub(crate) fn decimal(number: f64) -> String {
    let rounded = format!("{number:.*e}", DIGITS.saturating_sub(1));
    // The text was just written from a number.
    rounded.parse::<f64>().unwrap_or(number).to_string()
}

/// Adds the leading zeros of a format such as `00000`.
fn formatted(number: &str, format: &str) -> String {
    let is_zeros = format.len() > 1 && format.bytes().all(|byte| byte == b'0');
    let is_whole = number.bytes().all(|byte| byte.is_ascii_digit());
    if is_zeros && is_whole {
        format!("{number:0>width$}", width = format.len())
    } else {
        number.to_owned()
    }
}

/// Returns true if a format shows a percentage: it has the sign `%` outside quotation marks.
fn has_percent(format: &str) -> bool {
    format.split('"').step_by(2).any(|part| part.contains('%'))
}

/// Returns a date, a date with a time, or a time.
fn moment(time: &ExcelDateTime) -> String {
    let (year, month, day, hour, minute, second, _) = time.to_ymd_hms_milli();
    let clock = format!("{hour:02}:{minute:02}:{second:02}");
    if time.is_duration() || time.as_f64() < 1.0 {
        return clock;
    }
    let date = format!("{year:04}-{month:02}-{day:02}");
    if time.as_f64().fract() == 0.0 {
        date
    } else {
        format!("{date}T{clock}")
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;

    #[test]
    fn an_archive_that_unpacks_to_more_than_its_limit_is_refused() {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        for name in ["a", "b"] {
            writer
                .start_file(name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(&[0; 1_000]).unwrap();
        }
        let bytes = writer.finish().unwrap().into_inner();
        assert_eq!(check_size(&bytes, 2_000), Ok(()));
        assert_eq!(check_size(&bytes, 1_999), Err(Problem::TooLarge));
        assert_eq!(check_size(&bytes, 10), Err(Problem::TooLarge));
    }
}
