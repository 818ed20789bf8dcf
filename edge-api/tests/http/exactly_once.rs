//! An accepted order takes effect at most once, even if requests and messages are repeated, lost or interrupted. After
//! such a fault, the service still performs the order, unless the order has expired or the ledger now forbids it.

use std::rc::Rc;

use edge_api::ports::{Database, Job, Statement};
use serde_json::{Value, json};

use crate::support::faults::{Mortal, Stop, at_every_step};
use crate::support::native::{Service, block_on};
use crate::support::people::{CREATE_COST, Person, World};
use crate::support::workerd::Server;
use crate::support::{Call, Host, SETTINGS};

struct Scene {
    service: Rc<std::cell::RefCell<Service>>,
    mortal: Rc<Mortal>,
    world: World,
    owner: Person,
    receiver: Person,
    ledger: Value,
    balance: u128,
}

/// Creates a funded owner with a ledger, on a database that can fail.
fn scene() -> Scene {
    let mut mortal = None;
    let service = Service::with_database(SETTINGS, |inner| {
        let wrapped = Rc::new(Mortal::new(inner));
        mortal = Some(Rc::clone(&wrapped));
        wrapped
    });
    let service = Rc::new(std::cell::RefCell::new(service.queueing()));
    let world = World::on(Box::new(Rc::clone(&service)));
    let (owner, receiver) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let balance = world.balance(&owner);
    Scene {
        service,
        mortal: mortal.expect("wrapped"),
        world,
        owner,
        receiver,
        ledger,
        balance,
    }
}

impl Scene {
    /// Returns the sum of all tokens, which orders never change.
    fn supply(&self) -> u128 {
        let rows = block_on(
            self.service
                .borrow()
                .database
                .batch(vec![Statement::new("SELECT amount FROM balances")]),
        );
        let rows = rows.expect("balances").remove(0).list;
        rows.iter()
            .map(|row| {
                u128::from_str_radix(&row["amount"].as_str().expect("text")[32..], 16)
                    .expect("a small amount")
            })
            .sum()
    }

    fn assert_performed_once(&self, reference: &str) {
        let order = self
            .world
            .call(self.owner.get(format!("/orders/{reference}")))
            .data();
        assert_eq!(order["status"], 7, "{order}");
        assert_eq!(
            self.balance - self.world.balance(&self.owner),
            CREATE_COST.parse::<u128>().expect("a number")
        );
        assert_eq!(
            self.world.owner_of(&self.ledger, "1"),
            Some(json!(self.receiver.id()))
        );
        let assets = format!(
            "/ledgers/{}/assets",
            self.ledger["ref"].as_str().expect("a reference")
        );
        assert_eq!(self.world.call(self.owner.get(assets)).meta()["total"], 1);
    }
}

#[test]
fn a_message_that_is_delivered_again_changes_nothing() {
    let scene = scene();
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.receiver);
    let order = scene.world.call(scene.owner.post("/orders", &body)).data();
    let reference = order["ref"].as_str().unwrap();
    let job = Job::Perform {
        reference: reference.to_owned(),
    };
    for _ in 0..3 {
        block_on(scene.service.borrow().app().on_message(&job)).unwrap();
    }
    scene.world.host.settle();
    block_on(scene.service.borrow().app().on_message(&job)).unwrap();
    scene.assert_performed_once(reference);
    block_on(scene.service.borrow().app().on_message(&Job::Perform {
        reference: "none".to_owned(),
    }))
    .unwrap();
}

#[test]
fn a_message_that_is_delivered_concurrently_has_one_effect() {
    let scene = scene();
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.receiver);
    let order = scene.world.call(scene.owner.post("/orders", &body)).data();
    let reference = order["ref"].as_str().unwrap();
    let job = Job::Perform {
        reference: reference.to_owned(),
    };
    let service = scene.service.borrow();
    let apps: Vec<_> = (0..8).map(|_| service.app()).collect();
    block_on(futures_util::future::join_all(
        apps.iter().map(|app| app.on_message(&job)),
    ));
    drop(service);
    scene.assert_performed_once(reference);
}

