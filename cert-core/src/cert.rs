//! The operations on the data of one schema.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::ops::ControlFlow;

use crate::error::CertError;
use crate::evidence::Evidence;
use crate::expose::expose;
use crate::hash::{Hasher, Input, Noncer, PathNoncer, Place, Position, Sha256Hasher};
use crate::path::{Path, Step};
use crate::proof::Proof;
use crate::report::{Entry, List, Reason, ReasonCode, Report, Status};
use crate::schema::{ObjectNode, compile};
use crate::select::Selection;
use crate::value::Value;
use crate::verify::{self, Finds, Verdict};
use crate::walk::{Keep, hash, walk};

/// Certification of the data of one schema (the interface specification, Certification tool
/// operations).
///
/// The schema is compiled once; a `Cert` is meant to be kept and used for many documents.
#[derive(Debug)]
pub struct Cert<H = Sha256Hasher, N = PathNoncer> {
    schema: ObjectNode,
    hasher: H,
    noncer: N,
}

impl Cert {
    /// Certification with the default hasher and noncer, as all existing certificates have it.
    ///
    /// # Errors
    /// The `Schema…` codes of [`ErrorCode`](crate::ErrorCode), with the path of what is wrong.
    pub fn new(schema: &Value) -> Result<Self, CertError> {
        Self::with(schema, Sha256Hasher, PathNoncer)
    }
}

impl<H: Hasher, N: Noncer> Cert<H, N> {
    /// Certification with other hashes or nonces. To verify takes the same hasher, but no noncer.
    ///
    /// # Errors
    /// As [`Cert::new`].
    pub fn with(schema: &Value, hasher: H, noncer: N) -> Result<Self, CertError> {
        Ok(Self {
            schema: compile(schema)?,
            hasher,
            noncer,
        })
    }

    /// The imprint of the data: a hash of everything in it that the schema describes.
    ///
    /// # Errors
    /// [`ErrorCode::DataTypeMismatch`](crate::ErrorCode::DataTypeMismatch) and
    /// [`ErrorCode::NumberNotFinite`](crate::ErrorCode::NumberNotFinite) for data that cannot be
    /// certified, and the failures of a user's hasher or noncer.
    pub fn imprint(&self, data: &Value) -> Result<String, CertError> {
        let (imprint, _) = self.walk(data, Keep::Nothing)?;
        Ok(imprint.as_ref().to_string())
    }

    /// All proofs, from which any value can be verified: the issuer's own copy.
    ///
    /// # Errors
    /// As [`Cert::imprint`].
    pub fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError> {
        Ok(self.walk(data, Keep::Everything)?.1)
    }

    /// The proofs that it takes to verify the values at `paths` and no more. A path to an object or
    /// array discloses all that is under it; one that leads nowhere discloses nothing.
    ///
    /// # Errors
    /// As [`Cert::imprint`].
    pub fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError> {
        Ok(self.walk(data, Keep::Selected(&Selection::new(paths)))?.1)
    }

    /// A new object with only the values at `paths`; skipped positions of arrays are null.
    #[must_use]
    pub fn expose(&self, data: &Value, paths: &[Path]) -> Value {
        expose(data, &Selection::new(paths))
    }

    /// The imprint that the evidence gives, or `None` unless the evidence is sound and everything in
    /// the data that the schema describes is covered by it and agrees with it.
    ///
    /// `evidence` is a list of proofs or an object that has one as its `data`, and may come from
    /// anyone.
    ///
    /// # Errors
    /// Only the failures of a user's hasher.
    pub fn calculate(&self, data: &Value, evidence: &Value) -> Result<Option<String>, CertError> {
        let Ok(evidence) = Evidence::read(&self.schema, evidence) else {
            return Ok(None);
        };
        let Ok(imprint) = evidence.imprint(&self.hasher)? else {
            return Ok(None);
        };
        let all = verify::walk(&self.schema, data, Some(&evidence), &mut All);
        Ok(all.is_continue().then(|| imprint.as_ref().to_string()))
    }

