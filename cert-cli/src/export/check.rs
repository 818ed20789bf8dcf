//! `cert check-badge`: checks a badge or an SD-JWT completely. Other software checks the signature only, so it cannot see whether a badge says the same as its certificate.

use cert_badge::{
    Agreement, Badge, BadgeJwt, Credential, JwtKey, Parts, Proof, Refusal, SdJwt, SignedJwt, bake,
};
use cert_core::Value;
use ring::signature::{ECDSA_P256_SHA256_FIXED, ED25519, UnparsedPublicKey};
use serde_json::{Value as Json, json};

use super::certificate::{Certificate, Place};
use super::outside::{self, Record};
use super::shared::{now, refused};
use crate::arguments::CheckBadge;
use crate::batch::link;
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::output;

/// A credential that was read.
enum Opened {
    Badge(Badge),
    Jwt(BadgeJwt),
    SdJwt(SdJwt),
}

impl Opened {
    /// Reads a badge as JSON, as JWT or in a picture, or an SD-JWT.
    fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let text = core::str::from_utf8(bytes).unwrap_or_default().trim();
        if SdJwt::is_like(text) {
            return SdJwt::read(text).map(Self::SdJwt);
        }
        if text.starts_with("eyJ") {
            return BadgeJwt::read(text).map(Self::Jwt);
        }
        match text.starts_with('{') {
            true => cert_badge::read(text).map(Self::Badge),
            false => cert_badge::read(&bake::unbake(bytes)?).map(Self::Badge),
        }
    }
}

/// Checks a badge or an SD-JWT and prints the findings. Returns true if a certificate in force says the same, and its confirmed issuer signed it.
pub(crate) fn check(
    inputs: &mut Inputs,
    options: &CheckBadge,
    pretty: bool,
) -> Result<bool, Failure> {
    let bytes = inputs.bytes(&options.badge)?;
    let agent = http::agent();
    let (report, is_valid) = match Opened::read(&bytes).map_err(refused)? {
        Opened::Badge(badge) => {
            let signature = signature(&agent, &badge.issuer(), &badge, badge.proof());
            check_badge(&agent, &badge, signature)?
        }
        Opened::Jwt(jwt) => {
            let badge = jwt.badge();
            let issuer = badge.issuer();
            let signature = jwt_signature(&agent, &issuer, jwt.jwt());
            check_badge(&agent, badge, signature)?
        }
        Opened::SdJwt(credential) => check_sd_jwt(&agent, &credential)?,
    };
    let report = Value::try_from(&report).map_err(|error| Failure::of("the report", error))?;
    output::json(&report, pretty)?;
    Ok(is_valid)
}

/// Checks a badge whose signature was checked. Returns the report, and whether the badge is valid.
fn check_badge(
    agent: &ureq::Agent,
    badge: &Badge,
    signature: &str,
) -> Result<(Json, bool), Failure> {
    let (place, form) = Place::of_link(badge.evidence())?;
    let certificate = place.page();
    let record = outside::record(agent, &place)?;
    let issuer = badge.issuer();
    let is_confirmed = record.domain() == Some(issuer.as_str());
    let list = list(agent, badge.status_list(), badge.place(), &place);
    let content = content(badge, place, form, &record);
    let is_valid = is_confirmed
        && signature == "valid"
        && content == "same"
        && record.status() == "inForce"
        && matches!(list, "inForce" | "none");
    let report = json!({
        "valid": is_valid,
        "name": badge.name(),
        "issuer": issuer,
        "issuerConfirmed": is_confirmed,
        "signature": signature,
        "content": content,
        "status": record.status(),
        "statusList": list,
        "certificate": certificate,
    });
    Ok((report, is_valid))
}

/// Checks an SD-JWT. Returns the report, and whether the SD-JWT is valid. Fields that are not public are confirmed by the signature alone.
fn check_sd_jwt(agent: &ureq::Agent, credential: &SdJwt) -> Result<(Json, bool), Failure> {
    let page = credential.page();
    let (place, _) = Place::of_link(&page)?;
    let record = outside::record(agent, &place)?;
    let issuer = credential.issuer();
    let is_confirmed = record.domain() == Some(issuer);
    let signature = jwt_signature(agent, issuer, credential.jwt());
    let (address, entry) = credential.status().unzip();
    let list = list(agent, address, entry, &place);
    let is_expired = !credential.is_valid_at(now());
    let fields = credential.compared(record.public());
    let imprint = record.imprint().map(|imprint| format!("aih2:{imprint}"));
    let is_same = imprint.as_deref() == Some(credential.imprint())
        && fields
            .iter()
            .all(|(_, agreement)| *agreement != Agreement::Different);
    let content = if is_same { "same" } else { "different" };
    let not_public = fields
        .iter()
        .filter(|(_, agreement)| *agreement == Agreement::NotPublic);
    let is_valid = is_confirmed
        && signature == "valid"
        && is_same
        && !is_expired
        && record.status() == "inForce"
        && matches!(list, "inForce" | "none");
    let report = json!({
        "valid": is_valid,
        "issuer": issuer,
        "issuerConfirmed": is_confirmed,
        "signature": signature,
        "content": content,
        "expired": is_expired,
        "fields": fields.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        "notPublic": not_public.map(|(name, _)| name).collect::<Vec<_>>(),
        "status": record.status(),
        "statusList": list,
        "certificate": place.page(),
    });
    Ok((report, is_valid))
}

