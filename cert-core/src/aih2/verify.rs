//! Verification: the rules that take no hash, then the imprint.

use alloc::vec::Vec;

use crate::aih2::cert::{Cert, check};
use crate::aih2::connect::{Connector, Shown};
use crate::aih2::evidence::Evidence;
use crate::aih2::formula;
use crate::aih2::imprint::Imprint;
use crate::aih2::message::refusal;
use crate::aih2::pairs::Pairs;
use crate::aih2::proof::{self, Part};
use crate::aih2::report::{Collecting, Findings, Problem, Refusing, Report};
use crate::aih2::work::Counter;
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep, Step};
use crate::json::value::Value;

/// A proof that is connected to the schema and to what is shown.
pub(super) struct Connected<'a> {
    pub(super) parts: Vec<Part<'a>>,
    /// The hashes that it takes.
    pub(super) work: u64,
}

impl Cert {
    /// The imprint that evidence gives: it is sound, and nothing in the document is uncovered.
    ///
    /// `document` is what is shown beside the evidence. Detached evidence has to have one; beside values it has to equal the detached
    /// document that they give.
    ///
    /// # Errors
    /// - [`ErrorCode::SchemaMismatch`] for evidence of another schema, [`ErrorCode::DocumentMissing`],
    /// - [`ErrorCode::ProofShort`], [`ErrorCode::ProofLong`], [`ErrorCode::ProofShape`], [`ErrorCode::NothingOpen`],
    ///   [`ErrorCode::ListOrder`], [`ErrorCode::ListDepth`] and [`ErrorCode::ListTooLong`] for the proof, at the place that it has come to,
    /// - [`ErrorCode::ValueMismatch`], [`ErrorCode::NotCovered`] and [`ErrorCode::NotInSchema`] for a place of the document,
    /// - [`ErrorCode::TooMuchWork`],
    /// - [`ErrorCode::NumberNotFinite`] and [`ErrorCode::IntegerTooLarge`] for the document.
    pub fn calculate(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
    ) -> Result<Imprint, CertError> {
        let connected = self.connect(document, evidence, &mut Refusing)?;
        self.limit(connected.work)?;
        Ok(self.imprint_of(&connected))
    }

    /// Says what evidence proves of a document under an imprint from a trusted place, and why not.
    ///
    /// `evidence` may come from anybody. `document` is what is shown beside it, as in [`Cert::calculate`].
    ///
    /// # Errors
    /// Only [`ErrorCode::TooMuchWork`] for evidence beyond [the host's own limit](Cert::with_most_work). All else is in the report.
    pub fn verify(
        &self,
        document: Option<&Value>,
        evidence: &Value,
        imprint: &str,
    ) -> Result<Report, CertError> {
        match (Evidence::from_value(evidence), imprint.parse()) {
            (Ok(evidence), Ok(imprint)) => self.verify_read(document, &evidence, &imprint),
            (Err(error), _) | (_, Err(error)) => Ok(Report::refused(&error)),
        }
    }

    /// As [`Cert::verify`], of evidence and an imprint that have been read.
    ///
    /// # Errors
    /// As [`Cert::verify`].
    pub fn verify_read(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
        imprint: &Imprint,
    ) -> Result<Report, CertError> {
        let mut findings = Collecting::default();
        let connected = match self.connect(document, evidence, &mut findings) {
            Ok(connected) => connected,
            Err(error) => return Ok(Report::refused(&error)),
        };
        self.limit(connected.work)?;
        let found = self.imprint_of(&connected);
        let mut report = findings.report;
        if found != *imprint {
            report = Report {
                errors: Vec::from([Problem {
                    code: ErrorCode::ImprintMismatch,
                    path: Path::root(),
                }]),
                ..Report::default()
            };
        }
        report.imprint = Some(found);
        report.valid = report.errors.is_empty();
        Ok(report)
    }

    fn imprint_of(&self, connected: &Connected<'_>) -> Imprint {
        formula::imprint(self.id.as_bytes(), &proof::hash(&connected.parts)).into()
    }

    /// Connects evidence to what is shown, and holds a page beside values against them.
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
                "the evidence is of another schema",
            );
        }
        if let Some(document) = document {
            check(document)?;
            if document.as_object().is_none() {
                return error(
                    ErrorCode::ValueMismatch,
                    "a document has to be a JSON object",
                );
            }
        }
        match (&evidence.values, document) {
            (None, None) => error(
                ErrorCode::DocumentMissing,
                "evidence without values goes with a document",
            ),
            (None, Some(document)) => {
                self.connect_to(Shown::Value(document), evidence, findings, None)
            }
            (Some(pairs), None) => {
                self.connect_to(Shown::Pairs(Pairs::new(pairs)), evidence, findings, None)
            }
            (Some(pairs), Some(page)) => {
                let pairs = Shown::Pairs(Pairs::new(pairs));
                let connected = self.connect_to(pairs, evidence, findings, None)?;
                let mut faults = Differing(findings);
                let expected = Some(connected.parts.as_slice());
                let shown = self.connect_to(Shown::Value(page), evidence, &mut faults, expected);
                if let Err(error) = shown {
                    let path: Vec<_> = error.path().steps().iter().map(PathStep::as_step).collect();
                    faults.fault(error.code(), &path)?;
                }
                Ok(connected)
            }
        }
    }

    fn connect_to<'a>(
        &'a self,
        shown: Shown<'a>,
        evidence: &'a Evidence,
        findings: &mut dyn Findings,
        expected: Option<&[Part<'a>]>,
    ) -> Result<Connected<'a>, CertError> {
        let mut connector = Connector {
            proof: &evidence.proof,
            counter: Counter::new(),
            parts: Vec::new(),
            findings,
            expected,
        };
        connector.root(&self.shape, shown)?;
        Ok(Connected {
            parts: connector.parts,
            work: connector.counter.work,
        })
    }
}

/// The findings of a page beside values: whatever is wrong with it, it differs from the document that they give.
struct Differing<'f>(&'f mut dyn Findings);

impl Findings for Differing<'_> {
    fn fault(&mut self, _: ErrorCode, path: &[Step<'_>]) -> Result<(), CertError> {
        self.0.fault(ErrorCode::ValueMismatch, path)
    }
}
