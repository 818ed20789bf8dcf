//! A ledger with delayed blocks that may change: states, webhooks, costs and the badge follow it.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::native::Block::{self, Empty, Final, Included, Undone};
use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{CREATE_COST, DEPLOY_COST, Person, World};

const BLOCK: u64 = 1_000;
const URL: &str = "https://hooks.assay.example/a";

/// Verdicts are not cached, because each block may change them.
const SETTINGS: &[(&str, &str)] = &[
    ("ENVIRONMENT", "development"),
    ("DEPOSITS", "test"),
    ("DEPLOYERS", "anyone"),
    ("BADGE_CACHE_SECONDS", "0"),
];

/// A service on a chain, and an owner whose webhook receives all events.
struct Scene {
    service: Rc<RefCell<Service>>,
    world: World,
    owner: Person,
    /// Number of blocks until a record is final.
    blocks: usize,
}

/// The visible state of an order that creates an asset.
#[derive(Debug, PartialEq)]
struct Seen {
    status: u64,
    has_tx: bool,
    events: Vec<u64>,
    badge: &'static str,
    cost: u128,
}

impl Scene {
    fn on(blocks: &[Block]) -> Self {
        let service = Rc::new(RefCell::new(Service::on_chain(SETTINGS, blocks)));
        let world = World::on(Box::new(Rc::clone(&service)));
        let owner = world.funded();
        let received = edge_api::ports::Fetched {
            status: 200,
            content_type: None,
            location: None,
            allow_origin: None,
            body: Vec::new(),
        };
        service.borrow().http.set(URL, Ok(received));
        let webhook = json!({ "url": URL, "events": [0, 1, 2, 3] });
        world.call(owner.put("/account/webhook", &webhook)).data();
        world.host.settle();
        Self {
            service,
            world,
            owner,
            blocks: blocks.len(),
        }
    }

    fn next_block(&self) {
        self.world.host.advance(BLOCK);
        self.world.host.settle();
    }

    /// Deploys a ledger, which stays on the chain for ever.
    fn ledger(&self) -> Value {
        let body = self.world.deployment(&self.owner, &[1]);
        self.world
            .call(self.owner.post("/deployments", &body))
            .data();
        self.world.host.settle();
        (0..self.blocks).for_each(|_| self.next_block());
        self.events();
        let ledgers = self.world.call(self.owner.get("/ledgers")).data();
        ledgers[0].clone()
    }

    /// Returns the statuses that the receiver got since the last call.
    fn events(&self) -> Vec<u64> {
        let sent = self.service.borrow().http.take_sent();
        let bodies = sent.into_iter().filter(|fetch| fetch.url == URL);
        bodies
            .map(|fetch| {
                let body: Value = serde_json::from_slice(&fetch.body.unwrap()).unwrap();
                body["status"].as_u64().unwrap()
            })
            .collect()
    }

    fn cost(&self) -> u128 {
        let days = self.world.call(self.owner.get("/stats/costs")).data();
        let amounts = days.as_array().unwrap().iter();
        amounts
            .map(|day| day["amount"].as_str().unwrap().parse::<u128>().unwrap())
            .sum()
    }

    fn badge(&self, ledger: &Value) -> &'static str {
        let target = format!(
            "/badge.json?ledgerId={}&assetId=1",
            ledger["id"].as_str().unwrap()
        );
        let report = self.world.call(crate::support::Call::get(target)).data();
        match report["status"]["kind"].as_str().unwrap() {
            "inForce" => "in force",
            "neverIssued" => "never issued",
            other => panic!("{other}"),
        }
    }

    fn seen(&self, order: &Value, ledger: &Value) -> Seen {
        let path = format!("/orders/{}", order["ref"].as_str().unwrap());
        let order = self.world.call(self.owner.get(path)).data();
        Seen {
            status: order["status"].as_u64().unwrap(),
            has_tx: order["txHash"].is_string(),
            badge: self.badge(ledger),
            events: self.events(),
            cost: self.cost() - DEPLOY_COST.parse::<u128>().unwrap(),
        }
    }

    /// Returns the states of a new asset's order, at first and after each block.
    fn watched(&self) -> Vec<Seen> {
        let ledger = self.ledger();
        let order = self.world.creation(&self.owner, &ledger, "1", &self.owner);
        let order = self.world.call(self.owner.post("/orders", &order)).data();
        self.world.host.settle();
        let mut seen = vec![self.seen(&order, &ledger)];
        for _ in 0..self.blocks + 1 {
            self.next_block();
            seen.push(self.seen(&order, &ledger));
        }
        seen
    }
}

