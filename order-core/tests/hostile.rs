//! Tests of requests with arbitrary values at arbitrary paths: no code panics, and accepted requests can be hashed, stored and read back.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "tests index their own data"
)]

use order_core::{
    Approval, ApprovalRequest, ClaimText, Costs, Deploy, DeploymentRequest, FieldError, Gateways,
    Order, OrderRequest, Snapshot, apply_approval, apply_deployment, apply_order, json,
    ledger_address,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};

const NOW_MS: u64 = 1_700_000_000_000;

/// Returns valid requests: an order with a wildcard, an order without, a deployment, and an approval of each kind.
fn bodies() -> Vec<Value> {
    let records = include_str!("../../tests/vectors/claims/client-requests.json");
    let file: Value = serde_json::from_str(records).unwrap();
    let body = |name: &str| {
        let records = file["records"].as_array().unwrap();
        let record = records
            .iter()
            .find(|record| record["name"] == name)
            .unwrap();
        let requests = record["requests"].as_array().unwrap();
        requests.last().unwrap()["body"].clone()
    };
    [
        "createOrder wildcard, no payer, no receiver",
        "createOrder all six kinds, two signers, PERSONAL_SIGN",
        "createDeployment ETH_SIGN",
        "createApproval asset",
        "createApproval value",
    ]
    .map(body)
    .into()
}

/// Collects the JSON pointer of each value inside a value.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut inside = |key: &str, value: &Value| {
        let at = format!("{at}/{key}");
        places(value, &at, found);
        found.push(at);
    };
    match value {
        Value::Object(object) => object.iter().for_each(|(key, value)| inside(key, value)),
        Value::Array(list) => {
            for (index, value) in list.iter().enumerate() {
                inside(&index.to_string(), value);
            }
        }
        _ => {}
    }
}

/// Generates values that are valid for some fields, and values that are invalid for all.
fn any_value() -> impl Strategy<Value = Value> {
    let pool = [
        json!(null),
        json!(true),
        json!(false),
        json!(""),
        json!("0"),
        json!("0x64"),
        json!("0x0000000000000000000000000000000000000000"),
        json!("0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
        json!("0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc"),
        json!("0x2b961E3959b79326A8e7F64Ef0d2d825707669b5"),
        json!("f".repeat(64)),
        json!("9".repeat(78)),
        json!("é\u{0}\u{10ffff}"),
        json!([]),
        json!([1, 2]),
        json!([16, 1024]),
        json!([{}]),
        json!({}),
        json!({"accountId": "0x976EA74026E726554dB657fA54763abd0C3a0aa9", "claim": "x"}),
    ];
    prop_oneof![
        4 => select(pool.to_vec()),
        2 => (-2..10_i64).prop_map(|number| json!(number)),
        1 => any::<u64>().prop_map(|number| json!(number)),
        1 => any::<f64>().prop_map(|number| json!(number)),
        1 => ".{0,20}".prop_map(|text| json!(text)),
    ]
}

fn any_request() -> impl Strategy<Value = Value> {
    let edits = prop::collection::vec((any::<Index>(), any_value()), 0..4);
    (select(bodies()), edits).prop_map(|(mut body, edits)| {
        for (index, value) in edits {
            let mut found = Vec::new();
            places(&body, "", &mut found);
            if !found.is_empty() {
                *body.pointer_mut(index.get::<String>(&found)).unwrap() = value;
            }
        }
        body
    })
}

/// Checks that an error has a path and that its message is a sentence.
fn has_path_and_sentence(errors: &[FieldError]) -> Result<(), TestCaseError> {
    prop_assert!(!errors.is_empty());
    for error in errors {
        prop_assert!(!error.path.is_empty(), "{error}");
        prop_assert!(!error.message.ends_with('.'), "{error}");
        prop_assert!(error.message.len() < 600, "{error}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn accepted_requests_can_be_hashed_stored_and_applied(body in any_request()) {
        let gateways = Gateways::derive(&[1; 32]);
        let (costs, nothing) = (Costs::default(), Snapshot::default());

        match OrderRequest::parse(&body, NOW_MS) {
            Err(errors) => has_path_and_sentence(&errors)?,
            Ok(request) => {
                let order = &request.order;
                let hash = request.hash(&gateways);
                prop_assert!(hash.is_ok(), "{hash:?}");
                let read: Order = json::from_text(&serde_json::to_string(order).unwrap()).unwrap();
                prop_assert_eq!(&read, order);
                let again = OrderRequest { order: read, ..request.clone() };
                prop_assert_eq!(again.hash(&gateways), hash.clone());
                if let Err(errors) = order.verify_claims(&hash.unwrap()) {
                    has_path_and_sentence(&errors)?;
                }
                if let Err(error) = order.check_payment(&costs, &gateways) {
                    has_path_and_sentence(&[error])?;
                }
                if let Err(errors) = apply_order(order, order.wildcard(), &gateways, &nothing) {
                    has_path_and_sentence(&errors)?;
                }
            }
        }
        match DeploymentRequest::parse(&body, NOW_MS) {
            Err(errors) => has_path_and_sentence(&errors)?,
            Ok(request) => {
                let deploy = &request.deploy;
                let hash = deploy.hash(&gateways);
                let read: Deploy = json::from_text(&serde_json::to_string(deploy).unwrap()).unwrap();
                prop_assert_eq!(&read, deploy);
                let ledger = ledger_address(&[1; 32], &hash);
                if let Err(errors) = apply_deployment(deploy, Some(ledger), &gateways, &nothing) {
                    has_path_and_sentence(&errors)?;
                }
            }
        }
        match ApprovalRequest::parse(&body, NOW_MS) {
            Err(errors) => has_path_and_sentence(&errors)?,
            Ok(request) => {
                let approval = &request.approval;
                let read: Approval = json::from_text(&serde_json::to_string(approval).unwrap()).unwrap();
                prop_assert_eq!(&read, approval);
                if let Err(errors) = apply_approval(approval, &gateways, &nothing) {
                    has_path_and_sentence(&errors)?;
                }
            }
        }
        if let Err(error) = ClaimText::from_sign_request(&body) {
            has_path_and_sentence(&[error])?;
        }
    }
}
