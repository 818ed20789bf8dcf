//! The periodic work on all nonces: repairs gaps, and replaces and sends transactions.

use std::collections::{BTreeMap, BTreeSet};

use order_core::Request;
use order_core::chain::{Call, perform};
use serde::Deserialize;
use serde_json::json;

use super::fees::{Price, requests_left, today, with_headroom};
use super::observe::approvals;
use super::slots::{
    Pause, Queue, Relayer, SLOTS_MAX, Signed, Slot, Tx, close_decided, dearest, note, pause, queue,
    raise,
};
use super::start::agreed_nonce;
use super::waste::forget_old;
use super::{is_dead, send, status};
use crate::context::Context;
use crate::ledger::evm::block::HeadState;
use crate::ledger::evm::head_state::head_state;
use crate::ledger::evm::memory::Evm;
use crate::ledger::evm::rpc::{Ask, At, Reach, number64};
use crate::ledger::{Ledger, LedgerError, Observed};
use crate::ports::{Level, Statement};

/// Blocks after which a dearer transaction replaces a transaction, for each priority from the lowest.
const PATIENCE: [u64; 4] = [12, 6, 3, 2];

/// Maximum number of replacements that one run signs. A run also fills at most this number of nonces.
const SIGNED_MAX: usize = 16;

/// The balance becomes low if it pays for fewer requests than the first number. It stays low until it pays for the second number.
const LOW: [u64; 2] = [50, 100];

/// Milliseconds for which the stored number of transactions in blocks may be outdated.
const STALE_MS: u64 = 60_000;

/// Decides the changes of nonces, of the relayer's row and of approvals. If nothing changes, sends the stored transactions and returns `None`.
pub(in super::super) async fn tick(
    evm: &Evm,
    ctx: &Context<'_>,
) -> Result<Option<Observed>, LedgerError> {
    let head_state = head_state(evm, ctx).await?;
    let queue = queue(ctx, &evm.relayer(), &head_state).await?;
    let mut statements = Vec::new();
    if let Some(relayer) = &queue.relayer {
        statements.extend(reconcile(evm, ctx, &head_state, &queue, relayer).await?);
        statements.extend(close(evm, ctx, &head_state, &queue).await?);
        statements.extend(replace(evm, ctx, &head_state, &queue).await?);
        statements.extend(account(evm, ctx, &head_state, &queue, relayer));
    }
    let records = approvals(evm, ctx, &head_state).await?;
    if !statements.is_empty() || !records.is_empty() {
        return Ok(Some(Observed {
            statements,
            records,
        }));
    }
    // A closed slot has a final nonce. If a deeper reorganisation removes the nonce from the chain, the slot's transaction is sent again.
    let alive = |slot: &&Slot| {
        let is_empty = dearest(&slot.txs).is_some_and(|tx| tx.is_empty);
        slot.closed || is_empty || !is_dead(evm, &head_state, slot)
    };
    let alive: Vec<Slot> = queue.slots.iter().filter(alive).cloned().collect();
    send(evm, ctx, &alive, Reach::Everywhere).await?;
    Ok(None)
}

/// Compares the counter of nonces with the chain. If the key was used elsewhere, raises the counter. Signs empty transactions for nonces
/// without a slot.
async fn reconcile(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    queue: &Queue,
    relayer: &Relayer,
) -> Result<Vec<Statement>, LedgerError> {
    let address = evm.relayer();
    let is_behind = relayer.next_nonce < head_state.nonce;
    let missing = missing(head_state, queue, relayer);
    if !is_behind && missing.is_empty() {
        return Ok(Vec::new());
    }
    // A quorum must agree. A single provider that lies could raise the counter, and no later nonce would be valid.
    let Some(agreed) = agreed_nonce(evm, ctx, At::Latest).await? else {
        return Ok(Vec::new());
    };
    let mut statements = Vec::new();
    if relayer.next_nonce < agreed {
        let line = json!({
            "event": "relayer.key-used-elsewhere",
            "nextNonce": relayer.next_nonce,
            "nonce": agreed,
        });
        ctx.log(Level::Error, line);
        statements.push(raise(&address, agreed));
    }
    let missing = missing.into_iter().filter(|nonce| *nonce >= agreed);
    let Some(price) = today(head_state, evm.chain.fee_cap, priority(None)) else {
        return Ok(statements);
    };
    for nonce in missing {
        let signed = empty(evm, ctx, head_state, nonce, price).await?;
        let line = json!({ "event": "relayer.filled", "nonce": nonce, "txHash": signed.hash() });
        ctx.log(Level::Warn, line);
        statements.extend(signed.fill(ctx, &address, head_state.head.number));
    }
    Ok(statements)
}

