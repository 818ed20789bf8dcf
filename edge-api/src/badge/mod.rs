//! The badge: shows whether an asset's public metadata agrees with the imprint on the asset's ledger (`docs/interface.md`, "Badge").
//!
//! The service looks up the asset on the ledger, fetches its metadata, evidence and schema, and verifies them strictly. An asset that could
//! not be checked is unknown, or invalid if a domain disowns its issuer. A destroyed asset is withdrawn.
//!
//! The verdict is about the documents that this service fetched. A server can send different documents to others, so a
//! page that shows a document must verify that document itself.

mod bounds;
mod check;
mod documents;
mod fetches;
mod headline;
mod image;
mod judge;
mod memory;
mod report;
mod status;
pub(crate) mod store;
mod subject;
mod texts;
mod verdict;
mod verify;

pub(crate) use image::{Asked, Image, Name, bundled, selected};
pub(crate) use memory::Memory;
pub(crate) use subject::Subject;
pub(crate) use verdict::Validity;
pub(crate) use verify::{Answer, report, verdict};

use std::ops::Deref;

use crate::context::Context;
use crate::ledger::Ledger;

/// A request about badges, with the ledger and the isolate's memory of badges.
pub(crate) struct Badge<'a> {
    pub(crate) ctx: &'a Context<'a>,
    pub(crate) ledger: &'a dyn Ledger,
    pub(crate) memory: &'a Memory,
}

impl<'a> Deref for Badge<'a> {
    type Target = Context<'a>;

    fn deref(&self) -> &Self::Target {
        self.ctx
    }
}
