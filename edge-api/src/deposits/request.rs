//! Requests to Stripe's API.

use crate::config::Stripe;
use crate::outbound::{Outgoing, Policy, Refused};

/// The version of Stripe's API for which the requests are written.
const VERSION: &str = "2024-06-20";
/// Maximum bytes of a response from Stripe.
const ANSWER_MAX: usize = 256 << 10;

/// The form that a request sends, and its idempotency key.
pub(super) struct Form {
    pub(super) key: String,
    pub(super) body: String,
}

/// Returns a request to `path` below `/v1/` of Stripe's API: a POST if there is a form, otherwise a GET.
pub(super) fn request(
    settings: &Stripe,
    policy: &Policy,
    path: &str,
    form: Option<Form>,
) -> Result<Outgoing, Refused> {
    let target = policy.check(&format!("{}/v1/{path}", settings.api_base))?;
    let header = |name: &str, value: String| (name.to_owned(), value);
    let mut headers = vec![
        header(
            "authorization",
            format!("Bearer {}", settings.secret_key.expose()),
        ),
        header("stripe-version", VERSION.to_owned()),
    ];
    if let Some(form) = &form {
        headers.push(header(
            "content-type",
            "application/x-www-form-urlencoded".to_owned(),
        ));
        headers.push(header("idempotency-key", form.key.clone()));
    }
    Ok(Outgoing {
        target,
        headers,
        body: form.map(|form| form.body.into_bytes()),
        limit: ANSWER_MAX,
        redirects: 0,
    })
}

/// Returns the text if it has the form of Stripe's codes, otherwise `None`. Codes are lower-case words joined by `_`, a form
/// that secrets never have.
pub(super) fn identifier(text: &str) -> Option<String> {
    let good = !text.is_empty()
        && text.len() <= 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    good.then(|| text.to_owned())
}
