//! Checks domains as soon as an account sets its domain. Checks of funded accounts are then repeated daily, or hourly for a
//! while after a failure.
//!
//! A confirmed domain that fails keeps its confirmation for a while, and the account's webhook gets an event before the confirmation ends
//! (`docs/decisions/0094-alarm-about-a-domain.md`).
//!
//! Each check also reads the files of the domains that confirmed the account before and that the account no longer names.
//! A former domain may disown the account by now. Otherwise the thief of a key could name another domain before the owner's domain
//! disowns the account, and would never be found out.
//!
//! A run leases a check by moving its due time. Two runs therefore never make the same check at the same time, and only the
//! holder of the lease stores the outcome. Quotas limit the requests to other servers that accounts can cause.

use std::cell::RefCell;

use const_format::concatcp;
use futures_util::future::join as both;
use futures_util::{StreamExt, stream};
use order_core::{Address, EventKind};
use serde::Deserialize;

use super::domain::Domain;
use super::file::Says;
use super::look::{Outcome, file, join, record};
use super::problem::{Problem, Reason};
use super::row::{CHECK_COLUMNS, CheckRow, Source, State};
use crate::api::{ChangedDomain, Timestamp, WebhookEvent};
use crate::context::Context;
use crate::db::quota::{Period, Quota, count_quotas, quotas_exceeded_until, within_quotas};
use crate::db::{commit, funded};
use crate::ports::{DatabaseError, Statement, exactly};
use crate::text::DAY_MS;
use crate::webhooks::{Event, outbox};

/// Milliseconds for which a check is leased. Reading the domain's file and its DNS records takes 20 seconds at most. Reading
/// the files of the former domains takes 20 seconds at most, at the same time.
const LEASE_MS: u64 = 60_000;
/// Milliseconds until the next check of a confirmed domain that failed. Also the delay after a transient failure of another domain, for one day
/// after the account set the domain. Later checks are a day apart.
const AGAIN_MS: u64 = 3_600_000;
/// Milliseconds for which a confirmation counts after the first answer that neither lists nor disowns the account, such as a 404.
const GRACE_MS: u64 = DAY_MS;
/// Milliseconds after which a domain that does not confirm the account is no longer checked. They count from the last time at
/// which the account set the domain or the domain confirmed the account.
const GIVE_UP_MS: u64 = 30 * DAY_MS;
/// Maximum number of earlier periods of confirmation that are kept.
const PERIODS_MAX: usize = 10;

/// Maximum number of former domains whose files are read in a check. The domains that confirmed the account first are read, so
/// later confirmations cannot displace them.
const FORMER_MAX: u32 = 10;

/// The message for an account that a domain disowns.
const REVOKED: &str = "the domain says that this account is not its own";

/// Maximum checks of a funded account per day.
const OF_FUNDED: u64 = 200;
/// Maximum checks of an unfunded account per day.
const OF_UNFUNDED: u64 = 10;
/// Maximum checks of all unfunded accounts per day.
const OF_ALL_UNFUNDED: u64 = 2_000;
/// Maximum checks per day of all unfunded accounts that set their domains from the same client network.
const OF_CLIENT: u64 = 40;
/// Maximum checks of a domain per hour, caused by all unfunded accounts.
const UNFUNDED_TO_DOMAIN: u64 = 20;
/// Maximum checks of a domain per hour, caused by all funded accounts.
const FUNDED_TO_DOMAIN: u64 = 200;

/// Maximum number of concurrent checks, and of former domains that a check reads at a time.
const AT_ONCE: usize = 6;
/// Maximum number of due checks in a round of the sweep.
const SWEEP: u32 = 12;
/// Maximum number of rounds in a sweep, and milliseconds after which the sweep starts no further round.
const ROUNDS: usize = 5;
const SWEEP_MS: u64 = 30_000;

/// A check that is due.
#[derive(Deserialize)]
struct Due {
    account_id: String,
    domain: String,
}

/// Runs due checks, as many as the limits of a sweep allow. A failed check does not stop the other checks of its
/// round, but the sweep then ends with the error.
pub(crate) async fn sweep(ctx: &Context<'_>) -> Result<(), DatabaseError> {
    let until = ctx.now().saturating_add(SWEEP_MS);
    for _ in 0..ROUNDS {
        let due = Statement::new(
            "SELECT account_id, domain FROM issuer_checks WHERE check_at <= ?1 ORDER BY check_at LIMIT ?2",
        )
        .bind(ctx.time())
        .bind(SWEEP);
        let due: Vec<Due> = ctx.db().query(due).await?.all()?;
        if due.is_empty() || ctx.time() > until {
            break;
        }
        let failed = RefCell::new(None);
        stream::iter(due)
            .for_each_concurrent(AT_ONCE, async |due: Due| {
                if let Err(error) = check(ctx, &due.account_id, &due.domain).await {
                    failed.replace(Some(error));
                }
            })
            .await;
        failed.into_inner().map_or(Ok(()), Err)?;
    }
    Ok(())
}

