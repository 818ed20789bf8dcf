//! The logs of contracts, as providers answer them.
//!
//! Nodes behind a load balancer sometimes leave out logs of the last blocks. A block's header has a bloom filter of the addresses and
//! topics of its logs. If the filter matches an address without a log, a second provider is asked.
//!
//! The filter finds honest omissions early. It proves nothing, so `confirm.rs` compares all logs before a block becomes final.
//!
//! Logs that change nothing in the index are not queried. An example is `ApprovalForAll`, which any account can write on any ledger for little
//! gas. The service reads operators from the contracts.

use alloy_primitives::{B256, Bloom, BloomInput, Keccak256, keccak256};
use order_core::Address;
use order_core::chain::{DeployEvent, LedgerEvent, OrderEvent, TokenMove};
use serde_json::{Value, json};

pub(super) use super::super::answer::Found;
use super::super::answer::Logged;
use super::super::block::Block;
use super::super::memory::Evm;
use super::super::rpc::{Ask, Reply, unavailable};
use super::super::views::Source;
use super::index_head::Position;
use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ports::Level;
use crate::text::hash_key;

/// Maximum number of addresses in a query. Nodes refuse more than 1,000.
///
/// A query for the topics alone, without addresses, would return the transfers of all tokens of the chain. This is about a megabyte for each
/// block of a busy chain. The addresses of 1,000 ledgers take 45 kB.
const ADDRESSES_MAX: usize = 500;

/// A block of the chain.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mined {
    pub(super) number: u64,
    pub(super) hash: B256,
    /// Milliseconds since 1970.
    pub(super) time: u64,
}

impl From<&Block> for Mined {
    fn from(block: &Block) -> Self {
        Self {
            number: block.number,
            hash: block.hash,
            time: block.time,
        }
    }
}

/// The next blocks of the chain.
#[derive(Debug)]
pub(super) struct Segment {
    /// The blocks in their order. Blocks without logs may be missing, except the last block of the segment.
    pub(super) blocks: Vec<Mined>,
    /// The logs in their order.
    pub(super) logs: Vec<Found>,
    /// True if all blocks are final, so they need no undo.
    pub(super) is_settled: bool,
    /// The part of the block, if the segment is a part of a single block.
    pub(super) part: Option<Part>,
}

/// A part of a block.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// True if an earlier part of the block is indexed already.
    pub(super) is_continued: bool,
    /// True if this is the last part.
    pub(super) is_last: bool,
    /// The position after the part.
    pub(super) end: Position,
    /// The ledgers that the block creates, in the order of their logs.
    pub(super) created: Vec<Address>,
}

impl Segment {
    /// Returns the providers whose answers are used for data that no log has. Final blocks need a quorum, because they are not compared later.
    pub(super) fn source(&self) -> Source {
        match self.is_settled {
            true => Source::Quorum,
            false => Source::First,
        }
    }
}

/// The blocks of a query: `{ "blockHash": … }` or `{ "fromBlock": …, "toBlock": … }`.
pub(super) type Place = serde_json::Map<String, Value>;

/// Returns the first topics of the logs that are read.
pub(super) fn topics() -> Vec<B256> {
    // Transfers of the token and transfers of assets have the same topic.
    let mut topics = [OrderEvent::TOPICS, DeployEvent::TOPICS].concat();
    topics.extend(LedgerEvent::TOPICS);
    topics.sort_unstable();
    topics.dedup();
    topics
}

/// Returns the query for the logs of contracts that begin with one of these topics.
pub(super) fn query(place: &Place, addresses: &[Address], topics: &[B256]) -> Ask {
    let topics: Vec<String> = topics.iter().map(hash_key).collect();
    let mut query = place.clone();
    query.insert("address".to_owned(), json!(addresses));
    query.insert("topics".to_owned(), json!([topics]));
    Ask::new("eth_getLogs", json!([query]))
}

/// Returns the queries for the logs of contracts.
pub(super) fn queries(place: &Place, addresses: &[Address]) -> Vec<Ask> {
    let topics = topics();
    let chunks = addresses.chunks(ADDRESSES_MAX);
    chunks.map(|chunk| query(place, chunk, &topics)).collect()
}

