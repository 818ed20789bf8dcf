//! Receivers must agree to get events: they answer a challenge before the first event, and failing receivers are
//! paused.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::{Fetch, FetchError, Fetched};
use serde_json::{Value, json};

use super::{DAY, FIRST_CHALLENGE, HOUR, MINUTE, OTHER_URL, Scene, Sent, URL, answers};
use crate::support::WEBHOOK_SECRET;
use crate::support::people::Person;

fn text(status: u16, body: impl Into<Vec<u8>>) -> Result<Fetched, FetchError> {
    Ok(Fetched {
        status,
        content_type: Some("text/plain".to_owned()),
        location: None,
        allow_origin: None,
        body: body.into(),
    })
}

fn challenge_of(request: &Fetch) -> Option<String> {
    let body: Value = serde_json::from_slice(request.body.as_ref()?).ok()?;
    Some(body["challenge"].as_str()?.to_owned())
}

/// Returns a scene in which the test's receivers answer challenges themselves, as they answer events.
fn scene() -> Scene {
    let scene = Scene::new();
    scene.service.borrow().http.leave_challenges();
    scene
}

fn serve(
    scene: &Scene,
    base: &str,
    server: impl Fn(&Fetch) -> Result<Fetched, FetchError> + 'static,
) {
    scene.service.borrow().http.serve(base, server);
}

/// Makes a receiver answer challenges as `receiveWebhook` of the client package does.
fn consents(scene: &Scene, base: &str) {
    serve(scene, base, |request| match challenge_of(request) {
        Some(challenge) => text(200, challenge),
        None => text(204, ""),
    });
}

/// Returns a scene whose owner's receiver has confirmed, and the receiver's secret.
fn confirmed() -> (Scene, String) {
    let scene = scene();
    consents(&scene, URL);
    let secret = scene.register(&scene.owner, URL, &[0]);
    (scene, secret)
}

fn state(scene: &Scene, person: &Person) -> (String, String) {
    let webhook = scene.world.call(person.get("/account/webhook")).data();
    let text = |name: &str| webhook[name].as_str().unwrap_or_default().to_owned();
    (text("state"), text("stateReason"))
}

/// Returns the requests since the last call, separated into challenges and events.
fn sent(scene: &Scene) -> (Vec<Fetch>, Vec<Fetch>) {
    let sent = scene.service.borrow().http.take_sent();
    sent.into_iter()
        .partition(|request| challenge_of(request).is_some())
}

#[test]
fn an_order_with_many_signers_causes_few_requests_to_one_host() {
    let scene = scene();
    serve(&scene, URL, |_| text(200, "Welcome to our shop!"));
    let signers: Vec<Person> = (0..31).map(|_| Person::new()).collect();
    for person in signers.iter().chain([&scene.owner]) {
        scene.register(person, URL, &[]);
    }
    let all: Vec<&Person> = signers.iter().chain([&scene.owner]).collect();
    let payment = scene.world.payment(&scene.owner, "1");
    let mut body = scene.world.order(&all, json!([payment]));
    scene.world.sign(&mut body, &all);
    assert_eq!(
        scene.world.performed(&scene.owner, &body)["status"],
        json!(7)
    );
    scene.advance_and_settle(59 * MINUTE);
    let (challenges, events) = sent(&scene);
    assert_eq!(events.len(), 0);
    assert!(challenges.len() <= 40, "{}", challenges.len());
    for _ in 0..24 {
        scene.advance_and_settle(HOUR);
    }
    let (later, events) = sent(&scene);
    assert_eq!(events.len(), 0);
    assert!(challenges.len() + later.len() <= 32 * 4);
    // In the next two days, the receiver gets no more challenges, and the accounts can see the reason.
    scene.advance_and_settle(2 * DAY);
    assert_eq!(sent(&scene).0.len(), 0);
    let (state, reason) = state(&scene, &signers[0]);
    assert_eq!(state, "pending");
    assert!(reason.contains("PUT /account/webhook"), "{reason}");
}

