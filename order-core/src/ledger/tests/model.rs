//! Compares the rules with a slow and obvious model: a ledger that is only a list of facts.
//!
//! Each ability, each base unit of a balance, and each base unit of an allowance is a fact.

use alloc::string::ToString;
use alloc::vec::Vec;
use core::cell::RefCell;

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};

use super::world::{A, B, BARE, C, LEDGER, W, address, gateways, order, read, total, write};
use crate::types::{Abilities, Address, Amount, AssetId, Capabilities, Imprint};
use crate::{Action, Asset, Gateways, LedgerFacts, Order, Snapshot, apply_order};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fact {
    Capable(Address, u8),
    Able(Address, Address, u16),
    Operator(Address, Address, Address),
    Asset(Address, AssetId, Address, Imprint),
    /// The account that may move an asset until the asset moves.
    Approved(Address, AssetId, Address),
    /// An account that may not receive tokens.
    Shut(Address),
    Coin(Address),
    Allowed(Address, Address),
}

use Fact::{Able, Allowed, Approved, Capable, Coin, Operator, Shut};

/// Returns all facts of a world, sorted.
fn facts(world: &Snapshot) -> Vec<Fact> {
    let units = |amount: &Amount| 0..small(*amount);
    let mut facts = Vec::new();
    for (ledger, known) in &world.ledgers {
        facts.extend(
            known
                .capabilities
                .iter()
                .map(|one| Capable(*ledger, one.number())),
        );
    }
    for ((ledger, account), abilities) in &world.abilities {
        facts.extend(bits(*abilities).map(|bit| Able(*ledger, *account, bit)));
    }
    facts.extend(
        world
            .operators
            .iter()
            .map(|(l, owner, operator)| Operator(*l, *owner, *operator)),
    );
    for ((ledger, id), asset) in &world.assets {
        facts.push(Fact::Asset(*ledger, *id, asset.owner, asset.imprint));
        facts.extend(
            asset
                .approved
                .map(|account| Approved(*ledger, *id, account)),
        );
    }
    if let Some(recipients) = &world.recipients {
        let everybody = accounts()
            .into_iter()
            .chain([address(W), gateways().proxies.manage_abilities]);
        facts.extend(
            everybody
                .filter(|account| !recipients.contains(account))
                .map(Shut),
        );
    }
    for (account, balance) in &world.balances {
        facts.extend(units(balance).map(|_| Coin(*account)));
    }
    for ((owner, spender), allowance) in &world.allowances {
        facts.extend(units(allowance).map(|_| Allowed(*owner, *spender)));
    }
    facts.sort();
    facts
}

fn bits(abilities: Abilities) -> impl Iterator<Item = u16> {
    (0..11)
        .map(|shift| 1 << shift)
        .filter(move |bit| abilities.bits() & bit != 0)
}

/// Returns an amount, which must be small enough to count.
fn small(amount: Amount) -> u64 {
    amount.to_string().parse().unwrap()
}

/// The model: a list of facts, and the rules that change it.
struct Model {
    facts: Vec<Fact>,
    gateways: Gateways,
}

impl Model {
    fn has_fact(&self, fact: Fact) -> bool {
        self.facts.contains(&fact)
    }

    fn forget(&mut self, fact: &Fact) {
        let at = self.facts.iter().position(|known| known == fact).unwrap();
        self.facts.remove(at);
    }

    fn forget_approval(&mut self, ledger: Address, id: AssetId) {
        let is_it = |fact: &Fact| matches!(fact, Approved(l, i, _) if (*l, *i) == (ledger, id));
        self.facts.retain(|fact| !is_it(fact));
    }

    fn count(&self, fact: &Fact) -> u64 {
        self.facts.iter().filter(|known| *known == fact).count() as u64
    }

    fn asset(&self, ledger: Address, id: AssetId) -> Option<Fact> {
        let is_it =
            |fact: &&Fact| matches!(fact, Fact::Asset(l, i, ..) if (*l, *i) == (ledger, id));
        self.facts.iter().find(is_it).cloned()
    }

