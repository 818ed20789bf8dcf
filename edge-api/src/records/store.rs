//! SQL that reads records.

use const_format::concatcp;
use order_core::{Address, Priority, Request, RequestKind, Status};
use serde::Deserialize;

use super::{Record, RecordError};
use crate::db::rows::{flag, optional_json};
use crate::ledger::DeployedLedger;
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;

/// A row of `records`.
#[derive(Deserialize)]
struct RecordRow {
    #[serde(rename = "ref")]
    reference: String,
    kind: u8,
    hash: String,
    creator_id: Address,
    status: Status,
    priority: Priority,
    expires_at: u64,
    body: String,
    #[serde(deserialize_with = "optional_json")]
    result: Option<DeployedLedger>,
    error_code: Option<u32>,
    error_message: Option<String>,
    tx_hash: Option<String>,
    #[serde(deserialize_with = "flag")]
    queued: bool,
    attempts: u32,
    due_at: Option<u64>,
    version: u64,
    created_at: u64,
    updated_at: u64,
}

/// The columns of a record.
pub(super) const COLUMNS: &str = concatcp!(
    "r.ref, r.kind, r.hash, r.creator_id, r.status, r.priority, r.expires_at, r.body, r.result, r.error_code, \
             r.error_message, r.tx_hash, r.queued, r.attempts, r.due_at, r.version, r.created_at, r.updated_at"
);

/// Returns the error for a record that cannot be read.
pub(super) fn corrupt(reference: &str, why: impl std::fmt::Display) -> DatabaseError {
    DatabaseError::corrupt("records", reference, why)
}

impl RecordRow {
    fn into_record(self) -> Result<Record, DatabaseError> {
        let request = Request::from_json(self.kind, &self.body)
            .map_err(|why| corrupt(&self.reference, why))?;
        Ok(Record {
            request,
            creator: self.creator_id,
            status: self.status,
            priority: self.priority,
            deployed: self.result,
            error: self.error_code.map(|code| RecordError {
                code,
                message: self.error_message.unwrap_or_default(),
            }),
            reference: self.reference,
            hash: self.hash,
            expires_at: self.expires_at,
            tx_hash: self.tx_hash,
            was_queued: self.queued,
            attempts: self.attempts,
            due_at: self.due_at,
            canceled_by: None,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

fn records(rows: Rows) -> Result<Vec<Record>, DatabaseError> {
    rows.all::<RecordRow>()?
        .into_iter()
        .map(RecordRow::into_record)
        .collect()
}

/// Returns the reference of each row, with the record or the row's error.
pub(super) fn each(rows: Rows) -> impl Iterator<Item = (String, Result<Record, DatabaseError>)> {
    rows.each::<RecordRow>()
        .map(|(reference, row)| (reference, row.and_then(RecordRow::into_record)))
}

/// Returns true if the string can be a reference. The caller needs no query for any other string.
fn is_reference(text: &str) -> bool {
    text.len() <= 64 && text.is_ascii()
}

/// Finds a record of this kind by its reference. Returns `None` if there is no such record.
pub(crate) async fn by_reference(
    db: &dyn Database,
    kind: RequestKind,
    reference: &str,
) -> Result<Option<Record>, DatabaseError> {
    if !is_reference(reference) {
        return Ok(None);
    }
    let statement = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM records r WHERE r.ref = ?1 AND r.kind = ?2"
    ))
    .bind(reference)
    .bind(kind as u8);
    Ok(records(db.query(statement).await?)?.pop())
}

/// Finds records of any kind by their references. Unknown references are left out.
pub(super) async fn any_by_references(
    db: &dyn Database,
    references: &[&str],
) -> Result<Vec<Record>, DatabaseError> {
    let statement = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM records r WHERE r.ref IN (SELECT value FROM json_each(?1))"
    ))
    .bind_json(&references)?;
    records(db.query(statement).await?)
}

/// Returns the statement that selects a record by its hash. Hashes are unique forever and across all accounts.
fn select_by_hash(hash: &str) -> Statement {
    Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM records r WHERE r.hash = ?1"
    ))
    .bind(hash)
}

/// Returns the references of the rows with these hashes, each with the record or the row's error.
pub(super) async fn by_hashes(
    db: &dyn Database,
    hashes: &[String],
) -> Result<Vec<(String, Result<Record, DatabaseError>)>, DatabaseError> {
    let statement = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM records r WHERE r.hash IN (SELECT value FROM json_each(?1))"
    ));
    let rows = db.query(statement.bind_json(&hashes)?).await?;
    Ok(each(rows).collect())
}

/// Reads the data against which a new record is checked, in one round trip. Returns the stored record that has the same
/// hash, if there is one. Also returns the total body bytes of the creator's open orders, and the rows of the statements in `more`.
pub(super) async fn read_for_creation(
    db: &dyn Database,
    hash: &str,
    creator: &Address,
    more: Vec<Statement>,
) -> Result<(Option<Record>, u64, Vec<Rows>), DatabaseError> {
    #[derive(Deserialize)]
    struct Open {
        bytes: u64,
    }
    let open = Statement::new("SELECT bytes FROM open_orders WHERE creator_id = ?1")
        .bind(account_key(creator));
    let statements = [vec![select_by_hash(hash), open], more].concat();
    let mut rows = db.batch(statements).await?;
    let more = rows.split_off(rows.len().min(2));
    let [known, open] = exactly(rows)?;
    let bytes = open.first::<Open>()?.map_or(0, |open| open.bytes);
    Ok((records(known)?.pop(), bytes, more))
}
