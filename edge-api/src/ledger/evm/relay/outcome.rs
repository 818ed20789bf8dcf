//! Decides about a record whose nonce is final.

use order_core::chain::{Meaning, Revert, perform, views};
use order_core::{B256, FieldError};
use serde_json::{Value, json};

use super::slots::{Slot, Tx, close};
use super::start::unknown;
use super::{LONG, Standing, hash_of, in_blocks, read_standing};
use crate::context::Context;
use crate::ledger::evm::Evm;
use crate::ledger::evm::pulse::Pulse;
use crate::ledger::evm::rpc::{Ask, At, Reply, hash, number64};
use crate::ledger::{Execution, Ledger, LedgerError, Next, Step};
use crate::ports::Level;

/// The receipt of a transaction, as far as providers agree on it.
struct Receipt {
    succeeded: bool,
    number: u64,
    block: B256,
}

impl Receipt {
    /// Keeps the fields of a receipt on which providers agree. They write other fields differently.
    fn part(reply: Reply) -> Reply {
        match reply {
            Reply::Value(Value::Object(fields)) => {
                let kept = ["status", "blockNumber", "blockHash"];
                let kept = kept.map(|name| (name, fields.get(name).cloned().unwrap_or_default()));
                Reply::Value(kept.into_iter().collect())
            }
            other => other,
        }
    }

    /// Reads a receipt. `None` if no block has the transaction.
    fn read(reply: Reply) -> Result<Option<Self>, LedgerError> {
        let value = reply.value()?;
        if value.is_null() {
            return Ok(None);
        }
        let field = |name: &str| value.get(name).unwrap_or(&Value::Null);
        Ok(Some(Self {
            succeeded: number64(field("status"))? == 1,
            number: number64(field("blockNumber"))?,
            block: hash(field("blockHash"))?,
        }))
    }
}

/// Decides about a record whose nonce is below the number of final transactions. All providers must agree on everything that the decision
/// uses. Otherwise the record waits.
pub(super) async fn of_final_nonce(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    pulse: &Pulse,
    slot: &Slot,
) -> Result<Step, LedgerError> {
    let wait = Step::wait(in_blocks(evm, ctx, LONG));
    let gateways = &evm.identity(ctx).await?.instance.gateways.clone();
    let claim = hash_of(evm, ctx, execution).await?;
    let flags =
        [views::performed, views::canceled].map(|view| view(execution.request, gateways, &claim));
    let at = At::Block(pulse.settled.hash);
    let mut calls = vec![Ask::nonce(evm.relayer(), at)];
    calls.extend(flags.iter().map(|view| Ask::view(&view.call, at)));
    calls.extend(slot.txs.iter().map(|tx| Ask::receipt(&tx.tx_hash)));
    let mut agreed = evm
        .rpc(ctx)
        .agree_on(&calls, Receipt::part)
        .await
        .into_iter();
    let nonce = agreed.next().flatten();
    let standing = read_standing(&flags, agreed.by_ref().take(2).collect())?;
    let (Some(nonce), Some(standing)) = (nonce, standing) else {
        return Ok(disagreement(ctx, execution, slot, wait));
    };
    if number64(&nonce.value()?)? <= slot.nonce {
        return Ok(wait);
    }
    let closed = |next: Next| Step::Become {
        next,
        statements: vec![close(&evm.relayer(), slot.nonce)],
        hints: Vec::new(),
    };
    match standing {
        // The index or the periodic run makes it final.
        Standing::Performed => return Ok(wait),
        Standing::Canceled => return Ok(closed(Next::Canceled)),
        Standing::Open => {}
    }
    let mut mined = None;
    for (tx, reply) in slot.txs.iter().zip(agreed) {
        let Some(reply) = reply else {
            return Ok(disagreement(ctx, execution, slot, wait));
        };
        let receipt = Receipt::read(reply)?;
        mined = mined.or(receipt.map(|receipt| (tx, receipt)));
    }
    let request = execution.request;
    let next = match mined {
        Some((tx, receipt)) if !tx.is_empty => {
            // A successful transaction performs the request, so the providers' answers are from different blocks.
            if receipt.succeeded || receipt.number > pulse.settled.number {
                return Ok(wait);
            }
            let errors = reason(evm, ctx, execution, tx, &receipt).await?;
            let line = json!({
                "event": "relayer.reverted",
                "ref": execution.reference,
                "txHash": tx.tx_hash,
                "block": receipt.number,
                "error": errors.first().map(|error| error.code.number()),
            });
            ctx.log(Level::Warn, line);
            Next::Failed(errors)
        }
        Some(_) if request.expires_at() <= pulse.settled.time => {
            Next::Failed(vec![request.expired()])
        }
        Some(_) => Next::Pending {
            check_at: ctx.now(),
        },
        None => {
            let line = json!({
                "event": "relayer.key-used-elsewhere",
                "ref": execution.reference,
                "nonce": slot.nonce,
            });
            ctx.log(Level::Error, line);
            match request.expires_at() <= pulse.settled.time {
                true => Next::Failed(vec![request.expired()]),
                false => Next::Pending {
                    check_at: ctx.now(),
                },
            }
        }
    };
    Ok(closed(next))
}

fn disagreement(ctx: &Context<'_>, execution: &Execution<'_>, slot: &Slot, wait: Step) -> Step {
    let line = json!({
        "event": "relayer.providers-disagree",
        "ref": execution.reference,
        "nonce": slot.nonce,
    });
    ctx.log(Level::Warn, line);
    wait
}

/// Returns the reason why a transaction reverted: the reason of the same call after the transaction's block.
async fn reason(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    tx: &Tx,
    receipt: &Receipt,
) -> Result<Vec<FieldError>, LedgerError> {
    let request = execution.request;
    let gateways = &evm.identity(ctx).await?.instance.gateways.clone();
    let Ok(call) = perform(request, gateways) else {
        return Ok(vec![unknown(request)]);
    };
    let replay = Ask::replay(&call, evm.relayer(), tx.gas, At::Block(receipt.block));
    Ok(match evm.rpc(ctx).one(replay).await? {
        Reply::Reverted(data) => match Revert::read(&data).meaning(request) {
            Meaning::Refused(errors) => errors,
            Meaning::Expired(error) => vec![error],
            Meaning::Performed | Meaning::Canceled => vec![unknown(request)],
        },
        // The call succeeds after the block, or the provider has no state of this block.
        Reply::Value(_) | Reply::Refused(_) => vec![unknown(request)],
    })
}
