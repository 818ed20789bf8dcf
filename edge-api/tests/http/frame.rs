//! Behaviour that all routes share.

use serde_json::json;

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{self, Call, Host, SETTINGS};

#[test]
fn a_successful_answer_is_an_envelope_with_the_request_id() {
    let host = support::service();
    let answer = host.call(Person::new().get("/account"));
    let envelope = answer.json();
    assert_eq!(answer.status, 200);
    assert_eq!(envelope["status"], 200);
    assert_eq!(envelope["id"].as_str(), answer.header("x-request-id"));
    assert!(
        envelope["data"].is_object() && envelope["meta"].is_object(),
        "{envelope}"
    );
    assert_eq!(
        answer.header("content-type"),
        Some("application/json; charset=utf-8")
    );
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("cache-control"), Some("no-store"));
    let other = host.call(Person::new().get("/account"));
    assert_ne!(other.header("x-request-id"), answer.header("x-request-id"));
}

#[test]
fn unknown_paths_are_400000() {
    let host = support::service();
    for path in [
        "/nothing",
        "/orders/a/b/c",
        "/account/x",
        "//orders",
        "/Orders",
        "/orders;x",
        "/%",
    ] {
        host.call(Call::get(path)).fails(404, &[400_000]);
    }
}

#[test]
fn an_unknown_method_is_405_with_the_allowed_methods() {
    let host = support::service();
    let answer = host.call(Call::new("DELETE", "/orders"));
    answer.fails(405, &[405_000]);
    assert_eq!(answer.header("allow"), Some("POST, GET"));
    host.call(Call::new("PATCH", "/orders/a"))
        .fails(405, &[405_000]);
}

#[test]
fn preflights_are_answered_without_authorization() {
    let host = support::service();
    let call = Call::new("OPTIONS", "/orders")
        .header("origin", "https://example.com")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,content-type",
        );
    let answer = host.call(call);
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert!(
        answer
            .header("access-control-allow-methods")
            .is_some_and(|methods| methods.contains("PUT"))
    );
    assert!(
        answer
            .header("access-control-allow-headers")
            .is_some_and(|headers| headers.contains("authorization"))
    );
}

#[test]
fn private_routes_need_a_valid_authorization_header() {
    let host = support::service();
    let good = Person::new().authorization();
    let (kind, signature) = good.split_once(':').unwrap();
    let wrong = [
        String::new(),
        "0".to_owned(),
        signature.to_owned(),
        format!("1:{signature}"),
        format!("2:{signature}"),
        format!("4:{signature}"),
        format!("{kind}:{}", &signature[..signature.len() - 2]),
        format!("{kind}:{signature}00"),
        format!("{kind} :{signature}"),
        format!("{kind}:0x{}", "0".repeat(130)),
        format!("{kind}:0x{}", "f".repeat(130)),
    ];
    host.call(Call::get("/account")).fails(401, &[400_001]);
    for value in wrong {
        host.call(Call::get("/account").header("authorization", &value))
            .fails(401, &[400_001]);
    }
    // A signature is not accepted as a bearer token.
    let bearer = Call::get("/account").header("authorization", &format!("Bearer {good}"));
    host.call(bearer).fails(401, &[401_001]);
    // The valid header is accepted. Its account is new and has no tokens.
    let account = host
        .call(Call::get("/account").header("authorization", &good))
        .data();
    assert_eq!(account["balance"], "0");
}

#[test]
fn both_signature_types_recover_to_the_same_account() {
    let host = support::service();
    let person = Person::new();
    let personal = person.authorization();
    let (_, signature) = personal.split_once(':').unwrap();
    for kind in ["0", "3"] {
        let answer = host
            .call(Call::get("/account").header("authorization", &format!("{kind}:{signature}")));
        assert_eq!(answer.data()["id"], json!(person.id()));
    }
}

