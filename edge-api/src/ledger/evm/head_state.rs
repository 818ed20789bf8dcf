//! The state of the chain's head: its last block, its last final block, and the relayer's account there.

use std::rc::Rc;

use serde_json::{Value, json};

use super::block::{Block, HeadState, PERCENTILES};
use super::memory::Evm;
use super::rpc::{Ask, At, Reply, number, number64, quantity, unavailable};
use crate::config::Finality;
use crate::context::Context;
use crate::ledger::LedgerError;

/// Milliseconds for which an isolate reuses a state that it has read. Under load, many records share one state.
const FRESH_MS: u64 = 1_000;

/// The number of recent blocks whose tips are read.
const TIP_BLOCKS: u64 = 5;

/// Returns the state of the chain's head. The state was read within the last second.
pub(super) async fn head_state(evm: &Evm, ctx: &Context<'_>) -> Result<Rc<HeadState>, LedgerError> {
    let now = ctx.ports().clock.now_ms();
    if let Some((read_at, head_state)) = &*evm.head_state.borrow()
        && now.saturating_sub(*read_at) < FRESH_MS
    {
        return Ok(Rc::clone(head_state));
    }
    let head_state = Rc::new(read(evm, ctx).await?);
    evm.head_state.replace(Some((now, Rc::clone(&head_state))));
    Ok(head_state)
}

async fn read(evm: &Evm, ctx: &Context<'_>) -> Result<HeadState, LedgerError> {
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
    Ok(HeadState {
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
