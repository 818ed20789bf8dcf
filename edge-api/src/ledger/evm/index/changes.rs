//! Converts the events of blocks to statements that change the projection.
//!
//! The changed rows are read once, as they are before the segment. `fold.rs` then applies the events in their order, and `statements.rs` writes
//! the changes.

use std::collections::{BTreeMap, BTreeSet};

use alloy_primitives::B256;
use order_core::chain::LedgerEvent;
use order_core::{Abilities, Address, Asset, Change, Imprint, Request, RequestKind};
use serde::Deserialize;
use serde_json::json;

use super::super::memory::Evm;
use super::deployed::{self, Deployed};
use super::events::{self, Event, What};
use super::fold::{Facts, Gap, fold, keys, needed};
use super::imprints;
use super::index_head::{IndexHead, SUCCESS_CHECK_MS};
use super::ledgers::remember;
use super::logs::{Segment, watched};
use super::statements::{claims, indexed, written};
use crate::context::Context;
use crate::db::rows::hash;
use crate::ledger::projection::{Author, reads, snapshot};
use crate::ledger::{Ledger, LedgerError, Next, Observed, Outcome};
use crate::ports::{Level, Statement};
use crate::text::hash_key;

/// Returns the changes of a segment.
pub(super) async fn observed(
    evm: &Evm,
    ctx: &Context<'_>,
    index_head: &IndexHead,
    segment: &Segment,
    ledgers: &[Address],
) -> Result<Observed, LedgerError> {
    let mut events = events::read(evm, ctx, index_head, segment)?;
    let deployed = deployed::read(evm, ctx, segment, &events).await?;
    let mut known = ledgers.to_vec();
    known.extend(deployed.iter().map(|new| new.ledger.ledger_id));
    known.sort_unstable();
    known.dedup();
    // A ledger whose data cannot be read has no rows.
    for event in &mut events {
        if let What::Changed(ledger, _) = event.what
            && known.binary_search(&ledger).is_err()
        {
            event.what = What::Nothing;
        }
    }
    // Another process may have indexed these blocks since the index head was read. The rows would then have later states, and would look as if the
    // index lacked logs.
    let guarded = [vec![index_head.guard()], reads(&keys(&events))].concat();
    let mut rows = ctx.db().batch(guarded).await?;
    let before = snapshot(rows.split_off(1))?;
    let mut needed = needed(&events, &before);
    if segment.part.as_ref().is_some_and(|part| !part.is_last) {
        // A later part of the block may change or destroy each asset.
        needed.iter_mut().for_each(|one| one.is_changed = true);
    }
    let facts = Facts {
        blocks: segment.blocks.len(),
        events: &events,
        deployed: &deployed,
        imprints: imprints::read(evm, ctx, segment, &needed).await?,
        authors: authors(ctx, &events).await?,
        is_continued: segment.part.as_ref().is_some_and(|part| part.is_continued),
    };
    let gateways = &evm.identity(ctx).await?.instance.gateways;
    let folded = fold(before, &facts, gateways);
    folded.gaps.iter().for_each(|gap| report(ctx, segment, gap));

    let mut statements = vec![index_head.guard()];
    for (block, changes) in segment.blocks.iter().zip(folded.blocks) {
        statements.extend(written(changes, block, segment.is_settled)?);
    }
    statements.extend(claims(segment, &events)?);
    let mut contracts = watched(evm, &known);
    contracts.sort_unstable();
    statements.extend(indexed(index_head, segment, &contracts)?);
    match (&segment.part, segment.blocks.last()) {
        (Some(part), _) if !part.is_last => {
            remember(
                evm,
                (index_head.hash, index_head.undone, part.end.count),
                known,
            );
        }
        (_, Some(last)) => {
            remember(evm, (last.hash, index_head.undone, 0), known);
        }
        (_, None) => {}
    }
    Ok(Observed {
        statements,
        records: performed(ctx, &events, &deployed),
    })
}

