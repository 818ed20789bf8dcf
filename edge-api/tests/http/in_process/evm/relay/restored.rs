//! A database that was restored from a backup, while the chain has continued.

use std::path::PathBuf;

use order_core::Address;
use serde_json::{Value, json};

use super::Scene;
use crate::support::anvil::Arg;
use crate::support::people::Person;

/// A copy of a service's database in a temporary file.
struct Backup(PathBuf);

impl Backup {
    fn of(scene: &Scene, name: &str) -> Self {
        let file = format!("assay-{}-{name}.sqlite", std::process::id());
        let file = std::env::temp_dir().join(file);
        let _none = std::fs::remove_file(&file);
        scene.execute(&format!("VACUUM INTO '{}'", file.display()));
        Self(file)
    }

    /// Replaces the service's rows with those of the backup, and restarts the service. Runs no triggers, like `cargo xtask restore`.
    fn restore(&self, scene: &Scene) {
        let text = |row: &Value, column: &str| row[column].as_str().unwrap().to_owned();
        let sql =
            "SELECT name, sql FROM sqlite_master WHERE type = ?1 AND name NOT LIKE 'sqlite_%'";
        let triggers = scene.rows(sql, "trigger");
        let mut script = format!(
            "PRAGMA foreign_keys = OFF; ATTACH '{}' AS backup;",
            self.0.display()
        );
        for trigger in &triggers {
            script += &format!("DROP TRIGGER {};", text(trigger, "name"));
        }
        for table in scene.rows(sql, "table") {
            let name = text(&table, "name");
            script += &format!(
                "DELETE FROM main.{name}; INSERT INTO main.{name} SELECT * FROM backup.{name};"
            );
        }
        for trigger in &triggers {
            script += &format!("{};", text(trigger, "sql"));
        }
        script += "DETACH backup; PRAGMA foreign_keys = ON;";
        scene.execute(&script);
        scene.service.borrow_mut().restart();
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        let _kept = std::fs::remove_file(&self.0);
    }
}

impl Scene {
    /// Returns the number of indexed assets.
    fn asset_count(&self) -> usize {
        self.rows("SELECT 1 FROM assets WHERE id > ?1", "").len()
    }
}

#[test]
fn a_restored_database_catches_up_with_the_chain() {
    let scene = Scene::new(&[]);
    let [done] = scene.orders();
    scene.until(7, [&done]);
    let (open, _) = scene.waiting();
    let [sent] = scene.orders();
    scene.work();
    let [pending] = scene.orders();
    assert_eq!([&sent, &pending].map(|order| scene.status(order)), [2, 1]);
    let backup = Backup::of(&scene, "catches-up");

    let [later] = scene.orders();
    scene
        .world
        .call(scene.owner.delete(format!("/orders/{open}")))
        .data();
    scene.until(7, [&sent, &pending, &later]);
    let holder = Person::new().id();
    let ledger: Address = scene.ledger["id"].as_str().unwrap().parse().unwrap();
    let args = [
        Arg::Account(scene.owner.id()),
        Arg::Account(holder),
        Arg::Number(1),
    ];
    let owner = scene.owner.id();
    scene.anvil.send(
        owner,
        ledger,
        "transferFrom(address,address,uint256)",
        &args,
    );
    let nonce = scene.nonce();
    backup.restore(&scene);

    assert_eq!(scene.asset_count(), 1);
    scene.until(7, [&sent, &pending]);
    scene.performed_once([&done, &sent, &pending]);
    // The index gets the later order's asset and the new holder from the chain. The later order's record and the cancellation are lost.
    assert_eq!(scene.asset_count(), 4);
    let held = "SELECT 1 FROM assets WHERE owner_id = ?1";
    let holder = alloy_primitives::hex::encode_prefixed(holder.as_bytes());
    assert_eq!(scene.rows(held, &holder).len(), 1);
    assert_eq!(
        scene
            .rows("SELECT 1 FROM records WHERE ref = ?1", &later)
            .len(),
        0
    );
    assert_eq!(scene.status(&open), 0);

    // The relayer continues with the next nonce on the chain.
    assert_eq!(scene.nonce(), nonce);
    assert_eq!(scene.relayer()["next_nonce"], nonce);
    assert_eq!(scene.lines("relayer.key-used-elsewhere").len(), 1);
    let [next] = scene.orders();
    scene.until(7, [&next]);
    let used: Vec<Value> = scene
        .signed(&next)
        .iter()
        .map(|tx| tx["nonce"].clone())
        .collect();
    assert_eq!(used, [json!(nonce)]);
    let gaps = ["chain.index-gap", "chain.supply-differs"];
    assert_eq!(gaps.map(|event| scene.lines(event).len()), [0, 0]);
}

#[test]
fn a_restored_database_with_a_new_key_performs_each_order_once() {
    let scene = Scene::new(&[]);
    let [sent] = scene.orders();
    scene.work();
    let [pending] = scene.orders();
    let backup = Backup::of(&scene, "new-key");
    scene.until(7, [&sent, &pending]);
    backup.restore(&scene);
    scene.change_key();
    scene.until(7, [&sent, &pending]);
    scene.performed_once([&sent, &pending]);
    let [next] = scene.orders();
    scene.until(7, [&next]);
    scene.performed_once([&next]);
    assert_eq!(scene.lines("relayer.key-used-elsewhere").len(), 0);
}
