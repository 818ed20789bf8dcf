//! Evidence: what is written down of a proof, read strictly.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use crate::aih2::PROFILE;
use crate::aih2::imprint::SchemaId;
use crate::aih2::strict;
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, PathStep, Step};
use crate::json::serialize::to_value;
use crate::json::sort;
use crate::json::str::Str;
use crate::json::value::{MAX_JSON_DEPTH, Value, too_deep};

/// Levels of objects and lists in the text of evidence: those of a document below `values`, its list and a pair.
const MAX_LEVELS: usize = 260;

/// Evidence of AIH-2, from anybody: it is well-formed, and no more.
///
/// It is *detached*, and goes with a document in which hidden properties are missing and hidden items are `null`; or it is *attached*,
/// with the values that it opens, and stands alone. It is malleable, so that its bytes identify nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub(super) schema_id: SchemaId,
    pub(super) proof: Vec<u8>,
    /// Ordered by path, none within another.
    pub(super) values: Option<Vec<Pair>>,
    pub(super) schema: Option<Str>,
}

/// A value that evidence brings along.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pair {
    pub(super) path: Path,
    pub(super) value: Value,
}

impl Evidence {
    /// Reads the JSON text of evidence.
    ///
    /// # Errors
    /// As [`aih2::parse`](crate::aih2::parse), with 260 levels, and as [`Evidence::from_value`].
    pub fn parse(text: &str) -> Result<Self, CertError> {
        Self::from_value(&strict::parse_levels(text, MAX_LEVELS)?)
    }

    /// Reads evidence: an object with `profile`, `schemaId`, `proof` and perhaps `values` and `$schema`.
    ///
    /// # Errors
    /// - [`ErrorCode::ProfileUnknown`] for another profile,
    /// - [`ErrorCode::EvidenceMalformed`] with the path of a member that is unknown, missing or of the wrong type, of a proof that is no
    ///   base64url or has another spelling, and of pairs of which one is twice or within another,
    /// - [`ErrorCode::SchemaMismatch`] for a schema id that is none,
    /// - [`ErrorCode::JsonTooDeep`], [`ErrorCode::NumberNotFinite`] and [`ErrorCode::IntegerTooLarge`] for values.
    pub fn from_value(evidence: &Value) -> Result<Self, CertError> {
        let object = evidence
            .as_object()
            .ok_or_else(|| malformed(&[], "evidence has to be a JSON object"))?;
        if object.get("profile").and_then(Value::as_str) != Some(PROFILE) {
            return Err(CertError::new(
                ErrorCode::ProfileUnknown,
                Path::from(["profile"]),
                "the profile of the evidence is not `AIH-2`",
            ));
        }
        for (key, _) in object.iter() {
            if !["profile", "schemaId", "proof", "values", "$schema"].contains(&key) {
                return Err(malformed(&[Step::Key(key)], "evidence has no such member"));
            }
        }
        let text = |key: &'static str| match object.get(key) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(malformed(&[Step::Key(key)], "this member has to be a text")),
        };
        let schema_id = SchemaId::read(text("schemaId")?).ok_or_else(|| {
            CertError::new(
                ErrorCode::SchemaMismatch,
                Path::from(["schemaId"]),
                "a schema id is `0x` and 64 lower-case hexadecimal digits",
            )
        })?;
        let proof = Base64UrlUnpadded::decode_vec(text("proof")?).map_err(|_| {
            malformed(
                &[Step::Key("proof")],
                "a proof is base64url without padding, in its one spelling",
            )
        })?;
        let schema = match object.get("$schema") {
            None => None,
            Some(_) => Some(text("$schema")?.clone()),
        };
        let values = match object.get("values") {
            None => None,
            Some(values) => Some(read_pairs(values)?),
        };
        Ok(Self {
            schema_id,
            proof,
            values,
            schema,
        })
    }

    /// The evidence as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }

    /// The id of the schema that the evidence is of.
    #[must_use]
    pub fn schema_id(&self) -> SchemaId {
        self.schema_id
    }

    /// Whether the evidence has no values and goes with a document.
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.values.is_none()
    }

    /// The address of the schema that the evidence names, which proves nothing.
    #[must_use]
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    /// The evidence with the address of its schema.
    #[must_use]
    pub fn with_schema(mut self, address: &str) -> Self {
        self.schema = Some(address.into());
        self
    }
}

