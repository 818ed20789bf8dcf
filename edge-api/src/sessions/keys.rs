//! API keys: their creation, lookup, list and revocation.

use const_format::concatcp;
use order_core::{Address, Code, Field};
use serde::Deserialize;
use serde_json::Value;

use super::token::{Kind, Token};
use super::{Credential, USE_RECORDED_MS, is_old};
use crate::accounts;
use crate::api::{ActivityKind, ApiKey, KeyScope, NewApiKey, Ref, Timestamp};
use crate::context::Context;
use crate::db::rows::json;
use crate::db::{Decision, List, Page};
use crate::failure::{Failure, Problem};
use crate::ports::{DatabaseError, Statement};
use crate::text::{NAME_MAX, account_key, instant, shown_name};

/// Maximum number of API keys of an account. A new key replaces expired ones, so these do not count.
const KEYS_MAX: u32 = 20;

/// The columns of [`KeyRow`].
const COLUMNS: &str = "ref, name, scopes, created_at, used_at, expires_at";

/// The validated name, scopes and expiry of a key that an account wants to create.
pub(crate) struct KeyDraft {
    name: String,
    scopes: Vec<KeyScope>,
    expires_at: Option<Timestamp>,
}

impl KeyDraft {
    /// Parses the body of POST /account/keys. Fails with the errors of all fields.
    pub(crate) fn parse(body: &Value, now: u64) -> Result<Self, Failure> {
        let mut errors: Vec<Problem> = Vec::new();
        let body = Field::body(body);
        let mut wrong = |field: &Field<'_>, expected: &str| {
            errors.push(field.wrong(Code::FieldNotValid, expected));
        };
        let name = body.get("name");
        let text = name.text().and_then(|text| shown_name(text, NAME_MAX));
        if text.is_none() {
            wrong(&name, "a name of 1 to 100 characters");
        }
        let field = body.get("scopes");
        let scopes = scopes(&field);
        if scopes.is_empty() {
            wrong(
                &field,
                "a list of one or more of `read`, `orders` and `webhooks`, each at most once",
            );
        }
        let field = body.get("expiresAt");
        let expires_at = field.text().and_then(instant).and_then(|time| {
            u64::try_from(time.unix_timestamp_nanos().checked_div(1_000_000)?).ok()
        });
        let expires_at = expires_at.filter(|time| *time > now);
        if expires_at.is_none() && !field.is_empty() {
            wrong(&field, "a future time in ISO 8601 format");
        }
        if !errors.is_empty() {
            return Err(Failure::new(errors));
        }
        Ok(Self {
            name: text.unwrap_or_default().to_owned(),
            scopes,
            expires_at: expires_at.map(Timestamp),
        })
    }
}

/// Reads a list of distinct scopes. Returns them in the order of [`KeyScope::ALL`], or an empty list if the field is not
/// valid.
fn scopes(field: &Field<'_>) -> Vec<KeyScope> {
    let Some(list) = field.list() else {
        return Vec::new();
    };
    let named = |scope: &KeyScope| list.iter().any(|name| name == scope.name());
    let found: Vec<KeyScope> = KeyScope::ALL.into_iter().filter(named).collect();
    if found.len() == list.len() {
        found
    } else {
        Vec::new()
    }
}

#[derive(Deserialize)]
struct KeyRow {
    #[serde(rename = "ref")]
    reference: Ref,
    name: String,
    #[serde(deserialize_with = "json")]
    scopes: Vec<KeyScope>,
    created_at: Timestamp,
    used_at: Option<Timestamp>,
    expires_at: Option<Timestamp>,
}

impl KeyRow {
    fn view(self) -> ApiKey {
        ApiKey {
            reference: self.reference,
            name: self.name,
            scopes: self.scopes,
            created_at: self.created_at,
            used_at: self.used_at,
            expires_at: self.expires_at,
        }
    }
}

