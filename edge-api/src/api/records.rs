//! Answers of `/orders`, `/deployments` and `/approvals`.

use order_core::{Action, Address, ClaimText, Deploy, Expiration, Priority, Seed, Status};
use serde::Serialize;

use super::{ClaimOrNone, Hash, Ref, Timestamp, TransactionHash};

/// The reason why a record failed or waits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RecordError {
    #[cfg_attr(feature = "native", schemars(with = "order_core::Code"))]
    pub(crate) code: u32,
    /// A sentence that explains the error to a person.
    pub(crate) message: String,
}

/// A signer and its claim.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Signer {
    pub(crate) account_id: Address,
    pub(crate) claim: ClaimOrNone,
}

/// The content that is signed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderContent {
    pub(crate) seed: Seed,
    pub(crate) expiration: Expiration,
    pub(crate) signers: Vec<Signer>,
    pub(crate) wildcard_claim: Option<Signer>,
    pub(crate) actions: Vec<Action>,
}

/// An actions order. A canceled order has neither actions nor claims. An account that is not a party, but may sign as the wildcard signer,
/// gets each claim as an empty string.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) status: Status,
    pub(crate) priority: Priority,
    pub(crate) automated_perform: bool,
    pub(crate) wildcard_signer: bool,
    pub(crate) order: OrderContent,
    pub(crate) hash: Hash,
    pub(crate) creator_id: Address,
    pub(crate) error: Option<RecordError>,
    pub(crate) tx_hash: TransactionHash,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// Additional information. Empty on the embedded ledger, where claims cannot outlive a cancellation.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct OrderMeta {
    /// True: a signer has canceled the order on the chain. False: the chain does not know of the cancellation, so the claims
    /// stay valid there until they expire.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "bool"))]
    pub(crate) on_chain: Option<bool>,
}

/// A deployment order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Deployment {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) status: Status,
    pub(crate) priority: Priority,
    pub(crate) deploy: Deploy,
    pub(crate) claim: ClaimText,
    pub(crate) hash: Hash,
    /// The new ledger's reference. Null until the ledger exists.
    pub(crate) ledger_ref: Option<Ref>,
    pub(crate) ledger_id: Option<Address>,
    pub(crate) error: Option<RecordError>,
    pub(crate) tx_hash: TransactionHash,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// An approval order.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Approval {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) status: Status,
    pub(crate) priority: Priority,
    pub(crate) approval: order_core::Approval,
    pub(crate) claim: ClaimText,
    pub(crate) hash: Hash,
    pub(crate) error: Option<RecordError>,
    pub(crate) tx_hash: TransactionHash,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}
