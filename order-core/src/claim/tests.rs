//! Tests of signatures with values at the ends of their ranges, derived from one valid claim of the vectors. Also signs all vectors.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use alloy_primitives::{B256, U256, hex, keccak256};
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::testing::{NOW_MS, claims, client_requests, gateways, list, text};
use crate::{ApprovalRequest, DeploymentRequest, OrderRequest};

/// The order of secp256k1 (SEC 2, section 2.4.1).
const ORDER: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
/// Half of `ORDER`, rounded down: the largest `s` of the lower half.
const HALF_ORDER: &str = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";

/// `r`, `s`, the recovery byte, the hash and the signer of the first claim of the vectors.
struct Good {
    r: String,
    s: String,
    v: u8,
    hash: B256,
    signer: Address,
}

fn good() -> Good {
    let file = claims();
    let vector = &list(&file, "actionsOrders")[0];
    let claim = &vector["claims"][0];
    Good {
        r: text(claim, "r")[2..].into(),
        s: text(claim, "s")[2..].into(),
        v: u8::try_from(claim["v"].as_u64().unwrap()).unwrap(),
        hash: text(vector, "orderHash").parse().unwrap(),
        signer: text(claim, "signer").parse().unwrap(),
    }
}

fn written(kind: &str, r: &str, s: &str, v: u8) -> String {
    format!("{kind}:0x{r}{s}{v:02x}")
}

fn number(digits: &str) -> U256 {
    U256::from_str_radix(digits, 16).unwrap()
}

fn digits(number: U256) -> String {
    hex::encode(number.to_be_bytes::<32>())
}

fn verified(text: &str) -> Result<Claim, ClaimError> {
    let good = good();
    let claim = ClaimText::new(text).ok_or(ClaimError::Form)?;
    claim.verify(&good.hash, good.signer)
}

#[test]
fn a_valid_claim_is_accepted_in_all_its_forms() {
    let Good { r, s, v, .. } = good();
    for kind in ["0", "3"] {
        let canonical = written(kind, &r, &s, v);
        for text in [
            canonical.clone(),
            written(kind, &r, &s, v - 27),
            written(kind, &r.to_uppercase(), &s.to_uppercase(), v),
        ] {
            let claim = verified(&text).unwrap();
            assert_eq!(claim.to_string(), canonical);
            assert_eq!(claim.v(), v);
            assert_eq!(claim.kind() as u8, kind.parse::<u8>().unwrap());
        }
    }
}

#[test]
fn the_second_form_of_a_signature_is_refused() {
    let Good { r, s, v, .. } = good();
    let high = digits(number(ORDER) - number(&s));
    // Without this rule, the signature would recover to the signer, too.
    for v in [v, 55 - v] {
        assert_eq!(
            verified(&written("0", &r, &high, v)),
            Err(ClaimError::HighS)
        );
    }
}

#[test]
fn s_is_at_most_half_of_the_order() {
    let Good { r, .. } = good();
    let parsed = |s: &str| written("0", &r, s, 27).parse::<Claim>().map(drop);
    let above = digits(number(HALF_ORDER) + U256::from(1));
    assert_eq!(parsed(HALF_ORDER), Ok(()));
    assert_eq!(parsed(&above), Err(ClaimError::HighS));
    assert_eq!(number(ORDER) - number(HALF_ORDER), number(&above));
}

#[test]
fn r_and_s_are_from_one_to_below_the_order() {
    let Good { r, s, .. } = good();
    let zero = "0".repeat(64);
    let above = digits(number(ORDER) + U256::from(1));
    let most = "f".repeat(64);
    for out in [zero.as_str(), ORDER, &above, &most] {
        for v in [27, 28] {
            assert_eq!(
                verified(&written("0", out, &s, v)),
                Err(ClaimError::Range),
                "r {out}"
            );
            assert_eq!(
                verified(&written("0", &r, out, v)),
                Err(ClaimError::Range),
                "s {out}"
            );
        }
    }
    // Values in range, with which the signature recovers no account or a different one.
    let last = digits(number(ORDER) - U256::from(1));
    let one = digits(U256::from(1));
    for (r, s) in [(&last, &s), (&one, &s), (&r, &one)] {
        let error = verified(&written("0", r, s, 27)).unwrap_err();
        assert!(matches!(
            error,
            ClaimError::NotRecoverable | ClaimError::OtherAccount
        ));
    }
}

