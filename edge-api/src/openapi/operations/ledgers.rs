//! Descriptions of the ledger routes.

use http::Method;
use order_core::{Address, Code};

use super::super::description::Operation;
use crate::api::bodies::WithdrawalInput;
use crate::api::{Asset, AssetWithdrawal, StateMeta};
use crate::ledger::projection::{AbilityHolder, LedgerRow};

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::list::<LedgerRow>("/ledgers", "getLedgers", "List ledgers")
            .text("Lists the ledgers on which the caller has an ability."),
        Operation::one::<LedgerRow>(
            Method::GET,
            "/ledgers/:ledgerRef",
            "getLedger",
            "Get a ledger",
        )
        .errors(&[Code::LedgerNotFound]),
        Operation::list::<AbilityHolder>(
            "/ledgers/:ledgerRef/abilities",
            "getLedgerAbilities",
            "List the abilities of accounts",
        )
        .errors(&[Code::LedgerNotFound]),
        Operation::list::<Address>(
            "/ledgers/:ledgerRef/accounts",
            "getLedgerAccounts",
            "List accounts with any ability",
        )
        .errors(&[Code::LedgerNotFound]),
        Operation::list::<Asset>(
            "/ledgers/:ledgerRef/assets",
            "getLedgerAssets",
            "List assets",
        )
        .errors(&[Code::LedgerNotFound]),
        Operation::one::<Asset>(
            Method::GET,
            "/ledgers/:ledgerRef/assets/:assetId",
            "getLedgerAsset",
            "Get an asset",
        )
        .meta::<StateMeta>()
        .errors(&[Code::LedgerNotFound, Code::AssetNotFound]),
        Operation::one::<AssetWithdrawal>(
            Method::PUT,
            "/ledgers/:ledgerRef/assets/:assetId/withdrawal",
            "updateAssetWithdrawal",
            "Give the reason for a withdrawal",
        )
        .text(
            "Only the last owner of a destroyed asset and the creator of the order that destroyed it may give a \
             reason. The reason is public: the badge's report shows it with its author. Of these two accounts, \
             only the reason's author and the ledger's owner may replace it.",
        )
        .body::<WithdrawalInput>()
        .errors(&[
            Code::LedgerNotFound,
            Code::AssetNotFound,
            Code::AssetNotWithdrawn,
            Code::ReasonNotAllowed,
            Code::FieldNotValid,
        ]),
    ]
}
