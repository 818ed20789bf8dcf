//! Compares the fold with the rules of order-core: a model performs random actions by the rules, and writes the logs of the contracts.

use order_core::{
    Abilities, Action, Capabilities, Expiration, LedgerFacts, Order, Seed, SignerClaim, apply_order,
};
use proptest::prelude::*;

use super::*;

const LEDGER: u8 = 1;
const ACCOUNTS: [u8; 4] = [11, 12, 13, 14];

fn address(byte: u8) -> Address {
    Address::from_bytes([byte; 20]).unwrap()
}

fn id(number: u8) -> AssetId {
    AssetId::from(u128::from(number))
}

fn imprint(number: u8) -> Imprint {
    Imprint::from([number; 32])
}

/// An action by account numbers. The rules decide if the sender may perform it.
#[derive(Clone, Debug)]
enum Intent {
    Create(u8, u8),
    Move(u8),
    Update(u8),
    Destroy,
    SetAbilities(u8, u16),
    Pay(u8, u8),
    EndBlock,
}

/// Returns an intent with the numbers of a sender and of an asset.
fn intents() -> impl Strategy<Value = Vec<(u8, u8, Intent)>> {
    let account = || (0..ACCOUNTS.len()).prop_map(|place| ACCOUNTS[place]);
    let intent = prop_oneof![
        4 => (account(), any::<u8>()).prop_map(|(owner, imprint)| Intent::Create(owner, imprint)),
        4 => account().prop_map(Intent::Move),
        4 => any::<u8>().prop_map(Intent::Update),
        2 => Just(Intent::Destroy),
        1 => (account(), 0..=Abilities::ALL.bits())
            .prop_map(|(account, bits)| Intent::SetAbilities(account, bits)),
        2 => (account(), 0_u8..20).prop_map(|(account, value)| Intent::Pay(account, value)),
        2 => Just(Intent::EndBlock),
    ];
    proptest::collection::vec((account(), 0_u8..3, intent), 0..150)
}

/// The chain: the state by the rules of order-core, and the events that the contracts wrote.
struct Model {
    gateways: Gateways,
    state: Snapshot,
    events: Vec<Event>,
    /// The state at the end of each block.
    ends: Vec<Snapshot>,
}

impl Model {
    /// Every account may do everything through the proxies, has tokens, and owns nothing yet.
    fn new() -> Model {
        let gateways = Gateways::derive(&[7; 32]);
        let ledger = address(LEDGER);
        let proxies = &gateways.proxies;
        let mut state = Snapshot::default();
        let capabilities = Capabilities::from_list(&[1, 2, 3, 4]).unwrap();
        state.ledgers.insert(ledger, LedgerFacts { capabilities });
        for proxy in [
            proxies.create_asset,
            proxies.update_asset,
            proxies.manage_abilities,
        ] {
            state.abilities.insert((ledger, proxy), Abilities::ALL);
        }
        for account in ACCOUNTS.map(address) {
            state.abilities.insert((ledger, account), Abilities::ALL);
            state.balances.insert(account, Amount::from(50));
            let spender = (account, proxies.transfer_value);
            state.allowances.insert(spender, Amount::MAX);
            for proxy in [proxies.safe_transfer_asset, proxies.destroy_asset] {
                state.operators.insert((ledger, account, proxy));
            }
        }
        Model {
            gateways,
            state,
            events: Vec::new(),
            ends: Vec::new(),
        }
    }

    fn end_block(&mut self) {
        self.ends.push(self.state.clone());
    }

