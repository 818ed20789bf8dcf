//! The health of the database and of the ledger, for probes, with the operator's pause. Each isolate caches the result for a second.

use std::cell::RefCell;

use crate::admin;
use crate::api::ChainHealth;
use crate::context::Context;
use crate::ledger::{Ledger, LedgerError};
use crate::single_flight::SingleFlight;

/// Milliseconds for which the result is cached for other probes.
const FRESH_MS: u64 = 1_000;
/// Milliseconds after which an unanswered query counts as lost, so another probe sends a new query.
const GONE_MS: u64 = 2_000;
/// Milliseconds between two checks for another probe's result.
const LOOK_MS: u64 = 20;

/// The state of the chain and of the pause.
#[derive(Clone)]
pub(crate) struct Checked {
    /// `None` if the ledger is not on a chain.
    pub(crate) chain: Option<ChainHealth>,
    /// The operator's message while changes are paused.
    pub(crate) pause: Option<String>,
}

type Health = Result<Checked, LedgerError>;

/// An isolate's cache of the service's health. Probes have no rate limit. Without the cache, they could overload the database,
/// which all isolates share, and the chain's providers.
pub(crate) struct ProbeMemory {
    /// Time and result of the last completed query.
    answered: RefCell<Option<(u64, Health)>>,
    /// The query in flight.
    asking: SingleFlight,
}

impl Default for ProbeMemory {
    fn default() -> Self {
        Self {
            answered: RefCell::default(),
            asking: SingleFlight::new(GONE_MS),
        }
    }
}

impl ProbeMemory {
    /// Returns the cached result, success or failure. If there is none, queries the database and the ledger, or waits for the query
    /// in flight.
    pub(crate) async fn check(&self, ctx: &Context<'_>, ledger: &dyn Ledger) -> Health {
        let clock = &ctx.ports().clock;
        loop {
            let now = clock.now_ms();
            if let Some((at, answer)) = &*self.answered.borrow()
                && now.saturating_sub(*at) < FRESH_MS
            {
                return answer.clone();
            }
            if let Some(_permit) = self.asking.begin("", now) {
                let answer = ask(ctx, ledger).await;
                *self.answered.borrow_mut() = Some((clock.now_ms(), answer.clone()));
                return answer;
            }
            clock.sleep(LOOK_MS).await;
        }
    }
}

/// Queries the database, then the ledger.
async fn ask(ctx: &Context<'_>, ledger: &dyn Ledger) -> Health {
    let pause = admin::pause_state(ctx.db()).await?.message;
    let chain = ledger.health(ctx).await?;
    Ok(Checked { chain, pause })
}
