//! A certificate whose values are proven: from a file, from a link, or from the public documents of the service (docs/spec/file.md).

use cert_badge::{OnLedger, Parts, Unproven};
use cert_core::{Object, Path, Value};

use super::outside::Record;
use crate::batch::link;
use crate::failure::{Failure, named};
use crate::http;
use crate::input::Inputs;
use crate::pdf;

/// The fields that name the certificate's asset. Evidence without them could belong to another asset.
const ASSET_KEYS: [&str; 2] = ["ledgerId", "assetId"];

/// The address of a certificate.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// The origin of the service.
    pub(super) service: String,
    /// The ledger's address in lower case.
    pub(super) ledger: String,
    pub(super) asset: String,
}

impl Place {
    /// Checks the parts of an address. `None` if one of them is malformed.
    fn new(service: &str, ledger: &str, asset: &str) -> Option<Self> {
        let digits = ledger.strip_prefix("0x")?;
        let is_address = digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let is_id =
            (1..=78).contains(&asset.len()) && asset.bytes().all(|byte| byte.is_ascii_digit());
        (is_address && is_id).then(|| Self {
            service: service.to_owned(),
            ledger: ledger.to_ascii_lowercase(),
            asset: asset.to_owned(),
        })
    }

    /// Returns the place with the facts of the service about it. Fails if no domain confirms the issuer.
    pub(super) fn on_ledger<'a>(&'a self, record: &'a Record) -> Result<OnLedger<'a>, Failure> {
        Ok(OnLedger {
            service: &self.service,
            ledger: &self.ledger,
            asset: &self.asset,
            issuer: record.issuer()?,
            created: record.created()?,
        })
    }

    /// Parses the link of a certificate. Returns the place, and the short form in the fragment.
    pub(super) fn of_link(address: &str) -> Result<(Self, Option<&str>), Failure> {
        let malformed = || {
            Failure::new(
                "link-malformed",
                format!("the badge names {address}, which is not the link of a certificate"),
            )
        };
        let (page, form) = match address.split_once('#') {
            Some((page, form)) => (page, Some(form)),
            None => (address, None),
        };
        let (service, path) = page.split_once("/c/").ok_or_else(malformed)?;
        let service = http::origin("the service of the badge,", service)?;
        let (ledger, asset) = path.split_once('/').ok_or_else(malformed)?;
        let place = Self::new(&service, ledger, asset).ok_or_else(malformed)?;
        Ok((place, form))
    }
}

/// A certificate whose values are proven, with its address.
pub(super) struct Certificate {
    name: String,
    pub(super) place: Place,
    pub(super) proven: cert_badge::Certificate,
}

impl Certificate {
    /// Reads a certificate file.
    pub(super) fn read(inputs: &mut Inputs, name: &str) -> Result<Self, Failure> {
        let file = pdf::read(&inputs.text(name)?, name)?;
        let service = http::origin("the service of the certificate,", &file.service)?;
        let place = Place {
            service,
            ledger: file.ledger.to_ascii_lowercase(),
            asset: file.asset.clone(),
        };
        Self::proven(name, place, &file.imprint, Parts::of_file(&file))
    }

    /// Verifies the documents of a file, a link or the service under an imprint.
    pub(super) fn proven(
        name: &str,
        place: Place,
        imprint: &str,
        parts: Parts<'_>,
    ) -> Result<Self, Failure> {
        let proven = cert_badge::Certificate::proven(parts, imprint)
            .map_err(|error| unproven(name, &error))?;
        Ok(Self {
            name: name.to_owned(),
            place,
            proven,
        })
    }

    /// Returns the imprint as 64 hexadecimal digits.
    pub(super) fn imprint(&self) -> String {
        let text = self.proven.imprint();
        text.trim_start_matches("aih2:").to_owned()
    }

    /// Returns the certificate with the public values and some further paths.
    pub(super) fn show(&self, record: &Record, paths: &[Path]) -> Result<Self, Failure> {
        let shown = self
            .members()
            .filter(|(key, value)| record.is_public(key, value) || ASSET_KEYS.contains(key));
        let mut all: Vec<Path> = shown.map(|(key, _)| Path::from([key])).collect();
        all.extend_from_slice(paths);
        let proven = self.proven.reduced(&all);
        Ok(Self {
            name: self.name.clone(),
            place: self.place.clone(),
            proven: proven.map_err(|error| unproven(&self.name, &error))?,
        })
    }

    /// Returns the short form of the evidence for the link. `None` if all values are public.
    pub(super) fn link(&self, record: &Record) -> Result<Option<String>, Failure> {
        if self
            .members()
            .all(|(key, value)| record.is_public(key, value))
        {
            return Ok(None);
        }
        let form = link::fragment(&link::Copy {
            schema: self.proven.schema(),
            document: &serde_json::Value::Null,
            evidence: &self.proven.evidence().to_value(),
        });
        let form = form.map_err(|error| {
            Failure::new("file-invalid", format!("{}: {error}", named(&self.name)))
        })?;
        form.map(Some)
            .ok_or_else(|| super::refused(cert_badge::Refusal::LinkTooLong))
    }

    /// Returns the members of the document.
    fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let document = self.proven.document().as_object();
        document.into_iter().flat_map(Object::iter)
    }
}

fn unproven(name: &str, error: &Unproven) -> Failure {
    Failure::new(error.code(), format!("{}: {error}", named(name)))
}
