//! `/health`: for probes, and for people who want to know what this instance is.

use std::cell::{Cell, RefCell};

use order_core::Amount;

use crate::api;
use crate::app::{Call, Input};
use crate::config::{Deployers, Deposits};
use crate::http::{Failure, Success};
use crate::limits::{self, Scope};
use crate::ports::{DatabaseError, Statement};

/// The text that accounts sign if the operator has chosen no name.
const DEFAULT_TEXT: &str = "assay api";

/// Milliseconds for which the database's answer is repeated to other probes.
const FRESH_MS: u64 = 1_000;
/// Milliseconds after which a probe's unanswered query is given up, and another probe asks.
const GONE_MS: u64 = 2_000;
/// Milliseconds between two checks for another probe's answer.
const LOOK_MS: u64 = 20;

/// The isolate's memory of the database's health: probes are not limited, and all instances share one database.
#[derive(Default)]
pub(crate) struct Memory {
    /// Time and result of the database's last answer.
    answered: RefCell<Option<(u64, Result<(), DatabaseError>)>>,
    /// Start of the query under way.
    asking: Cell<Option<u64>>,
}

impl Memory {
    /// Asks the database, or repeats its recent answer, good or bad.
    async fn check(&self, call: &Call<'_>) -> Result<(), DatabaseError> {
        let clock = &call.ports().clock;
        loop {
            let now = clock.now_ms();
            let fresh = |since: u64, for_ms| now.saturating_sub(since) < for_ms;
            if let Some((at, answer)) = &*self.answered.borrow()
                && fresh(*at, FRESH_MS)
            {
                return answer.clone();
            }
            if !self.asking.get().is_some_and(|since| fresh(since, GONE_MS)) {
                self.asking.set(Some(now));
                let asked = call.db().query(Statement::new("SELECT 1 AS one")).await;
                let answer = asked.map(drop);
                *self.answered.borrow_mut() = Some((clock.now_ms(), answer.clone()));
                self.asking.set(None);
                return answer;
            }
            clock.sleep(LOOK_MS).await;
        }
    }
}

/// GET /health: asks the database too, so that a probe sees what a request would.
pub(super) async fn get(call: &Call<'_>, _: &Input<'_>) -> Result<Success, Failure> {
    call.isolate().health.check(call).await?;
    let config = call.config();
    let limit = |scope| limits::in_force(call, scope).map(|limit| limit.to_string());
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
    Success::ok(api::Health {
        service: config.service_name.clone(),
        version: env!("CARGO_PKG_VERSION"),
        authorization_text: config.authorization.text().to_owned(),
        weakening,
        payments: if config.takes_payments() { "on" } else { "off" },
        rate_limits: api::RateLimits { address, account },
    })
}
