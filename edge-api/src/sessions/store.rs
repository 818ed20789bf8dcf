//! The rows of sessions.

use const_format::concatcp;
use order_core::Address;
use serde::Deserialize;

use super::message::nonce_not_valid;
use super::token::{Kind, Token};
use super::{Credential, SignIn, USE_RECORDED_MS, is_old};
use crate::api::{NewSession, Ref, Session, Timestamp};
use crate::context::Context;
use crate::db::{Decision, List, Page, storage};
use crate::failure::Failure;
use crate::ports::{Database, DatabaseError, Statement};
use crate::text::account_key;

/// Milliseconds after which an unused session ends: 12 hours.
const IDLE_MS: u64 = 12 * 3_600_000;
/// Milliseconds after its creation at which a session ends even if it is used: 30 days.
pub(crate) const MAX_MS: u64 = 30 * 86_400_000;
/// Maximum number of sessions of an account. A further session ends the one that would expire first.
const SESSIONS_MAX: u32 = 20;

/// The columns of [`Session`].
const COLUMNS: &str = "ref, created_at, used_at, expires_at";

/// Returns the decision to start a session, and to store the message's nonce as used. Fails if the nonce was used before.
pub(crate) async fn create(
    ctx: &Context<'_>,
    account: &Address,
    sign_in: &SignIn,
) -> Result<Decision<NewSession>, Failure> {
    let used = Statement::new("SELECT nonce FROM used_nonces WHERE nonce = ?1")
        .bind(sign_in.nonce.as_str());
    if !ctx.db().query(used).await?.is_empty() {
        return Err(nonce_not_valid());
    }
    let token = Token::random(Kind::Session, ctx.ports().random.as_ref());
    let (key, now) = (account_key(account), ctx.now());
    let session = NewSession {
        reference: Ref(ctx.new_reference()),
        account_id: *account,
        token: Some(token.text),
        created_at: Timestamp(now),
        expires_at: Timestamp(now.saturating_add(IDLE_MS)),
    };
    let statements = vec![
        // If another request has used the nonce in the meantime, its row makes this statement fail.
        Statement::new("INSERT INTO used_nonces (nonce, expires_at) VALUES (?1, ?2)")
            .bind(sign_in.nonce.as_str())
            .bind(sign_in.nonce_expires_at),
        Statement::new(
            "INSERT INTO sessions (account_id, ref, token_hash, created_at, used_at, expires_at) \
             VALUES (?1, ?2, ?3, ?4, ?4, ?5)",
        )
        .bind(key.as_str())
        .bind(session.reference.0.as_str())
        .bind(token.hash)
        .bind(now)
        .bind(session.expires_at),
        Statement::new(
            "DELETE FROM sessions WHERE account_id = ?1 AND ref IN (SELECT ref FROM sessions WHERE account_id = ?1 \
             ORDER BY expires_at DESC, ref DESC LIMIT -1 OFFSET ?2)",
        )
        .bind(key)
        .bind(SESSIONS_MAX)
        .storing_exactly(0),
    ];
    Ok(Decision::new("session", statements, session).paid_by(storage::SESSIONS))
}

/// Returns the account and the reference of the session with this token hash. Returns `None` if there is no such session or it
/// has ended. If the last recorded use is old, records this use, which postpones the session's end.
pub(super) async fn find(
    ctx: &Context<'_>,
    hash: &str,
    by_cookie: bool,
) -> Result<Option<(Address, Credential)>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        account_id: Address,
        #[serde(rename = "ref")]
        reference: String,
        used_at: u64,
    }
    let now = ctx.now();
    let select = Statement::new(
        "SELECT account_id, ref, used_at FROM sessions WHERE token_hash = ?1 AND expires_at > ?2",
    )
    .bind(hash)
    .bind(now);
    let Some(found) = ctx.db().query(select).await?.first::<Row>()? else {
        return Ok(None);
    };
    if is_old(Some(found.used_at), now) {
        // The conditions are checked again, because another request may have recorded a use or ended the session.
        let record = Statement::new(
            "UPDATE sessions SET used_at = ?2, expires_at = min(?2 + ?3, created_at + ?4) \
             WHERE token_hash = ?1 AND expires_at > ?2 AND used_at <= ?2 - ?5",
        )
        .bind(hash)
        .bind(now)
        .bind(IDLE_MS)
        .bind(MAX_MS)
        .bind(USE_RECORDED_MS);
        ctx.db().query(record).await?;
    }
    let credential = Credential::Session {
        reference: found.reference,
        by_cookie,
    };
    Ok(Some((found.account_id, credential)))
}

/// Returns a page of an account's sessions, and the first row of the next page if there is one. Also returns the total, up to one
/// above `TOTAL_MAX`.
pub(crate) async fn sessions(
    ctx: &Context<'_>,
    account: &Address,
    page: &Page,
) -> Result<(Vec<Session>, u32), DatabaseError> {
    List::new(COLUMNS, "sessions", &["ref"])
        .only("account_id = ?", account_key(account))
        .only("expires_at > ?", ctx.now())
        .fetch(ctx.db(), page)
        .await
}

/// Returns the decision to end a session, or `None` if the account has no such session.
pub(crate) async fn end(
    db: &dyn Database,
    account: &Address,
    reference: &str,
) -> Result<Option<Decision<Session>>, DatabaseError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM sessions WHERE account_id = ?1 AND ref = ?2"
    ))
    .bind(account_key(account))
    .bind(reference);
    let found = db.query(select).await?.first::<Session>()?;
    let delete = Statement::new("DELETE FROM sessions WHERE account_id = ?1 AND ref = ?2")
        .bind(account_key(account))
        .bind(reference);
    // Ending a session counts against no quota, so an exhausted quota cannot prevent it.
    Ok(found.map(|session| Decision::new("session", vec![delete], session).free()))
}
