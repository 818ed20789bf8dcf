//! Decides about a record whose nonce is final, or whose request has expired in a final block.

use order_core::chain::{Meaning, Revert, perform, views};
use order_core::{B256, FieldError};
use serde_json::{Value, json};

use super::slots::{Slot, Tx, close};
use super::start::unknown;
use super::waste::{count_failed, forget};
use super::{ContractState, LONG, hash_of, in_blocks, read_standing};
use crate::context::Context;
use crate::ledger::evm::block::HeadState;
use crate::ledger::evm::memory::Evm;
use crate::ledger::evm::rpc::{Ask, At, Reply, hash, number64};
use crate::ledger::{Execution, Ledger, LedgerError, Next, Step};
use crate::ports::Level;

/// The fields of a transaction's receipt on which providers must agree.
struct Receipt {
    succeeded: bool,
    number: u64,
    block: B256,
    gas: u64,
}

impl Receipt {
    /// Keeps the fields of a receipt that providers write in the same way.
    fn part(reply: Reply) -> Reply {
        match reply {
            Reply::Value(Value::Object(fields)) => {
                let kept = ["status", "blockNumber", "blockHash", "gasUsed"];
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
            gas: number64(field("gasUsed"))?,
        }))
    }
}

/// Decides about a record with an open slot, after its nonce became final or its request expired in a final block. All providers that
/// answer must agree on each answer that the decision uses, and at least a quorum must answer. Otherwise the record waits.
pub(super) async fn decide(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    head_state: &HeadState,
    slot: &Slot,
) -> Result<Step, LedgerError> {
    let request = execution.request;
    let wait = Step::wait(in_blocks(evm, ctx, LONG));
    let identity = evm.identity(ctx).await?;
    let claim = hash_of(evm, ctx, execution).await?;
    let flags = [views::performed, views::canceled]
        .map(|view| view(request, &identity.instance.gateways, &claim));
    let at = At::Block(head_state.settled.hash);
    let mut calls = vec![Ask::nonce(slot.relayer, at)];
    calls.extend(flags.iter().map(|view| Ask::view(&view.call, at)));
    calls.extend(slot.txs.iter().map(|tx| Ask::receipt(&tx.tx_hash)));
    let agreed = evm.rpc(ctx).agree_on(&calls, Receipt::part).await;
    let mut agreed = agreed.into_iter();
    let nonce = agreed.next().flatten();
    let standing = read_standing(&flags, agreed.by_ref().take(2).collect())?;
    let (Some(nonce), Some(standing)) = (nonce, standing) else {
        return Ok(disagreement(ctx, execution, slot, wait));
    };
    let is_used = number64(&nonce.value()?)? > slot.nonce;
    let is_expired = request.expires_at() <= head_state.settled.time;
    let expired = || Next::Failed(vec![request.expired()]);
    let closed = |next: Next| Step::Become {
        next,
        statements: vec![
            close(&slot.relayer, slot.nonce),
            forget(execution.reference),
        ],
        hints: Vec::new(),
    };
    match (standing, is_used) {
        // The index or the periodic run makes the record final.
        (ContractState::Performed, _) => return Ok(wait),
        (ContractState::Canceled, true) => return Ok(closed(Next::Canceled)),
        // The slot stays open, so that an empty transaction uses the nonce.
        (ContractState::Canceled, false) => return Ok(Step::unchanged(Next::Canceled)),
        (ContractState::Open, false) if is_expired => return Ok(Step::unchanged(expired())),
        (ContractState::Open, false) => return Ok(wait),
        (ContractState::Open, true) => {}
    }
    let mut mined = None;
    for (tx, reply) in slot.txs.iter().zip(agreed) {
        let Some(reply) = reply else {
            return Ok(disagreement(ctx, execution, slot, wait));
        };
        let receipt = Receipt::read(reply)?;
        mined = mined.or(receipt.map(|receipt| (tx, receipt)));
    }
    if let Some((tx, receipt)) = mined.as_ref().filter(|(tx, _)| !tx.is_empty) {
        // The nonce is final, and a successful transaction performs the request. A success or a later block contradicts the other answers,
        // so the answers are from different states.
        if receipt.succeeded || receipt.number > head_state.settled.number {
            return Ok(wait);
        }
        let errors = reason(evm, ctx, execution, slot, tx, receipt).await?;
        let line = json!({
            "event": "relayer.reverted",
            "ref": execution.reference,
            "txHash": tx.tx_hash,
            "block": receipt.number,
            "gas": receipt.gas,
            "error": errors.first().map(|error| error.code.number()),
        });
        ctx.log(Level::Warn, line);
        let counted = (request, execution.reference);
        let mut statements = count_failed(evm, ctx, counted, receipt.gas).await?;
        statements.push(close(&slot.relayer, slot.nonce));
        return Ok(Step::Become {
            next: Next::Failed(errors),
            statements,
            hints: Vec::new(),
        });
    }
    if mined.is_none() {
        let line = json!({
            "event": "relayer.key-used-elsewhere",
            "ref": execution.reference,
            "nonce": slot.nonce,
        });
        ctx.log(Level::Error, line);
    }
    Ok(closed(match is_expired {
        true => expired(),
        false => Next::Pending {
            check_at: ctx.now(),
        },
    }))
}

/// Logs that the providers disagree about a record. Returns `wait`.
fn disagreement(ctx: &Context<'_>, execution: &Execution<'_>, slot: &Slot, wait: Step) -> Step {
    let line = json!({
        "event": "relayer.providers-disagree",
        "ref": execution.reference,
        "nonce": slot.nonce,
    });
    ctx.log(Level::Warn, line);
    wait
}

/// Returns the reason why a transaction reverted. Repeats its call on the state after its block to find the reason. Returns a general error
/// if this shows no reason, for example because the call then succeeds.
async fn reason(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    slot: &Slot,
    tx: &Tx,
    receipt: &Receipt,
) -> Result<Vec<FieldError>, LedgerError> {
    let request = execution.request;
    let identity = evm.identity(ctx).await?;
    let Ok(call) = perform(request, &identity.instance.gateways) else {
        return Ok(vec![unknown(request)]);
    };
    let at = At::Block(receipt.block);
    let replay = Ask::replay(&call, slot.relayer, tx.gas, at);
    Ok(match evm.rpc(ctx).one(replay).await? {
        Reply::Reverted(data) => match Revert::read(&data).meaning(request) {
            Meaning::Refused(errors) => errors,
            Meaning::Expired(error) => vec![error],
            Meaning::Performed | Meaning::Canceled => vec![unknown(request)],
        },
        // The call succeeds after the block, or the provider has no state of this block.
        Reply::Value(_) | Reply::Logs(_) | Reply::Refused(_) => vec![unknown(request)],
    })
}
