//! Applies events about payments. Events may arrive repeatedly, out of order and at the same time, and applying one may stop
//! at any step. Each event therefore updates the stored deposit and the tokens in one guarded transaction.

use order_core::Amount;
use serde_json::json;

use super::deposit::{Deposit, DepositStatus};
use super::reversals::{Dispute, Refund, Reversals};
use super::{guards, store};
use crate::context::Context;
use crate::db::Decision;
use crate::ledger::Ledger;
use crate::ports::{DatabaseError, Level, Statement};

/// An event about a payment.
pub(super) struct PaymentEvent {
    pub(super) intent: String,
    pub(super) currency: String,
    pub(super) livemode: bool,
    pub(super) update: PaymentUpdate,
}

pub(super) enum PaymentUpdate {
    /// The payer has paid. `cents` is the requested amount, `received` the amount that arrived.
    Succeeded {
        cents: u64,
        received: u64,
    },
    Failed {
        code: Option<String>,
    },
    Canceled {
        code: Option<String>,
    },
    /// The total of refunded cents so far.
    Refunded {
        cents: u64,
    },
    Refund(Refund),
    Dispute(Dispute),
}

/// Applies an event to its deposit. `source` identifies the event in the log. An event of an unknown payment, or one that
/// contradicts its deposit, is logged and changes nothing. If a test payment succeeds although a live deposit exists, its deposit
/// is canceled and no tokens are credited.
pub(super) async fn apply_event(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    source: &str,
    event: &PaymentEvent,
) -> Result<Decision<()>, DatabaseError> {
    let Some((deposit, mut reversals)) = store::by_intent(ctx.db(), &event.intent).await? else {
        // The Stripe account may also take payments for other purposes.
        ctx.log(
            Level::Info,
            json!({ "event": "stripe.unknown-payment", "id": source }),
        );
        return Ok(Decision::read(()));
    };
    if let Some(what) = mismatch(&deposit, event) {
        ctx.log(
            Level::Error,
            json!({ "event": "stripe.mismatch", "id": source, "deposit": deposit.reference, "what": what }),
        );
        return Ok(Decision::read(()));
    }
    let mut next = deposit.clone();
    let mut written: Vec<Statement> = Vec::new();
    match &event.update {
        PaymentUpdate::Succeeded { .. } => next.status = DepositStatus::Succeeded,
        PaymentUpdate::Failed { code }
            if deposit.status == DepositStatus::Pending
                || deposit.status == DepositStatus::Failed =>
        {
            next.status = DepositStatus::Failed;
            next.failure.clone_from(code);
        }
        PaymentUpdate::Canceled { code } if deposit.status != DepositStatus::Succeeded => {
            next.status = DepositStatus::Canceled;
            next.failure.clone_from(code);
        }
        PaymentUpdate::Failed { .. } | PaymentUpdate::Canceled { .. } => {}
        PaymentUpdate::Refunded { cents } => next.refunded = next.refunded.max(*cents),
        PaymentUpdate::Refund(refund) => {
            if reversals.refund(refund) {
                written.push(refund.put(&deposit, ctx.now()));
            }
        }
        PaymentUpdate::Dispute(dispute) => {
            if reversals.dispute(dispute) {
                written.push(dispute.put(&deposit, ctx.now()));
            }
        }
    }
    let credits =
        next.status == DepositStatus::Succeeded && deposit.status != DepositStatus::Succeeded;
    if credits && !deposit.livemode {
        if guards::has_live(ctx.db()).await? {
            ctx.log(
                Level::Error,
                json!({ "event": "deposit.test-beside-live", "ref": deposit.reference, "id": source }),
            );
            next.status = DepositStatus::Canceled;
            next.failure = Some("test_mode".to_owned());
        } else {
            written.push(guards::no_live());
        }
    }
    if matches!(
        next.status,
        DepositStatus::Succeeded | DepositStatus::Canceled
    ) {
        next.client_secret = None;
    }
    written.extend(ledger_effects(ctx, ledger, &deposit, &mut next, &reversals).await?);
    if written.is_empty() && next == deposit {
        return Ok(Decision::read(()));
    }
    let mut statements = store::replace(&deposit, &next, ctx.now()).to_vec();
    statements.extend(written);
    let line = json!({
        "event": "deposit.changed",
        "ref": next.reference,
        "status": next.status.as_str(),
        "reclaimed": next.reclaimed,
        "id": source,
    });
    Ok(Decision::new("credit", statements, ()).logged(line))
}

/// Returns the name of the first field in which an event contradicts its deposit, or `None`.
fn mismatch(deposit: &Deposit, event: &PaymentEvent) -> Option<&'static str> {
    if event.currency != "eur" {
        return Some("currency");
    }
    if event.livemode != deposit.livemode {
        return Some("livemode");
    }
    match event.update {
        PaymentUpdate::Succeeded { cents, received }
            if cents != deposit.cents || received != cents =>
        {
            Some("amount")
        }
        _ => None,
    }
}

/// Returns the statements that credit or debit tokens for the deposit's new state. Also sets the reclaimed and debited
/// amounts of `next`.
async fn ledger_effects(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    old: &Deposit,
    next: &mut Deposit,
    reversals: &Reversals,
) -> Result<Vec<Statement>, DatabaseError> {
    if next.status != DepositStatus::Succeeded {
        return Ok(Vec::new());
    }
    next.reclaimed = reversals.returned_cents(next.refunded).min(next.cents);
    // Tokens are computed at the price of the deposit, so a refund of all cents takes back all tokens.
    let tokens = |cents: u64| {
        next.price
            .tokens_for(cents)
            .ok_or_else(|| DatabaseError::Bug("a deposit overflows".to_owned()))
    };
    let (due, due_before) = (tokens(next.reclaimed)?, tokens(old.reclaimed)?);
    // Without a treasury no deposit is created, so this is a bug.
    let treasury = ledger
        .treasury()
        .ok_or_else(|| DatabaseError::Bug("a deposit was paid without a treasury".to_owned()))?;
    if old.status != DepositStatus::Succeeded {
        // Tokens for money that was already returned to the payer are never credited.
        next.debited = due;
        let mut statements = vec![crate::accounts::ensure(&next.account, ctx.now())];
        let tokens = next.tokens.saturating_sub(due);
        statements.extend(treasury.credit(ctx, next.account, tokens).await?);
        return Ok(statements);
    }
    if due > due_before {
        let wanted = due.saturating_sub(due_before);
        let (statements, debited) = treasury.debit(ctx, next.account, wanted).await?;
        next.debited = old.debited.checked_add(debited).unwrap_or(Amount::MAX);
        return Ok(statements);
    }
    // If a dispute was won or a refund failed, at most the debited tokens are credited again. Otherwise nothing changes.
    next.debited = old.debited.min(due);
    let back = old.debited.saturating_sub(next.debited);
    if back.is_zero() {
        return Ok(Vec::new());
    }
    Ok(treasury.credit(ctx, next.account, back).await?)
}
