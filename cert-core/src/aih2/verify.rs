//! Verification: checks the rules that do not depend on a hash, then computes the imprint.

use alloc::vec::Vec;

use crate::aih2::asset::{Asset, Check};
use crate::aih2::cert::{Cert, check};
use crate::aih2::connect::{Connector, Shown};
use crate::aih2::cover;
use crate::aih2::evidence::Evidence;
use crate::aih2::findings::{Collecting, Findings, Refusing};
use crate::aih2::formula;
use crate::aih2::imprint::Imprint;
use crate::aih2::message::{refusal, sentence};
use crate::aih2::pairs::Pairs;
use crate::aih2::proof::{self, Part};
use crate::aih2::report::{Report, Status};
use crate::aih2::source::Source;
use crate::aih2::work::Counter;
use crate::error::{CertError, ErrorCode};
use crate::json::path::Path;
use crate::json::value::Value;

/// A proof that is connected to the schema and to the shown values.
pub(super) struct Connected<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// The number of hashes that computing the imprint takes.
    pub(super) work: u64,
}

impl Cert {
    /// Returns the imprint computed from evidence. The evidence must break no rule and must cover everything in the document.
    ///
    /// `document` is the document shown with the evidence. Detached evidence needs a document. A document given with attached evidence must
    /// equal the detached document that contains the values of the evidence.
    ///
    /// # Errors
    /// - [`ErrorCode::SchemaMismatch`] if the evidence is for a different schema,
    /// - [`ErrorCode::DocumentMissing`] if the evidence has no values and no document is given,
    /// - [`ErrorCode::ProofShort`], [`ErrorCode::ProofLong`], [`ErrorCode::ProofShape`], [`ErrorCode::NothingOpen`],
    ///   [`ErrorCode::ListOrder`], [`ErrorCode::ListDepth`] and [`ErrorCode::ListTooLong`] for the proof, with the path at which reading
    ///   stopped,
    /// - [`ErrorCode::ValueMismatch`], [`ErrorCode::NotCovered`] and [`ErrorCode::NotInSchema`] for a place of the document,
    /// - [`ErrorCode::TooMuchWork`] for more hashes than [`MAX_WORK`](crate::aih2::MAX_WORK) or [`Cert::with_most_work`] allows,
    /// - [`ErrorCode::NumberNotFinite`], [`ErrorCode::IntegerTooLarge`] and [`ErrorCode::JsonTooDeep`] for the document.
    pub fn calculate(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
    ) -> Result<Imprint, CertError> {
        let connected = self.connect_all(document, evidence)?;
        self.limit(connected.work)?;
        Ok(self.imprint_of(&connected))
    }

    /// Returns a report of the content that evidence proves under an imprint from a trusted source. The report also has the reasons why
    /// other content is not proven.
    ///
    /// `evidence` is untrusted. `document` is the document shown with it, as in [`Cert::calculate`].
    ///
    /// # Errors
    /// Only [`ErrorCode::TooMuchWork`] for evidence beyond [the host's own limit](Cert::with_most_work). The report has all other errors.
    pub fn verify(
        &self,
        document: Option<&Value>,
        evidence: &Value,
        imprint: &str,
    ) -> Result<Report, CertError> {
        self.verify_any(document, evidence, imprint, None)
    }

    /// Verifies as [`Cert::verify`] does, for the asset whose ledger record has the imprint.
    ///
    /// A thief can copy an imprint to another asset, so a document may name its own asset. If the schema's root has a `ledgerId` or an
    /// `assetId`, the evidence must show it or prove its absence ([`ErrorCode::AssetHidden`]). If the shown `ledgerId` is an address, the
    /// shown ids must match the asset ([`ErrorCode::AssetMismatch`]). Any other `ledgerId` may have another meaning, so nothing is
    /// compared.
    ///
    /// Evidence without any other error must prove a value or an empty list of the asset ([`ErrorCode::NothingProven`]). Proofs of absence,
    /// empty objects and the [`POINTERS`](crate::aih2::POINTERS) do not count.
    ///
    /// # Errors
    /// The errors of [`Cert::verify`].
    pub fn verify_asset(
        &self,
        document: Option<&Value>,
        evidence: &Value,
        imprint: &str,
        asset: &Asset,
    ) -> Result<Report, CertError> {
        self.verify_any(document, evidence, imprint, Some(asset))
    }

    /// Verifies as [`Cert::verify`] does. The evidence and the imprint are already parsed.
    ///
    /// # Errors
    /// The errors of [`Cert::verify`].
    pub fn verify_read(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
        imprint: &Imprint,
    ) -> Result<Report, CertError> {
        self.verify_typed(document, evidence, imprint, None)
    }

