//! Tests that evidence is refused before it uses much memory, if it takes too many hashes or has a malformed proof. The test has its own
//! file, because the allocator counts the memory of the whole process.

#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_core::aih2::{Evidence, parse};
use cert_core::{CertError, ErrorCode, Value};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// `O N A20 K… H…`: a list that one key opens, and a hidden property. If the list has 2^20 items, the proof takes 2^22 + 1 hashes.
const PROOF: &str = "T05BFEsAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Returns evidence that has this proof and `count` values.
fn evidence(proof: &str, count: usize) -> Value {
    let pairs: Vec<String> = (0..count).map(|at| format!(r#"[["l",{at}],0]"#)).collect();
    let id = "0".repeat(64);
    let text = format!(
        r#"{{"profile":"AIH-2","schemaId":"0x{id}","proof":"{proof}","values":[{}]}}"#,
        pairs.join(",")
    );
    parse(&text).unwrap()
}

/// Reads evidence. Returns the result, and the peak of the memory that reading takes, in bytes.
fn peak(value: &Value) -> (Result<(), CertError>, usize) {
    let before = ALLOCATOR.current_usage();
    ALLOCATOR.reset_peak_usage();
    let read = Evidence::from_value(value).map(drop);
    (read, ALLOCATOR.peak_usage() - before)
}

/// This file has only one test, because the allocator counts the memory of all threads.
#[test]
fn too_many_pairs_and_malformed_proofs_are_refused_with_little_memory() {
    let (read, _) = peak(&evidence(PROOF, (1 << 20) - 1));
    assert!(read.is_ok());
    let (read, bytes) = peak(&evidence(PROOF, 1 << 20));
    assert_eq!(read.unwrap_err().code(), ErrorCode::TooMuchWork);
    assert!(bytes < 10_000, "{bytes}");
    // The last three bytes are part of the hidden property's hash.
    let (short, long) = (PROOF.strip_suffix("AAAA").unwrap(), format!("{PROOF}SA"));
    // `X` instead of `O`.
    let unknown = PROOF.replacen("T05B", "WE5B", 1);
    for proof in [short, "", &long, &unknown] {
        let (read, bytes) = peak(&evidence(proof, 1 << 17));
        let error = read.unwrap_err();
        assert_eq!(error.code(), ErrorCode::EvidenceMalformed);
        assert_eq!(error.path().to_string(), "proof");
        assert!(bytes < 10_000, "{proof}: {bytes}");
    }
}
