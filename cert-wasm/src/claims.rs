//! Claims of `order_core`: the hash of a request, and signatures over it. Requests come as the JSON text that the
//! service is sent, gateways as the `gateway` object of its account.
//!
//! The errors of a request are thrown as the JSON text of the service's own `errors`: `[{code, message, path}, …]`.

use alloc::format;
use alloc::string::{String, ToString};
use core::str::FromStr;

use order_core::{
    Address, ApprovalRequest, AuthorizationPolicy, B256, ClaimKind, Code, DeploymentRequest,
    EthSignReading, FieldError, Gateways, OrderRequest, PrivateKey,
};
use serde_json::Value;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// The address of the account that a private key (64 hex digits) signs for.
///
/// # Errors
/// If it is no private key.
#[wasm_bindgen(js_name = accountOf)]
pub fn account_of(private_key: &str) -> Result<String, JsError> {
    Ok(key(private_key)?.address().to_string())
}

/// The value of the Authorization header, by PERSONAL_SIGN over the service's text.
///
/// # Errors
/// If it is no private key.
#[wasm_bindgen]
pub fn authorization(private_key: &str, text: &str) -> Result<String, JsError> {
    let policy = AuthorizationPolicy::new(text, EthSignReading::Text);
    Ok(key(private_key)?.authorization(ClaimKind::PersonalSign, &policy))
}

/// The hash that an order's claims are made over: `0x` and 64 hex digits. `request` is the body of POST /orders, with
/// claims or without.
///
/// # Errors
/// Every field that is wrong, as JSON text.
#[wasm_bindgen(js_name = orderHash)]
pub fn order_hash(request: &str, gateway: &str) -> Result<String, JsError> {
    let request = OrderRequest::parse(&body(request)?, 0).map_err(|errors| fields(&errors))?;
    let hash = request
        .order
        .hash(&gateways(gateway)?, request.wildcard_signer)
        .map_err(|error| fields(&[error]))?;
    Ok(text(&hash))
}

/// The hash that a deployment's claim is made over. `request` is the body of POST /deployments.
///
/// # Errors
/// Every field that is wrong, as JSON text.
#[wasm_bindgen(js_name = deploymentHash)]
pub fn deployment_hash(request: &str, gateway: &str) -> Result<String, JsError> {
    let request =
        DeploymentRequest::parse(&with_claim(request)?, 0).map_err(|errors| fields(&errors))?;
    Ok(text(&request.deploy.hash(&gateways(gateway)?)))
}

/// The hash that an approval's claim is made over. `request` is the body of POST /approvals.
///
/// # Errors
/// Every field that is wrong, as JSON text.
#[wasm_bindgen(js_name = approvalHash)]
pub fn approval_hash(request: &str) -> Result<String, JsError> {
    let request =
        ApprovalRequest::parse(&with_claim(request)?, 0).map_err(|errors| fields(&errors))?;
    Ok(text(&request.approval.hash()))
}

/// The claim of a private key over a hash, by PERSONAL_SIGN.
///
/// # Errors
/// If it is no private key, or no hash.
#[wasm_bindgen]
pub fn claim(private_key: &str, hash: &str) -> Result<String, JsError> {
    let hash = B256::from_str(hash)
        .map_err(|_| JsError::new("the hash must be `0x` and 64 hexadecimal digits"))?;
    Ok(key(private_key)?
        .claim(ClaimKind::PersonalSign, &hash)
        .to_string())
}

fn key(text: &str) -> Result<PrivateKey, JsError> {
    text.parse()
        .map_err(|error| JsError::new(&format!("the key {error}")))
}

/// A request. JavaScript writes half of a surrogate pair as JSON, which nobody else reads.
fn body(text: &str) -> Result<Value, JsError> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("must be JSON whose texts are Unicode: {error}");
        fields(&[FieldError::with_message(Code::BodyNotValid, "", message)])
    })
}

/// A request whose claim is still to come: the hash does not depend on it, but reading the request asks for one.
fn with_claim(text: &str) -> Result<Value, JsError> {
    let mut request = body(text)?;
    if let Some(object) = request.as_object_mut() {
        object.entry("claim").or_insert_with(|| Value::from("-"));
    }
    Ok(request)
}

fn text(hash: &B256) -> String {
    format!("{hash:#x}")
}

fn fields(errors: &[FieldError]) -> JsError {
    match serde_json::to_string(errors) {
        Ok(list) => JsError::new(&list),
        Err(error) => JsError::new(&format!("the errors are no JSON: {error}")),
    }
}

/// The gateways that a claim is made for. Hashes name two of them; the others are not asked for.
fn gateways(text: &str) -> Result<Gateways, JsError> {
    let gateway: Value = serde_json::from_str(text)
        .map_err(|error| JsError::new(&format!("the gateway is not JSON: {error}")))?;
    let address = |name: &str| -> Result<Address, JsError> {
        let found = gateway
            .get(name)
            .and_then(Value::as_str)
            .and_then(|text| text.parse().ok());
        found.ok_or_else(|| {
            JsError::new(&format!(
                "the gateway's `{name}` must be an Ethereum address"
            ))
        })
    };
    let mut gateways = Gateways::derive(&[0; 32]);
    gateways.actions = address("actionsOrderId")?;
    gateways.deploy = address("assetLedgerDeployOrderId")?;
    Ok(gateways)
}
