//! `Idempotency-Key` on POST: a request that is sent again gets the answer that it got.
//!
//! A key belongs to an account and a path. Its row is a lease while the request is worked on and holds the answer
//! afterwards; where the request changes something, the answer is part of that transaction ([`IdempotencyLease::keep`]), so that
//! there is no moment at which one is there without the other. For an account without a row nothing is stored before
//! its first successful write: two of its requests with one key may both be worked on, but only one of them can write.
//! An answer that changed nothing, such as a refusal, is not kept: it can be computed again.

mod secrets;

use alloy_primitives::keccak256;
use http::{HeaderName, StatusCode};
use order_core::{Address, Code};
use serde::Deserialize;

use super::{Input, Request, Response, Success, json_response, respond};
use crate::accounts::{self, Account};
use crate::failure::Failure;
use crate::ports::{DatabaseError, Statement, exactly};
use crate::text::{account_key, hash_key};

/// The header of requests.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The header of answers that were given before.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Bytes of a key at most.
const KEY_MAX: usize = 255;
/// Names a replayed answer's own request in the log; the replayed answer carries the original's id.
const REPLAY_ID: HeaderName = HeaderName::from_static("x-replay-id");
/// Bytes of a path under which a key is taken: those of every route have fewer.
const PATH_MAX: usize = 200;
/// Milliseconds for which a request in progress keeps others away.
const LEASE_MS: u64 = 60_000;
/// Milliseconds for which an answer is kept.
const RETENTION_MS: u64 = 86_400_000;

/// The key of a request, if it has one.
pub(crate) fn key(request: &Request) -> Result<Option<&str>, Failure> {
    let mut values = request.headers.get_all(KEY).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let text = value.to_str().unwrap_or_default();
    let printable = text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if values.next().is_none() && printable && (1..=KEY_MAX).contains(&text.len()) {
        return Ok(Some(text));
    }
    Err(Failure::one(
        Code::FieldNotValid,
        KEY.as_str(),
        format!("`Idempotency-Key` must be one text of 1 to {KEY_MAX} printable ASCII characters"),
    ))
}

/// The result of claiming a key for a request.
pub(super) enum Claim {
    /// The request is worked on, and its answer kept.
    Leased(IdempotencyLease),
    /// The answer was given before.
    Replay(Response),
}

/// A request's lease of its key.
pub(super) struct IdempotencyLease {
    account: String,
    path: String,
    key: String,
    body_hash: String,
    request: String,
    /// Whether the row is there already.
    leased: bool,
    now: u64,
}

#[derive(Deserialize)]
struct Row {
    body_hash: String,
    request_id: String,
    status: Option<u16>,
    body: Option<String>,
}

/// Leases the key for the request, where it is free, and reads the caller's account in the same round trip.
pub(super) async fn claim(
    input: &Input<'_>,
    caller: &Address,
    key: &str,
) -> Result<(Claim, Account), Failure> {
    let (ctx, request) = (input.ctx, input.request);
    if request.path.len() > PATH_MAX {
        return Err(Failure::code(Code::InvalidPath));
    }
    let mut lease = IdempotencyLease {
        account: account_key(caller),
        path: request.path.trim_end_matches('/').to_owned(),
        key: key.to_owned(),
        body_hash: hash_key(&keccak256(input.body.to_string())),
        request: ctx.id.clone(),
        leased: false,
        now: ctx.now(),
    };
    let statements = vec![lease.insert(), lease.select(), accounts::select(caller)];
    let [_, row, account] = exactly(ctx.db().batch(statements).await?)?;
    let account = accounts::from_rows(account)?;
    let refused = |why: &str| Failure::one(Code::IdempotencyKeyReused, KEY.as_str(), why);
    let claim = match row.first::<Row>()? {
        None => Claim::Leased(lease),
        Some(row) if row.body_hash != lease.body_hash => {
            return Err(refused("the key was sent with another body"));
        }
        Some(Row {
            status: Some(status),
            body: Some(body),
            request_id,
            ..
        }) => {
            let body = secrets::with(ctx, caller, &lease.path, body).await?;
            let response = given(status, body, &request_id).with_text(REPLAY_ID, &ctx.id);
            Claim::Replay(response)
        }
        Some(row) if row.request_id == lease.request => {
            lease.leased = true;
            Claim::Leased(lease)
        }
        Some(_) => return Err(refused("the request with this key is still in progress")),
    };
    Ok((claim, account))
}

