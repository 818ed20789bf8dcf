//! News of payments. They come more than once, in any order, at the same time, and may be cut off at any step: each one
//! is folded into the stored deposit, and what follows from it is written in one guarded transaction.

use order_core::Amount;
use serde_json::json;

use super::returns::{Dispute, Refund, Returns};
use super::{Deposit, RACES, Status, guards, store};
use crate::app::{Call, commit};
use crate::ledger::Embedded;
use crate::ports::{DatabaseError, Level, Statement};

/// What was said of a payment.
pub(super) struct Notice {
    pub(super) intent: String,
    pub(super) currency: String,
    pub(super) livemode: bool,
    pub(super) news: News,
}

pub(super) enum News {
    /// So many cents were asked for, and so many arrived.
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
    /// So many cents were refunded until now.
    Refunded {
        cents: u64,
    },
    Refund(Refund),
    Dispute(Dispute),
}

/// Folds the news into the deposit that it is about. `source` is who said it, for the log.
pub(super) async fn fold(
    call: &Call<'_>,
    source: &str,
    notice: &Notice,
) -> Result<(), DatabaseError> {
    for _ in 0..RACES {
        match once(call, source, notice).await {
            Err(DatabaseError::Guard) => {}
            result => return result,
        }
    }
    Err(DatabaseError::Unavailable(
        "a deposit changed too often".to_owned(),
    ))
}

/// One try; [`DatabaseError::Guard`] when somebody else was faster.
async fn once(call: &Call<'_>, source: &str, notice: &Notice) -> Result<(), DatabaseError> {
    let Some((deposit, mut returns)) = store::by_intent(call.db(), &notice.intent).await? else {
        // Payments that others take through the same account are none of our business.
        call.log(
            Level::Info,
            json!({ "event": "stripe.unknown-payment", "id": source }),
        );
        return Ok(());
    };
    if let Some(what) = mismatch(&deposit, notice) {
        call.log(
            Level::Error,
            json!({ "event": "stripe.mismatch", "id": source, "deposit": deposit.reference, "what": what }),
        );
        return Ok(());
    }
    let mut next = deposit.clone();
    let mut written: Vec<Statement> = Vec::new();
    match &notice.news {
        News::Succeeded { .. } => next.status = Status::Succeeded,
        News::Failed { code }
            if deposit.status == Status::Pending || deposit.status == Status::Failed =>
        {
            next.status = Status::Failed;
            next.failure.clone_from(code);
        }
        News::Canceled { code } if deposit.status != Status::Succeeded => {
            next.status = Status::Canceled;
            next.failure.clone_from(code);
        }
        News::Failed { .. } | News::Canceled { .. } => {}
        News::Refunded { cents } => next.refunded = next.refunded.max(*cents),
        News::Refund(news) => {
            if returns.refund(news) {
                written.push(news.put(&deposit, call.now()));
            }
        }
        News::Dispute(news) => {
            if returns.dispute(news) {
                written.push(news.put(&deposit, call.now()));
            }
        }
    }
    let credits = next.status == Status::Succeeded && deposit.status != Status::Succeeded;
    if credits && !deposit.livemode {
        if guards::has_live(call.db()).await? {
            call.log(
                Level::Error,
                json!({ "event": "deposit.test-beside-live", "ref": deposit.reference, "id": source }),
            );
            next.status = Status::Canceled;
            next.failure = Some("test_mode".to_owned());
        } else {
            written.push(guards::no_live());
        }
    }
    if matches!(next.status, Status::Succeeded | Status::Canceled) {
        next.client_secret = None;
    }
    written.extend(settle(call, &deposit, &mut next, &returns).await?);
    if written.is_empty() && next == deposit {
        return Ok(());
    }
    let mut statements = store::replace(&deposit, &next, call.now()).to_vec();
    statements.extend(written);
    commit(call, "credit", statements).await?;
    call.log(
        Level::Info,
        json!({
            "event": "deposit.changed",
            "ref": next.reference,
            "status": next.status.as_str(),
            "reclaimed": next.reclaimed,
            "id": source,
        }),
    );
    Ok(())
}

/// Why the news cannot be about this deposit.
fn mismatch(deposit: &Deposit, notice: &Notice) -> Option<&'static str> {
    if notice.currency != "eur" {
        return Some("currency");
    }
    if notice.livemode != deposit.livemode {
        return Some("livemode");
    }
    match notice.news {
        News::Succeeded { cents, received } if cents != deposit.cents || received != cents => {
            Some("amount")
        }
        _ => None,
    }
}

/// Statements that give or take the tokens that follow from the deposit's new state, and what they make of it.
async fn settle(
    call: &Call<'_>,
    old: &Deposit,
    next: &mut Deposit,
    returns: &Returns,
) -> Result<Vec<Statement>, DatabaseError> {
    if next.status != Status::Succeeded {
        return Ok(Vec::new());
    }
    next.reclaimed = returns.held(next.refunded).min(next.cents);
    // At the deposit's own price: all of the cents are all of the tokens.
    let tokens = |cents: u64| {
        next.price
            .tokens_for(cents)
            .ok_or_else(|| DatabaseError::Unavailable("a deposit overflows".to_owned()))
    };
    let (due, due_before) = (tokens(next.reclaimed)?, tokens(old.reclaimed)?);
    let ledger = Embedded::new(call, call.instance().await?);
    if old.status != Status::Succeeded {
        // What has gone back already is never given.
        next.taken = due;
        let mut statements = vec![crate::accounts::ensure(&next.account, call.now())];
        let tokens = next.tokens.saturating_sub(due);
        statements.extend(ledger.credit(next.account, tokens).await?);
        return Ok(statements);
    }
    if due > due_before {
        let wanted = due.saturating_sub(due_before);
        let (statements, taken) = ledger.debit(next.account, wanted).await?;
        next.taken = old.taken.checked_add(taken).unwrap_or(Amount::MAX);
        return Ok(statements);
    }
    // A dispute was won, or a refund failed: no more comes back than was taken.
    next.taken = old.taken.min(due);
    let back = old.taken.saturating_sub(next.taken);
    if back.is_zero() {
        return Ok(Vec::new());
    }
    ledger.credit(next.account, back).await
}
