//! Signs the transactions of pending records.

use order_core::chain::{Call, Fee, Meaning};
use order_core::{Code, FieldError, Request};
use serde_json::json;

use super::fees::{cost, layer1, today, with_headroom};
use super::slots::{Pause, Relayer, Sent, Signed, Stored, Waiting, ensure, pause, relayer};
use super::waste::Waste;
use super::{
    ContractState, LONG, block_ms, contract_state, filled, hash_of, in_blocks, unreachable,
};
use crate::context::Context;
use crate::ledger::evm::block::HeadState;
use crate::ledger::evm::facts::facts;
use crate::ledger::evm::memory::Evm;
use crate::ledger::evm::rpc::{Ask, At, number64};
use crate::ledger::evm::simulate::{Simulated, simulate_all};
use crate::ledger::{Execution, Ledger, LedgerError, Next, Step};
use crate::ports::{Job, Level};

/// A record is sent only if more than this number of blocks is left until it expires.
const BLOCKS_LEFT: u64 = 3;

/// Milliseconds after which a record is looked at again whose accounts have used up their limit of failed gas.
const STOPPED_MS: u64 = 600_000;

/// A pending record, with its stored state.
type Pending<'a> = (&'a Execution<'a>, &'a Sent);

/// A call that the contracts accept.
struct Ready<'a> {
    execution: &'a Execution<'a>,
    call: Call,
    gas: u64,
}