/// Returns the place of a query for one block. A node that lacks a block with this hash refuses the query.
pub(super) fn at_block(hash: &B256) -> Place {
    [("blockHash".to_owned(), json!(hash_key(hash)))]
        .into_iter()
        .collect()
}

/// Returns the number of queries for this number of addresses.
pub(super) fn queries_for(addresses: usize) -> usize {
    addresses.div_ceil(ADDRESSES_MAX)
}

/// Reads the answers of [`queries`].
pub(super) fn read(replies: impl IntoIterator<Item = Reply>) -> Result<Vec<Logged>, LedgerError> {
    let mut logs = Vec::new();
    for reply in replies {
        logs.extend(reply.logs()?);
    }
    logs.sort_by_key(|log| (log.found.block, log.found.index));
    Ok(logs)
}

/// Returns the contracts whose logs are read: the gateways, the token and the ledgers.
pub(super) fn watched(evm: &Evm, ledgers: &[Address]) -> Vec<Address> {
    let mut all = vec![evm.chain.actions, evm.chain.deploy, evm.chain.token];
    all.extend(ledgers);
    all
}

/// Returns the ledgers that were created according to the logs.
pub(super) fn new_ledgers(evm: &Evm, logs: &[Found]) -> Vec<Address> {
    let of_gateway = logs.iter().filter(|log| log.address == evm.chain.deploy);
    of_gateway
        .filter_map(|log| match DeployEvent::read(&log.as_log()) {
            Ok(Some(DeployEvent::Performed { ledger, .. })) => Some(ledger),
            _ => None,
        })
        .collect()
}

impl Found {
    pub(super) fn as_log(&self) -> order_core::chain::Log<'_> {
        order_core::chain::Log {
            topics: &self.topics,
            data: &self.data,
        }
    }
}

/// Returns the logs of blocks, in their order. `None` if only one provider answers and may have left out logs, although the quorum is larger.
///
/// # Errors
/// If no provider answers. A provider that lacks a block with the given hash refuses the query.
pub(super) async fn of_blocks(
    evm: &Evm,
    ctx: &Context<'_>,
    blocks: &[Block],
    addresses: &[Address],
) -> Result<Option<Vec<Found>>, LedgerError> {
    let rpc = evm.rpc(ctx);
    let calls: Vec<Ask> = blocks
        .iter()
        .flat_map(|block| queries(&at_block(&block.hash), addresses))
        .collect();
    let filter = Filter::new(evm, addresses);
    let mut best: Vec<Vec<Found>> = Vec::new();
    let (mut answers, mut differ) = (0_usize, false);
    let mut may_lack = true;
    for provider in rpc.in_order() {
        let Ok(replies) = rpc.whole(provider, &calls).await else {
            continue;
        };
        let Ok(found) = of_each(blocks, replies, queries_for(addresses.len())) else {
            continue;
        };
        answers = answers.saturating_add(1);
        if answers == 1 {
            best = found;
        } else {
            // A provider that is behind leaves out logs, and never adds logs.
            for (best, found) in best.iter_mut().zip(found) {
                differ |= *best != found;
                if found.len() > best.len() {
                    *best = found;
                }
            }
        }
        let mut each = blocks.iter().zip(&best);
        may_lack = answers < 2 && each.any(|(block, logs)| filter.promises(block, logs));
        if !may_lack {
            break;
        }
    }
    let first = blocks.first().map_or(0, |block| block.number);
    if differ {
        let line = json!({ "event": "chain.logs-differ", "block": first });
        ctx.log(Level::Warn, line);
    }
    if answers == 0 {
        // The chain may have been reorganised since its head was read.
        evm.forget_pulse();
        return Err(unavailable(&format!(
            "no provider has the logs of block {first}"
        )));
    }
    if may_lack && evm.chain.quorum > 1 {
        let line = json!({ "event": "chain.logs-unconfirmed", "block": first });
        ctx.log(Level::Warn, line);
        return Ok(None);
    }
    Ok(Some(best.into_iter().flatten().collect()))
}

