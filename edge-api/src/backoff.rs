//! Delays between retries: one schedule for each job that the service repeats by itself.

use crate::ports::{DatabaseError, Statement};

const SECOND: u64 = 1_000;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;

/// Delays between retries of a record. The next two schedules share them.
const RECORDS: [u64; 5] = [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 12 * HOUR];

/// Retries of a record that is suspended because its payment was not covered. After the last retry, the record fails.
pub(crate) const SUSPENDED_RECORD: Limited = Limited(&RECORDS);

/// Retries of a record in quarantine, which could not be read or processed.
pub(crate) const QUARANTINE: Endless = Endless {
    delays: &RECORDS,
    last: RECORDS[4],
};

/// Retries of a job whose transaction conflicted with another transaction.
pub(crate) const CONFLICT: Limited = Limited(&[50, 200, 800, 2 * SECOND]);

/// Repeated queries to the payment provider about a deposit. The first query is 15 minutes after the deposit, so the fourth query comes 15
/// minutes after a day and cancels an unpaid payment. After the last query, events from the provider still update the deposit.
pub(crate) const RECONCILIATION: Limited = Limited(&[
    HOUR,
    4 * HOUR,
    19 * HOUR,
    24 * HOUR,
    48 * HOUR,
    96 * HOUR,
    168 * HOUR,
    336 * HOUR,
]);

/// Retries of an event's delivery.
pub(crate) const DELIVERY: Endless = Endless {
    delays: &[
        30 * SECOND,
        MINUTE,
        5 * MINUTE,
        15 * MINUTE,
        30 * MINUTE,
        HOUR,
        2 * HOUR,
    ],
    last: 4 * HOUR,
};

/// Pauses of a receiver after consecutive failures. Events to other receivers are sent meanwhile.
pub(crate) const RECEIVER_REST: Endless = Endless {
    delays: &[30 * SECOND, MINUTE],
    last: 5 * MINUTE,
};

/// Repeated challenges to a receiver. After the last challenge, the receiver must be registered again.
pub(crate) const CHALLENGE: Limited = Limited(&[30 * SECOND, 5 * MINUTE, 30 * MINUTE]);

/// Milliseconds before each of a limited number of retries.
pub(crate) struct Limited(&'static [u64]);

impl Limited {
    /// Returns the time of the next retry after `retries` earlier retries. `None` after the last retry.
    pub(crate) fn next(&self, now: u64, retries: u32) -> Option<u64> {
        Some(now.saturating_add(self.delay(retries)?))
    }

    /// Returns the delay before the next retry after `retries` earlier retries. `None` after the last retry.
    pub(crate) fn delay(&self, retries: u32) -> Option<u64> {
        self.0.get(usize::try_from(retries).ok()?).copied()
    }

    /// Binds the delays as a JSON list: `?n ->> retries` is the next delay, or null after the last.
    pub(crate) fn bind(&self, statement: Statement) -> Result<Statement, DatabaseError> {
        statement.bind_json(&self.0)
    }
}

/// Milliseconds before each retry. After the listed delays, `last` repeats.
pub(crate) struct Endless {
    delays: &'static [u64],
    last: u64,
}

impl Endless {
    /// Returns the time of the next retry after `retries` earlier retries.
    pub(crate) fn next(&self, now: u64, retries: u32) -> u64 {
        let index = usize::try_from(retries).ok();
        let delay = index.and_then(|index| self.delays.get(index));
        now.saturating_add(delay.copied().unwrap_or(self.last))
    }

    /// Binds the listed delays as a JSON list, then `last`: `coalesce(?n ->> retries, ?n+1)` is the next delay.
    pub(crate) fn bind(&self, statement: Statement) -> Result<Statement, DatabaseError> {
        Ok(statement.bind_json(&self.delays)?.bind(self.last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limited_schedule_ends() {
        let schedule = Limited(&[5, 50]);
        let next = |retries| schedule.next(1_000, retries);
        assert_eq!(
            [0, 1, 2, u32::MAX].map(next),
            [Some(1_005), Some(1_050), None, None]
        );
    }

    #[test]
    fn an_endless_schedule_repeats_its_last_delay() {
        let schedule = Endless {
            delays: &[5, 50],
            last: 500,
        };
        let next = |retries| schedule.next(1_000, retries);
        assert_eq!([0, 1, 2, u32::MAX].map(next), [1_005, 1_050, 1_500, 1_500]);
    }
}
