//! The operations on the data of one schema.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::CertError;
use crate::expose::expose;
use crate::hash::{Hasher, Noncer, PathNoncer, Sha256Hasher};
use crate::ops::Ops;
use crate::path::Path;
use crate::proof::Proof;
use crate::report::Report;
use crate::schema::{ObjectNode, compile};
use crate::select::Selection;
use crate::session::{Callers, Outcome, Session, Task};
use crate::value::Value;

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
        self.ops().imprint(data)
    }

    /// All proofs, from which any value can be verified: the issuer's own copy.
    ///
    /// # Errors
    /// As [`Cert::imprint`].
    pub fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError> {
        self.ops().notarize(data)
    }

    /// The proofs that it takes to verify the values at `paths` and no more. A path to an object or
    /// array discloses all that is under it; one that leads nowhere discloses nothing.
    ///
    /// # Errors
    /// As [`Cert::imprint`].
    pub fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError> {
        self.ops().disclose(data, paths)
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
        self.ops().calculate(data, evidence)
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
        self.ops().verify(data, evidence, imprint)
    }

    /// Starts an operation whose hashes or nonces come from elsewhere, such as a key service or a
    /// JavaScript callback: see [`Session`].
    ///
    /// # Errors
    /// Those of the operation that need no hash, such as [`ErrorCode::DataTypeMismatch`](crate::ErrorCode::DataTypeMismatch).
    pub fn session(&self, task: Task, callers: Callers) -> Result<Session, CertError> {
        Session::start(self.ops(), task, callers)
    }

    /// Ends an operation all of whose requests have been answered.
    ///
    /// # Errors
    /// As the operation itself; an unanswered request is one that failed.
    pub fn finish(&self, session: &Session) -> Result<Outcome, CertError> {
        session.finish(self.ops())
    }

    fn ops(&self) -> Ops<'_> {
        Ops {
            schema: &self.schema,
            hasher: &self.hasher,
            noncer: &self.noncer,
        }
    }
}
