//! Answers of `/account`.

use order_core::{Address, Amount, Proxies};
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// The billed person or company.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountInformation {
    pub(crate) first_name: String,
    pub(crate) last_name: String,
    pub(crate) email: String,
    pub(crate) street_address: String,
    pub(crate) postal_code: String,
    pub(crate) city: String,
    pub(crate) country: String,
    pub(crate) is_company: bool,
    pub(crate) company_information: Option<CompanyInformation>,
}

/// The billed company.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct CompanyInformation {
    pub(crate) name: String,
    pub(crate) street_address: String,
    pub(crate) postal_code: String,
    pub(crate) city: String,
    pub(crate) country: String,
    pub(crate) tax_number: String,
    pub(crate) phone_number: PhoneNumber,
}

// The interface specification has only numbers here. Strings are accepted too, because a number would lose `+` and
// leading zeros.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema), schemars(inline))]
#[serde(untagged)]
pub(crate) enum PhoneNumber {
    Number(u64),
    Text(String),
}

/// The costs of actions, in base units of the platform token, and the account that receives them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Payment {
    /// The platform token.
    pub(crate) token_address: Address,
    /// The payment receiver.
    pub(crate) receiver_address: Address,
    pub(crate) asset_create_cost: Amount,
    pub(crate) asset_transfer_cost: Amount,
    pub(crate) value_transfer_cost: Amount,
    pub(crate) asset_update_cost: Amount,
    pub(crate) set_abilities_cost: Amount,
    pub(crate) asset_destroy_cost: Amount,
    pub(crate) asset_revoke_cost: Amount,
    pub(crate) asset_deploy_cost: Amount,
    pub(crate) asset_approve_cost: Amount,
    pub(crate) dapp_value_approve_cost: Amount,
}

/// The gateways. The hash of an order or a deployment contains its gateway's address.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Gateway {
    /// `embedded` or `evm`.
    pub(crate) backend: &'static str,
    pub(crate) chain_id: Option<u64>,
    /// The gateway of actions orders.
    pub(crate) actions_order_id: Address,
    /// The gateway of deployments.
    pub(crate) asset_ledger_deploy_order_id: Address,
    pub(crate) proxies: Proxies,
}

/// The caller's account.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Account {
    pub(crate) id: Address,
    /// True if the account has provided information.
    pub(crate) is_identified: bool,
    pub(crate) information: Option<AccountInformation>,
    /// The balance in base units of the platform token.
    pub(crate) balance: Amount,
    /// The amount that the account lets the service take for orders, in base units of the platform token. A larger payment is refused with 422076. Null
    /// on a chain, where only the token knows the amount.
    pub(crate) fee_allowance: Option<Amount>,
    /// False if all actions are free.
    pub(crate) is_payment_required: bool,
    /// True if the account may deploy ledgers.
    pub(crate) may_deploy: bool,
    pub(crate) payment: Payment,
    pub(crate) gateway: Gateway,
    pub(crate) created_at: Option<Timestamp>,
}
