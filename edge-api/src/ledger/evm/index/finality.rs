//! Finalizes records. A record becomes final if a quorum confirms the logs of its block, and if every provider that answers confirms the block
//! and the request. At least a quorum has to answer.

use std::cmp::Reverse;

use alloy_primitives::B256;
use const_format::concatcp;
use order_core::Address;
use order_core::chain::{Call, View, views};
use serde::Deserialize;
use serde_json::json;

use super::super::block::{Block, HeadState};
use super::super::memory::Evm;
use super::super::rpc::{Ask, At, Reply};
use super::super::views::Many;
use super::confirm::{self, Compared};
use super::index_head::{IndexHead, IndexedBlock, SUCCESS_CHECK_MS};
use super::undo;
use super::unlogged::{self, Unlogged};
use crate::config::Finality;
use crate::context::Context;
use crate::db::rows::{flag, hash};
use crate::ledger::{DeployedLedger, LedgerError, Next, Observed, Outcome};
use crate::ports::{Level, Statement};
use crate::text::hash_key;

/// Maximum number of records that one step finalizes. With a header and a few queries for logs, the calls usually fit into one HTTP request.
const RECORDS_AT_ONCE: usize = 90;
/// Maximum number of rows of `chain_undo` that one step deletes.
const UNDO_AT_ONCE: u32 = 2_000;

/// Returns the number of the last block that a quorum confirms as final, at most the final block of `head_state`. Returns 0 if too few providers
/// answer, and `index_head.settled` if `head_state` has no later final block. A single provider could name a block that is not final.
pub(super) async fn confirmed(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    head_state: &HeadState,
) -> Result<u64, LedgerError> {
    if head_state.settled.number <= index_head.settled {
        return Ok(index_head.settled);
    }
    if let Some((head, settled)) = evm.index.settled.get()
        && head == head_state.head.hash
    {
        return Ok(settled);
    }
    let marker = match evm.chain.finality {
        Finality::Tag => Block::tagged("finalized"),
        Finality::Confirmations(_) => Block::tagged("latest"),
    };
    let answers = evm.rpc(ctx).everyone(&[marker]).await;
    let mut named: Vec<u64> = answers
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|reply| Block::read(&reply.value().ok()?).ok()?)
        .map(|block| match evm.chain.finality {
            Finality::Tag => block.number,
            Finality::Confirmations(blocks) => block.number.saturating_sub(blocks),
        })
        .collect();
    named.sort_unstable_by_key(|number| Reverse(*number));
    let agreed = named.get(evm.chain.quorum.saturating_sub(1)).copied();
    if agreed.is_none() {
        report(
            evm,
            ctx,
            head_state.settled.number,
            "too few providers answer which block is the last final one",
        );
    }
    let settled = agreed.unwrap_or(0).min(head_state.settled.number);
    evm.index.settled.set(Some((head_state.head.hash, settled)));
    Ok(settled)
}

/// Logs why a block is not final, unless the last report was about the same block.
fn report(evm: &Evm, ctx: &Context<'_>, block: u64, why: &str) {
    if evm.index.reported.replace(block) != block {
        let line = json!({ "event": "chain.not-final", "block": block, "why": why });
        ctx.log(Level::Error, line);
    }
}

/// An indexed log which says that a request was performed or canceled.
#[derive(Clone, Deserialize)]
struct ClaimLog {
    #[serde(deserialize_with = "hash")]
    hash: B256,
    #[serde(deserialize_with = "flag")]
    canceled: bool,
    #[serde(deserialize_with = "flag")]
    is_deployment: bool,
    block: u64,
    tx_hash: String,
    ledger_id: Option<Address>,
    ledger_ref: Option<String>,
}

impl ClaimLog {
    /// Returns the contract's view that answers true if the log is genuine.
    fn view(&self, evm: &Evm) -> View<bool> {
        let (actions, deploy) = (evm.chain.actions, evm.chain.deploy);
        match (self.is_deployment, self.canceled) {
            (false, false) => views::order_performed(actions, &self.hash),
            (false, true) => views::order_canceled(actions, &self.hash),
            (true, false) => views::deployment_performed(deploy, &self.hash),
            (true, true) => views::deployment_canceled(deploy, &self.hash),
        }
    }

