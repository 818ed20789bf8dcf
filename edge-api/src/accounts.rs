//! Accounts: what is known of an address beyond its signature.

use order_core::{Address, Code};
use serde::Deserialize;
use serde_json::Value;

use crate::app::Call;
use crate::http::Failure;
use crate::ports::{DatabaseError, Rows, Statement};
use crate::text::account_key;

/// A stored account.
#[derive(Clone, Debug, Default)]
pub(crate) struct Account {
    /// What PUT /account stored.
    pub(crate) information: Option<Value>,
    /// When its first successful write or credit happened; none before.
    pub(crate) created_at: Option<u64>,
}

/// Reads an account.
pub(crate) fn select(account: &Address) -> Statement {
    Statement::new("SELECT information, created_at FROM accounts WHERE id = ?1")
        .bind(account_key(account))
}

/// The account in the rows of [`select`]; one without a row is as good as any other.
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
        .map(|text| serde_json::from_str(&text))
        .transpose()
        .map_err(|error| {
            DatabaseError::Unavailable(format!("stored account information is not JSON: {error}"))
        })?;
    Ok(Account {
        information,
        created_at: Some(row.created_at),
    })
}

/// Makes the account's row at its first successful write.
pub(crate) fn ensure(account: &Address, now: u64) -> Statement {
    Statement::new("INSERT OR IGNORE INTO accounts (id, created_at) VALUES (?1, ?2)")
        .bind(account_key(account))
        .bind(now)
}

/// 400014 unless the account has provided its information (interface specification, "Authentication", 5).
pub(crate) async fn require_identified(call: &Call<'_>, account: &Address) -> Result<(), Failure> {
    let rows = call.db().query(select(account)).await?;
    match from_rows(rows)?.information {
        Some(_) => Ok(()),
        None => Err(Failure::code(Code::AccountNotIdentified)),
    }
}
