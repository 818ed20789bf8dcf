//! The records' SQL.

use order_core::{Address, Priority, Status};
use serde::Deserialize;

use super::{Kind, Made, Record, RecordError, Work};
use crate::app::Call;
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;
use crate::webhooks::outbox;

/// A row of `records`.
#[derive(Deserialize)]
struct Row {
    #[serde(rename = "ref")]
    reference: String,
    kind: u8,
    hash: String,
    creator_id: String,
    status: u8,
    priority: u8,
    expires_at: u64,
    body: String,
    result: Option<String>,
    error_code: Option<u32>,
    error_message: Option<String>,
    tx_hash: Option<String>,
    attempts: u32,
    retry_at: Option<u64>,
    version: u64,
    created_at: u64,
    updated_at: u64,
}

/// The columns of a record.
macro_rules! columns {
    () => {
        "r.ref, r.kind, r.hash, r.creator_id, r.status, r.priority, r.expires_at, r.body, r.result, r.error_code, \
         r.error_message, r.tx_hash, r.attempts, r.retry_at, r.version, r.created_at, r.updated_at"
    };
}
pub(super) use columns;

/// The table says something that this code never wrote.
fn corrupt(reference: &str, why: impl std::fmt::Display) -> DatabaseError {
    DatabaseError::Unavailable(format!("record {reference}: {why}"))
}

