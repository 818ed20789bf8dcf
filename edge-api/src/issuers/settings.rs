//! The domains that an account names as its own: one for all its ledgers, and others for single ledgers.

use const_format::concatcp;
use order_core::Address;

use super::domain::Domain;
use super::row::{CHECK_COLUMNS, CheckRow, State};
use crate::accounts;
use crate::api::{ActivityKind, ConfirmedPeriod, DomainState, IssuerDomain, Timestamp};
use crate::context::Context;
use crate::db::Decision;
use crate::ledger::projection::ledger_key;
use crate::ports::{DatabaseError, Job, Rows, Statement, exactly};
use crate::text::account_key;

/// Maximum bytes that checks add to a row: name, logo, 100 ledgers, ten periods and a sentence.
const CHECK_BYTES: u64 = 8_000;

/// Sets the domain of one ledger of an account, or of all its ledgers that have no domain of their own. A check of the domain
/// is due immediately, even if the same domain was set before.
pub(crate) fn set(
    ctx: &Context<'_>,
    account: &Address,
    ledger: Option<&Address>,
    domain: &Domain,
) -> Decision<()> {
    let now = ctx.now();
    let [unnamed, forgotten] = leave(account, ledger);
    let named = about(
        account,
        ledger,
        "INSERT INTO issuer_domains (account_id, ledger_id, domain, set_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (account_id, ledger_id) DO UPDATE SET domain = excluded.domain, set_at = excluded.set_at",
    )
    .bind(domain.as_str())
    .bind(now);
    let checked = Statement::new(
        "INSERT INTO issuer_checks (account_id, domain, named, asked_at, check_at, client) VALUES (?1, ?2, 1, ?3, ?3, ?4) \
         ON CONFLICT (account_id, domain) DO UPDATE SET named = 1, asked_at = excluded.asked_at, \
         check_at = excluded.check_at, client = excluded.client",
    )
    .bind(account_key(account))
    .bind(domain.as_str())
    .bind(now)
    .bind(ctx.client().map(|client| client.network.as_str()))
    .storing(CHECK_BYTES);
    let kind = ActivityKind::DomainSet;
    let event = accounts::event(ctx, account, ledger, kind, domain.as_str(), ("?3", "true"));
    let statements = vec![
        accounts::ensure(account, now),
        event,
        unnamed,
        forgotten,
        named,
        checked,
        select(account, ledger),
    ];
    Decision::new("issuer", statements, ()).hint(Job::CheckIssuer {
        account: account_key(account),
        domain: domain.as_str().to_owned(),
    })
}

/// Removes the domain of one ledger, or the domain for all ledgers that have no domain of their own. Earlier confirmations are
/// kept. The change counts in no quota, so an exhausted quota cannot prevent it.
pub(crate) fn remove(
    ctx: &Context<'_>,
    account: &Address,
    ledger: Option<&Address>,
) -> Decision<()> {
    // An event without a domain would let an account store rows for free, because a removal counts in no quota.
    let kind = ActivityKind::DomainRemoved;
    let event = accounts::event(ctx, account, ledger, kind, "", (NAMED, IS_NAMED));
    let [unnamed, forgotten] = leave(account, ledger);
    let removed = about(
        account,
        ledger,
        "DELETE FROM issuer_domains WHERE account_id = ?1 AND ledger_id = ?2",
    );
    let statements = vec![event, unnamed, forgotten, removed, select(account, ledger)];
    Decision::new("issuer", statements, ()).free()
}

/// SQL for the domain of the account `?1` and the ledger `?2`, and whether there is one.
const NAMED: &str = "(SELECT domain FROM issuer_domains WHERE account_id = ?1 AND ledger_id = ?2)";
const IS_NAMED: &str =
    "?3 = '' AND EXISTS (SELECT 1 FROM issuer_domains WHERE account_id = ?1 AND ledger_id = ?2)";

/// Returns statements to run before a domain is replaced or removed. They end the domain's checks, unless the account names
/// the domain for another ledger too. If the checks end and the domain never confirmed or disowned the account, the
/// statements also delete the row of the checks.
fn leave(account: &Address, ledger: Option<&Address>) -> [Statement; 2] {
    let unnamed = "UPDATE issuer_checks SET named = 0, check_at = NULL WHERE account_id = ?1 \
         AND domain = (SELECT domain FROM issuer_domains WHERE account_id = ?1 AND ledger_id = ?2) \
         AND NOT EXISTS (SELECT 1 FROM issuer_domains d WHERE d.account_id = ?1 AND d.domain = issuer_checks.domain \
         AND d.ledger_id <> ?2)";
    let forgotten = "DELETE FROM issuer_checks WHERE account_id = ?1 \
         AND domain = (SELECT domain FROM issuer_domains WHERE account_id = ?1 AND ledger_id = ?2) \
         AND named = 0 AND last_seen IS NULL AND disowned_at IS NULL";
    [unnamed, forgotten].map(|sql| about(account, ledger, sql))
}

