//! Who may do what on a ledger, by ledger and by account.

use order_core::{Abilities, Address};
use serde::Deserialize;

use super::read::{LedgerRow, ledger_key, ledger_rows, select_ledger};
use super::tables::corrupt;
use crate::db::{Page, Sort, TOTAL_MAX};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// Somebody who holds an ability on a ledger.
#[derive(Clone, Debug)]
pub(crate) struct AbilityHolder {
    pub(crate) account: Address,
    pub(crate) abilities: Abilities,
}

impl AbilityHolder {
    /// Its place in the order of addresses.
    pub(crate) fn cursor_key(&self) -> String {
        account_key(&self.account)
    }
}

/// What an account may do on one ledger.
#[derive(Clone, Debug)]
pub(crate) struct AccountAbility {
    pub(crate) ledger_ref: String,
    pub(crate) ledger_id: Address,
    pub(crate) abilities: Abilities,
}

/// What a list of a ledger's accounts asks for.
pub(crate) struct HolderLookup<'a> {
    /// Reference or address.
    pub(crate) ledger: &'a str,
    pub(crate) accounts: Option<Vec<Address>>,
    pub(crate) page: Page,
}

#[derive(Deserialize)]
struct Row {
    account_id: String,
    ledger_id: String,
    ledger_ref: String,
    abilities: u16,
}

fn abilities(bits: u16) -> Result<Abilities, DatabaseError> {
    Abilities::from_bits(bits).map_err(|_| corrupt("ability set"))
}

fn address(text: &str) -> Result<Address, DatabaseError> {
    text.parse().map_err(|_| corrupt("address"))
}

/// The columns of [`Row`].
macro_rules! columns {
    () => {
        "SELECT account_id, ledger_id, ledger_ref, abilities FROM abilities "
    };
}

/// The ledger `?1`, by address or reference.
macro_rules! of_ledger {
    () => {
        "WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) "
    };
}

/// The accounts `?2`.
macro_rules! of_accounts {
    () => {
        "AND account_id IN (SELECT value FROM json_each(?2)) "
    };
}

/// The part of a list behind the place `?3`. Addresses and references are greater than the empty text, and less than `~`.
macro_rules! page {
    (ascending $column:literal) => {
        concat!(
            "AND ",
            $column,
            " > coalesce(?3, '') ORDER BY ",
            $column,
            " LIMIT ?4 OFFSET ?5"
        )
    };
    (descending $column:literal) => {
        concat!(
            "AND ",
            $column,
            " < coalesce(?3, '~') ORDER BY ",
            $column,
            " DESC LIMIT ?4 OFFSET ?5"
        )
    };
}

/// A page of those who hold an ability on a ledger, and how many there are. They have no time of their own: they are
/// listed by address, in the direction that the query says.
pub(crate) async fn holders(
    db: &dyn Database,
    lookup: &HolderLookup<'_>,
) -> Result<(Option<LedgerRow>, Vec<AbilityHolder>, u32), DatabaseError> {
    let filtered = lookup.accounts.is_some();
    let ids: Vec<String> = lookup.accounts.iter().flatten().map(account_key).collect();
    let bound = |sql: &'static str| {
        Statement::new(sql)
            .bind(ledger_key(lookup.ledger))
            .bind_json(&ids)
    };
    // A condition that may be off, as `?2 IS NULL OR …`, would keep SQLite from using the index where it is on: so there
    // is a text for each, and each uses every parameter.
    let sql = match (lookup.page.sort, filtered) {
        (Sort::Ascending, false) => concat!(
            columns!(),
            of_ledger!(),
            "AND ?2 IS NOT NULL ",
            page!(ascending "account_id")
        ),
        (Sort::Descending, false) => concat!(
            columns!(),
            of_ledger!(),
            "AND ?2 IS NOT NULL ",
            page!(descending "account_id")
        ),
        (Sort::Ascending, true) => {
            concat!(
                columns!(),
                of_ledger!(),
                of_accounts!(),
                page!(ascending "account_id")
            )
        }
        (Sort::Descending, true) => {
            concat!(
                columns!(),
                of_ledger!(),
                of_accounts!(),
                page!(descending "account_id")
            )
        }
    };
    let rows = bound(sql)?
        .bind(lookup.page.after.as_deref())
        .bind(lookup.page.fetch())
        .bind(lookup.page.skip);
    let count = bound(if filtered {
        concat!(
            "SELECT count(*) AS total FROM abilities ",
            of_ledger!(),
            of_accounts!(),
            "AND ?3 IS NOT NULL"
        )
    } else {
        concat!(
            "SELECT count(*) AS total FROM (SELECT 1 FROM abilities ",
            of_ledger!(),
            "AND ?2 IS NOT NULL LIMIT ?3)"
        )
    })?
    .bind(TOTAL_MAX.saturating_add(1));
    let [ledgers, rows, count] = exactly(
        db.batch(vec![select_ledger(lookup.ledger), rows, count])
            .await?,
    )?;
    let holder = |row: Row| {
        Ok(AbilityHolder {
            account: address(&row.account_id)?,
            abilities: abilities(row.abilities)?,
        })
    };
    let found: Result<Vec<AbilityHolder>, DatabaseError> =
        rows.all::<Row>()?.into_iter().map(holder).collect();
    Ok((ledger_rows(ledgers)?.pop(), found?, count.total()?))
}

/// A page of what an account may do on each ledger, and on how many there are.
pub(crate) async fn abilities_of_account(
    db: &dyn Database,
    account: &Address,
    page: &Page,
) -> Result<(Vec<AccountAbility>, u32), DatabaseError> {
    let sql = match page.sort {
        Sort::Ascending => concat!(
            columns!(),
            "WHERE account_id = ?1 AND ?2 IS NULL ",
            page!(ascending "ledger_ref")
        ),
        Sort::Descending => concat!(
            columns!(),
            "WHERE account_id = ?1 AND ?2 IS NULL ",
            page!(descending "ledger_ref")
        ),
    };
    let rows = Statement::new(sql)
        .bind(account_key(account))
        .bind(None::<String>)
        .bind(page.after.as_deref())
        .bind(page.fetch())
        .bind(page.skip);
    let [rows, count] = exactly(
        db.batch(vec![rows, super::read::count_ledgers(account)])
            .await?,
    )?;
    let ability = |row: Row| {
        Ok(AccountAbility {
            ledger_id: address(&row.ledger_id)?,
            abilities: abilities(row.abilities)?,
            ledger_ref: row.ledger_ref,
        })
    };
    let found: Result<Vec<AccountAbility>, DatabaseError> =
        rows.all::<Row>()?.into_iter().map(ability).collect();
    Ok((found?, count.total()?))
}
