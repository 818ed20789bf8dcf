//! Nonces of sign-in messages. A nonce contains the time of its creation and a MAC, so the service recognizes its own nonces
//! without storing them. A flood of challenges therefore costs no storage. Only used nonces are stored.

use alloy_primitives::hex;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::api::{Challenge, Timestamp};
use crate::context::Context;
use crate::ledger::Identity;

/// Milliseconds for which a nonce is valid.
const NONCE_MS: u64 = 10 * 60_000;
/// The start of the bytes that the MAC authenticates. It separates this use of the instance's secret bytes from all other uses.
const PURPOSE: &[u8] = b"assay sign-in nonce";

const TIME_BYTES: usize = 8;
const RANDOM_BYTES: usize = 16;
const MAC_BYTES: usize = 16;
/// Number of bytes of a nonce's start, which is the part before the MAC.
const START: usize = TIME_BYTES + RANDOM_BYTES;

/// Returns the host of an origin, and the port if the origin has one.
pub(super) fn host_of(origin: &str) -> &str {
    origin.split_once("://").map_or(origin, |(_, host)| host)
}

/// Returns the chain id that messages must name: the id of the ledger's chain, or 1 (Ethereum) if the ledger has no chain.
pub(super) fn chain_of(identity: &Identity) -> u64 {
    identity.chain_id.unwrap_or(1)
}

/// Returns the fields of a sign-in message for this origin, with a new nonce.
pub(crate) fn challenge(ctx: &Context<'_>, identity: &Identity, origin: &str) -> Challenge {
    let mut random = [0; RANDOM_BYTES];
    ctx.ports().random.fill(&mut random);
    let nonce = nonce(&identity.instance.id, origin, ctx.now(), &random);
    Challenge {
        domain: host_of(origin).to_owned(),
        uri: origin.to_owned(),
        version: "1",
        chain_id: chain_of(identity),
        nonce,
        issued_at: Timestamp(ctx.now()),
        expiration_time: Timestamp(ctx.now().saturating_add(NONCE_MS)),
    }
}

fn nonce(instance: &[u8; 32], origin: &str, now: u64, random: &[u8; RANDOM_BYTES]) -> String {
    let start: Vec<u8> = [now.to_be_bytes().as_slice(), random].concat();
    let tag = mac(instance, origin, &start).map(|mac| mac.finalize().into_bytes());
    let tag = tag.as_deref().and_then(|tag| tag.get(..MAC_BYTES));
    hex::encode([&start, tag.unwrap_or_default()].concat())
}

/// Returns the MAC over a nonce's start and the origin, keyed with the instance's secret bytes.
fn mac(instance: &[u8; 32], origin: &str, start: &[u8]) -> Option<Hmac<Sha256>> {
    let mac = Hmac::<Sha256>::new_from_slice(instance).ok()?;
    Some(
        mac.chain_update(PURPOSE)
            .chain_update(start)
            .chain_update(origin),
    )
}

/// Returns the time at which a nonce expires. Returns `None` if the nonce has expired, or was not made by this instance for
/// this origin.
pub(super) fn expiry(instance: &[u8; 32], origin: &str, now: u64, nonce: &str) -> Option<u64> {
    let bytes: [u8; START + MAC_BYTES] = hex::decode_to_array(nonce).ok()?;
    // Upper-case digits and a prefix `0x` are refused. Otherwise, a used nonce could be used again in another spelling.
    if hex::encode(bytes) != nonce {
        return None;
    }
    let (start, tag) = bytes.split_at_checked(START)?;
    mac(instance, origin, start)?
        .verify_truncated_left(tag)
        .ok()?;
    let time = start.first_chunk::<TIME_BYTES>()?;
    let expires_at = u64::from_be_bytes(*time).saturating_add(NONCE_MS);
    (now < expires_at).then_some(expires_at)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ORIGIN: &str = "https://certificates.example";

    #[test]
    fn a_nonce_is_valid_for_ten_minutes_at_its_instance_and_origin() {
        let made = nonce(&[1; 32], ORIGIN, 1_000, &[7; 16]);
        let end = 1_000 + NONCE_MS;
        assert_eq!(expiry(&[1; 32], ORIGIN, 1_000, &made), Some(end));
        assert_eq!(expiry(&[1; 32], ORIGIN, end - 1, &made), Some(end));
        assert_eq!(expiry(&[1; 32], ORIGIN, end, &made), None);
        assert_eq!(expiry(&[2; 32], ORIGIN, 1_000, &made), None);
        assert_eq!(
            expiry(&[1; 32], "https://other.example", 1_000, &made),
            None
        );
    }

    #[test]
    fn a_changed_nonce_is_refused() {
        let made = nonce(&[1; 32], ORIGIN, 1_000, &[7; 16]);
        for index in 0..made.len() {
            let changed: String = made
                .chars()
                .enumerate()
                .map(|(at, digit)| match (at == index, digit) {
                    (true, '0') => '1',
                    (true, _) => '0',
                    (false, digit) => digit,
                })
                .collect();
            assert_eq!(expiry(&[1; 32], ORIGIN, 1_000, &changed), None, "{changed}");
        }
        for other in [
            "",
            "00",
            &made.to_uppercase(),
            &format!("0x{made}"),
            &format!("{made}00"),
        ] {
            assert_eq!(expiry(&[1; 32], ORIGIN, 1_000, other), None, "{other}");
        }
    }
}
