//! The position of the index in the chain.

use alloy_primitives::B256;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::super::rpc::unavailable;
use crate::context::Context;
use crate::db::rows::hash;
use crate::ledger::LedgerError;
use crate::ports::{DatabaseError, Statement};
use crate::text::hash_key;

/// Milliseconds after which a record that is in a block is due again, unless its block becomes final earlier.
pub(super) const SUCCESS_CHECK_MS: u64 = 60_000;

/// A state of the index: the hash of the last indexed block, how many times blocks were taken back, and the number of indexed logs in the next
/// block. After a wrong log was taken back, a block can have other rows.
pub(super) type State = (B256, u64, usize);

/// The number and the hash of an indexed block.
#[derive(Deserialize)]
pub(super) struct IndexedBlock {
    pub(super) number: u64,
    #[serde(deserialize_with = "hash")]
    pub(super) hash: B256,
}

/// The last indexed block.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct IndexHead {
    pub(super) number: u64,
    #[serde(deserialize_with = "hash")]
    pub(super) hash: B256,
    /// How many times blocks were taken back.
    pub(super) undone: u64,
    /// The last block whose records are final.
    #[serde(rename = "final")]
    pub(super) settled: u64,
    /// The first block after `settled` whose logs have not been compared with those of a quorum.
    pub(super) unconfirmed: Option<u64>,
    /// The last block when the settings were checked against the chain.
    pub(super) checked_block: u64,
    /// The position in the next block, if a part of this block is indexed.
    #[serde(deserialize_with = "position")]
    pub(super) part: Option<Position>,
}

/// Reads a position that is stored as JSON. A damaged one is an error, because the next part would be indexed twice.
fn position<'de, D: Deserializer<'de>>(column: D) -> Result<Option<Position>, D::Error> {
    let text = Option::<String>::deserialize(column)?;
    let position = text.as_deref().map(serde_json::from_str).transpose();
    position.map_err(serde::de::Error::custom)
}

impl IndexHead {
    pub(super) async fn read(ctx: &Context<'_>) -> Result<Self, LedgerError> {
        let select = Statement::new(
            "SELECT number, hash, undone, final, (SELECT b.number FROM chain_blocks b WHERE b.number > c.final AND b.logs IS NOT NULL \
             ORDER BY b.number LIMIT 1) AS unconfirmed, checked_block, part FROM chain c WHERE only = 1",
        );
        let index_head = ctx.db().query(select).await?.first()?;
        index_head.ok_or_else(|| unavailable("the database does not know its chain yet"))
    }

    /// Returns a statement that aborts the batch if another process has moved the index head.
    pub(super) fn guard(&self) -> Statement {
        Statement::new(
            "INSERT INTO guards SELECT 0 WHERE NOT EXISTS \
             (SELECT 1 FROM chain WHERE only = 1 AND number = ?1 AND hash = ?2 AND undone = ?3 AND ifnull(part ->> 'count', 0) = ?4 \
             AND ifnull(part ->> 'tx', 0) = ?5)",
        )
        .bind(self.number)
        .bind(hash_key(&self.hash))
        .bind(self.undone)
        .bind(count(self.part.as_ref().map_or(0, |part| part.count)))
        .bind(count(self.part.as_ref().map_or(0, |part| part.tx)))
    }

    pub(super) fn state(&self) -> State {
        let done = self.part.as_ref().map_or(0, |part| part.count);
        (self.hash, self.undone, done)
    }

    /// Returns a statement that stores the position in the next block.
    pub(super) fn move_within(position: &Position) -> Result<Statement, DatabaseError> {
        Statement::new("UPDATE chain SET part = ?1 WHERE only = 1").bind_json(position)
    }

    /// Returns the first block whose logs must be confirmed before it becomes final. A quorum of one provider confirms nothing.
    pub(super) fn unconfirmed(&self, quorum: usize) -> Option<u64> {
        self.unconfirmed.filter(|_| quorum > 1)
    }

    /// Returns a statement that moves the index head to a block. `time` is the block's time in milliseconds since 1970, if it is known.
    pub(super) fn move_to(number: u64, hash: &B256, time: Option<u64>) -> Statement {
        Statement::new(
            "UPDATE chain SET number = ?1, hash = ?2, time = coalesce(?3, time), part = NULL WHERE only = 1",
        )
        .bind(number)
        .bind(hash_key(hash))
        .bind(time)
    }
}

fn count(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// The logs of a large block up to some index. See `parts.rs`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Position {
    /// The hash of the block.
    #[serde(serialize_with = "key", deserialize_with = "hash")]
    pub(super) block: B256,
    /// The index of the transaction with the next log.
    pub(super) tx: usize,
    /// The lowest index that the next log can have.
    pub(super) log: u64,
    /// The hash of the logs so far, and their number.
    #[serde(serialize_with = "key", deserialize_with = "hash")]
    pub(super) digest: B256,
    pub(super) count: usize,
}

fn key<S: Serializer>(hash: &B256, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&hash_key(hash))
}
