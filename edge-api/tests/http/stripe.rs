//! Deposits through Stripe: paid ones are credited exactly once, whatever is repeated, reordered, forged or cut off.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::faults::{Meddled, Mortal, Stop};
use crate::support::native::Service;
use crate::support::outside::{self, attach, borrowed, native_vars};
use crate::support::people::{Person, World};
use crate::support::stripe::{
    FakeStripe, SECRET_KEY, Trouble, WEBHOOK_SECRET, canceled, deposit, dispute, event, failed,
    refunded, settings, signature, succeeded, tell, told,
};
use crate::support::workerd::Server;
use crate::support::{Call, Host, in_workerd};

/// 42 EUR are a thousand tokens.
const CENTS: u64 = 4200;
const TOKENS: u128 = 1000 * 10_u128.pow(18);

struct Scene {
    world: World,
    stripe: FakeStripe,
    person: Person,
}

fn scene() -> Scene {
    let stripe = FakeStripe::default();
    let world = World::on(outside::own(&settings(), stripe.handler()));
    Scene {
        world,
        stripe,
        person: Person::new(),
    }
}

impl Scene {
    /// A deposit of 42 EUR that waits for its payer, and its payment.
    fn pending(&self) -> (Value, Value) {
        let made = deposit(&*self.world.host, &self.person, CENTS).data();
        let intent = self.stripe.intent(&made);
        (made, intent)
    }

    fn tell(&self, event: &Value) {
        tell(&*self.world.host, event);
    }

    fn balance(&self) -> u128 {
        self.world.balance(&self.person)
    }

    /// Status and reclaimed cents of a deposit.
    fn state(&self, made: &Value) -> (String, u64) {
        let path = format!("/deposits/{}", made["ref"].as_str().unwrap());
        let now = self.world.call(self.person.get(path)).data();
        (
            now["status"].as_str().unwrap().to_owned(),
            now["reclaimed"].as_u64().unwrap(),
        )
    }
}

#[test]
fn a_deposit_is_a_payment_intent() {
    let scene = scene();
    let (made, intent) = scene.pending();
    assert_eq!(
        (&made["status"], &made["tokens"]),
        (&json!("pending"), &json!(TOKENS.to_string()))
    );
    assert_eq!(
        (&made["livemode"], &made["amount"]),
        (&json!(false), &json!(CENTS))
    );
    assert_eq!(made["clientSecret"], intent["client_secret"]);
    let requests = scene.stripe.requests();
    assert_eq!(requests.len(), 1);
    let body = String::from_utf8(requests[0].body.clone()).unwrap();
    let account = scene.person.id().to_string().to_lowercase();
    let reference = made["ref"].as_str().unwrap();
    assert_eq!(
        body,
        format!(
            "amount=4200&currency=eur&payment_method_types%5B%5D=card&metadata%5Bdeposit%5D={reference}\
             &metadata%5Baccount%5D={account}"
        )
    );
    assert_eq!(requests[0].header("idempotency-key"), Some(reference));
    assert_eq!(requests[0].header("stripe-version"), Some("2024-06-20"));
    assert_eq!(scene.balance(), 0);
    let path = format!("/deposits/{reference}");
    assert_eq!(
        scene.world.call(scene.person.get(path.as_str())).data(),
        made
    );
    scene
        .world
        .call(Person::new().get(path))
        .fails(400, &[400_104]);
    let health = scene.world.call(Call::get("/health")).data();
    assert!(
        health["weakening"].to_string().contains("sk_test_"),
        "{health}"
    );
}

#[test]
fn a_paid_deposit_is_credited_once() {
    let scene = scene();
    let (made, intent) = scene.pending();
    let paid = succeeded(&intent);
    for _ in 0..3 {
        scene.tell(&paid);
    }
    // Another event of the same payment changes nothing either.
    scene.tell(&succeeded(&intent));
    assert_eq!(scene.balance(), TOKENS);
    let path = format!("/deposits/{}", made["ref"].as_str().unwrap());
    let now = scene.world.call(scene.person.get(path)).data();
    assert_eq!(
        (&now["status"], &now["clientSecret"]),
        (&json!("succeeded"), &json!(null))
    );
    // Tokens that were paid for are good for orders.
    let mut order = scene.world.order(
        &[&scene.person],
        json!([scene.world.payment(&scene.person, "7")]),
    );
    scene.world.sign(&mut order, &[&scene.person]);
    assert_eq!(scene.world.performed(&scene.person, &order)["status"], 7);
}

