//! `cert check-badge`: checks a badge completely. Other software checks the signature only, so it cannot see whether a badge says the same as its certificate.

use cert_badge::{Badge, Credential, Parts, Proof, bake};
use cert_core::Value;
use ring::signature::{ED25519, UnparsedPublicKey};
use serde_json::json;

use super::certificate::{Certificate, Place};
use super::outside::{self, Record};
use super::shared::{now, refused};
use crate::arguments::CheckBadge;
use crate::batch::link;
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::output;

/// Checks a badge and prints the findings. Returns true if a certificate in force says the same, and its confirmed issuer signed the badge.
pub(crate) fn check(
    inputs: &mut Inputs,
    options: &CheckBadge,
    pretty: bool,
) -> Result<bool, Failure> {
    let bytes = inputs.bytes(&options.badge)?;
    let text = match core::str::from_utf8(&bytes) {
        Ok(text) if text.trim_start().starts_with('{') => text.to_owned(),
        _ => bake::unbake(&bytes).map_err(refused)?,
    };
    let badge = cert_badge::read(&text).map_err(refused)?;
    let (place, form) = Place::of_link(badge.evidence())?;
    let certificate = format!("{}/c/{}/{}", place.service, place.ledger, place.asset);
    let agent = http::agent();
    let record = outside::record(&agent, &place)?;
    let issuer = badge.issuer();
    let is_confirmed = record.domain() == Some(issuer.as_str());
    let signature = signature(&agent, &issuer, &badge, badge.proof());
    let list = list(&agent, &badge, &place);
    let content = content(&badge, place, form, &record);
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
    let report = Value::try_from(&report).map_err(|error| Failure::of("the report", error))?;
    output::json(&report, pretty)?;
    Ok(is_valid)
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

/// Checks the badge's place in the status list of its service, as other software does. Returns `none` if the badge names no list, `inForce`, `revoked`, or
/// `wrong` if the list is forged, expired or malformed. `not-checked` if the list or the key of the service cannot be read.
fn list(agent: &ureq::Agent, badge: &Badge, place: &Place) -> &'static str {
    let Some(address) = badge.status_list() else {
        return "none";
    };
    let (service, ledger) = (&place.service, &place.ledger);
    // Only a list of the certificate's own service is fetched. The badge could name any address.
    let Some(entry) = badge
        .place()
        .filter(|entry| address == format!("{service}/status/{ledger}/{}", entry.list))
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
