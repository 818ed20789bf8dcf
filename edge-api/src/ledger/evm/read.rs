//! Reads of contracts at the last block.

use order_core::chain::{View, views};
use order_core::{Address, Amount, Asset, AssetId, ReadSet, Snapshot};
use serde::Deserialize;
use serde_json::json;

use super::block::Block;
use super::identity::identity;
use super::memory::{Evm, Seen, SeenAsset};
use super::rpc::{Ask, At, Replies, number64, unavailable};
use super::views::{Source, view_all};
use crate::context::Context;
use crate::ledger::projection::{self, AssetRow, LedgerRow, stored_reads, stored_snapshot};
use crate::ledger::{AsOf, AssetState, Balance, LedgerError};
use crate::ports::{Statement, exactly};
use crate::text::account_key;

/// Seconds for which the cache keeps the last known balance of an account.
const BALANCE_KEPT_SECONDS: u64 = 86_400;
/// Milliseconds after which an unchanged balance is stored again, so that its time is recent.
const BALANCE_RENEWED_MS: u64 = 60_000;
/// Maximum number of balances that an isolate remembers.
const BALANCES_MAX: usize = 1_000;

/// Returns the call of a view at the last block.
fn latest<T>(view: &View<T>) -> Ask {
    Ask::view(&view.call, At::Latest)
}

/// Returns the values of the keys.
///
/// A ledger that the index does not have does not exist for this service. A client may have chosen its address, so the chain is not
/// asked about it.
pub(super) async fn snapshot(
    evm: &Evm,
    ctx: &Context<'_>,
    keys: &ReadSet,
) -> Result<Snapshot, LedgerError> {
    let mut snapshot = stored_snapshot(ctx.db().batch(stored_reads(keys)).await?)?;
    let token = evm.chain.token;
    let is_known = |ledger: &Address| snapshot.ledgers.contains_key(ledger);
    let assets = keys.assets.iter().filter(|(ledger, _)| is_known(ledger));
    let abilities = keys.abilities.iter().filter(|(ledger, _)| is_known(ledger));
    let operators = keys
        .operators
        .iter()
        .filter(|(ledger, _, _)| is_known(ledger));

    let assets: Vec<_> = assets
        .map(|key @ (ledger, id)| {
            let owner = views::owner(*ledger, id);
            let imprint = views::imprint(*ledger, id);
            (*key, owner, imprint, views::approved(*ledger, id))
        })
        .collect();
    let abilities: Vec<_> = abilities
        .map(|key @ (ledger, account)| (*key, views::abilities(*ledger, *account)))
        .collect();
    let operators: Vec<_> = operators
        .map(|key @ (ledger, owner, operator)| {
            (*key, views::is_operator(*ledger, *owner, *operator))
        })
        .collect();
    let balances = keys.balances.iter();
    let balances: Vec<_> = balances
        .map(|account| (*account, views::balance(token, *account)))
        .collect();
    let allowances = keys.allowances.iter();
    let allowances: Vec<_> = allowances
        .map(|key @ (owner, spender)| (*key, views::allowance(token, *owner, *spender)))
        .collect();
    let recipients = keys.recipients.iter();
    let recipients: Vec<_> = recipients
        .map(|account| (*account, views::is_recipient(token, *account)))
        .collect();

    let mut calls = Vec::new();
    for (_, owner, imprint, approved) in &assets {
        calls.extend([&owner.call, &imprint.call, &approved.call]);
    }
    calls.extend(abilities.iter().map(|(_, view)| &view.call));
    calls.extend(operators.iter().map(|(_, view)| &view.call));
    calls.extend(balances.iter().map(|(_, view)| &view.call));
    calls.extend(allowances.iter().map(|(_, view)| &view.call));
    calls.extend(recipients.iter().map(|(_, view)| &view.call));
    let calls: Vec<_> = calls.into_iter().cloned().collect();
    let mut replies = Replies::from(view_all(evm, ctx, calls, At::Latest, Source::First).await?);

    for (key, owner, imprint, approved) in &assets {
        let owner = replies.of(owner)?.flatten();
        let imprint = replies.of(imprint)?;
        let approved = replies.of(approved)?.flatten();
        if let (Some(owner), Some(imprint)) = (owner, imprint) {
            let asset = Asset {
                owner,
                imprint,
                approved,
            };
            snapshot.assets.insert(*key, asset);
        }
    }
    for (key, view) in &abilities {
        if let Some(abilities) = replies.of(view)? {
            snapshot.abilities.insert(*key, abilities);
        }
    }
    for (key, view) in &operators {
        if replies.of(view)? == Some(true) {
            snapshot.operators.insert(*key);
        }
    }
    for (key, view) in &balances {
        let amount = replies.of(view)?.ok_or_else(no_token)?;
        snapshot.balances.insert(*key, amount);
    }
    for (key, view) in &allowances {
        let amount = replies.of(view)?.ok_or_else(no_token)?;
        snapshot.allowances.insert(*key, amount);
    }
    let allowed = snapshot.recipients.get_or_insert_default();
    for (key, view) in &recipients {
        if replies.of(view)?.ok_or_else(no_token)? {
            allowed.insert(*key);
        }
    }
    Ok(snapshot)
}

