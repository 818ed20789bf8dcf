//! How values are written as keys of the database.

use order_core::{Address, B256};

/// An account or contract address as the database keys it: `0x` and 40 lower-case hex digits.
pub(crate) fn account_key(address: &Address) -> String {
    format!("0x{}", hex(address.as_bytes()))
}

/// A claim hash as records keep it: `0x` and 64 lower-case hex digits.
pub(crate) fn hash_key(hash: &B256) -> String {
    format!("0x{}", hex(hash.as_slice()))
}

/// Lower-case hex digits.
fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(
        String::with_capacity(bytes.len().saturating_mul(2)),
        |mut text, byte| {
            // Writing to a String cannot fail.
            let _infallible = write!(text, "{byte:02x}");
            text
        },
    )
}

/// Milliseconds since 1970 as ISO 8601 in UTC with milliseconds.
pub(crate) fn timestamp(milliseconds: u64) -> String {
    let time = i64::try_from(milliseconds)
        .ok()
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    format!("{:.3}", time.unwrap_or(jiff::Timestamp::MAX))
}

#[cfg(test)]
mod tests {
    #[test]
    fn timestamps_have_milliseconds_and_z() {
        assert_eq!(
            super::timestamp(1_700_000_000_000),
            "2023-11-14T22:13:20.000Z"
        );
        assert_eq!(super::timestamp(1), "1970-01-01T00:00:00.001Z");
        assert_eq!(
            super::timestamp(u64::MAX).len(),
            "9999-12-30T22:00:00.999Z".len()
        );
    }
}
