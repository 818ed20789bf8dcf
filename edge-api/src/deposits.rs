//! Deposits: money in, platform tokens out, exactly once.

use order_core::{Address, Amount};
use serde_json::Value;

use crate::app::{Call, commit_answer};
use crate::http::{Failure, Success};
use crate::ledger::Embedded;
use crate::ports::{DatabaseError, Statement};
use crate::text::account_key;

/// Tries against others who change the same balance.
const RACES: usize = 64;

/// A deposit.
#[derive(Clone, Debug)]
pub(crate) struct Deposit {
    pub(crate) reference: String,
    /// EUR cents.
    pub(crate) cents: u64,
    pub(crate) tokens: Amount,
    pub(crate) status: &'static str,
    /// Whether money moved.
    pub(crate) livemode: bool,
    pub(crate) created_at: u64,
}

/// A test deposit: succeeds at once and moves no money. The deposit and its credit are one transaction.
pub(crate) async fn credit_test(
    call: &Call<'_>,
    account: &Address,
    cents: u64,
    view: impl Fn(&Deposit) -> Value,
) -> Result<Success, Failure> {
    let price = crate::statistics::current_price(call).await?;
    let tokens = price
        .tokens_for(cents)
        .ok_or_else(|| Failure::internal("a deposit overflows"))?;
    let deposit = Deposit {
        reference: call.new_reference(),
        cents,
        tokens,
        status: "succeeded",
        livemode: false,
        created_at: call.now(),
    };
    let answer = Success::created(view(&deposit))?;
    let ledger = Embedded::new(call, call.instance().await?);
    for _ in 0..RACES {
        let mut statements = ledger.credit(*account, tokens).await?;
        statements.push(crate::accounts::ensure(account, call.now()));
        statements.push(
            Statement::new(
                "INSERT INTO deposits (ref, account_id, amount, tokens, price, source, status, livemode, taken, created_at, updated_at) \
                 VALUES (?1, ?2, ?3, ?4, ?5, 'test', ?6, ?7, printf('%064d', 0), ?8, ?8)",
            )
            .bind(deposit.reference.as_str())
            .bind(account_key(account))
            .bind(cents)
            .bind(tokens.to_hex64())
            .bind(price.to_string())
            .bind(deposit.status)
            .bind(deposit.livemode)
            .bind(deposit.created_at),
        );
        match commit_answer(call, "deposit", statements, &answer).await {
            Ok(_) => return Ok(answer),
            Err(DatabaseError::Guard) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::internal(
        "a balance changed too often to be credited",
    ))
}