/// Returns the decision to create a key and delete expired keys of the account. Fails if the account already has the maximum
/// number of keys.
pub(crate) async fn create_key(
    ctx: &Context<'_>,
    account: &Address,
    draft: KeyDraft,
) -> Result<Decision<NewApiKey>, Failure> {
    let count = Statement::new(
        "SELECT count(*) AS total FROM api_keys WHERE account_id = ?1 AND (expires_at IS NULL OR expires_at > ?2)",
    )
    .bind(account_key(account))
    .bind(ctx.now());
    if ctx.db().query(count).await?.total()? >= KEYS_MAX {
        return Err(Failure::code(Code::TooManyKeys));
    }
    let token = Token::random(Kind::Key, ctx.ports().random.as_ref());
    let created = NewApiKey {
        reference: Ref(ctx.new_reference()),
        key: Some(token.text),
        name: draft.name,
        scopes: draft.scopes,
        created_at: Timestamp(ctx.now()),
        expires_at: draft.expires_at,
    };
    let expired = Statement::new("DELETE FROM api_keys WHERE account_id = ?1 AND expires_at <= ?2")
        .bind(account_key(account))
        .bind(ctx.now());
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE (SELECT count(*) FROM api_keys WHERE account_id = ?1) >= ?2",
    )
    .bind(account_key(account))
    .bind(KEYS_MAX)
    .storing_exactly(0);
    let insert = Statement::new(
        "INSERT INTO api_keys (account_id, ref, token_hash, name, scopes, created_at, expires_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )
    .bind(account_key(account))
    .bind(created.reference.0.as_str())
    .bind(token.hash)
    .bind(created.name.as_str())
    .bind_json(&created.scopes)?
    .bind(created.created_at)
    .bind(created.expires_at);
    let kind = ActivityKind::KeyCreated;
    let event = accounts::event(ctx, account, None, kind, &created.name, ("?3", "true"));
    let statements = vec![expired, guard, insert, event];
    Ok(Decision::new("key", statements, created))
}

/// Returns the account and the scopes of the key with this token hash. Returns `None` if there is no such key or it has
/// expired. Records the use of the key if the last recorded use is old.
pub(super) async fn find(
    ctx: &Context<'_>,
    hash: &str,
) -> Result<Option<(Address, Credential)>, DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        account_id: Address,
        #[serde(deserialize_with = "json")]
        scopes: Vec<KeyScope>,
        used_at: Option<u64>,
    }
    let now = ctx.now();
    let select = Statement::new(
        "SELECT account_id, scopes, used_at FROM api_keys WHERE token_hash = ?1 AND (expires_at IS NULL OR expires_at > ?2)",
    )
    .bind(hash)
    .bind(now);
    let Some(found) = ctx.db().query(select).await?.first::<Row>()? else {
        return Ok(None);
    };
    if is_old(found.used_at, now) {
        let record = Statement::new(
            "UPDATE api_keys SET used_at = ?2 WHERE token_hash = ?1 AND coalesce(used_at, 0) <= ?2 - ?3",
        )
        .bind(hash)
        .bind(now)
        .bind(USE_RECORDED_MS);
        ctx.db().query(record).await?;
    }
    let credential = Credential::Key {
        scopes: found.scopes,
    };
    Ok(Some((found.account_id, credential)))
}

/// Returns a page of an account's keys, and the first row of the next page if there is one. Also returns the total, up to one
/// above `TOTAL_MAX`.
pub(crate) async fn keys(
    ctx: &Context<'_>,
    account: &Address,
    page: &Page,
) -> Result<(Vec<ApiKey>, u32), DatabaseError> {
    let list = List::new(COLUMNS, "api_keys", &["ref"])
        .only("account_id = ?", account_key(account))
        .only("(expires_at IS NULL OR expires_at > ?)", ctx.now());
    let (rows, total) = list.fetch::<KeyRow>(ctx.db(), page).await?;
    Ok((rows.into_iter().map(KeyRow::view).collect(), total))
}

/// SQL for the name of the key `?3` of the account `?1`, and whether there is such a key.
const KEY_NAME: &str = "(SELECT name FROM api_keys WHERE account_id = ?1 AND ref = ?3)";
const IS_KEY: &str = "EXISTS (SELECT 1 FROM api_keys WHERE account_id = ?1 AND ref = ?3)";

/// Returns the decision to revoke a key, or `None` if the account has no such key.
pub(crate) async fn revoke_key(
    ctx: &Context<'_>,
    account: &Address,
    reference: &str,
) -> Result<Option<Decision<ApiKey>>, DatabaseError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        COLUMNS,
        " FROM api_keys WHERE account_id = ?1 AND ref = ?2"
    ))
    .bind(account_key(account))
    .bind(reference);
    let found = ctx.db().query(select).await?.first::<KeyRow>()?;
    // Stores nothing if a concurrent request has revoked the key.
    let kind = ActivityKind::KeyRevoked;
    let event = accounts::event(ctx, account, None, kind, reference, (KEY_NAME, IS_KEY));
    let delete = Statement::new("DELETE FROM api_keys WHERE account_id = ?1 AND ref = ?2")
        .bind(account_key(account))
        .bind(reference);
    // A revocation counts against no quota, so an exhausted quota cannot prevent it.
    Ok(found.map(|row| Decision::new("key", vec![event, delete], row.view()).free()))
}
