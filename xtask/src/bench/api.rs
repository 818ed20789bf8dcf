//! Prints the figures of tests/load/api.mjs, which measures the Worker as it is deployed, and compares it with a bare Worker.

use anyhow::{Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::script::{Table, script};
use crate::report;
use crate::workspace::Workspace;

/// The maximum ratio of a request's time on a large ledger to its time on a small one.
const RATIO_MAX: f64 = 1.5;
/// The bounds for an asset's route, compared with a bare Worker that does the same work. These are the maximum ratio of median latencies, and
/// the minimum ratio of answers per second.
const BESIDE_BARE: (f64, f64) = (1.25, 0.8);

#[derive(Deserialize)]
struct Figures {
    comparisons: Vec<Comparison>,
    routes: Vec<Route>,
    beside: Beside,
}

/// The figures of an asset's route in the service and in a bare Worker.
#[derive(Deserialize)]
struct Beside {
    service: Speed,
    bare: Speed,
}

/// The speed of one Worker: latency in milliseconds, and answers per second.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Speed {
    p50: f64,
    p95: f64,
    per_second: f64,
}

/// The median times of a request on a small and a large ledger, in milliseconds.
#[derive(Deserialize)]
struct Comparison {
    name: String,
    small: f64,
    large: f64,
    ratio: f64,
}

/// The speed of a route: latency in milliseconds, and answers per second.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Route {
    name: String,
    p50: f64,
    p95: f64,
    p99: f64,
    per_second: f64,
}

/// Measures and prints the figures. Fails if a large ledger is too slow. If the service is too slow compared with a bare
/// Worker, only prints a note.
pub(super) fn run(workspace: &Workspace) -> Result<Value> {
    let measured = script(workspace, "tests/load/api.mjs", &[])?;
    let Figures {
        comparisons,
        routes,
        beside,
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

    println!();
    print_beside(&beside);

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
    let (latency, throughput) = beside.ratios();
    if latency > BESIDE_BARE.0 || throughput < BESIDE_BARE.1 {
        report::note(&format!(
            "The service is too slow: its median may be at most {} times that of a bare Worker, and its answers per second at least {} times.",
            BESIDE_BARE.0, BESIDE_BARE.1
        ));
    }
    report::note("Latencies were measured with one request at a time.");
    Ok(measured)
}

impl Beside {
    /// Returns the ratios of the service to the bare Worker: median latency and answers per second.
    fn ratios(&self) -> (f64, f64) {
        (
            self.service.p50 / self.bare.p50,
            self.service.per_second / self.bare.per_second,
        )
    }
}

fn print_beside(beside: &Beside) {
    let mut table = Table::new([
        "GET /ledgers/…/assets/…, ms",
        "p50",
        "p95",
        "answers/s, 16 at once",
    ]);
    for (name, speed) in [("service", &beside.service), ("bare Worker", &beside.bare)] {
        table.row([
            name.to_owned(),
            format!("{:.2}", speed.p50),
            format!("{:.2}", speed.p95),
            format!("{:.0}", speed.per_second),
        ]);
    }
    let (latency, throughput) = beside.ratios();
    table.row([
        "service / bare".to_owned(),
        format!("{latency:.2}"),
        format!("{:.2}", beside.service.p95 / beside.bare.p95),
        format!("{throughput:.2}"),
    ]);
    table.print();
}
