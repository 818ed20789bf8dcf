//! How the cells of a column write dates and numbers. A person confirms the reading once for each column.

use cert_core::verdict::moment;
use serde_json::{Number, Value};

use crate::accepts::{Fit, accepts, structure};
use crate::cells::Row;
use crate::fields::Field;

/// The maximum number of examples of a question.
const MAX_EXAMPLES: usize = 3;

/// The length of a date such as `2026-11-03`.
const ISO_DATE: usize = 10;

/// A way of writing dates or numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reading {
    /// `03.11.2026` is 3 November 2026. The numbers are separated by `.`, `/` or `-`.
    DayMonthYear,
    /// `11/03/2026` is 3 November 2026.
    MonthDayYear,
    /// `2026/11/3` is 3 November 2026.
    YearMonthDay,
    /// `24,5` is 24.5, and `1.234,5` is 1234.5.
    DecimalComma,
    /// `1,234.5` is 1234.5.
    ThousandsComma,
    /// `24.5%` is 24.5.
    Percent,
    /// `24.5%` is 0.245.
    Fraction,
}

impl Reading {
    const DATES: [Self; 3] = [Self::DayMonthYear, Self::MonthDayYear, Self::YearMonthDay];
    const NUMBERS: [Self; 4] = [
        Self::DecimalComma,
        Self::ThousandsComma,
        Self::Percent,
        Self::Fraction,
    ];

    /// Returns the reading's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DayMonthYear => "day-month-year",
            Self::MonthDayYear => "month-day-year",
            Self::YearMonthDay => "year-month-day",
            Self::DecimalComma => "decimal-comma",
            Self::ThousandsComma => "thousands-comma",
            Self::Percent => "percent",
            Self::Fraction => "fraction",
        }
    }

    /// Returns the reading with a name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::DATES.into_iter().chain(Self::NUMBERS);
        all.find(|reading| reading.name() == name)
    }

    /// Returns the text that a cell stands for: a date of ISO 8601, or a number as JSON writes it. `None` if the cell is not written in this way.
    pub fn plain(self, cell: &str) -> Option<String> {
        let cell = cell.trim();
        match self {
            Self::DayMonthYear => date(cell, |[day, month, year]| (year, month, day)),
            Self::MonthDayYear => date(cell, |[month, day, year]| (year, month, day)),
            Self::YearMonthDay => date(cell, |[year, month, day]| (year, month, day)),
            Self::DecimalComma => number(&without_groups(cell, '.')?.replace(',', ".")),
            Self::ThousandsComma => number(&without_groups(cell, ',')?),
            Self::Percent | Self::Fraction => {
                let digits = cell.strip_suffix('%')?.trim_end();
                let plain = number(digits).or_else(|| Self::DecimalComma.plain(digits))?;
                if self == Self::Fraction {
                    hundredth(&plain)
                } else {
                    Some(plain)
                }
            }
        }
    }
}

/// A question about a column: which of the readings is right?
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// The index of the column.
    pub column: usize,
    /// The readings that fit every cell of the column, with the text that each example stands for.
    pub readings: Vec<(Reading, Vec<String>)>,
    /// The first cells that are not plain, at most three.
    pub examples: Vec<String>,
}

/// Returns a question for each column whose cells have to be dates or numbers, and are written in another way. A column with a cell that no reading fits has no
/// question: its cells are problems.
pub fn questions(rows: &[Row], schema: &Value, fields: &[Option<Field>]) -> Vec<Question> {
    let question = |(column, field): (usize, &Option<Field>)| {
        let field = field.as_ref()?;
        let readings = readings_for(schema, &field.schema);
        let cells = || {
            let cells = rows.iter().filter_map(move |row| row.cells.get(column));
            cells.filter(|cell| !cell.trim().is_empty())
        };
        let is_plain = |cell: &String| is_plain(readings, cell);
        let examples: Vec<String> = cells()
            .filter(|cell| !is_plain(cell))
            .take(MAX_EXAMPLES)
            .cloned()
            .collect();
        let fits = |reading: &Reading| {
            // `1.234` is plain, but with a decimal comma it means something else. A date of ISO 8601 has one meaning.
            let has_one_meaning = |cell: &String| readings == Reading::DATES && is_plain(cell);
            cells().all(|cell| has_one_meaning(cell) || reading.plain(cell).is_some())
        };
        let meant = |reading: Reading| {
            let plain = examples.iter().filter_map(|cell| reading.plain(cell));
            (reading, plain.collect())
        };
        let found: Vec<_> = readings.iter().copied().filter(fits).map(meant).collect();
        (!examples.is_empty() && !found.is_empty()).then_some(Question {
            column,
            readings: found,
            examples,
        })
    };
    fields.iter().enumerate().filter_map(question).collect()
}

/// Returns the readings that can be right for a field.
fn readings_for(root: &Value, schema: &Value) -> &'static [Reading] {
    let takes = |value: &Value| accepts(root, schema, value, Fit::Type);
    if takes(&Value::from("")) {
        let format = structure(root, schema).get("format");
        let is_date = format.is_some_and(|format| format == "date");
        if is_date { &Reading::DATES } else { &[] }
    } else if takes(&Value::from(0)) {
        &Reading::NUMBERS
    } else {
        &[]
    }
}

/// Returns true if a cell needs no reading.
fn is_plain(readings: &[Reading], cell: &str) -> bool {
    let cell = cell.trim();
    if readings == Reading::DATES {
        is_iso_date(cell)
    } else {
        number(cell).is_some()
    }
}

