//! The database's health as probes ask for it: once a second for all of an isolate.

use std::cell::{Cell, RefCell};

use crate::context::Context;
use crate::ports::{DatabaseError, Statement};

/// Milliseconds for which the database's answer is repeated to other probes.
const FRESH_MS: u64 = 1_000;
/// Milliseconds after which a probe's unanswered query is given up, and another probe asks.
const GONE_MS: u64 = 2_000;
/// Milliseconds between two checks for another probe's answer.
const LOOK_MS: u64 = 20;

/// The isolate's memory of the database's health: probes are not limited, and all instances share one database.
#[derive(Default)]
pub(crate) struct ProbeMemory {
    /// Time and result of the database's last answer.
    answered: RefCell<Option<(u64, Result<(), DatabaseError>)>>,
    /// Start of the query under way.
    asking: Cell<Option<u64>>,
}

impl ProbeMemory {
    /// Asks the database, or repeats its recent answer, good or bad.
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
