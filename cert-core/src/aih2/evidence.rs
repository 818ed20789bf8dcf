//! Evidence: the JSON form of a proof, which is parsed strictly.

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use crate::aih2::PROFILE;
use crate::aih2::imprint::SchemaId;
use crate::aih2::message::{malformed, refusal};
use crate::aih2::pairs::{Pair, read_pairs};
use crate::aih2::proof;
use crate::aih2::strict;
use crate::aih2::work::{MAX_WORK, too_much_work};
use crate::error::{CertError, ErrorCode};
use crate::json::path::{Path, Step};
use crate::json::read;
use crate::json::serialize::to_value;
use crate::json::str::Str;
use crate::json::value::Value;

/// The maximum nesting depth of evidence, set by the profile (`docs/spec/aih-2.md`, section 1).
///
/// A value in evidence is inside a pair, `values` and the evidence itself. Evidence with acceptable values therefore has at most three
/// levels more than [`MAX_JSON_DEPTH`](crate::MAX_JSON_DEPTH). The limit allows a fourth level. A value that uses this level is refused by
/// the depth check of values, with the same [`ErrorCode::JsonTooDeep`].
pub const MAX_EVIDENCE_DEPTH: usize = 260;

/// If evidence has more pairs than this, the tokens of its proof are checked before any pair is read.
const MANY_PAIRS: u64 = 1 << 16;

/// Untrusted evidence of AIH-2. Only its form has been checked.
///
/// *Detached* evidence belongs to a document, in which hidden properties are missing and hidden items are `null`. *Attached* evidence
/// contains the opened values and needs no document. Evidence is malleable: different bytes can prove the same values. So do not use the
/// bytes as an identifier.
#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub(super) schema_id: SchemaId,
    pub(super) proof: Vec<u8>,
    /// The pairs of attached evidence, ordered by path. No path is a prefix of another.
    pub(super) values: Option<Vec<Pair>>,
    pub(super) schema: Option<Str>,
}

impl Evidence {
    /// Reads the JSON text of evidence.
    ///
    /// # Errors
    /// The errors of [`aih2::parse`](crate::aih2::parse), with a limit of [`MAX_EVIDENCE_DEPTH`] levels, and the errors of
    /// [`Evidence::from_value`].
    pub fn parse(text: &str) -> Result<Self, CertError> {
        Self::from_value(&strict::parse_levels(text, MAX_EVIDENCE_DEPTH)?)
    }

