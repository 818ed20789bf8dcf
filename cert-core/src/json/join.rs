//! Concatenates strings without the formatting machinery, which would add much to the code that a page loads.

use alloc::string::String;

/// Returns the concatenation of the parts.
pub(crate) fn join(parts: &[&str]) -> String {
    let mut joined = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    for part in parts {
        joined.push_str(part);
    }
    joined
}
