//! The relayer: signs, stores and sends the transactions that perform requests.
//!
//! ```text
//! advance, cancel   mod.rs      the next step of a record
//!                   start.rs    signs a pending record
//!                   outcome.rs  a record whose nonce is final, or that expired in a final block
//! tick              tick.rs     nonces, replacements and sends of all records
//!                   observe.rs  approvals, whose claims no log names
//!                   slots.rs    the rows of nonces and transactions
//!                   fees.rs     prices and balances
//!                   waste.rs    the gas of failed transactions
//! status            status.rs   the state for operators
//! ```
//!
//! A record takes a nonce in the database transaction that stores the signed bytes. Only stored bytes are sent, so any process can send them
//! again. The contract decides whether a request was performed. A receipt, or the absence of one, only tells why a nonce was used up.
//!
//! [`advance`] decides the next step of a record by the first row that fits. Waiting does not count as an attempt.
//!
//! | record | state of the chain | next step |
//! |---|---|---|
//! | any | no provider answers | waits |
//! | any | the index has seen the claim performed, by any account | Success, or Finalized if the block is final |
//! | any | the index has seen the claim canceled, in a final block | Canceled |
//! | Success | | waits for the index |
//! | Processing with an open slot | the nonce is not final, the request has not expired in a final block | waits; sends the stored bytes if no block has the nonce and the request may still be sent |
//! | Processing with an open slot | the providers disagree, or their answers contradict each other | waits |
//! | Processing with an open slot | the contract says performed | waits for the index, or for the periodic run if it is an approval |
//! | Processing with an open slot | the contract says canceled | Canceled |
//! | Processing with an open slot | expired, and the nonce is not final | Failure; the nonce stays open |
//! | Processing with an open slot | the nonce is final, the transaction reverted | Failure with the reason |
//! | Processing with an open slot | the nonce is final, used by an empty transaction or by one that is not stored | Pending; Failure if expired |
//! | Processing without a slot, content deleted | a reorganisation removed the claim of a canceled record | Canceled |
//! | Processing without a slot, claims missing | a reorganisation removed the claim that another account performed | waits; Failure once expired |
//! | Processing without a slot | the contract says performed | waits for the index, or for the periodic run if it is an approval |
//! | Processing without a slot | not performed, because a reorganisation removed the claim | Pending; Initialized if it was never queued |
//! | Pending or Suspended | it expires within three blocks | waits until it expires |
//! | Pending or Suspended | too many requests wait for a block, gas is too expensive, or the relayer pauses until its balance is higher | waits |
//! | Pending or Suspended | failed transactions with an account of the request used too much gas within a day | waits |
//! | Pending or Suspended | claims are missing, because another account performed the order | waits |
//! | Pending or Suspended | the simulation accepts the call, but the balance is too low for it | waits; the relayer pauses |
//! | Pending or Suspended | the simulation accepts the call | Processing, with a slot |
//! | Pending or Suspended | performed on the chain, and the index has not seen it | waits; an approval becomes Processing |
//! | Pending or Suspended | canceled on the chain, and the index has not seen it | Canceled if the cancellation is final; otherwise waits |
//! | Pending or Suspended | the rules refuse only the account in the wildcard's place, and no transaction was ever signed for the record | Initialized |
//! | Pending or Suspended | the rules or the simulation refuse the request | Suspended if only the payment fails; otherwise Failure |

mod fees;
mod observe;
mod outcome;
mod slots;
mod start;
mod status;
mod tick;
mod waste;

pub(super) use status::status;
pub(super) use tick::tick;
pub(super) use waste::{Waste, receivers};

use order_core::chain::{CallError, View, perform, views};
use order_core::{B256, Status};
use serde_json::json;

use super::block::HeadState;
use super::head_state::head_state;
use super::rpc::{Ask, At, Reach, Reply, number64, unavailable};
use super::{Evm, index};
use crate::context::Context;
use crate::ledger::{Cancellation, Execution, Ledger, LedgerError, Next, Step};
use crate::ports::{DatabaseError, Level};
use slots::{Slot, dearest};

