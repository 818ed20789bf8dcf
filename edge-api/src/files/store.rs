//! Stores uploaded files.

use order_core::{Abilities, Address, AssetId, Code, Field, FieldError};
use serde::Deserialize;
use serde_json::Value;

use super::{FILE_MAX, LIMITS, MediaType, Name, Place, bucket};
use crate::accounts;
use crate::context::Context;
use crate::db::rows::flag;
use crate::db::{Decision, commit, storage};
use crate::failure::Failure;
use crate::ledger::projection::{self, LedgerRow};
use crate::ports::{DatabaseError, Objects, Statement};
use crate::text::account_key;

/// Milliseconds after which the object of an unfinished upload is deleted. No request takes that long.
const UPLOAD_MS: u64 = 3_600_000;
/// Milliseconds for which the files of an asset are kept while the asset does not exist yet. This is 30 days, because the
/// order that creates the asset may wait for signatures.
const BEFORE_CREATION_MS: u64 = 30 * 86_400_000;

/// The type of Open Badges.
const BADGE: &str = "OpenBadgeCredential";

/// A file to store, and the ledger or asset that uses it.
pub(crate) struct Upload<'a> {
    /// The ledger's reference or address.
    ledger: &'a str,
    asset: Option<AssetId>,
    name: Option<Name>,
    content: &'a [u8],
    /// SHA-256 of the content, 64 hex digits.
    hash: &'a str,
    media_type: MediaType,
}

/// The result of an upload.
pub(crate) struct StoredFile {
    pub(crate) hash: String,
    pub(crate) place: Option<Place>,
    pub(crate) bytes: usize,
    pub(crate) media_type: MediaType,
}

impl<'a> Upload<'a> {
    /// Parses the fields of a form. Its field `file` is the hash of the uploaded content.
    ///
    /// # Errors
    /// 422900 for each field that is not valid, 413000 for a file that is too large.
    pub(crate) fn parse(body: &'a Value, content: &'a [u8]) -> Result<Self, Failure> {
        let fields = Field::body(body);
        let mut errors = Vec::new();
        let [ledger, asset, name, file] =
            ["ledgerRef", "assetId", "name", "file"].map(|name| fields.get(name));
        let mut wrong = |field: &Field<'_>, expected: &str| {
            errors.push(field.wrong(Code::FieldNotValid, expected));
        };
        let ledger_ref = ledger.text();
        if ledger_ref.is_none() {
            wrong(&ledger, "the ledger's reference or address");
        }
        let asset_id = asset.text().map(str::parse::<AssetId>);
        let asset_id = asset_id.transpose().unwrap_or_else(|why| {
            wrong(&asset, &why.to_string());
            None
        });
        let known = name.text().map(Name::parse);
        if known == Some(None) {
            wrong(&name, "`metadata`, `evidence` or `badge`");
        }
        let known = known.flatten();
        if known.is_some() && asset.is_empty() {
            wrong(&asset, "the asset's id, because the file has a name");
        }
        let hash = file.text();
        let media_type = match hash {
            None => {
                wrong(&file, "a file");
                None
            }
            Some(_) if content.len() > FILE_MAX => {
                let why = format!("the file is larger than {FILE_MAX} bytes");
                return Err(Failure::one(Code::BodyTooLarge, "file", why));
            }
            Some(_) => match MediaType::of(content) {
                Ok(media_type) => Some(media_type),
                Err(why) => {
                    let why = format!("the type of `file` is not hosted: {why}");
                    errors.push(FieldError::with_message(Code::FieldNotValid, "file", why));
                    None
                }
            },
        };
        match (ledger_ref, hash, media_type) {
            (Some(ledger), Some(hash), Some(media_type)) if errors.is_empty() => Ok(Self {
                ledger,
                asset: asset_id,
                name: known,
                content,
                hash,
                media_type,
            }),
            _ => Err(Failure::new(errors)),
        }
    }

    /// Returns the slot: the key of this use among all uses of the same asset or ledger. A file without a name has its hash as
    /// slot.
    fn slot(&self) -> &str {
        self.name.map_or(self.hash, |name| name.as_str())
    }

    /// Returns the asset's id as a database key. Empty for a file of the ledger itself.
    fn asset_key(&self) -> String {
        self.asset
            .as_ref()
            .map(AssetId::to_hex64)
            .unwrap_or_default()
    }
}

