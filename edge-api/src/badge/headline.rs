//! The verdict in one line. [`headline`] computes it from integrity, status and issuer. `docs/spec/evidence.md` has the
//! order of precedence.

use super::image::Name;
use super::verdict::Validity;
use crate::api::{
    AssetStatus, Headline, HeadlineCode, HeadlineParameters, Integrity, IssuerKind, Look,
    StatusKind, Timestamp,
};
use crate::issuers::IssuerStanding;
use crate::text::{date, day_of};

/// One headline: its code, and the properties that badge, report, client and pages share.
pub(super) struct Row {
    pub(super) look: Look,
    pub(super) image: Name,
    pub(super) validity: Validity,
    /// The line in English. `{date}`, `{domain}` and `{name}` are placeholders for parameters.
    text: &'static str,
}

impl HeadlineCode {
    pub(super) const fn row(self) -> Row {
        use Look::{Amber, Green, Grey, GreyRed, Red};
        let (look, image, validity, text) = match self {
            Self::Changed => (Red, Name::Untrusted, Validity::Invalid, "Changed"),
            Self::OtherAsset => (
                Red,
                Name::Untrusted,
                Validity::Invalid,
                "Copied from another certificate",
            ),
            Self::Withdrawn => (
                GreyRed,
                Name::Withdrawn,
                Validity::Withdrawn,
                "Withdrawn on {date}",
            ),
            Self::NeverIssued => (Red, Name::NotIssued, Validity::Unknown, "Never issued"),
            Self::UnknownLedger => (
                Red,
                Name::NotIssued,
                Validity::Unknown,
                "Never issued: no such ledger",
            ),
            Self::IssuerDisowned => (
                Red,
                Name::Disowned,
                Validity::Invalid,
                "{domain} says this account is not theirs",
            ),
            Self::NotProven => (
                Red,
                Name::Untrusted,
                Validity::Invalid,
                "Shows more than was proven",
            ),
            Self::Expired => (
                Amber,
                Name::Expired,
                Validity::Expired,
                "Expired: it was valid until {date}",
            ),
            Self::Replaced => (
                Amber,
                Name::Replaced,
                Validity::Replaced,
                "Replaced on {date}",
            ),
            Self::NotChecked => (
                Grey,
                Name::Unknown,
                Validity::Unknown,
                "Could not be checked",
            ),
            Self::Valid => (
                Green,
                Name::Trusted,
                Validity::Valid,
                "Valid. Issued by {domain}",
            ),
            Self::ValidByOperator => (
                Green,
                Name::Trusted,
                Validity::Valid,
                "Valid. Issued by {name}, confirmed by {domain}",
            ),
            Self::IssuerNoLongerConfirmed => (
                Amber,
                Name::NoLongerConfirmed,
                Validity::Valid,
                "Unchanged, but {domain} no longer confirms the issuer",
            ),
            Self::IssuerNotConfirmed => (
                Amber,
                Name::Unconfirmed,
                Validity::Valid,
                "Unchanged. Issuer not confirmed",
            ),
        };
        Row {
            look,
            image,
            validity,
            text,
        }
    }
}

/// Returns the headline code of a verdict. This is the only function that chooses a headline.
pub(super) const fn code(
    integrity: Integrity,
    status: StatusKind,
    issuer: IssuerKind,
) -> HeadlineCode {
    match (integrity, status, issuer) {
        (Integrity::Changed, _, _) => HeadlineCode::Changed,
        (Integrity::OtherAsset, _, _) => HeadlineCode::OtherAsset,
        (_, StatusKind::Withdrawn, _) => HeadlineCode::Withdrawn,
        (_, StatusKind::NeverIssued, _) => HeadlineCode::NeverIssued,
        (_, StatusKind::UnknownLedger, _) => HeadlineCode::UnknownLedger,
        (_, _, IssuerKind::Disowned) => HeadlineCode::IssuerDisowned,
        (Integrity::NotCovered, _, _) => HeadlineCode::NotProven,
        (_, StatusKind::Expired, _) => HeadlineCode::Expired,
        (_, StatusKind::Replaced, _) => HeadlineCode::Replaced,
        (Integrity::NotChecked, StatusKind::InForce, _) => HeadlineCode::NotChecked,
        (Integrity::Unchanged, StatusKind::InForce, issuer) => match issuer {
            IssuerKind::Confirmed => HeadlineCode::Valid,
            IssuerKind::Operator => HeadlineCode::ValidByOperator,
            IssuerKind::WasConfirmed => HeadlineCode::IssuerNoLongerConfirmed,
            IssuerKind::NotConfirmed | IssuerKind::Disowned => HeadlineCode::IssuerNotConfirmed,
        },
    }
}