    /// Performs an action, or returns the codes with which it is refused.
    fn perform(&mut self, action: &Action, wildcard: Address) -> Vec<u32> {
        let proxies = self.gateways.proxies.clone();
        let ledger = action.ledger_id();
        let sender = action.sender_id().unwrap_or(wildcard);
        let mut codes = Vec::new();
        let mut refuse_unless = |holds: bool, code: u32| {
            if !holds {
                codes.push(code);
            }
        };
        match action.clone() {
            Action::CreateAsset {
                asset_id,
                asset_imprint,
                receiver_id,
                ..
            } => {
                refuse_unless(self.has_fact(Able(ledger, sender, 512)), 422071);
                refuse_unless(
                    self.has_fact(Able(ledger, proxies.create_asset, 16)),
                    422072,
                );
                refuse_unless(self.asset(ledger, asset_id).is_none(), 422013);
                if codes.is_empty() {
                    let owner = receiver_id.unwrap_or(wildcard);
                    self.facts
                        .push(Fact::Asset(ledger, asset_id, owner, asset_imprint));
                }
            }
            Action::TransferAsset {
                asset_id,
                receiver_id,
                ..
            } => match self.asset(ledger, asset_id) {
                Some(Fact::Asset(_, _, owner, imprint)) if owner == sender => {
                    let proxy = proxies.safe_transfer_asset;
                    let all = self.has_fact(Operator(ledger, owner, proxy));
                    let this = self.has_fact(Approved(ledger, asset_id, proxy));
                    refuse_unless(all || this, 422073);
                    if codes.is_empty() {
                        self.forget_approval(ledger, asset_id);
                        self.forget(&Fact::Asset(ledger, asset_id, owner, imprint));
                        let owner = receiver_id.unwrap_or(wildcard);
                        self.facts
                            .push(Fact::Asset(ledger, asset_id, owner, imprint));
                    }
                }
                _ => codes.push(422074),
            },
            Action::TransferValue {
                value, receiver_id, ..
            } => {
                let value = small(value);
                let allowed = Allowed(sender, proxies.transfer_value);
                refuse_unless(self.count(&Coin(sender)) >= value, 422075);
                refuse_unless(self.count(&allowed) >= value, 422076);
                let receiver = receiver_id.unwrap_or(wildcard);
                refuse_unless(!self.has_fact(Shut(receiver)), 422910);
                if codes.is_empty() {
                    for _ in 0..value {
                        self.forget(&allowed);
                        self.forget(&Coin(sender));
                        self.facts.push(Coin(receiver));
                    }
                }
            }
            Action::UpdateAsset {
                asset_id,
                asset_imprint,
                ..
            } => {
                refuse_unless(self.has_fact(Able(ledger, sender, 1024)), 422077);
                refuse_unless(
                    self.has_fact(Able(ledger, proxies.update_asset, 128)),
                    422078,
                );
                refuse_unless(self.has_fact(Capable(ledger, 2)), 422083);
                let asset = self.asset(ledger, asset_id);
                refuse_unless(asset.is_some(), 400005);
                if let (true, Some(asset @ Fact::Asset(_, _, owner, _))) = (codes.is_empty(), asset)
                {
                    self.forget(&asset);
                    self.facts
                        .push(Fact::Asset(ledger, asset_id, owner, asset_imprint));
                }
            }
            Action::SetAbilities {
                abilities,
                receiver_id,
                ..
            } => {
                refuse_unless(self.has_fact(Able(ledger, sender, 2)), 422062);
                refuse_unless(
                    self.has_fact(Able(ledger, proxies.manage_abilities, 1)),
                    422061,
                );
                if codes.is_empty() {
                    let receiver = receiver_id.unwrap_or(wildcard);
                    self.facts.retain(
                        |fact| !matches!(fact, Able(l, a, _) if (*l, *a) == (ledger, receiver)),
                    );
                    let new = abilities.list();
                    self.facts
                        .extend(new.into_iter().map(|bit| Able(ledger, receiver, bit)));
                }
            }
            Action::DestroyAsset { asset_id, .. } => {
                let asset = self.asset(ledger, asset_id);
                match &asset {
                    Some(Fact::Asset(_, _, owner, _)) if *owner == sender => {
                        let is_operator =
                            self.has_fact(Operator(ledger, sender, proxies.destroy_asset));
                        refuse_unless(is_operator, 422081);
                    }
                    _ => refuse_unless(false, 422082),
                }
                refuse_unless(self.has_fact(Capable(ledger, 1)), 422084);
                if let (true, Some(asset)) = (codes.is_empty(), asset) {
                    self.forget_approval(ledger, asset_id);
                    self.forget(&asset);
                }
            }
            Action::RevokeAsset { asset_id, .. } => {
                refuse_unless(self.has_fact(Able(ledger, sender, 32)), 422914);
                refuse_unless(self.has_fact(Capable(ledger, 4)), 422915);
                let asset = self.asset(ledger, asset_id);
                refuse_unless(asset.is_some(), 400005);
                if let (true, Some(asset)) = (codes.is_empty(), asset) {
                    self.forget_approval(ledger, asset_id);
                    self.forget(&asset);
                }
            }
        }
        codes
    }
}