/// Stores a file for a ledger or one of its assets. A file of the same name is replaced.
///
/// # Errors
/// - 400107: the service hosts no files.
/// - 400004: the ledger does not exist.
/// - 403003: the caller may not store the file.
/// - 422900: the file has a name, but the ledger's URIs do not have the form that [`Place::of`] requires. Also if another ledger
///   has files in the collection, or if a badge is not one of the asset's public values.
/// - 429002: the file exceeds a limit of the ledger or of the account.
pub(crate) async fn store(
    ctx: &Context<'_>,
    origin: &str,
    caller: &Address,
    upload: &Upload<'_>,
) -> Result<Decision<StoredFile>, Failure> {
    let bucket = bucket(ctx)?.ok_or_else(|| Failure::code(Code::FilesNotHosted))?;
    let (ledger, asset) = projection::asset(ctx.db(), upload.ledger, upload.asset.as_ref()).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let place = match (upload.asset, upload.name) {
        (Some(asset), Some(name)) => {
            if name == Name::Badge {
                check_badge(upload.content, origin, &ledger, &asset)?;
            }
            Some(place(origin, &ledger, &asset, name)?)
        }
        _ => None,
    };
    let state = State::read(ctx, &ledger, caller, upload, place.as_ref()).await?;
    state.check_abilities(&ledger, caller, asset.is_some(), upload)?;
    if state.is_elsewhere {
        let why = "another ledger of this owner has files below the same uriPrefix: use a ledger with a uriPrefix of its own";
        return Err(Failure::one(Code::FieldNotValid, "name", why));
    }
    let stored = StoredFile {
        hash: upload.hash.to_owned(),
        place,
        bytes: upload.content.len(),
        media_type: upload.media_type,
    };
    let check_at = match (upload.asset, &asset) {
        (None, _) => None,
        // The next sweep confirms that the asset still exists.
        (Some(_), Some(_)) => Some(ctx.now()),
        (Some(_), None) => Some(ctx.now().saturating_add(BEFORE_CREATION_MS)),
    };
    if state.hash.as_deref() == Some(upload.hash) {
        return Ok(match (asset, check_at) {
            (None, Some(check_at)) => {
                let kept = keep(&ledger, upload, check_at);
                Decision::new("file", kept.to_vec(), stored)
            }
            _ => Decision::read(stored),
        });
    }
    state.check_limits(upload, caller)?;
    let mut statements = vec![accounts::ensure(caller, ctx.now())];
    match &state.object {
        Some(object) => statements.push(still_stored(upload.hash, object)),
        None => {
            let object = put(ctx, bucket.as_ref(), caller, upload.content).await?;
            statements.extend(complete(ctx, upload, &object));
        }
    }
    let place = stored.place.as_ref();
    statements.extend(place.map(|place| only_ledger_of(place, &ledger)));
    statements.extend(replace(&ledger, caller, upload, place, check_at));
    statements.extend(within_limits(&ledger.id, caller));
    Ok(Decision::new("file", statements, stored))
}

/// Checks that a file is a badge of the asset, and that the badge shows public values only. The link in its evidence would otherwise prove hidden values to
/// everybody. Readers of the badge check its signature.
fn check_badge(
    content: &[u8],
    origin: &str,
    ledger: &LedgerRow,
    asset: &AssetId,
) -> Result<(), Failure> {
    let badge: Value = serde_json::from_slice(content).unwrap_or_default();
    let types = badge.get("type").and_then(Value::as_array);
    let is_badge = types.is_some_and(|types| types.iter().any(|kind| kind == BADGE));
    let evidence = badge.get("evidence").and_then(Value::as_array);
    let link = match evidence.map(Vec::as_slice) {
        Some([evidence]) => evidence.get("id").and_then(Value::as_str),
        _ => None,
    };
    let page = format!("{origin}/c/{}/{asset}", ledger.id);
    if is_badge && link.is_some_and(|link| link.eq_ignore_ascii_case(&page)) {
        return Ok(());
    }
    let why = format!(
        "`file` must be an Open Badge of this certificate that shows public values only, with the evidence {page}"
    );
    Err(Failure::one(Code::FieldNotValid, "file", why))
}