/// Returns nonces that are in no block and have no slot, for example after a backup of the database was restored.
fn missing(head_state: &HeadState, queue: &Queue, relayer: &Relayer) -> Vec<u64> {
    let known: BTreeSet<u64> = queue.slots.iter().map(|slot| slot.nonce).collect();
    let is_all = u32::try_from(known.len()).is_ok_and(|count| count < SLOTS_MAX);
    let end = match known.last() {
        Some(last) if !is_all => *last,
        _ => relayer.next_nonce,
    };
    (head_state.nonce..end)
        .filter(|nonce| !known.contains(nonce))
        .take(SIGNED_MAX)
        .collect()
}

/// Closes the slots of decided records whose nonces are final.
async fn close(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    queue: &Queue,
) -> Result<Vec<Statement>, LedgerError> {
    if !queue.has_decided {
        return Ok(Vec::new());
    }
    let settled = At::Block(head_state.settled.hash);
    let Some(agreed) = agreed_nonce(evm, ctx, settled).await? else {
        return Ok(Vec::new());
    };
    Ok(match agreed < head_state.settled_nonce {
        // The decided slots may have nonces at or above the agreed number.
        true => Vec::new(),
        false => {
            let closed = close_decided(&evm.relayer(), agreed);
            closed.into_iter().chain([forget_old(ctx)]).collect()
        }
    })
}

/// Signs dearer transactions for nonces that wait too long, and empty transactions for requests that must not be sent any more.
async fn replace(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    queue: &Queue,
) -> Result<Vec<Statement>, LedgerError> {
    let address = evm.relayer();
    let mut cost = queue.waiting.cost;
    let mut statements = Vec::new();
    let mut signed_count = 0_usize;
    let open = queue.slots.iter().filter(|slot| !slot.closed);
    let mut stuck = Vec::new();
    for (place, slot) in open.enumerate() {
        let Some(last) = dearest(&slot.txs) else {
            continue;
        };
        let becomes_empty = !last.is_empty && is_dead(evm, head_state, slot);
        if becomes_empty || is_stuck(head_state, slot, last, place == 0) {
            stuck.push((slot, last, becomes_empty));
        }
    }
    let calls = calls(evm, ctx, &stuck).await?;
    for (slot, last, becomes_empty) in stuck {
        let Some(price) = today(head_state, evm.chain.fee_cap, priority(slot.priority))
            .and_then(|today| last.price().dearer(today, evm.chain.fee_cap))
        else {
            continue;
        };
        let signed = if becomes_empty || last.is_empty {
            empty(evm, ctx, head_state, slot.nonce, price).await?
        } else {
            let call = slot
                .reference
                .as_ref()
                .and_then(|reference| calls.get(reference));
            let Some(call) = call else {
                continue;
            };
            Signed::new(evm, head_state, call.clone(), slot.nonce, last.gas, price)
        };
        cost = cost.saturating_add(signed.cost().saturating_sub(last.cost()));
        if signed_count >= SIGNED_MAX || head_state.balance < cost {
            break;
        }
        signed_count = signed_count.saturating_add(1);
        let line = json!({
            "event": if becomes_empty { "relayer.emptied" } else { "relayer.dearer" },
            "ref": slot.reference,
            "nonce": slot.nonce,
            "txHash": signed.hash(),
            "maxFee": price.max_fee.to_string(),
        });
        ctx.log(Level::Warn, line);
        let known = slot.txs.len();
        statements.extend(signed.replace(&address, known, head_state.head.number));
    }
    Ok(statements)
}