#[test]
fn an_r_without_a_curve_point_recovers_no_account() {
    // No point of secp256k1 has the x-coordinate 5, because 5^3 + 7 is not a square.
    let Good { s, .. } = good();
    let five = digits(U256::from(5));
    for v in [27, 28] {
        assert_eq!(
            verified(&written("0", &five, &s, v)),
            Err(ClaimError::NotRecoverable)
        );
    }
}

#[test]
fn the_point_at_infinity_recovers_no_account() {
    // If R is the generator and s the digest, the public key is the point at infinity.
    let generator = "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    let (hash, digest) = (0_u64..)
        .map(|salt| keccak256(salt.to_be_bytes()))
        .map(|hash| (hash, eip191_digest(hash.as_slice())))
        .find(|(_, digest)| number(&hex::encode(digest)) <= number(HALF_ORDER))
        .unwrap();
    let claim: Claim = written("0", generator, &hex::encode(digest), 27)
        .parse()
        .unwrap();
    assert_eq!(claim.recover(&hash), Err(ClaimError::NotRecoverable));
    let other = keccak256("another hash");
    assert!(claim.recover(&other).is_ok());
}

#[test]
fn recovery_bytes_are_27_and_28_or_0_and_1() {
    let Good { r, s, v, .. } = good();
    for byte in (0..=255).filter(|byte| ![0, 1, 27, 28].contains(byte)) {
        let error = verified(&written("0", &r, &s, byte));
        assert_eq!(error, Err(ClaimError::RecoveryByte), "{byte}");
    }
    // With the other recovery byte, the signature recovers a different account.
    for byte in [55 - v, 28 - v] {
        assert_eq!(
            verified(&written("0", &r, &s, byte)),
            Err(ClaimError::OtherAccount)
        );
    }
}

#[test]
fn other_forms_of_a_claim_are_refused() {
    let Good { r, s, v, .. } = good();
    let claim = written("0", &r, &s, v);
    let digits = &claim[4..];
    let mut forms: Vec<String> = [
        "",
        ":",
        "0",
        "0:",
        "0:0x",
        ":0x",
        "0:0x1b",
        &claim[2..],
        digits,
        &format!("0:{digits}"),
        &format!("0:0X{digits}"),
        &format!("0:0x0x{}", &digits[2..]),
        &format!("0::0x{digits}"),
        &format!("0;0x{digits}"),
        &format!("{claim}:"),
        &format!("{claim},{claim}"),
        &format!("\"{claim}\""),
        &claim.replace("0x", "0x "),
        &claim.replacen('a', "g", 1),
        &claim.replacen('a', "а", 1),
        &format!("0:0x{digits}{digits}"),
    ]
    .map(String::from)
    .into();
    // Claims that are shorter or longer by a digit, a byte, or a word.
    for count in [1, 2, 64] {
        forms.push(claim[..claim.len() - count].into());
        forms.push(format!("{claim}{}", "0".repeat(count)));
    }
    for space in [" ", "\t", "\n", "\r\n", "\0", "\u{a0}", "\u{feff}"] {
        forms.push(format!("{claim}{space}"));
        forms.push(claim.replace(':', &format!(":{space}")));
    }
    for form in forms {
        assert_eq!(verified(&form), Err(ClaimError::Form), "{form:?}");
    }
    for kind in [
        "1", "2", "4", "5", "00", "03", "30", "+0", "-0", " 0", "0 ", "\n0", "", "٠", "0x0",
    ] {
        let form = written(kind, &r, &s, v);
        assert_eq!(verified(&form), Err(ClaimError::Kind), "{form:?}");
    }
}