#[test]
fn each_challenge_is_new_and_is_signed_like_an_event() {
    let scene = scene();
    scene.answer(URL, answers(200));
    let secret = scene.register(&scene.owner, URL, &[0]);
    scene.advance_and_settle(MINUTE / 2);
    scene.advance_and_settle(5 * MINUTE);
    scene.advance_and_settle(30 * MINUTE);
    scene.advance_and_settle(DAY);
    let (challenges, events) = sent(&scene);
    assert_eq!((challenges.len(), events.len()), (4, 0));
    let mut values: Vec<String> = challenges.iter().filter_map(challenge_of).collect();
    assert!(values.iter().all(|value| value.len() == 43));
    values.dedup();
    assert_eq!(values.len(), 4);
    for mut request in challenges {
        assert_eq!(request.limit, 1024);
        request.limit = 0;
        let sent = Sent::new(request);
        assert_eq!(sent.signatures, [sent.signed_with(&secret)]);
        assert_eq!(
            (&sent.body["kind"], &sent.body["event"]),
            (&json!(null), &json!(null))
        );
    }
}

#[test]
fn only_the_challenge_itself_confirms_the_receiver() {
    type Receiver = fn(&Fetch, &str) -> Result<Fetched, FetchError>;
    let cases: [(&str, Receiver, bool); 12] = [
        ("as text", |_, it| text(200, it), true),
        (
            "as text on its own line",
            |_, it| text(201, format!(" {it}\r\n")),
            true,
        ),
        (
            "as JSON",
            |_, it| text(200, json!({ "challenge": it }).to_string()),
            true,
        ),
        ("nothing", |_, _| text(204, ""), false),
        ("something", |_, _| text(200, "OK"), false),
        (
            "the whole request",
            |request, _| text(200, request.body.clone().unwrap_or_default()),
            false,
        ),
        (
            "the challenge with another member",
            |_, it| text(200, json!({ "challenge": it, "url": "/" }).to_string()),
            false,
        ),
        (
            "a page with the challenge",
            |_, it| text(200, format!("<p>You sent {it}</p>")),
            false,
        ),
        ("an error with the challenge", |_, it| text(500, it), false),
        (
            "a redirect with the challenge",
            |_, it| {
                Ok(Fetched {
                    location: Some(OTHER_URL.to_owned()),
                    allow_origin: None,
                    ..text(302, it)?
                })
            },
            false,
        ),
        (
            "too much",
            |_, it| text(200, format!("{it}{}", " ".repeat(2000))),
            false,
        ),
        (
            "in JSON text",
            |_, it| text(200, format!("\"{it}\"")),
            false,
        ),
    ];
    for (name, receiver, confirms) in cases {
        let scene = scene();
        serve(&scene, URL, move |request| match challenge_of(request) {
            Some(challenge) => receiver(request, &challenge),
            None => text(200, ""),
        });
        scene.register(&scene.owner, URL, &[0]);
        scene.cause_event();
        let expected = if confirms { "active" } else { "pending" };
        assert_eq!(state(&scene, &scene.owner).0, expected, "{name}");
        assert_eq!(sent(&scene).1.len(), usize::from(confirms), "{name}");
    }
}

#[test]
fn an_earlier_challenge_does_not_confirm_the_receiver() {
    let scene = scene();
    let before = std::cell::RefCell::new(String::new());
    serve(&scene, URL, move |request| {
        let challenge = challenge_of(request).unwrap_or_default();
        text(200, before.replace(challenge))
    });
    scene.register(&scene.owner, URL, &[0]);
    for _ in 0..4 {
        scene.advance_and_settle(HOUR);
    }
    assert_eq!(state(&scene, &scene.owner).0, "pending");
}