/// Simulates the calls of pending records, and signs their transactions. Returns the next step of each record, in the same order.
pub(super) async fn start(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    stored: &Stored,
    pending: &[Pending<'_>],
) -> Result<Vec<Step>, LedgerError> {
    let mut steps: Vec<Option<Step>> = Vec::new();
    let mut candidates = Vec::new();
    let mut free = free(evm, stored.waiting);
    for (execution, sent) in pending {
        let expires_at = execution.request.expires_at();
        let left = block_ms(evm).saturating_mul(BLOCKS_LEFT);
        steps.push(if head_state.head.time.saturating_add(left) >= expires_at {
            Some(Step::wait(expires_at.max(in_blocks(evm, ctx, 1))))
        } else if free == 0 {
            Some(Step::wait(in_blocks(evm, ctx, 1)))
        } else {
            free = free.saturating_sub(1);
            candidates.push((*execution, *sent));
            None
        });
    }
    let decided = match candidates.is_empty() {
        true => Vec::new(),
        false => simulated(evm, ctx, head_state, stored, &candidates).await?,
    };
    filled(steps, decided)
}

/// Returns the number of further requests that may wait for a block.
fn free(evm: &Evm, waiting: Waiting) -> u64 {
    u64::from(evm.chain.inflight).saturating_sub(waiting.count)
}

/// Decides about the records that may be sent now. Simulates nothing while the balance is too low or gas too expensive, because many
/// records may wait.
async fn simulated(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    stored: &Stored,
    candidates: &[Pending<'_>],
) -> Result<Vec<Step>, LedgerError> {
    let row = stored.relayer.as_ref();
    let wait = || Step::wait(in_blocks(evm, ctx, LONG));
    if let Some(Pause::Funds(needed)) = row.and_then(Relayer::paused)
        && head_state.balance < needed
    {
        return Ok(candidates.iter().map(|_| wait()).collect());
    }
    // The cap does not depend on the priority: gas is too expensive for all priorities or for none.
    if today(head_state, evm.chain.fee_cap, 1).is_none() {
        let line = json!({ "event": "relayer.price", "baseFee": head_state.head.base_fee.map(|wei| wei.to_string()) });
        let paused = paused(evm, ctx, row, Pause::Price, line).await?;
        let others = candidates.iter().skip(1).map(|_| wait());
        return Ok([paused].into_iter().chain(others).collect());
    }
    let requests = candidates.iter().map(|(execution, _)| execution.request);
    let waste = Waste::read(ctx, requests).await?;
    let limit = evm.chain.failed_gas_max;
    let mut expected = waste.clone();
    let mut waits = Vec::new();
    let mut chosen = Vec::new();
    for (execution, sent) in candidates {
        let request = execution.request;
        waits.push(if waste.is_used_up(request, limit) {
            Some(Step::wait(ctx.now().saturating_add(STOPPED_MS)))
        } else if expected.takes(request, limit) {
            chosen.push((*execution, *sent));
            None
        } else {
            Some(Step::wait(in_blocks(evm, ctx, 1)))
        });
    }
    let fee = |request: &Request| {
        let price = today(head_state, evm.chain.fee_cap, request.priority().number())?;
        // Nodes refuse the simulation of a transaction for which the balance is too low.
        let is_covered = cost(evm.chain.gas_cap, price.max_fee) <= head_state.balance;
        is_covered.then(|| price.fee(head_state))
    };
    let requests: Vec<(&Request, Option<Fee>)> = chosen
        .iter()
        .map(|(execution, _)| (execution.request, fee(execution.request)))
        .collect();
    let mut steps = Vec::new();
    let mut ready = Vec::new();
    let results = match requests.is_empty() {
        true => Vec::new(),
        false => simulate_all(evm, ctx, &requests).await?,
    };
    for ((execution, sent), result) in chosen.into_iter().zip(results) {
        steps.push(match result {
            Ok(Simulated::Accepted { call, gas }) => {
                let gas = with_headroom(gas, evm.chain.gas_cap);
                ready.push(Ready {
                    execution,
                    call,
                    gas,
                });
                None
            }
            Ok(Simulated::Refused(meaning)) => {
                Some(refused(evm, ctx, execution, head_state, sent, meaning).await?)
            }
            // A pending order can lack claims only if another account has performed it.
            Ok(Simulated::Incomplete) => Some(wait()),
            Err(why) => Some(unreachable(ctx, execution, &why)),
        });
    }
    let decided = filled(steps, signed(evm, ctx, head_state, ready, waste).await?)?;
    filled(waits, decided)
}

/// Signs calls with consecutive nonces. Returns the next step of each record.
async fn signed(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    ready: Vec<Ready<'_>>,
    mut waste: Waste,
) -> Result<Vec<Step>, LedgerError> {
    let mut steps = Vec::new();
    if ready.is_empty() {
        return Ok(steps);
    }
    // The nonce is read as late as possible, so that two processes seldom take the same nonce.
    let (row, mut waiting) = relayer(ctx, &evm.relayer(), head_state.nonce).await?;
    let row = match row {
        Some(row) => Some(row),
        None => agreed_nonce(evm, ctx, At::Latest).await?.map(Relayer::new),
    };
    let mut nonce = row.as_ref().map(|row| row.next_nonce);
    for Ready {
        execution,
        call,
        gas,
    } in ready
    {
        let priority = execution.request.priority().number();
        let price = today(head_state, evm.chain.fee_cap, priority);
        let (Some(taken), Some(price), 1..) = (nonce, price, free(evm, waiting)) else {
            steps.push(Step::wait(in_blocks(evm, ctx, 1)));
            continue;
        };
        let limit = evm.chain.failed_gas_max;
        if let Some(exceeded) = waste.exceeded(execution.request, gas, limit) {
            let blocks = if exceeded.is_failed { LONG } else { 1 };
            steps.push(Step::wait(in_blocks(evm, ctx, blocks)));
            continue;
        }
        let signed = Signed::new(evm, head_state, call, taken, gas, price);
        let layer1 = layer1(evm, ctx, &signed.tx.raw).await?;
        waiting.count = waiting.count.saturating_add(1);
        waiting.cost = waiting.cost.saturating_add(signed.cost());
        let needed = waiting
            .cost
            .saturating_add(layer1.saturating_mul(u128::from(waiting.count)))
            .saturating_add(evm.chain.reserve);
        if head_state.balance < needed {
            let line = json!({
                "event": "relayer.funds",
                "relayer": evm.relayer(),
                "balance": head_state.balance.to_string(),
                "needed": needed.to_string(),
            });
            steps.push(paused(evm, ctx, row.as_ref(), Pause::Funds(needed), line).await?);
            // The next records wait too, so that a cheaper request does not overtake this one.
            nonce = None;
            continue;
        }
        let line = json!({
            "event": "relayer.signed",
            "ref": execution.reference,
            "nonce": taken,
            "txHash": signed.hash(),
            "gas": gas,
            "maxFee": price.max_fee.to_string(),
        });
        ctx.log(Level::Info, line);
        nonce = taken.checked_add(1);
        let mut statements = signed.take_nonce(evm, ctx, head_state, execution.reference);
        let counted = (execution.request, execution.reference);
        statements.push(waste.add(ctx, counted, gas)?);
        steps.push(Step::Become {
            next: Next::Processing {
                check_at: ctx.now(),
            },
            statements,
            hints: vec![Job::Perform {
                reference: execution.reference.to_owned(),
            }],
        });
    }
    Ok(steps)
}

/// Returns the number of the relayer's transactions up to a block. `None` if the providers disagree, or if too few answer.
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

/// Returns a step that waits, and stores the reason why nothing new is sent. Logs the reason if the relayer has not stopped for it before.
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

/// Decides about a record whose call the contracts refuse. Prefers the errors of the rules, because the rules find all errors.
async fn refused(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    head_state: &HeadState,
    sent: &Sent,
    meaning: Meaning,
) -> Result<Step, LedgerError> {
    let request = execution.request;
    let errors = match meaning {
        Meaning::Refused(errors) => errors,
        Meaning::Expired(error) => vec![error],
        Meaning::Performed | Meaning::Canceled => {
            return done_elsewhere(evm, ctx, execution, head_state).await;
        }
    };
    let identity = evm.identity(ctx).await?;
    let instance = &identity.instance;
    let keys = request.read_set(instance);
    let snapshot = facts(evm, ctx, &keys).await?;
    let costs = &ctx.config().costs;
    let errors = match request.apply(&instance.gateways, &snapshot, None) {
        Err(errors) => errors,
        Ok(_) => errors,
    };
    // Once a transaction with the wildcard's claim was sent, anybody can perform the order with this claim.
    let next = if !sent.was_sent && request.only_wildcard_fails(instance, &snapshot) {
        Next::WildcardDropped
    } else if request.only_payment_fails(&errors, costs, instance, &snapshot) {
        Next::Suspended(errors)
    } else {
        Next::Failed(errors)
    };
    Ok(Step::unchanged(next))
}

/// Decides about a record after a revert whose reason says that the request was performed or canceled. A receiver's contract can revert with
/// the same reason, so the state of the request's contract decides.
async fn done_elsewhere(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    head_state: &HeadState,
) -> Result<Step, LedgerError> {
    let hash = hash_of(evm, ctx, execution).await?;
    let wait = Step::wait(in_blocks(evm, ctx, LONG));
    Ok(
        match contract_state(evm, ctx, execution, &hash, None).await? {
            // No log names the claim of an approval, so the periodic run observes the approval.
            Some(ContractState::Performed) if matches!(execution.request, Request::Approval(_)) => {
                Step::unchanged(Next::Processing {
                    check_at: in_blocks(evm, ctx, LONG),
                })
            }
            Some(ContractState::Performed) => wait,
            Some(ContractState::Canceled) => {
                let settled = Some(head_state.settled.hash);
                match contract_state(evm, ctx, execution, &hash, settled).await? {
                    Some(ContractState::Canceled) => Step::unchanged(Next::Canceled),
                    _ => wait,
                }
            }
            _ => Step::unchanged(Next::Failed(vec![unknown(execution.request)])),
        },
    )
}

/// Returns the error for a request that the contract refuses for an unknown or untrue reason.
pub(super) fn unknown(request: &Request) -> FieldError {
    let (code, path) = match request {
        Request::Order(_) => (Code::FieldNotValid, "order"),
        Request::Deployment(_) => (Code::DeployCreationFailed, "deploy"),
        Request::Approval(_) => (Code::ApproveCreationFailed, "approval"),
    };
    let message = format!("the ledger's contract refuses `{path}`");
    FieldError::with_message(code, path, message)
}
