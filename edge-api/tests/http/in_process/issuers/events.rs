//! Events about a confirmed domain that fails: the account gets one before the confirmation ends, and each change has one event.

use super::*;

const HOOK: &str = "https://hooks.assay.example/domains";
/// Milliseconds from a registration to its first challenge.
const FIRST_CHALLENGE: u64 = 10_000;

impl Scene {
    /// Registers a webhook for these kinds. Its receiver accepts all events.
    fn listen(&self, person: &Person, url: &str, kinds: &[u8]) {
        self.service.borrow().http.set(url, Ok(fetched(200, "")));
        let body = json!({ "url": url, "events": kinds });
        self.world
            .call(person.put("/account/webhook", &body))
            .data();
        self.advance(FIRST_CHALLENGE);
    }

    /// Returns a scene with a confirmed domain and a webhook for events about domains.
    fn confirmed() -> Self {
        let scene = Self::new();
        scene.listen(&scene.owner, HOOK, &[5]);
        scene.publish(json!({}));
        assert_eq!(scene.named(&scene.owner, UNI)["state"], "confirmed");
        scene
    }

    /// Returns the events that an address received since the last call.
    fn received(&self, url: &str) -> Vec<Value> {
        // A sweep queues the delivery of the events that it causes.
        self.world.host.settle();
        let sent = self.service.borrow().http.take_sent();
        let events = sent.into_iter().filter(|fetch| fetch.url == url);
        events
            .map(|fetch| serde_json::from_slice(&fetch.body.expect("a POST")).expect("JSON"))
            .collect()
    }

    /// Returns the states and reasons of the events since the last call.
    fn told(&self) -> Vec<(Value, Value)> {
        let events = self.received(HOOK);
        let about = |event: &Value| {
            assert_eq!(
                (&event["kind"], &event["requestRef"]),
                (&json!(5), &json!(null))
            );
            assert_eq!(event["domain"]["domain"], UNI);
            (
                event["domain"]["state"].clone(),
                event["domain"]["reason"].clone(),
            )
        };
        events.iter().map(about).collect()
    }

    /// Passes this time in hours, with a sweep after each.
    fn pass(&self, hours: u64) {
        for _ in 0..hours {
            self.advance(HOUR);
        }
    }
}

/// Returns an event's state and reason, as [`Scene::told`] does.
fn told(state: &str, reason: Option<&str>) -> (Value, Value) {
    (json!(state), json!(reason))
}

#[test]
fn a_website_without_the_file_is_reported_a_day_before_the_confirmation_ends() {
    let scene = Scene::confirmed();
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.advance(DAY);
    let failing = scene.domain(&scene.owner);
    let events = scene.received(HOOK);
    assert_eq!(events.len(), 1, "{events:?}");
    let about = &events[0]["domain"];
    assert_eq!(about["state"], "confirmed");
    assert_eq!(about["displayDomain"], UNI);
    assert_eq!(about["confirmedUntil"], failing["confirmedUntil"]);
    assert_eq!(about["reason"], "missing");
    assert!(about["message"].as_str().expect("advice").contains("404"));
    assert_eq!(scene.issuer().1, "confirmed");
    // The following failures change nothing, so they have no event.
    scene.pass(24);
    assert_eq!(scene.told(), []);
    assert_eq!(scene.issuer().1, "confirmed");
    scene.advance(1);
    assert_eq!(scene.told(), [told("notConfirmed", Some("missing"))]);
    assert_eq!(scene.issuer().1, "wasConfirmed");
    scene.pass(72);
    assert_eq!(scene.told(), []);
    scene.publish(json!({}));
    scene.advance(DAY);
    assert_eq!(scene.told(), [told("confirmed", None)]);
}

#[test]
fn a_failure_that_ends_within_the_day_leaves_the_confirmed_period_whole() {
    let scene = Scene::confirmed();
    let first = scene.domain(&scene.owner);
    scene.serve(UNI, Ok(fetched(200, "<!doctype html>")));
    scene.advance(DAY);
    assert_eq!(scene.told(), [told("confirmed", Some("html"))]);
    scene.publish(json!({}));
    scene.advance(HOUR);
    assert_eq!(scene.told(), [told("confirmed", None)]);
    let again = scene.domain(&scene.owner);
    assert_eq!(again["firstSeen"], first["firstSeen"]);
    assert_eq!(
        (&again["confirmedUntil"], &again["earlier"]),
        (&Value::Null, &json!([]))
    );
    // The checks are daily again.
    scene.asked();
    scene.pass(23);
    assert_eq!(scene.asked(), [] as [String; 0]);
}

#[test]
fn a_server_that_does_not_answer_is_reported_six_days_before_the_end() {
    let scene = Scene::confirmed();
    scene.serve(UNI, Err(FetchError::Timeout));
    scene.advance(DAY);
    assert_eq!(scene.told(), [told("confirmed", Some("timeout"))]);
    scene.pass(6 * 24);
    assert_eq!(scene.told(), []);
    assert_eq!(scene.issuer().1, "confirmed");
    scene.advance(1);
    assert_eq!(scene.told(), [told("notConfirmed", Some("timeout"))]);
    assert_eq!(scene.issuer().1, "wasConfirmed");
}

