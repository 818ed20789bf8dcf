//! Guards that separate live deposits from test deposits, and limit the number of open deposits.
//!
//! Free tokens would be worth as much as bought tokens, so an instance has either live deposits or free tokens. Guards in
//! the transactions check this. A live deposit counts from its creation until it is canceled. A test deposit counts once its tokens
//! are credited.

use const_format::concatcp;
use order_core::{Address, Code};
use serde::Deserialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::ports::{Database, DatabaseError, Statement};
use crate::text::account_key;

/// Maximum open deposits of an account. More than one may be open, because payers abandon deposits.
const OPEN_OF_ACCOUNT: u32 = 5;
/// Maximum open deposits of a client network: enough for an office that shares one address, too few for testing stolen
/// cards.
const OPEN_OF_CLIENT: u32 = 10;

/// SQL condition: tokens were credited for test deposits. If `?1` is `stripe`, deposits in the provider's test mode count
/// too.
const FREE_TOKENS: &str = "EXISTS (SELECT 1 FROM deposits WHERE livemode = 0 AND status = 'succeeded' AND source IN ('test', ?1))";

/// SQL condition: a live deposit exists that is not canceled.
const LIVE_DEPOSITS: &str =
    "EXISTS (SELECT 1 FROM deposits WHERE livemode = 1 AND status <> 'canceled')";

/// SQL for the numbers of open deposits of account `?1` and of client network `?2` that were created after `?3`. These
/// include deposits whose payment is being requested from Stripe.
const OPEN_DEPOSITS: &str = "(SELECT count(*) FROM deposits WHERE account_id = ?1 AND source = 'stripe' \
         AND (status = 'pending' OR status = 'failed' AND intent_id IS NOT NULL) AND created_at > ?3) AS of_account, \
         (SELECT count(*) FROM deposits WHERE client = ?2 AND status IN ('pending', 'failed') AND created_at > ?3) AS of_client";

/// Returns a statement with the parameters of `OPEN_DEPOSITS`.
fn about_open(
    ctx: &Context<'_>,
    sql: &'static str,
    account: &Address,
    client: Option<&str>,
) -> Statement {
    Statement::new(sql)
        .bind(account_key(account))
        .bind(client)
        .bind(ctx.now().saturating_sub(super::deposit::LIFE_MS))
}

/// Returns a guard that fails if there are too many open deposits, so that concurrent requests cannot pass the limit.
pub(super) fn few(ctx: &Context<'_>, account: &Address, client: Option<&str>) -> Statement {
    let sql = concatcp!(
        "INSERT INTO guards SELECT 0 FROM (SELECT ",
        OPEN_DEPOSITS,
        ") WHERE of_account >= ?4 OR of_client >= ?5"
    );
    about_open(ctx, sql, account, client)
        .bind(OPEN_OF_ACCOUNT)
        .bind(OPEN_OF_CLIENT)
}

/// Returns guards for a deposit at Stripe. For a live deposit, they fail if any free tokens were credited. For a deposit in
/// Stripe's test mode, they fail if there is a live deposit, or if tokens were credited without Stripe.
pub(super) fn of_one_kind(livemode: bool) -> Vec<Statement> {
    let free = Statement::new(concatcp!("INSERT INTO guards SELECT 0 WHERE ", FREE_TOKENS))
        .bind(if livemode { "stripe" } else { "test" });
    if livemode {
        vec![free]
    } else {
        vec![free, no_live()]
    }
}

/// Returns a guard for the credit of free tokens. It fails if a live deposit exists that is not canceled.
pub(super) fn no_live() -> Statement {
    Statement::new(concatcp!(
        "INSERT INTO guards SELECT 0 WHERE ",
        LIVE_DEPOSITS
    ))
}

/// Returns true if a live deposit exists that is not canceled.
pub(super) async fn has_live(db: &dyn Database) -> Result<bool, DatabaseError> {
    let statement = Statement::new(concatcp!("SELECT 1 AS one WHERE ", LIVE_DEPOSITS));
    Ok(!db.query(statement).await?.is_empty())
}

/// Returns the failure of a deposit that [`of_one_kind`] or [`no_live`] refused.
pub(super) async fn refused(ctx: &Context<'_>, livemode: bool) -> Result<Failure, DatabaseError> {
    let message = if !livemode && has_live(ctx.db()).await? {
        "this instance takes or has taken payments, so it gives no free tokens; start a new instance for tests"
    } else {
        "this instance has credited test deposits, so it takes no payments; start a new instance for payments"
    };
    Ok(Failure::one(Code::DepositsNotConfigured, "", message))
}

/// Fails if the account or the client network has too many open deposits.
pub(super) async fn few_open(
    ctx: &Context<'_>,
    account: &Address,
    client: Option<&str>,
) -> Result<(), Failure> {
    #[derive(Deserialize)]
    struct Row {
        of_account: u32,
        of_client: u32,
    }
    let counts = about_open(ctx, concatcp!("SELECT ", OPEN_DEPOSITS), account, client);
    let row: Option<Row> = ctx.db().query(counts).await?.first()?;
    let whose = match row {
        Some(row) if row.of_account >= OPEN_OF_ACCOUNT => "this account",
        Some(row) if row.of_client >= OPEN_OF_CLIENT => "this client network",
        _ => return Ok(()),
    };
    Err(Failure::one(
        Code::RateLimited,
        "",
        format!(
            "too many deposits of {whose} wait for their payment: pay one of them (GET /deposits lists them), or wait a day, \
             because older deposits do not count"
        ),
    ))
}
