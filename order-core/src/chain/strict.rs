//! Reads answers of contracts and their logs, and refuses every encoding except the contracts' own.
//!
//! A contract writes each value in one form only. A provider that sends any other form, such as added words, dirty padding, gaps or bytes
//! that two values share, is wrong or lies. The lint `disallowed_methods` forbids the library's other decoders (`clippy.toml`).

use alloy_sol_types::abi::AbiDecoderConfig;
use alloy_sol_types::{SolCall, SolEvent};

use super::log::Log;

/// Refuses values out of range, other offsets than the usual ones, padding other than zeros, and bytes after the end. Each value therefore
/// has one encoding only, and is not larger than its encoding.
const STRICT: AbiDecoderConfig = AbiDecoderConfig::new().strict(true);

/// Reads the answer of a call. `None` if no contract encodes an answer in this way.
#[expect(clippy::disallowed_methods, reason = "the decoder is strict")]
pub(super) fn answer<C: SolCall>(data: &[u8]) -> Option<C::Return> {
    C::abi_decode_returns_with_config(data, STRICT).ok()
}

/// Reads a log. `None` if it is of another kind, or if no contract writes a log in this way.
#[expect(clippy::disallowed_methods, reason = "the decoder is strict")]
pub(super) fn log<E: SolEvent>(log: &Log<'_>) -> Option<E> {
    if log.topics.first() != Some(&E::SIGNATURE_HASH) {
        return None;
    }
    let topics = log.topics.iter().copied();
    let topics = E::decode_topics_with_config(topics, STRICT).ok()?;
    let data = E::abi_decode_data_with_config(log.data, STRICT).ok()?;
    Some(E::new(topics, data))
}

#[cfg(test)]
mod tests;
