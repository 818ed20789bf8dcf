//! The badge key and the key of JWTs, and the signatures that they make.

use base64ct::{Base64, Encoding as _};
use cert_badge::{Badge, JwtKey, Listed, Proof, PublicKey, Refusal, Rule, Signature};
use cert_core::aih2::DocumentKey;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _,
    UnparsedPublicKey,
};
use zeroize::Zeroizing;

use super::outside;
use super::shared::refused;
use crate::failure::Failure;
use crate::input::Inputs;
use crate::output::print_note;

/// A badge key.
pub(crate) struct BadgeKey {
    pair: Ed25519KeyPair,
    public: PublicKey,
}

/// A badge key that the `did.json` of an issuer lists.
pub(crate) struct Signer<'a> {
    key: &'a BadgeKey,
    /// The id of the key in the issuer's `did.json`.
    id: String,
}

impl BadgeKey {
    /// Reads a badge key.
    pub(crate) fn read(inputs: &mut Inputs, file: &str) -> Result<Self, Failure> {
        let wrong = || {
            Failure::new(
                "badge-key-malformed",
                format!("{file}: expected 64 hexadecimal digits, as `cert key` prints them"),
            )
        };
        let Some((_, digits)) = inputs.key(Some(file), "")? else {
            unreachable!("a named file has a key, or reading it failed");
        };
        // It has the form of a document's key, and is erased like one.
        let seed = DocumentKey::from_hex(&digits).map_err(|_| wrong())?;
        let pair = Ed25519KeyPair::from_seed_unchecked(seed.as_bytes()).map_err(|_| wrong())?;
        let public = pair.public_key().as_ref().try_into();
        let public = public.map(PublicKey).map_err(|_| refused(Refusal::Key))?;
        Ok(Self { pair, public })
    }

    /// Returns the key's entry for `verificationMethod` of the issuer's `did.json`.
    pub(crate) fn entry(&self, domain: &str, name: &str) -> String {
        format!("{:#}", cert_badge::entry(domain, name, &self.public))
    }

    /// Finds the key in the issuer's `did.json`. Warns about rules that only some programs need.
    pub(crate) fn listed_by(
        &self,
        agent: &ureq::Agent,
        domain: &str,
    ) -> Result<Signer<'_>, Failure> {
        let id = listed(agent, domain, &self.public, "vc-1")?;
        Ok(Signer { key: self, id })
    }
}

/// Finds a key in the issuer's `did.json`, and returns its id. Warns about rules that only some programs need. `name` is the key's name in the entry that the
/// failure suggests.
fn listed<K: Listed>(
    agent: &ureq::Agent,
    domain: &str,
    key: &K,
    name: &str,
) -> Result<String, Failure> {
    let document = outside::did(agent, domain)?;
    let (broken, id) = cert_badge::problems(&document, domain, key);
    if let Some(rule) = broken.iter().find(|rule| rule.is_fatal()) {
        let entry = match rule {
            Rule::NotListed => format!(
                ". Add this entry to `verificationMethod`, before entries with accounts, and its id to `assertionMethod`:\n{:#}",
                cert_badge::entry(domain, name, key)
            ),
            _ => String::new(),
        };
        return Err(Failure::new(
            rule.code(),
            format!("the did.json of {domain}: {rule}{entry}"),
        ));
    }
    for rule in &broken {
        print_note(&format!(
            "warning: the did.json of {domain}: {rule}. Some programs will not accept the badge"
        ));
    }
    id.ok_or_else(|| Failure::new(Rule::NotListed.code(), Rule::NotListed))
}

/// The first and the last line of a private key in PEM (RFC 7468).
const PEM: [&str; 2] = ["-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----"];
/// The number of characters of a line in PEM.
const PEM_LINE: usize = 64;

/// The key of JWTs.
pub(crate) struct CredentialKey {
    pair: EcdsaKeyPair,
    public: JwtKey,
}

/// A key of JWTs that the `did.json` of an issuer lists.
pub(crate) struct JwtSigner<'a> {
    key: &'a CredentialKey,
    /// The id of the key in the issuer's `did.json`.
    pub(super) id: String,
}

impl CredentialKey {
    /// Returns a new random key in PEM.
    pub(crate) fn draw() -> Result<Zeroizing<String>, Failure> {
        let failed = |_| {
            Failure::new(
                "random-failed",
                "the operating system provided no random bytes",
            )
        };
        let key =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        let base64 = Zeroizing::new(Base64::encode_string(key.map_err(failed)?.as_ref()));
        let [begin, end] = PEM;
        let mut text = Zeroizing::new(begin.to_owned());
        for (index, char) in base64.chars().enumerate() {
            if index.is_multiple_of(PEM_LINE) {
                text.push('\n');
            }
            text.push(char);
        }
        text.push('\n');
        text.push_str(end);
        Ok(text)
    }