    /// Performs the intent if the rules allow it, and writes the log of the contract.
    fn perform(&mut self, sender: u8, asset: u8, intent: &Intent) {
        let (ledger_id, asset_id) = (address(LEDGER), id(asset));
        let sender_id = Some(address(sender));
        let sender = address(sender);
        let (action, what) = match *intent {
            Intent::EndBlock => return self.end_block(),
            Intent::Create(owner, number) => (
                Action::CreateAsset {
                    ledger_id,
                    asset_id,
                    asset_imprint: imprint(number),
                    receiver_id: Some(address(owner)),
                    sender_id,
                },
                changed(LedgerEvent::Created {
                    id: asset_id,
                    owner: address(owner),
                }),
            ),
            Intent::Move(to) => (
                Action::TransferAsset {
                    ledger_id,
                    asset_id,
                    receiver_id: Some(address(to)),
                    sender_id,
                },
                changed(LedgerEvent::Moved {
                    id: asset_id,
                    from: sender,
                    to: address(to),
                }),
            ),
            Intent::Update(number) => (
                Action::UpdateAsset {
                    ledger_id,
                    asset_id,
                    asset_imprint: imprint(number),
                    sender_id,
                },
                changed(LedgerEvent::ImprintSet(asset_id, imprint(number))),
            ),
            Intent::Destroy => (
                Action::DestroyAsset {
                    ledger_id,
                    asset_id,
                    sender_id,
                },
                changed(LedgerEvent::Destroyed {
                    id: asset_id,
                    owner: sender,
                }),
            ),
            Intent::SetAbilities(account, bits) => {
                let abilities = Abilities::from_bits(bits).unwrap();
                (
                    Action::SetAbilities {
                        ledger_id,
                        abilities,
                        receiver_id: Some(address(account)),
                        sender_id,
                    },
                    changed(LedgerEvent::AbilitiesSet(Some(address(account)), abilities)),
                )
            }
            Intent::Pay(to, value) => {
                let value = Amount::from(u128::from(value));
                (
                    Action::TransferValue {
                        ledger_id: self.gateways.token,
                        value,
                        receiver_id: Some(address(to)),
                        sender_id,
                    },
                    What::Paid {
                        from: sender_id,
                        to: Some(address(to)),
                        value,
                    },
                )
            }
        };
        let order = Order {
            signers: vec![SignerClaim {
                account_id: sender,
                claim: None,
            }],
            wildcard_claim: None,
            actions: vec![action],
            seed: Seed::try_from(1).unwrap(),
            expiration: Expiration::from_seconds(4_000_000_000).unwrap(),
        };
        if let Ok(changes) = apply_order(&order, None, &self.gateways, &self.state) {
            let allowances = self.state.allowances.clone();
            for change in &changes {
                write(&mut self.state, change);
            }
            self.state.allowances = allowances;
            self.events.push(Event {
                block: self.ends.len(),
                tx: alloy_primitives::B256::ZERO,
                what,
            });
        }
    }

    /// Returns the imprints that the contracts answer: at the end of the event's block if a later event changes the asset, otherwise at the
    /// end of the segment.
    fn imprints(&self, needed: &[Needed]) -> BTreeMap<usize, Imprint> {
        let answered = needed.iter().filter_map(|one| {
            let end = match one.is_changed {
                true => &self.ends[one.block],
                false => self.ends.last().unwrap(),
            };
            let asset = end.assets.get(&(one.ledger, one.id))?;
            Some((one.event, asset.imprint))
        });
        answered.collect()
    }

    fn fold<'a>(&self, before: &Snapshot, events: &'a [Event], part: Part) -> Folded<'a> {
        let mut needed = needed(events, before);
        if part == Part::First {
            needed.iter_mut().for_each(|one| one.is_changed = true);
        }
        let facts = Facts {
            blocks: self.ends.len(),
            events,
            deployed: &[],
            imprints: self.imprints(&needed),
            authors: BTreeMap::new(),
            is_continued: part == Part::Last,
        };
        fold(before.clone(), &facts, &self.gateways)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Whole,
    First,
    Last,
}

fn changed(event: LedgerEvent) -> What {
    What::Changed(address(LEDGER), event)
}

fn performed(intents: &[(u8, u8, Intent)]) -> Model {
    let mut model = Model::new();
    for (sender, asset, intent) in intents {
        model.perform(*sender, *asset, intent);
    }
    model.end_block();
    model
}

/// Writes a change to the rows. Checks that the change's old value is the stored one.
fn write(rows: &mut Snapshot, change: &Change) {
    match change.clone() {
        Change::Asset {
            ledger,
            id,
            old,
            new,
        } => {
            let key = (ledger, id);
            let stored = match new {
                Some(new) => rows.assets.insert(key, new),
                None => rows.assets.remove(&key),
            };
            assert_eq!(stored, old);
        }
        Change::Abilities {
            ledger,
            account,
            old,
            new,
        } => {
            let stored = rows.abilities.insert((ledger, account), new);
            assert_eq!(stored.unwrap_or_default(), old);
        }
        Change::Balance { account, old, new } => {
            let stored = rows.balances.insert(account, new);
            assert_eq!(stored.unwrap_or_default(), old);
        }
        // The fold makes no such changes. The model's allowances never end.
        Change::Allowance { .. } | Change::Operator { .. } | Change::LedgerCreated { .. } => {}
    }
}

/// Writes the changes of a block layer by layer. Checks that no layer changes a row twice.
fn write_block(rows: &mut Snapshot, changes: &BlockChanges<'_>) {
    changes.paid.iter().for_each(|change| write(rows, change));
    assert!(changes.layers.len() <= LAYERS_MAX);
    for layer in &changes.layers {
        let mut written = BTreeSet::new();
        for (change, _) in layer {
            assert!(written.insert(row(change).unwrap()));
            write(rows, change);
        }
    }
}

/// Compares the rows with the state of the model.
fn assert_same(rows: &Snapshot, state: &Snapshot) {
    assert_eq!(rows.assets, state.assets);
    assert_eq!(rows.abilities, state.abilities);
    assert_eq!(rows.balances, state.balances);
}

