//! The expiry date of a certificate: which field has it, and the moment that it means.

use cert_core::{PathStep, Value};
use time::Date;
use time::format_description::well_known::Iso8601;

use crate::text::instant;

/// The member of a property's schema that marks the expiry field.
const MARK: &str = "x-assay-expires";
/// The property of the schema's root that is the expiry field if the schema marks none.
const NAME: &str = "validUntil";
/// Maximum nesting of objects in which marked fields are looked for.
const DEPTH_MAX: usize = 16;
/// Maximum number of expiry fields. A schema with more has no expiry date beyond these.
const FIELDS_MAX: usize = 8;

/// The expiry fields that a schema names, and the earliest of their proven values.
#[derive(Debug, Default)]
pub(super) struct Expiry {
    fields: Vec<Vec<String>>,
    /// The first moment at which the certificate is expired, in milliseconds since 1970.
    at: Option<u64>,
}

impl Expiry {
    /// Finds the expiry fields of a schema: the properties marked with `"x-assay-expires": true`, otherwise `validUntil`.
    pub(super) fn of(schema: &Value) -> Self {
        let mut fields = Vec::new();
        collect(schema, &mut Vec::new(), &mut fields);
        if fields.is_empty() && property(schema, NAME).is_some() {
            fields.push(vec![NAME.to_owned()]);
        }
        Self { fields, at: None }
    }

    /// Notes the proven value of an expiry field. Ignores a value that is not a date.
    pub(super) fn add_proven(&mut self, value: Option<&Value>) {
        if let Some(moment) = value.and_then(Value::as_str).and_then(end) {
            self.at = Some(self.at.map_or(moment, |at| at.min(moment)));
        }
    }

    /// Returns true if the path leads to an expiry field.
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

    /// Returns the first moment at which the certificate is expired.
    pub(super) fn at(&self) -> Option<u64> {
        self.at
    }
}

/// Returns the schema of a property of an object.
fn property<'v>(schema: &'v Value, key: &str) -> Option<&'v Value> {
    let properties = schema.as_object()?.get("properties")?;
    properties.as_object()?.get(key)
}

/// Adds the paths of marked properties, in objects but not in lists.
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

/// Returns the first moment after a date or time. A date is valid to its end in UTC, and a time until it is reached.
fn end(text: &str) -> Option<u64> {
    let moment = match text.contains('T') {
        true => instant(text)?,
        false => {
            let day = Date::parse(text, &Iso8601::DATE).ok()?;
            day.next_day()?.midnight().assume_utc()
        }
    };
    u64::try_from(moment.unix_timestamp_nanos() / 1_000_000).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Value {
        Value::parse(text).unwrap()
    }

    fn path(text: &str) -> Vec<PathStep> {
        let path: cert_core::Path = text.split('.').collect();
        path.steps().to_vec()
    }

    fn fields(schema: &str) -> Vec<String> {
        let found = Expiry::of(&json(schema)).fields;
        found.iter().map(|field| field.join(".")).collect()
    }

    #[test]
    fn marked_fields_come_before_the_usual_name() {
        for (schema, expected) in [
            (r#"{"properties":{"name":{}}}"#, &[][..]),
            (r#"{"properties":{"validUntil":{}}}"#, &["validUntil"]),
            (
                r#"{"properties":{"a":{"properties":{"validUntil":{}}}}}"#,
                &[],
            ),
            (
                r#"{"properties":{"end":{"x-assay-expires":true},"validUntil":{}}}"#,
                &["end"],
            ),
            (
                r#"{"properties":{"a":{"properties":{"end":{"x-assay-expires":true}}}}}"#,
                &["a.end"],
            ),
            (r#"{"properties":{"end":{"x-assay-expires":"true"}}}"#, &[]),
            (
                r#"{"properties":{"list":{"items":{"properties":{"end":{"x-assay-expires":true}}}}}}"#,
                &[],
            ),
            (r#"{"x-assay-expires":true}"#, &[]),
            ("[]", &[]),
            (r#"{"properties":[]}"#, &[]),
        ] {
            assert_eq!(fields(schema), expected, "{schema}");
        }
        let many: Vec<String> = (0..100)
            .map(|n| format!(r#""k{n}":{{"x-assay-expires":true}}"#))
            .collect();
        assert_eq!(
            fields(&format!(r#"{{"properties":{{{}}}}}"#, many.join(","))).len(),
            FIELDS_MAX
        );
    }

    #[test]
    fn the_earliest_proven_date_counts() {
        let mut expiry = Expiry::of(&json(
            r#"{"properties":{"a":{"x-assay-expires":true},"b":{"x-assay-expires":true},"c":{}}}"#,
        ));
        for (at, named) in [
            ("a", true),
            ("b", true),
            ("c", false),
            ("a.b", false),
            ("", false),
        ] {
            assert_eq!(expiry.names(&path(at)), named, "{at}");
        }
        for (value, expected) in [
            ("7", None),
            (r#""soon""#, None),
            (r#""1970-01-02T00:00:00Z""#, Some(86_400_000)),
            (r#""1970-01-03T00:00:00Z""#, Some(86_400_000)),
            (r#""1970-01-01T00:00:01Z""#, Some(1_000)),
        ] {
            expiry.add_proven(Some(&json(value)));
            assert_eq!(expiry.at(), expected, "{value}");
        }
    }

    #[test]
    fn a_date_is_valid_to_its_end_and_a_time_until_it_is_reached() {
        for (text, expected) in [
            ("1970-01-01", Some(86_400_000)),
            ("1970-01-01T00:00:05Z", Some(5_000)),
            ("1970-01-01T01:00:05+01:00", Some(5_000)),
            ("1969-12-30", None),
            ("2026-02-30", None),
            ("2026", None),
            ("", None),
            ("9999-12-31", None),
        ] {
            assert_eq!(end(text), expected, "{text}");
        }
    }
}
