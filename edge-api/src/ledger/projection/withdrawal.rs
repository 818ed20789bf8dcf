//! Stores data about destroyed assets, so that a withdrawn certificate does not look like one that never existed.

use order_core::{Address, AssetId, Change};
use serde::Deserialize;
use serde_json::Value;

use super::history::{self, PastImprint};
use super::read::{AssetRow, LedgerRow, ledger_key, of_ledger, select_asset, select_ledger};
use super::tables::{ASSETS, asset_row, over};
use crate::api::{ReasonAuthor, ReasonRole};
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};
use crate::text::account_key;

/// The stored data about a destroyed asset. Times are milliseconds since 1970.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Withdrawal {
    /// `None` if the asset was destroyed before this service stored times of issue.
    pub(crate) issued_at: Option<u64>,
    pub(crate) withdrawn_at: u64,
    /// The last owner. `None` if the asset was destroyed before this service stored owners.
    #[serde(rename = "owner_id")]
    pub(crate) owner: Option<Address>,
    /// The creator of the order that destroyed the asset. `None` if this service does not have the order.
    #[serde(rename = "creator_id")]
    pub(crate) creator: Option<Address>,
    /// The reference of that order. Empty if this service does not have the order.
    pub(crate) record_ref: String,
    pub(crate) reason: Option<String>,
    /// The account that gave the reason. `None` without a reason.
    pub(crate) reason_by: Option<Address>,
}

impl Withdrawal {
    /// Returns the author of the reason, or `None` without a reason. An account that is both the ledger's owner and the asset's last
    /// owner is the issuer.
    pub(crate) fn reason_author(&self, ledger: &LedgerRow) -> Option<ReasonAuthor> {
        let account = self.reason_by?;
        let role = if account == ledger.owner {
            ReasonRole::Issuer
        } else if Some(account) == self.owner {
            ReasonRole::Holder
        } else {
            ReasonRole::Other
        };
        Some(ReasonAuthor { account, role })
    }
}

/// The standing of an asset id on a ledger.
pub(crate) enum Certified {
    /// This service has no such ledger.
    NoLedger,
    /// No asset of that id was ever issued, as far as this service knows.
    Never(LedgerRow),
    /// The asset was destroyed, and has not been created again.
    Withdrawn {
        ledger: LedgerRow,
        withdrawal: Withdrawal,
        past: Vec<PastImprint>,
    },
    /// The asset exists.
    InForce {
        ledger: LedgerRow,
        asset: AssetRow,
        /// The last withdrawal, if the id was destroyed before and created again.
        before: Option<Withdrawal>,
        /// The imprints that the id had before, the latest first.
        past: Vec<PastImprint>,
    },
}

impl Certified {
    /// Returns the ledger, if this service has it.
    pub(crate) fn ledger(&self) -> Option<&LedgerRow> {
        match self {
            Self::NoLedger => None,
            Self::Never(ledger) | Self::Withdrawn { ledger, .. } | Self::InForce { ledger, .. } => {
                Some(ledger)
            }
        }
    }
}

/// Reads the standing of an asset id on a ledger. `ledger` is the ledger's address or reference. Also runs the statements `more` in the
/// same round trip and returns their rows.
pub(crate) async fn certified(
    db: &dyn Database,
    ledger: &str,
    asset: &AssetId,
    more: Vec<Statement>,
) -> Result<(Certified, Vec<Rows>), DatabaseError> {
    let withdrawal = Statement::new(concat!(
        "SELECT w.issued_at, w.withdrawn_at, w.owner_id, r.creator_id, w.record_ref, w.reason, w.reason_by FROM withdrawals w \
         LEFT JOIN records r ON r.ref = w.record_ref WHERE ",
        of_ledger!("?1"),
        " AND w.asset_id = ?2"
    ))
    .bind(ledger_key(ledger))
    .bind(asset.to_hex64());
    let statements = vec![
        select_ledger(ledger),
        select_asset(ledger, Some(asset)),
        withdrawal,
        history::select(ledger, asset),
    ];
    let count = statements.len();
    let mut rows = db.batch([statements, more].concat()).await?;
    let more = rows.split_off(rows.len().min(count));
    let [ledgers, assets, withdrawals, past] = exactly(rows)?;
    let Some(ledger) = ledgers.first()? else {
        return Ok((Certified::NoLedger, more));
    };
    let past = past.all()?;
    let certified = match (assets.first()?, withdrawals.first()?) {
        (Some(asset), before) => Certified::InForce {
            ledger,
            asset,
            before,
            past,
        },
        (None, Some(withdrawal)) => Certified::Withdrawn {
            ledger,
            withdrawal,
            past,
        },
        (None, None) => Certified::Never(ledger),
    };
    Ok((certified, more))
}

/// Selects `kind`, `creator_id` and `body` of the order that destroyed an asset.
pub(crate) fn select_order(ledger: &str, asset: &AssetId) -> Statement {
    Statement::new(concat!(
        "SELECT r.kind, r.creator_id, r.body FROM withdrawals w JOIN records r ON r.ref = w.record_ref WHERE ",
        of_ledger!("?1"),
        " AND w.asset_id = ?2"
    ))
    .bind(ledger_key(ledger))
    .bind(asset.to_hex64())
}

/// Returns statements that replace the reason of a withdrawal. A guard aborts the batch if the reason has changed since
/// it was read, or if the asset was created or destroyed again.
pub(crate) fn write_reason(
    ledger: &Address,
    asset: &AssetId,
    old: &Withdrawal,
    new: &Withdrawal,
) -> Vec<Statement> {
    let (ledger, asset) = (account_key(ledger), asset.to_hex64());
    vec![
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM withdrawals WHERE ledger_id = ?1 AND asset_id = ?2 \
             AND withdrawn_at = ?3 AND reason IS ?4 AND reason_by IS ?5) \
             OR EXISTS (SELECT 1 FROM assets WHERE ledger_id = ?1 AND id = ?2)",
        )
        .bind(ledger.as_str())
        .bind(asset.as_str())
        .bind(old.withdrawn_at)
        .bind(old.reason.as_deref())
        .bind(old.reason_by.as_ref().map(account_key)),
        Statement::new(
            "UPDATE withdrawals SET reason = ?3, reason_by = ?4 WHERE ledger_id = ?1 AND asset_id = ?2",
        )
        .bind(ledger.as_str())
        .bind(asset.as_str())
        .bind(new.reason.as_deref())
        .bind(new.reason_by.as_ref().map(account_key)),
    ]
}

/// Returns a statement that stores a withdrawal for each destroyed asset. `None` if no asset is destroyed. The statement reads the
/// rows of the assets, so it must run before their deletion.
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
        "INSERT INTO withdrawals (ledger_id, asset_id, issued_at, withdrawn_at, record_ref, owner_id) \
         SELECT t.ledger_id, t.id, t.created_at, ?2, ?3, t.owner_id FROM json_each(?1) k JOIN assets t ON {is_row} WHERE true \
         ON CONFLICT (ledger_id, asset_id) DO UPDATE SET issued_at = excluded.issued_at, \
         withdrawn_at = excluded.withdrawn_at, record_ref = excluded.record_ref, owner_id = excluded.owner_id, \
         reason = NULL, reason_by = NULL",
    );
    Some(over(sql, destroyed).bind(now).bind(reference))
}
