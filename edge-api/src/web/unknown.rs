//! Refuses parameters and body fields whose names the route does not know. A misspelt name would otherwise be ignored: a list
//! would be returned without its filter, and an order without its option.

use order_core::Code;
use serde_json::Value;

use super::{Query, Route};
use crate::api::{BodyField, FieldKind};
use crate::failure::{Failure, Problem, invalid};
use crate::text::nearest;

/// Maximum number of insertions, deletions, replacements and exchanges of neighbours between a name and a suggested name.
const DISTANCE_MAX: usize = 2;

/// Checks the names of a request. Fails with all unknown names.
pub(super) fn check(route: &Route, query: &Query, body: &Value) -> Result<(), Failure> {
    let mut problems = Vec::new();
    let known: Vec<&str> = route.parameters().map(|known| known.name).collect();
    for name in query.names().filter(|name| !known.contains(name)) {
        let message = format!(
            "`{name}` is not a parameter of this route: {}",
            advice(name, &known)
        );
        problems.push(invalid(name, message));
    }
    if let Some(fields) = route.body.fields() {
        in_object(body, fields, "", &mut problems);
    }
    if problems.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(problems))
    }
}

fn in_object(value: &Value, fields: &[BodyField], path: &str, problems: &mut Vec<Problem>) {
    for (name, value) in value.as_object().into_iter().flatten() {
        let at = if path.is_empty() {
            name.clone()
        } else {
            format!("{path}.{name}")
        };
        match fields.iter().find(|field| field.name == name) {
            None => {
                let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
                let message = format!("`{at}` is not a known field: {}", advice(name, &known));
                problems.push(Problem::with_message(Code::FieldNotValid, at, message));
            }
            Some(field) => match field.kind {
                FieldKind::Text | FieldKind::Value => {}
                FieldKind::Object(fields) => in_object(value, fields, &at, problems),
                FieldKind::List(fields) => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        in_object(item, fields, &format!("{at}[{index}]"), problems);
                    }
                }
            },
        }
    }
}

/// Suggests the nearest known name. If none is near, lists all known names.
fn advice(name: &str, known: &[&str]) -> String {
    if let Some(nearest) = nearest(name, known.iter().copied(), DISTANCE_MAX) {
        return format!("did you mean `{nearest}`?");
    }
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    match known.as_slice() {
        [] => "it has none".to_owned(),
        known => format!("known are {}", known.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_known_name_is_suggested() {
        let known = ["filterIds", "statuses", "roles", "limit", "amount"];
        for (name, expected) in [
            ("statusses", Some("statuses")),
            ("filter_ids", Some("filterIds")),
            ("FILTERIDS", Some("filterIds")),
            ("amuont", Some("amount")),
            ("role", Some("roles")),
            ("offset", None),
            ("x", None),
            ("", None),
            (&"statuses".repeat(10), None),
        ] {
            let found = nearest(name, known, DISTANCE_MAX);
            assert_eq!(found, expected, "{name}");
        }
        assert_eq!(
            advice("offset", &["skip", "limit"]),
            "known are `skip`, `limit`"
        );
        assert_eq!(advice("offset", &[]), "it has none");
    }
}
