//! Texts put together without the formatting machinery, which is large where a page has to load it.

use alloc::string::String;

/// The parts one after the other.
pub(crate) fn join(parts: &[&str]) -> String {
    let mut joined = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        joined.push_str(part);
    }
    joined
}

/// Copies as many bytes as both have: what panics for others would bring along a sentence about it.
pub(crate) fn copy(to: &mut [u8], from: &[u8]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
}
