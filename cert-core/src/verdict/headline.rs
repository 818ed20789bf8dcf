//! The verdict in one line. [`HeadlineCode::row`] is the only table of headlines.

use crate::json::strings::strings;
use crate::verdict::integrity::Integrity;
use crate::verdict::status::StatusKind;

/// Whether a domain or the operator confirms the issuing account.
///
/// - `confirmed`: a domain confirms the account now.
/// - `operator`: the operator of this service confirms the account.
/// - `wasConfirmed`: a domain confirmed the account from `firstSeen` to `lastSeen`, and no longer does.
/// - `disowned`: a domain says that the account is not its own.
/// - `notConfirmed`: neither a domain nor the operator has ever confirmed the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename_all = "camelCase")
)]
#[expect(missing_docs, reason = "the list above describes the variants")]
pub enum IssuerKind {
    Confirmed,
    Operator,
    WasConfirmed,
    Disowned,
    NotConfirmed,
}

strings!(IssuerKind {
    Self::Confirmed => "confirmed",
    Self::Operator => "operator",
    Self::WasConfirmed => "wasConfirmed",
    Self::Disowned => "disowned",
    Self::NotConfirmed => "notConfirmed",
});

/// The code of the headline. Later versions may add codes. For an unknown code, show the headline's `text` in the colour of `look`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename_all = "kebab-case")
)]
#[expect(missing_docs, reason = "the specification's table describes the codes")]
pub enum HeadlineCode {
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

strings!(HeadlineCode {
    Self::Changed => "changed",
    Self::OtherAsset => "other-asset",
    Self::Withdrawn => "withdrawn",
    Self::NeverIssued => "never-issued",
    Self::UnknownLedger => "unknown-ledger",
    Self::IssuerDisowned => "issuer-disowned",
    Self::NotProven => "not-proven",
    Self::Expired => "expired",
    Self::Replaced => "replaced",
    Self::NotChecked => "not-checked",
    Self::Valid => "valid",
    Self::ValidByOperator => "valid-by-operator",
    Self::IssuerNoLongerConfirmed => "issuer-no-longer-confirmed",
    Self::IssuerNotConfirmed => "issuer-not-confirmed",
});

/// The colour of a headline. Only certificates of a confirmed issuer are `green`. Withdrawn certificates are `grey-red`,
/// because they are neither valid nor forged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(rename_all = "kebab-case")
)]
#[expect(missing_docs, reason = "the variants are colours")]
pub enum Look {
    Green,
    Amber,
    Red,
    GreyRed,
    Grey,
}

strings!(Look {
    Self::Green => "green",
    Self::Amber => "amber",
    Self::Red => "red",
    Self::GreyRed => "grey-red",
    Self::Grey => "grey",
});

/// The validity of an asset. A valid asset is unchanged and in force, and its issuer is not disowned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
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

strings!(Validity {
    Self::Valid => "valid",
    Self::Invalid => "invalid",
    Self::Withdrawn => "withdrawn",
    Self::Expired => "expired",
    Self::Replaced => "replaced",
    Self::Unknown => "unknown",
});

impl Validity {
    /// Returns the member `valid` of `/badge.json`. `None` if the asset could not be checked or was never issued.
    #[must_use]
    pub const fn is_valid(self) -> Option<bool> {
        match self {
            Self::Valid => Some(true),
            Self::Invalid | Self::Withdrawn | Self::Expired | Self::Replaced => Some(false),
            Self::Unknown => None,
        }
    }
}

/// The part of a verdict that causes a headline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The integrity has this value.
    Integrity(Integrity),
    /// The status has this value.
    Status(StatusKind),
    /// The issuer has this standing.
    Issuer(IssuerKind),
    /// No other headline applies.
    Otherwise,
}

/// A headline: its cause, and the properties that service, pages and elements share.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The cause. Of the headlines whose cause applies, the first of [`HeadlineCode::ALL`] counts.
    pub cause: Cause,
    /// The colour.
    pub look: Look,
    /// The validity.
    pub validity: Validity,
    /// The line in English. `{date}`, `{domain}` and `{name}` are placeholders for parameters.
    pub text: &'static str,
}

