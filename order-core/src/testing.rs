//! What the tests of several modules share: the vectors, and the world that they were made in.

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

/// The contracts that the vectors were made with.
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

/// `0x` and the bytes in lower case, which is how the vectors write them.
pub(crate) fn prefixed(bytes: impl AsRef<[u8]>) -> String {
    hex::encode_prefixed(bytes)
}

/// The body of POST /orders for a vector's order, which has no priority.
pub(crate) fn order_request(vector: &Value) -> Result<OrderRequest, Vec<FieldError>> {
    let mut body = vector.clone();
    body["priority"] = json!(1);
    OrderRequest::parse(&body, NOW_MS)
}

/// The deployment of a vector, in a request with some claim.
pub(crate) fn deploy(vector: &Value) -> Result<Deploy, Vec<FieldError>> {
    let body = json!({"priority": 1, "claim": "later", "deploy": vector});
    DeploymentRequest::parse(&body, NOW_MS).map(|request| request.deploy)
}

/// Codes and places, as tests compare them.
pub(crate) fn places(errors: &[FieldError]) -> Vec<(u32, String)> {
    errors
        .iter()
        .map(|error| (error.code.number(), error.path.to_string()))
        .collect()
}
