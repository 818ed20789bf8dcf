//! The effects of other servers' behaviour on the verdict.

use edge_api::ports::FetchError;
use serde_json::Value;

use super::certificate::Certificate;
use super::world::{HOST, LEDGER, World, badge};
use crate::support::native::START;

const DOCUMENTS: [(&str, &str, usize); 3] = [
    ("metadata", "1.json", 1 << 20),
    ("evidence", "evidence.json", 5 << 20),
    ("schema", "schema.json", 256 << 10),
];

/// Returns a world with a valid asset.
fn world() -> World {
    let world = World::new();
    world.publish(1, &Certificate::new());
    world
}

/// Asserts that asset 1 could not be checked, and that `finding` is the reason and the path.
#[track_caller]
fn unknown(world: &World, finding: &str) {
    let path = finding.split_once(' ').expect("a path").1;
    let answer = world.badge(1);
    answer.refuses(400_017, path);
    assert_eq!(answer.says(), (400, "unknown"));
    assert_eq!(world.finding(1), (Value::Null, finding.to_owned()));
}

#[test]
fn requests_to_other_servers_have_limits_and_no_caller_data() {
    let world = world();
    assert_eq!(world.badge(1).says(), (200, "valid"));
    let asked = world.asked();
    for ((_, file, limit), request) in DOCUMENTS.iter().zip(&asked) {
        assert_eq!(
            (&request.url, request.limit),
            (&format!("{HOST}/{file}"), *limit)
        );
        assert!(request.body.is_none() && request.timeout_ms <= 5_000);
        let names: Vec<&str> = request
            .headers
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        assert_eq!(names, ["accept", "user-agent"]);
    }
    assert_eq!(asked.len(), 3);
}

#[test]
fn metadata_comes_first_then_evidence_and_schema_together() {
    let world = world();
    for (file, time) in [
        ("1.json", 1_000),
        ("evidence.json", 3_000),
        ("schema.json", 2_000),
    ] {
        world.slow(&format!("{HOST}/{file}"), time);
    }
    let answer = world
        .clock
        .run_until(START + 1_500, world.request(&badge(1)));
    assert!(answer.is_none());
    assert_eq!(world.asked_for().len(), 3);

    let world = self::world();
    for (file, time) in [
        ("1.json", 1_000),
        ("evidence.json", 3_000),
        ("schema.json", 2_000),
    ] {
        world.slow(&format!("{HOST}/{file}"), time);
    }
    assert_eq!(world.badge(1).says(), (200, "valid"));
    assert_eq!(world.clock.now(), START + 4_000);
}

#[test]
fn every_failure_of_every_document_is_reported() {
    for (name, file, limit) in DOCUMENTS {
        let url = format!("{HOST}/{file}");
        for status in [201, 204, 301, 304, 401, 403, 404, 410, 429, 500, 503] {
            let world = world();
            world.serve(&url, status, "application/json", "{}");
            unknown(&world, &format!("status {name}"));
        }
        for body in [
            "",
            "<html>",
            "{\"a\":1",
            "nul",
            "{\"a\":1,\"a\":1}",
            "\"\\ud800\"",
        ] {
            let world = world();
            world.serve_json(&url, body);
            unknown(&world, &format!("not-json {name}"));
        }
        for (error, reason) in [
            (FetchError::Timeout, "timeout"),
            (FetchError::TooLarge, "too-large"),
            (
                FetchError::Failed("connect to 10.0.0.7 refused".to_owned()),
                "unreachable",
            ),
        ] {
            let world = world();
            world.fail(&url, error);
            unknown(&world, &format!("{reason} {name}"));
            assert!(!world.badge(1).text().contains("10.0.0.7"));
        }
        // The body is a byte too long.
        let world = world();
        world.serve_json(&url, &" ".repeat(limit + 1));
        unknown(&world, &format!("too-large {name}"));
        // The server never answers.
        let world = self::world();
        world.slow(&url, 60_000);
        unknown(&world, &format!("timeout {name}"));
    }
}

#[test]
fn documents_may_be_as_large_as_their_limits() {
    let world = world();
    let certificate = Certificate::new();
    for ((_, file, limit), text) in DOCUMENTS.iter().zip([
        certificate.metadata.to_json(),
        certificate.evidence.to_json(),
        certificate.schema.to_json(),
    ]) {
        world.serve_json(
            &format!("{HOST}/{file}"),
            &format!("{text}{}", " ".repeat(limit - text.len())),
        );
    }
    assert_eq!(world.badge(1).says(), (200, "valid"));
}

