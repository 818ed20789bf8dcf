//! Finds values that can hardly be meant, such as those that a spreadsheet destroyed.

mod dates;
mod texts;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use cert_core::verdict::Expiry;
use cert_core::{Path, aih2};
use serde_json::Value;
use time::{Duration, OffsetDateTime};

use self::texts::{is_error, is_shortened, spaces};
use crate::document::{leaves, value_at};
use crate::fields::Field;

/// A kind of doubts. The issuer accepts each kind separately. Doubts are listed in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
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
    /// All kinds, in their order.
    pub const ALL: [Self; 5] = [
        Self::Dates,
        Self::Errors,
        Self::Shortened,
        Self::EqualRows,
        Self::Spaces,
    ];

    /// Returns the kind's name.
    pub fn name(self) -> &'static str {
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
pub enum Doubt {
    /// An expiry date has passed.
    Expired,
    /// An expiry date is before the day of issue.
    Order,
    /// The day of issue is more than a day ahead.
    Future,
    /// A date is before 1600.
    Old,
    /// A date is more than 100 years ahead.
    Far,
    /// A text is an error value of a spreadsheet.
    Error,
    /// A spreadsheet shortened the number.
    Shortened,
    /// The row has the same values as the row `first`.
    Equal {
        /// The number of the earlier row.
        first: usize,
    },
    /// A text has spaces around it.
    Around,
    /// A short text has two spaces in a row.
    Double,
}

impl Doubt {
    /// Returns the kind of the doubt.
    pub fn kind(self) -> Kind {
        match self {
            Self::Expired | Self::Order | Self::Future | Self::Old | Self::Far => Kind::Dates,
            Self::Error => Kind::Errors,
            Self::Shortened => Kind::Shortened,
            Self::Equal { .. } => Kind::EqualRows,
            Self::Around | Self::Double => Kind::Spaces,
        }
    }

    /// Returns an English sentence without a full stop.
    pub fn message(self) -> String {
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

    /// Returns the doubt's stable code, which is also the key of the pages' text in `pkg/view/texts`.
    pub fn code(self) -> &'static str {
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

/// The rules for documents of a schema, at a time.
pub struct Rules {
    expiry: Expiry,
    now: OffsetDateTime,
}

impl Rules {
    /// Returns the rules for documents of this schema.
    pub fn of(schema: &Value, now: OffsetDateTime) -> Self {
        Self {
            expiry: dates::expiry(schema),
            now,
        }
    }
}

/// Returns the time after a number of milliseconds since 1970.
pub fn time_at(milliseconds: i64) -> OffsetDateTime {
    OffsetDateTime::UNIX_EPOCH.saturating_add(Duration::milliseconds(milliseconds))
}

/// Returns the doubts about a document.
pub fn of_document(rules: &Rules, document: &Value) -> Vec<(Path, Doubt)> {
    let mut found = dates::doubts(&rules.expiry, document, rules.now);
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

/// The doubts about a row, and the text by which equal rows are found.
pub struct RowDoubts {
    text: String,
    found: Vec<(Path, Doubt)>,
}

/// Returns the doubts about a row's document. `fields` has the field of each of its `cells`, or `None`.
pub fn of_row(
    rules: &Rules,
    document: &Value,
    cells: &[String],
    fields: &[Option<Field>],
) -> RowDoubts {
    let mut found = of_document(rules, document);
    found.extend(fields.iter().zip(cells).filter_map(|(field, cell)| {
        let path = &field.as_ref()?.path;
        let is_number = value_at(document, path.steps())?.is_number();
        let is_doubtful = is_number && is_shortened(cell);
        is_doubtful.then(|| (path.clone(), Doubt::Shortened))
    }));
    let text = document.to_string();
    // The numbers 1 and 1.0 are certified as equal values, so they are compared as the library writes them.
    let text = aih2::parse(&text).map_or(text, |document| document.to_json());
    RowDoubts { text, found }
}

/// Returns the doubts about rows, each given with its number, in the order of the kinds, the rows and the paths. A row with the same values as an earlier
/// row is doubtful, too.
pub fn of_rows(rows: impl IntoIterator<Item = (usize, RowDoubts)>) -> Vec<(usize, Path, Doubt)> {
    let mut first_rows: HashMap<String, usize> = HashMap::new();
    let mut all = Vec::new();
    for (row, RowDoubts { text, found }) in rows {
        all.extend(found.into_iter().map(|(path, doubt)| (row, path, doubt)));
        match first_rows.entry(text) {
            Entry::Vacant(entry) => {
                entry.insert(row);
            }
            Entry::Occupied(first) => {
                let first = *first.get();
                all.push((row, Path::root(), Doubt::Equal { first }));
            }
        }
    }
    all.sort_by(|(row, path, doubt), (other_row, other_path, other)| {
        (doubt.kind(), row, path).cmp(&(other.kind(), other_row, other_path))
    });
    all
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
}
