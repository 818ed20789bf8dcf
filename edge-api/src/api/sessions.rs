//! Answers of `/sessions`, `/account/keys` and `/account/access`.

use order_core::Address;
use serde::{Deserialize, Serialize};

use super::{Ref, Timestamp};

/// The fields of a message that signs in (EIP-4361). The client adds the account's address, and the account's wallet signs
/// the message.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Challenge {
    /// The service's host, with its port if it has one.
    pub(crate) domain: String,
    /// The service's origin, such as `https://certificates.example`.
    pub(crate) uri: String,
    pub(crate) version: &'static str,
    pub(crate) chain_id: u64,
    /// Letters and digits. Each nonce is valid for one sign-in.
    pub(crate) nonce: String,
    pub(crate) issued_at: Timestamp,
    /// The end of the nonce's validity.
    pub(crate) expiration_time: Timestamp,
}

/// A session.
// A row of `sessions`, except `is_current`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all(serialize = "camelCase"))]
pub(crate) struct Session {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) created_at: Timestamp,
    /// The last use, exact to five minutes.
    pub(crate) used_at: Timestamp,
    /// The end of the session if it is not used before then. Each use postpones the end, at most to 30 days after
    /// `createdAt`.
    pub(crate) expires_at: Timestamp,
    /// True for the session that sent this request.
    #[serde(skip_deserializing)]
    pub(crate) is_current: bool,
}

/// A new session with its token.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewSession {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) account_id: Address,
    /// The token for `Authorization: Bearer`, shown only here. Null if the answer sets a cookie instead.
    pub(crate) token: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Timestamp,
}

/// A permission of an API key. `read`: read what the account may read, except its sessions, API keys, settings for signing in, and
/// webhook. `orders`: send, sign, perform and cancel requests, give reasons for withdrawals, and store and delete files. The account
/// still signs each request itself. `webhooks`: manage the webhook and its deliveries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub(crate) enum KeyScope {
    Read,
    Orders,
    Webhooks,
}

impl KeyScope {
    pub(crate) const ALL: [Self; 3] = [Self::Read, Self::Orders, Self::Webhooks];

    /// Returns the scope's name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Orders => "orders",
            Self::Webhooks => "webhooks",
        }
    }
}

/// An API key, without its secret.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct ApiKey {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) name: String,
    pub(crate) scopes: Vec<KeyScope>,
    pub(crate) created_at: Timestamp,
    /// The last use, exact to five minutes. Null before the first use.
    pub(crate) used_at: Option<Timestamp>,
    /// Null if the key does not expire.
    pub(crate) expires_at: Option<Timestamp>,
}

/// A new API key, with its secret.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct NewApiKey {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    /// The secret for `Authorization: Bearer`, shown only here. Null in a repeated answer.
    pub(crate) key: Option<String>,
    pub(crate) name: String,
    pub(crate) scopes: Vec<KeyScope>,
    pub(crate) created_at: Timestamp,
    pub(crate) expires_at: Option<Timestamp>,
}

/// The account's settings for signing in.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AccountAccess {
    /// True if the account accepts the signed Authorization header.
    pub(crate) legacy_auth: bool,
}
