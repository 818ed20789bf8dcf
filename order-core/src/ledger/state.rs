//! The state of a ledger while an order is applied: a snapshot with changes on top.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::change::Change;
use super::snapshot::{Asset, Snapshot};
use crate::types::{Abilities, Address, Amount, AssetId, Capability, Imprint};

/// An account, or the wildcard while no account has taken its place.
pub(super) type Party = Option<Address>;

/// An asset that may belong to the wildcard.
#[derive(Clone)]
pub(super) struct Held {
    pub(super) owner: Party,
    pub(super) imprint: Imprint,
    pub(super) approved: Option<Address>,
}

/// The reason why a transfer of tokens is refused.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The payer's balance is too small.
    Balance,
    /// The spender's allowance is too small.
    Allowance,
    /// The token does not allow the receiver.
    Receiver,
    /// The receiver's balance would exceed 256 bits.
    Overflow,
}

/// Values of a snapshot with changes on top. An absent key has the default value.
struct Overlay<'s, K, V> {
    base: &'s BTreeMap<K, V>,
    changed: BTreeMap<K, V>,
}

impl<'s, K: Copy + Ord, V: Copy + Default + PartialEq> Overlay<'s, K, V> {
    fn new(base: &'s BTreeMap<K, V>) -> Self {
        Overlay {
            base,
            changed: BTreeMap::new(),
        }
    }

    fn get(&self, key: K) -> V {
        let value = self.changed.get(&key).or_else(|| self.base.get(&key));
        value.copied().unwrap_or_default()
    }

    fn set(&mut self, key: K, new: V) {
        self.changed.insert(key, new);
    }

    /// Returns the key, the old value and the new value of each difference, in the order of keys.
    fn differences(self) -> impl Iterator<Item = (K, V, V)> {
        let Overlay { base, changed } = self;
        changed.into_iter().filter_map(move |(key, new)| {
            let old = base.get(&key).copied().unwrap_or_default();
            (old != new).then_some((key, old, new))
        })
    }
}

/// A snapshot with changes. Values without a change are read from the snapshot, which is never modified.
pub(super) struct State<'s> {
    snapshot: &'s Snapshot,
    assets: BTreeMap<(Address, AssetId), Option<Held>>,
    abilities: Overlay<'s, (Address, Address), Abilities>,
    operators: BTreeMap<(Address, Address, Address), bool>,
    balances: Overlay<'s, Address, Amount>,
    allowances: Overlay<'s, (Address, Address), Amount>,
}

