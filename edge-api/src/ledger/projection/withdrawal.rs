//! Stores data about destroyed assets, so that a withdrawn certificate does not look like one that never existed.

use const_format::concatcp;
use order_core::{Address, AssetId, Change};
use serde::Deserialize;
use serde_json::Value;

use super::author::Authored;
use super::history::{KEPT_MAX, PastImprint};
use super::read::{AssetRow, LedgerRow, ledger_key, of_ledger};
use super::tables::{ASSETS, over};
use crate::api::{ReasonAuthor, ReasonRole};
use crate::db::rows::{object, parts};
use crate::ports::{Database, DatabaseError, Rows, Statement};
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
    /// The account that signed the action that destroyed the asset. `None` if this service does not know it.
    pub(crate) withdrawn_by: Option<Address>,
    /// The reference of that order. Empty if this service does not have the order.
    pub(crate) record_ref: String,
    pub(crate) reason: Option<String>,
    /// The account that gave the reason. `None` without a reason.
    pub(crate) reason_by: Option<Address>,
}

impl Withdrawal {
    /// Returns true if the account withdrew the asset, and so may give the reason: it created the order or signed the action. The last owner
    /// also may if the account that signed is not known. The owner of an asset that another account revoked may not, because it would speak
    /// for that account. So it may not if it created the order either.
    pub(crate) fn is_by(&self, account: Address) -> bool {
        let account = Some(account);
        let signer = self.withdrawn_by.or(self.owner);
        signer == account || (self.creator == account && self.owner != account)
    }

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

/// SQL that selects everything about the ledger `?1` and its asset id `?2`. Each row has the name of a part and a JSON object.
const PARTS: &str = concatcp!(
    "SELECT 'ledgers' AS part, ",
    object!("l": ref id name symbol uri_prefix uri_postfix schema_id capabilities owner_id asset_count created_at),
    " AS item FROM ledgers l WHERE l.id = ?1 OR l.ref = ?1 UNION ALL SELECT 'assets', ",
    object!("a": id owner_id imprint created_at updated_at),
    " FROM assets a WHERE a.",
    of_ledger!("?1"),
    " AND a.id = ?2 UNION ALL SELECT 'withdrawals', json_set(",
    object!("w": issued_at withdrawn_at owner_id withdrawn_by record_ref reason reason_by),
    ", '$.creator_id', r.creator_id) FROM withdrawals w LEFT JOIN records r ON r.ref = w.record_ref WHERE w.",
    of_ledger!("?1"),
    " AND w.asset_id = ?2 UNION ALL SELECT * FROM (SELECT 'past_imprints', ",
    object!("p": imprint ended_at withdrawn),
    " FROM past_imprints p WHERE p.",
    of_ledger!("?1"),
    " AND p.asset_id = ?2 ORDER BY p.ended_at DESC, p.imprint DESC LIMIT ",
    KEPT_MAX,
    ")"
);

/// Reads the standing of an asset id on a ledger. `ledger` is the ledger's address or reference. `about` is
/// SQL that selects JSON objects about the ledger `?1` or its asset `?2`, as a part of the same statement. Returns its rows too, and the
/// rows of the statements `more`, which run in the same round trip.
pub(crate) async fn certified(
    db: &dyn Database,
    ledger: &str,
    asset: &AssetId,
    about: &str,
    more: Vec<Statement>,
) -> Result<(Certified, Rows, Vec<Rows>), DatabaseError> {
    let select = format!("{PARTS} UNION ALL SELECT 'about', * FROM ({about})");
    let select = Statement::built(select.into(), Vec::new())
        .bind(ledger_key(ledger))
        .bind(asset.to_hex64());
    let mut more = db.batch([vec![select], more].concat()).await?.into_iter();
    let [ledgers, assets, withdrawals, past, about] = parts(
        more.next().unwrap_or_default(),
        ["ledgers", "assets", "withdrawals", "past_imprints", "about"],
    )?;
    let more = more.collect();
    let Some(ledger) = ledgers.first()? else {
        return Ok((Certified::NoLedger, about, more));
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
    Ok((certified, about, more))
}

/// SQL that selects a JSON object with `kind`, `creator_id` and `body` of the order that destroyed the asset `?2` of the ledger `?1`.
pub(crate) const SELECT_ORDER: &str = concatcp!(
    "SELECT ",
    object!("r": kind creator_id body),
    " FROM withdrawals w JOIN records r ON r.ref = w.record_ref WHERE w.",
    of_ledger!("?1"),
    " AND w.asset_id = ?2"
);

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
pub(in crate::ledger) fn withdraw(changes: &[Authored<'_>], now: u64) -> Option<Statement> {
    let destroyed = changes.iter().filter_map(|(change, author)| match change {
        Change::Asset {
            ledger,
            id,
            old: Some(_),
            new: None,
        } => {
            let [reference, signer] = author.columns();
            let row = [account_key(ledger), id.to_hex64()].map(Value::from);
            Some(row.into_iter().chain([reference, signer]).collect())
        }
        _ => None,
    });
    let destroyed: Vec<Value> = destroyed.collect();
    if destroyed.is_empty() {
        return None;
    }
    let is_row = ASSETS.is_row();
    let sql = format!(
        "INSERT INTO withdrawals (ledger_id, asset_id, issued_at, withdrawn_at, record_ref, owner_id, created_ref, created_by, \
         replaced_at, withdrawn_by) \
         SELECT t.ledger_id, t.id, t.created_at, ?2, ifnull(k.value ->> 2, ''), t.owner_id, t.created_ref, t.created_by, \
         t.replaced_at, k.value ->> 3 FROM json_each(?1) k JOIN assets t ON {is_row} WHERE true \
         ON CONFLICT (ledger_id, asset_id) DO UPDATE SET issued_at = excluded.issued_at, \
         withdrawn_at = excluded.withdrawn_at, record_ref = excluded.record_ref, owner_id = excluded.owner_id, \
         reason = NULL, reason_by = NULL, created_ref = excluded.created_ref, created_by = excluded.created_by, \
         replaced_at = excluded.replaced_at, withdrawn_by = excluded.withdrawn_by, is_reissued = 0",
    );
    Some(over(sql, destroyed).bind(now))
}