#[test]
fn events_during_a_challenge_are_delivered_after_the_confirmation() {
    let scene = scene();
    scene.answer(URL, Err(FetchError::Timeout));
    scene.register(&scene.owner, URL, &[0]);
    let order = scene.waiting_order();
    scene.world.host.settle();
    let (state_now, reason) = state(&scene, &scene.owner);
    assert_eq!(state_now, "pending");
    assert!(
        reason.contains("the next challenge is sent at 20"),
        "{reason}"
    );
    let path = format!("/orders/{}", order["ref"].as_str().unwrap());
    scene.world.call(scene.owner.delete(path)).data();
    assert_eq!(sent(&scene).1.len(), 0);
    consents(&scene, URL);
    scene.advance_and_settle(MINUTE);
    let delivered: Vec<_> = sent(&scene)
        .1
        .into_iter()
        .map(|request| Sent::new(request).kind_and_status())
        .collect();
    assert_eq!(delivered, [(0, 0), (0, 6)]);
    assert_eq!(
        state(&scene, &scene.owner),
        ("active".to_owned(), String::new())
    );
}

#[test]
fn events_for_a_receiver_that_did_not_confirm_are_canceled() {
    let scene = scene();
    scene.register(&scene.owner, URL, &[0]);
    scene.waiting_order();
    for _ in 0..4 {
        scene.advance_and_settle(HOUR);
    }
    let deliveries = scene.deliveries(&scene.owner);
    assert!(
        deliveries
            .iter()
            .all(|delivery| delivery["state"] == "canceled"),
        "{deliveries:?}"
    );
    scene.waiting_order();
    assert_eq!(scene.deliveries(&scene.owner).len(), deliveries.len());
    for path in [
        "test".to_owned(),
        format!(
            "deliveries/{}/redeliver",
            deliveries[0]["ref"].as_str().unwrap()
        ),
    ] {
        let answer = scene.post(&scene.owner, &path);
        answer.fails(422, &[422_920]);
        let message = answer.json()["errors"][0]["message"].to_string();
        assert!(message.contains("PUT /account/webhook"), "{message}");
    }
    // A new registration sends a new challenge.
    consents(&scene, URL);
    scene.register(&scene.owner, URL, &[0]);
    scene.world.host.settle();
    assert_eq!(state(&scene, &scene.owner).0, "active");
    assert_eq!(scene.post(&scene.owner, "test").status, 201);
}

#[test]
fn only_new_addresses_are_challenged() {
    let (scene, _) = confirmed();
    scene.world.host.settle();
    assert_eq!(sent(&scene).0.len(), 1);
    scene.register(&scene.owner, URL, &[0, 1]);
    scene.cause_event();
    let (challenges, events) = sent(&scene);
    assert_eq!((challenges.len(), events.len()), (0, 1));
    // A new path counts as a new address, because paths of a shared host may belong to different people.
    for (url, name) in [
        ("https://hooks.assay.example/b", "another path"),
        (OTHER_URL, "another host"),
    ] {
        scene.answer(url, answers(200));
        scene.register(&scene.owner, url, &[0]);
        scene.cause_event();
        let (challenges, events) = sent(&scene);
        assert_eq!(challenges.len(), 1, "{name}");
        assert_eq!(challenges[0].url, url);
        let to_it = events.iter().filter(|event| event.url == url).count();
        assert_eq!(to_it, 0, "{name}");
        assert_eq!(state(&scene, &scene.owner).0, "pending", "{name}");
    }
}

