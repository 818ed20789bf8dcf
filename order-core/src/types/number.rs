//! The enumerations of the interface specification that are single numbers.

use super::{NotValid, serde_as_number};

macro_rules! numbered {
    (
        $(#[$doc:meta])*
        $type:ident, $expected:literal: $($(#[$variant_doc:meta])* $variant:ident = $number:literal,)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $type {
            $($(#[$variant_doc])* $variant = $number,)*
        }

        impl $type {
            /// Every value, in ascending order.
            pub const ALL: &[$type] = &[$($type::$variant),*];

            /// The number in requests and answers.
            #[must_use]
            pub const fn number(self) -> u8 {
                self as u8
            }

            /// Returns the value's name in the interface specification.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($type::$variant => stringify!($variant),)*
                }
            }
        }

        impl TryFrom<u64> for $type {
            type Error = NotValid;

            fn try_from(number: u64) -> Result<Self, NotValid> {
                match number {
                    $($number => Ok($type::$variant),)*
                    _ => Err(NotValid($expected)),
                }
            }
        }

        serde_as_number!($type);
    };
}

pub(crate) use numbered;

numbered! {
    /// How urgent a request is. Source: `docs/interface.md`, "Enumerations".
    Priority, "a priority: 1 (low), 2 (medium), 3 (high) or 4 (critical)":
    /// Performed last.
    Low = 1,
    /// Between low and high.
    Medium = 2,
    /// Between medium and critical.
    High = 3,
    /// Performed first.
    Critical = 4,
}

numbered! {
    /// The status of a request. Source: `docs/interface.md`, "Enumerations".
    Status, "a request status from 0 to 7":
    /// Waits for claims, or for the client's call that performs the request.
    Initialized = 0,
    /// Waits to be performed.
    Pending = 1,
    /// Is being performed.
    Processing = 2,
    /// Applied to the ledger.
    Success = 3,
    /// Refused, or expired after it was queued. On a chain, this can still change, because any account can perform the request.
    Failure = 4,
    /// Will be tried again later.
    Suspended = 5,
    /// Canceled by a signer or on a chain. Also an order that expired, or was open for too long, before it was queued.
    Canceled = 6,
    /// Applied and irreversible.
    Finalized = 7,
}
