//! Stores earlier imprints of assets. A document with an earlier imprint then counts as replaced or withdrawn, not as forged.

use order_core::{Change, Imprint};
use serde::Deserialize;
use serde_json::{Value, json};

use super::author::Authored;
use crate::db::rows::flag;
use crate::ports::{DatabaseError, Statement};
use crate::text::account_key;

/// Maximum number of earlier imprints that are kept for an asset. The oldest are deleted first.
pub(in crate::ledger) const KEPT_MAX: u32 = 100;

/// An imprint that an asset had before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct PastImprint {
    pub(crate) imprint: Imprint,
    /// The time at which the asset lost this imprint, in milliseconds since 1970.
    pub(crate) ended_at: u64,
    /// True if the asset was destroyed at that time, false if its imprint was updated.
    #[serde(deserialize_with = "flag")]
    pub(crate) withdrawn: bool,
}

/// Returns statements that store the previous imprints of updated and destroyed assets, and delete the oldest above [`KEPT_MAX`].
pub(in crate::ledger) fn keep_imprints(
    changes: &[Authored<'_>],
    now: u64,
) -> Result<Vec<Statement>, DatabaseError> {
    let ended = changes.iter().filter_map(|(change, author)| match change {
        Change::Asset {
            ledger,
            id,
            old: Some(old),
            new,
        } if new.as_ref().is_none_or(|new| new.imprint != old.imprint) => {
            let [reference, signer] = author.columns();
            Some(json!([
                account_key(ledger),
                id.to_hex64(),
                old.imprint.to_string(),
                u8::from(new.is_none()),
                reference,
                signer
            ]))
        }
        _ => None,
    });
    let ended: Vec<Value> = ended.collect();
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    Ok(vec![
        Statement::new(
            "INSERT INTO past_imprints (ledger_id, asset_id, imprint, ended_at, withdrawn, record_ref, ended_by) \
             SELECT value ->> 0, value ->> 1, value ->> 2, ?2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?1) WHERE true \
             ON CONFLICT (ledger_id, asset_id, ended_at, imprint) DO UPDATE SET withdrawn = excluded.withdrawn, \
             record_ref = excluded.record_ref, ended_by = excluded.ended_by",
        )
        .bind_json(&ended)?
        .bind(now),
        Statement::new(
            "DELETE FROM past_imprints WHERE (ledger_id, asset_id, ended_at, imprint) IN \
             (SELECT p.ledger_id, p.asset_id, p.ended_at, p.imprint FROM json_each(?1) k CROSS JOIN past_imprints p \
             ON p.ledger_id = k.value ->> 0 AND p.asset_id = k.value ->> 1 WHERE p.ended_at < \
             (SELECT l.ended_at FROM past_imprints l WHERE l.ledger_id = k.value ->> 0 AND l.asset_id = k.value ->> 1 \
             ORDER BY l.ended_at DESC LIMIT 1 OFFSET ?2))",
        )
        .bind_json(&ended)?
        .bind(KEPT_MAX.saturating_sub(1)),
    ])
}
