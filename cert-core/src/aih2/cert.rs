//! `Cert` and the operations that make imprints and evidence.

use alloc::string::String;
use alloc::vec::Vec;

use sha256_lanes::{hash, to_bytes};

use crate::aih2::evidence::Evidence;
use crate::aih2::expose::expose;
use crate::aih2::findings::Refusing;
use crate::aih2::formula::{self, Hash};
use crate::aih2::hashing;
use crate::aih2::imprint::{Imprint, SchemaId};
use crate::aih2::key::Keys;
use crate::aih2::make::Maker;
use crate::aih2::pairs::sorted;
use crate::aih2::proof::{Open, Part};
use crate::aih2::shape::{Shape, compile};
use crate::aih2::source::Source;
use crate::aih2::strict;
use crate::aih2::tree::Slot;
use crate::aih2::work::{Counter, MAX_WORK, too_much_work};
use crate::error::{CertError, ErrorCode};
use crate::json::path::Path;
use crate::json::value::{MAX_JSON_DEPTH, Value};
use crate::json::write;

/// The choice between evidence that contains the values that it opens, and evidence without them.
///
/// ```
/// use cert_core::Path;
/// use cert_core::aih2::{self, Cert, DocumentKey, Keys, Values};
///
/// let schema = aih2::parse(r#"{ "type": "object", "properties": { "name": { "type": "string" } } }"#)?;
/// let (cert, data) = (Cert::new(&schema)?, aih2::parse(r#"{ "name": "Ada" }"#)?);
/// let (keys, paths) = (Keys::Key(DocumentKey::from([7; 32])), [Path::from(["name"])]);
///
/// let attached = cert.disclose(&data, &keys, &paths, Values::Attach)?;
/// let detached = cert.disclose(&data, &keys, &paths, Values::Detach)?;
/// assert!(!attached.is_detached() && detached.is_detached());
/// // Detached evidence needs the document.
/// assert_eq!(cert.calculate(None, &attached)?, cert.calculate(Some(&data), &detached)?);
/// # Ok::<(), cert_core::CertError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// The evidence contains the values, so it can be verified alone.
    Attach,
    /// The evidence is smaller. A verifier also needs the document.
    Detach,
}

/// Certifies and verifies the documents of one schema.
///
/// The schema is compiled once. Keep a `Cert` and use it for many documents.
#[derive(Debug)]
pub struct Cert {
    pub(super) shape: Shape,
    pub(super) id: SchemaId,
    pub(super) most_work: u64,
}

impl Cert {
    /// Compiles a schema. Only `type`, `properties`, `items` and `maxItems` of each schema node are used.
    ///
    /// # Errors
    /// - [`ErrorCode::SchemaInvalid`] for a schema that is not an object,
    /// - [`ErrorCode::SchemaRootNotObject`] if the root is not of type `object` with `properties`,
    /// - [`ErrorCode::SchemaTooDeep`] for more than 64 levels, and [`ErrorCode::JsonTooDeep`] for JSON of more than
    ///   [`MAX_JSON_DEPTH`] levels,
    /// - [`ErrorCode::NumberNotFinite`] and [`ErrorCode::IntegerTooLarge`] for such numbers in the schema.
    pub fn new(schema: &Value) -> Result<Self, CertError> {
        check(schema)?;
        let shape = compile(schema)?;
        let mut text = String::new();
        write::canonical(&mut text, schema);
        Ok(Self {
            shape,
            id: to_bytes(&hash(text.as_bytes(), &[])).into(),
            most_work: MAX_WORK,
        })
    }

    /// Limits the number of hashes for each operation. Limits above [`MAX_WORK`] have no effect.
    ///
    /// An operation beyond the limit fails with [`ErrorCode::TooMuchWork`]. The evidence may still be valid.
    #[must_use]
    pub fn with_most_work(mut self, hashes: u64) -> Self {
        self.most_work = hashes.min(MAX_WORK);
        self
    }

    /// Returns the id of the schema, which is also in the evidence.
    #[must_use]
    pub fn schema_id(&self) -> SchemaId {
        self.id
    }

    /// Returns the imprint of a document.
    ///
    /// # Errors
    /// - [`ErrorCode::DataTypeMismatch`] for a document that is not an object,
    /// - [`ErrorCode::NotInSchema`] for a key that the schema does not have,
    /// - [`ErrorCode::ListTooLong`] for a list with more items than `maxItems`,
    /// - [`ErrorCode::TooMuchWork`] for a document that needs more than [`MAX_WORK`] hashes, or more than the limit
    ///   of [`Cert::with_most_work`],
    /// - [`ErrorCode::JsonTooDeep`] for more than [`MAX_JSON_DEPTH`] levels, [`ErrorCode::NumberNotFinite`] and
    ///   [`ErrorCode::IntegerTooLarge`] for such numbers in the document.
    pub fn imprint(&self, data: &Value, keys: &Keys) -> Result<Imprint, CertError> {
        self.check_document(data)?;
        let root = hashing::slot(Slot {
            key: keys.of(self.id, data).hash(),
            value: Some((&self.shape, data)),
        });
        Ok(formula::imprint(self.id.as_bytes(), &root).into())
    }

