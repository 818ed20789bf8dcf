//! The compression function of this build.

#[cfg(all(target_arch = "wasm32", feature = "lanes"))]
pub(crate) use crate::one::compress;
#[cfg(all(target_arch = "wasm32", not(feature = "lanes")))]
pub(crate) use crate::small::compress;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use sha2::block_api::compress256 as compress;
