//! The standing of an asset for a badge: the index's rows, confirmed by the chain's last block.
//!
//! The badge of an indexed asset is valid only if the index and the last block agree. The index can lag behind the chain, and a provider
//! can lag behind the index. This table shows the resulting standing:
//!
//! | index | last block | standing |
//! |---|---|---|
//! | in force | the same imprint, and no provider that is up to date says otherwise | in force |
//! | in force | the same imprint, but another provider that is up to date says otherwise | could not be checked |
//! | in force | another imprint | could not be checked, until the index has the update |
//! | in force | absent, and the last final block has the asset | withdrawn |
//! | in force | absent, and the last final block lacks it too | never issued: a reorganisation removed the asset |
//! | in force | absent, but the provider lags behind the index | could not be checked |
//! | in force | absent, and no provider has the last final block | could not be checked |
//! | never issued | exists | could not be checked, until the index has the asset |
//! | never issued | absent | never issued |
//! | withdrawn | not asked | withdrawn |
//! | in force, never issued | no answer | could not be checked |

use order_core::chain::views;
use order_core::{Address, AssetId, Imprint};
use serde_json::json;

use super::block::Block;
use super::identity::identity;
use super::memory::Evm;
use super::memory::Seen;
use super::read::{IndexHeights, see, select_index_heights};
use super::rpc::{Ask, At, Replies, Reply};
use crate::context::Context;
use crate::ledger::projection::{self, AssetRow, Certified, LedgerRow, PastImprint, Withdrawal};
use crate::ledger::{Doubt, LedgerError, Standing};
use crate::ports::{Level, Rows, exactly};
use crate::text::account_key;

/// Returns the standing of an asset, as [`crate::ledger::Ledger::standing`] describes it.
pub(super) async fn standing(
    evm: &Evm,
    ctx: &Context<'_>,
    ledger: &str,
    id: &AssetId,
    about_ledger: &str,
) -> Result<Standing, LedgerError> {
    identity(evm, ctx).await?;
    let more = vec![select_index_heights()];
    let (certified, about_ledger, rows) =
        projection::certified(ctx.db(), ledger, id, about_ledger, more).await?;
    let [heights] = exactly(rows)?;
    let (certified, doubt) = match certified {
        certified @ (Certified::NoLedger | Certified::Withdrawn { .. }) => (certified, None),
        certified => confirmed(evm, ctx, id, certified, heights).await?,
    };
    Ok(Standing {
        certified,
        doubt,
        about_ledger,
    })
}

/// Compares the index's rows with the last block. `heights` has the row of [`select_index_heights`].
async fn confirmed(
    evm: &Evm,
    ctx: &Context<'_>,
    id: &AssetId,
    certified: Certified,
    heights: Rows,
) -> Result<(Certified, Option<Doubt>), LedgerError> {
    let Some(ledger) = certified.ledger().map(|ledger| ledger.id) else {
        return Ok((certified, None));
    };
    let heights: Option<IndexHeights> = heights.first()?;
    let indexed = heights.as_ref().map_or(0, |heights| heights.number);
    let Seen { head, asset, .. } = match see(evm, ctx, (ledger, id), indexed).await {
        Ok(seen) => seen,
        Err(LedgerError::Unavailable(_)) => return Ok((certified, Some(Doubt::NoAnswer))),
        Err(error) => return Err(error),
    };
    Ok(match (certified, asset) {
        (
            Certified::InForce {
                ledger,
                asset,
                before,
                past,
            },
            Some(seen),
        ) => {
            let doubt = if seen.imprint != asset.imprint {
                Some(Doubt::Behind)
            } else if is_contradicted(evm, ctx, (ledger.id, id), &asset.imprint, indexed).await? {
                Some(Doubt::Differ)
            } else {
                None
            };
            let asset = AssetRow {
                owner: seen.owner,
                uri: Some(seen.uri),
                ..asset
            };
            let certified = Certified::InForce {
                ledger,
                asset,
                before,
                past,
            };
            (certified, doubt)
        }
        (certified @ Certified::InForce { .. }, None) => {
            let heights = heights.filter(|heights| heights.number <= head.number);
            let was_there = match heights {
                Some(heights) => existed(evm, ctx, &certified, id, heights.final_number).await?,
                None => None,
            };
            match was_there {
                None => (certified, Some(Doubt::Behind)),
                Some(was_there) => (gone(certified, was_there, head.time), None),
            }
        }
        (Certified::Never(ledger), Some(seen)) => {
            let asset = seen.row(*id, &head);
            (in_force(ledger, asset), Some(Doubt::Behind))
        }
        (certified, _) => (certified, None),
    })
}