    /// Says of every value of the data whether the evidence proves it under `imprint`, and why not.
    ///
    /// An `imprint` of hexadecimal digits may be written in any case and with `0x` before it.
    ///
    /// # Errors
    /// Only the failures of a user's hasher or noncer.
    pub fn verify(
        &self,
        data: &Value,
        evidence: &Value,
        imprint: &str,
    ) -> Result<Report, CertError> {
        let (linked, computed) = match Evidence::read(&self.schema, evidence) {
            Err(reason) => (None, Err(reason)),
            Ok(evidence) => {
                let computed = evidence.imprint(&self.hasher)?;
                (Some(evidence), computed)
            }
        };
        let refused = match &computed {
            Err(reason) => Some(reason.clone()),
            Ok(computed) if same_imprint(computed.as_ref(), imprint) => None,
            Ok(_) => Some(Reason {
                code: ReasonCode::ImprintMismatch,
                path: Path::root(),
            }),
        };
        let mut found = Found {
            refused: refused.as_ref().map(|reason| reason.code),
            valid: refused.is_none(),
            entries: Vec::new(),
            lists: Vec::new(),
        };
        let linked = linked.filter(|_| refused.is_none());
        // `Found` never breaks off.
        let _ = verify::walk(&self.schema, data, linked.as_ref(), &mut found);
        let mut lists = Vec::new();
        for (path, proof) in found.lists {
            let Some(proof) = linked.as_ref().and_then(|linked| linked.proof(proof)) else {
                continue;
            };
            let (length, end) = (proof.length(), proof.end());
            lists.push(List {
                path,
                length,
                complete: self.end(&proof.steps, length)? == end,
            });
        }
        let proven = found
            .entries
            .iter()
            .filter(|entry| entry.status == Status::Proven);
        let paths: Vec<Path> = proven.map(|entry| entry.path.clone()).collect();
        Ok(Report {
            valid: found.valid,
            imprint: computed.ok().map(|computed| computed.as_ref().to_string()),
            reasons: refused.into_iter().collect(),
            proven: self.expose(data, &paths),
            entries: found.entries,
            lists,
        })
    }

    fn walk(&self, data: &Value, keep: Keep<'_>) -> Result<(H::Hash, Vec<Proof>), CertError> {
        walk(&self.schema, &self.hasher, &self.noncer, data, keep)
    }

    /// The node at the end of a group of `length` members.
    fn end(&self, group: &[Step<'_>], length: usize) -> Result<String, CertError> {
        let mut text = String::new();
        for &step in group {
            self.noncer.enter(&mut text, step);
        }
        let place = Place {
            group,
            text: &text,
            index: length,
        };
        let nonce = crate::walk::nonce(&self.noncer, place)?;
        let end = hash(
            &self.hasher,
            Input::Texts(nonce.as_ref(), ""),
            place,
            Position::Node,
        )?;
        Ok(end.as_ref().to_string())
    }
}

/// Breaks off at the first value that is stated and not proven.
struct All;

impl Finds for All {
    fn value(&mut self, _: &[Step<'_>], verdict: Verdict) -> ControlFlow<()> {
        match verdict {
            Verdict::Proven | Verdict::Unstated(_) => ControlFlow::Continue(()),
            Verdict::Contradicted(_) | Verdict::Uncovered => ControlFlow::Break(()),
        }
    }

    fn list(&mut self, _: &[Step<'_>], _: Option<usize>) {}
}

/// Keeps what is found for a report.
struct Found {
    /// Why nothing can be proven.
    refused: Option<ReasonCode>,
    valid: bool,
    entries: Vec<Entry>,
    lists: Vec<(Path, usize)>,
}

impl Finds for Found {
    fn value(&mut self, path: &[Step<'_>], verdict: Verdict) -> ControlFlow<()> {
        let (status, reason) = match (verdict, self.refused) {
            (Verdict::Unstated(code), _) => (Status::NotCovered, Some(code)),
            (Verdict::Contradicted(code), _) => (Status::NotProven, Some(code)),
            (Verdict::Proven | Verdict::Uncovered, Some(code)) => (Status::NotProven, Some(code)),
            (Verdict::Proven, None) => (Status::Proven, None),
            (Verdict::Uncovered, None) => (Status::NotCovered, Some(ReasonCode::NotCovered)),
        };
        self.valid &= matches!(verdict, Verdict::Proven | Verdict::Unstated(_));
        self.entries.push(Entry {
            path: path.into(),
            status,
            reason,
        });
        ControlFlow::Continue(())
    }

    fn list(&mut self, path: &[Step<'_>], proof: Option<usize>) {
        self.lists.extend(proof.map(|proof| (path.into(), proof)));
    }
}

/// Compares imprints; hexadecimal ones without regard to case or `0x`.
fn same_imprint(computed: &str, expected: &str) -> bool {
    let digits = expected.strip_prefix("0x").unwrap_or(expected);
    computed == expected
        || computed.len() == 64
            && computed.bytes().all(|byte| byte.is_ascii_hexdigit())
            && computed.eq_ignore_ascii_case(digits)
}