/// Reports that the index lacks logs of an asset.
fn report(ctx: &Context<'_>, segment: &Segment, gap: &Gap) {
    let block = segment.blocks.get(gap.block);
    let line = json!({
        "event": "chain.index-gap",
        "block": block.map(|block| block.number),
        "ledger": gap.ledger,
        "asset": gap.id.to_string(),
    });
    ctx.log(Level::Error, line);
}

/// Returns the authors of changes of assets and abilities, by the index of the event. Changes by orders of other services have none.
///
/// In a transaction, the gateway's log of an order follows the logs of the order's actions.
async fn authors(
    ctx: &Context<'_>,
    events: &[Event],
) -> Result<BTreeMap<usize, Author>, LedgerError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(deserialize_with = "hash")]
        hash: B256,
        #[serde(rename = "ref")]
        reference: String,
        creator_id: Address,
        body: String,
    }
    let mut changed: Vec<(usize, B256, Change)> = Vec::new();
    // The order after each event, while the events are read from the last to the first.
    let mut next: Option<(B256, B256)> = None;
    for (place, event) in events.iter().enumerate().rev() {
        match event.what {
            What::Performed {
                claim,
                ledger: None,
            } => next = Some((event.tx, claim)),
            What::Changed(ledger, change) => {
                let claim = next.filter(|(tx, _)| *tx == event.tx);
                if let (Some((_, claim)), Some(change)) = (claim, outline(ledger, change)) {
                    changed.push((place, claim, change));
                }
            }
            _ => {}
        }
    }
    if changed.is_empty() {
        return Ok(BTreeMap::new());
    }
    let hashes: BTreeSet<String> = changed
        .iter()
        .map(|(_, claim, _)| hash_key(claim))
        .collect();
    let select = Statement::new(
        "SELECT hash, ref, creator_id, body FROM records WHERE hash IN (SELECT value FROM json_each(?1))",
    );
    let rows: Vec<Row> = ctx.db().query(select.bind_json(&hashes)?).await?.all()?;
    let mut authors = BTreeMap::new();
    for row in rows {
        // Skips a record that cannot be read. The record's next step reports the fault.
        let Ok(request) = Request::from_json(RequestKind::Order as u8, &row.body) else {
            continue;
        };
        for (place, _, change) in changed.iter().filter(|(_, claim, _)| *claim == row.hash) {
            if let Some(author) = Author::of(change, &row.reference, row.creator_id, &request) {
                authors.insert(*place, author);
            }
        }
    }
    Ok(authors)
}

/// Returns a change of the kind that an event makes. Its other values are placeholders.
fn outline(ledger: Address, event: LedgerEvent) -> Option<Change> {
    let asset = |owner, byte| {
        Some(Asset {
            owner,
            imprint: Imprint::from([byte; 32]),
            approved: None,
        })
    };
    let (id, old, new) = match event {
        LedgerEvent::Created { id, owner } => (id, None, asset(owner, 0)),
        LedgerEvent::Moved { id, from, to } => (id, asset(from, 0), asset(to, 0)),
        LedgerEvent::Destroyed { id, owner } => (id, asset(owner, 0), None),
        LedgerEvent::ImprintSet(id, _) => (id, asset(ledger, 0), asset(ledger, 1)),
        LedgerEvent::AbilitiesSet(account, new) => {
            return Some(Change::Abilities {
                ledger,
                account: account?,
                old: Abilities::default(),
                new,
            });
        }
    };
    Some(Change::Asset {
        ledger,
        id,
        old,
        new,
    })
}

/// Returns the hashes of the requests that the segment performed, with the next states of their records.
fn performed(ctx: &Context<'_>, events: &[Event], deployed: &[Deployed]) -> Vec<(B256, Next)> {
    let mut records = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        let What::Performed { claim, .. } = event.what else {
            continue;
        };
        let new = deployed.iter().find(|new| new.event == place);
        let outcome = Outcome {
            tx_hash: Some(hash_key(&event.tx)),
            deployed: new.map(|new| new.ledger.clone()),
        };
        let check_at = ctx.now().saturating_add(SUCCESS_CHECK_MS);
        records.insert(claim, Next::Success { outcome, check_at });
    }
    records.into_iter().collect()
}