/// Runs a check if it is due and its quotas allow it. A repeated check of an unfunded account is ended instead.
pub(crate) async fn check(
    ctx: &Context<'_>,
    account: &str,
    domain: &str,
) -> Result<(), DatabaseError> {
    let now = ctx.time();
    let row = Statement::new(concatcp!(
        "SELECT c.asked_at, c.checked_at, c.check_at, c.client, c.periods, c.confirmed_until, ",
        CHECK_COLUMNS,
        " FROM issuer_checks c WHERE c.account_id = ?1 AND c.domain = ?2 AND c.check_at <= ?3"
    ))
    .bind(account)
    .bind(domain)
    .bind(now);
    let is_funded = Statement::new(concatcp!("SELECT 1 AS one WHERE ", funded!())).bind(account);
    let former = select_former(account, domain);
    let [rows, is_funded, former] = exactly(ctx.db().batch(vec![row, is_funded, former]).await?)?;
    let Some(row) = rows.first::<CheckRow>()? else {
        return Ok(());
    };
    let is_renewal = row.checked_at >= row.asked_at;
    if is_renewal && is_funded.is_empty() {
        return stop(ctx, account, &row, now).await;
    }
    let is_funded = !is_funded.is_empty();
    let quotas = quotas(account, domain, &row, is_funded, now);
    let until = now.saturating_add(LEASE_MS);
    let about = (account, domain, is_funded);
    if !take(ctx, about, &quotas, now, until).await? {
        return Ok(());
    }
    let id: Address = account
        .parse()
        .map_err(|error| DatabaseError::corrupt("issuer_checks", account, error))?;
    let named = Domain::from_stored(domain.to_owned());
    let (outcome, disowning) = both(
        ask(ctx, &named, &id, &row),
        disowning(ctx, &id, former.all()?),
    )
    .await;
    let now = ctx.time();
    let stored = Stored::new(&row, outcome, now)?;
    let changed = stored.changed(&row, now);
    let outcome = stored.statement(account, domain, until)?;
    let disowned = || disowning.iter().map(|former| disown(account, former, now));
    let mut statements = with_event(ctx, (account, domain), until, outcome, changed)?;
    statements.extend(disowned());
    match commit(ctx, None, "issuer", statements).await {
        // The account set or removed the domain during the lease, so the outcome does not count.
        Err(error) if error.is_conflict() => {
            commit(ctx, None, "issuer", disowned().collect()).await
        }
        committed => committed,
    }
    .map(drop)
}

/// Returns statements that store an outcome, and an event for the account's webhook if there is one. With an event, the transaction fails
/// unless the check is still due at `due`, so each change has one event.
fn with_event(
    ctx: &Context<'_>,
    (account, domain): (&str, &str),
    due: u64,
    outcome: Statement,
    changed: Option<ChangedDomain>,
) -> Result<Vec<Statement>, DatabaseError> {
    let Some(changed) = changed else {
        return Ok(vec![outcome]);
    };
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM issuer_checks WHERE account_id = ?1 AND domain = ?2 AND check_at = ?3)",
    )
    .bind(account)
    .bind(domain)
    .bind(due);
    let event = Event::new(ctx, EventKind::DomainChanged, |about| WebhookEvent {
        domain: Some(changed),
        ..about
    });
    let recipients = [account.to_owned()].into();
    let mut statements = vec![guard, outcome];
    statements.extend(outbox(account, &[event], &recipients, ctx.now())?);
    Ok(statements)
}

/// Returns the query for the domains that confirmed the account before, that the account no longer names, and that have not
/// disowned it.
fn select_former(account: &str, domain: &str) -> Statement {
    Statement::new(concatcp!(
        "SELECT ",
        CHECK_COLUMNS,
        " FROM issuer_checks c WHERE c.account_id = ?1 AND c.domain <> ?2 AND c.named = 0 AND c.confirmed_at IS NOT NULL \
         AND c.disowned_at IS NULL ORDER BY c.confirmed_at LIMIT ?3"
    ))
    .bind(account)
    .bind(domain)
    .bind(FORMER_MAX)
}

