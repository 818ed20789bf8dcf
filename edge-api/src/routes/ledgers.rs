//! `/ledgers` (`docs/interface.md`, "Ledgers").

use order_core::{Address, AssetId, Code};
use serde::Serialize;

use super::common::{account_of, state_meta};
use crate::api;
use crate::assets::{self, Reason, WithdrawnAsset};
use crate::db::Page;
use crate::failure::Failure;
use crate::ledger::projection::{
    self, AbilityHolder, AssetLookup, AssetRow, HolderLookup, LedgerRow,
};
use crate::web::{Handled, Ids, Input, Matching, Route, Success, ok, private, query, with_meta};

query! {
    /// The parameters of lists of the accounts of a ledger.
    pub(super) struct HolderQuery {
        ..page: Page,
        /// Only these accounts.
        accounts ("filterAccountIds"): Ids<Address>,
    }
}

query! {
    /// The parameters of the list of a ledger's assets.
    pub(super) struct AssetQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        ids ("filterIds"): Ids<AssetId>,
        /// Only assets of this account.
        owner ("ownerId"): Matching<Address>,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::get("/ledgers", private!(Read, list))
        .query::<Page>()
        .served_by_copies()
        .lists::<LedgerRow>("getLedgers", "List ledgers")
        .details("Lists the ledgers on which the caller has an ability."),
    Route::get("/ledgers/:ledgerRef", private!(Read, get, LedgerRef))
        .served_by_copies()
        .answers::<LedgerRow>("getLedger", "Get a ledger")
        .errors(&[Code::LedgerNotFound]),
    Route::get(
        "/ledgers/:ledgerRef/abilities",
        private!(Read, abilities, LedgerRef),
    )
    .query::<HolderQuery>()
    .served_by_copies()
    .lists::<AbilityHolder>("getLedgerAbilities", "List the abilities of accounts")
    .errors(&[Code::LedgerNotFound]),
    Route::get(
        "/ledgers/:ledgerRef/accounts",
        private!(Read, accounts, LedgerRef),
    )
    .query::<HolderQuery>()
    .served_by_copies()
    .lists::<Address>("getLedgerAccounts", "List accounts with any ability")
    .errors(&[Code::LedgerNotFound]),
    Route::get(
        "/ledgers/:ledgerRef/assets",
        private!(Read, assets, LedgerRef),
    )
    .query::<AssetQuery>()
    .served_by_copies()
    .lists::<api::Asset>("getLedgerAssets", "List assets")
    .errors(&[Code::LedgerNotFound]),
    Route::get(
        "/ledgers/:ledgerRef/assets/:assetId",
        private!(Read, asset, LedgerRef, AssetId),
    )
    .served_by_copies()
    .answers::<api::Asset>("getLedgerAsset", "Get an asset")
    .meta::<api::StateMeta>()
    .errors(&[Code::LedgerNotFound, Code::AssetNotFound]),
    Route::get(
        "/ledgers/:ledgerRef/assets/:assetId/history",
        private!(Read, history, LedgerRef, AssetId),
    )
    .served_by_copies()
    .answers::<api::AssetHistory>("getLedgerAssetHistory", "Get the history of an asset")
    .details(
        "Lists the issue, replacements, transfers and withdrawals of an asset, the newest \
             first. Any account may read it, as any account may read the ledger's assets. The \
             orders themselves stay with their parties.",
    )
    .errors(&[Code::LedgerNotFound, Code::AssetNotFound]),
    Route::put(
        "/ledgers/:ledgerRef/assets/:assetId/withdrawal",
        private!(Orders, withdrawal, LedgerRef, AssetId),
    )
    .json::<api::bodies::WithdrawalInput>()
    .answers::<api::AssetWithdrawal>("updateAssetWithdrawal", "Give the reason for a withdrawal")
    .details(
        "Only two accounts may give the reason for a withdrawal: the creator of the order \
             that destroyed or revoked the asset, and the sender of that action. On a chain, \
             the last owner may if the service has no such order. The reason is public: the \
             badge's report shows it with its author. Of these two accounts, only the reason's author and the \
             ledger's owner may replace it.",
    )
    .errors(&[
        Code::LedgerNotFound,
        Code::AssetNotFound,
        Code::AssetNotWithdrawn,
        Code::ReasonNotAllowed,
        Code::FieldNotValid,
    ]),
];

/// GET /ledgers: lists the ledgers on which the caller has an ability.
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let page: Page = input.query.parsed()?;
    let found = projection::ledgers_of_account(input.ctx.db(), &caller, &page).await?;
    page.answer_rows(found, |ledger: &LedgerRow| ledger.reference.clone())
}

/// GET /ledgers/:ledgerRef
pub(super) async fn get(input: &Input<'_>, _: Address, reference: &str) -> Handled {
    let ledger = projection::find(input.ctx.db(), reference).await?;
    ok(ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?)
}

