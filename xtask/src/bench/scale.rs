//! Prints the figures of tests/load/scale.mjs: what a request, an order and an asset cost the database, and when one database is full.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Deserialize;
use serde_json::Value;

use super::script::{Table, script};
use crate::report;
use crate::workspace::Workspace;

/// The maximum size of a database in bytes, from developers.cloudflare.com/d1/platform/limits as updated on 2026-04-21.
const DATABASE: f64 = 10e9;

#[derive(Deserialize)]
struct Figures {
    events: BTreeMap<String, Event>,
    rates: Rates,
}

/// The average figures of one event.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Event {
    rows_read: f64,
    rows_written: f64,
    transactions: f64,
    /// Stored bytes by purpose: the keys are [`PARTS`].
    bytes: BTreeMap<String, f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Rates {
    orders_per_second: f64,
    rows_written_per_second: f64,
    transactions_per_second: f64,
}

const EVENTS: [(&str, &str); 5] = [
    ("request", "a signed request"),
    ("order", "an order of one asset"),
    ("asset", "each further asset of an order"),
    ("hooked", "an order of one asset, with a webhook"),
    ("removed", "91 days later, for each order with a webhook"),
];
const PARTS: [&str; 4] = [
    "truth",
    "webhook deliveries",
    "idempotency answers",
    "request log",
];

/// Measures and prints the figures.
pub(super) fn run(workspace: &Workspace) -> Result<Value> {
    let measured = script(workspace, "tests/load/scale.mjs", &[])?;
    let Figures { events, rates } = serde_json::from_value(measured.clone())?;
    let mut table = Table::new([
        "in the database",
        "rows read",
        "rows written",
        "transactions",
        PARTS[0],
        PARTS[1],
        PARTS[2],
        PARTS[3],
    ]);
    for (key, name) in EVENTS {
        let Some(event) = events.get(key) else {
            continue;
        };
        let [truth, deliveries, answers, requests] = PARTS.map(|part| {
            format!(
                "{:.0} B",
                event.bytes.get(part).copied().unwrap_or_default()
            )
        });
        table.row([
            name.to_owned(),
            format!("{:.0}", event.rows_read),
            format!("{:.0}", event.rows_written),
            format!("{:.1}", event.transactions),
            truth,
            deliveries,
            answers,
            requests,
        ]);
    }
    table.print();
    for (key, name) in &EVENTS[1..3] {
        if let Some(bytes) = events.get(*key).and_then(|event| event.bytes.get(PARTS[0])) {
            report::note(&format!(
                "If a database stored only `{}`, 10 GB would be enough for {:.1} million of these: {name}.",
                PARTS[0],
                DATABASE / bytes / 1e6
            ));
        }
    }
    report::note(&format!(
        "On this machine, with sixteen orders in flight: {:.0} orders/s until final, {:.0} rows written/s, {:.0} transactions/s.",
        rates.orders_per_second, rates.rows_written_per_second, rates.transactions_per_second
    ));
    Ok(measured)
}