#[test]
fn events_at_the_same_time_credit_each_deposit_once() {
    let scene = scene();
    let intents: Vec<Value> = (0..4).map(|_| scene.pending().1).collect();
    let calls = (0..24).map(|index| told(&*scene.world.host, &succeeded(&intents[index % 4])));
    let answers = scene.world.host.call_all(calls.collect());
    assert!(
        answers.iter().all(|answer| answer.status == 200),
        "{answers:?}"
    );
    assert_eq!(scene.balance(), 4 * TOKENS);
}

#[test]
fn what_stripe_did_not_sign_is_not_taken_in() {
    let scene = scene();
    let (made, intent) = scene.pending();
    let body = succeeded(&intent).to_string();
    let now = scene.world.host.now() / 1000;
    let good = signature(WEBHOOK_SECRET, now, body.as_bytes());
    let post = |body: &str, signature: Option<&str>| {
        let call = Call::new("POST", "/deposits/stripe").raw("application/json", body);
        match signature {
            Some(signature) => call.header("stripe-signature", signature),
            None => call,
        }
    };
    let other = body.replace("4200", "4300");
    let spaced = format!("{body} ");
    let (old, early) = (
        signature(WEBHOOK_SECRET, now - 400, body.as_bytes()),
        signature(WEBHOOK_SECRET, now + 400, body.as_bytes()),
    );
    let stranger = signature(
        "whsec_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345",
        now,
        body.as_bytes(),
    );
    let key = signature(SECRET_KEY, now, body.as_bytes());
    let older = good.replacen(&format!("t={now}"), &format!("t={}", now - 1), 1);
    for (what, call) in [
        ("no signature", post(&body, None)),
        ("an empty one", post(&body, Some(""))),
        ("another body", post(&other, Some(&good))),
        ("another byte", post(&spaced, Some(&good))),
        ("too old", post(&body, Some(&old))),
        ("too early", post(&body, Some(&early))),
        ("another secret", post(&body, Some(&stranger))),
        ("the wrong key", post(&body, Some(&key))),
        ("another time", post(&body, Some(&older))),
        (
            "an account's authorization",
            post(&body, None).header("authorization", &scene.person.authorization()),
        ),
    ] {
        let answer = scene.world.call(call);
        assert_eq!(
            (answer.status, answer.errors()),
            (400, vec!["400001 stripe-signature".to_owned()]),
            "{what}"
        );
    }
    // What was good is not for ever.
    scene.world.host.advance(400_000);
    scene
        .world
        .call(post(&body, Some(&good)))
        .fails(400, &[400_001]);
    assert_eq!(
        (scene.balance(), scene.state(&made)),
        (0, ("pending".to_owned(), 0))
    );
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(1 << 20));
    scene
        .world
        .call(post(&large, Some(&good)))
        .fails(413, &[413_000]);
}