    /// Reads evidence: an object with `profile`, `schemaId` and `proof`, and optionally `values` and `$schema`.
    ///
    /// # Errors
    /// - [`ErrorCode::ProfileUnknown`] for a profile other than AIH-2,
    /// - [`ErrorCode::EvidenceMalformed`] with the path of a member that is unknown, missing or of the wrong type,
    /// - [`ErrorCode::EvidenceMalformed`] for a proof that is not canonical base64url, and for a pair that is repeated or inside another
    ///   pair,
    /// - [`ErrorCode::EvidenceMalformed`] for tokens that do not follow the grammar, if there are more than 2^16 values (otherwise
    ///   verification checks the tokens),
    /// - [`ErrorCode::SchemaMismatch`] for a malformed schema id,
    /// - [`ErrorCode::TooMuchWork`] for more values than [`MAX_WORK`] hashes allow, before any value is read,
    /// - [`ErrorCode::JsonTooDeep`], [`ErrorCode::NumberNotFinite`] and [`ErrorCode::IntegerTooLarge`] for values.
    pub fn from_value(evidence: &Value) -> Result<Self, CertError> {
        let object = evidence
            .as_object()
            .ok_or_else(|| malformed(&[], "evidence must be a JSON object"))?;
        if object.get("profile").and_then(Value::as_str) != Some(PROFILE) {
            return Err(refusal(
                ErrorCode::ProfileUnknown,
                Path::from(["profile"]),
                "the profile of the evidence is not `AIH-2`",
            ));
        }
        for (key, _) in object.iter() {
            if !["profile", "schemaId", "proof", "values", "$schema"].contains(&key) {
                return Err(malformed(
                    &[Step::Key(key)],
                    "evidence must not have this member",
                ));
            }
        }
        let text = |key: &'static str| match object.get(key) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(malformed(&[Step::Key(key)], "this member must be a string")),
        };
        let schema_id = SchemaId::read(text("schemaId")?).ok_or_else(|| {
            refusal(
                ErrorCode::SchemaMismatch,
                Path::from(["schemaId"]),
                "a schema id must be `0x` and 64 lower-case hexadecimal digits",
            )
        })?;
        let no_proof = || {
            malformed(
                &[Step::Key("proof")],
                "this is not the base64url of a proof",
            )
        };
        let proof = Base64UrlUnpadded::decode_vec(text("proof")?).map_err(|_| no_proof())?;
        let schema = match object.get("$schema") {
            None => None,
            Some(_) => Some(text("$schema")?.clone()),
        };
        let values = match object.get("values") {
            None => None,
            Some(values) => {
                let pairs = values.as_array().map_or(0, |array| array.len() as u64);
                if pairs > MANY_PAIRS {
                    let work = proof::least_work(&proof, pairs);
                    if work.ok_or_else(no_proof)? > MAX_WORK {
                        return Err(too_much_work("this takes more than 2^22 hashes"));
                    }
                }
                Some(read_pairs(values)?)
            }
        };
        Ok(Self {
            schema_id,
            proof,
            values,
            schema,
        })
    }

    /// Returns the evidence as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        to_value(self)
    }

    /// Returns the proof in the form that evidence has: base64url without padding.
    #[must_use]
    pub fn proof(&self) -> String {
        encode(&self.proof)
    }

    /// Returns the values in the evidence, with their paths; `None` if it is detached.
    pub fn values(&self) -> Option<impl ExactSizeIterator<Item = (&Path, &Value)>> {
        let values = self.values.as_ref()?;
        Some(values.iter().map(|pair| (&pair.path, &pair.value)))
    }

    /// Returns the id of the schema that the evidence is for.
    #[must_use]
    pub fn schema_id(&self) -> SchemaId {
        self.schema_id
    }

    /// Returns true if the evidence has no values and belongs to a document.
    #[must_use]
    pub fn is_detached(&self) -> bool {
        self.values.is_none()
    }

    /// Returns the schema's address, or `None` if the evidence has none. The address proves nothing.
    #[must_use]
    pub fn schema(&self) -> Option<&str> {
        self.schema.as_deref()
    }

    /// Sets the address of the evidence's schema.
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
        object.serialize_field("proof", &self.proof())?;
        if let Some(values) = &self.values {
            object.serialize_field("values", values)?;
        }
        if let Some(schema) = &self.schema {
            object.serialize_field("$schema", schema)?;
        }
        object.end()
    }
}

/// Reads as [`Evidence::from_value`] does, but the error has only a message and no code. Formats pass on numbers, not their text. So an
/// integer of 10^21 or more is read as the number that it equals, which [`Evidence::parse`] refuses.
impl<'de> Deserialize<'de> for Evidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = read::read(deserializer, MAX_EVIDENCE_DEPTH).map_err(D::Error::custom)?;
        Self::from_value(&value).map_err(D::Error::custom)
    }
}

