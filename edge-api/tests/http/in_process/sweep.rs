//! The sweep: a record that cannot be processed does not delay others.

use std::rc::Rc;

use async_trait::async_trait;
use edge_api::native::{FakeClock, Sqlite};
use edge_api::ports::{Database, DatabaseError, Rows, Statement};
use serde_json::{Value, json};

use crate::records::{listed, payment, reachable, target};
use crate::support::SETTINGS;
use crate::support::native::{START, Service};
use crate::support::people::{Person, World};

/// Inserts `number` copies of a person's order with this status. Then applies the SQL assignments `what` to the copies.
fn plant(database: &Sqlite, person: &Person, number: u32, status: u8, what: &str) {
    let sql = format!(
        "CREATE TEMP TABLE n AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {number}) SELECT n FROM c; \
         INSERT INTO records (ref, kind, hash, creator_id, status, priority, expires_at, due_at, queued, body, created_at, updated_at) \
         SELECT printf('01111111-1111-7111-8111-%012d', n), kind, printf('0x%064x', n), creator_id, {status}, 4, expires_at, \
         0, queued, body, created_at, updated_at FROM (SELECT * FROM records WHERE creator_id = lower('{}') LIMIT 1), n; \
         INSERT INTO record_parties SELECT creator_id, kind, ref, status, 0 FROM records WHERE ref LIKE '01111111-%'; \
         UPDATE records SET {what} WHERE ref LIKE '01111111-%'; DROP TABLE n;",
        person.id()
    );
    database.execute(&sql).expect("planted");
}

/// Creates a fully signed order that is not performed yet. Returns the response's data.
fn pending(world: &World, person: &Person, value: &str) -> Value {
    let mut body = payment(world, &[person], person, value);
    world.sign(&mut body, &[person]);
    let made = world.call(person.post("/orders", &body)).data();
    assert_eq!(made["status"], 1);
    made
}

/// SQL assignments that make a record unreadable.
const WRONG: [&str; 3] = [
    "body = '{}'",
    "expires_at = 9007199254740992",
    "creator_id = 'nobody'",
];

/// Returns the status of an order after two sweeps. The sweeps process the copies from [`plant`] first: a hundred in the
/// first sweep, the rest in the second.
fn swept(world: &World, person: &Person, order: &Value) -> Value {
    for _ in 0..2 {
        world.host.settle();
    }
    world.call(person.get(target(order))).data()["status"].take()
}

#[test]
fn records_that_always_fail_do_not_delay_others() {
    for wrong in WRONG {
        let (world, service) = reachable(SETTINGS);
        let person = world.funded();
        let order = pending(&world, &person, "1");
        {
            let service = service.borrow();
            plant(&service.database, &person, 110, 1, wrong);
            service.queue.lose();
        }
        assert_eq!(swept(&world, &person, &order), 7, "{wrong}");
    }
}

#[test]
fn an_unreadable_open_order_does_not_delay_others() {
    for wrong in WRONG {
        let (world, service) = reachable(SETTINGS);
        let person = world.funded();
        let other = Person::new();
        let body = payment(&world, &[&person, &other], &person, "1");
        let order = world.call(person.post("/orders", &body)).data();
        {
            let service = service.borrow();
            plant(
                &service.database,
                &person,
                110,
                0,
                &format!("{wrong}, due_at = 1"),
            );
        }
        world.host.advance(3_600_000);
        assert_eq!(swept(&world, &person, &order), 6, "{wrong}");
    }
}

#[test]
fn quarantined_records_are_retried_with_growing_delays() {
    let (world, service) = reachable(SETTINGS);
    let person = world.funded();
    pending(&world, &person, "1");
    world.host.settle();
    let database = Rc::clone(&service.borrow().database);
    plant(&database, &person, 1, 1, "body = '{}'");
    let failures = || {
        let lines = service.borrow().log.lines();
        let failed = lines
            .iter()
            .filter(|(_, line)| line["event"] == "perform.failed")
            // The log line names the kind of fault: a corrupt row, not an unavailable database.
            .inspect(|(_, line)| assert_eq!(line["fault"], "corrupt"));
        failed.count()
    };
    let mut expected = 0;
    for minutes in [1, 5, 30, 120, 720, 720] {
        expected += 1;
        world.host.settle();
        assert_eq!(failures(), expected);
        world.host.advance(minutes * 60_000 - 1);
        world.host.settle();
        assert_eq!(failures(), expected, "{minutes}");
        world.host.advance(1);
    }
    // A record that is readable again is processed as usual.
    database
        .execute(
            "UPDATE records SET body = (SELECT body FROM records WHERE ref NOT LIKE '01111111-%' AND kind = 0 LIMIT 1), \
             expires_at = 253402300800000 WHERE ref LIKE '01111111-%'",
        )
        .expect("mended");
    world.host.settle();
    let mended = world.call(person.get("/orders/01111111-1111-7111-8111-000000000001"));
    assert_eq!(mended.data()["status"], 7);
}