/// Returns true if a transaction waits too long because of its price. A transaction above the lowest nonce may be waiting only for lower
/// nonces. It therefore counts as stuck only if its price is also below the last block's base fee.
fn is_stuck(head_state: &HeadState, slot: &Slot, last: &Tx, is_lowest: bool) -> bool {
    let place = usize::from(priority(slot.priority)).saturating_sub(1);
    let patience = PATIENCE.get(place).copied().unwrap_or_default();
    let age = head_state.head.number.saturating_sub(last.at_block);
    let is_cheap = head_state
        .head
        .base_fee
        .is_some_and(|base| last.price().max_fee < base);
    age >= patience && (is_lowest || is_cheap)
}

/// Returns the priority of a slot, from 1 to 4. A slot without a record delays all later slots, so it has the highest priority.
fn priority(record: Option<u8>) -> u8 {
    record.unwrap_or(4)
}

/// Returns the calls that perform the requests of slots, by the references of the records. Leaves out requests that have no call.
async fn calls(
    evm: &Evm,
    ctx: &Context<'_>,
    slots: &[(&Slot, &Tx, bool)],
) -> Result<BTreeMap<String, Call>, LedgerError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "ref")]
        reference: String,
        kind: u8,
        body: String,
    }
    let references: Vec<&str> = slots
        .iter()
        .filter(|(_, last, becomes_empty)| !becomes_empty && !last.is_empty)
        .filter_map(|(slot, ..)| slot.reference.as_deref())
        .take(SIGNED_MAX)
        .collect();
    if references.is_empty() {
        return Ok(BTreeMap::new());
    }
    let select = Statement::new(
        "SELECT ref, kind, body FROM records WHERE ref IN (SELECT value FROM json_each(?1))",
    )
    .bind_json(&references)?;
    let rows: Vec<Row> = ctx.db().query(select).await?.all()?;
    let identity = evm.identity(ctx).await?;
    let call = |row: Row| {
        let request = Request::from_json(row.kind, &row.body).ok()?;
        let call = perform(&request, &identity.instance.gateways).ok()?;
        Some((row.reference, call))
    };
    Ok(rows.into_iter().filter_map(call).collect())
}

/// Signs a transaction that does nothing: the relayer sends it to itself.
async fn empty(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    nonce: u64,
    price: Price,
) -> Result<Signed, LedgerError> {
    let call = Call {
        to: evm.relayer(),
        data: Vec::new(),
    };
    // On Arbitrum, for example, an empty transaction needs more than 21,000 units of gas.
    let gas = evm
        .rpc(ctx)
        .one(Ask::estimate(&call, evm.relayer(), None))
        .await?;
    let gas = with_headroom(number64(&gas.value()?)?, evm.chain.gas_cap);
    Ok(Signed::new(evm, head_state, call, nonce, gas, price))
}

/// Ends the relayer's pause if its cause is gone. Also stores whether the balance is low and how many of the relayer's transactions are
/// in blocks, if the former has changed or the stored number is outdated.
fn account(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
    queue: &Queue,
    relayer: &Relayer,
) -> Vec<Statement> {
    let mut statements = Vec::new();
    let address = evm.relayer();
    let price = today(head_state, evm.chain.fee_cap, status::PRIORITY);
    let continues = match relayer.paused() {
        None => false,
        Some(Pause::Price) => price.is_some(),
        Some(Pause::Funds(needed)) => head_state.balance >= needed,
    };
    if continues {
        ctx.log(Level::Info, json!({ "event": "relayer.continues" }));
        statements.push(pause(&address, None));
    }
    let [low, enough] = LOW;
    let is_low = price.map_or(relayer.is_low, |price| {
        let left = requests_left(evm, head_state, queue.waiting.cost, queue.usual_gas, price);
        left < low || (relayer.is_low && left < enough)
    });
    let is_old = |since: u64| ctx.now().saturating_sub(since) > STALE_MS;
    let is_stale = match queue.oldest {
        _ if head_state.nonce < relayer.mined => true,
        oldest => head_state.nonce > relayer.mined && oldest.is_some_and(is_old),
    };
    if is_low != relayer.is_low || is_stale {
        statements.push(note(&address, is_low, head_state.nonce));
    }
    statements
}
