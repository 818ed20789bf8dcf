//! Compact JWS (RFC 7515), for credentials and status lists that are JWT. The crate holds no key: it returns the bytes to sign, and takes the signature.

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde::{Deserialize, Serialize};

use crate::badge::json_of;
use crate::refusal::Refusal;

/// The header of a JWT. Other members would need a check, so a JWT that has them is refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header<T> {
    alg: Algorithm,
    typ: T,
    /// The id of the key in the issuer's `did.json`.
    kid: String,
}

/// The algorithm of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Algorithm {
    /// Credentials of issuers. Wallets and verifiers know it, but often not Ed25519.
    #[serde(rename = "ES256")]
    Es256,
    /// Status lists, with the key of the service.
    #[serde(rename = "EdDSA")]
    EdDsa,
}

/// A signature of ES256: both numbers of the signature, each with 32 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JwtSignature(pub [u8; 64]);

/// A JWT that is not signed yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsignedJwt(String);

impl UnsignedJwt {
    pub(crate) fn new(alg: Algorithm, kind: impl Serialize, key_id: &str, payload: &str) -> Self {
        let header = json_of(&Header {
            alg,
            typ: kind,
            kid: key_id.to_owned(),
        });
        let [header, payload] =
            [&*header, payload].map(|text| Base64UrlUnpadded::encode_string(text.as_bytes()));
        Self(format!("{header}.{payload}"))
    }

    /// Returns the bytes to sign.
    #[must_use]
    pub const fn to_sign(&self) -> &[u8] {
        self.0.as_bytes()
    }

    /// Returns the JWT with its signature.
    #[must_use]
    pub fn signed(self, signature: &[u8]) -> String {
        let signature = Base64UrlUnpadded::encode_string(signature);
        format!("{}.{signature}", self.0)
    }
}

/// The signature of a JWT that was read. It is not checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedJwt {
    key_id: String,
    signed: String,
    signature: JwtSignature,
}

impl SignedJwt {
    /// Returns the id of the key in the issuer's `did.json`.
    #[must_use]
    pub fn key_id(&self) -> &str {
        &self.key_id
    }

    /// Returns the bytes that the signature covers.
    #[must_use]
    pub const fn to_sign(&self) -> &[u8] {
        self.signed.as_bytes()
    }

    /// Returns the signature.
    #[must_use]
    pub const fn signature(&self) -> &JwtSignature {
        &self.signature
    }
}

/// Splits a credential of an issuer whose header has `T` as type. Returns its signature, and its payload as JSON text.
///
/// # Errors
///
/// [`Refusal::Foreign`] for any other text, also for another algorithm and further members of the header.
pub(crate) fn split<T: serde::de::DeserializeOwned>(
    text: &str,
) -> Result<(SignedJwt, String), Refusal> {
    let parse = || {
        let (signed, signature) = text.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let [header, payload, signature] =
            [header, payload, signature].map(|part| Base64UrlUnpadded::decode_vec(part).ok());
        let Header::<T> { alg, kid, .. } = serde_json::from_slice(&header?).ok()?;
        // A reader that obeyed another algorithm of the header could be made to check nothing.
        let jwt = SignedJwt {
            key_id: kid,
            signed: signed.to_owned(),
            signature: JwtSignature(signature?.try_into().ok()?),
        };
        let payload = String::from_utf8(payload?).ok()?;
        (alg == Algorithm::Es256).then_some((jwt, payload))
    };
    parse().ok_or(Refusal::Foreign)
}