#[test]
fn an_unreadable_row_is_skipped_and_logged() {
    let (world, service) = reachable(SETTINGS);
    let person = world.funded();
    let good: Vec<String> = (1..=3)
        .map(|value| {
            let made = pending(&world, &person, &value.to_string());
            made["ref"].as_str().unwrap().to_owned()
        })
        .collect();
    world.host.settle();
    let database = Rc::clone(&service.borrow().database);
    // The copies have older references, so they are first in ascending order and last in descending order.
    plant(&database, &person, 2, 4, "body = '{}'");
    for sort in [1, 2] {
        let mut found = Vec::new();
        let mut query = format!("sort={sort}&limit=1");
        loop {
            let answer = world.call(person.get(format!("/orders?{query}")));
            assert_eq!(answer.status, 200);
            assert_eq!(answer.meta()["total"], 5);
            let data = answer.data();
            found.extend(
                data.as_array()
                    .unwrap()
                    .iter()
                    .map(|order| order["ref"].clone()),
            );
            match answer.meta()["next"].as_str() {
                Some(next) => query = format!("sort={sort}&limit=1&after={next}"),
                None => break,
            }
        }
        found.sort_by_key(Value::to_string);
        let mut expected: Vec<Value> = good.iter().map(|one| json!(one)).collect();
        expected.sort_by_key(Value::to_string);
        assert_eq!(found, expected, "{sort}");
    }
    assert_eq!(listed(&world, &person, "statuses=4"), [""; 0]);
    let lines = service.borrow().log.lines();
    let mut logged = lines
        .iter()
        .filter(|(_, line)| line["event"] == "record.unreadable");
    assert!(logged.any(|(_, line)| line["ref"] == "01111111-1111-7111-8111-000000000001"));
}

/// A database in which each batch takes one second.
struct Slow(Rc<dyn Database>, Rc<FakeClock>);

#[async_trait(?Send)]
impl Database for Slow {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.1.advance(1_000);
        self.0.batch(statements).await
    }
}

#[test]
fn each_record_of_a_sweep_has_its_own_time() {
    let service = Service::new(SETTINGS).queueing();
    let clock = Rc::clone(&service.clock);
    let service = service
        .with_ports(|ports| ports.database = Rc::new(Slow(Rc::clone(&ports.database), clock)));
    let (queue, database) = (Rc::clone(&service.queue), Rc::clone(&service.database));
    let world = World::on(Box::new(service));
    let person = world.funded();
    let orders: Vec<Value> = (1..=20)
        .map(|value| pending(&world, &person, &value.to_string()))
        .collect();
    queue.lose();
    // The last order expires while the sweep runs.
    let soon = world.host.now() / 1000 * 1000 + 30_000;
    let last = orders[19]["ref"].as_str().unwrap();
    database
        .execute(&format!(
            "UPDATE records SET expires_at = {soon}, priority = 1 WHERE ref = '{last}'"
        ))
        .expect("less time");
    world.host.settle();
    let after: Vec<Value> = orders
        .iter()
        .map(|order| world.call(person.get(target(order))).data())
        .collect();
    let times: std::collections::BTreeSet<String> = after
        .iter()
        .map(|order| order["updatedAt"].to_string())
        .collect();
    assert_eq!(times.len(), 20, "{times:?}");
    assert_eq!(after[0]["status"], 7);
    assert_eq!(
        (&after[19]["status"], &after[19]["error"]["code"]),
        (&json!(4), &json!(422_900))
    );
    assert!(world.host.now() > START);
}

