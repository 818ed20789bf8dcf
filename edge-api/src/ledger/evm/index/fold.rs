//! Folds the events of blocks into changes of the projection. The database is neither read nor written.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use order_core::chain::LedgerEvent;
use order_core::{
    Address, Amount, Asset, AssetId, Change, Gateways, Imprint, ReadSet, Snapshot, new_ledger,
};

use super::deployed::Deployed;
use super::events::{Event, What};
use super::imprints::Needed;
use crate::ledger::projection::Author;

/// Returns the keys of the rows that events change.
pub(super) fn keys(events: &[Event]) -> ReadSet {
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
            LedgerEvent::AbilitiesSet(None, _) => {}
        }
    }
    keys
}

/// Returns the assets whose imprint is needed: new ones, and ones that move although they have no row.
pub(super) fn needed(events: &[Event], before: &Snapshot) -> Vec<Needed> {
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
            LedgerEvent::AbilitiesSet(..) => continue,
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

/// The events of blocks, with the data that no event has. Maps have the index of an event as the key.
pub(super) struct Facts<'a> {
    /// The number of blocks.
    pub(super) blocks: usize,
    pub(super) events: &'a [Event],
    /// The data of new ledgers, in the order of their events.
    pub(super) deployed: &'a [Deployed],
    /// The imprints of the assets that [`needed`] lists.
    pub(super) imprints: BTreeMap<usize, Imprint>,
    /// The authors of the changes whose orders this service has.
    pub(super) authors: BTreeMap<usize, Author>,
    /// True if an earlier part of the first block is indexed. Assets that exist only within the block are then not known.
    pub(super) is_continued: bool,
}

/// Changes of the projection.
pub(super) struct Folded<'a> {
    /// The changes of each block, in the order of the blocks.
    pub(super) blocks: Vec<BlockChanges<'a>>,
    /// The events that show that the index lacks earlier logs of an asset.
    pub(super) gaps: Vec<Gap>,
}

/// An asset whose earlier logs are missing in the index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Gap {
    /// The index of the block.
    pub(super) block: usize,
    pub(super) ledger: Address,
    pub(super) id: AssetId,
}

/// Returns the changes that events make to the rows in `before`. `before` has the rows at [`keys`], as they are before the events.
pub(super) fn fold<'a>(before: Snapshot, facts: &Facts<'a>, gateways: &Gateways) -> Folded<'a> {
    let mut fold = Fold::new(before, facts.is_continued);
    let mut events = facts.events.iter().enumerate().peekable();
    let mut deployed = facts.deployed;
    let mut blocks = Vec::with_capacity(facts.blocks);
    for block in 0..facts.blocks {
        fold.block = block;
        let mut rows = Rows::default();
        while let Some((number, event)) = events.next_if(|(_, event)| event.block == block) {
            if let [new, rest @ ..] = deployed
                && new.event == number
            {
                deployed = rest;
                rows.create(fold.create(new, gateways), new);
            }
            if let What::Paid { from, to, value } = event.what {
                fold.pay(from, to, value, &mut rows.balances);
            }
            let What::Changed(ledger, change) = event.what else {
                continue;
            };
            let imprint = facts.imprints.get(&number).copied();
            if let Some(change) = fold.apply(ledger, change, imprint) {
                let author = facts.authors.get(&number).cloned();
                rows.add(change, author.unwrap_or_default());
            }
        }
        blocks.push(rows.changes());
    }
    Folded {
        blocks,
        gaps: fold.gaps,
    }
}

/// The rows of the projection after the events so far.
struct Fold {
    state: Snapshot,
    /// Assets that exist within one block only, so nobody can read their imprint.
    passing: BTreeSet<(Address, AssetId)>,
    is_continued: bool,
    /// The index of the current block.
    block: usize,
    gaps: Vec<Gap>,
}

impl Fold {
    fn new(state: Snapshot, is_continued: bool) -> Self {
        Self {
            state,
            passing: BTreeSet::new(),
            is_continued,
            block: 0,
            gaps: Vec::new(),
        }
    }