fn is_iso_date(text: &str) -> bool {
    text.len() == ISO_DATE && moment(text).is_some()
}

/// Returns a date of ISO 8601. `order` sorts the three parts of a date into year, month and day.
fn date<'c>(
    cell: &'c str,
    order: impl Fn([&'c str; 3]) -> (&'c str, &'c str, &'c str),
) -> Option<String> {
    let separator = cell.chars().find(|char| !char.is_ascii_digit())?;
    if !matches!(separator, '.' | '/' | '-') {
        return None;
    }
    let mut parts = cell.split(separator).map(str::trim);
    let three = [parts.next()?, parts.next()?, parts.next()?];
    if parts.next().is_some() {
        return None;
    }
    let (year, month, day) = order(three);
    let date = format!("{year}-{month:0>2}-{day:0>2}");
    is_iso_date(&date).then_some(date)
}

/// Removes the separators of groups of three digits. `None` if a group has another number of digits.
fn without_groups(cell: &str, separator: char) -> Option<String> {
    let decimals = if separator == ',' { '.' } else { ',' };
    let (whole, fraction) = match cell.split_once(decimals) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (cell, None),
    };
    let mut groups = whole.trim_start_matches('-').split(separator);
    let first = groups.next()?;
    let mut rest = groups.clone().peekable();
    let is_grouped = rest.peek().is_some();
    if (is_grouped && !(1..=3).contains(&first.len())) || groups.any(|group| group.len() != 3) {
        return None;
    }
    let whole = whole.replace(separator, "");
    Some(match fraction {
        Some(fraction) => format!("{whole}{decimals}{fraction}"),
        None => whole,
    })
}

/// Returns a number as JSON writes it. Leading zeros are part of a code, not of a number.
fn number(text: &str) -> Option<String> {
    serde_json::from_str::<Number>(text).ok()?;
    Some(text.to_owned())
}

/// Moves the decimal point two digits to the left. Does not calculate, so no digit changes.
fn hundredth(number: &str) -> Option<String> {
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", number),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let padded = format!("{whole:0>3}");
    let at = padded.len().checked_sub(2)?;
    let (whole, moved) = padded.split_at_checked(at)?;
    let fraction = format!("{moved}{fraction}");
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    self::number(&format!("{sign}{whole}{point}{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(reading: Reading, cell: &str) -> Option<String> {
        reading.plain(cell)
    }

    #[test]
    fn dates_are_read_in_the_order_of_their_parts() {
        for (reading, cell, expected) in [
            (Reading::DayMonthYear, "03.11.2026", Some("2026-11-03")),
            (Reading::DayMonthYear, "3/11/2026", Some("2026-11-03")),
            (Reading::DayMonthYear, " 3-11-2026 ", Some("2026-11-03")),
            (Reading::DayMonthYear, "3. 11. 2026", Some("2026-11-03")),
            (Reading::DayMonthYear, "29.02.2028", Some("2028-02-29")),
            (Reading::DayMonthYear, "29.02.2027", None),
            (Reading::DayMonthYear, "31.04.2026", None),
            (Reading::DayMonthYear, "03.13.2026", None),
            (Reading::DayMonthYear, "03.11.26", None),
            (Reading::DayMonthYear, "03.11/2026", None),
            (Reading::DayMonthYear, "03.11.2026 10:00", None),
            (Reading::DayMonthYear, "+3.11.2026", None),
            (Reading::MonthDayYear, "11/03/2026", Some("2026-11-03")),
            (Reading::MonthDayYear, "13/03/2026", None),
            (Reading::YearMonthDay, "2026/11/3", Some("2026-11-03")),
            (Reading::YearMonthDay, "2026.11.03", Some("2026-11-03")),
            (Reading::YearMonthDay, "", None),
        ] {
            assert_eq!(plain(reading, cell).as_deref(), expected, "{cell}");
        }
    }

    #[test]
    fn numbers_are_read_with_their_separators() {
        for (reading, cell, expected) in [
            (Reading::DecimalComma, "24,5", Some("24.5")),
            (Reading::DecimalComma, "-0,50", Some("-0.50")),
            (Reading::DecimalComma, "1.234", Some("1234")),
            (Reading::DecimalComma, "1.234.567,8", Some("1234567.8")),
            (Reading::DecimalComma, "24.5", None),
            (Reading::DecimalComma, "1.2345", None),
            (Reading::DecimalComma, ".234", None),
            (Reading::DecimalComma, "1,2,3", None),
            (Reading::DecimalComma, "007,5", None),
            (Reading::DecimalComma, ",5", None),
            (Reading::ThousandsComma, "1,234.5", Some("1234.5")),
            (Reading::ThousandsComma, "1,234", Some("1234")),
            (Reading::ThousandsComma, "24,5", None),
            (Reading::Percent, "24.5%", Some("24.5")),
            (Reading::Percent, "24,5 %", Some("24.5")),
            (Reading::Percent, "7", None),
            (Reading::Fraction, "24.5%", Some("0.245")),
            (Reading::Fraction, "-3%", Some("-0.03")),
            (Reading::Fraction, "100%", Some("1")),
            (Reading::Fraction, "1234%", Some("12.34")),
            (Reading::Fraction, "0.245", None),
            (Reading::Fraction, "%", None),
        ] {
            assert_eq!(plain(reading, cell).as_deref(), expected, "{cell}");
        }
    }
}
