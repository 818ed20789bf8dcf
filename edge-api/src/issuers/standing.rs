//! The standing of an issuing account, which decides the issuer's part of a verdict: the statements of its domains and of the
//! operator.

use order_core::Address;

use crate::api::{self, CheckedBy, IssuerKind, Timestamp};

/// A domain's statement that an account is its own. Times are milliseconds since 1970.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Confirmation {
    /// The domain in the form for display: in Punycode if it mixes scripts.
    pub(crate) domain: String,
    /// The name and logo in the domain's file.
    pub(crate) name: Option<String>,
    pub(crate) logo: Option<String>,
    pub(crate) first_seen: u64,
    pub(crate) last_seen: u64,
    pub(crate) checked_by: CheckedBy,
}

/// The standing of an issuing account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IssuerStanding {
    /// No domain has confirmed the account for this ledger, the operator does not confirm it, and no domain disowns it.
    NotConfirmed,
    /// The domain confirms the account now.
    Confirmed(Confirmation),
    /// The operator of this service confirms the account under this name. `domain` is the domain of the service.
    Operator { name: String, domain: String },
    /// The domain confirmed the account from `first_seen` to `last_seen`, and no longer does.
    WasConfirmed(Confirmation),
    /// The domain disowns the account. It may have confirmed the account before. `other` is another domain that confirms the
    /// account now: the account names it, and the thief of a key could do so too.
    Disowned {
        domain: String,
        earlier: Option<Confirmation>,
        other: Option<String>,
    },
}

impl IssuerStanding {
    pub(crate) const fn kind(&self) -> IssuerKind {
        match self {
            Self::NotConfirmed => IssuerKind::NotConfirmed,
            Self::Confirmed(_) => IssuerKind::Confirmed,
            Self::Operator { .. } => IssuerKind::Operator,
            Self::WasConfirmed(_) => IssuerKind::WasConfirmed,
            Self::Disowned { .. } => IssuerKind::Disowned,
        }
    }

    /// Returns the domain that confirms, confirmed or disowns the account. For a confirmation by the operator, this is the
    /// service's own domain. `None` for [`Self::NotConfirmed`].
    pub(crate) fn domain(&self) -> Option<&str> {
        match self {
            Self::NotConfirmed => None,
            Self::Operator { domain, .. } | Self::Disowned { domain, .. } => Some(domain),
            Self::Confirmed(by) | Self::WasConfirmed(by) => Some(&by.domain),
        }
    }

    /// Returns the name under which the operator confirms the account. `None` in every other standing.
    pub(crate) fn operators_name(&self) -> Option<&str> {
        match self {
            Self::Operator { name, .. } => Some(name),
            _ => None,
        }
    }

    /// Returns the issuer as `/badge.json` shows it.
    pub(crate) fn view(&self, account: Address) -> api::Issuer {
        let kind = self.kind();
        let issuer = api::Issuer {
            account,
            kind,
            confirmed: matches!(kind, IssuerKind::Confirmed | IssuerKind::Operator),
            domain: self.domain().map(str::to_owned),
            other_domain: None,
            name: self.operators_name().map(str::to_owned),
            logo: None,
            first_seen: None,
            last_seen: None,
            checked_by: None,
        };
        match self {
            Self::NotConfirmed => issuer,
            Self::Operator { .. } => api::Issuer {
                checked_by: Some(CheckedBy::Operator),
                ..issuer
            },
            Self::Confirmed(by) | Self::WasConfirmed(by) => api::Issuer {
                name: by.name.clone(),
                logo: by.logo.clone(),
                ..seen(by, issuer)
            },
            // The domain's name and logo are left out, because they would make the disowned account look genuine.
            Self::Disowned { earlier, other, .. } => {
                let issuer = api::Issuer {
                    other_domain: other.clone(),
                    ..issuer
                };
                match earlier {
                    Some(by) => seen(by, issuer),
                    None => issuer,
                }
            }
        }
    }
}

/// Adds the period in which a domain confirmed the account.
fn seen(by: &Confirmation, issuer: api::Issuer) -> api::Issuer {
    api::Issuer {
        first_seen: Some(Timestamp(by.first_seen)),
        last_seen: Some(Timestamp(by.last_seen)),
        checked_by: Some(by.checked_by),
        ..issuer
    }
}
