//! Finds the dates of documents that can hardly be true.

use cert_core::{Path, PathStep};
use serde_json::Value;
use time::format_description::well_known::Iso8601;
use time::{Date, Duration, OffsetDateTime, PrimitiveDateTime};

use super::super::mapping::{leaves, value_at};
use super::Doubt;

/// The member of a property's schema that makes the property an expiry field, as in docs/spec/evidence.md.
const MARK: &str = "x-assay-expires";
/// The expiry field if the schema marks none.
const NAME: &str = "validUntil";
const DEPTH_MAX: usize = 16;
const FIELDS_MAX: usize = 8;
const FIRST_YEAR: i32 = 1600;
const YEARS_AHEAD: i32 = 100;

/// Returns the doubtful dates of a document at a time.
pub(crate) fn doubts(schema: &Value, document: &Value, now: OffsetDateTime) -> Vec<(Path, Doubt)> {
    let mut expiry = Vec::new();
    collect(schema, &Path::root(), &mut expiry);
    if expiry.is_empty() {
        expiry.push(Path::from([NAME]));
    }
    let issued_path = Path::from(["issuedAt"]);
    let issued = document
        .get("issuedAt")
        .and_then(Value::as_str)
        .and_then(moment);
    let doubt = |path: &Path| -> Option<Doubt> {
        let (start, end) = moment(value_at(document, path.steps())?.as_str()?)?;
        let last_year = now.year().saturating_add(YEARS_AHEAD);
        if expiry.contains(path) && end <= now {
            Some(Doubt::Expired)
        } else if expiry.contains(path) && issued.is_some_and(|(issued, _)| end <= issued) {
            Some(Doubt::Order)
        } else if *path == issued_path && start > now.saturating_add(Duration::DAY) {
            Some(Doubt::Future)
        } else if start.year() < FIRST_YEAR {
            Some(Doubt::Old)
        } else if start.year() > last_year {
            Some(Doubt::Far)
        } else {
            None
        }
    };
    leaves(document)
        .into_iter()
        .filter_map(|path| doubt(&path).map(|found| (path, found)))
        .collect()
}

fn collect(schema: &Value, path: &Path, found: &mut Vec<Path>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return;
    };
    for (key, property) in properties {
        if found.len() >= FIELDS_MAX {
            return;
        }
        let mut below = path.clone();
        below.push(PathStep::from(key.as_str()));
        if property.get(MARK) == Some(&Value::Bool(true)) {
            found.push(below);
        } else if below.steps().len() < DEPTH_MAX {
            collect(property, &below, found);
        }
    }
}

/// Returns the start and the end of a date such as `2026-01-01`, or the same moment twice for a date with a time. `None` for other text.
pub(super) fn moment(text: &str) -> Option<(OffsetDateTime, OffsetDateTime)> {
    let day = text.get(..10)?;
    let is_extended = day.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    if !is_extended {
        return None;
    }
    if text.len() == day.len() {
        let date = Date::parse(text, &Iso8601::DATE).ok()?;
        let end = date.next_day()?.midnight().assume_utc();
        return Some((date.midnight().assume_utc(), end));
    }
    let form = &Iso8601::DEFAULT;
    let utc = || PrimitiveDateTime::parse(text, form).map(PrimitiveDateTime::assume_utc);
    let at = OffsetDateTime::parse(text, form).or_else(|_| utc()).ok()?;
    Some((at, at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Vectors {
        now: String,
        schema: Value,
        documents: Vec<Case>,
    }

    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        document: Value,
        doubts: Vec<(String, String)>,
    }

    #[test]
    fn doubtful_dates_are_those_of_the_vectors() {
        let text = include_str!("../../../../tests/vectors/text/dates.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        let (now, _) = moment(&vectors.now).unwrap();
        for case in vectors.documents {
            let found: Vec<(String, String)> = doubts(&vectors.schema, &case.document, now)
                .into_iter()
                .map(|(path, doubt)| (path.to_string(), doubt.code().to_owned()))
                .collect();
            assert_eq!(found, case.doubts, "{}", case.name);
        }
    }
}
