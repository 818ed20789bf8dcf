//! Limits on the work that an asset's owner can cause with large or malicious documents.

use serde_json::Value;

use super::certificate::{Certificate, json};
use super::world::{HOST, LEDGER, World, badge};
use crate::support::native::START;

/// Returns a certificate with an additional member in its metadata.
fn with_metadata(added: &str) -> Certificate {
    let certificate = Certificate::new();
    let text = certificate.metadata.to_json();
    let metadata = json(&format!("{},{added}}}", text.strip_suffix('}').unwrap()));
    Certificate {
        metadata,
        ..certificate
    }
}

#[test]
fn a_long_key_above_many_values_is_not_processed() {
    for (key, values) in [(40_000, 16_000), (110_000, 40_000)] {
        let items: Vec<String> = (0..values)
            .map(|number| format!("\"{number}\":1"))
            .collect();
        let certificate =
            with_metadata(&format!("\"{}\":{{{}}}", "k".repeat(key), items.join(",")));
        let world = World::new();
        world.publish(
            1,
            &Certificate {
                evidence: json(r#"{"data":[]}"#),
                ..certificate
            },
        );
        let why = world.badge(1).refuses(400_017, "metadata");
        assert!(why.contains("longer than 1024 bytes"), "{why}");
        assert_eq!(
            world.finding(1),
            (Value::Null, "path-too-long metadata".to_owned())
        );
    }
}

#[test]
fn evidence_with_a_long_path_is_not_processed() {
    let world = World::new();
    let proof = format!(
        r#"[{{"path":["{}"],"nodes":[],"values":[]}}]"#,
        "k".repeat(1_024)
    );
    world.publish(
        1,
        &Certificate {
            evidence: json(&proof),
            ..Certificate::new()
        },
    );
    assert_eq!(
        world.finding(1),
        (Value::Null, "path-too-long evidence".to_owned())
    );
}

#[test]
fn all_documents_of_a_check_share_a_value_limit() {
    let list = |length: usize| format!("\"note\":[{}]", vec!["0"; length].join(","));
    let world = World::new();
    world.publish(1, &with_metadata(&list(299_900)));
    assert_eq!(world.badge(1).says(), (200, "valid"));
    for (id, length) in [(2, 299_990), (3, 300_000)] {
        world.publish(id, &with_metadata(&list(length)));
        world.badge(id).refuses(400_017, "metadata");
        assert!(world.finding(id).1.starts_with("too-large "));
    }
}

#[test]
fn concurrent_large_documents_get_a_correct_verdict_or_a_refusal() {
    let world = World::new();
    let padding = " ".repeat(5 << 20);
    let targets: Vec<String> = (1..=7)
        .map(|id| {
            world.publish(id, &Certificate::new());
            let metadata = Certificate::new()
                .altered("evidence.json", &format!("{id}.evidence.json"))
                .metadata
                .to_json();
            world.serve_json(&format!("{HOST}/{id}.json"), &metadata);
            let evidence = Certificate::new().evidence.to_json();
            let padded = format!("{evidence}{}", &padding[evidence.len()..]);
            world.serve_json(&format!("{HOST}/{id}.evidence.json"), &padded);
            world.slow(&format!("{HOST}/{id}.evidence.json"), 1_000);
            badge(id)
        })
        .collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let answers = world.get_all(&targets);
    // Each metadata document has an `$evidence` value that was not certified, so every checked asset is invalid.
    let (looked, busy): (Vec<_>, Vec<_>) = answers.iter().partition(|answer| answer.status == 200);
    assert!(
        looked
            .iter()
            .all(|answer| answer.says() == (200, "invalid"))
    );
    assert!(!looked.is_empty() && !busy.is_empty());
    for answer in busy {
        let why = answer.refuses(400_017, "evidence");
        assert!(why.contains("busy"), "{why}");
        assert_eq!(answer.says(), (400, "unknown"));
    }
    // A refused target can be requested again immediately.
    for target in targets {
        assert_eq!(world.get(target).says(), (200, "invalid"));
    }
}

#[test]
fn requests_wait_while_the_memory_budget_is_used_up() {
    let world = World::new();
    let large = format!("\"{}\"", "x".repeat((5 << 20) - 2));
    for id in 1..=3 {
        world.publish(id, &Certificate::new());
    }
    for (id, size) in [(1, 5 << 20), (2, 5 << 20), (3, (4 << 20) - (48 << 10))] {
        let certificate = Certificate::new();
        let text = certificate
            .altered("evidence.json", &format!("{id}.evidence.json"))
            .metadata
            .to_json();
        world.serve_json(&format!("{HOST}/{id}.json"), &text);
        let url = format!("{HOST}/{id}.evidence.json");
        world.serve_json(&url, &format!("{}\"", &large[..size - 1]));
        world.slow(&url, 2_000);
    }
    world.publish(4, &Certificate::new());
    world.slow(&format!("{HOST}/4.json"), 10);
    let targets: Vec<String> = (1..=3).map(badge).collect();
    let four = badge(4);
    let late = async {
        edge_api::ports::Clock::sleep(world.clock.as_ref(), 500).await;
        world.request(&four).await
    };
    let (_, answer) = world.clock.run(futures_util::future::join(
        futures_util::future::join_all(targets.iter().map(|target| world.request(target))),
        late,
    ));
    assert_eq!(answer.says(), (200, "valid"));
    let now = world.clock.now();
    assert!(
        (START + 2_000..START + 2_200).contains(&now),
        "{}",
        now - START
    );
}

#[test]
fn a_crashing_check_is_not_repeated_for_ten_seconds() {
    let mut world = World::new();
    world.publish(1, &Certificate::new());
    world.publish(2, &Certificate::new());
    let large = Certificate::new().metadata.to_json() + &" ".repeat(128 << 10);
    world.serve_json(&format!("{HOST}/1.json"), &large);
    // Simulates a WebAssembly trap: the isolate ends before it stores a verdict.
    world.cache.loses.set(Some("/verdict/"));
    world.get_all(&[&badge(1), &badge(2)]);
    world.cache.loses.set(None);
    world.new_isolate();
    let answer = world.badge(1);
    let why = answer.refuses(400_017, "metadata");
    assert!(why.contains("ten seconds"), "{why}");
    assert_eq!(answer.says(), (400, "unknown"));
    let report = format!("/badge.json?ledgerId={LEDGER}&assetId=1");
    world.get(&report).refuses(400_017, "metadata");
    // The service notes the start of a check only if the documents are large. Asset 2 has small documents, so the crash does
    // not affect asset 2.
    assert_eq!(world.badge(2).says(), (200, "valid"));
    world.clock.advance(10_000);
    assert_eq!(world.badge(1).says(), (200, "valid"));
    // The note about the last check of asset 1 is still cached. The cached verdict overrides the note, so the service creates the report.
    world.new_isolate();
    assert_eq!(world.report(1)["valid"], true);
}

#[test]
fn unread_large_reports_are_bounded() {
    let world = World::new();
    let certificate = Certificate::new();
    world.publish(1, &certificate);
    let evidence = certificate.evidence.to_json();
    let padded = format!(
        "{}{}}}",
        evidence.strip_suffix('}').unwrap(),
        " ".repeat(4_500_000)
    );
    world.serve_json(&format!("{HOST}/evidence.json"), &padded);
    let target = format!("/badge.json?ledgerId={LEDGER}&assetId=1");
    let unread: Vec<_> = (0..60).map(|_| world.unread(&target)).collect();
    let bytes: usize = unread.iter().map(|response| response.body.len()).sum();
    assert!(bytes < 16 << 20, "{bytes}");
    let (given, refused): (Vec<_>, Vec<_>) = unread
        .into_iter()
        .partition(|response| response.status == 200);
    assert_eq!((given.len(), refused.len()), (3, 57));
    assert!(refused.iter().all(|response| {
        response.status == 429
            && response
                .headers
                .get("retry-after")
                .is_some_and(|seconds| seconds == "1")
    }));
    // Badges and other small responses still work. A response frees its memory when its client has read it.
    assert_eq!(world.badge(1).says(), (200, "valid"));
    assert_eq!(world.get("/images/trusted.svg").status, 200);
    drop(given);
    assert_eq!(world.get(&target).status, 200);
}