fn accounts() -> Vec<Address> {
    [A, B, C].map(address).into()
}

fn ledgers() -> Vec<Address> {
    [LEDGER, BARE].map(address).into()
}

fn any_id() -> impl Strategy<Value = AssetId> {
    (1..=4_u128).prop_map(AssetId::from)
}

fn any_imprint() -> impl Strategy<Value = Imprint> {
    (0..3_u8).prop_map(|byte| Imprint::from([byte; 32]))
}

fn any_abilities() -> impl Strategy<Value = Abilities> {
    let all = [1, 2, 16, 32, 64, 128, 256, 512, 1024];
    let some = subsequence(Vec::from(all), 0..=9);
    some.prop_map(|list: Vec<u64>| Abilities::from_list(&list).unwrap())
}

/// Generates a world in which many actions are allowed and any entry may be missing.
fn any_world() -> impl Strategy<Value = Snapshot> {
    let Gateways { proxies, .. } = gateways();
    let everyone: Vec<Address> = accounts().into_iter().chain([address(W)]).collect();
    let holders: Vec<(Address, Address)> = ledgers()
        .into_iter()
        .flat_map(|ledger| {
            let proxies = [
                proxies.create_asset,
                proxies.update_asset,
                proxies.manage_abilities,
            ];
            everyone
                .clone()
                .into_iter()
                .chain(proxies)
                .map(move |account| (ledger, account))
        })
        .collect();
    let operators: Vec<(Address, Address, Address)> = ledgers()
        .into_iter()
        .flat_map(|ledger| {
            everyone
                .iter()
                .map(move |owner| (ledger, *owner))
                .collect::<Vec<_>>()
        })
        .flat_map(|(ledger, owner)| {
            [proxies.safe_transfer_asset, proxies.destroy_asset].map(|proxy| (ledger, owner, proxy))
        })
        .collect();
    let abilities = prop::collection::vec(
        prop_oneof![4 => Just(Abilities::ALL), 1 => any_abilities()],
        holders.len(),
    );
    let approvable = alloc::vec![
        None,
        None,
        Some(proxies.safe_transfer_asset),
        Some(proxies.destroy_asset),
        Some(address(B)),
    ];
    let assets = prop::collection::btree_map(
        (select(ledgers()), any_id()),
        (select(everyone.clone()), any_imprint(), select(approvable)).prop_map(
            |(owner, imprint, approved)| Asset {
                owner,
                imprint,
                approved,
            },
        ),
        4..8,
    );
    let receiving = [everyone.clone(), [proxies.manage_abilities].into()].concat();
    let most_receive = 1..=receiving.len();
    let recipients = prop_oneof![
        Just(None),
        subsequence(receiving, most_receive).prop_map(|list| Some(list.into_iter().collect())),
    ];
    let least = operators.len() / 2;
    let most = operators.len();
    let amounts = || prop::collection::vec(0..60_u128, everyone.len());
    let capabilities = prop::collection::vec(subsequence(alloc::vec![1_u64, 2, 3, 4], 3..=4), 2);
    (
        abilities,
        assets,
        subsequence(operators, least..=most),
        amounts(),
        amounts(),
        capabilities,
        recipients,
    )
        .prop_map(
            move |(
                abilities,
                assets,
                operators,
                balances,
                allowances,
                capabilities,
                recipients,
            )| {
                let amounts = |list: Vec<u128>| list.into_iter().map(Amount::from);
                super::world::tidy(Snapshot {
                    ledgers: ledgers()
                        .into_iter()
                        .zip(capabilities)
                        .map(|(ledger, list)| {
                            let capabilities = Capabilities::from_list(&list).unwrap();
                            (ledger, LedgerFacts { capabilities })
                        })
                        .collect(),
                    assets,
                    abilities: holders.iter().copied().zip(abilities).collect(),
                    operators: operators.into_iter().collect(),
                    balances: everyone.iter().copied().zip(amounts(balances)).collect(),
                    allowances: everyone
                        .iter()
                        .map(|owner| (*owner, proxies.transfer_value))
                        .zip(amounts(allowances))
                        .collect(),
                    recipients,
                    blocked: [].into(),
                })
            },
        )
}

