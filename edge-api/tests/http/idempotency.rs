//! A request with an `Idempotency-Key` takes effect once and gets the same answer, even if it is repeated, lost or
//! interrupted.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::faults::{Mortal, Stop, at_every_step};
use crate::support::native::{Service, block_on};
use crate::support::people::{Person, World};
use crate::support::{self, Answer, Call, SETTINGS, in_workerd};

const MINUTE: u64 = 60_000;

fn keyed(call: Call, key: &str) -> Call {
    call.header("idempotency-key", key)
}

fn deposit(person: &Person, amount: u64, key: &str) -> Call {
    keyed(person.post("/deposits", &json!({ "amount": amount })), key)
}

fn replayed(answer: &Answer) -> Option<&str> {
    answer.header("idempotency-replayed")
}

/// Asserts that the second answer replays the first.
#[track_caller]
fn assert_given_again(first: &Answer, second: &Answer) {
    assert_eq!((replayed(first), replayed(second)), (None, Some("true")));
    assert_eq!((second.status, &second.body), (first.status, &first.body));
    assert_eq!(
        second.header("x-request-id"),
        second.json()["id"].as_str(),
        "header and envelope have the same id"
    );
    assert_eq!(second.header("content-type"), first.header("content-type"));
}

/// The tokens of a deposit of 10 EUR.
const TEN_EUR: u128 = 238_095_238_095_238_095_238;

#[test]
fn a_repeated_request_gets_its_answer_and_has_no_effect() {
    let world = World::new();
    let person = world.funded();
    let before = world.balance(&person);
    let first = world.call(deposit(&person, 1000, "a"));
    assert_eq!(first.status, 201);
    for _ in 0..3 {
        assert_given_again(&first, &world.call(deposit(&person, 1000, "a")));
    }
    // A body with the same JSON but other whitespace counts as the same request. So does a path with a slash at its end.
    let call = Call::new("POST", "/deposits/")
        .header("authorization", &person.authorization())
        .raw("application/json", "{ \"amount\" :\n1000 }");
    assert_given_again(&first, &world.call(keyed(call, "a")));
    assert_eq!(world.balance(&person), before + TEN_EUR);
    // The same request with another key, or without a key, takes effect again.
    assert_eq!(world.call(deposit(&person, 1000, "b")).status, 201);
    let plain = world.call(person.post("/deposits", &json!({ "amount": 1000 })));
    assert_eq!((plain.status, replayed(&plain)), (201, None));
    assert_eq!(world.balance(&person), before + 3 * TEN_EUR);
}

#[test]
fn the_answer_to_an_accounts_first_write_is_stored_too() {
    let world = World::new();
    let person = Person::new();
    let first = world.call(deposit(&person, 1000, "first"));
    assert_given_again(&first, &world.call(deposit(&person, 1000, "first")));
    assert_eq!(world.balance(&person), TEN_EUR);
    // Keys of an account are not stored before its first write. Any random signature recovers to an account, so storing keys
    // for all of these accounts would let strangers fill the database.
    let nobody = Person::new();
    for _ in 0..2 {
        let answer = world.call(deposit(&nobody, 1, "first"));
        answer.fails(422, &[422_096]);
        assert_eq!(replayed(&answer), None);
    }
    assert_eq!(world.call(deposit(&nobody, 1000, "first")).status, 201);
    world
        .call(deposit(&nobody, 1, "first"))
        .fails(409, &[409_000]);
}

#[test]
fn refused_requests_are_evaluated_again() {
    let world = World::new();
    let person = world.funded();
    let order = |key: &str| keyed(person.post("/orders", &json!({})), key);
    let first = world.call(order("a"));
    first.fails(422, &[422_009, 422_010]);
    let again = world.call(order("a"));
    again.fails(422, &[422_009, 422_010]);
    assert_eq!(replayed(&again), None);
    // The key is still free for a correct request.
    let mut right = world.order(&[&person], json!([world.payment(&person, "1")]));
    world.sign(&mut right, &[&person]);
    let made = world.call(keyed(person.post("/orders", &right), "a"));
    assert_eq!((made.status, replayed(&made)), (201, None));
    let same = world.call(keyed(person.post("/orders", &right), "a"));
    assert_given_again(&made, &same);
    // A request that fails before its account is known stores nothing.
    let call = Call::new("POST", "/orders").json(&json!({}));
    for _ in 0..2 {
        let answer = world.call(keyed(call.clone(), "a"));
        answer.fails(401, &[400_001]);
        assert_eq!(replayed(&answer), None);
    }
    for _ in 0..2 {
        let call = Call::new("POST", "/orders")
            .header("authorization", &person.authorization())
            .raw("application/json", "{");
        world.call(keyed(call, "a")).fails(400, &[400_100]);
    }
}

