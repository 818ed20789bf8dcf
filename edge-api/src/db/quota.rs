//! Quotas: limits on an amount per hour or day.
//!
//! The transaction of a change counts the change's amounts (`count_quotas!`) and also checks the limits
//! (`QUOTA_LIMIT`, `within_quotas!`). So concurrent requests cannot exceed a limit together. All sums are rows of one table, `quotas`.

use serde::Serialize;

use crate::ports::{DatabaseError, Statement};
use crate::text::DAY_MS;

/// Milliseconds of an hour.
const HOUR_MS: u64 = 3_600_000;

/// A period over which use is summed. Periods start at whole hours or days in UTC.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Period {
    Hour,
    Day,
}

impl Period {
    fn milliseconds(self) -> u64 {
        match self {
            Self::Hour => HOUR_MS,
            Self::Day => DAY_MS,
        }
    }

    /// Returns the number of the period that contains a time, counted from 1970.
    pub(crate) fn number(self, now: u64) -> u64 {
        now.checked_div(self.milliseconds()).unwrap_or_default()
    }

    /// Returns the end of the period that contains a time, in milliseconds since 1970.
    pub(crate) fn end(self, now: u64) -> u64 {
        self.number(now)
            .saturating_add(1)
            .saturating_mul(self.milliseconds())
    }
}

/// An amount to count under a key, and the limit of the period's sum.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Quota {
    key: String,
    period: u64,
    limit: u64,
    amount: u64,
    /// Milliseconds since 1970.
    expires_at: u64,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    share: Option<Share>,
}

/// Limits the part that one user may take of a whole quota, which has the same period. Once the other users have used
/// half of the whole quota, the user is limited to a fraction of the rest. So a few users cannot use up the whole quota
/// before later users arrive.
#[derive(Clone, Debug, Serialize)]
struct Share {
    total: String,
    total_limit: u64,
    divisor: u64,
}

impl Quota {
    /// Creates a quota for the period that contains `now`.
    pub(crate) fn new(key: String, period: Period, now: u64, limit: u64, amount: u64) -> Self {
        Self {
            key,
            period: period.number(now),
            limit,
            amount,
            expires_at: period.end(now),
            share: None,
        }
    }

    /// Returns a share of this quota for `key`: at most `limit`, and once others have used half, at most 1/`divisor` of
    /// the rest.
    pub(crate) fn share(&self, key: String, limit: u64, divisor: u64) -> Self {
        Self {
            key,
            limit,
            share: Some(Share {
                total: self.key.clone(),
                total_limit: self.limit,
                divisor,
            }),
            ..self.clone()
        }
    }
}

/// SQL that adds the amounts of the quotas in the JSON list `?1`, if the conditions hold. A condition may refer to the list's
/// entry as `e`. With `from`, the entries come from this SQL.
macro_rules! count_quotas {
    ($($condition:expr),+) => {
        $crate::db::quota::count_quotas!(from "json_each(?1) e"; $($condition),+)
    };
    (from $from:expr; $($condition:expr),+) => {
        const_format::concatcp!(
            "INSERT INTO quotas (key, period, used, expires_at) \
             SELECT e.value ->> 'key', e.value ->> 'period', e.value ->> 'amount', e.value ->> 'expires_at' FROM ",
            $from,
            " WHERE ",
            $($condition,)+
            " ON CONFLICT (key, period) DO UPDATE SET used = used + excluded.used"
        )
    };
}
pub(crate) use count_quotas;

/// Joins each entry `e` of the JSON list `$list` with its row `q` of `quotas`. For a [share](Quota::share),
/// `t` is the row of the whole quota.
macro_rules! quota_sums {
    ($list:expr) => {
        const_format::concatcp!(
            "json_each(",
            $list,
            ") e CROSS JOIN quotas q ON q.key = e.value ->> 'key' AND q.period = e.value ->> 'period' \
             LEFT JOIN quotas t ON t.key = e.value ->> 'total' AND t.period = e.value ->> 'period'"
        )
    };
}
pub(crate) use quota_sums;

/// SQL expression for the limit of an entry of [`quota_sums`].
pub(crate) const QUOTA_LIMIT: &str = "CASE WHEN (t.used - q.used) * 2 > e.value ->> 'total_limit' \
         THEN min(e.value ->> 'limit', (e.value ->> 'total_limit' - (t.used - q.used)) / (e.value ->> 'divisor')) \
         ELSE (e.value ->> 'limit') * coalesce((SELECT factor FROM quota_raises WHERE key = e.value ->> 'key'), 1) END";

/// SQL expression for the sum of a key in a period. `$key` is an SQL expression, and `$period` is a parameter.
macro_rules! quota_used {
    ($key:expr, $period:literal) => {
        const_format::concatcp!(
            "coalesce((SELECT used FROM quotas WHERE key = ",
            $key,
            " AND period = ",
            $period,
            "), 0)"
        )
    };
}
pub(crate) use quota_used;

/// The entries of [`quota_sums`] whose limit would be exceeded if the entry's amount were added to its sum.
macro_rules! quotas_exceeded {
    ($list:literal) => {
        const_format::concatcp!(
            $crate::db::quota::quota_sums!($list),
            " WHERE q.used + (e.value ->> 'amount') > ",
            $crate::db::quota::QUOTA_LIMIT
        )
    };
}
pub(crate) use quotas_exceeded;

/// SQL condition that none of the quotas in the JSON list `$list` would be exceeded.
macro_rules! within_quotas {
    ($list:literal) => {
        const_format::concatcp!(
            "NOT EXISTS (SELECT 1 FROM ",
            $crate::db::quota::quotas_exceeded!($list),
            ")"
        )
    };
}
pub(crate) use within_quotas;

/// SQL expression for the latest end of a period among the quotas in the JSON list `$list` that would be exceeded. Null if no quota
/// would be exceeded.
macro_rules! quotas_exceeded_until {
    ($list:literal) => {
        const_format::concatcp!(
            "(SELECT max(e.value ->> 'expires_at') FROM ",
            $crate::db::quota::quotas_exceeded!($list),
            ")"
        )
    };
}
pub(crate) use quotas_exceeded_until;

/// Returns the statement that multiplies the limit of a key by an administrator's factor. A factor of 1 restores the usual limit.
pub(crate) fn raise(key: &str, factor: u64) -> Statement {
    if factor <= 1 {
        return Statement::new("DELETE FROM quota_raises WHERE key = ?1").bind(key);
    }
    Statement::new(
        "INSERT INTO quota_raises (key, factor) VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET factor = excluded.factor",
    )
    .bind(key)
    .bind(factor)
}

/// Returns the statement that subtracts amounts that were counted before.
pub(crate) fn uncount(quotas: &[Quota]) -> Result<Statement, DatabaseError> {
    Statement::new(
        "UPDATE quotas SET used = used - e.amount FROM (SELECT value ->> 'key' AS key, value ->> 'period' AS period, \
         value ->> 'amount' AS amount FROM json_each(?1)) e WHERE quotas.key = e.key AND quotas.period = e.period",
    )
    .bind_json(&quotas)
}

/// Returns the statement that deletes the sums of ended periods.
pub(crate) fn forget(now: u64) -> Statement {
    Statement::new("DELETE FROM quotas WHERE expires_at <= ?1").bind(now)
}
