//! Finds the dates of documents that can hardly be true.

use cert_core::verdict::{Expiry, moment};
use cert_core::{Path, aih2};
use serde_json::Value;
use time::OffsetDateTime;

use super::Doubt;
use crate::document::{leaves, value_at};

const DAY_MS: i64 = 86_400_000;
const FIRST_YEAR: i32 = 1600;
const YEARS_AHEAD: i32 = 100;

/// Returns the expiry fields of a schema. A schema that the library refuses has none.
pub(super) fn expiry(schema: &Value) -> Expiry {
    let schema = aih2::parse(&schema.to_string());
    schema.map_or_else(|_| Expiry::default(), |schema| Expiry::of(&schema))
}

/// Returns the doubtful dates of a document at a time.
pub(super) fn doubts(expiry: &Expiry, document: &Value, now: OffsetDateTime) -> Vec<(Path, Doubt)> {
    let (year, now) = (now.year(), milliseconds(now));
    let issued_path = Path::from(["issuedAt"]);
    let issued = document
        .get("issuedAt")
        .and_then(Value::as_str)
        .and_then(moment);
    let doubt = |path: &Path| -> Option<Doubt> {
        let text = value_at(document, path.steps())?.as_str()?;
        let found = moment(text)?;
        // A date begins with its year.
        let of_year: i32 = text.get(..4)?.parse().ok()?;
        let is_expiry = expiry.has(path.steps());
        if is_expiry && found.end <= now {
            Some(Doubt::Expired)
        } else if is_expiry && issued.is_some_and(|issued| found.end <= issued.start) {
            Some(Doubt::Order)
        } else if *path == issued_path && found.start > now.saturating_add(DAY_MS) {
            Some(Doubt::Future)
        } else if of_year < FIRST_YEAR {
            Some(Doubt::Old)
        } else if of_year > year.saturating_add(YEARS_AHEAD) {
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

fn milliseconds(time: OffsetDateTime) -> i64 {
    let seconds = time.unix_timestamp().saturating_mul(1_000);
    seconds.saturating_add(i64::from(time.millisecond()))
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
        let text = include_str!("../../../tests/vectors/text/dates.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        let now = super::super::time_at(moment(&vectors.now).unwrap().start);
        let expiry = expiry(&vectors.schema);
        for case in vectors.documents {
            let found: Vec<(String, String)> = doubts(&expiry, &case.document, now)
                .into_iter()
                .map(|(path, doubt)| (path.to_string(), doubt.code().to_owned()))
                .collect();
            assert_eq!(found, case.doubts, "{}", case.name);
        }
    }
}