/// Reads the files of former domains, and returns the domains that disown the account. A record cannot disown an account, so
/// records are not read.
async fn disowning(ctx: &Context<'_>, account: &Address, former: Vec<CheckRow>) -> Vec<String> {
    let disowning = RefCell::new(Vec::new());
    stream::iter(former)
        .for_each_concurrent(AT_ONCE, async |row: CheckRow| {
            let domain = Domain::from_stored(row.domain.clone());
            if file(ctx, &domain, account, None).await.says == Ok(Says::Revoked) {
                disowning.borrow_mut().push(row.domain);
            }
        })
        .await;
    disowning.into_inner()
}

/// Returns the statement that stores that a former domain disowns the account. If the account names the domain again, its own
/// check decides.
fn disown(account: &str, domain: &str, now: u64) -> Statement {
    Statement::new(
        "UPDATE issuer_checks SET state = ?3, disowned_at = ?4, reason = ?5, message = ?6, checked_at = ?4 \
         WHERE account_id = ?1 AND domain = ?2 AND named = 0 AND disowned_at IS NULL",
    )
    .bind(account)
    .bind(domain)
    .bind(State::Disowned)
    .bind(now)
    .bind(Reason::Revoked.as_str())
    .bind(REVOKED)
}

/// Reads the domain's file. Unless the file confirms or disowns the account, also reads the domain's DNS records.
async fn ask(ctx: &Context<'_>, domain: &Domain, account: &Address, row: &CheckRow) -> Outcome {
    let said = file(ctx, domain, account, None).await.says;
    match join(said.clone(), None, row.source) {
        decided @ (Outcome::Confirmed(..) | Outcome::Disowned) => decided,
        Outcome::NotConfirmed(_) | Outcome::Unclear(_) => {
            let found = record(ctx, domain, account).await;
            join(said, Some(found), row.source)
        }
    }
}

/// Ends the daily checks of an unfunded account. Such accounts cost nothing to create, so daily checks of their domains
/// would have no limit.
async fn stop(
    ctx: &Context<'_>,
    account: &str,
    row: &CheckRow,
    now: u64,
) -> Result<(), DatabaseError> {
    const MESSAGE: &str = "the domains of accounts without tokens and abilities are checked once: set the domain again for another check";
    let due = row.check_at.unwrap_or_default();
    let until = row.fresh_until().filter(|_| row.is_confirmed(now));
    let stopped = Statement::new(
        "UPDATE issuer_checks SET check_at = NULL, reason = 'unfunded', message = ?4, confirmed_until = ?5 \
         WHERE account_id = ?1 AND domain = ?2 AND check_at = ?3",
    )
    .bind(account)
    .bind(row.domain.as_str())
    .bind(due)
    .bind(MESSAGE)
    .bind(until);
    let changed = until
        .filter(|_| row.confirmed_until.is_none())
        .map(|until| ChangedDomain {
            confirmed_until: Some(Timestamp(until)),
            reason: Some("unfunded".to_owned()),
            message: Some(MESSAGE.to_owned()),
            ..changed(row, State::Confirmed)
        });
    let about = (account, row.domain.as_str());
    let statements = with_event(ctx, about, due, stopped, changed)?;
    match commit(ctx, None, "issuer-stop", statements).await {
        Err(error) if error.is_conflict() => Ok(()),
        committed => committed.map(drop),
    }
}

/// Returns the domain for an event.
fn changed(row: &CheckRow, state: State) -> ChangedDomain {
    ChangedDomain {
        domain: row.domain.clone(),
        display_domain: Domain::from_stored(row.domain.clone()).displayed(),
        state: state.into(),
        confirmed_until: None,
        reason: None,
        message: None,
    }
}

fn quotas(account: &str, domain: &str, row: &CheckRow, is_funded: bool, now: u64) -> Vec<Quota> {
    let of = |key: String, period, limit| Quota::new(key, period, now, limit, 1);
    let own = format!("issuers:{account}");
    if is_funded {
        let to_domain = format!("issuers:funded:{domain}");
        return vec![
            of(own, Period::Day, OF_FUNDED),
            of(to_domain, Period::Hour, FUNDED_TO_DOMAIN),
        ];
    }
    let client = row.client.as_ref();
    let client =
        client.map(|client| of(format!("issuers:client:{client}"), Period::Day, OF_CLIENT));
    let to_domain = format!("issuers:domain:{domain}");
    let shared = [
        of(own, Period::Day, OF_UNFUNDED),
        of("issuers:unfunded".to_owned(), Period::Day, OF_ALL_UNFUNDED),
        of(to_domain, Period::Hour, UNFUNDED_TO_DOMAIN),
    ];
    shared.into_iter().chain(client).collect()
}

