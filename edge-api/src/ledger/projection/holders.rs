//! Lists the abilities of accounts on ledgers, for one ledger or for one account.

use order_core::{Abilities, Address};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

use super::read::{LedgerRow, count_ledgers, ledger_key, of_ledger, select_ledger};
use crate::db::{List, Page};
use crate::ports::{Database, DatabaseError, exactly};
use crate::text::account_key;

/// An account's abilities on the ledger.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(
    feature = "native",
    derive(schemars::JsonSchema),
    schemars(rename = "LedgerAbility")
)]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct AbilityHolder {
    #[serde(rename(serialize = "accountId", deserialize = "account_id"))]
    pub(crate) account: Address,
    #[serde(deserialize_with = "abilities")]
    pub(crate) abilities: Abilities,
}

impl AbilityHolder {
    /// Returns the account's sort key in the order of addresses.
    pub(crate) fn cursor_key(&self) -> String {
        account_key(&self.account)
    }
}

/// The caller's abilities on a ledger.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct AccountAbility {
    #[cfg_attr(feature = "native", schemars(with = "crate::api::Ref"))]
    pub(crate) ledger_ref: String,
    pub(crate) ledger_id: Address,
    #[serde(deserialize_with = "abilities")]
    pub(crate) abilities: Abilities,
}

/// Reads abilities from a column with the sum of their values.
pub(super) fn abilities<'de, D: Deserializer<'de>>(column: D) -> Result<Abilities, D::Error> {
    Abilities::from_bits(u16::deserialize(column)?).map_err(D::Error::custom)
}

/// A query for a list of a ledger's accounts.
pub(crate) struct HolderLookup<'a> {
    /// Reference or address.
    pub(crate) ledger: &'a str,
    pub(crate) accounts: Option<Vec<Address>>,
    pub(crate) page: Page,
}

/// Returns the ledger, a page of the accounts with an ability on it, and the number of these accounts. The ledger is `None` if it
/// does not exist. These rows have no creation time, so the list is ordered by address, in the direction of the query.
pub(crate) async fn holders(
    db: &dyn Database,
    lookup: &HolderLookup<'_>,
) -> Result<(Option<LedgerRow>, Vec<AbilityHolder>, u32), DatabaseError> {
    let accounts = lookup.accounts.as_ref();
    let accounts = accounts.map(|accounts| accounts.iter().map(account_key).collect());
    let page = &lookup.page;
    let list = List::new("account_id, abilities", "abilities", &["account_id"])
        .only(of_ledger!("?"), ledger_key(lookup.ledger))
        .among("account_id IN (SELECT value FROM json_each(?))", accounts);
    let rows = list.page(page, page.after.as_ref());
    let statements = vec![select_ledger(lookup.ledger), rows, list.total()];
    let [ledger, rows, total] = exactly(db.batch(statements).await?)?;
    Ok((ledger.first()?, rows.all()?, total.total()?))
}

/// Returns a page of the ledgers on which an account has abilities, with these abilities, and the total number of these ledgers.
pub(crate) async fn abilities_of_account(
    db: &dyn Database,
    account: &Address,
    page: &Page,
) -> Result<(Vec<AccountAbility>, u32), DatabaseError> {
    let columns = "ledger_ref, ledger_id, abilities";
    let list = List::new(columns, "abilities", &["ledger_ref"])
        .only("account_id = ?", account_key(account));
    let rows = list.page(page, page.after.as_ref());
    let [rows, total] = exactly(db.batch(vec![rows, count_ledgers(account)]).await?)?;
    Ok((rows.all()?, total.total()?))
}
