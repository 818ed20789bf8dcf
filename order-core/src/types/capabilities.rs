//! The capabilities of an asset ledger.

use alloc::vec::Vec;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::number::numbered;
use super::{NotValid, serde_as_number};

const EXPECTED: NotValid = NotValid("a list of distinct capabilities out of 1, 2, 3 and 4");

numbered! {
    /// A capability of an asset ledger. Source: `docs/interface.md`, "Enumerations".
    Capability, "a capability from 1 to 4":
    /// Owners may destroy their assets.
    Destroy = 1,
    /// Accounts with the ability may update imprints.
    Update = 2,
    /// Accounts with the ability may stop and start transfers.
    ToggleTransfers = 3,
    /// Accounts with the ability may destroy any asset.
    Revoke = 4,
}

impl Capability {
    /// Returns the ERC-165 interface id that represents the capability in a deployment's hash.
    #[must_use]
    pub const fn interface_id(self) -> [u8; 4] {
        match self {
            Capability::Destroy => [0x9d, 0x11, 0x87, 0x70],
            Capability::Update => [0x0d, 0x04, 0xc3, 0xb8],
            Capability::ToggleTransfers => [0xbe, 0xdb, 0x86, 0xfb],
            Capability::Revoke => [0x20, 0xc5, 0x42, 0x9b],
        }
    }
}

/// Distinct capabilities of an asset ledger, in the order given. A deployment's hash depends on this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Capabilities(Vec<Capability>);

impl Capabilities {
    /// Returns the capabilities with these numbers.
    ///
    /// # Errors
    ///
    /// If a number is not in the enumeration or appears twice.
    pub fn from_list(list: &[u64]) -> Result<Capabilities, NotValid> {
        let mut capabilities = Vec::new();
        for number in list {
            let capability = Capability::try_from(*number).map_err(|_| EXPECTED)?;
            if capabilities.contains(&capability) {
                return Err(EXPECTED);
            }
            capabilities.push(capability);
        }
        Ok(Capabilities(capabilities))
    }

    /// Returns true if the ledger has this capability.
    #[must_use]
    pub fn contains(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }

    /// The capabilities, in the order given.
    pub fn iter(&self) -> impl Iterator<Item = Capability> {
        self.0.iter().copied()
    }
}

impl Serialize for Capabilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Capabilities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = Vec::<u64>::deserialize(deserializer)?;
        Capabilities::from_list(&list).map_err(de::Error::custom)
    }
}
