//! Contracts that receive assets and make the relayer pay for failed transactions.

use order_core::Address;
use serde_json::{Value, json};

use super::Scene;
use crate::support::Answer;
use crate::support::people::{CREATE_COST, Person, World};

/// Returns the selector of `onERC721Received`, which accepts an asset.
const ACCEPT: &str = "63150b7a0260e01b5f5260205ff3";

/// Accepts assets while the first word of its storage is zero. Otherwise uses up all gas.
const SWITCHED: &str = "0x5f54601357";
/// Accepts assets if gas has no price. Otherwise uses up all gas.
const PRICED: &str = "0x3a601257";
/// Uses more than a million units of gas before it accepts an asset.
const SLOW: &str = "0x619c405b600190038060035750";

impl Scene {
    /// Returns a contract with this code, followed by the acceptance of an asset and an instruction that uses up all gas.
    fn receiver(&self, start: &str) -> Address {
        let receiver = Person::new().id();
        let code = format!("{start}{ACCEPT}5bfe");
        self.anvil.rpc("anvil_setCode", json!([receiver, code]));
        receiver
    }

    fn switch(&self, receiver: Address, is_burning: bool) {
        let word = format!("0x{:064x}", u8::from(is_burning));
        let slot = format!("0x{:064x}", 0);
        self.anvil
            .rpc("anvil_setStorageAt", json!([receiver, slot, word]));
    }

    /// Returns an order of an account that transfers an asset.
    fn transfer(&self, owner: &Person, asset: u64, receiver: Address) -> Value {
        let transfer = json!({ "kind": 2, "ledgerId": self.ledger["id"], "assetId": asset.to_string(),
            "senderId": owner.id(), "receiverId": receiver });
        let pay = self.world.payment(owner, CREATE_COST);
        let mut body = self.world.order(&[owner], json!([transfer, pay]));
        self.world.sign(&mut body, &[owner]);
        body
    }

    fn try_transfer(&self, owner: &Person, asset: u64, receiver: Address) -> Answer {
        let body = self.transfer(owner, asset, receiver);
        self.world.call(owner.post("/orders", &body))
    }

    /// Sends a transfer that the contract accepts in the simulation and not in the block. Returns the order, which fails.
    fn waste(&self, owner: &Person, asset: u64, receiver: Address) -> String {
        self.switch(receiver, false);
        let made = self.try_transfer(owner, asset, receiver).data();
        let order = made["ref"].as_str().unwrap().to_owned();
        self.work();
        self.switch(receiver, true);
        self.until(4, [&order]);
        order
    }

    fn used(&self) -> u64 {
        let lines = self.lines("relayer.reverted");
        lines.iter().map(|line| line["gas"].as_u64().unwrap()).sum()
    }
}

/// Returns a scene whose ledger has assets 1 to 4 of the owner and 11 to 12 of another account.
fn scene(vars: &[(&str, &str)]) -> (Scene, Person) {
    let scene = Scene::new(vars);
    let other = World::credited(&scene.anvil);
    let world = &scene.world;
    let orders = [1, 2, 3, 4, 11, 12].map(|asset: u64| {
        let receiver = if asset > 10 { &other } else { &scene.owner };
        let body = world.creation(&scene.owner, &scene.ledger, &asset.to_string(), receiver);
        scene.post("/orders", &body)
    });
    scene.work();
    scene.until(7, &orders);
    // Without these approvals, the transfers of the other account need no signature of the account.
    for proxy in [
        world.gateways.proxies.safe_transfer_asset,
        world.gateways.proxies.transfer_asset,
    ] {
        let args = [
            crate::support::anvil::Arg::Account(proxy),
            crate::support::anvil::Arg::Flag(true),
        ];
        let ledger = scene.ledger["id"].as_str().unwrap().parse().unwrap();
        scene
            .anvil
            .send(other.id(), ledger, "setApprovalForAll(address,bool)", &args);
    }
    (scene, other)
}