    fn outcome(&self) -> Outcome {
        let ledger = self.ledger_ref.clone().zip(self.ledger_id);
        let ledger = ledger.map(|(ledger_ref, ledger_id)| DeployedLedger {
            ledger_ref,
            ledger_id,
        });
        Outcome {
            tx_hash: Some(self.tx_hash.clone()),
            deployed: ledger,
        }
    }

    /// Returns the state that a final claim gives its record.
    fn last(&self) -> Next {
        match self.canceled {
            true => Next::Canceled,
            false => Next::Finalized(self.outcome()),
        }
    }
}

/// The columns of a [`ClaimLog`].
const CLAIM_COLUMNS: &str = "c.hash, c.canceled, c.is_deployment, c.block, c.tx_hash, c.ledger_id, \
         (SELECT l.ref FROM ledgers l WHERE l.id = c.ledger_id) AS ledger_ref";

/// Decides which records become final. Takes back a block instead if a quorum contradicts its indexed data. `None` if nothing can become
/// final now. `settled` is the number of the last block that a quorum confirms as final. `index_head.settled` is the last block whose records
/// are final already.
pub(super) async fn settle(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    ledgers: &[Address],
    settled: u64,
) -> Result<Option<Observed>, LedgerError> {
    // Many nodes keep only recent states. Claims are therefore read at the last final block, even if fewer blocks are compared.
    let block = last_block(ctx, settled).await?;
    let Some(block) = block.filter(|block| block.number > index_head.settled) else {
        return Ok(None);
    };
    // A block whose logs a provider refuses to answer together.
    let mut refused: Option<u64> = None;
    loop {
        let mut unconfirmed = confirm::unconfirmed(evm, ctx, index_head, block.number).await?;
        if let [only] = &mut unconfirmed[..]
            && refused == Some(only.number)
        {
            only.by_receipts();
        }
        let mut confirmed = unconfirmed.last().map_or(block.number, |last| last.number);
        let claims = claims(ctx, index_head, confirmed).await?;
        let views: Vec<View<bool>> = claims.iter().map(|claim| claim.view(evm)).collect();
        let unlogged = unlogged::read(ctx, &unconfirmed, block.number).await?;
        let mut calls = confirm::ask(evm, &unconfirmed, ledgers);
        let count = calls.len();
        let read = views.iter().map(|view| &view.call);
        let read = read.chain(unlogged.iter().map(Unlogged::call));
        let reads = reads(evm, ctx, read, &block).await?;
        calls.extend(reads.asks());
        let span = &evm.index.span;
        let Some(mut said) = ask(evm, ctx, &block, calls).await else {
            // The answer may have been too large.
            match &unconfirmed[..] {
                [only] if count > 0 && refused.is_none() => {
                    refused = Some(only.number);
                    continue;
                }
                [] | [_] => {}
                _ => span.shrink(),
            }
            return Ok(None);
        };
        let logs = |(provider, replies): &mut (usize, Vec<Reply>)| {
            (
                *provider,
                replies.drain(..count.min(replies.len())).collect(),
            )
        };
        let logs = said.iter_mut().map(logs).collect();
        let logs = confirm::answers(evm, ctx, &unconfirmed, ledgers, logs).await;
        match confirm::compare(evm, ctx, &unconfirmed, logs) {
            Compared::Same => {
                if u64::try_from(unconfirmed.len()) == Ok(span.blocks()) {
                    span.accept();
                }
            }
            Compared::Other(number) => {
                // The blocks are then read again as a range, from a quorum.
                return undo::discard(ctx, index_head, number).await.map(Some);
            }
            Compared::Open(number, why) => {
                report(evm, ctx, number, &why);
                confirmed = number.saturating_sub(1);
            }
            Compared::Refused => {
                if let [only] = &unconfirmed[..] {
                    refused = Some(only.number);
                }
                span.refuse(u64::try_from(unconfirmed.len()).unwrap_or(u64::MAX));
                continue;
            }
        }
        let answers = answers(&reads, said);
        let place = (&answers[..], views.len());
        match unlogged::compare(evm, ctx, &unlogged, confirmed, place) {
            Compared::Same | Compared::Refused => {}
            Compared::Other(number) => {
                return undo::discard(ctx, index_head, number).await.map(Some);
            }
            Compared::Open(number, why) => {
                report(evm, ctx, number, &why);
                confirmed = number.saturating_sub(1);
            }
        }
        let holds = agreed(evm, &views, &answers);
        let claims = claims.iter().zip(holds).collect();
        let is_news = unconfirmed
            .first()
            .is_some_and(|first| first.number <= confirmed);
        return finalize(evm, ctx, index_head, (confirmed, is_news), claims).await;
    }
}

