//! Alerts about the relayer and the chain.

use edge_api::ports::Fetched;
use serde_json::Value;

use super::{Scene, swallow};

const ALERTS: &str = "https://hooks.assay.example/T0";
const ETHER: u128 = 1_000_000_000_000_000_000;
const MINUTE: u64 = 60_000;

impl Scene {
    fn with_alerts(vars: &[(&str, &str)]) -> Self {
        let vars = [vars, &[("ALERT_URL", ALERTS)]].concat();
        let answer = || Fetched {
            status: 200,
            content_type: None,
            location: None,
            allow_origin: None,
            body: Vec::new(),
        };
        Self::prepared(
            &vars,
            |database| database,
            |service, _| service.http.serve(ALERTS, move |_| Ok(answer())),
        )
    }

    /// Advances the clock by this time, at least a second. Then works like [`Self::alerts`].
    fn alerts_after(&self, milliseconds: u64) -> Vec<String> {
        self.world.host.advance(milliseconds.max(1_000));
        self.alerts()
    }

    /// Lets the service work, and returns the messages of the alerts that it sent.
    fn alerts(&self) -> Vec<String> {
        self.try_work();
        let sent = self.service.borrow().http.take_sent();
        let sent = sent.into_iter().filter(|fetch| fetch.url == ALERTS);
        let text = |body: Vec<u8>| {
            let body: Value = serde_json::from_slice(&body).expect("JSON");
            body["text"].as_str().expect("a string").to_owned()
        };
        sent.map(|fetch| text(fetch.body.expect("a POST")))
            .collect()
    }
}

/// Asserts that there is exactly one alert and that it contains `text`.
#[track_caller]
fn only(alerts: &[String], text: &str) {
    assert!(
        matches!(alerts, [alert] if alert.contains(text)),
        "{alerts:?}"
    );
}

#[test]
fn a_low_balance_is_reported_before_and_after_it_is_used_up() {
    let scene = Scene::with_alerts(&[]);
    assert_eq!(scene.alerts(), Vec::<String>::new());
    scene.anvil.fund(scene.anvil.relayer(), ETHER / 50);
    only(&scene.alerts_after(0), "few further orders");
    scene.anvil.fund(scene.anvil.relayer(), 1);
    let order = scene.order();
    scene.blocks(1);
    assert_eq!(scene.status(&order), 1);
    // The alert becomes critical, so it does not wait for the hour's end.
    only(
        &scene.alerts_after(0),
        "balance is too low, so no order is sent. Severity: critical.",
    );
    assert_eq!(scene.alerts_after(58 * MINUTE), Vec::<String>::new());
    scene.anvil.fund(scene.anvil.relayer(), ETHER);
    only(&scene.alerts_after(0), "Resolved: the relayer");
}

#[test]
fn gas_above_the_cap_is_reported() {
    let scene = Scene::with_alerts(&[("FEE_CAP_GWEI", "5")]);
    scene.anvil.set_base_fee(20_000_000_000);
    scene.blocks(1);
    scene.order();
    only(&scene.alerts(), "gas costs more than FEE_CAP_GWEI");
    let resolved = (0..30)
        .map(|_| scene.alerts_after(0))
        .find(|alerts| !alerts.is_empty());
    only(&resolved.expect("an alert"), "Resolved: the relayer");
}

#[test]
fn a_transaction_that_waits_long_is_reported() {
    let scene = Scene::with_alerts(&[]);
    let order = scene.order();
    for provider in &scene.providers {
        provider.behave(|calls, ask| Some(swallow(calls, ask)));
    }
    scene.work();
    assert_eq!(scene.alerts_after(9 * MINUTE), Vec::<String>::new());
    only(
        &scene.alerts_after(2 * MINUTE),
        "A transaction has waited for a block for 11 minutes",
    );
    for provider in &scene.providers {
        provider.recover();
    }
    scene.work();
    only(&scene.alerts_after(0), "Resolved: transactions");
    scene.until(7, [&order]);
}

#[test]
fn a_transaction_in_a_block_that_is_not_final_is_not_late() {
    let scene = Scene::with_alerts(&[("CONFIRMATIONS", "9")]);
    let order = scene.order();
    scene.blocks(2);
    assert_eq!(scene.status(&order), 3);
    assert_eq!(scene.alerts_after(11 * MINUTE), Vec::<String>::new());
    assert_eq!(scene.alerts_after(11 * MINUTE), Vec::<String>::new());
    assert_eq!(scene.status(&order), 3);
}

#[test]
fn a_chain_that_does_not_answer_is_reported() {
    let scene = Scene::with_alerts(&[]);
    scene.blocks(1);
    for provider in &scene.providers {
        provider.go_down();
    }
    assert_eq!(scene.alerts_after(9 * MINUTE), Vec::<String>::new());
    only(
        &scene.alerts_after(2 * MINUTE),
        "The last block that was indexed is 11 minutes old. Severity: critical. What to do: docs/runbook.md#chain-late",
    );
    for provider in &scene.providers {
        provider.recover();
    }
    only(&scene.alerts_after(MINUTE), "Resolved: new blocks");
}

#[test]
fn too_few_providers_for_final_blocks_are_reported() {
    let scene = Scene::with_alerts(&[]);
    let order = scene.order();
    scene.until(7, [&order]);
    let waiting = scene.order();
    // Blocks are indexed with one provider. None becomes final.
    scene.providers[1].go_down();
    for _ in 0..5 {
        assert_eq!(scene.alerts_after(6 * MINUTE - 1_000), Vec::<String>::new());
        scene.blocks(1);
    }
    only(
        &scene.alerts_after(2 * MINUTE),
        "so no order is final: too few providers agree. Severity: critical. What to do: docs/runbook.md#chain-late",
    );
    assert_ne!(scene.status(&waiting), 7);
    scene.providers[1].recover();
    scene.until(7, [&waiting]);
    only(
        &scene.alerts_after(0),
        "Resolved: new blocks are indexed and become final in time again.",
    );
}
