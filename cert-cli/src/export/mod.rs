//! `cert export` writes a certificate as an Open Badge, and `cert check-badge` checks one. docs/badges.md describes their use.
//!
//! The tool signs a badge only after the service and the issuer's domain have confirmed its content.

mod certificate;
mod check;
pub(crate) mod outside;
pub(crate) mod place;
pub(crate) mod shared;
mod signing;
mod wallet;

use std::fs;
use std::path::Path as FilePath;

use cert_badge::bake;

use crate::arguments::{self, Export};
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::output;
use crate::path;

pub(crate) use self::certificate::{Beside, Certificate, Place};
pub(crate) use self::check::check;
use self::place::Wanted;
use self::shared::{now, refused};
pub(crate) use self::signing::{BadgeKey, Signer};

/// Returns the entry of a badge key for `verificationMethod` of the issuer's `did.json`.
pub(crate) fn entry(inputs: &mut Inputs, options: &arguments::BadgeKey) -> Result<String, Failure> {
    let key = BadgeKey::read(inputs, &options.key)?;
    Ok(key.entry(&options.domain, &options.name))
}

/// Writes a certificate as a badge.
pub(crate) fn run(inputs: &mut Inputs, options: &Export) -> Result<(), Failure> {
    let key = BadgeKey::read(inputs, &options.badge_key)?;
    let text = inputs.text(&options.certificate)?;
    let certificate = Certificate::read(&text, &options.certificate)?;
    let agent = http::agent();
    let record = outside::record(&agent, &certificate.place)?;
    let domain = record.check(&certificate)?;
    let signer = key.listed_by(&agent, domain)?;

    let showing = certificate.show(record.public(), &path::all(&options.show)?)?;
    if options.publish && !showing.is_public() {
        return Err(Failure::new(
            "badge-not-public",
            "the badge shows values that are not public, so it must not be uploaded: leave out --show, or --publish",
        ));
    }
    let at = &certificate.place;
    let service = place::sign_in(inputs, options, at)?;
    let place = match &service {
        Some(service) if !options.no_status => {
            let wanted = Wanted {
                asset: at.asset.clone(),
                imprint: showing.imprint(),
            };
            place::draw(service, &at.ledger, &[wanted])?.pop()
        }
        _ => None,
    };
    let badge = showing.badge(Beside {
        issuer: record.issuer()?,
        created: record.created()?,
        place,
        with_email: options.email,
    })?;
    let badge = signer.sign(badge, now())?.to_json();
    if let (Some(service), Some(file)) = (&service, &options.offer) {
        let link = wallet::offer(service, &at.ledger, wallet::Kind::OpenBadge, &badge)?;
        save(file, link.as_bytes())?;
    }
    if let Some(service) = service.filter(|_| options.publish) {
        let fields = [
            ("ledgerRef", at.ledger.as_str()),
            ("assetId", at.asset.as_str()),
            ("name", "badge"),
        ];
        let answer = service.upload("/files", &fields, &badge)?;
        if !answer.is_success() {
            return Err(Failure::new(
                "service-refused",
                format!("{}/files: {}", service.base(), answer.reasons()),
            ));
        }
    }
    write(inputs, options, badge)
}

fn write(inputs: &mut Inputs, options: &Export, badge: String) -> Result<(), Failure> {
    let bytes = match &options.picture {
        Some(file) => bake::bake(&inputs.bytes(file)?, &badge).map_err(refused)?,
        None => badge.into_bytes(),
    };
    match &options.output {
        Some(file) => save(file, &bytes),
        None => output::bytes(&bytes),
    }
}

fn save(file: &FilePath, bytes: &[u8]) -> Result<(), Failure> {
    fs::write(file, bytes).map_err(|error| {
        Failure::new(
            "output-failed",
            format!("{} could not be written: {error}", file.display()),
        )
    })
}
