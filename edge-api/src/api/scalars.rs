//! Values that are serialized as a single string.

#[cfg(feature = "native")]
use std::borrow::Cow;

use order_core::ClaimText;
#[cfg(feature = "native")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};

use crate::ports::Param;
use crate::text::{date, timestamp};

/// The reference of a record, a request, an event or another stored item.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Ref(pub(crate) String);

/// A claim hash: `0x` and 64 hex digits.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct Hash(pub(crate) String);

/// The hash of a transaction on a chain, or null.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct TransactionHash(pub(crate) Option<String>);

/// Milliseconds since 1970, written as ISO 8601 in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(transparent)]
pub(crate) struct Timestamp(pub(crate) u64);

impl From<Timestamp> for Param {
    fn from(time: Timestamp) -> Self {
        time.0.into()
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&timestamp(self.0))
    }
}

/// A day, counted from 1970-01-01, written as ISO 8601.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Date(pub(crate) u64);

impl Serialize for Date {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&date(self.0))
    }
}

/// A claim. A missing claim is serialized as an empty string.
#[derive(Clone, Debug)]
pub(crate) struct ClaimOrNone(pub(crate) Option<ClaimText>);

impl Serialize for ClaimOrNone {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.as_ref().map_or("", ClaimText::as_str))
    }
}

/// A type with a JSON Schema, in the description of the API. The Worker has no schemas, so there it is any type.
#[cfg(feature = "native")]
pub(crate) use schemars::JsonSchema as Shape;
/// Any type. Native builds also need its JSON Schema.
#[cfg(not(feature = "native"))]
pub(crate) trait Shape {}
#[cfg(not(feature = "native"))]
impl<T: ?Sized> Shape for T {}

/// An address. An empty string or null means that there is no address.
pub(crate) enum AddressOrNone {}

/// A document as it was fetched.
#[cfg(feature = "native")]
pub(crate) struct Document;

#[cfg(feature = "native")]
macro_rules! schemas {
    ($($type:ident: $schema:tt)*) => {$(
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                Cow::Borrowed(stringify!($type))
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!($schema)
            }
        }
    )*};
}

#[cfg(feature = "native")]
schemas! {
    AddressOrNone: {
        "type": ["string", "null"],
        "description": "An Ethereum address. Null or an empty string means that there is no address.",
        "pattern": "^(0[xX][0-9a-fA-F]{40})?$",
        "examples": ["0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"],
    }

    ClaimOrNone: {
        "type": ["string", "null"],
        "description": "A claim. An empty string or null means that the account has not signed yet. In an order it can also mean that the caller may not see the claim.",
        "pattern": "^([03]:0x[0-9a-fA-F]{130})?$",
        "examples": ["0:0xe4cbed4b0803f9a34a4fcf724a2017747532cbe63b961437ec3e56ab329f8b23356765bcfa0e9bfcc6418bc9331ea02fd024699b1a9fd1b88dee17a0515871481c"],
    }

    Ref: {
        "type": "string",
        "description": "A reference: a UUIDv7, so that references sort by time.",
        "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        "examples": ["018bcfe5-6800-7000-8000-000000000000"],
    }

    Hash: {
        "type": "string",
        "description": "The hash that claims sign, 32 bytes.",
        "pattern": "^0x[0-9a-f]{64}$",
        "examples": ["0x330c8293d320174d5c071ab1c11d4ac899157de493a8ff5b55d5536de96a3986"],
    }

    TransactionHash: {
        "type": ["string", "null"],
        "description": "The hash of the transaction on the chain. Null until there is one, and always null on the embedded ledger.",
        "examples": [null],
    }

    Timestamp: {
        "type": "string",
        "format": "date-time",
        "description": "A moment in UTC with milliseconds.",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z$",
        "examples": ["2023-11-14T22:13:20.000Z"],
    }

    Date: {
        "type": "string",
        "format": "date",
        "description": "A day in UTC.",
        "pattern": "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
        "examples": ["2023-11-14"],
    }

    Document: {
        "description": "A JSON document as it was fetched, with its keys in the original order. Null if it was not fetched.",
    }

}
