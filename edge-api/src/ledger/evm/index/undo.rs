//! Takes back blocks that are no longer in the chain.
//!
//! Before a block changes a row, the row is stored in `chain_undo`. A rollback gives each row the content that it had before the first
//! removed block.

use alloy_primitives::B256;
use order_core::Change;
use serde::Deserialize;
use serde_json::{Value, json};

use super::super::block::Block;
use super::super::memory::Evm;
use super::super::rpc::{Ask, unavailable};
use super::index_head::{IndexHead, IndexedBlock};
use crate::context::Context;
use crate::db::rows::hash;
use crate::ledger::projection::{
    ABILITIES, ASSETS, BALANCES, KEPT_MAX, LEDGERS, Table, joined, over,
};
use crate::ledger::{LedgerError, Next, Observed};
use crate::ports::{Level, Statement, exactly};
use crate::text::{account_key, month_of};

const WITHDRAWALS: Table = Table {
    name: "withdrawals",
    key: &["ledger_id", "asset_id"],
    value: &[],
    other: &[
        "issued_at",
        "withdrawn_at",
        "record_ref",
        "owner_id",
        "reason",
        "reason_by",
        "created_ref",
        "created_by",
        "replaced_at",
        "withdrawn_by",
        "is_reissued",
    ],
};
const PAST_IMPRINTS: Table = Table {
    name: "past_imprints",
    key: &["ledger_id", "asset_id", "ended_at", "imprint"],
    value: &[],
    other: &["withdrawn", "record_ref", "ended_by"],
};
const TRANSFERS: Table = Table {
    name: "asset_transfers",
    key: &["ledger_id", "asset_id", "moved_at", "to_id"],
    value: &[],
    other: &["from_id", "record_ref", "moved_by"],
};
const ABILITY_CHANGES: Table = Table {
    name: "ability_changes",
    key: &["ledger_id", "changed_at", "account_id"],
    value: &[],
    other: &["old_abilities", "new_abilities", "record_ref", "changed_by"],
};
const MONTHS: Table = Table {
    name: "ledger_months",
    key: &["ledger_id", "month"],
    value: &[],
    other: &["issued_before"],
};

/// The tables in the order in which their rows are restored. Ledgers come first, because rows of other tables belong to them.
const TABLES: [&Table; 9] = [
    &LEDGERS,
    &ASSETS,
    &ABILITIES,
    &WITHDRAWALS,
    &PAST_IMPRINTS,
    &BALANCES,
    &TRANSFERS,
    &MONTHS,
    &ABILITY_CHANGES,
];

/// Formats each item and joins the results by commas.
fn listed<T>(items: impl IntoIterator<Item = T>, write: impl Fn(T) -> String) -> String {
    let written: Vec<String> = items.into_iter().map(write).collect();
    written.join(", ")
}

