//! The state of the chain's head: its last block, its last final block, and the relayer's account there.

use std::rc::Rc;

use alloy_primitives::B256;
use serde_json::{Value, json};

use super::Evm;
use super::rpc::{Ask, At, Reply, hash, number, number64, quantity, unavailable};
use crate::config::Finality;
use crate::context::Context;
use crate::ledger::LedgerError;

/// Milliseconds for which an isolate reuses a state that it has read. Under load, many records share one state.
const FRESH_MS: u64 = 1_000;

/// The percentiles of the tips in recent blocks that the priorities of records pay, the lowest priority first.
pub(super) const PERCENTILES: [u8; 4] = [10, 40, 70, 90];

/// The number of recent blocks whose tips are read.
const TIP_BLOCKS: u64 = 5;

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
            bloom: super::rpc::data(field("logsBloom"))?,
        }))
    }
}

/// The state of the chain's head. No quorum has confirmed it, so it alone must not make anything final.
#[derive(Clone, Debug)]
pub(super) struct Pulse {
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

/// Returns the state of the chain's head. The state was read within the last second.
pub(super) async fn pulse(evm: &Evm, ctx: &Context<'_>) -> Result<Rc<Pulse>, LedgerError> {
    let now = ctx.ports().clock.now_ms();
    if let Some((read_at, pulse)) = &*evm.pulse.borrow()
        && now.saturating_sub(*read_at) < FRESH_MS
    {
        return Ok(Rc::clone(pulse));
    }
    let pulse = Rc::new(read(evm, ctx).await?);
    evm.pulse.replace(Some((now, Rc::clone(&pulse))));
    Ok(pulse)
}

async fn read(evm: &Evm, ctx: &Context<'_>) -> Result<Pulse, LedgerError> {
    let rpc = evm.rpc(ctx).quick();
    let relayer = evm.relayer();
    let count = |at: Value| Ask::new("eth_getTransactionCount", json!([relayer, at]));
    let missing = || unavailable("a provider does not have a block that it named");
    let calls = [
        Block::tagged("latest"),
        count(json!("latest")),
        Ask::new("eth_getBalance", json!([relayer, "latest"])),
        Ask::new(
            "eth_feeHistory",
            json!([quantity(TIP_BLOCKS), "latest", PERCENTILES]),
        ),
        Block::tagged("finalized"),
    ];
    // Not every chain has the tag `finalized`.
    let used = match evm.chain.finality {
        Finality::Tag => calls.len(),
        Finality::Confirmations(_) => calls.len().saturating_sub(1),
    };
    let mut replies = rpc
        .ask(calls.get(..used).unwrap_or_default())
        .await?
        .into_iter();
    let mut next = || replies.next().ok_or_else(missing);
    let head = Block::read(&next()?.value()?)?.ok_or_else(missing)?;
    let nonce = number64(&next()?.value()?)?;
    let balance = number(&next()?.value()?)?;
    let tips = next()?;
    let tips = match tips {
        Reply::Value(history) => tips_of(&history),
        // A chain without EIP-1559 may lack the method.
        Reply::Logs(_) | Reply::Reverted(_) | Reply::Refused(_) => [0; 4],
    };
    let settled = match evm.chain.finality {
        Finality::Tag => Block::read(&next()?.value()?)?.ok_or_else(missing)?,
        Finality::Confirmations(blocks) => {
            let ask = Block::at(head.number.saturating_sub(blocks));
            Block::read(&rpc.one(ask).await?.value()?)?.ok_or_else(missing)?
        }
    };
    let mut calls = vec![count(At::Block(settled.hash).param())];
    if head.base_fee.is_none() {
        calls.push(Ask::new("eth_gasPrice", json!([])));
    }
    let mut replies = rpc.ask(&calls).await?.into_iter();
    let settled_nonce = replies.next().ok_or_else(missing)?;
    let legacy_price = replies.next().map(Reply::value).transpose()?;
    Ok(Pulse {
        head,
        nonce,
        settled_nonce: number64(&settled_nonce.value()?)?,
        settled,
        balance,
        tips,
        legacy_price: legacy_price.as_ref().map(number).transpose()?,
    })
}

/// Returns the median of each percentile over the blocks in which it is above zero. Zero if there is no such block.
fn tips_of(history: &Value) -> [u128; 4] {
    let blocks = history.get("reward").and_then(Value::as_array);
    let blocks = blocks.map(Vec::as_slice).unwrap_or_default();
    [0, 1, 2, 3].map(|place: usize| {
        let mut paid: Vec<u128> = blocks
            .iter()
            .filter_map(|rewards| number(rewards.get(place)?).ok())
            .filter(|tip| *tip > 0)
            .collect();
        paid.sort_unstable();
        paid.get(paid.len() >> 1).copied().unwrap_or(0)
    })
}