fn no_token() -> LedgerError {
    unavailable("the contract of `TOKEN_ADDRESS` does not answer")
}

/// Returns an asset at the last block. The requests of an isolate share a reading until the next block. `indexed` is the number of the last
/// indexed block, if it is known: the index may be ahead of an earlier reading.
pub(super) async fn see(
    evm: &Evm,
    ctx: &Context<'_>,
    (ledger, id): (Address, &AssetId),
    indexed: u64,
) -> Result<Seen, LedgerError> {
    let key = format!("{}/{}", account_key(&ledger), id.to_hex64());
    let fits = |seen: &Seen| seen.head.number.max(seen.indexed) >= indexed;
    let read = async || {
        let seen = see_now(evm, ctx, ledger, id).await?;
        Ok(Seen { indexed, ..seen })
    };
    evm.seen.get(ctx, &key, evm.block_ms(), fits, read).await
}

async fn see_now(
    evm: &Evm,
    ctx: &Context<'_>,
    ledger: Address,
    id: &AssetId,
) -> Result<Seen, LedgerError> {
    let owner = views::owner(ledger, id);
    let imprint = views::imprint(ledger, id);
    let uri = views::uri(ledger, id);
    let asks = [
        Block::tagged("latest"),
        latest(&owner),
        latest(&imprint),
        latest(&uri),
    ];
    let mut replies = Replies::from(evm.rpc(ctx).quick().ask(&asks).await?);
    let head = Block::read(&replies.next()?.value()?)?;
    let head = head.ok_or_else(|| unavailable("a provider has no last block"))?;
    let owner = replies.of(&owner)?.flatten();
    let imprint = replies.of(&imprint)?;
    let uri = replies.of(&uri)?.flatten();
    let asset = owner.zip(imprint).map(|(owner, imprint)| SeenAsset {
        owner,
        imprint,
        uri: uri.unwrap_or_default(),
    });
    Ok(Seen {
        head,
        asset,
        indexed: 0,
    })
}

impl SeenAsset {
    /// Returns the row of an asset that is not indexed yet, with the time of the last block. The index will have the time of the asset's
    /// own block instead.
    pub(super) fn row(self, id: AssetId, head: &Block) -> AssetRow {
        AssetRow {
            id,
            owner: self.owner,
            imprint: self.imprint,
            created_at: head.time,
            updated_at: head.time,
            uri: Some(self.uri),
        }
    }
}

/// The numbers of the last indexed block, and of the last block whose records are final.
#[derive(Deserialize)]
pub(super) struct IndexHeights {
    pub(super) number: u64,
    #[serde(rename = "final")]
    pub(super) final_number: u64,
}

pub(super) fn select_index_heights() -> Statement {
    Statement::new("SELECT number, final FROM chain WHERE only = 1")
}

