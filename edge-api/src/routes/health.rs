//! `/health` and `/openapi.json`: for probes, and for whoever wants to know what this instance is and does.

use std::rc::Rc;

use http::{StatusCode, header};
use serde_json::json;

use crate::app::{Call, Input};
use crate::config::Deposits;
use crate::http::{Failure, Response, Success};
use crate::limits::{self, Scope};
use crate::openapi;
use crate::ports::Statement;
use crate::routes::documented;

/// GET /health: asks the database too, so that a probe sees what a request would.
pub(super) async fn get(call: &Call<'_>, _: &Input<'_>) -> Result<Success, Failure> {
    call.db().query(Statement::new("SELECT 1 AS one")).await?;
    let config = call.config();
    let weakening = [
        ("ENVIRONMENT=development", config.development),
        ("DEPOSITS=test", matches!(config.deposits, Deposits::Test)),
        (
            "STRIPE_SECRET_KEY=sk_test_…",
            matches!(&config.deposits, Deposits::Stripe(stripe) if !stripe.livemode),
        ),
        ("ALLOW_PRIVATE_FETCH", config.weakened.private_fetch),
        ("MOVABLE_CLOCK", config.weakened.movable_clock),
        ("ABORT_AT", config.weakened.abort_at.is_some()),
    ];
    let weakening: Vec<&str> = weakening
        .into_iter()
        .filter(|(_, on)| *on)
        .map(|(name, _)| name)
        .collect();
    let limit = |scope| limits::in_force(call, scope).map(|limit| limit.to_string());
    Success::ok(json!({
        "service": config.service_name,
        "version": env!("CARGO_PKG_VERSION"),
        "authorizationText": config.authorization.text(),
        "weakening": weakening,
        "rateLimits": { "address": limit(Scope::Address), "account": limit(Scope::Account) },
    }))
}

/// GET /openapi.json: written once an isolate, since neither routes nor settings change while it lives.
pub(super) async fn openapi(call: &Call<'_>, _: &Input<'_>) -> Result<Success, Failure> {
    let kept = &call.isolate().description;
    let text = match kept.get() {
        Some(text) => Rc::clone(text),
        None => {
            let text = openapi::document(documented(), call.config().authorization.text());
            let text = Rc::from(text.map_err(Failure::internal)?);
            Rc::clone(kept.get_or_init(|| text))
        }
    };
    let mut response = Response::empty(StatusCode::OK)
        .with(header::CONTENT_TYPE, "application/json; charset=utf-8")
        .with(header::CACHE_CONTROL, "public, max-age=300");
    response.body = text.as_bytes().to_vec();
    Ok(Success::Raw(response))
}
