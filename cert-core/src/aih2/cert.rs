//! The operations.

use alloc::string::String;
use alloc::vec::Vec;

use sha256_lanes::{hash, to_bytes};

use crate::aih2::evidence::Evidence;
use crate::aih2::expose::expose;
use crate::aih2::formula::{self, Hash};
use crate::aih2::hashing;
use crate::aih2::imprint::{Imprint, SchemaId};
use crate::aih2::key::Keys;
use crate::aih2::make::Maker;
use crate::aih2::pairs::sorted;
use crate::aih2::proof::{Open, Part};
use crate::aih2::report::Refusing;
use crate::aih2::shape::{Shape, compile};
use crate::aih2::source::Source;
use crate::aih2::strict;
use crate::aih2::tree::Slot;
use crate::aih2::work::{Counter, MAX_WORK, too_much_work};
use crate::error::{CertError, ErrorCode};
use crate::json::path::Path;
use crate::json::value::{MAX_JSON_DEPTH, Value};
use crate::json::write;

/// Certification of the documents of one schema.
///
/// The schema is read once; a `Cert` is meant to be kept and used for many documents.
#[derive(Debug)]
pub struct Cert {
    pub(super) shape: Shape,
    pub(super) id: SchemaId,
    pub(super) most_work: u64,
}

impl Cert {
    /// Reads a schema. Of a schema node only `type`, `properties`, `items` and `maxItems` are read.
    ///
    /// # Errors
    /// - [`ErrorCode::SchemaInvalid`] for a schema that is no object,
    /// - [`ErrorCode::SchemaRootNotObject`] for one whose root does not split objects,
    /// - [`ErrorCode::SchemaTooDeep`] for more than 64 levels,
    /// - [`ErrorCode::NumberNotFinite`] and [`ErrorCode::IntegerTooLarge`].
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

    /// A host's own limit of hashes for each operation, if it is below [`MAX_WORK`].
    ///
    /// An operation beyond it fails with [`ErrorCode::TooMuchWork`]: of evidence nothing is known then, and it is not invalid.
    #[must_use]
    pub fn with_most_work(mut self, hashes: u64) -> Self {
        self.most_work = hashes.min(MAX_WORK);
        self
    }

    /// The id of the schema, which evidence carries.
    #[must_use]
    pub fn schema_id(&self) -> SchemaId {
        self.id
    }

    /// The imprint of a document.
    ///
    /// # Errors
    /// - [`ErrorCode::DataTypeMismatch`] for a document that is no object,
    /// - [`ErrorCode::NotInSchema`] for a key that the schema has not,
    /// - [`ErrorCode::ListTooLong`] for a list of more items than `maxItems`,
    /// - [`ErrorCode::TooMuchWork`] for a document of more than [`MAX_WORK`](crate::aih2::MAX_WORK) hashes,
    /// - [`ErrorCode::NumberNotFinite`] and [`ErrorCode::IntegerTooLarge`].
    pub fn imprint(&self, data: &Value, keys: &Keys) -> Result<Imprint, CertError> {
        self.check_document(data)?;
        let root = hashing::slot(Slot {
            key: keys.of(self.id, data).hash(),
            value: Some((&self.shape, data)),
        });
        Ok(formula::imprint(self.id.as_bytes(), &root).into())
    }

    /// Evidence that opens everything, detached: what an issuer hands to the holder. It holds the document key.
    ///
    /// # Errors
    /// As [`Cert::imprint`].
    pub fn notarize(&self, data: &Value, keys: &Keys) -> Result<Evidence, CertError> {
        self.disclose(data, keys, &[Path::root()], false)
    }

    /// Evidence for what is at some paths, and no more; with its values if `attach` is true, else detached.
    ///
    /// A path leads along keys and indexes to
    /// - a value, which it opens with all that is in it; a whole list is then provably complete, its items one by one are not;
    /// - a property that the schema has and the document has not, or beyond it: a proof of absence;
    /// - `"-"` or an index past the end of a list: a proof that it is no longer.
    ///
    /// # Errors
    /// As [`Cert::imprint`], and for paths
    /// - [`ErrorCode::NotInSchema`] for a key that the schema has not,
    /// - [`ErrorCode::PathNotSeparable`] for a path into a value that is one leaf,
    /// - [`ErrorCode::PathsInvalid`] for a key of a list that is not `"-"`, and for an index of an object,
    /// - [`ErrorCode::NothingOpen`] for no path.
    pub fn disclose(
        &self,
        data: &Value,
        keys: &Keys,
        paths: &[Path],
        attach: bool,
    ) -> Result<Evidence, CertError> {
        self.check_document(data)?;
        let parts = [self.whole(data, keys.of(self.id, data).hash())];
        self.make(&parts, paths, attach)
    }

    /// Evidence for less than other evidence opens, without the issuer: what a holder, or whoever was shown a part, passes on.
    ///
    /// `document` is what goes with the evidence, as in [`Cert::calculate`]. From evidence that does not open everything, paths lead to
    /// what it opens alone, and `"-"` to the end that it proves. The document that goes with detached evidence is [`Cert::expose`]'s.
    ///
    /// # Errors
    /// As [`Cert::calculate`] and as [`Cert::disclose`], and [`ErrorCode::NotAvailable`] for a path to what the evidence does not open.
    pub fn reduce(
        &self,
        document: Option<&Value>,
        evidence: &Evidence,
        paths: &[Path],
        attach: bool,
    ) -> Result<Evidence, CertError> {
        let connected = self.connect_all(document, evidence)?;
        self.limit(connected.work)?;
        let mut reduced = self.make(&connected.parts, paths, attach)?;
        reduced.schema.clone_from(&evidence.schema);
        Ok(reduced)
    }

    /// The detached document for some paths: hidden properties are missing, hidden items before the last one that is shown are `null`. A
    /// list of which no item is shown is missing, but an empty one of which the end is asked for is `[]`. A path that leads nowhere adds
    /// nothing.
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
        attach: bool,
    ) -> Result<Evidence, CertError> {
        let source = Source::new(parts, &self.shape);
        let wanted = source.resolve(paths)?;
        let mut maker = Maker::new(source, attach);
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
                "a document has to be a JSON object",
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
                "this takes more hashes than this host computes",
            ));
        }
        Ok(())
    }
}

/// Refuses what is no JSON as documents and schemas have it.
pub(super) fn check(value: &Value) -> Result<(), CertError> {
    if value.depth() > MAX_JSON_DEPTH {
        return Err(crate::json::value::too_deep());
    }
    strict::check(value)
}