/// Leases a check until `until` and counts it in its quotas. Returns false if the check is no longer due, or if a quota is
/// used up. If a quota is used up, the check of a funded account is due again when the quota's period ends. The check of an
/// unfunded account is dropped, so unfunded accounts cannot build up a backlog that delays others.
async fn take(
    ctx: &Context<'_>,
    (account, domain, is_funded): (&str, &str, bool),
    quotas: &[Quota],
    now: u64,
    until: u64,
) -> Result<bool, DatabaseError> {
    let about = |sql| Statement::new(sql).bind(account).bind(domain).bind(now);
    let taken = about(concatcp!(
        "UPDATE issuer_checks SET check_at = ?5 WHERE account_id = ?1 AND domain = ?2 AND check_at <= ?3 AND ",
        within_quotas!("?4"),
        " RETURNING domain"
    ))
    .bind_json(&quotas)?
    .bind(until);
    let count = Statement::new(count_quotas!(
        "EXISTS (SELECT 1 FROM issuer_checks WHERE account_id = ?2 AND domain = ?3 AND check_at = ?4)"
    ))
    .bind_json(&quotas)?
    .bind(account)
    .bind(domain)
    .bind(until);
    // If the check is still due after the first statement, a used-up quota has prevented the lease.
    let postpone = about(concatcp!(
        "UPDATE issuer_checks SET check_at = iif(?5, ",
        quotas_exceeded_until!("?4"),
        ", NULL), reason = 'quota', message = 'too many checks of this account, of accounts at this client address, or of this domain: ' \
         || iif(?5, 'the next is made later', 'set the domain again later') \
         WHERE account_id = ?1 AND domain = ?2 AND check_at <= ?3"
    ))
    .bind_json(&quotas)?
    .bind(is_funded);
    let statements = vec![taken, count, postpone];
    let [taken, ..] = exactly::<3>(commit(ctx, None, "issuer-check", statements).await?)?;
    Ok(!taken.is_empty())
}

/// The new values of a row after a check.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Stored {
    state: State,
    /// The confirmation, if the check found one.
    confirmed: Option<Confirmed>,
    disowned_at: Option<u64>,
    /// The time at which the confirmation ends if no check succeeds. `None` unless it counts although this check failed.
    confirmed_until: Option<u64>,
    reason: Option<(Reason, String)>,
    checked_at: u64,
    check_at: Option<u64>,
}

/// The new values of a row whose domain confirms the account.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Confirmed {
    source: Source,
    name: Option<String>,
    logo: Option<String>,
    ledgers: Option<String>,
    first_seen: u64,
    periods: Vec<(u64, u64)>,
}

impl Stored {
    fn new(row: &CheckRow, outcome: Outcome, now: u64) -> Result<Self, DatabaseError> {
        let next_day = now.saturating_add(DAY_MS);
        let since = row.asked_at.max(row.last_seen).unwrap_or_default();
        let gives_up = now >= since.saturating_add(GIVE_UP_MS);
        let stored = Self {
            state: row.state,
            confirmed: None,
            disowned_at: row.disowned_at,
            confirmed_until: None,
            reason: None,
            checked_at: now,
            check_at: (!gives_up).then_some(next_day),
        };
        Ok(match outcome {
            Outcome::Confirmed(source, listing) => {
                let mut periods = row.periods.clone().unwrap_or_default();
                let first_seen = row.first_seen.filter(|_| row.is_confirmed(now));
                if first_seen.is_none() {
                    periods.extend(row.first_seen.zip(row.last_seen));
                }
                let surplus = periods.len().saturating_sub(PERIODS_MAX);
                periods.drain(..surplus);
                let ledgers = listing
                    .ledgers
                    .as_ref()
                    .map(|list| text_of(list))
                    .transpose()?;
                Self {
                    state: State::Confirmed,
                    confirmed: Some(Confirmed {
                        source,
                        name: listing.name,
                        logo: listing.logo,
                        ledgers,
                        first_seen: first_seen.unwrap_or(now),
                        periods,
                    }),
                    disowned_at: None,
                    check_at: Some(next_day),
                    ..stored
                }
            }
            Outcome::Disowned => Self {
                state: State::Disowned,
                disowned_at: row.disowned_at.or(Some(now)),
                reason: Some((Reason::Revoked, REVOKED.to_owned())),
                ..stored
            },
            // A file that is missing or malformed takes nothing back: websites lose this file when they are rebuilt.
            Outcome::NotConfirmed(problem)
                if row.disowned_at.is_some() && problem.reason != Reason::NotListed =>
            {
                Self {
                    reason: Some((problem.reason, problem.message)),
                    ..stored
                }
            }
            // A readable file without the account is a statement of the domain. Other answers are usually mistakes.
            Outcome::NotConfirmed(problem)
                if row.state == State::Confirmed && problem.reason != Reason::NotListed =>
            {
                let until = now.saturating_add(GRACE_MS);
                stored.failing(row, problem, until)
            }
            Outcome::Unclear(problem) if row.state == State::Confirmed => {
                stored.failing(row, problem, u64::MAX)
            }
            Outcome::NotConfirmed(problem) => Self {
                state: State::NotConfirmed,
                disowned_at: None,
                reason: Some((problem.reason, problem.message)),
                ..stored
            },
            Outcome::Unclear(problem) => {
                let soon = now < since.saturating_add(DAY_MS);
                let again = now.saturating_add(AGAIN_MS);
                Self {
                    reason: Some((problem.reason, problem.message)),
                    check_at: if soon { Some(again) } else { stored.check_at },
                    ..stored
                }
            }
        })
    }