#[test]
fn bodies_are_parsed_before_the_authorization_is_checked() {
    let host = support::service();
    let person = Person::new();
    let post = |body: &[u8]| {
        Call::new("POST", "/orders")
            .header("authorization", &person.authorization())
            .raw("application/json", body)
    };
    let broken: &[&[u8]] = &[
        b"{",
        b"nonsense",
        b"{\"a\":1,}",
        b"{} {}",
        b"\"\\ud800\"",
        b"\xff\xfe",
        b"{\"a\":\"\xc3\"}",
        b"[1e400]",
        b"\0",
    ];
    for body in broken {
        host.call(post(body)).fails(400, &[400_100]);
    }
    let deep = [vec![b'['; 1 << 19], vec![b']'; 1 << 19]].concat();
    host.call(post(&deep)).fails(400, &[400_100]);
    host.call(post(&vec![b' '; (1 << 20) + 1]))
        .fails(413, &[413_000]);
    host.call(post(
        &[b"\"".to_vec(), vec![b'a'; 1 << 20], b"\"".to_vec()].concat(),
    ))
    .fails(413, &[413_000]);
    host.call(
        Call::new("POST", "/orders")
            .header("authorization", &person.authorization())
            .raw("text/xml", "<a/>"),
    )
    .fails(415, &[415_000]);
    // An unreadable body is refused before the authorization is checked, so the service need not recover the signer.
    host.call(Call::new("POST", "/orders").raw("application/json", "{"))
        .fails(400, &[400_100]);
}

#[test]
fn a_json_body_that_is_not_an_object_lacks_all_fields() {
    let host = support::service();
    let person = Person::new();
    let empty = host.call(person.post("/orders", &json!({}))).codes();
    assert!(
        empty.contains(&422_009) && empty.contains(&422_010),
        "{empty:?}"
    );
    for body in [
        json!([]),
        json!(null),
        json!(1),
        json!("text"),
        json!({ "order": [] }),
        json!({ "order": "x", "priority": {} }),
    ] {
        let answer = host.call(person.post("/orders", &body));
        assert_eq!(
            (answer.status, answer.codes()),
            (422, empty.clone()),
            "{body}"
        );
    }
    let nothing = Call::new("POST", "/orders").header("authorization", &person.authorization());
    assert_eq!(host.call(nothing).codes(), empty);
}

#[test]
fn head_is_get_without_a_body() {
    let host = support::service();
    let answer = host.call(Call::new("HEAD", "/health"));
    assert_eq!((answer.status, answer.body.len()), (200, 0));
}

#[test]
fn every_request_is_one_log_line_without_its_credentials() {
    let service = Service::new(SETTINGS);
    let person = Person::new();
    let answer = service.call(person.post("/orders", &json!({ "order": "secret" })));
    let lines = service.log.lines();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let line = &lines[0].1;
    assert_eq!(
        (&line["route"], &line["status"], &line["method"]),
        (&json!("/orders"), &json!(422), &json!("POST"))
    );
    assert_eq!(line["id"].as_str(), answer.header("x-request-id"));
    assert_eq!(line["account"], json!(person.id()));
    assert_eq!(
        line["errors"].as_array().map(Vec::len),
        answer.json()["errors"].as_array().map(Vec::len)
    );
    let text = line.to_string();
    assert!(
        !text.contains(&person.authorization()[10..60]) && !text.contains("secret"),
        "{text}"
    );
}

#[test]
fn health_lists_weakening_settings() {
    let health = support::service().call(Call::get("/health")).data();
    assert_eq!(
        health["weakening"],
        json!([
            "ENVIRONMENT=development",
            "DEPOSITS=test",
            "ALLOW_PRIVATE_FETCH",
            "MOVABLE_CLOCK",
            "SERVICE_NAME=assay",
            "RATE_LIMIT_ADDRESS=off",
            "RATE_LIMIT_ACCOUNT=off"
        ])
    );
    let weakening = |vars: &[(&str, &str)]| {
        let vars = [support::PRODUCTION, vars].concat();
        let health = support::shared(&vars).call(Call::get("/health")).data();
        health["weakening"].clone()
    };
    let limits = [
        ("RATE_LIMIT_ADDRESS", "100000/60"),
        ("RATE_LIMIT_ACCOUNT", "50000/10"),
    ];
    assert_eq!(weakening(&limits), json!([]));
    assert_eq!(
        weakening(&[limits[0], ("WEBHOOK_CONFIRMATION", "off")]),
        json!(["WEBHOOK_CONFIRMATION=off", "RATE_LIMIT_ACCOUNT=off"])
    );
}

