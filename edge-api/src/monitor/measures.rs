//! Measures of the work that waits in the database. Every query reads a bounded number of index rows.

use const_format::concatcp;
use order_core::Address;
use serde::Deserialize;

use crate::answers::{self, Sums};
use crate::api::webhook_state;
use crate::context::Context;
use crate::db::quota::Period;
use crate::db::rows::flag;
use crate::db::storage;
use crate::ports::{DatabaseError, Rows, Statement, exactly};
use crate::text::{DAY_MS, account_key};

/// Maximum count. Queries stop counting at this number.
const COUNT_MAX: u32 = 10_000;

/// Number of recent answers below which their shares mean nothing.
const ANSWERS_MIN: u64 = 50;

/// The work that waits at one moment.
#[derive(Debug)]
pub(super) struct Measures {
    /// The longest wait of a due record in milliseconds. A pending record has waited since its last update, another record since
    /// its due time. 0 if no record is due.
    pub(super) records_due_ms: u64,
    /// Milliseconds since the earliest due time of a delivery to a working receiver. 0 if no such delivery is due.
    pub(super) webhooks_due_ms: u64,
    /// Milliseconds since the earliest due time of a check of an issuer's domain. 0 if no check is due.
    pub(super) issuers_due_ms: u64,
    /// The number of pending records, which wait to be performed.
    pub(super) pending: u32,
    /// The number of webhook deliveries that wait to be sent.
    pub(super) backlog: u32,
    /// The number of records in quarantine that failed more than once.
    pub(super) stuck: u32,
    /// The number of dead letters that were not sent again.
    pub(super) dead_letters: u32,
    /// The size of the database in bytes. `None` if the host does not tell it.
    pub(super) database_bytes: Option<u64>,
    /// The size that the database can have, in bytes.
    pub(super) database_limit: u64,
    /// The number of requests for admission that wait for an administrator.
    pub(super) admissions: u32,
    /// Milliseconds since the last nightly backup, or since the first attempt if there is no backup. `None` if none are made.
    pub(super) backup_ms: Option<u64>,
    /// The answers of all isolates.
    pub(super) answers: Sums,
    /// The shared daily quotas.
    pub(super) quotas: Vec<SharedQuota>,
    /// The ledger's chain. `None` if the ledger is not on a chain.
    pub(super) chain: Option<Chain>,
}

/// The work that waits for a chain.
#[derive(Debug)]
pub(super) struct Chain {
    /// The account that sends transactions.
    pub(super) relayer: Address,
    /// The reason why the relayer sends nothing new, as `relayers.paused` has it. `None` if it sends.
    pub(super) paused: Option<String>,
    /// True if the relayer's balance suffices for only a few more requests.
    pub(super) is_low: bool,
    /// Milliseconds for which the oldest transaction has waited for a block. 0 if no transaction waits.
    pub(super) sent_ms: u64,
    /// Milliseconds since the timestamp of the last indexed block. 0 if no block was indexed yet.
    pub(super) block_ms: u64,
    /// Milliseconds since a block last became final. 0 if none became final yet.
    pub(super) final_ms: u64,
    /// The gas that failed transactions used within a day, and the setting `FAILED_GAS_MAX`.
    pub(super) failed_gas: u64,
    pub(super) failed_gas_max: u64,
}

/// A daily quota that accounts share, in bytes.
#[derive(Debug)]
pub(super) struct SharedQuota {
    pub(super) name: &'static str,
    pub(super) used: u64,
    pub(super) limit: u64,
}

impl SharedQuota {
    /// Returns the used part in percent.
    pub(super) fn percent(&self) -> u64 {
        percent(self.used, self.limit)
    }
}

impl Measures {
    /// Returns the percentage of recent answers that are failures. 0 if there are few answers.
    pub(super) fn failed_percent(&self) -> u64 {
        let recent = &self.answers.recent;
        self.answered_percent(recent.failures)
    }

