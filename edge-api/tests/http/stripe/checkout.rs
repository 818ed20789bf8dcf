//! Deposits that are paid on Stripe's own page. The page's payment is not known before the payer has paid.

use serde_json::{Value, json};

use super::{CENTS, Scene, TOKENS, scene};
use crate::support::people::World;
use crate::support::stripe::{
    FakeStripe, StripeFault, event, event_call, payer, refunded, settings, succeeded,
};
use crate::support::{in_workerd, outside};

const MINUTE_MS: u64 = 60_000;
const DAY_MINUTES: u64 = 24 * 60;

/// Returns the maximum number of cases. In workerd, each case would start a server.
fn cases() -> usize {
    if in_workerd() { 1 } else { usize::MAX }
}

impl Scene {
    /// Creates a deposit of 42 EUR that is paid on Stripe's page.
    fn page(&self) -> Value {
        let body = json!({ "amount": CENTS, "checkout": true });
        self.world.call(self.person.post("/deposits", &body)).data()
    }

    /// Sends an event about a deposit's session.
    fn report(&self, kind: &str, made: &Value) {
        let session = self.stripe.session(made);
        self.send_event(&event(&format!("checkout.session.{kind}"), &session));
    }

    fn pass(&self, minutes: u64) {
        self.world.host.advance(minutes * MINUTE_MS);
        self.world.host.settle();
    }
}

#[test]
fn a_deposit_with_checkout_leads_to_stripes_page_and_back() {
    let scene = scene();
    let made = scene.page();
    let session = scene.stripe.session(&made);
    assert_eq!(made["checkoutUrl"], session["url"]);
    assert_eq!(
        (&made["status"], &made["clientSecret"]),
        (&json!("pending"), &Value::Null)
    );
    let back = session["success_url"].as_str().expect("an address");
    assert!(back.ends_with("/console/#money"), "{back}");
    assert_eq!(session["metadata"]["deposit"], made["ref"]);
    let path = format!("/deposits/{}", made["ref"].as_str().expect("a reference"));
    assert_eq!(scene.world.call(scene.person.get(path)).data(), made);
    // Without `checkout`, nothing changes.
    let (plain, _) = scene.pending();
    assert_eq!(plain["checkoutUrl"], Value::Null);
    assert!(plain["clientSecret"].is_string());
    for wrong in [json!("yes"), json!(1), json!([])] {
        let body = json!({ "amount": CENTS, "checkout": wrong });
        let refused = scene.world.call(scene.person.post("/deposits", &body));
        assert_eq!(refused.errors(), ["422900 checkout"], "{wrong}");
    }
}

#[test]
fn a_payment_on_the_page_is_credited_once_whatever_arrives() {
    let scene = scene();
    let made = scene.page();
    let payment = scene.stripe.pay_on_page(&made);
    // Stripe's events about a payment that is not known yet change nothing.
    scene.send_event(&succeeded(&payment));
    assert_eq!(scene.balance(), 0);
    for _ in 0..3 {
        scene.report("completed", &made);
    }
    assert_eq!(scene.balance(), 0);
    scene.pass(0);
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (TOKENS, "succeeded")
    );
    scene.report("completed", &made);
    scene.send_event(&succeeded(&payment));
    scene.report("expired", &made);
    scene.pass(10_000);
    assert_eq!(
        (scene.balance(), scene.state(&made).0.as_str()),
        (TOKENS, "succeeded")
    );
    // A refund finds its deposit.
    scene.send_event(&refunded(&payment, CENTS / 2));
    assert_eq!(scene.state(&made).1, CENTS / 2);
    assert_eq!(scene.balance(), TOKENS / 2);
}

#[test]
fn a_payment_without_an_event_is_found_by_asking() {
    let scene = scene();
    let made = scene.page();
    scene.stripe.pay_on_page(&made);
    scene.pass(14);
    assert_eq!((scene.stripe.queries(), scene.balance()), (0, 0));
    scene.pass(1);
    // The service asks about the session, and then about its payment.
    assert_eq!((scene.stripe.queries(), scene.balance()), (2, TOKENS));
}

#[test]
fn a_refund_before_the_service_knows_the_payment_is_not_lost() {
    let scene = scene();
    let made = scene.page();
    let payment = scene.stripe.pay_on_page(&made);
    scene.stripe.set_payment(
        &made,
        &json!({ "latest_charge": { "id": "ch_1", "amount_refunded": CENTS } }),
    );
    scene.send_event(&refunded(&payment, CENTS));
    scene.report("completed", &made);
    scene.pass(0);
    assert_eq!(scene.state(&made), ("succeeded".to_owned(), CENTS));
    assert_eq!(scene.balance(), 0);
}