/// Returns the index's row of an asset, corrected by the state at the last block. If no provider answers, if there is no such ledger, or
/// if `id` is `None`, returns the state at the last indexed block.
pub(super) async fn asset(
    evm: &Evm,
    ctx: &Context<'_>,
    ledger: &str,
    id: Option<&AssetId>,
) -> Result<AssetState, LedgerError> {
    identity(evm, ctx).await?;
    // A reading from before the last indexed block may show an asset that a reorganisation has removed.
    let statements = vec![
        projection::select_ledger(ledger),
        projection::select_asset(ledger, id),
        select_index_heights(),
    ];
    let [ledgers, assets, heights] = exactly(ctx.db().batch(statements).await?)?;
    let (ledger, indexed): (Option<LedgerRow>, Option<AssetRow>) =
        (ledgers.first()?, assets.first()?);
    let heights: Option<IndexHeights> = heights.first()?;
    let last = heights.as_ref().map_or(0, |heights| heights.number);
    let seen = match (&ledger, id) {
        (Some(ledger), Some(id)) => match see(evm, ctx, (ledger.id, id), last).await {
            Ok(seen) => Some((seen, *id)),
            Err(LedgerError::Unavailable(_)) => None,
            Err(error) => return Err(error),
        },
        _ => None,
    };
    let Some((Seen { head, asset, .. }, id)) = seen else {
        let heights = heights.ok_or_else(|| unavailable("no block was indexed yet"))?;
        return Ok(AssetState {
            ledger,
            asset: indexed,
            as_of: AsOf::Block {
                number: heights.number,
                is_final: heights.number <= heights.final_number,
            },
        });
    };
    let asset = asset.map(|seen| match indexed {
        None => seen.row(id, &head),
        Some(row) => {
            let is_same = (row.owner, row.imprint) == (seen.owner, seen.imprint);
            AssetRow {
                updated_at: if is_same { row.updated_at } else { head.time },
                created_at: row.created_at,
                ..seen.row(id, &head)
            }
        }
    });
    Ok(AssetState {
        ledger,
        asset,
        as_of: AsOf::Block {
            number: head.number,
            is_final: false,
        },
    })
}

/// Reads an account's balance of the platform token. If no provider answers, returns the last known balance with its time.
///
/// # Errors
/// If no provider answers, and the cache has no balance.
pub(super) async fn balance(
    evm: &Evm,
    ctx: &Context<'_>,
    account: &Address,
) -> Result<Balance, LedgerError> {
    let view = views::balance(evm.chain.token, *account);
    let asks = [Ask::new("eth_blockNumber", json!([])), latest(&view)];
    let read = async || -> Result<(u64, Amount), LedgerError> {
        let mut replies = Replies::from(evm.rpc(ctx).quick().ask(&asks).await?);
        let number = number64(&replies.next()?.value()?)?;
        Ok((number, replies.of(&view)?.ok_or_else(no_token)?))
    };
    match read().await {
        Ok((number, amount)) => {
            keep_balance(evm, ctx, account, amount).await;
            Ok(Balance::Read {
                amount,
                as_of: AsOf::Block {
                    number,
                    is_final: false,
                },
            })
        }
        Err(error) => {
            let kept = kept_balance(evm, ctx, account).await;
            kept.map(|(at, amount)| Balance::Read {
                amount,
                as_of: AsOf::Time(at),
            })
            .ok_or(error)
        }
    }
}

/// Returns the key of an account's last known balance in the cache.
fn balance_key(evm: &Evm, account: &Address) -> String {
    let chain = &evm.chain;
    let [token, account] = [&chain.token, account].map(account_key);
    format!("balance/1/{}/{token}/{account}", chain.id)
}

/// Stores a balance in the cache, unless the isolate has stored the same balance within the last minute.
async fn keep_balance(evm: &Evm, ctx: &Context<'_>, account: &Address, amount: Amount) {
    let now = ctx.now();
    {
        let mut stored = evm.balances.borrow_mut();
        let is_recent = |(before, at): &(Amount, u64)| {
            *before == amount && now.saturating_sub(*at) < BALANCE_RENEWED_MS
        };
        if stored.get(account).is_some_and(is_recent) {
            return;
        }
        if stored.len() >= BALANCES_MAX {
            stored.clear();
        }
        stored.insert(*account, (amount, now));
    }
    let value = format!("{now} {}", amount.to_hex64()).into_bytes();
    let cache = &ctx.ports().cache;
    cache
        .put(&balance_key(evm, account), value, BALANCE_KEPT_SECONDS)
        .await;
}

/// Returns an account's last known balance and its time.
async fn kept_balance(evm: &Evm, ctx: &Context<'_>, account: &Address) -> Option<(u64, Amount)> {
    let value = ctx.ports().cache.get(&balance_key(evm, account)).await?;
    let (at, amount) = std::str::from_utf8(&value).ok()?.split_once(' ')?;
    Some((at.parse().ok()?, Amount::from_hex64(amount).ok()?))
}
