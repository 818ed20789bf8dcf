//! Answers of `/deposits`.

use order_core::Amount;
use serde::Serialize;

use super::{Ref, Timestamp};

/// A card payment for platform tokens.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deposit {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    /// The amount in EUR cents.
    pub(crate) amount: u64,
    /// Always `eur`.
    pub(crate) currency: &'static str,
    /// The tokens that the deposit buys: the amount divided by the token's price at the time of creation.
    pub(crate) tokens: Amount,
    /// `pending`, `succeeded`, `failed` or `canceled`.
    pub(crate) status: &'static str,
    /// The secret that the payment provider's page needs for the payment.
    pub(crate) client_secret: Option<String>,
    /// The payment provider's page on which the payer pays, for a day. Null if the deposit was created without `checkout`, or if it can no longer
    /// be paid there.
    pub(crate) checkout_url: Option<String>,
    /// False for a test payment, which moves no money.
    pub(crate) livemode: bool,
    /// EUR cents that went back to the payer. The service takes back the tokens that they paid for, as far as the account still has them.
    pub(crate) reclaimed: u64,
    pub(crate) created_at: Timestamp,
}

/// The answer to an accepted event.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Received {
    pub(crate) received: bool,
}
