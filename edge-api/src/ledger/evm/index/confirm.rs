//! Compares the logs of indexed blocks with the logs of a quorum, before the blocks become final.
//!
//! Blocks near the head are indexed with the logs of one provider, which can leave out logs or invent them. Each of these blocks has a hash
//! of its logs in `chain_blocks` until a quorum answers the same logs. The query for the logs of newly final blocks is part of the
//! HTTP request about their claims.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::B256;
use order_core::Address;
use serde::Deserialize;
use serde_json::json;

use super::super::memory::Evm;
use super::super::rpc::{Ask, Reply, quantity, unavailable};
use super::index_head::IndexHead;
use super::logs::{LOGS_MAX, at_block, digest, queries, read, watched};
use super::parts;
use crate::context::Context;
use crate::db::rows::{flag, hash};
use crate::ledger::LedgerError;
use crate::ports::{Level, Statement};
use crate::text::hash_key;

/// Maximum number of blocks that are compared at once.
const BLOCKS_MAX: u64 = 1_000;

/// An indexed block.
#[derive(Deserialize)]
pub(super) struct Indexed {
    pub(super) number: u64,
    #[serde(deserialize_with = "hash")]
    hash: B256,
    /// The hash of its logs. `None` if they need no comparison.
    logs: Option<String>,
    log_count: Option<usize>,
    /// True if the block was indexed in parts.
    #[serde(deserialize_with = "flag")]
    in_parts: bool,
}

impl Indexed {
    /// Makes the next comparison read the receipts of the block, because a provider refuses the query for its logs.
    pub(super) fn by_receipts(&mut self) {
        self.in_parts = true;
    }
}

/// Reads the next blocks to compare, up to the final block `settled`. Ends with fewer blocks if providers refuse so many, or if the blocks
/// have many logs.
pub(super) async fn unconfirmed(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    settled: u64,
) -> Result<Vec<Indexed>, LedgerError> {
    let first = index_head
        .unconfirmed(evm.chain.quorum)
        .filter(|first| *first <= settled);
    let Some(first) = first else {
        return Ok(Vec::new());
    };
    let select = Statement::new(
        "SELECT number, hash, logs, log_count, in_parts FROM chain_blocks WHERE number >= ?1 AND number <= ?2 ORDER BY number LIMIT ?3",
    )
    .bind(first)
    .bind(settled)
    .bind(evm.index.span.blocks().min(BLOCKS_MAX));
    let mut blocks: Vec<Indexed> = ctx.db().query(select).await?.all()?;
    let mut logs = 0_usize;
    // A block in parts is compared alone, by its receipts.
    let fits = |block: &Indexed| {
        logs = logs.saturating_add(block.log_count.unwrap_or_default());
        logs <= LOGS_MAX && !block.in_parts
    };
    let count = blocks.iter().map(fits).take_while(|fits| *fits).count();
    blocks.truncate(count.max(1));
    Ok(blocks)
}

/// Returns the queries for the logs of consecutive blocks. Returns none for a block that was indexed in parts.
pub(super) fn ask(evm: &Evm, blocks: &[Indexed], ledgers: &[Address]) -> Vec<Ask> {
    let place = match blocks {
        [] => return Vec::new(),
        [block] if block.in_parts => return Vec::new(),
        [block] => at_block(&block.hash),
        [first, .., last] => [
            ("fromBlock".to_owned(), quantity(first.number)),
            ("toBlock".to_owned(), quantity(last.number)),
        ]
        .into_iter()
        .collect(),
    };
    queries(&place, &watched(evm, ledgers))
}

/// The result of a comparison.
pub(super) enum Compared {
    /// A quorum answers the data with which the blocks were indexed: the logs, or the data of `unlogged.rs`.
    Same,
    /// A quorum answers other data of this block. The earlier blocks are confirmed.
    Other(u64),
    /// No quorum answers the same data of this block, for this reason. The earlier blocks are confirmed.
    Open(u64, String),
    /// Providers refuse a query for so many blocks, or for so many logs.
    Refused,
}

/// The logs that a provider answered.
pub(super) struct Answer {
    provider: usize,
    /// The hash and the number of the logs of each block.
    logs: Vec<(B256, usize)>,
}