#[test]
fn what_is_about_another_payment_credits_nothing() {
    let scene = scene();
    let (made, intent) = scene.pending();
    let changed = |changes: &[(&str, Value)]| {
        let mut event = succeeded(&intent);
        for (pointer, value) in changes {
            *event.pointer_mut(pointer).expect("a field") = value.clone();
        }
        event
    };
    let object = "/data/object";
    for (field, value) in [
        ("id", json!("pi_other")),
        ("amount", json!(CENTS + 1)),
        ("amount", json!(CENTS - 1)),
        ("amount_received", json!(CENTS - 1)),
        ("amount_received", json!(0)),
        ("currency", json!("usd")),
        ("currency", json!("EUR")),
    ] {
        scene.tell(&changed(&[(&format!("{object}/{field}"), value.clone())]));
        assert_eq!(scene.balance(), 0, "{field} {value}");
    }
    scene.tell(&changed(&[
        ("/livemode", json!(true)),
        (&format!("{object}/livemode"), json!(true)),
    ]));
    // What cannot be read must come again.
    for (pointer, value) in [
        ("/livemode", json!(true)),
        ("/data/object/livemode", json!(true)),
        ("/data/object/livemode", json!("no")),
        ("/data/object/amount", json!("4200")),
        ("/data/object/amount_received", json!(null)),
        ("/data/object/amount", json!(4200.5)),
        ("/data/object/amount", json!(-4200)),
        ("/data/object/currency", json!(null)),
        ("/data/object/id", json!(7)),
        ("/data", json!([])),
        ("/type", json!(1)),
    ] {
        let call = told(&*scene.world.host, &changed(&[(pointer, value.clone())]));
        scene.world.call(call).fails(400, &[400_100]);
        assert_eq!(scene.balance(), 0, "{pointer} {value}");
    }
    // And what is of no interest need not.
    for kind in [
        "payment_intent.created",
        "payment_intent.processing",
        "charge.succeeded",
        "customer.created",
    ] {
        scene.tell(&event(kind, &intent));
    }
    scene.tell(&event(
        "charge.refunded",
        &json!({ "payment_intent": null, "livemode": false }),
    ));
    assert_eq!(
        (scene.balance(), scene.state(&made)),
        (0, ("pending".to_owned(), 0))
    );
    scene.tell(&succeeded(&intent));
    assert_eq!(scene.balance(), TOKENS);
}

#[test]
fn a_payment_that_fails_may_still_succeed() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.tell(&failed(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (0, "failed")
    );
    scene.tell(&succeeded(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (TOKENS, "succeeded")
    );
    scene.tell(&failed(&intent));
    scene.tell(&canceled(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (TOKENS, "succeeded")
    );
    let (given_up, intent) = scene.pending();
    scene.tell(&canceled(&intent));
    scene.tell(&failed(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&given_up).0.as_str()),
        (TOKENS, "canceled")
    );
}

/// Every order of the events of a life ends the same.
#[test]
fn events_in_any_order_end_the_same() {
    let scene = scene();
    let mut expected = 0;
    let mut orders = Vec::new();
    permute(&mut vec![0, 1, 2, 3, 4], 5, &mut orders);
    // A server behind a socket gets a selection.
    let step = if in_workerd() { 17 } else { 1 };
    for order in orders.iter().step_by(step) {
        let (made, intent) = scene.pending();
        let events = [
            failed(&intent),
            succeeded(&intent),
            refunded(&intent, 420),
            refunded(&intent, 840),
            dispute(
                &intent,
                "created",
                &format!("dp_{}", intent["id"]),
                840,
                "needs_response",
            ),
        ];
        for index in order {
            scene.tell(&events[*index]);
        }
        assert_eq!(
            scene.state(&made),
            ("succeeded".to_owned(), 1680),
            "{order:?}"
        );
        expected += TOKENS / 10 * 6;
        assert_eq!(scene.balance(), expected, "{order:?}");
    }
}

fn permute(items: &mut Vec<usize>, count: usize, found: &mut Vec<Vec<usize>>) {
    if count == 1 {
        found.push(items.clone());
        return;
    }
    for index in 0..count {
        permute(items, count - 1, found);
        items.swap(if count.is_multiple_of(2) { index } else { 0 }, count - 1);
    }
}

#[test]
fn refunds_are_debited_once_and_down_to_zero() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.tell(&succeeded(&intent));
    for _ in 0..3 {
        scene.tell(&refunded(&intent, 2100));
    }
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS / 2, 2100));
    // Spent in the meantime: there is less than was paid for.
    let spent = scene
        .world
        .payment(&scene.person, &(TOKENS / 4).to_string());
    let mut order = scene.world.order(&[&scene.person], json!([spent]));
    scene.world.sign(&mut order, &[&scene.person]);
    assert_eq!(scene.world.performed(&scene.person, &order)["status"], 7);
    scene.tell(&refunded(&intent, CENTS));
    scene.tell(&refunded(&intent, 2100));
    assert_eq!((scene.balance(), scene.state(&made).1), (0, CENTS));
    // Nothing is owed from then on.
    let (_, intent) = scene.pending();
    scene.tell(&succeeded(&intent));
    assert_eq!(scene.balance(), TOKENS);
}

