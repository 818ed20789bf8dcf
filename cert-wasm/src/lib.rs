//! WebAssembly bindings of [`cert_core`], and of order-core's claims. They only convert: what a certificate is, `cert-core` decides.
//!
//! - [`Cert`] and [`identify`] are what `@assay/cert` exports; the class [`Validator`] and [`validate`] what
//!   `@assay/cert/validate` does. wasm-bindgen writes their JavaScript and their types.
//! - A document, evidence or a list of paths is packed at once, while the call lasts (`pkg/cert/src/pack.js`, [`wire`]), so that a later
//!   change to it changes nothing. Each operation therefore gives its promise itself: an exported `async fn` would start after the call.
//! - No call goes to JavaScript while something is hashed: a user's callbacks are answered between two runs ([`callbacks`]).

#![cfg_attr(all(target_arch = "wasm32", not(feature = "validate")), no_std)]

extern crate alloc;

#[cfg(feature = "aih2-verify")]
mod aih2;
#[cfg(feature = "cert")]
mod callbacks;
#[cfg(feature = "cert")]
mod cert;
#[cfg(feature = "claims")]
mod claims;
#[cfg(any(feature = "cert", feature = "aih2-verify", feature = "validate"))]
mod js;
#[cfg(any(feature = "cert", feature = "aih2-verify"))]
mod options;
#[cfg(all(target_arch = "wasm32", not(feature = "validate")))]
mod runtime;
#[cfg(feature = "validate")]
mod validate;
#[cfg(any(feature = "cert", feature = "aih2-verify", feature = "validate"))]
#[cfg_attr(
    not(any(feature = "cert", feature = "aih2-verify")),
    allow(dead_code, reason = "validation packs nothing but paths")
)]
mod wire;

#[cfg(all(feature = "aih2-verify", not(feature = "cert")))]
pub use aih2::Cert;
#[cfg(feature = "cert")]
pub use cert::{Cert, identify};
#[cfg(feature = "claims")]
pub use claims::{account_of, approval_hash, authorization, claim, deployment_hash, order_hash};
#[cfg(feature = "validate")]
pub use validate::{Validator, validate};
