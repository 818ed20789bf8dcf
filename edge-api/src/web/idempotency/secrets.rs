//! Secrets in answers. They are not stored with the answer. A replay reads them from where they are in use, and shows
//! null if they are no longer in use.

use order_core::Address;
use serde_json::Value;

use crate::context::Context;
use crate::deposits;
use crate::failure::Failure;
use crate::ports::DatabaseError;
use crate::webhooks;

/// Returns the JSON pointer to the secret in the answers of a path.
fn pointer(path: &str) -> Option<&'static str> {
    match path {
        DEPOSITS => Some("/data/clientSecret"),
        ROTATE => Some("/data/secret"),
        _ => None,
    }
}

const DEPOSITS: &str = "/deposits";
const ROTATE: &str = "/account/webhook/rotate";

/// Replaces the secret in a body and keeps every other byte. Returns `None` if the body has no secret. The quoted key
/// occurs nowhere else: within a string its quotes would be escaped.
fn replaced(body: &str, envelope: &Value, pointer: &str, secret: &Value) -> Option<String> {
    let old = envelope.pointer(pointer)?;
    let (_, key) = pointer.rsplit_once('/')?;
    let (from, to) = (format!("\"{key}\":{old}"), format!("\"{key}\":{secret}"));
    Some(body.replacen(&from, &to, 1))
}

/// Returns an answer's body in its stored form, without the secret.
pub(super) fn without(path: &str, body: String) -> Option<String> {
    let Some(pointer) = pointer(path) else {
        return Some(body);
    };
    let envelope: Value = serde_json::from_str(&body).ok()?;
    Some(replaced(&body, &envelope, pointer, &Value::Null).unwrap_or(body))
}

/// Returns a stored body with the current secret put back, as a replay sends it.
pub(super) async fn with(
    ctx: &Context<'_>,
    caller: &Address,
    path: &str,
    body: String,
) -> Result<String, Failure> {
    let Some(pointer) = pointer(path) else {
        return Ok(body);
    };
    let unreadable = |error| DatabaseError::corrupt("idempotency_keys", path, error);
    let envelope: Value = serde_json::from_str(&body).map_err(unreadable)?;
    if envelope.pointer(pointer).is_none() {
        return Ok(body);
    }
    let secret = if path == ROTATE {
        let webhook = webhooks::webhook(ctx.db(), caller).await?;
        Value::from(webhook.map(|webhook| webhook.secret().as_str().to_owned()))
    } else {
        let reference = envelope.pointer("/data/ref").and_then(Value::as_str);
        let reference = reference.unwrap_or_default();
        let deposit = deposits::find(ctx.db(), caller, reference).await?;
        Value::from(deposit.and_then(|deposit| deposit.client_secret))
    };
    Ok(replaced(&body, &envelope, pointer, &secret).unwrap_or(body))
}