#[test]
fn disputes_take_back_and_give_back_what_was_taken() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.tell(&succeeded(&intent));
    let id = format!("dp_{}", intent["id"].as_str().unwrap());
    let step = |step: &str, status: &str| scene.tell(&dispute(&intent, step, &id, CENTS, status));
    step("created", "warning_needs_response");
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS, 0));
    let spent = scene
        .world
        .payment(&scene.person, &(TOKENS / 4).to_string());
    let mut order = scene.world.order(&[&scene.person], json!([spent]));
    scene.world.sign(&mut order, &[&scene.person]);
    assert_eq!(scene.world.performed(&scene.person, &order)["status"], 7);
    step("created", "needs_response");
    step("updated", "under_review");
    step("created", "warning_needs_response");
    assert_eq!((scene.balance(), scene.state(&made).1), (0, CENTS));
    step("closed", "won");
    step("funds_reinstated", "won");
    // What had been spent is not given twice.
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS / 4 * 3, 0));
    step("updated", "under_review");
    step("closed", "lost");
    assert_eq!((scene.balance(), scene.state(&made).1), (TOKENS / 4 * 3, 0));
    // A dispute and a refund of the same money count once.
    let (made, intent) = scene.pending();
    scene.tell(&succeeded(&intent));
    scene.tell(&refunded(&intent, CENTS));
    scene.tell(&dispute(
        &intent,
        "closed",
        &format!("{id}_2"),
        CENTS,
        "lost",
    ));
    assert_eq!(
        (scene.balance(), scene.state(&made).1),
        (TOKENS / 4 * 3, CENTS)
    );
}

#[test]
fn what_stripe_answers_wrongly_is_no_deposit() {
    let scene = scene();
    let wrong = |field, value| Trouble::Other(field, value);
    let answer = |status, body: &str| Trouble::Answer(Some((status, body.to_owned())));
    let declined =
        json!({ "error": { "type": "invalid_request_error", "code": "amount_too_large" } })
            .to_string();
    let cases: Vec<(Vec<Trouble>, usize)> = vec![
        (vec![Trouble::Answer(None), Trouble::Answer(None)], 2),
        (vec![answer(500, ""), answer(503, "")], 2),
        (vec![answer(400, &declined)], 1),
        (vec![answer(401, "{}")], 1),
        (vec![answer(302, "{}")], 1),
        (vec![answer(200, "{}")], 1),
        (vec![answer(200, "nothing")], 1),
        (
            vec![
                answer(200, &format!("{{}}{}", " ".repeat(300_000))),
                answer(500, ""),
            ],
            2,
        ),
        (vec![wrong("amount", json!(CENTS + 1))], 1),
        (vec![wrong("currency", json!("usd"))], 1),
        (vec![wrong("livemode", json!(true))], 1),
        (vec![wrong("client_secret", json!(null))], 1),
        (vec![wrong("id", json!("ch_1"))], 1),
    ];
    let mut asked = 0;
    for (troubles, requests) in &cases {
        scene.stripe.trouble(troubles);
        let answer = deposit(&*scene.world.host, &scene.person, CENTS);
        answer.fails(500, &[500_000]);
        assert!(!String::from_utf8_lossy(&answer.body).contains("amount_too_large"));
        asked += requests;
        assert_eq!(scene.stripe.requests().len(), asked, "{troubles:?}");
    }
    let list = scene.world.call(scene.person.get("/deposits")).data();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), cases.len());
    assert!(
        list.iter()
            .all(|made| made["status"] == "failed" && made["clientSecret"].is_null()),
        "{list:?}"
    );
    // Nobody has what it takes to pay them; and a payment that is not stored credits nothing.
    for intent in scene.stripe.intents() {
        scene.tell(&succeeded(&intent));
    }
    assert_eq!(scene.balance(), 0);
}

