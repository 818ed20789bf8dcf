//! The input of a handler, and the state that an isolate keeps between requests.

use std::cell::{Cell, OnceCell, RefCell};
use std::rc::Rc;

use http::{HeaderValue, header};
use order_core::Code;
use serde_json::Value;

use super::{ProbeMemory, Query, RecoveredAccounts, Request, Route};
use crate::admin::RestrictionsMemory;
use crate::badge::{self, Badge};
use crate::budget::{Budget, Share};
use crate::context::Context;
use crate::failure::Failure;
use crate::ledger::Ledger;
use crate::monitor::Traffic;
use crate::sessions::Credential;

/// Maximum total bytes of large answers that clients have not read yet: enough for two of the largest reports.
const ANSWERS_MAX: usize = 16 << 20;

/// An answer of at least this number of bytes reserves memory from the budget until its client has read it. Smaller
/// answers fit into the system's buffers.
const LARGE: usize = 64 << 10;
/// Seconds after which a refused client may retry. After this time, the service may cut off answers that their clients
/// do not read.
const ROOM_AFTER_SECONDS: u32 = 1;

/// The state that an isolate keeps between requests.
pub(crate) struct Memory {
    pub(super) recovered: RefCell<RecoveredAccounts>,
    /// Memory that large answers hold until their clients have read them.
    answers: Rc<Budget>,
    badge: badge::Memory,
    pub(crate) health: ProbeMemory,
    pub(super) restrictions: RestrictionsMemory,
    pub(crate) traffic: Traffic,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            recovered: RefCell::default(),
            answers: Budget::new(ANSWERS_MAX),
            badge: badge::Memory::default(),
            health: ProbeMemory::default(),
            restrictions: RestrictionsMemory::default(),
            traffic: Traffic::default(),
        }
    }
}

impl Memory {
    /// Reserves memory for an answer of this size. Returns `None` if the answer is so small that it needs no reservation.
    ///
    /// # Errors
    /// 429000 if other large answers leave too little of the budget.
    pub(crate) fn admit(
        &self,
        ctx: &Context<'_>,
        bytes: usize,
    ) -> Result<Option<Rc<Share>>, Failure> {
        if bytes < LARGE {
            return Ok(None);
        }
        let share = self.answers.admit(bytes, ctx.ports().clock.now_ms());
        share.map(|share| Some(Rc::new(share))).ok_or_else(|| {
            let message = "other large answers are still on their way to their clients: send the request again in a moment";
            let seconds = HeaderValue::from(ROOM_AFTER_SECONDS);
            Failure::one(Code::RateLimited, "", message).header(header::RETRY_AFTER, seconds)
        })
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
    /// The credential that proves the caller's account. Empty on public routes.
    pub(super) credential: OnceCell<Credential>,
    /// The number of earlier decisions for this request whose commit failed because of a conflict.
    pub(crate) conflicts: Cell<u32>,
}

impl<'a> Input<'a> {
    /// Returns the credential that proves the caller's account. `None` on public routes.
    pub(crate) fn credential(&self) -> Option<&Credential> {
        self.credential.get()
    }

    /// Returns the context, the ledger and the memory that the badge needs.
    pub(crate) fn badge(&self) -> Badge<'a> {
        Badge {
            ctx: self.ctx,
            ledger: self.ledger,
            memory: &self.memory.badge,
        }
    }
}
