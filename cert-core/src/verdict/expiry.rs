//! The expiry date of a certificate. The schema marks the expiry fields. Their proven values give the date.

use alloc::vec::Vec;

use crate::json::path::{Path, PathStep};
use crate::json::value::Value;

/// The member of a property's schema that makes the property an expiry field.
const MARK: &str = "x-assay-expires";
/// The property of the schema's root that is the expiry field if the schema marks none.
const NAME: &str = "validUntil";
/// The maximum nesting depth of the objects that are searched for expiry marks.
const DEPTH_MAX: usize = 16;
/// The maximum number of expiry fields. Further fields of a schema are ignored.
const FIELDS_MAX: usize = 8;

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 86_400_000;
/// Days from 0000-01-01 to 1970-01-01.
const DAYS_TO_1970: i64 = 719_528;
/// The days of a year before each month, without a leap day.
const DAYS_BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];

/// The expiry fields of a schema, and the earliest of their proven values.
#[derive(Clone, Debug, Default)]
pub struct Expiry {
    fields: Vec<Path>,
    at: Option<u64>,
}

impl Expiry {
    /// Finds the expiry fields of a schema: the properties marked with `"x-assay-expires": true`, in objects but not in lists. If none is marked,
    /// the root's property `validUntil` is the expiry field. Only the first 8 fields are read, in objects nested at most 16 levels deep.
    #[must_use]
    pub fn of(schema: &Value) -> Self {
        let mut fields = Vec::new();
        collect(schema, &Path::root(), &mut fields);
        if fields.is_empty() {
            fields.push(Path::from([NAME]));
        }
        Self { fields, at: None }
    }

    /// Adds a proven value of the document. If it is the value of an expiry field and a date, the earliest such date counts.
    pub fn add_proven(&mut self, path: &[PathStep], value: Option<&Value>) {
        if self.has(path)
            && let Some(end) = value.and_then(Value::as_str).and_then(end)
        {
            self.at = Some(self.at.map_or(end, |at| at.min(end)));
        }
    }

    /// Returns the time from which the certificate counts as expired, in milliseconds since 1970. `None` if no expiry date is proven.
    #[must_use]
    pub const fn at(&self) -> Option<u64> {
        self.at
    }

    /// Returns true if `path` is the path of an expiry field.
    #[must_use]
    pub fn has(&self, path: &[PathStep]) -> bool {
        self.fields.iter().any(|field| field.steps() == path)
    }
}

/// Adds the paths of marked properties. Searches objects, but neither lists nor marked properties.
fn collect(schema: &Value, path: &Path, fields: &mut Vec<Path>) {
    let properties = schema
        .as_object()
        .and_then(|schema| schema.get("properties"));
    let Some(properties) = properties.and_then(Value::as_object) else {
        return;
    };
    for (key, property) in properties.iter() {
        if fields.len() >= FIELDS_MAX {
            return;
        }
        let mut below = path.clone();
        below.push(key);
        let mark = property.as_object().and_then(|object| object.get(MARK));
        if matches!(mark, Some(Value::Bool(true))) {
            fields.push(below);
        } else if below.steps().len() < DEPTH_MAX {
            collect(property, &below, fields);
        }
    }
}

/// Returns the time from which a certificate with this expiry date counts as expired. `None` for other text, and for the last day of the calendar,
/// whose end has no date.
fn end(text: &str) -> Option<u64> {
    const LAST_DAY: &str = "9999-12-31";
    let Moment { end, .. } = moment(text)?;
    // A date before 1970 counts as 1970, because both have passed.
    (text != LAST_DAY).then(|| u64::try_from(end).unwrap_or(0))
}

/// A date of a document, in milliseconds since 1970. Without a time, it lasts a day in UTC. Start and end of a date with a time are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The first millisecond.
    pub start: i64,
    /// The first millisecond after a day, or the time itself.
    pub end: i64,
}

