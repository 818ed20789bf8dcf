//! Claims of `order_core`: hashes of requests, and signatures over these hashes. A request is the JSON text that the client sends to the
//! service. The argument `gateway` is the JSON text of the member `gateway` in the response to GET /account.
//!
//! For a wrong request, the message of the thrown error is JSON text in the form of the service's `errors`: `[{code, message, path}, …]`.
//! For any other wrong argument, the message is a sentence.

use alloc::borrow::ToOwned;
use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use core::str::FromStr;

use order_core::chain::cancel;
use order_core::{
    Address, ApprovalRequest, AuthorizationPolicy, B256, Claim, ClaimKind, Code, DeploymentRequest,
    EthSignReading, FieldError, Gateways, OrderRequest, PrivateKey, Request,
};
use serde_json::Value;
use wasm_bindgen::JsError;
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the address of the account of a private key (64 hex digits).
///
/// # Errors
/// If the text is not a private key.
#[wasm_bindgen(js_name = accountOf)]
pub fn account_of(private_key: &str) -> Result<String, JsError> {
    Ok(key(private_key)?.address().to_string())
}

/// Returns an address with its checksum (EIP-55).
///
/// # Errors
/// If the text is not an address.
#[wasm_bindgen]
pub fn checksummed(address: &str) -> Result<String, JsError> {
    let address: Address = address
        .parse()
        .map_err(|error| JsError::new(&format!("the account {error}")))?;
    Ok(address.to_string())
}

/// Returns the value of the Authorization header: a PERSONAL_SIGN signature over `text`, which the service chooses.
///
/// # Errors
/// If `private_key` is not a private key.
#[wasm_bindgen]
pub fn authorization(private_key: &str, text: &str) -> Result<String, JsError> {
    let policy = AuthorizationPolicy::new(text, EthSignReading::Text);
    Ok(key(private_key)?.authorization(ClaimKind::PersonalSign, &policy))
}

/// Returns the hash that an order's claims sign, `0x` and 64 hex digits. `request` is the body of POST /orders, with or without claims.
///
/// # Errors
/// If a field of the request or `gateway` is wrong.
#[wasm_bindgen(js_name = orderHash)]
pub fn order_hash(request: &str, gateway: &str) -> Result<String, JsError> {
    let request = OrderRequest::parse(&body(request)?, 0).map_err(|errors| fields(&errors))?;
    let hash = request
        .hash(&gateways(gateway)?)
        .map_err(|error| fields(&[error]))?;
    Ok(text(&hash))
}

/// Returns the hash that a deployment's claim signs. `request` is the body of POST /deployments, with or without the claim.
///
/// # Errors
/// If a field of the request or `gateway` is wrong.
#[wasm_bindgen(js_name = deploymentHash)]
pub fn deployment_hash(request: &str, gateway: &str) -> Result<String, JsError> {
    let request =
        DeploymentRequest::parse(&with_claim(request)?, 0).map_err(|errors| fields(&errors))?;
    Ok(text(&request.deploy.hash(&gateways(gateway)?)))
}

/// Returns the input of the transaction by which a signer cancels an order at its gateway on a chain, as hex text. `request` is the body of
/// POST /orders, with or without claims.
///
/// # Errors
/// If a field of the request or `gateway` is wrong.
#[wasm_bindgen(js_name = orderCancellation)]
pub fn order_cancellation(request: &str, gateway: &str) -> Result<String, JsError> {
    let request = OrderRequest::parse(&body(request)?, 0).map_err(|errors| fields(&errors))?;
    cancellation(&Request::Order(Box::new(request)), gateway)
}

/// Returns the input of the transaction by which the maker cancels a deployment at its gateway on a chain, as hex text. `request` is the
/// body of POST /deployments, with or without the claim.
///
/// # Errors
/// If a field of the request or `gateway` is wrong.
#[wasm_bindgen(js_name = deploymentCancellation)]
pub fn deployment_cancellation(request: &str, gateway: &str) -> Result<String, JsError> {
    let request =
        DeploymentRequest::parse(&with_claim(request)?, 0).map_err(|errors| fields(&errors))?;
    cancellation(&Request::Deployment(Box::new(request)), gateway)
}

fn cancellation(request: &Request, gateway: &str) -> Result<String, JsError> {
    let call = cancel(request, &gateways(gateway)?);
    let call = call.map_err(|error| JsError::new(&error.to_string()))?;
    let digits = call.data.iter().map(|byte| format!("{byte:02x}"));
    Ok(["0x".to_owned()].into_iter().chain(digits).collect())
}

/// Returns the hash that an approval's claim signs. `request` is the body of POST /approvals, with or without the claim.
///
/// # Errors
/// If a field of the request is wrong.
#[wasm_bindgen(js_name = approvalHash)]
pub fn approval_hash(request: &str) -> Result<String, JsError> {
    let request =
        ApprovalRequest::parse(&with_claim(request)?, 0).map_err(|errors| fields(&errors))?;
    Ok(text(&request.approval.hash()))
}

/// Returns the PERSONAL_SIGN claim of a private key over a hash.
///
/// # Errors
/// If the private key or the hash is malformed.
#[wasm_bindgen]
pub fn claim(private_key: &str, hash: &str) -> Result<String, JsError> {
    let hash = B256::from_str(hash)
        .map_err(|_| JsError::new("the hash must be `0x` and 64 hexadecimal digits"))?;
    Ok(key(private_key)?
        .claim(ClaimKind::PersonalSign, &hash)
        .to_string())
}

/// Returns the account that signed a text by `personal_sign`. `signature` is `0x` and 130 hex digits. Another text recovers another account.
///
/// # Errors
/// If the signature is malformed, or no account can be recovered from it.
#[wasm_bindgen(js_name = signerOf)]
pub fn signer_of(text: &str, signature: &str) -> Result<String, JsError> {
    let signer = Claim::of_text(signature).and_then(|claim| claim.recover_text(text));
    signer
        .map(|account| account.to_string())
        .map_err(|error| JsError::new(&format!("the signature {error}")))
}

fn key(text: &str) -> Result<PrivateKey, JsError> {
    text.parse()
        .map_err(|error| JsError::new(&format!("the key {error}")))
}

/// Parses a request. The parser refuses an unpaired surrogate, which `JSON.stringify` can write as an escape.
fn body(text: &str) -> Result<Value, JsError> {
    serde_json::from_str(text).map_err(|error| {
        let message = format!("must be JSON whose strings are valid Unicode: {error}");
        fields(&[FieldError::with_message(Code::BodyNotValid, "", message)])
    })
}

/// Parses a request and adds a placeholder for a missing claim. The parser requires a claim, but the hash does not depend on it.
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
        Err(error) => JsError::new(&format!("the errors cannot be written as JSON: {error}")),
    }
}

/// Parses the argument `gateway`. Hashes contain only two of its addresses, so the others are not required.
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
