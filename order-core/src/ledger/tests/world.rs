//! A small world for the tests: two ledgers and a few accounts. Account A may perform every action.

use alloc::vec::Vec;

use serde_json::{Value, json};

use crate::testing::edited;
use crate::types::{Abilities, Address, Amount, Capabilities};
use crate::{
    Asset, Change, FieldError, Gateways, LedgerFacts, Order, ReadSet, Snapshot, apply_order,
};

pub(super) const A: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
pub(super) const B: &str = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
pub(super) const C: &str = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
pub(super) const W: &str = "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc";
pub(super) const LEDGER: &str = "0x2b961E3959b79326A8e7F64Ef0d2d825707669b5";
/// A ledger without capabilities, on which no account has an ability.
pub(super) const BARE: &str = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
pub(super) const NOWHERE: &str = "0xf5059a5D33d5853360D16C683c16e67980206f36";

pub(super) fn address(text: &str) -> Address {
    text.parse().unwrap()
}

pub(super) fn imprint(digit: &str) -> Value {
    json!(digit.repeat(64))
}

/// The gateways of an embedded ledger.
pub(super) fn gateways() -> Gateways {
    Gateways::derive(&[7; 32])
}

/// Returns a world with a newly deployed ledger that A owns. A has asset 1 and 100 base units, and C has asset 2.
pub(super) fn world() -> Snapshot {
    let proxies = gateways().proxies;
    let [a, c, ledger, bare] = [A, C, LEDGER, BARE].map(address);
    let facts = |list: &[u64]| LedgerFacts {
        capabilities: Capabilities::from_list(list).unwrap(),
    };
    let asset = |owner, digit: &str| Asset {
        owner,
        imprint: imprint(digit).as_str().unwrap().parse().unwrap(),
        approved: None,
    };
    Snapshot {
        ledgers: [(ledger, facts(&[1, 2, 4])), (bare, facts(&[]))].into(),
        assets: [
            ((ledger, 1.into()), asset(a, "1")),
            ((ledger, 2.into()), asset(c, "2")),
            ((bare, 1.into()), asset(a, "b")),
        ]
        .into(),
        abilities: [
            ((ledger, a), Abilities::ALL),
            ((ledger, proxies.create_asset), Abilities::CREATE),
            ((ledger, proxies.update_asset), Abilities::UPDATE),
            ((ledger, proxies.manage_abilities), Abilities::MANAGE),
        ]
        .into(),
        operators: [
            (ledger, a, proxies.safe_transfer_asset),
            (ledger, a, proxies.destroy_asset),
        ]
        .into(),
        balances: [(a, 100.into()), (c, 5.into())].into(),
        allowances: [
            ((a, proxies.transfer_value), 80.into()),
            ((a, ledger), 50.into()),
        ]
        .into(),
        recipients: None,
        blocked: [].into(),
    }
}

/// Returns an action of a kind, from A to B, that succeeds on the ledger. `edits` has JSON pointers with new values.
pub(super) fn action(kind: u8, edits: Value) -> Value {
    let token = gateways().token;
    let good = match kind {
        1 => {
            json!({"kind": 1, "ledgerId": LEDGER, "assetId": "9", "assetImprint": imprint("9"), "senderId": A, "receiverId": B})
        }
        2 => json!({"kind": 2, "ledgerId": LEDGER, "assetId": "1", "senderId": A, "receiverId": B}),
        3 => json!({"kind": 3, "ledgerId": token, "value": "30", "senderId": A, "receiverId": B}),
        4 => {
            json!({"kind": 4, "ledgerId": LEDGER, "assetId": "1", "assetImprint": imprint("4"), "senderId": A})
        }
        5 => {
            json!({"kind": 5, "ledgerId": LEDGER, "abilities": [16, 512], "senderId": A, "receiverId": B})
        }
        6 => json!({"kind": 6, "ledgerId": LEDGER, "assetId": "1", "senderId": A}),
        // C owns asset 2.
        _ => json!({"kind": 7, "ledgerId": LEDGER, "assetId": "2", "senderId": A}),
    };
    edited(&good, &edits)
}