#[test]
fn a_try_that_was_lost_is_repeated_with_the_same_key() {
    let scene = scene();
    for trouble in [
        Trouble::Lost,
        Trouble::Answer(Some((500, String::new()))),
        Trouble::Answer(Some((409, String::new()))),
    ] {
        let before = (scene.stripe.requests().len(), scene.stripe.intents().len());
        scene.stripe.trouble(std::slice::from_ref(&trouble));
        let made = deposit(&*scene.world.host, &scene.person, CENTS).data();
        let requests = scene.stripe.requests();
        assert_eq!(
            (requests.len(), scene.stripe.intents().len()),
            (before.0 + 2, before.1 + 1),
            "{trouble:?}"
        );
        let key = |index: usize| requests[index].header("idempotency-key").map(str::to_owned);
        assert_eq!(
            (key(before.0), key(before.0 + 1)),
            (key(before.0 + 1), made["ref"].as_str().map(str::to_owned))
        );
    }
}

#[test]
fn amounts_are_checked_before_stripe_is_asked() {
    let scene = scene();
    for (amount, code) in [
        (json!(999), 422_096),
        (json!("1000"), 422_095),
        (json!(100_000_000), 422_900),
        (json!(null), 422_095),
    ] {
        scene
            .world
            .call(scene.person.post("/deposits", &json!({ "amount": amount })))
            .fails(422, &[code]);
    }
    scene
        .world
        .call(Call::new("POST", "/deposits").json(&json!({ "amount": 1000 })))
        .fails(401, &[400_001]);
    assert!(scene.stripe.requests().is_empty());
}

/// A service in this process, its database, and what it says.
fn inside(
    vars: &[(&str, &str)],
    wrap: impl FnOnce(Rc<dyn edge_api::ports::Database>) -> Rc<dyn edge_api::ports::Database>,
) -> (Rc<RefCell<Service>>, Scene) {
    let service = Service::with_database(&borrowed(&native_vars(vars)), wrap);
    let stripe = FakeStripe::default();
    attach(&service, stripe.handler());
    let service = Rc::new(RefCell::new(service));
    let world = World::on(Box::new(Rc::clone(&service)));
    (
        service,
        Scene {
            world,
            stripe,
            person: Person::new(),
        },
    )
}

#[test]
fn secrets_are_in_no_log_and_no_answer() {
    let (service, scene) = inside(&settings(), |database| database);
    let (made, intent) = scene.pending();
    scene.tell(&succeeded(&intent));
    scene.stripe.trouble(&[Trouble::Answer(Some((
        401,
        json!({ "error": { "code": SECRET_KEY } }).to_string(),
    )))]);
    deposit(&*scene.world.host, &scene.person, CENTS).fails(500, &[500_000]);
    scene.stripe.trouble(&[Trouble::Answer(Some((
        200,
        json!({ "client_secret": SECRET_KEY }).to_string(),
    )))]);
    deposit(&*scene.world.host, &scene.person, CENTS).fails(500, &[500_000]);
    let mut said = format!("{:?}", service.borrow().log.lines());
    assert!(
        said.contains("stripe.failed") && said.contains("deposit.changed"),
        "{said}"
    );
    for target in ["/health", "/requests", "/deposits", "/account"] {
        said += &scene
            .world
            .call(scene.person.get(target))
            .json()
            .to_string();
    }
    for secret in [
        SECRET_KEY,
        WEBHOOK_SECRET,
        made["clientSecret"].as_str().unwrap(),
    ] {
        assert!(!said.contains(secret), "{secret} in {said}");
    }
}

