//! The Worker as it is deployed, under load: tests/load/api.mjs measures, and this says what came of it.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::{Table, script};
use crate::report;
use crate::workspace::Workspace;

/// How much longer than a small ledger a large one may take.
const RATIO_MAX: f64 = 1.5;

#[derive(Deserialize)]
struct Figures {
    comparisons: Vec<Comparison>,
    routes: Vec<Route>,
}

/// Medians in milliseconds.
#[derive(Deserialize)]
struct Comparison {
    name: String,
    small: f64,
    large: f64,
    ratio: f64,
}

/// Milliseconds, and answers a second.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Route {
    name: String,
    p50: f64,
    p95: f64,
    p99: f64,
    per_second: f64,
}

/// Measures, prints, and fails where a large ledger is too slow.
pub(super) fn run(workspace: &Workspace) -> Result<Value> {
    let measured = script(workspace, "tests/load/api.mjs", &[])?;
    let Figures {
        comparisons,
        routes,
    } = serde_json::from_value(measured.clone())?;

    let mut table = Table::new([
        "100,000 assets against 1,000, median ms",
        "1,000",
        "100,000",
        "ratio",
    ]);
    for Comparison {
        name,
        small,
        large,
        ratio,
    } in &comparisons
    {
        table.row([
            name.clone(),
            format!("{small:.2}"),
            format!("{large:.2}"),
            format!("{ratio:.2}"),
        ]);
    }
    table.print();
    println!();
    let mut table = Table::new(["route, ms", "p50", "p95", "p99", "answers/s, 16 at once"]);
    for Route {
        name,
        p50,
        p95,
        p99,
        per_second,
    } in routes
    {
        let times = [p50, p95, p99].map(|time| format!("{time:.2}"));
        let [p50, p95, p99] = times;
        table.row([name, p50, p95, p99, format!("{per_second:.0}")]);
    }
    table.print();

    let slow: Vec<&str> = comparisons
        .iter()
        .filter(|comparison| comparison.ratio > RATIO_MAX)
        .map(|comparison| comparison.name.as_str())
        .collect();
    if !slow.is_empty() {
        bail!(
            "a large ledger takes more than {RATIO_MAX} times as long: {}",
            slow.join(", ")
        );
    }
    report::note("Latencies are of one request at a time.");
    Ok(measured)
}
