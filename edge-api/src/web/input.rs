//! The input of a handler, and an isolate's memory.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::Value;

use super::{Match, ProbeMemory, Query, RecoveredAccounts, Request};
use crate::badge::{self, Badge};
use crate::budget::Budget;
use crate::context::Context;
use crate::ledger::Ledger;

/// Bytes of large answers on their way to clients: enough for two of the largest reports.
const ANSWERS_MAX: usize = 16 << 20;

/// An isolate's memory between requests.
pub(crate) struct Memory {
    pub(super) recovered: RefCell<RecoveredAccounts>,
    /// Memory for large answers until their clients have them.
    pub(super) answers: Rc<Budget>,
    badge: badge::Memory,
    pub(crate) health: ProbeMemory,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            recovered: RefCell::default(),
            answers: Budget::new(ANSWERS_MAX),
            badge: badge::Memory::default(),
            health: ProbeMemory::default(),
        }
    }
}

/// The input of a handler: the request with its path, query and body parsed, and the service around it.
pub(crate) struct Input<'a> {
    pub(crate) ctx: &'a Context<'a>,
    pub(crate) ledger: &'a dyn Ledger,
    pub(crate) memory: &'a Memory,
    pub(crate) request: &'a Request,
    pub(crate) params: Match,
    pub(crate) query: Query,
    pub(crate) body: Value,
    /// How often the request was decided before, each time against a guard that broke.
    pub(crate) conflicts: Cell<u32>,
}

impl<'a> Input<'a> {
    /// The event as the badge takes it.
    pub(crate) fn badge(&self) -> Badge<'a> {
        Badge {
            ctx: self.ctx,
            memory: &self.memory.badge,
        }
    }
}
