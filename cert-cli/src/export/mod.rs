//! `cert export` writes a certificate as an Open Badge, and `cert check-badge` checks one. docs/badges.md describes their use.
//!
//! The tool signs a badge only after the service and the issuer's domain have confirmed its content.

mod certificate;
mod check;
mod outside;
mod place;

use std::fs;

use cert_badge::{Facts, Proof, PublicKey, Refusal, Rule, Shown, Signature, bake};
use cert_core::aih2::DocumentKey;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use time::OffsetDateTime;

use self::certificate::Certificate;
use crate::arguments::{BadgeKey, Export};
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::output::{self, print_note};
use crate::path;

pub(crate) use self::check::check;

/// Returns the entry of a badge key for `verificationMethod` of the issuer's `did.json`.
pub(crate) fn entry(inputs: &mut Inputs, options: &BadgeKey) -> Result<String, Failure> {
    let key = key_pair(inputs, &options.key)?;
    Ok(entry_of(&options.domain, &options.name, &public(&key)?))
}

/// Writes a certificate as a badge.
pub(crate) fn run(inputs: &mut Inputs, options: &Export) -> Result<(), Failure> {
    let key = key_pair(inputs, &options.badge_key)?;
    let public = public(&key)?;
    let certificate = Certificate::read(inputs, &options.certificate)?;
    let agent = http::agent();
    let record = outside::record(&agent, &certificate.place)?;
    let domain = record.check(&certificate)?;
    let key_id = key_id(&agent, domain, &public)?;

    let show = path::all(&options.show)?;
    let shown = certificate.show(&record, &show)?;
    let link = shown.link(&record)?;
    let imprint = shown.proven.imprint();
    let form = link.as_deref().map_or(Shown::Public, Shown::Link);
    let ledger = shown.place.on_ledger(&record)?;
    let wanted = place::Wanted {
        service: ledger.service,
        ledger: ledger.ledger,
        asset: ledger.asset,
        imprint: &imprint,
    };
    let facts = Facts {
        status: place::draw(inputs, options, &wanted)?,
        with_email: options.email,
        ..ledger.facts(&shown.proven, &imprint, form)
    };
    let badge = cert_badge::make(&facts).map_err(refused)?;
    let proof = Proof::new(&key_id, now()).map_err(refused)?;
    let signature = key.sign(&cert_badge::to_sign(&badge, &proof));
    let Ok(signature) = signature.as_ref().try_into() else {
        unreachable!("a signature of Ed25519 has 64 bytes (RFC 8032)");
    };
    let badge = badge.signed(proof, Signature(signature)).to_json();
    write(inputs, options, badge)
}

fn write(inputs: &mut Inputs, options: &Export, badge: String) -> Result<(), Failure> {
    let bytes = match &options.picture {
        Some(file) => bake::bake(&inputs.bytes(file)?, &badge).map_err(refused)?,
        None => badge.into_bytes(),
    };
    match &options.output {
        Some(file) => fs::write(file, bytes).map_err(|error| {
            Failure::new(
                "output-failed",
                format!("{} could not be written: {error}", file.display()),
            )
        }),
        None => output::bytes(&bytes),
    }
}

fn refused(refusal: Refusal) -> Failure {
    Failure::new(refusal.code(), refusal)
}

/// Reads a badge key.
fn key_pair(inputs: &mut Inputs, file: &str) -> Result<Ed25519KeyPair, Failure> {
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
    Ed25519KeyPair::from_seed_unchecked(seed.as_bytes()).map_err(|_| wrong())
}

fn public(key: &Ed25519KeyPair) -> Result<PublicKey, Failure> {
    let bytes = key.public_key().as_ref().try_into();
    bytes.map(PublicKey).map_err(|_| refused(Refusal::Key))
}

fn entry_of(domain: &str, name: &str, key: &PublicKey) -> String {
    format!("{:#}", cert_badge::entry(domain, name, key))
}

/// Returns the id of the badge key in the issuer's `did.json`. Warns about rules that only some programs need.
fn key_id(agent: &ureq::Agent, domain: &str, key: &PublicKey) -> Result<String, Failure> {
    let document = outside::did(agent, domain)?;
    let (broken, id) = cert_badge::problems(&document, domain, key);
    if let Some(rule) = broken.iter().find(|rule| rule.is_fatal()) {
        let entry = match rule {
            Rule::NotListed => format!(
                ". Add this entry to `verificationMethod`, before entries with accounts, and its id to `assertionMethod`:\n{}",
                entry_of(domain, "vc-1", key)
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

fn now() -> u64 {
    let seconds = u64::try_from(OffsetDateTime::now_utc().unix_timestamp()).unwrap_or_default();
    seconds.saturating_mul(1_000)
}
