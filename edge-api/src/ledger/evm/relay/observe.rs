//! Observes approvals by asking their contracts. No log of an approval names its claim, so the index cannot observe it.
//!
//! Only approvals in the states Processing and Success are observed. If another account performs an approval after its failure, the record
//! stays failed.

use order_core::chain::{View, views};
use order_core::{B256, Request, Status};
use serde::Deserialize;
use serde_json::json;

use super::{LONG, in_blocks, read_flag};
use crate::context::Context;
use crate::ledger::evm::block::HeadState;
use crate::ledger::evm::memory::Evm;
use crate::ledger::evm::rpc::{Ask, At};
use crate::ledger::{Ledger, LedgerError, Next, Outcome};
use crate::ports::{Level, Statement};
use crate::text::account_key;

/// Maximum number of approvals that one run observes.
const APPROVALS_MAX: u32 = 200;

/// An approval that was sent, or that another account performed.
struct Approval {
    reference: String,
    hash: B256,
    is_success: bool,
    view: View<bool>,
}

/// Returns the hashes of the approvals whose state changes, with their next states.
pub(super) async fn approvals(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
) -> Result<Vec<(B256, Next)>, LedgerError> {
    let sent = sent(evm, ctx, head_state).await?;
    if sent.is_empty() {
        return Ok(Vec::new());
    }
    let ask = |at: B256| {
        let view = move |approval: &Approval| Ask::view(&approval.view.call, At::Block(at));
        sent.iter().map(view).collect::<Vec<_>>()
    };
    let now = evm.rpc(ctx).ask(&ask(head_state.head.hash)).await?;
    let mut is_performed = Vec::new();
    for (approval, reply) in sent.iter().zip(now) {
        is_performed.push(read_flag(&approval.view, reply)?);
    }
    // The last final block matters only for approvals in the state Success that are still performed at the head.
    let is_any = sent
        .iter()
        .zip(&is_performed)
        .any(|(approval, performed)| approval.is_success && *performed);
    let settled = match is_any {
        true => evm.rpc(ctx).agree(&ask(head_state.settled.hash)).await,
        false => Vec::new(),
    };
    let mut settled = settled.into_iter();
    let mut events = Vec::new();
    for (approval, performed) in sent.iter().zip(is_performed) {
        let settled = settled.next().flatten();
        let next = match (approval.is_success, performed) {
            (false, true) => Next::Success {
                outcome: Outcome {
                    tx_hash: tx_hash(evm, ctx, approval).await?,
                    deployed: None,
                },
                check_at: in_blocks(evm, ctx, LONG),
            },
            (true, false) => Next::Processing {
                check_at: ctx.now(),
            },
            (true, true) => match settled.map(|reply| read_flag(&approval.view, reply)) {
                Some(Ok(true)) => Next::Finalized(Outcome::default()),
                _ => continue,
            },
            (false, false) => continue,
        };
        events.push((approval.hash, next));
    }
    Ok(events)
}

/// Reads the approvals that may have a new state: all in the state Processing, and those in the state Success whose block may be final
/// or gone.
async fn sent(
    evm: &Evm,
    ctx: &Context<'_>,
    head_state: &HeadState,
) -> Result<Vec<Approval>, LedgerError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(rename = "ref")]
        reference: String,
        kind: u8,
        body: String,
        status: Status,
    }
    // SQLite uses the partial index only if the statement repeats the literals of its condition.
    let select = Statement::new(
        "SELECT r.ref, r.kind, r.body, r.status FROM records r \
         LEFT JOIN relay_slots s ON s.ref = r.ref AND s.closed = 0 AND s.relayer = ?1 \
         WHERE r.kind = 2 AND r.status IN (2, 3) AND r.ref > '' \
         AND (r.status = 2 OR s.nonce IS NULL OR s.nonce < ?2 OR s.nonce >= ?3) LIMIT ?4",
    )
    .bind(account_key(&evm.relayer()))
    .bind(head_state.settled_nonce)
    .bind(head_state.nonce)
    .bind(APPROVALS_MAX);
    let rows: Vec<Row> = ctx.db().query(select).await?.all()?;
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let identity = evm.identity(ctx).await?;
    let gateways = &identity.instance.gateways;
    let mut sent = Vec::new();
    for row in rows {
        let request = Request::from_json(row.kind, &row.body);
        let hash = request
            .as_ref()
            .ok()
            .and_then(|request| request.hash(gateways).ok());
        let (Ok(request), Some(hash)) = (request, hash) else {
            // The sweep puts the record in quarantine.
            let line = json!({ "event": "relayer.unreadable", "ref": row.reference });
            ctx.log(Level::Warn, line);
            continue;
        };
        sent.push(Approval {
            view: views::performed(&request, gateways, &hash),
            reference: row.reference,
            hash,
            is_success: row.status == Status::Success,
        });
    }
    Ok(sent)
}

/// Returns the hash of the relayer's transaction that performed an approval. `None` if another account's transaction performed it.
async fn tx_hash(
    evm: &Evm,
    ctx: &Context<'_>,
    approval: &Approval,
) -> Result<Option<String>, LedgerError> {
    #[derive(Deserialize)]
    struct Sent {
        tx_hash: String,
    }
    let select = Statement::new(
        "SELECT t.tx_hash FROM relay_slots s JOIN relay_txs t ON t.relayer = s.relayer AND t.nonce = s.nonce \
         WHERE s.ref = ?1 AND t.is_empty = 0",
    );
    let rows = ctx
        .db()
        .query(select.bind(approval.reference.as_str()))
        .await?;
    let sent: Vec<Sent> = rows.all()?;
    let calls: Vec<Ask> = sent.iter().map(|tx| Ask::receipt(&tx.tx_hash)).collect();
    let receipts = evm.rpc(ctx).ask(&calls).await?;
    for (tx, receipt) in sent.into_iter().zip(receipts) {
        if receipt
            .value()?
            .get("status")
            .is_some_and(|status| status == "0x1")
        {
            return Ok(Some(tx.tx_hash));
        }
    }
    Ok(None)
}