#[test]
fn a_development_instance_answers_only_under_loopback_names() {
    let host = support::service();
    let named = |name: &str| host.call(Call::get("/nothing").header("host", name));
    for name in [
        "localhost",
        "assay.localhost:8787",
        "127.0.0.1:8787",
        "127.9.9.9",
        "[::1]:8787",
    ] {
        assert_eq!(named(name).status, 404, "{name}");
    }
    for name in [
        "rebound.example",
        "rebound.example:8787",
        "localhost.rebound.example",
        "127.0.0.1.rebound.example",
        "192.168.0.7",
        "0.0.0.0",
    ] {
        named(name).fails(421, &[400_000]);
    }
    let production = support::shared(support::PRODUCTION);
    let answer = production.call(Call::get("/health").header("host", "service.example"));
    assert_eq!(answer.status, 200);
}

#[test]
fn pages_of_other_origins_cannot_call_a_development_instance() {
    let host = support::service();
    let sweep = || Call::new("POST", "/development/sweep");
    for page in ["https://page.example", "http://localhost:1", "null"] {
        host.call(sweep().header("origin", page))
            .fails(404, &[400_000]);
        let preflight = Call::new("OPTIONS", "/development/clock").header("origin", page);
        let answer = host.call(preflight);
        let allowed = answer
            .headers
            .iter()
            .find(|(name, _)| name.starts_with("access-control-"));
        assert_eq!((answer.status, allowed), (404, None));
    }
    let answer = host.call(sweep());
    assert_eq!(
        (answer.status, answer.header("access-control-allow-origin")),
        (200, None)
    );
    // Pages of any origin may read all other answers, because pages of other sites cannot request private data.
    let health = host.call(Call::get("/health").header("origin", "https://page.example"));
    assert_eq!(health.header("access-control-allow-origin"), Some("*"));
}

#[test]
fn weakening_features_are_absent_in_production() {
    let host = support::shared(support::PRODUCTION);
    host.call(Call::new("POST", "/development/sweep"))
        .fails(404, &[400_000]);
    host.call(Call::new("PUT", "/development/clock").json(&json!({ "offsetMs": 1 })))
        .fails(404, &[400_000]);
    host.call(Person::new().post("/deposits", &json!({ "amount": 1000 })))
        .fails(400, &[400_103]);
}

#[test]
fn identification_is_required_where_the_specification_lists_it() {
    let settings: Vec<_> = SETTINGS
        .iter()
        .copied()
        .chain([("REQUIRE_IDENTIFICATION", "true")])
        .collect();
    let world = World::on(support::shared(&settings));
    let person = Person::new();
    for call in [
        person.get("/orders"),
        person.get("/ledgers"),
        person.post("/deposits", &json!({ "amount": 1000 })),
        person.post("/orders", &json!({})),
    ] {
        world.call(call).fails(403, &[400_014]);
    }
    // The interface specification does not list 400014 for signing. An unidentified account may always read its own data.
    world
        .call(person.put("/orders/none/sign", &json!({ "claim": "" })))
        .fails(400, &[400_011]);
    assert_eq!(
        world.call(person.get("/account")).data()["isIdentified"],
        false
    );
}

#[test]
fn list_parameters_are_checked() {
    let host = support::service();
    let person = Person::new();
    for query in [
        "skip=-1",
        "skip=x",
        "limit=0",
        "limit=1.5",
        "sort=3",
        "statuses=8",
        "statuses=a",
        "skip=99999999999999999999",
        "after=x",
    ] {
        let name = query.split('=').next().unwrap();
        assert_eq!(
            host.call(person.get(format!("/orders?{query}"))).errors(),
            [format!("400101 {name}")],
            "{query}"
        );
    }
    let many = vec!["a"; 101].join(",");
    host.call(person.get(format!("/orders?filterIds={many}")))
        .fails(400, &[400_101]);
    let two = host.call(person.get("/orders?skip=-1&sort=9"));
    assert_eq!(two.errors(), ["400101 skip", "400101 sort"]);
    let answer = host.call(person.get("/orders?limit=1000&skip=&statuses[]=&filterIds=a"));
    assert_eq!(
        (answer.data(), answer.meta()),
        (json!([]), json!({ "skip": 0, "limit": 100, "total": 0 }))
    );
}
