//! The badge key, and the signatures that it makes.

use cert_badge::{Badge, Proof, PublicKey, Refusal, Rule, Signature};
use cert_core::aih2::DocumentKey;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};

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
        let document = outside::did(agent, domain)?;
        let (broken, id) = cert_badge::problems(&document, domain, &self.public);
        if let Some(rule) = broken.iter().find(|rule| rule.is_fatal()) {
            let entry = match rule {
                Rule::NotListed => format!(
                    ". Add this entry to `verificationMethod`, before entries with accounts, and its id to `assertionMethod`:\n{}",
                    self.entry(domain, "vc-1")
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
        let id = id.ok_or_else(|| Failure::new(Rule::NotListed.code(), Rule::NotListed))?;
        Ok(Signer { key: self, id })
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
