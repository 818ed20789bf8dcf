//! Short links: the encrypted address of a shared certificate, kept for some days (`docs/decisions/0075-short-links.md`).
//!
//! A page encrypts the address of a certificate with the values that its holder shows. The key is in the fragment of the short link,
//! which browsers never send, so the service cannot read what it keeps.
//!
//! A holder has no account. So no account pays for a link: all links share one daily budget of stored bytes, of which each client
//! network gets a part ([`storage::LINKS`]).

use alloy_primitives::hex;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use order_core::{Code, Field};
use serde::Deserialize;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::api::{NewLink, SharedLink, Timestamp};
use crate::context::Context;
use crate::db::{Decision, storage};
use crate::failure::{Failure, Problem};
use crate::ports::Statement;
use crate::text::DAY_MS;

/// Maximum bytes of a cipher text. The longest link that a page makes has about half of it.
pub(crate) const BYTES_MAX: usize = 16_384;
/// Bytes that AES-GCM adds to a text. A shorter cipher text is none.
const TAG_BYTES: usize = 16;
/// The numbers of days for which a link can be kept.
const DAYS: [u64; 3] = [1, 7, 30];
/// Random bytes of an id, 16 characters.
const ID_BYTES: usize = 12;
/// Random bytes of the key that ends a link, 22 characters.
const KEY_BYTES: usize = 16;

/// The validated content of a link to create.
pub(crate) struct Draft {
    ciphertext: String,
    days: u64,
}

impl Draft {
    /// Parses the body of POST /links. Fails with the errors of all fields.
    pub(crate) fn parse(body: &Value) -> Result<Self, Failure> {
        let mut errors: Vec<Problem> = Vec::new();
        let body = Field::body(body);
        let field = body.get("ciphertext");
        let ciphertext = ciphertext(&field, BYTES_MAX);
        if ciphertext.is_none() {
            let what = "16 to 16,384 bytes as base64url without padding";
            errors.push(field.wrong(Code::FieldNotValid, what));
        }
        let field = body.get("days");
        let days = field.whole_number().filter(|days| DAYS.contains(days));
        if days.is_none() {
            errors.push(field.wrong(Code::FieldNotValid, "1, 7 or 30"));
        }
        match (ciphertext, days) {
            (Some(ciphertext), Some(days)) => Ok(Self {
                ciphertext: ciphertext.to_owned(),
                days,
            }),
            _ => Err(Failure::new(errors)),
        }
    }
}

/// Returns the text of a field that has a cipher text of AES-GCM with at most `most` bytes, as base64url. `None` for any other text.
pub(crate) fn ciphertext<'a>(field: &Field<'a>, most: usize) -> Option<&'a str> {
    field.text().filter(|text| {
        let bytes = URL_SAFE_NO_PAD.decode(text);
        bytes.is_ok_and(|bytes| (TAG_BYTES..=most).contains(&bytes.len()))
    })
}

/// Stores a link. Its end key is only in the answer.
pub(crate) fn create(
    ctx: &Context<'_>,
    origin: &str,
    draft: Draft,
) -> Result<Decision<NewLink>, Failure> {
    let id = random::<ID_BYTES>(ctx);
    let end_key = random::<KEY_BYTES>(ctx);
    let expires_at = ctx.now().saturating_add(draft.days.saturating_mul(DAY_MS));
    let write = Statement::new(
        "INSERT INTO links (id, ciphertext, end_hash, expires_at) VALUES (?1, ?2, ?3, ?4)",
    )
    .bind(id.as_str())
    .bind(draft.ciphertext.as_str())
    .bind(hash(&end_key))
    .bind(expires_at);
    let statements = storage::pay_without_account(ctx, storage::LINKS, vec![write])?;
    let link = NewLink {
        address: format!("{origin}/s/{id}"),
        id,
        end_key,
        expires_at: Timestamp(expires_at),
    };
    Ok(Decision::new("link", statements, link).free())
}

#[derive(Deserialize)]
struct Row {
    ciphertext: String,
    expires_at: u64,
}

/// Returns a link. `None` if it does not exist, was ended or has expired.
pub(crate) async fn find(ctx: &Context<'_>, id: &str) -> Result<Option<SharedLink>, Failure> {
    if !is_id(id) {
        return Ok(None);
    }
    let read = Statement::new(
        "SELECT ciphertext, expires_at FROM links WHERE id = ?1 AND expires_at > ?2",
    );
    let rows = ctx.db().query(read.bind(id).bind(ctx.now())).await?;
    Ok(rows.first::<Row>()?.map(|row| SharedLink {
        ciphertext: row.ciphertext,
        expires_at: Timestamp(row.expires_at),
    }))
}

/// Returns the decision to end a link. Its transaction returns a row if the link exists and the body has its end key.
pub(crate) fn end(id: &str, body: &Value) -> Result<Decision<()>, Failure> {
    let field = Field::body(body).get("endKey");
    let key = field
        .text()
        .ok_or_else(|| field.wrong(Code::FieldNotValid, "the link's end key"))?;
    let delete = Statement::new("DELETE FROM links WHERE id = ?1 AND end_hash = ?2 RETURNING id")
        .bind(id)
        .bind(hash(key));
    Ok(Decision::new("link", vec![delete], ()).free())
}

/// Returns true if a text has the form of an id. Other texts need no query.
fn is_id(text: &str) -> bool {
    URL_SAFE_NO_PAD
        .decode(text)
        .is_ok_and(|bytes| bytes.len() == ID_BYTES)
}

/// Returns random bytes as base64url.
fn random<const BYTES: usize>(ctx: &Context<'_>) -> String {
    let mut bytes = [0; BYTES];
    ctx.ports().random.fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Returns the hash of an end key. SHA-256 without a salt is enough, because nobody can guess 128 random bits.
fn hash(key: &str) -> String {
    hex::encode(Sha256::digest(key))
}
