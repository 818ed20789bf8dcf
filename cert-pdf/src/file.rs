//! The certificate of a file, as the sheet needs it.

use cert_core::file::{CertificateFile, Confirmation, FileError};
use cert_core::{Value, aih2};

use crate::error::PdfError;
use crate::sheet::Issuer;

/// A certificate of a file. Its evidence is not verified.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(crate) schema: Value,
    pub(crate) document: Value,
    pub(crate) issuer: Option<Issuer>,
    pub(crate) asset: String,
    /// The address of the certificate's page.
    pub(crate) page: String,
    /// The service's host, with its port.
    pub(crate) host: String,
}

impl Certificate {
    pub(crate) fn parse(text: &str) -> Result<Self, PdfError> {
        let file = CertificateFile::parse(text).map_err(|error| match error {
            FileError::TooLarge => PdfError::FileTooLarge,
            other => PdfError::FileInvalid(other.to_string()),
        })?;
        let page = file.page();
        let document = match file.document {
            Some(document) => document,
            None => attached(&file.schema, &file.evidence).ok_or_else(|| {
                PdfError::FileInvalid(FileError::Malformed("evidence").to_string())
            })?,
        };
        let host = file.service.split_once("://").map_or("", |(_, host)| host);
        Ok(Self {
            page,
            host: host.to_owned(),
            asset: file.asset,
            issuer: file.confirmation.map(Issuer::from),
            schema: file.schema,
            document,
        })
    }

    /// Returns a schema.
    pub(crate) fn schema_of(text: &str) -> Result<Value, PdfError> {
        let read = |text: &str| {
            Value::parse(text)
                .ok()
                .filter(|schema| schema.as_object().is_some())
        };
        read(text).ok_or_else(|| PdfError::FileInvalid("the titles are no schema".to_owned()))
    }
}

impl From<Confirmation> for Issuer {
    fn from(confirmation: Confirmation) -> Self {
        Self {
            account: confirmation.account,
            domain: Some(confirmation.domain),
            name: confirmation.name,
        }
    }
}

/// Returns the document of evidence that has its own values.
fn attached(schema: &Value, evidence: &Value) -> Option<Value> {
    let cert = aih2::Cert::new(schema).ok()?;
    cert.document(&aih2::Evidence::from_value(evidence).ok()?)
}