    /// Returns detached evidence that opens everything. The issuer gives this evidence to the holder. It contains the document key.
    ///
    /// # Errors
    /// The errors of [`Cert::imprint`].
    pub fn notarize(&self, data: &Value, keys: &Keys) -> Result<Evidence, CertError> {
        self.disclose(data, keys, &[Path::root()], Values::Detach)
    }

    /// Returns evidence for the values at some paths and for no other values.
    ///
    /// A path consists of keys and indexes. The evidence opens the place at the end of each path:
    /// - A path to a value opens the value and everything in it. For a list, this proves that the list is complete. Paths to all of its items
    ///   prove this only if the list's depth or `maxItems` allows no more items.
    /// - A path to a property that the document lacks, or to a place below such a property, gives a proof of absence. The schema must have
    ///   the property.
    /// - The step `"-"`, or an index past the end of a list, gives a proof that the list has no more items.
    ///
    /// # Errors
    /// The errors of [`Cert::imprint`], and for paths:
    /// - [`ErrorCode::NotInSchema`] for a key that the schema does not have,
    /// - [`ErrorCode::PathNotSeparable`] for a path into a value that is one leaf,
    /// - [`ErrorCode::PathsInvalid`] for a key of a list other than `"-"`, and for an index of an object,
    /// - [`ErrorCode::NothingOpen`] if there are no paths.
    pub fn disclose(
        &self,
        data: &Value,
        keys: &Keys,
        paths: &[Path],
        values: Values,
    ) -> Result<Evidence, CertError> {
        self.check_document(data)?;
        let parts = [self.whole(data, keys.of(self.id, data).hash())];
        self.make(&parts, paths, values)
    }

    /// Returns evidence that opens less than the given evidence. A holder, or anyone else who has evidence, can make the smaller evidence
    /// without the issuer.
    ///
    /// `document` is the document that belongs to the evidence, as in [`Cert::calculate`]. If the evidence opens only a part, the paths
    /// must lead to opened places. A path that ends with `"-"` requests everything that the evidence proves about the end of the list.
    /// [`Cert::expose`] returns the document for detached evidence.
    ///
    /// # Errors
    /// The errors of [`Cert::calculate`] and [`Cert::disclose`], and [`ErrorCode::NotAvailable`] for a path that the evidence does not
    /// open.
    pub fn reduce(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
        paths: &[Path],
        values: Values,
    ) -> Result<Evidence, CertError> {
        let connected = self.connect_all(document, evidence)?;
        self.limit(connected.work)?;
        let mut reduced = self.make(&connected.parts, paths, values)?;
        reduced.schema.clone_from(&evidence.schema);
        Ok(reduced)
    }

    /// Returns the detached document for some paths. Hidden properties are missing. Hidden items before the last shown item are `null`. A
    /// list without shown items is missing, but an empty list is `[]` if a path requests its end. A path to an absent property adds
    /// only the objects and lists around it. A path that [`Cert::disclose`] would refuse adds nothing.
    #[must_use]
    pub fn expose(&self, data: &Value, paths: &[Path]) -> Value {
        expose(&self.shape, data, paths)
    }

    fn whole<'a>(&'a self, data: &'a Value, key: Hash) -> Part<'a> {
        Part::Open(Open {
            key,
            level: 0,
            start: 0,
            slots: Vec::from([Some((&self.shape, data))]),
        })
    }

    fn make(
        &self,
        parts: &[Part<'_>],
        paths: &[Path],
        values: Values,
    ) -> Result<Evidence, CertError> {
        let source = Source::new(parts, &self.shape);
        let wanted = source.resolve(paths)?;
        let mut maker = Maker::new(source, values);
        maker.root(wanted.root());
        Ok(Evidence {
            schema_id: self.id,
            proof: maker.proof,
            values: maker.pairs.map(sorted),
            schema: None,
        })
    }

    /// Refuses a document that cannot be certified.
    fn check_document(&self, data: &Value) -> Result<(), CertError> {
        if data.as_object().is_none() {
            return Err(CertError::new(
                ErrorCode::DataTypeMismatch,
                Path::root(),
                "a document must be a JSON object",
            ));
        }
        check(data)?;
        let mut counter = Counter::new();
        counter.slot(&self.shape, Some(data), &mut Refusing)?;
        self.limit(counter.work)
    }

    /// Refuses work beyond the host's limit.
    pub(super) fn limit(&self, work: u64) -> Result<(), CertError> {
        if work > self.most_work {
            return Err(too_much_work(
                "the operation takes more hashes than this host allows",
            ));
        }
        Ok(())
    }
}

/// Refuses values that are not allowed in documents and schemas.
pub(super) fn check(value: &Value) -> Result<(), CertError> {
    if value.depth() > MAX_JSON_DEPTH {
        return Err(crate::json::value::too_deep());
    }
    strict::check(value)
}