/// Returns the headline of a verdict, with its parameters.
pub(super) fn headline(
    integrity: Integrity,
    status: &AssetStatus,
    issuer: &IssuerStanding,
) -> Headline {
    let code = code(integrity, status.kind, issuer.kind());
    let Row { look, text, .. } = code.row();
    // Only the parameters that the text shows are returned: those with a placeholder, and the reason for a withdrawal.
    let has = |place: &str| text.contains(place);
    let parameters = HeadlineParameters {
        date: status
            .since
            .filter(|_| has("{date}"))
            .map(|since| match code {
                // A certificate that is valid until a day expires at the start of the next day.
                HeadlineCode::Expired => Timestamp(since.0.saturating_sub(1)),
                _ => since,
            }),
        reason: match code {
            HeadlineCode::Withdrawn => status.reason.clone(),
            _ => None,
        },
        domain: has("{domain}")
            .then(|| issuer.domain().map(str::to_owned))
            .flatten(),
        name: has("{name}")
            .then(|| issuer.operators_name().map(str::to_owned))
            .flatten(),
    };
    Headline {
        code,
        look,
        text: filled(text, &parameters),
        parameters,
    }
}

/// Replaces the placeholders of the line, and appends the reason if there is one. Placeholders inside an inserted value
/// are not replaced.
fn filled(line: &str, parameters: &HeadlineParameters) -> String {
    let mut text = String::new();
    for part in line.split_inclusive('}') {
        let (before, place) = part.split_once('{').unwrap_or((part, ""));
        text.push_str(before);
        match place {
            "date}" => {
                let day = parameters.date.map(|date| day_of(date.0));
                text.push_str(day.map(date).as_deref().unwrap_or("an unknown date"));
            }
            "domain}" => text.push_str(parameters.domain.as_deref().unwrap_or_default()),
            "name}" => text.push_str(parameters.name.as_deref().unwrap_or_default()),
            _ => {}
        }
    }
    if let Some(reason) = &parameters.reason {
        text.push_str(": ");
        text.push_str(reason);
    }
    text
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;
    use crate::api::CheckedBy;
    use crate::issuers::Confirmation;

    const INTEGRITIES: [Integrity; 5] = [
        Integrity::Unchanged,
        Integrity::NotCovered,
        Integrity::OtherAsset,
        Integrity::Changed,
        Integrity::NotChecked,
    ];
    const STATUSES: [StatusKind; 6] = [
        StatusKind::InForce,
        StatusKind::Withdrawn,
        StatusKind::Expired,
        StatusKind::Replaced,
        StatusKind::NeverIssued,
        StatusKind::UnknownLedger,
    ];
    const ISSUERS: [IssuerKind; 5] = [
        IssuerKind::NotConfirmed,
        IssuerKind::Confirmed,
        IssuerKind::Operator,
        IssuerKind::WasConfirmed,
        IssuerKind::Disowned,
    ];

    /// The test vectors that the pages use too.
    #[derive(Deserialize)]
    struct Vectors {
        integrity: Vec<String>,
        status: Vec<String>,
        issuer: Vec<String>,
        headlines: Vec<Expected>,
    }

    #[derive(Deserialize)]
    struct Expected {
        code: String,
        look: String,
        validity: String,
        when: When,
    }

    /// The parts of a verdict. A part that is `None` may have any value.
    #[derive(Deserialize)]
    struct When {
        integrity: Option<String>,
        status: Option<String>,
        issuer: Option<String>,
    }

    /// Returns the name of a part in reports.
    fn name(part: impl Serialize) -> String {
        serde_json::from_value(serde_json::to_value(part).unwrap()).unwrap()
    }

    #[test]
    fn every_combination_has_the_first_matching_headline_of_the_vectors() {
        let vectors = include_str!("../../../tests/vectors/verdict/headlines.json");
        let vectors: Vectors = serde_json::from_str(vectors).unwrap();
        assert_eq!(vectors.integrity, INTEGRITIES.map(name));
        assert_eq!(vectors.status, STATUSES.map(name));
        assert_eq!(vectors.issuer, ISSUERS.map(name));
        let mut seen = Vec::new();
        for integrity in INTEGRITIES {
            for status in STATUSES {
                for issuer in ISSUERS {
                    let is = |wanted: &Option<String>, part: String| {
                        wanted.as_ref().is_none_or(|wanted| *wanted == part)
                    };
                    let expected = vectors.headlines.iter().find(|expected| {
                        is(&expected.when.integrity, name(integrity))
                            && is(&expected.when.status, name(status))
                            && is(&expected.when.issuer, name(issuer))
                    });
                    let expected = expected.unwrap();
                    let found = code(integrity, status, issuer);
                    let row = found.row();
                    assert_eq!(
                        (name(found), name(row.look), row.validity.as_str()),
                        (
                            expected.code.clone(),
                            expected.look.clone(),
                            expected.validity.as_str()
                        ),
                        "{integrity:?} {status:?} {issuer:?}"
                    );
                    seen.push(name(found));
                }
            }
        }
        for expected in vectors.headlines {
            assert!(
                seen.contains(&expected.code),
                "{} is unreachable",
                expected.code
            );
        }
    }

    #[test]
    fn green_requires_an_unchanged_asset_in_force_of_a_confirmed_issuer() {
        for integrity in INTEGRITIES {
            for status in STATUSES {
                for issuer in ISSUERS {
                    let row = code(integrity, status, issuer).row();
                    let deserved = (integrity, status)
                        == (Integrity::Unchanged, StatusKind::InForce)
                        && matches!(issuer, IssuerKind::Confirmed | IssuerKind::Operator);
                    assert_eq!(row.look == Look::Green, deserved);
                    assert_eq!(row.image == Name::Trusted, deserved);
                }
            }
        }
    }

    fn of(status: StatusKind, issuer: &IssuerStanding) -> Headline {
        let status = AssetStatus {
            kind: status,
            since: Some(Timestamp(1_790_000_000_000)),
            reason: Some("issued by mistake, see {domain}".to_owned()),
            reason_by: None,
            expires_at: None,
        };
        headline(Integrity::Unchanged, &status, issuer)
    }

    #[test]
    fn headlines_insert_parameters_and_keep_the_braces_inside_them() {
        let confirmation = |domain: &str| Confirmation {
            domain: domain.to_owned(),
            name: Some("University of Example".to_owned()),
            logo: None,
            first_seen: 1,
            last_seen: 2,
            checked_by: CheckedBy::Dns,
        };
        let operator = IssuerStanding::Operator {
            name: "Payroll {domain}".to_owned(),
            domain: "assay.example".to_owned(),
        };
        let braces = IssuerStanding::Confirmed(confirmation("{date}.example"));
        let uni = confirmation("uni.example");
        let none = IssuerStanding::NotConfirmed;
        for (status, issuer, text) in [
            (
                StatusKind::Withdrawn,
                &none,
                "Withdrawn on 2026-09-21: issued by mistake, see {domain}",
            ),
            (
                StatusKind::Expired,
                &braces,
                "Expired: it was valid until 2026-09-21",
            ),
            (StatusKind::Replaced, &none, "Replaced on 2026-09-21"),
            (StatusKind::NeverIssued, &none, "Never issued"),
            (
                StatusKind::InForce,
                &none,
                "Unchanged. Issuer not confirmed",
            ),
            (
                StatusKind::InForce,
                &braces,
                "Valid. Issued by {date}.example",
            ),
            (
                StatusKind::InForce,
                &operator,
                "Valid. Issued by Payroll {domain}, confirmed by assay.example",
            ),
            (
                StatusKind::InForce,
                &IssuerStanding::WasConfirmed(uni.clone()),
                "Unchanged, but uni.example no longer confirms the issuer",
            ),
            (
                StatusKind::InForce,
                &IssuerStanding::Disowned {
                    domain: "uni.example".to_owned(),
                    earlier: Some(uni),
                    other: Some("thief.example".to_owned()),
                },
                "uni.example says this account is not theirs",
            ),
        ] {
            let headline = of(status, issuer);
            assert_eq!(headline.text, text);
            let given = headline.parameters;
            assert_eq!(
                given.reason.is_some(),
                headline.code == HeadlineCode::Withdrawn
            );
            assert_eq!(given.date.is_some(), text.contains("2026"));
            assert_eq!(given.domain.is_some(), text.contains(".example"));
            assert_eq!(given.name.is_some(), text.contains("Payroll"));
        }
    }
}