#[test]
fn a_confirmed_receiver_stays_in_use_until_the_next_receiver_confirms() {
    let (scene, first) = confirmed();
    // The new receiver is registered, but does not answer the challenge yet.
    scene.answer(OTHER_URL, Err(FetchError::Timeout));
    let second = scene.register(&scene.owner, OTHER_URL, &[0]);
    assert_ne!(first, second);
    sent(&scene);
    scene.cause_event();
    let (_, mut events) = sent(&scene);
    assert_eq!(events.len(), 1);
    let event = Sent::new(events.remove(0));
    assert_eq!(event.url, URL);
    assert_eq!(event.signatures, [event.signed_with(&first)]);
    let webhook = scene.world.call(scene.owner.get("/account/webhook")).data();
    assert_eq!(
        (&webhook["url"], &webhook["state"], &webhook["secret"]),
        (&json!(OTHER_URL), &json!("pending"), &json!(second))
    );
    let reason = webhook["stateReason"].as_str().unwrap();
    assert!(reason.contains(URL), "{reason}");
    // After the confirmation, all events go to the new receiver, signed with its own secret.
    consents(&scene, OTHER_URL);
    scene.advance_and_settle(MINUTE);
    assert_eq!(
        state(&scene, &scene.owner),
        ("active".to_owned(), String::new())
    );
    sent(&scene);
    scene.cause_event();
    let (_, mut events) = sent(&scene);
    let event = Sent::new(events.remove(0));
    assert_eq!(event.url, OTHER_URL);
    assert_eq!(event.signatures, [event.signed_with(&second)]);
}

#[test]
fn a_path_can_be_changed_back_without_another_challenge() {
    let (scene, secret) = confirmed();
    let other = "https://hooks.assay.example/other";
    scene.answer(other, Err(FetchError::Timeout));
    // The origin is unchanged, so the secret stays the same.
    assert_eq!(scene.register(&scene.owner, other, &[0]), secret);
    let rotated = scene.post(&scene.owner, "rotate").data()["secret"].clone();
    sent(&scene);
    assert_eq!(json!(scene.register(&scene.owner, URL, &[0])), rotated);
    assert_eq!(
        state(&scene, &scene.owner),
        ("active".to_owned(), String::new())
    );
    scene.cause_event();
    let (challenges, events) = sent(&scene);
    assert_eq!((challenges.len(), events.len()), (0, 1));
    assert_eq!(events[0].url, URL);
}

#[test]
fn the_secret_of_a_new_origin_can_be_rotated_before_the_confirmation() {
    let (scene, first) = confirmed();
    scene.answer(OTHER_URL, Err(FetchError::Timeout));
    let second = scene.register(&scene.owner, OTHER_URL, &[0]);
    let third = scene.post(&scene.owner, "rotate").data()["secret"].clone();
    let third = third.as_str().unwrap();
    assert!(third != first && third != second);
    sent(&scene);
    consents(&scene, OTHER_URL);
    scene.advance_and_settle(MINUTE);
    let (mut challenges, _) = sent(&scene);
    let mut request = challenges.remove(0);
    request.limit = 0;
    let challenge = Sent::new(request);
    assert_eq!(challenge.signatures, [challenge.signed_with(third)]);
    // After the confirmation, the rotated secret of the new origin is the webhook's secret.
    let webhook = scene.world.call(scene.owner.get("/account/webhook")).data();
    assert_eq!(
        (&webhook["state"], &webhook["secret"]),
        (&json!("active"), &json!(third))
    );
}

#[test]
fn an_address_that_never_confirms_does_not_affect_the_address_in_use() {
    let (scene, _) = confirmed();
    scene.answer(OTHER_URL, Err(FetchError::Timeout));
    scene.register(&scene.owner, OTHER_URL, &[0]);
    for _ in 0..4 {
        scene.advance_and_settle(HOUR);
    }
    let (now, reason) = state(&scene, &scene.owner);
    assert_eq!(now, "pending");
    assert!(
        reason.contains("PUT /account/webhook") && reason.contains(URL),
        "{reason}"
    );
    sent(&scene);
    scene.cause_event();
    assert_eq!(sent(&scene).1.len(), 1);
    // A test event goes to the address that was registered last. The test event is refused, because this address has not confirmed.
    scene.post(&scene.owner, "test").fails(422, &[422_920]);
    // After the webhook is removed, its receivers get no requests.
    scene
        .world
        .call(scene.owner.delete("/account/webhook"))
        .data();
    scene.waiting_order();
    scene.advance_and_settle(HOUR);
    let (challenges, events) = sent(&scene);
    assert_eq!((challenges.len(), events.len()), (0, 0));
}

