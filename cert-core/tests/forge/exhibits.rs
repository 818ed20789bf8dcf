//! Certified documents, and the parts that their issuers show.

use cert_core::{Path, PathStep, Value, proofs_to_value};
use serde_json::{Value as Json, json};

use crate::support::random::{Random, bytes};
use crate::support::schemes::{Certifies, SCHEMES, Scheme};
use crate::support::{at, cases};

/// A certified document.
pub(crate) struct Document {
    pub(crate) schema: Value,
    pub(crate) scheme: Scheme,
    pub(crate) cert: Box<dyn Certifies>,
    pub(crate) data: Value,
    /// The data as JSON.
    pub(crate) json: Json,
    pub(crate) imprint: String,
    /// The exhibits. The first is the whole document with all its proofs. Each of the others is a part of the document with the proofs of
    /// this part.
    pub(crate) shown: Vec<Exhibit>,
}

/// Data and the evidence for it.
#[derive(Clone)]
pub(crate) struct Exhibit {
    pub(crate) claim: Json,
    pub(crate) evidence: Json,
}

/// The maximum size of evidence in bytes, for hashes of the usual length. Longer hashes raise the maximum in proportion. Larger evidence
/// would take as much time as a hundred other cases.
const LARGEST: usize = 12_000;

/// The hash length of most certificates.
const USUAL: usize = 64;

impl Document {
    /// Returns `None` if the scheme cannot certify the document, or if the evidence is too large.
    fn new(scheme: Scheme, schema: Value, data: Value, random: &mut Random<'_>) -> Option<Self> {
        let cert = scheme.cert(&schema).ok()?;
        let imprint = cert.imprint(&data).ok()?;
        let all = proofs_to_value(&cert.notarize(&data).ok()?);
        if all.to_json().len() > LARGEST * imprint.len().max(USUAL) / USUAL {
            return None;
        }
        let json = Json::from(&data);
        let mut shown = vec![Exhibit {
            claim: json.clone(),
            evidence: Json::from(&all),
        }];
        for _ in 0..3 {
            let paths = random.paths(&data);
            shown.push(Exhibit {
                claim: Json::from(&cert.expose(&data, &paths)),
                evidence: Json::from(&proofs_to_value(&cert.disclose(&data, &paths).ok()?)),
            });
        }
        for Exhibit { claim, evidence } in &shown {
            let value = |json: &Json| Value::try_from(json).unwrap();
            let calculated = cert.calculate(&value(claim), &value(evidence)).unwrap();
            assert_eq!(
                calculated.as_ref(),
                Some(&imprint),
                "{}: {claim} is not accepted with {evidence}",
                scheme.name
            );
        }
        Some(Self {
            schema,
            scheme,
            cert,
            data,
            json,
            imprint,
            shown,
        })
    }

    /// Returns the part of the schema that describes a place, or `None` if the schema does not describe it.
    pub(crate) fn schema_at(&self, place: &[Json]) -> Option<&Value> {
        place.iter().try_fold(&self.schema, |schema, step| {
            let schema = schema.as_object()?;
            match step {
                Json::String(key) => schema.get("properties")?.as_object()?.get(key),
                _ => schema.get("items"),
            }
        })
    }

    /// Returns the genuine proofs of the value at a place.
    pub(crate) fn proofs(&self, place: &[Json]) -> Option<Json> {
        let step = |step: &Json| match step {
            Json::String(key) => Some(PathStep::from(key.as_str())),
            step => Some(PathStep::from(usize::try_from(step.as_u64()?).ok()?)),
        };
        let path: Path = place.iter().map(step).collect::<Option<Vec<_>>>()?.into();
        let proofs = self.cert.disclose(&self.data, &[path]).ok()?;
        Some(Json::from(&proofs_to_value(&proofs)))
    }
}

/// Returns the documents of the vectors, random documents, and documents designed for forgers.
pub(crate) fn documents() -> Vec<Document> {
    let mut state = 7;
    let mut documents = Vec::new();
    for case in cases("reference.json") {
        let (schema, data) = (at(&case, "schema").clone(), at(&case, "data").clone());
        let drawn = bytes(&mut state);
        let mut random = Random(&drawn);
        documents.extend(Document::new(SCHEMES[0], schema, data, &mut random));
    }
    for number in 0..150 {
        let drawn = bytes(&mut state);
        let mut random = Random(&drawn);
        let schema = random.schema();
        let data = random.data(&schema);
        let scheme = SCHEMES[number % SCHEMES.len()];
        documents.extend(Document::new(scheme, schema, data, &mut random));
    }
    for (schema, data) in tempting() {
        let value = |json: &Json| Value::try_from(json).unwrap();
        // The default scheme is used several times, so many forgeries are made with it.
        for scheme in [SCHEMES[0]; 7].iter().chain(SCHEMES) {
            let drawn = bytes(&mut state);
            let (schema, data) = (value(&schema), value(&data));
            documents.extend(Document::new(*scheme, schema, data, &mut Random(&drawn)));
        }
    }
    documents
}

/// Returns documents whose parts are easily confused.
fn tempting() -> Vec<(Json, Json)> {
    let text = json!({ "type": "string" });
    let object = |properties: Json| json!({ "type": "object", "properties": properties });
    let list = |items: Json| json!({ "type": "array", "items": items });
    let person = object(json!({ "name": text, "age": { "type": "integer" } }));
    vec![
        // Keys that JavaScript and Unicode can confuse.
        (
            object(json!({
                "__proto__": text, "constructor": text, "prototype": text, "toString": text, "hasOwnProperty": text,
                "é": text, "e\u{301}": text, "K": text, "\u{212a}": text, "a": text, "\u{430}": text, "A": text, "": text, " ": text,
            })),
            json!({
                "__proto__": "p", "constructor": "c", "toString": "t", "é": "one", "e\u{301}": "two", "K": "kay",
                "\u{212a}": "kelvin", "a": "latin", "\u{430}": "cyrillic", "A": "upper", "": "nothing",
            }),
        ),
        // Keys that look like indexes, beside a list.
        (
            object(
                json!({ "0": text, "1": text, "10": text, "2": text, "length": text, "list": list(text.clone()) }),
            ),
            json!({ "0": "zero", "1": "one", "10": "ten", "2": "two", "length": "4", "list": ["zero", "one", "two"] }),
        ),
        // Groups of the same shape in different places.
        (
            object(json!({ "buyer": person, "seller": person, "others": list(person.clone()) })),
            json!({
                "buyer": { "name": "Ada", "age": 36 }, "seller": { "name": "Eve", "age": 63 },
                "others": [{ "name": "Bob", "age": 36 }, { "name": "Ada" }, {}],
            }),
        ),
        // A list whose indexes sort differently as strings than as numbers, a short list, and nested lists.
        (
            object(
                json!({ "long": list(text.clone()), "short": list(text.clone()), "nested": list(list(json!({}))) }),
            ),
            json!({
                "long": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"],
                "short": ["a"], "nested": [[1, "1", true, "true", null], [], null, [1]],
            }),
        ),
        // Lists whose order would change with one more item.
        (
            object(json!({ "ten": list(text.clone()), "eleven": list(text.clone()) })),
            json!({
                "ten": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"],
                "eleven": ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"],
            }),
        ),
        // Values with few possibilities, absent values, and a hash as a value.
        (
            object(
                json!({ "yes": {}, "no": {}, "none": {}, "empty": {}, "hash": {}, "zero": {}, "void": list(text), "gone": person }),
            ),
            json!({
                "yes": true, "no": false, "empty": "", "zero": 0, "void": [],
                "hash": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            }),
        ),
    ]
}
