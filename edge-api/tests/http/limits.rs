//! Rate limits: the service counts requests by client address and by account, and announces the limits. A client that
//! exceeds a limit does not affect other clients.

use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{self, Answer, Call, Host, SETTINGS};

const WINDOW: u64 = 10_000;
const POLICY: &str = "ratelimit-policy";

fn with(more: &[(&'static str, &'static str)]) -> Vec<(&'static str, &'static str)> {
    [SETTINGS, more].concat()
}

/// Repeats a call until the rate limit refuses it, and returns the refusal. The runtime's windows end at fixed times. At
/// most one of them ends during the calls, so 30 calls always exceed the limits of these tests.
#[track_caller]
pub fn exceeded(host: &dyn Host, call: &Call) -> Answer {
    let answers = (0..30).map(|_| host.call(call.clone()));
    let refused = answers.into_iter().find(|answer| answer.status == 429);
    let refused = refused.expect("a limit");
    if !refused
        .header("content-type")
        .is_some_and(|media| media.starts_with("image/"))
    {
        refused.fails(429, &[429_000]);
    }
    assert_eq!(refused.header("retry-after"), Some("10"));
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    let exposed = refused
        .header("access-control-expose-headers")
        .expect("CORS");
    assert!(exposed.contains("retry-after") && exposed.contains(POLICY));
    refused
}

#[test]
fn each_client_address_has_its_own_limit() {
    let host = support::own(&with(&[("RATE_LIMIT_ADDRESS", "6/10")]));
    let tickers = Call::get("/stats/tickers");
    let first = host.call(tickers.clone());
    assert_eq!(
        (first.status, first.header(POLICY)),
        (200, Some("\"address\";q=6;w=10"))
    );
    let refused = exceeded(host.as_ref(), &tickers);
    assert_eq!(refused.header(POLICY), first.header(POLICY));
    // Requests are counted before the account is known, so requests with random signatures count against the limit of the address.
    exceeded(host.as_ref(), &Call::get("/account"));
    exceeded(host.as_ref(), &Person::new().get("/account"));
    // Unknown paths and methods get their own errors, even if the limit is used up.
    host.call(Call::get("/nothing")).fails(404, &[400_000]);
    host.call(Call::new("DELETE", "/orders"))
        .fails(405, &[405_000]);
    assert_eq!(host.call(tickers.from("198.51.100.7")).status, 200);
}

#[test]
fn an_accounts_limit_applies_across_client_addresses() {
    let host = support::own(&with(&[("RATE_LIMIT_ACCOUNT", "6/10")]));
    let (one, other) = (Person::new(), Person::new());
    let first = host.call(one.get("/account"));
    assert_eq!(first.header(POLICY), Some("\"account\";q=6;w=10"));
    exceeded(host.as_ref(), &one.get("/account"));
    exceeded(host.as_ref(), &one.get("/orders").from("198.51.100.8"));
    // An account's limit affects only that account. On a public route, the signature is not checked, so no account is
    // counted.
    assert_eq!(host.call(other.get("/account")).status, 200);
    let claimed = one.get("/account");
    let public = Call {
        headers: claimed.headers,
        ..Call::get("/stats/tickers")
    };
    let answer = host.call(public);
    assert_eq!((answer.status, answer.header(POLICY)), (200, None));
    for _ in 0..20 {
        let forged = Call::get("/account").header("authorization", "3:0x00");
        host.call(forged).fails(401, &[400_001]);
    }
    assert_eq!(host.call(other.get("/account")).status, 200);
}

#[test]
fn answers_state_both_limits() {
    let host = support::shared(&with(&[
        ("RATE_LIMIT_ADDRESS", "100000/60"),
        ("RATE_LIMIT_ACCOUNT", "50000/10"),
    ]));
    let policy = |call: Call| host.call(call).header(POLICY).map(str::to_owned);
    let both = Some("\"address\";q=100000;w=60, \"account\";q=50000;w=10".to_owned());
    assert_eq!(policy(Person::new().get("/account")), both);
    assert_eq!(policy(Call::get("/account")), both);
    assert_eq!(
        policy(Call::get("/badge")),
        Some("\"address\";q=100000;w=60".to_owned())
    );
    for path in ["/health", "/nothing"] {
        assert_eq!(policy(Call::get(path)), None, "{path}");
    }
    let health = host.call(Call::get("/health")).data();
    assert_eq!(
        health["rateLimits"],
        json!({ "address": "100000/60", "account": "50000/10" })
    );
}

