//! Reads blocks near the head, most of which are not final yet. Their logs are queried by the hashes of the blocks, so a node that lacks a
//! block refuses the query.

use order_core::Address;

use super::super::block::Block;
use super::super::memory::Evm;
use super::super::rpc::Ask;
use super::index_head::IndexHead;
use super::logs::Forward;
use super::logs::{
    Found, Mined, Segment, last_in_step, new_ledgers, of_blocks, queries_for, watched,
};
use super::parts;
use crate::context::Context;
use crate::ledger::LedgerError;

/// Maximum number of blocks that one step indexes.
const BLOCKS_MAX: usize = 32;
/// Maximum number of queries for the logs of known contracts in one step. A single block may need more.
const QUERIES_MAX: usize = 96;

/// Maximum number of logs of a single block in one step. Above it, the block is indexed in parts.
const SINGLE_MAX: usize = 10_000;

/// Reads the next blocks, at most up to the head.
pub(super) async fn read(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    head: &Block,
    ledgers: &[Address],
) -> Result<Forward, LedgerError> {
    let watched = watched(evm, ledgers);
    let most = QUERIES_MAX.div_euclid(queries_for(watched.len()).max(1));
    let most = match index_head.number < evm.index.single_until.get() {
        true => 1,
        false => u64::try_from(most.clamp(1, BLOCKS_MAX)).unwrap_or(1),
    };
    let last = head.number.min(index_head.number.saturating_add(most));
    let blocks = headers(evm, ctx, index_head, last, head).await?;
    let Some(mut blocks) = blocks else {
        return Ok(Forward::Replaced);
    };
    if blocks.is_empty() {
        return Ok(Forward::Nothing);
    }
    let expected = blocks.first().map(|block| block.hash);
    let mut logs = read_logs(evm, ctx, &blocks, &watched).await;
    if matches!(logs, Err(LedgerError::Unavailable(_))) && blocks.len() > 1 {
        // The answer for all blocks may have been too large.
        let last = blocks.last().map_or(0, |block| block.number);
        evm.index.single_until.set(last);
        blocks.truncate(1);
        logs = read_logs(evm, ctx, &blocks, &watched).await;
    }
    if let Err(LedgerError::Unavailable(_)) = logs {
        return parts::read(evm, ctx, index_head, expected, ledgers).await;
    }
    let Some(mut logs) = logs? else {
        return Ok(Forward::Nothing);
    };
    if blocks.len() == 1 && logs.len() > SINGLE_MAX {
        return parts::read(evm, ctx, index_head, expected, ledgers).await;
    }
    let mut blocks: Vec<Mined> = blocks.iter().map(Mined::from).collect();
    if let Some(last) = last_in_step(&logs) {
        blocks.retain(|block| block.number <= last);
        logs.retain(|log: &Found| log.block <= last);
    }
    Ok(Forward::Segment(Segment {
        blocks,
        logs,
        is_settled: false,
        part: None,
    }))
}

/// Reads the logs of blocks, including the logs of the ledgers that these blocks create. `None` if only one provider answers, and may have left
/// out logs.
async fn read_logs(
    evm: &Evm,
    ctx: &Context<'_>,
    blocks: &[Block],
    watched: &[Address],
) -> Result<Option<Vec<Found>>, LedgerError> {
    let Some(mut logs) = of_blocks(evm, ctx, blocks, watched).await? else {
        return Ok(None);
    };
    let new = new_ledgers(evm, &logs);
    if !new.is_empty() {
        let first = logs.iter().find(|log| log.address == evm.chain.deploy);
        let first = first.map_or(0, |log| log.block);
        let later = blocks.iter().position(|block| block.number >= first);
        let later = blocks.get(later.unwrap_or(0)..).unwrap_or_default();
        let Some(more) = of_blocks(evm, ctx, later, &new).await? else {
            return Ok(None);
        };
        logs.extend(more);
        logs.sort_by_key(|log| (log.block, log.index));
    }
    Ok(Some(logs))
}

/// Reads the headers after the index head, up to the block `last`. Stops at the first block whose parent is not the
/// previous block, and leaves this block out. `None` if the
/// parent of the first block is not the last indexed block.
async fn headers(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    last: u64,
    head: &Block,
) -> Result<Option<Vec<Block>>, LedgerError> {
    let numbers = index_head.number.saturating_add(1)..=last;
    let calls: Vec<Ask> = numbers
        .filter(|number| *number != head.number)
        .map(Block::at)
        .collect();
    let mut blocks = Vec::with_capacity(calls.len());
    for reply in evm.rpc(ctx).ask(&calls).await? {
        // A provider that is behind lacks the last blocks.
        let Some(block) = Block::read(&reply.value()?)? else {
            break;
        };
        blocks.push(block);
    }
    if last == head.number && blocks.len() == calls.len() && last > index_head.number {
        blocks.push(head.clone());
    }
    let mut parent = index_head.hash;
    let follows = |block: &Block| {
        let follows = block.parent == parent;
        parent = block.hash;
        follows
    };
    let is_replaced = blocks
        .first()
        .is_some_and(|block| block.parent != index_head.hash);
    if is_replaced {
        return Ok(None);
    }
    let in_order = blocks.iter().map(follows).take_while(|follows| *follows);
    let count = in_order.count();
    if count < blocks.len() {
        // The chain was reorganised while its blocks were read.
        evm.forget_pulse();
    }
    blocks.truncate(count);
    Ok(Some(blocks))
}
