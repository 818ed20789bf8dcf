use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::*;
use crate::claim::{ClaimKind, PrivateKey};

/// The example of EIP-4361, section "Examples".
const EXAMPLE: &str = "example.com wants you to sign in with your Ethereum account:
0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2

I accept the ExampleOrg Terms of Service: https://example.com/tos

URI: https://example.com/login
Version: 1
Chain ID: 1
Nonce: 32891756
Issued At: 2021-09-30T16:25:24Z
Resources:
- ipfs://bafybeiemxf5abjwjbikoz4mc3a3dla6ual3jsgpdr4cjr3oz3evfyavhwq/
- https://example.com/my-web2-claim.json";

fn parsed(text: &str) -> Option<SignInMessage<'_>> {
    SignInMessage::parse(text).ok()
}

#[test]
fn the_example_of_the_standard_is_read() {
    let message = parsed(EXAMPLE).expect("a message");
    assert_eq!(message.scheme, None);
    assert_eq!(message.domain, "example.com");
    assert_eq!(
        message.address.to_string(),
        "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
    );
    assert_eq!(
        message.statement,
        Some("I accept the ExampleOrg Terms of Service: https://example.com/tos")
    );
    assert_eq!(message.uri, "https://example.com/login");
    assert_eq!((message.version, message.chain_id), ("1", "1"));
    assert_eq!(message.nonce, "32891756");
    assert_eq!(message.issued_at, "2021-09-30T16:25:24Z");
    assert_eq!((message.expiration_time, message.not_before), (None, None));
    assert!(
        message
            .resources
            .ends_with("\n- https://example.com/my-web2-claim.json")
    );
}

#[test]
fn all_optional_fields_are_read_and_all_may_be_absent() {
    let whole = EXAMPLE
        .replace("example.com wants", "https://example.com:8388 wants")
        .replace(
            "Resources:",
            "Expiration Time: 2021-09-30T16:25:24.123Z\nNot Before: 2021-09-30T16:25:24+02:00\nRequest ID: a%20b\nResources:",
        );
    let message = parsed(&whole).expect("a message");
    assert_eq!(message.scheme, Some("https"));
    assert_eq!(message.domain, "example.com:8388");
    assert_eq!(message.expiration_time, Some("2021-09-30T16:25:24.123Z"));
    assert_eq!(message.not_before, Some("2021-09-30T16:25:24+02:00"));
    assert_eq!(message.request_id, Some("a%20b"));

    let (start, _) = EXAMPLE.split_once("\nResources:").expect("resources");
    let short = start.replace(
        "I accept the ExampleOrg Terms of Service: https://example.com/tos\n",
        "",
    );
    assert!(short.contains("Cc2\n\n\nURI"), "{short}");
    let message = parsed(&short).expect("a message");
    assert_eq!((message.statement, message.resources), (None, ""));
    let empty = String::from(start) + "\nResources:";
    assert_eq!(parsed(&empty).expect("a message").resources, "");
}

