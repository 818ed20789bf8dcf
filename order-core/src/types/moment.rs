//! Seeds and expirations: the numbers of a request that JavaScript can hold exactly.

use super::{NotValid, serde_as_number};

/// The largest integer that every reader of JSON holds exactly, 2^53 − 1.
pub const MAX_SAFE_INTEGER: u64 = 9_007_199_254_740_991;

/// From this number on an expiration is in milliseconds: as seconds it would be in the year 5138.
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

/// The moment until which an order is valid: a whole number from 0 to 2^53 − 1.
///
/// Numbers of 10^11 and above are milliseconds of UNIX time, smaller ones seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Expiration(u64);

impl Expiration {
    /// The number, as it was sent.
    #[must_use]
    pub const fn number(self) -> u64 {
        self.0
    }

    /// Milliseconds of UNIX time.
    #[must_use]
    pub const fn milliseconds(self) -> u64 {
        if self.0 < FIRST_MILLISECONDS {
            self.0.saturating_mul(1000)
        } else {
            self.0
        }
    }

    /// Whole seconds of UNIX time, which is what claims are made over.
    #[must_use]
    pub const fn seconds(self) -> u64 {
        self.milliseconds() / 1000
    }

    /// The rule of orders: valid while the expiration is later than now, in milliseconds of UNIX time.
    #[must_use]
    pub const fn is_past(self, now_ms: u64) -> bool {
        self.milliseconds() <= now_ms
    }

    /// The rule of deployments and approvals: valid while the expiration is now or later.
    #[must_use]
    pub const fn is_strictly_past(self, now_ms: u64) -> bool {
        self.milliseconds() < now_ms
    }
}

impl TryFrom<u64> for Expiration {
    type Error = NotValid;

    fn try_from(number: u64) -> Result<Self, NotValid> {
        safe(number).map(Expiration)
    }
}

serde_as_number!(Seed);
serde_as_number!(Expiration);
