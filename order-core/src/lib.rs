#![doc = include_str!("../README.md")]
#![no_std]
#![cfg_attr(
    test,
    allow(
        clippy::string_slice,
        clippy::arithmetic_side_effects,
        reason = "tests slice and count their own data"
    )
)]

extern crate alloc;

mod approval;
mod authorization;
pub mod chain;
mod claim;
mod deployment;
mod draft;
mod error;
mod fields;
mod gateways;
mod hash;
pub mod json;
mod ledger;
mod order;
mod payment;
mod product;
mod record;
mod request;
#[cfg(feature = "schema")]
mod schema;
mod sign_in;
mod transfer;
mod types;

pub use alloy_primitives::B256;
pub use approval::{Approval, ApprovalKind, ApprovalRequest, OperatorApproval, ValueApproval};
pub use authorization::{AuthorizationPolicy, EthSignReading};
#[cfg(any(test, feature = "sign"))]
pub use claim::PrivateKey;
pub use claim::{Claim, ClaimError, ClaimKind, ClaimText};
pub use deployment::{Deploy, DeploymentRequest, LedgerData, MAX_NAME_CHARS, MAX_URI_CHARS};
pub use draft::{Draft, Unsigned};
pub use error::{Code, FieldError};
pub use fields::{Field, Reader};
pub use gateways::{Gateways, Proxies, ledger_address};
pub use ledger::{
    Asset, Change, LedgerFacts, ReadSet, Snapshot, apply_approval, apply_credit, apply_debit,
    apply_deployment, apply_order, new_ledger,
};
pub use order::{Action, ActionKind, MAX_ACTIONS, MAX_SIGNERS, Order, OrderRequest, SignerClaim};
pub use payment::Costs;
pub use product::{ProductError, ProductItem};
pub use record::{EventKind, events, passed};
pub use request::{Instance, Request, RequestKind};
pub use sign_in::{NotAMessage, SignInMessage};
pub use transfer::TokenTransfer;
pub use types::{
    Abilities, Address, Amount, AssetId, Capabilities, Capability, Expiration, Expiry, Imprint,
    LAST_EXPIRATION, MAX_SAFE_INTEGER, NotValid, Priority, SchemaId, Seed, Status,
};

#[cfg(test)]
mod testing;