#[test]
fn a_receiver_failing_for_a_day_is_paused_until_registered_again() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, Err(FetchError::Timeout));
    scene.waiting_order();
    scene.cause_event();
    assert_eq!(state(&scene, &scene.owner).0, "active");
    for _ in 0..50 {
        scene.advance_and_settle(HOUR / 2);
    }
    let (state_now, reason) = state(&scene, &scene.owner);
    assert_eq!(state_now, "paused");
    assert!(
        reason.contains("PUT /account/webhook") && reason.contains("in time"),
        "{reason}"
    );
    sent(&scene);
    scene.waiting_order();
    scene.advance_and_settle(DAY);
    assert_eq!(sent(&scene).1.len(), 0);
    let deliveries = scene.deliveries(&scene.owner);
    let ended =
        |delivery: &Value| ["failed", "canceled"].contains(&delivery["state"].as_str().unwrap());
    assert!(deliveries.iter().all(ended), "{deliveries:?}");
    scene.answer(URL, text(204, ""));
    scene.register(&scene.owner, URL, &[0]);
    assert_eq!(state(&scene, &scene.owner).0, "active");
    scene.cause_event();
    assert_eq!(sent(&scene).1.len(), 1);
}

#[test]
fn a_receiver_that_answers_410_is_paused_at_once() {
    let scene = Scene::registered(&[0]);
    scene.answer(URL, text(410, ""));
    for _ in 0..3 {
        scene.waiting_order();
    }
    scene.world.host.settle();
    scene.advance_and_settle(DAY);
    assert_eq!(sent(&scene).1.len(), 1);
    let (state, reason) = state(&scene, &scene.owner);
    assert_eq!(state, "paused");
    assert!(reason.contains("410"), "{reason}");
}

/// Returns a scene in which receivers need no confirmation. They answer without a body, like receivers that were written
/// for another service.
fn unconfirmed() -> Scene {
    let scene = Scene::with(&[("WEBHOOK_CONFIRMATION", "off")]);
    scene.service.borrow().http.leave_challenges();
    for url in [URL, OTHER_URL] {
        scene.answer(url, text(204, ""));
    }
    scene
}

#[test]
fn without_confirmation_a_webhook_is_active_without_a_challenge() {
    let scene = unconfirmed();
    let body = json!({ "url": URL, "events": [0] });
    let call = scene.owner.put("/account/webhook", &body);
    let answer = scene.world.call(call).data();
    assert_eq!(
        (&answer["state"], &answer["stateReason"]),
        (&json!("active"), &json!(null))
    );
    scene.waiting_order();
    assert_eq!(scene.post(&scene.owner, "test").status, 201);
    scene.advance_and_settle(0);
    let (challenges, events) = sent(&scene);
    assert_eq!((challenges.len(), events.len()), (0, 2));
    scene.advance_and_settle(DAY);
    assert_eq!(sent(&scene).0.len(), 0);
}

#[test]
fn without_confirmation_a_new_address_gets_the_waiting_events() {
    let scene = unconfirmed();
    scene.answer(URL, text(500, ""));
    scene.register(&scene.owner, URL, &[0]);
    scene.cause_event();
    assert_eq!(sent(&scene).1.len(), 1);
    scene.register(&scene.owner, OTHER_URL, &[0]);
    scene.advance_and_settle(MINUTE);
    let (challenges, events) = sent(&scene);
    let urls: Vec<&str> = events.iter().map(|event| event.url.as_str()).collect();
    assert_eq!((challenges.len(), urls), (0, vec![OTHER_URL]));
}

