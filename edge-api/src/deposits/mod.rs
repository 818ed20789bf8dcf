//! Deposits: money in, platform tokens out, exactly once.
//!
//! ```text
//! pending --paid--> succeeded       pending --payment failed--> failed --paid at another try--> succeeded
//! pending --the request for a payment failed or stopped--> failed (final)
//! pending, failed --> canceled      canceled --an event reports the payment--> succeeded
//! A test deposit begins as succeeded.
//! succeeded: the transaction that writes this status also credits the tokens. Refunds and disputes debit tokens.
//! ```

mod apply;
mod events;
mod guards;
mod intent;
mod reconcile;
mod request;
mod reversals;
mod signature;
mod store;

use order_core::{Address, Amount};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

pub(crate) use events::receive;
pub(crate) use reconcile::sweep;
pub(crate) use store::{find, list};

use crate::config::{Deposits, Price};
use crate::context::Context;
use crate::db::rows::{flag, hex64};
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::ledger::{Ledger, Treasury};

/// The payment provider that took the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Source {
    /// No provider: a test deposit has no payment.
    Test,
    Stripe,
}

impl Source {
    fn as_str(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Stripe => "stripe",
        }
    }
}

/// The state of the payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Status {
    /// Waits for Stripe to create the payment, or for the payer.
    Pending,
    /// Paid, and the tokens credited.
    Succeeded,
    /// The last attempt to pay failed and the payer may try again, or Stripe created no payment.
    Failed,
    /// Can no longer be paid.
    Canceled,
}

impl Status {
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
    pub(crate) status: Status,
    /// True for a payment of real money, false for test deposits and for payments in Stripe's test mode.
    #[serde(deserialize_with = "flag")]
    pub(crate) livemode: bool,
    /// The provider's id of the payment.
    #[serde(rename = "intent_id")]
    pub(crate) intent: Option<String>,
    /// The secret that the payer needs to make the payment.
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
    /// The number of changes so far. [`store::replace`] uses it to detect concurrent changes.
    pub(crate) version: u64,
    pub(crate) created_at: u64,
}

/// Reads a stored price.
fn price<'de, D: Deserializer<'de>>(column: D) -> Result<Price, D::Error> {
    let text = String::deserialize(column)?;
    Price::parse(&text).ok_or_else(|| D::Error::custom("a stored price is not valid"))
}

/// Creates a deposit from the configured source. `is_repeated` is true if an earlier decision of the same request was not
/// committed, because a guard failed.
pub(crate) async fn create(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    account: Address,
    cents: u64,
    is_repeated: bool,
) -> Result<Decision<Deposit>, Failure> {
    let treasury = ledger
        .treasury()
        .ok_or_else(|| Failure::code(order_core::Code::DepositsNotConfigured))?;
    if matches!(ctx.config().deposits, Deposits::Stripe(_)) {
        // Requiring the account's information deters people who test stolen cards.
        crate::accounts::require_identified(ctx, &account).await?;
    }
    let price = crate::statistics::current_price(ctx)
        .await?
        .ok_or_else(|| Failure::code(order_core::Code::DepositPriceUnknown))?;
    let tokens = price
        .tokens_for(cents)
        .ok_or_else(|| Failure::internal("a deposit overflows"))?;
    let deposit = Deposit {
        reference: ctx.new_reference(),
        account,
        cents,
        tokens,
        price,
        source: Source::Test,
        status: Status::Pending,
        livemode: false,
        intent: None,
        client_secret: None,
        failure: None,
        refunded: 0,
        reclaimed: 0,
        debited: Amount::ZERO,
        version: 0,
        created_at: ctx.now(),
    };
    let decision = match &ctx.config().deposits {
        Deposits::Off => return Err(Failure::code(order_core::Code::DepositsNotConfigured)),
        Deposits::Test => {
            // If the guard against live deposits failed, a new decision would fail too. If another guard failed, a new
            // decision can succeed.
            if is_repeated && guards::has_live(ctx.db()).await? {
                return Err(guards::refused(ctx, false).await?);
            }
            credit_test(ctx, treasury, deposit).await?
        }
        Deposits::Stripe(settings) => {
            let deposit = Deposit {
                source: Source::Stripe,
                livemode: settings.livemode,
                ..deposit
            };
            let client = ctx.client().map(|client| client.network.as_str());
            intent::create(ctx, settings, deposit, client).await?
        }
    };
    Ok(decision.paid_by(storage::ENTRANCE))
}

/// Creates a test deposit, which succeeds immediately and moves no money. The deposit and its credit are one
/// transaction.
async fn credit_test(
    ctx: &Context<'_>,
    treasury: &dyn Treasury,
    deposit: Deposit,
) -> Result<Decision<Deposit>, Failure> {
    let deposit = Deposit {
        status: Status::Succeeded,
        ..deposit
    };
    let credit = treasury.credit(ctx, deposit.account, deposit.tokens);
    let mut statements = credit.await?;
    statements.push(guards::no_live());
    statements.push(crate::accounts::ensure(&deposit.account, ctx.now()));
    statements.push(store::insert(&deposit, None, None));
    Ok(Decision::new("deposit", statements, deposit))
}
