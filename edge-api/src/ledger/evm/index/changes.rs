//! Converts the events of blocks to changes of the projection.
//!
//! The changed rows are read once, as they are before the segment. The events are then applied in their order. The changes are written by the
//! same functions as those of the embedded ledger, with the time of the block.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use alloy_primitives::B256;
use order_core::chain::LedgerEvent;
use order_core::{
    Action, Address, Amount, Asset, AssetId, Change, Imprint, ReadSet, Request, RequestKind,
    Snapshot, new_ledger,
};
use serde::Deserialize;
use serde_json::json;

use super::super::memory::Evm;
use super::cursor::{Cursor, SUCCESS_CHECK_MS};
use super::deployed::{self, Deployed};
use super::events::{self, Event, What};
use super::imprints::{self, Needed};
use super::ledgers::remember;
use super::logs::{Found, Mined, Segment, digest, watched};
use super::undo::Kept;
use crate::context::Context;
use crate::db::rows::hash;
use crate::ledger::projection::{keep_imprints, reads, snapshot, withdraw, write};
use crate::ledger::{Ledger, LedgerError, Next, Observed, Outcome};
use crate::ports::{DatabaseError, Level, Statement};
use crate::text::{account_key, hash_key};

/// Maximum number of rows that one statement writes. A statement's parameter may have two megabytes.
const ROWS_AT_ONCE: usize = 1_000;

/// Returns the changes of a segment.
pub(super) async fn observed(
    evm: &Evm,
    ctx: &Context<'_>,
    cursor: &Cursor,
    segment: &Segment,
    ledgers: &[Address],
) -> Result<Observed, LedgerError> {
    let mut events = events::read(evm, ctx, cursor, segment)?;
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
    // Another process may have indexed these blocks since the cursor was read. The rows would then have later states, and would look as if the
    // index lacked logs.
    let guarded = [vec![cursor.guard()], reads(&keys(&events))].concat();
    let mut rows = ctx.db().batch(guarded).await?;
    let before = snapshot(rows.split_off(1))?;
    let mut needed = needed(&events, &before);
    if segment.part.as_ref().is_some_and(|part| !part.is_last) {
        // A later part of the block may change or destroy each asset.
        needed.iter_mut().for_each(|one| one.is_changed = true);
    }
    let imprints = imprints::read(evm, ctx, segment, &needed).await?;
    let authors = authors(ctx, &events).await?;

    let mut statements = vec![cursor.guard()];
    let is_continued = segment.part.as_ref().is_some_and(|part| part.is_continued);
    let mut fold = Fold::new(ctx, before, is_continued);
    let (mut events_left, mut deployed_left) =
        (events.iter().enumerate().peekable(), &deployed[..]);
    let gateways = &evm.identity(ctx).await?.instance.gateways;
    for (place, block) in segment.blocks.iter().enumerate() {
        let mut changes = BlockChanges::default();
        while let Some((number, event)) = events_left.next_if(|(_, event)| event.block == place) {
            if let [new, rest @ ..] = deployed_left
                && new.event == number
            {
                deployed_left = rest;
                changes.create(fold.create(new, gateways), new);
            }
            if let What::Paid { from, to, value } = event.what {
                fold.pay(from, to, value, &mut changes.balances);
            }
            let What::Changed(ledger, change) = event.what else {
                continue;
            };
            let imprint = imprints.get(&number).copied();
            if let Some(change) = fold.apply(block, ledger, change, imprint) {
                let author = authors.get(&number).map(String::as_str);
                changes.add(change, author.unwrap_or_default());
            }
        }
        statements.extend(changes.statements(block, segment.is_settled)?);
    }
    statements.extend(claims(segment, &events)?);
    let mut contracts = watched(evm, &known);
    contracts.sort_unstable();
    statements.extend(indexed(cursor, segment, &contracts)?);
    match (&segment.part, segment.blocks.last()) {
        (Some(part), _) if !part.is_last => {
            remember(evm, (cursor.hash, cursor.undone, part.end.count), known);
        }
        (_, Some(last)) => {
            remember(evm, (last.hash, cursor.undone, 0), known);
        }
        (_, None) => {}
    }
    Ok(Observed {
        statements,
        records: performed(ctx, &events, &deployed),
    })
}

