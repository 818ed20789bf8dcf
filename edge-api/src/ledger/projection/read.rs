//! Reads the ledger's tables for routes.

use const_format::concatcp;
use order_core::{Address, Amount, AssetId, Capabilities, Imprint, SchemaId};
use serde::{Deserialize, Serialize};

use crate::api::Timestamp;
use crate::db::rows::{hex64, json};
use crate::db::{List, Page, TOTAL_MAX};
use crate::ports::{Database, DatabaseError, INTEGER_MAX, Rows, Statement, exactly};
use crate::text::account_key;

/// An asset ledger.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(
    feature = "native",
    derive(schemars::JsonSchema),
    schemars(rename = "Ledger")
)]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct LedgerRow {
    #[serde(rename = "ref")]
    #[cfg_attr(feature = "native", schemars(with = "crate::api::Ref"))]
    pub(crate) reference: String,
    pub(crate) id: Address,
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) uri_prefix: String,
    pub(crate) uri_postfix: String,
    pub(crate) schema_id: SchemaId,
    #[serde(deserialize_with = "json")]
    pub(crate) capabilities: Capabilities,
    #[serde(rename(serialize = "ownerId", deserialize = "owner_id"))]
    pub(crate) owner: Address,
    #[serde(skip_serializing)]
    pub(crate) asset_count: u32,
    pub(crate) created_at: Timestamp,
}

impl LedgerRow {
    /// Builds the address of an asset's public metadata from the stored prefix, the decimal id and the stored postfix.
    pub(crate) fn uri(&self, asset: &AssetId) -> String {
        format!("{}{}{}", self.uri_prefix, asset, self.uri_postfix)
    }

    /// Returns the address of an existing asset's public metadata. Prefers the address that the ledger's contract answered. May be
    /// empty on a chain.
    pub(crate) fn uri_of(&self, asset: &AssetRow) -> String {
        let stored = || self.uri(&asset.id);
        asset.uri.clone().unwrap_or_else(stored)
    }
}

/// An asset.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct AssetRow {
    #[serde(deserialize_with = "hex64")]
    pub(crate) id: AssetId,
    #[serde(rename = "owner_id")]
    pub(crate) owner: Address,
    pub(crate) imprint: Imprint,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
    /// The address of the public metadata that the ledger's contract answered. `None` if the contract was not asked.
    #[serde(skip)]
    pub(crate) uri: Option<String>,
}

impl AssetRow {
    /// Returns the asset's sort key in the order of creation.
    pub(crate) fn cursor_key(&self) -> String {
        format!("{:013}-{}", self.created_at, self.id.to_hex64())
    }
}

/// Converts a ledger's address to the form in which the database stores it. Returns any other string unchanged, for example a
/// reference. The string usually comes from a request's path.
pub(crate) fn ledger_key(name: &str) -> String {
    name.parse::<Address>()
        .map_or_else(|_| name.to_owned(), |address| account_key(&address))
}

/// The columns of a ledger.
const LEDGER_COLUMNS: &str = "l.ref, l.id, l.name, l.symbol, l.uri_prefix, l.uri_postfix, l.schema_id, l.capabilities, l.owner_id, \
         l.asset_count, l.created_at";

pub(in crate::ledger) fn select_ledger(name: &str) -> Statement {
    Statement::new(concatcp!(
        "SELECT ",
        LEDGER_COLUMNS,
        " FROM ledgers l WHERE l.id = ?1 OR l.ref = ?1"
    ))
    .bind(ledger_key(name))
}

/// Finds a ledger by reference or address. `None` if there is no such ledger.
pub(crate) async fn find(
    db: &dyn Database,
    name: &str,
) -> Result<Option<LedgerRow>, DatabaseError> {
    db.query(select_ledger(name)).await?.first()
}

/// Finds a ledger and one of its assets. Each is `None` if it does not exist.
pub(crate) async fn asset(
    db: &dyn Database,
    ledger: &str,
    id: Option<&AssetId>,
) -> Result<(Option<LedgerRow>, Option<AssetRow>), DatabaseError> {
    let statements = vec![select_ledger(ledger), select_asset(ledger, id)];
    let [ledgers, assets] = exactly(db.batch(statements).await?)?;
    Ok((ledgers.first()?, assets.first()?))
}

/// The columns of an asset.
const ASSET_COLUMNS: &str = "id, owner_id, imprint, created_at, updated_at";

/// The condition that a row belongs to a ledger. `$key` is the parameter with the ledger's address or reference.
macro_rules! of_ledger {
    ($key:literal) => {
        const_format::concatcp!(
            "ledger_id = (SELECT id FROM ledgers WHERE id = ",
            $key,
            " OR ref = ",
            $key,
            ")"
        )
    };
}
pub(super) use of_ledger;

pub(in crate::ledger) fn select_asset(ledger: &str, id: Option<&AssetId>) -> Statement {
    Statement::new(concatcp!(
        "SELECT ",
        ASSET_COLUMNS,
        " FROM assets WHERE ",
        of_ledger!("?1"),
        " AND id = ?2"
    ))
    .bind(ledger_key(ledger))
    .bind(id.map(AssetId::to_hex64))
}