/// Returns claims in blocks after `index_head.settled` and up to `last` that still have to change their records. The earliest blocks come first.
async fn claims(
    ctx: &Context<'_>,
    index_head: &IndexHead,
    last: u64,
) -> Result<Vec<ClaimLog>, LedgerError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        CLAIM_COLUMNS,
        " FROM chain_claim_logs c JOIN records r ON r.hash = c.hash WHERE c.block > ?1 AND c.block <= ?2 \
         AND r.status <> 7 AND (r.status <> 6 OR c.canceled = 0) ORDER BY c.block LIMIT ?3"
    ))
    .bind(index_head.settled)
    .bind(last)
    .bind(u64::try_from(RECORDS_AT_ONCE).unwrap_or(u64::MAX));
    Ok(ctx.db().query(select).await?.all()?)
}

/// Finalizes the records of genuine claims in blocks up to `confirmed`. If a claim is untrue, takes back its block and all later blocks
/// instead. `is_news` is true if some of these blocks had not been compared before. Each claim comes with the providers' answer. The answer
/// is `None` if the providers disagree, or if too few answer.
async fn finalize(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    (confirmed, is_news): (u64, bool),
    claims: Vec<(&ClaimLog, Option<bool>)>,
) -> Result<Option<Observed>, LedgerError> {
    // If the limit leaves out claims of the last block, this block stays open, and the next step finalizes its other records.
    let mut last = match claims.last() {
        Some((claim, _)) if claims.len() >= RECORDS_AT_ONCE => {
            claim.block.saturating_sub(1).min(confirmed)
        }
        _ => confirmed,
    };
    let mut records = Vec::new();
    for (claim, holds) in claims {
        if claim.block > confirmed {
            break;
        }
        match holds {
            Some(true) => records.push((claim.hash, claim.last())),
            Some(false) => {
                // The blocks are then read again from another provider.
                let line = json!({
                    "event": "chain.claim-untrue",
                    "hash": hash_key(&claim.hash),
                    "block": claim.block,
                });
                ctx.log(Level::Error, line);
                evm.rpc(ctx).prefer_other("a log was not true");
                return undo::discard(ctx, index_head, claim.block).await.map(Some);
            }
            None => {
                report(
                    evm,
                    ctx,
                    claim.block,
                    "the providers disagree about a request of this block, or too few answer",
                );
                last = last.min(claim.block.saturating_sub(1));
            }
        }
    }
    let last = last.max(index_head.settled);
    if records.is_empty() && last == index_head.settled && !is_news {
        return Ok(None);
    }
    let compared = Statement::new(
        "UPDATE chain_blocks SET logs = NULL, log_count = NULL WHERE number <= ?1 AND logs IS NOT NULL",
    );
    let guard = Statement::new(
        "INSERT INTO guards SELECT 0 WHERE NOT EXISTS (SELECT 1 FROM chain WHERE only = 1 AND final = ?1)",
    );
    let forget = Statement::new(
        "DELETE FROM chain_undo WHERE (block, name, key) IN (SELECT block, name, key FROM chain_undo WHERE block <= ?1 LIMIT ?2)",
    );
    Ok(Some(Observed {
        statements: vec![
            index_head.guard(),
            guard.bind(index_head.settled),
            Statement::new(
                "UPDATE chain SET final = ?1, final_at = iif(final < ?1, ?2, final_at) WHERE only = 1",
            )
            .bind(last)
            .bind(ctx.now()),
            Statement::new("DELETE FROM chain_blocks WHERE number < ?1").bind(last),
            compared.bind(confirmed),
            forget.bind(last).bind(UNDO_AT_ONCE),
        ],
        records,
    }))
}

/// Returns the last indexed block up to a number.
async fn last_block(ctx: &Context<'_>, most: u64) -> Result<Option<IndexedBlock>, LedgerError> {
    let select = Statement::new(
        "SELECT number, hash FROM chain_blocks WHERE number <= ?1 ORDER BY number DESC LIMIT 1",
    );
    Ok(ctx.db().query(select.bind(most)).await?.first()?)
}