impl Row {
    fn into_record(self) -> Result<Record, DatabaseError> {
        let fail = |why: String| corrupt(&self.reference, why);
        Ok(Record {
            work: Work::from_json(self.kind, &self.body).map_err(fail)?,
            creator: self
                .creator_id
                .parse()
                .map_err(|_| fail("no creator".to_owned()))?,
            status: Status::try_from(u64::from(self.status))
                .map_err(|_| fail("no such status".to_owned()))?,
            priority: Priority::try_from(u64::from(self.priority))
                .map_err(|_| fail("no such priority".to_owned()))?,
            made: self
                .result
                .as_deref()
                .map(serde_json::from_str::<Made>)
                .transpose()
                .map_err(|error| fail(error.to_string()))?,
            error: self.error_code.map(|code| RecordError {
                code,
                message: self.error_message.unwrap_or_default(),
            }),
            reference: self.reference,
            hash: self.hash,
            expires_at: self.expires_at,
            tx_hash: self.tx_hash,
            attempts: self.attempts,
            retry_at: self.retry_at,
            version: self.version,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

pub(super) fn records(rows: Rows) -> Result<Vec<Record>, DatabaseError> {
    rows.all::<Row>()?
        .into_iter()
        .map(Row::into_record)
        .collect()
}

/// Whether a text can be a reference; anything else does not exist and is not worth a question.
fn is_reference(text: &str) -> bool {
    text.len() <= 64 && text.is_ascii()
}

/// The record of that kind and reference.
pub(crate) async fn by_reference(
    db: &dyn Database,
    kind: Kind,
    reference: &str,
) -> Result<Option<Record>, DatabaseError> {
    if !is_reference(reference) {
        return Ok(None);
    }
    let statement = Statement::new(concat!(
        "SELECT ",
        columns!(),
        " FROM records r WHERE r.ref = ?1 AND r.kind = ?2"
    ))
    .bind(reference)
    .bind(kind as u8);
    Ok(records(db.query(statement).await?)?.pop())
}

/// The record of that reference, whatever its kind.
pub(super) async fn any_by_reference(
    db: &dyn Database,
    reference: &str,
) -> Result<Option<Record>, DatabaseError> {
    let statement = Statement::new(concat!(
        "SELECT ",
        columns!(),
        " FROM records r WHERE r.ref = ?1"
    ))
    .bind(reference);
    Ok(records(db.query(statement).await?)?.pop())
}

/// The record that holds a hash. Hashes are unique for ever, whoever sent them.
pub(crate) async fn by_hash(
    db: &dyn Database,
    hash: &str,
) -> Result<Option<Record>, DatabaseError> {
    let statement = Statement::new(concat!(
        "SELECT ",
        columns!(),
        " FROM records r WHERE r.hash = ?1"
    ))
    .bind(hash);
    Ok(records(db.query(statement).await?)?.pop())
}

/// A new record with its parties, its creator's account and its events.
pub(crate) fn insert(call: &Call<'_>, record: &Record) -> Result<Vec<Statement>, DatabaseError> {
    let body = record
        .work
        .to_json()
        .map_err(|error| corrupt(&record.reference, error))?;
    let mut statements = vec![
        Statement::new(
            "INSERT INTO records (ref, kind, hash, creator_id, status, priority, expires_at, body, created_at, updated_at) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?9)",
        )
        .bind(record.reference.as_str())
        .bind(record.work.kind() as u8)
        .bind(record.hash.as_str())
        .bind(account_key(&record.creator))
        .bind(record.status.number())
        .bind(record.priority.number())
        .bind(record.expires_at)
        .bind(body)
        .bind(record.created_at),
        crate::accounts::ensure(&record.creator, record.created_at),
    ];
    statements.extend(parties(None, record)?);
    statements.extend(outbox(call, None, record)?);
    Ok(statements)
}

/// `old` becomes `new`, with its parties and the events of the change, unless somebody changed it in between ([`DatabaseError::Guard`]).
pub(crate) fn replace(
    call: &Call<'_>,
    old: &Record,
    new: &Record,
) -> Result<Vec<Statement>, DatabaseError> {
    let fail = |error: serde_json::Error| corrupt(&old.reference, error);
    let made = new
        .made
        .as_ref()
        .map(serde_json::to_string)
        .transpose()
        .map_err(fail)?;
    let mut statements = vec![
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM records WHERE ref = ?1 AND version = ?2)",
        )
        .bind(old.reference.as_str())
        .bind(old.version),
        Statement::new(
            "UPDATE records SET status = ?2, body = ?3, result = ?4, error_code = ?5, error_message = ?6, tx_hash = ?7, \
             attempts = ?8, retry_at = ?9, updated_at = ?10, version = version + 1 WHERE ref = ?1",
        )
        .bind(old.reference.as_str())
        .bind(new.status.number())
        .bind(new.work.to_json().map_err(fail)?)
        .bind(made)
        .bind(new.error.as_ref().map(|error| error.code))
        .bind(new.error.as_ref().map(|error| error.message.as_str()))
        .bind(new.tx_hash.as_deref())
        .bind(new.attempts)
        .bind(new.retry_at)
        .bind(new.updated_at),
    ];
    statements.extend(parties(Some(old), new)?);
    statements.extend(outbox(call, Some(old), new)?);
    Ok(statements)
}

/// Who may list the record from now on, and its status, which lists filter by; nothing where neither has changed.
fn parties(old: Option<&Record>, new: &Record) -> Result<Vec<Statement>, DatabaseError> {
    let staying = new.parties();
    let before = old.map(Record::parties).unwrap_or_default();
    if before == staying && old.is_some_and(|old| old.status == new.status) {
        return Ok(Vec::new());
    }
    let keys = |accounts: &[Address]| accounts.iter().map(account_key).collect::<Vec<_>>();
    let mut statements = vec![
        Statement::new(
            "INSERT INTO record_parties (account_id, kind, ref, status) SELECT value, ?2, ?3, ?4 FROM json_each(?1) \
             WHERE true ON CONFLICT (account_id, kind, ref) DO UPDATE SET status = excluded.status",
        )
        .bind_json(&keys(&staying))?
        .bind(new.work.kind() as u8)
        .bind(new.reference.as_str())
        .bind(new.status.number()),
    ];
    let mut gone = before;
    gone.retain(|account| !staying.contains(account));
    if !gone.is_empty() {
        statements.push(
            Statement::new(
                "DELETE FROM record_parties WHERE account_id IN (SELECT value FROM json_each(?1)) AND kind = ?2 AND ref = ?3",
            )
            .bind_json(&keys(&gone))?
            .bind(new.work.kind() as u8)
            .bind(new.reference.as_str()),
        );
    }
    Ok(statements)
}

/// References of records that wait for the service itself.
#[derive(Default)]
pub(super) struct Waiting {
    /// To be performed or tried again: higher priority first, then older.
    pub(super) due: Vec<String>,
    /// Initialized and no longer valid.
    pub(super) expired: Vec<String>,
}

/// What a sweep has to do, at most `limit` of each kind.
pub(super) async fn waiting(
    db: &dyn Database,
    now: u64,
    limit: u32,
) -> Result<Waiting, DatabaseError> {
    #[derive(Deserialize)]
    struct Reference {
        #[serde(rename = "ref")]
        reference: String,
    }
    let [pending, suspended, expired] = exactly(
        db.batch(vec![
            Statement::new(
                "SELECT ref FROM records WHERE status IN (1, 2) ORDER BY priority DESC, created_at LIMIT ?1",
            )
            .bind(limit),
            Statement::new("SELECT ref FROM records WHERE status = 5 AND retry_at <= ?1 ORDER BY retry_at LIMIT ?2")
                .bind(now)
                .bind(limit),
            Statement::new("SELECT ref FROM records WHERE status = 0 AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2")
                .bind(now)
                .bind(limit),
        ])
        .await?,
    )?;
    let references = |rows: Rows| -> Result<Vec<String>, DatabaseError> {
        Ok(rows
            .all::<Reference>()?
            .into_iter()
            .map(|row| row.reference)
            .collect())
    };
    let mut due = references(pending)?;
    due.extend(references(suspended)?);
    Ok(Waiting {
        due,
        expired: references(expired)?,
    })
}