/// Returns settings under which no operation costs anything.
fn free() -> Vec<(&'static str, &'static str)> {
    let costs = [
        "COST_ASSET_CREATE",
        "COST_ASSET_TRANSFER",
        "COST_VALUE_TRANSFER",
        "COST_ASSET_UPDATE",
        "COST_SET_ABILITIES",
        "COST_ASSET_DESTROY",
        "COST_ASSET_DEPLOY",
        "COST_ASSET_APPROVE",
        "COST_DAPP_VALUE_APPROVE",
    ];
    let mut settings = SETTINGS.to_vec();
    settings.extend(costs.map(|name| (name, "0")));
    settings
}

/// Processes an order after the payer's balance has become too low for the order's last transfer. Returns the order.
fn uncovered(settings: &[(&str, &str)]) -> Value {
    let (world, service) = reachable(settings);
    let (payer, receiver) = (world.funded(), Person::new());
    let give = |to: &Person, value: &str| {
        json!({
            "kind": 3, "ledgerId": world.gateways.token, "senderId": payer.id(), "receiverId": to.id(), "value": value,
        })
    };
    let pay = world.payment(&payer, "1000000000000000000");
    let mut body = world.order(&[&payer], json!([give(&receiver, "1"), pay]));
    world.sign(&mut body, &[&payer]);
    let order = world.call(payer.post("/orders", &body)).data();
    let service = service.borrow();
    let poor = format!(
        "UPDATE balances SET amount = printf('%064x', 2) WHERE account_id = lower('{}')",
        payer.id()
    );
    service.database.execute(&poor).expect("spent");
    drop(service);
    world.host.settle();
    world.call(payer.get(target(&order))).data()
}

#[test]
fn an_uncovered_transfer_fails_but_an_uncovered_payment_suspends_the_order() {
    let order = uncovered(SETTINGS);
    assert_eq!(
        (&order["status"], &order["error"]["code"]),
        (&json!(5), &json!(422_075))
    );
    let order = uncovered(&free());
    assert_eq!(
        (&order["status"], &order["error"]["code"]),
        (&json!(4), &json!(422_075))
    );
}

#[test]
fn an_order_that_waits_for_a_wildcard_again_has_no_error() {
    let (world, service) = reachable(SETTINGS);
    let (owner, taker) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &taker);
    world.lets_ledger_collect(&taker, &ledger);
    let proxy = world.gateways.proxies.safe_transfer_asset;
    let approval = world.operator_approval(&taker, &ledger, proxy, true);
    assert_eq!(world.approved(&taker, &approval)["status"], 7);
    let transfer =
        json!({ "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "receiverId": owner.id() });
    let pay = world.payment(&owner, "1100000000000000000");
    let mut body = world.order(&[&owner], json!([transfer, pay]));
    body["wildcardSigner"] = json!(true);
    world.sign(&mut body, &[&owner]);
    let order = world.call(owner.post("/orders", &body)).data();
    let claim = json!({ "claim": taker.claim(&world.order_hash(&body)) });
    let signed = world.call(taker.put(format!("{}/sign", target(&order)), &claim));
    assert_eq!(signed.data()["status"], 1);
    let execute = |sql: String| {
        let service = service.borrow();
        service.database.execute(&sql).expect("changed");
    };
    let owner_id = owner.id();
    execute(format!(
        "CREATE TEMP TABLE before AS SELECT * FROM balances WHERE account_id = lower('{owner_id}'); \
         UPDATE balances SET amount = printf('%064x', 2) WHERE account_id = lower('{owner_id}')"
    ));
    world.host.settle();
    let waiting = world.call(owner.get(target(&order))).data();
    assert_eq!(
        (&waiting["status"], &waiting["error"]["code"]),
        (&json!(5), &json!(422_075))
    );
    // The payment is covered again, but the asset has another owner.
    execute(format!(
        "UPDATE balances SET amount = (SELECT amount FROM before) WHERE account_id = lower('{owner_id}'); \
         UPDATE assets SET owner_id = lower('{owner_id}')"
    ));
    world.host.advance(60_000);
    world.host.settle();
    let open = world.call(owner.get(target(&order))).data();
    assert_eq!(
        (
            &open["status"],
            &open["order"]["wildcardClaim"],
            &open["error"]
        ),
        (&json!(0), &json!(null), &json!(null))
    );
}
