//! Deposits: money in, platform tokens out, exactly once.
//!
//! ```text
//! pending --payment failed--> failed --another try--> succeeded       pending, failed --> canceled
//! succeeded: the tokens are credited in the transaction that writes the state; what goes back to the payer is debited
//! ```

mod ask;
mod events;
mod fold;
mod guards;
mod intent;
mod request;
mod returns;
mod signature;
mod store;

use order_core::{Address, Amount};

pub(crate) use ask::sweep;
pub(crate) use events::receive;
pub(crate) use store::{find, list};

use crate::api;
use crate::app::{Call, commit_answer};
use crate::config::{Deposits, Price};
use crate::http::{Failure, Success};
use crate::ledger::Embedded;
use crate::ports::DatabaseError;

/// Tries against others who change the same balance.
const RACES: usize = 64;

/// Who took the money.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nobody.
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

/// How far the payment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// Waits for the payer.
    Pending,
    /// Paid, and the tokens credited.
    Succeeded,
    /// The last try failed; there may be another.
    Failed,
    /// Given up.
    Canceled,
}

impl Status {
    const ALL: [Self; 4] = [Self::Pending, Self::Succeeded, Self::Failed, Self::Canceled];

    /// The text in answers and in the database.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Deposit {
    pub(crate) reference: String,
    pub(crate) account: Address,
    /// EUR cents.
    pub(crate) cents: u64,
    pub(crate) tokens: Amount,
    /// The price of a token at the time of the intent.
    pub(crate) price: Price,
    pub(crate) source: Source,
    pub(crate) status: Status,
    /// Whether money moves.
    pub(crate) livemode: bool,
    /// The provider's name of the payment.
    pub(crate) intent: Option<String>,
    /// What the payer needs to pay it.
    pub(crate) client_secret: Option<String>,
    /// The provider's code of the last failure.
    pub(crate) failure: Option<String>,
    /// EUR cents that were refunded.
    pub(crate) refunded: u64,
    /// EUR cents whose tokens were asked back.
    pub(crate) reclaimed: u64,
    /// The tokens that were there to be taken back.
    pub(crate) taken: Amount,
    /// Changes so far.
    pub(crate) version: u64,
    pub(crate) created_at: u64,
}

/// Creates a deposit where the deployment's settings say that it comes from. `network` is the client address, as it is
/// counted.
pub(crate) async fn create(
    call: &Call<'_>,
    account: Address,
    cents: u64,
    network: Option<&str>,
    view: impl Fn(&Deposit) -> api::Deposit,
) -> Result<Success, Failure> {
    if matches!(call.config().deposits, Deposits::Stripe(_)) {
        // Testers of stolen cards avoid giving a name.
        crate::accounts::require_identified(call, &account).await?;
    }
    let price = crate::statistics::current_price(call)
        .await?
        .ok_or_else(|| Failure::code(order_core::Code::DepositPriceUnknown))?;
    let tokens = price
        .tokens_for(cents)
        .ok_or_else(|| Failure::internal("a deposit overflows"))?;
    let deposit = Deposit {
        reference: call.new_reference(),
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
        taken: Amount::ZERO,
        version: 0,
        created_at: call.now(),
    };
    match &call.config().deposits {
        Deposits::Off => Err(Failure::code(order_core::Code::DepositsNotConfigured)),
        Deposits::Test => credit_test(call, deposit, view).await,
        Deposits::Stripe(settings) => {
            let deposit = Deposit {
                source: Source::Stripe,
                livemode: settings.livemode,
                ..deposit
            };
            let client = guards::client_key(call, network).await?;
            intent::create(call, settings, deposit, client.as_deref(), view).await
        }
    }
}

/// A test deposit: succeeds at once and moves no money. The deposit and its credit are one transaction.
async fn credit_test(
    call: &Call<'_>,
    deposit: Deposit,
    view: impl Fn(&Deposit) -> api::Deposit,
) -> Result<Success, Failure> {
    let deposit = Deposit {
        status: Status::Succeeded,
        ..deposit
    };
    let answer = Success::created(view(&deposit))?;
    let ledger = Embedded::new(call, call.instance().await?);
    for _ in 0..RACES {
        let mut statements = ledger.credit(deposit.account, deposit.tokens).await?;
        statements.push(guards::no_live());
        statements.push(crate::accounts::ensure(&deposit.account, call.now()));
        statements.push(store::insert(&deposit, None, None));
        match commit_answer(call, "deposit", statements, &answer).await {
            Ok(_) => return Ok(answer),
            Err(DatabaseError::Guard) if guards::has_live(call.db()).await? => {
                return Err(guards::refused(call, false).await?);
            }
            // Another request changed the balance meanwhile.
            Err(DatabaseError::Guard) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Failure::internal(
        "a balance changed too often to be credited",
    ))
}