#[test]
fn malformed_messages_are_refused_with_the_line() {
    let cases = [
        ("example.com wants", " wants", 1),
        ("example.com wants", "a b wants", 1),
        ("example.com wants", "me@example.com wants", 1),
        ("example.com wants", "1s://example.com wants", 1),
        ("example.com wants", "example.com  wants", 1),
        ("account:", "account: ", 1),
        ("account:\n", "account:\r\n", 1),
        ("0xC02aaA", "0xc02aaA", 2),
        (
            "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
            "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
            2,
        ),
        ("0xC02aaA", " 0xC02aaA", 2),
        ("Cc2\n\n", "Cc2\n", 3),
        ("I accept", "I äccept", 4),
        ("I accept", "I accept\nthat", 5),
        ("I accept", "\u{0}", 4),
        ("tos\n\n", "tos\n", 5),
        ("URI: ", "Uri: ", 6),
        ("URI: https://example.com/login", "URI: /login", 6),
        (
            "URI: https://example.com/login",
            "URI: https://example.com/lo gin",
            6,
        ),
        (
            "URI: https://example.com/login",
            "URI: https://example.com/%zz",
            6,
        ),
        ("Version: 1", "Version: 2", 7),
        ("Version: 1", "Version: 1 ", 7),
        ("Chain ID: 1", "Chain ID: ", 8),
        ("Chain ID: 1", "Chain ID: 0x1", 8),
        ("Nonce: 32891756", "Nonce: 3289175", 9),
        ("Nonce: 32891756", "Nonce: 32891756-", 9),
        ("Nonce: 32891756", "Nonce: 32891756\nNonce: 32891757", 10),
        (
            "Issued At: 2021-09-30T16:25:24Z",
            "Issued At: 2021-09-30",
            10,
        ),
        (
            "Issued At: 2021-09-30T16:25:24Z",
            "Issued At: 2021-09-30T16:25:24",
            10,
        ),
        (
            "Issued At: 2021-09-30T16:25:24Z",
            "Issued At: 2021-09-30T16:25:24.Z",
            10,
        ),
        (
            "Issued At: 2021-09-30T16:25:24Z",
            "Issued At: 2021-09-30 16:25:24Z",
            10,
        ),
        (
            "Issued At: 2021-09-30T16:25:24Z",
            "Issued At: 2021-09-30T16:25:24+0200",
            10,
        ),
        ("Resources:", "Request ID: a b\nResources:", 11),
        (
            "Resources:",
            "Not Before: 2021-09-30T16:25:24Z\nExpiration Time: 2021-09-30T16:25:24Z\nResources:",
            12,
        ),
        ("Resources:", "Resources: ", 11),
        ("Resources:", "Other: 1\nResources:", 11),
        ("- ipfs", "-  ipfs", 12),
        ("- ipfs", "ipfs", 12),
        ("claim.json", "claim.json\n", 14),
    ];
    for (from, to, line) in cases {
        assert!(EXAMPLE.contains(from), "{from}");
        let text = EXAMPLE.replacen(from, to, 1);
        let error = SignInMessage::parse(&text).expect_err(to);
        assert_eq!(error.line, line, "{to}: {error}");
    }
    for text in ["", "\n", "a", HEADING] {
        assert!(parsed(text).is_none(), "{text}");
    }
}

/// A cut or changed message is refused, or has other fields: no byte is ignored.
#[test]
fn no_byte_is_ignored() {
    let message = parsed(EXAMPLE).expect("a message");
    for end in 0..EXAMPLE.len() {
        let cut = &EXAMPLE[..end];
        assert_ne!(parsed(cut), Some(message), "{cut}");
    }
    let bytes: Vec<char> = EXAMPLE.chars().collect();
    for index in 0..bytes.len() {
        for other in ['\n', 'a', '1', ' ', '\r'] {
            let mut changed = bytes.clone();
            if changed[index] == other {
                continue;
            }
            changed[index] = other;
            let changed: String = changed.into_iter().collect();
            assert_ne!(parsed(&changed), Some(message), "{changed}");
        }
    }
}

#[test]
fn the_signer_of_a_text_is_recovered() {
    let key = PrivateKey::from_bytes(&[7; 32]).expect("a key");
    let signature = key.sign_text(EXAMPLE);
    let claim = Claim::of_text(&signature).expect("a signature");
    assert_eq!(claim.kind(), ClaimKind::PersonalSign);
    assert_eq!(claim.recover_text(EXAMPLE), Ok(key.address()));
    assert_ne!(claim.recover_text("another text"), Ok(key.address()));
    assert_eq!(Claim::of_text("0x00"), Err(ClaimError::Form));
    let with_kind = String::from("3:") + &signature;
    assert_eq!(Claim::of_text(&with_kind), Err(ClaimError::Form));
}