    /// Reads a key in PEM.
    pub(crate) fn read(inputs: &mut Inputs, file: &str) -> Result<Self, Failure> {
        let text = Zeroizing::new(inputs.text(file)?);
        Self::parse(&text).ok_or_else(|| {
            Failure::new(
                "credential-key-malformed",
                format!("{file}: expected a private key of P-256 in PEM, as `cert key --credential` prints it"),
            )
        })
    }

    fn parse(text: &str) -> Option<Self> {
        let [begin, end] = PEM;
        let inside = text.trim().strip_prefix(begin)?.strip_suffix(end)?;
        let base64: Zeroizing<String> = Zeroizing::new(inside.split_whitespace().collect());
        let der = Zeroizing::new(Base64::decode_vec(&base64).ok()?);
        let pair =
            EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &SystemRandom::new());
        let pair = pair.ok()?;
        let public = JwtKey::from_point(pair.public_key().as_ref()).ok()?;
        Some(Self { pair, public })
    }

    /// Returns the key's entry for `verificationMethod` of the issuer's `did.json`, or the issuer's file `/.well-known/jwt-vc-issuer`.
    pub(crate) fn entry(&self, domain: &str, name: &str, is_metadata: bool) -> String {
        let value = match is_metadata {
            true => cert_badge::issuer_metadata(domain, name, &self.public),
            false => cert_badge::entry(domain, name, &self.public),
        };
        format!("{value:#}")
    }

    /// Finds the key in the issuer's `did.json`.
    pub(crate) fn listed_by(
        &self,
        agent: &ureq::Agent,
        domain: &str,
    ) -> Result<JwtSigner<'_>, Failure> {
        let id = listed(agent, domain, &self.public, "jwt-1")?;
        Ok(JwtSigner { key: self, id })
    }
}

impl JwtSigner<'_> {
    /// Fails if the issuer's file `/.well-known/jwt-vc-issuer` does not list the key. Other software finds the key of an SD-JWT there only.
    pub(crate) fn check_metadata(&self, agent: &ureq::Agent, domain: &str) -> Result<(), Failure> {
        let metadata = outside::issuer_metadata(agent, domain).unwrap_or_default();
        if cert_badge::lists_for_jwts(&metadata, domain, &self.id, &self.key.public) {
            return Ok(());
        }
        let name = self.id.rsplit_once('#').map_or("", |(_, name)| name);
        Err(Failure::new(
            "jwt-vc-issuer-missing",
            format!(
                "https://{domain}/.well-known/jwt-vc-issuer does not list the key. Publish this file, or add its key to the one that is there:\n{}",
                self.key.entry(domain, name, true)
            ),
        ))
    }

    /// Signs the bytes of a JWT.
    pub(crate) fn sign(&self, bytes: &[u8]) -> Result<Vec<u8>, Failure> {
        let signature = self.key.pair.sign(&SystemRandom::new(), bytes);
        let failed = |_| {
            Failure::new(
                "random-failed",
                "the operating system provided no random bytes",
            )
        };
        Ok(signature.map_err(failed)?.as_ref().to_vec())
    }
}

impl Signer<'_> {
    /// Signs a badge at a time in milliseconds since 1970.
    pub(crate) fn sign(&self, badge: Badge, now: u64) -> Result<Badge, Failure> {
        let proof = Proof::new(&self.id, now).map_err(refused)?;
        let signature = self.key.pair.sign(&cert_badge::to_sign(&badge, &proof));
        let Ok(signature) = signature.as_ref().try_into() else {
            unreachable!("a signature of Ed25519 has 64 bytes (RFC 8032)");
        };
        Ok(badge.signed(proof, Signature(signature)))
    }

    /// Returns true if this key signed a badge under its present id.
    pub(crate) fn has_signed(&self, badge: &Badge) -> bool {
        let Some((proof, signature)) = badge
            .proof()
            .and_then(|proof| Some((proof, proof.signature()?)))
        else {
            return false;
        };
        let content = cert_badge::to_sign(badge, proof);
        proof.key_id() == self.id
            && UnparsedPublicKey::new(&ED25519, self.key.public.0)
                .verify(&content, &signature.0)
                .is_ok()
    }
}