#[test]
fn an_instance_that_gave_tokens_for_nothing_takes_no_money() {
    let credited = |source: &str| {
        format!(
            "INSERT INTO deposits (ref, account_id, amount, tokens, price, source, status, livemode, taken, created_at, updated_at) \
             VALUES ('x', '0x', 1000, printf('%064d', 1), '0.042', '{source}', 'succeeded', 0, printf('%064d', 0), 0, 0)"
        )
    };
    let live: Vec<_> = settings()
        .into_iter()
        .map(|(name, value)| {
            (
                name,
                if name == "STRIPE_SECRET_KEY" {
                    "sk_live_51Habcdefghijkl"
                } else {
                    value
                },
            )
        })
        .collect();
    for (what, vars, source, refused) in [
        ("tests, then test mode", settings(), "test", true),
        ("tests, then money", live.clone(), "test", true),
        ("test mode, then money", live, "stripe", true),
        ("test mode goes on", settings(), "stripe", false),
    ] {
        let (service, scene) = inside(&vars, |database| database);
        service
            .borrow()
            .database
            .execute(&credited(source))
            .unwrap();
        let answer = deposit(&*scene.world.host, &scene.person, CENTS);
        if refused {
            answer.fails(400, &[400_103]);
            let message = answer.json()["errors"][0]["message"].to_string();
            assert!(message.contains("test deposits"), "{what}: {message}");
        } else {
            assert_eq!(answer.status, 201, "{what}");
        }
        assert_eq!(
            scene.stripe.requests().len(),
            usize::from(!refused),
            "{what}"
        );
    }
}

/// Stops the service right before and right after every round trip of taking in an event, restarts it, and tells the
/// event again, as Stripe does until it is answered.
#[test]
fn stopped_between_any_two_steps_a_payment_is_credited_once() {
    let kinds: [fn(&Value) -> Value; 2] = [succeeded, |intent| refunded(intent, CENTS / 2)];
    for (kind, expected) in kinds.into_iter().zip([TOKENS, TOKENS / 2]) {
        let mut stops = 0;
        for number in 0..16 {
            let mut survived = true;
            for stop in [Stop::Before(number), Stop::After(number)] {
                let mut mortal = None;
                let (service, scene) = inside(&settings(), |inner| {
                    let wrapped = Rc::new(Mortal::new(inner));
                    mortal = Some(Rc::clone(&wrapped));
                    wrapped
                });
                let mortal = mortal.unwrap();
                let (made, intent) = scene.pending();
                if expected != TOKENS {
                    scene.tell(&succeeded(&intent));
                }
                let event = kind(&intent);
                let call = told(&*scene.world.host, &event);
                mortal.arm(Some(stop));
                let held = service.borrow();
                let ended = mortal.run(async {
                    let answer = held.answer(&call).await;
                    held.app().after(answer.after).await;
                });
                drop(held);
                mortal.arm(None);
                survived &= ended.is_some();
                stops += usize::from(ended.is_none());
                service.borrow_mut().restart();
                scene.tell(&event);
                scene.tell(&event);
                assert_eq!(
                    (scene.balance(), scene.state(&made).0.as_str()),
                    (expected, "succeeded"),
                    "{stop:?}"
                );
            }
            if survived {
                break;
            }
        }
        assert!(
            stops >= 6,
            "only {stops} stops: the loop does not reach the steps it is for"
        );
    }
}

/// The same for asking for a payment: whatever is left behind can be paid once or not at all.
#[test]
fn stopped_between_any_two_steps_a_payment_is_known_or_cannot_be_paid() {
    let mut stops = 0;
    for number in 0..16 {
        let mut survived = true;
        for stop in [Stop::Before(number), Stop::After(number)] {
            let mut mortal = None;
            let (service, scene) = inside(&settings(), |inner| {
                let wrapped = Rc::new(Mortal::new(inner));
                mortal = Some(Rc::clone(&wrapped));
                wrapped
            });
            let mortal = mortal.unwrap();
            let call = scene.person.post("/deposits", &json!({ "amount": CENTS }));
            mortal.arm(Some(stop));
            let held = service.borrow();
            let ended = mortal.run(async {
                let answer = held.answer(&call).await;
                held.app().after(answer.after).await;
            });
            drop(held);
            mortal.arm(None);
            survived &= ended.is_some();
            stops += usize::from(ended.is_none());
            service.borrow_mut().restart();
            for intent in scene.stripe.intents() {
                scene.tell(&succeeded(&intent));
                scene.tell(&succeeded(&intent));
            }
            let list = scene.world.call(scene.person.get("/deposits")).data();
            let paid = list
                .as_array()
                .unwrap()
                .iter()
                .filter(|made| made["status"] == "succeeded")
                .count();
            assert!(paid <= scene.stripe.intents().len(), "{stop:?}");
            assert_eq!(scene.balance(), TOKENS * paid as u128, "{stop:?}");
        }
        if survived {
            assert!(stops >= 4, "only {stops} stops");
            return;
        }
    }
    panic!("a deposit takes more round trips than it should");
}

