//! The verdict on an asset, with its findings.

use order_core::Code;
use serde::{Deserialize, Serialize};

use crate::api::Integrity;
pub(crate) use crate::api::{Finding, Standing};

/// Findings of a verdict at most: whoever corrects these asks again.
pub(super) const FINDINGS_MAX: usize = 20;

/// Whether an asset is valid: unchanged and in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Validity {
    /// Its public data is proven under the ledger's imprint.
    Valid,
    /// It is not.
    Invalid,
    /// The asset was destroyed.
    Withdrawn,
    /// The asset could not be checked, or never existed.
    Unknown,
}

impl Validity {
    /// The value of the header `x-asset-validity`.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Withdrawn => "withdrawn",
            Self::Unknown => "unknown",
        }
    }

    /// `valid` of a report.
    pub(crate) const fn is_valid(self) -> Option<bool> {
        match self {
            Self::Valid => Some(true),
            Self::Invalid | Self::Withdrawn => Some(false),
            Self::Unknown => None,
        }
    }

    /// `integrity` of a report.
    pub(super) const fn integrity(self) -> Integrity {
        match self {
            Self::Valid => Integrity::Unchanged,
            Self::Invalid => Integrity::Changed,
            Self::Withdrawn | Self::Unknown => Integrity::NotChecked,
        }
    }
}

impl Finding {
    /// A reason why the asset could not be checked.
    pub(super) fn unavailable(reason: &str, path: &str, message: String) -> Self {
        let code = Some(Code::BadgeDataUnavailable.number());
        Self {
            code,
            reason: reason.to_owned(),
            path: path.to_owned(),
            message,
        }
    }

    /// A reason why there is no asset to be checked.
    pub(super) fn absent(reason: &str, path: &str, message: String) -> Self {
        Self {
            code: Some(Code::BadgeAssetNotFound.number()),
            ..Self::unavailable(reason, path, message)
        }
    }

    /// A reason against the asset.
    pub(super) fn against(reason: &str, path: String, message: String) -> Self {
        Self {
            code: None,
            reason: reason.to_owned(),
            path,
            message,
        }
    }
}

/// Whether an asset is valid, and why not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Verdict {
    /// The answer.
    pub(crate) validity: Validity,
    /// The asset's standing on its ledger.
    pub(crate) standing: Standing,
    /// Why it is not `valid`; empty if it is.
    pub(crate) findings: Vec<Finding>,
}

impl Verdict {
    /// Valid, unless something speaks against it.
    pub(super) fn from_findings(findings: impl IntoIterator<Item = Finding>) -> Self {
        let findings: Vec<Finding> = findings.into_iter().take(FINDINGS_MAX).collect();
        let validity = if findings.is_empty() {
            Validity::Valid
        } else {
            Validity::Invalid
        };
        Self {
            validity,
            standing: Standing::InForce,
            findings,
        }
    }

    /// The verdict on an asset that is not on its ledger.
    pub(super) fn absent(standing: Standing, why: Finding) -> Self {
        let validity = match standing {
            Standing::Withdrawn => Validity::Withdrawn,
            Standing::InForce | Standing::NeverIssued | Standing::UnknownLedger => {
                Validity::Unknown
            }
        };
        Self {
            validity,
            standing,
            findings: vec![why],
        }
    }

    /// Not checked.
    pub(super) fn unknown(why: Finding) -> Self {
        Self {
            validity: Validity::Unknown,
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
        let text = r#"{"validity":"unknown","standing":"inForce","findings":[{"code":400017,"reason":"timeout","path":"metadata","message":"late"}]}"#;
        assert_eq!(serde_json::to_string(&verdict).unwrap(), text);
        assert_eq!(serde_json::from_str::<Verdict>(text).unwrap(), verdict);
        assert_eq!(
            serde_json::to_string(&Verdict::from_findings([])).unwrap(),
            r#"{"validity":"valid","standing":"inForce","findings":[]}"#
        );
    }

    #[test]
    fn findings_make_invalid_and_are_bounded() {
        let finding = |number: usize| {
            Finding::against("not-covered", format!("metadata.{number}"), "…".to_owned())
        };
        assert_eq!(
            Verdict::from_findings((0..1).map(finding)).validity,
            Validity::Invalid
        );
        assert_eq!(
            Verdict::from_findings((0..100).map(finding)).findings.len(),
            FINDINGS_MAX
        );
    }
}
