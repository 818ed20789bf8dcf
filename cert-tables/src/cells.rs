//! Reads a table of text: CSV as spreadsheets save it.

use std::collections::BTreeSet;

use crate::layout;
use crate::problem::{Problem, RowProblem};

/// The maximum number of rows of a table. Issue more rows in several batches.
pub const MAX_ROWS: usize = 1_000_000;

/// The character between two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// `,`
    Comma,
    /// `;`
    Semicolon,
    /// A tab.
    Tab,
}

impl Delimiter {
    /// All delimiters.
    pub const ALL: [Self; 3] = [Self::Comma, Self::Semicolon, Self::Tab];

    /// Returns the character.
    pub const fn byte(self) -> u8 {
        match self {
            Self::Comma => b',',
            Self::Semicolon => b';',
            Self::Tab => b'\t',
        }
    }

    /// Returns the delimiter's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Comma => "comma",
            Self::Semicolon => "semicolon",
            Self::Tab => "tab",
        }
    }
}

/// The choices of a person about a table, and its bounds.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The delimiter. By default, the table's own lines decide.
    pub delimiter: Option<Delimiter>,
    /// The maximum number of rows.
    pub max_rows: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            delimiter: None,
            max_rows: MAX_ROWS,
        }
    }
}

/// A table with a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The character between two cells. The result of a workbook gets a comma.
    pub delimiter: Delimiter,
    /// The name of the sheet of a workbook.
    pub sheet: Option<String>,
    /// The number of the header's row.
    pub header: usize,
    /// The names of the columns: not empty, and all different.
    pub columns: Vec<String>,
    /// The rows that have a cell for each column.
    pub rows: Vec<Row>,
    /// The other rows.
    pub problems: Vec<RowProblem>,
}

/// A row of cells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The row's number in a spreadsheet, where the first row is 1.
    pub row: usize,
    /// The cells.
    pub cells: Vec<String>,
}

impl Row {
    /// Returns the number of cells that are not blank.
    pub(crate) fn filled(&self) -> usize {
        let is_filled = |cell: &&String| !cell.trim().is_empty();
        self.cells.iter().filter(is_filled).count()
    }
}

/// Reads CSV (RFC 4180). A line break is LF, CRLF or CR. Blank rows, a line such as `sep=;` and titles above the header are left out.
///
/// # Errors
/// A problem of the table as a whole. [`Table::problems`] has the rows that cannot be read.
pub fn read(text: &str, options: Options) -> Result<Table, Problem> {
    if !text
        .bytes()
        .filter(|byte| *byte == b'"')
        .count()
        .is_multiple_of(2)
    {
        return Err(Problem::Quote);
    }
    let (declared, text, above) = layout::declared(text);
    let delimiter = match options.delimiter.or(declared) {
        Some(delimiter) => delimiter,
        None => layout::delimiter(text)?,
    };
    let records = Records::new(text, delimiter).map(|mut row| {
        row.row = row.row.saturating_add(above);
        row
    });
    let mut table = table(records, options)?;
    table.delimiter = delimiter;
    Ok(table)
}

/// Makes a table from rows. Blank rows and titles above the header are left out.
pub(crate) fn table(
    mut records: impl Iterator<Item = Row>,
    options: Options,
) -> Result<Table, Problem> {
    let mut first = layout::beginning(&mut records);
    let header = first.remove(layout::header(&first).ok_or(Problem::Empty)?);
    first.retain(|row| row.row > header.row);
    let columns = columns(&header)?;
    let (mut rows, mut problems) = (Vec::new(), Vec::new());
    for mut row in first.into_iter().chain(records) {
        if row.filled() == 0 {
            continue;
        }
        if rows.len().saturating_add(problems.len()) >= options.max_rows {
            return Err(Problem::TooManyRows(options.max_rows));
        }
        while row.cells.len() > columns.len() && row.cells.last().is_some_and(String::is_empty) {
            row.cells.pop();
        }
        if row.cells.len() == columns.len() {
            rows.push(row);
        } else {
            problems.push(RowProblem {
                row: row.row,
                column: None,
                problem: Problem::Cells {
                    count: row.cells.len(),
                    columns: columns.len(),
                },
            });
        }
    }
    if rows.is_empty() && problems.is_empty() {
        return Err(Problem::NoRows);
    }
    Ok(Table {
        delimiter: Delimiter::Comma,
        sheet: None,
        header: header.row,
        columns,
        rows,
        problems,
    })
}

/// Returns the names of the columns. Spreadsheets also save trailing columns that are empty now but were used before.
fn columns(header: &Row) -> Result<Vec<String>, Problem> {
    let mut columns: Vec<String> = header
        .cells
        .iter()
        .map(|cell| cell.trim().to_owned())
        .collect();
    while columns.last().is_some_and(String::is_empty) {
        columns.pop();
    }
    let mut names = BTreeSet::new();
    for (number, column) in (1_usize..).zip(&columns) {
        if column.is_empty() {
            return Err(Problem::Unnamed(number));
        }
        if !names.insert(column) {
            return Err(Problem::Twice(column.clone()));
        }
    }
    Ok(columns)
}

/// The rows of CSV. Empty lines have no row, but are counted.
pub(crate) struct Records<'t> {
    text: &'t str,
    records: csv::StringRecordsIntoIter<&'t [u8]>,
    row: usize,
}

impl<'t> Records<'t> {
    pub(crate) fn new(text: &'t str, delimiter: Delimiter) -> Self {
        let reader = csv::ReaderBuilder::new()
            .delimiter(delimiter.byte())
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        Self {
            text,
            records: reader.into_records(),
            row: 0,
        }
    }
}

impl Iterator for Records<'_> {
    type Item = Row;

    fn next(&mut self) -> Option<Row> {
        let Ok(record) = self.records.next()? else {
            unreachable!(
                "text in memory can be read, is UTF-8, and its rows may have different lengths"
            );
        };
        self.row = self
            .row
            .saturating_add(empty_lines(self.text, &record))
            .saturating_add(1);
        Some(Row {
            row: self.row,
            cells: record.iter().map(str::to_owned).collect(),
        })
    }
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
