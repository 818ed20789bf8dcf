//! Answers about register books and the keys of their readers.

use order_core::{Abilities, Address};
use serde::Serialize;

use super::Timestamp;

/// The key to which colleagues encrypt register books for an account.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BookKey {
    pub(crate) account_id: Address,
    /// An X25519 public key: 32 bytes as base64url.
    pub(crate) key: String,
    /// The account's signature. Check it before you encrypt to the key.
    pub(crate) signature: String,
    pub(crate) updated_at: Timestamp,
}

/// The key of an account with an ability on the ledger.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberKey {
    pub(crate) account_id: Address,
    pub(crate) abilities: Abilities,
    /// An X25519 public key: 32 bytes as base64url.
    pub(crate) key: String,
    /// The account's signature. Check it before you encrypt to the key.
    pub(crate) signature: String,
    pub(crate) updated_at: Timestamp,
}

/// The keys of a ledger's members.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct MemberKeys {
    /// The keys of the first 1,000 accounts with an ability, by address. Accounts without a key are left out.
    pub(crate) keys: Vec<MemberKey>,
}

/// A version of a register book, without its content.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BookVersion {
    pub(crate) version: u64,
    /// SHA-256 of the cipher text, 64 hex digits.
    pub(crate) hash: String,
    /// The number of bytes of the cipher text.
    pub(crate) bytes: u64,
    /// The accounts that can read the version, as the writer signed them.
    pub(crate) readers: Vec<Address>,
    pub(crate) writer_id: Address,
    /// The writer's signature on ledger, version, hash and readers.
    pub(crate) signature: String,
    pub(crate) created_at: Timestamp,
}

/// The content of a version of a register book.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct BookContent {
    /// SHA-256 of the cipher text, 64 hex digits.
    pub(crate) hash: String,
    /// The cipher text as base64url without padding.
    pub(crate) content: String,
}

/// The versions of a register book that the service keeps.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Book {
    pub(crate) ledger_id: Address,
    /// At most five, the newest first.
    pub(crate) versions: Vec<BookVersion>,
}
