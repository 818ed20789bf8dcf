//! The parts of checking a badge that need neither a network nor cryptography.

use serde_json::Value;

use crate::badge::{Badge, Proof};
use crate::certificate::Certificate;
use crate::did::{Listed, problems};
use crate::key::PublicKey;
use crate::make::{Facts, Issuer, Shown, make};

/// A certificate on its ledger, as its service describes it.
#[derive(Clone, Copy, Debug)]
pub struct OnLedger<'a> {
    /// The origin of the service, such as `https://certs.example`.
    pub service: &'a str,
    /// The address of the ledger: `0x` and 40 hex digits in lower case.
    pub ledger: &'a str,
    /// The id of the asset in decimal digits.
    pub asset: &'a str,
    /// The confirmed issuer.
    pub issuer: Issuer<'a>,
    /// The time at which the asset was created, in milliseconds since 1970.
    pub created: u64,
}

impl<'a> OnLedger<'a> {
    /// Returns the facts of a badge that shows the proven values of a certificate. The badge has neither a place in a status list nor the holder's e-mail
    /// address.
    #[must_use]
    pub const fn facts(
        &self,
        certificate: &'a Certificate,
        imprint: &'a str,
        shown: Shown<'a>,
    ) -> Facts<'a> {
        Facts {
            service: self.service,
            ledger: self.ledger,
            asset: self.asset,
            imprint,
            schema: certificate.schema(),
            document: certificate.document(),
            issuer: self.issuer,
            created: self.created,
            shown,
            status: None,
            with_email: false,
        }
    }
}

impl Badge {
    /// Returns true if the badge is the one of a certificate. The certificate's values are those that the badge's evidence proves under the imprint on the
    /// ledger, and `form` is the fragment of the evidence's address.
    #[must_use]
    pub fn says_the_same(
        &self,
        certificate: &Certificate,
        ledger: &OnLedger<'_>,
        form: Option<&str>,
    ) -> bool {
        let imprint = certificate.imprint();
        let shown = form.map_or(Shown::Public, Shown::Link);
        let facts = Facts {
            status: self.place(),
            with_email: self.has_email(),
            ..ledger.facts(certificate, &imprint, shown)
        };
        make(&facts).is_ok_and(|again| again == self.clone().unsigned())
    }
}

/// Returns the key of a badge's signature from the issuer's `did.json`. `None` if the file does not list the key for this purpose. `domain` is the issuer's.
#[must_use]
pub fn listed_key(document: &Value, domain: &str, proof: &Proof) -> Option<PublicKey> {
    key_with_id(document, domain, proof.key_id())
}

/// Returns the key with an id from the issuer's `did.json`. `None` if the file does not list a key of this kind for signatures. `domain` is the issuer's.
#[must_use]
pub fn key_with_id<K: Listed>(document: &Value, domain: &str, id: &str) -> Option<K> {
    let methods = document.get("verificationMethod")?.as_array()?;
    let key = methods
        .iter()
        .filter(|method| method.get("id").and_then(Value::as_str) == Some(id))
        .find_map(|method| K::read(method.get(K::MEMBER)?))?;
    let (broken, found) = problems(document, domain, &key);
    let is_listed = found.as_deref() == Some(id) && !broken.iter().any(|rule| rule.is_fatal());
    is_listed.then_some(key)
}
