//! The values of requests and records, as types that cannot hold an invalid value.

mod abilities;
mod address;
pub(crate) mod bytes;
mod capabilities;
mod moment;
mod number;
mod uint;

use core::fmt;

pub use abilities::Abilities;
pub use address::Address;
pub use bytes::{Imprint, SchemaId};
pub use capabilities::{Capabilities, Capability};
pub use moment::{Expiration, Expiry, LAST_EXPIRATION, MAX_SAFE_INTEGER, Seed};
pub use number::{Priority, Status};
pub use uint::{Amount, AssetId};

/// The error for an invalid value. Displays as `must be …`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotValid(pub(crate) &'static str);

impl fmt::Display for NotValid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "must be {}", self.0)
    }
}

impl core::error::Error for NotValid {}

/// Implements serialization as the text of `Display`, and deserialization through `FromStr`.
macro_rules! serde_as_text {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = alloc::string::String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

/// Implements serialization as a number, and deserialization through `TryFrom<u64>`.
macro_rules! serde_as_number {
    ($type:ty) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u64(self.number().into())
            }
        }

        impl<'de> serde::Deserialize<'de> for $type {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                u64::deserialize(deserializer)?
                    .try_into()
                    .map_err(serde::de::Error::custom)
            }
        }
    };
}

pub(crate) use number::numbered;
pub(crate) use {serde_as_number, serde_as_text};

#[cfg(test)]
mod tests;
