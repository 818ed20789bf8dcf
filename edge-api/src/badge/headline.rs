//! The verdict in one line, with its parameters and its image. The library chooses the headline ([`cert_core::verdict`]).

use cert_core::verdict::{Row, headline as code};

use super::image::Name;
use crate::api::{AssetStatus, Headline, HeadlineCode, HeadlineParameters, Integrity, Timestamp};
use crate::issuers::IssuerStanding;
use crate::text::{date, day_of};

/// Returns the service's own image for a headline.
pub(super) const fn image(code: HeadlineCode) -> Name {
    match code {
        HeadlineCode::Changed | HeadlineCode::OtherAsset | HeadlineCode::NotProven => {
            Name::Untrusted
        }
        HeadlineCode::Withdrawn => Name::Withdrawn,
        HeadlineCode::NeverIssued | HeadlineCode::UnknownLedger => Name::NotIssued,
        HeadlineCode::IssuerDisowned => Name::Disowned,
        HeadlineCode::Expired => Name::Expired,
        HeadlineCode::Replaced => Name::Replaced,
        HeadlineCode::NotChecked => Name::Unknown,
        HeadlineCode::Valid | HeadlineCode::ValidByOperator => Name::Trusted,
        HeadlineCode::IssuerNoLongerConfirmed => Name::NoLongerConfirmed,
        HeadlineCode::IssuerNotConfirmed => Name::Unconfirmed,
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
    use cert_core::verdict::{Look, StatusKind};

    use super::*;
    use crate::api::CheckedBy;
    use crate::issuers::Confirmation;

    #[test]
    fn the_green_headlines_have_the_image_for_confirmed_issuers() {
        for code in HeadlineCode::ALL {
            assert_eq!(
                image(code) == Name::Trusted,
                code.row().look == Look::Green,
                "{code:?}"
            );
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
