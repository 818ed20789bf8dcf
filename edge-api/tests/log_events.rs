//! Compares the events that the code logs with the tables for operators in `docs/operating.md`.

#![allow(
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod sources;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use sources::sources;

/// The events that the code logs only at `Level::Info`. The tables leave these events out.
const INFO: &[&str] = &[
    "badge.failed",
    "badge.unreachable",
    "backup.made",
    "chain.uri-changed",
    "deposit.changed",
    "record.changed",
    "relayer.continues",
    "relayer.signed",
    "stripe.unknown-payment",
];

/// Returns the content of the Worker's source files, without their tests.
fn texts() -> Vec<String> {
    let entry = Path::new(env!("CARGO_MANIFEST_DIR")).join("host/worker.mjs");
    let entry = std::fs::read_to_string(entry).expect("a string");
    let rust = sources().into_iter().map(|(_, text)| text);
    rust.chain([entry]).collect()
}

/// Returns the strings between double quotes in a piece of source code.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2)
}

/// Returns true if a string looks like an event name: two parts of lower-case letters and hyphens, separated by a
/// dot.
fn is_name(text: &str) -> bool {
    let is_words = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte == b'-')
    };
    text.split_once('.')
        .is_some_and(|(before, after)| is_words(before) && is_words(after))
}

/// Returns the log levels in the part of a statement before its event. If this part names no level, returns the levels in
/// the code after the event. This code ends at the next event, a `return` or the end of the function.
fn levels(before: &str, after: &str) -> BTreeSet<&'static str> {
    let statement = before.rsplit(';').next().unwrap();
    let ends = ["\"event\"", "return ", "\n}"];
    let end = ends.iter().filter_map(|end| after.find(end)).min();
    let after = &after[..end.unwrap_or(after.len())];
    let named = |text: &str| -> BTreeSet<&'static str> {
        let all = [
            ("Level::Info", "info"),
            (".logged(", "info"),
            ("Level::Warn", "warn"),
            ("Level::Error", "error"),
        ];
        let named = all.into_iter().filter(|(level, _)| text.contains(level));
        named.map(|(_, level)| level).collect()
    };
    match named(statement) {
        levels if levels.is_empty() => named(after),
        levels => levels,
    }
}

/// Returns the events that the code logs, with their levels. The levels are empty if the code near the event names none.
fn logged() -> BTreeMap<String, BTreeSet<&'static str>> {
    let mut events: BTreeMap<String, BTreeSet<&'static str>> = BTreeMap::new();
    for text in texts() {
        for mark in ["\"event\": ", "JSON.stringify({ event: "] {
            for (place, _) in text.match_indices(mark) {
                let (before, value) = (&text[..place], &text[place + mark.len()..]);
                // The value is a name, or an `if` with two names. If the value is an object, this code does not log a line.
                let end = if value.starts_with("if ") {
                    value.find(',')
                } else {
                    value.find([',', '}'])
                };
                let (value, after) = value.split_at(end.unwrap());
                for name in quoted(value).filter(|_| !value.starts_with('{')) {
                    events
                        .entry(name.to_owned())
                        .or_default()
                        .extend(levels(before, after));
                }
            }
        }
        // A file with `"event": event` has a function that gets the event's name as an argument. Any string may be a name.
        if text.contains("\"event\": event") {
            for name in quoted(&text).filter(|name| is_name(name)) {
                events.entry(name.to_owned()).or_default();
            }
        }
    }
    events
}

/// Returns the events of the tables for operators, with their levels.
fn documented() -> BTreeMap<String, BTreeSet<String>> {
    let text = include_str!("../../docs/operating.md");
    let tables = text
        .split("| event | level | meaning | what to do |")
        .skip(1);
    let rows = tables.flat_map(|table| {
        let lines = table.lines().skip(2);
        lines.take_while(|row| row.starts_with('|'))
    });
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let levels = cells[2].split(" or ").map(str::to_owned);
        (cells[1].trim_matches('`').to_owned(), levels.collect())
    })
    .collect()
}

#[test]
fn the_operators_tables_list_every_warning_and_error_and_no_other() {
    let (logged, documented) = (logged(), documented());
    let names: BTreeSet<&str> = logged.keys().map(String::as_str).collect();
    let info: BTreeSet<&str> = INFO.iter().copied().collect();
    let listed: BTreeSet<&str> = documented.keys().map(String::as_str).collect();
    let missing: Vec<_> = names
        .difference(&info)
        .filter(|name| !listed.contains(*name))
        .collect();
    assert!(missing.is_empty(), "docs/operating.md lacks {missing:?}");
    let unknown: Vec<_> = listed
        .union(&info)
        .filter(|name| !names.contains(*name))
        .collect();
    assert!(unknown.is_empty(), "the code does not log {unknown:?}");
    let both: Vec<_> = listed.intersection(&info).collect();
    assert!(
        both.is_empty(),
        "docs/operating.md lists {both:?}, but `INFO` in this test does too"
    );
}

#[test]
fn the_operators_tables_have_the_levels_of_the_code() {
    let mut compared = 0;
    for (name, levels) in logged() {
        if levels.is_empty() {
            continue;
        }
        compared += 1;
        let row = documented().remove(&name);
        let expected = row.unwrap_or_else(|| BTreeSet::from(["info".to_owned()]));
        let is_known = expected.iter().all(|level| levels.contains(level.as_str()));
        assert!(
            is_known,
            "{name}: the code has {levels:?}, but docs/operating.md has {expected:?}"
        );
    }
    assert!(compared > 40, "{compared}");
}