#[test]
fn failed_gas_of_an_account_and_a_receiver_is_bounded_for_a_day() {
    let (scene, other) = scene(&[("FAILED_GAS_MAX", "500000")]);
    let receiver = scene.receiver(SWITCHED);
    let owner = scene.owner.clone();
    scene.waste(&owner, 1, receiver);
    let one = scene.used();
    assert!((100_000..300_000).contains(&one), "{one}");
    let mut orders = 1;
    while scene.used() + one <= 500_000 {
        scene.waste(&owner, 1, receiver);
        orders += 1;
    }
    assert!(orders >= 2);
    // Neither the account nor the receiver can use up more.
    scene.switch(receiver, false);
    for (owner, asset, receiver) in [
        (&owner, 1, receiver),
        (&owner, 1, Person::new().id()),
        (&other, 11, receiver),
    ] {
        let refused = scene.try_transfer(owner, asset, receiver);
        assert_eq!(refused.status, 422);
        assert_eq!(refused.errors(), ["422913 order"]);
        assert!(
            refused.text().contains("try again in a day"),
            "{}",
            refused.text()
        );
    }
    let answered = scene.try_transfer(&other, 11, Person::new().id()).data();
    let order = answered["ref"].as_str().unwrap().to_owned();
    scene.until(7, [&order]);
    assert!(scene.used() <= 500_000);

    scene.world.host.advance(86_400_000);
    let made = scene.try_transfer(&owner, 1, Person::new().id()).data();
    let order = made["ref"].as_str().unwrap().to_owned();
    scene.until(7, [&order]);
}

#[test]
fn transactions_without_a_visible_effect_count_with_their_whole_gas() {
    let (scene, _) = scene(&[("FAILED_GAS_MAX", "500000")]);
    let receiver = scene.receiver(SWITCHED);
    let orders = [1, 2, 3, 4].map(|asset| {
        let made = scene.try_transfer(&scene.owner, asset, receiver).data();
        made["ref"].as_str().unwrap().to_owned()
    });
    scene.work();
    scene.switch(receiver, true);
    let signed = |order: &String| {
        scene
            .signed(order)
            .first()
            .map(|tx| tx["gas"].as_u64().unwrap())
    };
    let gas: u64 = orders.iter().filter_map(signed).sum();
    assert!(gas > 0 && gas <= 500_000, "{gas}");
    for _ in 0..20 {
        scene.blocks(1);
    }
    assert!(scene.used() <= 500_000);
}

#[test]
fn a_receiver_cannot_recognise_the_simulation_by_the_price_of_gas() {
    let (scene, _) = scene(&[]);
    let receiver = scene.receiver(PRICED);
    let nonce = scene.nonce();
    let made = scene.try_transfer(&scene.owner, 1, receiver).data();
    let order = made["ref"].as_str().unwrap().to_owned();
    scene.until(4, [&order]);
    assert_eq!(scene.signed(&order).len(), 0);
    assert_eq!(scene.nonce(), nonce);
}

#[test]
fn a_receiver_that_needs_too_much_gas_is_refused() {
    let (scene, _) = scene(&[]);
    let receiver = scene.receiver(SLOW);
    let body = {
        let transfer = json!({ "kind": 2, "ledgerId": scene.ledger["id"], "assetId": "1",
            "senderId": scene.owner.id(), "receiverId": receiver });
        let mut body = scene.world.order(&[&scene.owner], json!([transfer]));
        let actions = body["order"]["actions"].as_array_mut().unwrap();
        actions.push(scene.world.payment(&scene.owner, CREATE_COST));
        scene.world.sign(&mut body, &[&scene.owner]);
        body
    };
    let refused = scene.world.call(scene.owner.post("/orders", &body));
    assert_eq!(refused.status, 422);
    assert_eq!(refused.errors(), ["422913 order"]);
    assert!(
        refused.text().contains("may use at most 800000"),
        "{}",
        refused.text()
    );
}

#[test]
fn much_failed_gas_is_reported() {
    let (scene, _) = scene(&[
        ("FAILED_GAS_MAX", "100000"),
        ("ALERT_URL", "https://hooks.assay.example/T0"),
    ]);
    let receiver = scene.receiver(SWITCHED);
    scene.waste(&scene.owner.clone(), 1, receiver);
    let total = scene.rows(
        "SELECT sum(gas) AS gas FROM relay_gas WHERE key = '*' AND ?1 = ''",
        "",
    );
    assert_eq!(total[0]["gas"], scene.used());
    scene.world.host.advance(1_000);
    scene.try_work();
    let sent = scene.service.borrow().http.take_sent();
    let told = sent.iter().filter_map(|fetch| fetch.body.as_ref());
    let told: Vec<String> = told
        .map(|body| String::from_utf8_lossy(body).into_owned())
        .collect();
    assert!(
        told.iter()
            .any(|text| text.contains("failed transactions used")),
        "{told:?}"
    );
}
