//! Makes an [Open Badge 3.0](https://www.imsglobal.org/spec/ob/v3p0) from a certificate, so that other software can read and check it. docs/spec/badge.md has
//! the rules. The crate opens no files, knows no service and holds no keys.
//!
//! 1. [`Certificate::proven`] verifies a certificate, and [`make()`] maps the proven values of a certificate to a [`Badge`]. Equal [`Facts`] give equal badges, so a reader can make the badge again and compare.
//! 2. [`Proof::new`] describes the signature, [`to_sign()`] returns the bytes to sign, and [`Badge::signed`] adds the signature.
//! 3. [`read()`] reads a badge of this form, and refuses every other credential. [`Badge::proof`] has the signature to check over [`to_sign()`] by [`listed_key()`],
//!    and [`Badge::says_the_same`] compares the badge with its certificate.
//! 4. [`problems()`] finds the rules that the issuer's `did.json` breaks, by which other software finds the badge key.
//! 5. [`StatusList`] says which certificates are no longer in force. The service signs it by the same rules.
//! 6. [`bake`] puts a badge into a picture, and takes it out again. It needs the feature `bake`, which is on by default.
//! 7. [`Badge::to_jwt`] and [`BadgeJwt`] make and read a badge as JWT. [`Certificate::to_sd_jwt`] and [`SdJwt`] make and read a certificate as SD-JWT.
//!    [`status_token`] has the bits of a status list for readers of SD-JWTs.
//!
//! A refusal is a [`Refusal`] with a code and a sentence.

mod badge;
#[cfg(feature = "bake")]
pub mod bake;
mod certificate;
mod check;
mod did;
mod jwt;
mod key;
mod make;
mod quads;
mod refusal;
mod sd_jwt;
mod status;
mod token;
mod vc_jwt;

pub use badge::{Badge, CONTEXTS, MAX_BYTES, Proof, read};
pub use certificate::{Certificate, Parts, Unproven};
pub use check::{OnLedger, key_with_id, listed_key};
pub use did::{
    Listed, Rule, account_entry, document, entry, findings, issuer_metadata, lists, lists_for_jwts,
    problems, with_account, with_key,
};
pub use jwt::{JwtSignature, SignedJwt, UnsignedJwt};
pub use key::{JwtKey, PublicKey, Signature};
pub use make::{Facts, Issuer, Place, Shown, make};
pub use quads::{Credential, to_sign};
pub use refusal::Refusal;
pub use sd_jwt::{Agreement, MAX_DISCLOSURES, SdJwt, UnsignedSdJwt};
pub use status::{LIST_PLACES, ListFacts, StatusList, decode, encode, read_status_list};
pub use token::status_token;
pub use vc_jwt::BadgeJwt;