fn encode(proof: &[u8]) -> String {
    Base64UrlUnpadded::encode_string(proof)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::value::MAX_JSON_DEPTH;
    use alloc::format;

    const ID: &str = "0x0000000000000000000000000000000000000000000000000000000000000000";

    /// Reads evidence with these members in addition to profile and schema id.
    fn read(members: &str) -> Result<Evidence, CertError> {
        Evidence::parse(&format!(
            r#"{{"profile":"AIH-2","schemaId":"{ID}",{members}}}"#
        ))
    }

    fn refused(members: &str) -> (ErrorCode, String) {
        let error = read(members).unwrap_err();
        (error.code(), error.path().to_string())
    }

    #[test]
    fn evidence_has_only_known_members_of_the_right_type() {
        let text = format!(
            r#"{{"profile":"AIH-2","schemaId":"{ID}","proof":"SA","values":[[["a",0],1]],"$schema":"x"}}"#
        );
        let evidence = Evidence::parse(&text).unwrap();
        assert_eq!(evidence.to_value().to_json(), text);
        assert_eq!(
            (evidence.schema(), evidence.is_detached()),
            (Some("x"), false)
        );
        for (members, path) in [
            (r#""proof":"SA","more":1"#, "more"),
            (r#""proof":null"#, "proof"),
            (r#""values":[]"#, "proof"),
            (r#""proof":"SA","$schema":null"#, "$schema"),
            (r#""proof":"SA","values":null"#, "values"),
            (r#""proof":"SA","values":{}"#, "values"),
            (r#""proof":"SA","values":[[[],1],[[]]]"#, "values[1]"),
            (r#""proof":"SA","values":[[[],1,2]]"#, "values[0]"),
            (r#""proof":"SA","values":[["a",1]]"#, "values[0]"),
            (r#""proof":"SA","values":[[[-1],1]]"#, "values[0]"),
            (r#""proof":"SA","values":[[[0.5],1]]"#, "values[0]"),
            (r#""proof":"SA","values":[[[null],1]]"#, "values[0]"),
            (
                r#""proof":"SA","values":[[["a"],1],[["b"],1],[["a"],1]]"#,
                "a",
            ),
            (
                r#""proof":"SA","values":[[["a",0,"b"],1],[["a","0"],1],[["a",0],1]]"#,
                "a[0].b",
            ),
        ] {
            assert_eq!(
                refused(members),
                (ErrorCode::EvidenceMalformed, path.into()),
                "{members}"
            );
        }
        let profile = |text: &str| Evidence::parse(text).unwrap_err().code();
        assert_eq!(profile(r#"{"profile":"AIH-1"}"#), ErrorCode::ProfileUnknown);
        assert_eq!(profile("{}"), ErrorCode::ProfileUnknown);
        assert_eq!(profile("[]"), ErrorCode::EvidenceMalformed);
    }

    #[test]
    fn a_proof_must_be_canonical_base64url() {
        for proof in ["", "SA", "SEg", "SEhI", "-_-_"] {
            assert_eq!(
                encode(&read(&format!(r#""proof":"{proof}""#)).unwrap().proof),
                proof
            );
        }
        for proof in [
            "S", "SB", "SEh", "SA==", "SA=", "+/+/", "SE hI", "SEhI ", "SEhIS", "SÄ", "S\\n",
        ] {
            let members = format!(r#""proof":"{proof}""#);
            assert_eq!(
                refused(&members),
                (ErrorCode::EvidenceMalformed, "proof".into()),
                "{proof}"
            );
        }
    }

    #[test]
    fn values_follow_the_rules_of_documents() {
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        let pair =
            |path: &str, value: &str| read(&format!(r#""proof":"SA","values":[[{path},{value}]]"#));
        assert!(pair("[]", &nested(MAX_JSON_DEPTH)).is_ok());
        assert!(pair(r#"["a"]"#, &nested(MAX_JSON_DEPTH - 1)).is_ok());
        for (path, value, code) in [
            ("[]", &*nested(MAX_JSON_DEPTH + 1), ErrorCode::JsonTooDeep),
            (r#"["a"]"#, &nested(MAX_JSON_DEPTH), ErrorCode::JsonTooDeep),
            ("[]", &nested(MAX_EVIDENCE_DEPTH), ErrorCode::JsonTooDeep),
            ("[]", "1e20", ErrorCode::IntegerTooLarge),
            ("[]", "1000000000000000000000", ErrorCode::IntegerTooLarge),
            ("[]", "1e999", ErrorCode::NumberNotFinite),
            ("[]", r#"{"a":1,"a":1}"#, ErrorCode::KeyDuplicate),
            ("[]", r#""\ud800""#, ErrorCode::SurrogateUnpaired),
        ] {
            assert_eq!(pair(path, value).unwrap_err().code(), code, "{value}");
        }
    }

    #[test]
    fn serde_reads_evidence_as_strictly_as_values() {
        use crate::aih2::{self, Cert, DocumentKey, Keys, Values};

        let schema = r#"{ "type": "object", "properties": { "name": { "type": "string" } } }"#;
        let cert = Cert::new(&aih2::parse(schema).unwrap()).unwrap();
        let data = aih2::parse(r#"{ "name": "Ada" }"#).unwrap();
        let keys = Keys::Key(DocumentKey::from([7; 32]));
        for values in [Values::Attach, Values::Detach] {
            let paths = [Path::from(["name"])];
            let evidence = cert.disclose(&data, &keys, &paths, values).unwrap();
            let evidence = evidence.with_schema("https://uni.example/evidence.json");
            let text = serde_json::to_string(&evidence).unwrap();
            assert_eq!(serde_json::from_str::<Evidence>(&text).unwrap(), evidence);
            for wrong in [
                text.replace("AIH-2", "AIH-1"),
                text.replace("0x", "0X"),
                text.replacen("schemaId", "schemaID", 1),
                text.replacen('{', r#"{"other":1,"#, 1),
                text.replacen('{', r#"{"profile":"AIH-2","#, 1),
                text.replacen(r#""proof":""#, r#""proof":"*"#, 1),
                "null".to_string(),
            ] {
                assert_ne!(wrong, text);
                assert!(serde_json::from_str::<Evidence>(&wrong).is_err(), "{wrong}");
            }
        }
    }
}