/// Returns the place of a named file. The failure explains which `uriPrefix` and `uriPostfix` the ledger needs.
fn place(origin: &str, ledger: &LedgerRow, asset: &AssetId, name: Name) -> Result<Place, Failure> {
    Place::of(origin, ledger, asset, name).ok_or_else(|| {
        let why = format!(
            "files with a name need a ledger whose uriPrefix is `{origin}/files/{}/<collection>/`, and whose uriPostfix is a short \
             ending of letters, digits, `-`, `_` and `.`; this ledger has `{}` and `{}`",
            ledger.owner, ledger.uri_prefix, ledger.uri_postfix
        );
        Failure::one(Code::FieldNotValid, "name", why)
    })
}

/// The stored state that an upload depends on.
#[derive(Deserialize)]
struct State {
    abilities: Option<u16>,
    /// The file in the slot, if there is one: its hash, its size and the account that uploaded it.
    hash: Option<String>,
    bytes: Option<u64>,
    account_id: Option<String>,
    /// True if another ledger has files in the collection.
    #[serde(deserialize_with = "flag")]
    is_elsewhere: bool,
    /// The object that already contains the same content, if there is one.
    object: Option<String>,
    ledger_files: u64,
    ledger_bytes: u64,
    account_files: u64,
    account_bytes: u64,
}

impl State {
    async fn read(
        ctx: &Context<'_>,
        ledger: &LedgerRow,
        caller: &Address,
        upload: &Upload<'_>,
        place: Option<&Place>,
    ) -> Result<Self, DatabaseError> {
        let statement = Statement::new(
            "SELECT (SELECT abilities FROM abilities WHERE ledger_id = ?1 AND account_id = ?2) AS abilities, \
             u.hash, u.bytes, u.account_id, f.object, \
             coalesce((SELECT ledger_id FROM file_uses WHERE path > ?6 AND path < ?7 ORDER BY path LIMIT 1) <> ?1, 0) \
             AS is_elsewhere, \
             coalesce(l.files, 0) AS ledger_files, coalesce(l.bytes, 0) AS ledger_bytes, \
             coalesce(a.files, 0) AS account_files, coalesce(a.bytes, 0) AS account_bytes \
             FROM (SELECT 1) LEFT JOIN file_uses u ON u.ledger_id = ?1 AND u.asset_id = ?3 AND u.slot = ?4 \
             LEFT JOIN files f ON f.hash = ?5 \
             LEFT JOIN file_totals l ON l.key = 'ledger:' || ?1 LEFT JOIN file_totals a ON a.key = 'account:' || ?2",
        )
        .bind(account_key(&ledger.id))
        .bind(account_key(caller))
        .bind(upload.asset_key())
        .bind(upload.slot())
        .bind(upload.hash)
        .bind(place.map(Place::collection_start))
        .bind(place.map(Place::collection_end));
        let row = ctx.db().query(statement).await?.first()?;
        row.ok_or_else(|| DatabaseError::Bug("the state of an upload has no row".to_owned()))
    }