#[test]
fn without_confirmation_a_paused_webhook_resumes_with_the_next_put() {
    let scene = unconfirmed();
    scene.answer(URL, text(410, ""));
    scene.register(&scene.owner, URL, &[0]);
    scene.cause_event();
    assert_eq!(state(&scene, &scene.owner).0, "paused");
    scene.answer(URL, answers(200));
    scene.register(&scene.owner, URL, &[0]);
    assert_eq!(
        state(&scene, &scene.owner),
        ("active".to_owned(), String::new())
    );
    assert_eq!(scene.post(&scene.owner, "test").status, 201);
    sent(&scene);
    scene.world.host.settle();
    assert_eq!(sent(&scene).1.len(), 1);
}

#[test]
fn without_confirmation_a_host_still_has_a_daily_event_limit() {
    let scene = unconfirmed();
    scene.register(&scene.owner, URL, &[0]);
    let day = scene.world.host.now() / DAY;
    let spent = format!(
        "INSERT INTO quotas (key, period, used, expires_at) VALUES ('events:host:hooks.assay.example', {day}, 50000, {})",
        (day + 1) * DAY
    );
    scene.service.borrow().database.execute(&spent).unwrap();
    scene.cause_event();
    assert_eq!(sent(&scene).1.len(), 0);
    assert!(state(&scene, &scene.owner).1.contains("50000"));
}

/// Makes a receiver answer only challenges whose only signature is made with the secret in the returned cell.
fn checks(scene: &Scene, base: &str) -> Rc<RefCell<Option<String>>> {
    let known = Rc::new(RefCell::new(None));
    let secret = Rc::clone(&known);
    serve(scene, base, move |request| {
        let Some(challenge) = challenge_of(request) else {
            return text(204, "");
        };
        let sent = Sent::new(Fetch {
            limit: 0,
            ..request.clone()
        });
        let expected = secret.borrow().as_deref().map(|it| sent.signed_with(it));
        if expected.is_some_and(|expected| sent.signatures == [expected]) {
            text(200, challenge)
        } else {
            text(401, "")
        }
    });
    known
}

/// Registers a webhook with a given secret, and lets the service do the work that is due immediately.
fn register_with(scene: &Scene, url: &str, secret: &str) -> Value {
    let body = json!({ "url": url, "events": [0], "secret": secret });
    let made = scene
        .world
        .call(scene.owner.put("/account/webhook", &body))
        .data();
    assert_eq!(made["secret"], json!(secret));
    scene.world.host.settle();
    made
}

#[test]
fn a_receiver_that_gets_the_secret_from_the_answer_confirms() {
    for restarts in [false, true] {
        for misses_the_first in [false, true] {
            let scene = scene();
            let known = checks(&scene, URL);
            let body = json!({ "url": URL, "events": [0] });
            let call = scene.owner.put("/account/webhook", &body);
            let secret = scene.world.call(call).data()["secret"].clone();
            let lose_messages = || {
                if restarts {
                    let queue = Rc::clone(&scene.service.borrow().queue);
                    while queue.take().is_some() {}
                }
            };
            // No challenge is sent while the answer is on its way.
            scene.world.host.settle();
            assert_eq!(sent(&scene).0.len(), 0);
            if misses_the_first {
                lose_messages();
                scene.advance_and_settle(FIRST_CHALLENGE);
                assert_eq!(state(&scene, &scene.owner).0, "pending");
            }
            *known.borrow_mut() = secret.as_str().map(str::to_owned);
            scene.world.host.advance(MINUTE / 2);
            lose_messages();
            scene.world.host.settle();
            assert_eq!(state(&scene, &scene.owner).0, "active");
        }
    }
}

#[test]
fn with_a_given_secret_the_challenge_is_sent_immediately() {
    let scene = scene();
    *checks(&scene, URL).borrow_mut() = Some(WEBHOOK_SECRET.to_owned());
    register_with(&scene, URL, WEBHOOK_SECRET);
    assert_eq!(sent(&scene).0.len(), 1);
    assert_eq!(state(&scene, &scene.owner).0, "active");
}

