//! Finds the delimiter of a table, and the header below its titles.

use crate::cells::{Delimiter, Records, Row};
use crate::problem::Problem;

/// The number of rows that are compared to find the delimiter and the header.
const MAX_COMPARED: usize = 50;

/// Returns the delimiter that a first line such as `sep=;` declares, the text after this line, and the number of lines above the text. Excel writes and
/// reads such lines.
pub(crate) fn declared(text: &str) -> (Option<Delimiter>, &str, usize) {
    let line = text
        .find(['\r', '\n'])
        .and_then(|end| text.split_at_checked(end));
    let (line, rest) = line.unwrap_or((text, ""));
    let line = line.trim_matches('"');
    let declares = |delimiter: &Delimiter| {
        let name = line
            .get(..4)
            .is_some_and(|name| name.eq_ignore_ascii_case("sep="));
        name && line
            .get(4..)
            .is_some_and(|value| value.as_bytes() == [delimiter.byte()])
    };
    match Delimiter::ALL.into_iter().find(declares) {
        Some(delimiter) => {
            let line_break = ["\r\n", "\n", "\r"];
            let after = line_break
                .into_iter()
                .find_map(|one| rest.strip_prefix(one));
            (Some(delimiter), after.unwrap_or(rest), 1)
        }
        None => (None, text, 0),
    }
}

/// Returns the delimiter of a table. A table without a delimiter is one column, and the result is a comma.
///
/// A delimiter splits the header, and each row into as many cells. Text in the cells can look like that, too, but only below the header. Therefore the
/// delimiter with the first header counts.
pub(crate) fn delimiter(text: &str) -> Result<Delimiter, Problem> {
    let mut splitting = Vec::new();
    for delimiter in Delimiter::ALL {
        let rows = beginning(&mut Records::new(text, delimiter));
        if let Some(row) = header(&rows).and_then(|at| rows.get(at))
            && row.filled() > 1
        {
            splitting.push((!is_even(&rows), row.row, delimiter));
        }
    }
    splitting.sort_by_key(|(is_uneven, row, _)| (*is_uneven, *row));
    match splitting.as_slice() {
        [] => Ok(Delimiter::Comma),
        [(uneven, row, _), (other_uneven, other_row, _), ..]
            if (uneven, row) == (other_uneven, other_row) =>
        {
            Err(Problem::Delimiter)
        }
        [(_, _, delimiter), ..] => Ok(*delimiter),
    }
}

/// Returns true if each row after the header has as many cells as the header.
fn is_even(rows: &[Row]) -> bool {
    let Some((header, after)) = header(rows)
        .and_then(|at| rows.get(at..))
        .and_then(<[Row]>::split_first)
    else {
        return false;
    };
    let mut after = after.iter().filter(|row| row.filled() > 0).peekable();
    after.peek().is_some() && after.all(|row| row.cells.len() == header.cells.len())
}

/// Takes the first rows.
pub(crate) fn beginning(records: &mut impl Iterator<Item = Row>) -> Vec<Row> {
    records.take(MAX_COMPARED).collect()
}

/// Returns the index of the header among the first rows. `None` if all of them are blank.
///
/// Titles and notes above a header fill fewer cells. The header is the first row that fills more than half as many cells as the fullest row.
pub(crate) fn header(rows: &[Row]) -> Option<usize> {
    let most = rows.iter().map(Row::filled).max()?;
    let is_header = |row: &Row| row.filled().saturating_mul(2) > most;
    rows.iter().position(is_header)
}
