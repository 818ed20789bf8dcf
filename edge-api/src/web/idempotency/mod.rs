//! `Idempotency-Key` on POST: a repeated request gets the first answer again.
//!
//! A key belongs to an account and a path. Its row is a lease while the request is in flight, and stores the answer
//! afterwards. The transaction that changes data also stores the answer ([`IdempotencyLease::keep`]), so the change and the
//! answer are never stored separately.
//!
//! For an account without a row, no key is stored before the account's first successful write. Before that write, two
//! requests with the same key may both be handled, but only one of them can write. Answers without a change, such as refusals, are not stored,
//! because a repeated request can compute them again. A client could otherwise fill the storage with answers under any number of keys. No lease is stored for
//! an account without a row, because every random signature recovers to some account.

mod secrets;

use alloy_primitives::keccak256;
use http::{HeaderName, StatusCode};
use order_core::{Address, Code};
use serde::Deserialize;

use super::{Input, Request, Response, Secret, Success, json_response, respond};
use crate::accounts::{self, Account};
use crate::failure::Failure;
use crate::ports::{DatabaseError, Statement, exactly};
use crate::text::{account_key, hash_key};

/// The request header with the key.
const KEY: HeaderName = HeaderName::from_static("idempotency-key");
/// The response header of a replayed answer.
pub(crate) const REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");
/// Maximum bytes of a key.
const KEY_MAX: usize = 255;
/// The response header with the id of the repeated request, under which the log lists it. The replayed answer itself
/// has the id of the original request.
const REPLAY_ID: HeaderName = HeaderName::from_static("x-replay-id");
/// Maximum bytes of a path for which a key is accepted. The paths of all routes are shorter.
const PATH_MAX: usize = 200;
/// Milliseconds for which a request in flight blocks others with the same key.
const LEASE_MS: u64 = 60_000;
/// Milliseconds for which an answer is stored.
const RETENTION_MS: u64 = 86_400_000;

/// Returns the key of a request, or `None` if the request has no key. Fails if the key is not valid or there are several.
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
        format!(
            "`Idempotency-Key` must be a single value of 1 to {KEY_MAX} printable ASCII characters"
        ),
    ))
}

/// The result of reserving a key for a request.
pub(super) enum Reservation {
    /// The key is leased: handle the request and store its answer.
    Leased(IdempotencyLease),
    /// The stored answer of an earlier request.
    Replay(Response),
}

/// A request's lease of its key.
pub(super) struct IdempotencyLease {
    account: String,
    path: String,
    key: String,
    body_hash: String,
    request: String,
    /// The secret in the answers of the route.
    secret: Option<Secret>,
    /// True if the lease is stored in the key's row. False if the account has no row, so the lease could not be stored.
    leased: bool,
    now: u64,
}

#[derive(Deserialize)]
struct StoredKey {
    body_hash: String,
    request_id: String,
    status: Option<u16>,
    body: Option<String>,
}

/// Leases the key for the request, or returns the stored answer. Reads the caller's account in the same round trip. Fails if
/// another request with this key is in flight, if the key was sent with another body, or if the path is too long.
pub(super) async fn reserve(
    input: &Input<'_>,
    caller: &Address,
    key: &str,
) -> Result<(Reservation, Account), Failure> {
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
        secret: input.route.secret,
        leased: false,
        now: ctx.now(),
    };
    let statements = vec![lease.insert(), lease.select(), accounts::select(caller)];
    let [_, row, account] = exactly(ctx.db().batch(statements).await?)?;
    let account = accounts::from_rows(account)?;
    let refused = |why: &str| Failure::one(Code::IdempotencyKeyReused, KEY.as_str(), why);
    let reservation = match row.first::<StoredKey>()? {
        None => Reservation::Leased(lease),
        Some(row) if row.body_hash != lease.body_hash => {
            return Err(refused("the key was sent with another body"));
        }
        Some(StoredKey {
            status: Some(status),
            body: Some(body),
            request_id,
            ..
        }) => {
            let body = match &lease.secret {
                Some(secret) => secrets::with(ctx, caller, secret, &lease.path, body).await?,
                None => body,
            };
            let response = given(status, body, &request_id).with_text(REPLAY_ID, &ctx.id);
            Reservation::Replay(response)
        }
        Some(row) if row.request_id == lease.request => {
            lease.leased = true;
            Reservation::Leased(lease)
        }
        Some(_) => return Err(refused("the request with this key is still in progress")),
    };
    Ok((reservation, account))
}

fn given(status: u16, body: String, id: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    json_response(status, body.into_bytes())
        .with(REPLAYED, "true")
        .with_text(HeaderName::from_static("x-request-id"), id)
}

impl IdempotencyLease {
    /// Returns a statement about the key's row, with its primary key bound to `?1`, `?2` and `?3`.
    fn statement(&self, sql: &'static str) -> Statement {
        Statement::new(sql)
            .bind(self.account.as_str())
            .bind(self.path.as_str())
            .bind(self.key.as_str())
    }

    /// Returns the statement that leases a key that is free or whose row has expired. It also takes over an expired lease if the
    /// body is the same. A late write of the previous request is refused, because that request has lost its lease.
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

    /// Returns statements that store the answer together with the changes. If another request has taken the key in the
    /// meantime, the statements violate the key's uniqueness, which rolls back the whole batch.
    pub(crate) fn keep(&self, answer: &Success) -> Result<Vec<Statement>, DatabaseError> {
        let (status, body) = self
            .written(answer)
            .ok_or_else(|| DatabaseError::Bug("an answer is not an envelope".to_owned()))?;
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

    /// Returns a statement that frees the key if no transaction has stored the answer. The request has then changed no data, so it
    /// can be handled again. Returns `None` if the lease is not stored.
    ///
    /// Answers to refused requests are not stored. Otherwise a client could fill the storage with them under any number of keys.
    pub(crate) fn release(&self) -> Option<Statement> {
        let release = self.statement(
            "DELETE FROM idempotency_keys \
             WHERE account_id = ?1 AND path = ?2 AND key = ?3 AND request_id = ?4 AND status IS NULL",
        );
        self.leased.then(|| release.bind(self.request.as_str()))
    }

    /// Returns the status and body of an answer in their stored form. Returns `None` if the answer has no envelope.
    fn written(&self, answer: &Success) -> Option<(u32, String)> {
        if matches!(answer, Success::Raw(_) | Success::Replayed(_)) {
            return None;
        }
        let response = respond(&self.request, "", &Ok(answer.clone()));
        let body = String::from_utf8(response.body).ok()?;
        let body = match &self.secret {
            Some(secret) => secrets::without(secret, body)?,
            None => body,
        };
        Some((u32::from(response.status.as_u16()), body))
    }
}
