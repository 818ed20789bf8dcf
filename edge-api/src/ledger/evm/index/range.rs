//! Reads blocks up to the last final one by ranges of numbers, for example after the first start.
//!
//! A node can answer the query for a range although it lacks the last blocks of the range. As many providers as the quorum must therefore answer
//! the same logs, and the same hashes of the blocks at both ends.

use std::collections::BTreeMap;

use alloy_primitives::B256;
use order_core::Address;
use serde_json::json;

use super::super::block::Block;
use super::super::memory::Evm;
use super::super::rpc::{Ask, Failure, Reply, quantity, unavailable};
use super::index_head::IndexHead;
use super::logs::{
    Forward, Found, Mined, Place, Segment, last_in_step, new_ledgers, queries, read as read_logs,
    watched,
};
use super::parts;
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::Level;

/// The answers on which the providers must agree.
#[derive(PartialEq, Eq)]
struct Facts {
    /// The hash of the last indexed block.
    start: B256,
    /// The hash of the range's last block.
    end: B256,
    logs: Vec<Found>,
}

/// A provider's answer.
struct Answer {
    facts: Facts,
    /// The times of the blocks, as far as the provider gives them.
    times: BTreeMap<u64, u64>,
}

/// The result of asking the providers for a range.
enum Asked {
    Agreed(Answer),
    /// No quorum agrees, and a provider refuses the range, or its answer is too large.
    Refused,
}

/// Reads the next blocks, up to the final block `settled`.
pub(super) async fn read(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    settled: u64,
    ledgers: &[Address],
) -> Result<Forward, LedgerError> {
    let span = &evm.index.span;
    let (range, answer) = loop {
        let last = index_head.number.saturating_add(span.blocks());
        let range = (index_head.number, last.min(settled));
        match ask(evm, ctx, range, &watched(evm, ledgers)).await? {
            Asked::Agreed(answer) => break (range, answer),
            Asked::Refused => {}
        }
        if !span.refuse(range.1.saturating_sub(range.0)) {
            return parts::read(evm, ctx, index_head, None, ledgers).await;
        }
    };
    if answer.facts.start != index_head.hash {
        return Ok(Forward::Replaced);
    }
    let Answer {
        mut facts,
        mut times,
    } = answer;
    let new = new_ledgers(evm, &facts.logs);
    if !new.is_empty() {
        match ask(evm, ctx, range, &new).await? {
            Asked::Agreed(more) => {
                if more.facts.end != facts.end {
                    return Err(unavailable("the chain changed while a range was read"));
                }
                facts.logs.extend(more.facts.logs);
                facts.logs.sort_by_key(|log| (log.block, log.index));
                times.extend(more.times);
            }
            Asked::Refused if span.refuse(range.1.saturating_sub(range.0)) => {
                return Ok(Forward::Nothing);
            }
            Asked::Refused => return parts::read(evm, ctx, index_head, None, ledgers).await,
        }
    }
    let (mut last, mut end) = (range.1, facts.end);
    if let Some(number) = last_in_step(&facts.logs) {
        facts.logs.retain(|log| log.block <= number);
        let hash = facts.logs.last().map(|log| log.block_hash);
        (last, end) = (number, hash.unwrap_or(end));
    } else {
        span.accept();
    }
    let blocks = blocks(evm, ctx, &facts.logs, (last, end), times).await?;
    Ok(Forward::Segment(Segment {
        blocks,
        logs: facts.logs,
        is_settled: true,
        part: None,
    }))
}

