//! Signs the transaction of a pending record.

use order_core::chain::Meaning;
use order_core::{Code, FieldError, Request};
use serde_json::json;

use super::fees::{cost, layer1, today, with_headroom};
use super::slots::{Pause, Relayer, Signed, Stored, ensure, pause, relayer};
use super::{LONG, Standing, block_ms, hash_of, in_blocks, standing};
use crate::context::Context;
use crate::ledger::evm::Evm;
use crate::ledger::evm::pulse::Pulse;
use crate::ledger::evm::rpc::{Ask, At, number64};
use crate::ledger::evm::simulate::{Simulated, simulate};
use crate::ledger::{Execution, Ledger, LedgerError, Next, Step};
use crate::ports::{Job, Level};

/// Blocks that must be left until a record expires when it is sent.
const BLOCKS_LEFT: u64 = 3;

/// Simulates a pending record's call, and signs the transaction.
pub(super) async fn start(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    pulse: &Pulse,
    stored: &Stored,
) -> Result<Step, LedgerError> {
    let expires_at = execution.request.expires_at();
    let left = block_ms(evm).saturating_mul(BLOCKS_LEFT);
    if pulse.head.time.saturating_add(left) >= expires_at {
        return Ok(Step::wait(expires_at.max(in_blocks(evm, ctx, 1))));
    }
    if stored.waiting.count >= u64::from(evm.chain.inflight) {
        return Ok(Step::wait(in_blocks(evm, ctx, 1)));
    }
    let known = stored.relayer.as_ref().and_then(Relayer::paused);
    // Simulates nothing while the balance is too low, because many records may wait.
    if let Some(Pause::Funds(needed)) = known
        && pulse.balance < needed
    {
        return Ok(Step::wait(in_blocks(evm, ctx, LONG)));
    }
    let priority = execution.request.priority().number();
    let Some(price) = today(pulse, evm.chain.fee_cap, priority) else {
        let line = json!({ "event": "relayer.price", "baseFee": pulse.head.base_fee.map(|wei| wei.to_string()) });
        return paused(evm, ctx, stored.relayer.as_ref(), Pause::Price, line).await;
    };
    let (call, gas) = match simulate(evm, ctx, execution.request).await? {
        Simulated::Accepted { call, gas } => (call, with_headroom(gas, evm.chain.gas_cap)),
        Simulated::Refused(meaning) => {
            return refused(evm, ctx, execution, pulse, stored, meaning).await;
        }
        // Only an order that another account performed can be pending without all claims.
        Simulated::Incomplete => return Ok(Step::wait(in_blocks(evm, ctx, LONG))),
    };
    // The nonce is read as late as possible, so that processes seldom take the same one.
    let (row, waiting) = relayer(ctx, &evm.relayer(), pulse.nonce).await?;
    let row = match row {
        Some(row) => row,
        None => match agreed_nonce(evm, ctx, At::Latest).await? {
            Some(nonce) => Relayer::new(nonce),
            None => return Ok(Step::wait(in_blocks(evm, ctx, 1))),
        },
    };
    if waiting.count >= u64::from(evm.chain.inflight) {
        return Ok(Step::wait(in_blocks(evm, ctx, 1)));
    }
    let signed = Signed::new(evm, pulse, call, row.next_nonce, gas, price);
    let layer1 = layer1(evm, ctx, &signed.tx.raw).await?;
    let orders = u128::from(waiting.count.saturating_add(1));
    let needed = waiting
        .cost
        .saturating_add(cost(gas, price.max_fee))
        .saturating_add(layer1.saturating_mul(orders))
        .saturating_add(evm.chain.reserve);
    if pulse.balance < needed {
        let line = json!({
            "event": "relayer.funds",
            "relayer": evm.relayer(),
            "balance": pulse.balance.to_string(),
            "needed": needed.to_string(),
        });
        return paused(evm, ctx, Some(&row), Pause::Funds(needed), line).await;
    }
    let line = json!({
        "event": "relayer.signed",
        "ref": execution.reference,
        "nonce": row.next_nonce,
        "txHash": signed.hash(),
        "gas": gas,
        "maxFee": price.max_fee.to_string(),
    });
    ctx.log(Level::Info, line);
    Ok(Step::Become {
        next: Next::Processing {
            check_at: ctx.now(),
        },
        statements: signed.take_nonce(evm, ctx, pulse, execution.reference),
        hints: vec![Job::Perform {
            reference: execution.reference.to_owned(),
        }],
    })
}

