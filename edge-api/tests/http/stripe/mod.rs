//! Deposits through Stripe. A paid deposit is credited exactly once, even if events are repeated or reordered, and
//! forged events are refused.

mod asked;
mod checkout;
mod faults;
mod guarded;
mod returned;

use serde_json::{Value, json};

use crate::support::outside;
use crate::support::people::{Person, World};
use crate::support::stripe::{
    FakeStripe, SECRET_KEY, WEBHOOK_SECRET, canceled, deposit, dispute, event, event_call, failed,
    payer, refunded, send_event, settings, signature, succeeded,
};
use crate::support::{Call, in_workerd};

/// The price of a thousand tokens: 42 EUR.
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
    let person = payer(&*world.host);
    Scene {
        world,
        stripe,
        person,
    }
}

impl Scene {
    /// Creates a deposit of 42 EUR that waits for its payer. Returns the deposit and its payment at Stripe.
    fn pending(&self) -> (Value, Value) {
        let made = deposit(&*self.world.host, &self.person, CENTS).data();
        let intent = self.stripe.intent(&made);
        (made, intent)
    }

    fn send_event(&self, event: &Value) {
        send_event(&*self.world.host, event);
    }

    fn balance(&self) -> u128 {
        self.world.balance(&self.person)
    }

    /// Spends tokens with an order.
    fn spends(&self, tokens: u128) {
        let (world, person) = (&self.world, &self.person);
        let mut order = world.order(
            &[person],
            json!([world.payment(person, &tokens.to_string())]),
        );
        world.sign(&mut order, &[person]);
        assert_eq!(world.performed(person, &order)["status"], 7);
    }

    /// Returns a deposit's status and its `reclaimed` cents.
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
fn a_deposit_creates_a_payment_intent() {
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
        scene.send_event(&paid);
    }
    // Another event of the same payment changes nothing.
    scene.send_event(&succeeded(&intent));
    assert_eq!(scene.balance(), TOKENS);
    let path = format!("/deposits/{}", made["ref"].as_str().unwrap());
    let now = scene.world.call(scene.person.get(path)).data();
    assert_eq!(
        (&now["status"], &now["clientSecret"]),
        (&json!("succeeded"), &json!(null))
    );
    // Paid tokens can be used for orders.
    scene.spends(7);
}

#[test]
fn concurrent_events_credit_each_deposit_once() {
    let scene = scene();
    let intents: Vec<Value> = (0..4).map(|_| scene.pending().1).collect();
    let calls =
        (0..24).map(|index| event_call(&*scene.world.host, &succeeded(&intents[index % 4])));
    let answers = scene.world.host.call_all(calls.collect());
    assert!(
        answers.iter().all(|answer| answer.status == 200),
        "{answers:?}"
    );
    assert_eq!(scene.balance(), 4 * TOKENS);
}

#[test]
fn events_without_stripes_signature_are_refused() {
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
    let forged = signature(
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
        ("another secret", post(&body, Some(&forged))),
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
    // A valid signature expires.
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
fn events_about_other_payments_credit_nothing() {
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
        scene.send_event(&changed(&[(&format!("{object}/{field}"), value.clone())]));
        assert_eq!(scene.balance(), 0, "{field} {value}");
    }
    scene.send_event(&changed(&[
        ("/livemode", json!(true)),
        (&format!("{object}/livemode"), json!(true)),
    ]));
    // An unreadable event is refused, so that Stripe sends it again.
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
        let call = event_call(&*scene.world.host, &changed(&[(pointer, value.clone())]));
        scene.world.call(call).fails(400, &[400_100]);
        assert_eq!(scene.balance(), 0, "{pointer} {value}");
    }
    // Events of other kinds are accepted and need not be sent again.
    for kind in [
        "payment_intent.created",
        "payment_intent.processing",
        "charge.succeeded",
        "customer.created",
    ] {
        scene.send_event(&event(kind, &intent));
    }
    scene.send_event(&event(
        "charge.refunded",
        &json!({ "payment_intent": null, "livemode": false }),
    ));
    assert_eq!(
        (scene.balance(), scene.state(&made)),
        (0, ("pending".to_owned(), 0))
    );
    scene.send_event(&succeeded(&intent));
    assert_eq!(scene.balance(), TOKENS);
}

#[test]
fn a_payment_that_fails_may_still_succeed() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.send_event(&failed(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (0, "failed")
    );
    scene.send_event(&succeeded(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (TOKENS, "succeeded")
    );
    scene.send_event(&failed(&intent));
    scene.send_event(&canceled(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (TOKENS, "succeeded")
    );
    let (given_up, intent) = scene.pending();
    scene.send_event(&canceled(&intent));
    scene.send_event(&failed(&intent));
    assert_eq!(
        (scene.balance(), scene.state(&given_up).0.as_str()),
        (TOKENS, "canceled")
    );
}

#[test]
fn a_payments_events_have_the_same_result_in_any_order() {
    let scene = scene();
    let mut expected = 0;
    let mut orders = Vec::new();
    permute(&mut vec![0, 1, 2, 3, 4], 5, &mut orders);
    // Calls in workerd are slow, so only some sequences of the events are tested there.
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
            scene.send_event(&events[*index]);
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
