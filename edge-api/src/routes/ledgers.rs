//! `/ledgers` (interface specification, "Ledgers").

use order_core::{Address, AssetId, Code};
use serde_json::{Value, json};

use crate::failure::Failure;
use crate::ledger::projection::{
    self, AbilityHolder, AssetLookup, AssetRow, HolderLookup, LedgerRow,
};
use crate::text::timestamp;
use crate::web::{Handled, Input, Query, list as listed, ok};

/// GET /ledgers: those on which the caller holds an ability.
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let page = input.query.read(Query::page)?;
    let found = projection::ledgers_of_account(input.ctx.db(), &caller, &page).await?;
    page.answer(found, |ledger| ledger.reference.clone(), ledger_view)
}

/// GET /ledgers/:ledgerRef
pub(super) async fn get(input: &Input<'_>, _: Address) -> Handled {
    let ledger = projection::find(input.ctx.db(), input.params.get("ledgerRef")).await?;
    ok(ledger_view(
        &ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?,
    ))
}

/// GET /ledgers/:ledgerRef/abilities
pub(super) async fn abilities(input: &Input<'_>, _: Address) -> Handled {
    let view = |holder: &AbilityHolder| json!({ "accountId": holder.account, "abilities": holder.abilities });
    holders(input, view).await
}

/// GET /ledgers/:ledgerRef/accounts: the ids of those who hold any ability.
pub(super) async fn accounts(input: &Input<'_>, _: Address) -> Handled {
    holders(input, |holder| json!(holder.account)).await
}

/// A page of those who hold an ability on the ledger.
async fn holders(input: &Input<'_>, view: impl Fn(&AbilityHolder) -> Value) -> Handled {
    let lookup = input.query.read(|query, errors| HolderLookup {
        ledger: input.params.get("ledgerRef"),
        page: query.page(errors),
        // What is no address names nobody.
        accounts: query
            .list("filterAccountIds", errors)
            .map(|ids| ids.iter().filter_map(|id| id.parse().ok()).collect()),
    })?;
    let (ledger, holders, total) = projection::holders(input.ctx.db(), &lookup).await?;
    if ledger.is_none() {
        return Err(Failure::code(Code::LedgerNotFound));
    }
    lookup
        .page
        .answer((holders, total), AbilityHolder::cursor_key, view)
}

/// GET /ledgers/:ledgerRef/assets
pub(super) async fn assets(input: &Input<'_>, _: Address) -> Handled {
    let lookup = input.query.read(|query, errors| AssetLookup {
        ledger: input.params.get("ledgerRef"),
        page: query.page(errors),
        // What is no asset id names no asset.
        ids: query
            .list("filterIds", errors)
            .map(|ids| ids.iter().filter_map(|id| id.parse().ok()).collect()),
    })?;
    let (ledger, mut assets, total) = projection::assets(input.ctx.db(), &lookup).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let meta = lookup.page.finish(
        &mut assets,
        total,
        lookup.ids.is_none(),
        AssetRow::cursor_key,
    );
    listed(
        assets
            .iter()
            .map(|asset| asset_view(&ledger, asset))
            .collect::<Vec<_>>(),
        meta,
    )
}

/// GET /ledgers/:ledgerRef/assets/:assetId
pub(super) async fn asset(input: &Input<'_>, _: Address) -> Handled {
    let id = input.params.get("assetId").parse::<AssetId>().ok();
    let (ledger, asset) =
        projection::asset(input.ctx.db(), input.params.get("ledgerRef"), id.as_ref()).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let asset = asset.ok_or_else(|| Failure::code(Code::AssetNotFound))?;
    ok(asset_view(&ledger, &asset))
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
