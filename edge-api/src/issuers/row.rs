//! The stored result of checking whether a domain confirms an account.

use order_core::Address;
use serde::Deserialize;

use crate::api::{CheckedBy, DomainState};
use crate::ports::stored_state;
use crate::text::DAY_MS;

/// Milliseconds for which a confirmation counts after the last check that found it: a week. Checks are daily, so a domain's
/// server may fail for almost a week before the confirmation lapses.
const FRESH_MS: u64 = 7 * DAY_MS;

/// The columns of [`CheckRow`] that every query reads, from `issuer_checks` as `c`.
pub(super) const CHECK_COLUMNS: &str = "c.domain, c.state, c.source, c.name, c.logo, c.ledgers, c.first_seen, c.last_seen, c.disowned_at";

/// A row of `issuer_checks`. All queries share this type, because each further type would add deserialization code to the Worker. A field is
/// `None` if its column is null, or if the query does not read it.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct CheckRow {
    /// 1 if the account names the domain now.
    pub(super) named: Option<u8>,
    /// The ledger for which the account names the domain. Empty for all ledgers.
    pub(super) ledger_id: Option<String>,
    pub(super) asked_at: Option<u64>,
    pub(super) checked_at: Option<u64>,
    pub(super) check_at: Option<u64>,
    pub(super) reason: Option<String>,
    pub(super) message: Option<String>,
    pub(super) client: Option<String>,
    /// Earlier periods of confirmation.
    #[serde(deserialize_with = "crate::db::rows::optional_json")]
    pub(super) periods: Option<Vec<(u64, u64)>>,
    pub(super) domain: String,
    pub(super) state: State,
    /// The source of the last confirmation.
    pub(super) source: Option<Source>,
    pub(super) name: Option<String>,
    pub(super) logo: Option<String>,
    /// The ledgers for which the domain confirms the account. `None` means all.
    #[serde(deserialize_with = "crate::db::rows::optional_json")]
    pub(super) ledgers: Option<Vec<Address>>,
    /// The last period in which the domain confirmed the account, in milliseconds since 1970.
    pub(super) first_seen: Option<u64>,
    pub(super) last_seen: Option<u64>,
    pub(super) disowned_at: Option<u64>,
    /// The time at which the confirmation ends if no check succeeds. `None` unless the last check failed and the confirmation still counts.
    pub(super) confirmed_until: Option<u64>,
}

stored_state! {
    /// The last known result of the checks.
    State:
    Unchecked = 0,
    Confirmed = 1,
    NotConfirmed = 2,
    Disowned = 3,
}

stored_state! {
    /// The part of a domain that confirmed an account.
    Source:
    /// The domain's file.
    DidJson = 0,
    /// A TXT record.
    Dns = 1,
}

impl From<State> for DomainState {
    fn from(state: State) -> Self {
        match state {
            // No check has ended yet.
            State::Unchecked => Self::Pending,
            State::Confirmed => Self::Confirmed,
            State::NotConfirmed => Self::NotConfirmed,
            State::Disowned => Self::Disowned,
        }
    }
}

impl From<Source> for CheckedBy {
    fn from(source: Source) -> Self {
        match source {
            Source::DidJson => Self::DidJson,
            Source::Dns => Self::Dns,
        }
    }
}

impl CheckRow {
    /// Returns the last time at which the last confirmation is recent enough to count.
    pub(super) fn fresh_until(&self) -> Option<u64> {
        self.last_seen.map(|seen| seen.saturating_add(FRESH_MS))
    }

    /// Returns true if the last confirmation is recent enough to count.
    pub(super) fn is_fresh(&self, now: u64) -> bool {
        self.fresh_until().is_some_and(|until| until >= now)
    }

    /// Returns true if the domain confirms the account now.
    pub(super) fn is_confirmed(&self, now: u64) -> bool {
        self.state == State::Confirmed && self.is_fresh(now)
    }

    /// Returns true if the confirmation applies to this ledger.
    pub(super) fn covers(&self, ledger: &Address) -> bool {
        let ledgers = self.ledgers.as_ref();
        ledgers.is_none_or(|ledgers| ledgers.contains(ledger))
    }
}