#[test]
fn a_claim_is_bound_to_its_hash_and_account() {
    let Good {
        r,
        s,
        v,
        hash,
        signer,
    } = good();
    let claim = ClaimText::new(&written("0", &r, &s, v)).unwrap();
    assert!(claim.verify(&hash, signer).is_ok());
    let other = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"
        .parse()
        .unwrap();
    assert_eq!(claim.verify(&hash, other), Err(ClaimError::OtherAccount));
    for bit in 0..256 {
        let mut changed = hash;
        changed.0[bit / 8] ^= 1 << (bit % 8);
        assert!(claim.verify(&changed, signer).is_err(), "bit {bit}");
    }
}

#[test]
fn a_wrong_claim_has_the_code_of_its_kind_of_request() {
    let gateways = gateways();
    let bodies = client_requests();
    let body = |name: &str| {
        let records = list(&bodies, "records");
        let record = records
            .iter()
            .find(|record| record["name"] == name)
            .unwrap();
        let request = &record["requests"].as_array().unwrap().last().unwrap()["body"];
        request.clone()
    };

    let mut order = body("createOrder all six kinds, two signers, PERSONAL_SIGN");
    order["order"]["signers"][1]["claim"] = json!("nonsense");
    let read = OrderRequest::parse(&order, NOW_MS).unwrap();
    let hash = read.hash(&gateways).unwrap();
    let errors = read.order.verify_claims(&hash).unwrap_err();
    assert_eq!(
        crate::testing::places(&errors),
        [(400001, "order.signers[1].claim".to_string())]
    );
    assert!(
        errors[0]
            .message
            .starts_with("`order.signers[1].claim` must be `{kind}:")
    );
    // The claims of the two signers, swapped.
    let first = order["order"]["signers"][0]["claim"].clone();
    order["order"]["signers"][1]["claim"] = first;
    order["order"]["seed"] = json!(1);
    let read = OrderRequest::parse(&order, NOW_MS).unwrap();
    let hash = read.hash(&gateways).unwrap();
    let errors = read.order.verify_claims(&hash).unwrap_err();
    assert_eq!(
        crate::testing::places(&errors),
        ["order.signers[0].claim", "order.signers[1].claim"].map(|path| (400001, path.to_string()))
    );

    let mut deployment = body("createDeployment ETH_SIGN");
    deployment["deploy"]["seed"] = json!(1);
    let read = DeploymentRequest::parse(&deployment, NOW_MS).unwrap();
    let error = read.verify_claim(&read.deploy.hash(&gateways)).unwrap_err();
    assert_eq!((error.code.number(), &*error.path), (400001, "claim"));

    for name in ["createApproval asset", "createApproval value"] {
        let mut approval = body(name);
        approval["approve"]["seed"] = json!(1);
        let read = ApprovalRequest::parse(&approval, NOW_MS).unwrap();
        let error = read.verify_claim(&read.approval.hash()).unwrap_err();
        assert_eq!((error.code.number(), &*error.path), (422123, "claim"));
    }
}

#[test]
fn the_wildcards_claim_is_checked_at_its_own_path() {
    let file = claims();
    let vector = list(&file, "actionsOrders")
        .iter()
        .find(|vector| text(vector, "name").starts_with("dynamic (wildcard): signer A1"))
        .unwrap();
    let mut order = crate::testing::order_request(&vector["apiOrder"])
        .unwrap()
        .order;
    let hash: B256 = text(vector, "orderHash").parse().unwrap();
    let wildcard = &vector["claims"][2];
    order.wildcard_claim = Some(crate::SignerClaim {
        account_id: text(wildcard, "signer").parse().unwrap(),
        claim: ClaimText::new(text(wildcard, "claim")),
    });
    order.signers[0].claim = ClaimText::new(text(&vector["claims"][0], "claim"));
    assert_eq!(order.verify_claims(&hash), Ok(()));
    if let Some(claim) = &mut order.wildcard_claim {
        claim.claim = order.signers[0].claim.clone();
    }
    let errors = order.verify_claims(&hash).unwrap_err();
    assert_eq!(
        crate::testing::places(&errors),
        [(400001, "order.wildcardClaim.claim".to_string())]
    );
}

