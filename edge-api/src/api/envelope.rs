//! Shapes that all answers share.

use order_core::Code;
use serde::Serialize;

use super::{Hash, Ref, Timestamp};

/// An error: its code, a sentence that explains it, and its place in the request.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Error {
    #[cfg_attr(feature = "native", schemars(with = "order_core::Code"))]
    pub(crate) code: u32,
    /// The code's name. Absent if a later version of the service has logged the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "String"))]
    pub(crate) name: Option<&'static str>,
    /// The address of the code's documentation. Absent if the client found the error itself.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[cfg_attr(feature = "native", schemars(with = "String"))]
    pub(crate) docs: String,
    /// A sentence that explains the error to a person.
    pub(crate) message: String,
    /// The place in the request, such as `order.actions[1].assetId`. Empty for the whole request.
    pub(crate) path: String,
}

impl Error {
    /// Creates an error. `origin` is the service's own.
    pub(crate) fn new(code: u32, message: String, path: String, origin: &str) -> Self {
        Self {
            code,
            name: Code::from_number(code).map(Code::name),
            docs: format!("{origin}/docs/#{code}"),
            message,
            path,
        }
    }
}

/// The envelope of every failure.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Failure {
    /// The answer's id, also in the header `x-request-id`.
    pub(crate) id: Ref,
    /// The HTTP status.
    pub(crate) status: u16,
    /// All errors of the first phase that fails. If there are more than twenty, the last item has the code of the next
    /// error, and its message counts the errors left out.
    pub(crate) errors: Vec<Error>,
    /// The hash to sign, if a deployment (422008) or an approval (422122) lacks only its claim. Sign the hash, and send
    /// the same request with the claim.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "Hash"))]
    pub(crate) hash: Option<Hash>,
}

/// Additional information, empty for this answer.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Meta {}

/// The state of the ledger that the answer shows. Empty for the embedded ledger.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct StateMeta {
    /// The chain's block whose state the answer shows.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "ChainBlock"))]
    pub(crate) block: Option<ChainBlock>,
    /// The time of the state. Present only if the chain does not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "Timestamp"))]
    pub(crate) as_of: Option<Timestamp>,
}

/// A block of a chain.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ChainBlock {
    pub(crate) number: u64,
    /// True if the block is final, so a reorganization can no longer undo it.
    #[serde(rename = "final")]
    pub(crate) is_final: bool,
}

/// The position of a page in its list.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct PageMeta {
    /// The number of skipped items.
    pub(crate) skip: u32,
    /// The maximum number of items on a page.
    pub(crate) limit: u32,
    /// The number of items in the list, or a lower bound (`totalIsMinimum`).
    pub(crate) total: u32,
    /// True if the list may have more items than `total`.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(crate) total_is_minimum: bool,
    /// The cursor of the next page, for `after`. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "native", schemars(with = "String"))]
    pub(crate) next: Option<String>,
}