impl Serialize for Evidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let optional = [self.values.is_some(), self.schema.is_some()];
        let members = optional.iter().filter(|is_there| **is_there).count();
        let mut object = serializer.serialize_struct("Evidence", members.saturating_add(3))?;
        object.serialize_field("profile", PROFILE)?;
        object.serialize_field("schemaId", &self.schema_id.to_string())?;
        object.serialize_field("proof", &encode(&self.proof))?;
        if let Some(values) = &self.values {
            object.serialize_field("values", values)?;
        }
        if let Some(schema) = &self.schema {
            object.serialize_field("$schema", schema)?;
        }
        object.end()
    }
}

impl Serialize for Pair {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.path, &self.value).serialize(serializer)
    }
}

fn encode(proof: &[u8]) -> String {
    Base64UrlUnpadded::encode_string(proof)
}

/// Reads pairs of a path and a value, and orders them by path.
fn read_pairs(values: &Value) -> Result<Vec<Pair>, CertError> {
    let at = Step::Key("values");
    let array = values
        .as_array()
        .ok_or_else(|| malformed(&[at], "values have to be a list of pairs"))?;
    let mut pairs = Vec::with_capacity(array.len());
    for (index, pair) in array.iter().enumerate() {
        let here = [at, Step::Index(index)];
        let pair = pair.as_array().map(|pair| pair.as_slice());
        let Some([path, value]) = pair else {
            return Err(malformed(&here, "a pair is a list of a path and a value"));
        };
        let path = Path::from_value(path)
            .ok_or_else(|| malformed(&here, "a path is a list of keys and indexes"))?;
        strict::check(value).map_err(|error| error.below_all(path.steps()))?;
        if path.steps().len().saturating_add(value.depth()) > MAX_JSON_DEPTH {
            return Err(too_deep());
        }
        let value = value.clone();
        pairs.push(Pair { path, value });
    }
    let sorted = sorted(&pairs);
    for (one, other) in sorted.iter().zip(sorted.iter().skip(1)) {
        // Paths within another come after it, before all others.
        if other.path.steps().starts_with(one.path.steps()) {
            return Err(CertError::new(
                ErrorCode::EvidenceMalformed,
                other.path.clone(),
                "a path of the values is there twice, or within another",
            ));
        }
    }
    Ok(sorted)
}

/// Pairs in the order of their paths.
pub(super) fn sorted(pairs: &[Pair]) -> Vec<Pair> {
    let pair = |at: usize| pairs.get(at);
    let by_path = |one: usize, other: usize| {
        let path = |at: usize| pair(at).map(|pair| &pair.path);
        path(one).cmp(&path(other))
    };
    let order = sort::indexes(pairs.len(), &by_path);
    order.into_iter().filter_map(pair).cloned().collect()
}

fn malformed(path: &[Step<'_>], message: &str) -> CertError {
    CertError::new(ErrorCode::EvidenceMalformed, Path::from(path), message)
}

/// The pairs below a place, all of which begin with its path.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pairs<'a> {
    pairs: &'a [Pair],
    depth: usize,
}

impl<'a> Pairs<'a> {
    pub(super) fn new(pairs: &'a [Pair]) -> Self {
        Self { pairs, depth: 0 }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// The value of the place itself, below which there are no others.
    pub(super) fn value(&self) -> Option<&'a Value> {
        let pair = self.pairs.first()?;
        (pair.path.steps().len() == self.depth).then_some(&pair.value)
    }

    /// Whether a pair goes on with a key.
    pub(super) fn have_key(&self) -> bool {
        let next = |pair: &'a Pair| pair.path.steps().get(self.depth);
        // Keys come before indexes.
        matches!(self.pairs.first().and_then(next), Some(PathStep::Key(_)))
    }

    /// The pairs one step below.
    pub(super) fn child(&self, step: Step<'_>) -> Self {
        let next = |pair: &Pair| {
            let next = pair.path.steps().get(self.depth).map(PathStep::as_step);
            next.map(|next| next.cmp(&step))
        };
        let from = self
            .pairs
            .partition_point(|pair| next(pair).is_none_or(|order| order.is_lt()));
        let to = self
            .pairs
            .partition_point(|pair| next(pair).is_none_or(|order| order.is_le()));
        Self {
            pairs: self.pairs.get(from..to).unwrap_or_default(),
            depth: self.depth.saturating_add(1),
        }
    }
}