    /// Returns the values after a failed check of a confirmed domain. The confirmation ends at the earliest of three times: `until`, the end
    /// that an earlier failure has set, and a week after the last confirmation. Failures therefore never extend it.
    fn failing(self, row: &CheckRow, problem: Problem, until: u64) -> Self {
        let ends = [row.confirmed_until, row.fresh_until()];
        let until = ends.into_iter().flatten().fold(until, u64::min);
        let failed = Self {
            reason: Some((problem.reason, problem.message)),
            ..self
        };
        let now = failed.checked_at;
        if until < now {
            return Self {
                state: State::NotConfirmed,
                ..failed
            };
        }
        let again = now.saturating_add(AGAIN_MS);
        Self {
            confirmed_until: Some(until),
            check_at: Some(again.min(until.saturating_add(1))),
            ..failed
        }
    }

    /// Returns what to tell the account: a domain that confirmed the account once now fails, no longer confirms it, disowns it, or confirms it
    /// again. `None` if nothing changed.
    fn changed(&self, row: &CheckRow, now: u64) -> Option<ChangedDomain> {
        let was_well = row.is_confirmed(now) && row.confirmed_until.is_none();
        let is_well = self.state == State::Confirmed && self.confirmed_until.is_none();
        let is_new = (row.state, was_well) != (self.state, is_well);
        (is_new && row.last_seen.is_some()).then(|| {
            let (reason, message) = self.reason.clone().unzip();
            ChangedDomain {
                confirmed_until: self.confirmed_until.map(Timestamp),
                reason: reason.map(|reason| reason.as_str().to_owned()),
                message,
                ..changed(row, self.state)
            }
        })
    }

    /// Returns the statement that stores the outcome. `until` is the end of the lease. If the account set or removed the domain during the
    /// lease, the statement changes nothing.
    fn statement(
        self,
        account: &str,
        domain: &str,
        until: u64,
    ) -> Result<Statement, DatabaseError> {
        let (reason, message) = self.reason.unzip();
        let confirmed = self.confirmed;
        let of = confirmed.as_ref();
        Statement::new(
            "UPDATE issuer_checks SET state = ?4, disowned_at = ?5, reason = ?6, message = ?7, checked_at = ?8, check_at = ?9, confirmed_until = ?17, \
             last_seen = iif(?10, ?8, last_seen), first_seen = iif(?10, ?11, first_seen), source = iif(?10, ?12, source), \
             name = iif(?10, ?13, name), logo = iif(?10, ?14, logo), ledgers = iif(?10, ?15, ledgers), \
             periods = iif(?10, ?16, periods), confirmed_at = coalesce(confirmed_at, iif(?10, ?8, NULL)) \
             WHERE account_id = ?1 AND domain = ?2 AND check_at = ?3",
        )
        .bind(account)
        .bind(domain)
        .bind(until)
        .bind(self.state)
        .bind(self.disowned_at)
        .bind(reason.map(Reason::as_str))
        .bind(message)
        .bind(self.checked_at)
        .bind(self.check_at)
        .bind(of.is_some())
        .bind(of.map(|of| of.first_seen))
        .bind(of.map(|of| of.source))
        .bind(of.and_then(|of| of.name.clone()))
        .bind(of.and_then(|of| of.logo.clone()))
        .bind(of.and_then(|of| of.ledgers.clone()))
        .bind_json(&of.map(|of| &of.periods))
        .map(|statement| statement.bind(self.confirmed_until))
    }
}

fn text_of(ledgers: &[Address]) -> Result<String, DatabaseError> {
    serde_json::to_string(ledgers)
        .map_err(|error| DatabaseError::Bug(format!("ledgers are not JSON: {error}")))
}