fn given(status: u16, body: String, id: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    json_response(status, body.into_bytes())
        .with(REPLAYED, "true")
        .with_text(HeaderName::from_static("x-request-id"), id)
}

impl IdempotencyLease {
    /// A statement about the key's row: `?1`, `?2` and `?3` are its key.
    fn statement(&self, sql: &'static str) -> Statement {
        Statement::new(sql)
            .bind(self.account.as_str())
            .bind(self.path.as_str())
            .bind(self.key.as_str())
    }

    /// Leases a free key, one whose answer is forgotten, or one whose request did not come back in time. What that
    /// request still tries to write is refused: the lease is no longer its own.
    fn insert(&self) -> Statement {
        self.statement(
            "INSERT INTO idempotency_keys (account_id, path, key, body_hash, request_id, lease_until, expires_at) \
             SELECT id, ?2, ?3, ?4, ?5, ?7, ?8 FROM accounts WHERE id = ?1 \
             ON CONFLICT (account_id, path, key) DO UPDATE SET body_hash = excluded.body_hash, \
             request_id = excluded.request_id, lease_until = excluded.lease_until, status = NULL, body = NULL, \
             expires_at = excluded.expires_at WHERE expires_at <= ?6 \
             OR (status IS NULL AND lease_until <= ?6 AND body_hash = excluded.body_hash)",
        )
        .bind(self.body_hash.as_str())
        .bind(self.request.as_str())
        .bind(self.now)
        .bind(self.now.saturating_add(LEASE_MS))
        .bind(self.now.saturating_add(RETENTION_MS))
    }

    fn select(&self) -> Statement {
        self.statement(
            "SELECT body_hash, request_id, status, body FROM idempotency_keys \
             WHERE account_id = ?1 AND path = ?2 AND key = ?3",
        )
    }

    /// Statements that keep the answer with the changes that it tells of. Their batch violates the key's uniqueness,
    /// and nothing of it happens, if the lease is no longer this request's.
    pub(crate) fn keep(&self, answer: &Success) -> Result<Vec<Statement>, DatabaseError> {
        let (status, body) = self
            .written(answer)
            .ok_or_else(|| DatabaseError::Bug("an answer is no envelope".to_owned()))?;
        if !self.leased {
            return Ok(vec![
                self.statement(
                    "INSERT INTO idempotency_keys \
                     (account_id, path, key, body_hash, request_id, lease_until, status, body, expires_at) \
                     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                )
                .bind(self.body_hash.as_str())
                .bind(self.request.as_str())
                .bind(self.now)
                .bind(status)
                .bind(body)
                .bind(self.now.saturating_add(RETENTION_MS)),
            ]);
        }
        let guard = self
            .statement(
                "INSERT INTO idempotency_keys (account_id, path, key, body_hash, request_id, lease_until, expires_at) \
                 SELECT account_id, path, key, body_hash, request_id, lease_until, expires_at FROM idempotency_keys \
                 WHERE account_id = ?1 AND path = ?2 AND key = ?3 AND NOT (request_id = ?4 AND status IS NULL)",
            )
            .bind(self.request.as_str());
        Ok(vec![guard, self.store(status, body)])
    }

    fn store(&self, status: u32, body: String) -> Statement {
        self.statement(
            "UPDATE idempotency_keys SET status = ?5, body = ?6 \
             WHERE account_id = ?1 AND path = ?2 AND key = ?3 AND request_id = ?4 AND status IS NULL",
        )
        .bind(self.request.as_str())
        .bind(status)
        .bind(body)
    }

    /// Frees the key if no transaction has kept the answer: nothing was changed, so the request can be worked on again. Kept refusals
    /// would be as many as there are keys.
    pub(crate) fn release(&self) -> Option<Statement> {
        let release = self.statement(
            "DELETE FROM idempotency_keys \
             WHERE account_id = ?1 AND path = ?2 AND key = ?3 AND request_id = ?4 AND status IS NULL",
        );
        self.leased.then(|| release.bind(self.request.as_str()))
    }

    /// Status and body of an answer in the envelope, as they are kept.
    fn written(&self, answer: &Success) -> Option<(u32, String)> {
        if matches!(answer, Success::Raw(_) | Success::Replayed(_)) {
            return None;
        }
        let response = respond(&self.request, &Ok(answer.clone()));
        let body = String::from_utf8(response.body).ok()?;
        let body = secrets::without(&self.path, body)?;
        Some((u32::from(response.status.as_u16()), body))
    }
}
