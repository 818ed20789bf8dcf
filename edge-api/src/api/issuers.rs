//! Answers about the domains of issuers, and about their checks.

use order_core::Address;
use serde::Serialize;

use super::{CheckedBy, Timestamp};

/// The result of checking a domain.
///
/// - `pending`: the first check has not ended.
/// - `confirmed`: the domain confirms the account.
/// - `notConfirmed`: the domain does not confirm the account, or has not answered for a week.
/// - `disowned`: the domain says that the account is not its own.
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

/// The domain that an account names as its own. The fields are empty if the account names no domain.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuerDomain {
    /// The domain in lower case and Punycode.
    pub(crate) domain: Option<String>,
    /// The domain as people should see it: in its own script, unless it could then be mistaken for another name.
    pub(crate) display_domain: Option<String>,
    /// The ledger that the domain is for. Null if the domain is for every ledger of the account that has no domain of its own.
    pub(crate) ledger_id: Option<Address>,
    pub(crate) state: Option<DomainState>,
    /// True if a check has been requested and has not ended.
    pub(crate) is_being_checked: bool,
    pub(crate) checked_by: Option<CheckedBy>,
    /// The only ledgers for which the domain confirms the account. Null if it confirms the account for all ledgers.
    pub(crate) ledgers: Option<Vec<Address>>,
    /// The name in the domain's file.
    pub(crate) name: Option<String>,
    /// The address of the logo in the domain's file.
    pub(crate) logo: Option<String>,
    /// The first and the last time at which the domain confirmed the account, in the latest period.
    pub(crate) first_seen: Option<Timestamp>,
    pub(crate) last_seen: Option<Timestamp>,
    /// The time at which the confirmation ends if no check succeeds. Null unless the last check failed and the confirmation still counts.
    pub(crate) confirmed_until: Option<Timestamp>,
    /// Earlier periods in which the domain confirmed the account, at most ten.
    pub(crate) earlier: Vec<ConfirmedPeriod>,
    pub(crate) checked_at: Option<Timestamp>,
    /// The time of the next check. Null if no check follows. To request one, set the domain again.
    pub(crate) next_check_at: Option<Timestamp>,
    /// The reason why the last check did not confirm the account: a short identifier that does not change between versions.
    pub(crate) reason: Option<String>,
    /// A sentence that explains the reason and gives advice.
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

/// A reason, and advice.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct Advice {
    /// A short identifier of the reason. It does not change between versions.
    pub(crate) reason: String,
    /// A sentence that explains the reason and gives advice.
    pub(crate) message: String,
}

/// The check of a domain's file, or of its DNS records.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Way {
    /// The file's address, or the record's name.
    pub(crate) at: String,
    /// True if the file, or the records, confirm the account.
    pub(crate) confirms: bool,
    /// The reason why the account is not confirmed. Null if it is confirmed.
    pub(crate) problem: Option<Advice>,
    /// The text to publish: the file's content, or the record's value. The file's content is the published file with the account added, or a
    /// new file if there is none.
    pub(crate) publish: String,
    /// False if the published file cannot be read, or disowns the account. `publish` then has only the entries to add to the file.
    pub(crate) is_whole: bool,
}

/// The result of checking a domain without changing its state.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct IssuerCheck {
    /// The domain in lower case and Punycode.
    pub(crate) domain: String,
    pub(crate) display_domain: String,
    pub(crate) account: Address,
    pub(crate) result: CheckResult,
    pub(crate) checked_by: Option<CheckedBy>,
    /// The name in the domain's file, if the file confirms the account.
    pub(crate) name: Option<String>,
    /// The address of the logo in the domain's file, if the file confirms the account.
    pub(crate) logo: Option<String>,
    /// The only ledgers for which the domain confirms the account. Null if it confirms the account for all ledgers.
    pub(crate) ledgers: Option<Vec<Address>>,
    pub(crate) file: Way,
    pub(crate) record: Way,
    /// Advice about a file that could be read, for example if its headers do not let pages of other sites read it.
    pub(crate) notes: Vec<Advice>,
}
