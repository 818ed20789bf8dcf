//! The data of the index that an isolate caches.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use alloy_primitives::B256;
use order_core::Address;

use super::index_head::State;
use super::span::Span;

/// Data of the index that an isolate caches.
#[derive(Default)]
pub(in super::super) struct Memory {
    /// A state of the index, and its ledgers in the order of their addresses.
    pub(super) ledgers: RefCell<Option<(State, Rc<[Address]>)>>,
    /// The number of blocks of the next range.
    pub(super) span: Span,
    /// The hash of a head, and the number of the last block that a quorum confirmed as final at that head.
    pub(super) settled: Cell<Option<(B256, u64)>>,
    /// The last block that was logged as not final, so that it is logged only once.
    pub(super) reported: Cell<u64>,
    /// The last block of a query for many blocks that failed. Blocks up to this one are read one by one.
    pub(super) single_until: Cell<u64>,
}