/// Reads the answers to [`ask`]. Each answer comes with the index of its provider. For a block that was indexed in parts, reads the receipts of
/// each provider instead. Leaves out a provider whose answer is malformed. The flag is true if a provider refused a query.
pub(super) async fn answers(
    evm: &Evm,
    ctx: &Context<'_>,
    blocks: &[Indexed],
    ledgers: &[Address],
    replies: Vec<(usize, Vec<Reply>)>,
) -> (Vec<Answer>, bool) {
    let is_refusal = |reply: &Reply| matches!(reply, Reply::Refused(_));
    let is_refused = replies.iter().any(|(_, list)| list.iter().any(is_refusal));
    let mut answers = Vec::new();
    for (provider, replies) in replies {
        let logs = match blocks {
            [block] if block.in_parts => {
                parts::digest_of(evm, ctx, provider, (block.number, block.hash), ledgers)
                    .await
                    .map(|logs| vec![logs])
            }
            _ => logs_of_each(blocks, replies),
        };
        if let Ok(logs) = logs {
            answers.push(Answer { provider, logs });
        }
    }
    (answers, is_refused)
}

/// Compares blocks with [`answers`]. A provider that disagrees with the quorum is asked last for a while.
pub(super) fn compare(
    evm: &Evm,
    ctx: &Context<'_>,
    blocks: &[Indexed],
    (answers, is_refused): (Vec<Answer>, bool),
) -> Compared {
    let Some(first) = blocks.first() else {
        return Compared::Same;
    };
    let quorum = evm.chain.quorum;
    if answers.len() < quorum {
        return match is_refused && !first.in_parts {
            true => Compared::Refused,
            false => Compared::Open(
                first.number,
                "too few providers answer the logs of this block".to_owned(),
            ),
        };
    }
    let mut differ = BTreeSet::new();
    let mut compared = Compared::Same;
    for (place, block) in blocks.iter().enumerate() {
        let Some(indexed) = &block.logs else {
            continue;
        };
        let answered = || {
            answers
                .iter()
                .filter_map(move |answer| Some((answer.provider, answer.logs.get(place)?)))
        };
        let mut counts: BTreeMap<B256, usize> = BTreeMap::new();
        for (_, (digest, _)) in answered() {
            let count = counts.entry(*digest).or_default();
            *count = count.saturating_add(1);
        }
        counts.retain(|_, count| *count >= quorum);
        let (Some((agreed, _)), 1) = (counts.first_key_value(), counts.len()) else {
            let counts = answered().map(|(provider, (_, count))| {
                format!("provider {} has {count}", provider.saturating_add(1))
            });
            let counts = counts.collect::<Vec<_>>().join(", ");
            let why = format!("the providers answer different logs of this block: {counts}");
            compared = Compared::Open(block.number, why);
            break;
        };
        let others = answered().filter(|(_, (digest, _))| digest != agreed);
        differ.extend(others.map(|(provider, _)| provider));
        if *indexed != hash_key(agreed) {
            compared = Compared::Other(block.number);
            break;
        }
    }
    let rpc = evm.rpc(ctx);
    for provider in &differ {
        rpc.doubt(*provider, "a quorum has other logs");
    }
    let places: Vec<usize> = differ.iter().map(|place| place.saturating_add(1)).collect();
    let line = match compared {
        Compared::Other(block) => Some((Level::Error, "chain.logs-untrue", block)),
        _ if !places.is_empty() => Some((Level::Warn, "chain.logs-differ", first.number)),
        _ => None,
    };
    if let Some((level, event, block)) = line {
        ctx.log(
            level,
            json!({ "event": event, "block": block, "providers": places }),
        );
    }
    compared
}

/// Returns the hash and the number of the logs of each block.
///
/// # Errors
/// If a reply is not a list of logs, or has a log of another block.
fn logs_of_each(
    blocks: &[Indexed],
    replies: Vec<Reply>,
) -> Result<Vec<(B256, usize)>, LedgerError> {
    let logs = read(replies)?.into_iter().map(|log| log.found);
    let mut logs = logs.peekable();
    let mut all = Vec::with_capacity(blocks.len());
    for block in blocks {
        let mut own = Vec::new();
        while let Some(log) =
            logs.next_if(|log| (log.block, log.block_hash) == (block.number, block.hash))
        {
            own.push(log);
        }
        all.push((digest(B256::ZERO, &own), own.len()));
    }
    match logs.next() {
        None => Ok(all),
        Some(_) => Err(unavailable("a provider answered a log of another block")),
    }
}
