//! The verdict on an asset, with its findings.

use order_core::{Code, Imprint};
use serde::{Deserialize, Serialize};

use super::headline::headline;
use super::image::Name;
use crate::api::{AssetStatus, Headline, HeadlineCode};
pub(crate) use crate::api::{Finding, Integrity};
use crate::issuers::IssuerStanding;

/// Maximum number of findings about an asset's documents. A verdict can add one more. A caller who has fixed these can
/// request the verdict again.
pub(super) const FINDINGS_MAX: usize = 20;

/// The validity of an asset. A valid asset is unchanged and in force, and its issuer is not disowned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Validity {
    /// Its public data is proven under the ledger's imprint.
    Valid,
    /// Its public data is not proven or contradicts the imprint, or a domain disowns its issuer.
    Invalid,
    /// The asset was destroyed.
    Withdrawn,
    /// Its proven expiry date has passed.
    Expired,
    /// The public data belongs to an earlier imprint.
    Replaced,
    /// The asset could not be checked and its issuer is not disowned, or the asset never existed.
    Unknown,
}

impl Validity {
    /// Returns the value of the header `x-asset-validity`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Withdrawn => "withdrawn",
            Self::Expired => "expired",
            Self::Replaced => "replaced",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the value of the member `valid` of a report.
    pub(crate) const fn is_valid(self) -> Option<bool> {
        match self {
            Self::Valid => Some(true),
            Self::Invalid | Self::Withdrawn | Self::Expired | Self::Replaced => Some(false),
            Self::Unknown => None,
        }
    }
}

impl Finding {
    /// Creates the finding that the asset could not be checked, with code 400017.
    pub(super) fn unavailable(reason: &str, path: &str, message: String) -> Self {
        let code = Some(Code::BadgeDataUnavailable.number());
        Self {
            code,
            reason: reason.to_owned(),
            path: path.to_owned(),
            message,
        }
    }

    /// Creates the finding that there is no asset to check, with the code of an asset that was not found.
    pub(super) fn absent(reason: &str, path: &str, message: String) -> Self {
        Self {
            code: Some(Code::BadgeAssetNotFound.number()),
            ..Self::unavailable(reason, path, message)
        }
    }

    /// Creates a finding against the asset. Such a finding has no code.
    pub(super) fn against(reason: &str, path: String, message: String) -> Self {
        Self {
            code: None,
            reason: reason.to_owned(),
            path,
            message,
        }
    }
}

/// The result of checking an asset's documents. It depends on neither time nor issuer, so it can be cached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// The result of comparing the public values with the certified ones.
    pub(crate) integrity: Integrity,
    /// The reasons why the documents are not proven. Empty if they are proven.
    pub(crate) findings: Vec<Finding>,
    /// The time from which the certificate counts as expired, in milliseconds since 1970, if the evidence proves an expiry date.
    pub(crate) expires_at: Option<u64>,
    /// The earlier imprint under which the documents were checked. `None` if they were checked under the current imprint.
    pub(crate) earlier: Option<Imprint>,
}

/// The verdict on an asset at a moment.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) headline: Headline,
    pub(crate) integrity: Integrity,
    pub(crate) status: AssetStatus,
    pub(crate) issuer: IssuerStanding,
    /// The reasons why the asset is not valid. Empty if the asset is valid.
    pub(crate) findings: Vec<Finding>,
}

/// Returns the integrity of an asset that has only this finding. The integrity is `changed` only if a value or a hash differs from the
/// certified one.
fn integrity_of(reason: &str) -> Integrity {
    match reason {
        "value-mismatch" | "data-type-mismatch" | "imprint-mismatch" | "hash-mismatch"
        | "link-mismatch" => Integrity::Changed,
        "asset-mismatch" => Integrity::OtherAsset,
        _ => Integrity::NotCovered,
    }
}

/// Collects the findings against an asset. There may be millions of findings, so only [`FINDINGS_MAX`] are kept.
/// Findings that show a change take precedence.
#[derive(Debug, Default)]
pub(super) struct Against {
    changed: Vec<Finding>,
    others: Vec<Finding>,
    worst: Option<Integrity>,
}

impl Against {
    /// Adds a finding.
    pub(super) fn push(&mut self, finding: Finding) {
        self.add(&finding.reason.clone(), || finding);
    }

