//! The operations on the data of one schema.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::aih1::certify::Certifier;
use crate::aih1::disclose::Disclosure;
use crate::aih1::evidence::Evidence;
use crate::aih1::nonces::NonceCache;
use crate::aih1::proof::Proof;
use crate::error::CertError;
use crate::hash::deferred::{Answering, Asking, Deferred, Question, Skipping};
use crate::hash::length::{HashLength, OneLength};
use crate::hash::sha256::{PathNoncer, Sha256Hasher};
use crate::hash::text::Hash;
use crate::hash::{Hasher, Noncer};
use crate::json::path::Path;
use crate::json::value::Value;
use crate::schema::paths::{self, MAX_UNCOVERED};
use crate::schema::{ObjectNode, compile};
use crate::selection::{Selection, expose};
use crate::verify::Verifier;
use crate::verify::judge::{Finding, Judgement};
use crate::verify::report::Report;

/// Certifies and verifies the documents of one schema (`docs/interface.md`, Certification tool operations).
///
/// The schema is compiled once. Keep a `Cert` and use it for many documents.
#[derive(Debug)]
pub struct Cert<H = Sha256Hasher, N = PathNoncer> {
    schema: Arc<ObjectNode>,
    nonces: Arc<NonceCache>,
    hash_length: Arc<HashLength>,
    hasher: H,
    noncer: N,
}

impl Cert {
    /// Creates a `Cert` with the default hasher and noncer, which all existing certificates use.
    ///
    /// # Errors
    /// The `Schema…` codes of [`ErrorCode`](crate::ErrorCode), with the path of the fault.
    pub fn new(schema: &Value) -> Result<Self, CertError> {
        Self::with(schema, Sha256Hasher, PathNoncer)
    }
}

impl<H: Hasher, N: Noncer> Cert<H, N> {
    /// Creates a `Cert` with a custom hasher or noncer. A verifier must use the same hasher. The nonces of values are in the evidence, so
    /// verification calls the noncer only to check where lists end.
    ///
    /// ```
    /// use cert_core::{Cert, Hasher, Input, PathNoncer, Location, Sha256Hasher, Value};
    /// use std::cell::Cell;
    ///
    /// // A function around the default hasher that counts the calls. Any type that implements `Hasher` works too.
    /// let count = Cell::new(0);
    /// let counted = |input: Input<'_>, location: Location<'_>| {
    ///     count.set(count.get() + 1);
    ///     Sha256Hasher.hash(input, location).map(String::from)
    /// };
    ///
    /// let schema = Value::parse(r#"{ "type": "object", "properties": { "born": { "type": "integer" } } }"#)?;
    /// let data = Value::parse(r#"{ "born": 1815 }"#)?;
    /// let cert = Cert::with(&schema, counted, PathNoncer)?;
    /// assert_eq!(cert.imprint(&data)?, Cert::new(&schema)?.imprint(&data)?);
    /// // The value, its leaf, its node, and the closing node.
    /// assert_eq!(count.get(), 4);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Cert::new`].
    pub fn with(schema: &Value, hasher: H, noncer: N) -> Result<Self, CertError> {
        let schema = compile(schema)?;
        Ok(Self {
            nonces: Arc::new(NonceCache::new(&schema, &noncer)),
            schema: Arc::new(schema),
            hash_length: Arc::default(),
            hasher,
            noncer,
        })
    }

    /// Returns the imprint of the data: a hash of everything in it that the schema describes.
    ///
    /// # Errors
    /// [`ErrorCode::DataTypeMismatch`](crate::ErrorCode::DataTypeMismatch) and
    /// [`ErrorCode::NumberNotFinite`](crate::ErrorCode::NumberNotFinite) for data that cannot be certified.
    /// [`ErrorCode::HashLength`](crate::ErrorCode::HashLength) for a custom hasher whose hashes are empty or differ in length.
    /// [`ErrorCode::NonceAmbiguous`](crate::ErrorCode::NonceAmbiguous) for a list, if a custom noncer's nonces are as long as two hashes.
    /// Also the failures of a custom hasher or noncer.
    pub fn imprint(&self, data: &Value) -> Result<String, CertError> {
        let (imprint, _) = self.certify(data, Disclosure::None)?;
        Ok(imprint.into())
    }

