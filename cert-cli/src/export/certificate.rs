//! The certificate file that is exported (docs/spec/file.md).

use cert_core::aih2::{self, Cert, Evidence, Imprint, Values};
use cert_core::{CertError, Path, Value};
use serde::Deserialize;

use super::outside::Record;
use crate::batch::link;
use crate::failure::Failure;
use crate::http;
use crate::input::Inputs;

/// The fields that name the certificate's asset. Evidence without them could belong to another asset.
const ASSET_KEYS: [&str; 2] = ["ledgerId", "assetId"];

/// A certificate of AIH-2 whose values are proven by its own evidence.
pub(super) struct Certificate {
    name: String,
    /// The origin of the service.
    pub(super) service: String,
    /// The ledger's address in lower case.
    pub(super) ledger: String,
    pub(super) asset: String,
    imprint: Imprint,
    pub(super) schema: Value,
    cert: Cert,
    /// The document with the values that the evidence proves.
    document: Value,
    /// The document of detached evidence.
    detached: Option<Value>,
    evidence: Evidence,
}

/// The members of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    assay: u64,
    service: String,
    ledger: String,
    asset: String,
    imprint: String,
    schema: serde_json::Value,
    document: Option<serde_json::Value>,
    evidence: serde_json::Value,
    #[serde(rename = "confirmation")]
    _confirmation: Option<serde_json::Value>,
}

impl Certificate {
    pub(super) fn read(inputs: &mut Inputs, name: &str) -> Result<Self, Failure> {
        let text = inputs.text(name)?;
        let file: File = serde_json::from_str(&text).map_err(|error| malformed(name, error))?;
        if file.assay != 1 {
            return Err(malformed(name, "a newer version made it"));
        }
        let in_file = |error: CertError| Failure::of(name, error);
        let is_address = file.ledger.strip_prefix("0x").is_some_and(|digits| {
            digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let is_id = (1..=78).contains(&file.asset.len())
            && file.asset.bytes().all(|byte| byte.is_ascii_digit());
        if !is_address || !is_id {
            return Err(malformed(name, "`ledger` or `asset` is malformed"));
        }
        let schema = aih2::parse(&file.schema.to_string()).map_err(in_file)?;
        let cert = Cert::new(&schema).map_err(in_file)?;
        if file
            .evidence
            .get("profile")
            .and_then(serde_json::Value::as_str)
            != Some("AIH-2")
        {
            return Err(Failure::new(
                "profile-unknown",
                format!("{name}: only certificates of AIH-2 can be exported"),
            ));
        }
        let evidence = Evidence::parse(&file.evidence.to_string()).map_err(in_file)?;
        let imprint: Imprint = file.imprint.parse().map_err(in_file)?;
        let detached = match &file.document {
            Some(document) if evidence.is_detached() => {
                let document = aih2::parse(&document.to_string()).map_err(in_file)?;
                Some(cert.without_pointers(document))
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
                    "{name}: the evidence does not prove the document under the imprint in the file. The file was changed or is damaged"
                ),
            ));
        };
        Ok(Self {
            name: name.to_owned(),
            service: http::origin("the service of the certificate,", &file.service)?,
            ledger: file.ledger.to_ascii_lowercase(),
            asset: file.asset,
            imprint,
            schema,
            cert,
            document,
            detached,
            evidence,
        })
    }

    /// Returns the imprint as 64 hexadecimal digits.
    pub(super) fn imprint(&self) -> String {
        self.imprint_with_profile()
            .trim_start_matches("aih2:")
            .to_owned()
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
        let own = self
            .document
            .as_object()
            .into_iter()
            .flat_map(|document| document.iter());
        let public =
            own.filter(|(key, value)| is_public(record, key, value) || ASSET_KEYS.contains(key));
        let mut all: Vec<Path> = public.map(|(key, _)| Path::from([key])).collect();
        all.extend_from_slice(paths);
        let evidence = self
            .cert
            .reduce(self.detached.as_ref(), &self.evidence, &all, Values::Attach)
            .map_err(in_file)?;
        let document = self.cert.document(&evidence).ok_or_else(|| {
            Failure::new(
                "not-proven",
                format!("{}: the paths show no value", self.name),
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
        let mut values = document
            .as_object()
            .into_iter()
            .flat_map(|document| document.iter());
        if values.all(|(key, value)| is_public(record, key, value)) {
            return Ok(None);
        }
        let form = link::fragment(&link::Copy {
            schema: &self.schema,
            document: &serde_json::Value::Null,
            evidence: &evidence.to_value(),
        });
        let form = form.map_err(|error| malformed(&self.name, error))?;
        form.map(Some)
            .ok_or_else(|| super::refused(cert_badge::Refusal::LinkTooLong))
    }
}

/// Returns true if the public document has the same value.
fn is_public(record: &Record, key: &str, value: &Value) -> bool {
    let public = record
        .metadata
        .as_ref()
        .and_then(|metadata| metadata.get(key));
    public.is_some_and(|public| {
        Value::parse(&public.to_string()).is_ok_and(|public| public == *value)
    })
}

fn malformed(name: &str, why: impl std::fmt::Display) -> Failure {
    Failure::new(
        "file-malformed",
        format!("{name} is not a certificate file: {why}"),
    )
}
