//! The badge: whether an asset's public metadata is what its ledger certifies (interface specification, "Badge").
//!
//! The asset is looked up on the ledger, its metadata, evidence and schema are fetched, and strict verification
//! decides. What could not be checked is unknown, never invalid; what was destroyed is withdrawn.

mod bounds;
mod budget;
mod check;
mod documents;
mod image;
mod judge;
mod memory;
mod report;
mod store;
mod verdict;
mod verify;

pub(crate) use image::{Asked, Image, Name, bundled, selected};
pub(crate) use memory::Memory;
pub(crate) use verdict::Validity;
pub(crate) use verify::{Subject, report, verdict};
