//! Verification: connects the proofs, compares the data with the proofs, recomputes the imprint and reports the result.
//!
//! For a bare imprint the data is compared first, because evidence that does not cover the data need not be hashed. For a report the data
//! is compared last, because a refusal of the evidence changes the status of every value.
//!
//! Anyone can write evidence, and a noncer may be a paid service. Closing nodes are therefore computed last, and only if the hashes agree and,
//! in a report, the imprint is the expected one. If the evidence contains every leaf and node, each hash is computed from its parts and
//! compared with the hash in the evidence. A false hash is then reported at its own place.

pub(crate) mod cover;
pub(crate) mod judge;
mod proven;
pub(crate) mod report;

use alloc::string::String;
use alloc::vec::Vec;

use crate::aih1::Input;
use crate::aih1::closing;
use crate::aih1::connect::{ConnectedProofs, ProofId};
use crate::aih1::evidence::{Evidence, RawEvidence};
use crate::aih1::recompute::recompute;
use crate::error::CertError;
use crate::hash::hex::is_hex;
use crate::hash::length::OneLength;
use crate::hash::text::Hash;
use crate::hash::{Location, Noncer};
use crate::json::path::Path;
use crate::json::value::Value;
use crate::schema::ObjectNode;
use crate::verify::cover::AllProven;
use crate::verify::judge::{Finding, JudgeEach, Judgement, ReportBuilder};
use crate::verify::report::{List, Reason, ReasonCode, Report};

/// Verifies data of one schema.
pub(crate) struct Verifier<'c> {
    pub(crate) schema: &'c ObjectNode,
    pub(crate) hasher: OneLength<'c>,
    /// The noncer is called for lists only. The nonces of values are in the evidence.
    pub(crate) noncer: &'c dyn Noncer,
}

impl<'c> Verifier<'c> {
    pub(crate) fn calculate(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
    ) -> Result<Option<String>, CertError> {
        let Ok(proofs) = self.connect(evidence) else {
            return Ok(None);
        };
        if cover::walk(self.schema, data, Some(&proofs), &mut AllProven).is_break() {
            return Ok(None);
        }
        let Ok(imprint) = recompute(self.hasher, &proofs)? else {
            return Ok(None);
        };
        let ambiguous = closing::ambiguous_list(self.noncer, &proofs)?;
        Ok(ambiguous.is_none().then(|| imprint.into()))
    }

    pub(crate) fn verify(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
        each: &mut dyn FnMut(Finding<'_>),
    ) -> Result<Report, CertError> {
        let proofs = self.connect(evidence);
        let (proofs, judgement) = self.judge_evidence(&proofs, imprint)?;
        let refused = judgement.reasons.first().map(|reason| reason.code);
        let mut report = ReportBuilder::new(refused, each);
        // A report never stops the walk early.
        let _ = cover::walk(self.schema, data, proofs, &mut report);
        Ok(Report {
            valid: report.valid,
            imprint: judgement.imprint,
            reasons: judgement.reasons,
            entries: report.entries,
            lists: match proofs {
                Some(proofs) => self.lists(proofs, report.lists)?,
                None => Vec::new(),
            },
            omitted: report.omitted,
            proven: report.proven.finish(),
        })
    }

    pub(crate) fn judge(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
        each: &mut dyn FnMut(Finding<'_>),
    ) -> Result<Judgement, CertError> {
        let proofs = self.connect(evidence);
        let (proofs, judgement) = self.judge_evidence(&proofs, imprint)?;
        let mut judge_each = JudgeEach {
            refused: judgement.reasons.first().map(|reason| reason.code),
            valid: judgement.valid,
            each,
        };
        // A judgement never stops the walk early.
        let _ = cover::walk(self.schema, data, proofs, &mut judge_each);
        Ok(Judgement {
            valid: judge_each.valid,
            ..judgement
        })
    }

    fn connect<'e>(&'e self, evidence: &'e dyn Evidence) -> Result<ConnectedProofs<'e>, Reason> {
        let mut raw = RawEvidence::default();
        evidence.read(&mut raw)?;
        ConnectedProofs::new(self.schema, raw)
    }

    /// Judges the evidence without the data. Also returns the proofs, unless they prove nothing.
    fn judge_evidence<'p, 'e>(
        &self,
        proofs: &'p Result<ConnectedProofs<'e>, Reason>,
        imprint: &str,
    ) -> Result<(Option<&'p ConnectedProofs<'e>>, Judgement), CertError> {
        let refused = |reason: Reason, imprint| Judgement {
            valid: false,
            imprint,
            reasons: [reason].into(),
        };
        let proofs = match proofs {
            Ok(proofs) => proofs,
            Err(reason) => return Ok((None, refused(reason.clone(), None))),
        };
        let computed = match recompute(self.hasher, proofs)? {
            Ok(computed) => computed,
            Err(reason) => return Ok((None, refused(reason, None))),
        };
        let ambiguous = if is_imprint(&computed, imprint) {
            closing::ambiguous_list(self.noncer, proofs)?
        } else {
            Some(Reason {
                code: ReasonCode::ImprintMismatch,
                path: Path::root(),
            })
        };
        let imprint = Some(computed.into());
        Ok(match ambiguous {
            Some(reason) => (None, refused(reason, imprint)),
            None => {
                let judgement = Judgement {
                    valid: true,
                    imprint,
                    reasons: Vec::new(),
                };
                (Some(proofs), judgement)
            }
        })
    }

    /// Returns the lists of the data and whether each is complete. A list is complete if its proof closes with the hash of the nonce after
    /// its last item. Only proven evidence reaches this function: a noncer may be a paid service, so an untrusted sender must not be able
    /// to trigger calls.
    fn lists(
        &self,
        proofs: &ConnectedProofs<'_>,
        covered: Vec<(Path, ProofId)>,
    ) -> Result<Vec<List>, CertError> {
        let mut lists = Vec::with_capacity(covered.len());
        for (path, id) in covered {
            let (steps, length) = (proofs.steps(id), proofs.length(id));
            let nonce = closing::nonce(self.noncer, steps, length)?;
            let place = Location::new(steps, "", length);
            let node = self.hasher.hash(Input::Closing(&nonce), place)?;
            lists.push(List {
                path,
                length,
                complete: node.may_be(proofs.proof(id).closing),
            });
        }
        Ok(lists)
    }
}

/// Compares imprints. Imprints of 64 hexadecimal digits are compared without regard to case or `0x`.
fn is_imprint(computed: &Hash, expected: &str) -> bool {
    let digits = expected.strip_prefix("0x").unwrap_or(expected);
    computed.may_be(expected.as_bytes())
        || is_hex(computed.as_bytes()) && computed.eq_ignore_ascii_case(digits)
}
