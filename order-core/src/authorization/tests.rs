//! The Authorization header, tested with headers made by the original client and wallets.

use alloc::format;
use alloc::string::ToString;

use serde_json::Value;

use super::*;
use crate::claim::PrivateKey;
use crate::testing::{claims, client_requests, list, text};

/// Returns the reading of signature type 0 for which a vector was made.
fn reading(vector: &Value) -> EthSignReading {
    if text(vector, "variant").contains("sha256") {
        EthSignReading::Sha256
    } else {
        EthSignReading::Text
    }
}

#[test]
fn headers_of_both_types_and_readings_recover() {
    let file = claims();
    let vectors = list(&file, "auth");
    assert_eq!(vectors.len(), 18);
    let mut refused = 0;
    for vector in vectors {
        let reading = reading(vector);
        let policy = AuthorizationPolicy::new(text(vector, "text"), reading);
        let header = text(vector, "authorization");
        let recovered = policy.recover(header).unwrap().to_string();
        assert_eq!(recovered, text(vector, "recovers"));

        let kind = if vector["signatureType"] == 3 {
            ClaimKind::PersonalSign
        } else {
            ClaimKind::EthSign
        };
        assert_eq!(
            crate::testing::prefixed(policy.digest(kind)),
            text(vector, "digestSigned")
        );
        let key: PrivateKey = text(vector, "privateKey").parse().unwrap();
        assert_eq!(key.authorization(kind, &policy), header);

        // With the other reading, a signature of type 0 recovers another account. Type 3 has only one reading.
        let other = match reading {
            EthSignReading::Text => EthSignReading::Sha256,
            EthSignReading::Sha256 => EthSignReading::Text,
        };
        let other = AuthorizationPolicy::new(text(vector, "text"), other);
        let same = other.recover(header).map(|address| address.to_string()) == Ok(recovered);
        assert_eq!(same, kind == ClaimKind::PersonalSign);
        refused += usize::from(!same);
    }
    assert_eq!(refused, 12);
}

#[test]
fn the_original_clients_headers_recover_with_its_text_and_reading() {
    let policy = AuthorizationPolicy::new("I accept 0xcert terms of use.", EthSignReading::Sha256);
    let file = client_requests();
    let known = |address: &str| {
        list(&file, "accounts")
            .iter()
            .any(|account| account["address"] == address)
    };
    let mut headers = 0;
    for record in list(&file, "records") {
        for request in list(record, "requests") {
            let Some(header) = request["headers"]["authorization"].as_str() else {
                continue;
            };
            let account = policy.recover(header).unwrap().to_string();
            assert!(known(&account), "{}: {account}", record["name"]);
            headers += 1;
        }
    }
    assert!(headers > 100, "{headers}");
}

#[test]
fn a_signature_of_another_text_recovers_another_account() {
    let file = claims();
    let vector = &list(&file, "auth")[0];
    let policy = AuthorizationPolicy::new("another api", reading(vector));
    let account = policy.recover(text(vector, "authorization")).unwrap();
    assert_ne!(account.to_string(), text(vector, "recovers"));
}

#[test]
fn a_header_without_a_signature_is_400001() {
    let file = claims();
    let header = text(&list(&file, "auth")[1], "authorization");
    let policy = AuthorizationPolicy::new("0xcert api", EthSignReading::Text);
    assert!(policy.recover(header).is_ok());
    for bad in [
        "",
        "0",
        "Bearer token",
        &header[2..],
        &format!("Bearer {header}"),
        &format!("2:{}", &header[2..]),
        &format!(" {header}"),
        &format!("{header} "),
        &header[..header.len() - 2],
        &format!("{}1d", &header[..header.len() - 2]),
    ] {
        let error = policy.recover(bad).unwrap_err();
        assert_eq!(
            (error.code, &*error.path),
            (Code::SignatureNotValid, "Authorization")
        );
        assert!(
            error.message.starts_with("`Authorization` must "),
            "{}",
            error.message
        );
    }
}

#[test]
fn the_digest_includes_the_length_of_the_text() {
    // The digest of an empty message, computed by the JavaScript library ethers.
    let empty = "0x5f35dce98ba4fba25530a026ed80b2cecdaa31091ba4958b99b52ea1d068adad";
    assert_eq!(crate::testing::prefixed(eip191_digest(b"")), empty);
    let policy = AuthorizationPolicy::new("a".repeat(100), EthSignReading::Text);
    assert_eq!(policy.text().len(), 100);
    let mut preimage = alloc::vec::Vec::from(*b"\x19Ethereum Signed Message:\n100");
    preimage.extend([b'a'; 100]);
    let expected = alloy_primitives::keccak256(preimage);
    assert_eq!(*policy.digest(ClaimKind::PersonalSign), expected);
}
