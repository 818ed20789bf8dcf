//! Checks the header `Stripe-Signature`: a time, and HMACs of the time and the bytes of the body.

use alloy_primitives::hex;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

/// Maximum seconds between the signature's time and this service's time, in either direction.
const TOLERANCE: u64 = 300;
/// Maximum number of signatures in a header. Stripe sends two while the secret is being changed.
const SIGNATURES_MAX: usize = 8;

/// Checks that one of the signatures in the header `t=<seconds>,v1=<hex>[,v1=<hex>…]` is the HMAC of `<seconds>.<body>`.
/// Ignores signatures of other schemes, such as `v0`.
///
/// # Errors
/// A sentence that tells the sender why the signature was refused.
pub(super) fn verify(
    secret: &str,
    header: &str,
    body: &[u8],
    now_seconds: u64,
) -> Result<(), &'static str> {
    let mut time = None;
    let mut signatures = Vec::new();
    for part in header.split(',') {
        match part.trim().split_once('=') {
            Some(("t", text)) if time.is_none() => time = Some(text),
            Some(("t", _)) => return Err("the signature has more than one time"),
            Some(("v1", text)) => signatures.push(text),
            _ => {}
        }
    }
    let time = time
        .filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
        .ok_or("the signature has no valid time `t`")?;
    if signatures.is_empty() || signatures.len() > SIGNATURES_MAX {
        return Err("the signature has no `v1`, or more than eight of them");
    }
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
        .map_err(|_| "the configured secret is not a valid key")?;
    mac.update(time.as_bytes());
    mac.update(b".");
    mac.update(body);
    // Compares all signatures, each in constant time.
    let good = signatures
        .iter()
        .filter_map(|text| bytes(text))
        .filter(|signature| mac.clone().verify_slice(signature).is_ok())
        .count();
    if good == 0 {
        return Err("the signature was not made with the configured secret");
    }
    // The time can be trusted only after the signature was checked.
    let away = time.parse::<u64>().map(|time| time.abs_diff(now_seconds));
    if !away.is_ok_and(|seconds| seconds <= TOLERANCE) {
        return Err("the signature's time differs from this service's by more than five minutes");
    }
    Ok(())
}

/// Decodes 32 bytes from 64 lower-case hex digits. Returns `None` for other texts.
fn bytes(text: &str) -> Option<[u8; 32]> {
    let is_digit = |digit: u8| matches!(digit, b'0'..=b'9' | b'a'..=b'f');
    let is_plain = text.len() == 64 && text.bytes().all(is_digit);
    is_plain.then(|| hex::decode_to_array(text).ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    // Python: hmac.new(b"whsec_test", b'1700000000.{"id":"evt_1"}', "sha256").hexdigest()
    const SIGNATURE: &str = "c89214b5b5da833daed6f0b8c5bb6bd58cea9022bd80ccc78230f3942d632925";
    const BODY: &[u8] = br#"{"id":"evt_1"}"#;

    fn check(header: &str, body: &[u8], now: u64) -> bool {
        verify("whsec_test", header, body, now).is_ok()
    }

    #[test]
    fn a_signature_made_by_python_is_accepted_for_five_minutes() {
        let other = "0".repeat(64);
        for header in [
            format!("t=1700000000,v1={SIGNATURE}"),
            format!("t=1700000000,v1={other},v1={SIGNATURE},v0=abc"),
            format!("v1={SIGNATURE}, t=1700000000"),
        ] {
            assert!(check(&header, BODY, 1_700_000_000), "{header}");
            assert!(check(&header, BODY, 1_700_000_300), "{header}");
            assert!(check(&header, BODY, 1_699_999_700), "{header}");
            assert!(!check(&header, BODY, 1_700_000_301), "{header}");
            assert!(!check(&header, BODY, 1_699_999_699), "{header}");
        }
    }

    #[test]
    fn altered_bodies_headers_and_secrets_are_refused() {
        let good = format!("t=1700000000,v1={SIGNATURE}");
        assert!(!check(&good, br#"{"id":"evt_2"}"#, 1_700_000_000));
        assert!(!check(&good, br#"{"id": "evt_1"}"#, 1_700_000_000));
        assert!(verify("whsec_other", &good, BODY, 1_700_000_000).is_err());
        for header in [
            String::new(),
            "t=1700000000".to_owned(),
            format!("v1={SIGNATURE}"),
            format!("t=,v1={SIGNATURE}"),
            format!("t=1700000001,v1={SIGNATURE}"),
            format!("t=01700000000,v1={SIGNATURE}"),
            format!("t=+1700000000,v1={SIGNATURE}"),
            format!("t=1700000000,t=1700000000,v1={SIGNATURE}"),
            format!("t=1700000000,v0={SIGNATURE}"),
            format!("t=1700000000,v1={}", SIGNATURE.to_uppercase()),
            format!("t=1700000000,v1={SIGNATURE}00"),
            format!("t=1700000000,v1={}", SIGNATURE.trim_end_matches("25")),
            format!("t=1700000000{}", format!(",v1={SIGNATURE}").repeat(9)),
            format!("t=99999999999999999999999,v1={SIGNATURE}"),
        ] {
            assert!(!check(&header, BODY, 1_700_000_000), "{header}");
        }
    }
}
