//! Secrets in answers. Answers are stored without their secret. A replay inserts the secret that is in use at the time of
//! the replay, or null if no secret is in use.

use order_core::Address;
use serde_json::Value;

use crate::context::Context;
use crate::failure::Failure;
use crate::ports::DatabaseError;
use crate::web::Secret;

/// Replaces the secret `old` in a body, and keeps every other byte. The searched string cannot match inside a JSON string,
/// because quotes are escaped there.
fn replaced(body: &str, field: &str, old: &Value, new: &Value) -> String {
    let (from, to) = (format!("\"{field}\":{old}"), format!("\"{field}\":{new}"));
    body.replacen(&from, &to, 1)
}

/// Returns an answer's body in its stored form, without the secret. Returns `None` if the body is not JSON.
pub(super) fn without(secret: &Secret, body: String) -> Option<String> {
    let envelope: Value = serde_json::from_str(&body).ok()?;
    let data = envelope.get("data");
    Some(match data.and_then(|data| data.get(secret.field)) {
        Some(old) => replaced(&body, secret.field, old, &Value::Null),
        None => body,
    })
}

/// Returns a stored body with the secret that is in use now, as a replay sends it.
pub(super) async fn with(
    ctx: &Context<'_>,
    caller: &Address,
    secret: &Secret,
    key: &str,
    body: String,
) -> Result<String, Failure> {
    let unreadable = |error| DatabaseError::corrupt("idempotency_keys", key, error);
    let envelope: Value = serde_json::from_str(&body).map_err(unreadable)?;
    let Some(data) = envelope.get("data") else {
        return Ok(body);
    };
    let Some(old) = data.get(secret.field) else {
        return Ok(body);
    };
    let new = (secret.read)(ctx, *caller, data).await?;
    Ok(replaced(&body, secret.field, old, &new))
}
