//! Answers of `/requests`.

use serde::Serialize;

use super::{Error, Ref, Timestamp};

/// An API call. The service keeps it for 90 days.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request {
    /// The `id` of the call's answer.
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) method: String,
    pub(crate) host: String,
    pub(crate) path: String,
    pub(crate) url: String,
    pub(crate) status: u16,
    pub(crate) errors: Vec<Error>,
    pub(crate) duration_ms: u64,
    pub(crate) created_at: Timestamp,
}
