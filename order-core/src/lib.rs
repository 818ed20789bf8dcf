//! Asset-ledger orders, deployments and approvals: their types, field rules, hashes, claims and ledger rules.
//!
//! The crate knows no HTTP, no clock and no random numbers, and builds without the standard library.
#![no_std]

extern crate alloc;

mod error;

pub use error::{Code, FieldError};
mod types;
pub use alloy_primitives::B256;
pub use types::{
    Abilities, Address, Amount, AssetId, Capabilities, Capability, Expiration, Imprint,
    MAX_SAFE_INTEGER, NotValid, Priority, SchemaId, Seed, Status,
};
