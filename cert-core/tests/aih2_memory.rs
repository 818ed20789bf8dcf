//! The memory used by evidence that is refused for its work. It is a test file of its own, because the allocator counts for the whole
//! process.

#![allow(
    clippy::unwrap_used,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_core::ErrorCode;
use cert_core::aih2::{Evidence, parse};
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// `O N A20 K… H…`: a list of 2^20 items, opened by one key, beside a hidden property. It takes 2^22 + 1 hashes.
const PROOF: &str = "T05BFEsAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAEgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

#[test]
fn pairs_beyond_max_work_are_refused_before_reading() {
    let evidence = |count: usize| {
        let pairs: Vec<String> = (0..count).map(|at| format!(r#"[["l",{at}],0]"#)).collect();
        let id = "0".repeat(64);
        let text = format!(
            r#"{{"profile":"AIH-2","schemaId":"0x{id}","proof":"{PROOF}","values":[{}]}}"#,
            pairs.join(",")
        );
        parse(&text).unwrap()
    };
    let (allowed, refused) = (evidence((1 << 20) - 1), evidence(1 << 20));
    let peak = |value| {
        let before = ALLOCATOR.current_usage();
        ALLOCATOR.reset_peak_usage();
        let read = Evidence::from_value(value).map(drop);
        (read, ALLOCATOR.peak_usage() - before)
    };
    let (read, _) = peak(&allowed);
    assert!(read.is_ok());
    let (read, bytes) = peak(&refused);
    assert_eq!(read.unwrap_err().code(), ErrorCode::TooMuchWork);
    assert!(bytes < 10_000, "{bytes}");
}
