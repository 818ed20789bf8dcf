//! The answers of all isolates: an isolate counts its answers, and every few seconds adds its counts to the database together with its lines of the
//! log of requests. This costs no transaction of its own.

use std::cell::Cell;

use const_format::concatcp;
use serde::Deserialize;

use crate::ports::{DatabaseError, Rows, Statement};

/// The upper bounds of the histogram of durations, in milliseconds.
pub(crate) const BOUNDS: [u64; 5] = [100, 300, 1_000, 3_000, 10_000];
/// Milliseconds of a period.
const PERIOD_MS: u64 = 300_000;
/// Earlier periods that count as recent, besides the current one: 15 to 20 minutes in total. Earlier ones are only part of the totals.
const RECENT: u64 = 3;
/// Minimum milliseconds between two writes of an isolate's counts without failures.
const TOGETHER_MS: u64 = 10_000;
/// Minimum milliseconds between two writes of counts that no line of the log accompanies.
const ALONE_MS: u64 = 60_000;

/// Sums of answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) requests: u64,
    /// Answers with a status of 500 or more.
    pub(crate) failures: u64,
    pub(crate) milliseconds: u64,
    /// Answers within each of [`BOUNDS`].
    pub(crate) within: [u64; BOUNDS.len()],
}

impl Tally {
    /// Counts an answer.
    pub(crate) fn count(&mut self, status: u16, milliseconds: u64) {
        let mut one = Self {
            requests: 1,
            failures: (status >= 500).into(),
            milliseconds,
            ..Self::default()
        };
        for (within, bound) in one.within.iter_mut().zip(BOUNDS) {
            *within = (milliseconds <= bound).into();
        }
        self.add(&one);
    }

    /// Adds other sums.
    pub(crate) fn add(&mut self, other: &Self) {
        self.requests = self.requests.saturating_add(other.requests);
        self.failures = self.failures.saturating_add(other.failures);
        self.milliseconds = self.milliseconds.saturating_add(other.milliseconds);
        for (sum, more) in self.within.iter_mut().zip(other.within) {
            *sum = sum.saturating_add(more);
        }
    }

    /// Returns the number of answers that took longer than a bound of the histogram.
    pub(crate) fn longer_than(&self, bound: u64) -> u64 {
        let mut within = BOUNDS.into_iter().zip(self.within);
        let within = within.find(|(upper, _)| *upper == bound);
        within.map_or(0, |(_, within)| self.requests.saturating_sub(within))
    }

    /// Returns the statement that adds the sums to the current period. It writes one row.
    pub(crate) fn keep(&self, now: u64) -> Statement {
        let [w100, w300, w1000, w3000, w10000] = self.within;
        Statement::new(concatcp!(
            "INSERT INTO answers (",
            COLUMNS,
            ") VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            ADD
        ))
        .bind(period(now))
        .bind(self.requests)
        .bind(self.failures)
        .bind(self.milliseconds)
        .bind(w100)
        .bind(w300)
        .bind(w1000)
        .bind(w3000)
        .bind(w10000)
    }
}

/// The answers of an isolate that are not in the database yet. They are lost with the isolate.
#[derive(Debug, Default)]
pub(crate) struct Unsaved {
    tally: Cell<Tally>,
    /// The time of the last write, successful or not.
    written_at: Cell<u64>,
}

impl Unsaved {
    /// Counts an answer.
    pub(crate) fn count(&self, status: u16, milliseconds: u64) {
        let mut tally = self.tally.get();
        tally.count(status, milliseconds);
        self.tally.set(tally);
    }

    /// Takes all counts. If they cannot be stored, the caller gives them back by [`Unsaved::give_back`].
    pub(crate) fn take(&self, now: u64) -> Tally {
        self.written_at.set(now);
        self.tally.take()
    }

    /// Takes all counts for a batch of the log. Returns `None` if none of them is a failure, and the last write was a moment ago: a busy isolate
    /// would otherwise write the same row several times a second.
    pub(crate) fn take_due(&self, now: u64) -> Option<Tally> {
        let is_due = self.tally.get().failures > 0 || self.was_written_before(now, TOGETHER_MS);
        is_due.then(|| self.take(now))
    }

