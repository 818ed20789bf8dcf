//! The expiry date of a certificate. The schema marks the expiry fields; their proven values give the date.

use cert_core::{PathStep, Value};
use time::Date;
use time::format_description::well_known::Iso8601;

use crate::text::moment;

/// The member of a property's schema that makes the property an expiry field.
const MARK: &str = "x-assay-expires";
/// The property of the schema's root that is the expiry field if the schema marks none.
const NAME: &str = "validUntil";
/// Maximum nesting depth of the objects that are searched for expiry marks.
const DEPTH_MAX: usize = 16;
/// Maximum number of expiry fields. Further fields of a schema are ignored.
const FIELDS_MAX: usize = 8;

/// The expiry fields of a schema, and the earliest of their proven values.
#[derive(Debug, Default)]
pub(super) struct Expiry {
    fields: Vec<Vec<String>>,
    /// The time from which the certificate counts as expired, in milliseconds since 1970. `None` if no date is proven.
    at: Option<u64>,
}

impl Expiry {
    /// Finds the expiry fields of a schema: the properties marked with `"x-assay-expires": true`. If none is marked, the
    /// root's property `validUntil` is the expiry field.
    pub(super) fn of(schema: &Value) -> Self {
        let mut fields = Vec::new();
        collect(schema, &mut Vec::new(), &mut fields);
        if fields.is_empty() && property(schema, NAME).is_some() {
            fields.push(vec![NAME.to_owned()]);
        }
        Self { fields, at: None }
    }

    /// Adds the proven value of an expiry field. The earliest date decides. A value that is not a date or time is ignored.
    pub(super) fn add_proven(&mut self, value: Option<&Value>) {
        if let Some(moment) = value.and_then(Value::as_str).and_then(end) {
            self.at = Some(self.at.map_or(moment, |at| at.min(moment)));
        }
    }

    /// Returns true if `path` is the path of an expiry field.
    pub(super) fn names(&self, path: &[PathStep]) -> bool {
        let is = |field: &Vec<String>| {
            field.len() == path.len()
                && field
                    .iter()
                    .zip(path)
                    .all(|(key, step)| matches!(step, PathStep::Key(found) if **found == **key))
        };
        self.fields.iter().any(is)
    }

    /// Returns the time from which the certificate counts as expired, in milliseconds since 1970. `None` if it never expires.
    pub(super) fn at(&self) -> Option<u64> {
        self.at
    }
}

/// Returns the schema of an object's property. `None` if the object's schema does not have the property.
fn property<'v>(schema: &'v Value, key: &str) -> Option<&'v Value> {
    let properties = schema.as_object()?.get("properties")?;
    properties.as_object()?.get(key)
}

/// Adds the paths of marked properties. Searches objects, but neither lists nor marked properties.
fn collect(schema: &Value, path: &mut Vec<String>, fields: &mut Vec<Vec<String>>) {
    let properties = schema
        .as_object()
        .and_then(|object| object.get("properties"));
    let Some(properties) = properties.and_then(Value::as_object) else {
        return;
    };
    for (key, property) in properties.iter() {
        if fields.len() >= FIELDS_MAX {
            return;
        }
        path.push(key.to_string());
        let mark = property.as_object().and_then(|object| object.get(MARK));
        if matches!(mark, Some(Value::Bool(true))) {
            fields.push(path.clone());
        } else if path.len() < DEPTH_MAX {
            collect(property, path, fields);
        }
        path.pop();
    }
}

/// Returns the time from which a certificate with this date or time counts as expired. For a date, this is the end of the day
/// in UTC. `None` if the text is neither a date nor a time.
fn end(text: &str) -> Option<u64> {
    if !is_extended(text) {
        return None;
    }
    let moment = match text.contains('T') {
        true => moment(text).filter(|moment| moment.offset().whole_hours().unsigned_abs() < 24)?,
        false => {
            let day = Date::parse(text, &Iso8601::DATE).ok()?;
            day.next_day()?.midnight().assume_utc()
        }
    };
    // A date before 1970 counts as 1970, because both have passed.
    let since_1970 = moment.unix_timestamp_nanos().max(0);
    u64::try_from(since_1970 / 1_000_000).ok()
}

/// Returns true for the form `2026-01-01`, alone or followed by a time: `T10:00`, with optional seconds, their fraction, and `Z` or an
/// offset. Other forms of ISO 8601, such as `20260101` and week dates, are refused, because browsers do not parse them.
fn is_extended(text: &str) -> bool {
    let zeros: String = text
        .chars()
        .map(|character| match character {
            '0'..='9' => '0',
            other => other,
        })
        .collect();
    let Some(time) = zeros.strip_prefix("0000-00-00") else {
        return false;
    };
    let Some(rest) = time.strip_prefix("T00:00") else {
        return time.is_empty();
    };
    let offset = match rest.strip_prefix(":00") {
        Some(after) => after
            .strip_prefix(".0")
            .map_or(after, |fraction| fraction.trim_start_matches('0')),
        None => rest,
    };
    matches!(offset, "" | "Z" | "+00:00" | "-00:00")
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value as Json;

    use super::*;

    fn json(text: &str) -> Value {
        Value::parse(text).unwrap()
    }

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Step {
        Key(String),
        Index(usize),
    }

    #[derive(Deserialize)]
    struct Certificate {
        name: String,
        schema: Json,
        proven: Vec<(Vec<Step>, Json)>,
        at: Option<u64>,
    }

    #[derive(Deserialize)]
    struct Vectors {
        certificates: Vec<Certificate>,
        dates: Vec<(String, Option<u64>)>,
    }

    fn vectors() -> Vectors {
        let vectors = include_str!("../../../tests/vectors/verdict/expiry.json");
        serde_json::from_str(vectors).unwrap()
    }

    #[test]
    fn certificates_expire_as_the_vectors_list() {
        for certificate in vectors().certificates {
            let mut expiry = Expiry::of(&json(&certificate.schema.to_string()));
            for (path, value) in certificate.proven {
                let path: Vec<PathStep> = path
                    .into_iter()
                    .map(|step| match step {
                        Step::Key(key) => PathStep::Key(key.as_str().into()),
                        Step::Index(index) => PathStep::Index(index),
                    })
                    .collect();
                if expiry.names(&path) {
                    expiry.add_proven(Some(&json(&value.to_string())));
                }
            }
            assert_eq!(expiry.at(), certificate.at, "{}", certificate.name);
        }
    }

    #[test]
    fn dates_are_parsed_as_the_vectors_list() {
        for (text, expected) in vectors().dates {
            assert_eq!(end(&text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_schema_has_at_most_eight_expiry_fields() {
        let many: Vec<String> = (0..100)
            .map(|n| format!(r#""k{n}":{{"x-assay-expires":true}}"#))
            .collect();
        let schema = json(&format!(r#"{{"properties":{{{}}}}}"#, many.join(",")));
        assert_eq!(Expiry::of(&schema).fields.len(), FIELDS_MAX);
    }
}