/// Generates an action in which at most one party is the wildcard.
fn any_action() -> impl Strategy<Value = Action> {
    let manage = gateways().proxies.manage_abilities;
    let token = gateways().token;
    let parties = prop_oneof![
        6 => (select(accounts()), select(accounts())).prop_map(|(s, r)| (Some(s), Some(r))),
        1 => select(accounts()).prop_map(|r| (None, Some(r))),
        1 => select(accounts()).prop_map(|s| (Some(s), None)),
        1 => select(accounts()).prop_map(move |s| (Some(s), Some(manage))),
        1 => select(accounts()).prop_map(|s| (Some(s), Some(address(W)))),
    ];
    let parts = (
        // Actions that need ownership succeed less often, so they are drawn more often.
        select(alloc::vec![1, 2, 2, 2, 3, 4, 5, 6, 6, 6, 6, 7]),
        select(ledgers()),
        any_id(),
        any_imprint(),
        any_abilities(),
        0..40_u128,
        parties,
    );
    parts.prop_map(
        move |(kind, ledger_id, asset_id, asset_imprint, abilities, value, parties)| {
            let (sender_id, receiver_id) = parties;
            match kind {
                1 => Action::CreateAsset {
                    ledger_id,
                    asset_id,
                    asset_imprint,
                    receiver_id,
                    sender_id,
                },
                2 => Action::TransferAsset {
                    ledger_id,
                    asset_id,
                    receiver_id,
                    sender_id,
                },
                3 => Action::TransferValue {
                    ledger_id: token,
                    value: value.into(),
                    receiver_id,
                    sender_id,
                },
                4 => Action::UpdateAsset {
                    ledger_id,
                    asset_id,
                    asset_imprint,
                    sender_id,
                },
                5 => Action::SetAbilities {
                    ledger_id,
                    abilities,
                    receiver_id,
                    sender_id,
                },
                6 => Action::DestroyAsset {
                    ledger_id,
                    asset_id,
                    sender_id,
                },
                _ => Action::RevokeAsset {
                    ledger_id,
                    asset_id,
                    sender_id,
                },
            }
        },
    )
}

fn any_order() -> impl Strategy<Value = Order> {
    prop::collection::vec(any_action(), 1..6).prop_map(|actions| Order {
        actions,
        ..order(&[])
    })
}

#[test]
fn orders_have_the_same_effect_as_in_the_model() {
    let gateways = gateways();
    let wildcard = address(W);
    let applied = |order: &Order, world: &Snapshot, wildcard: Option<Address>| {
        let part = read(world, &order.read_set(&gateways, wildcard));
        apply_order(order, wildcard, &gateways, &part)
    };
    let performed = RefCell::new([0; 7]);
    let mut runner = TestRunner::new(Config {
        cases: 1500,
        failure_persistence: None,
        ..Config::default()
    });
    let result = runner.run(&(any_world(), any_order()), |(world, order)| {
        let mut model = Model {
            facts: facts(&world),
            gateways: gateways.clone(),
        };
        let mut expected = Vec::new();
        let mut good = order.clone();
        good.actions.clear();
        for (index, action) in order.actions.iter().enumerate() {
            let codes = model.perform(action, wildcard);
            if codes.is_empty() {
                good.actions.push(action.clone());
            }
            expected.extend(codes.into_iter().map(|code| (index, code)));
        }
        model.facts.sort();

        if !expected.is_empty() {
            let errors = applied(&order, &world, Some(wildcard)).unwrap_err();
            let found: Vec<(usize, u32)> = errors
                .iter()
                .map(|error| (index_of(&error.path), error.code.number()))
                .collect();
            prop_assert_eq!(found, expected);
        }
        // A refused action has no effect: the order without its refused actions is accepted, with the same changes.
        let changes = applied(&good, &world, Some(wildcard)).unwrap();
        let after = write(&world, &changes);
        prop_assert_eq!(facts(&after), model.facts);
        prop_assert_eq!(total(&after), total(&world));
        // An order that succeeds with a wildcard account also passes the check without one.
        prop_assert!(applied(&good, &world, None).is_ok());
        for action in &good.actions {
            let kind = usize::from(action.kind().number());
            performed.borrow_mut()[kind - 1] += 1;
        }
        Ok(())
    });
    assert!(result.is_ok(), "{}", result.unwrap_err());
    // Every kind must succeed often. Otherwise the generated worlds and orders are unsuitable.
    let performed = performed.into_inner();
    assert!(performed.iter().all(|count| *count > 50), "{performed:?}");
}

/// Returns the index of the action in a path.
fn index_of(path: &str) -> usize {
    let rest = path.strip_prefix("order.actions[").unwrap();
    rest.split(']').next().unwrap().parse().unwrap()
}
