//! The client's types of what is taken and answered, in TypeScript.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Map, Value};

use super::examples::reference;
use super::write::in_order;

const HEAD: &str = "// Written by `cargo xtask docs` from the service's own shapes; a test holds them against each other.
import type { Ability, ActionKind, LedgerCapability, Priority, Status, WebhookEventKind } from \"./enumerations.js\";

/** The answer of every function: the envelope of a success. */
export interface Envelope<Data, Info = object> {
  id: Ref;
  status: number;
  data: Data;
  meta: Info;
}

/** The envelope of a failure. */
export interface Failure {
  /** Null where the answer was not the service's. */
  id: Ref | null;
  status: number;
  errors: ServiceError[];
  /** The hash to sign, if a deployment or an approval lacks nothing but its claim. */
  hash?: Hash;
}
";

/// The names of shapes in TypeScript that are not their own: `Error` is JavaScript's, enumerations have names for their
/// values in a module of their own, and numbers and texts without a meaning for the compiler have no name.
const NAMES: [(&str, &str); 12] = [
    ("Abilities", "Ability[]"),
    ("AddressOrNone", "Address | null"),
    ("Capabilities", "LedgerCapability[]"),
    ("ClaimOrNone", "Claim | null"),
    ("Code", "number"),
    ("Date", "string"),
    ("Document", "unknown"),
    ("Error", "ServiceError"),
    ("EventKinds", "WebhookEventKind[]"),
    ("Expiration", "number"),
    ("Seed", "number"),
    ("TransactionHash", "string | null"),
];

/// Shapes that are written elsewhere (the enumerations, the head), and those of routes that no client calls.
const LEFT_OUT: [&str; 8] = [
    "ActionKind",
    "Failure",
    "Health",
    "Meta",
    "Priority",
    "RateLimits",
    "Received",
    "Status",
];

/// The module `types.ts` of the client.
#[must_use]
pub fn types() -> String {
    let document = super::build(&mut Vec::new());
    let schemas = document.pointer("/components/schemas");
    let schemas: BTreeMap<&str, &Value> = schemas
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
        .map(|(name, schema)| (name.as_str(), schema))
        .collect();
    let is_value = |name: &str| {
        NAMES
            .iter()
            .any(|(own, to)| *own == name && *to != "ServiceError")
    };
    let mut text = HEAD.to_owned();
    for (name, schema) in schemas {
        if LEFT_OUT.contains(&name) || is_value(name) {
            continue;
        }
        text.push('\n');
        comment(&mut text, "", schema);
        // Writing to a String cannot fail.
        let properties = schema.get("properties").and_then(Value::as_object);
        let _infallible = match (schema.as_object(), properties) {
            (Some(schema), Some(properties)) => {
                let fields = fields(name, schema, properties);
                writeln!(text, "export interface {} {{\n{fields}}}", named(name))
            }
            _ => writeln!(text, "export type {name} = {};", of(schema)),
        };
    }
    text
}

fn named(name: &str) -> &str {
    let found = NAMES.iter().find(|(own, _)| *own == name);
    found.map_or(name, |(_, to)| to)
}

fn fields(name: &str, schema: &Map<String, Value>, properties: &Map<String, Value>) -> String {
    // A caller may say `undefined` of a field that it leaves out; an answer never does.
    let is_body = name.ends_with("Input") || name.ends_with("Request");
    let required = schema.get("required").and_then(Value::as_array);
    let mut text = String::new();
    for (name, property) in in_order(schema, properties) {
        comment(&mut text, "  ", property);
        let always = required.is_some_and(|names| names.iter().any(|one| one == name));
        let (mark, absent) = match (always, is_body) {
            (true, _) => ("", ""),
            (false, true) => ("?", " | undefined"),
            (false, false) => ("?", ""),
        };
        // Writing to a String cannot fail.
        let _infallible = writeln!(text, "  {name}{mark}: {}{absent};", of(property));
    }
    text
}

fn comment(text: &mut String, indent: &str, schema: &Value) {
    if let Some(description) = schema.get("description").and_then(Value::as_str) {
        let _infallible = writeln!(text, "{indent}/** {description} */");
    }
}

/// The type of a schema.
fn of(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        return named(name).to_owned();
    }
    if let Some(constant) = schema.get("const") {
        return constant.to_string();
    }
    let either = |types: Vec<String>| types.join(" | ");
    if let Some(Value::Array(values)) = schema.get("enum") {
        return either(values.iter().map(Value::to_string).collect());
    }
    if let Some(Value::Array(parts)) = schema.get("anyOf") {
        return either(parts.iter().map(of).collect());
    }
    let simple = |kind: &Value| match kind.as_str() {
        Some("integer") => "number".to_owned(),
        Some("array") => {
            let item = schema.get("items").map_or_else(|| "unknown".to_owned(), of);
            if item.contains(' ') {
                format!("({item})[]")
            } else {
                format!("{item}[]")
            }
        }
        Some(kind) => kind.to_owned(),
        None => "unknown".to_owned(),
    };
    match schema.get("type") {
        Some(Value::Array(kinds)) => either(kinds.iter().map(simple).collect()),
        Some(kind) => simple(kind),
        None => "unknown".to_owned(),
    }
}
