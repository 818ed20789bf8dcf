//! The abilities of an account on an asset ledger.

use alloc::vec::Vec;
use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::NotValid;

const EXPECTED: NotValid =
    NotValid("a list of distinct abilities out of 1, 2, 16, 32, 64, 128, 256, 512 and 1024");

/// A set of abilities on an asset ledger, as the bit field that claims sign.
///
/// Requests and answers have a list of the enumeration's numbers (`docs/interface.md`, "Enumerations"). The enumeration
/// lacks the bits 4 and 8, but a new ledger gives them to its owner with all other bits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Abilities(u16);

impl Abilities {
    /// No abilities.
    pub const NONE: Abilities = Abilities(0);
    /// May grant abilities to other accounts.
    pub const MANAGE: Abilities = Abilities(1);
    /// May be the sender of an action that sets abilities.
    pub const ALLOW_MANAGE: Abilities = Abilities(2);
    /// May create assets.
    pub const CREATE: Abilities = Abilities(16);
    /// May revoke assets.
    pub const REVOKE: Abilities = Abilities(32);
    /// May stop and start transfers.
    pub const TOGGLE_TRANSFERS: Abilities = Abilities(64);
    /// May update assets.
    pub const UPDATE: Abilities = Abilities(128);
    /// May update the ledger's base URI.
    pub const UPDATE_URI: Abilities = Abilities(256);
    /// May be the sender of an action that creates an asset.
    pub const ALLOW_CREATE: Abilities = Abilities(512);
    /// May be the sender of an action that updates an imprint.
    pub const ALLOW_UPDATE: Abilities = Abilities(1024);
    /// Every bit, which the owner of a new ledger has.
    pub const ALL: Abilities = Abilities(2047);

    /// The enumeration, in ascending order.
    const ENUMERATION: [Abilities; 9] = [
        Abilities::MANAGE,
        Abilities::ALLOW_MANAGE,
        Abilities::CREATE,
        Abilities::REVOKE,
        Abilities::TOGGLE_TRANSFERS,
        Abilities::UPDATE,
        Abilities::UPDATE_URI,
        Abilities::ALLOW_CREATE,
        Abilities::ALLOW_UPDATE,
    ];

    /// Returns true if the account may create or update assets, also through orders that others perform.
    pub fn can_issue(self) -> bool {
        [
            Abilities::CREATE,
            Abilities::ALLOW_CREATE,
            Abilities::UPDATE,
            Abilities::ALLOW_UPDATE,
        ]
        .into_iter()
        .any(|ability| self.contains(ability))
    }

    /// Returns the set with this bit field.
    ///
    /// # Errors
    ///
    /// If a bit outside of [`Abilities::ALL`] is set.
    pub const fn from_bits(bits: u16) -> Result<Abilities, NotValid> {
        if bits <= Abilities::ALL.0 {
            Ok(Abilities(bits))
        } else {
            Err(NotValid("a bit field from 0 to 2047"))
        }
    }

    /// The bit field.
    #[must_use]
    pub const fn bits(self) -> u16 {
        self.0
    }

    /// Returns the set of these numbers of the enumeration.
    ///
    /// # Errors
    ///
    /// If a number is not in the enumeration or appears twice. Other implementations add the numbers, so they would sign a
    /// different bit field if a number were repeated.
    pub fn from_list(list: &[u64]) -> Result<Abilities, NotValid> {
        let mut set = Abilities::NONE;
        for number in list {
            let ability = Abilities::ENUMERATION
                .into_iter()
                .find(|ability| u64::from(ability.0) == *number)
                .ok_or(EXPECTED)?;
            if set.contains(ability) {
                return Err(EXPECTED);
            }
            set = set.with(ability);
        }
        Ok(set)
    }

    /// The numbers of the enumeration that are in the set, in ascending order.
    #[must_use]
    pub fn list(self) -> Vec<u16> {
        Abilities::ENUMERATION
            .into_iter()
            .filter(|ability| self.contains(*ability))
            .map(Abilities::bits)
            .collect()
    }

    /// Returns true if the set contains every ability of `others`.
    #[must_use]
    pub const fn contains(self, others: Abilities) -> bool {
        self.0 & others.0 == others.0
    }

    /// Returns the union of the set and `others`.
    #[must_use]
    pub const fn with(self, others: Abilities) -> Abilities {
        Abilities(self.0 | others.0)
    }

    /// Returns true if the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl fmt::Debug for Abilities {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Abilities({})", self.0)
    }
}

/// Serializes as the list of the enumeration's numbers, without the bits 4 and 8.
impl Serialize for Abilities {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.list().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Abilities {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let list = Vec::<u64>::deserialize(deserializer)?;
        Abilities::from_list(&list).map_err(de::Error::custom)
    }
}
