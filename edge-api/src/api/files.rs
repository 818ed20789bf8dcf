//! Answers about hosted files.

use serde::Serialize;

/// A stored file.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct HostedFile {
    /// SHA-256 of the content, 64 hex digits.
    pub(crate) hash: String,
    /// The address that serves exactly this content until the file is deleted.
    pub(crate) address: String,
    /// The address of the named file: the asset's URI, with `.evidence` or `.badge` appended for evidence and badges. Null for a file without a name.
    pub(crate) named_address: Option<String>,
    /// The size in bytes.
    pub(crate) size: usize,
    /// The media type with which the file is served.
    pub(crate) content_type: &'static str,
}

/// The number of deleted files.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct RemovedFiles {
    /// At most 500.
    pub(crate) removed: usize,
    /// True if there may be more files to delete. Then send the request again.
    pub(crate) more: bool,
}

/// The limits for hosted files.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct FileLimits {
    /// Maximum bytes of a file.
    pub(crate) file_bytes: usize,
    /// Maximum number of files of a ledger and its assets.
    pub(crate) ledger_files: u64,
    /// Maximum bytes of the files of a ledger and its assets.
    pub(crate) ledger_bytes: u64,
    /// Maximum number of files that an account uploaded, for all ledgers.
    pub(crate) account_files: u64,
    /// Maximum bytes of the files that an account uploaded, for all ledgers.
    pub(crate) account_bytes: u64,
}
