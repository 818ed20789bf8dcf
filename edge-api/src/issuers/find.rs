//! Decides whether a domain or the operator confirms a ledger's owner.

use const_format::concatcp;
use order_core::Address;

use super::domain::Domain;
use super::row::{CheckRow, State};
use super::standing::{Confirmation, IssuerStanding};
use crate::config::ConfirmedAccount;
use crate::db::rows::object;
use crate::ports::{DatabaseError, Rows};

/// SQL for the columns of a check that decide a standing.
const CHECK: &str =
    object!("c": domain state source name logo ledgers first_seen last_seen disowned_at);

/// SQL that selects the checks that decide the standing of the owner of the ledger `?1`, as JSON objects. It returns at most three rows:
///
/// - the domain that the owner names now for this ledger. This row also has `named`, with the value 1,
/// - of the domains that the owner no longer names, the one that confirmed the owner most recently,
/// - the domain that disowned the owner most recently.
pub(crate) const SELECT_STANDING: &str = concatcp!(
    "SELECT json_set(",
    CHECK,
    ", '$.named', 1) FROM ledgers l JOIN issuer_domains d ON d.account_id = l.owner_id \
     AND d.ledger_id = coalesce((SELECT o.ledger_id FROM issuer_domains o WHERE o.account_id = l.owner_id \
     AND o.ledger_id = l.id), '') \
     JOIN issuer_checks c ON c.account_id = d.account_id AND c.domain = d.domain WHERE l.id = ?1 \
     UNION ALL SELECT * FROM (SELECT ",
    CHECK,
    " FROM issuer_checks c WHERE c.account_id = (SELECT owner_id FROM ledgers WHERE id = ?1) \
     AND c.named = 0 AND c.last_seen IS NOT NULL ORDER BY c.last_seen DESC LIMIT 1) \
     UNION ALL SELECT * FROM (SELECT ",
    CHECK,
    " FROM issuer_checks c WHERE c.account_id = (SELECT owner_id FROM ledgers WHERE id = ?1) \
     AND c.disowned_at IS NOT NULL ORDER BY c.disowned_at DESC LIMIT 1)"
);

/// The facts that decide a standing together with the rows of [`SELECT_STANDING`].
pub(crate) struct Subject<'a> {
    pub(crate) owner: &'a Address,
    pub(crate) ledger: &'a Address,
    /// The origin under which this service was called.
    pub(crate) origin: &'a str,
    /// Milliseconds since 1970.
    pub(crate) now: u64,
}

/// Decides the standing of a ledger's owner from the rows of [`SELECT_STANDING`]. The first of these statements that is true decides:
///
/// 1. A domain disowns the owner. This comes first, because the thief of a key can name a domain of their own.
/// 2. The domain that the owner names confirms the owner for this ledger now.
/// 3. The operator confirms the owner.
/// 4. A domain confirmed the owner for this ledger before.
///
/// `operators` has the accounts that the operator confirms. A domain that has neither confirmed nor disowned the owner is ignored, because an account may name any domain.
pub(crate) fn standing(
    operators: &[ConfirmedAccount],
    subject: &Subject<'_>,
    rows: Rows,
) -> Result<IssuerStanding, DatabaseError> {
    let rows: Vec<CheckRow> = rows.all()?;
    let is_named = |row: &CheckRow| row.named == Some(1);
    let confirmed = rows.iter().find(|row| {
        is_named(row)
            && row.state == State::Confirmed
            && row.is_fresh(subject.now)
            && row.covers(subject.ledger)
    });
    let disowned = rows.iter().filter(|row| row.disowned_at.is_some());
    if let Some(row) = disowned.max_by_key(|row| row.disowned_at) {
        return Ok(IssuerStanding::Disowned {
            domain: displayed(row),
            earlier: seen(row),
            other: confirmed.map(displayed),
        });
    }
    if let Some(row) = confirmed {
        return Ok(seen(row).map_or(IssuerStanding::NotConfirmed, IssuerStanding::Confirmed));
    }
    if let Some(entry) = operators
        .iter()
        .find(|entry| entry.account == *subject.owner)
    {
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
fn seen(row: &CheckRow) -> Option<Confirmation> {
    Some(Confirmation {
        domain: displayed(row),
        name: row.name.clone(),
        logo: row.logo.clone(),
        first_seen: row.first_seen?,
        last_seen: row.last_seen?,
        checked_by: row.source?.into(),
    })
}

/// Returns the domain in the form for display.
fn displayed(row: &CheckRow) -> String {
    Domain::from_stored(row.domain.clone()).displayed()
}

/// Returns the host of an origin, with its port.
fn host(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, host)| host);
    Domain::from_stored(host.to_owned()).displayed()
}

#[cfg(test)]
mod tests {
    use order_core::json;
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    #[derive(Deserialize)]
    struct Vectors {
        account: Address,
        standings: Standings,
    }

    #[derive(Deserialize)]
    struct Standings {
        now: u64,
        ledger: Address,
        service: String,
        cases: Vec<Case>,
    }

    #[derive(Deserialize)]
    struct Case {
        name: String,
        operator: bool,
        checks: Vec<Value>,
        result: Value,
    }

    /// Returns a row of [`SELECT_STANDING`] for a check of the vectors.
    fn row(check: &Value) -> Value {
        let states = ["unchecked", "confirmed", "notConfirmed", "disowned"];
        let state = states.iter().position(|state| check["state"] == **state);
        let ledgers = &check["ledgers"];
        json!({
            "named": u8::from(check["named"] == true),
            "domain": check["domain"],
            "state": state.unwrap(),
            "source": check["lastSeen"].as_u64().map(|_| 0),
            "ledgers": ledgers.as_array().map(|_| ledgers.to_string()),
            "first_seen": check["firstSeen"],
            "last_seen": check["lastSeen"],
            "disowned_at": check["disownedAt"],
        })
    }

    #[test]
    fn the_checks_of_the_vectors_give_the_expected_issuer() {
        let vectors = include_str!("../../../tests/vectors/issuer/vectors.json");
        let Vectors { account, standings } = json::from_text(vectors).unwrap();
        assert!(standings.cases.len() >= 22);
        for case in standings.cases {
            let operators = case.operator.then(|| ConfirmedAccount {
                account,
                name: "University".to_owned(),
            });
            let subject = Subject {
                owner: &account,
                ledger: &standings.ledger,
                origin: &format!("https://{}", standings.service),
                now: standings.now,
            };
            let rows = case.checks.iter().map(row).collect();
            let rows = Rows::carried(rows, "SELECT * FROM issuer_checks");
            let found = standing(operators.as_slice(), &subject, rows)
                .unwrap()
                .view(account);
            let found = serde_json::to_value(found).unwrap();
            let found = json!({
                "kind": found["kind"],
                "domain": found["domain"],
                "otherDomain": found["otherDomain"],
            });
            assert_eq!(found, case.result, "{}", case.name);
        }
    }
}
