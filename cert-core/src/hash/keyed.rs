//! Nonces that depend on a secret.

use alloc::string::String;
use core::fmt;

use crate::error::{CertError, ErrorCode, Failure};
use crate::hash::hmac::{Hmac, bytes};
use crate::hash::sha256::HEX_LENGTH;
use crate::hash::text::Hash;
use crate::hash::{Location, Noncer};
use crate::json::join::join;
use crate::json::number::Digits;
use crate::json::path::{Path, Step};
use crate::json::write;

/// A noncer for private data. A nonce is the HMAC-SHA-256 (RFC 2104) of [`Location::path`] as JSON text (`["books",0,2]`) under a secret of
/// the issuer, as hexadecimal text.
///
/// Evidence reveals the nonces of the values it discloses, and equal secrets give equal nonces. A secret therefore belongs to one asset.
/// [`KeyedNoncer::for_asset`] derives such a secret from a secret that is kept for many assets.
///
/// The noncer wipes its own copy of the secret when it is dropped. The caller's copy remains the caller's responsibility.
#[derive(Clone)]
pub struct KeyedNoncer {
    keyed: Hmac,
}

impl KeyedNoncer {
    /// The minimum length of a secret, in bytes.
    pub const MIN_SECRET: usize = 16;

    /// Returns a noncer for the single asset that the secret belongs to.
    ///
    /// # Errors
    /// [`ErrorCode::SecretTooShort`] for fewer than [`Self::MIN_SECRET`] bytes.
    pub fn new(secret: &[u8]) -> Result<Self, CertError> {
        if secret.len() < Self::MIN_SECRET {
            return Err(CertError::new(
                ErrorCode::SecretTooShort,
                Path::root(),
                join(&[
                    "the secret of a noncer needs at least ",
                    Digits::new(Self::MIN_SECRET).as_str(),
                    " random bytes",
                ]),
            ));
        }
        Ok(Self {
            keyed: Hmac::new(secret),
        })
    }

    /// Returns a noncer for one of many assets. The noncer's secret is the HMAC-SHA-256 of the asset's id under `secret`.
    ///
    /// # Errors
    /// [`ErrorCode::SecretTooShort`] for fewer than [`Self::MIN_SECRET`] bytes.
    pub fn for_asset(secret: &[u8], asset_id: &str) -> Result<Self, CertError> {
        let keyed = Self::new(secret)?.keyed;
        Self::new(&*bytes(keyed.of(asset_id.as_bytes())))
    }
}

impl fmt::Debug for KeyedNoncer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyedNoncer(…)")
    }
}

impl Noncer for KeyedNoncer {
    fn nonce(&self, location: Location<'_>) -> Result<Hash, Failure> {
        let path = join(&[
            "[",
            location.prefix,
            Digits::new(location.position).as_str(),
            "]",
        ]);
        Ok(self.keyed.of(path.as_bytes()).into())
    }

    fn extend_prefix(&self, text: &mut String, step: Step<'_>) {
        match step {
            Step::Key(key) => write::string(text, key),
            Step::Index(index) => text.push_str(Digits::new(index).as_str()),
        }
        text.push(',');
    }

    fn nonce_length(&self) -> Option<usize> {
        Some(HEX_LENGTH)
    }

    fn path_only(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn short_secrets_are_refused_and_debug_output_hides_secrets() {
        let error = KeyedNoncer::new(&[1; 15]).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SecretTooShort);
        let noncer = KeyedNoncer::new(b"sixteen bytes ok").unwrap();
        assert_eq!(format!("{noncer:?}"), "KeyedNoncer(…)");
    }

    #[test]
    fn keyed_nonces_are_hmac_of_the_json_path() {
        // Python: hmac.new(b"0123456789abcdef", b'["a\\"b",3,0]', "sha256").hexdigest()
        let noncer = KeyedNoncer::new(b"0123456789abcdef").unwrap();
        let steps = [Step::Key("a\"b"), Step::Index(3)];
        let mut text = String::new();
        for step in steps {
            noncer.extend_prefix(&mut text, step);
        }
        let nonce = noncer.nonce(Location::new(&steps, &text, 0)).unwrap();
        assert_eq!(
            nonce.as_str(),
            "9ddfa7efa1e7881aedce669280515dd0b9f469f3313faa90c6a448bd16ff21e3"
        );
        let other = KeyedNoncer::for_asset(b"0123456789abcdef", "100").unwrap();
        let nonce = other.nonce(Location::new(&[], "", 7)).unwrap();
        assert_eq!(
            nonce.as_str(),
            "75a6b3008f457be15d4ea3f5b01d409cced119a866a08e580c489fa30a03a157"
        );
    }
}
