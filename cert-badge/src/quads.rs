//! The N-Quads of a badge and of a status list, which `eddsa-rdfc-2022` signs (<https://www.w3.org/TR/vc-di-eddsa/>).
//!
//! JSON-LD is not needed. Every node has an `id`, except at most one. RDF canonicalization (RDFC-1.0) only has to name that one
//! node `_:c14n0`. Each member is one line, and the lines are sorted by code point, which is the order of their bytes in UTF-8.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use crate::badge::{Achievement, Badge, Identity, Iri, Kind, Proof, Subject, Time};
use crate::status::StatusList;

const RDF_TYPE: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type";
const CREDENTIALS: &str = "https://www.w3.org/2018/credentials#";
const STATUS: &str = "https://www.w3.org/ns/credentials/status#";
const OB: &str = "https://purl.imsglobal.org/spec/vc/ob/vocab.html#";
const SCHEMA_ORG: &str = "https://schema.org/";
const SECURITY: &str = "https://w3id.org/security#";
/// The types of literals. The two contexts write the namespace of XML Schema differently.
const DATE_TIME: &str = "http://www.w3.org/2001/XMLSchema#dateTime";
const ANY_URI: &str = "https://www.w3.org/2001/XMLSchema#anyURI";
const MULTIBASE: &str = "https://w3id.org/security#multibase";
const BOOLEAN: &str = "https://www.w3.org/2001/XMLSchema#boolean";

/// A credential that this crate signs and reads: a [`Badge`] or a [`StatusList`].
pub trait Credential: sealed::Quads {}

impl Credential for Badge {}
impl Credential for StatusList {}

mod sealed {
    /// A credential as N-Quads. Other crates cannot implement it, so no credential is signed by foreign rules.
    pub trait Quads {
        /// Returns the lines of the credential without its signature.
        fn quads(&self) -> String;
    }
}

impl sealed::Quads for Badge {
    fn quads(&self) -> String {
        of_badge(self)
    }
}

impl sealed::Quads for StatusList {
    fn quads(&self) -> String {
        of_status_list(self)
    }
}

/// Returns the bytes that are signed: the hashes of the proof's description and of the credential, without its signature.
#[must_use]
pub fn to_sign(credential: &impl Credential, proof: &Proof) -> [u8; 64] {
    let mut bytes = [0; 64];
    let (left, right) = bytes.split_at_mut(32);
    left.copy_from_slice(&Sha256::digest(of_proof(proof)));
    right.copy_from_slice(&Sha256::digest(credential.quads()));
    bytes
}

/// Returns the lines of a status list.
pub(crate) fn of_status_list(credential: &StatusList) -> String {
    let mut lines = Lines::default();
    let id = &credential.id;
    lines.types(id, &credential.types);
    lines.node(id, CREDENTIALS, "issuer", &credential.issuer);
    lines.time(id, "validFrom", &credential.valid_from);
    lines.time(id, "validUntil", &credential.valid_until);
    let list = &credential.credential_subject;
    lines.node(id, CREDENTIALS, "credentialSubject", &list.id);
    lines.types(&list.id, &[list.kind]);
    lines.text(&list.id, STATUS, "statusPurpose", &list.status_purpose);
    let bits = typed(&list.encoded_list, MULTIBASE);
    lines.add(&named(&list.id), STATUS, "encodedList", &bits);
    lines.into_text()
}