/// Returns the keys of the rows that events change.
fn keys(events: &[Event]) -> ReadSet {
    let mut keys = ReadSet::default();
    for event in events {
        if let What::Paid { from, to, .. } = event.what {
            keys.balances.extend([from, to].into_iter().flatten());
        }
        let What::Changed(ledger, change) = event.what else {
            continue;
        };
        match change {
            LedgerEvent::Created { id, .. }
            | LedgerEvent::Moved { id, .. }
            | LedgerEvent::Destroyed { id, .. }
            | LedgerEvent::ImprintSet(id, _) => keys.assets.extend([(ledger, id)]),
            LedgerEvent::AbilitiesSet(Some(account), _) => {
                keys.abilities.extend([(ledger, account)]);
            }
            LedgerEvent::AbilitiesSet(None, _)
            | LedgerEvent::OperatorSet { .. }
            | LedgerEvent::Approved(..)
            | LedgerEvent::Paused(_) => {}
        }
    }
    keys
}

/// Returns the assets whose imprint is needed: new ones, and ones that move although they have no row.
fn needed(events: &[Event], before: &Snapshot) -> Vec<Needed> {
    let mut needed: Vec<Needed> = Vec::new();
    let mut latest: BTreeMap<(Address, AssetId), usize> = BTreeMap::new();
    let mut exists: BTreeMap<(Address, AssetId), bool> = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        let What::Changed(ledger, change) = event.what else {
            continue;
        };
        let (id, is_new) = match change {
            LedgerEvent::Created { id, .. } => (id, true),
            LedgerEvent::Moved { id, .. } => {
                let known = exists.get(&(ledger, id)).copied();
                let known = known.unwrap_or_else(|| before.assets.contains_key(&(ledger, id)));
                (id, !known)
            }
            LedgerEvent::Destroyed { id, .. } | LedgerEvent::ImprintSet(id, _) => {
                let before = latest.get(&(ledger, id));
                if let Some(before) = before.and_then(|before| needed.get_mut(*before)) {
                    before.is_changed = true;
                }
                if matches!(change, LedgerEvent::Destroyed { .. }) {
                    exists.insert((ledger, id), false);
                }
                continue;
            }
            _ => continue,
        };
        if is_new {
            exists.insert((ledger, id), true);
            latest.insert((ledger, id), needed.len());
            needed.push(Needed {
                event: place,
                block: event.block,
                ledger,
                id,
                is_changed: false,
            });
        }
    }
    needed
}

/// Returns the references of the records that destroyed assets, by the index of the event.
///
/// In a transaction, the gateway's log of an order follows the logs of the order's actions.
async fn authors(
    ctx: &Context<'_>,
    events: &[Event],
) -> Result<BTreeMap<usize, String>, LedgerError> {
    #[derive(Deserialize)]
    struct Row {
        #[serde(deserialize_with = "hash")]
        hash: B256,
        #[serde(rename = "ref")]
        reference: String,
        body: String,
    }
    let mut destroyed: Vec<(usize, B256, (Address, AssetId))> = Vec::new();
    for (place, event) in events.iter().enumerate() {
        let What::Changed(ledger, LedgerEvent::Destroyed { id, .. }) = event.what else {
            continue;
        };
        let later = events
            .iter()
            .skip(place)
            .take_while(|later| later.tx == event.tx);
        let claim = later.into_iter().find_map(|later| match later.what {
            What::Performed {
                claim,
                ledger: None,
            } => Some(claim),
            _ => None,
        });
        if let Some(claim) = claim {
            destroyed.push((place, claim, (ledger, id)));
        }
    }
    if destroyed.is_empty() {
        return Ok(BTreeMap::new());
    }
    let hashes: BTreeSet<String> = destroyed
        .iter()
        .map(|(_, claim, _)| hash_key(claim))
        .collect();
    let select = Statement::new(
        "SELECT hash, ref, body FROM records WHERE hash IN (SELECT value FROM json_each(?1))",
    );
    let rows: Vec<Row> = ctx.db().query(select.bind_json(&hashes)?).await?.all()?;
    let mut authors = BTreeMap::new();
    for row in rows {
        // Skips a record that cannot be read. The record's next step reports the fault.
        let Ok(request) = Request::from_json(RequestKind::Order as u8, &row.body) else {
            continue;
        };
        for (place, claim, asset) in &destroyed {
            if *claim == row.hash && destroys(&request, *asset) {
                authors.insert(*place, row.reference.clone());
            }
        }
    }
    Ok(authors)
}