/// A query for a list of a ledger's assets.
pub(crate) struct AssetLookup<'a> {
    /// Reference or address.
    pub(crate) ledger: &'a str,
    pub(crate) ids: Option<Vec<AssetId>>,
    /// The key of the assets' owner. An empty key matches no asset.
    pub(crate) owner: Option<String>,
    pub(crate) page: Page,
}

impl AssetLookup<'_> {
    /// Returns true if the list has all assets of the ledger.
    pub(crate) fn is_whole(&self) -> bool {
        self.ids.is_none() && self.owner.is_none()
    }
}

/// Returns the ledger, a page of its assets by time of creation, and their total number. The ledger is `None` if it does not exist.
pub(crate) async fn assets(
    db: &dyn Database,
    lookup: &AssetLookup<'_>,
) -> Result<(Option<LedgerRow>, Vec<AssetRow>, u32), DatabaseError> {
    let ids = lookup.ids.as_ref();
    let ids = ids.map(|ids| ids.iter().map(AssetId::to_hex64).collect());
    // A cursor without a valid time counts as time 0, before the first asset.
    let cursor = lookup.page.after.as_deref().map(|text| {
        let (time, id) = text.split_once('-').unwrap_or((text, ""));
        let time = time.parse().ok().filter(|time| *time <= INTEGER_MAX);
        (time.unwrap_or(0), id.to_owned())
    });
    // The unary plus signs make SQLite look up the ids. Without them it scans the whole ledger in order of creation.
    let key: &[&str] = match ids {
        None => &["created_at", "id"],
        Some(_) => &["+created_at", "+id"],
    };
    let mut list =
        List::new(ASSET_COLUMNS, "assets", key).only(of_ledger!("?"), ledger_key(lookup.ledger));
    if let Some(owner) = &lookup.owner {
        list = list.only("owner_id = ?", owner.as_str());
    }
    let list = list.among("id IN (SELECT value FROM json_each(?))", ids);
    let page = list.page(&lookup.page, cursor.as_ref());
    let mut statements = vec![select_ledger(lookup.ledger), page];
    if !lookup.is_whole() {
        statements.push(list.total());
    }
    let mut answers = db.batch(statements).await?.into_iter();
    let mut next = || answers.next().unwrap_or_default();
    let (ledger, assets): (Option<LedgerRow>, _) = (next().first()?, next().all()?);
    let total = match (lookup.is_whole(), &ledger) {
        (true, Some(ledger)) => ledger.asset_count,
        _ => next().total()?,
    };
    Ok((ledger, assets, total))
}

/// Returns a page of the ledgers on which an account holds an ability, and the total number.
pub(crate) async fn ledgers_of_account(
    db: &dyn Database,
    account: &Address,
    page: &Page,
) -> Result<(Vec<LedgerRow>, u32), DatabaseError> {
    let list = List::new(
        LEDGER_COLUMNS,
        "abilities a JOIN ledgers l ON l.id = a.ledger_id",
        &["a.ledger_ref"],
    )
    .only("a.account_id = ?", account_key(account));
    let rows = list.page(page, page.after.as_ref());
    let [rows, total] = exactly(db.batch(vec![rows, count_ledgers(account)]).await?)?;
    Ok((rows.all()?, total.total()?))
}

/// Returns a statement that counts the ledgers on which an account holds an ability, up to one above [`TOTAL_MAX`].
pub(super) fn count_ledgers(account: &Address) -> Statement {
    Statement::new(
        "SELECT count(*) AS total FROM (SELECT 1 FROM abilities WHERE account_id = ?1 LIMIT ?2)",
    )
    .bind(account_key(account))
    .bind(TOTAL_MAX.saturating_add(1))
}

/// An account's amounts of the platform token.
#[derive(Deserialize)]
pub(crate) struct Funds {
    #[serde(deserialize_with = "hex64")]
    pub(crate) balance: Amount,
    /// The amount that the spender may take.
    #[serde(deserialize_with = "hex64")]
    pub(crate) allowance: Amount,
}

/// Selects an account's balance of the platform token, and its allowance for a spender. Absent amounts are zero.
pub(crate) fn select_funds(account: &Address, spender: &Address) -> Statement {
    Statement::new(
        "SELECT coalesce((SELECT amount FROM balances WHERE account_id = ?1), ?3) AS balance, \
         coalesce((SELECT amount FROM allowances WHERE owner_id = ?1 AND spender_id = ?2), ?3) AS allowance",
    )
    .bind(account_key(account))
    .bind(account_key(spender))
    .bind(Amount::ZERO.to_hex64())
}

/// Returns the amounts in the rows of [`select_funds`].
pub(crate) fn funds_from_rows(rows: Rows) -> Result<Funds, DatabaseError> {
    let why = "a query without a table returned no row";
    rows.first()?
        .ok_or_else(|| DatabaseError::corrupt("balances", "", why))
}