/// Blocks until a waiting record is due again. The index usually changes the record sooner.
const LONG: u64 = 5;

/// Milliseconds until a record is due again if no provider answers.
const UNREACHABLE_MS: u64 = 15_000;

/// Maximum number of records that one database transaction starts. Each record needs about 20 statements.
pub(super) const STARTED_AT_ONCE: usize = 10;

/// Decides the next steps of due records.
pub(super) async fn advance(
    evm: &Evm,
    ctx: &Context<'_>,
    executions: &[Execution<'_>],
) -> Result<Vec<Step>, LedgerError> {
    match decide(evm, ctx, executions).await {
        Err(LedgerError::Unavailable(why)) => Ok(executions
            .iter()
            .map(|execution| unreachable(ctx, execution, &why))
            .collect()),
        result => result,
    }
}

/// Returns the step of a record while no provider answers: it waits. The record is not at fault. An error would quarantine the record for
/// longer than the outage, and would fill the queue of failed messages.
fn unreachable(ctx: &Context<'_>, execution: &Execution<'_>, why: &str) -> Step {
    let line = json!({ "event": "relayer.waits", "ref": execution.reference, "why": why });
    ctx.log(Level::Warn, line);
    Step::wait(ctx.now().saturating_add(UNREACHABLE_MS))
}

async fn decide(
    evm: &Evm,
    ctx: &Context<'_>,
    executions: &[Execution<'_>],
) -> Result<Vec<Step>, LedgerError> {
    let head_state = head_state(evm, ctx).await?;
    let references: Vec<&str> = executions
        .iter()
        .map(|execution| execution.reference)
        .collect();
    let stored = slots::stored(ctx, &evm.relayer(), &references, head_state.nonce).await?;
    // `None` for a record that is Pending or Suspended. All these records are started together below.
    let mut steps = Vec::new();
    let mut pending = Vec::new();
    let mut unsent = Vec::new();
    for execution in executions {
        let Some(sent) = stored.records.get(execution.reference) else {
            let why = "the record of an execution has no row";
            return Err(DatabaseError::corrupt("records", execution.reference, why).into());
        };
        let seen = match sent.is_seen {
            true => index::seen(evm, ctx, &sent.hash).await?,
            false => None,
        };
        steps.push(match (execution.status, &sent.slot, seen) {
            (Status::Success, _, Some(Next::Success { .. })) => {
                Some(Step::wait(in_blocks(evm, ctx, LONG)))
            }
            (_, _, Some(next)) => Some(Step::unchanged(next)),
            (Status::Pending | Status::Suspended, _, None) => {
                pending.push((execution, sent));
                None
            }
            (Status::Processing, Some(slot), None) => {
                let decided = decided(evm, ctx, execution, &head_state, slot).await?;
                let may_wait = slot.relayer != evm.relayer() || slot.nonce >= head_state.nonce;
                if decided.is_none() && may_wait && !is_dead(evm, &head_state, slot) {
                    unsent.push(slot.clone());
                }
                Some(decided.unwrap_or_else(|| Step::wait(in_blocks(evm, ctx, LONG))))
            }
            (Status::Processing, None, None) => {
                Some(without_slot(evm, ctx, execution, &head_state, &sent.hash).await?)
            }
            _ => Some(Step::wait(in_blocks(evm, ctx, LONG))),
        });
    }
    // If the next block does not contain these transactions, the periodic run sends them to all providers.
    send(evm, ctx, &unsent, Reach::First).await?;
    let started = start::start(evm, ctx, &head_state, &stored, &pending).await?;
    filled(steps, started)
}

/// Fills the missing steps with `later` ones, in their order.
fn filled(steps: Vec<Option<Step>>, later: Vec<Step>) -> Result<Vec<Step>, LedgerError> {
    let mut later = later.into_iter();
    let missing = || DatabaseError::Bug("a due record has no step".to_owned());
    let step = |step: Option<Step>| Ok(step.or_else(|| later.next()).ok_or_else(missing)?);
    steps.into_iter().map(step).collect()
}

/// Decides about a record for which a transaction is stored. `None` if the transaction can still perform the request.
async fn decided(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    head_state: &HeadState,
    slot: &Slot,
) -> Result<Option<Step>, LedgerError> {
    let settled_nonce = if slot.relayer == evm.relayer() {
        head_state.settled_nonce
    } else {
        // The operator has changed the relayer's key. The stored bytes are still valid, but this service cannot sign a replacement.
        let at = At::Block(head_state.settled.hash);
        let reply = evm.rpc(ctx).one(Ask::nonce(slot.relayer, at)).await?;
        number64(&reply.value()?)?
    };
    let is_expired = execution.request.expires_at() <= head_state.settled.time;
    if slot.nonce < settled_nonce || is_expired {
        let step = outcome::decide(evm, ctx, execution, head_state, slot).await?;
        return Ok(Some(step));
    }
    Ok(None)
}

/// Decides about a Processing record without an open slot. For example, a reorganisation removed its claim, or another account performed
/// the approval.
async fn without_slot(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    head_state: &HeadState,
    stored_hash: &B256,
) -> Result<Step, LedgerError> {
    let identity = evm.identity(ctx).await?;
    let gateways = &identity.instance.gateways;
    let hash = execution.request.hash(gateways).ok();
    let Some(hash) = hash.filter(|hash| hash == stored_hash) else {
        // The content of a canceled record is deleted, so the remaining content has another hash.
        return Ok(Step::unchanged(Next::Canceled));
    };
    if let Err(CallError::NotSigned(_)) = perform(execution.request, gateways) {
        let is_expired = execution.request.expires_at() <= head_state.settled.time;
        let standing = match is_expired {
            true => {
                contract_state(evm, ctx, execution, &hash, Some(head_state.settled.hash)).await?
            }
            false => None,
        };
        return Ok(match standing {
            Some(ContractState::Open) => {
                Step::unchanged(Next::Failed(vec![execution.request.expired()]))
            }
            _ => Step::wait(in_blocks(evm, ctx, LONG)),
        });
    }
    Ok(
        match contract_state(evm, ctx, execution, &hash, None).await? {
            Some(ContractState::Performed) => Step::wait(in_blocks(evm, ctx, LONG)),
            _ => Step::unchanged(Next::Pending {
                check_at: ctx.now(),
            }),
        },
    )
}

/// Asks the chain whether a request was performed or canceled there.
pub(super) async fn cancel(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
) -> Result<Cancellation, LedgerError> {
    let hash = hash_of(evm, ctx, execution).await?;
    Ok(
        match contract_state(evm, ctx, execution, &hash, None).await? {
            Some(ContractState::Performed) => Cancellation::TooLate,
            Some(ContractState::Canceled) => Cancellation::OnChain,
            Some(ContractState::Open) | None => Cancellation::RecordOnly,
        },
    )
}

/// A request's state in its contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ContractState {
    Performed,
    Canceled,
    Open,
}

/// Computes the hash of a record's request.
///
/// # Errors
/// If the stored request has no hash, because its row is corrupt.
async fn hash_of(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
) -> Result<B256, LedgerError> {
    let identity = evm.identity(ctx).await?;
    let hash = execution.request.hash(&identity.instance.gateways);
    Ok(hash
        .map_err(|error| DatabaseError::corrupt("records", execution.reference, error.message))?)
}

/// Reads a request's state in its contract. With a block `settled`, all providers that answer must agree, and at least a quorum must
/// answer. Otherwise the result is `None`. Without a block, the last block of the first provider that answers decides.
async fn contract_state(
    evm: &Evm,
    ctx: &Context<'_>,
    execution: &Execution<'_>,
    hash: &B256,
    settled: Option<B256>,
) -> Result<Option<ContractState>, LedgerError> {
    let identity = evm.identity(ctx).await?;
    let gateways = &identity.instance.gateways;
    let flags =
        [views::performed, views::canceled].map(|view| view(execution.request, gateways, hash));
    let at = settled.map_or(At::Latest, At::Block);
    let calls = [0, 1].map(|place: usize| flags.get(place).map(|view| Ask::view(&view.call, at)));
    let calls: Vec<Ask> = calls.into_iter().flatten().collect();
    let replies = match settled {
        Some(_) => evm.rpc(ctx).agree(&calls).await,
        None => evm
            .rpc(ctx)
            .ask(&calls)
            .await?
            .into_iter()
            .map(Some)
            .collect(),
    };
    read_standing(&flags, replies)
}

/// Reads the answers of the two views of a request. `None` if the providers do not agree on one of them.
fn read_standing(
    flags: &[View<bool>; 2],
    replies: Vec<Option<Reply>>,
) -> Result<Option<ContractState>, LedgerError> {
    let mut values = Vec::new();
    for (view, reply) in flags.iter().zip(replies) {
        let Some(reply) = reply else {
            return Ok(None);
        };
        values.push(read_flag(view, reply)?);
    }
    Ok(match *values {
        [true, _] => Some(ContractState::Performed),
        [false, true] => Some(ContractState::Canceled),
        [false, false] => Some(ContractState::Open),
        _ => None,
    })
}

fn read_flag(view: &View<bool>, reply: Reply) -> Result<bool, LedgerError> {
    let answer = reply.bytes()?.unwrap_or_default();
    let flag = view.read(&answer);
    flag.map_err(|error| unavailable(&error.to_string()))
}

/// Returns the expected time after this number of blocks, in milliseconds since 1970.
fn in_blocks(evm: &Evm, ctx: &Context<'_>, blocks: u64) -> u64 {
    ctx.now()
        .saturating_add(block_ms(evm).saturating_mul(blocks))
}

/// Returns the milliseconds from one block to the next.
fn block_ms(evm: &Evm) -> u64 {
    u64::from(evm.chain.block_seconds).saturating_mul(1_000)
}

/// Returns true if a slot has no request, or if its request must not be sent any more. A request must not be sent if it is decided or expires
/// before the next block. A private request must also not be sent if the settings have no private address. An empty transaction then takes
/// the nonce, because later nonces wait for it.
fn is_dead(evm: &Evm, head_state: &HeadState, slot: &Slot) -> bool {
    let Some(_) = &slot.reference else {
        return true;
    };
    let is_decided = slot.status.is_none_or(|status| {
        [Status::Failure, Status::Canceled, Status::Finalized]
            .iter()
            .any(|decided| decided.number() == status)
    });
    let next = head_state.head.time.saturating_add(block_ms(evm));
    let is_expired = slot.expires_at.is_some_and(|at| at <= next);
    // The operator has removed the private addresses from the settings. A private request must not go to public addresses.
    let is_homeless = slot.is_private && evm.chain.senders.is_empty();
    is_decided || is_expired || is_homeless
}

/// Sends the stored bytes of slots: the dearest transaction of each nonce. Private requests go only to private addresses.
async fn send(
    evm: &Evm,
    ctx: &Context<'_>,
    slots: &[Slot],
    reach: Reach,
) -> Result<(), LedgerError> {
    let txs = slots
        .iter()
        .filter_map(|slot| Some((slot.is_private, dearest(&slot.txs)?)));
    let (private, public): (Vec<_>, Vec<_>) =
        txs.partition(|(is_private, tx)| *is_private && !tx.is_empty);
    for (group, reach) in [(private, Reach::Private), (public, reach)] {
        for group in group.chunks(SENT_AT_ONCE) {
            let hashes: Vec<&str> = group.iter().map(|(_, tx)| tx.tx_hash.as_str()).collect();
            let txs = slots::outgoing(ctx, &hashes).await?;
            evm.rpc(ctx).send(&txs, reach).await;
        }
    }
    Ok(())
}

/// Maximum number of transactions in one request to a provider. A transaction with 100 actions takes about 100 kB of JSON.
const SENT_AT_ONCE: usize = 50;