fn destroys(request: &Request, asset: (Address, AssetId)) -> bool {
    let Request::Order(order) = request else {
        return false;
    };
    order.order.actions.iter().any(|action| match action {
        Action::DestroyAsset {
            ledger_id,
            asset_id,
            ..
        } => (*ledger_id, *asset_id) == asset,
        _ => false,
    })
}

/// The rows of the projection after the events so far.
struct Fold<'a> {
    ctx: &'a Context<'a>,
    state: Snapshot,
    /// Assets that exist within one block only, so nobody can read their imprint.
    passing: BTreeSet<(Address, AssetId)>,
    /// True if an earlier part of the block is indexed. Assets that exist only within the block are then not known.
    is_continued: bool,
}

impl<'a> Fold<'a> {
    fn new(ctx: &'a Context<'a>, state: Snapshot, is_continued: bool) -> Self {
        Self {
            ctx,
            state,
            passing: BTreeSet::new(),
            is_continued,
        }
    }

    /// Returns the changes that create a ledger.
    fn create(&mut self, new: &Deployed, gateways: &order_core::Gateways) -> Vec<Change> {
        let mut changes = new_ledger(new.ledger.ledger_id, &new.data, gateways);
        // The contracts answer operators when they are needed.
        changes.retain(|change| !matches!(change, Change::Operator { .. }));
        for change in &changes {
            if let Change::Abilities {
                ledger,
                account,
                new,
                ..
            } = change
            {
                self.state.abilities.insert((*ledger, *account), *new);
            }
        }
        changes
    }

    /// Returns the change that an event makes, or `None` if it changes nothing. `imprint` is the imprint of an
    /// asset that is new, or that moves although it has no row.
    fn apply(
        &mut self,
        block: &Mined,
        ledger: Address,
        event: LedgerEvent,
        imprint: Option<Imprint>,
    ) -> Option<Change> {
        match event {
            LedgerEvent::Created { id, owner } => {
                if imprint.is_none() {
                    self.passing.insert((ledger, id));
                }
                let imprint = imprint?;
                if self.state.assets.contains_key(&(ledger, id)) {
                    self.report(block, ledger, &id);
                }
                self.set(ledger, id, Some(asset(owner, imprint)))
            }
            LedgerEvent::Moved { id, to, .. } => {
                let old = self.state.assets.get(&(ledger, id));
                let moved = match old {
                    Some(old) => Some(asset(to, old.imprint)),
                    None => {
                        self.report(block, ledger, &id);
                        imprint.map(|imprint| asset(to, imprint))
                    }
                };
                self.set(ledger, id, Some(moved?))
            }
            LedgerEvent::Destroyed { id, .. } => {
                let is_known = self.state.assets.contains_key(&(ledger, id));
                if !is_known && !self.passing.remove(&(ledger, id)) {
                    self.report(block, ledger, &id);
                }
                self.set(ledger, id, None)
            }
            LedgerEvent::ImprintSet(id, imprint) => {
                let Some(old) = self.state.assets.get(&(ledger, id)) else {
                    if !self.passing.contains(&(ledger, id)) {
                        self.report(block, ledger, &id);
                    }
                    return None;
                };
                let owner = old.owner;
                self.set(ledger, id, Some(asset(owner, imprint)))
            }
            LedgerEvent::AbilitiesSet(account, new) => {
                let key = (ledger, account?);
                let old = self.state.abilities.insert(key, new).unwrap_or_default();
                (old != new).then_some(Change::Abilities {
                    ledger,
                    account: key.1,
                    old,
                    new,
                })
            }
            // The contracts answer approvals when they are needed.
            LedgerEvent::OperatorSet { .. }
            | LedgerEvent::Approved(..)
            | LedgerEvent::Paused(_) => None,
        }
    }

