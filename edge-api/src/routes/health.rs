//! `/health` and `/openapi.json`: for probes, and for whoever wants to know what this instance is and does.

use std::rc::Rc;

use http::{StatusCode, header};
use order_core::Amount;
use serde_json::json;

use crate::config::{Deployers, Deposits};
use crate::failure::Failure;
use crate::openapi;
use crate::ports::Scope;
use crate::routes::documented;
use crate::web::{Handled, Input, Response, in_force, ok, raw};

/// The text that accounts sign if the operator has chosen no name.
const DEFAULT_TEXT: &str = "assay api";

/// GET /health: asks the database too, so that a probe sees what a request would.
pub(super) async fn get(input: &Input<'_>) -> Handled {
    input.memory.health.check(input.ctx).await?;
    let config = input.ctx.config();
    let limit = |scope| in_force(input.ctx, scope).map(|limit| limit.to_string());
    let [address, account] = [limit(Scope::Address), limit(Scope::Account)];
    let weakening = [
        ("ENVIRONMENT=development", config.development),
        ("DEPOSITS=test", matches!(config.deposits, Deposits::Test)),
        (
            "STRIPE_SECRET_KEY=sk_test_…",
            matches!(&config.deposits, Deposits::Stripe(stripe) if !stripe.livemode),
        ),
        // Free deployments for everybody make strangers members, whose storage has no bound.
        (
            "DEPLOYERS=anyone",
            config.deployers == Deployers::Anyone && config.costs.deploy == Amount::ZERO,
        ),
        ("ALLOW_PRIVATE_FETCH", config.weakened.private_fetch),
        ("MOVABLE_CLOCK", config.weakened.movable_clock),
        ("ABORT_AT", config.weakened.abort_at.is_some()),
        // The signature of the text is a password on every instance with the same text.
        (
            "SERVICE_NAME=assay",
            config.authorization.text() == DEFAULT_TEXT,
        ),
        // Either the setting or a missing counter of the platform switches the limit off.
        ("RATE_LIMIT_ADDRESS=off", address.is_none()),
        ("RATE_LIMIT_ACCOUNT=off", account.is_none()),
    ];
    let weakening: Vec<&str> = weakening
        .into_iter()
        .filter(|(_, on)| *on)
        .map(|(name, _)| name)
        .collect();
    ok(json!({
        "service": config.service_name,
        "version": env!("CARGO_PKG_VERSION"),
        "authorizationText": config.authorization.text(),
        "weakening": weakening,
        "payments": if config.takes_payments() { "on" } else { "off" },
        "rateLimits": { "address": address, "account": account },
    }))
}

/// GET /openapi.json: written once an isolate, since neither routes nor settings change while it lives.
pub(super) async fn openapi(input: &Input<'_>) -> Handled {
    let kept = &input.memory.description;
    let text = match kept.get() {
        Some(text) => Rc::clone(text),
        None => {
            let text = openapi::document(documented(), input.ctx.config().authorization.text());
            let text = Rc::from(text.map_err(Failure::internal)?);
            Rc::clone(kept.get_or_init(|| text))
        }
    };
    let mut response = Response::empty(StatusCode::OK)
        .with(header::CONTENT_TYPE, "application/json; charset=utf-8")
        .with(header::CACHE_CONTROL, "public, max-age=300");
    response.body = text.as_bytes().to_vec();
    raw(response)
}
