//! If events are lost, the service queries Stripe about waiting deposits.

use edge_api::ports::Statement;
use serde_json::json;

use super::faults::inside;
use super::{CENTS, Scene, TOKENS, scene};
use crate::support::Call;
use crate::support::stripe::{StripeFault, deposit, event_call, payer, settings, succeeded};

const MINUTE_MS: u64 = 60_000;

impl Scene {
    /// Lets time pass, and runs the service's own work.
    fn after(&self, minutes: u64) {
        self.world.host.advance(minutes * MINUTE_MS);
        self.world.host.settle();
    }
}

fn paid() -> serde_json::Value {
    json!({ "status": "succeeded", "amount_received": CENTS })
}

#[test]
fn a_payment_without_an_event_is_queried_and_credited_once() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.stripe.set_payment(&made, &paid());
    // For fifteen minutes, the service waits for the event and does not query Stripe.
    scene.after(14);
    assert_eq!((scene.stripe.queries(), scene.balance()), (0, 0));
    scene.after(1);
    assert_eq!((scene.stripe.queries(), scene.balance()), (1, TOKENS));
    assert_eq!(scene.state(&made).0, "succeeded");
    // The event arrives late.
    scene.send_event(&succeeded(&intent));
    scene.after(10_000);
    assert_eq!((scene.stripe.queries(), scene.balance()), (1, TOKENS));
}