#[test]
fn an_unpaid_page_expires_after_a_day() {
    let scene = scene();
    let made = scene.page();
    scene.pass(15);
    assert_eq!(scene.state(&made).0, "pending");
    // An event that lies about an open session changes nothing.
    scene.report("completed", &made);
    scene.report("expired", &made);
    scene.pass(0);
    assert_eq!(scene.state(&made).0, "pending");
    for _ in 0..3 {
        scene.pass(DAY_MINUTES / 2);
    }
    assert_eq!(scene.stripe.session(&made)["status"], "expired");
    let path = format!("/deposits/{}", made["ref"].as_str().expect("a reference"));
    let ended = scene.world.call(scene.person.get(path)).data();
    assert_eq!(
        (&ended["status"], &ended["checkoutUrl"]),
        (&json!("canceled"), &Value::Null)
    );
    assert_eq!(scene.balance(), 0);
}

#[test]
fn concurrent_events_and_sweeps_credit_a_page_once() {
    let scene = scene();
    let made = scene.page();
    scene.stripe.pay_on_page(&made);
    let completed = event("checkout.session.completed", &scene.stripe.session(&made));
    scene.world.host.advance(15 * MINUTE_MS);
    let mut calls: Vec<_> = (0..6)
        .map(|_| event_call(&*scene.world.host, &completed))
        .collect();
    calls.extend((0..6).map(|_| crate::support::Call::new("POST", "/development/sweep")));
    let answers = scene.world.host.call_all(calls);
    assert!(
        answers.iter().all(|answer| answer.status == 200),
        "{answers:?}"
    );
    scene.pass(0);
    assert_eq!(scene.balance(), TOKENS);
}

#[test]
fn a_session_that_does_not_fit_is_not_offered() {
    for (field, value) in [
        ("url", json!(null)),
        ("url", json!("http://checkout.stripe.com/c/pay")),
        ("url", json!("javascript:alert(1)")),
        ("id", json!("pi_3N")),
        ("id", json!("cs_test/../x")),
        ("amount_total", json!(CENTS + 1)),
        ("currency", json!("usd")),
        ("livemode", json!(true)),
    ]
    .into_iter()
    .take(cases())
    {
        let stripe = FakeStripe::default();
        let world = World::on(outside::own(&settings(), stripe.handler()));
        let person = payer(&*world.host);
        stripe.fail_next(&[StripeFault::Other(field, value.clone())]);
        let body = json!({ "amount": CENTS, "checkout": true });
        let refused = world.call(person.post("/deposits", &body));
        assert_eq!(refused.status, 500, "{field} {value}");
        let listed = world.call(person.get("/deposits")).data();
        assert_eq!(listed[0]["status"], "failed", "{field} {value}");
        assert_eq!(listed[0]["checkoutUrl"], Value::Null);
    }
}

#[test]
fn answers_about_another_session_or_payment_credit_nothing() {
    for faults in [
        vec![StripeFault::Other("id", json!("cs_test_other"))],
        vec![StripeFault::Other("payment_intent", json!(null))],
        vec![StripeFault::Other("payment_intent", json!("cs_test_other"))],
        vec![StripeFault::Other("payment_intent", json!("pi_/../other"))],
        vec![StripeFault::Other("status", json!("paid"))],
        vec![StripeFault::Answer(Some((404, "{}".to_owned())))],
        vec![StripeFault::Answer(Some((200, "[]".to_owned())))],
        // The session is as expected. The payment is not.
        vec![
            StripeFault::Other("success_url", json!("")),
            StripeFault::Other("amount", json!(CENTS + 1)),
        ],
        vec![
            StripeFault::Other("success_url", json!("")),
            StripeFault::Other("livemode", json!(true)),
        ],
        vec![
            StripeFault::Other("success_url", json!("")),
            StripeFault::Other("id", json!("pi_other")),
        ],
    ]
    .into_iter()
    .take(cases())
    {
        let scene = scene();
        let made = scene.page();
        scene.stripe.pay_on_page(&made);
        scene.stripe.fail_next(&faults);
        scene.report("completed", &made);
        scene.pass(0);
        assert_eq!(scene.balance(), 0, "{faults:?}");
        // The next query gets the truth.
        for _ in 0..4 {
            scene.pass(6 * 60);
        }
        assert_eq!(scene.balance(), TOKENS, "{faults:?}");
    }
}
