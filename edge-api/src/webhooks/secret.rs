//! Signatures of the Standard Webhooks scheme: HMAC-SHA-256 of `id.timestamp.body`.

use std::ops::RangeInclusive;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha2::Sha256;

use crate::ports::Random;

/// The prefix of a secret. Scanners for leaked secrets recognize it.
const PREFIX: &str = "whsec_";
/// Number of bytes in the key of a given secret, as the Standard Webhooks scheme recommends.
const GIVEN_BYTES: RangeInclusive<usize> = 24..=64;

/// A secret: `whsec_` and the base64 of a key. The key is 32 random bytes, or was given by the owner. Shown only to its owner,
/// and never logged.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Secret(String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(…)")
    }
}

impl TryFrom<String> for Secret {
    type Error = String;

    /// Checks a stored secret. Fails if the prefix is missing, or if the rest is empty or not base64.
    fn try_from(text: String) -> Result<Self, String> {
        let secret = Self(text);
        secret.key().map(|_| secret)
    }
}

impl Secret {
    /// Creates a random secret.
    pub(crate) fn random(random: &dyn Random) -> Self {
        let mut key = [0; 32];
        random.fill(&mut key);
        Self(format!("{PREFIX}{}", STANDARD.encode(key)))
    }

    /// Parses a secret that the owner gave. `None` if the prefix is missing, or if the rest is not the base64 of 24 to 64 bytes.
    pub(crate) fn given(text: &str) -> Option<Self> {
        let secret = Self(text.to_owned());
        let key = secret.key().ok()?;
        GIVEN_BYTES.contains(&key.len()).then_some(secret)
    }

    /// Returns the secret as the owner enters it in the receiver's configuration.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    fn key(&self) -> Result<Vec<u8>, String> {
        let text = self
            .0
            .strip_prefix(PREFIX)
            .ok_or_else(|| format!("a stored webhook secret does not start with `{PREFIX}`"))?;
        match STANDARD.decode(text) {
            // Anybody can sign with an empty key.
            Ok(key) if key.is_empty() => Err("a stored webhook secret is empty".to_owned()),
            Ok(key) => Ok(key),
            Err(error) => Err(format!("a stored webhook secret is not base64: {error}")),
        }
    }

    /// Returns a signature in the form of the header `webhook-signature`: `v1,` and base64.
    pub(super) fn sign(&self, id: &str, seconds: u64, body: &str) -> Result<String, String> {
        let mut mac =
            Hmac::<Sha256>::new_from_slice(&self.key()?).map_err(|error| error.to_string())?;
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body.as_bytes());
        Ok(format!(
            "v1,{}",
            STANDARD.encode(mac.finalize().into_bytes())
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    /// The expected value was computed with Python's hmac and base64 modules.
    #[test]
    fn a_signature_equals_the_one_that_python_computes() {
        let secret = Secret::try_from(SECRET.to_owned()).unwrap();
        assert_eq!(
            secret
                .sign(
                    "msg_p5jXN8AQM9LWM0D4loKWxJek",
                    1_614_265_330,
                    "{\"test\": 2432232314}"
                )
                .unwrap(),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
    }

    #[test]
    fn invalid_stored_secrets_are_refused() {
        for text in [
            "",
            "whsec_",
            "whsec_****",
            "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        ] {
            assert!(Secret::try_from(text.to_owned()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_given_secret_has_24_to_64_bytes_in_base64() {
        let of_bytes = |bytes: usize| format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        for bytes in [24, 25, 26, 32, 64] {
            let text = of_bytes(bytes);
            assert_eq!(Secret::given(&text).unwrap().as_str(), text);
        }
        let unpadded = of_bytes(25).trim_end_matches('=').to_owned();
        let in_upper_case = SECRET.replace("whsec", "WHSEC");
        for text in [
            of_bytes(0),
            of_bytes(23),
            of_bytes(65),
            unpadded,
            in_upper_case,
            SECRET.replace("whsec_", ""),
            SECRET.replace('M', "-"),
            format!("{SECRET}\n"),
            format!(" {SECRET}"),
        ] {
            assert!(Secret::given(&text).is_none(), "{text}");
        }
    }

    #[test]
    fn debug_output_hides_the_secret() {
        let secret = Secret::try_from(SECRET.to_owned()).unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(…)");
    }
}
