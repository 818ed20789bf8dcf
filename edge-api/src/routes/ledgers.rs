//! `/ledgers` (interface specification, "Ledgers").

use order_core::{Address, AssetId, Code};
use serde::Serialize;

use crate::api;
use crate::app::{Call, Input};
use crate::http::{Failure, Query, Success};
use crate::ledger::{self, Able, AbleLookup, AssetLookup, AssetRow, LedgerRow};

/// GET /ledgers: those on which the caller holds an ability.
pub(super) async fn list(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
) -> Result<Success, Failure> {
    let page = input.query.read(Query::page)?;
    let found = ledger::ledgers_of_account(call.db(), &caller, &page).await?;
    page.answer(found, |ledger| ledger.reference.clone(), ledger_view)
}

/// GET /ledgers/:ledgerRef
pub(super) async fn get(
    call: &Call<'_>,
    input: &Input<'_>,
    _: Address,
) -> Result<Success, Failure> {
    let ledger = ledger::find(call.db(), input.params.get("ledgerRef")).await?;
    Success::ok(ledger_view(
        &ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?,
    ))
}

/// GET /ledgers/:ledgerRef/abilities
pub(super) async fn abilities(
    call: &Call<'_>,
    input: &Input<'_>,
    _: Address,
) -> Result<Success, Failure> {
    able(call, input, |able| api::LedgerAbility {
        account_id: able.account,
        abilities: able.abilities,
    })
    .await
}

/// GET /ledgers/:ledgerRef/accounts: the ids of those who hold any ability.
pub(super) async fn accounts(
    call: &Call<'_>,
    input: &Input<'_>,
    _: Address,
) -> Result<Success, Failure> {
    able(call, input, |able| able.account).await
}

/// A page of those who hold an ability on the ledger.
async fn able<A: Serialize>(
    call: &Call<'_>,
    input: &Input<'_>,
    view: impl Fn(&Able) -> A,
) -> Result<Success, Failure> {
    let lookup = input.query.read(|query, errors| AbleLookup {
        ledger: input.params.get("ledgerRef"),
        page: query.page(errors),
        // What is no address names nobody.
        accounts: query
            .list("filterAccountIds", errors)
            .map(|ids| ids.iter().filter_map(|id| id.parse().ok()).collect()),
    })?;
    let (ledger, able, total) = ledger::able(call.db(), &lookup).await?;
    if ledger.is_none() {
        return Err(Failure::code(Code::LedgerNotFound));
    }
    lookup.page.answer((able, total), Able::place, view)
}

/// GET /ledgers/:ledgerRef/assets
pub(super) async fn assets(
    call: &Call<'_>,
    input: &Input<'_>,
    _: Address,
) -> Result<Success, Failure> {
    let lookup = input.query.read(|query, errors| AssetLookup {
        ledger: input.params.get("ledgerRef"),
        page: query.page(errors),
        // What is no asset id names no asset.
        ids: query
            .list("filterIds", errors)
            .map(|ids| ids.iter().filter_map(|id| id.parse().ok()).collect()),
    })?;
    let (ledger, mut assets, total) = ledger::assets(call.db(), &lookup).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let meta = lookup
        .page
        .finish(&mut assets, total, lookup.ids.is_none(), AssetRow::place);
    Success::list(
        assets
            .iter()
            .map(|asset| asset_view(&ledger, asset))
            .collect::<Vec<_>>(),
        meta,
    )
}

/// GET /ledgers/:ledgerRef/assets/:assetId
pub(super) async fn asset(
    call: &Call<'_>,
    input: &Input<'_>,
    _: Address,
) -> Result<Success, Failure> {
    let id = input.params.get("assetId").parse::<AssetId>().ok();
    let (ledger, asset) =
        ledger::asset(call.db(), input.params.get("ledgerRef"), id.as_ref()).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let asset = asset.ok_or_else(|| Failure::code(Code::AssetNotFound))?;
    Success::ok(asset_view(&ledger, &asset))
}

fn ledger_view(ledger: &LedgerRow) -> api::Ledger {
    api::Ledger {
        reference: api::Ref(ledger.reference.clone()),
        id: ledger.id,
        name: ledger.name.clone(),
        symbol: ledger.symbol.clone(),
        uri_prefix: ledger.uri_prefix.clone(),
        uri_postfix: ledger.uri_postfix.clone(),
        schema_id: ledger.schema_id,
        capabilities: ledger.capabilities.clone(),
        owner_id: ledger.owner,
        created_at: api::Timestamp(ledger.created_at),
    }
}

fn asset_view(ledger: &LedgerRow, asset: &AssetRow) -> api::Asset {
    api::Asset {
        id: asset.id,
        ledger_ref: api::Ref(ledger.reference.clone()),
        ledger_id: ledger.id,
        owner_id: asset.owner,
        imprint: asset.imprint,
        uri: ledger.uri(&asset.id),
        created_at: api::Timestamp(asset.created_at),
        updated_at: api::Timestamp(asset.updated_at),
    }
}