#[test]
fn a_given_secret_replaces_the_secret_of_the_address_in_use() {
    let (scene, before) = confirmed();
    sent(&scene);
    // A repeated request changes nothing.
    for _ in 0..2 {
        let made = register_with(&scene, URL, WEBHOOK_SECRET);
        assert_eq!(made["state"], "active");
    }
    scene.cause_event();
    scene.advance_and_settle(DAY);
    scene.cause_event();
    let (challenges, events) = sent(&scene);
    assert_eq!(challenges.len(), 0);
    let [first, last] = [0, 1].map(|index| Sent::new(events[index].clone()));
    let expected = [WEBHOOK_SECRET, &before].map(|secret| first.signed_with(secret));
    assert_eq!(first.signatures, expected);
    assert_eq!(last.signatures, [last.signed_with(WEBHOOK_SECRET)]);
}

#[test]
fn a_new_address_gets_the_given_secret_once_it_confirms() {
    for url in ["https://hooks.assay.example/other", OTHER_URL] {
        let (scene, before) = confirmed();
        let known = checks(&scene, url);
        register_with(&scene, url, WEBHOOK_SECRET);
        sent(&scene);
        scene.cause_event();
        let event = Sent::new(sent(&scene).1.remove(0));
        assert_eq!(event.signatures, [event.signed_with(&before)], "{url}");
        // Another challenge without a secret is signed with the given secret.
        *known.borrow_mut() = Some(WEBHOOK_SECRET.to_owned());
        assert_eq!(scene.register(&scene.owner, url, &[0]), WEBHOOK_SECRET);
        assert_eq!(state(&scene, &scene.owner).0, "active", "{url}");
        sent(&scene);
        scene.cause_event();
        let event = Sent::new(sent(&scene).1.remove(0));
        let expected = [event.signed_with(WEBHOOK_SECRET)];
        assert_eq!(
            (event.url.as_str(), event.signatures),
            (url, expected.to_vec())
        );
    }
}

#[test]
fn a_pending_address_can_get_another_given_secret() {
    let scene = scene();
    let known = checks(&scene, URL);
    scene.register(&scene.owner, URL, &[0]);
    assert_eq!(state(&scene, &scene.owner).0, "pending");
    *known.borrow_mut() = Some(WEBHOOK_SECRET.to_owned());
    register_with(&scene, URL, WEBHOOK_SECRET);
    assert_eq!(state(&scene, &scene.owner).0, "active");
}

#[test]
fn a_given_secret_is_not_logged() {
    let scene = scene();
    scene.answer(URL, Err(FetchError::Timeout));
    register_with(&scene, URL, WEBHOOK_SECRET);
    let requests = scene.world.call(scene.owner.get("/requests")).data();
    assert!(!requests.to_string().contains("MfKQ9r8"));
    let lines = scene.service.borrow().log.lines();
    assert!(!format!("{lines:?}").contains("MfKQ9r8"));
}

#[test]
fn without_confirmation_a_given_secret_signs_immediately() {
    let scene = unconfirmed();
    let before = scene.register(&scene.owner, URL, &[0]);
    register_with(&scene, URL, WEBHOOK_SECRET);
    scene.cause_event();
    register_with(&scene, OTHER_URL, WEBHOOK_SECRET);
    scene.cause_event();
    let (_, events) = sent(&scene);
    let [first, last] = [0, 1].map(|index| Sent::new(events[index].clone()));
    let expected = [WEBHOOK_SECRET, &before].map(|secret| first.signed_with(secret));
    assert_eq!(first.signatures, expected);
    assert_eq!(
        (last.url.as_str(), &last.signatures),
        (OTHER_URL, &vec![last.signed_with(WEBHOOK_SECRET)])
    );
}