#[test]
fn a_payment_with_an_event_is_not_queried() {
    let scene = scene();
    let (_, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    scene.after(10_000);
    assert_eq!((scene.stripe.queries(), scene.balance()), (0, TOKENS));
}

#[test]
fn concurrent_events_and_queries_credit_a_payment_once() {
    let scene = scene();
    let (made, intent) = scene.pending();
    scene.stripe.set_payment(&made, &paid());
    scene.world.host.advance(15 * MINUTE_MS);
    let event = succeeded(&intent);
    let mut calls: Vec<Call> = (0..6)
        .map(|_| event_call(&*scene.world.host, &event))
        .collect();
    calls.extend((0..6).map(|_| Call::new("POST", "/development/sweep")));
    let answers = scene.world.host.call_all(calls);
    assert!(
        answers.iter().all(|answer| answer.status == 200),
        "{answers:?}"
    );
    assert_eq!(scene.balance(), TOKENS);
}

#[test]
fn reconciling_has_the_same_result_as_events() {
    let scene = scene();
    let (declined, _) = scene.pending();
    let (canceled, _) = scene.pending();
    let (untouched, _) = scene.pending();
    let (returned, _) = scene.pending();
    let error = json!({ "type": "card_error", "code": "card_declined" });
    scene
        .stripe
        .set_payment(&declined, &json!({ "last_payment_error": error }));
    scene.stripe.set_payment(
        &canceled,
        &json!({ "status": "canceled", "cancellation_reason": "abandoned" }),
    );
    scene.stripe.set_payment(&returned, &paid());
    scene.stripe.set_payment(
        &returned,
        &json!({ "latest_charge": { "id": "ch_1", "amount_refunded": CENTS / 2 } }),
    );
    scene.after(15);
    let states =
        |scene: &Scene| [&declined, &canceled, &untouched, &returned].map(|made| scene.state(made));
    let state = |text: &str, cents| (text.to_owned(), cents);
    let expected = [
        state("failed", 0),
        state("canceled", 0),
        state("pending", 0),
        state("succeeded", CENTS / 2),
    ];
    assert_eq!((states(&scene), scene.balance()), (expected, TOKENS / 2));
    assert_eq!(scene.stripe.queries(), 4);
    // A payer can retry a failed payment, so the service queries Stripe about such a payment again. It does not query Stripe
    // about a final payment again.
    scene.stripe.set_payment(&declined, &paid());
    scene.after(60);
    assert_eq!(scene.state(&declined).0, "succeeded");
    assert_eq!(
        (scene.stripe.queries(), scene.balance()),
        (6, TOKENS / 2 * 3)
    );
}

#[test]
fn an_invalid_answer_credits_nothing_and_is_retried() {
    let answer = |status, body: &str| StripeFault::Answer(Some((status, body.to_owned())));
    for trouble in [
        StripeFault::Answer(None),
        answer(500, ""),
        answer(404, "{}"),
        answer(429, "{}"),
        answer(302, "{}"),
        answer(200, "{}"),
        answer(200, "nothing"),
        StripeFault::Other("id", json!("pi_other")),
        StripeFault::Other("amount", json!(CENTS + 1)),
        StripeFault::Other("amount_received", json!(CENTS - 1)),
        StripeFault::Other("currency", json!("usd")),
        StripeFault::Other("livemode", json!(true)),
    ] {
        let (_, scene) = inside(&settings(), |database| database);
        let (made, _) = scene.pending();
        scene.stripe.set_payment(&made, &paid());
        scene.stripe.fail_next(std::slice::from_ref(&trouble));
        scene.after(15);
        let seen = (scene.stripe.queries(), scene.balance(), scene.state(&made));
        assert_eq!(seen, (1, 0, ("pending".to_owned(), 0)), "{trouble:?}");
        scene.after(59);
        assert_eq!(scene.stripe.queries(), 1, "{trouble:?}");
        scene.after(1);
        assert_eq!(
            (scene.stripe.queries(), scene.balance()),
            (2, TOKENS),
            "{trouble:?}"
        );
    }
}

#[test]
fn an_unpaid_deposit_is_canceled_after_a_day() {
    let (_, scene) = inside(&settings(), |database| database);
    let (made, _) = scene.pending();
    scene.after(15);
    // During the first day, the service queries Stripe about the payment and does not cancel the payment.
    for _ in 0..23 {
        scene.after(60);
    }
    assert_eq!(
        (scene.state(&made).0.as_str(), scene.stripe.queries()),
        ("pending", 3)
    );
    // If a cancellation fails at Stripe, the service retries the cancellation.
    let fine = StripeFault::Other("description", json!(null));
    let busy = StripeFault::Answer(Some((500, String::new())));
    scene.stripe.fail_next(&[fine, busy]);
    scene.after(60 * 24);
    assert_eq!(
        (scene.state(&made).0.as_str(), scene.stripe.queries()),
        ("pending", 4)
    );
    scene.after(60 * 48);
    assert_eq!(scene.state(&made).0, "canceled");
    assert_eq!(scene.stripe.intent(&made)["status"], "canceled");
    scene.after(60 * 24 * 60);
    assert_eq!((scene.stripe.queries(), scene.balance()), (5, 0));
}

#[test]
fn queries_about_a_pending_payment_back_off_and_end() {
    let (_, scene) = inside(&settings(), |database| database);
    let (made, intent) = scene.pending();
    scene
        .stripe
        .set_payment(&made, &json!({ "status": "processing" }));
    let (mut asked_after, mut asked) = (Vec::new(), 0);
    for hour in 0..24 * 60 {
        scene.after(60);
        if scene.stripe.queries() > asked {
            asked += 1;
            asked_after.push(hour + 1);
        }
    }
    assert_eq!(asked_after, [1, 2, 6, 25, 49, 97, 193, 361, 697]);
    assert_eq!((scene.stripe.queries(), asked), (9, 9));
    assert_eq!(scene.state(&made).0, "pending");
    // The event is credited, however late it arrives.
    scene.send_event(&succeeded(&intent));
    assert_eq!(scene.balance(), TOKENS);
}

#[test]
fn waiting_payments_are_queried_in_batches() {
    let (_, scene) = inside(&settings(), |database| database);
    let payers: Vec<_> = (0..5).map(|_| payer(&*scene.world.host)).collect();
    for (number, payer) in payers.iter().enumerate() {
        for _ in 0..5 {
            let call = payer.post("/deposits", &json!({ "amount": CENTS }));
            let call = call.from(&format!("198.51.100.{number}"));
            let made = scene.world.call(call).data();
            scene.stripe.set_payment(&made, &paid());
        }
    }
    scene.after(15);
    assert_eq!(scene.stripe.queries(), 20);
    scene.after(1);
    let balances = payers.iter().map(|payer| scene.world.balance(payer));
    assert_eq!((scene.stripe.queries(), balances.sum()), (25, 25 * TOKENS));
}

#[test]
fn a_deposit_whose_payment_was_never_stored_fails() {
    let (service, scene) = inside(&settings(), |database| database);
    let (made, intent) = scene.pending();
    let forget = "UPDATE deposits SET intent_id = NULL, client_secret = NULL WHERE ref = ?1";
    service
        .borrow()
        .database
        .run(&[Statement::new(forget).bind(made["ref"].as_str().unwrap())])
        .unwrap();
    scene.after(15);
    assert_eq!(scene.state(&made).0, "failed");
    scene.after(10_000);
    assert_eq!(scene.stripe.queries(), 0);
    scene.send_event(&succeeded(&intent));
    assert_eq!(scene.balance(), 0);
    // The failed deposit does not count as open, so the account can create another deposit.
    assert_eq!(
        deposit(&*scene.world.host, &scene.person, CENTS).status,
        201
    );
}
