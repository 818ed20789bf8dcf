//! `/ledgers` (interface specification, "Ledgers").

use order_core::{Address, AssetId, Code};
use serde_json::{Value, json};

use crate::app::{Call, Input};
use crate::http::{Failure, Query, Success};
use crate::ledger::{self, Able, AbleLookup, AssetLookup, AssetRow, LedgerRow};
use crate::text::timestamp;

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
    able(
        call,
        input,
        |able| json!({ "accountId": able.account, "abilities": able.abilities }),
    )
    .await
}

/// GET /ledgers/:ledgerRef/accounts: the ids of those who hold any ability.
pub(super) async fn accounts(
    call: &Call<'_>,
    input: &Input<'_>,
    _: Address,
) -> Result<Success, Failure> {
    able(call, input, |able| json!(able.account)).await
}

/// A page of those who hold an ability on the ledger.
async fn able(
    call: &Call<'_>,
    input: &Input<'_>,
    view: impl Fn(&Able) -> Value,
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

/// `{ref, id, name, symbol, uriPrefix, uriPostfix, schemaId, capabilities, ownerId, createdAt}`
fn ledger_view(ledger: &LedgerRow) -> Value {
    json!({
        "ref": ledger.reference,
        "id": ledger.id,
        "name": ledger.name,
        "symbol": ledger.symbol,
        "uriPrefix": ledger.uri_prefix,
        "uriPostfix": ledger.uri_postfix,
        "schemaId": ledger.schema_id,
        "capabilities": ledger.capabilities,
        "ownerId": ledger.owner,
        "createdAt": timestamp(ledger.created_at),
    })
}

/// `{id, ledgerRef, ledgerId, ownerId, imprint, uri, createdAt, updatedAt}`
fn asset_view(ledger: &LedgerRow, asset: &AssetRow) -> Value {
    json!({
        "id": asset.id,
        "ledgerRef": ledger.reference,
        "ledgerId": ledger.id,
        "ownerId": asset.owner,
        "imprint": asset.imprint,
        "uri": ledger.uri(&asset.id),
        "createdAt": timestamp(asset.created_at),
        "updatedAt": timestamp(asset.updated_at),
    })
}
