//! WebAssembly bindings of [`cert_core`], of order-core's claims, of cert-tables, of cert-pdf and of cert-badge. The bindings only convert values. `cert-core` implements the rules of
//! certificates.
//!
//! - `@assay/cert` exports [`Cert`] and [`identify`]. `@assay/cert/aih2` and `@assay/cert/verify` export the `Cert` of AIH-2.
//!   `@assay/validate` exports [`Validator`] and [`validate()`]. `@assay/client` uses the functions of the feature `claims`. wasm-bindgen
//!   generates the JavaScript and the types of these exports.
//! - The pages use the functions of the features `tables`, `pdf` and `badge`, which are in no package.
//! - Documents, evidence and lists of paths are packed during the call (`pkg/cert/src/pack.js`, [`wire`]), so later changes to them have no
//!   effect. Each operation therefore creates its promise itself: an exported `async fn` would read its arguments only after the call.
//! - Hashing never calls JavaScript: a user's callbacks run between the two runs of an operation ([`callbacks`]).
//!
//! See `docs/decisions/0009-border-to-javascript.md`.

#![cfg_attr(
    all(
        target_arch = "wasm32",
        not(any(
            feature = "validate",
            feature = "tables",
            feature = "pdf",
            feature = "badge"
        ))
    ),
    no_std
)]

extern crate alloc;

#[cfg(feature = "aih2-verify")]
mod aih2;
#[cfg(feature = "badge")]
mod badge;
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
#[cfg(feature = "pdf")]
mod pdf;
#[cfg(all(
    target_arch = "wasm32",
    not(any(
        feature = "validate",
        feature = "tables",
        feature = "pdf",
        feature = "badge"
    ))
))]
mod runtime;
#[cfg(feature = "tables")]
mod tables;
#[cfg(feature = "validate")]
mod validate;
#[cfg(any(feature = "cert", feature = "aih2-verify"))]
mod verdict;
#[cfg(any(feature = "cert", feature = "aih2-verify", feature = "validate"))]
#[cfg_attr(
    not(any(feature = "cert", feature = "aih2-verify")),
    allow(dead_code, reason = "validation packs only paths")
)]
mod wire;

#[cfg(all(feature = "aih2-verify", not(feature = "cert")))]
pub use aih2::Cert;
#[cfg(all(feature = "aih2", not(feature = "cert")))]
pub use aih2::shown_whole;
#[cfg(feature = "badge")]
pub use badge::{Opened, Unsigned, baked, listed_key, with_key};
#[cfg(feature = "cert")]
pub use cert::{Cert, identify};
#[cfg(feature = "claims")]
pub use claims::{
    account_of, approval_hash, authorization, checksummed, claim, deployment_cancellation,
    deployment_hash, order_cancellation, order_hash, signer_of,
};
#[cfg(feature = "pdf")]
pub use pdf::{Press, Printed};
#[cfg(feature = "tables")]
pub use tables::{
    documents, doubts_of_document, doubts_of_rows, fields_of, guess_fields, questions, read_table,
    short_names, write_table,
};
#[cfg(feature = "validate")]
pub use validate::{Validator, validate};
