//! The failure of a badge that cannot be made, and the time of a signature. All parts of exporting use them.

use cert_badge::Refusal;
use time::OffsetDateTime;

use crate::failure::Failure;

/// Returns the failure for a badge that cannot be made.
pub(crate) fn refused(refusal: Refusal) -> Failure {
    Failure::new(refusal.code(), refusal)
}

/// Returns the current time in milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let seconds = u64::try_from(OffsetDateTime::now_utc().unix_timestamp()).unwrap_or_default();
    seconds.saturating_mul(1_000)
}