#[test]
fn the_sweep_performs_an_order_whose_message_was_lost() {
    let scene = scene();
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.receiver);
    let order = scene.world.call(scene.owner.post("/orders", &body)).data();
    scene.service.borrow().queue.lose();
    scene.world.host.settle();
    scene.assert_performed_once(order["ref"].as_str().unwrap());
}

/// Stops the service before and after each round trip of creating and performing an order. Then restarts the service, sends
/// the order again as a client that got no answer would, and runs all pending work.
#[test]
fn an_order_is_performed_once_after_a_stop_at_any_step() {
    let stops = at_every_step(64, |stop| {
        let scene = scene();
        let supply = scene.supply();
        let body = scene
            .world
            .creation(&scene.owner, &scene.ledger, "1", &scene.receiver);
        let call = scene.owner.post("/orders", &body);
        let service = scene.service.borrow();
        let died = scene.mortal.stops(stop, service.answer_and_follow(&call));
        drop(service);
        scene.service.borrow_mut().restart();
        let again = scene.world.call(call);
        assert!([200, 201].contains(&again.status), "{stop:?}: {again:?}");
        scene.world.host.settle();
        scene.assert_performed_once(again.data()["ref"].as_str().unwrap());
        assert_eq!(scene.supply(), supply, "{stop:?}");
        died
    });
    assert!(
        stops >= 10,
        "only {stops} stops: the test must reach the steps that perform the order"
    );
}

#[test]
fn a_deposit_is_credited_fully_or_not_at_all_after_a_stop() {
    for number in 0..16 {
        for (stop, credited) in [(Stop::Before(number), false), (Stop::After(number), true)] {
            let scene = scene();
            let person = Person::new();
            let call = person.post("/deposits", &json!({ "amount": 4200 }));
            scene.mortal.arm(Some(stop));
            let service = scene.service.borrow();
            let ended = scene.mortal.run(service.answer(&call));
            drop(service);
            scene.mortal.arm(None);
            let balance = scene.world.balance(&person);
            match ended {
                Some(answer) => {
                    assert_eq!(
                        (answer.response.status.as_u16(), balance),
                        (201, 1000 * 10_u128.pow(18))
                    );
                    return;
                }
                // One round trip writes the deposit and its credit, so the credit is stored completely or not at all.
                None => assert!(
                    balance == 0 || (credited && balance == 1000 * 10_u128.pow(18)),
                    "{stop:?} {balance}"
                ),
            }
        }
    }
    panic!("a deposit takes too many round trips");
}

#[test]
fn an_order_that_became_invalid_fails_with_its_code() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let first = world.creation(&owner, &ledger, "1", &owner);
    let mut second = world.creation(&owner, &ledger, "1", &owner);
    second["automatedPerform"] = json!(false);
    world.sign(&mut second, &[&owner]);
    let waiting = world.call(owner.post("/orders", &second)).data();
    assert_eq!(world.performed(&owner, &first)["status"], 7);
    world.fails_to_perform(&owner, &waiting, 422_013);
}

#[test]
fn an_order_that_expires_without_all_claims_is_canceled() {
    let world = World::on(crate::support::own(SETTINGS));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let mut unsigned = world.creation(&owner, &ledger, "1", &owner);
    unsigned["order"]["signers"][0]["claim"] = json!("");
    let unsigned = world.call(owner.post("/orders", &unsigned)).data();
    let hash = unsigned["hash"].as_str().unwrap().parse().unwrap();
    let path = format!("/orders/{}", unsigned["ref"].as_str().unwrap());
    world.host.advance(3_600_000);
    // From its expiration on, the order cannot be signed, even if no sweep has run.
    world
        .call(owner.put(
            format!("{path}/sign"),
            &json!({ "claim": owner.claim(&hash) }),
        ))
        .fails(400, &[400_013]);
    world.host.settle();
    assert_eq!(world.call(owner.get(path)).data()["status"], 6);
}

