//! Placeholder.

#[cfg(feature = "claims")]
mod claims;
