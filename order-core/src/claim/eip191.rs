//! The prefix that a wallet puts before a message that it signs.

use alloc::format;

use alloy_primitives::{B256, Keccak256};

/// Returns the digest of a message by EIP-191, version `0x45`: the message follows its length in decimal digits.
pub(crate) fn eip191_digest(message: &[u8]) -> B256 {
    let mut hasher = Keccak256::new();
    hasher.update(format!("\x19Ethereum Signed Message:\n{}", message.len()));
    hasher.update(message);
    hasher.finalize()
}