/// Reads a date in one of these forms of ISO 8601: `2026-01-01`, alone or followed by a time such as `T10:00`. The time may have seconds, with a
/// decimal fraction, and `Z` or an offset such as `+01:00`. Without an offset, the time is in UTC. `None` for any other text. Other forms of ISO 8601
/// are refused, because browsers do not parse them.
///
/// ```
/// use cert_core::verdict::moment;
///
/// let day = moment("1970-01-02").unwrap();
/// assert_eq!((day.start, day.end), (86_400_000, 172_800_000));
/// assert_eq!(moment("1970-01-01T01:00:00.25+01:00").unwrap().end, 250);
/// assert_eq!(moment("2026-02-30"), None);
/// ```
#[must_use]
pub fn moment(text: &str) -> Option<Moment> {
    let mut rest = Rest(text.as_bytes());
    // A number has at most four digits, so no calculation overflows.
    let [year, month, day] = rest.numbers([(None, 4), (Some(b'-'), 2), (Some(b'-'), 2)])?;
    let start = days(year, month, day)?.wrapping_mul(DAY_MS);
    if rest.0.is_empty() {
        let end = start.wrapping_add(DAY_MS);
        return Some(Moment { start, end });
    }
    let [hours, minutes] = rest.numbers([(Some(b'T'), 2), (Some(b':'), 2)])?;
    let mut milliseconds = minutes_of(hours, minutes)?.wrapping_mul(MINUTE_MS);
    if rest.0.starts_with(b":") {
        let [seconds] = rest.numbers([(Some(b':'), 2)])?;
        let thousandths = rest.fraction()?;
        milliseconds = milliseconds
            .wrapping_add(seconds.wrapping_mul(1_000))
            .wrapping_add(thousandths);
        if seconds > 59 {
            return None;
        }
    }
    let offset = rest.offset()?.wrapping_mul(MINUTE_MS);
    let at = start.wrapping_add(milliseconds).wrapping_sub(offset);
    Some(Moment { start: at, end: at })
}

/// Returns the minutes from midnight to a time of the day. `None` if the day does not have the time.
fn minutes_of(hours: i64, minutes: i64) -> Option<i64> {
    let is_time = hours <= 23 && minutes <= 59;
    is_time.then(|| hours.wrapping_mul(60).wrapping_add(minutes))
}

/// Returns the days from 1970-01-01 to a day of the Gregorian calendar. `None` if the calendar does not have the day.
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let month = usize::try_from(month).ok()?;
    let (before, after) = (
        *DAYS_BEFORE.get(month.checked_sub(1)?)?,
        *DAYS_BEFORE.get(month)?,
    );
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let length = after
        .wrapping_sub(before)
        .wrapping_add((is_leap && month == 2).into());
    if day < 1 || day > length {
        return None;
    }
    // The year 0 is a leap year, so `year` years before this one have one leap day for each begun period.
    let leap_days = (year.wrapping_add(3) / 4)
        .wrapping_sub(year.wrapping_add(99) / 100)
        .wrapping_add(year.wrapping_add(399) / 400);
    let days = year
        .wrapping_mul(365)
        .wrapping_add(leap_days)
        .wrapping_add(before)
        .wrapping_add((is_leap && month > 2).into())
        .wrapping_add(day)
        .wrapping_sub(1);
    Some(days.wrapping_sub(DAYS_TO_1970))
}

/// The rest of a text to read.
struct Rest<'t>(&'t [u8]);

impl Rest<'_> {
    /// Reads numbers, each with the mark before it and the count of its digits.
    fn numbers<const N: usize>(&mut self, forms: [(Option<u8>, usize); N]) -> Option<[i64; N]> {
        let mut numbers = [0; N];
        for (number, (mark, count)) in numbers.iter_mut().zip(forms) {
            *number = self.number(mark, count)?;
        }
        Some(numbers)
    }

    fn number(&mut self, mark: Option<u8>, count: usize) -> Option<i64> {
        if let Some(mark) = mark {
            self.0 = self.0.strip_prefix(&[mark])?;
        }
        let (digits, rest) = self.0.split_at_checked(count)?;
        self.0 = rest;
        let mut number = 0_i64;
        for digit in digits {
            let digit = digit.checked_sub(b'0').filter(|digit| *digit <= 9)?;
            number = number.wrapping_mul(10).wrapping_add(digit.into());
        }
        Some(number)
    }

    /// Reads an optional decimal fraction of a second. Returns its milliseconds, rounded down.
    fn fraction(&mut self) -> Option<i64> {
        let Some(rest) = self.0.strip_prefix(b".") else {
            return Some(0);
        };
        let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = rest.split_at_checked(count).filter(|_| count > 0)?;
        self.0 = rest;
        let mut thousandths = 0_i64;
        for at in 0..3 {
            let digit = digits.get(at).map_or(0, |digit| digit.wrapping_sub(b'0'));
            thousandths = thousandths.wrapping_mul(10).wrapping_add(digit.into());
        }
        Some(thousandths)
    }

    /// Reads the offset to UTC in minutes, up to the end of the text. Without an offset, the time is in UTC.
    fn offset(&mut self) -> Option<i64> {
        let mark = match *self.0 {
            [] | [b'Z'] => return Some(0),
            [mark @ (b'+' | b'-'), ..] => mark,
            _ => return None,
        };
        let [hours, minutes] = self.numbers([(Some(mark), 2), (Some(b':'), 2)])?;
        let minutes = minutes_of(hours, minutes).filter(|_| self.0.is_empty())?;
        Some(match mark {
            b'-' => minutes.wrapping_neg(),
            _ => minutes,
        })
    }
}
