//! Answers of `/admin`.

use order_core::{Address, Status};
use serde::{Deserialize, Serialize};

use super::Timestamp;

/// An administrator's API call.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct AuditEntry {
    /// The `id` of the call's answer.
    #[serde(rename(deserialize = "ref", serialize = "ref"))]
    #[cfg_attr(feature = "native", schemars(with = "super::Ref"))]
    pub(crate) reference: String,
    /// The administrator.
    pub(crate) account_id: Address,
    /// Method and path, such as `POST /admin/blocks`.
    pub(crate) action: String,
    /// The address or reference that the call is about.
    pub(crate) subject: Option<String>,
    /// The body's fields except `reason`, as a JSON string that is cut off after 1,000 bytes. Null if there are none.
    pub(crate) detail: Option<String>,
    /// The administrator's reason. Null for calls that only read.
    pub(crate) reason: Option<String>,
    pub(crate) created_at: Timestamp,
}

/// The current pause of changes. The fields are null if changes are not paused.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Pause {
    /// The message that clients get.
    pub(crate) message: Option<String>,
    pub(crate) paused_at: Option<Timestamp>,
}

/// An account or a ledger, and its block. `reason` and `blockedAt` are null if the address is not blocked.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct Block {
    pub(crate) address: Address,
    pub(crate) reason: Option<String>,
    pub(crate) blocked_at: Option<Timestamp>,
}

/// Tokens that the operator has given to an account.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Grant {
    pub(crate) account_id: Address,
    /// The granted tokens in base units.
    pub(crate) amount: order_core::Amount,
}

/// A record that the service could not read or process. It is retried with growing delays.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct StuckRecord {
    #[serde(rename(deserialize = "ref", serialize = "ref"))]
    #[cfg_attr(feature = "native", schemars(with = "super::Ref"))]
    pub(crate) reference: String,
    /// 0: order. 1: deployment. 2: approval.
    pub(crate) kind: u8,
    pub(crate) status: Status,
    pub(crate) creator_id: Address,
    /// The number of failures since the record last changed. The log gives the reasons under `perform.failed`.
    pub(crate) faults: u32,
    /// The time of the next attempt.
    #[serde(rename(deserialize = "aside_until"))]
    pub(crate) retry_at: Timestamp,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
}

/// A queue message whose every attempt failed. The periodic run does the message's work too, so sending the message again
/// only saves time.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct DeadLetter {
    #[serde(rename(deserialize = "ref", serialize = "ref"))]
    #[cfg_attr(feature = "native", schemars(with = "super::Ref"))]
    pub(crate) reference: String,
    /// The message, as a JSON string.
    pub(crate) body: String,
    pub(crate) received_at: Timestamp,
    /// The time at which an administrator sent the message again.
    pub(crate) retried_at: Option<Timestamp>,
}

/// An item of an account's personal data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct PersonalItem {
    /// `information`, `domain`, `webhook`, `session`, `key`, `deposit`, `request` or `event`.
    pub(crate) kind: String,
    /// The stored data, as a JSON string.
    pub(crate) data: String,
}

/// A page of an account's personal data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
pub(crate) struct PersonalData {
    /// At most 1,000.
    pub(crate) items: Vec<PersonalItem>,
    /// The value of `from` for the next page. Null on the last page.
    pub(crate) next: Option<String>,
}

/// The result of erasing an account's personal data.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ErasedData {
    pub(crate) account_id: Address,
    /// False if requests or events are left. Call again until it is true.
    pub(crate) is_complete: bool,
}

/// A funded account's new daily quota of stored bytes.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RaisedQuota {
    pub(crate) account_id: Address,
    pub(crate) bytes_per_day: u64,
}
