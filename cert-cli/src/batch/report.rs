//! Reports errors of rows, and doubts about them.

use cert_tables::RowProblem;
use cert_tables::doubts::Kind;

use super::progress::grouped;
use crate::failure::Failure;
use crate::output::{self, print_note};

/// The maximum number of doubts that are listed of each kind.
const MAX_LISTED: usize = 10;

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

    /// Returns the error of a problem in a table with these columns.
    pub(crate) fn of(
        RowProblem {
            row,
            column,
            problem,
        }: RowProblem,
        columns: &[String],
    ) -> Self {
        let column = column.and_then(|index| columns.get(index));
        Self::new(row, column.map(String::as_str), problem.to_string())
    }

    pub(crate) fn new(row: usize, column: Option<&str>, message: impl Into<String>) -> Self {
        Self {
            row,
            column: column.map(str::to_owned),
            message: message.into(),
        }
    }
}

/// Prints the errors of rows on standard output, one JSON object per line, and a note for people. `effect` is the note's sentence about the effect
/// of the errors. Returns false.
pub(crate) fn broken(errors: &[RowError], effect: &str) -> Result<bool, Failure> {
    for error in errors {
        let line =
            serde_json::to_string(error).map_err(|error| Failure::new("output-failed", error))?;
        output::line(&line)?;
    }
    print_note(&format!(
        "{} errors in the rows. {effect}. Correct the rows, then run the same command again.",
        grouped(errors.len())
    ));
    Ok(false)
}

/// Prints the first doubts of each kind, and the number of the others. `doubts` are in the order of the kinds.
pub(crate) fn print(doubts: &[(Kind, RowError)]) {
    for group in doubts.chunk_by(|(one, _), (other, _)| one == other) {
        for (_, doubt) in group.iter().take(MAX_LISTED) {
            print_note(&format!("row {}: {}", doubt.row, doubt.text()));
        }
        let more = group.len().saturating_sub(MAX_LISTED);
        if let Some((kind, _)) = group.first()
            && more > 0
        {
            print_note(&format!(
                "{} more of the kind `{}`",
                grouped(more),
                kind.name()
            ));
        }
    }
}

/// Fails if the issuer did not accept the kind of a doubt. `doubts` are in the order of the kinds.
pub(crate) fn confirm(doubts: &[(Kind, RowError)], accepted: &[Kind]) -> Result<(), Failure> {
    let (mut open, mut kinds) = (Vec::new(), Vec::new());
    for group in doubts.chunk_by(|(one, _), (other, _)| one == other) {
        let Some((kind, _)) = group.first() else {
            continue;
        };
        kinds.push(kind.name());
        if !accepted.contains(kind) {
            open.push(format!("{} in {}", kind.name(), rows_of(group)));
        }
    }
    if open.is_empty() {
        return Ok(());
    }
    Err(Failure::new(
        "doubts-not-confirmed",
        format!(
            "nothing was issued: correct {}. If the listed values are right, run the same command with --accept {}",
            open.join("; "),
            kinds.join(",")
        ),
    ))
}

/// Returns the numbers of the first rows, and how many rows follow: `rows 2, 5 and 7 more`.
fn rows_of(group: &[(Kind, RowError)]) -> String {
    let mut rows: Vec<usize> = group.iter().map(|(_, doubt)| doubt.row).collect();
    rows.dedup();
    let listed: Vec<String> = rows.iter().take(MAX_LISTED).map(usize::to_string).collect();
    let word = if rows.len() == 1 { "row" } else { "rows" };
    let more = rows.len().saturating_sub(MAX_LISTED);
    if more > 0 {
        format!("{word} {} and {} more", listed.join(", "), grouped(more))
    } else {
        format!("{word} {}", listed.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_accepts_only_doubts_of_its_kinds() {
        let of = |kind, row| (kind, RowError::new(row, Some("name"), "message"));
        let mut doubts: Vec<_> = (2..15).map(|row| of(Kind::Dates, row)).collect();
        doubts.extend([
            of(Kind::Errors, 3),
            of(Kind::Errors, 3),
            of(Kind::Spaces, 4),
        ]);
        let refused = |accepted: &[Kind]| confirm(&doubts, accepted).unwrap_err().to_string();
        let all = refused(&[]);
        assert!(
            all.contains("dates in rows 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more; errors in row 3; spaces in row 4"),
            "{all}"
        );
        assert!(all.ends_with("--accept dates,errors,spaces"), "{all}");
        let some = refused(&[Kind::Dates, Kind::Shortened, Kind::Errors]);
        assert!(some.contains("correct spaces in row 4."), "{some}");
        assert!(some.ends_with("--accept dates,errors,spaces"), "{some}");
        assert!(confirm(&doubts, &[Kind::Spaces, Kind::Errors, Kind::Dates]).is_ok());
        assert!(confirm(&[], &[]).is_ok());
    }
}