/// Returns the lines of a badge.
pub(crate) fn of_badge(badge: &Badge) -> String {
    let mut lines = Lines::default();
    lines.types(&badge.id, &badge.types);
    lines.text(&badge.id, SCHEMA_ORG, "name", &badge.name);
    lines.time(&badge.id, "validFrom", &badge.valid_from);
    if let Some(until) = &badge.valid_until {
        lines.time(&badge.id, "validUntil", until);
    }

    let issuer = &badge.issuer;
    lines.node(&badge.id, CREDENTIALS, "issuer", &issuer.id);
    lines.types(&issuer.id, &issuer.types);
    lines.text(&issuer.id, SCHEMA_ORG, "name", &issuer.name);
    lines.uri(&issuer.id, SCHEMA_ORG, "url", &issuer.url);

    let [evidence] = &badge.evidence;
    lines.node(&badge.id, CREDENTIALS, "evidence", &evidence.id);
    lines.types(&evidence.id, &evidence.types);
    lines.text(&evidence.id, SCHEMA_ORG, "name", &evidence.name);
    lines.text(
        &evidence.id,
        SCHEMA_ORG,
        "description",
        &evidence.description,
    );

    if let Some(entry) = &badge.credential_status {
        lines.node(&badge.id, CREDENTIALS, "credentialStatus", &entry.id);
        lines.types(&entry.id, &[entry.kind]);
        lines.text(&entry.id, STATUS, "statusPurpose", &entry.status_purpose);
        lines.text(
            &entry.id,
            STATUS,
            "statusListIndex",
            &entry.status_list_index,
        );
        lines.node(
            &entry.id,
            STATUS,
            "statusListCredential",
            &entry.status_list_credential,
        );
    }

    let [schema] = &badge.credential_schema;
    lines.node(&badge.id, CREDENTIALS, "credentialSchema", &schema.id);
    lines.types(&schema.id, &[schema.kind]);

    let subject = &badge.credential_subject;
    lines.node(&badge.id, CREDENTIALS, "credentialSubject", &subject.id);
    of_subject(&mut lines, subject);
    lines.into_text()
}

fn of_subject(lines: &mut Lines, subject: &Subject) {
    lines.types(&subject.id, &subject.types);
    if let Some([identity]) = &subject.identifier {
        of_identity(lines, subject, identity);
    }
    if let Some([outcome]) = &subject.result {
        lines.node(&subject.id, OB, "result", &outcome.id);
        lines.types(&outcome.id, &outcome.types);
        lines.uri(
            &outcome.id,
            OB,
            "resultDescription",
            &outcome.result_description,
        );
        lines.text(&outcome.id, SCHEMA_ORG, "value", &outcome.value);
    }
    lines.node(&subject.id, OB, "achievement", &subject.achievement.id);
    of_achievement(lines, &subject.achievement);
}

fn of_identity(lines: &mut Lines, subject: &Subject, identity: &Identity) {
    const BLANK: &str = "_:c14n0";
    lines.add(&named(&subject.id), OB, "identifier", BLANK);
    lines.add(BLANK, RDF_TYPE, "", &named(iri_of(identity.kind)));
    let hashed = typed(if identity.hashed { "true" } else { "false" }, BOOLEAN);
    lines.add(BLANK, OB, "hashed", &hashed);
    lines.add(BLANK, OB, "identityHash", &literal(&identity.identity_hash));
    lines.add(BLANK, OB, "identityType", &literal(&identity.identity_type));
    lines.add(BLANK, OB, "salt", &literal(&identity.salt));
}

fn of_achievement(lines: &mut Lines, achievement: &Achievement) {
    let id = &achievement.id;
    lines.types(id, &achievement.types);
    lines.text(id, OB, "achievementType", &achievement.achievement_type);
    lines.text(id, SCHEMA_ORG, "name", &achievement.name);
    lines.text(id, SCHEMA_ORG, "description", &achievement.description);
    // The context writes the name of this property with a capital letter.
    lines.node(id, OB, "Criteria", &achievement.criteria.id);
    lines.text(
        &achievement.criteria.id,
        OB,
        "narrative",
        &achievement.criteria.narrative,
    );
    if let Some(image) = &achievement.image {
        lines.node(id, OB, "image", &image.id);
        lines.types(&image.id, &[image.kind]);
    }
    if let Some([description]) = &achievement.result_description {
        lines.node(id, OB, "resultDescription", &description.id);
        lines.types(&description.id, &description.types);
        lines.text(&description.id, SCHEMA_ORG, "name", &description.name);
        lines.text(&description.id, OB, "resultType", &description.result_type);
    }
}

/// Returns the lines of a signature's description.
pub(crate) fn of_proof(proof: &Proof) -> String {
    const BLANK: &str = "_:c14n0";
    const DUBLIN_CORE: &str = "http://purl.org/dc/terms/";
    let mut lines = Lines::default();
    lines.add(BLANK, RDF_TYPE, "", &named(iri_of(proof.kind)));
    lines.add(
        BLANK,
        DUBLIN_CORE,
        "created",
        &typed(proof.created.as_str(), DATE_TIME),
    );
    let suite = typed(
        "eddsa-rdfc-2022",
        "https://w3id.org/security#cryptosuiteString",
    );
    lines.add(BLANK, SECURITY, "cryptosuite", &suite);
    let purpose = named("https://w3id.org/security#assertionMethod");
    lines.add(BLANK, SECURITY, "proofPurpose", &purpose);
    let method = named(&proof.verification_method);
    lines.add(BLANK, SECURITY, "verificationMethod", &method);
    lines.into_text()
}