#[test]
fn probes_and_preflights_are_not_counted() {
    let host = support::own(&with(&[("RATE_LIMIT_ADDRESS", "3/10")]));
    exceeded(host.as_ref(), &Call::get("/stats/tickers"));
    for _ in 0..20 {
        assert_eq!(host.call(Call::get("/health")).status, 200);
        assert_eq!(host.call(Call::new("OPTIONS", "/orders")).status, 204);
    }
    // Requests to the payment provider's route are counted too.
    let event = Call::new("POST", "/deposits/stripe").raw("application/json", "{}");
    exceeded(host.as_ref(), &event);
}

#[test]
fn the_body_of_a_rate_limited_request_is_not_read() {
    let service = Service::new(&with(&[("RATE_LIMIT_ADDRESS", "1/10")]));
    let call = |call: Call| (service.call(call).status, service.read.take());
    let megabyte = vec![b' '; 1 << 20];
    let post = |path: &str| Call::new("POST", path).raw("application/json", megabyte.clone());
    assert_eq!(call(post("/orders")), (401, 1 << 20));
    assert_eq!(call(post("/orders")), (429, 0));
    assert_eq!(call(post("/deposits/stripe")), (429, 0));
    service.advance(WINDOW);
    // The service does not read the body of a request whose route takes none.
    let perform = Call::new("PUT", "/orders/x/perform").raw("application/json", megabyte.clone());
    assert_eq!(call(perform), (401, 0));
}

#[test]
fn the_log_does_not_contain_client_addresses() {
    let service = Service::new(&with(&[("RATE_LIMIT_ADDRESS", "1/10")]));
    for _ in 0..2 {
        service.call(Call::get("/stats/tickers").from("198.51.100.77"));
    }
    let lines = format!("{:?}", service.log.lines());
    assert!(lines.contains("over the limit: address"), "{lines}");
    assert!(!lines.contains("198.51.100"), "{lines}");
}

#[test]
fn a_rate_limited_badge_is_an_image() {
    let host = support::own(&with(&[("RATE_LIMIT_ADDRESS", "3/10")]));
    let badge = Call::get("/badge?ledgerId=0x1111111111111111111111111111111111111111&assetId=1");
    let image = exceeded(
        host.as_ref(),
        &badge.clone().header("accept", "image/avif,image/*"),
    );
    assert_eq!(image.header("content-type"), Some("image/svg+xml"));
    let envelope = exceeded(host.as_ref(), &badge);
    for answer in [image, envelope] {
        assert_eq!(answer.header("x-asset-validity"), Some("unknown"));
        assert_eq!(answer.header(POLICY), Some("\"address\";q=3;w=10"));
    }
}

#[test]
fn requests_are_allowed_again_in_the_next_window() {
    let service = Service::new(&with(&[
        ("RATE_LIMIT_ADDRESS", "2/10"),
        ("RATE_LIMIT_ACCOUNT", "1/60"),
    ]));
    let tickers = || service.call(Call::get("/stats/tickers")).status;
    assert_eq!(
        [tickers(), tickers(), tickers(), tickers()],
        [200, 200, 429, 429]
    );
    service.advance(WINDOW);
    assert_eq!([tickers(), tickers(), tickers()], [200, 200, 429]);
    let person = Person::new();
    let account = |address: &str| service.call(person.get("/account").from(address));
    assert_eq!(account("192.0.2.2").status, 200);
    let refused = account("192.0.2.3");
    refused.fails(429, &[429_000]);
    assert_eq!(refused.header("retry-after"), Some("60"));
    service.advance(6 * WINDOW);
    assert_eq!(account("192.0.2.4").status, 200);
}

