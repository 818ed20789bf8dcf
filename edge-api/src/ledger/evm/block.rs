//! A block's header, and the state of the chain's head.

use alloy_primitives::B256;
use serde_json::{Value, json};

use super::rpc::{Ask, data, hash, number, number64, quantity};
use crate::ledger::LedgerError;

/// The percentiles of the tips in recent blocks that the priorities of records pay, the lowest priority first.
pub(super) const PERCENTILES: [u8; 4] = [10, 40, 70, 90];

/// A block's header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) number: u64,
    pub(super) hash: B256,
    pub(super) parent: B256,
    /// Milliseconds since 1970.
    pub(super) time: u64,
    /// The base fee of one unit of gas, in wei. `None` on a chain without EIP-1559.
    pub(super) base_fee: Option<u128>,
    /// The header's bloom filter of addresses and topics of logs.
    pub(super) bloom: Vec<u8>,
}

impl Block {
    /// Returns the call that reads a block by its number.
    pub(super) fn at(number: u64) -> Ask {
        Ask::new("eth_getBlockByNumber", json!([quantity(number), false]))
    }

    /// Returns the call that reads a block by its tag: `latest` or `finalized`.
    pub(super) fn tagged(tag: &str) -> Ask {
        Ask::new("eth_getBlockByNumber", json!([tag, false]))
    }

    /// Reads a block from the answer to [`Block::at`] or [`Block::tagged`]. `None` if the provider does not have the block.
    pub(super) fn read(value: &Value) -> Result<Option<Self>, LedgerError> {
        if value.is_null() {
            return Ok(None);
        }
        let base_fee = value.get("baseFeePerGas").filter(|fee| !fee.is_null());
        let field = |name: &str| value.get(name).unwrap_or(&Value::Null);
        Ok(Some(Self {
            number: number64(field("number"))?,
            hash: hash(field("hash"))?,
            parent: hash(field("parentHash"))?,
            time: number64(field("timestamp"))?.saturating_mul(1_000),
            base_fee: base_fee.map(number).transpose()?,
            bloom: data(field("logsBloom"))?,
        }))
    }
}

/// The state of the chain's head. No quorum has confirmed it, so it alone must not make anything final.
#[derive(Clone, Debug)]
pub(super) struct HeadState {
    /// The last block.
    pub(super) head: Block,
    /// The last final block.
    pub(super) settled: Block,
    /// The number of the relayer's transactions in the last block and before.
    pub(super) nonce: u64,
    /// The number of the relayer's transactions in the last final block and before.
    pub(super) settled_nonce: u64,
    /// The relayer's balance in wei.
    pub(super) balance: u128,
    /// The tips that transactions of recent blocks paid, in wei, one for each of [`PERCENTILES`]. Zero if they are not known.
    pub(super) tips: [u128; 4],
    /// The price of gas in wei that the provider advises. `None` on a chain with EIP-1559.
    pub(super) legacy_price: Option<u128>,
}