    /// Adds a reason. Calls `finding` only if the finding is kept.
    pub(super) fn add(&mut self, reason: &str, finding: impl FnOnce() -> Finding) {
        let integrity = integrity_of(reason);
        self.worst = self.worst.max(Some(integrity));
        let kept = match integrity {
            Integrity::Changed => &mut self.changed,
            _ => &mut self.others,
        };
        if kept.len() < FINDINGS_MAX {
            kept.push(finding());
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.worst.is_none()
    }

    /// Returns the outcome. Its integrity is that of the worst finding, and `unchanged` if there are no findings.
    pub(super) fn into_outcome(self) -> Outcome {
        let findings = self.changed.into_iter().chain(self.others);
        Outcome {
            integrity: self.worst.unwrap_or(Integrity::Unchanged),
            findings: findings.take(FINDINGS_MAX).collect(),
            expires_at: None,
            earlier: None,
        }
    }
}

impl Outcome {
    /// Returns the outcome if there are no documents to check, or if they could not be checked.
    pub(super) fn not_checked(why: Finding) -> Self {
        Self {
            integrity: Integrity::NotChecked,
            findings: vec![why],
            expires_at: None,
            earlier: None,
        }
    }
}

impl Verdict {
    /// Creates the verdict.
    pub(super) fn new(outcome: Outcome, status: AssetStatus, issuer: IssuerStanding) -> Self {
        let headline = headline(outcome.integrity, &status, &issuer);
        let mut findings = outcome.findings;
        // The check of the documents found no reason for these headlines, so a finding is added.
        let against = match headline.code {
            HeadlineCode::IssuerDisowned => Some(("issuer-disowned", "issuer")),
            HeadlineCode::Expired => Some(("expired", "assetId")),
            HeadlineCode::Replaced => Some(("replaced", "assetId")),
            _ => None,
        };
        if let Some((reason, path)) = against {
            findings.push(Finding::against(
                reason,
                path.to_owned(),
                headline.text.clone(),
            ));
        }
        // The documents belong to a destroyed asset. Its id was used again for a new asset.
        if headline.code == HeadlineCode::Withdrawn && findings.is_empty() {
            findings.push(Finding::absent(
                "withdrawn",
                "assetId",
                headline.text.clone(),
            ));
        }
        Self {
            headline,
            integrity: outcome.integrity,
            status,
            issuer,
            findings,
        }
    }

    pub(crate) const fn validity(&self) -> Validity {
        self.headline.code.row().validity
    }

    /// Returns the service's own image for this verdict.
    pub(crate) const fn image(&self) -> Name {
        self.headline.code.row().image
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_pinned() {
        let outcome = Outcome::not_checked(Finding::unavailable(
            "timeout",
            "metadata",
            "late".to_owned(),
        ));
        let text = r#"{"integrity":"notChecked","findings":[{"code":400017,"reason":"timeout","path":"metadata","message":"late"}],"expires_at":null,"earlier":null}"#;
        assert_eq!(serde_json::to_string(&outcome).unwrap(), text);
        assert_eq!(serde_json::from_str::<Outcome>(text).unwrap(), outcome);
        assert_eq!(
            serde_json::to_string(&Against::default().into_outcome()).unwrap(),
            r#"{"integrity":"unchanged","findings":[],"expires_at":null,"earlier":null}"#
        );
    }

    fn outcome(reasons: &[&str]) -> Outcome {
        let mut against = Against::default();
        for (number, reason) in reasons.iter().enumerate() {
            let path = format!("metadata.{number}");
            against.add(reason, || Finding::against(reason, path, "…".to_owned()));
        }
        against.into_outcome()
    }

    #[test]
    fn findings_are_bounded() {
        assert_eq!(outcome(&["not-covered"; 100]).findings.len(), FINDINGS_MAX);
    }

    #[test]
    fn only_a_differing_value_or_hash_counts_as_a_change() {
        for (reasons, integrity) in [
            (&[][..], Integrity::Unchanged),
            (&["not-covered"], Integrity::NotCovered),
            (&["asset-hidden"], Integrity::NotCovered),
            (&["nothing-proven"], Integrity::NotCovered),
            (&["evidence-malformed"], Integrity::NotCovered),
            (&["asset-mismatch"], Integrity::OtherAsset),
            (&["not-covered", "value-mismatch"], Integrity::Changed),
            (&["imprint-mismatch"], Integrity::Changed),
        ] {
            assert_eq!(outcome(reasons).integrity, integrity, "{reasons:?}");
        }
    }

    #[test]
    fn a_change_is_reported_among_many_uncovered_values() {
        let mut reasons = vec!["not-covered"; 1_000];
        reasons.push("value-mismatch");
        let outcome = outcome(&reasons);
        assert_eq!(outcome.integrity, Integrity::Changed);
        assert_eq!(outcome.findings[0].path, "metadata.1000");
        assert_eq!(outcome.findings.len(), FINDINGS_MAX);
    }
}