/// Prepares calls that read views in the state after a block.
async fn reads(
    evm: &Evm,
    ctx: &Context<'_>,
    calls: impl Iterator<Item = &Call>,
    block: &IndexedBlock,
) -> Result<Many, LedgerError> {
    Many::new(evm, ctx, calls.cloned().collect(), At::Block(block.hash)).await
}

/// Sends all providers the query for a block, followed by `calls`. Returns the index and the replies to `calls` of each provider that has the
/// block. `None` if too few providers have the block, or if a provider has another block than the index.
async fn ask(
    evm: &Evm,
    ctx: &Context<'_>,
    block: &IndexedBlock,
    calls: Vec<Ask>,
) -> Option<Vec<(usize, Vec<Reply>)>> {
    let calls = [vec![Block::at(block.number)], calls].concat();
    let answers = evm.rpc(ctx).everyone(&calls).await;
    // A provider that lacks the block is behind, and is ignored.
    let mut said: Vec<(usize, Vec<Reply>)> = Vec::new();
    let mut is_same = true;
    for (provider, replies) in answers.into_iter().enumerate() {
        let mut replies = replies.into_iter().flatten();
        let header = replies.next().and_then(|reply| reply.value().ok());
        if let Some(Ok(Some(header))) = header.map(|header| Block::read(&header)) {
            is_same &= header.hash == block.hash;
            said.push((provider, replies.collect()));
        }
    }
    let why = if !is_same {
        "a provider has another block of this number than the index"
    } else if said.len() < evm.chain.quorum {
        "too few providers have the block"
    } else {
        return Some(said);
    };
    report(evm, ctx, block.number, why);
    None
}

/// Decodes each provider's replies into the answers of `reads`. Leaves out a provider whose replies are malformed.
fn answers(reads: &Many, said: Vec<(usize, Vec<Reply>)>) -> Vec<(usize, Vec<Reply>)> {
    let read = |(provider, replies)| Some((provider, reads.read(replies)?));
    said.into_iter().filter_map(read).collect()
}

/// Returns each view's answer if at least a quorum answers, and if all answers agree. The answers of views come first in `answers`.
fn agreed(evm: &Evm, views: &[View<bool>], answers: &[(usize, Vec<Reply>)]) -> Vec<Option<bool>> {
    let of_view = |(place, view): (usize, &View<bool>)| {
        let flags = answers.iter().filter_map(|(_, flags)| flags.get(place));
        let flags = flags.filter_map(|flag| view.read(&flag.clone().bytes().ok()??).ok());
        let flags: Vec<bool> = flags.collect();
        let first = flags.first().copied()?;
        let is_agreed = flags.len() >= evm.chain.quorum && flags.iter().all(|flag| *flag == first);
        is_agreed.then_some(first)
    };
    views.iter().enumerate().map(of_view).collect()
}

/// Returns the next state of a record whose request was performed or canceled on the chain, perhaps before the record was stored. `None`
/// if no indexed block shows this, or if the request was canceled and no quorum confirms the cancellation in a final block.
pub(in super::super) async fn seen(
    evm: &Evm,
    ctx: &Context<'_>,
    hash: &B256,
) -> Result<Option<Next>, LedgerError> {
    let select = Statement::new(concatcp!(
        "SELECT ",
        CLAIM_COLUMNS,
        " FROM chain_claim_logs c WHERE c.hash = ?1 ORDER BY c.canceled LIMIT 1"
    ));
    let claim: Option<ClaimLog> = ctx.db().query(select.bind(hash_key(hash))).await?.first()?;
    let Some(claim) = claim else {
        return Ok(None);
    };
    let index_head = IndexHead::read(ctx).await?;
    if claim.block <= index_head.settled
        && let Some(block) = last_block(ctx, index_head.settled).await?
    {
        let views = [claim.view(evm)];
        let reads = reads(evm, ctx, views.iter().map(|view| &view.call), &block).await?;
        let said = ask(evm, ctx, &block, reads.asks()).await;
        if said.is_some_and(|said| agreed(evm, &views, &answers(&reads, said)) == [Some(true)]) {
            return Ok(Some(claim.last()));
        }
    }
    let check_at = ctx.now().saturating_add(SUCCESS_CHECK_MS);
    Ok((!claim.canceled).then(|| Next::Success {
        outcome: claim.outcome(),
        check_at,
    }))
}
