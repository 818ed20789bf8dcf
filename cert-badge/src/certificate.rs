//! A certificate whose values are proven, so that a badge may show them.

use core::fmt;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use cert_core::aih2::{Cert, DocumentKey, Evidence, Imprint, Values};
use cert_core::file::CertificateFile;
use cert_core::{CertError, Object, Path, Value};

/// The documents of a certificate, from a file, a link or the service.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// The schema.
    pub schema: &'a Value,
    /// The document. `None` if the evidence has the values.
    pub document: Option<&'a Value>,
    /// The evidence.
    pub evidence: &'a Value,
}

impl<'a> Parts<'a> {
    /// Finds the documents among the members of a link's content. `None` if one of them is missing.
    #[must_use]
    pub fn of(members: &'a Object) -> Option<Self> {
        Some(Self {
            schema: members.get("schema")?,
            document: members.get("document"),
            evidence: members.get("evidence")?,
        })
    }

    /// Returns the documents of a file.
    #[must_use]
    pub const fn of_file(file: &'a CertificateFile) -> Self {
        Self {
            schema: &file.schema,
            document: file.document.as_ref(),
            evidence: &file.evidence,
        }
    }
}

/// A certificate of AIH-2 whose values its own evidence proves under an imprint.
#[derive(Debug)]
pub struct Certificate {
    imprint: Imprint,
    schema: Value,
    cert: Cert,
    document: Value,
    detached: Option<Value>,
    evidence: Evidence,
}

impl Certificate {
    /// Verifies the documents of a certificate under an imprint.
    ///
    /// # Errors
    /// See [`Unproven`].
    pub fn proven(parts: Parts<'_>, imprint: &str) -> Result<Self, Unproven> {
        let Parts {
            schema,
            document,
            evidence,
        } = parts;
        let profile = evidence
            .as_object()
            .and_then(|evidence| evidence.get("profile")?.as_str());
        if profile != Some("AIH-2") {
            return Err(Unproven::Profile);
        }
        let cert = Cert::new(schema)?;
        let evidence = Evidence::from_value(evidence)?;
        let imprint: Imprint = imprint.parse()?;
        let detached = document
            .filter(|document| evidence.is_detached() && document.as_object().is_some())
            .map(|document| cert.without_pointers(document.clone()));
        let report = cert.verify_read(detached.as_ref(), &evidence, &imprint)?;
        let document = detached.clone().or_else(|| cert.document(&evidence));
        let document = document.filter(|_| report.valid).ok_or(Unproven::Changed)?;
        Ok(Self {
            imprint,
            schema: schema.clone(),
            cert,
            document,
            detached,
            evidence,
        })
    }

    /// Returns the imprint with its profile, such as `aih2:be80…`.
    #[must_use]
    pub fn imprint(&self) -> String {
        self.imprint.to_string()
    }

    /// Returns the schema.
    #[must_use]
    pub const fn schema(&self) -> &Value {
        &self.schema
    }

    /// Returns the proven values.
    #[must_use]
    pub const fn document(&self) -> &Value {
        &self.document
    }

    /// Returns the evidence.
    #[must_use]
    pub const fn evidence(&self) -> &Evidence {
        &self.evidence
    }

    /// Returns the id of the schema.
    #[must_use]
    pub fn schema_id(&self) -> String {
        self.evidence.schema_id().to_string()
    }

    /// Returns the key of the document. `None` if the evidence hides a part of the document.
    #[must_use]
    pub fn document_key(&self) -> Option<DocumentKey> {
        // A proof that opens everything is one token: `K` and the key (docs/spec/aih-2.md, section 6).
        let proof = Base64UrlUnpadded::decode_vec(&self.evidence.proof()).ok()?;
        DocumentKey::try_from(proof.strip_prefix(b"K")?).ok()
    }

    /// Returns the certificate with the values at some paths only. Its evidence has the values.
    ///
    /// # Errors
    /// The errors of [`Cert::reduce`], and [`Unproven::Nothing`] if the paths show no value.
    pub fn reduced(&self, paths: &[Path]) -> Result<Self, Unproven> {
        let detached = self.detached.as_ref();
        let evidence = self
            .cert
            .reduce(detached, &self.evidence, paths, Values::Attach)?;
        let document = self.cert.document(&evidence).ok_or(Unproven::Nothing)?;
        Ok(Self {
            imprint: self.imprint,
            schema: self.schema.clone(),
            cert: Cert::new(&self.schema)?,
            document,
            detached: None,
            evidence,
        })
    }
}

/// The reason why no value of a certificate is proven.
#[derive(Debug)]
pub enum Unproven {
    /// The certificate is not of AIH-2.
    Profile,
    /// The evidence does not prove the values under the imprint.
    Changed,
    /// The wanted paths show no value.
    Nothing,
    /// The schema, the evidence or the imprint is malformed.
    Malformed(CertError),
}

impl Unproven {
    /// Returns the stable code.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Profile => "profile-unknown",
            Self::Changed | Self::Nothing => "not-proven",
            Self::Malformed(error) => error.code().as_str(),
        }
    }
}

impl From<CertError> for Unproven {
    fn from(error: CertError) -> Self {
        Self::Malformed(error)
    }
}

impl fmt::Display for Unproven {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Profile => {
                formatter.write_str("badges are made from certificates of AIH-2 only")
            }
            Self::Changed => formatter.write_str(
                "the evidence does not prove the values under the imprint. They were changed, or belong to another certificate",
            ),
            Self::Nothing => formatter.write_str("the paths show no value"),
            Self::Malformed(error) => write!(formatter, "{error}"),
        }
    }
}

impl core::error::Error for Unproven {}
