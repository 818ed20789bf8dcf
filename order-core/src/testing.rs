//! Data that the tests of several modules share: the vectors, and the contracts for which they were made.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use alloy_primitives::hex;
use serde_json::{Value, json};

use crate::{Address, Deploy, DeploymentRequest, FieldError, Gateways, OrderRequest, Proxies};

/// The moment at which the client's requests were recorded.
pub(crate) const NOW_MS: u64 = 1_700_000_000_000;

pub(crate) fn claims() -> Value {
    serde_json::from_str(include_str!("../../tests/vectors/claims/claims.json")).unwrap()
}

pub(crate) fn chain_views() -> Value {
    serde_json::from_str(include_str!("../../tests/vectors/chain/views.json")).unwrap()
}

pub(crate) fn client_requests() -> Value {
    serde_json::from_str(include_str!(
        "../../tests/vectors/claims/client-requests.json"
    ))
    .unwrap()
}

pub(crate) fn list<'v>(file: &'v Value, key: &str) -> &'v Vec<Value> {
    file[key].as_array().unwrap()
}

pub(crate) fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap()
}

pub(crate) fn address(text: &str) -> Address {
    text.parse().unwrap()
}

/// Returns the contracts for which the vectors were made.
pub(crate) fn gateways() -> Gateways {
    let file = claims();
    let [config, contracts] = ["gatewayConfig", "contracts"].map(|key| &file[key]);
    let contract = |name| address(text(contracts, name));
    Gateways {
        actions: address(text(config, "actionsOrderId")),
        deploy: address(text(config, "assetLedgerDeployOrderId")),
        token: contract("dappToken"),
        payment_receiver: address("0x90F79bf6EB2c4f870365E785982E1f101E93b906"),
        proxies: Proxies {
            create_asset: contract("xcertCreateProxy"),
            transfer_value: contract("tokenTransferProxy"),
            transfer_asset: contract("nftokenTransferProxy"),
            safe_transfer_asset: contract("nftokenSafeTransferProxy"),
            update_asset: contract("xcertUpdateProxy"),
            manage_abilities: contract("abilitableManageProxy"),
            destroy_asset: contract("xcertBurnProxy"),
        },
        unsafe_recipients: Vec::new(),
    }
}

/// Returns `0x` and the bytes in lower-case hex, as in the vectors.
pub(crate) fn prefixed(bytes: impl AsRef<[u8]>) -> String {
    hex::encode_prefixed(bytes)
}

/// Parses a vector's order as the body of POST /orders. Adds the priority, which the vector lacks.
pub(crate) fn order_request(vector: &Value) -> Result<OrderRequest, Vec<FieldError>> {
    let mut body = vector.clone();
    body["priority"] = json!(1);
    OrderRequest::parse(&body, NOW_MS)
}

/// Returns the deployment of a vector, parsed in a request with any claim.
pub(crate) fn deploy(vector: &Value) -> Result<Deploy, Vec<FieldError>> {
    let body = json!({"priority": 1, "claim": "later", "deploy": vector});
    DeploymentRequest::parse(&body, NOW_MS).map(|request| request.deploy)
}

/// Returns the body with edits: an object of JSON pointers and new values. [`ABSENT`] removes a field.
pub(crate) fn edited(body: &Value, edits: &Value) -> Value {
    let mut body = body.clone();
    for (pointer, new) in edits.as_object().unwrap() {
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        match body.pointer_mut(parent).unwrap() {
            Value::Object(object) if new == ABSENT => {
                assert!(object.remove(key).is_some(), "{pointer} does not exist");
            }
            Value::Object(object) => {
                object.insert(key.to_string(), new.clone());
            }
            other => other[key.parse::<usize>().unwrap()] = new.clone(),
        }
    }
    body
}

pub(crate) const ABSENT: &str = "(absent)";

/// A required field, and the errors if it is missing or wrong.
pub(crate) struct Required {
    pub(crate) pointer: &'static str,
    pub(crate) path: &'static str,
    /// The codes for absent, null and empty values, and for values of another type.
    pub(crate) missing: &'static [u32],
    /// Values of the right type that are wrong, and the code for them.
    pub(crate) wrong: (u32, Value),
    /// A value of another type.
    pub(crate) other_type: Value,
}

impl Required {
    /// Checks that each way to omit or spoil the field gives its codes at the field's path, and no other errors.
    pub(crate) fn check(
        &self,
        body: &Value,
        parse: impl Fn(&Value) -> Result<(), Vec<FieldError>>,
    ) {
        let refused = |value: &Value, codes: &[u32]| {
            let errors = parse(&edited(body, &json!({ self.pointer: value }))).unwrap_err();
            let expected: Vec<(u32, String)> =
                codes.iter().map(|code| (*code, self.path.into())).collect();
            assert_eq!(places(&errors), expected, "{} = {value}", self.path);
        };
        for missing in [
            json!(ABSENT),
            json!(null),
            json!(""),
            self.other_type.clone(),
        ] {
            refused(&missing, self.missing);
        }
        let (code, values) = &self.wrong;
        for value in values.as_array().unwrap() {
            refused(value, &[*code]);
        }
    }
}

/// Returns texts that are not addresses. Every field with an address must refuse each of them.
pub(crate) fn no_addresses() -> Value {
    json!([
        "0x",
        "someone",
        "0x70997970c51812dc3A010C7d01b50e0d17dc79C8",
        "70997970C51812dc3A010C7d01b50e0d17dc79C8",
        "0x70997970C51812dc3A010C7d01b50e0d17dc79C8 ",
        "0x0000000000000000000000000000000000000000",
    ])
}

/// Returns numbers that are neither a seed nor an expiration.
pub(crate) fn no_whole_numbers() -> Value {
    json!([-1, 0.5, 1e300, 9_007_199_254_740_992_u64, u64::MAX])
}

/// Returns numbers that are not an expiration.
pub(crate) fn no_expirations() -> Value {
    let mut numbers = no_whole_numbers();
    for late in [253_402_300_800_000_u64, 9_007_199_254_740_991] {
        numbers.as_array_mut().unwrap().push(json!(late));
    }
    numbers
}

/// Returns the codes and paths of errors, for comparisons in tests.
pub(crate) fn places(errors: &[FieldError]) -> Vec<(u32, String)> {
    errors
        .iter()
        .map(|error| (error.code.number(), error.path.to_string()))
        .collect()
}

/// Asserts that the request is refused with exactly these errors, in this order. `why` names the request in a failure.
pub(crate) fn assert_refused<T>(
    result: Result<T, Vec<FieldError>>,
    expected: &[(u32, &str)],
    why: &Value,
) {
    let errors = result.err().unwrap_or_default();
    let expected: Vec<(u32, String)> = expected
        .iter()
        .map(|(code, path)| (*code, path.to_string()))
        .collect();
    assert_eq!(places(&errors), expected, "{why}");
}