impl HeadlineCode {
    /// All codes, in their order of precedence.
    pub const ALL: [Self; 14] = [
        Self::Changed,
        Self::OtherAsset,
        Self::Withdrawn,
        Self::NeverIssued,
        Self::UnknownLedger,
        Self::IssuerDisowned,
        Self::NotProven,
        Self::Expired,
        Self::Replaced,
        Self::NotChecked,
        Self::Valid,
        Self::ValidByOperator,
        Self::IssuerNoLongerConfirmed,
        Self::IssuerNotConfirmed,
    ];

    /// Returns the headline's row.
    #[must_use]
    pub const fn row(self) -> Row {
        use Look::{Amber, Green, Grey, GreyRed, Red};
        let (cause, look, validity, text) = match self {
            Self::Changed => (
                Cause::Integrity(Integrity::Changed),
                Red,
                Validity::Invalid,
                "Changed",
            ),
            Self::OtherAsset => (
                Cause::Integrity(Integrity::OtherAsset),
                Red,
                Validity::Invalid,
                "Copied from another certificate",
            ),
            Self::Withdrawn => (
                Cause::Status(StatusKind::Withdrawn),
                GreyRed,
                Validity::Withdrawn,
                "Withdrawn on {date}",
            ),
            Self::NeverIssued => (
                Cause::Status(StatusKind::NeverIssued),
                Red,
                Validity::Unknown,
                "Never issued",
            ),
            Self::UnknownLedger => (
                Cause::Status(StatusKind::UnknownLedger),
                Red,
                Validity::Unknown,
                "Never issued: no such ledger",
            ),
            Self::IssuerDisowned => (
                Cause::Issuer(IssuerKind::Disowned),
                Red,
                Validity::Invalid,
                "{domain} says this account is not theirs",
            ),
            Self::NotProven => (
                Cause::Integrity(Integrity::NotCovered),
                Red,
                Validity::Invalid,
                "Shows more than was proven",
            ),
            Self::Expired => (
                Cause::Status(StatusKind::Expired),
                Amber,
                Validity::Expired,
                "Expired: it was valid until {date}",
            ),
            Self::Replaced => (
                Cause::Status(StatusKind::Replaced),
                Amber,
                Validity::Replaced,
                "Replaced on {date}",
            ),
            Self::NotChecked => (
                Cause::Integrity(Integrity::NotChecked),
                Grey,
                Validity::Unknown,
                "Could not be checked",
            ),
            Self::Valid => (
                Cause::Issuer(IssuerKind::Confirmed),
                Green,
                Validity::Valid,
                "Valid. Issued by {domain}",
            ),
            Self::ValidByOperator => (
                Cause::Issuer(IssuerKind::Operator),
                Green,
                Validity::Valid,
                "Valid. Issued by {name}, confirmed by {domain}",
            ),
            Self::IssuerNoLongerConfirmed => (
                Cause::Issuer(IssuerKind::WasConfirmed),
                Amber,
                Validity::Valid,
                "Unchanged, but {domain} no longer confirms the issuer",
            ),
            Self::IssuerNotConfirmed => (
                Cause::Otherwise,
                Amber,
                Validity::Valid,
                "Unchanged. Issuer not confirmed",
            ),
        };
        Row {
            cause,
            look,
            validity,
            text,
        }
    }
}

/// Returns the headline of a verdict: the first whose cause applies.
#[must_use]
pub fn headline(integrity: Integrity, status: StatusKind, issuer: IssuerKind) -> HeadlineCode {
    let applies = |code: &HeadlineCode| match code.row().cause {
        Cause::Integrity(cause) => cause == integrity,
        Cause::Status(cause) => cause == status,
        Cause::Issuer(cause) => cause == issuer,
        Cause::Otherwise => true,
    };
    let found = HeadlineCode::ALL.into_iter().find(applies);
    found.unwrap_or(HeadlineCode::IssuerNotConfirmed)
}