/// GET /ledgers/:ledgerRef/abilities
pub(super) async fn abilities(input: &Input<'_>, _: Address, ledger: &str) -> Handled {
    holders(input, ledger, AbilityHolder::clone).await
}

/// GET /ledgers/:ledgerRef/accounts: lists the ids of the accounts with any ability.
pub(super) async fn accounts(input: &Input<'_>, _: Address, ledger: &str) -> Handled {
    holders(input, ledger, |holder| holder.account).await
}

/// Answers with a page of the accounts that have an ability on the ledger.
async fn holders<A: Serialize>(
    input: &Input<'_>,
    ledger: &str,
    view: impl Fn(&AbilityHolder) -> A,
) -> Handled {
    let query: HolderQuery = input.query.parsed()?;
    let lookup = HolderLookup {
        ledger,
        page: query.page,
        accounts: query.accounts,
    };
    let (ledger, holders, total) = projection::holders(input.ctx.db(), &lookup).await?;
    if ledger.is_none() {
        return Err(Failure::code(Code::LedgerNotFound));
    }
    lookup
        .page
        .answer((holders, total), AbilityHolder::cursor_key, view)
}

/// GET /ledgers/:ledgerRef/assets
pub(super) async fn assets(input: &Input<'_>, _: Address, ledger: &str) -> Handled {
    let query: AssetQuery = input.query.parsed()?;
    let lookup = AssetLookup {
        ledger,
        page: query.page,
        ids: query.ids,
        owner: account_of(query.owner),
    };
    let (ledger, mut assets, total) = projection::assets(input.ctx.db(), &lookup).await?;
    let ledger = ledger.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let meta = lookup
        .page
        .finish(&mut assets, total, lookup.is_whole(), AssetRow::cursor_key);
    with_meta(
        assets
            .iter()
            .map(|asset| asset_view(&ledger, asset))
            .collect::<Vec<_>>(),
        meta,
    )
}

/// GET /ledgers/:ledgerRef/assets/:assetId
pub(super) async fn asset(input: &Input<'_>, _: Address, ledger: &str, asset: &str) -> Handled {
    let id = asset.parse::<AssetId>().ok();
    let found = input.ledger.asset(input.ctx, ledger, id.as_ref()).await?;
    let ledger = found
        .ledger
        .ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    let asset = found
        .asset
        .ok_or_else(|| Failure::code(Code::AssetNotFound))?;
    with_meta(asset_view(&ledger, &asset), state_meta(found.as_of))
}

/// GET /ledgers/:ledgerRef/assets/:assetId/history
pub(super) async fn history(input: &Input<'_>, _: Address, ledger: &str, asset: &str) -> Handled {
    // A text that is not an id names no asset, but an unknown ledger is reported first.
    let id = asset.parse::<AssetId>().ok();
    let found = projection::past_of_asset(input.ctx.db(), ledger, id.as_ref()).await?;
    let found = found.ok_or_else(|| Failure::code(Code::LedgerNotFound))?;
    ok(found.ok_or_else(|| Failure::code(Code::AssetNotFound))?)
}

/// PUT /ledgers/:ledgerRef/assets/:assetId/withdrawal: stores the reason for a withdrawal.
pub(super) async fn withdrawal(
    input: &Input<'_>,
    caller: Address,
    ledger: &str,
    asset: &str,
) -> Handled {
    let reason = Reason::parse(&input.body)?;
    let asset: AssetId = asset
        .parse()
        .map_err(|_| Failure::code(Code::AssetNotFound))?;
    let decision = assets::give_reason(input.ctx, ledger, asset, caller, &reason).await?;
    decision.answered(|withdrawn| Success::ok(withdrawal_view(withdrawn)))
}

fn withdrawal_view(withdrawn: &WithdrawnAsset) -> api::AssetWithdrawal {
    let WithdrawnAsset {
        ledger,
        asset,
        withdrawal,
    } = withdrawn;
    api::AssetWithdrawal {
        ledger_id: ledger.id,
        asset_id: *asset,
        withdrawn_at: api::Timestamp(withdrawal.withdrawn_at),
        reason: withdrawal.reason.clone(),
        reason_by: withdrawal.reason_author(ledger),
    }
}

fn asset_view(ledger: &LedgerRow, asset: &AssetRow) -> api::Asset {
    api::Asset {
        id: asset.id,
        ledger_ref: api::Ref(ledger.reference.clone()),
        ledger_id: ledger.id,
        owner_id: asset.owner,
        imprint: asset.imprint,
        uri: ledger.uri_of(asset),
        created_at: api::Timestamp(asset.created_at),
        updated_at: api::Timestamp(asset.updated_at),
    }
}
