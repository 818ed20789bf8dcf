//! Open orders: how long they stay open, how many bytes they take, and what remains after a cancellation.

use std::rc::Rc;

use edge_api::native::Sqlite;
use edge_api::ports::Statement;
use serde_json::{Value, json};

use super::{listed, payment, reachable, target};
use crate::support::people::{IMPRINT, Person, World};
use crate::support::{self, SETTINGS};

const DAY: u64 = 86_400_000;
/// 9999-12-31T23:59:59.999Z.
const LAST: u64 = 253_402_300_799_999;

/// Returns an order of a hundred actions that lacks only the wildcard signer's claim. Even an account without tokens can create it.
fn giant(world: &World, ledger: &Value, receiver: &Person) -> Value {
    let create = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "0x".to_owned() + &"f".repeat(64), "assetImprint": IMPRINT,
        "receiverId": receiver.id(),
    });
    let mut actions = vec![create; 99];
    for (index, action) in actions.iter_mut().enumerate() {
        action["assetId"] = json!(format!("0x{}{index:02x}", "f".repeat(62)));
    }
    actions.push(json!({
        "kind": 3, "ledgerId": world.gateways.token, "receiverId": world.gateways.payment_receiver,
        "value": "297000000000000000000",
    }));
    let mut body = world.order(&[], Value::Array(actions));
    body["wildcardSigner"] = json!(true);
    body["order"]["expiration"] = json!(LAST);
    body
}

#[test]
fn an_open_order_lapses_after_thirty_days_and_frees_its_bytes() {
    let world = World::on(support::own(SETTINGS));
    let (owner, unfunded) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let body = giant(&world, &ledger, &unfunded);
    let made = world.call(unfunded.post("/orders", &body));
    assert_eq!(made.status, 201, "{:?}", made.errors());
    let order = made.data();
    assert_eq!(order["order"]["actions"].as_array().unwrap().len(), 100);
    world.host.advance(30 * DAY - 60_000);
    world.host.settle();
    assert_eq!(world.call(unfunded.get(target(&order))).data(), order);
    world.host.advance(120_000);
    world.host.settle();
    let lapsed = world.call(unfunded.get(target(&order))).data();
    assert_eq!(lapsed["status"], 6);
    assert_eq!(
        (&lapsed["hash"], &lapsed["order"]["actions"]),
        (&order["hash"], &json!([]))
    );
    for field in ["seed", "expiration", "signers", "wildcardClaim"] {
        assert_eq!(lapsed["order"][field], order["order"][field], "{field}");
    }
    assert_eq!(
        listed(&world, &unfunded, "statuses=6"),
        [order["ref"].as_str().unwrap()]
    );
    // The hash stays reserved, for the sender and for all other accounts.
    let again = world.call(unfunded.post("/orders", &body));
    assert_eq!((again.status, &again.data()["status"]), (200, &json!(6)));
    world
        .call(Person::new().post("/orders", &body))
        .fails(409, &[409_001]);
}

#[test]
fn a_signature_by_another_funded_account_keeps_an_order_open() {
    let world = World::on(support::own(SETTINGS));
    let (creator, poor, rich) = (Person::new(), Person::new(), world.funded());
    // In each case: the creator, the accounts that have signed, and true if the order stays open. `poor` and `creator` are
    // unfunded, and `rich` is funded.
    let cases = [
        (&creator, vec![&creator], false),
        (&creator, vec![&poor], false),
        (&creator, vec![&rich], true),
        (&rich, vec![&rich], false),
        (&creator, vec![], false),
    ];
    let waiting = Person::new();
    let orders: Vec<(Value, bool)> = cases
        .into_iter()
        .map(|(creator, signers, kept)| {
            let mut listed = signers.clone();
            listed.push(&waiting);
            let mut body = payment(&world, &listed, &rich, "1");
            body["order"]["actions"][0]["senderId"] = json!(waiting.id());
            body["order"]["actions"][0]["value"] = json!("0");
            body["order"]["expiration"] = json!(LAST);
            let later = kept && signers.len() == 1;
            if !later {
                world.sign(&mut body, &signers);
            }
            let made = world.call(creator.post("/orders", &body)).data();
            // The funded account's claim is added later, which must have the same effect as a claim in the sent order.
            if later {
                let claim = json!({ "claim": signers[0].claim(&world.order_hash(&body)) });
                let path = format!("{}/sign", target(&made));
                world.call(signers[0].put(path, &claim)).data();
            }
            (made, kept)
        })
        .collect();
    world.host.advance(31 * DAY);
    world.host.settle();
    for (index, (order, kept)) in orders.iter().enumerate() {
        let order = world.call(waiting.get(target(order))).data();
        assert_eq!(order["status"], if *kept { 0 } else { 6 }, "{index}");
    }
}

