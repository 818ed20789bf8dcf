//! The verdict on an asset, with its findings.

use order_core::Code;
use serde::{Deserialize, Serialize};

pub(crate) use crate::api::{Finding, Integrity, Standing};

/// Maximum number of findings in a verdict. A caller who has fixed these can ask again.
pub(super) const FINDINGS_MAX: usize = 20;

/// The validity of an asset. A valid asset is unchanged and in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Validity {
    /// Its public data is proven under the ledger's imprint.
    Valid,
    /// Its public data is not proven, or contradicts the imprint.
    Invalid,
    /// The asset was destroyed.
    Withdrawn,
    /// The asset could not be checked, or never existed.
    Unknown,
}

impl Validity {
    /// Returns the value of the header `x-asset-validity`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Withdrawn => "withdrawn",
            Self::Unknown => "unknown",
        }
    }

    /// Returns `valid` of a report.
    pub(crate) const fn is_valid(self) -> Option<bool> {
        match self {
            Self::Valid => Some(true),
            Self::Invalid | Self::Withdrawn => Some(false),
            Self::Unknown => None,
        }
    }
}

impl Finding {
    /// Creates the finding that the asset could not be checked.
    pub(super) fn unavailable(reason: &str, path: &str, message: String) -> Self {
        let code = Some(Code::BadgeDataUnavailable.number());
        Self {
            code,
            reason: reason.to_owned(),
            path: path.to_owned(),
            message,
        }
    }

    /// Creates the finding that there is no asset to check.
    pub(super) fn absent(reason: &str, path: &str, message: String) -> Self {
        Self {
            code: Some(Code::BadgeAssetNotFound.number()),
            ..Self::unavailable(reason, path, message)
        }
    }

    /// Creates a finding against the asset.
    pub(super) fn against(reason: &str, path: String, message: String) -> Self {
        Self {
            code: None,
            reason: reason.to_owned(),
            path,
            message,
        }
    }
}

/// The validity of an asset, with the reasons if it is not valid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    /// The answer.
    pub(crate) validity: Validity,
    /// The result of comparing the public values with the certified ones.
    pub(crate) integrity: Integrity,
    /// The asset's standing on its ledger.
    pub(crate) standing: Standing,
    /// The reasons why the asset is not valid. Empty if it is.
    pub(crate) findings: Vec<Finding>,
}

/// Returns the best integrity that a reason against an asset leaves. Only a reason that shows a difference means that a
/// value was changed.
fn integrity_of(reason: &str) -> Integrity {
    match reason {
        "value-mismatch" | "data-type-mismatch" | "imprint-mismatch" | "hash-mismatch"
        | "link-mismatch" => Integrity::Changed,
        "asset-mismatch" => Integrity::OtherAsset,
        _ => Integrity::NotCovered,
    }
}

/// Collects the reasons against an asset, of which there may be millions. Keeps the first [`FINDINGS_MAX`], with
/// reasons that show a change before all others.
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

    /// Adds a reason. Calls `finding` only if the reason is kept.
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

    /// Returns the verdict: valid if there are no findings.
    pub(super) fn into_verdict(self) -> Verdict {
        let validity = match self.worst {
            None => Validity::Valid,
            Some(_) => Validity::Invalid,
        };
        let findings = self.changed.into_iter().chain(self.others);
        Verdict {
            validity,
            integrity: self.worst.unwrap_or(Integrity::Unchanged),
            standing: Standing::InForce,
            findings: findings.take(FINDINGS_MAX).collect(),
        }
    }
}

impl Verdict {
    /// Returns the verdict for an asset that is not on its ledger.
    pub(super) fn absent(standing: Standing, why: Finding) -> Self {
        let validity = match standing {
            Standing::Withdrawn => Validity::Withdrawn,
            Standing::InForce | Standing::NeverIssued | Standing::UnknownLedger => {
                Validity::Unknown
            }
        };
        Self {
            validity,
            integrity: Integrity::NotChecked,
            standing,
            findings: vec![why],
        }
    }

    /// Returns the verdict for an asset that could not be checked.
    pub(super) fn unknown(why: Finding) -> Self {
        Self {
            validity: Validity::Unknown,
            integrity: Integrity::NotChecked,
            standing: Standing::InForce,
            findings: vec![why],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_pinned() {
        let verdict = Verdict::unknown(Finding::unavailable(
            "timeout",
            "metadata",
            "late".to_owned(),
        ));
        let text = r#"{"validity":"unknown","integrity":"notChecked","standing":"inForce","findings":[{"code":400017,"reason":"timeout","path":"metadata","message":"late"}]}"#;
        assert_eq!(serde_json::to_string(&verdict).unwrap(), text);
        assert_eq!(serde_json::from_str::<Verdict>(text).unwrap(), verdict);
        assert_eq!(
            serde_json::to_string(&Against::default().into_verdict()).unwrap(),
            r#"{"validity":"valid","integrity":"unchanged","standing":"inForce","findings":[]}"#
        );
    }

    fn verdict(reasons: &[&str]) -> Verdict {
        let mut against = Against::default();
        for (number, reason) in reasons.iter().enumerate() {
            let path = format!("metadata.{number}");
            against.add(reason, || Finding::against(reason, path, "…".to_owned()));
        }
        against.into_verdict()
    }

    #[test]
    fn findings_make_invalid_and_are_bounded() {
        assert_eq!(verdict(&["not-covered"]).validity, Validity::Invalid);
        assert_eq!(verdict(&["not-covered"; 100]).findings.len(), FINDINGS_MAX);
    }

    #[test]
    fn only_a_difference_says_that_something_was_changed() {
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
            assert_eq!(verdict(reasons).integrity, integrity, "{reasons:?}");
        }
    }

    #[test]
    fn a_change_is_named_however_many_values_are_uncovered() {
        let mut reasons = vec!["not-covered"; 1_000];
        reasons.push("value-mismatch");
        let verdict = verdict(&reasons);
        assert_eq!(verdict.integrity, Integrity::Changed);
        assert_eq!(verdict.findings[0].path, "metadata.1000");
        assert_eq!(verdict.findings.len(), FINDINGS_MAX);
    }
}