#[test]
fn a_key_belongs_to_an_account_a_path_and_a_body() {
    let world = World::new();
    let (one, two) = (world.funded(), world.funded());
    let first = world.call(deposit(&one, 1000, "a"));
    assert_eq!(first.status, 201);
    let other = world.call(deposit(&one, 2000, "a"));
    assert_eq!(
        (other.status, other.errors()),
        (409, vec!["409000 idempotency-key".to_owned()])
    );
    // The refusal has not replaced the stored first answer.
    assert_given_again(&first, &world.call(deposit(&one, 1000, "a")));
    let theirs = world.call(deposit(&two, 2000, "a"));
    assert_eq!((theirs.status, replayed(&theirs)), (201, None));
    world
        .call(keyed(one.post("/orders", &json!({})), "a"))
        .fails(422, &[422_009, 422_010]);
    // Only POST requests use idempotency keys.
    let put = |name: &str| {
        let body = json!({ "firstName": name });
        world.call(keyed(one.put("/account", &body), "a"))
    };
    assert_eq!((put("x").status, put("y").status), (422, 422));
    let list = world.call(keyed(one.get("/orders"), "a"));
    assert_eq!((list.status, replayed(&list)), (200, None));
}

#[test]
fn a_key_is_1_to_255_printable_characters() {
    let world = World::new();
    let person = world.funded();
    let longest = "k".repeat(255);
    for key in ["a b", "~!", longest.as_str()] {
        assert_eq!(world.call(deposit(&person, 1000, key)).status, 201, "{key}");
    }
    let too_long = "k".repeat(256);
    for key in ["", "\u{e9}", "a\tb", too_long.as_str()] {
        // In workerd, only the long key is tested: the runtime may drop an empty header, and may refuse characters that
        // HTTP does not allow.
        if in_workerd() && key != too_long {
            continue;
        }
        let answer = world.call(deposit(&person, 1000, key));
        assert_eq!(
            (answer.status, answer.errors()),
            (422, vec!["422900 idempotency-key".to_owned()]),
            "{key}"
        );
    }
}

#[test]
fn every_creating_route_stores_its_answer() {
    let world = World::new();
    let owner = world.funded();
    let deployment = world.deployment(&owner, &[]);
    let approval = world.value_approval(&owner, Person::new().id(), "1");
    let mut order = world.order(&[&owner], json!([world.payment(&owner, "1")]));
    world.sign(&mut order, &[&owner]);
    for (path, body) in [
        ("/deployments", deployment),
        ("/approvals", approval),
        ("/orders", order),
    ] {
        let first = world.call(keyed(owner.post(path, &body), "k"));
        assert_eq!(first.status, 201, "{path}");
        world.host.settle();
        // The repeated request gets the stored first answer.
        let second = world.call(keyed(owner.post(path, &body), "k"));
        assert_given_again(&first, &second);
        assert_eq!(second.data()["status"], 7, "{path}");
        let now = world.call(keyed(owner.post(path, &body), "other"));
        assert_eq!(
            (now.status, &now.data()["status"]),
            (200, &json!(7)),
            "{path}"
        );
    }
}

#[test]
fn concurrent_requests_with_one_key_have_one_effect() {
    let world = World::new();
    for person in [world.funded(), Person::new()] {
        let before = world.balance(&person);
        let calls = (0..8).map(|_| deposit(&person, 1000, "a")).collect();
        let answers = world.host.call_all(calls);
        let done: Vec<&Answer> = answers
            .iter()
            .filter(|answer| answer.status == 201)
            .collect();
        assert!(!done.is_empty());
        assert!(done.iter().all(|answer| answer.body == done[0].body));
        for answer in answers.iter().filter(|answer| answer.status != 201) {
            answer.fails(409, &[409_000]);
        }
        assert_eq!(world.balance(&person), before + TEN_EUR);
        assert_eq!(world.call(deposit(&person, 1000, "a")).body, done[0].body);
    }
}

#[test]
fn a_stored_answer_is_replayed_for_a_day() {
    let world = World::on(support::own(SETTINGS));
    let person = world.funded();
    let first = world.call(deposit(&person, 1000, "a"));
    world.host.advance(24 * 60 * MINUTE - MINUTE);
    world.host.settle();
    assert_given_again(&first, &world.call(deposit(&person, 1000, "a")));
    world.host.advance(2 * MINUTE);
    // An expired answer is not replayed, whether or not a sweep has deleted it.
    let second = world.call(deposit(&person, 2000, "a"));
    assert_eq!((second.status, replayed(&second)), (201, None));
    world.host.advance(24 * 60 * MINUTE + MINUTE);
    world.host.settle();
    assert_eq!(world.call(deposit(&person, 1000, "a")).status, 201);
}

#[test]
fn missing_identification_leaves_the_key_free() {
    let strict = [SETTINGS, &[("REQUIRE_IDENTIFICATION", "true")]].concat();
    let world = World::on(support::shared(&strict));
    let person = Person::new();
    let unknown = world.call(deposit(&person, 1000, "a"));
    unknown.fails(403, &[400_014]);
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    });
    world.call(person.put("/account", &information)).data();
    let first = world.call(deposit(&person, 1000, "a"));
    assert_eq!(first.status, 201);
    assert_given_again(&first, &world.call(deposit(&person, 1000, "a")));
}

/// A service whose database can fail, with a funded account.
struct Scene {
    service: Rc<Service>,
    mortal: Rc<Mortal>,
    person: Person,
}

