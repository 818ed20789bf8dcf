//! Reads the history of an asset: its issue, replacements, transfers and withdrawals.

use std::cmp::Reverse;

use order_core::{Address, AssetId, Imprint};
use serde::Deserialize;

use super::read::{LedgerRow, ledger_key, of_ledger, select_ledger};
use crate::api::{AssetChange, AssetChangeKind, AssetHistory, Ref, Timestamp};
use crate::db::rows::flag;
use crate::ports::{Database, DatabaseError, Statement, exactly};
use const_format::concatcp;

/// Maximum number of transfers in a history. The table keeps all of them, as `records` keeps all orders.
const TRANSFERS_MAX: u32 = 100;

const ISSUES: &str = concatcp!(
    "SELECT a.created_at AS at, a.created_ref AS record_ref, ifnull(a.created_by, r.creator_id) AS signer \
     FROM assets a LEFT JOIN records r ON r.ref = a.created_ref WHERE a.",
    of_ledger!("?1"),
    " AND a.id = ?2"
);
const WITHDRAWALS: &str = concatcp!(
    "SELECT w.issued_at, w.created_ref, ifnull(w.created_by, c.creator_id) AS created_by, w.withdrawn_at, \
     nullif(w.record_ref, '') AS record_ref, ifnull(w.withdrawn_by, r.creator_id) AS withdrawn_by, w.reason, w.reason_by \
     FROM withdrawals w LEFT JOIN records c ON c.ref = w.created_ref LEFT JOIN records r ON r.ref = w.record_ref WHERE w.",
    of_ledger!("?1"),
    " AND w.asset_id = ?2"
);
const IMPRINTS: &str = concatcp!(
    "SELECT ended_at, imprint, withdrawn, record_ref, ended_by FROM past_imprints WHERE ",
    of_ledger!("?1"),
    " AND asset_id = ?2 ORDER BY ended_at DESC, imprint DESC LIMIT 100"
);
const TRANSFERS: &str = concatcp!(
    "SELECT moved_at, from_id, to_id, record_ref, moved_by FROM asset_transfers WHERE ",
    of_ledger!("?1"),
    " AND asset_id = ?2 ORDER BY moved_at DESC, to_id DESC LIMIT ",
    TRANSFERS_MAX
);

#[derive(Deserialize)]
struct Issue {
    at: u64,
    record_ref: Option<String>,
    signer: Option<Address>,
}

#[derive(Deserialize)]
struct Withdrawn {
    issued_at: Option<u64>,
    created_ref: Option<String>,
    created_by: Option<Address>,
    withdrawn_at: u64,
    record_ref: Option<String>,
    withdrawn_by: Option<Address>,
    reason: Option<String>,
    reason_by: Option<Address>,
}

#[derive(Deserialize)]
struct Ended {
    ended_at: u64,
    imprint: Imprint,
    #[serde(deserialize_with = "flag")]
    withdrawn: bool,
    record_ref: Option<String>,
    ended_by: Option<Address>,
}

#[derive(Deserialize)]
struct Transfer {
    moved_at: u64,
    from_id: Address,
    to_id: Address,
    record_ref: Option<String>,
    moved_by: Option<Address>,
}

/// Returns a change without the fields that only some kinds have.
fn change(
    kind: AssetChangeKind,
    at: u64,
    by: Option<Address>,
    order: Option<String>,
) -> AssetChange {
    AssetChange {
        kind,
        at: Timestamp(at),
        by,
        order_ref: order.map(Ref),
        past_imprint: None,
        from_id: None,
        to_id: None,
        reason: None,
        reason_by: None,
    }
}

/// Returns the history of an asset id on a ledger. The outer `None` means that the ledger does not exist, the inner one that no such
/// asset was ever issued.
pub(crate) async fn past_of_asset(
    db: &dyn Database,
    ledger: &str,
    asset: Option<&AssetId>,
) -> Result<Option<Option<AssetHistory>>, DatabaseError> {
    let of_asset = |sql| {
        let statement = Statement::new(sql).bind(ledger_key(ledger));
        statement.bind(asset.map(AssetId::to_hex64))
    };
    let statements = vec![
        select_ledger(ledger),
        of_asset(ISSUES),
        of_asset(WITHDRAWALS),
        of_asset(IMPRINTS),
        of_asset(TRANSFERS),
    ];
    let [ledgers, issues, withdrawals, imprints, transfers] = exactly(db.batch(statements).await?)?;
    let Some(ledger) = ledgers.first::<LedgerRow>()? else {
        return Ok(None);
    };
    let mut changes = Vec::new();
    if let Some(issue) = issues.first::<Issue>()? {
        let issued = AssetChangeKind::Issued;
        changes.push(change(issued, issue.at, issue.signer, issue.record_ref));
    }
    let withdrawal = withdrawals.first::<Withdrawn>()?;
    if let Some(Withdrawn {
        issued_at: Some(at),
        created_ref,
        created_by,
        ..
    }) = &withdrawal
    {
        let issued = AssetChangeKind::Issued;
        changes.push(change(issued, *at, *created_by, created_ref.clone()));
    }
    let mut has_last = false;
    for ended in imprints.all::<Ended>()? {
        let last = withdrawal
            .as_ref()
            .filter(|last| ended.withdrawn && last.withdrawn_at == ended.ended_at);
        has_last |= last.is_some();
        let kind = match ended.withdrawn {
            true => AssetChangeKind::Withdrawn,
            false => AssetChangeKind::Replaced,
        };
        let by = ended.ended_by.or(last.and_then(|last| last.withdrawn_by));
        let order = ended
            .record_ref
            .or(last.and_then(|last| last.record_ref.clone()));
        changes.push(AssetChange {
            past_imprint: Some(ended.imprint),
            reason: last.and_then(|last| last.reason.clone()),
            reason_by: last.and_then(|last| last.reason_by),
            ..change(kind, ended.ended_at, by, order)
        });
    }
    // An asset that was destroyed before this service stored imprints has no row of them.
    if let Some(last) = withdrawal.filter(|_| !has_last) {
        let kind = AssetChangeKind::Withdrawn;
        changes.push(AssetChange {
            reason: last.reason,
            reason_by: last.reason_by,
            ..change(kind, last.withdrawn_at, last.withdrawn_by, last.record_ref)
        });
    }
    for moved in transfers.all::<Transfer>()? {
        let kind = AssetChangeKind::Transferred;
        changes.push(AssetChange {
            from_id: Some(moved.from_id),
            to_id: Some(moved.to_id),
            ..change(kind, moved.moved_at, moved.moved_by, moved.record_ref)
        });
    }
    changes.sort_by_key(|change| Reverse((change.at, change.kind)));
    let history = asset
        .filter(|_| !changes.is_empty())
        .map(|asset| AssetHistory {
            ledger_ref: Ref(ledger.reference),
            ledger_id: ledger.id,
            id: *asset,
            changes,
        });
    Ok(Some(history))
}