#[test]
fn signing_an_order_needs_a_claim() {
    for none in [
        json!({}),
        json!({"claim": null}),
        json!({"claim": ""}),
        json!({"claim": 5}),
        json!([]),
        json!("0:0x"),
    ] {
        let error = ClaimText::from_sign_request(&none).unwrap_err();
        assert_eq!(
            (error.code.number(), &*error.path),
            (400010, "claim"),
            "{none}"
        );
    }
    let claim = ClaimText::from_sign_request(&json!({"claim": "any"})).unwrap();
    assert_eq!(claim.as_str(), "any");
    let signer = good().signer;
    let error = claim.check(&B256::ZERO, signer, Code::SignatureNotValid, "claim");
    assert_eq!(error.unwrap_err().code, Code::SignatureNotValid);
    // The error for a signature of another text contains the hash to sign.
    let Good { r, s, v, .. } = good();
    let claim = ClaimText::new(&written("3", &r, &s, v)).unwrap();
    let error = claim.check(&B256::ZERO, signer, Code::SignatureNotValid, "claim");
    let message = error.unwrap_err().message;
    let expected = format!("hash `0x{}` by `{signer}`", "0".repeat(64));
    assert!(message.contains(&expected), "{message}");
}

#[test]
fn private_keys_make_the_claims_of_the_vectors() {
    let file = claims();
    let mut made = 0;
    for (group, hash) in [
        ("actionsOrders", "orderHash"),
        ("deployments", "hash"),
        ("approvals", "hash"),
    ] {
        for vector in list(&file, group) {
            let hash: B256 = text(vector, hash).parse().unwrap();
            for claim in list(vector, "claims") {
                let kind = match claim["kind"].as_u64() {
                    Some(0) => ClaimKind::EthSign,
                    Some(3) => ClaimKind::PersonalSign,
                    _ => continue,
                };
                let key: PrivateKey = text(claim, "privateKey").parse().unwrap();
                assert_eq!(key.claim(kind, &hash).to_string(), text(claim, "claim"));
                made += 1;
            }
        }
    }
    assert_eq!(made, 44);
    for account in list(&file, "accounts") {
        let key: PrivateKey = text(account, "privateKey").parse().unwrap();
        assert_eq!(key.address().to_string(), text(account, "address"));
        assert_eq!(
            format!("{key:?}"),
            format!("PrivateKey of {}", text(account, "address"))
        );
    }
}

#[test]
fn malformed_private_keys_are_refused() {
    let zero = "0".repeat(64);
    for bad in [
        "",
        "0x",
        &zero,
        ORDER,
        &"f".repeat(64),
        &ORDER[1..],
        &format!("{ORDER}0"),
    ] {
        assert!(bad.parse::<PrivateKey>().is_err(), "{bad}");
    }
    let last = digits(number(ORDER) - U256::from(1));
    assert!(last.parse::<PrivateKey>().is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn claims_of_a_key_recover_its_account(key: [u8; 32], hash: [u8; 32], other: [u8; 32]) {
        let Ok(key) = PrivateKey::from_bytes(&key) else { return Ok(()); };
        let (hash, other) = (B256::new(hash), B256::new(other));
        let claim = key.claim(ClaimKind::EthSign, &hash);
        prop_assert_eq!(claim.to_string().parse::<Claim>(), Ok(claim));
        prop_assert_eq!(claim.recover(&hash), Ok(key.address()));
        prop_assert_eq!(ClaimText::from(claim).verify(&hash, key.address()), Ok(claim));
        prop_assert!(hash == other || claim.recover(&other) != Ok(key.address()));
    }

    #[test]
    fn any_text_is_read_without_panic(text in "[0-3]?:?(0x)?[0-9a-f]{120,140}|.{0,40}") {
        let _ = text.parse::<Claim>();
    }
}