/// Returns true if a provider answers that the asset has another imprint, or that there is no such asset. Ignores providers that do not
/// answer or lag behind the index, so a certificate stays valid while a provider is down. The requests of an isolate share the answer until
/// the next block.
async fn is_contradicted(
    evm: &Evm,
    ctx: &Context<'_>,
    asset: (Address, &AssetId),
    imprint: &Imprint,
    indexed: u64,
) -> Result<bool, LedgerError> {
    if evm.chain.providers.len() < 2 {
        return Ok(false);
    }
    let (ledger, id) = asset;
    let key = format!(
        "{}/{}/{imprint}/{indexed}",
        account_key(&ledger),
        id.to_hex64()
    );
    let read = async || Ok(contradiction(evm, ctx, asset, imprint, indexed).await);
    let fresh = evm.block_ms();
    evm.contradicted.get(ctx, &key, fresh, |_| true, read).await
}

async fn contradiction(
    evm: &Evm,
    ctx: &Context<'_>,
    (ledger, id): (Address, &AssetId),
    imprint: &Imprint,
    indexed: u64,
) -> bool {
    let view = views::imprint(ledger, id);
    let asks = [Block::tagged("latest"), Ask::view(&view.call, At::Latest)];
    let answers = evm.rpc(ctx).quick().everyone(&asks).await;
    let contradicts = |replies: Vec<Reply>| -> Option<bool> {
        let mut replies = Replies::from(replies);
        let head = replies.next().ok()?.value().ok()?;
        let head = Block::read(&head).ok()??;
        let found = replies.of(&view).ok()?;
        Some(head.number >= indexed && found.as_ref() != Some(imprint))
    };
    let is_other = |replies: Option<Vec<Reply>>| replies.and_then(contradicts) == Some(true);
    let places: Vec<usize> = answers
        .into_iter()
        .zip(1..)
        .filter_map(|(replies, place)| is_other(replies).then_some(place))
        .collect();
    if !places.is_empty() {
        let line = json!({ "event": "chain.asset-differs", "ledgerId": ledger, "assetId": id, "providers": places });
        ctx.log(Level::Warn, line);
    }
    !places.is_empty()
}

/// Returns true if the asset existed at a final block. `None` if no provider answers with the state of this block.
async fn existed(
    evm: &Evm,
    ctx: &Context<'_>,
    certified: &Certified,
    id: &AssetId,
    final_number: u64,
) -> Result<Option<bool>, LedgerError> {
    let Some(ledger) = certified.ledger() else {
        return Ok(None);
    };
    let owner = views::owner(ledger.id, id);
    let ask = Ask::view(&owner.call, At::Number(final_number));
    Ok(match evm.rpc(ctx).quick().one(ask).await {
        Ok(Reply::Refused(_)) | Err(LedgerError::Unavailable(_)) => None,
        Ok(reply) => reply
            .bytes()?
            .map_or(Some(false), |answer| Some(!answer.is_empty())),
        Err(error) => return Err(error),
    })
}

/// Returns the standing of an asset that the last block lacks. `was_there` is true if the last final block has it.
fn gone(certified: Certified, was_there: bool, now: u64) -> Certified {
    match certified {
        Certified::InForce {
            ledger,
            asset,
            mut past,
            ..
        } if was_there => {
            let ended = PastImprint {
                imprint: asset.imprint,
                ended_at: now,
                withdrawn: true,
            };
            past.insert(0, ended);
            Certified::Withdrawn {
                ledger,
                // The index does not have the transaction yet, so it has no reason either.
                withdrawal: Withdrawal {
                    issued_at: Some(asset.created_at),
                    withdrawn_at: now,
                    owner: Some(asset.owner),
                    creator: None,
                    withdrawn_by: None,
                    record_ref: String::new(),
                    reason: None,
                    reason_by: None,
                },
                past,
            }
        }
        Certified::InForce { ledger, .. } => Certified::Never(ledger),
        other => other,
    }
}

fn in_force(ledger: LedgerRow, asset: AssetRow) -> Certified {
    Certified::InForce {
        ledger,
        asset,
        before: None,
        past: Vec::new(),
    }
}
