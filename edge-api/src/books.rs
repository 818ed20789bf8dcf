//! Register books: an office's own names of its certificates' holders, encrypted for its members. The service keeps cipher text.
//!
//! Each member signs its X25519 key, and each writer signs ledger, version, hash and readers of what it writes. So the service can neither add a
//! reader nor forge a book. Clients check both signatures, and refuse a version older than the last one that they have seen.
//!
//! A version is an object in the bucket. Like a file, it is queued for deletion before it is stored (`files/store.rs`), and counts in the limits
//! of the ledger's and the writer's files. Its number is the precondition: only the number after the last one is accepted, so no writer
//! overwrites what it has not read.

use alloy_primitives::hex;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use order_core::{Abilities, Address, Claim, Code, Field};
use serde::Deserialize;
use serde_json::Value;

use crate::accounts;
use crate::api::{Book, BookContent, BookKey, BookVersion, MemberKey, MemberKeys, Timestamp};
use crate::context::Context;
use crate::db::rows::json;
use crate::db::{Decision, storage};
use crate::failure::{Failure, Problem};
use crate::files;
use crate::ledger::projection::ledger_key;
use crate::ports::{Database, DatabaseError, Statement};
use crate::text::account_key;

/// Maximum bytes of a book's cipher text.
pub(crate) const BOOK_MAX: usize = 4 << 20;
/// Maximum number of readers of a version.
const READERS_MAX: usize = 100;
/// The number of versions that are kept.
const VERSIONS_KEPT: u64 = 5;
/// Bytes of an X25519 key.
const KEY_BYTES: usize = 32;
/// The points of small order on Curve25519 and its twist, and their other encodings below 2^255. No client encrypts to such a key, so with
/// it one reader would prevent all others from sharing.
const WEAK_KEYS: [[u8; KEY_BYTES]; 7] = [
    hex!("0000000000000000000000000000000000000000000000000000000000000000"),
    hex!("0100000000000000000000000000000000000000000000000000000000000000"),
    hex!("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    hex!("5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"),
    hex!("ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    hex!("edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
    hex!("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f"),
];
/// The largest version.
const VERSION_MAX: u64 = 1 << 32;

/// The abilities with which an account may write a ledger's book. An account with any other ability may read it.
const WRITE: Abilities = Abilities::ALLOW_CREATE;

/// Returns the text that an account signs to publish its key.
fn key_text(ctx: &Context<'_>, account: &Address, key: &str) -> String {
    let service = &ctx.config().service_name;
    format!("{service}: my key for register books\nAccount: {account}\nKey: {key}")
}

/// Returns the text that a writer signs.
fn version_text(ctx: &Context<'_>, ledger: &Address, draft: &BookDraft<'_>) -> String {
    let service = &ctx.config().service_name;
    let readers: Vec<String> = draft.readers.iter().map(Address::to_string).collect();
    let readers = readers.join(",");
    let (version, hash) = (draft.version, draft.hash);
    format!(
        "{service}: register book\nLedger: {ledger}\nVersion: {version}\nSHA-256: {hash}\nReaders: {readers}"
    )
}

/// Fails unless `account` signed exactly `text` by `personal_sign`.
fn check(field: &Field<'_>, account: &Address, text: &str) -> Result<String, Failure> {
    let signature = field.text().unwrap_or_default();
    let signer = Claim::of_text(signature).and_then(|claim| claim.recover_text(text));
    if signer.is_ok_and(|signer| signer == *account) {
        return Ok(signature.to_owned());
    }
    let why = format!(
        "`signature` must be `0x` and 130 hexadecimal digits, made by `personal_sign` of {account} over exactly this text: {text:?}"
    );
    Err(Failure::one(Code::SignatureNotValid, "signature", why))
}

/// Returns true if the text is an X25519 key to which clients can encrypt.
fn is_key(text: &str) -> bool {
    let bytes = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
    let Ok(mut key) = <[u8; KEY_BYTES]>::try_from(bytes) else {
        return false;
    };
    // X25519 ignores the highest bit.
    if let Some(last) = key.last_mut() {
        *last &= 0x7f;
    }
    !WEAK_KEYS.contains(&key)
}

/// Publishes the account's key, or replaces its earlier one.
pub(crate) fn set_key(
    ctx: &Context<'_>,
    account: &Address,
    body: &Value,
) -> Result<Decision<BookKey>, Failure> {
    let body = Field::body(body);
    let field = body.get("key");
    let key = field.text().filter(|text| is_key(text)).ok_or_else(|| {
        field.wrong(
            Code::FieldNotValid,
            "an X25519 key: 32 bytes as base64url without padding",
        )
    })?;
    let signature = check(
        &body.get("signature"),
        account,
        &key_text(ctx, account, key),
    )?;
    let write = Statement::new(
        "INSERT INTO book_keys (account_id, key, signature, updated_at) VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT (account_id) DO UPDATE SET key = excluded.key, signature = excluded.signature, updated_at = excluded.updated_at",
    )
    .bind(account_key(account))
    .bind(key)
    .bind(signature.as_str())
    .bind(ctx.now());
    let published = BookKey {
        account_id: *account,
        key: key.to_owned(),
        signature,
        updated_at: Timestamp(ctx.now()),
    };
    Ok(Decision::new("book-key", vec![write], published))
}

/// Returns the statement that deletes an account's key.
pub(crate) fn erase_key(account: &Address) -> Statement {
    Statement::new("DELETE FROM book_keys WHERE account_id = ?1").bind(account_key(account))
}

/// A ledger, and what the caller may do on it.
#[derive(Deserialize)]
struct Member {
    id: Address,
    abilities: Option<u16>,
    /// The last version of the book. 0 without one.
    version: u64,
    ledger_files: u64,
    ledger_bytes: u64,
    account_files: u64,
    account_bytes: u64,
}

/// Returns the ledger and the caller's state on it. Fails if the ledger does not exist or the caller has no ability on it.
async fn member(
    db: &dyn Database,
    ledger: &str,
    caller: &Address,
) -> Result<(Member, Abilities), Failure> {
    let select = Statement::new(
        "SELECT l.id, (SELECT abilities FROM abilities WHERE ledger_id = l.id AND account_id = ?2) AS abilities, \
         ifnull((SELECT max(version) FROM books WHERE ledger_id = l.id), 0) AS version, \
         ifnull(t.files, 0) AS ledger_files, ifnull(t.bytes, 0) AS ledger_bytes, \
         ifnull(a.files, 0) AS account_files, ifnull(a.bytes, 0) AS account_bytes FROM ledgers l \
         LEFT JOIN file_totals t ON t.key = 'ledger:' || l.id LEFT JOIN file_totals a ON a.key = 'account:' || ?2 \
         WHERE l.id = ?1 OR l.ref = ?1",
    );
    let select = select.bind(ledger_key(ledger)).bind(account_key(caller));
    let found = db.query(select).await?.first::<Member>()?;
    let found = found.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let abilities = Abilities::from_bits(found.abilities.unwrap_or_default())
        .map_err(|why| DatabaseError::corrupt("abilities", "", why))?;
    if abilities.is_empty() {
        return Err(Failure::code(Code::BookNotAllowed));
    }
    Ok((found, abilities))
}

/// Returns the keys of the accounts with an ability on a ledger.
pub(crate) async fn keys(
    db: &dyn Database,
    ledger: &str,
    caller: &Address,
) -> Result<MemberKeys, Failure> {
    #[derive(Deserialize)]
    struct Row {
        account_id: Address,
        abilities: u16,
        key: String,
        signature: String,
        updated_at: u64,
    }
    let (member, _) = member(db, ledger, caller).await?;
    let select = Statement::new(
        "SELECT a.account_id, a.abilities, b.key, b.signature, b.updated_at FROM (SELECT account_id, abilities FROM abilities \
         WHERE ledger_id = ?1 ORDER BY account_id LIMIT 1000) a CROSS JOIN book_keys b ON b.account_id = a.account_id",
    );
    let rows: Vec<Row> = db
        .query(select.bind(account_key(&member.id)))
        .await?
        .all()?;
    let view = |row: Row| {
        let abilities = Abilities::from_bits(row.abilities)
            .map_err(|why| DatabaseError::corrupt("abilities", "", why))?;
        Ok::<_, DatabaseError>(MemberKey {
            account_id: row.account_id,
            abilities,
            key: row.key,
            signature: row.signature,
            updated_at: Timestamp(row.updated_at),
        })
    };
    let keys = rows.into_iter().map(view).collect::<Result<_, _>>()?;
    Ok(MemberKeys { keys })
}

/// A version to store.
pub(crate) struct BookDraft<'a> {
    version: u64,
    readers: Vec<Address>,
    hash: &'a str,
    content: &'a [u8],
}

impl<'a> BookDraft<'a> {
    /// Parses the fields of a form. Its field `file` is the hash of the uploaded content.
    pub(crate) fn parse(body: &'a Value, content: &'a [u8]) -> Result<Self, Failure> {
        let fields = Field::body(body);
        let mut errors: Vec<Problem> = Vec::new();
        let field = fields.get("version");
        let version = field.text().and_then(|text| text.parse().ok());
        let version = version.filter(|version| (1..=VERSION_MAX).contains(version));
        if version.is_none() {
            errors.push(field.wrong(Code::FieldNotValid, "the number after the last version"));
        }
        let field = fields.get("readers");
        let readers: Option<Vec<Address>> = field
            .text()
            .and_then(|text| text.split(',').map(|reader| reader.parse().ok()).collect());
        let readers = readers.filter(|readers| readers.len() <= READERS_MAX);
        if readers.is_none() {
            let expected = "1 to 100 addresses, separated by commas";
            errors.push(field.wrong(Code::FieldNotValid, expected));
        }
        let field = fields.get("file");
        let hash = field.text().filter(|_| !content.is_empty());
        if hash.is_none() {
            errors.push(field.wrong(Code::FieldNotValid, "the cipher text"));
        }
        if content.len() > BOOK_MAX {
            let why = format!("the book is larger than {BOOK_MAX} bytes");
            return Err(Failure::one(Code::BodyTooLarge, "file", why));
        }
        match (version, readers, hash) {
            (Some(version), Some(readers), Some(hash)) => Ok(Self {
                version,
                readers,
                hash,
                content,
            }),
            _ => Err(Failure::new(errors)),
        }
    }
}

/// Stores the next version of a ledger's book.
pub(crate) async fn write(
    ctx: &Context<'_>,
    ledger: &str,
    caller: &Address,
    draft: &BookDraft<'_>,
    body: &Value,
) -> Result<Decision<BookVersion>, Failure> {
    let bucket = files::bucket(ctx)?.ok_or_else(|| Failure::code(Code::FilesNotHosted))?;
    let (member, abilities) = member(ctx.db(), ledger, caller).await?;
    let writes = [WRITE, Abilities::ALLOW_UPDATE, Abilities::ALLOW_MANAGE];
    if !writes.iter().any(|one| abilities.contains(*one)) {
        return Err(Failure::code(Code::BookNotAllowed));
    }
    if draft.version != member.version.saturating_add(1) {
        return Err(Failure::code(Code::BookChanged));
    }
    let text = version_text(ctx, &member.id, draft);
    let signature = check(&Field::body(body).get("signature"), caller, &text)?;
    let bytes = u64::try_from(draft.content.len()).unwrap_or(u64::MAX);
    let limits = &files::LIMITS;
    let fits = |files: u64, sum: u64, [files_max, bytes_max]: [u64; 2]| {
        files < files_max && sum.saturating_add(bytes) <= bytes_max
    };
    if !fits(
        member.ledger_files,
        member.ledger_bytes,
        [limits.ledger_files, limits.ledger_bytes],
    ) || !fits(
        member.account_files,
        member.account_bytes,
        [limits.account_files, limits.account_bytes],
    ) {
        return Err(Failure::code(Code::FilesFull));
    }
    let object = files::put(ctx, bucket.as_ref(), caller, draft.content).await?;
    let key = account_key(&member.id);
    let next = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE ifnull((SELECT max(version) FROM books WHERE ledger_id = ?1), 0) <> ?2 - 1",
    )
    .bind(key.as_str())
    .bind(draft.version);
    let insert = Statement::new(
        "INSERT INTO books (ledger_id, version, hash, object, bytes, readers, writer_id, signature, created_at) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    )
    .bind(key.as_str())
    .bind(draft.version)
    .bind(draft.hash)
    .bind(object.as_str())
    .bind(bytes)
    .bind_json(&draft.readers)?
    .bind(account_key(caller))
    .bind(signature.as_str())
    .bind(ctx.now());
    let old = Statement::new("DELETE FROM books WHERE ledger_id = ?1 AND version <= ?2")
        .bind(key.as_str())
        .bind(draft.version.saturating_sub(VERSIONS_KEPT));
    let mut statements = vec![accounts::ensure(caller, ctx.now()), next];
    statements.extend(files::claimed(ctx, &object));
    statements.extend([insert, old]);
    statements.extend(files::within_limits(&member.id, caller));
    let written = BookVersion {
        version: draft.version,
        hash: draft.hash.to_owned(),
        bytes,
        readers: draft.readers.clone(),
        writer_id: *caller,
        signature,
        created_at: Timestamp(ctx.now()),
    };
    Ok(Decision::new("book", statements, written).paid_by(storage::WORK))
}

/// Returns the kept versions of a ledger's book.
pub(crate) async fn versions(
    db: &dyn Database,
    ledger: &str,
    caller: &Address,
) -> Result<Book, Failure> {
    #[derive(Deserialize)]
    struct Row {
        version: u64,
        hash: String,
        bytes: u64,
        #[serde(deserialize_with = "json")]
        readers: Vec<Address>,
        writer_id: Address,
        signature: String,
        created_at: u64,
    }
    let (member, _) = member(db, ledger, caller).await?;
    let select = Statement::new(
        "SELECT version, hash, bytes, readers, writer_id, signature, created_at FROM books WHERE ledger_id = ?1 \
         ORDER BY version DESC LIMIT ?2",
    )
    .bind(account_key(&member.id))
    .bind(VERSIONS_KEPT);
    let rows: Vec<Row> = db.query(select).await?.all()?;
    let view = |row: Row| BookVersion {
        version: row.version,
        hash: row.hash,
        bytes: row.bytes,
        readers: row.readers,
        writer_id: row.writer_id,
        signature: row.signature,
        created_at: Timestamp(row.created_at),
    };
    let versions: Vec<BookVersion> = rows.into_iter().map(view).collect();
    if versions.is_empty() {
        return Err(Failure::code(Code::BookNotFound));
    }
    Ok(Book {
        ledger_id: member.id,
        versions,
    })
}

/// A version's content in the bucket.
#[derive(Deserialize)]
pub(crate) struct Stored {
    object: String,
    hash: String,
    pub(crate) bytes: usize,
}

/// Finds a version of a ledger's book.
pub(crate) async fn find(
    db: &dyn Database,
    ledger: &str,
    version: &str,
    caller: &Address,
) -> Result<Stored, Failure> {
    let (member, _) = member(db, ledger, caller).await?;
    let version = version
        .parse::<u64>()
        .ok()
        .filter(|version| *version <= VERSION_MAX);
    let select = Statement::new(
        "SELECT object, hash, bytes FROM books WHERE ledger_id = ?1 AND version = ?2",
    )
    .bind(account_key(&member.id))
    .bind(version);
    let found = db.query(select).await?.first()?;
    found.ok_or_else(|| Failure::code(Code::BookNotFound))
}

/// Reads the content of a version. `None` if it was deleted after it had been found, or if `FILES` is off.
pub(crate) async fn content(
    ctx: &Context<'_>,
    stored: Stored,
) -> Result<Option<BookContent>, Failure> {
    let Some(bucket) = files::bucket(ctx)? else {
        return Ok(None);
    };
    let bytes = bucket
        .get(&stored.object)
        .await
        .map_err(Failure::internal)?;
    Ok(bytes.map(|bytes| BookContent {
        hash: stored.hash,
        content: URL_SAFE_NO_PAD.encode(bytes),
    }))
}
