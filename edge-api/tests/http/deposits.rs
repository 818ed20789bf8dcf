//! Test deposits: the tokens arrive immediately, and their number follows exactly from the price.

use serde_json::json;

use crate::support::people::{Person, World};

#[test]
fn a_test_deposit_credits_tokens_at_once() {
    let world = World::new();
    let person = Person::new();
    assert_eq!(
        world.call(person.get("/account")).data()["createdAt"],
        json!(null)
    );
    let answer = world.call(person.post("/deposits", &json!({ "amount": 1000 })));
    assert_eq!(answer.status, 201);
    let deposit = answer.data();
    // 10 EUR at 0.042 EUR for each token.
    assert_eq!(deposit["tokens"], "238095238095238095238");
    assert_eq!(
        (&deposit["amount"], &deposit["currency"], &deposit["status"]),
        (&json!(1000), &json!("eur"), &json!("succeeded"))
    );
    assert_eq!(
        (&deposit["livemode"], &deposit["clientSecret"]),
        (&json!(false), &json!(null))
    );
    let account = world.call(person.get("/account")).data();
    assert_eq!(account["balance"], "238095238095238095238");
    assert!(account["createdAt"].is_string());
}

#[test]
fn amounts_are_whole_cents_within_bounds() {
    let world = World::new();
    let person = Person::new();
    for (amount, code) in [
        (json!(null), 422_095),
        (json!("1000"), 422_095),
        (json!(1000.5), 422_095),
        (json!({}), 422_095),
        (json!(true), 422_095),
        (json!(1e300), 422_095),
        (json!(-1), 422_096),
        (json!(0), 422_096),
        (json!(999), 422_096),
        (json!(100_000_000), 422_900),
    ] {
        let answer = world.call(person.post("/deposits", &json!({ "amount": amount })));
        assert_eq!(answer.errors(), [format!("{code} amount")], "{amount}");
        assert_eq!(answer.status, 422);
    }
    world
        .call(person.post("/deposits", &json!({})))
        .fails(422, &[422_095]);
    assert_eq!(world.balance(&person), 0);
    assert_eq!(
        world
            .call(person.post("/deposits", &json!({ "amount": 1000.0 })))
            .status,
        201
    );
}

#[test]
fn deposits_are_listed_only_for_their_account() {
    let world = World::new();
    let (person, other) = (Person::new(), Person::new());
    assert_eq!(world.call(person.get("/deposits")).data(), json!([]));
    let made: Vec<_> = [1000, 2000, 3000]
        .into_iter()
        .map(|amount| {
            world
                .call(person.post("/deposits", &json!({ "amount": amount })))
                .data()
        })
        .collect();
    let reference = |index: usize| made[index]["ref"].as_str().unwrap();
    for deposit in &made {
        let path = format!("/deposits/{}", deposit["ref"].as_str().unwrap());
        assert_eq!(&world.call(person.get(path.as_str())).data(), deposit);
        world.call(other.get(path)).fails(400, &[400_104]);
    }
    assert_eq!(world.call(other.get("/deposits")).meta()["total"], 0);
    let mut expected = made.clone();
    expected.sort_by_key(|deposit| deposit["ref"].to_string());
    let list = |query: &str| {
        world
            .call(person.get(format!("/deposits?sort=1{query}")))
            .data()
    };
    assert_eq!(list(""), json!(expected));
    assert_eq!(
        list(&format!("&filterIds={},none", reference(1))),
        json!([made[1]])
    );
    let first = world.call(person.get("/deposits?sort=1&limit=1")).meta();
    let next = first["next"].as_str().expect("a cursor");
    assert_eq!(
        list(&format!("&limit=1&after={next}")),
        json!([expected[1]])
    );
    for reference in ["none", "stripe", "'", "%00"] {
        world
            .call(person.get(format!("/deposits/{reference}")))
            .fails(400, &[400_104]);
    }
    let wrong = world.call(person.get("/deposits?sort=3&limit=x"));
    assert_eq!(wrong.errors(), ["400101 limit", "400101 sort"]);
}

#[test]
fn payment_events_are_refused_without_a_provider() {
    let world = World::new();
    let call = crate::support::Call::new("POST", "/deposits/stripe").raw("application/json", "{}");
    world.call(call).fails(400, &[400_103]);
}

#[test]
fn concurrent_deposits_are_all_credited() {
    let world = World::new();
    let person = Person::new();
    let calls = (0..20)
        .map(|_| person.post("/deposits", &json!({ "amount": 4200 })))
        .collect();
    assert!(
        world
            .host
            .call_all(calls)
            .iter()
            .all(|answer| answer.status == 201)
    );
    assert_eq!(world.balance(&person), 20 * 1000 * 10_u128.pow(18));
}
