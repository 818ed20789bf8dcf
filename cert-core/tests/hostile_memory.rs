//! Tests documents that are designed to exhaust the memory of their reader, with a long key above many values. A finding about a value must
//! not copy the key.
#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{
    Cert, Deferred, Failure, Location, MAX_ENTRIES, Sha256Hasher, Status, proofs_to_value,
};
use peak_alloc::PeakAlloc;
use support::json;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Returns the peak number of additional bytes that a call allocates, and its result.
fn taken<T>(call: impl FnOnce() -> T) -> (usize, T) {
    MEMORY.reset_peak_usage();
    let before = MEMORY.current_usage();
    let result = call();
    (MEMORY.peak_usage().saturating_sub(before), result)
}

const KEY: usize = 40_000;
const VALUES: usize = 16_000;
const MEGABYTE: usize = 1 << 20;

/// This file has only one test, so its process does not count the memory of other tests.
#[test]
fn a_long_key_above_many_values_is_not_copied() {
    let key = "k".repeat(KEY);
    let schema = |below: &str| {
        json(&format!(
            r#"{{"type":"object","properties":{{"{key}":{below}}}}}"#
        ))
    };
    let undescribed = schema(r#"{"type":"object","properties":{}}"#);
    let list = schema(r#"{"type":"array","items":{}}"#);
    let lists = schema(r#"{"type":"array","items":{"type":"array","items":{}}}"#);
    let all = |each: &dyn Fn(usize) -> String, (open, close): (char, char)| {
        let values: Vec<_> = (0..VALUES).map(each).collect();
        json(&format!(r#"{{"{key}":{open}{}{close}}}"#, values.join(",")))
    };
    let object = all(&|at| format!(r#""{at}":1"#), ('{', '}'));
    let items = all(&|at| at.to_string(), ('[', ']'));
    let nested = all(&|at| format!("[{at}]"), ('[', ']'));
    let nothing = json(r#"{"data":[]}"#);
    let noncer = |_: Location<'_>| -> Result<String, Failure> { Ok("nonce".into()) };

    for (name, schema, data, is_proven) in [
        ("not in the schema", &undescribed, &object, false),
        ("not proven", &list, &items, false),
        ("proven", &list, &items, true),
        ("lists, not proven", &lists, &nested, false),
    ] {
        let cert = Cert::with(schema, Sha256Hasher, noncer).unwrap();
        let (imprint, evidence) = if is_proven {
            let evidence = proofs_to_value(&cert.notarize(data).unwrap());
            (cert.imprint(data).unwrap(), evidence)
        } else {
            ("0".repeat(64), nothing.clone())
        };
        let (bytes, report) = taken(|| cert.verify(data, &evidence, &imprint).unwrap());
        assert!(bytes < 24 * MEGABYTE, "{name}: a report took {bytes} bytes");
        assert_eq!(report.valid, is_proven, "{name}");
        assert_eq!(report.proven == *data, is_proven, "{name}");
        assert!(report.entries.len() <= MAX_ENTRIES);
        let omitted = report.omitted;
        let omitted = omitted.proven + omitted.not_proven + omitted.not_covered;
        assert_eq!(report.entries.len() + omitted, VALUES, "{name}");
        let (bytes, _) = taken(|| report.to_value().to_json().len());
        assert!(
            bytes < 64 * MEGABYTE,
            "{name}: writing the report took {bytes} bytes"
        );

        let mut values = 0;
        let mut count = |finding: cert_core::Finding<'_>| {
            values += 1;
            assert_eq!(finding.status == Status::Proven, is_proven);
        };
        let (bytes, judgement) =
            taken(|| cert.judge(data, &evidence, &imprint, &mut count).unwrap());
        assert!(bytes < 24 * MEGABYTE, "{name}: judging took {bytes} bytes");
        assert_eq!((values, judgement.valid), (VALUES, is_proven), "{name}");
    }

    let cert = Cert::new(&list).unwrap();
    let deferred = Deferred {
        hasher: true,
        noncer: true,
    };
    let (bytes, asked) = taken(|| {
        let questions = cert.questions(deferred, |cert| cert.imprint(&items));
        questions.unwrap().len()
    });
    assert_eq!(asked, 4 * (VALUES + 1 + 1) - 2 + 2);
    assert!(bytes < 64 * MEGABYTE, "questions took {bytes} bytes");
}