    /// Returns the percentage of recent answers that took longer than a bound of the histogram. 0 if there are few answers.
    pub(super) fn slow_percent(&self, bound: u64) -> u64 {
        self.answered_percent(self.answers.recent.longer_than(bound))
    }

    fn answered_percent(&self, part: u64) -> u64 {
        let all = self.answers.recent.requests;
        if all < ANSWERS_MIN {
            0
        } else {
            percent(part, all)
        }
    }

    /// Returns the used part of the database in percent. 0 if the size is not known.
    pub(super) fn database_percent(&self) -> u64 {
        percent(self.database_bytes.unwrap_or_default(), self.database_limit)
    }
}

/// Returns a part in percent, rounded down.
fn percent(used: u64, limit: u64) -> u64 {
    let hundredfold = used.saturating_mul(100);
    hundredfold.checked_div(limit).unwrap_or_default()
}

/// Reads the measures in one round trip.
pub(super) async fn read(ctx: &Context<'_>) -> Result<Measures, DatabaseError> {
    let now = ctx.now();
    let chain = ctx.config().chain.as_ref();
    let relayer = chain.map(|chain| chain.relayer.key().address());
    let of_relayer = |sql| Statement::new(sql).bind(relayer.as_ref().map(account_key));
    let due = |sql| Statement::new(sql).bind(now);
    let count = |sql| Statement::new(sql).bind(COUNT_MAX);
    let names: Vec<&str> = storage::SHARED.iter().map(storage::Budget::name).collect();
    let statements = vec![
        // The last update of the oldest due record of each priority. A record is pending since its last update.
        due(
            "SELECT min(due.at) AS at FROM (SELECT (SELECT updated_at FROM records WHERE status = 1 AND aside_until IS NULL \
             AND priority = p.value AND due_at <= ?1 ORDER BY created_at LIMIT 1) AS at \
             FROM json_each('[1,2,3,4]') p) due",
        ),
        due(
            "SELECT min(due_at) AS at FROM records WHERE status IN (2, 3) AND aside_until IS NULL AND due_at <= ?1",
        ),
        due(
            "SELECT min(due_at) AS at FROM records WHERE status = 5 AND aside_until IS NULL AND due_at <= ?1",
        ),
        // A receiver's `turn_rank` is 0 to 2 if the receiver works, and larger if it is slow or fails. Late deliveries to
        // receivers of rank 3 are not a fault of this service.
        due(concatcp!(
            "SELECT min(due.at) AS at FROM (SELECT (SELECT min(wake_at) FROM webhooks WHERE state = ",
            webhook_state!(Active),
            " AND turn_rank = r.value AND wake_at <= ?1) AS at FROM json_each('[0,1,2]') r) due"
        )),
        due("SELECT min(check_at) AS at FROM issuer_checks WHERE check_at <= ?1"),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM records WHERE status = 1 AND aside_until IS NULL \
             AND priority > 0 LIMIT ?1)",
        ),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM webhook_deliveries WHERE state = 0 AND ordering_key > '' LIMIT ?1)",
        ),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM records WHERE aside_until > 0 AND faults > 1 LIMIT ?1)",
        ),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM dead_letters WHERE retried_at IS NULL AND ref > '' LIMIT ?1)",
        ),
        count(
            "SELECT count(*) AS total FROM (SELECT 1 FROM admissions WHERE status = 0 AND ref > '' LIMIT ?1)",
        ),
        Statement::new(
            "SELECT key, used FROM quotas WHERE key IN (SELECT value FROM json_each(?1)) AND period = ?2",
        )
        .bind_json(&names)?
        .bind(Period::Day.number(now)),
        of_relayer("SELECT paused, is_low FROM relayers WHERE address = ?1"),
        of_relayer(
            "SELECT min(s.since) AS at FROM relayers r CROSS JOIN relay_slots s ON s.relayer = r.address AND s.closed = 0 \
             AND s.nonce >= r.mined WHERE r.address = ?1",
        ),
        Statement::new("SELECT time AS at FROM chain WHERE only = 1"),
        Statement::new("SELECT final_at AS at FROM chain WHERE only = 1"),
        Statement::new(
            "SELECT coalesce((SELECT finished_at FROM backups WHERE day > 0 AND finished_at IS NOT NULL ORDER BY day DESC LIMIT 1), \
             (SELECT started_at FROM backups WHERE day > 0 ORDER BY day LIMIT 1)) AS at",
        ),
        answers::read(now),
        Statement::new("SELECT sum(gas) AS gas FROM relay_gas WHERE key = '*' AND since > ?1")
            .bind(now.saturating_sub(DAY_MS)),
    ];
    let [
        pending,
        sent,
        suspended,
        webhooks,
        issuers,
        waiting,
        backlog,
        stuck,
        dead_letters,
        admissions,
        used,
        account,
        sent_to_chain,
        block,
        final_block,
        backup,
        answers,
        failed_gas,
    ] = exactly(ctx.db().batch(statements).await?)?;
    let records = [age(pending, now)?, age(sent, now)?, age(suspended, now)?];
    Ok(Measures {
        records_due_ms: records.into_iter().max().unwrap_or_default(),
        webhooks_due_ms: age(webhooks, now)?,
        issuers_due_ms: age(issuers, now)?,
        pending: waiting.total()?,
        backlog: backlog.total()?,
        stuck: stuck.total()?,
        dead_letters: dead_letters.total()?,
        database_bytes: ctx.db().bytes(),
        database_limit: ctx.config().database_limit,
        admissions: admissions.total()?,
        backup_ms: match ctx.config().backup {
            Some(_) => Some(age(backup, now)?),
            None => None,
        },
        answers: answers::sums(answers)?,
        quotas: shared(used)?,
        chain: match relayer {
            None => None,
            Some(relayer) => {
                let account = account.first::<Account>()?;
                Some(Chain {
                    relayer,
                    is_low: account.as_ref().is_some_and(|account| account.is_low),
                    paused: account.and_then(|account| account.paused),
                    sent_ms: age(sent_to_chain, now)?,
                    block_ms: age(block, now)?,
                    final_ms: age(final_block, now)?,
                    failed_gas: gas(failed_gas)?,
                    failed_gas_max: chain.map_or(u64::MAX, |chain| chain.failed_gas_max),
                })
            }
        },
    })
}