    /// Moves tokens. `balances` has each changed balance before the block and now.
    fn pay(
        &mut self,
        from: Option<Address>,
        to: Option<Address>,
        value: Amount,
        balances: &mut BTreeMap<Address, (Amount, Amount)>,
    ) {
        let mut change = |account: Address, new: fn(Amount, Amount) -> Amount| {
            let stored = self.state.balances.entry(account).or_default();
            let (_, now) = balances.entry(account).or_insert((*stored, *stored));
            *stored = new(*stored, value);
            *now = *stored;
        };
        // The indexed balance of a payer can be too low if the index starts after the token was created.
        if let Some(from) = from {
            change(from, Amount::saturating_sub);
        }
        if let Some(to) = to {
            change(to, |balance, value| {
                balance.checked_add(value).unwrap_or(Amount::MAX)
            });
        }
    }

    fn set(&mut self, ledger: Address, id: AssetId, new: Option<Asset>) -> Option<Change> {
        let assets = &mut self.state.assets;
        let old = match &new {
            Some(new) => assets.insert((ledger, id), new.clone()),
            None => assets.remove(&(ledger, id)),
        };
        (old != new).then_some(Change::Asset {
            ledger,
            id,
            old,
            new,
        })
    }

    /// Reports that logs before this block are missing in the index.
    fn report(&self, block: &Mined, ledger: Address, id: &AssetId) {
        if self.is_continued {
            return;
        }
        let line = json!({
            "event": "chain.index-gap",
            "block": block.number,
            "ledger": ledger,
            "asset": id.to_string(),
        });
        self.ctx.log(Level::Error, line);
    }
}

fn asset(owner: Address, imprint: Imprint) -> Asset {
    Asset {
        owner,
        imprint,
        approved: None,
    }
}

/// The row that a change concerns.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Row {
    Asset(Address, AssetId),
    Abilities(Address, Address),
}

/// A change, and the reference of the record that destroyed the asset. The reference is empty for other changes, and if it is not known.
type Authored = (Change, String);

/// The changes of a block.
#[derive(Default)]
struct BlockChanges<'a> {
    created: Vec<(Change, &'a Deployed)>,
    /// The changes of each row, in their order.
    rows: BTreeMap<Row, VecDeque<Authored>>,
    /// The balances before the block and after it. A block often changes one balance many times.
    balances: BTreeMap<Address, (Amount, Amount)>,
}

/// Maximum number of changes of one row in a step. An account can change a row of its own ledger thousands of times in a block, and each change
/// needs statements of its own.
const LAYERS_MAX: usize = 16;