    /// Adds counts that could not be stored.
    pub(crate) fn give_back(&self, more: &Tally) {
        let mut tally = self.tally.get();
        tally.add(more);
        self.tally.set(tally);
    }

    /// Returns true if there are failures to store, and the last write was a minute ago. Usually a line of the log takes them along. Without a
    /// line, an isolate with failures writes once a minute, so that failures of public routes are seen.
    pub(crate) fn begin_alone(&self, now: u64) -> bool {
        let is_needed = self.tally.get().failures > 0 && self.was_written_before(now, ALONE_MS);
        if is_needed {
            self.written_at.set(now);
        }
        is_needed
    }

    fn was_written_before(&self, now: u64, milliseconds: u64) -> bool {
        now >= self.written_at.get().saturating_add(milliseconds)
    }
}

fn period(now: u64) -> u64 {
    now.div_euclid(PERIOD_MS)
}

/// Returns the statement that reads the totals, as period 0, and the recent periods. [`sums`] reads its rows.
pub(crate) fn read(now: u64) -> Statement {
    Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM answers WHERE period >= ?1 UNION ALL SELECT 0, ",
        SUMS,
        " FROM answers HAVING count(*) > 0"
    ))
    .bind(period(now).saturating_sub(RECENT))
}

/// Returns the statements that add periods that are no longer recent to period 0, and delete them. They belong into one transaction.
pub(crate) fn forget(now: u64) -> [Statement; 2] {
    let oldest = period(now).saturating_sub(RECENT);
    let fold = concatcp!(
        "INSERT INTO answers (",
        COLUMNS,
        ") SELECT 0, ",
        SUMS,
        " FROM answers WHERE period > 0 AND period < ?1 HAVING count(*) > 0",
        ADD
    );
    let delete = "DELETE FROM answers WHERE period > 0 AND period < ?1";
    [fold, delete].map(|sql| Statement::new(sql).bind(oldest))
}

/// SQL for the columns of a row.
const COLUMNS: &str = "period, requests, failures, milliseconds, within_100, within_300, within_1000, within_3000, within_10000";

/// SQL for the sums of all columns except the period.
const SUMS: &str = "sum(requests), sum(failures), sum(milliseconds), sum(within_100), sum(within_300), sum(within_1000), sum(within_3000), sum(within_10000)";

/// SQL that adds an inserted row to the row of the same period.
const ADD: &str = " ON CONFLICT (period) DO UPDATE SET requests = requests + excluded.requests, failures = failures + excluded.failures, \
    milliseconds = milliseconds + excluded.milliseconds, within_100 = within_100 + excluded.within_100, \
    within_300 = within_300 + excluded.within_300, within_1000 = within_1000 + excluded.within_1000, \
    within_3000 = within_3000 + excluded.within_3000, within_10000 = within_10000 + excluded.within_10000";

/// All answers, and the answers of the recent periods.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sums {
    pub(crate) total: Tally,
    pub(crate) recent: Tally,
}

/// Reads the rows of [`read`].
pub(crate) fn sums(rows: Rows) -> Result<Sums, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        period: u64,
        requests: u64,
        failures: u64,
        milliseconds: u64,
        within_100: u64,
        within_300: u64,
        within_1000: u64,
        within_3000: u64,
        within_10000: u64,
    }
    let mut sums = Sums::default();
    for row in rows.all::<Row>()? {
        let tally = Tally {
            requests: row.requests,
            failures: row.failures,
            milliseconds: row.milliseconds,
            within: [
                row.within_100,
                row.within_300,
                row.within_1000,
                row.within_3000,
                row.within_10000,
            ],
        };
        match row.period {
            0 => sums.total = tally,
            _ => sums.recent.add(&tally),
        }
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_histogram_is_cumulative_and_its_bounds_are_inclusive() {
        let mut tally = Tally::default();
        for (status, milliseconds) in [(200, 100), (499, 101), (500, 3_000), (503, 10_001)] {
            tally.count(status, milliseconds);
        }
        assert_eq!((tally.requests, tally.failures), (4, 2));
        assert_eq!(tally.milliseconds, 13_202);
        assert_eq!(tally.within, [1, 2, 2, 3, 3]);
        assert_eq!(tally.longer_than(1_000), 2);
        assert_eq!(tally.longer_than(10_000), 1);
        assert_eq!(tally.longer_than(7), 0);
    }
}
