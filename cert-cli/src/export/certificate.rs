//! A certificate whose values are proven: from a file, from a link, or from the public documents of the service (docs/spec/file.md).

use cert_core::aih2::{Cert, Evidence, Imprint, Values};
use cert_core::{CertError, Object, Path, Value};

use super::outside::Record;
use crate::batch::link;
use crate::failure::{Failure, named};
use crate::http;
use crate::input::Inputs;

/// The fields that name the certificate's asset. Evidence without them could belong to another asset.
const ASSET_KEYS: [&str; 2] = ["ledgerId", "assetId"];

/// The members of a certificate file.
const MEMBERS: [&str; 9] = [
    "assay",
    "service",
    "ledger",
    "asset",
    "imprint",
    "schema",
    "document",
    "evidence",
    "confirmation",
];

/// The address of a certificate.
#[derive(Debug)]
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

/// A certificate of AIH-2 whose values are proven by its own evidence under an imprint.
pub(super) struct Certificate {
    name: String,
    pub(super) place: Place,
    imprint: Imprint,
    pub(super) schema: Value,
    cert: Cert,
    /// The document with the values that the evidence proves.
    pub(super) document: Value,
    /// The document of detached evidence.
    detached: Option<Value>,
    evidence: Evidence,
}

impl Certificate {
    /// Reads a certificate file.
    pub(super) fn read(inputs: &mut Inputs, name: &str) -> Result<Self, Failure> {
        let text = inputs.text(name)?;
        let file = Value::parse(&text).map_err(|error| Failure::of(name, error))?;
        let file = file
            .as_object()
            .ok_or_else(|| malformed(name, "it is not an object"))?;
        let version = file.get("assay").map(Value::to_json);
        if version.as_deref() != Some("1") {
            return Err(malformed(
                name,
                "`assay` is not 1, so another version made it",
            ));
        }
        if let Some((other, _)) = file.iter().find(|(key, _)| !MEMBERS.contains(key)) {
            return Err(malformed(
                name,
                &format!("it has the unknown member `{other}`"),
            ));
        }
        let text = |member: &str| {
            let text = file.get(member).and_then(Value::as_str);
            text.ok_or_else(|| malformed(name, &format!("`{member}` is missing or is not text")))
        };
        let service = http::origin("the service of the certificate,", text("service")?)?;
        let place = Place::new(&service, text("ledger")?, text("asset")?)
            .ok_or_else(|| malformed(name, "`ledger` or `asset` is malformed"))?;
        Self::proven(name, place, text("imprint")?, file)
    }

    /// Checks `schema`, `document` and `evidence` of a file, a link or the service under an imprint.
    pub(super) fn proven(
        name: &str,
        place: Place,
        imprint: &str,
        parts: &Object,
    ) -> Result<Self, Failure> {
        let in_file = |error: CertError| Failure::of(name, error);
        let part = |member: &str| {
            parts
                .get(member)
                .ok_or_else(|| malformed(name, &format!("`{member}` is missing")))
        };
        let (schema, evidence) = (part("schema")?, part("evidence")?);
        let cert = Cert::new(schema).map_err(in_file)?;
        let profile = evidence
            .as_object()
            .and_then(|evidence| evidence.get("profile")?.as_str());
        if profile != Some("AIH-2") {
            return Err(Failure::new(
                "profile-unknown",
                format!(
                    "{}: badges are made from certificates of AIH-2 only",
                    named(name)
                ),
            ));
        }
        let evidence = Evidence::from_value(evidence).map_err(in_file)?;
        let imprint: Imprint = imprint.parse().map_err(in_file)?;
        let detached = match parts.get("document") {
            Some(document @ Value::Object(_)) if evidence.is_detached() => {
                Some(cert.without_pointers(document.clone()))
            }
            _ => None,
        };
        let report = cert
            .verify_read(detached.as_ref(), &evidence, &imprint)
            .map_err(in_file)?;
        let document = detached.clone().or_else(|| cert.document(&evidence));
        let Some(document) = document.filter(|_| report.valid) else {
            return Err(Failure::new(
                "not-proven",
                format!(
                    "{}: the evidence does not prove the values under the imprint. They were changed, or belong to another certificate",
                    named(name)
                ),
            ));
        };
        Ok(Self {
            name: name.to_owned(),
            place,
            imprint,
            schema: schema.clone(),
            cert,
            document,
            detached,
            evidence,
        })
    }

    /// Returns the imprint as 64 hexadecimal digits.
    pub(super) fn imprint(&self) -> String {
        let text = self.imprint_with_profile();
        text.trim_start_matches("aih2:").to_owned()
    }

    pub(super) fn imprint_with_profile(&self) -> String {
        self.imprint.to_string()
    }

    /// Returns the document and the evidence that show the public values and some further paths.
    pub(super) fn show(
        &self,
        record: &Record,
        paths: &[Path],
    ) -> Result<(Value, Evidence), Failure> {
        let in_file = |error: CertError| Failure::of(&self.name, error);
        let own = self.document.as_object().into_iter().flat_map(Object::iter);
        let public =
            own.filter(|(key, value)| record.is_public(key, value) || ASSET_KEYS.contains(key));
        let mut all: Vec<Path> = public.map(|(key, _)| Path::from([key])).collect();
        all.extend_from_slice(paths);
        let evidence = self
            .cert
            .reduce(self.detached.as_ref(), &self.evidence, &all, Values::Attach)
            .map_err(in_file)?;
        let document = self.cert.document(&evidence).ok_or_else(|| {
            Failure::new(
                "not-proven",
                format!("{}: the paths show no value", named(&self.name)),
            )
        })?;
        Ok((document, evidence))
    }

    /// Returns the short form of the evidence for the link. `None` if all values of the document are public.
    pub(super) fn link(
        &self,
        record: &Record,
        document: &Value,
        evidence: &Evidence,
    ) -> Result<Option<String>, Failure> {
        let mut values = document.as_object().into_iter().flat_map(Object::iter);
        if values.all(|(key, value)| record.is_public(key, value)) {
            return Ok(None);
        }
        let form = link::fragment(&link::Copy {
            schema: &self.schema,
            document: &serde_json::Value::Null,
            evidence: &evidence.to_value(),
        });
        let form = form.map_err(|error| malformed(&self.name, &error.to_string()))?;
        form.map(Some)
            .ok_or_else(|| super::refused(cert_badge::Refusal::LinkTooLong))
    }
}

fn malformed(name: &str, why: &str) -> Failure {
    Failure::new(
        "file-malformed",
        format!("{} is not a certificate: {why}", named(name)),
    )
}