/// Merges the two oldest changes of a row into one. The history of the asset then lacks the imprint between them.
fn merge(changes: &mut VecDeque<Authored>) {
    let (Some((first, _)), Some((second, author))) = (changes.pop_front(), changes.pop_front())
    else {
        return;
    };
    let merged = match (first, second) {
        (
            Change::Asset { old, .. },
            Change::Asset {
                ledger, id, new, ..
            },
        ) => (old != new).then_some(Change::Asset {
            ledger,
            id,
            old,
            new,
        }),
        (
            Change::Abilities { old, .. },
            Change::Abilities {
                ledger,
                account,
                new,
                ..
            },
        ) => (old != new).then_some(Change::Abilities {
            ledger,
            account,
            old,
            new,
        }),
        (_, other) => Some(other),
    };
    if let Some(merged) = merged {
        changes.push_front((merged, author));
    }
}

impl<'a> BlockChanges<'a> {
    fn create(&mut self, changes: Vec<Change>, new: &'a Deployed) {
        for change in changes {
            match change {
                Change::LedgerCreated { .. } => self.created.push((change, new)),
                other => self.add(other, ""),
            }
        }
    }

    fn add(&mut self, change: Change, author: &str) {
        let row = match &change {
            Change::Asset { ledger, id, .. } => Row::Asset(*ledger, *id),
            Change::Abilities {
                ledger, account, ..
            } => Row::Abilities(*ledger, *account),
            Change::LedgerCreated { .. }
            | Change::Operator { .. }
            | Change::Balance { .. }
            | Change::Allowance { .. } => {
                return;
            }
        };
        let rows = self.rows.entry(row).or_default();
        rows.push_back((change, author.to_owned()));
        if rows.len() > LAYERS_MAX {
            merge(rows);
        }
    }

    /// Returns the changes in layers. Each layer changes a row at most once. A row that a block changes twice is in two layers.
    fn layers(&mut self) -> Vec<Vec<Authored>> {
        let mut layers: Vec<Vec<Authored>> = Vec::new();
        for changes in std::mem::take(&mut self.rows).into_values() {
            for (depth, change) in changes.into_iter().enumerate() {
                if layers.len() <= depth {
                    layers.push(Vec::new());
                }
                if let Some(layer) = layers.get_mut(depth) {
                    layer.push(change);
                }
            }
        }
        layers
    }

    /// Returns the statements that write the changes. Unless the block is final, they first store the old rows for a rollback.
    fn statements(
        mut self,
        block: &Mined,
        is_settled: bool,
    ) -> Result<Vec<Statement>, DatabaseError> {
        let mut statements = Vec::new();
        let layers = self.layers();
        let paid = self.balances.iter().filter(|(_, (old, new))| old != new);
        let paid = paid.map(|(account, (old, new))| Change::Balance {
            account: *account,
            old: *old,
            new: *new,
        });
        let paid: Vec<Change> = paid.collect();
        if !is_settled {
            let mut kept = Kept::new(block.number, block.time, layers.len());
            self.created.iter().for_each(|(change, _)| kept.add(change));
            for (change, _) in layers.iter().flatten() {
                kept.add(change);
            }
            paid.iter().for_each(|change| kept.add(change));
            statements.extend(kept.statements(ROWS_AT_ONCE));
        }
        for paid in paid.chunks(ROWS_AT_ONCE) {
            statements.extend(write(paid, None, block.time)?);
        }
        for (change, new) in self.created {
            statements.extend(write(&[change], Some(&new.ledger), block.time)?);
        }
        for layer in layers {
            let mut destroyed: BTreeMap<&str, Vec<Change>> = BTreeMap::new();
            for (change, author) in &layer {
                if let Change::Asset { new: None, .. } = change {
                    let all = destroyed.entry(author).or_default();
                    all.push(change.clone());
                }
            }
            // Reads the rows of assets before they are deleted.
            for (author, changes) in &destroyed {
                for changes in changes.chunks(ROWS_AT_ONCE) {
                    statements.extend(withdraw(changes, author, block.time));
                }
            }
            let changes: Vec<Change> = layer.into_iter().map(|(change, _)| change).collect();
            for changes in changes.chunks(ROWS_AT_ONCE) {
                statements.extend(keep_imprints(changes, block.time)?);
                statements.extend(write(changes, None, block.time)?);
            }
        }
        Ok(statements)
    }
}

