//! A fake chain whose blocks arrive late and may be undone. Statuses, webhooks, costs and the badge follow the blocks.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::native::Block::{self, Empty, Final, Included, Replaced, Undone};
use edge_api::native::FakeChain;
use edge_api::ports::Job;
use order_core::Code;
use serde_json::{Value, json};

use crate::support::WEBHOOK_SECRET;
use crate::support::faults::{Mortal, Stop, at_every_step};
use crate::support::native::{Service, block_on};
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

/// A service on a fake chain, and an owner whose webhook receives the events of requests.
struct Scene {
    service: Rc<RefCell<Service>>,
    world: World,
    owner: Person,
    /// The number of blocks until a record is final.
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
        Self::of(Service::on_chain(SETTINGS, blocks), blocks.len())
    }

    /// Creates a scene on a service. `blocks` is the number of blocks until a record is final.
    fn of(service: Service, blocks: usize) -> Self {
        let service = Rc::new(RefCell::new(service));
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
        let webhook = json!({ "url": URL, "events": [0, 1, 2, 3], "secret": WEBHOOK_SECRET });
        world.call(owner.put("/account/webhook", &webhook)).data();
        world.host.settle();
        Self {
            service,
            world,
            owner,
            blocks,
        }
    }

    fn next_block(&self) {
        self.world.host.advance(BLOCK);
        self.world.host.settle();
    }

    /// Deploys a ledger, waits until the deployment is final, and discards its events.
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

    /// Returns the request statuses in the webhook deliveries since the last call.
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

    /// Stores an order that creates an asset. The order is performed only by a separate call. Returns its reference.
    fn open_order(&self, ledger: &Value, asset: &str) -> String {
        let mut body = self.world.creation(&self.owner, ledger, asset, &self.owner);
        body["automatedPerform"] = json!(false);
        let order = self.world.call(self.owner.post("/orders", &body)).data();
        assert_eq!(order["status"], 0);
        order["ref"].as_str().unwrap().to_owned()
    }

    /// Stores an order that creates an asset. The service performs it automatically. Returns its reference.
    fn new_order(&self, ledger: &Value, asset: &str) -> String {
        let body = self.world.creation(&self.owner, ledger, asset, &self.owner);
        let order = self.world.call(self.owner.post("/orders", &body)).data();
        order["ref"].as_str().unwrap().to_owned()
    }

    fn perform(&self, reference: &str) {
        let call = self
            .owner
            .put(format!("/orders/{reference}/perform"), &json!({}));
        self.world.call(call).data();
    }

    fn execute(&self, sql: &str) {
        self.service.borrow().database.execute(sql).unwrap();
    }

    /// Adds an event to a block of the chain: another account performed this request.
    fn happens(&self, block: u64, reference: &str) {
        self.execute(&format!(
            "INSERT INTO chain_events SELECT {block}, hash FROM records WHERE ref = '{reference}'"
        ));
    }

    fn order(&self, reference: &str) -> Value {
        let call = self.owner.get(format!("/orders/{reference}"));
        self.world.call(call).data()
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

    /// Sends an order that creates an asset. Returns its visible state at first and after each block.
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
fn an_order_keeps_its_status_until_a_final_block_three_blocks_later() {
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
fn an_event_about_an_asset_is_sent_when_its_order_becomes_final() {
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
fn requests_performed_by_another_account_become_final_and_are_charged_once() {
    let scene = Scene::on(&[Final]);
    let ledger = scene.ledger();
    let [one, two] = ["1", "2"].map(|asset| scene.open_order(&ledger, asset));
    let before = scene.cost();
    scene.world.host.settle();
    scene.events();
    // Block 7 contains both requests. Block 8 contains a request that the service does not have.
    scene.happens(7, &one);
    scene.happens(7, &two);
    let unknown = format!("INSERT INTO chain_events VALUES (8, '0x{:064}')", 1);
    scene.execute(&unknown);
    scene.world.host.settle();
    for order in [&one, &two].map(|reference| scene.order(reference)) {
        assert_eq!(order["status"], 7);
        assert!(order["txHash"].is_string());
    }
    let mut events = scene.events();
    events.sort_unstable();
    assert_eq!(events, [3, 3, 7, 7]);
    let paid = scene.cost() - before;
    assert_eq!(paid, 2 * CREATE_COST.parse::<u128>().unwrap());
    // A later block reports the first request again.
    scene.happens(9, &one);
    scene.world.host.settle();
    assert_eq!(scene.cost() - before, paid);
    assert_eq!(scene.events(), [0; 0]);
}

#[test]
fn a_failed_request_that_another_account_performs_later_is_final() {
    let scene = Scene::on(&[Final]);
    let ledger = scene.ledger();
    let orders = [1, 2].map(|_| scene.new_order(&ledger, "1"));
    scene.world.host.settle();
    scene.next_block();
    let mut orders = orders.iter();
    let failed = orders.find(|order| scene.order(order)["status"] == 4);
    let failed = failed.unwrap();
    scene.happens(1, failed);
    scene.world.host.settle();
    let order = scene.order(failed);
    assert_eq!(order["status"], 7);
    assert!(order["error"].is_null(), "{order}");
}

#[test]
fn a_request_that_the_simulation_refuses_is_not_stored() {
    let chain = FakeChain::new(&[Final]);
    let scene = Scene::of(Service::new(SETTINGS).with_chain(chain.clone()), 1);
    let ledger = scene.ledger();
    let refusing = chain.refusing(Code::ActionReceiverNotValid);
    scene.service.borrow_mut().change_chain(refusing);
    let body = scene
        .world
        .creation(&scene.owner, &ledger, "1", &scene.owner);
    let answer = scene.world.call(scene.owner.post("/orders", &body));
    assert_eq!(answer.codes(), [422_059]);
    let listed = scene.world.call(scene.owner.get("/orders"));
    assert_eq!(listed.meta()["total"], 0);
    // If the ledger's rules refuse the request too, the response has the rules' errors, not the simulation's.
    let stranger = Person::new();
    let body = scene.world.creation(&stranger, &ledger, "1", &scene.owner);
    let answer = scene.world.call(stranger.post("/orders", &body));
    assert!(answer.codes().contains(&422_071), "{:?}", answer.codes());
    assert!(!answer.codes().contains(&422_059));
}

#[test]
fn a_request_without_a_valid_claim_reads_nothing_from_the_chain() {
    let chain = FakeChain::new(&[Final]);
    let scene = Scene::of(Service::new(SETTINGS).with_chain(chain.clone()), 1);
    let ledger = scene.ledger();
    let before = chain.snapshots();
    let signed = scene
        .world
        .creation(&scene.owner, &ledger, "1", &scene.owner);
    let mut body = signed.clone();
    body["order"]["seed"] = json!(77);
    let answer = scene.world.call(scene.owner.post("/orders", &body));
    assert_eq!(answer.codes(), [400_001]);
    // An unknown ledger is reported before an invalid claim.
    body["order"]["actions"][0]["ledgerId"] = json!(Person::new().id());
    let answer = scene.world.call(scene.owner.post("/orders", &body));
    assert_eq!(answer.codes(), [400_004]);
    assert_eq!(chain.snapshots(), before);
    scene
        .world
        .call(scene.owner.post("/orders", &signed))
        .data();
    assert_eq!(chain.snapshots(), before + 1);
}

/// Returns the final state: the order's status, the events that were sent, the costs of the owner, and the badge.
fn ending(scene: &Scene, order: &str, ledger: &Value) -> (Value, Vec<u64>, u128, &'static str) {
    // Duplicate events are removed: a delivery is repeated if the process stops before the receiver's response is stored.
    let mut events = scene.events();
    events.sort_unstable();
    events.dedup();
    let status = scene.order(order)["status"].clone();
    (status, events, scene.cost(), scene.badge(ledger))
}

/// The number of blocks until the order in [`trial`] is final: sent, included, undone, replaced, sent again, final.
const STEPS: usize = 6;

/// Performs an order and stops the process at `stop`. Then another process continues. If `by_messages` is true, only the
/// queue's messages drive the first process. Otherwise, the process handles one message per block and, after the last block,
/// runs the periodic work once. Returns the [`ending`] of the order, and true if the process was stopped.
fn trial(by_messages: bool, stop: Option<Stop>) -> ((Value, Vec<u64>, u128, &'static str), bool) {
    let blocks = [Included, Undone, Replaced, Final];
    let mut mortal = None;
    let service = Service::with_database(SETTINGS, |inner| {
        let wrapped = Rc::new(Mortal::new(inner));
        mortal = Some(Rc::clone(&wrapped));
        wrapped
    });
    let mortal = mortal.unwrap();
    let scene = Scene::of(service.with_chain(FakeChain::new(&blocks)), STEPS);
    let ledger = scene.ledger();
    let [order, foreign] = ["1", "2"].map(|asset| scene.open_order(&ledger, asset));
    scene.world.host.settle();
    scene.events();
    scene.perform(&order);
    scene.happens(1, &foreign);
    let (app, queue) = {
        let service = scene.service.borrow();
        (service.app(), Rc::clone(&service.queue))
    };
    let job = Job::Perform {
        reference: order.clone(),
    };
    let work = async {
        for _ in 0..STEPS {
            if by_messages {
                while let Some(job) = queue.take() {
                    app.on_message(&job).await.unwrap();
                }
            } else {
                app.on_message(&job).await.unwrap();
            }
            scene.world.host.advance(BLOCK);
        }
        if !by_messages {
            app.on_schedule().await.unwrap();
        }
    };
    mortal.arm(stop);
    let was_stopped = mortal.run(work).is_none();
    mortal.arm(None);
    scene.service.borrow_mut().restart();
    (0..3 * blocks.len()).for_each(|_| scene.next_block());
    // An interrupted delivery is retried within two hours.
    scene.world.host.advance(7_200_000);
    scene.world.host.settle();
    assert_eq!(scene.order(&foreign)["status"], 7, "{stop:?}");
    (ending(&scene, &order, &ledger), was_stopped)
}

/// Stops the process at each step of a [`trial`]. The end must always be the same.
fn stop_at_every_step(by_messages: bool) {
    let (expected, _) = trial(by_messages, None);
    assert_eq!(expected.0, 7);
    let stops = at_every_step(200, |stop| {
        let (end, was_stopped) = trial(by_messages, Some(stop));
        assert_eq!(end, expected, "{stop:?}");
        was_stopped
    });
    assert!(stops > 60, "{stops}");
}

// Two tests, because they take long and can run in parallel.
#[test]
fn another_process_continues_after_a_crash_at_any_step_of_a_message() {
    stop_at_every_step(true);
}

#[test]
fn another_process_continues_after_a_crash_at_any_step_of_the_periodic_run() {
    stop_at_every_step(false);
}

#[test]
fn a_chain_without_a_treasury_refuses_deposits_and_grants() {
    let admin = Person::known(9);
    let admins = admin.id().to_string();
    let settings = [SETTINGS, &[("ADMIN_ACCOUNTS", &admins)]].concat();
    let chain = FakeChain::new(&[Final]);
    let scene = Scene::of(Service::new(&settings).with_chain(chain.clone()), 1);
    scene
        .service
        .borrow_mut()
        .change_chain(chain.without_treasury());
    let deposit = scene.owner.post("/deposits", &json!({ "amount": 1000 }));
    assert_eq!(scene.world.call(deposit).codes(), [400_103]);
    let grant = json!({ "address": scene.owner.id(), "amount": "1", "reason": "r" });
    let grant = admin.post("/admin/grants", &grant);
    assert_eq!(scene.world.call(grant).codes(), [400_103]);
}

/// Delivers the queue's messages during `blocks` blocks, without periodic runs. Returns the largest number of messages that waited at the end
/// of a block.
fn only_messages(scene: &Scene, blocks: usize) -> usize {
    let mut most = 0;
    for _ in 0..blocks {
        let service = scene.service.borrow();
        while let Some(job) = service.queue.take() {
            block_on(service.app().on_message(&job)).unwrap();
        }
        most = most.max(service.queue.waiting().len());
        service.clock.advance(BLOCK);
    }
    most
}

#[test]
fn one_message_per_block_follows_the_chain_for_all_records() {
    let scene = Scene::on(&[Empty, Included, Final]);
    let ledger = scene.ledger();
    let orders = ["1", "2", "3"].map(|asset| scene.new_order(&ledger, asset));
    let most = only_messages(&scene, 3);
    assert_eq!(most, 1);
    for order in &orders {
        assert_eq!(scene.order(order)["status"], 3);
    }
    assert_eq!(scene.service.borrow().queue.waiting(), [Job::Follow]);
    only_messages(&scene, 3);
    for order in &orders {
        assert_eq!(scene.order(order)["status"], 7);
    }
    // All records are final, so the queue has no more message to follow the chain.
    assert_eq!(scene.service.borrow().queue.waiting(), []);
}

#[test]
fn the_embedded_ledger_queues_no_message_to_follow_a_chain() {
    let service = Rc::new(RefCell::new(Service::new(SETTINGS)));
    let world = World::on(Box::new(Rc::clone(&service)));
    let owner = world.funded();
    let order = world.deployment(&owner, &[1]);
    world.call(owner.post("/deployments", &order)).data();
    let service = service.borrow();
    while let Some(job) = service.queue.take() {
        block_on(service.app().on_message(&job)).unwrap();
    }
    assert_eq!(service.queue.waiting(), []);
}

#[test]
fn the_periodic_run_replaces_a_lost_message() {
    let scene = Scene::on(&[Empty, Empty, Included, Final]);
    let ledger = scene.ledger();
    let order = scene.new_order(&ledger, "1");
    only_messages(&scene, 1);
    scene.service.borrow().queue.lose();
    only_messages(&scene, 2);
    assert_eq!(scene.order(&order)["status"], 2);
    scene.world.host.settle();
    let mut waiting = scene.service.borrow().queue.waiting();
    waiting.retain(|job| !matches!(job, Job::Deliver { .. }));
    assert_eq!(waiting, [Job::Follow]);
    only_messages(&scene, 6);
    assert_eq!(scene.order(&order)["status"], 7);
}
