//! `/health`: for probes, and for whoever wants to know what this instance is.

use serde_json::json;

use crate::app::{Call, Input};
use crate::config::Deposits;
use crate::http::{Failure, Success};
use crate::ports::Statement;

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
    Success::ok(json!({
        "service": config.service_name,
        "version": env!("CARGO_PKG_VERSION"),
        "authorizationText": config.authorization.text(),
        "weakening": weakening,
    }))
}
