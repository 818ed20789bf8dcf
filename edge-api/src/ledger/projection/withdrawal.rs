//! Records of destroyed assets: a withdrawn certificate must not look like one that never existed.

use order_core::{Address, AssetId, Change};
use serde::Deserialize;
use serde_json::Value;

use super::read::{AssetRow, LedgerRow, select_asset, select_ledger};
use super::tables::{ASSETS, asset_row, over};
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;

/// When an asset was issued, where that is known, and when it was withdrawn; milliseconds since 1970.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Withdrawal {
    pub(crate) issued_at: Option<u64>,
    pub(crate) withdrawn_at: u64,
}

/// The standing of an asset id on a ledger.
pub(crate) enum Certified {
    /// This service has no such ledger.
    NoLedger,
    /// No asset of that id was ever issued.
    Never(LedgerRow),
    /// The asset was destroyed, and not created again since.
    Withdrawn(LedgerRow, Withdrawal),
    /// The asset exists. If it was destroyed before and created again, the last withdrawal is kept.
    InForce(LedgerRow, AssetRow, Option<Withdrawal>),
}

impl Certified {
    /// Returns the ledger, if this service has it.
    pub(crate) fn ledger(&self) -> Option<&LedgerRow> {
        match self {
            Self::NoLedger => None,
            Self::Never(ledger) | Self::Withdrawn(ledger, _) | Self::InForce(ledger, ..) => {
                Some(ledger)
            }
        }
    }
}

/// Reads the standing of an asset id, and the rows of another statement about its ledger in the same round trip.
///
/// # Errors
/// Faults of the database.
pub(crate) async fn certified(
    db: &dyn Database,
    ledger: &Address,
    asset: &AssetId,
    about_ledger: Statement,
) -> Result<(Certified, Rows), DatabaseError> {
    let name = ledger.to_string();
    let withdrawal = Statement::new(
        "SELECT issued_at, withdrawn_at FROM withdrawals WHERE ledger_id = ?1 AND asset_id = ?2",
    )
    .bind(account_key(ledger))
    .bind(asset.to_hex64());
    let statements = vec![
        select_ledger(&name),
        select_asset(&name, Some(asset)),
        withdrawal,
        about_ledger,
    ];
    let [ledgers, assets, withdrawals, about_ledger] = exactly(db.batch(statements).await?)?;
    let Some(ledger) = ledgers.first()? else {
        return Ok((Certified::NoLedger, about_ledger));
    };
    let certified = match (assets.first()?, withdrawals.first()?) {
        (Some(asset), withdrawal) => Certified::InForce(ledger, asset, withdrawal),
        (None, Some(withdrawal)) => Certified::Withdrawn(ledger, withdrawal),
        (None, None) => Certified::Never(ledger),
    };
    Ok((certified, about_ledger))
}

/// Returns a statement that records the destroyed assets. It reads their rows, so it must run before their deletion.
pub(in crate::ledger) fn withdraw(
    changes: &[Change],
    reference: &str,
    now: u64,
) -> Option<Statement> {
    let destroyed = changes.iter().filter_map(|change| match change {
        Change::Asset {
            ledger,
            id,
            old: Some(_),
            new: None,
        } => Some(asset_row(&(*ledger, *id), None)),
        _ => None,
    });
    let destroyed: Vec<Value> = destroyed.collect();
    if destroyed.is_empty() {
        return None;
    }
    let is_row = ASSETS.is_row();
    let sql = format!(
        "INSERT INTO withdrawals (ledger_id, asset_id, issued_at, withdrawn_at, record_ref) \
         SELECT t.ledger_id, t.id, t.created_at, ?2, ?3 FROM json_each(?1) k JOIN assets t ON {is_row} WHERE true \
         ON CONFLICT (ledger_id, asset_id) DO UPDATE SET issued_at = excluded.issued_at, \
         withdrawn_at = excluded.withdrawn_at, record_ref = excluded.record_ref",
    );
    Some(over(sql, destroyed).bind(now).bind(reference))
}