#[test]
fn a_refusal_is_not_stored_for_its_idempotency_key() {
    // This test always uses a service in this process, because a test cannot move the clock of the runtime's rate
    // limiter.
    let service = Service::new(&with(&[("RATE_LIMIT_ACCOUNT", "8/10")]));
    let world = World::on(Box::new(service));
    let person = Person::new();
    let deposit = |key: &str| {
        person
            .post("/deposits", &json!({ "amount": 1000 }))
            .header("idempotency-key", key)
    };
    let first = loop {
        let answer = world.call(deposit("a"));
        if answer.status == 201 {
            break answer;
        }
    };
    exceeded(world.host.as_ref(), &person.get("/account"));
    world.call(deposit("b")).fails(429, &[429_000]);
    world.host.advance(WINDOW);
    let second = world.call(deposit("b"));
    assert_eq!(
        (second.status, second.header("idempotency-replayed")),
        (201, None)
    );
    assert_ne!(second.body, first.body);
    // A replayed answer shows the current policy too.
    let again = world.call(deposit("b"));
    assert_eq!(again.header("idempotency-replayed"), Some("true"));
    assert_eq!(again.header(POLICY), Some("\"account\";q=8;w=10"));
}

#[test]
fn a_rate_limited_request_leaves_only_a_log_line() {
    let service = Service::new(&with(&[("RATE_LIMIT_ACCOUNT", "1/10")]));
    let person = Person::new();
    service
        .call(person.post("/deposits", &json!({ "amount": 1000 })))
        .data();
    let trips = service.database.round_trips();
    let refused = service.call(person.get("/account"));
    refused.fails(429, &[429_000]);
    // The only round trip reads the clock of the development instance.
    assert_eq!(service.database.round_trips(), trips + 1);
    let lines = service.log.lines();
    let line = lines
        .iter()
        .map(|(_, line)| line)
        .find(|line| line["status"] == 429)
        .expect("a line");
    assert_eq!(
        line["why"],
        json!(format!(
            "over the limit: account {}",
            person.id().to_string().to_lowercase()
        ))
    );
    service.advance(WINDOW);
    let logged = service.call(person.get("/requests")).data();
    let statuses: Vec<&Value> = logged
        .as_array()
        .expect("a list")
        .iter()
        .map(|request| &request["status"])
        .collect();
    assert_eq!(statuses, [&json!(201)]);
}

#[test]
fn ipv6_addresses_of_one_network_share_a_limit() {
    let service = Service::new(&with(&[("RATE_LIMIT_ADDRESS", "1/10")]));
    let tickers = |address: &str| {
        service
            .call(Call::get("/stats/tickers").from(address))
            .status
    };
    assert_eq!(tickers("2001:db8:1:2::1"), 200);
    assert_eq!(tickers("2001:db8:1:2:3:4:5:6"), 429);
    assert_eq!(tickers("2001:db8:1:3::1"), 200);
    // Clients without an address are not limited, because they would share a limit with unrelated clients.
    assert_eq!([tickers(""), tickers("")], [200, 200]);
}

#[test]
fn requests_are_allowed_if_the_limiter_fails() {
    let limits = with(&[
        ("RATE_LIMIT_ADDRESS", "1/10"),
        ("RATE_LIMIT_ACCOUNT", "1/10"),
    ]);
    let person = Person::new();
    let missing = Service::new(&limits);
    missing.limiter.remove();
    for _ in 0..3 {
        let answer = missing.call(person.get("/account"));
        assert_eq!((answer.status, answer.header(POLICY)), (200, None));
    }
    let health = missing.call(Call::get("/health")).data();
    assert_eq!(
        health["rateLimits"],
        json!({ "address": null, "account": null })
    );
    let broken = Service::new(&limits);
    broken.limiter.break_down();
    for _ in 0..3 {
        assert_eq!(broken.call(person.get("/account")).status, 200);
    }
    let noted = |(_, line): &(_, Value)| line["event"] == "limit.not-counted";
    assert_eq!(
        broken.log.lines().iter().filter(|line| noted(line)).count(),
        6
    );
}
