//! Descriptions of the account routes.

use http::Method;
use order_core::Code;

use super::super::description::Operation;
use crate::api::bodies::AccountInformationInput;
use crate::api::{Account, StateMeta};
use crate::ledger::projection::AccountAbility;

pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::one::<Account>(Method::GET, "/account", "getAccount", "Get the account")
            .meta::<StateMeta>(),
        Operation::one::<Account>(
            Method::PUT,
            "/account",
            "updateAccountInformation",
            "Set the account's information",
        )
        .body::<AccountInformationInput>()
        .meta::<StateMeta>()
        .errors(&[Code::FieldNotValid])
        .errors_between(
            Code::AccountInformationMissing,
            Code::CompanyPhoneNumberMissing,
        ),
        Operation::one::<Account>(
            Method::DELETE,
            "/account/information",
            "deleteAccountInformation",
            "Erase the account's information",
        )
        .text(
            "Erases the information immediately and everywhere in the service. Orders, assets, deposits and the log of \
             requests stay, because they do not contain it. The account then \
             counts as not identified.",
        )
        .meta::<StateMeta>(),
        Operation::list::<AccountAbility>(
            "/account/abilities",
            "getAccountAbilities",
            "List the account's abilities",
        ),
    ]
}
