//! The key with which the service signs status lists.

use alloy_primitives::hex;
use cert_badge::{PublicKey, Signature};
use ed25519_dalek::{Signer as _, SigningKey};

use super::reader::{ConfigError, Reader};

/// A private key of Ed25519. It is never logged or shown.
#[derive(Clone)]
pub struct StatusKey(SigningKey);

impl StatusKey {
    pub(crate) fn public(&self) -> PublicKey {
        PublicKey(self.0.verifying_key().to_bytes())
    }

    pub(crate) fn sign(&self, bytes: &[u8]) -> Signature {
        Signature(self.0.sign(bytes).to_bytes())
    }
}

impl std::fmt::Debug for StatusKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StatusKey({})", self.public())
    }
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the key of status lists. `None` if there is none. The error does not repeat the value.
    pub(super) fn status_key(&self) -> Result<Option<StatusKey>, ConfigError> {
        let Some(text) = self.text("STATUS_KEY") else {
            return Ok(None);
        };
        let seed: Result<[u8; 32], _> = hex::decode_to_array(&text);
        let key = seed.map(|seed| Some(StatusKey(SigningKey::from_bytes(&seed))));
        key.map_err(|_| {
            ConfigError("`STATUS_KEY` must be a secret of 64 random hex digits".to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;

    /// The first test vector of RFC 8032, section 7.1.
    const SEED: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

    fn read(key: &str) -> Result<Config, super::ConfigError> {
        let given = [("ENVIRONMENT", "development"), ("STATUS_KEY", key)];
        Config::read(|name| {
            let found = given.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_key_signs_as_in_rfc_8032_and_is_never_shown() {
        let config = read(SEED).unwrap();
        assert!(!format!("{config:?}").contains(SEED));
        let key = config.status_key.unwrap();
        let public = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        assert_eq!(alloy_primitives::hex::encode(key.public().0), public);
        let signature = "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";
        assert_eq!(alloy_primitives::hex::encode(key.sign(b"").0), signature);
        assert!(read("").unwrap().status_key.is_none());
    }

    #[test]
    fn other_texts_are_refused_without_repeating_them() {
        let long = format!("{SEED}00");
        for wrong in ["0x12", "passphrase", SEED.get(1..).unwrap(), &long] {
            let error = read(wrong).unwrap_err().0;
            assert!(error.contains("`STATUS_KEY` must be"), "{error}");
            assert!(!error.contains(wrong), "{error}");
        }
    }
}
