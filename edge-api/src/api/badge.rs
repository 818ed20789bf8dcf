//! The `data` of `/badge.json`.

use cert_core::verdict::Look;
pub(crate) use cert_core::verdict::{HeadlineCode, Integrity, IssuerKind, StatusKind};
use order_core::{Address, AssetId, Capabilities, Imprint, SchemaId};
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// The status, with its date and reason.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssetStatus {
    pub(crate) kind: StatusKind,
    /// The time of issue, withdrawal, expiry or replacement. Null if the time is not known or the asset was never issued.
    pub(crate) since: Option<Timestamp>,
    /// The reason for a withdrawal, given by `reasonBy`: plain text of at most 280 characters.
    pub(crate) reason: Option<String>,
    pub(crate) reason_by: Option<ReasonAuthor>,
    /// The time from which the certificate counts as expired, if its documents prove an expiry date.
    pub(crate) expires_at: Option<Timestamp>,
}

/// The account that gave the reason for a withdrawal.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct ReasonAuthor {
    pub(crate) account: Address,
    pub(crate) role: ReasonRole,
}

/// `issuer`: the ledger's owner. `holder`: the asset's last owner. `other`: the creator of the order that
/// destroyed the asset, or the account that revoked it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum ReasonRole {
    Issuer,
    Holder,
    Other,
}

/// A reason why an asset is not valid or could not be checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct Finding {
    /// The error code if there is no asset to check, or if the asset could not be checked. Null if the reason counts against the asset.
    #[cfg_attr(feature = "native", schemars(with = "Option<order_core::Code>"))]
    pub(crate) code: Option<u32>,
    /// A short identifier of the reason. It does not change between versions.
    pub(crate) reason: String,
    pub(crate) path: String,
    pub(crate) message: String,
}

/// The asset's ledger. The ledger's owner chose the name and the symbol, and this service does not check them.
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
    /// The imprint. Null, like `ownerId` and `updatedAt`, if the asset is not on its ledger.
    pub(crate) imprint: Option<Imprint>,
    pub(crate) uri: String,
    /// The current holder.
    pub(crate) owner_id: Option<Address>,
    /// The time of issue. Null if the asset was never issued, or if the time is not known.
    pub(crate) created_at: Option<Timestamp>,
    /// The time at which the imprint or the holder last changed.
    pub(crate) updated_at: Option<Timestamp>,
    /// The time at which the asset was destroyed. Null if the asset is on its ledger or was never issued.
    pub(crate) withdrawn_at: Option<Timestamp>,
    /// The last time at which an asset with this id was destroyed, if the id has been created again since.
    pub(crate) withdrawn_before: Option<Timestamp>,
    /// The earlier imprints of assets with this id, the latest first. At most a hundred.
    pub(crate) past_imprints: Vec<PastImprint>,
}

/// An imprint that an asset had before.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastImprint {
    pub(crate) imprint: Imprint,
    pub(crate) ended_at: Timestamp,
    /// True if the asset was destroyed at that time, false if its imprint was updated.
    pub(crate) withdrawn: bool,
}

/// A list whose length, or maximum length, is proven. Only AIH-2 evidence can prove a length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeList {
    pub(crate) path: String,
    /// The proven maximum number of items.
    pub(crate) at_most: u64,
    /// The number of items, if it is proven.
    pub(crate) length: Option<u64>,
    /// True if no item is hidden.
    pub(crate) complete: bool,
    /// The length as text for people: `all of 3`, `3, of which some are hidden` or `at most 4`.
    pub(crate) message: String,
}

/// A value of the public metadata, and the result of checking it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct BadgeValue {
    pub(crate) path: String,
    pub(crate) status: ValueStatus,
    /// A short identifier of the reason. It does not change between versions. Null for a proven value.
    pub(crate) reason: Option<String>,
}

/// The result for one value. `proven`: the value is certified. `not-proven`: the evidence contradicts the value, or was refused
/// as a whole. `not-covered`: the evidence says nothing about the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ValueStatus {
    Proven,
    NotProven,
    NotCovered,
}

/// The values of the public metadata. Each value is listed once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeDetails {
    /// The lists whose length AIH-2 evidence proves. At most 100.
    pub(crate) lists: Vec<BadgeList>,
    /// The values and their results. At most 500. Empty if the values could not be checked.
    pub(crate) values: Vec<BadgeValue>,
    /// The number of values left out.
    pub(crate) omitted_values: u64,
}

/// The source of the confirmation: the file `https://<domain>/.well-known/did.json`, a TXT record of the domain, or a setting of this
/// service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum CheckedBy {
    DidJson,
    Dns,
    Operator,
}

/// The issuer of the certificate. If `kind` is `notConfirmed`, all members except `account`, `kind` and `confirmed` are null.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issuer {
    /// The ledger's owner.
    pub(crate) account: Address,
    pub(crate) kind: IssuerKind,
    /// True if `kind` is `confirmed` or `operator`.
    pub(crate) confirmed: bool,
    /// The domain that confirms, confirmed or disowns the account. For `operator`, the host of this service.
    pub(crate) domain: Option<String>,
    /// For `disowned`: another domain that confirms the account now. The account named this domain itself, so the domain may
    /// belong to the thief of its key. Show it only together with `domain`.
    pub(crate) other_domain: Option<String>,
    /// The account's name, given by the domain or the operator. Show the name only next to the domain.
    pub(crate) name: Option<String>,
    /// The address of a logo on the domain's own host.
    pub(crate) logo: Option<String>,
    /// The first and the last time at which the domain confirmed the account.
    pub(crate) first_seen: Option<Timestamp>,
    pub(crate) last_seen: Option<Timestamp>,
    pub(crate) checked_by: Option<CheckedBy>,
}

/// The verdict in one line.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct Headline {
    pub(crate) code: HeadlineCode,
    pub(crate) look: Look,
    /// The line in English, with the parameters filled in.
    pub(crate) text: String,
    pub(crate) parameters: HeadlineParameters,
}

/// The values in a headline. A value is null if the headline's code does not use it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct HeadlineParameters {
    /// The date of the withdrawal, expiry or replacement.
    pub(crate) date: Option<Timestamp>,
    /// The reason for a withdrawal.
    pub(crate) reason: Option<String>,
    pub(crate) domain: Option<String>,
    /// The name of an account that the operator confirms.
    pub(crate) name: Option<String>,
}

/// The verdict.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Validity {
    /// True if the asset is unchanged, in force and not disowned. Null if the asset could not be checked or was never issued.
    pub(crate) valid: Option<bool>,
    pub(crate) headline: Headline,
    pub(crate) integrity: Integrity,
    pub(crate) status: AssetStatus,
    /// Null, like `ledger` and `asset`, if this service does not have the ledger.
    pub(crate) issuer: Option<Issuer>,
    pub(crate) errors: Vec<Finding>,
    pub(crate) ledger: Option<BadgeLedger>,
    pub(crate) asset: Option<BadgeAsset>,
}

/// The members of a report that hold fetched documents. A report ends with these members. Each contains exactly the JSON text that was
/// fetched. Parsing and serializing a schema could change the order of its keys, on which the schema's id depends.
pub(crate) const DOCUMENTS: [&str; 3] = ["metadata", "evidence", "schema"];

/// The verdict, and all data with which a client can verify the asset itself.
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

/// The verdict and its data. The Worker only names the shape.
#[cfg(not(feature = "native"))]
pub(crate) enum Report {}
