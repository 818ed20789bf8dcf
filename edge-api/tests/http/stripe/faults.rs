//! Deposits through Stripe while Stripe's answers, the network or this service fail.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::Statement;
use serde_json::{Value, json};

use super::{CENTS, Scene, TOKENS, scene};
use crate::support::faults::{Mortal, RacingDatabase, at_every_step};
use crate::support::native::Service;
use crate::support::outside::{self, attach, borrowed, native_vars};
use crate::support::people::{Person, World};
use crate::support::stripe::{
    FakeStripe, SECRET_KEY, StripeFault, WEBHOOK_SECRET, deposit, event_call, payer, refunded,
    send_event, settings, succeeded,
};
use crate::support::workerd::Server;
use crate::support::{Call, Host};

#[test]
fn a_deposit_fails_if_stripes_answer_is_wrong() {
    let scene = scene();
    let wrong = |field, value| StripeFault::Other(field, value);
    let answer = |status, body: &str| StripeFault::Answer(Some((status, body.to_owned())));
    let declined =
        json!({ "error": { "type": "invalid_request_error", "code": "amount_too_large" } })
            .to_string();
    let cases: Vec<(Vec<StripeFault>, usize)> = vec![
        (
            vec![StripeFault::Answer(None), StripeFault::Answer(None)],
            2,
        ),
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
    for (faults, requests) in &cases {
        scene.stripe.fail_next(faults);
        let answer = deposit(&*scene.world.host, &scene.person, CENTS);
        answer.fails(500, &[500_000]);
        assert!(!String::from_utf8_lossy(&answer.body).contains("amount_too_large"));
        asked += requests;
        assert_eq!(scene.stripe.requests().len(), asked, "{faults:?}");
    }
    let list = scene.world.call(scene.person.get("/deposits")).data();
    let list = list.as_array().unwrap();
    assert_eq!(list.len(), cases.len());
    assert!(
        list.iter()
            .all(|made| made["status"] == "failed" && made["clientSecret"].is_null()),
        "{list:?}"
    );
    // No client has the secrets of these payments, so they cannot be paid. Even an event about such a payment credits
    // nothing, because no stored deposit has the payment.
    for intent in scene.stripe.intents() {
        scene.send_event(&succeeded(&intent));
    }
    assert_eq!(scene.balance(), 0);
}

#[test]
fn a_lost_request_is_retried_with_the_same_key() {
    let scene = scene();
    for trouble in [
        StripeFault::Lost,
        StripeFault::Answer(Some((500, String::new()))),
        StripeFault::Answer(Some((409, String::new()))),
    ] {
        let before = (scene.stripe.requests().len(), scene.stripe.intents().len());
        scene.stripe.fail_next(std::slice::from_ref(&trouble));
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
fn amounts_are_checked_before_stripe_is_called() {
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

/// Returns a service in this process and a scene that uses the service. `wrap` wraps the database port.
pub(super) fn inside(
    vars: &[(&str, &str)],
    wrap: impl FnOnce(Rc<dyn edge_api::ports::Database>) -> Rc<dyn edge_api::ports::Database>,
) -> (Rc<RefCell<Service>>, Scene) {
    let service = Service::with_database(&borrowed(&native_vars(vars)), wrap);
    let stripe = FakeStripe::default();
    attach(&service, stripe.handler());
    let service = Rc::new(RefCell::new(service));
    let world = World::on(Box::new(Rc::clone(&service)));
    let person = payer(&*world.host);
    (
        service,
        Scene {
            world,
            stripe,
            person,
        },
    )
}

#[test]
fn secrets_are_in_no_log_and_no_answer() {
    let (service, scene) = inside(&settings(), |database| database);
    let (made, intent) = scene.pending();
    scene.send_event(&succeeded(&intent));
    scene.stripe.fail_next(&[StripeFault::Answer(Some((
        401,
        json!({ "error": { "code": SECRET_KEY } }).to_string(),
    )))]);
    deposit(&*scene.world.host, &scene.person, CENTS).fails(500, &[500_000]);
    scene.stripe.fail_next(&[StripeFault::Answer(Some((
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
fn an_instance_never_changes_its_kind_of_deposits() {
    let credited = |source: &str| {
        format!(
            "INSERT INTO deposits (ref, account_id, amount, tokens, price, source, status, livemode, taken, created_at, updated_at) \
             VALUES ('x', '0x', 1000, printf('%064d', 1), '0.042', '{source}', 'succeeded', 0, printf('%064d', 0), 0, 0)"
        )
    };
    let live = live_settings();
    for (what, vars, source, refused) in [
        ("tests, then test mode", settings(), "test", true),
        ("tests, then money", live.clone(), "test", true),
        ("test mode, then money", live, "stripe", true),
        ("test mode continues", settings(), "stripe", false),
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

/// The settings with a key that moves real money.
pub(super) fn live_settings() -> Vec<(&'static str, &'static str)> {
    let key = "sk_live_51Habcdefghijkl";
    settings()
        .into_iter()
        .map(|(name, value)| {
            (
                name,
                if name == "STRIPE_SECRET_KEY" {
                    key
                } else {
                    value
                },
            )
        })
        .collect()
}

/// Stops the service before and after each round trip of handling an event. Then restarts the service and sends the event
/// again, as Stripe does until it gets an answer.
#[test]
fn a_payment_is_credited_once_after_a_stop_at_any_step() {
    let kinds: [fn(&Value) -> Value; 2] = [succeeded, |intent| refunded(intent, CENTS / 2)];
    for (kind, expected) in kinds.into_iter().zip([TOKENS, TOKENS / 2]) {
        let stops = at_every_step(16, |stop| {
            let mut mortal = None;
            let (service, scene) = inside(&settings(), |inner| {
                let wrapped = Rc::new(Mortal::new(inner));
                mortal = Some(Rc::clone(&wrapped));
                wrapped
            });
            let mortal = mortal.unwrap();
            let (made, intent) = scene.pending();
            if expected != TOKENS {
                scene.send_event(&succeeded(&intent));
            }
            let event = kind(&intent);
            let call = event_call(&*scene.world.host, &event);
            let held = service.borrow();
            let died = mortal.stops(stop, async {
                let answer = held.answer(&call).await;
                held.app().after(answer.after).await;
            });
            drop(held);
            service.borrow_mut().restart();
            scene.send_event(&event);
            scene.send_event(&event);
            assert_eq!(
                (scene.balance(), scene.state(&made).0.as_str()),
                (expected, "succeeded"),
                "{stop:?}"
            );
            died
        });
        assert!(
            stops >= 6,
            "only {stops} stops: the loop must reach the steps under test"
        );
    }
}

/// Stops the service before and after each database round trip of creating a payment. Afterwards, either
/// the deposit is stored and can be paid once, or no client can pay.
#[test]
fn after_a_stop_a_payment_is_stored_or_cannot_be_paid() {
    let stops = at_every_step(16, |stop| {
        let mut mortal = None;
        let (service, scene) = inside(&settings(), |inner| {
            let wrapped = Rc::new(Mortal::new(inner));
            mortal = Some(Rc::clone(&wrapped));
            wrapped
        });
        let mortal = mortal.unwrap();
        let call = scene.person.post("/deposits", &json!({ "amount": CENTS }));
        let held = service.borrow();
        let died = mortal.stops(stop, async {
            let answer = held.answer(&call).await;
            held.app().after(answer.after).await;
        });
        drop(held);
        service.borrow_mut().restart();
        for intent in scene.stripe.intents() {
            scene.send_event(&succeeded(&intent));
            scene.send_event(&succeeded(&intent));
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
        // A deposit without a payment fails after fifteen minutes.
        scene.world.host.advance(15 * 60_000);
        scene.world.host.settle();
        let list = scene
            .world
            .call(scene.person.get("/deposits?limit=100"))
            .data();
        assert!(
            list.as_array()
                .unwrap()
                .iter()
                .all(|made| made["status"] != "pending"),
            "{stop:?}: {list}"
        );
        died
    });
    assert!(stops >= 4, "only {stops} stops");
}

#[test]
fn repeated_deposits_with_one_key_create_one_payment() {
    let scene = scene();
    let call = |person: &Person, amount: u64| {
        person
            .post("/deposits", &json!({ "amount": amount }))
            .header("idempotency-key", "mine")
    };
    for _ in 0..2 {
        let person = payer(&*scene.world.host);
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
        scene.send_event(&succeeded(&scene.stripe.intent(&list.data()[0])));
        assert_eq!(scene.world.balance(&person), TOKENS);
    }
    assert_eq!(scene.stripe.requests().len(), 2);
    // If the request to Stripe failed, the client can retry the deposit with the same key.
    let other = payer(&*scene.world.host);
    deposit(&*scene.world.host, &other, CENTS).data();
    scene
        .stripe
        .fail_next(&[StripeFault::Answer(None), StripeFault::Answer(None)]);
    scene.world.call(call(&other, CENTS)).fails(500, &[500_000]);
    assert_eq!(scene.world.call(call(&other, CENTS)).status, 201);
}

/// Runs workerd, aborts it while it handles an event, kills it, and restarts it on the stored state.
#[test]
#[ignore = "needs the built Worker: cargo xtask test workerd"]
fn a_worker_aborted_while_crediting_credits_once() {
    for step in ["credit:before", "credit:after"] {
        let state = std::env::temp_dir().join(format!(
            "assay-credit-{}-{}",
            std::process::id(),
            step.replace(':', "-")
        ));
        let _absent = std::fs::remove_dir_all(&state);
        let stripe = FakeStripe::default();
        let vars = outside::listening_vars(&settings(), stripe.handler());
        let (person, event);
        {
            let server = Server::on_state(&borrowed(&vars), &state);
            person = payer(&server);
            event = succeeded(&stripe.intent(&deposit(&server, &person, CENTS).data()));
        }
        {
            let mut vars = borrowed(&vars);
            vars.push(("ABORT_AT", step));
            let server = Server::on_state(&vars, &state);
            let answer = server.call(event_call(&server, &event));
            answer.fails(500, &[500_000]);
            assert!(server.aborted_at(step), "{step}: the server did not abort");
        }
        let world = World::on(Box::new(Server::on_state(&borrowed(&vars), &state)));
        assert_eq!(
            world.balance(&person),
            if step == "credit:after" { TOKENS } else { 0 },
            "{step}"
        );
        for _ in 0..2 {
            send_event(&*world.host, &event);
        }
        assert_eq!(world.balance(&person), TOKENS, "{step}");
        drop(world);
        std::fs::remove_dir_all(&state).expect("the state folder");
    }
}

/// Between the read and the write of a deposit, another delivery of the same event is handled. The simulation of that
/// delivery changes only the deposit, and credits no tokens.
#[test]
fn a_concurrently_changed_deposit_is_read_again() {
    let mut racing = None;
    let (_, scene) = inside(&settings(), |inner| {
        let wrapped = Rc::new(RacingDatabase::new(inner, "INTO balances"));
        racing = Some(Rc::clone(&wrapped));
        wrapped
    });
    let racing = racing.unwrap();
    let (made, intent) = scene.pending();
    let change = "UPDATE deposits SET status = 'succeeded', version = version + 1 WHERE ref = ?1";
    racing.arm([Statement::new(change).bind(made["ref"].as_str().unwrap())]);
    scene.send_event(&succeeded(&intent));
    // The deposit counts as credited, so no tokens are added. The simulated delivery added none either.
    assert_eq!((racing.armed(), scene.balance()), (false, 0));
}
