//! What routes show of the ledger's tables.

use order_core::{Address, Amount, AssetId, Capabilities, Imprint, SchemaId};
use serde::Deserialize;

use super::tables::{self, corrupt};
use crate::db::{Page, Sort, TOTAL_MAX};
use crate::ports::{Database, DatabaseError, INTEGER_MAX, Rows, Statement, exactly};
use crate::text::account_key;

/// A ledger.
#[derive(Clone, Debug)]
pub(crate) struct LedgerRow {
    pub(crate) reference: String,
    pub(crate) id: Address,
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) uri_prefix: String,
    pub(crate) uri_postfix: String,
    pub(crate) schema_id: SchemaId,
    pub(crate) capabilities: Capabilities,
    pub(crate) owner: Address,
    pub(crate) asset_count: u32,
    pub(crate) created_at: u64,
}

impl LedgerRow {
    /// The address of an asset's public metadata: prefix, decimal id, postfix.
    pub(crate) fn uri(&self, asset: &AssetId) -> String {
        format!("{}{}{}", self.uri_prefix, asset, self.uri_postfix)
    }
}

/// An asset.
#[derive(Clone, Debug)]
pub(crate) struct AssetRow {
    pub(crate) id: AssetId,
    pub(crate) owner: Address,
    pub(crate) imprint: Imprint,
    pub(crate) created_at: u64,
    pub(crate) updated_at: u64,
}

impl AssetRow {
    /// Its place in the order of creation.
    pub(crate) fn cursor_key(&self) -> String {
        format!("{:013}-{}", self.created_at, self.id.to_hex64())
    }
}

pub(super) fn ledger_rows(rows: Rows) -> Result<Vec<LedgerRow>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "ref")]
        reference: String,
        id: String,
        name: String,
        symbol: String,
        uri_prefix: String,
        uri_postfix: String,
        schema_id: String,
        capabilities: String,
        owner_id: String,
        asset_count: u32,
        created_at: u64,
    }
    let ledger = |row: Row| -> Result<LedgerRow, DatabaseError> {
        Ok(LedgerRow {
            reference: row.reference,
            id: row.id.parse().map_err(|_| corrupt("ledger address"))?,
            name: row.name,
            symbol: row.symbol,
            uri_prefix: row.uri_prefix,
            uri_postfix: row.uri_postfix,
            schema_id: row.schema_id.parse().map_err(|_| corrupt("schema id"))?,
            capabilities: serde_json::from_str(&row.capabilities)
                .map_err(|_| corrupt("capability list"))?,
            owner: row.owner_id.parse().map_err(|_| corrupt("ledger owner"))?,
            asset_count: row.asset_count,
            created_at: row.created_at,
        })
    };
    rows.all::<Row>()?.into_iter().map(ledger).collect()
}

pub(super) fn asset_rows(rows: Rows) -> Result<Vec<AssetRow>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        id: String,
        owner_id: String,
        imprint: String,
        created_at: u64,
        updated_at: u64,
    }
    let asset = |row: Row| -> Result<AssetRow, DatabaseError> {
        Ok(AssetRow {
            id: AssetId::from_hex64(&row.id).map_err(|_| corrupt("asset id"))?,
            owner: row.owner_id.parse().map_err(|_| corrupt("asset owner"))?,
            imprint: row.imprint.parse().map_err(|_| corrupt("imprint"))?,
            created_at: row.created_at,
            updated_at: row.updated_at,
        })
    };
    rows.all::<Row>()?.into_iter().map(asset).collect()
}

/// How a path names a ledger: by address or by reference, as the database keys them.
pub(super) fn ledger_key(name: &str) -> String {
    name.parse::<Address>()
        .map_or_else(|_| name.to_owned(), |address| account_key(&address))
}

/// The columns of a ledger.
macro_rules! ledger_columns {
    () => {
        "l.ref, l.id, l.name, l.symbol, l.uri_prefix, l.uri_postfix, l.schema_id, l.capabilities, l.owner_id, \
         l.asset_count, l.created_at"
    };
}

pub(super) fn select_ledger(name: &str) -> Statement {
    Statement::new(concat!(
        "SELECT ",
        ledger_columns!(),
        " FROM ledgers l WHERE l.id = ?1 OR l.ref = ?1"
    ))
    .bind(ledger_key(name))
}

/// The ledger of a reference or address.
pub(crate) async fn find(
    db: &dyn Database,
    name: &str,
) -> Result<Option<LedgerRow>, DatabaseError> {
    Ok(ledger_rows(db.query(select_ledger(name)).await?)?.pop())
}

/// A ledger and one of its assets.
pub(crate) async fn asset(
    db: &dyn Database,
    ledger: &str,
    id: Option<&AssetId>,
) -> Result<(Option<LedgerRow>, Option<AssetRow>), DatabaseError> {
    let statements = vec![select_ledger(ledger), select_asset(ledger, id)];
    let [ledgers, assets] = exactly(db.batch(statements).await?)?;
    Ok((ledger_rows(ledgers)?.pop(), asset_rows(assets)?.pop()))
}

pub(super) fn select_asset(ledger: &str, id: Option<&AssetId>) -> Statement {
    Statement::new(
        "SELECT id, owner_id, imprint, created_at, updated_at FROM assets \
         WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) AND id = ?2",
    )
    .bind(ledger_key(ledger))
    .bind(id.map(AssetId::to_hex64))
}

/// What a list of assets asks for.
pub(crate) struct AssetLookup<'a> {
    /// Reference or address.
    pub(crate) ledger: &'a str,
    pub(crate) ids: Option<Vec<AssetId>>,
    pub(crate) page: Page,
}

