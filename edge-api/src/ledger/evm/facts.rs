//! The facts for the rules of a request, with a bounded number of calls.
//!
//! Anybody can send an order of 99 actions, and without Multicall3 each fact is a call. The service then reads at most [`CALLS_MAX`] facts
//! from the chain. All other facts come from the index, and facts that the index lacks are assumed to allow the request. The simulation
//! of the call decides in the end.

use std::collections::BTreeSet;

use order_core::{Amount, FieldError, Gateways, ReadSet, Request, Snapshot};

use super::memory::Evm;
use super::views::has_multicall;
use crate::context::Context;
use crate::ledger::{Ledger, LedgerError, projection};

/// Maximum number of calls for the facts of a request, if the chain lacks Multicall3.
const CALLS_MAX: usize = 30;
/// The calls for an asset: its owner, its imprint and its approved account.
const ASSET_CALLS: usize = 3;

/// Returns the errors of the rules, or `None` if they find none. The rules may miss errors that the simulation finds.
pub(super) async fn refusal(
    evm: &Evm,
    ctx: &Context<'_>,
    request: &Request,
    keys: &ReadSet,
) -> Result<Option<Vec<FieldError>>, LedgerError> {
    let identity = evm.identity(ctx).await?;
    let gateways = &identity.instance.gateways;
    let errors = |facts: &Snapshot| request.apply(gateways, facts, None).err();
    if are_few(evm, ctx, keys).await? {
        return Ok(errors(&evm.snapshot(ctx, keys).await?));
    }
    let mut facts = indexed(ctx, gateways, keys).await?;
    let Some(found) = errors(&facts) else {
        read_some(evm, ctx, keys, &mut facts).await?;
        return Ok(errors(&facts));
    };
    let (Request::Order(order), Some(place)) = (request, found.iter().find_map(action)) else {
        // The errors of other fields depend only on the database.
        return Ok(Some(found));
    };
    // The index may lag behind, so the chain confirms one refused action.
    let mut one = order.clone();
    one.order.actions = order
        .order
        .actions
        .get(place)
        .cloned()
        .into_iter()
        .collect();
    let keys = Request::Order(one).read_set(&identity.instance);
    read_into(evm, ctx, &keys, &mut facts).await?;
    let is_confirmed = |errors: &Vec<_>| errors.iter().filter_map(action).any(|at| at == place);
    Ok(errors(&facts).filter(is_confirmed))
}

/// Returns the values of the keys. If there are too many for [`CALLS_MAX`] calls, only the first ones are from the chain.
pub(super) async fn facts(
    evm: &Evm,
    ctx: &Context<'_>,
    keys: &ReadSet,
) -> Result<Snapshot, LedgerError> {
    if are_few(evm, ctx, keys).await? {
        return evm.snapshot(ctx, keys).await;
    }
    let identity = evm.identity(ctx).await?;
    let mut facts = indexed(ctx, &identity.instance.gateways, keys).await?;
    read_some(evm, ctx, keys, &mut facts).await?;
    Ok(facts)
}

/// Returns true if the chain can be asked about all keys with few calls.
async fn are_few(evm: &Evm, ctx: &Context<'_>, keys: &ReadSet) -> Result<bool, LedgerError> {
    let counts = [
        keys.assets.len().saturating_mul(ASSET_CALLS),
        keys.abilities.len(),
        keys.operators.len(),
        keys.balances.len(),
        keys.allowances.len(),
        keys.recipients.len(),
    ];
    let count = counts.into_iter().fold(0, usize::saturating_add);
    Ok(count <= CALLS_MAX || has_multicall(evm, ctx).await?)
}

/// Returns the index's values of the keys. Approvals, allowances and the receivers that the token allows are not indexed. They are assumed to
/// allow everything.
async fn indexed(
    ctx: &Context<'_>,
    gateways: &Gateways,
    keys: &ReadSet,
) -> Result<Snapshot, LedgerError> {
    let mut facts = projection::snapshot(ctx.db().batch(projection::reads(keys)).await?)?;
    for ((ledger, _), asset) in &mut facts.assets {
        asset.approved = Some(gateways.asset_transfer(*ledger).1);
    }
    facts.operators.clone_from(&keys.operators);
    let allowances = keys.allowances.iter().map(|key| (*key, Amount::MAX));
    facts.allowances.extend(allowances);
    facts.recipients = Some(keys.recipients.clone());
    Ok(facts)
}

/// Replaces facts by values from the chain, with at most [`CALLS_MAX`] calls. Facts that the index lacks come first.
async fn read_some(
    evm: &Evm,
    ctx: &Context<'_>,
    keys: &ReadSet,
    facts: &mut Snapshot,
) -> Result<(), LedgerError> {
    let mut left = CALLS_MAX;
    let some = ReadSet {
        ledgers: keys.ledgers.clone(),
        operators: take_first(&keys.operators, &mut left),
        allowances: take_first(&keys.allowances, &mut left),
        recipients: take_first(&keys.recipients, &mut left),
        balances: take_first(&keys.balances, &mut left),
        abilities: take_first(&keys.abilities, &mut left),
        assets: take_first(&keys.assets, &mut (left / ASSET_CALLS)),
        blockable: BTreeSet::new(),
    };
    read_into(evm, ctx, &some, facts).await
}

/// Returns the first keys, at most `left`, and counts them off.
fn take_first<K: Copy + Ord>(keys: &BTreeSet<K>, left: &mut usize) -> BTreeSet<K> {
    let first: BTreeSet<K> = keys.iter().take(*left).copied().collect();
    *left = left.saturating_sub(first.len());
    first
}

/// Replaces the facts at the keys by values from the chain.
async fn read_into(
    evm: &Evm,
    ctx: &Context<'_>,
    keys: &ReadSet,
    facts: &mut Snapshot,
) -> Result<(), LedgerError> {
    let seen = evm.snapshot(ctx, keys).await?;
    facts.assets.retain(|key, _| !keys.assets.contains(key));
    facts
        .abilities
        .retain(|key, _| !keys.abilities.contains(key));
    facts.operators.retain(|key| !keys.operators.contains(key));
    facts.assets.extend(seen.assets);
    facts.abilities.extend(seen.abilities);
    facts.operators.extend(seen.operators);
    facts.balances.extend(seen.balances);
    facts.allowances.extend(seen.allowances);
    if let Some(recipients) = &mut facts.recipients {
        recipients.retain(|account| !keys.recipients.contains(account));
        recipients.extend(seen.recipients.into_iter().flatten());
    }
    Ok(())
}

/// Returns the index of the action that an error concerns.
fn action(error: &FieldError) -> Option<usize> {
    let (index, _) = error.path.strip_prefix("order.actions[")?.split_once(']')?;
    index.parse().ok()
}