impl<'s> State<'s> {
    pub(super) fn new(snapshot: &'s Snapshot) -> State<'s> {
        State {
            snapshot,
            assets: BTreeMap::new(),
            abilities: Overlay::new(&snapshot.abilities),
            operators: BTreeMap::new(),
            balances: Overlay::new(&snapshot.balances),
            allowances: Overlay::new(&snapshot.allowances),
        }
    }

    pub(super) fn has_capability(&self, ledger: Address, capability: Capability) -> bool {
        self.snapshot
            .ledgers
            .get(&ledger)
            .is_some_and(|facts| facts.capabilities.contains(capability))
    }

    pub(super) fn asset(&self, ledger: Address, id: AssetId) -> Option<Held> {
        let key = (ledger, id);
        match self.assets.get(&key) {
            Some(changed) => changed.clone(),
            None => self.snapshot.assets.get(&key).map(|asset| Held {
                owner: Some(asset.owner),
                imprint: asset.imprint,
                approved: asset.approved,
            }),
        }
    }

    pub(super) fn set_asset(&mut self, ledger: Address, id: AssetId, asset: Option<Held>) {
        self.assets.insert((ledger, id), asset);
    }

    fn abilities(&self, ledger: Address, account: Address) -> Abilities {
        self.abilities.get((ledger, account))
    }

    pub(super) fn is_able(&self, ledger: Address, account: Address, ability: Abilities) -> bool {
        self.abilities(ledger, account).contains(ability)
    }

    pub(super) fn set_abilities(&mut self, ledger: Address, account: Address, new: Abilities) {
        self.abilities.set((ledger, account), new);
    }

    pub(super) fn grant_abilities(&mut self, ledger: Address, account: Address, more: Abilities) {
        let new = self.abilities(ledger, account).with(more);
        self.set_abilities(ledger, account, new);
    }

    pub(super) fn is_operator(&self, ledger: Address, owner: Address, operator: Address) -> bool {
        let key = (ledger, owner, operator);
        let changed = self.operators.get(&key).copied();
        changed.unwrap_or_else(|| self.snapshot.operators.contains(&key))
    }

    pub(super) fn set_operator(
        &mut self,
        ledger: Address,
        owner: Address,
        operator: Address,
        new: bool,
    ) {
        self.operators.insert((ledger, owner, operator), new);
    }

    pub(super) fn balance(&self, account: Address) -> Amount {
        self.balances.get(account)
    }

    pub(super) fn set_balance(&mut self, account: Address, new: Amount) {
        self.balances.set(account, new);
    }

    pub(super) fn allowance(&self, owner: Address, spender: Address) -> Amount {
        self.allowances.get((owner, spender))
    }

    pub(super) fn set_allowance(&mut self, owner: Address, spender: Address, new: Amount) {
        self.allowances.set((owner, spender), new);
    }

    /// Returns true if the token allows an account to receive tokens.
    pub(super) fn may_receive(&self, account: Address) -> bool {
        let allowed = self.snapshot.recipients.as_ref();
        allowed.is_none_or(|allowed| allowed.contains(&account))
    }

    /// Moves tokens, and subtracts the amount from the spender's allowance. Without a spender, the payer sends the tokens itself: no
    /// allowance is needed, and any receiver is accepted.
    ///
    /// A party that is `None` neither pays nor receives, and its checks are skipped. If a check fails, all reasons are returned and no
    /// tokens move.
    pub(super) fn transfer_value(
        &mut self,
        payer: Party,
        spender: Option<Address>,
        receiver: Party,
        value: Amount,
    ) -> Result<(), Vec<Refusal>> {
        let paid = payer.map(|payer| (payer, self.balance(payer).checked_sub(value)));
        let used = payer.zip(spender).map(|(payer, spender)| {
            let allowance = self.allowance(payer, spender).checked_sub(value);
            (payer, spender, allowance)
        });
        let received = receiver.map(|receiver| {
            let before = match paid {
                Some((payer, Some(balance))) if payer == receiver => balance,
                _ => self.balance(receiver),
            };
            (receiver, before.checked_add(value))
        });
        let refusals: Vec<Refusal> = [
            matches!(paid, Some((_, None))).then_some(Refusal::Balance),
            matches!(used, Some((_, _, None))).then_some(Refusal::Allowance),
            spender
                .and(receiver)
                .is_some_and(|receiver| !self.may_receive(receiver))
                .then_some(Refusal::Receiver),
            matches!(received, Some((_, None))).then_some(Refusal::Overflow),
        ]
        .into_iter()
        .flatten()
        .collect();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        if let Some((payer, spender, Some(allowance))) = used {
            self.set_allowance(payer, spender, allowance);
        }
        // The receiver comes last. If the payer pays itself, `received` has its final balance.
        for (account, balance) in paid.into_iter().chain(received) {
            if let Some(balance) = balance {
                self.set_balance(account, balance);
            }
        }
        Ok(())
    }

    /// Returns the differences from the snapshot in a fixed order. Assets of a wildcard without an account are left out.
    pub(super) fn changes(self) -> Vec<Change> {
        let State {
            snapshot,
            assets,
            abilities,
            operators,
            balances,
            allowances,
        } = self;
        let assets = assets.into_iter().filter_map(|((ledger, id), held)| {
            let new = match held {
                Some(Held {
                    owner,
                    imprint,
                    approved,
                }) => Some(Asset {
                    owner: owner?,
                    imprint,
                    approved,
                }),
                None => None,
            };
            let old = snapshot.assets.get(&(ledger, id)).cloned();
            (old != new).then_some(Change::Asset {
                ledger,
                id,
                old,
                new,
            })
        });
        let abilities = abilities.differences();
        let abilities = abilities.map(|((ledger, account), old, new)| Change::Abilities {
            ledger,
            account,
            old,
            new,
        });
        let operators = operators.into_iter().filter_map(|(key, new)| {
            let (ledger, owner, operator) = key;
            let old = snapshot.operators.contains(&key);
            (old != new).then_some(Change::Operator {
                ledger,
                owner,
                operator,
                old,
                new,
            })
        });
        let balances = balances.differences();
        let balances = balances.map(|(account, old, new)| Change::Balance { account, old, new });
        let allowances = allowances.differences();
        let allowances = allowances.map(|((owner, spender), old, new)| Change::Allowance {
            owner,
            spender,
            old,
            new,
        });
        assets
            .chain(abilities)
            .chain(operators)
            .chain(balances)
            .chain(allowances)
            .collect()
    }
}