/// A page of a ledger's assets in the order of their creation, and how many there are.
pub(crate) async fn assets(
    db: &dyn Database,
    lookup: &AssetLookup<'_>,
) -> Result<(Option<LedgerRow>, Vec<AssetRow>, u32), DatabaseError> {
    let ids = lookup
        .ids
        .as_ref()
        .map(|ids| ids.iter().map(AssetId::to_hex64).collect::<Vec<_>>());
    // What is no asset's place, because somebody made its cursor up, lies before or behind every asset.
    let after = lookup
        .page
        .after
        .as_deref()
        .map(|text| text.split_once('-').unwrap_or((text, "")));
    let (after_time, after_id) = after.map_or((None, None), |(time, id)| {
        let time = time.parse().ok().filter(|time| *time <= INTEGER_MAX);
        (time.or(Some(0)), Some(id))
    });
    let sql = match (lookup.page.sort, &ids) {
        (Sort::Ascending, None) => concat!(
            "SELECT id, owner_id, imprint, created_at, updated_at FROM assets \
             WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) AND ?2 IS NULL ",
            "AND (created_at, id) > (coalesce(?3, -1), coalesce(?4, '')) ORDER BY created_at, id LIMIT ?5 OFFSET ?6"
        ),
        (Sort::Descending, None) => concat!(
            "SELECT id, owner_id, imprint, created_at, updated_at FROM assets \
             WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) AND ?2 IS NULL ",
            "AND (created_at, id) < (coalesce(?3, 9e15), coalesce(?4, '')) ORDER BY created_at DESC, id DESC LIMIT ?5 OFFSET ?6"
        ),
        // The signs keep SQLite from going through the whole ledger in the order of creation: it is to look up the ids.
        (Sort::Ascending, Some(_)) => concat!(
            "SELECT id, owner_id, imprint, created_at, updated_at FROM assets \
             WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) ",
            "AND id IN (SELECT value FROM json_each(?2)) ",
            "AND (+created_at, +id) > (coalesce(?3, -1), coalesce(?4, '')) ORDER BY +created_at, +id LIMIT ?5 OFFSET ?6"
        ),
        (Sort::Descending, Some(_)) => concat!(
            "SELECT id, owner_id, imprint, created_at, updated_at FROM assets \
             WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) ",
            "AND id IN (SELECT value FROM json_each(?2)) ",
            "AND (+created_at, +id) < (coalesce(?3, 9e15), coalesce(?4, '')) ORDER BY +created_at DESC, +id DESC LIMIT ?5 OFFSET ?6"
        ),
    };
    let ids = ids.map(|ids| serde_json::Value::from(ids).to_string());
    let page = Statement::new(sql)
        .bind(ledger_key(lookup.ledger))
        .bind(ids.clone())
        .bind(after_time)
        .bind(after_id)
        .bind(lookup.page.fetch())
        .bind(lookup.page.skip);
    let total = Statement::new(
        "SELECT count(*) AS total FROM assets WHERE ledger_id = (SELECT id FROM ledgers WHERE id = ?1 OR ref = ?1) \
         AND id IN (SELECT value FROM json_each(?2))",
    )
    .bind(ledger_key(lookup.ledger))
    .bind(ids.unwrap_or_else(|| "[]".to_owned()));
    let [ledgers, assets, total] = exactly(
        db.batch(vec![select_ledger(lookup.ledger), page, total])
            .await?,
    )?;
    let ledger = ledger_rows(ledgers)?.pop();
    let total = match (&lookup.ids, &ledger) {
        (None, Some(ledger)) => ledger.asset_count,
        _ => total.total()?,
    };
    Ok((ledger, asset_rows(assets)?, total))
}

/// A page of the ledgers on which an account holds an ability, and how many there are.
pub(crate) async fn ledgers_of_account(
    db: &dyn Database,
    account: &Address,
    page: &Page,
) -> Result<(Vec<LedgerRow>, u32), DatabaseError> {
    let sql = match page.sort {
        Sort::Ascending => concat!(
            "SELECT ",
            ledger_columns!(),
            " FROM abilities a JOIN ledgers l ON l.id = a.ledger_id WHERE a.account_id = ?1 \
             AND a.ledger_ref > coalesce(?2, '') ORDER BY a.ledger_ref LIMIT ?3 OFFSET ?4"
        ),
        Sort::Descending => concat!(
            "SELECT ",
            ledger_columns!(),
            " FROM abilities a JOIN ledgers l ON l.id = a.ledger_id WHERE a.account_id = ?1 \
             AND a.ledger_ref < coalesce(?2, '~') ORDER BY a.ledger_ref DESC LIMIT ?3 OFFSET ?4"
        ),
    };
    let rows = Statement::new(sql)
        .bind(account_key(account))
        .bind(page.after.as_deref())
        .bind(page.fetch())
        .bind(page.skip);
    let [rows, total] = exactly(db.batch(vec![rows, count_ledgers(account)]).await?)?;
    Ok((ledger_rows(rows)?, total.total()?))
}

/// On how many ledgers an account holds an ability.
pub(super) fn count_ledgers(account: &Address) -> Statement {
    Statement::new(
        "SELECT count(*) AS total FROM (SELECT 1 FROM abilities WHERE account_id = ?1 LIMIT ?2)",
    )
    .bind(account_key(account))
    .bind(TOTAL_MAX.saturating_add(1))
}

/// Reads an account's balance of the platform token.
pub(crate) fn select_balance(account: &Address) -> Statement {
    Statement::new("SELECT amount FROM balances WHERE account_id = ?1").bind(account_key(account))
}

/// The amount in the rows of [`select_balance`]; zero without a row.
pub(crate) fn amount_from_rows(rows: Rows) -> Result<Amount, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        amount: String,
    }
    match rows.first::<Row>()? {
        Some(row) => tables::amount(&row.amount),
        None => Ok(Amount::default()),
    }
}
