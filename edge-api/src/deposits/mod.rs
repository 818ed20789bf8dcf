//! Deposits: money in, platform tokens out, exactly once.
//!
//! ```text
//! pending --paid--> succeeded       pending --payment failed--> failed --paid at another try--> succeeded
//! pending --the request for a payment failed or stopped--> failed (final)
//! pending, failed --> canceled      canceled --an event reports the payment--> succeeded
//! With checkout, the payer pays on the provider's page. The payment is known, and asked about, when the payer has paid there.
//! A test deposit begins as succeeded.
//! succeeded: the transaction that writes this status also credits the tokens. Refunds and disputes debit tokens.
//! ```

mod apply;
mod deposit;
mod events;
mod guards;
mod intent;
mod reconcile;
mod request;
mod reversals;
mod signature;
mod store;

use order_core::{Address, Amount};

pub(crate) use deposit::{Deposit, DepositStatus, Source};
pub(crate) use events::receive;
pub(crate) use reconcile::sweep;
pub(crate) use store::{find, list};

use crate::config::Deposits;
use crate::context::Context;
use crate::db::{Decision, storage};
use crate::failure::Failure;
use crate::ledger::{Ledger, Treasury};

/// Creates a deposit from the configured source. `is_repeated` is true if an earlier decision of the same request was not
/// committed, because a guard failed. With an origin of this service, the payer pays on the provider's page, which leads back there.
pub(crate) async fn create(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    account: Address,
    (cents, origin): (u64, Option<&str>),
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
        status: DepositStatus::Pending,
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
            intent::create(ctx, settings, deposit, client, origin).await?
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
        status: DepositStatus::Succeeded,
        ..deposit
    };
    let credit = treasury.credit(ctx, deposit.account, deposit.tokens);
    let mut statements = credit.await?;
    statements.push(guards::no_live());
    statements.push(crate::accounts::ensure(&deposit.account, ctx.now()));
    statements.push(store::insert(&deposit, None, None));
    Ok(Decision::new("deposit", statements, deposit))
}
