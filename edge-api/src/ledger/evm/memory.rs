//! The ledger on a chain: its settings, and the data that an isolate caches.

use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use order_core::{Address, Amount, Imprint};

use super::block::{Block, HeadState};
use super::index::memory::Memory;
use super::rpc::{Health, READING_BYTES, Rpc};
use super::shared::Shared;
use crate::budget::Budget;
use crate::config::Chain;
use crate::context::Context;
use crate::ledger::{Identity, LedgerError};

/// The last balances that an isolate has stored in the cache, with their times.
type Balances = RefCell<BTreeMap<Address, (Amount, u64)>>;

/// The state of an asset at the last block.
#[derive(Clone)]
pub(super) struct Seen {
    pub(super) head: Block,
    pub(super) asset: Option<SeenAsset>,
    /// The last indexed block at the time of the reading.
    pub(super) indexed: u64,
}

/// An asset that exists at the last block.
#[derive(Clone)]
pub(super) struct SeenAsset {
    pub(super) owner: Address,
    pub(super) imprint: Imprint,
    /// The address of the metadata. Empty if the contract answers none, or an address that this service does not show.
    pub(super) uri: String,
}

/// The ledger on a chain, with the data that an isolate caches.
pub(crate) struct Evm {
    pub(super) chain: Chain,
    pub(super) identity: OnceCell<Rc<Identity>>,
    /// The time of the last failed check of the settings, and its error.
    pub(super) failed: RefCell<Option<(u64, LedgerError)>>,
    pub(super) balances: Balances,
    /// The time at which the chain's head was last read, and its state at that time.
    pub(super) head_state: RefCell<Option<(u64, Rc<HeadState>)>>,
    pub(super) health: Health,
    /// The bytes of all answers of providers that the isolate is reading.
    pub(super) reading: Rc<Budget>,
    pub(super) index: Memory,
    /// The last readings of assets, and of whether a provider contradicts an imprint.
    pub(super) seen: Shared<Seen>,
    pub(super) contradicted: Shared<bool>,
    /// True if the chain charges a fee for layer 1. An isolate asks the chain once.
    pub(super) has_layer1_fee: OnceCell<bool>,
    /// True if the chain has Multicall3. An isolate asks the chain once.
    pub(super) has_multicall: OnceCell<bool>,
}

impl Evm {
    pub(crate) fn new(chain: Chain) -> Self {
        Self {
            chain,
            identity: OnceCell::new(),
            failed: RefCell::default(),
            balances: Balances::default(),
            head_state: RefCell::default(),
            health: Health::default(),
            reading: Budget::new(READING_BYTES),
            index: Memory::default(),
            seen: Shared::default(),
            contradicted: Shared::default(),
            has_layer1_fee: OnceCell::new(),
            has_multicall: OnceCell::new(),
        }
    }

    /// Returns the providers, for the event in progress.
    pub(super) fn rpc<'a>(&'a self, ctx: &'a Context<'a>) -> Rpc<'a> {
        Rpc::new(ctx, &self.chain, &self.health, &self.reading)
    }

    /// Returns the milliseconds from one block to the next.
    pub(super) fn block_ms(&self) -> u64 {
        u64::from(self.chain.block_seconds).saturating_mul(1_000)
    }

    /// Drops the cached state of the chain's head, so the next reader asks a provider.
    pub(super) fn forget_pulse(&self) {
        self.head_state.replace(None);
    }

    /// Returns the account that sends transactions.
    pub(super) fn relayer(&self) -> Address {
        self.chain.relayer.key().address()
    }
}