/// Returns a statement that stores the claims that were performed or canceled. `None` if there are none.
fn claims(segment: &Segment, events: &[Event]) -> Result<Option<Statement>, DatabaseError> {
    let mut rows = Vec::new();
    for event in events {
        let (claim, is_canceled, is_deployment, ledger) = match &event.what {
            What::Performed { claim, ledger } => (claim, false, ledger.is_some(), *ledger),
            What::Canceled {
                claim,
                is_deployment,
            } => (claim, true, *is_deployment, None),
            What::Changed(..) | What::Paid { .. } | What::Nothing => continue,
        };
        let block = segment.blocks.get(event.block);
        rows.push(json!([
            hash_key(claim),
            u8::from(is_canceled),
            u8::from(is_deployment),
            block.map(|block| block.number),
            hash_key(&event.tx),
            ledger.as_ref().map(account_key),
        ]));
    }
    if rows.is_empty() {
        return Ok(None);
    }
    Statement::new(
        "INSERT INTO chain_claims (hash, canceled, is_deployment, block, tx_hash, ledger_id) \
         SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 FROM json_each(?1) WHERE true \
         ON CONFLICT (hash, canceled) DO UPDATE SET is_deployment = excluded.is_deployment, block = excluded.block, \
         tx_hash = excluded.tx_hash, ledger_id = excluded.ledger_id",
    )
    .bind_json(&rows)
    .map(Some)
}

/// Returns statements that move the cursor to the end of the segment, and store the blocks to which a reorganisation may lead back. A
/// block that is not final is stored with a digest of the logs of `contracts`, which `confirm.rs` later compares with the logs of a quorum.
/// `contracts` are in the order of their addresses.
fn indexed(
    cursor: &Cursor,
    segment: &Segment,
    contracts: &[Address],
) -> Result<Vec<Statement>, DatabaseError> {
    let Some(last) = segment.blocks.last() else {
        return Ok(Vec::new());
    };
    if let Some(part) = segment.part.as_ref().filter(|part| !part.is_last) {
        return Ok(vec![Cursor::move_within(&part.end)?]);
    }
    let row = |number: u64, hash: &B256| json!([number, hash_key(hash)]);
    let (kept, oldest) = if segment.is_settled {
        // These blocks cannot be undone. A rollback goes back at most to the last of them, so only its row is needed.
        (vec![row(last.number, &last.hash)], last.number)
    } else {
        let first = row(cursor.number, &cursor.hash);
        let blocks = segment.blocks.iter().map(|block| {
            let logs: Vec<&Found> = segment
                .logs
                .iter()
                .filter(|log| {
                    log.block == block.number && contracts.binary_search(&log.address).is_ok()
                })
                .collect();
            let (count, all, in_parts) = match &segment.part {
                Some(part) => (part.end.count, part.end.digest, 1),
                None => (logs.len(), digest(B256::ZERO, logs), 0),
            };
            json!([
                block.number,
                hash_key(&block.hash),
                hash_key(&all),
                count,
                in_parts
            ])
        });
        ([first].into_iter().chain(blocks).collect(), 0)
    };
    Ok(vec![
        Statement::new("DELETE FROM chain_blocks WHERE number < ?1").bind(oldest),
        Statement::new(
            "INSERT INTO chain_blocks (number, hash, logs, log_count, in_parts) \
             SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, ifnull(value ->> 4, 0) FROM json_each(?1) WHERE true \
             ON CONFLICT (number) DO UPDATE SET hash = excluded.hash, logs = coalesce(excluded.logs, logs), \
             log_count = coalesce(excluded.log_count, log_count), in_parts = max(excluded.in_parts, in_parts)",
        )
        .bind_json(&kept)?,
        Cursor::move_to(last.number, &last.hash, Some(last.time)),
    ])
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
