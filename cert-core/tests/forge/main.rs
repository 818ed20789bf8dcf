//! Forgeries: documents with false statements, and genuine evidence that was changed to fit them. Every forgery must be refused.
//!
//! A slow model (`support/model.rs`) decides whether a changed document makes a false statement. The model uses nothing from the evidence
//! except the lengths at which lists close. A change is not counted if the document is still true afterwards.
//!
//! The first run uses a fixed seed. The second run has a new seed, which the test prints: `FORGE_SEED=… cargo test -p cert-core --test
//! forge` repeats this run.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

#[path = "../support/mod.rs"]
mod support;

mod exhibits;
mod json;
mod lies;
mod tampering;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use cert_core::{Status, Value};
use exhibits::{Document, Exhibit};
use lies::{LIES, Lie};
use serde_json::Value as Json;
use support::model::{Standard, is_part_of, lengths};
use support::random::{Random, bytes};
use support::schemes::SCHEMES;

/// The number of forgeries in the run with the fixed seed and in the run with the new seed.
const FIXED: usize = 100_000;
const FRESH: usize = 10_000;

/// The seed of the fixed run.
const SEED: u64 = 0x0a55_a7ce;

/// The results of a run.
#[derive(Default)]
struct Counts {
    /// The number of forgeries of each kind.
    kinds: BTreeMap<&'static str, usize>,
    forgeries: usize,
    /// The number of changes that left the document true.
    harmless: usize,
}

#[test]
fn no_forgery_proves_uncertified_content() {
    let documents = exhibits::documents();
    assert!(documents.len() > 150, "{}", documents.len());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let seed = match std::env::var("FORGE_SEED") {
        Ok(seed) => seed.parse().unwrap(),
        Err(_) => now.as_secs() ^ u64::from(now.subsec_nanos()),
    };
    // Writes to standard error directly, because the test harness hides the output of passing tests.
    let mut out = std::io::stderr();
    let mut say = |text: String| writeln!(out, "{text}").unwrap();
    say(format!(
        "forging: {FIXED} of seed {SEED}, {FRESH} of FORGE_SEED={seed}"
    ));
    let runs = [(SEED, FIXED / 2), (SEED + 1, FIXED / 2), (seed, FRESH)];
    let counts = std::thread::scope(|scope| {
        let run = |(seed, count)| {
            scope.spawn({
                let documents = &documents;
                move || forge(documents, seed, count)
            })
        };
        runs.map(run).map(|run| run.join().unwrap())
    });
    let sum = |of: &dyn Fn(&Counts) -> usize| counts.iter().map(of).sum::<usize>();
    for scheme in SCHEMES {
        let of = |document: &&Document| document.scheme.name == scheme.name;
        let count = documents.iter().filter(of).count();
        say(format!("  {count:>7} documents    {}", scheme.name));
        assert!(
            count > 2,
            "too few documents have the scheme `{}`",
            scheme.name
        );
    }
    let lies = LIES.iter().map(|(name, _)| ("the document", *name));
    let tampering = tampering::kinds()
        .into_iter()
        .map(|(name, _)| ("its evidence", name));
    for (what, kind) in lies.chain(tampering) {
        let count = sum(&|counts| counts.kinds.get(kind).copied().unwrap_or(0));
        say(format!("  {count:>7} refused  {what}: {kind}"));
        assert!(count > 100, "too few forgeries of the kind `{kind}`");
    }
    let (all, harmless) = (
        sum(&|counts| counts.forgeries),
        sum(&|counts| counts.harmless),
    );
    say(format!(
        "  {all:>7} refused in all; {harmless} changes left the document true and do not count"
    ));
    assert_eq!(all, FIXED + FRESH);
}

/// Makes `count` forgeries. Panics if the crate accepts one of them.
fn forge(documents: &[Document], seed: u64, count: usize) -> Counts {
    let mut counts = Counts::default();
    let mut state = seed;
    let tampering = tampering::kinds();
    while counts.forgeries < count {
        let drawn = bytes(&mut state);
        let mut random = Random(&drawn);
        let document = lies::pick(&mut random, documents).unwrap();
        let shown = random.pick(&document.shown);
        let (lie_name, tell) = *random.pick(LIES);
        let (tampering_name, tamper) = *random.pick(&tampering);
        let Some(lie) = tell(&mut random, document, &shown.claim) else {
            continue;
        };
        let mut evidence = shown.evidence.clone();
        if tamper(&mut random, document, &lie, &mut evidence).is_none() {
            continue;
        }
        match judge(document, shown, &lie, &evidence) {
            Ok(true) => {
                counts.forgeries += 1;
                for kind in [lie_name, tampering_name] {
                    *counts.kinds.entry(kind).or_default() += 1;
                }
            }
            Ok(false) => counts.harmless += 1,
            Err(wrong) => panic!(
                "{wrong}\nthe document: {lie_name}\nits evidence: {tampering_name}\nits hashes: {}\nschema {}\ncertified {}\nclaim {}\nevidence {evidence}",
                document.scheme.name,
                document.schema.to_json(),
                document.data.to_json(),
                lie.claim,
            ),
        }
    }
    counts
}

/// Verifies a claim. Returns true if the claim is a forgery. The error describes a wrong answer of the crate.
fn judge(document: &Document, shown: &Exhibit, lie: &Lie, evidence: &Json) -> Result<bool, String> {
    let truth = Some(&document.data);
    let types = *evidence == shown.evidence;
    let evidence = Value::try_from(evidence).unwrap();
    let lengths = lengths(&evidence);
    let standard = Standard { types, lengths };
    let holds = |claim: &Value, standard: &Standard| {
        standard.holds(&document.schema, claim, truth, &mut Vec::new())
    };
    let claim = Value::try_from(&lie.claim).unwrap();
    let is_forgery = !holds(&claim, &standard);
    let calculated = document.cert.calculate(&claim, &evidence).unwrap();
    let accepted = calculated.as_deref() == Some(document.imprint.as_str());
    if accepted && is_forgery {
        return Err("a forgery is accepted".to_owned());
    }
    let report = document
        .cert
        .verify(&claim, &evidence, &document.imprint)
        .unwrap();
    if report.valid != accepted {
        return Err("`verify` and `calculate` disagree".to_owned());
    }
    if !holds(&report.proven, &standard) {
        return Err(format!(
            "`{}` is said to be proven",
            report.proven.to_json()
        ));
    }
    if !report.reasons.is_empty()
        && report
            .entries
            .iter()
            .any(|entry| entry.status == Status::Proven)
    {
        return Err("refused evidence proves something".to_owned());
    }
    for list in &report.lists {
        let place: Json = (&list.path.to_value()).into();
        let certified = json::at(&document.json, place.as_array().unwrap());
        let length = certified.and_then(Json::as_array).map_or(0, Vec::len);
        if list.length > length || list.complete && list.length != length {
            return Err(format!("`{}` is said to have other items", list.path));
        }
    }
    // If the items of a long list could be in another order, the report must not call the list complete.
    if accepted
        && !is_part_of(&document.schema, &claim, truth)
        && report.lists.iter().all(|list| list.complete)
    {
        return Err(
            "items of a list are in the wrong place, and the list is said to be complete"
                .to_owned(),
        );
    }
    Ok(is_forgery)
}