fn state(status: u64, events: &[u64], badge: &'static str) -> Seen {
    let is_final = status == 7;
    Seen {
        status,
        has_tx: is_final || status == 3,
        events: events.to_vec(),
        badge,
        cost: if is_final {
            CREATE_COST.parse().unwrap()
        } else {
            0
        },
    }
}

#[test]
fn a_result_three_blocks_later_is_the_same() {
    let scene = Scene::on(&[Empty, Empty, Final]);
    assert_eq!(
        scene.watched(),
        [
            state(2, &[1, 2], "never issued"),
            state(2, &[], "never issued"),
            state(2, &[], "never issued"),
            state(7, &[3, 7], "in force"),
            state(7, &[], "in force"),
        ]
    );
}

#[test]
fn an_event_about_an_asset_is_sent_once_its_order_is_final() {
    let scene = Scene::on(&[Included, Undone, Included, Final]);
    let ledger = scene.ledger();
    let webhook = json!({ "url": URL, "events": [4] });
    let call = scene.owner.put("/account/webhook", &webhook);
    scene.world.call(call).data();
    let order = scene
        .world
        .creation(&scene.owner, &ledger, "1", &scene.owner);
    scene.world.call(scene.owner.post("/orders", &order)).data();
    scene.world.host.settle();
    let sent = [(); 5].map(|()| {
        scene.next_block();
        scene.service.borrow().http.take_sent().len()
    });
    assert_eq!(sent, [0, 0, 0, 1, 0]);
}

#[test]
fn a_reorganisation_reverts_records_and_applies_them_again() {
    let scene = Scene::on(&[Included, Undone, Included, Final]);
    assert_eq!(
        scene.watched(),
        [
            state(2, &[1, 2], "never issued"),
            state(3, &[3], "in force"),
            state(2, &[2], "never issued"),
            state(3, &[3], "in force"),
            state(7, &[7], "in force"),
            state(7, &[], "in force"),
        ]
    );
}

#[test]
fn only_records_not_yet_sent_to_the_ledger_expire() {
    let scene = Scene::on(&[Empty, Empty, Final]);
    let ledger = scene.ledger();
    let expiring = |asset: &str| {
        let mut body = scene
            .world
            .creation(&scene.owner, &ledger, asset, &scene.owner);
        body["order"]["expiration"] = json!(scene.world.host.now() + 2 * BLOCK);
        scene.world.sign(&mut body, &[&scene.owner]);
        scene.world.call(scene.owner.post("/orders", &body)).data()
    };
    let sent = expiring("1");
    scene.world.host.settle();
    let status = |order: &Value| {
        let path = format!("/orders/{}", order["ref"].as_str().unwrap());
        scene.world.call(scene.owner.get(path)).data()["status"].clone()
    };
    (0..3).for_each(|_| scene.next_block());
    assert_eq!(status(&sent), 7);
    let lost = expiring("2");
    scene.service.borrow().queue.lose();
    scene.world.host.advance(3 * BLOCK);
    scene.world.host.settle();
    assert_eq!(status(&lost), 4);
}

#[test]
fn a_request_that_becomes_forbidden_before_its_block_fails() {
    let scene = Scene::on(&[Empty, Final]);
    let ledger = scene.ledger();
    let orders = [1, 2].map(|_| {
        let body = scene
            .world
            .creation(&scene.owner, &ledger, "1", &scene.owner);
        scene.world.call(scene.owner.post("/orders", &body)).data()
    });
    scene.world.host.settle();
    (0..2).for_each(|_| scene.next_block());
    let mut statuses = orders.map(|order| {
        let path = format!("/orders/{}", order["ref"].as_str().unwrap());
        let order = scene.world.call(scene.owner.get(path)).data();
        order["status"].as_u64().unwrap()
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [4, 7]);
    let cost = DEPLOY_COST.parse::<u128>().unwrap() + CREATE_COST.parse::<u128>().unwrap();
    assert_eq!(scene.cost(), cost);
}
