//! Reads a block whose logs are too many for one answer or one step: by the receipts of its transactions, and in parts.
//!
//! Any account can write many logs on contracts that the index reads, and a provider refuses large answers. The smallest possible answer is the
//! receipt of one transaction, whose logs are read as they arrive. The memory for a part is bounded, and does not depend on the block.
//!
//! Each part is one step of the index. The index head stays at the previous block until the last part is indexed. Lists show the changes of
//! earlier parts meanwhile. All parts come from the first provider that answers, like other new blocks. Before the block becomes final, a
//! quorum confirms the hash of all its logs.

use std::collections::BTreeSet;

use alloy_primitives::B256;
use order_core::Address;
use order_core::chain::DeployEvent;
use serde_json::json;

use super::super::answer::{Halt, Logged};
use super::super::block::Block;
use super::super::memory::Evm;
use super::super::rpc::{Ask, Failure, hash, hash_of, unavailable};
use super::index_head::{IndexHead, Position};
use super::logs::{
    Forward, Found, Mined, Part, Segment, at_block, digest, new_ledgers, query, read as read_logs,
    topics, watched,
};
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::Level;
use crate::text::hash_key;

/// The number of logs from which a part is complete. A part has at most three times as many. Small blocks of tests need several parts.
const LOGS: usize = if cfg!(feature = "native") { 8 } else { 4_000 };
/// Maximum number of receipts in one HTTP request.
const RECEIPTS_MAX: usize = 64;
/// Maximum number of HTTP requests for one part.
const REQUESTS_MAX: usize = 64;

/// Reads the next part of the block after the index head. `expected` is the hash of this block, if the caller knows it.
///
/// # Errors
/// If no provider answers the block and its receipts.
pub(super) async fn read(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    expected: Option<B256>,
    ledgers: &[Address],
) -> Result<Forward, LedgerError> {
    let number = index_head.number.saturating_add(1);
    let mut last = "no provider is configured".to_owned();
    let mut has_block = false;
    for provider in evm.rpc(ctx).in_order() {
        let part = match Reader::new(evm, ctx, provider, number, ledgers).await {
            // The chain may have been reorganised since the caller read the block.
            Ok(reader) if expected.is_some_and(|hash| hash != reader.block.hash) => {
                Err(unavailable("a provider has another block"))
            }
            Ok(reader) => {
                has_block = true;
                part(evm, ctx, reader, index_head).await
            }
            Err(error) => Err(error),
        };
        match part {
            Err(LedgerError::Unavailable(why)) => last = why,
            other => return other,
        }
    }
    if has_block {
        let line = json!({ "event": "chain.block-unreadable", "block": number, "why": last });
        ctx.log(Level::Error, line);
    }
    // The chain may have been reorganised since its head was read.
    evm.forget_pulse();
    Err(unavailable(&format!(
        "no provider has the logs of block {number}: {last}"
    )))
}

async fn part(
    evm: &Evm,
    ctx: &Context<'_>,
    mut reader: Reader,
    index_head: &IndexHead,
) -> Result<Forward, LedgerError> {
    let block = &reader.block;
    let is_other = |part: &Position| part.block != block.hash;
    if block.parent != index_head.hash || index_head.part.as_ref().is_some_and(is_other) {
        return Ok(Forward::Replaced);
    }
    let mined = Mined::from(block);
    let start = match &index_head.part {
        Some(part) => part.clone(),
        None => {
            let line = json!({ "event": "chain.block-in-parts", "block": mined.number });
            ctx.log(Level::Warn, line);
            Position {
                block: mined.hash,
                tx: 0,
                log: 0,
                digest: B256::ZERO,
                count: 0,
            }
        }
    };
    (reader.tx, reader.log) = (start.tx, start.log);
    let logs = reader.next(evm, ctx).await?;
    let end = Position {
        block: mined.hash,
        tx: reader.tx,
        log: reader.log,
        digest: digest(start.digest, &logs),
        count: start.count.saturating_add(logs.len()),
    };
    Ok(Forward::Segment(Segment {
        blocks: vec![mined],
        logs,
        is_settled: false,
        part: Some(Part {
            is_continued: index_head.part.is_some(),
            is_last: reader.is_done(),
            end,
            created: reader.created,
        }),
    }))
}

/// Returns the hash and the number of a block's logs, as one provider answers its receipts.
///
/// # Errors
/// If the provider does not answer, or if it has another block.
pub(super) async fn digest_of(
    evm: &Evm,
    ctx: &Context<'_>,
    provider: usize,
    (number, hash): (u64, B256),
    ledgers: &[Address],
) -> Result<(B256, usize), LedgerError> {
    let mut reader = Reader::new(evm, ctx, provider, number, ledgers).await?;
    if reader.block.hash != hash {
        return Err(unavailable("a provider has another block"));
    }
    let (mut all, mut count) = (B256::ZERO, 0_usize);
    while !reader.is_done() {
        let logs = reader.next(evm, ctx).await?;
        all = digest(all, &logs);
        count = count.saturating_add(logs.len());
    }
    Ok((all, count))
}

/// Reads the logs of a block from one provider.
struct Reader {
    provider: usize,
    block: Block,
    /// The hashes of the block's transactions.
    txs: Vec<B256>,
    /// The contracts whose logs are read, including the ledgers that the block creates.
    contracts: BTreeSet<Address>,
    topics: Vec<B256>,
    created: Vec<Address>,
    /// The index of the transaction with the next log.
    tx: usize,
    /// The lowest index that the next log can have.
    log: u64,
    /// The number of receipts in the next request. It starts with one and doubles, because the first transaction may have a large receipt.
    at_once: usize,
}