#[test]
fn a_deposit_with_a_key_is_one_payment() {
    let scene = scene();
    let call = |person: &Person, amount: u64| {
        person
            .post("/deposits", &json!({ "amount": amount }))
            .header("idempotency-key", "mine")
    };
    // At first the account has no row, and then it has one.
    for _ in 0..2 {
        let person = Person::new();
        for amount in [CENTS, CENTS, 2 * CENTS] {
            let answer = scene.world.call(call(&person, amount));
            if amount != CENTS {
                answer.fails(409, &[409_000]);
                continue;
            }
            assert_eq!(
                answer.data()["clientSecret"],
                scene.stripe.intent(&answer.data())["client_secret"]
            );
        }
        let list = scene.world.call(person.get("/deposits"));
        assert_eq!(list.meta()["total"], 1);
        scene.tell(&succeeded(&scene.stripe.intent(&list.data()[0])));
        assert_eq!(scene.world.balance(&person), TOKENS);
    }
    assert_eq!(scene.stripe.requests().len(), 2);
    // What Stripe did not do may be tried again under the same key.
    let other = Person::new();
    deposit(&*scene.world.host, &other, CENTS).data();
    scene
        .stripe
        .trouble(&[Trouble::Answer(None), Trouble::Answer(None)]);
    scene.world.call(call(&other, CENTS)).fails(500, &[500_000]);
    assert_eq!(scene.world.call(call(&other, CENTS)).status, 201);
}

/// The real runtime, told to abort at a step of taking in an event, killed, and started again on what it had stored.
#[test]
fn a_worker_that_aborts_while_it_credits_credits_once() {
    if !in_workerd() {
        return;
    }
    for step in ["credit:before", "credit:after"] {
        let state = std::env::temp_dir().join(format!(
            "assay-credit-{}-{}",
            std::process::id(),
            step.replace(':', "-")
        ));
        let _absent = std::fs::remove_dir_all(&state);
        let stripe = FakeStripe::default();
        let vars = outside::listening_vars(&settings(), stripe.handler());
        let person = Person::new();
        let event = {
            let server = Server::on_state(&borrowed(&vars), &state);
            succeeded(&stripe.intent(&deposit(&server, &person, CENTS).data()))
        };
        {
            let mut vars = borrowed(&vars);
            vars.push(("ABORT_AT", step));
            let server = Server::on_state(&vars, &state);
            let answer = server.call(told(&server, &event));
            answer.fails(500, &[500_000]);
            assert!(
                server.log().contains(&format!("ABORT_AT={step}")),
                "{step}: nothing aborted"
            );
        }
        let world = World::on(Box::new(Server::on_state(&borrowed(&vars), &state)));
        assert_eq!(
            world.balance(&person),
            if step == "credit:after" { TOKENS } else { 0 },
            "{step}"
        );
        for _ in 0..2 {
            tell(&*world.host, &event);
        }
        assert_eq!(world.balance(&person), TOKENS, "{step}");
        drop(world);
        std::fs::remove_dir_all(&state).expect("the state folder");
    }
}

/// Another delivery of the same event comes between reading the deposit and writing it, and leaves every balance as it was.
#[test]
fn a_deposit_that_changed_in_between_is_read_again() {
    let mut meddled = None;
    let (_, scene) = inside(&settings(), |inner| {
        let wrapped = Rc::new(Meddled::new(inner, "INTO balances"));
        meddled = Some(Rc::clone(&wrapped));
        wrapped
    });
    let meddled = meddled.unwrap();
    let (made, intent) = scene.pending();
    let change = "UPDATE deposits SET status = 'succeeded', version = version + 1 WHERE ref = ?1";
    meddled.arm(Statement::new(change).bind(made["ref"].as_str().unwrap()));
    scene.tell(&succeeded(&intent));
    // The other one has credited it, though this test kept its tokens.
    assert_eq!((meddled.armed(), scene.balance()), (false, 0));
}