/// Asks the providers for the logs of the blocks after `first` and up to `last`. Returns the answer that a quorum gave.
async fn ask(
    evm: &Evm,
    ctx: &Context<'_>,
    (first, last): (u64, u64),
    addresses: &[Address],
) -> Result<Asked, LedgerError> {
    let rpc = evm.rpc(ctx);
    let place: Place = [
        ("fromBlock".to_owned(), quantity(first.saturating_add(1))),
        ("toBlock".to_owned(), quantity(last)),
    ]
    .into_iter()
    .collect();
    let mut calls = vec![Block::at(first), Block::at(last)];
    calls.extend(queries(&place, addresses));
    let mut answers: Vec<(Answer, usize)> = Vec::new();
    let mut is_refused = false;
    for provider in rpc.in_order() {
        let replies = match rpc.whole(provider, &calls).await {
            Ok(replies) => replies,
            Err(Failure::TooLarge) => {
                is_refused = true;
                continue;
            }
            Err(_) => {
                // The provider did not answer, perhaps because the answer takes too long.
                is_refused |= last.saturating_sub(first) <= 1;
                evm.index.span.shrink();
                continue;
            }
        };
        if replies
            .iter()
            .any(|reply| matches!(reply, Reply::Refused(_)))
        {
            is_refused = true;
            continue;
        }
        // A provider that lacks a block is behind.
        let Ok(answer) = Answer::read(replies, (first, last)) else {
            continue;
        };
        let known = answers
            .iter_mut()
            .find(|(known, _)| known.facts == answer.facts);
        let count = match known {
            Some((_, count)) => {
                *count = count.saturating_add(1);
                *count
            }
            None => {
                answers.push((answer, 1));
                1
            }
        };
        if count >= evm.chain.quorum {
            break;
        }
    }
    if answers.len() > 1 {
        let line = json!({ "event": "chain.logs-differ", "from": first, "to": last });
        ctx.log(Level::Warn, line);
    }
    let agreed = answers
        .into_iter()
        .find(|(_, count)| *count >= evm.chain.quorum);
    match agreed {
        Some((answer, _)) => Ok(Asked::Agreed(answer)),
        None if is_refused => Ok(Asked::Refused),
        None => Err(unavailable(
            "too few providers agree on the logs of a range",
        )),
    }
}

impl Answer {
    fn read(replies: Vec<Reply>, (first, last): (u64, u64)) -> Result<Self, LedgerError> {
        let mut replies = replies.into_iter();
        let mut block = || {
            let reply = replies.next().map(Reply::value).transpose()?;
            let block = Block::read(&reply.unwrap_or_default())?;
            block.ok_or_else(|| unavailable("a provider lacks a block"))
        };
        let (start, end) = (block()?, block()?);
        let mut times = BTreeMap::from([(end.number, end.time)]);
        let logs = read_logs(replies)?;
        times.extend(
            logs.iter()
                .filter_map(|log| Some((log.found.block, log.time?))),
        );
        let logs: Vec<Found> = logs.into_iter().map(|log| log.found).collect();
        if !logs
            .iter()
            .all(|log| log.block > first && log.block <= last)
        {
            return Err(unavailable("a provider answered a log of another block"));
        }
        Ok(Self {
            facts: Facts {
                start: start.hash,
                end: end.hash,
                logs,
            },
            times,
        })
    }
}

/// Returns the blocks that have logs, and the last block of the segment. Reads the times that `times` lacks.
async fn blocks(
    evm: &Evm,
    ctx: &Context<'_>,
    logs: &[Found],
    last: (u64, B256),
    mut times: BTreeMap<u64, u64>,
) -> Result<Vec<Mined>, LedgerError> {
    let mut hashes: BTreeMap<u64, B256> = BTreeMap::new();
    for log in logs {
        if hashes
            .insert(log.block, log.block_hash)
            .is_some_and(|hash| hash != log.block_hash)
        {
            return Err(unavailable("the logs of a block have different hashes"));
        }
    }
    hashes.extend([last]);
    let unknown: Vec<u64> = hashes
        .keys()
        .copied()
        .filter(|number| !times.contains_key(number))
        .collect();
    let calls: Vec<Ask> = unknown.iter().map(|number| Block::at(*number)).collect();
    for reply in evm.rpc(ctx).ask(&calls).await? {
        let block = Block::read(&reply.value()?)?;
        let block = block.ok_or_else(|| unavailable("a provider lacks a block"))?;
        times.extend([(block.number, block.time)]);
    }
    hashes
        .into_iter()
        .map(|(number, hash)| {
            let time = times.get(&number).copied();
            Ok(Mined {
                number,
                hash,
                time: time.ok_or_else(|| unavailable("a provider answered another block"))?,
            })
        })
        .collect()
}
