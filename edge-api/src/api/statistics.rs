//! Answers of `/requests` and `/stats`.

use order_core::Amount;
use serde::Serialize;

use super::{Date, Error, Ref, Timestamp};

/// A call that was made to the service. Kept for 90 days.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Request {
    /// The `id` of its answer.
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

/// The caller's payments of a day.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Cost {
    pub(crate) date: Date,
    pub(crate) orders: u64,
    pub(crate) deployments: u64,
    pub(crate) approvals: u64,
    pub(crate) actions: u64,
    pub(crate) amount: Amount,
}

/// The caller's requests of a day.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Traffic {
    pub(crate) date: Date,
    pub(crate) requests: u64,
    pub(crate) queries: u64,
    pub(crate) mutations: u64,
    pub(crate) failures: u64,
}

/// A price of the platform token.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ticker {
    pub(crate) id: Ref,
    pub(crate) base: String,
    pub(crate) quote: String,
    pub(crate) price: String,
    pub(crate) created_at: Timestamp,
}
