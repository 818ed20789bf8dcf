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
