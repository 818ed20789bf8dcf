//! Measures the peak memory of concurrent badge requests. Pointers of the test's machine are twice as long as in
//! WebAssembly, so the figures are higher than in the Worker. An isolate of the Worker has 128 MB in total.

#![allow(
    missing_docs,
    unreachable_pub,
    dead_code,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

#[path = "../http/badge/certificate.rs"]
mod certificate;
#[path = "../http/support/mod.rs"]
mod support;
#[path = "../http/in_process/badge/world.rs"]
mod world;

use futures_util::future::join_all;
use peak_alloc::PeakAlloc;

use certificate::{Certificate, json};
use support::Answer;
use world::{HOST, LEDGER, World, badge};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Runs `work`. Returns by how many bytes the peak memory exceeded the memory that was in use before.
fn peak(work: impl FnOnce()) -> usize {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    work();
    MEMORY.peak_usage().saturating_sub(before)
}

const MIB: usize = 1 << 20;
/// The maximum number of bytes that concurrent badge requests may use, out of the isolate's 128 MB.
const MOST: usize = 80 * MIB;

/// Returns a certificate whose evidence proves a list of 38,000 items. The evidence has about five million bytes. The
/// metadata shows the list.
fn long_list() -> Certificate {
    let schema = r#"{"type":"object","properties":{"$schema":{"type":"string"},"$evidence":{"type":"string"},"l":{"type":"array","items":{"type":"integer"}}}}"#;
    let items = vec!["7"; 38_000].join(",");
    let data = format!(r#"{{"$schema":"schema.json","$evidence":"evidence.json","l":[{items}]}}"#);
    Certificate::of(schema, &data, &["$schema", "$evidence", "l"])
}

/// Returns a certificate whose metadata has almost as many values as allowed, under a key that is almost as long as allowed.
fn full_of_values() -> Certificate {
    let certificate = Certificate::new();
    let items = vec!["{}"; 149_000].join(",");
    let text = certificate.metadata.to_json();
    let text = format!(
        "{},\"{}\":[{items}]}}",
        text.strip_suffix('}').unwrap(),
        "k".repeat(1_000)
    );
    Certificate {
        metadata: json(&text),
        ..certificate
    }
}

/// Returns a certificate whose evidence has almost as many values as allowed.
fn full_evidence() -> Certificate {
    let proof = r#"{"path":[],"nodes":[],"values":[]}"#;
    let proofs = vec![proof; 42_000].join(",");
    Certificate {
        evidence: json(&format!("[{proofs}]")),
        ..Certificate::new()
    }
}

/// Creates seven assets that have the same certificate. The server sends the evidence, padded to 5 MiB, after a delay of
/// a second.
fn world(certificate: &Certificate) -> World {
    let world = World::new();
    for id in 1..=7 {
        world.publish(id, certificate);
    }
    let text = certificate.evidence.to_json();
    let padding = " ".repeat((5 * MIB).saturating_sub(text.len()));
    world.serve_json(
        &format!("{HOST}/evidence.json"),
        &format!("{text}{padding}"),
    );
    world.slow(&format!("{HOST}/evidence.json"), 1_000);
    world
}

/// Sends requests at the same time. Unlike [`World::get_all`], does not compare the answers with the API description,
/// because the comparison would add to the measured memory.
fn get_all(world: &World, targets: &[String]) -> Vec<Answer> {
    let requests = targets.iter().map(|target| world.request(target));
    world.clock.run(join_all(requests))
}

#[test]
fn seven_concurrent_verifications_fit_into_an_isolate() {
    for (name, certificate, expected) in [
        ("a long list", long_list(), "valid"),
        ("metadata full of values", full_of_values(), "valid"),
        ("evidence full of values", full_evidence(), "invalid"),
    ] {
        assert!(certificate.evidence.to_json().len() <= 5 * MIB, "{name}");
        let world = world(&certificate);
        let report = |id| format!("/badge.json?ledgerId={LEDGER}&assetId={id}");
        let targets: Vec<String> = (1..=7).map(badge).chain((1..=7).map(report)).collect();
        let mut answers = Vec::new();
        let held = peak(|| answers = get_all(&world, &targets));
        // At least one asset gets the expected verdict, and no asset gets a wrong one.
        let verdicts: Vec<_> = answers.iter().map(|answer| answer.says().1).collect();
        assert!(verdicts.contains(&expected), "{name}: {verdicts:?}");
        assert!(
            verdicts
                .iter()
                .all(|verdict| [expected, "unknown", ""].contains(verdict))
        );
        drop(answers);
        // Repeats the requests. The shared cache now has the results of the first requests.
        let again = peak(|| drop(get_all(&world, &targets)));
        println!("{name}: {} and {} MiB", held / MIB, again / MIB);
        assert!(held < MOST && again < MOST, "{name}: {held} {again}");
    }
}