#[test]
fn no_failure_extends_the_time_that_is_left() {
    // The first server never answers, and then answers 404 shortly before the end of the week.
    let scene = Scene::confirmed();
    scene.serve(UNI, Err(FetchError::Timeout));
    scene.pass(7 * 24 - 2);
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.advance(HOUR);
    scene.told();
    scene.advance(HOUR + 1);
    assert_eq!(scene.told(), [told("notConfirmed", Some("missing"))]);
    // The second server answers 404, and then not at all. The account sets the domain again meanwhile.
    let scene = Scene::confirmed();
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.advance(DAY);
    let until = scene.domain(&scene.owner)["confirmedUntil"].clone();
    scene.serve(UNI, Err(FetchError::Timeout));
    for _ in 0..23 {
        scene.advance(HOUR);
        let named = scene.named(&scene.owner, UNI);
        assert_eq!(
            (&named["state"], &named["confirmedUntil"]),
            (&json!("confirmed"), &until)
        );
    }
    scene.told();
    scene.advance(HOUR + 1);
    assert_eq!(scene.told(), [told("notConfirmed", Some("timeout"))]);
}

#[test]
fn a_statement_of_the_domain_counts_at_once() {
    let scene = Scene::confirmed();
    let silent = file(UNI, &Person::new(), json!({})).to_string();
    scene.serve(UNI, Ok(fetched(200, silent)));
    scene.advance(DAY);
    assert_eq!(scene.told(), [told("notConfirmed", Some("not-listed"))]);
    assert_eq!(scene.issuer().1, "wasConfirmed");
    scene.publish(json!({ "revoked": [scene.owner.id()] }));
    scene.advance(DAY);
    assert_eq!(scene.told(), [told("disowned", Some("revoked"))]);
    scene.advance(DAY);
    assert_eq!(scene.told(), []);
    // While the domain fails, a statement ends the confirmation without waiting for the day's end.
    let scene = Scene::confirmed();
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.advance(DAY);
    scene.publish(json!({ "revoked": [scene.owner.id()] }));
    scene.told();
    scene.advance(HOUR);
    assert_eq!(scene.told(), [told("disowned", Some("revoked"))]);
}

#[test]
fn a_domain_that_never_confirmed_causes_no_event() {
    let scene = Scene::new();
    scene.listen(&scene.owner, HOOK, &[]);
    scene.serve(UNI, Ok(fetched(404, "")));
    assert_eq!(scene.named(&scene.owner, UNI)["state"], "notConfirmed");
    scene.publish(json!({ "revoked": [scene.owner.id()] }));
    scene.advance(DAY);
    scene.publish(json!({}));
    scene.advance(DAY);
    assert_eq!(scene.domain(&scene.owner)["state"], "confirmed");
    assert_eq!(scene.told(), []);
}

#[test]
fn only_subscribers_among_the_accounts_of_the_domain_get_the_event() {
    let scene = Scene::new();
    let other = scene.world.funded();
    let other_hook = "https://hooks.assay.example/other";
    scene.listen(&scene.owner, HOOK, &[0, 1, 2, 3, 4]);
    scene.listen(&other, other_hook, &[]);
    let mut both = file(UNI, &scene.owner, json!({}));
    let second = file(UNI, &other, json!({}))["assertionMethod"][0].take();
    both["assertionMethod"]
        .as_array_mut()
        .expect("a list")
        .push(second);
    scene.serve(UNI, Ok(fetched(200, both.to_string())));
    for person in [&scene.owner, &other] {
        assert_eq!(scene.named(person, UNI)["state"], "confirmed");
    }
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.asked();
    scene.advance(DAY);
    scene.world.host.settle();
    let sent = scene.service.borrow().http.take_sent();
    let hooks = sent.iter().filter(|fetch| fetch.url.contains("hooks."));
    let hooks: Vec<&str> = hooks.map(|fetch| fetch.url.as_str()).collect();
    assert_eq!(hooks, [other_hook]);
}

#[test]
fn an_account_without_tokens_is_told_that_its_checks_end() {
    let scene = Scene::new();
    let poor = Person::new();
    scene.listen(&poor, HOOK, &[]);
    let text = file(UNI, &poor, json!({})).to_string();
    scene.serve(UNI, Ok(fetched(200, text)));
    assert_eq!(scene.named(&poor, UNI)["state"], "confirmed");
    scene.advance(DAY);
    assert_eq!(scene.told(), [told("confirmed", Some("unfunded"))]);
    let found = scene.domain(&poor);
    assert_eq!(found["nextCheckAt"], Value::Null);
    assert!(found["confirmedUntil"].is_string(), "{found}");
    scene.pass(24);
    assert_eq!(scene.told(), []);
}

#[test]
fn an_outcome_that_comes_too_late_has_no_event() {
    let scene = Scene::confirmed();
    let database = Rc::clone(&scene.service.borrow().database);
    // The account sets the domain again while the check waits for the server.
    scene.service.borrow().http.serve(&url(UNI), move |_| {
        let set = "UPDATE issuer_checks SET asked_at = asked_at + 1, check_at = 9007199254740991";
        database.run(&[Statement::new(set)]).expect("set");
        Ok(fetched(404, ""))
    });
    scene.advance(DAY);
    assert_eq!(scene.told(), []);
    assert_eq!(
        (scene.stored("reason"), scene.stored("confirmed_until")),
        (Value::Null, Value::Null)
    );
}

#[test]
fn the_quota_of_checks_bounds_the_events_of_a_day() {
    let scene = Scene::confirmed();
    // Quotas count from midnight.
    scene.advance(3 * HOUR);
    let mut events = 0;
    for round in 0..230 {
        if round % 2 == 0 {
            scene.serve(UNI, Ok(fetched(404, "")));
        } else {
            scene.publish(json!({}));
        }
        scene.named(&scene.owner, UNI);
        scene.advance(60_000);
        events += scene.told().len();
    }
    assert_eq!(events, 200);
}
