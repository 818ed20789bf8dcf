//! `cert export` writes a certificate as an Open Badge or as an SD-JWT, and `cert check-badge` checks one. docs/badges.md describes their use.
//!
//! The tool signs only after the service and the issuer's domain have confirmed its content.

mod certificate;
mod check;
pub(crate) mod outside;
pub(crate) mod place;
pub(crate) mod shared;
mod signing;
mod wallet;

use std::fs;
use std::path::Path as FilePath;

use cert_badge::{Badge, JwtKey, bake};
use zeroize::Zeroizing;

use crate::arguments::{self, Export};
use crate::batch::service::Service;
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;
use crate::output;
use crate::path;

pub(crate) use self::certificate::{Beside, Certificate, Place};
pub(crate) use self::check::check;
use self::place::Wanted;
use self::shared::{now, refused};
use self::signing::CredentialKey;
pub(crate) use self::signing::{BadgeKey, Signer};

/// Returns the entry of a badge key for `verificationMethod` of the issuer's `did.json`.
pub(crate) fn entry(inputs: &mut Inputs, options: &arguments::BadgeKey) -> Result<String, Failure> {
    let key = BadgeKey::read(inputs, &options.key)?;
    Ok(key.entry(&options.domain, &options.name))
}

/// Returns a new random credential key in PEM.
pub(crate) fn draw_credential_key() -> Result<Zeroizing<String>, Failure> {
    CredentialKey::draw()
}

/// Returns the entry of a credential key for the issuer's `did.json`, or the issuer's file `jwt-vc-issuer`.
pub(crate) fn credential_entry(
    inputs: &mut Inputs,
    options: &arguments::CredentialKey,
) -> Result<String, Failure> {
    let key = CredentialKey::read(inputs, &options.key)?;
    Ok(key.entry(&options.domain, &options.name, options.jwt_vc_issuer))
}

/// Writes a certificate as a badge or as an SD-JWT.
pub(crate) fn run(inputs: &mut Inputs, options: &Export) -> Result<(), Failure> {
    let key = Key::read(inputs, options)?;
    let text = inputs.text(&options.certificate)?;
    let certificate = Certificate::read(&text, &options.certificate)?;
    let agent = http::agent();
    let record = outside::record(&agent, &certificate.place)?;
    let domain = record.check(&certificate)?;
    let (text, service) = match &key {
        Key::Badge(key) => {
            let signer = key.listed_by(&agent, domain)?;
            let (badge, service) = make_badge(inputs, options, &certificate, &record)?;
            (signer.sign(badge, now())?.to_json(), service)
        }
        Key::Jwt(key) if options.vc_jwt => {
            let signer = key.listed_by(&agent, domain)?;
            let (badge, service) = make_badge(inputs, options, &certificate, &record)?;
            let jwt = badge.to_jwt(&signer.id).map_err(refused)?;
            let signature = signer.sign(jwt.to_sign())?;
            (jwt.signed(&signature), service)
        }
        Key::Jwt(key) => {
            let signer = key.listed_by(&agent, domain)?;
            signer.check_metadata(&agent, domain)?;
            let holder = holder_key(inputs, options)?;
            let service = place::sign_in(inputs, options, &certificate.place)?;
            let place = place(service.as_ref(), options, &certificate)?;
            let ledger = certificate.place.on_ledger(&record)?;
            let proven = &certificate.proven;
            let made = proven.to_sd_jwt(&ledger, place, holder.as_ref(), &signer.id);
            let made = made.map_err(refused)?;
            let signature = signer.sign(made.to_sign())?;
            (made.signed(&signature), service)
        }
    };
    if let (Some(service), Some(file)) = (&service, &options.offer) {
        let ledger = &certificate.place.ledger;
        let link = wallet::offer(service, ledger, key.kind(options), &text)?;
        save(file, link.as_bytes())?;
    }
    if let Some(service) = service.filter(|_| options.publish) {
        publish(&service, &certificate.place, &text)?;
    }
    write(inputs, options, text)
}

/// The key that signs.
enum Key {
    Badge(BadgeKey),
    Jwt(CredentialKey),
}

impl Key {
    /// Reads the key that the options name. They name exactly one.
    fn read(inputs: &mut Inputs, options: &Export) -> Result<Self, Failure> {
        match (&options.badge_key, &options.credential_key) {
            (Some(file), _) => BadgeKey::read(inputs, file).map(Self::Badge),
            (_, Some(file)) => CredentialKey::read(inputs, file).map(Self::Jwt),
            (None, None) => Err(Failure::new(
                "option-invalid",
                "--badge-key or --credential-key is missing",
            )),
        }
    }

    /// Returns the kind of the credential that the key signs.
    const fn kind(&self, options: &Export) -> wallet::Kind {
        match self {
            Self::Badge(_) => wallet::Kind::OpenBadge,
            Self::Jwt(_) if options.vc_jwt => wallet::Kind::OpenBadgeJwt,
            Self::Jwt(_) => wallet::Kind::SdJwt,
        }
    }
}

/// Reads the holder's public key.
fn holder_key(inputs: &mut Inputs, options: &Export) -> Result<Option<JwtKey>, Failure> {
    let Some(file) = &options.holder_jwk else {
        return Ok(None);
    };
    let jwk = serde_json::from_str(&inputs.text(file)?).ok();
    let key = jwk.and_then(|jwk| JwtKey::from_jwk(&jwk));
    key.map(Some).ok_or_else(|| {
        Failure::new(
            "holder-key-malformed",
            format!("{file}: expected a public key of P-256 as JWK, without its private part"),
        )
    })
}

/// Makes the badge of a certificate, without a signature. Returns also the service at which the issuer's account is signed in, if it is needed.
fn make_badge(
    inputs: &mut Inputs,
    options: &Export,
    certificate: &Certificate,
    record: &outside::Record,
) -> Result<(Badge, Option<Service>), Failure> {
    let showing = certificate.show(record.public(), &path::all(&options.show)?)?;
    if options.publish && !showing.is_public() {
        return Err(Failure::new(
            "badge-not-public",
            "the badge shows values that are not public, so it must not be uploaded: leave out --show, or --publish",
        ));
    }
    let service = place::sign_in(inputs, options, &certificate.place)?;
    let badge = showing.badge(Beside {
        issuer: record.issuer()?,
        created: record.created()?,
        place: place(service.as_ref(), options, certificate)?,
        with_email: options.email,
    })?;
    Ok((badge, service))
}

/// Gets the place of a certificate in a status list. `None` if the options want none.
fn place(
    service: Option<&Service>,
    options: &Export,
    certificate: &Certificate,
) -> Result<Option<cert_badge::Place>, Failure> {
    let Some(service) = service.filter(|_| !options.no_status) else {
        return Ok(None);
    };
    let at = &certificate.place;
    let wanted = Wanted {
        asset: at.asset.clone(),
        imprint: certificate.proven.imprint(),
    };
    Ok(place::draw(service, &at.ledger, &[wanted])?.pop())
}

/// Uploads a badge to the service.
fn publish(service: &Service, at: &Place, badge: &str) -> Result<(), Failure> {
    let fields = [
        ("ledgerRef", at.ledger.as_str()),
        ("assetId", at.asset.as_str()),
        ("name", "badge"),
    ];
    let answer = service.upload("/files", &fields, badge)?;
    if answer.is_success() {
        return Ok(());
    }
    Err(Failure::new(
        "service-refused",
        format!("{}/files: {}", service.base(), answer.reasons()),
    ))
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