    /// Returns the imprint of a document's JSON text. Also returns the uncovered paths, as [`Cert::uncovered`] does, but in a different
    /// order.
    ///
    /// For a document with long lists, this method needs much less memory than [`Cert::imprint`]. In addition to the text, it holds up to
    /// eight bytes for each item. `progress` receives the number of bytes of each part that is read. Most parts of a long text are read
    /// twice.
    ///
    /// ```
    /// use cert_core::{Cert, Value};
    ///
    /// let schema = Value::parse(r#"{ "type": "object", "properties": { "name": { "type": "string" } } }"#)?;
    /// let cert = Cert::new(&schema)?;
    /// let text = r#"{ "name": "Nighthawks", "year": 1942 }"#;
    /// let (imprint, uncovered) = cert.imprint_text(text, &mut |_| ())?;
    /// assert_eq!(imprint, cert.imprint(&Value::parse(text)?)?);
    /// assert_eq!(uncovered, [cert_core::Path::from(["year"])]);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Value::parse`] and [`Cert::imprint`].
    #[cfg(feature = "large")]
    pub fn imprint_text(
        &self,
        text: &str,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(String, Vec<Path>), CertError> {
        self.imprint_text_in_parts(text, crate::aih1::large::PART, progress)
    }

    /// Like [`Cert::imprint_text`], with `part` as the maximum length in bytes of an object or list that is read whole.
    #[cfg(feature = "large")]
    pub(crate) fn imprint_text_in_parts(
        &self,
        text: &str,
        part: usize,
        progress: &mut dyn FnMut(usize),
    ) -> Result<(String, Vec<Path>), CertError> {
        let text = text.trim_matches([' ', '\n', '\r', '\t']);
        // Offsets in a text of 4 GiB or more do not fit into the index.
        if text.len() <= part || !text.starts_with('{') || u32::try_from(text.len()).is_err() {
            let data = Value::parse(text)?;
            progress(text.len());
            return Ok((self.imprint(&data)?, self.uncovered(&data)));
        }
        let mut large = crate::aih1::large::Large {
            certifier: self.certifier(Disclosure::None),
            part,
            uncovered: Vec::new(),
            progress,
        };
        let imprint = large.root(&self.schema, text)?;
        Ok((imprint.into(), large.uncovered))
    }

    /// Returns the proofs of all values, for the issuer to keep.
    ///
    /// # Errors
    /// The errors of [`Cert::imprint`].
    pub fn notarize(&self, data: &Value) -> Result<Vec<Proof>, CertError> {
        let (_, proofs) = self.certify(data, Disclosure::All)?;
        Ok(proofs)
    }

    /// Returns only the proofs that are needed to verify the values at `paths`. A path to an object or array discloses everything in it.
    /// A path without a value discloses nothing.
    ///
    /// # Errors
    /// The errors of [`Cert::imprint`].
    pub fn disclose(&self, data: &Value, paths: &[Path]) -> Result<Vec<Proof>, CertError> {
        let selection = Selection::new(paths);
        let (_, proofs) = self.certify(data, Disclosure::Paths(&selection))?;
        Ok(proofs)
    }

    /// Returns a new object with only the values at `paths`. Skipped items before the last exposed item of an array are `null`.
    #[must_use]
    pub fn expose(&self, data: &Value, paths: &[Path]) -> Value {
        expose(data, &Selection::new(paths))
    }

    /// Returns the paths of all values, objects and lists that the schema describes. These are the paths that can be disclosed. Each object
    /// and list comes before its content, and keys are in the order of their positions. The index 0 represents every index of a list. The
    /// root and the parts of the schema that contribute nothing to a hash are left out.
    ///
    /// The result has at most [`MAX_ENTRIES`](crate::MAX_ENTRIES) paths. Their total size is at most
    /// [`MAX_PATH_BYTES`](crate::MAX_PATH_BYTES).
    ///
    /// ```
    /// use cert_core::{Cert, Path, PathStep, Value};
    ///
    /// let schema = Value::parse(
    ///     r#"{ "type": "object", "properties": { "name": {}, "books": { "type": "array", "items": {} } } }"#,
    /// )?;
    /// let item = Path::from([PathStep::from("books"), 0.into()]);
    /// assert_eq!(Cert::new(&schema)?.paths(), [["books"].into(), item, ["name"].into()]);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    #[must_use]
    pub fn paths(&self) -> Vec<Path> {
        paths::disclosable(&self.schema)
    }

    /// Returns the paths of the data that the schema does not describe, such as misspelt keys. The values at these paths are not certified.
    /// The result has the first [`MAX_UNCOVERED`] paths, in the order of the data.
    ///
    /// ```
    /// use cert_core::{Cert, Path, Value};
    ///
    /// let schema = Value::parse(r#"{ "type": "object", "properties": { "name": { "type": "string" } } }"#)?;
    /// let cert = Cert::new(&schema)?;
    /// let misspelt = Value::parse(r#"{ "nmae": "Nighthawks" }"#)?;
    /// assert_eq!(cert.uncovered(&misspelt), [Path::from(["nmae"])]);
    /// // The value under the misspelt key is not certified, and there is no error.
    /// assert_eq!(cert.imprint(&misspelt)?, cert.imprint(&Value::parse("{}")?)?);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    #[must_use]
    pub fn uncovered(&self, data: &Value) -> Vec<Path> {
        paths::uncovered(&self.schema, data, MAX_UNCOVERED)
    }

    /// Refuses data with a value that the schema does not describe.
    ///
    /// # Errors
    /// [`ErrorCode::DataUncovered`](crate::ErrorCode::DataUncovered) with the first such path.
    pub fn require_covered(&self, data: &Value) -> Result<(), CertError> {
        paths::require_covered(&self.schema, data)
    }

    /// Returns the imprint computed from the evidence. Returns `None` if the evidence is refused, or if it does not prove every value of
    /// the data that the schema describes.
    ///
    /// `evidence` may come from anyone: see [`Evidence`] for its forms.
    ///
    /// # Errors
    /// Only [`ErrorCode::HashLength`](crate::ErrorCode::HashLength) and the failures of a user's hasher or noncer. The noncer is called
    /// only for lists whose proof closes after a hidden item.
    pub fn calculate(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
    ) -> Result<Option<String>, CertError> {
        self.verifier().calculate(data, evidence)
    }

    /// Reports for each value of the data whether the evidence proves the value under `imprint`. If a value is not proven, the report has
    /// the reason. Beyond [`MAX_ENTRIES`](crate::MAX_ENTRIES) of each status, values are only counted ([`Report::omitted`]).
    ///
    /// An `imprint` of 64 hexadecimal digits may have upper-case or lower-case digits, with or without `0x`.
    ///
    /// ```
    /// use cert_core::{Cert, Path, PathStep, ReasonCode, Status, Value, proofs_to_value};
    ///
    /// let schema = Value::parse(
    ///     r#"{ "type": "object", "properties": { "name": {}, "parts": { "type": "array", "items": {} } } }"#,
    /// )?;
    /// let cert = Cert::new(&schema)?;
    /// let data = Value::parse(r#"{ "name": "Nighthawks", "parts": ["canvas", "frame"] }"#)?;
    /// let paths = [Path::from(["name"]), Path::from([PathStep::from("parts"), 0.into()])];
    /// let evidence = proofs_to_value(&cert.disclose(&data, &paths)?);
    ///
    /// let claim = Value::parse(r#"{ "name": "Nightfall", "parts": ["canvas"], "price": 1 }"#)?;
    /// let report = cert.verify(&claim, &evidence, &cert.imprint(&data)?)?;
    /// assert!(!report.valid);
    /// assert_eq!(report.entries[0].reason, Some(ReasonCode::ValueMismatch));
    /// assert_eq!(report.entries[1].status, Status::Proven);
    /// assert_eq!(report.entries[2].reason, Some(ReasonCode::NotInSchema));
    /// assert_eq!(report.proven.to_json(), r#"{"parts":["canvas"]}"#);
    /// // There may be more parts.
    /// assert!(!report.lists[0].complete);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    ///
    /// # Errors
    /// Only [`ErrorCode::HashLength`](crate::ErrorCode::HashLength) and the failures of a user's hasher or noncer.
    pub fn verify(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
    ) -> Result<Report, CertError> {
        self.verify_each(data, evidence, imprint, &mut |_| {})
    }

    /// Verifies as [`Cert::verify`] does, and passes a finding for each value to `each`, even if the report omits it.
    ///
    /// # Errors
    /// The errors of [`Cert::verify`].
    pub fn verify_each(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
        each: &mut dyn FnMut(Finding<'_>),
    ) -> Result<Report, CertError> {
        self.verifier().verify(data, evidence, imprint, each)
    }

    /// Returns the judgement of [`Cert::verify`] without a report. Passes a finding for each value to `each` instead of storing it, so
    /// memory grows only with the evidence. The judgement does not state whether lists are complete.
    ///
    /// ```
    /// use cert_core::{Cert, Status, Value};
    ///
    /// let schema = Value::parse(r#"{ "type": "object", "properties": { "name": {}, "born": {} } }"#)?;
    /// let cert = Cert::new(&schema)?;
    /// let data = Value::parse(r#"{ "name": "Ada", "born": 1815 }"#)?;
    /// let (evidence, imprint) = (cert.disclose(&data, &[["name"].into()])?, cert.imprint(&data)?);
    /// let mut proven = 0;
    /// let judgement = cert.judge(&data, &evidence, &imprint, &mut |finding| {
    ///     proven += usize::from(finding.status == Status::Proven);
    /// })?;
    /// assert!(!judgement.valid);
    /// assert_eq!(proven, 1);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Cert::calculate`].
    pub fn judge(
        &self,
        data: &Value,
        evidence: &dyn Evidence,
        imprint: &str,
        each: &mut dyn FnMut(Finding<'_>),
    ) -> Result<Judgement, CertError> {
        self.verifier().judge(data, evidence, imprint, each)
    }

    /// Returns the hashes or nonces that an operation needs from the caller, as questions. The caller answers them, for example with a key
    /// service or a JavaScript callback. Each question comes after the questions whose answers it needs. The operation runs without the
    /// answers, and its result is discarded.
    ///
    /// ```
    /// use cert_core::{Ask, Cert, Deferred, Value};
    ///
    /// let schema = Value::parse(r#"{ "type": "object", "properties": { "born": { "type": "integer" } } }"#)?;
    /// let cert = Cert::new(&schema)?;
    /// let data = Value::parse(r#"{ "born": 1815 }"#)?;
    /// let deferred = Deferred { hasher: false, noncer: true };
    /// let questions = cert.questions(deferred, |cert| cert.imprint(&data))?;
    /// assert!(questions.iter().all(|question| question.ask == Ask::Nonce));
    /// let answers: Vec<_> = questions.iter().map(|question| format!("nonce of {}", question.path)).collect();
    /// let imprint = cert.answered(deferred, &answers, |cert| cert.imprint(&data))?;
    /// assert_eq!(imprint.len(), 64);
    /// # Ok::<(), cert_core::CertError>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the operation that do not depend on a hash, such as
    /// [`ErrorCode::DataTypeMismatch`](crate::ErrorCode::DataTypeMismatch).
    pub fn questions<T>(
        &self,
        deferred: Deferred,
        operation: impl FnOnce(&Cert<&dyn Hasher, &dyn Noncer>) -> Result<T, CertError>,
    ) -> Result<Vec<Question>, CertError> {
        let asking = Asking::default();
        let skipping = Skipping(&self.hasher);
        let hasher: &dyn Hasher = if deferred.hasher { &asking } else { &skipping };
        let noncer: Option<&dyn Noncer> = deferred.noncer.then_some(&asking);
        operation(&self.with_deferred(hasher, noncer))?;
        Ok(asking.into_questions())
    }

    /// Runs an operation with the answers to all its [`questions`](Self::questions), in their order.
    ///
    /// # Errors
    /// The errors of the operation itself. A question without an answer counts as a failure of the hasher or noncer.
    pub fn answered<T>(
        &self,
        deferred: Deferred,
        answers: &[String],
        operation: impl FnOnce(&Cert<&dyn Hasher, &dyn Noncer>) -> Result<T, CertError>,
    ) -> Result<T, CertError> {
        let answering = Answering::new(answers);
        let hasher: &dyn Hasher = if deferred.hasher {
            &answering
        } else {
            &self.hasher
        };
        let noncer: Option<&dyn Noncer> = deferred.noncer.then_some(&answering);
        operation(&self.with_deferred(hasher, noncer))
    }

    fn with_deferred<'c>(
        &'c self,
        hasher: &'c dyn Hasher,
        noncer: Option<&'c dyn Noncer>,
    ) -> Cert<&'c dyn Hasher, &'c dyn Noncer> {
        Cert {
            schema: self.schema.clone(),
            // The cache holds the nonces of the `Cert`'s own noncer, so it is not used with another noncer.
            nonces: match noncer {
                Some(_) => Arc::default(),
                None => self.nonces.clone(),
            },
            hash_length: self.hash_length.clone(),
            hasher,
            noncer: noncer.unwrap_or(&self.noncer),
        }
    }

    fn certify(
        &self,
        data: &Value,
        disclosure: Disclosure<'_>,
    ) -> Result<(Hash, Vec<Proof>), CertError> {
        self.certifier(disclosure).certify(&self.schema, data)
    }

    fn certifier<'c>(&'c self, disclosure: Disclosure<'c>) -> Certifier<'c> {
        Certifier {
            hasher: OneLength::new(&self.hasher, &self.hash_length),
            noncer: &self.noncer,
            nonces: &self.nonces,
            disclosure,
        }
    }

    fn verifier(&self) -> Verifier<'_> {
        Verifier {
            schema: &self.schema,
            hasher: OneLength::new(&self.hasher, &self.hash_length),
            noncer: &self.noncer,
        }
    }
}
