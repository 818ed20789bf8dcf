//! The verdict on an asset, with its findings.

pub(crate) use cert_core::verdict::Validity;
use cert_core::verdict::{Judged, Row};
use order_core::{Code, Imprint};
use serde::{Deserialize, Serialize};

use super::headline::{headline, image};
use super::image::Name;
use crate::api::{AssetStatus, Headline, HeadlineCode};
pub(crate) use crate::api::{Finding, Integrity};
use crate::issuers::IssuerStanding;

/// Maximum number of findings about an asset's documents. A verdict can add one more. A caller who has fixed these can
/// request the verdict again.
pub(super) const FINDINGS_MAX: usize = 20;

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

/// Collects the findings against an asset. There may be millions of findings, so only [`FINDINGS_MAX`] are kept.
/// Findings that show a change take precedence.
#[derive(Debug, Default)]
pub(super) struct Against {
    changed: Vec<Finding>,
    others: Vec<Finding>,
}

impl Against {
    /// Adds a reason. Calls `finding` only if the finding is kept.
    pub(super) fn add(&mut self, reason: &str, finding: impl FnOnce() -> Finding) {
        let kept = match Integrity::of_reason(reason) {
            Integrity::Changed => &mut self.changed,
            _ => &mut self.others,
        };
        if kept.len() < FINDINGS_MAX {
            kept.push(finding());
        }
    }

    /// Returns the outcome of documents that were judged under the current imprint.
    pub(super) fn into_outcome(self, judged: &Judged) -> Outcome {
        let findings = self.changed.into_iter().chain(self.others);
        Outcome {
            integrity: judged.integrity,
            findings: findings.take(FINDINGS_MAX).collect(),
            expires_at: judged.expires_at,
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
        let Row { validity, .. } = self.headline.code.row();
        validity
    }

    /// Returns the service's own image for this verdict.
    pub(crate) const fn image(&self) -> Name {
        image(self.headline.code)
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
    }

    fn outcome(reasons: &[&str]) -> Outcome {
        let mut against = Against::default();
        for (number, reason) in reasons.iter().enumerate() {
            let path = format!("metadata.{number}");
            against.add(reason, || Finding::against(reason, path, "…".to_owned()));
        }
        against.into_outcome(&Judged {
            integrity: Integrity::Changed,
            expires_at: None,
            faults: Vec::new(),
        })
    }

    #[test]
    fn findings_are_bounded() {
        assert_eq!(outcome(&["not-covered"; 100]).findings.len(), FINDINGS_MAX);
    }

    #[test]
    fn a_change_is_reported_among_many_uncovered_values() {
        let mut reasons = vec!["not-covered"; 1_000];
        reasons.push("value-mismatch");
        let outcome = outcome(&reasons);
        assert_eq!(outcome.findings[0].path, "metadata.1000");
        assert_eq!(outcome.findings.len(), FINDINGS_MAX);
    }
}
