//! Certified documents, the evidence that a forger has about them, and forgeries.

use cert_core::aih2::{Cert, Evidence, Keys, Report, Values};
use cert_core::{Path, Value};
use serde_json::{Value as Json, json};

use crate::agree::{Claim, bytes};
use crate::judge::{Pair, parse};
use crate::model::{Block, Hash};
use crate::random::Random;
use crate::tokens::{base64url, sha256};

/// A certified document.
pub(crate) struct Exhibit {
    pub(crate) schema: Json,
    pub(crate) cert: Cert,
    pub(crate) data: Json,
    /// The report of evidence that opens everything.
    pub(crate) truth: Report,
    /// The part of the document that the forger was shown.
    shown: Forgery,
    /// Evidence that opens another part: the whole document, or only the first of the paths.
    pub(crate) other: Forgery,
    /// Evidence for the same part of the same data, certified under another key.
    pub(crate) stale: Forgery,
}

/// A proof, its values and its document. They are genuine until a test tampers with them.
#[derive(Clone)]
pub(crate) struct Forgery {
    pub(crate) block: Block,
    /// The bytes of the proof, if they do not form a block.
    pub(crate) bytes: Option<Vec<u8>>,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) document: Json,
    /// The schema that the forger wants the verifier to use.
    pub(crate) schema: Option<Json>,
    pub(crate) id: Option<Hash>,
}

pub(crate) fn cert(schema: &Json) -> Cert {
    Cert::new(&value(schema)).unwrap()
}

fn value(json: &Json) -> Value {
    Value::try_from(json).unwrap()
}

fn disclosed(cert: &Cert, data: &Json, key: Hash, paths: &[Vec<Json>]) -> Forgery {
    let (data, keys) = (value(data), Keys::Key(key.into()));
    let paths = Path::list_from(&value(&json!(paths))).unwrap();
    let evidence = cert.disclose(&data, &keys, &paths, Values::Attach).unwrap();
    let json: Json = (&evidence.to_value()).into();
    let proof = bytes(json["proof"].as_str().unwrap());
    let pair = |pair: &Json| (pair[0].as_array().unwrap().clone(), pair[1].clone());
    Forgery {
        block: parse(&mut proof.as_slice(), 0).unwrap(),
        bytes: None,
        pairs: json["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(pair)
            .collect(),
        document: (&cert.expose(&data, &paths)).into(),
        schema: None,
        id: None,
    }
}

impl Exhibit {
    pub(crate) fn new(seed: u64) -> Self {
        let mut random = Random::new(seed + 1_000_000);
        // A document with only a few slots allows only a few forgeries.
        let case = loop {
            let case = random.case();
            if case.data.to_string().len() > 60 {
                break case;
            }
        };
        let cert = cert(&case.schema);
        let data = value(&case.data);
        let keys = Keys::Key(case.key.into());
        let imprint = cert.imprint(&data, &keys).unwrap();
        let whole: Evidence = cert.notarize(&data, &keys).unwrap();
        let truth = cert.verify_read(Some(&data), &whole, &imprint).unwrap();
        let shown = disclosed(&cert, &case.data, case.key, &case.paths);
        let everything = disclosed(&cert, &case.data, case.key, &[vec![]]);
        let other = match random.below(2) {
            0 => everything,
            _ => disclosed(&cert, &case.data, case.key, &case.paths[..1]),
        };
        let stale = disclosed(&cert, &case.data, random.bytes(), &case.paths);
        Self {
            schema: case.schema,
            cert,
            data: case.data,
            truth,
            shown,
            other,
            stale,
        }
    }

    pub(crate) fn genuine(&self) -> &Forgery {
        &self.shown
    }
}

impl Forgery {
    /// Returns the forgery's claims: detached, attached, and attached together with a document.
    pub(crate) fn claims(&self, exhibit: &Exhibit) -> [Claim; 3] {
        let schema = self.schema.as_ref().unwrap_or(&exhibit.schema);
        let id = self
            .id
            .unwrap_or_else(|| sha256(&[crate::model::jcs(schema).as_bytes()]));
        let digits: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
        let proof = self.bytes.clone().unwrap_or_else(|| self.block.bytes());
        let detached = json!({ "profile": "AIH-2", "schemaId": format!("0x{digits}"), "proof": base64url(&proof) });
        let mut attached = detached.clone();
        attached["values"] = json!(self.pairs);
        let claim = |evidence: &Json, document: Option<&Json>| Claim {
            evidence: evidence.clone(),
            document: document.cloned(),
        };
        [
            claim(&detached, Some(&self.document)),
            claim(&attached, None),
            claim(&attached, Some(&self.document)),
        ]
    }
}
