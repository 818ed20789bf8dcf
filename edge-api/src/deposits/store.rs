//! The deposits' SQL.

use order_core::{Address, Amount};
use serde::Deserialize;
use serde_json::Value;

use super::reversals::{self, Reversals};
use super::{Deposit, Source, Status};
use crate::config::Price;
use crate::db::{Page, Period, Sort, Span, TOTAL_MAX};
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;

pub(super) fn corrupt(what: &str) -> DatabaseError {
    DatabaseError::Unavailable(format!("a deposit's stored {what} is not valid"))
}

/// The columns of a deposit.
macro_rules! columns {
    () => {
        "SELECT ref, account_id, amount, tokens, price, source, status, livemode, intent_id, client_secret, failure, \
         refunded, reclaimed, taken, version, created_at FROM deposits "
    };
}

fn deposits(rows: Rows) -> Result<Vec<Deposit>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "ref")]
        reference: String,
        account_id: String,
        amount: u64,
        tokens: String,
        price: String,
        source: String,
        status: String,
        livemode: u8,
        intent_id: Option<String>,
        client_secret: Option<String>,
        failure: Option<String>,
        refunded: u64,
        reclaimed: u64,
        taken: String,
        version: u64,
        created_at: u64,
    }
    let deposit = |row: Row| {
        let amount = |text: &str| Amount::from_hex64(text).map_err(|_| corrupt("amount"));
        let mut sources = [Source::Test, Source::Stripe].into_iter();
        let mut states = Status::ALL.into_iter();
        Ok(Deposit {
            account: row.account_id.parse().map_err(|_| corrupt("account"))?,
            cents: row.amount,
            tokens: amount(&row.tokens)?,
            price: Price::parse(&row.price).ok_or_else(|| corrupt("price"))?,
            source: sources
                .find(|source| source.as_str() == row.source)
                .ok_or_else(|| corrupt("source"))?,
            status: states
                .find(|status| status.as_str() == row.status)
                .ok_or_else(|| corrupt("status"))?,
            livemode: row.livemode != 0,
            intent: row.intent_id,
            client_secret: row.client_secret,
            failure: row.failure,
            refunded: row.refunded,
            reclaimed: row.reclaimed,
            taken: amount(&row.taken)?,
            version: row.version,
            created_at: row.created_at,
            reference: row.reference,
        })
    };
    rows.all::<Row>()?.into_iter().map(deposit).collect()
}

/// A new deposit. `ask_at` is when its provider is asked what became of it, `client` whose address asked for it.
pub(super) fn insert(deposit: &Deposit, ask_at: Option<u64>, client: Option<&str>) -> Statement {
    Statement::new(
        "INSERT INTO deposits (ref, account_id, amount, tokens, price, source, status, livemode, taken, created_at, \
         updated_at, ask_at, client) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12)",
    )
    .bind(deposit.reference.as_str())
    .bind(account_key(&deposit.account))
    .bind(deposit.cents)
    .bind(deposit.tokens.to_hex64())
    .bind(deposit.price.to_string())
    .bind(deposit.source.as_str())
    .bind(deposit.status.as_str())
    .bind(deposit.livemode)
    .bind(deposit.taken.to_hex64())
    .bind(deposit.created_at)
    .bind(ask_at)
    .bind(client)
}

/// Takes the deposits whose provider is to be asked now, and gives each its next time: the delay of its number of
/// questions, or none behind the last. Answers their references.
pub(super) async fn take_due(
    db: &dyn Database,
    now: u64,
    delays: &[u64],
    limit: u32,
) -> Result<Vec<String>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "ref")]
        reference: String,
    }
    let statement = Statement::new(
        "UPDATE deposits SET asked = asked + 1, ask_at = ?1 + json_extract(?2, '$[' || asked || ']') WHERE ref IN \
         (SELECT ref FROM deposits WHERE ask_at <= ?1 ORDER BY ask_at LIMIT ?3) RETURNING ref",
    )
    .bind(now)
    .bind_json(&delays)?
    .bind(limit);
    let rows = db.query(statement).await?.all::<Row>()?;
    Ok(rows.into_iter().map(|row| row.reference).collect())
}

