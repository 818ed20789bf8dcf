//! A deposit and its times.

use order_core::{Address, Amount};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::config::Price;
use crate::db::rows::{flag, hex64};
use crate::text::DAY_MS;

/// Milliseconds from a deposit to the first query about its payment. Most payers have paid or left by then.
const FIRST_QUERY_MS: u64 = 15 * 60_000;
/// The age in milliseconds at which the next query cancels an unpaid payment: a day.
pub(super) const LIFE_MS: u64 = DAY_MS;

/// The payment provider that took the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// No provider: a test deposit has no payment.
    Test,
    Stripe,
}

impl Source {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Stripe => "stripe",
        }
    }
}

/// The state of the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum DepositStatus {
    /// Waits for Stripe to create the payment, or for the payer.
    Pending,
    /// Paid, and the tokens credited.
    Succeeded,
    /// The last attempt to pay failed and the payer may try again, or Stripe created no payment.
    Failed,
    /// Can no longer be paid.
    Canceled,
}

impl DepositStatus {
    /// Returns the status as responses and the database contain it.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
        }
    }
}

/// A deposit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(crate) struct Deposit {
    #[serde(rename = "ref")]
    pub(crate) reference: String,
    #[serde(rename = "account_id")]
    pub(crate) account: Address,
    /// EUR cents.
    #[serde(rename = "amount")]
    pub(crate) cents: u64,
    #[serde(deserialize_with = "hex64")]
    pub(crate) tokens: Amount,
    /// The price of a token when the deposit was created.
    #[serde(deserialize_with = "price")]
    pub(crate) price: Price,
    pub(crate) source: Source,
    pub(crate) status: DepositStatus,
    /// True for a payment of real money, false for test deposits and for payments in Stripe's test mode.
    #[serde(deserialize_with = "flag")]
    pub(crate) livemode: bool,
    /// The provider's id of the payment, `pi_…`. Of a deposit with checkout, the id of the session, `cs_…`, until its payment is known.
    #[serde(rename = "intent_id")]
    pub(crate) intent: Option<String>,
    /// The payment's secret for the payer's form. With checkout, the address of the provider's page.
    pub(crate) client_secret: Option<String>,
    /// The code of the last failure or of the cancellation: the provider's, or one of this service.
    pub(crate) failure: Option<String>,
    /// The largest refunded total in EUR cents that a charge reported.
    pub(crate) refunded: u64,
    /// EUR cents whose tokens must be debited.
    pub(crate) reclaimed: u64,
    /// Tokens that were debited. Fewer than due if the account had already spent some of them.
    #[serde(rename = "taken", deserialize_with = "hex64")]
    pub(crate) debited: Amount,
    /// The number of changes so far. [`super::store::replace`] uses it to detect concurrent changes.
    pub(crate) version: u64,
    pub(crate) created_at: u64,
}

impl Deposit {
    /// Returns the secret for the provider's payment form.
    pub(crate) fn client_secret(&self) -> Option<&str> {
        self.payable().filter(|text| !is_address(text))
    }

    /// Returns the address of the provider's page.
    pub(crate) fn checkout_url(&self) -> Option<&str> {
        self.payable().filter(|text| is_address(text))
    }

    fn payable(&self) -> Option<&str> {
        self.client_secret.as_deref()
    }

    /// Returns the id of the checkout session, while the session's payment is not known.
    pub(super) fn session(&self) -> Option<&str> {
        let intent = self.intent.as_deref()?;
        intent.starts_with(SESSION).then_some(intent)
    }
}

/// Start of the ids of checkout sessions.
pub(super) const SESSION: &str = "cs_";

/// Returns true for the address of a page. Secrets of payments are no addresses.
pub(super) fn is_address(text: &str) -> bool {
    text.starts_with("https://")
}

/// Returns true if `id` has the form of an id with this start. Such an id is safe in a URL path.
pub(super) fn is_id(id: &str, start: &str) -> bool {
    let rest = id.strip_prefix(start).unwrap_or_default();
    let good = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    !rest.is_empty() && id.len() <= 255 && rest.bytes().all(good)
}

/// Reads a stored price.
fn price<'de, D: Deserializer<'de>>(column: D) -> Result<Price, D::Error> {
    let text = String::deserialize(column)?;
    Price::parse(&text).ok_or_else(|| D::Error::custom("a stored price is not valid"))
}

/// Returns the time of the first query about a deposit made at `now`.
pub(super) fn first_query_at(now: u64) -> u64 {
    now.saturating_add(FIRST_QUERY_MS)
}
