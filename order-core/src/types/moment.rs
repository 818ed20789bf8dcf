//! Seeds and expirations: the numbers of a request that JavaScript represents exactly.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::{NotValid, serde_as_number};

/// The largest integer that every reader of JSON represents exactly, 2^53 − 1.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// The smallest expiration that is read as milliseconds. Read as seconds, it would be in the year 5138.
const FIRST_MILLISECONDS: u64 = 100_000_000_000;

const EXPECTED: NotValid = NotValid("a whole number from 0 to 9007199254740991");

fn safe(number: u64) -> Result<u64, NotValid> {
    if number <= MAX_SAFE_INTEGER {
        Ok(number)
    } else {
        Err(EXPECTED)
    }
}

/// A salt that makes an order's hash unique: a whole number from 0 to 2^53 − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seed(u64);

impl Seed {
    /// The number, as it was sent.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl TryFrom<u64> for Seed {
    type Error = NotValid;

    fn try_from(number: u64) -> Result<Self, NotValid> {
        safe(number).map(Seed)
    }
}

/// The latest allowed expiration, 9999-12-31T23:59:59.999Z in milliseconds of UNIX time. The years of later moments have more than four
/// digits in ISO 8601.
pub const LAST_EXPIRATION: u64 = 253_402_300_799_999;

/// A contract's comparison of an expiration with the current time. Both are in whole seconds. Source: the 0xcert contracts, version 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expiry {
    /// Orders and approvals of kind 8: valid while the expiration is after the current second.
    Exclusive,
    /// Deployments and approvals of kind 7: valid while the expiration is the current second or later.
    Inclusive,
}

/// The moment until which a request is valid, up to [`LAST_EXPIRATION`].
///
/// Read from milliseconds of UNIX time, or from seconds if the number is below 10^11. Written in milliseconds. The original client divides an
/// expiration by 1,000 before it hashes, and contracts compare whole seconds, so rules and hashes use seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiration(u64);

impl Expiration {
    /// Returns the moment with this UNIX time in seconds. `None` if it is later than [`LAST_EXPIRATION`].
    #[must_use]
    pub fn from_seconds(seconds: u64) -> Option<Expiration> {
        let moment = seconds.checked_mul(1000)?;
        (moment <= LAST_EXPIRATION).then_some(Expiration(moment))
    }

    /// Converts a number that is in seconds or milliseconds to milliseconds.
    const fn meant_by(number: u64) -> u64 {
        if number < FIRST_MILLISECONDS {
            number.saturating_mul(1000)
        } else {
            number
        }
    }

    /// Returns the number for answers. Reading this number gives the same moment.
    #[must_use]
    pub const fn number(self) -> u64 {
        // Numbers below this limit are read as seconds. An earlier moment can only come from seconds, so no fraction is lost.
        if self.0 < FIRST_MILLISECONDS {
            self.seconds()
        } else {
            self.0
        }
    }

    /// Milliseconds of UNIX time.
    #[must_use]
    pub const fn milliseconds(self) -> u64 {
        self.0
    }

    /// Whole seconds of UNIX time, the form that claims sign.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.0 / 1000
    }

    /// The first moment at which a request is no longer valid, in milliseconds of UNIX time. The moment is computed in whole seconds.
    #[must_use]
    pub const fn ends_at(self, expiry: Expiry) -> u64 {
        let seconds = match expiry {
            Expiry::Exclusive => self.seconds(),
            Expiry::Inclusive => self.seconds().saturating_add(1),
        };
        let ends_at = seconds.saturating_mul(1000);
        // Requests that were accepted before this limit existed end at the limit.
        if ends_at > LAST_EXPIRATION {
            LAST_EXPIRATION.saturating_add(1)
        } else {
            ends_at
        }
    }

    /// Returns true if a request is no longer valid. `now_ms` is the current UNIX time in milliseconds.
    #[must_use]
    pub const fn is_past(self, expiry: Expiry, now_ms: u64) -> bool {
        self.ends_at(expiry) <= now_ms
    }
}

impl TryFrom<u64> for Expiration {
    type Error = NotValid;

    fn try_from(number: u64) -> Result<Self, NotValid> {
        let moment = Self::meant_by(number);
        if moment <= LAST_EXPIRATION {
            Ok(Expiration(moment))
        } else {
            Err(NotValid(
                "a whole number: seconds or milliseconds of UNIX time, up to 253402300799999 (the end of the year 9999)",
            ))
        }
    }
}

impl Serialize for Expiration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.number())
    }
}

/// Reads a stored expiration, which may be later than [`LAST_EXPIRATION`]. Such an expiration is kept unchanged, because claims have signed
/// it.
impl<'de> Deserialize<'de> for Expiration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = safe(u64::deserialize(deserializer)?).map_err(de::Error::custom)?;
        Ok(Expiration(Self::meant_by(number)))
    }
}

serde_as_number!(Seed);
