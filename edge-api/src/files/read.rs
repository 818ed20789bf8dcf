//! Finds files and reads their content.

use const_format::concatcp;
use order_core::{Address, AssetId};
use serde::Deserialize;

use super::{Place, bucket};
use crate::context::Context;
use crate::failure::Failure;
use crate::ports::Statement;
use crate::text::account_key;

/// The media type of badges.
const CREDENTIAL: &str = "application/vc+ld+json";

/// A stored file.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Found {
    /// SHA-256 of the content, 64 hex digits.
    pub(crate) hash: String,
    object: String,
    pub(crate) content_type: String,
    pub(crate) bytes: usize,
}

/// Finds a file by the hash of its content. `None` if there is no such file, or if `FILES` is off.
pub(crate) async fn find(ctx: &Context<'_>, hash: &str) -> Result<Option<Found>, Failure> {
    let statement =
        Statement::new("SELECT hash, object, content_type, bytes FROM files WHERE hash = ?1");
    found(ctx, statement.bind(hash)).await
}

/// Finds the file at `/files/<owner>/<collection>/<document>`. `None` if there is no such file, or if `FILES` is off.
pub(crate) async fn find_named(
    ctx: &Context<'_>,
    owner: &str,
    collection: &str,
    document: &str,
) -> Result<Option<Found>, Failure> {
    let owner: Option<Address> = owner.parse().ok();
    let Some(place) = owner.and_then(|owner| Place::parse(&owner, collection, document)) else {
        return Ok(None);
    };
    let statement = Statement::new(concatcp!(
        "SELECT f.hash, f.object, CASE u.slot WHEN 'badge' THEN '",
        CREDENTIAL,
        "' ELSE f.content_type END AS content_type, f.bytes FROM file_uses u JOIN files f ON f.hash = u.hash WHERE u.path = ?1",
    ));
    found(ctx, statement.bind(place.as_str())).await
}

/// Returns the path of an asset's badge below `/files/`. `None` if there is none, or if `FILES` is off.
pub(crate) async fn badge_path(
    ctx: &Context<'_>,
    ledger: &Address,
    asset: &AssetId,
) -> Result<Option<String>, Failure> {
    #[derive(Deserialize)]
    struct Row {
        path: String,
    }
    if !ctx.config().files {
        return Ok(None);
    }
    let statement = Statement::new(
        "SELECT path FROM file_uses WHERE ledger_id = ?1 AND asset_id = ?2 AND slot = 'badge'",
    );
    let statement = statement.bind(account_key(ledger)).bind(asset.to_hex64());
    let row = ctx.db().query(statement).await?.first::<Row>()?;
    Ok(row.map(|row| row.path))
}

async fn found(ctx: &Context<'_>, statement: Statement) -> Result<Option<Found>, Failure> {
    if !ctx.config().files {
        return Ok(None);
    }
    Ok(ctx.db().query(statement).await?.first()?)
}

/// Reads the content of a file. `None` if the file was deleted after it had been found, or if `FILES` is off.
pub(crate) async fn bytes(ctx: &Context<'_>, found: &Found) -> Result<Option<Vec<u8>>, Failure> {
    let Some(bucket) = bucket(ctx)? else {
        return Ok(None);
    };
    bucket.get(&found.object).await.map_err(Failure::internal)
}
