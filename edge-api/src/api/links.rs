//! Answers of `/links` and `/s/:linkId`.

use serde::Serialize;

use super::Timestamp;

/// A new short link.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewLink {
    /// 16 characters of base64url.
    pub(crate) id: String,
    /// The address of the link without its key. Append `#` and the key as base64url.
    pub(crate) address: String,
    /// The secret that ends the link, shown only here.
    pub(crate) end_key: String,
    pub(crate) expires_at: Timestamp,
}

/// The content of a short link.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct SharedLink {
    /// The cipher text as base64url.
    pub(crate) ciphertext: String,
    pub(crate) expires_at: Timestamp,
}

/// A short link that was ended.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct EndedLink {
    /// 16 characters of base64url.
    pub(crate) id: String,
}
