//! Answers about requests for admission.

use order_core::Address;
use serde::{Deserialize, Serialize};

use super::{Ref, Timestamp};

/// The state of a request for admission.
///
/// - `none`: there is no request.
/// - `waiting`: the operator has not decided.
/// - `approved`: the account may deploy ledgers.
/// - `declined`: the operator has declined the request or taken back the approval. The account may ask again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) enum AdmissionStatus {
    None,
    Waiting,
    Approved,
    Declined,
}

/// The caller's request for admission.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct Admission {
    pub(crate) status: AdmissionStatus,
    pub(crate) organisation: Option<String>,
    pub(crate) contact: Option<String>,
    pub(crate) text: Option<String>,
    pub(crate) created_at: Option<Timestamp>,
    pub(crate) decided_at: Option<Timestamp>,
}

/// An account's request for admission, for administrators. The account has signed it. Nothing else in it is proven.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "native", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub(crate) struct AdmissionRequest {
    #[serde(rename = "ref")]
    pub(crate) reference: Ref,
    pub(crate) account_id: Address,
    pub(crate) status: AdmissionStatus,
    /// The name that the account gave. Null after the erasure of its personal data.
    pub(crate) organisation: Option<String>,
    /// The contact that the account gave.
    pub(crate) contact: Option<String>,
    pub(crate) text: Option<String>,
    /// A domain that confirms the account at present. Null if none does.
    pub(crate) domain: Option<String>,
    pub(crate) created_at: Timestamp,
    pub(crate) decided_at: Option<Timestamp>,
    /// The administrator who decided.
    pub(crate) decided_by: Option<Address>,
}

/// Reads the status from its number in the database.
impl<'de> Deserialize<'de> for AdmissionStatus {
    fn deserialize<D: serde::Deserializer<'de>>(column: D) -> Result<Self, D::Error> {
        match u8::deserialize(column)? {
            0 => Ok(Self::Waiting),
            1 => Ok(Self::Approved),
            2 => Ok(Self::Declined),
            other => Err(serde::de::Error::custom(format!("`{other}` is no status"))),
        }
    }
}
