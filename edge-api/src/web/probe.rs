//! The database's health for probes. Each isolate asks the database at most once a second.

use std::cell::{Cell, RefCell};

use crate::context::Context;
use crate::ports::{DatabaseError, Statement};

/// Milliseconds for which the database's result is cached for other probes.
const FRESH_MS: u64 = 1_000;
/// Milliseconds after which a probe's unanswered query counts as lost, and another probe asks again.
const GONE_MS: u64 = 2_000;
/// Milliseconds between two checks for another probe's result.
const LOOK_MS: u64 = 20;

/// An isolate's cache of the database's health. It is needed because probes have no rate limit and all instances share
/// one database.
#[derive(Default)]
pub(crate) struct ProbeMemory {
    /// Time and result of the last completed query.
    answered: RefCell<Option<(u64, Result<(), DatabaseError>)>>,
    /// Start of the query in flight.
    asking: Cell<Option<u64>>,
}

impl ProbeMemory {
    /// Returns the cached result, good or bad, or asks the database.
    pub(crate) async fn check(&self, ctx: &Context<'_>) -> Result<(), DatabaseError> {
        let clock = &ctx.ports().clock;
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
                let asked = ctx.db().query(Statement::new("SELECT 1 AS one")).await;
                let answer = asked.map(drop);
                *self.answered.borrow_mut() = Some((clock.now_ms(), answer.clone()));
                self.asking.set(None);
                return answer;
            }
            clock.sleep(LOOK_MS).await;
        }
    }
}
