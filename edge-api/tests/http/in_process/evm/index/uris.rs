//! The URI prefixes and postfixes of ledgers. The owner of a ledger can change them without a log.

use serde_json::{Value, json};

use super::{SETTINGS, Scene, rows};
use crate::support::anvil::Arg;

/// Milliseconds between two reads of a ledger's prefix and postfix.
const HOUR_MS: u64 = 3_600_000;

impl Scene {
    /// Changes the prefix and postfix of a ledger with a transaction of its owner, and mines a block.
    fn set_uri(&mut self, ledger: order_core::Address, prefix: &str, postfix: &str) {
        let owner = self.play.people[0].id();
        let args = [Arg::Text(prefix), Arg::Text(postfix)];
        self.play
            .direct(owner, ledger, "setUri(string,string)", &args);
        self.play.anvil.mine();
    }

    /// Advances the clock, mines a block, and lets the service follow the chain.
    fn look_after(&self, milliseconds: u64) {
        self.service.borrow().clock.advance(milliseconds);
        self.play.anvil.mine();
        assert!(self.look());
    }

    /// Returns the metadata addresses in the asset list of the first ledger, sorted.
    fn listed(&self) -> Vec<String> {
        let ledger = rows(&self.service.borrow().database, "SELECT ref FROM ledgers")[0].clone();
        let target = format!("/ledgers/{}/assets", ledger["ref"].as_str().unwrap());
        let reader = self.play.people[0].clone();
        let assets = self.play.world.call(reader.get(target)).data();
        let uri = |asset: &Value| asset["uri"].as_str().unwrap().to_owned();
        let mut uris: Vec<String> = assets.as_array().unwrap().iter().map(uri).collect();
        uris.sort_unstable();
        uris
    }

    fn execute(&self, sql: &str) {
        self.service.borrow().database.execute(sql).unwrap();
    }

    /// Returns the ids of the indexed ledgers that have this prefix.
    fn with_prefix(&self, prefix: &str) -> Vec<String> {
        let sql = format!("SELECT id FROM ledgers WHERE uri_prefix = '{prefix}' ORDER BY id");
        let found = rows(&self.service.borrow().database, &sql);
        let id = |row: &Value| row["id"].as_str().unwrap().to_owned();
        found.iter().map(id).collect()
    }
}

#[test]
fn lists_show_a_changed_prefix_and_postfix_within_an_hour() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.stock();
    scene.index_all();
    let ledger = scene.play.ledgers[0];
    let before = scene.listed();
    assert_eq!(before.len(), 2);
    scene.set_uri(ledger, "https://other.example/", ".txt");
    scene.index_all();
    assert_eq!(scene.listed(), before);
    scene.look_after(HOUR_MS);
    let after = ["https://other.example/1.txt", "https://other.example/2.txt"];
    assert_eq!(scene.listed(), after);
    assert_eq!(scene.lines("chain.uri-changed"), 1);
    // An unchanged ledger is not written again.
    scene.look_after(HOUR_MS);
    assert_eq!(scene.lines("chain.uri-changed"), 1);
    // A prefix that is too long for a deployment through this service is indexed as empty.
    scene.set_uri(ledger, &"x".repeat(4_000), ".txt");
    scene.look_after(HOUR_MS);
    assert_eq!(scene.with_prefix("").len(), 1);
}

#[test]
fn one_run_reads_fifty_ledgers_and_the_next_continues_a_minute_later() {
    let mut scene = Scene::new(SETTINGS, 1);
    for _ in 0..51 {
        scene.play.new_ledger();
    }
    scene.index_all();
    let new = "https://other.example/";
    for ledger in scene.play.ledgers.clone() {
        scene.set_uri(ledger, new, "");
    }
    scene.index_all();
    scene.execute(
        "UPDATE chain SET uris_at = 0, uris_after = ''; UPDATE ledgers SET uri_prefix = 'old'",
    );
    assert!(scene.look());
    let last = scene.with_prefix("old");
    let read = scene.with_prefix(new);
    assert_eq!((last.len(), read.len()), (1, 50));
    assert!(last > read);
    assert!(scene.look());
    assert_eq!(scene.with_prefix("old"), last);
    scene.look_after(60_000);
    assert_eq!(scene.with_prefix(new).len(), 51);
}

#[test]
fn a_ledger_whose_contract_does_not_answer_keeps_its_prefix() {
    let mut scene = Scene::new(SETTINGS, 1);
    scene.stock();
    scene.index_all();
    let before = scene.listed();
    let ledger = scene.play.ledgers[0];
    scene.play.anvil.rpc("anvil_setCode", json!([ledger, "0x"]));
    scene.service.borrow().clock.advance(HOUR_MS);
    scene.look();
    assert_eq!(scene.listed(), before);
}
