//! Reads a certificate's file, as docs/spec/file.md specifies it.

use cert_core::{Object, Value, aih2};

use crate::error::PdfError;
use crate::sheet::Issuer;

/// The largest certificate file, in bytes (docs/spec/file.md).
pub const MAX_FILE: usize = 5 * 1024 * 1024;

/// A certificate of a file. Its evidence is not verified.
#[derive(Debug)]
pub(crate) struct Certificate {
    pub(crate) schema: Value,
    pub(crate) document: Value,
    pub(crate) issuer: Option<Issuer>,
    pub(crate) asset: String,
    service: String,
    ledger: String,
}

impl Certificate {
    pub(crate) fn parse(text: &str) -> Result<Self, PdfError> {
        if text.len() > MAX_FILE {
            return Err(PdfError::FileTooLarge);
        }
        let value = Value::parse(text).map_err(|error| PdfError::FileInvalid(error.to_string()))?;
        let file = value
            .as_object()
            .ok_or_else(|| PdfError::FileInvalid("it is no JSON object".to_owned()))?;
        let member = |name: &str| {
            let missing = || PdfError::FileInvalid(format!("the member `{name}` is missing"));
            file.get(name).ok_or_else(missing)
        };
        let wrong = |name: &str| PdfError::FileInvalid(format!("the member `{name}` is wrong"));
        let text = |name: &str, is_right: fn(&str) -> bool| {
            let text = member(name)?.as_str().filter(|text| is_right(text));
            text.map(str::to_owned).ok_or_else(|| wrong(name))
        };
        if member("assay")?.to_json() != "1" {
            return Err(PdfError::FileInvalid(
                "a newer version of the format made it".to_owned(),
            ));
        }
        let schema = member("schema")?.clone();
        schema.as_object().ok_or_else(|| wrong("schema"))?;
        let document = match member("document")? {
            Value::Null => {
                attached(&schema, member("evidence")?).ok_or_else(|| wrong("document"))?
            }
            document => document.clone(),
        };
        document.as_object().ok_or_else(|| wrong("document"))?;
        Ok(Self {
            service: text("service", is_origin)?,
            ledger: text("ledger", is_address)?,
            asset: text("asset", is_number)?,
            issuer: file
                .get("confirmation")
                .and_then(Value::as_object)
                .and_then(confirmed),
            schema,
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

    /// Returns the address of the certificate's page.
    pub(crate) fn page(&self) -> String {
        format!("{}/c/{}/{}", self.service, self.ledger, self.asset)
    }

    /// Returns the service's host, with its port.
    pub(crate) fn host(&self) -> &str {
        self.service.split_once("://").map_or("", |(_, host)| host)
    }
}

/// Returns the document of evidence that has its own values.
fn attached(schema: &Value, evidence: &Value) -> Option<Value> {
    let cert = aih2::Cert::new(schema).ok()?;
    cert.document(&aih2::Evidence::from_value(evidence).ok()?)
}

fn confirmed(confirmation: &Object) -> Option<Issuer> {
    let text = |name: &str| {
        confirmation
            .get(name)
            .and_then(Value::as_str)
            .map(str::to_owned)
    };
    Some(Issuer {
        account: text("account")?,
        domain: Some(text("domain")?),
        name: text("name"),
    })
}

fn is_origin(text: &str) -> bool {
    let known =
        |char: char| char.is_ascii_alphanumeric() || matches!(char, '.' | '-' | ':' | '[' | ']');
    let host = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    host.is_some_and(|host| !host.is_empty() && host.len() <= 260 && host.chars().all(known))
}

fn is_address(text: &str) -> bool {
    let digits = text.strip_prefix("0x").unwrap_or_default();
    digits.len() == 40 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_number(text: &str) -> bool {
    let is_short = (1..=78).contains(&text.len());
    is_short
        && text.bytes().all(|byte| byte.is_ascii_digit())
        && (text == "0" || !text.starts_with('0'))
}