/// `old` becomes `new`, unless somebody changed it in between ([`DatabaseError::Guard`]).
pub(super) fn replace(old: &Deposit, new: &Deposit, now: u64) -> [Statement; 2] {
    [
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM deposits WHERE ref = ?1 AND version = ?2)",
        )
        .bind(old.reference.as_str())
        .bind(old.version),
        Statement::new(
            "UPDATE deposits SET status = ?2, intent_id = ?3, client_secret = ?4, failure = ?5, refunded = ?6, \
             reclaimed = ?7, taken = ?8, updated_at = ?9, version = version + 1, \
             client = CASE WHEN ?2 IN ('pending', 'failed') AND ?3 IS NOT NULL THEN client END, \
             ask_at = CASE WHEN ?2 IN ('pending', 'failed') AND ?3 IS NOT NULL THEN ask_at END WHERE ref = ?1",
        )
        .bind(old.reference.as_str())
        .bind(new.status.as_str())
        .bind(new.intent.as_deref())
        .bind(new.client_secret.as_deref())
        .bind(new.failure.as_deref())
        .bind(new.refunded)
        .bind(new.reclaimed)
        .bind(new.taken.to_hex64())
        .bind(now),
    ]
}

/// The deposit of a provider's payment, with what went back of it.
pub(super) async fn by_intent(
    db: &dyn Database,
    intent: &str,
) -> Result<Option<(Deposit, Reversals)>, DatabaseError> {
    let [found, disputes, refunds] = exactly(
        db.batch(vec![
            Statement::new(concat!(columns!(), "WHERE intent_id = ?1")).bind(intent),
            reversals::select_disputes(intent),
            reversals::select_refunds(intent),
        ])
        .await?,
    )?;
    let reversals = Reversals::from_rows(disputes, refunds)?;
    Ok(deposits(found)?.pop().map(|deposit| (deposit, reversals)))
}

/// The deposit of that reference, whoever made it.
pub(super) async fn by_reference(
    db: &dyn Database,
    reference: &str,
) -> Result<Option<Deposit>, DatabaseError> {
    let statement = Statement::new(concat!(columns!(), "WHERE ref = ?1")).bind(reference);
    Ok(deposits(db.query(statement).await?)?.pop())
}

/// An account's deposit of that reference.
pub(crate) async fn find(
    db: &dyn Database,
    account: &Address,
    reference: &str,
) -> Result<Option<Deposit>, DatabaseError> {
    let statement = Statement::new(concat!(columns!(), "WHERE account_id = ?1 AND ref = ?2"))
        .bind(account_key(account))
        .bind(reference);
    Ok(deposits(db.query(statement).await?)?.pop())
}

/// The list's condition: `?1` account, between `?2` and `?3`, and among the references `?4` as JSON where they are given.
macro_rules! listed {
    (all) => {
        "WHERE account_id = ?1 AND ref > ?2 AND ref < ?3 AND ?4 IS NULL "
    };
    (named) => {
        "WHERE account_id = ?1 AND ref > ?2 AND ref < ?3 AND ref IN (SELECT value FROM json_each(?4)) "
    };
}

/// A page of the list in one direction.
macro_rules! page {
    ($which:ident $order:literal) => {
        concat!(
            columns!(),
            listed!($which),
            "ORDER BY ref ",
            $order,
            " LIMIT ?5 OFFSET ?6"
        )
    };
}

/// How many the list has, counted as far as `?5`.
macro_rules! counted {
    ($which:ident) => {
        concat!(
            "SELECT count(*) AS total FROM (SELECT 1 FROM deposits ",
            listed!($which),
            "LIMIT ?5)"
        )
    };
}

/// A page of an account's deposits, one row more than it shows, and how many there are.
pub(crate) async fn list(
    db: &dyn Database,
    account: &Address,
    references: Option<Vec<String>>,
    page: &Page,
) -> Result<(Vec<Deposit>, u32), DatabaseError> {
    let all = Period::default().span();
    let rest = all.behind(page);
    let (rows, count) = match (page.sort, &references) {
        (Sort::Ascending, None) => (page!(all "ASC"), counted!(all)),
        (Sort::Descending, None) => (page!(all "DESC"), counted!(all)),
        (Sort::Ascending, Some(_)) => (page!(named "ASC"), counted!(named)),
        (Sort::Descending, Some(_)) => (page!(named "DESC"), counted!(named)),
    };
    let references = references.map(|references| Value::from(references).to_string());
    let bound = |sql, span: Span| {
        Statement::new(sql)
            .bind(account_key(account))
            .bind(span.after)
            .bind(span.before)
            .bind(references.clone())
    };
    let rows = bound(rows, rest).bind(page.fetch()).bind(page.skip);
    let total = bound(count, all).bind(TOTAL_MAX.saturating_add(1));
    let [rows, total] = exactly(db.batch(vec![rows, total]).await?)?;
    Ok((deposits(rows)?, total.total()?))
}
