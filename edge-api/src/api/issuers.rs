//! The domains of issuers, and the checks of them.

use order_core::Address;
use serde::Serialize;

use super::{CheckedBy, Timestamp};

/// Whether a domain confirms an account.
///
/// - `pending`: the first check has not ended.
/// - `confirmed`: the domain names the account.
/// - `notConfirmed`: it does not, or has not answered for a week.
/// - `disowned`: it says that the account is not its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum DomainState {
    Pending,
    Confirmed,
    NotConfirmed,
    Disowned,
}

/// A period in which a domain confirmed an account.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct ConfirmedPeriod {
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
}

/// The domain that an account names as its own; empty where it names none.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuerDomain {
    /// In lower case and Punycode.
    pub(crate) domain: Option<String>,
    /// For people: in its own script if that cannot be mistaken for another name.
    pub(crate) display_domain: Option<String>,
    /// The ledger that it is for; null if it is for all ledgers without one of their own.
    pub(crate) ledger_id: Option<Address>,
    pub(crate) state: Option<DomainState>,
    /// Whether a check was asked for that has not ended.
    pub(crate) is_being_checked: bool,
    pub(crate) checked_by: Option<CheckedBy>,
    /// The only ledgers that the domain confirms; null if it confirms all.
    pub(crate) ledgers: Option<Vec<Address>>,
    /// Name and logo in the domain's file.
    pub(crate) name: Option<String>,
    pub(crate) logo: Option<String>,
    /// The first and the last time at which the domain confirmed the account, in the latest period.
    pub(crate) first_seen: Option<Timestamp>,
    pub(crate) last_seen: Option<Timestamp>,
    /// Earlier periods, at most ten.
    pub(crate) earlier: Vec<ConfirmedPeriod>,
    pub(crate) checked_at: Option<Timestamp>,
    /// Null if no check follows: set the domain again for another one.
    pub(crate) next_check_at: Option<Timestamp>,
    /// Why the last check did not confirm: a stable text.
    pub(crate) reason: Option<String>,
    /// A sentence about the reason, with advice.
    pub(crate) message: Option<String>,
}

/// The result of a check. `unclear`: a server did not answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum CheckResult {
    Confirmed,
    NotConfirmed,
    Disowned,
    Unclear,
}

/// A reason with a sentence that says what to do.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct Advice {
    /// A stable text.
    pub(crate) reason: String,
    pub(crate) message: String,
}

/// The check of a domain's file, or of its DNS records.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Way {
    /// The file's address, or the record's name.
    pub(crate) at: String,
    /// Whether this way confirms the account.
    pub(crate) confirms: bool,
    /// Why not; null if it does.
    pub(crate) problem: Option<Advice>,
    /// The text to publish: the file's content, or the record's value.
    pub(crate) publish: String,
}

/// The result of a check of a domain, which changes nothing.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuerCheck {
    /// In lower case and Punycode.
    pub(crate) domain: String,
    pub(crate) display_domain: String,
    pub(crate) account: Address,
    pub(crate) result: CheckResult,
    pub(crate) checked_by: Option<CheckedBy>,
    /// Name and logo in the domain's file, if it confirms the account.
    pub(crate) name: Option<String>,
    pub(crate) logo: Option<String>,
    /// The only ledgers that the domain confirms; null if it confirms all.
    pub(crate) ledgers: Option<Vec<Address>>,
    pub(crate) file: Way,
    pub(crate) record: Way,
    /// Advice about a file that was read, such as missing permission for pages of other sites.
    pub(crate) notes: Vec<Advice>,
}