#[test]
fn malformed_evidence_is_unknown_and_insufficient_evidence_is_invalid() {
    for body in ["{}", "[7]", r#"{"error":"not found"}"#, "null"] {
        let world = world();
        world.serve_json(&format!("{HOST}/evidence.json"), body);
        unknown(&world, "evidence-malformed evidence");
    }
    for body in [
        "[]",
        "[{}]",
        r#"{"data":[{"path":[],"nodes":[],"values":[]}]}"#,
    ] {
        let world = world();
        world.serve_json(&format!("{HOST}/evidence.json"), body);
        assert_eq!(world.badge(1).says(), (200, "invalid"), "{body}");
    }
}

#[test]
fn metadata_must_name_evidence_and_schema() {
    let cases = [
        ("[]", "not-object metadata"),
        ("7", "not-object metadata"),
        ("{}", "address-missing evidence"),
        (r#"{"$schema":"schema.json"}"#, "address-missing evidence"),
        (
            r#"{"$schema":"schema.json","$evidence":""}"#,
            "address-missing evidence",
        ),
        (
            r#"{"$schema":"schema.json","$evidence":["evidence.json"]}"#,
            "address-missing evidence",
        ),
        (
            r#"{"$schema":"schema.json","$evidence":null}"#,
            "address-missing evidence",
        ),
        (r#"{"$evidence":"evidence.json"}"#, "address-missing schema"),
        (
            r#"{"$schema":7,"$evidence":"evidence.json"}"#,
            "address-missing schema",
        ),
        (
            r#"{"$schema":"schema.json","$evidence":"ipfs://x/1"}"#,
            "address-refused evidence",
        ),
        (
            r#"{"$schema":"schema.json","$evidence":"//10.0.0.1/x"}"#,
            "address-refused evidence",
        ),
        (
            r#"{"$schema":"http://example.org/x","$evidence":"evidence.json"}"#,
            "address-refused schema",
        ),
    ];
    for (metadata, finding) in cases {
        let world = world();
        world.serve_json(&format!("{HOST}/1.json"), metadata);
        unknown(&world, finding);
    }
}

#[test]
fn addresses_may_be_relative_to_the_metadatas_address() {
    let certificate = |evidence: &str| {
        let data = format!(r#"{{"name":"Ada","$schema":"/schema.json","$evidence":"{evidence}"}}"#);
        Certificate::of(
            &Certificate::new().schema.to_json(),
            &data,
            &["name", "$schema", "$evidence"],
        )
    };
    for (evidence, address) in [
        ("e.json", "https://assets.example.org/e.json"),
        (
            "./x/../e.json?v=1#part",
            "https://assets.example.org/e.json?v=1",
        ),
        ("//cdn.example.net/e.json", "https://cdn.example.net/e.json"),
        (
            "https://cdn.example.net/e.json",
            "https://cdn.example.net/e.json",
        ),
    ] {
        let world = World::new();
        let certificate = certificate(evidence);
        world.publish(1, &certificate);
        world.serve_json(address, &certificate.evidence.to_json());
        assert_eq!(world.badge(1).says(), (200, "valid"), "{evidence}");
    }
    // After a redirect, references are relative to the final address (RFC 3986, section 5.1.3).
    let world = World::new();
    let certificate = certificate("e.json");
    world.publish(1, &certificate);
    world.redirect(
        &format!("{HOST}/1.json"),
        302,
        "https://cdn.example.net/a/1.json",
    );
    world.serve_json(
        "https://cdn.example.net/a/1.json",
        &certificate.metadata.to_json(),
    );
    world.serve_json(
        "https://cdn.example.net/a/e.json",
        &certificate.evidence.to_json(),
    );
    world.serve_json(
        "https://cdn.example.net/schema.json",
        &certificate.schema.to_json(),
    );
    assert_eq!(world.badge(1).says(), (200, "valid"));
}

#[test]
fn at_most_three_redirects_are_followed() {
    for (name, file, _) in DOCUMENTS {
        for hops in 1..=4 {
            let world = world();
            let url = format!("{HOST}/{file}");
            let certificate = Certificate::new();
            let text = match name {
                "metadata" => certificate.metadata.to_json(),
                "evidence" => certificate.evidence.to_json(),
                _ => certificate.schema.to_json(),
            };
            world.redirect(&url, 302, &format!("{HOST}/hop1"));
            for hop in 1..hops {
                world.redirect(&format!("{HOST}/hop{hop}"), 307, &format!("hop{}", hop + 1));
            }
            world.serve_json(&format!("{HOST}/hop{hops}"), &text);
            if hops <= 3 {
                assert_eq!(world.badge(1).says(), (200, "valid"), "{name} {hops}");
            } else {
                unknown(&world, &format!("too-many-redirects {name}"));
            }
        }
    }
}

#[test]
fn redirects_to_private_addresses_are_not_followed() {
    for location in [
        "https://127.0.0.1/x",
        "https://169.254.169.254/latest/meta-data/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://[::1]/",
        "https://[::ffff:10.0.0.1]/",
        "https://localhost./",
        "https://metadata/",
        "https://metadata.google.internal/",
        "http://example.org/",
        "file:///etc/passwd",
    ] {
        for (name, file, _) in DOCUMENTS {
            let world = world();
            world.redirect(&format!("{HOST}/{file}"), 302, location);
            unknown(&world, &format!("redirect-refused {name}"));
            assert!(
                world.asked_for().iter().all(|url| url.starts_with(HOST)),
                "{location}"
            );
        }
    }
}

#[test]
fn a_ledger_cannot_make_the_service_fetch_private_addresses() {
    for prefix in [
        "https://10.0.0.1/",
        "https://127.1/",
        "https://localhost/",
        "https://printer.local/",
        "http://assets.example.org/",
        "https://user:password@assets.example.org/",
        "ftp://assets.example.org/",
        "/relative/",
        "not an address",
    ] {
        let world = World::new();
        world.ledger(LEDGER, &Certificate::new().schema_id(), prefix);
        world.asset(LEDGER, 1, &"0".repeat(64));
        unknown(&world, "address-refused metadata");
        assert!(world.asked_for().is_empty(), "{prefix}");
        assert!(!world.badge(1).text().contains("password@"));
    }
}

#[test]
fn the_service_does_not_fetch_from_itself() {
    for (name, file, _) in DOCUMENTS {
        let world = world();
        world.redirect(
            &format!("{HOST}/{file}"),
            302,
            "https://assay.example.com./badge.json",
        );
        unknown(&world, &format!("own-host {name}"));
        assert!(world.asked_for().iter().all(|url| url.starts_with(HOST)));
    }
    let world = World::new();
    world.ledger(
        LEDGER,
        &Certificate::new().schema_id(),
        "https://ASSAY.example.com:8443/",
    );
    world.asset(LEDGER, 1, &"0".repeat(64));
    unknown(&world, "own-host metadata");
    assert!(world.asked_for().is_empty());
}

#[test]
fn development_may_fetch_over_http_and_optionally_from_loopback() {
    let at = |vars: &[(&str, &str)], host: &str| {
        let mut world = World::with(vars);
        "http://127.0.0.1:8787".clone_into(&mut world.service.origin);
        let certificate = Certificate::new();
        world.ledger(LEDGER, &certificate.schema_id(), &format!("{host}/"));
        world.asset(LEDGER, 1, &certificate.imprint);
        for (file, text) in [
            ("1.json", certificate.metadata.to_json()),
            ("evidence.json", certificate.evidence.to_json()),
            ("schema.json", certificate.schema.to_json()),
        ] {
            world.serve_json(&format!("{host}/{file}"), &text);
        }
        world.badge(1).status
    };
    let development = [("ENVIRONMENT", "development")];
    let private = [
        ("ENVIRONMENT", "development"),
        ("ALLOW_PRIVATE_FETCH", "true"),
    ];
    for (host, statuses) in [
        ("https://assets.example.org", [200, 200, 200]),
        ("http://assets.example.org", [400, 200, 200]),
        ("http://127.0.0.1:9000", [400, 400, 200]),
        ("http://localhost:9000", [400, 400, 200]),
        ("http://10.0.0.1", [400, 400, 400]),
    ] {
        assert_eq!(
            [at(&[], host), at(&development, host), at(&private, host)],
            statuses,
            "{host}"
        );
    }
}

#[test]
fn all_fetches_of_a_check_share_ten_seconds() {
    // The metadata takes two requests because of a redirect, and the evidence takes one. Each request takes four seconds,
    // less than its timeout. Together, the requests take more than ten seconds.
    let world = world();
    world.redirect(&format!("{HOST}/1.json"), 302, "/moved.json");
    world.serve_json(
        &format!("{HOST}/moved.json"),
        &Certificate::new().metadata.to_json(),
    );
    for file in ["1.json", "moved.json", "evidence.json"] {
        world.slow(&format!("{HOST}/{file}"), 4_000);
    }
    world.badge(1).refuses(400_017, "evidence");
    assert_eq!(world.clock.now(), START + 10_000);
}

#[test]
fn details_of_network_errors_appear_only_in_the_log() {
    let world = world();
    world.fail(
        &format!("{HOST}/1.json"),
        FetchError::Failed("connect to 10.0.0.7 refused".to_owned()),
    );
    world.badge(1);
    assert!(
        world
            .service
            .log
            .lines()
            .iter()
            .any(|(_, line)| line["why"] == "connect to 10.0.0.7 refused")
    );
}