proptest! {
    #[test]
    fn folded_logs_give_the_state_of_the_rules_after_each_block(intents in intents()) {
        let model = performed(&intents);
        let mut rows = Model::new().state;
        let folded = model.fold(&rows, &model.events, Part::Whole);
        prop_assert_eq!(&folded.gaps, &[]);
        prop_assert_eq!(folded.blocks.len(), model.ends.len());
        for (changes, end) in folded.blocks.iter().zip(&model.ends) {
            write_block(&mut rows, changes);
            assert_same(&rows, end);
        }
    }

    #[test]
    fn a_fold_needs_no_rows_other_than_those_of_its_keys(intents in intents()) {
        let model = performed(&intents);
        let all = Model::new().state;
        let keys = keys(&model.events);
        let mut some = all.clone();
        some.abilities.retain(|key, _| keys.abilities.contains(key));
        some.balances.retain(|key, _| keys.balances.contains(key));
        let [all, some] = [all, some].map(|rows| model.fold(&rows, &model.events, Part::Whole));
        for (all, some) in all.blocks.iter().zip(&some.blocks) {
            prop_assert_eq!(&all.paid, &some.paid);
            prop_assert_eq!(&all.layers, &some.layers);
        }
    }

    #[test]
    fn a_block_in_parts_gives_the_state_of_the_whole_block(
        intents in intents(),
        split in any::<prop::sample::Index>(),
    ) {
        let one_block: Vec<_> = intents
            .into_iter()
            .filter(|(_, _, intent)| !matches!(intent, Intent::EndBlock))
            .collect();
        let model = performed(&one_block);
        let (first, last) = model.events.split_at(split.index(model.events.len().saturating_add(1)));
        let mut rows = Model::new().state;
        for (events, part) in [(first, Part::First), (last, Part::Last)] {
            let folded = model.fold(&rows, events, part);
            prop_assert_eq!(&folded.gaps, &[]);
            for changes in &folded.blocks {
                write_block(&mut rows, changes);
            }
        }
        assert_same(&rows, &model.state);
    }

    #[test]
    fn an_asset_without_a_row_is_reported_and_gets_one_when_it_moves(
        intents in intents(),
        to in 0..ACCOUNTS.len(),
    ) {
        let mut model = performed(&[]);
        let sender = ACCOUNTS[0];
        model.perform(sender, 0, &Intent::Create(sender, 5));
        model.end_block();
        let (events, lacking) = (model.events.len(), Model::new().state);
        // The index lacks the block that created the asset.
        model.perform(sender, 0, &Intent::Move(ACCOUNTS[to]));
        for (sender, asset, intent) in &intents {
            model.perform(*sender, *asset, intent);
        }
        model.end_block();
        let mut rows = lacking;
        let folded = model.fold(&rows, &model.events[events..], Part::Whole);
        let gap = Gap { block: 2, ledger: address(LEDGER), id: id(0) };
        prop_assert_eq!(&folded.gaps[0], &gap);
        for changes in &folded.blocks {
            write_block(&mut rows, changes);
        }
        assert_same(&rows, &model.state);
    }
}

#[test]
fn many_changes_of_an_asset_in_one_block_become_a_bounded_number() {
    let owner = ACCOUNTS[0];
    let mut intents = vec![(owner, 0, Intent::Create(owner, 0))];
    let updates = (1..=60).map(|number| (owner, 0, Intent::Update(number)));
    intents.extend(updates);
    intents.insert(1, (owner, 0, Intent::EndBlock));
    let model = performed(&intents);
    let mut rows = Model::new().state;
    let folded = model.fold(&rows, &model.events, Part::Whole);
    let layers = folded.blocks.iter().map(|changes| changes.layers.len());
    assert_eq!(layers.collect::<Vec<_>>(), [1, LAYERS_MAX]);
    for changes in &folded.blocks {
        write_block(&mut rows, changes);
    }
    assert_same(&rows, &model.state);
}

#[test]
fn payments_from_nobody_and_to_nobody_create_and_destroy_tokens() {
    let account = address(ACCOUNTS[0]);
    let event = |from, to, value: u128| Event {
        block: 0,
        tx: alloy_primitives::B256::ZERO,
        what: What::Paid {
            from,
            to,
            value: Amount::from(value),
        },
    };
    let paid = |events: &[Event]| {
        let model = performed(&[]);
        model.fold(&Snapshot::default(), events, Part::Whole).blocks[0]
            .paid
            .clone()
    };
    let balance = |new: u128| {
        vec![Change::Balance {
            account,
            old: Amount::ZERO,
            new: Amount::from(new),
        }]
    };
    let created = event(None, Some(account), 9);
    assert_eq!(paid(&[created]), balance(9));
    let some = [event(None, Some(account), 9), event(Some(account), None, 4)];
    assert_eq!(paid(&some), balance(5));
    // The index starts after the payer got its tokens, so its balance is too low.
    assert_eq!(paid(&[event(Some(account), None, 4)]), []);
}
