//! The imprints of new assets, which no log has.

use std::collections::BTreeMap;

use alloy_primitives::B256;
use order_core::chain::views;
use order_core::{Address, AssetId, Imprint};
use serde_json::json;

use super::super::Evm;
use super::super::rpc::{Ask, At, Reply, data, unavailable};
use super::logs::Segment;
use crate::context::Context;
use crate::ledger::LedgerError;

/// Maximum number of imprints that one call of the contract for many calls reads. Each needs about 15,000 gas, and nodes allow 50 million.
const AT_ONCE: usize = 500;

/// An asset of which an imprint is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needed {
    /// The place of the event that created the asset.
    pub(super) event: usize,
    /// The place of its block in the segment.
    pub(super) block: usize,
    pub(super) ledger: Address,
    pub(super) id: AssetId,
    /// True if a later event of the segment changes or destroys the asset.
    pub(super) is_changed: bool,
}

/// Reads the imprint for each event. An asset that was destroyed in the block of its creation has none.
///
/// An imprint is read at the end of the asset's block. If no later event changes it, it is read at the end of the segment, so that one call
/// reads many.
pub(super) async fn read(
    evm: &Evm,
    ctx: &Context<'_>,
    segment: &Segment,
    needed: &[Needed],
) -> Result<BTreeMap<usize, Imprint>, LedgerError> {
    let mut found = BTreeMap::new();
    let end = segment.blocks.len().saturating_sub(1);
    let mut blocks: BTreeMap<usize, Vec<&Needed>> = BTreeMap::new();
    for one in needed {
        let block = if one.is_changed { one.block } else { end };
        blocks.entry(block).or_default().push(one);
    }
    for (block, needed) in blocks {
        let Some(block) = segment.blocks.get(block) else {
            continue;
        };
        for needed in needed.chunks(AT_ONCE) {
            let imprints = at_block(evm, ctx, block.hash, needed).await?;
            for (one, imprint) in needed.iter().zip(imprints) {
                match imprint {
                    Some(imprint) => found.extend([(one.event, imprint)]),
                    None if one.is_changed => {}
                    None => {
                        // The provider left out the log of the asset's destruction, or answered with the state of another block.
                        return Err(unavailable(&format!(
                            "the asset {} does not exist after block {}",
                            one.id, block.number
                        )));
                    }
                }
            }
        }
    }
    Ok(found)
}

/// Reads imprints at the end of a block. `None` is an asset that does not exist.
async fn at_block(
    evm: &Evm,
    ctx: &Context<'_>,
    block: B256,
    needed: &[&Needed],
) -> Result<Vec<Option<Imprint>>, LedgerError> {
    let views: Vec<_> = needed
        .iter()
        .map(|one| views::imprint(one.ledger, &one.id))
        .collect();
    let answers = match needed.len() > 1 && has_multicall(evm, ctx).await? {
        false => None,
        true => {
            let calls: Vec<_> = views.iter().map(|view| view.call.clone()).collect();
            let all = views::multicall(views::MULTICALL, &calls);
            let reply = evm
                .rpc(ctx)
                .one(Ask::view(&all.call, At::Block(block)))
                .await?;
            match reply {
                // The contract may be younger than the block.
                Reply::Value(value) => all.read(&data(&value)?).ok(),
                Reply::Reverted(_) | Reply::Refused(_) => None,
            }
        }
    };
    let answers = match answers {
        Some(answers) => answers,
        None => {
            let calls: Vec<Ask> = views
                .iter()
                .map(|view| Ask::view(&view.call, At::Block(block)))
                .collect();
            let replies = evm.rpc(ctx).ask(&calls).await?;
            let answers = replies.into_iter().map(Reply::bytes);
            answers.collect::<Result<_, _>>()?
        }
    };
    let other = |_| unavailable("a ledger answers another value than an imprint");
    let read = |(view, answer): (&views::View<Imprint>, Option<Vec<u8>>)| {
        answer
            .map(|answer| view.read(&answer).map_err(other))
            .transpose()
    };
    views.iter().zip(answers).map(read).collect()
}

/// Returns true if the chain has the contract that makes many calls at once.
async fn has_multicall(evm: &Evm, ctx: &Context<'_>) -> Result<bool, LedgerError> {
    if let Some(has_multicall) = evm.index.has_multicall.get() {
        return Ok(*has_multicall);
    }
    let code = Ask::new("eth_getCode", json!([views::MULTICALL, "latest"]));
    let code = data(&evm.rpc(ctx).one(code).await?.value()?)?;
    Ok(*evm.index.has_multicall.get_or_init(|| !code.is_empty()))
}
