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

/// The asset's status on its ledger. `unknownLedger`: this service does not have that ledger.
///
/// - `inForce`: the asset is on its ledger.
/// - `withdrawn`: it was destroyed.
/// - `expired`: the proven expiry date has passed.
/// - `replaced`: its imprint was updated, and the documents are those of an earlier imprint.
/// - `neverIssued`: the ledger never had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum StatusKind {
    InForce,
    Withdrawn,
    Expired,
    Replaced,
    NeverIssued,
    UnknownLedger,
}

/// The status, with its date and reason.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AssetStatus {
    pub(crate) kind: StatusKind,
    /// The time of issue, withdrawal, expiry or replacement; null where it is not known, or there never was such an asset.
    pub(crate) since: Option<Timestamp>,
    /// The reason of a withdrawal, in the words of `reasonBy`: plain text of at most 280 characters.
    pub(crate) reason: Option<String>,
    pub(crate) reason_by: Option<ReasonAuthor>,
    /// The first moment at which the asset is expired, if its documents prove one.
    pub(crate) expires_at: Option<Timestamp>,
}

/// The account that gave the reason of a withdrawal.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct ReasonAuthor {
    pub(crate) account: Address,
    pub(crate) role: ReasonRole,
}

/// `issuer`: the ledger's owner. `holder`: the asset's last owner. `other`: the creator of the order that destroyed it.
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
    /// Null if the reason is about the asset itself.
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
    /// Null if the asset is not on its ledger, like `ownerId` and `updatedAt`.
    pub(crate) imprint: Option<Imprint>,
    pub(crate) uri: String,
    /// The current holder.
    pub(crate) owner_id: Option<Address>,
    /// The time of issue. Null if the asset was never issued, or if the time is not known.
    pub(crate) created_at: Option<Timestamp>,
    /// The time of the last change of its imprint or holder.
    pub(crate) updated_at: Option<Timestamp>,
    /// The time at which it was destroyed, if it is no longer on its ledger.
    pub(crate) withdrawn_at: Option<Timestamp>,
    /// The last time at which an asset of this id was destroyed, if the id was created again since.
    pub(crate) withdrawn_before: Option<Timestamp>,
    /// The imprints that an asset of this id had before, the latest first; at most a hundred.
    pub(crate) past_imprints: Vec<PastImprint>,
}

/// An imprint that an asset had before.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct PastImprint {
    pub(crate) imprint: Imprint,
    pub(crate) ended_at: Timestamp,
    /// Whether the asset was destroyed then. Otherwise its imprint was updated.
    pub(crate) withdrawn: bool,
}

/// A list about whose length something is proven. Only evidence of AIH-2 can prove it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BadgeList {
    pub(crate) path: String,
    /// The maximum number of items that it can have.
    pub(crate) at_most: u64,
    /// The number of its items, if that is proven.
    pub(crate) length: Option<u64>,
    /// True if no item is hidden.
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
    /// A stable text. Null for a proven value.
    pub(crate) reason: Option<String>,
}

/// Whether a value is certified. `not-proven`: the evidence contradicts it. `not-covered`: the evidence does not mention
/// it.
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
    /// The completeness of lists, as far as evidence of AIH-2 proves it. At most 100.
    pub(crate) lists: Vec<BadgeList>,
    /// The values, with the result for each. At most 500. Empty if they could not be checked.
    pub(crate) values: Vec<BadgeValue>,
    /// The number of values left out.
    pub(crate) omitted_values: u64,
}

/// Whether somebody vouches for the issuing account.
///
/// - `confirmed`: its domain names the account now.
/// - `operator`: the operator of this service confirms it.
/// - `wasConfirmed`: a domain named the account from `firstSeen` to `lastSeen`, and no longer does.
/// - `disowned`: the domain says that the account is not its own.
/// - `notConfirmed`: no domain names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum IssuerKind {
    Confirmed,
    Operator,
    WasConfirmed,
    Disowned,
    NotConfirmed,
}

/// The source of a confirmation: `https://<domain>/.well-known/did.json`, a TXT record, or a setting of this service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum CheckedBy {
    DidJson,
    Dns,
    Operator,
}

/// The issuer of the certificate. All but `account`, `kind` and `confirmed` are null where no domain ever vouched for the account.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Issuer {
    /// The ledger's owner.
    pub(crate) account: Address,
    pub(crate) kind: IssuerKind,
    /// Whether `kind` is `confirmed` or `operator`.
    pub(crate) confirmed: bool,
    /// The domain that confirms, confirmed or disowns the account. For `operator`, the domain of this service.
    pub(crate) domain: Option<String>,
    /// The name that the domain or the operator gives the account. Shown only next to the domain.
    pub(crate) name: Option<String>,
    /// The address of a logo, from the domain.
    pub(crate) logo: Option<String>,
    /// The first and the last time at which the domain named the account.
    pub(crate) first_seen: Option<Timestamp>,
    pub(crate) last_seen: Option<Timestamp>,
    pub(crate) checked_by: Option<CheckedBy>,
}

/// The verdict as one code. Later versions may add codes: `look` says how to show one that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum HeadlineCode {
    Changed,
    OtherAsset,
    Withdrawn,
    NeverIssued,
    UnknownLedger,
    IssuerDisowned,
    NotProven,
    Expired,
    Replaced,
    NotChecked,
    Valid,
    ValidByOperator,
    IssuerNoLongerConfirmed,
    IssuerNotConfirmed,
}

/// The colour that a headline is shown in. Only certificates of a confirmed issuer are `green`. Withdrawn certificates are `grey-red`,
/// because they are neither invalid nor forged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Look {
    Green,
    Amber,
    Red,
    GreyRed,
    Grey,
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

/// The values in a headline; null where its code has no such value.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct HeadlineParameters {
    /// The date of withdrawal, expiry or replacement.
    pub(crate) date: Option<Timestamp>,
    /// The reason of a withdrawal.
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
    /// True if the asset is unchanged, in force and not disowned. Null if it could not be checked, or does not exist.
    pub(crate) valid: Option<bool>,
    pub(crate) headline: Headline,
    pub(crate) integrity: Integrity,
    pub(crate) status: AssetStatus,
    /// Null if this service does not have the ledger, like `ledger` and `asset`.
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
