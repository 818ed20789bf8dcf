//! Refuses parameters and body fields whose names the route does not know. A misspelt name would otherwise be ignored: a list
//! would be returned without its filter, and an order without its option.

use order_core::Code;
use serde_json::Value;

use super::{Query, Route};
use crate::api::{BodyField, FieldKind};
use crate::failure::{Failure, Problem, invalid};

/// The parameters of every list.
pub(crate) const PAGE: [&str; 4] = ["skip", "limit", "after", "sort"];

/// Maximum bytes of a name for which the nearest known name is looked up. Known names are shorter.
const NAME_MAX: usize = 40;
/// Maximum number of insertions, deletions, replacements and exchanges of neighbours between a name and a suggested name.
const DISTANCE_MAX: usize = 2;

/// Checks the names of a request. Fails with all unknown names.
pub(super) fn check(route: &Route, query: &Query, body: &Value) -> Result<(), Failure> {
    let mut problems = Vec::new();
    let of_list = PAGE.iter().filter(|_| route.is_list).copied();
    let known: Vec<&str> = route.query.iter().copied().chain(of_list).collect();
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
    if let Some(nearest) = nearest(name, known) {
        return format!("did you mean `{nearest}`?");
    }
    let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
    match known.as_slice() {
        [] => "it has none".to_owned(),
        known => format!("known are {}", known.join(", ")),
    }
}

/// Returns the known name with the smallest distance. Letter case, `_` and `-` do not count.
fn nearest<'k>(name: &str, known: &[&'k str]) -> Option<&'k str> {
    if name.len() > NAME_MAX {
        return None;
    }
    let plain = |name: &str| name.replace(['_', '-'], "").to_lowercase();
    let name = plain(name);
    let distance = |known: &str| strsim::osa_distance(&name, &plain(known));
    let distances = known.iter().map(|known| (distance(known), *known));
    let (_, nearest) = distances
        .filter(|(distance, known)| *distance <= DISTANCE_MAX.min(known.len().saturating_sub(1)))
        .min_by_key(|(distance, _)| *distance)?;
    Some(nearest)
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
            assert_eq!(nearest(name, &known), expected, "{name}");
        }
        assert_eq!(
            advice("offset", &["skip", "limit"]),
            "known are `skip`, `limit`"
        );
        assert_eq!(advice("offset", &[]), "it has none");
    }
}