/// Returns the address of a type.
const fn iri_of(kind: Kind) -> &'static str {
    match kind {
        Kind::VerifiableCredential => "https://www.w3.org/2018/credentials#VerifiableCredential",
        Kind::OpenBadgeCredential => {
            "https://purl.imsglobal.org/spec/vc/ob/vocab.html#OpenBadgeCredential"
        }
        Kind::Profile => "https://purl.imsglobal.org/spec/vc/ob/vocab.html#Profile",
        Kind::AchievementSubject => {
            "https://purl.imsglobal.org/spec/vc/ob/vocab.html#AchievementSubject"
        }
        Kind::IdentityObject => "https://purl.imsglobal.org/spec/vc/ob/vocab.html#IdentityObject",
        Kind::Result => "https://purl.imsglobal.org/spec/vc/ob/vocab.html#Result",
        Kind::Achievement => "https://purl.imsglobal.org/spec/vc/ob/vocab.html#Achievement",
        Kind::Image => "https://purl.imsglobal.org/spec/vc/ob/vocab.html#Image",
        Kind::ResultDescription => {
            "https://purl.imsglobal.org/spec/vc/ob/vocab.html#ResultDescription"
        }
        Kind::Evidence => "https://purl.imsglobal.org/spec/vc/ob/vocab.html#Evidence",
        Kind::BitstringStatusListEntry => {
            "https://www.w3.org/ns/credentials/status#BitstringStatusListEntry"
        }
        Kind::BitstringStatusListCredential => {
            "https://www.w3.org/ns/credentials/status#BitstringStatusListCredential"
        }
        Kind::BitstringStatusList => "https://www.w3.org/ns/credentials/status#BitstringStatusList",
        Kind::JsonSchema => {
            "https://purl.imsglobal.org/spec/vccs/v1p0/context.json#1EdTechJsonSchemaValidator2019"
        }
        Kind::DataIntegrityProof => "https://w3id.org/security#DataIntegrityProof",
    }
}

/// Lines in canonical order. Equal lines count once.
#[derive(Default)]
struct Lines(BTreeSet<String>);

impl Lines {
    fn add(&mut self, subject: &str, namespace: &str, property: &str, object: &str) {
        self.0
            .insert(format!("{subject} <{namespace}{property}> {object} .\n"));
    }

    fn node(&mut self, subject: &Iri, namespace: &str, property: &str, object: &Iri) {
        self.add(&named(subject), namespace, property, &named(object));
    }

    fn text(&mut self, subject: &Iri, namespace: &str, property: &str, text: &str) {
        self.add(&named(subject), namespace, property, &literal(text));
    }

    /// Adds an address that is a literal.
    fn uri(&mut self, subject: &Iri, namespace: &str, property: &str, address: &Iri) {
        let object = typed(address.as_str(), ANY_URI);
        self.add(&named(subject), namespace, property, &object);
    }

    fn time(&mut self, subject: &Iri, property: &str, time: &Time) {
        let object = typed(time.as_str(), DATE_TIME);
        self.add(&named(subject), CREDENTIALS, property, &object);
    }

    fn types(&mut self, subject: &Iri, types: &[Kind]) {
        for kind in types {
            self.add(&named(subject), RDF_TYPE, "", &named(iri_of(*kind)));
        }
    }

    fn into_text(self) -> String {
        self.0.into_iter().collect()
    }
}

fn named(address: impl std::fmt::Display) -> String {
    format!("<{address}>")
}

fn typed(text: &str, kind: &str) -> String {
    format!("{}^^<{kind}>", literal(text))
}

/// Returns a literal with the escapes of canonical N-Quads.
fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len().saturating_add(2));
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal += "\\\"",
            '\\' => literal += "\\\\",
            '\u{8}' => literal += "\\b",
            '\t' => literal += "\\t",
            '\n' => literal += "\\n",
            '\u{c}' => literal += "\\f",
            '\r' => literal += "\\r",
            '\0'..='\u{1f}' | '\u{7f}' => {
                // Writing to a string cannot fail.
                let _ = write!(literal, "\\u{:04X}", u32::from(character));
            }
            _ => literal.push(character),
        }
    }
    literal.push('"');
    literal
}