impl Table {
    fn columns(&self) -> Vec<&'static str> {
        [self.key, self.value, self.other].concat()
    }

    /// Returns SQL that converts a row `t` to a JSON object.
    fn image(&self) -> String {
        let fields = listed(self.columns(), |column| format!("'{column}', t.{column}"));
        format!("json_object({fields})")
    }

    /// Returns a statement that stores the rows with these keys, unless they are already stored for the block.
    fn keep(&self, block: u64, keys: &[Value]) -> Statement {
        self.keep_by("LEFT JOIN", block, keys)
    }

    /// Like [`Table::keep`], but stores nothing for keys without a row.
    fn keep_existing(&self, block: u64, keys: &[Value]) -> Statement {
        self.keep_by("JOIN", block, keys)
    }

    fn keep_by(&self, join: &str, block: u64, keys: &[Value]) -> Statement {
        let (name, image, is_row) = (self.name, self.image(), self.is_row());
        let first = self.key.first().copied().unwrap_or_default();
        let key = joined(&self.terms().0, ", ", &|_, value| value.to_owned());
        let sql = format!(
            "INSERT OR IGNORE INTO chain_undo (block, name, key, image) \
             SELECT ?2, '{name}', json_array({key}), iif(t.{first} IS NULL, NULL, {image}) \
             FROM json_each(?1) k {join} {name} t ON {is_row}"
        );
        over(sql, keys.to_vec()).bind(block)
    }

    /// Returns SQL that selects this table's rows of `chain_undo` after block `?1`. If a key has several rows, it selects the row of the
    /// lowest block.
    fn images(&self) -> String {
        let name = self.name;
        format!(
            "(SELECT key, image, min(block) FROM chain_undo WHERE block > ?1 AND name = '{name}' GROUP BY key) u"
        )
    }

    /// Returns SQL that deletes the rows that did not exist before.
    fn delete_new(&self) -> String {
        let (name, images) = (self.name, self.images());
        let key = self.key.join(", ");
        let values = listed(0..self.key.len(), |place| format!("u.key ->> {place}"));
        format!(
            "DELETE FROM {name} WHERE ({key}) IN (SELECT {values} FROM {images} WHERE u.image IS NULL)"
        )
    }

    /// Returns SQL that restores the rows that existed before.
    fn restore(&self) -> String {
        let (name, images) = (self.name, self.images());
        let (columns, key) = (self.columns().join(", "), self.key.join(", "));
        let values = listed(self.columns(), |column| format!("u.image ->> '{column}'"));
        let content = [self.value, self.other].concat();
        let set = listed(content, |column| format!("{column} = excluded.{column}"));
        format!(
            "INSERT INTO {name} ({columns}) SELECT {values} FROM {images} WHERE u.image IS NOT NULL \
             ON CONFLICT ({key}) DO UPDATE SET {set}"
        )
    }
}

/// The keys of the rows that a block changes.
pub(super) struct Kept {
    block: u64,
    /// The time of the block. Replaced imprints end at this time, and assets move at this time.
    time: u64,
    /// The largest number of changes of one row in this block. No asset changes more often.
    layers: usize,
    keys: [Vec<Value>; 9],
    /// The assets whose imprint this block replaces or ends. The block stores this imprint as an earlier one, and may delete the asset's
    /// oldest earlier imprints.
    ended: Vec<Value>,
    /// The assets that this block creates. The creation changes the row of an earlier withdrawal of the same id.
    issued: Vec<Value>,
}

