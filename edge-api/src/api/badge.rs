//! `data` of `/badge.json`.

use order_core::{Address, AssetId, Capabilities, Imprint, SchemaId};
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// Whether the public values are those that were certified for this asset.
///
/// - `unchanged`: every value is proven.
/// - `notCovered`: nothing was found changed, but the evidence does not prove every value: anyone may have added the others.
/// - `otherAsset`: the values were certified, but for another asset.
/// - `changed`: a value or a hash differs from the certified one, or the evidence belongs to another imprint.
/// - `notChecked`: a document is missing, or there is no such asset in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Integrity {
    Unchanged,
    NotCovered,
    OtherAsset,
    Changed,
    NotChecked,
}

/// The asset's standing on its ledger. `unknownLedger`: this service does not have that ledger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum Standing {
    InForce,
    Withdrawn,
    NeverIssued,
    UnknownLedger,
}

/// A reason why an asset is not valid or could not be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// Null for a reason against the asset itself.
    #[cfg_attr(feature = "native", schemars(with = "Option<order_core::Code>"))]
    pub(crate) code: Option<u32>,
    /// A stable text.
    pub(crate) reason: String,
    pub(crate) path: String,
    pub(crate) message: String,
}

/// The asset's ledger. Name and symbol are its owner's claim.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeLedger {
    pub(crate) id: Address,
    pub(crate) name: String,
    pub(crate) symbol: String,
    pub(crate) schema_id: SchemaId,
    pub(crate) capabilities: Capabilities,
    pub(crate) owner_id: Address,
    pub(crate) created_at: Timestamp,
}

/// The asset.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeAsset {
    pub(crate) id: AssetId,
    /// Null where it is not on its ledger, as `ownerId` and `updatedAt`.
    pub(crate) imprint: Option<Imprint>,
    pub(crate) uri: String,
    /// The current holder.
    pub(crate) owner_id: Option<Address>,
    /// The time of issue; null where it never was, or that is not known.
    pub(crate) created_at: Option<Timestamp>,
    /// The time of the last change of its imprint or holder.
    pub(crate) updated_at: Option<Timestamp>,
    /// The time at which it was destroyed, if it is no longer on its ledger.
    pub(crate) withdrawn_at: Option<Timestamp>,
    /// The last time at which an asset of this id was destroyed, if the id was created again since.
    pub(crate) withdrawn_before: Option<Timestamp>,
}

/// A list of which something is proven. Only evidence of AIH-2 tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeList {
    pub(crate) path: String,
    /// The most items that it can have.
    pub(crate) at_most: u64,
    /// The number of its items, if that is proven.
    pub(crate) length: Option<u64>,
    /// Whether no item is hidden.
    pub(crate) complete: bool,
    /// The same for people: `all of 3`, `3, of which some are hidden` or `at most 4`.
    pub(crate) message: String,
}

/// The evidence's statement about one value of the public metadata.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct BadgeValue {
    pub(crate) path: String,
    pub(crate) status: ValueStatus,
    /// Null for a proven value; else a stable text.
    pub(crate) reason: Option<String>,
}

/// The extent to which a value is certified: `not-proven` where it is contradicted, `not-covered` where nothing speaks for or against it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ValueStatus {
    Proven,
    NotProven,
    NotCovered,
}

/// The values of the public metadata, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeDetails {
    /// How complete lists are, as far as evidence of AIH-2 proves it; at most a hundred.
    pub(crate) lists: Vec<BadgeList>,
    /// The values and what the evidence says of each; at most 500. Empty where they could not be checked.
    pub(crate) values: Vec<BadgeValue>,
    /// The number of values beyond these.
    pub(crate) omitted_values: u64,
}

/// The issuer of the certificate.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issuer {
    /// The ledger's owner.
    pub(crate) account: Address,
    /// Whether somebody vouches for that account: so far nobody can, and it is false.
    pub(crate) identified: bool,
}

/// The verdict.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Validity {
    /// Unchanged and in force. Null: that could not be found out, or there is no such asset.
    pub(crate) valid: Option<bool>,
    pub(crate) integrity: Integrity,
    pub(crate) status: Standing,
    /// Null where this service does not have the ledger, as `ledger` and `asset`.
    pub(crate) issuer: Option<Issuer>,
    pub(crate) errors: Vec<Finding>,
    pub(crate) ledger: Option<BadgeLedger>,
    pub(crate) asset: Option<BadgeAsset>,
}

/// The members of a report that are documents. They come last, as text that was never parsed, because a schema's id
/// depends on the order of its keys.
pub(crate) const DOCUMENTS: [&str; 3] = ["metadata", "evidence", "schema"];

/// The verdict, and everything that it takes to verify again.
#[cfg(feature = "native")]
#[derive(schemars::JsonSchema)]
#[schemars(rename = "Validity")]
#[expect(dead_code, reason = "only its schema is read")]
pub(crate) struct Report {
    #[schemars(flatten)]
    verdict: Validity,
    #[schemars(flatten)]
    details: BadgeDetails,
    metadata: super::Document,
    evidence: super::Document,
    schema: super::Document,
}