/// Returns an order signed by A, B and C. The ledger does not check which accounts have to sign.
pub(super) fn order(actions: &[Value]) -> Order {
    let signers = [A, B, C].map(|account| json!({"accountId": account}));
    serde_json::from_value(json!({
        "signers": signers,
        "actions": actions,
        "seed": 1,
        "expiration": 4_102_444_800_000_u64,
    }))
    .unwrap()
}

/// Returns the part of the world at a set of keys.
pub(super) fn read(world: &Snapshot, keys: &ReadSet) -> Snapshot {
    let mut part = world.clone();
    part.ledgers.retain(|key, _| keys.ledgers.contains(key));
    part.assets.retain(|key, _| keys.assets.contains(key));
    part.abilities.retain(|key, _| keys.abilities.contains(key));
    part.operators.retain(|key| keys.operators.contains(key));
    part.balances.retain(|key, _| keys.balances.contains(key));
    part.allowances
        .retain(|key, _| keys.allowances.contains(key));
    if let Some(recipients) = &mut part.recipients {
        recipients.retain(|key| keys.recipients.contains(key));
    }
    part
}

/// Returns the world after the changes. Asserts that each change has the correct old value and a different new value.
pub(super) fn write(world: &Snapshot, changes: &[Change]) -> Snapshot {
    let mut world = world.clone();
    for change in changes {
        match change.clone() {
            Change::LedgerCreated { ledger, data } => {
                let facts = LedgerFacts {
                    capabilities: data.capabilities,
                };
                assert_eq!(world.ledgers.insert(ledger, facts), None);
            }
            Change::Asset {
                ledger,
                id,
                old,
                new,
            } => {
                assert_ne!(old, new);
                let found = match new {
                    Some(asset) => world.assets.insert((ledger, id), asset),
                    None => world.assets.remove(&(ledger, id)),
                };
                assert_eq!(found, old);
            }
            Change::Abilities {
                ledger,
                account,
                old,
                new,
            } => {
                assert_ne!(old, new);
                let found = world.abilities.insert((ledger, account), new);
                assert_eq!(found.unwrap_or_default(), old);
            }
            Change::Operator {
                ledger,
                owner,
                operator,
                old,
                new,
            } => {
                assert_ne!(old, new);
                let key = (ledger, owner, operator);
                assert_eq!(world.operators.contains(&key), old);
                if new {
                    world.operators.insert(key);
                } else {
                    world.operators.remove(&key);
                }
            }
            Change::Balance { account, old, new } => {
                assert_ne!(old, new);
                let found = world.balances.insert(account, new);
                assert_eq!(found.unwrap_or_default(), old);
            }
            Change::Allowance {
                owner,
                spender,
                old,
                new,
            } => {
                assert_ne!(old, new);
                let found = world.allowances.insert((owner, spender), new);
                assert_eq!(found.unwrap_or_default(), old);
            }
        }
    }
    tidy(world)
}

/// Returns the world without values that equal the default.
pub(super) fn tidy(mut world: Snapshot) -> Snapshot {
    world.abilities.retain(|_, abilities| !abilities.is_empty());
    world.balances.retain(|_, balance| !balance.is_zero());
    world.allowances.retain(|_, allowance| !allowance.is_zero());
    world
}

/// Returns the sum of all balances.
pub(super) fn total(world: &Snapshot) -> Amount {
    let balances: Vec<Amount> = world.balances.values().copied().collect();
    balances.into_iter().fold(Amount::ZERO, |sum, balance| {
        sum.checked_add(balance).unwrap()
    })
}

/// Applies actions to the keys of their read set, and asserts that other keys do not matter.
pub(super) fn applied(
    world: &Snapshot,
    wildcard: Option<&str>,
    gateways: &Gateways,
    actions: &[Value],
) -> Result<Vec<Change>, Vec<FieldError>> {
    let order = order(actions);
    let wildcard = wildcard.map(address);
    let part = read(world, &order.read_set(gateways, wildcard));
    let result = apply_order(&order, wildcard, gateways, &part);
    assert_eq!(
        result,
        apply_order(&order, wildcard, gateways, world),
        "keys outside the read set must not matter"
    );
    result
}

/// Returns the world after the actions.
pub(super) fn changed(actions: &[Value]) -> Snapshot {
    let changes = applied(&world(), None, &gateways(), actions).unwrap();
    write(&world(), &changes)
}