#[test]
fn a_canceled_order_keeps_its_hash_but_no_actions_or_claims() {
    let world = World::new();
    let (owner, receiver) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let mut body = world.creation(&owner, &ledger, "1", &receiver);
    body["automatedPerform"] = json!(false);
    let order = world.call(owner.post("/orders", &body)).data();
    let canceled = world.call(owner.delete(target(&order))).data();
    assert_eq!(world.call(owner.get(target(&order))).data(), canceled);
    assert_eq!(
        (&canceled["status"], &canceled["hash"]),
        (&json!(6), &order["hash"])
    );
    assert_eq!(
        canceled["order"]["signers"],
        json!([{ "accountId": owner.id(), "claim": "" }])
    );
    assert_eq!(canceled["order"]["actions"], json!([]));
    let again = world.call(owner.post("/orders", &body));
    assert_eq!((again.status, again.data()), (200, canceled));
}

#[test]
fn an_accounts_open_orders_are_bounded() {
    let (world, service) = reachable(SETTINGS);
    let database = Rc::clone(&service.borrow().database);
    let (owner, creator) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let post =
        |person: &Person| world.call(person.post("/orders", &giant(&world, &ledger, &creator)));
    let elsewhere = world.ledger(&owner, &[]);
    let first = giant(&world, &elsewhere, &creator);
    let first = world.call(creator.post("/orders", &first)).data();
    for _ in 0..9 {
        assert_eq!(post(&creator).status, 201);
    }
    // Checks that the stored total matches the rows in the database.
    let counted = || {
        let wrong = "INSERT INTO guards SELECT 0 FROM records r LEFT JOIN open_orders o USING (creator_id) \
            GROUP BY creator_id HAVING coalesce(o.bytes, 0) <> sum(CASE r.status WHEN 0 THEN length(r.body) ELSE 0 END)";
        database.execute(wrong).expect("a matching total");
    };
    counted();
    let path = target(&first);
    let claim = json!({ "claim": owner.claim(&first["hash"].as_str().unwrap().parse().unwrap()) });
    world.call(owner.put(format!("{path}/sign"), &claim)).data();
    counted();
    world.host.settle();
    counted();
    let own = payment(&world, &[&owner, &creator], &owner, "1");
    let own = world.call(creator.post("/orders", &own)).data();
    counted();
    world.call(owner.delete(target(&own))).data();
    counted();

    // Simulates many more open orders.
    let many = |bytes: &str| {
        database
            .execute(&format!("UPDATE open_orders SET bytes = bytes {bytes}"))
            .expect("an updated total");
    };
    many("+ 33300000");
    post(&creator).fails(429, &[429_001]);
    // Orders of other creators are still accepted, and so are orders that are performed immediately.
    assert_eq!(post(&Person::new()).status, 201);
    let mut body = payment(&world, &[&owner], &owner, "1");
    world.sign(&mut body, &[&owner]);
    assert_eq!(world.call(creator.post("/orders", &body)).status, 201);
    many("- 33300000 WHERE bytes > 33300000");
    assert_eq!(post(&creator).status, 201);

    world.host.advance(30 * DAY + 1000);
    world.host.settle();
    counted();
    // An order of a hundred actions has 40 kB. At most 600 bytes remain after its cancellation.
    let empty = "INSERT INTO guards SELECT 0 FROM records WHERE status = 6 AND length(body) > 600";
    database.execute(empty).expect("the bytes are freed");
}

/// Returns the size of the database in bytes, and the bytes that count against the shared quota of unfunded accounts.
fn sizes(database: &Sqlite) -> [f64; 2] {
    [
        "SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()",
        "SELECT coalesce(sum(used), 0) AS bytes FROM quotas WHERE key = 'unfunded:work'",
    ]
    .map(|sql| {
        let mut answers = database.run(&[Statement::new(sql)]).expect("a size");
        let rows = answers.pop().expect("rows").list;
        rows[0]["bytes"].as_f64().expect("a number")
    })
}

#[test]
fn unfunded_orders_count_their_full_size_and_leave_a_third_at_most() {
    const ORDERS: u32 = 60;
    let many: Vec<Person> = (0..32).map(|_| Person::new()).collect();
    let signers: Vec<&Person> = many.iter().collect();
    for what in ["a hundred actions", "32 signers", "the smallest"] {
        let (world, service) = reachable(SETTINGS);
        let database = Rc::clone(&service.borrow().database);
        let owner = world.funded();
        let ledger = world.ledger(&owner, &[]);
        let [before, counted_before] = sizes(&database);
        for _ in 0..ORDERS {
            let creator = Person::new();
            let body = match what {
                "a hundred actions" => giant(&world, &ledger, &creator),
                "32 signers" => payment(&world, &signers, &many[0], "0"),
                _ => {
                    let mut body = payment(&world, &[&creator], &creator, "0");
                    body["wildcardSigner"] = json!(true);
                    body
                }
            };
            assert_eq!(
                world.call(creator.post("/orders", &body)).status,
                201,
                "{what}"
            );
        }
        let [full, counted] = sizes(&database);
        let (taken, counted) = (full - before, counted - counted_before);
        assert!(taken <= counted, "{what}: {taken} bytes, {counted} counted");
        world.host.advance(31 * DAY);
        world.host.settle();
        database.execute("VACUUM").expect("a vacuumed database");
        let left = sizes(&database)[0] - before;
        // The hash and the signers' accounts stay in the database.
        assert!(left * 3.0 <= counted, "{what}: {left} bytes of {counted}");
    }
}