/// Binds the account to `?1`. Binds the ledger, or the empty string for all ledgers, to `?2`.
fn about(account: &Address, ledger: Option<&Address>, sql: &'static str) -> Statement {
    let ledger = ledger.map(account_key).unwrap_or_default();
    Statement::new(sql).bind(account_key(account)).bind(ledger)
}

/// The columns that [`view`] reads: from `issuer_domains` as `d`, and from `issuer_checks` as `c`.
const VIEW_COLUMNS: &str = concatcp!(
    "d.ledger_id, c.asked_at, c.checked_at, c.check_at, c.reason, c.message, c.periods, c.confirmed_until, ",
    CHECK_COLUMNS
);

/// Returns the query for the domain of one ledger, which defaults to the domain for all ledgers. Without a ledger, the query
/// returns the domain for all ledgers.
pub(crate) fn select(account: &Address, ledger: Option<&Address>) -> Statement {
    about(
        account,
        ledger,
        concatcp!(
            "SELECT ",
            VIEW_COLUMNS,
            " FROM issuer_domains d JOIN issuer_checks c ON c.account_id = d.account_id AND c.domain = d.domain \
             WHERE d.account_id = ?1 AND d.ledger_id = coalesce((SELECT o.ledger_id FROM issuer_domains o \
             WHERE o.account_id = ?1 AND o.ledger_id = ?2), '')"
        ),
    )
}

/// Returns the domain of the ledger that has the reference or address `name`. `None` if there is no such ledger.
pub(crate) async fn of_ledger(
    ctx: &Context<'_>,
    name: &str,
) -> Result<Option<IssuerDomain>, DatabaseError> {
    let about = |sql| Statement::new(sql).bind(ledger_key(name));
    let ledger = about("SELECT 1 AS one FROM ledgers WHERE id = ?1 OR ref = ?1");
    let domain = about(concatcp!(
        "SELECT ",
        VIEW_COLUMNS,
        " FROM ledgers l CROSS JOIN issuer_domains d ON d.account_id = l.owner_id \
         AND d.ledger_id = coalesce((SELECT o.ledger_id FROM issuer_domains o WHERE o.account_id = l.owner_id \
         AND o.ledger_id = l.id), '') \
         CROSS JOIN issuer_checks c ON c.account_id = d.account_id AND c.domain = d.domain WHERE l.id = ?1 OR l.ref = ?1"
    ));
    let [ledger, domain] = exactly(ctx.db().batch(vec![ledger, domain]).await?)?;
    if ledger.is_empty() {
        return Ok(None);
    }
    view(domain, ctx.now()).map(Some)
}

/// Returns the domain in the rows of [`select`], with empty fields if none is set. If the domain's confirmation has lapsed at
/// `now`, the state is `notConfirmed`.
pub(crate) fn view(rows: Rows, now: u64) -> Result<IssuerDomain, DatabaseError> {
    let Some(row) = rows.first::<CheckRow>()? else {
        return Ok(IssuerDomain::default());
    };
    let ledger = row.ledger_id.as_deref().unwrap_or_default();
    let ledger_id = match ledger {
        "" => None,
        id => Some(id.parse())
            .transpose()
            .map_err(|error| DatabaseError::corrupt("issuer_domains", ledger, error))?,
    };
    let state = match row.state {
        State::Confirmed if !row.is_fresh(now) => DomainState::NotConfirmed,
        state => state.into(),
    };
    let is_waiting = row.checked_at < row.asked_at;
    let period = |(from, to): &(u64, u64)| ConfirmedPeriod {
        from: Timestamp(*from),
        to: Timestamp(*to),
    };
    let domain = Domain::from_stored(row.domain.clone());
    Ok(IssuerDomain {
        display_domain: Some(domain.displayed()),
        domain: Some(row.domain.clone()),
        ledger_id,
        state: Some(state),
        is_being_checked: row.check_at.is_some() && is_waiting,
        checked_by: row.source.map(Into::into),
        ledgers: row.ledgers.clone(),
        name: row.name.clone(),
        logo: row.logo.clone(),
        first_seen: row.first_seen.map(Timestamp),
        last_seen: row.last_seen.map(Timestamp),
        confirmed_until: row
            .confirmed_until
            .filter(|until| *until >= now)
            .map(Timestamp),
        earlier: row.periods.iter().flatten().map(period).collect(),
        checked_at: row.checked_at.map(Timestamp),
        next_check_at: row.check_at.map(Timestamp),
        reason: row.reason,
        message: row.message,
    })
}
