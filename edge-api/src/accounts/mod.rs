//! Accounts: the data that the service stores for an address.

mod events;
mod information;

use order_core::{Address, Code, json};
use serde::Deserialize;

use crate::context::Context;
use crate::failure::Failure;
use crate::ports::{Database, DatabaseError, Rows, Statement};
use crate::text::account_key;

pub(crate) use crate::api::AccountInformation as Information;
pub(crate) use events::{erase_events, event};

/// A stored account.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// The information that PUT /account stored.
    pub(crate) information: Option<Information>,
    /// The time at which the account's row was created: the first successful write or credit. `None` if there is no row.
    pub(crate) created_at: Option<u64>,
}

/// Returns the statement that selects an account.
pub(crate) fn select(account: &Address) -> Statement {
    Statement::new("SELECT information, created_at FROM accounts WHERE id = ?1")
        .bind(account_key(account))
}

/// Returns the account in the rows of [`select`]. If there is no row, returns an account without information.
pub(crate) fn from_rows(rows: Rows) -> Result<Account, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        information: Option<String>,
        created_at: u64,
    }
    let Some(row) = rows.first::<Row>()? else {
        return Ok(Account::default());
    };
    let information = row
        .information
        .map(|text| json::from_text(&text))
        .transpose()
        .map_err(|error| DatabaseError::corrupt("accounts", "", error))?;
    Ok(Account {
        information,
        created_at: Some(row.created_at),
    })
}

/// Returns the statement that inserts an account's row, unless it exists. Part of an account's first successful write.
pub(crate) fn ensure(account: &Address, now: u64) -> Statement {
    Statement::new("INSERT OR IGNORE INTO accounts (id, created_at) VALUES (?1, ?2)")
        .bind(account_key(account))
        .bind(now)
}

/// Returns the statement that replaces an account's information about itself.
pub(crate) fn set_information(
    account: &Address,
    information: &Information,
    now: u64,
) -> Result<Statement, DatabaseError> {
    let statement = Statement::new(
        "INSERT INTO accounts (id, information, created_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (id) DO UPDATE SET information = excluded.information",
    );
    Ok(statement
        .bind(account_key(account))
        .bind_json(information)?
        .bind(now))
}

/// Returns the statement that erases an account's information about itself. Only the account's row contains the
/// information. The row stays, because idempotency keys refer to it.
pub(crate) fn erase_information(account: &Address) -> Statement {
    Statement::new("UPDATE accounts SET information = NULL WHERE id = ?1")
        .bind(account_key(account))
}

/// Returns the statement that selects at most `limit` accounts that have turned off the signed Authorization header.
pub(crate) fn select_without_header(limit: u32) -> Statement {
    Statement::new(
        "SELECT id AS address FROM accounts WHERE header_off_at IS NOT NULL ORDER BY id LIMIT ?1",
    )
    .bind(limit)
}

/// Returns true if an account has turned off the signed Authorization header.
pub(crate) async fn refuses_header(
    db: &dyn Database,
    account: &Address,
) -> Result<bool, DatabaseError> {
    let select =
        Statement::new("SELECT id FROM accounts WHERE id = ?1 AND header_off_at IS NOT NULL")
            .bind(account_key(account));
    Ok(!db.query(select).await?.is_empty())
}

/// Returns the statement that makes an account accept or refuse the signed Authorization header.
pub(crate) fn set_header(account: &Address, is_accepted: bool, now: u64) -> Statement {
    Statement::new(
        "INSERT INTO accounts (id, header_off_at, created_at) VALUES (?1, ?2, ?3) \
         ON CONFLICT (id) DO UPDATE SET header_off_at = excluded.header_off_at",
    )
    .bind(account_key(account))
    .bind((!is_accepted).then_some(now))
    .bind(now)
}

/// Fails with 400014 unless the account has provided its information (`docs/interface.md`, "Authentication", 5).
pub(crate) async fn require_identified(
    ctx: &Context<'_>,
    account: &Address,
) -> Result<(), Failure> {
    let rows = ctx.db().query(select(account)).await?;
    identified(&from_rows(rows)?)
}

/// Fails with 400014 unless the account has provided its information.
pub(crate) fn identified(account: &Account) -> Result<(), Failure> {
    match account.information {
        Some(_) => Ok(()),
        None => Err(Failure::code(Code::AccountNotIdentified)),
    }
}
