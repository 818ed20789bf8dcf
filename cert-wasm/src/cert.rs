//! Certification.

use std::rc::Rc;

use cert_core::{
    Array, Ask, Callers, Cert, Failure, KeyedNoncer, Noncer, Outcome, Path, PathNoncer, Place,
    Session, Sha256Hasher, Step, Task, Text, Value, proofs_to_value,
};
use wasm_bindgen::prelude::*;

use crate::text::{read, thrown};

/// The id of a schema, given as JSON text: `0x` and 64 hexadecimal characters.
///
/// # Errors
/// If the text is no JSON that has a hash.
#[wasm_bindgen]
pub fn identify(schema: &str, sorted: bool) -> Result<String, JsValue> {
    let schema = read(schema)?;
    Ok(if sorted {
        cert_core::identify_sorted(&schema)
    } else {
        cert_core::identify(&schema)
    })
}

/// A schema, compiled, with the noncer that belongs to it.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Certifier {
    cert: Rc<Cert<Sha256Hasher, BuiltIn>>,
}

#[wasm_bindgen]
impl Certifier {
    /// Compiles a schema. A `secret` keys the nonces, by itself or for the asset of this id.
    ///
    /// # Errors
    /// What is wrong with the schema or the secret.
    #[wasm_bindgen(constructor)]
    pub fn new(
        schema: &str,
        secret: Option<Box<[u8]>>,
        asset_id: Option<String>,
    ) -> Result<Self, JsValue> {
        let keyed = match (&secret, &asset_id) {
            (None, _) => None,
            (Some(secret), None) => Some(KeyedNoncer::new(secret)),
            (Some(secret), Some(id)) => Some(KeyedNoncer::for_asset(secret, id)),
        };
        let noncer = match keyed.transpose().map_err(thrown)? {
            None => BuiltIn::Path(PathNoncer),
            Some(keyed) => BuiltIn::Keyed(keyed),
        };
        let cert = Cert::with(&read(schema)?, Sha256Hasher, noncer).map_err(thrown)?;
        Ok(Self {
            cert: Rc::new(cert),
        })
    }

    /// Starts an operation: `imprint`, `notarize`, `disclose` (`more` holds the paths), `calculate`
    /// or `verify` (`more` holds the evidence). `hasher` and `noncer` say what is asked for; if
    /// neither, the run can be finished at once.
    ///
    /// # Errors
    /// What is wrong with the data.
    pub fn start(
        &self,
        operation: &str,
        data: &str,
        more: &str,
        imprint: String,
        hasher: bool,
        noncer: bool,
    ) -> Result<Run, JsValue> {
        let data = read(data)?;
        let task = match operation {
            "imprint" => Task::Imprint(data),
            "notarize" => Task::Notarize(data),
            "disclose" => Task::Disclose(data, paths(more)?),
            "calculate" => Task::Calculate(data, read(more)?),
            _ => Task::Verify(data, read(more)?, imprint),
        };
        let session = self
            .cert
            .session(task, Callers { hasher, noncer })
            .map_err(thrown)?;
        Ok(Run {
            cert: Rc::clone(&self.cert),
            session,
        })
    }

    /// The part of the data that the paths name.
    ///
    /// # Errors
    /// What is wrong with the texts.
    pub fn expose(&self, data: &str, paths: &str) -> Result<String, JsValue> {
        Ok(self
            .cert
            .expose(&read(data)?, &self::paths(paths)?)
            .to_json())
    }
}

/// An operation under way.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Run {
    cert: Rc<Cert<Sha256Hasher, BuiltIn>>,
    session: Session,
}

#[wasm_bindgen]
impl Run {
    /// Up to `limit` requests that can be answered now: `[id, path]` for a nonce, for a hash
    /// `[id, path, position, value]`, without the value where it is absent.
    ///
    /// # Errors
    /// None; the type says so only because values are built with care.
    pub fn requests(&mut self, limit: usize) -> Result<String, JsValue> {
        let requests = self.session.requests(limit).into_iter().map(|request| {
            let mut parts = vec![number(request.id), request.path.to_value()];
            match request.ask {
                Ask::Nonce => {}
                Ask::Value(value) => {
                    parts.push(number(0));
                    parts.extend(value);
                }
                Ask::Text(position, text) => {
                    parts.extend([number(position as usize), Value::String(text)]);
                }
            }
            Array::try_from(parts).map(Value::Array)
        });
        let requests = requests
            .collect::<Result<Vec<_>, _>>()
            .and_then(Array::try_from);
        Ok(Value::Array(requests.map_err(thrown)?).to_json())
    }

    /// Answers a request.
    pub fn answer(&mut self, id: usize, result: String) {
        self.session.answer(id, result);
    }

    /// The result: a text, a list of proofs, a text or null, or a report.
    ///
    /// # Errors
    /// What the operation fails with.
    pub fn finish(&self) -> Result<String, JsValue> {
        let value = match self.cert.finish(&self.session).map_err(thrown)? {
            Outcome::Imprint(imprint) => Value::String(imprint),
            Outcome::Proofs(proofs) => proofs_to_value(&proofs),
            Outcome::Calculated(imprint) => imprint.map_or(Value::Null, Value::String),
            Outcome::Report(report) => report.to_value(),
        };
        Ok(value.to_json())
    }
}

/// The noncers that need no JavaScript.
#[derive(Debug)]
enum BuiltIn {
    Path(PathNoncer),
    Keyed(KeyedNoncer),
}

impl BuiltIn {
    fn noncer(&self) -> &dyn Noncer {
        match self {
            Self::Path(noncer) => noncer,
            Self::Keyed(noncer) => noncer,
        }
    }
}

impl Noncer for BuiltIn {
    fn nonce(&self, place: Place<'_>) -> Result<Text, Failure> {
        self.noncer().nonce(place)
    }

    fn enter(&self, text: &mut String, step: Step<'_>) {
        self.noncer().enter(text, step);
    }
}

fn paths(text: &str) -> Result<Vec<Path>, JsValue> {
    Path::list_from(&read(text)?).map_err(thrown)
}

fn number(number: usize) -> Value {
    Value::Number(number.into())
}
