//! Reads the imprints of new assets, which no log contains.
//!
//! For final blocks, a quorum answers the imprints. For later blocks, one provider answers them, and `unlogged.rs` compares them before the
//! blocks become final.

use std::collections::BTreeMap;

use alloy_primitives::B256;
use order_core::chain::views;
use order_core::{Address, AssetId, Imprint};

use super::super::memory::Evm;
use super::super::rpc::{At, Reply, unavailable};
use super::super::views::{Source, view_all};
use super::logs::Segment;
use crate::context::Context;
use crate::ledger::LedgerError;

/// An asset whose imprint is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Needed {
    /// The index of the event that created the asset, or that moved it although the index lacks it.
    pub(super) event: usize,
    /// The index of the event's block in the segment.
    pub(super) block: usize,
    pub(super) ledger: Address,
    pub(super) id: AssetId,
    /// True if a later event of the segment changes or destroys the asset.
    pub(super) is_changed: bool,
}

/// Reads the imprint for each event. An asset that was destroyed in the block of its creation has none.
///
/// If a later event of the segment changes the asset, its imprint is read at the end of the event's block. Otherwise it is read at the end of
/// the segment, so that one call reads many imprints.
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
                    // For example, the provider has left out the log of the asset's destruction, or has invented the log of its creation.
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

/// Reads imprints at the end of a block. `None` for an asset that does not exist.
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
    let other = |_| unavailable("a ledger's answer is not an imprint");
    let read = |(view, answer): (&views::View<Imprint>, Option<Vec<u8>>)| {
        answer
            .map(|answer| view.read(&answer).map_err(other))
            .transpose()
    };
    views.iter().zip(answers).map(read).collect()
}
