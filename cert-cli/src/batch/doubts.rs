//! Finds values that can hardly be meant, such as those that a spreadsheet destroyed, by docs/batch.md. The pages find the same ones
//! (`www/lib/doubts.js`).

mod dates;
mod texts;

use cert_core::Path;
use serde_json::Value;
use time::OffsetDateTime;

use self::texts::{is_error, is_shortened, spaces};
use super::mapping::{leaves, value_at};
use super::progress::grouped;
use super::table::RowError;
use crate::failure::Failure;
use crate::output::print_note;

/// The maximum number of doubts that are listed of each kind.
const MAX_LISTED: usize = 10;

/// A kind of doubts. The issuer accepts each kind separately. Doubts are listed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum)]
pub(crate) enum Kind {
    /// Dates that can hardly be true, such as certificates that are over already.
    Dates,
    /// Error values of spreadsheets, such as `#REF!`.
    Errors,
    /// Numbers that a spreadsheet shortened, such as `9.91E+15`.
    Shortened,
    /// Rows with the same values as an earlier row.
    EqualRows,
    /// Texts with spaces around them, and short texts with two spaces in a row.
    Spaces,
}

impl Kind {
    /// Returns the name that `--accept` takes.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Dates => "dates",
            Self::Errors => "errors",
            Self::Shortened => "shortened",
            Self::EqualRows => "equal-rows",
            Self::Spaces => "spaces",
        }
    }
}

/// The reason why a value can hardly be meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    Expired,
    Order,
    Future,
    Old,
    Far,
    Error,
    Shortened,
    /// The row has the same values as the row `first`.
    Equal {
        first: usize,
    },
    Around,
    Double,
}

impl Doubt {
    pub(crate) fn kind(self) -> Kind {
        match self {
            Self::Expired | Self::Order | Self::Future | Self::Old | Self::Far => Kind::Dates,
            Self::Error => Kind::Errors,
            Self::Shortened => Kind::Shortened,
            Self::Equal { .. } => Kind::EqualRows,
            Self::Around | Self::Double => Kind::Spaces,
        }
    }

    pub(crate) fn message(self) -> String {
        let text = match self {
            Self::Expired => "this date has passed already",
            Self::Order => "this date is before the day of issue",
            Self::Future => "this date is in the future",
            Self::Old => "this date is before 1600",
            Self::Far => "this date is more than 100 years ahead",
            Self::Error => "this is an error value of a spreadsheet",
            Self::Shortened => "a spreadsheet may have shortened this number",
            Self::Equal { first } => return format!("row {first} has the same values"),
            Self::Around => "this text has spaces around it",
            Self::Double => "this text has two spaces in a row",
        };
        text.to_owned()
    }

    /// Returns the code in the vectors, which the pages use as the key of a text.
    #[cfg(test)]
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::Expired => "expired",
            Self::Order => "order",
            Self::Future => "future",
            Self::Old => "old",
            Self::Far => "far",
            Self::Error => "error",
            Self::Shortened => "shortened",
            Self::Equal { .. } => "equal",
            Self::Around => "around",
            Self::Double => "double",
        }
    }
}

/// Returns the doubts about a document at a time.
pub(crate) fn of_document(
    schema: &Value,
    document: &Value,
    now: OffsetDateTime,
) -> Vec<(Path, Doubt)> {
    let mut found = dates::doubts(schema, document, now);
    for path in leaves(document) {
        if let Some(Value::String(text)) = value_at(document, path.steps()) {
            found.extend(of_text(text).map(|doubt| (path.clone(), doubt)));
        }
    }
    found
}

fn of_text(text: &str) -> impl Iterator<Item = Doubt> {
    [
        is_error(text).then_some(Doubt::Error),
        is_shortened(text).then_some(Doubt::Shortened),
        spaces(text),
    ]
    .into_iter()
    .flatten()
}

/// Returns the doubt about a cell that became a number.
pub(crate) fn of_number(cell: &str) -> Option<Doubt> {
    is_shortened(cell).then_some(Doubt::Shortened)
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

/// Returns the start of a date.
#[cfg(test)]
pub(crate) fn moment(text: &str) -> OffsetDateTime {
    dates::moment(text).unwrap().0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases that the tests of the pages use, too.
    #[derive(serde::Deserialize)]
    struct Vectors {
        /// A text, and the codes of its doubts.
        texts: Vec<(String, Vec<String>)>,
    }

    #[test]
    fn doubtful_texts_are_those_of_the_vectors() {
        let text = include_str!("../../../tests/vectors/batch/doubts.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        for (text, codes) in vectors.texts {
            let found: Vec<&str> = of_text(&text).map(Doubt::code).collect();
            assert_eq!(found, codes, "{text:?}");
        }
    }

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