    /// Returns the changes that create a ledger.
    fn create(&mut self, new: &Deployed, gateways: &Gateways) -> Vec<Change> {
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
                    self.report(ledger, id);
                }
                self.set(ledger, id, Some(asset(owner, imprint)))
            }
            LedgerEvent::Moved { id, to, .. } => {
                let old = self.state.assets.get(&(ledger, id));
                let moved = match old {
                    Some(old) => Some(asset(to, old.imprint)),
                    None => {
                        if !self.passing.contains(&(ledger, id)) {
                            self.report(ledger, id);
                        }
                        imprint.map(|imprint| asset(to, imprint))
                    }
                };
                self.set(ledger, id, Some(moved?))
            }
            LedgerEvent::Destroyed { id, .. } => {
                let is_known = self.state.assets.contains_key(&(ledger, id));
                if !is_known && !self.passing.remove(&(ledger, id)) {
                    self.report(ledger, id);
                }
                self.set(ledger, id, None)
            }
            LedgerEvent::ImprintSet(id, imprint) => {
                let Some(old) = self.state.assets.get(&(ledger, id)) else {
                    if !self.passing.contains(&(ledger, id)) {
                        self.report(ledger, id);
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
    fn report(&mut self, ledger: Address, id: AssetId) {
        if !self.is_continued {
            self.gaps.push(Gap {
                block: self.block,
                ledger,
                id,
            });
        }
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
enum ChangedRow {
    Asset(Address, AssetId),
    Abilities(Address, Address),
}

/// Returns the row of a change of an asset or of abilities.
fn row(change: &Change) -> Option<ChangedRow> {
    match change {
        Change::Asset { ledger, id, .. } => Some(ChangedRow::Asset(*ledger, *id)),
        Change::Abilities {
            ledger, account, ..
        } => Some(ChangedRow::Abilities(*ledger, *account)),
        Change::LedgerCreated { .. }
        | Change::Operator { .. }
        | Change::Balance { .. }
        | Change::Allowance { .. } => None,
    }
}

/// A change and its author.
pub(super) type Authored = (Change, Author);

/// The changes of a block.
pub(super) struct BlockChanges<'a> {
    pub(super) created: Vec<(Change, &'a Deployed)>,
    /// The changes of balances, at most one for each account.
    pub(super) paid: Vec<Change>,
    /// The changes of other rows. Each layer changes a row at most once: a row that a block changes twice is in two layers.
    pub(super) layers: Vec<Vec<Authored>>,
}

/// The changes of a block, by the rows that they change.
#[derive(Default)]
struct Rows<'a> {
    created: Vec<(Change, &'a Deployed)>,
    /// The changes of each row, in their order.
    rows: BTreeMap<ChangedRow, VecDeque<Authored>>,
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

impl<'a> Rows<'a> {
    fn create(&mut self, changes: Vec<Change>, new: &'a Deployed) {
        for change in changes {
            match change {
                Change::LedgerCreated { .. } => self.created.push((change, new)),
                other => self.add(other, Author::default()),
            }
        }
    }

    fn add(&mut self, change: Change, author: Author) {
        let Some(row) = row(&change) else {
            return;
        };
        let rows = self.rows.entry(row).or_default();
        rows.push_back((change, author));
        if rows.len() > LAYERS_MAX {
            merge(rows);
        }
    }

    fn changes(self) -> BlockChanges<'a> {
        let mut layers: Vec<Vec<Authored>> = Vec::new();
        for changes in self.rows.into_values() {
            for (depth, change) in changes.into_iter().enumerate() {
                if layers.len() <= depth {
                    layers.push(Vec::new());
                }
                if let Some(layer) = layers.get_mut(depth) {
                    layer.push(change);
                }
            }
        }
        let balances = self.balances.into_iter();
        let paid = balances.filter(|(_, (old, new))| old != new);
        let paid = paid.map(|(account, (old, new))| Change::Balance { account, old, new });
        BlockChanges {
            created: self.created,
            paid: paid.collect(),
            layers,
        }
    }
}

#[cfg(test)]
mod tests;