    /// Verifies as [`Cert::verify_asset`] does. The evidence and the imprint are already parsed.
    ///
    /// ```
    /// use cert_core::aih2::{self, Asset, Cert, DocumentKey, Evidence, Imprint, Keys};
    /// use cert_core::ErrorCode;
    ///
    /// let schema = aih2::parse(
    ///     r#"{ "type": "object", "properties": { "name": { "type": "string" }, "ledgerId": { "type": "string" } } }"#,
    /// )?;
    /// let data = aih2::parse(r#"{ "name": "Nighthawks", "ledgerId": "0x3f1f2fde5ddb8c8c9d0f0f4a5dd8f8e1b2c3d4e5" }"#)?;
    /// let (cert, keys) = (Cert::new(&schema)?, Keys::Key(DocumentKey::from([7; 32])));
    /// let text = cert.notarize(&data, &keys)?.to_value().to_json();
    /// let imprint: Imprint = cert.imprint(&data, &keys)?.to_string().parse()?;
    ///
    /// // The verifier handles errors of the evidence's form before verification.
    /// let evidence = Evidence::parse(&text)?;
    /// let asset = Asset::new("0x3f1f2fde5ddb8c8c9d0f0f4a5dd8f8e1b2c3d4e5", "100")?;
    /// assert!(cert.verify_asset_read(Some(&data), &evidence, &imprint, &asset)?.valid);
    ///
    /// // A thief copied the imprint to a ledger of their own.
    /// let stolen = Asset::new("0x1111111111111111111111111111111111111111", "100")?;
    /// let report = cert.verify_asset_read(Some(&data), &evidence, &imprint, &stolen)?;
    /// assert_eq!(report.errors[0].code, ErrorCode::AssetMismatch);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Cert::verify`].
    pub fn verify_asset_read(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
        imprint: &Imprint,
        asset: &Asset,
    ) -> Result<Report, CertError> {
        self.verify_typed(document, evidence, imprint, Some(asset))
    }

    fn verify_typed(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
        imprint: &Imprint,
        asset: Option<&Asset>,
    ) -> Result<Report, CertError> {
        let mut findings = Collecting::new(asset.map(|asset| Check::new(asset, &self.shape)));
        let connected = match self.connect(document, evidence, &mut findings) {
            Ok(connected) => connected,
            Err(error) => return Ok(self.refused(document, &error)),
        };
        self.limit(connected.work)?;
        let found = self.imprint_of(&connected);
        if found != *imprint {
            let code = ErrorCode::ImprintMismatch;
            let error = refusal(code, Path::root(), sentence(code));
            return Ok(Report {
                imprint: Some(found),
                ..self.refused(document, &error)
            });
        }
        let source = Source::new(&connected.parts, &self.shape);
        self.cover(&source, document, evidence, &mut findings)?;
        let mut report = findings.finish()?;
        report.imprint = Some(found);
        Ok(report)
    }

    /// Returns the report for evidence that was refused, such as a string that is not JSON. [`Report::shown`] lists the values of
    /// `document`.
    #[must_use]
    pub fn refused(&self, document: Option<&Value>, error: &CertError) -> Report {
        let mut findings = Collecting::default();
        if let Some(document) = document {
            cover::all(&self.shape, document, Status::NotProven, &mut findings);
        }
        Report {
            shown: findings.report.shown,
            omitted: findings.report.omitted,
            ..Report::refused(error)
        }
    }

    fn verify_any(
        &self,
        document: Option<&Value>,
        evidence: &Value,
        imprint: &str,
        asset: Option<&Asset>,
    ) -> Result<Report, CertError> {
        match (Evidence::from_value(evidence), imprint.parse()) {
            (Ok(evidence), Ok(imprint)) => self.verify_typed(document, &evidence, &imprint, asset),
            (Err(error), _) | (_, Err(error)) => Ok(self.refused(document, &error)),
        }
    }

    fn imprint_of(&self, connected: &Connected<'_>) -> Imprint {
        formula::imprint(self.id.as_bytes(), &proof::hash(&connected.parts)).into()
    }

    /// Connects evidence to its own values or to a document. A given document must be covered.
    pub(super) fn connect_all<'a>(
        &'a self,
        document: Option<&'a Value>,
        evidence: &'a Evidence,
    ) -> Result<Connected<'a>, CertError> {
        let connected = self.connect(document, evidence, &mut Refusing)?;
        let source = Source::new(&connected.parts, &self.shape);
        self.cover(&source, document, evidence, &mut Refusing)?;
        Ok(connected)
    }

    /// Connects evidence to its own values, or to the document if the evidence has no values.
    pub(super) fn connect<'a>(
        &'a self,
        document: Option<&'a Value>,
        evidence: &'a Evidence,
        findings: &mut dyn Findings,
    ) -> Result<Connected<'a>, CertError> {
        let error = |code, message: &str| Err(refusal(code, Path::root(), message));
        if evidence.schema_id != self.id {
            return error(
                ErrorCode::SchemaMismatch,
                "the evidence is for another schema",
            );
        }
        if let Some(document) = document {
            check(document)?;
            if document.as_object().is_none() {
                return error(ErrorCode::ValueMismatch, "a document must be a JSON object");
            }
        }
        let shown = match (&evidence.values, document) {
            (Some(pairs), _) => Shown::Pairs(Pairs::new(pairs)),
            (None, Some(document)) => Shown::Value(document),
            (None, None) => {
                return error(
                    ErrorCode::DocumentMissing,
                    "the evidence has no values, so its document must be given",
                );
            }
        };
        let mut connector = Connector {
            proof: &evidence.proof,
            counter: Counter::new(),
            parts: Vec::new(),
            findings,
        };
        connector.root(&self.shape, shown)?;
        Ok(Connected {
            parts: connector.parts,
            work: connector.counter.work,
        })
    }

    /// Compares a document with the parts that its evidence opens.
    fn cover<'a>(
        &self,
        source: &Source<'_, 'a>,
        document: Option<&'a Value>,
        evidence: &Evidence,
        findings: &mut dyn Findings,
    ) -> Result<(), CertError> {
        let Some(document) = document else {
            return Ok(());
        };
        // Detached evidence was connected to the document, so only an empty list can be missing.
        let missing = match evidence.is_detached() {
            true => ErrorCode::NotCovered,
            false => ErrorCode::ValueMismatch,
        };
        cover::cover(source, document, missing, findings)
    }
}
