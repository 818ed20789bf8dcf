//! `/health`: the state of this instance, for probes and for people.

use order_core::{Amount, Code};

use crate::api;
use crate::config::{Deployers, Deposits};
use crate::failure::{Failure, Problem};
use crate::files;
use crate::ledger::LedgerError;
use crate::ports::Scope;
use crate::web::{Checked, Handled, Input, PageText, Route, in_force, ok, public};

/// The text that accounts sign if the operator has not set a name.
const DEFAULT_TEXT: &str = "assay api";

/// The text of the page for browsers.
pub(super) const PAGE: PageText = PageText {
    key: "health",
    heading: "This service is up",
    lead: "It answers requests. Programs get the same as JSON from this address.",
};

pub(super) const ROUTES: &[Route] = &[
    // This route has no rate limit, because a probe over the limit would report a healthy service as failing.
    Route::get("/health", public!(get))
        .unlimited()
        .page(PAGE)
        .answers::<api::Health>("getHealth", "Get the state of the service")
        .tag("service"),
];

/// GET /health: also queries the database, so a probe notices failures of the database. If a setting does not fit the ledger, the answer is
/// a failure that names the setting.
pub(super) async fn get(input: &Input<'_>) -> Handled {
    let checked = input.memory.health.check(input.ctx, input.ledger).await;
    let Checked { chain, pause } = checked.map_err(refused)?;
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
        // With free deployments for all accounts, any account can become funded and so get its own daily quota.
        (
            "DEPLOYERS=anyone",
            config.deployers == Deployers::Anyone && config.costs.deploy == Amount::ZERO,
        ),
        ("ALLOW_PRIVATE_FETCH", config.weakened.private_fetch),
        ("MOVABLE_CLOCK", config.weakened.movable_clock),
        ("ABORT_AT", config.weakened.abort_at.is_some()),
        // Any account can make the service send requests to an address whose owner has not agreed.
        (
            "WEBHOOK_CONFIRMATION=off",
            config.weakened.unconfirmed_webhooks,
        ),
        // A signature of this text is valid at every service that uses the same text.
        (
            "SERVICE_NAME=assay",
            config.authorization.text() == DEFAULT_TEXT,
        ),
        // With a quorum of one, a single provider could lie about the state of the chain.
        (
            "ALLOW_ONE_PROVIDER",
            config.chain.as_ref().is_some_and(|chain| chain.quorum == 1),
        ),
        // A limit is off if its setting is off, or if the platform has no counter for it.
        ("RATE_LIMIT_ADDRESS=off", address.is_none()),
        ("RATE_LIMIT_ACCOUNT=off", account.is_none()),
    ];
    let weakening: Vec<&str> = weakening
        .into_iter()
        .filter(|(_, on)| *on)
        .map(|(name, _)| name)
        .collect();
    ok(api::Health {
        service: config.service_name.clone(),
        version: env!("CARGO_PKG_VERSION"),
        version_id: config.version_id.clone(),
        authorization_text: config.authorization.text().to_owned(),
        legacy_auth: if config.legacy_auth { "on" } else { "off" },
        weakening,
        ledger: if config.chain.is_some() {
            "evm"
        } else {
            "embedded"
        },
        chain,
        payments: if config.takes_payments() { "on" } else { "off" },
        rate_limits: api::RateLimits { address, account },
        files: config.files.then_some(files::LIMITS),
        status_lists: config.status_lists(),
        pause,
    })
}

/// Converts the error of the check. The public answer names a wrong setting, because only the operator can correct it.
fn refused(error: LedgerError) -> Failure {
    let why = match &error {
        LedgerError::Misconfigured(why) => Some(why.clone()),
        LedgerError::Unavailable(_) | LedgerError::Database(_) => None,
    };
    let mut failure = Failure::from(error);
    if let Some(why) = why {
        failure.errors = vec![Problem::with_message(Code::DatabaseAway, "", why)];
    }
    failure
}