impl Scene {
    fn new() -> Self {
        let mut mortal = None;
        let service = Rc::new(Service::with_database(SETTINGS, |inner| {
            let wrapped = Rc::new(Mortal::new(inner));
            mortal = Some(Rc::clone(&wrapped));
            wrapped
        }));
        let scene = Self {
            service,
            mortal: mortal.expect("wrapped"),
            person: Person::new(),
        };
        assert_eq!(
            scene.call(&deposit(&scene.person, 1000, "before")).status,
            201
        );
        scene
    }

    fn call(&self, call: &Call) -> Answer {
        use crate::support::Host;
        self.service.as_ref().call(call.clone())
    }

    fn balance(&self) -> Value {
        self.call(&self.person.get("/account")).data()["balance"].clone()
    }

    /// Sends a request that is stopped at a round trip. Returns false if the request ends before the stop.
    fn dies(&self, call: &Call, stop: Stop) -> bool {
        self.mortal.stops(stop, self.service.answer(call))
    }
}

#[test]
fn a_request_takes_effect_once_after_a_stop_at_any_step() {
    let stops = at_every_step(64, |stop| {
        let scene = Scene::new();
        let call = deposit(&scene.person, 1000, "a");
        if !scene.dies(&call, stop) {
            return false;
        }
        // The client retries immediately, and again after the lease has expired.
        let soon = scene.call(&call);
        assert!([201, 409].contains(&soon.status), "{stop:?}");
        scene.service.clock.advance(MINUTE);
        let later = scene.call(&call);
        assert_eq!(later.status, 201, "{stop:?}");
        if soon.status == 201 {
            assert_eq!(soon.body, later.body, "{stop:?}");
        }
        assert_given_again_or_first(&later, &scene.call(&call));
        assert_eq!(
            scene.balance(),
            json!((2 * TEN_EUR).to_string()),
            "{stop:?}"
        );
        true
    });
    // Each database round trip causes two stops: before and after it. The trials must reach at least three round trips.
    assert!(stops >= 6, "{stops}");
}

#[track_caller]
fn assert_given_again_or_first(first: &Answer, second: &Answer) {
    assert_eq!(
        (second.status, &second.body, replayed(second)),
        (first.status, &first.body, Some("true"))
    );
}

#[test]
fn a_request_beyond_its_lease_writes_nothing() {
    let scene = Scene::new();
    let call = deposit(&scene.person, 1000, "a");
    // The first request takes its lease, and then pauses for longer than the lease lasts.
    let mut slow = Box::pin(scene.service.answer(&call));
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    let taken = Statement::new("SELECT 1 FROM idempotency_keys WHERE key = 'a'");
    while scene
        .service
        .database
        .run(std::slice::from_ref(&taken))
        .expect("rows")[0]
        .is_empty()
    {
        assert!(slow.as_mut().poll(&mut context).is_pending());
    }
    scene.call(&call).fails(409, &[409_000]);
    scene.service.clock.advance(MINUTE);
    let second = scene.call(&call);
    assert_eq!(second.status, 201);
    let late = block_on(slow);
    assert_eq!(late.response.status.as_u16(), 409);
    assert_eq!(scene.balance(), json!((2 * TEN_EUR).to_string()));
    assert_given_again_or_first(&second, &scene.call(&call));
}

#[test]
fn an_internal_error_frees_the_key() {
    use crate::support::Host;
    let service = Service::new(SETTINGS);
    let person = Person::new();
    assert_eq!(service.call(deposit(&person, 1000, "before")).status, 201);
    let rename = |from: &str, to: &str| {
        service
            .database
            .execute(&format!("ALTER TABLE {from} RENAME TO {to}"))
            .expect("a renamed table");
    };
    rename("balances", "elsewhere");
    service
        .call(deposit(&person, 1000, "a"))
        .fails(503, &[503_001]);
    rename("elsewhere", "balances");
    let answer = service.call(deposit(&person, 1000, "a"));
    assert_eq!((answer.status, replayed(&answer)), (201, None));
}

#[test]
fn creating_an_order_with_a_key_takes_three_round_trips() {
    let service = Rc::new(RefCell::new(Service::new(SETTINGS)));
    let world = World::on(Box::new(Rc::clone(&service)));
    let owner = world.funded();
    // Counts only the round trips before the answer, because clients do not wait for later round trips.
    let trips = |call: Call| {
        let service = service.borrow();
        let before = service.database.round_trips();
        let answer = block_on(service.answer(&call));
        let status = answer.response.status.as_u16();
        (status, service.database.round_trips() - before)
    };
    let mut order = world.order(&[&owner], json!([world.payment(&owner, "1")]));
    world.sign(&mut order, &[&owner]);
    // Reading the clock of a development instance costs one more round trip.
    let order = |key: &str| keyed(owner.post("/orders", &order), key);
    assert_eq!(trips(order("a")), (201, 3 + 1));
    assert_eq!(trips(order("a")), (201, 1 + 1));
    assert_eq!(
        trips(keyed(owner.post("/orders", &json!({})), "b")),
        (422, 2 + 1)
    );
}
