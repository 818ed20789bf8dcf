//! A certificate whose values are proven: from a file, from a link, or from the public documents of the service (docs/spec/file.md).

use cert_badge::{Badge, Facts, Issuer, OnLedger, Parts, Shown, Unproven};
use cert_core::{Object, Path, Value};

use super::outside::Record;
use crate::batch::link;
use crate::failure::{Failure, named};
use crate::http;
use crate::pdf;

/// The fields that name the certificate's asset. Evidence without them could belong to another asset.
const ASSET_KEYS: [&str; 2] = ["ledgerId", "assetId"];

/// The address of a certificate.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    /// The origin of the service.
    pub(crate) service: String,
    /// The ledger's address in lower case.
    pub(crate) ledger: String,
    pub(crate) asset: String,
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

    /// Returns the address of the certificate's page.
    pub(super) fn page(&self) -> String {
        let Self {
            service,
            ledger,
            asset,
        } = self;
        format!("{service}/c/{ledger}/{asset}")
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
pub(crate) struct Certificate {
    name: String,
    pub(super) place: Place,
    pub(super) proven: cert_badge::Certificate,
}

impl Certificate {
    /// Reads a certificate file with this name.
    pub(crate) fn read(text: &str, name: &str) -> Result<Self, Failure> {
        let file = pdf::read(text, name)?;
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

    /// Selects the values of a badge: the public values and some further paths. `public` is the public document.
    pub(crate) fn show(&self, public: Option<&Object>, paths: &[Path]) -> Result<Showing, Failure> {
        let shown = self
            .members()
            .filter(|(key, value)| is_public(public, key, value) || ASSET_KEYS.contains(key));
        let mut all: Vec<Path> = shown.map(|(key, _)| Path::from([key])).collect();
        all.extend_from_slice(paths);
        let proven = self.proven.reduced(&all);
        let certificate = Self {
            name: self.name.clone(),
            place: self.place.clone(),
            proven: proven.map_err(|error| unproven(&self.name, &error))?,
        };
        Ok(Showing {
            link: certificate.link(public)?,
            certificate,
        })
    }

    /// Returns the short form of the evidence for the link. `None` if all values are public.
    fn link(&self, public: Option<&Object>) -> Result<Option<String>, Failure> {
        if self
            .members()
            .all(|(key, value)| is_public(public, key, value))
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
            .ok_or_else(|| super::shared::refused(cert_badge::Refusal::LinkTooLong))
    }

    /// Returns the proven values.
    pub(crate) const fn document(&self) -> &Value {
        self.proven.document()
    }

    /// Returns the members of the document.
    fn members(&self) -> impl Iterator<Item = (&str, &Value)> {
        let document = self.proven.document().as_object();
        document.into_iter().flat_map(Object::iter)
    }
}

/// Returns true if the public document has this value.
fn is_public(public: Option<&Object>, key: &str, value: &Value) -> bool {
    public.and_then(|public| public.get(key)) == Some(value)
}

/// A certificate with the values that its badge shows.
pub(crate) struct Showing {
    certificate: Certificate,
    /// The short form that proves the values. `None` if all of them are public.
    link: Option<String>,
}

/// The facts of a badge that are not in its certificate.
#[derive(Clone, Copy)]
pub(crate) struct Beside<'a> {
    /// The confirmed issuer.
    pub(crate) issuer: Issuer<'a>,
    /// The time at which the asset was created, in milliseconds since 1970.
    pub(crate) created: u64,
    /// The place in a status list.
    pub(crate) place: Option<cert_badge::Place>,
    /// Whether the badge has the hash of the holder's e-mail address.
    pub(crate) with_email: bool,
}

impl Showing {
    /// Returns true if everybody can see all values of the badge.
    pub(crate) const fn is_public(&self) -> bool {
        self.link.is_none()
    }

    /// Makes the badge, without a signature.
    pub(crate) fn badge(&self, beside: Beside<'_>) -> Result<Badge, Failure> {
        let Certificate { place, proven, .. } = &self.certificate;
        let imprint = proven.imprint();
        let ledger = OnLedger {
            service: &place.service,
            ledger: &place.ledger,
            asset: &place.asset,
            issuer: beside.issuer,
            created: beside.created,
        };
        let shown = self.link.as_deref().map_or(Shown::Public, Shown::Link);
        let facts = Facts {
            status: beside.place,
            with_email: beside.with_email,
            ..ledger.facts(proven, &imprint, shown)
        };
        cert_badge::make(&facts).map_err(super::shared::refused)
    }
}

fn unproven(name: &str, error: &Unproven) -> Failure {
    Failure::new(error.code(), format!("{}: {error}", named(name)))
}
