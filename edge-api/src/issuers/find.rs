//! Decides whether a domain or the operator confirms a ledger's owner.

use order_core::Address;

use super::domain::Domain;
use super::row::{Row, State, check_columns};
use super::standing::{Confirmation, IssuerStanding};
use crate::config::Config;
use crate::ports::{DatabaseError, Rows, Statement};
use crate::text::account_key;

/// Returns the query for the checks that decide the standing of a ledger's owner. It returns at most three rows:
///
/// - the domain that the owner names now for this ledger,
/// - of the domains that the owner no longer names, the one that confirmed the owner most recently,
/// - the domain that disowned the owner most recently.
pub(crate) fn select_standing(ledger: &Address) -> Statement {
    Statement::new(concat!(
        "SELECT 1 AS named, ",
        check_columns!(),
        " FROM ledgers l JOIN issuer_domains d ON d.account_id = l.owner_id \
         AND d.ledger_id = coalesce((SELECT o.ledger_id FROM issuer_domains o WHERE o.account_id = l.owner_id \
         AND o.ledger_id = l.id), '') \
         JOIN issuer_checks c ON c.account_id = d.account_id AND c.domain = d.domain WHERE l.id = ?1 \
         UNION ALL SELECT * FROM (SELECT 0, ",
        check_columns!(),
        " FROM issuer_checks c WHERE c.account_id = (SELECT owner_id FROM ledgers WHERE id = ?1) \
         AND c.named = 0 AND c.last_seen IS NOT NULL ORDER BY c.last_seen DESC LIMIT 1) \
         UNION ALL SELECT * FROM (SELECT 0, ",
        check_columns!(),
        " FROM issuer_checks c WHERE c.account_id = (SELECT owner_id FROM ledgers WHERE id = ?1) \
         AND c.disowned_at IS NOT NULL ORDER BY c.disowned_at DESC LIMIT 1)"
    ))
    .bind(account_key(ledger))
}

/// The facts that decide a standing together with the rows of [`select_standing`].
pub(crate) struct Subject<'a> {
    pub(crate) owner: &'a Address,
    pub(crate) ledger: &'a Address,
    /// The origin under which this service was called.
    pub(crate) origin: &'a str,
    /// Milliseconds since 1970.
    pub(crate) now: u64,
}

/// Decides the standing of a ledger's owner from the rows of [`select_standing`]. The first of these statements that is true decides:
///
/// 1. The domain that the owner names confirms the owner for this ledger now.
/// 2. A domain disowns the owner.
/// 3. The operator confirms the owner.
/// 4. A domain confirmed the owner for this ledger before.
///
/// A domain that has neither confirmed nor disowned the owner is ignored, because an account may name any domain.
pub(crate) fn standing(
    config: &Config,
    subject: &Subject<'_>,
    rows: Rows,
) -> Result<IssuerStanding, DatabaseError> {
    let rows: Vec<Row> = rows.all()?;
    let is_named = |row: &Row| row.named == Some(1);
    let confirmed = rows.iter().find(|row| {
        is_named(row)
            && row.state == State::Confirmed
            && row.is_fresh(subject.now)
            && row.covers(subject.ledger)
    });
    if let Some(row) = confirmed {
        return Ok(seen(row).map_or(IssuerStanding::NotConfirmed, IssuerStanding::Confirmed));
    }
    let disowned = rows.iter().filter(|row| row.disowned_at.is_some());
    if let Some(row) = disowned.max_by_key(|row| row.disowned_at) {
        return Ok(IssuerStanding::Disowned {
            domain: Domain::from_stored(row.domain.clone()).displayed(),
            earlier: seen(row),
        });
    }
    let mut accounts = config.confirmed_accounts.iter();
    if let Some(entry) = accounts.find(|entry| entry.account == *subject.owner) {
        return Ok(IssuerStanding::Operator {
            name: entry.name.clone(),
            domain: host(subject.origin),
        });
    }
    let ended = rows.iter().find(|row| {
        let is_over = !is_named(row) || row.state != State::Confirmed || !row.is_fresh(subject.now);
        is_over && row.last_seen.is_some() && row.covers(subject.ledger)
    });
    let ended = ended.and_then(seen);
    Ok(ended.map_or(IssuerStanding::NotConfirmed, IssuerStanding::WasConfirmed))
}

/// Returns the last period in which a domain confirmed an account. `None` if it never did.
fn seen(row: &Row) -> Option<Confirmation> {
    Some(Confirmation {
        domain: Domain::from_stored(row.domain.clone()).displayed(),
        name: row.name.clone(),
        logo: row.logo.clone(),
        first_seen: row.first_seen?,
        last_seen: row.last_seen?,
        checked_by: row.source?.into(),
    })
}

/// Returns the host of an origin, with its port.
fn host(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    Domain::from_stored(host.to_owned()).displayed()
}
