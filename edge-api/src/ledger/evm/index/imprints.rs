//! The imprints of new assets, which no log has.
//!
//! For final blocks, a quorum answers them. For later blocks, one provider does, and `unlogged.rs` compares them before the blocks become final.

use std::collections::BTreeMap;

use alloy_primitives::B256;
use order_core::chain::views;
use order_core::{Address, AssetId, Imprint};

use super::super::Evm;
use super::super::rpc::{At, Reply, unavailable};
use super::super::views::{Source, view_all};
use super::logs::Segment;
use crate::context::Context;
use crate::ledger::LedgerError;

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
    let source = segment.source();
    let mut blocks: BTreeMap<usize, Vec<&Needed>> = BTreeMap::new();
    for one in needed {
        let block = if one.is_changed { one.block } else { end };
        blocks.entry(block).or_default().push(one);
    }
    for (block, needed) in blocks {
        let Some(block) = segment.blocks.get(block) else {
            continue;
        };
        let imprints = at_block(evm, ctx, block.hash, &needed, source).await?;
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
    Ok(found)
}

/// Reads imprints at the end of a block. `None` is an asset that does not exist.
async fn at_block(
    evm: &Evm,
    ctx: &Context<'_>,
    block: B256,
    needed: &[&Needed],
    source: Source,
) -> Result<Vec<Option<Imprint>>, LedgerError> {
    let views: Vec<_> = needed
        .iter()
        .map(|one| views::imprint(one.ledger, &one.id))
        .collect();
    let calls: Vec<_> = views.iter().map(|view| view.call.clone()).collect();
    let replies = view_all(evm, ctx, calls, At::Block(block), source).await?;
    let answers: Vec<_> = replies
        .into_iter()
        .map(Reply::bytes)
        .collect::<Result<_, _>>()?;
    let other = |_| unavailable("a ledger answers another value than an imprint");
    let read = |(view, answer): (&views::View<Imprint>, Option<Vec<u8>>)| {
        answer
            .map(|answer| view.read(&answer).map_err(other))
            .transpose()
    };
    views.iter().zip(answers).map(read).collect()
}