/// Reads the logs of each block. `queries` is the number of answers for one block.
fn of_each(
    blocks: &[Block],
    replies: Vec<Reply>,
    queries: usize,
) -> Result<Vec<Vec<Found>>, LedgerError> {
    let mut replies = replies.into_iter();
    let mut all = Vec::with_capacity(blocks.len());
    for block in blocks {
        let logs = read(replies.by_ref().take(queries))?;
        let logs: Vec<Found> = logs.into_iter().map(|log| log.found).collect();
        let is_of_block = |log: &Found| (log.block, log.block_hash) == (block.number, block.hash);
        if !logs.iter().all(is_of_block) {
            return Err(unavailable("a provider answered a log of another block"));
        }
        all.push(logs);
    }
    Ok(all)
}

/// The addresses of the watched contracts, in the form in which a bloom filter contains them.
struct Filter<'a> {
    contracts: Vec<(Address, B256, &'a [B256])>,
}

impl Filter<'_> {
    fn new(evm: &Evm, addresses: &[Address]) -> Self {
        let contract = |address: &Address| {
            let topics: &[B256] = if *address == evm.chain.actions {
                &OrderEvent::TOPICS
            } else if *address == evm.chain.deploy {
                &DeployEvent::TOPICS
            } else if *address == evm.chain.token {
                &TokenMove::TOPICS
            } else {
                &LedgerEvent::TOPICS
            };
            (*address, keccak256(address.as_bytes()), topics)
        };
        Self {
            contracts: addresses.iter().map(contract).collect(),
        }
    }

    /// Returns true if the block's bloom filter matches a contract that has none of the `logs`. In full blocks this is often a coincidence.
    fn promises(&self, block: &Block, logs: &[Found]) -> bool {
        let Ok(bloom) = Bloom::try_from(block.bloom.as_slice()) else {
            return false;
        };
        let has = |topic: &B256| bloom.contains_input(BloomInput::Raw(topic.as_slice()));
        self.contracts.iter().any(|(address, hash, topics)| {
            bloom.contains_input(BloomInput::Hash(*hash))
                && topics.iter().any(has)
                && !logs.iter().any(|log| log.address == *address)
        })
    }
}

/// Returns a hash of logs that follow logs with the hash `start`, which is zero before the first log of a block. Only equal logs have equal
/// hashes, however they are divided.
pub(super) fn digest<'a>(start: B256, logs: impl IntoIterator<Item = &'a Found>) -> B256 {
    let length = |length: usize| u64::try_from(length).unwrap_or(u64::MAX).to_be_bytes();
    logs.into_iter().fold(start, |before, log| {
        let mut hasher = Keccak256::new();
        hasher.update(before);
        hasher.update(log.index.to_be_bytes());
        hasher.update(log.tx);
        hasher.update(log.address.as_bytes());
        hasher.update(length(log.topics.len()));
        log.topics.iter().for_each(|topic| hasher.update(topic));
        hasher.update(length(log.data.len()));
        hasher.update(&log.data);
        hasher.finalize()
    })
}

/// Maximum number of logs that one step indexes, so that its transaction stays small. A single block may have more, up to the size of an
/// answer. Above this size, it is indexed in parts.
pub(super) const LOGS_MAX: usize = 2_000;

/// Returns the number of the last block that one step indexes. `None` if one step can index all logs.
pub(super) fn last_in_step(logs: &[Found]) -> Option<u64> {
    let beyond = logs.get(LOGS_MAX)?.block;
    let first = logs.first()?.block;
    let before = logs.iter().rev().find(|log| log.block < beyond);
    Some(before.map_or(first, |log| log.block))
}

/// The blocks after the index head.
pub(super) enum Forward {
    /// The next blocks.
    Segment(Segment),
    /// The block of the index head is no longer in the chain.
    Replaced,
    /// No block after the index head can be indexed now.
    Nothing,
}
