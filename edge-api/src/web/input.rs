//! The input of a handler, and an isolate's memory.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use serde_json::Value;

use super::{ProbeMemory, Query, RecoveredAccounts, Request, Route};
use crate::badge::{self, Badge};
use crate::budget::Budget;
use crate::context::Context;
use crate::ledger::Ledger;

/// Maximum bytes of large answers that clients have not read yet: enough for two of the largest reports.
const ANSWERS_MAX: usize = 16 << 20;

/// An isolate's memory between requests.
pub(crate) struct Memory {
    pub(super) recovered: RefCell<RecoveredAccounts>,
    /// Memory that large answers hold until their clients have read them.
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

/// The input of a handler: the request with its query and body parsed, and the service around it.
pub(crate) struct Input<'a> {
    pub(crate) ctx: &'a Context<'a>,
    pub(crate) ledger: &'a dyn Ledger,
    pub(crate) memory: &'a Memory,
    pub(crate) route: &'static Route,
    pub(crate) request: &'a Request,
    pub(crate) query: Query,
    pub(crate) body: Value,
    /// Number of earlier decisions for this request, each of which failed at commit because a guard did not hold.
    pub(crate) conflicts: Cell<u32>,
}

impl<'a> Input<'a> {
    /// Returns the context and the memory that the badge needs.
    pub(crate) fn badge(&self) -> Badge<'a> {
        Badge {
            ctx: self.ctx,
            memory: &self.memory.badge,
        }
    }
}