/// A row of `relayers`.
#[derive(Deserialize)]
struct Account {
    paused: Option<String>,
    #[serde(deserialize_with = "flag")]
    is_low: bool,
}

/// Returns the milliseconds since the time in the column `at` of the first row. Returns 0 if there is no row or no time.
fn age(rows: Rows, now: u64) -> Result<u64, DatabaseError> {
    #[derive(Deserialize)]
    struct Due {
        at: Option<u64>,
    }
    let at = rows.first::<Due>()?.and_then(|due| due.at);
    Ok(at.map_or(0, |at| now.saturating_sub(at)))
}

/// Returns the sum in the column `gas`.
fn gas(rows: Rows) -> Result<u64, DatabaseError> {
    #[derive(Deserialize)]
    struct Sum {
        gas: Option<u64>,
    }
    let sum = rows.first::<Sum>()?.and_then(|sum| sum.gas);
    Ok(sum.unwrap_or_default())
}

fn shared(rows: Rows) -> Result<Vec<SharedQuota>, DatabaseError> {
    #[derive(Deserialize)]
    struct Used {
        key: String,
        used: u64,
    }
    let rows: Vec<Used> = rows.all()?;
    let quota = |budget: &storage::Budget| SharedQuota {
        name: budget.name(),
        used: rows
            .iter()
            .find(|row| row.key == budget.name())
            .map_or(0, |row| row.used),
        limit: budget.total(),
    };
    Ok(storage::SHARED.iter().map(quota).collect())
}