#[test]
fn a_signed_order_that_expires_before_it_is_performed_fails() {
    let scene = scene();
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "1", &scene.receiver);
    let order = scene.world.call(scene.owner.post("/orders", &body)).data();
    scene.world.host.advance(3_600_000);
    scene.world.host.settle();
    let order = scene
        .world
        .call(
            scene
                .owner
                .get(format!("/orders/{}", order["ref"].as_str().unwrap())),
        )
        .data();
    assert_eq!(
        (&order["status"], &order["error"]["code"]),
        (&json!(4), &json!(422_900))
    );
    assert_eq!(scene.world.balance(&scene.owner), scene.balance);
}

#[test]
fn an_order_whose_payment_is_not_covered_is_retried() {
    let world = World::on(crate::support::own(SETTINGS));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let mut body = world.creation(&owner, &ledger, "1", &owner);
    body["automatedPerform"] = json!(false);
    body["order"]["expiration"] = json!(world.soon() + 100 * 3_600_000);
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    let everything = world.balance(&owner).to_string();
    let mut spend = world.order(&[&owner], json!([world.payment(&owner, &everything)]));
    world.sign(&mut spend, &[&owner]);
    assert_eq!(world.performed(&owner, &spend)["status"], 7);
    world
        .call(owner.put(format!("{path}/perform"), &json!({})))
        .data();
    let state = || {
        world.host.settle();
        let order = world.call(owner.get(path.as_str())).data();
        (
            order["status"].as_u64().unwrap(),
            order["error"]["code"].clone(),
        )
    };
    assert_eq!(state(), (5, json!(422_075)));
    // The order is not retried before its retry time.
    world.host.credit(&owner, 1_000);
    assert_eq!(state().0, 5);
    world.host.advance(60_000);
    assert_eq!(state(), (7, json!(null)));
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(owner.id())));
}

#[test]
fn an_order_whose_payment_is_never_covered_fails() {
    let world = World::on(crate::support::own(SETTINGS));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let mut body = world.creation(&owner, &ledger, "1", &owner);
    body["automatedPerform"] = json!(false);
    body["order"]["expiration"] = json!(world.soon() + 100 * 3_600_000);
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    let mut spend = world.order(
        &[&owner],
        json!([world.payment(&owner, &world.balance(&owner).to_string())]),
    );
    world.sign(&mut spend, &[&owner]);
    assert_eq!(world.performed(&owner, &spend)["status"], 7);
    world
        .call(owner.put(format!("{path}/perform"), &json!({})))
        .data();
    for minutes in [0, 1, 5, 30, 120, 720] {
        world.host.settle();
        let status = world.call(owner.get(path.as_str())).data()["status"].clone();
        assert_eq!(status, 5, "before {minutes} minutes");
        world.host.advance(minutes * 60_000);
    }
    world.host.settle();
    let order = world.call(owner.get(path)).data();
    assert_eq!(
        (&order["status"], &order["error"]["code"]),
        (&json!(4), &json!(422_075))
    );
}

#[test]
fn higher_priority_is_performed_first() {
    let scene = scene();
    let mut references = Vec::new();
    for priority in [1, 4, 2] {
        let mut body = scene
            .world
            .creation(&scene.owner, &scene.ledger, "1", &scene.receiver);
        body["priority"] = json!(priority);
        scene.world.sign(&mut body, &[&scene.owner]);
        references.push(
            scene.world.call(scene.owner.post("/orders", &body)).data()["ref"]
                .as_str()
                .unwrap()
                .to_owned(),
        );
    }
    scene.service.borrow().queue.lose();
    scene.world.host.settle();
    // All three orders create the same asset, so only the order that is performed first can succeed.
    let status = |index: usize| {
        scene
            .world
            .call(scene.owner.get(format!("/orders/{}", references[index])))
            .data()["status"]
            .clone()
    };
    assert_eq!(
        (status(0), status(1), status(2)),
        (json!(4), json!(7), json!(4))
    );
}