/// Checks the signature of a JWT by the key in the `did.json` of the domain that issued the credential. Returns the same words as [`signature`].
fn jwt_signature(agent: &ureq::Agent, domain: &str, jwt: &SignedJwt) -> &'static str {
    let Ok(document) = outside::did(agent, domain) else {
        return "not-checked";
    };
    let Some(key) = cert_badge::key_with_id::<JwtKey>(&document, domain, jwt.key_id()) else {
        return "not-listed";
    };
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key.point());
    match key.verify(jwt.to_sign(), &jwt.signature().0) {
        Ok(()) => "valid",
        Err(_) => "wrong",
    }
}

/// Checks a signature by the key in the `did.json` of the domain that issued the credential. Returns `valid`, `wrong`, `missing`, or `not-listed` if no key
/// with the id of the signature is listed for this purpose. `not-checked` if the file cannot be read.
fn signature(
    agent: &ureq::Agent,
    domain: &str,
    credential: &impl Credential,
    proof: Option<&Proof>,
) -> &'static str {
    let Some((proof, signature)) = proof.and_then(|proof| Some((proof, proof.signature()?))) else {
        return "missing";
    };
    let Ok(document) = outside::did(agent, domain) else {
        return "not-checked";
    };
    let Some(key) = cert_badge::listed_key(&document, domain, proof) else {
        return "not-listed";
    };
    let bytes = cert_badge::to_sign(credential, proof);
    match UnparsedPublicKey::new(&ED25519, key.0).verify(&bytes, &signature.0) {
        Ok(()) => "valid",
        Err(_) => "wrong",
    }
}

/// Checks the place of a credential in the status list of its service, as other software does. Returns `none` if the credential names no list, `inForce`,
/// `revoked`, or `wrong` if the list is forged, expired or malformed. `not-checked` if the list or the key of the service cannot be read.
fn list(
    agent: &ureq::Agent,
    address: Option<&str>,
    entry: Option<cert_badge::Place>,
    place: &Place,
) -> &'static str {
    let Some(address) = address else {
        return "none";
    };
    let (service, ledger) = (&place.service, &place.ledger);
    // Only a list of the certificate's own service is fetched. The credential could name any address.
    let Some(entry) =
        entry.filter(|entry| address == format!("{service}/status/{ledger}/{}", entry.list))
    else {
        return "wrong";
    };
    let Ok(text) = outside::list(agent, address) else {
        return "not-checked";
    };
    let host = service.split_once("://").map_or("", |(_, host)| host);
    let found = cert_badge::read_status_list(&text)
        .ok()
        .filter(|list| list.address() == address && list.host() == host && list.is_valid_at(now()));
    let Some(found) = found else {
        return "wrong";
    };
    match (
        signature(agent, host, &found, found.proof()),
        found.is_revoked(entry.index),
    ) {
        ("valid", Some(true)) => "revoked",
        ("valid", Some(false)) => "inForce",
        ("not-checked", _) => "not-checked",
        _ => "wrong",
    }
}

/// Makes the badge again from the values that its link proves under the imprint on the ledger. Returns `same` or `different`, or `not-proven` if the link does not
/// prove its values.
fn content(badge: &Badge, place: Place, form: Option<&str>, record: &Record) -> &'static str {
    let same = says_the_same(badge, place, form, record);
    same.map_or("not-proven", |same| if same { "same" } else { "different" })
}

fn says_the_same(badge: &Badge, place: Place, form: Option<&str>, record: &Record) -> Option<bool> {
    let parts = match form {
        Some(form) => {
            let content = Value::parse(&link::content(form)?).ok()?;
            content.as_object()?.clone()
        }
        None => record.documents()?,
    };
    let (parts, imprint) = (Parts::of(&parts)?, record.imprint()?);
    let certificate = Certificate::proven("the badge's link", place, imprint, parts).ok()?;
    let ledger = certificate.place.on_ledger(record).ok()?;
    Some(badge.says_the_same(&certificate.proven, &ledger, form))
}