    /// Checks that the caller may store the file. An account that may update assets may store and replace every file.
    ///
    /// An account that may only create assets may store new files of assets, and store the same content again. While an asset
    /// does not exist, such an account may also replace the asset's files that it stored itself, or all of the asset's files if
    /// it owns the ledger.
    fn check_abilities(
        &self,
        ledger: &LedgerRow,
        caller: &Address,
        exists: bool,
        upload: &Upload<'_>,
    ) -> Result<(), Failure> {
        let abilities = Abilities::from_bits(self.abilities.unwrap_or_default())
            .map_err(|why| DatabaseError::corrupt("abilities", "", why))?;
        let has = |ability| abilities.contains(ability);
        let creates = has(Abilities::CREATE) || has(Abilities::ALLOW_CREATE);
        let updates = has(Abilities::UPDATE) || has(Abilities::ALLOW_UPDATE);
        let is_allowed = match self.hash.as_deref() {
            None => upload.asset.is_some(),
            Some(hash) => {
                hash == upload.hash || (!exists && (self.is_by(caller) || ledger.owner == *caller))
            }
        };
        if updates || (creates && is_allowed) {
            return Ok(());
        }
        Err(Failure::code(Code::FilesNotAllowed))
    }

    /// Returns true if the account uploaded the file that the slot has now.
    fn is_by(&self, account: &Address) -> bool {
        self.account_id.as_deref() == Some(account_key(account).as_str())
    }

    /// Checks that the file fits into the limits of the ledger and of the account.
    fn check_limits(&self, upload: &Upload<'_>, caller: &Address) -> Result<(), Failure> {
        let added = u64::try_from(upload.content.len()).unwrap_or(u64::MAX);
        let replaced = self.bytes.map(|bytes| (1, bytes)).unwrap_or_default();
        let own = if self.is_by(caller) { replaced } else { (0, 0) };
        let fits = |sum: u64, more: u64, less: u64, most: u64| {
            sum.saturating_add(more).saturating_sub(less) <= most
        };
        if fits(self.ledger_files, 1, replaced.0, LIMITS.ledger_files)
            && fits(self.ledger_bytes, added, replaced.1, LIMITS.ledger_bytes)
            && fits(self.account_files, 1, own.0, LIMITS.account_files)
            && fits(self.account_bytes, added, own.1, LIMITS.account_bytes)
        {
            return Ok(());
        }
        Err(Failure::code(Code::FilesFull))
    }
}

/// Stores the content as a new object, and returns the object's key. The object is queued for deletion before it exists, so
/// the sweep deletes it if the upload stops. Its bytes count in the caller's daily quota, even if the upload is not finished.
pub(crate) async fn put(
    ctx: &Context<'_>,
    bucket: &dyn Objects,
    caller: &Address,
    content: &[u8],
) -> Result<String, Failure> {
    let object = ctx.new_reference();
    let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
    let queued = Statement::new("INSERT INTO file_deletions (object, due_at) VALUES (?1, ?2)")
        .bind(object.as_str())
        .bind(ctx.time().saturating_add(UPLOAD_MS))
        .storing(bytes);
    let payer = Some((*caller, storage::WORK.into()));
    commit(ctx, payer, "file-object", vec![queued]).await?;
    let put = bucket.put(&object, content).await;
    put.map_err(Failure::internal)?;
    ctx.fail_point("file-object:stored");
    Ok(object)
}

/// Returns statements that keep a new object. Their guard fails if the upload took so long that the sweep may have deleted the object.
pub(crate) fn claimed(ctx: &Context<'_>, object: &str) -> [Statement; 2] {
    [
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM file_deletions WHERE object = ?1 AND due_at > ?2)",
        )
        .bind(object)
        .bind(ctx.time()),
        Statement::new("DELETE FROM file_deletions WHERE object = ?1").bind(object),
    ]
}

/// Returns statements that make a new object the content of the file with this hash.
fn complete(ctx: &Context<'_>, upload: &Upload<'_>, object: &str) -> [Statement; 3] {
    let [guard, unqueued] = claimed(ctx, object);
    [
        guard,
        unqueued,
        Statement::new(
            "INSERT INTO files (hash, object, content_type, bytes) VALUES (?1, ?2, ?3, ?4)",
        )
        .bind(upload.hash)
        .bind(object)
        .bind(upload.media_type.as_str())
        .bind(u64::try_from(upload.content.len()).unwrap_or(u64::MAX)),
    ]
}

