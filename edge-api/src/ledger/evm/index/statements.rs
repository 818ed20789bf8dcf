//! The statements that write the changes of blocks, claims, and the position of the index. The functions that write changes are those
//! of the embedded ledger. They get the time of the block.

use alloy_primitives::B256;
use order_core::Address;
use serde_json::json;

use super::events::{Event, What};
use super::fold::BlockChanges;
use super::index_head::IndexHead;
use super::logs::{Found, Mined, Segment, digest};
use super::undo::Kept;
use crate::ledger::projection::{Authored, keep_imprints, unauthored, withdraw, write};
use crate::ports::{DatabaseError, Statement};
use crate::text::{account_key, hash_key};

/// Maximum number of rows that one statement writes. A statement's parameter may have two megabytes.
const ROWS_AT_ONCE: usize = 1_000;

/// Returns the statements that write the changes of a block. Unless the block is final, they first store the old rows for a rollback.
pub(super) fn written(
    changes: BlockChanges<'_>,
    block: &Mined,
    is_settled: bool,
) -> Result<Vec<Statement>, DatabaseError> {
    let BlockChanges {
        created,
        paid,
        layers,
    } = changes;
    let mut statements = Vec::new();
    if !is_settled {
        let mut kept = Kept::new(block.number, block.time, layers.len());
        created.iter().for_each(|(change, _)| kept.add(change));
        for (change, _) in layers.iter().flatten() {
            kept.add(change);
        }
        paid.iter().for_each(|change| kept.add(change));
        statements.extend(kept.statements(ROWS_AT_ONCE));
    }
    for paid in paid.chunks(ROWS_AT_ONCE) {
        statements.extend(write(&unauthored(paid), None, block.time)?);
    }
    for (change, new) in created {
        let created = [change];
        let created = unauthored(&created);
        statements.extend(write(&created, Some(&new.ledger), block.time)?);
    }
    for layer in layers {
        let changes: Vec<Authored<'_>> = layer.iter().map(|(change, by)| (change, by)).collect();
        for changes in changes.chunks(ROWS_AT_ONCE) {
            // Reads the rows of assets before they are deleted.
            statements.extend(withdraw(changes, block.time));
            statements.extend(keep_imprints(changes, block.time)?);
            statements.extend(write(changes, None, block.time)?);
        }
    }
    Ok(statements)
}

/// Returns a statement that stores the claims that were performed or canceled. `None` if there are none.
pub(super) fn claims(
    segment: &Segment,
    events: &[Event],
) -> Result<Option<Statement>, DatabaseError> {
    let mut rows = Vec::new();
    for event in events {
        let (claim, is_canceled, is_deployment, ledger) = match &event.what {
            What::Performed { claim, ledger } => (claim, false, ledger.is_some(), *ledger),
            What::Canceled {
                claim,
                is_deployment,
            } => (claim, true, *is_deployment, None),
            What::Changed(..) | What::Paid { .. } | What::Nothing => continue,
        };
        let block = segment.blocks.get(event.block);
        rows.push(json!([
            hash_key(claim),
            u8::from(is_canceled),
            u8::from(is_deployment),
            block.map(|block| block.number),
            hash_key(&event.tx),
            ledger.as_ref().map(account_key),
        ]));
    }
    if rows.is_empty() {
        return Ok(None);
    }
    Statement::new(
        "INSERT INTO chain_claim_logs (hash, canceled, is_deployment, block, tx_hash, ledger_id) \
         SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?1) WHERE true \
         ON CONFLICT (hash, canceled) DO UPDATE SET is_deployment = excluded.is_deployment, block = excluded.block, \
         tx_hash = excluded.tx_hash, ledger_id = excluded.ledger_id",
    )
    .bind_json(&rows)
    .map(Some)
}

/// Returns statements that move the index head to the end of the segment, and store the blocks to which a reorganisation may lead back. A
/// block that is not final is stored with a digest of the logs of `contracts`, which `confirm.rs` later compares with the logs of a quorum.
/// `contracts` are in the order of their addresses.
pub(super) fn indexed(
    index_head: &IndexHead,
    segment: &Segment,
    contracts: &[Address],
) -> Result<Vec<Statement>, DatabaseError> {
    let Some(last) = segment.blocks.last() else {
        return Ok(Vec::new());
    };
    if let Some(part) = segment.part.as_ref().filter(|part| !part.is_last) {
        return Ok(vec![IndexHead::move_within(&part.end)?]);
    }
    let row = |number: u64, hash: &B256| json!([number, hash_key(hash)]);
    let (kept, oldest) = if segment.is_settled {
        // These blocks cannot be undone. A rollback goes back at most to the last of them, so only its row is needed.
        (vec![row(last.number, &last.hash)], last.number)
    } else {
        let first = row(index_head.number, &index_head.hash);
        let blocks = segment.blocks.iter().map(|block| {
            let logs: Vec<&Found> = segment
                .logs
                .iter()
                .filter(|log| {
                    log.block == block.number && contracts.binary_search(&log.address).is_ok()
                })
                .collect();
            let (count, all, in_parts) = match &segment.part {
                Some(part) => (part.end.count, part.end.digest, 1),
                None => (logs.len(), digest(B256::ZERO, logs), 0),
            };
            json!([
                block.number,
                hash_key(&block.hash),
                hash_key(&all),
                count,
                in_parts
            ])
        });
        ([first].into_iter().chain(blocks).collect(), 0)
    };
    Ok(vec![
        Statement::new("DELETE FROM chain_blocks WHERE number < ?1").bind(oldest),
        Statement::new(
            "INSERT INTO chain_blocks (number, hash, logs, log_count, in_parts) \
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, ifnull(value ->> 4, 0) FROM json_each(?1) WHERE true \
             ON CONFLICT (number) DO UPDATE SET hash = excluded.hash, logs = coalesce(excluded.logs, logs), \
             log_count = coalesce(excluded.log_count, log_count), in_parts = max(excluded.in_parts, in_parts)",
        )
        .bind_json(&kept)?,
        IndexHead::move_to(last.number, &last.hash, Some(last.time)),
    ])
}
