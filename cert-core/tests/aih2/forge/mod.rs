//! Forgeries: evidence and documents, changed so that they claim content that was not certified. A forgery may be valid only if everything
//! that it states was certified. The crate and the slow verifier of these tests must agree on each forgery.

mod contradiction;
mod dishonest;
mod exhibit;
mod hashes;
mod places;
mod spot;
mod values;

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};

use crate::agree::{Claim, agreed};
use crate::random::Random;
use contradiction::contradiction;
use exhibit::{Exhibit, Forgery};

/// A kind of tampering. Returns `None` if the kind does not apply to the forgery.
type Tamper = fn(&mut Random, &Exhibit, &mut Forgery) -> Option<()>;

/// The minimum number of refused forgeries in total.
const FORGERIES: usize = 100_000;
/// The minimum number of refused forgeries of each kind.
const OF_EACH: usize = 200;
/// The number of documents that are tampered with.
const EXHIBITS: u64 = 400;

/// The outcome of a forgery.
enum Outcome {
    Refused,
    /// Everything that the forgery states was certified.
    Harmless,
}

fn kinds() -> Vec<(&'static str, Tamper)> {
    [hashes::KINDS, places::KINDS, values::KINDS].concat()
}

/// Judges a claim against the exhibit's imprint.
fn outcome(exhibit: &Exhibit, schema: &Json, claim: &Claim) -> Outcome {
    let changed = (*schema != exhibit.schema).then(|| exhibit::cert(schema));
    let cert = changed.as_ref().unwrap_or(&exhibit.cert);
    let believed =
        agreed(cert, schema, claim).filter(|report| report.imprint == exhibit.truth.imprint);
    let Some(report) = believed else {
        return Outcome::Refused;
    };
    // Even an invalid report must not state anything false. Such a report has entries only for values that the evidence covers.
    assert_eq!(contradiction(&report, &exhibit.truth), None, "{report:?}");
    assert_eq!(contradiction(&exhibit.truth, &report), None, "{report:?}");
    match report.valid {
        true => Outcome::Harmless,
        false => Outcome::Refused,
    }
}

/// The numbers of refused and of harmless forgeries of each kind.
#[derive(Default)]
struct Counts {
    refused: BTreeMap<&'static str, usize>,
    harmless: BTreeMap<&'static str, usize>,
}

/// Makes forgeries until at least `enough` are refused.
fn forge(exhibits: &[Exhibit], seed: u64, enough: usize) -> Counts {
    let kinds = kinds();
    let mut random = Random::new(seed);
    let mut counts = Counts::default();
    let mut all = 0;
    while all < enough {
        let (name, tamper) = *random.pick(&kinds);
        let exhibit = random.pick(exhibits);
        let genuine = exhibit.genuine();
        let mut forgery = genuine.clone();
        if tamper(&mut random, exhibit, &mut forgery).is_none() {
            continue;
        }
        let schema = forgery.schema.as_ref().unwrap_or(&exhibit.schema);
        let claims = genuine.claims(exhibit).into_iter();
        for (claim, genuine) in forgery.claims(exhibit).into_iter().zip(claims) {
            if claim == genuine {
                continue;
            }
            let count = match std::panic::catch_unwind(|| outcome(exhibit, schema, &claim)) {
                Ok(Outcome::Refused) => {
                    all += 1;
                    &mut counts.refused
                }
                Ok(Outcome::Harmless) => &mut counts.harmless,
                Err(_) => panic!(
                    "{name}\n{}",
                    json!({ "schema": schema, "certified": exhibit.data, "evidence": claim.evidence, "document": claim.document })
                ),
            };
            *count.entry(name).or_insert(0) += 1;
        }
    }
    counts
}

#[test]
fn no_forgery_proves_uncertified_content() {
    let exhibits: Vec<_> = (0..EXHIBITS).map(Exhibit::new).collect();
    for exhibit in &exhibits {
        for claim in exhibit.genuine().claims(exhibit) {
            let outcome = outcome(exhibit, &exhibit.schema, &claim);
            assert!(matches!(outcome, Outcome::Harmless));
        }
    }
    let counts = std::thread::scope(|scope| {
        let run = |seed| {
            let exhibits = &exhibits;
            scope.spawn(move || forge(exhibits, seed, FORGERIES / 2))
        };
        [0x0a55_a7ce, 0x0a55_a7cf]
            .map(run)
            .map(|run| run.join().unwrap())
    });
    assert!(kinds().len() >= 30);
    for (name, _) in kinds() {
        let sum =
            |of: &dyn Fn(&Counts) -> Option<usize>| -> usize { counts.iter().filter_map(of).sum() };
        let refused = sum(&|counts| counts.refused.get(name).copied());
        let harmless = sum(&|counts| counts.harmless.get(name).copied());
        println!("{refused:>7} refused, {harmless:>6} harmless: {name}");
        assert!(
            refused >= OF_EACH,
            "too few refused forgeries of the kind: {name}"
        );
    }
}