/// Returns a guard that fails if the content with this hash is no longer stored as this object.
fn still_stored(hash: &str, object: &str) -> Statement {
    Statement::new(
        "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM files WHERE hash = ?1 AND object = ?2)",
    )
    .bind(hash)
    .bind(object)
}

/// Returns statements that end the slot's present use, if there is one, and begin the new use. If a concurrent upload has put
/// the same file into the slot, the first statement can end the file's last use. A trigger then deletes the file, so the second
/// statement stores no use, and the last statement, a guard, fails.
fn replace(
    ledger: &LedgerRow,
    caller: &Address,
    upload: &Upload<'_>,
    place: Option<&Place>,
    check_at: Option<u64>,
) -> [Statement; 3] {
    [
        of_slot(
            "DELETE FROM file_uses WHERE ledger_id = ?1 AND asset_id = ?2 AND slot = ?3",
            ledger,
            upload,
        ),
        of_slot(
            "INSERT INTO file_uses (ledger_id, asset_id, slot, hash, bytes, account_id, path, check_at) \
             SELECT ?1, ?2, ?3, hash, bytes, ?5, ?6, ?7 FROM files WHERE hash = ?4",
            ledger,
            upload,
        )
        .bind(upload.hash)
        .bind(account_key(caller))
        .bind(place.map(Place::as_str))
        .bind(check_at),
        is_used(ledger, upload),
    ]
}

/// Returns statements that keep the slot's present use until `check_at`. Their guard fails if the sweep has ended this use.
fn keep(ledger: &LedgerRow, upload: &Upload<'_>, check_at: u64) -> [Statement; 2] {
    [
        of_slot(
            "UPDATE file_uses SET check_at = ?4 WHERE ledger_id = ?1 AND asset_id = ?2 AND slot = ?3",
            ledger,
            upload,
        )
        .bind(check_at),
        is_used(ledger, upload),
    ]
}

/// Returns a guard that fails if the slot does not have the uploaded file.
fn is_used(ledger: &LedgerRow, upload: &Upload<'_>) -> Statement {
    of_slot(
        "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM file_uses \
         WHERE ledger_id = ?1 AND asset_id = ?2 AND slot = ?3 AND hash = ?4)",
        ledger,
        upload,
    )
    .bind(upload.hash)
}

/// Returns a statement whose first parameters are the key of the slot.
fn of_slot(sql: &'static str, ledger: &LedgerRow, upload: &Upload<'_>) -> Statement {
    Statement::new(sql)
        .bind(account_key(&ledger.id))
        .bind(upload.asset_key())
        .bind(upload.slot())
}

/// Returns a guard that fails if another ledger has files in the collection, so that concurrent uploads for two ledgers cannot
/// both use the collection.
fn only_ledger_of(place: &Place, ledger: &LedgerRow) -> Statement {
    Statement::new(
        "INSERT INTO guards SELECT 0 WHERE \
         (SELECT ledger_id FROM file_uses WHERE path > ?1 AND path < ?2 ORDER BY path LIMIT 1) <> ?3",
    )
    .bind(place.collection_start())
    .bind(place.collection_end())
    .bind(account_key(&ledger.id))
}

/// Returns guards that fail if a total exceeds its limit. Concurrent uploads, of which each fits alone, could together exceed
/// the limit.
pub(crate) fn within_limits(ledger: &Address, caller: &Address) -> [Statement; 2] {
    let (ledger, account) = (account_key(ledger), account_key(caller));
    let guard = |key: String, files: u64, bytes: u64| {
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE EXISTS (SELECT 1 FROM file_totals WHERE key = ?1 AND (files > ?2 OR bytes > ?3))",
        )
        .bind(key)
        .bind(files)
        .bind(bytes)
    };
    [
        guard(
            format!("ledger:{ledger}"),
            LIMITS.ledger_files,
            LIMITS.ledger_bytes,
        ),
        guard(
            format!("account:{account}"),
            LIMITS.account_files,
            LIMITS.account_bytes,
        ),
    ]
}