/// Returns the number of the relayer's transactions up to a block, if the providers agree on it. `None` if they do not.
pub(super) async fn agreed_nonce(
    evm: &Evm,
    ctx: &Context<'_>,
    at: At,
) -> Result<Option<u64>, LedgerError> {
    let calls = [Ask::nonce(evm.relayer(), at)];
    let agreed = evm
        .rpc(ctx)
        .agree(&calls)
        .await
        .into_iter()
        .flatten()
        .next();
    agreed.map(|reply| number64(&reply.value()?)).transpose()
}

/// Waits, and stores the reason why nothing new is sent. Logs it when the relayer stops.
async fn paused(
    evm: &Evm,
    ctx: &Context<'_>,
    row: Option<&Relayer>,
    reason: Pause,
    line: serde_json::Value,
) -> Result<Step, LedgerError> {
    let until = in_blocks(evm, ctx, LONG);
    let known = row.and_then(Relayer::paused);
    if known == Some(reason) {
        return Ok(Step::wait(until));
    }
    if known.map(Pause::name) != Some(reason.name()) {
        ctx.log(Level::Error, line);
    }
    let relayer = evm.relayer();
    let nonce = match row {
        Some(row) => Some(row.next_nonce),
        None => agreed_nonce(evm, ctx, At::Latest).await?,
    };
    let create = nonce.map(|nonce| ensure(&relayer, nonce));
    Ok(Step::Wait {
        until,
        statements: create
            .into_iter()
            .chain([pause(&relayer, Some(reason))])
            .collect(),
    })
}

/// Decides about a record whose simulation failed. The rules come first, because they find all errors.
async fn refused(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    pulse: &Pulse,
    stored: &Stored,
    meaning: Meaning,
) -> Result<Step, LedgerError> {
    let request = execution.request;
    let errors = match meaning {
        Meaning::Refused(errors) => errors,
        Meaning::Expired(error) => vec![error],
        Meaning::Performed | Meaning::Canceled => {
            return done_elsewhere(evm, ctx, execution, pulse).await;
        }
    };
    let identity = evm.identity(ctx).await?;
    let instance = &identity.instance;
    let keys = request.read_set(instance);
    let snapshot = evm.snapshot(ctx, &keys).await?;
    let costs = &ctx.config().costs;
    let errors = match request.apply(&instance.gateways, &snapshot, None) {
        Err(errors) => errors,
        Ok(_) => errors,
    };
    // Once the claim was sent, anybody can perform the order with it.
    let next = if !stored.was_sent && request.only_wildcard_fails(instance, &snapshot) {
        Next::WildcardDropped
    } else if request.only_payment_fails(&errors, costs, instance, &snapshot) {
        Next::Suspended(errors)
    } else {
        Next::Failed(errors)
    };
    Ok(Step::unchanged(next))
}

/// Decides about a record that was performed or canceled on the chain, as a revert says. The reason may come from the contract of a
/// receiver, so the gateway's state decides.
async fn done_elsewhere(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    pulse: &Pulse,
) -> Result<Step, LedgerError> {
    let hash = hash_of(evm, ctx, execution).await?;
    let wait = Step::wait(in_blocks(evm, ctx, LONG));
    Ok(match standing(evm, ctx, execution, &hash, None).await? {
        // No log names the claim of an approval, so the periodic run looks at it.
        Some(Standing::Performed) if matches!(execution.request, Request::Approval(_)) => {
            Step::unchanged(Next::Processing {
                check_at: in_blocks(evm, ctx, LONG),
            })
        }
        Some(Standing::Performed) => wait,
        Some(Standing::Canceled) => {
            let settled = Some(pulse.settled.hash);
            match standing(evm, ctx, execution, &hash, settled).await? {
                Some(Standing::Canceled) => Step::unchanged(Next::Canceled),
                _ => wait,
            }
        }
        _ => Step::unchanged(Next::Failed(vec![unknown(execution.request)])),
    })
}

/// Returns the error of a request that the contract refuses for a reason that is not true.
pub(super) fn unknown(request: &Request) -> FieldError {
    let (code, path) = match request {
        Request::Order(_) => (Code::FieldNotValid, "order"),
        Request::Deployment(_) => (Code::DeployCreationFailed, "deploy"),
        Request::Approval(_) => (Code::ApproveCreationFailed, "approval"),
    };
    let message = format!("the ledger's contract refuses `{path}`");
    FieldError::with_message(code, path, message)
}