impl Reader {
    /// Reads the block, and the ledgers that it creates.
    async fn new(
        evm: &Evm,
        ctx: &Context<'_>,
        provider: usize,
        number: u64,
        ledgers: &[Address],
    ) -> Result<Self, LedgerError> {
        let rpc = evm.rpc(ctx);
        let mut txs: Vec<B256> = Vec::new();
        let mut take = |_: usize, record: &[u8]| {
            // A block also has lists of other things, such as withdrawals.
            let text = serde_json::from_slice::<&str>(record).ok();
            let hash = text.and_then(|text| hash_of(text).ok());
            txs.extend(hash);
            Ok(hash.map_or(0, |hash| hash.len()))
        };
        let header = rpc.records(provider, &[Block::at(number)], &mut take).await;
        let header = header.map_err(failed)?.pop();
        let header = header.ok_or_else(|| unavailable("a provider left out an answer"))?;
        let block = Block::read(&header.value()?)?;
        let block = block.ok_or_else(|| unavailable("a provider lacks a block"))?;
        let place = at_block(&block.hash);
        let deployments = query(&place, &[evm.chain.deploy], &[DeployEvent::PERFORMED]);
        let replies = rpc.whole(provider, &[deployments]).await.map_err(failed)?;
        let deployed = read_logs(replies)?;
        let deployed: Vec<Found> = deployed.into_iter().map(|log| log.found).collect();
        let created = new_ledgers(evm, &deployed);
        let mut contracts: BTreeSet<Address> = watched(evm, ledgers).into_iter().collect();
        contracts.extend(&created);
        Ok(Self {
            provider,
            block,
            txs,
            contracts,
            topics: topics(),
            created,
            tx: 0,
            log: 0,
            at_once: 1,
        })
    }

    fn is_done(&self) -> bool {
        self.tx >= self.txs.len()
    }

    /// Reads the next logs, in their order. Ends at a transaction, unless a single transaction has too many logs.
    async fn next(&mut self, evm: &Evm, ctx: &Context<'_>) -> Result<Vec<Found>, LedgerError> {
        let mut logs: Vec<Found> = Vec::new();
        let mut requests = 0_usize;
        while !self.is_done() && logs.len() < LOGS && requests < REQUESTS_MAX {
            requests = requests.saturating_add(1);
            let txs = self.txs.iter().skip(self.tx).take(self.at_once).copied();
            let txs: Vec<B256> = txs.collect();
            let (found, is_cut) = match self.receipts(evm, ctx, &txs).await {
                Ok(found) => found,
                Err(Failure::TooLarge) if txs.len() > 1 => {
                    self.at_once = txs.len() >> 1;
                    continue;
                }
                Err(why) => return Err(failed(why)),
            };
            if let Some(last) = found.last() {
                self.log = last.index.saturating_add(1);
            }
            logs.extend(found);
            if is_cut {
                break;
            }
            self.tx = self.tx.saturating_add(txs.len());
            self.at_once = self.at_once.saturating_mul(2).min(RECEIPTS_MAX);
        }
        Ok(logs)
    }

    /// Reads the next logs of transactions, in their order. The flag is true if the only transaction has more logs.
    async fn receipts(
        &self,
        evm: &Evm,
        ctx: &Context<'_>,
        txs: &[B256],
    ) -> Result<(Vec<Found>, bool), Failure> {
        let calls: Vec<Ask> = txs.iter().map(|tx| Ask::receipt(&hash_key(tx))).collect();
        let mut logs: Vec<Found> = Vec::new();
        let mut is_cut = false;
        // The logs of one receipt are in their order, but a batch may have its answers in any order.
        let mut last: Option<u64> = None;
        let mut take = |_: usize, record: &[u8]| {
            let log = Logged::read(record).map_err(|_| Halt::Malformed)?;
            let Some(Logged { found: log, .. }) = log else {
                return Ok(0);
            };
            let is_of_block = (log.block, log.block_hash) == (self.block.number, self.block.hash);
            if !is_of_block || !txs.contains(&log.tx) {
                return Err(Halt::Malformed);
            }
            if txs.len() == 1
                && last
                    .replace(log.index)
                    .is_some_and(|last| last >= log.index)
            {
                return Err(Halt::Malformed);
            }
            let is_read = self.contracts.contains(&log.address)
                && log
                    .topics
                    .first()
                    .is_some_and(|topic| self.topics.contains(topic));
            if log.index < self.log || !is_read {
                return Ok(0);
            }
            if logs.len() >= LOGS.saturating_mul(2) {
                if txs.len() > 1 {
                    return Err(Halt::TooLarge);
                }
                is_cut = true;
                return Ok(0);
            }
            let bytes = size_of::<Logged>().saturating_add(log.data.len());
            logs.push(log);
            Ok(bytes)
        };
        let replies = evm
            .rpc(ctx)
            .records(self.provider, &calls, &mut take)
            .await?;
        for reply in replies {
            let receipt = reply.value().ok();
            let block = receipt.and_then(|receipt| hash(receipt.get("blockHash")?).ok());
            if block != Some(self.block.hash) {
                let why = "a provider lacks a receipt of the block".to_owned();
                return Err(Failure::Other(why));
            }
        }
        logs.sort_by_key(|log| log.index);
        Ok((logs, is_cut))
    }
}

fn failed(why: Failure) -> LedgerError {
    unavailable(why.why())
}