impl Kept {
    pub(super) fn new(block: u64, time: u64, layers: usize) -> Self {
        Self {
            block,
            time,
            layers,
            keys: Default::default(),
            ended: Vec::new(),
            issued: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, change: &Change) {
        let [
            ledgers,
            assets,
            abilities,
            withdrawals,
            past,
            balances,
            transfers,
            months,
            ability_changes,
        ] = &mut self.keys;
        match change {
            Change::LedgerCreated { ledger, .. } => ledgers.push(json!([account_key(ledger)])),
            Change::Asset {
                ledger,
                id,
                old,
                new,
            } => {
                let (ledger, id) = (account_key(ledger), id.to_hex64());
                assets.push(json!([ledger, id]));
                if old.is_none() || new.is_none() {
                    // The ledger's row changes, too, because it counts its assets.
                    ledgers.push(json!([ledger]));
                }
                if old.is_none() {
                    months.push(json!([ledger, month_of(self.time)]));
                }
                if old.is_none() {
                    self.issued.push(json!([ledger, id]));
                }
                if new.is_none() {
                    withdrawals.push(json!([ledger, id]));
                }
                if let (Some(old), Some(new)) = (old, new)
                    && old.owner != new.owner
                {
                    transfers.push(json!([ledger, id, self.time, account_key(&new.owner)]));
                }
                let imprint = new.as_ref().map(|new| new.imprint);
                if let Some(old) = old
                    && imprint != Some(old.imprint)
                {
                    past.push(json!([ledger, id, self.time, old.imprint.to_string()]));
                    self.ended.push(json!([ledger, id]));
                }
            }
            Change::Abilities {
                ledger, account, ..
            } => {
                let (ledger, account) = (account_key(ledger), account_key(account));
                ability_changes.push(json!([ledger, self.time, account]));
                abilities.push(json!([ledger, account]));
            }
            Change::Balance { account, .. } => balances.push(json!([account_key(account)])),
            // A chain's backend stores neither.
            Change::Operator { .. } | Change::Allowance { .. } => {}
        }
    }

    /// Returns the statements that store the rows. Each statement has at most `most` keys.
    pub(super) fn statements(&self, most: usize) -> Vec<Statement> {
        let mut statements = Vec::new();
        for (table, keys) in TABLES.iter().zip(&self.keys) {
            let chunks = keys.chunks(most);
            statements.extend(chunks.map(|keys| table.keep(self.block, keys)));
        }
        let issued = self.issued.chunks(most);
        statements.extend(issued.map(|keys| WITHDRAWALS.keep_existing(self.block, keys)));
        // Stores the oldest earlier imprints of an asset, because the block may delete those above the maximum.
        let layers = u32::try_from(self.layers).unwrap_or(u32::MAX);
        let rank = KEPT_MAX.saturating_sub(layers);
        let image = PAST_IMPRINTS.image();
        let oldest = self.ended.chunks(most).map(|assets| {
            let sql = format!(
                "INSERT OR IGNORE INTO chain_undo (block, name, key, image) \
                 SELECT ?2, 'past_imprints', json_array(t.ledger_id, t.asset_id, t.ended_at, t.imprint), {image} \
                 FROM json_each(?1) k CROSS JOIN past_imprints t ON t.ledger_id = k.value ->> 0 AND t.asset_id = k.value ->> 1 \
                 WHERE t.ended_at <= (SELECT l.ended_at FROM past_imprints l WHERE l.ledger_id = k.value ->> 0 \
                 AND l.asset_id = k.value ->> 1 ORDER BY l.ended_at DESC LIMIT 1 OFFSET ?3)"
            );
            over(sql, assets.to_vec()).bind(self.block).bind(rank)
        });
        statements.extend(oldest);
        statements
    }
}

/// Maximum number of blocks whose hashes are compared at once.
const BLOCKS_AT_ONCE: u32 = 32;

#[derive(Deserialize)]
struct PerformedHash {
    #[serde(deserialize_with = "hash")]
    hash: B256,
}

/// Finds the last indexed block that is still in the chain, and takes back the blocks after it.
///
/// # Errors
/// If no provider answers, or if a final block is no longer in the chain. Indexing then stops, because the undo of final blocks is deleted.
pub(super) async fn reorganise(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
) -> Result<Observed, LedgerError> {
    // A large block of which only a part is indexed may be replaced alone.
    let mut before = match &index_head.part {
        Some(_) => index_head.number.saturating_add(1),
        None => index_head.number,
    };
    loop {
        let select = Statement::new(
            "SELECT number, hash FROM chain_blocks WHERE number < ?1 AND number >= ?2 ORDER BY number DESC LIMIT ?3",
        )
        .bind(before)
        .bind(index_head.settled)
        .bind(BLOCKS_AT_ONCE);
        let known: Vec<IndexedBlock> = ctx.db().query(select).await?.all()?;
        let Some(last) = known.last() else {
            let line = json!({
                "event": "chain.reorganised-below-final",
                "block": index_head.number,
                "final": index_head.settled,
            });
            ctx.log(Level::Error, line);
            evm.forget_pulse();
            return Err(unavailable(
                "the chain has replaced a final block of the index, so indexing stops",
            ));
        };
        before = last.number;
        let calls: Vec<Ask> = known.iter().map(|row| Block::at(row.number)).collect();
        let replies = evm.rpc(ctx).ask(&calls).await?;
        for (row, reply) in known.iter().zip(replies) {
            let block = Block::read(&reply.value()?)?;
            if block.is_some_and(|block| block.hash == row.hash) {
                let line = json!({
                    "event": "chain.reorganised",
                    "block": row.number,
                    "removed": index_head.number.saturating_sub(row.number),
                });
                ctx.log(Level::Warn, line);
                return back_to(ctx, index_head, row.number, &row.hash).await;
            }
        }
    }
}

/// Takes back the blocks after the last known block below `block`, because their logs or other data are untrue.
///
/// # Errors
/// If no block remains to which the index can return, because these blocks are already final.
pub(super) async fn discard(
    ctx: &Context<'_>,
    index_head: &IndexHead,
    block: u64,
) -> Result<Observed, LedgerError> {
    let select = Statement::new(
        "SELECT number, hash FROM chain_blocks WHERE number < ?1 AND number >= ?2 ORDER BY number DESC LIMIT 1",
    );
    let select = select.bind(block).bind(index_head.settled);
    let known: Option<IndexedBlock> = ctx.db().query(select).await?.first()?;
    let known = known.ok_or_else(|| unavailable("a final block was indexed with untrue data"))?;
    back_to(ctx, index_head, known.number, &known.hash).await
}

/// Returns the changes that make a block the last indexed one. The records that later blocks performed become Processing again.
async fn back_to(
    ctx: &Context<'_>,
    index_head: &IndexHead,
    number: u64,
    hash: &B256,
) -> Result<Observed, LedgerError> {
    let select =
        Statement::new("SELECT hash FROM chain_claim_logs WHERE block > ?1 AND canceled = 0");
    let [claims] = exactly(ctx.db().batch(vec![select.bind(number)]).await?)?;
    let claims: Vec<PerformedHash> = claims.all()?;
    let mut texts = vec![
        // A ledger keeps its reference when another block creates it.
        "INSERT INTO chain_refs (hash, ref) SELECT c.hash, l.ref FROM chain_claim_logs c JOIN ledgers l ON l.id = c.ledger_id \
         WHERE c.block > ?1 ON CONFLICT (hash) DO UPDATE SET ref = excluded.ref"
            .to_owned(),
        format!(
            "DELETE FROM file_uses WHERE ledger_id IN (SELECT u.key ->> 0 FROM {} WHERE u.image IS NULL)",
            LEDGERS.images()
        ),
    ];
    texts.extend(TABLES.iter().rev().map(|table| table.delete_new()));
    texts.extend(TABLES.iter().map(|table| table.restore()));
    for (table, column) in [
        ("chain_undo", "block"),
        ("chain_blocks", "number"),
        ("chain_claim_logs", "block"),
    ] {
        texts.push(format!("DELETE FROM {table} WHERE {column} > ?1"));
    }
    let mut statements = vec![index_head.guard()];
    let back = texts
        .into_iter()
        .map(|sql| Statement::built(sql.into(), Vec::new()).bind(number));
    statements.extend(back);
    statements.push(IndexHead::move_to(number, hash, None));
    statements.push(Statement::new(
        "UPDATE chain SET undone = undone + 1 WHERE only = 1",
    ));
    let check_at = ctx.now();
    let again = |claim: PerformedHash| (claim.hash, Next::Processing { check_at });
    Ok(Observed {
        statements,
        records: claims.into_iter().map(again).collect(),
    })
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;
    use crate::native::Sqlite;
    use crate::ports::Database;

    #[derive(Deserialize)]
    struct Column {
        name: String,
    }

    fn columns(database: &Sqlite, table: &str) -> Vec<String> {
        let select = Statement::new("SELECT name FROM pragma_table_info(?1)").bind(table);
        let mut batch = pin!(database.batch(vec![select]));
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(rows) = batch.as_mut().poll(&mut context) {
                let columns: Vec<Column> = rows.unwrap().pop().unwrap().all().unwrap();
                return columns.into_iter().map(|column| column.name).collect();
            }
        }
    }

    #[test]
    fn every_column_of_a_changed_table_is_restored() {
        let database = Sqlite::new().unwrap();
        for table in TABLES {
            let mut stored = columns(&database, table.name);
            let mut listed = table.columns();
            stored.sort_unstable();
            listed.sort_unstable();
            assert_eq!(listed, stored, "{}", table.name);
        }
    }
}