/// Runs workerd. The Worker aborts at a step, workerd is killed, and a new workerd starts on the stored state.
#[test]
#[ignore = "needs the built Worker: cargo xtask test workerd"]
fn an_order_is_performed_after_the_worker_aborts_and_restarts() {
    for step in ["create:before", "create:after"] {
        let state = std::env::temp_dir().join(format!(
            "assay-abort-{}-{}",
            std::process::id(),
            step.replace(':', "-")
        ));
        let _absent = std::fs::remove_dir_all(&state);
        let (owner, receiver, ledger, body) = {
            let world = World::on(Box::new(Server::on_state(SETTINGS, &state)));
            let (owner, receiver) = (world.funded(), Person::new());
            let ledger = world.ledger(&owner, &[]);
            let body = world.creation(&owner, &ledger, "1", &receiver);
            (owner, receiver, ledger, body)
        };
        let settings: Vec<_> = SETTINGS
            .iter()
            .copied()
            .chain([("ABORT_AT", step)])
            .collect();
        {
            let server = Server::on_state(&settings, &state);
            let answer = server.call(owner.post("/orders", &body));
            answer.fails(500, &[500_000]);
            assert!(server.aborted_at(step), "{step}: the server did not abort");
            // The runtime has replaced the aborted instance, so other requests are answered.
            assert_eq!(server.call(Call::get("/health")).status, 200);
        }
        let world = World::on(Box::new(Server::on_state(SETTINGS, &state)));
        let before = world.balance(&owner);
        let again = world.call(owner.post("/orders", &body));
        assert!([200, 201].contains(&again.status), "{step}: {again:?}");
        world.host.settle();
        let order = world
            .call(owner.get(format!("/orders/{}", again.data()["ref"].as_str().unwrap())))
            .data();
        assert_eq!(order["status"], 7, "{step}: {order}");
        assert_eq!(world.owner_of(&ledger, "1"), Some(json!(receiver.id())));
        let paid = before - world.balance(&owner);
        assert!(
            paid == if step == "create:after" {
                0
            } else {
                3_000_000_000_000_000_000
            },
            "{step} {paid}"
        );
        drop(world);
        std::fs::remove_dir_all(&state).expect("the state folder");
    }
}

#[test]
fn an_order_performed_at_once_is_performed_once_after_a_stop_at_any_step() {
    let stops = at_every_step(64, |stop| {
        let mut mortal = None;
        let service = Service::with_database(SETTINGS, |inner| {
            let wrapped = Rc::new(Mortal::new(inner));
            mortal = Some(Rc::clone(&wrapped));
            wrapped
        });
        let mortal = mortal.expect("wrapped");
        let service = Rc::new(std::cell::RefCell::new(service));
        let world = World::on(Box::new(Rc::clone(&service)));
        let owner = world.funded();
        let ledger = world.ledger(&owner, &[]);
        let call = owner.post("/orders", &world.creation(&owner, &ledger, "1", &owner));
        let before = world.balance(&owner);
        let died = mortal.stops(stop, service.borrow().whole(&call));
        // The request that died keeps its permit to perform records, until it counts as dead.
        world.host.advance(5_000);
        let order = world.call(call).data();
        assert_eq!(order["status"], 7, "{stop:?} {order}");
        assert_eq!(
            before - world.balance(&owner),
            CREATE_COST.parse::<u128>().unwrap(),
            "{stop:?}"
        );
        died
    });
    // Each of the three batches (the clock, the values and the transaction) causes two stops, and the log two more.
    assert!(stops >= 6, "{stops}");
}

#[test]
fn orders_of_several_isolates_are_all_performed_once() {
    const ISOLATES: usize = 4;
    let service = Rc::new(std::cell::RefCell::new(Service::new(SETTINGS)));
    let world = World::on(Box::new(Rc::clone(&service)));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let calls: Vec<_> = (1..=40)
        .map(|asset| {
            owner.post(
                "/orders",
                &world.creation(&owner, &ledger, &asset.to_string(), &owner),
            )
        })
        .collect();
    let before = world.balance(&owner);
    let answers = block_on(service.borrow().answers_of_isolates(ISOLATES, &calls));
    for answer in &answers {
        assert_eq!(answer.response.status.as_u16(), 201);
    }
    // Orders that met too many conflicts were queued.
    world.host.settle();
    let done = world.call(owner.get("/orders?statuses=7&limit=100")).meta();
    assert_eq!(done["total"], 40);
    let cost = CREATE_COST.parse::<u128>().unwrap();
    assert_eq!(before - world.balance(&owner), 40 * cost);
}
