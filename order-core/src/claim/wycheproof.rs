//! Wycheproof's edge cases. Valid signatures recover to the account of their key; invalid signatures never do.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use alloy_primitives::{B256, hex, keccak256};
use k256::sha2::{Digest, Sha256};
use serde_json::Value;

use super::Claim;
use crate::testing::{list, text};
use crate::types::Address;

const VECTORS: &str = include_str!("../../../tests/vectors/wycheproof/ecdsa-secp256k1.json");

/// The ids of valid signatures whose point has an x coordinate of at least the curve's order. `r` is then the remainder of x. The recovery
/// bytes 27 and 28 cannot express such points (Ethereum Yellow Paper, appendix F), and contracts do not recover them. Such a point has a
/// probability of 2^-127.
const BEYOND_ORDER: [u64; 1] = [346];

/// Returns the two numbers of a signature in DER, each as 32 bytes in hex. `None` if the signature is not DER, or a number does not fit.
fn scalars(der: &[u8]) -> Option<[String; 2]> {
    let [0x30, length, content @ ..] = der else {
        return None;
    };
    // Two numbers of at most 33 bytes fit into a sequence with the short form of its length.
    if usize::from(*length) != content.len() || *length >= 0x80 {
        return None;
    }
    let (r, rest) = scalar(content)?;
    let (s, rest) = scalar(rest)?;
    rest.is_empty().then_some([r, s])
}

fn scalar(der: &[u8]) -> Option<(String, &[u8])> {
    let [0x02, length, rest @ ..] = der else {
        return None;
    };
    let (number, rest) = rest.split_at_checked(usize::from(*length))?;
    let digits = match number {
        [] | [0x80..=0xff, ..] | [0, 0..=0x7f, ..] => return None,
        [0, digits @ ..] if !digits.is_empty() => digits,
        digits => digits,
    };
    (digits.len() <= 32).then(|| (format!("{:0>64}", hex::encode(digits)), rest))
}

/// Returns the accounts to which a signature recovers with each recovery byte.
fn recovered(signature: &[u8], message: &[u8]) -> Vec<Address> {
    let Some([r, s]) = scalars(signature) else {
        return Vec::new();
    };
    let digest = B256::from_slice(&Sha256::digest(message));
    ["1b", "1c"]
        .iter()
        .filter_map(|v| format!("0:0x{r}{s}{v}").parse::<Claim>().ok())
        .filter_map(|claim| claim.recover_digest(&digest).ok())
        .collect()
}

#[test]
fn valid_signatures_recover_their_account_and_invalid_ones_never_do() {
    let file: Value = serde_json::from_str(VECTORS).unwrap();
    let [mut valid, mut invalid, mut readable] = [0; 3];
    for group in list(&file, "groups") {
        let key = hex::decode(text(group, "publicKey")).unwrap();
        let account = Address::from_hash(&keccak256(&key[1..])).unwrap();
        for test in list(group, "tests") {
            let bytes = |index: usize| hex::decode(test[index].as_str().unwrap()).unwrap();
            let recovered = recovered(&bytes(2), &bytes(1));
            let found = recovered.contains(&account);
            match test[3].as_str().unwrap() {
                "valid" if BEYOND_ORDER.contains(&test[0].as_u64().unwrap()) => {
                    assert!(!found, "{test}");
                    valid += 1;
                }
                "valid" => {
                    assert!(found, "{test}");
                    valid += 1;
                }
                _ => {
                    assert!(!found, "{test}");
                    invalid += 1;
                    readable += usize::from(!recovered.is_empty());
                }
            }
        }
    }
    // Ten of the invalid signatures are well-formed, but recover other accounts.
    assert_eq!((valid, invalid, readable), (162, 301, 10));
}
