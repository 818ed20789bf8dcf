//! Certification.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::mem;

use cert_core::{
    Array, Callers, Cert, CertError, Failure, KeyedNoncer, Noncer, Outcome, Path, PathNoncer,
    Place, Session, Sha256Hasher, Step, Task, Text, Value, proofs_to_value,
};
use wasm_bindgen::prelude::wasm_bindgen;

/// The operation that needs no hash.
const EXPOSE: u8 = 5;

/// The id of a packed schema: `0x` and 64 hexadecimal characters.
#[wasm_bindgen]
pub fn identify(text: &[u8], list: &[u32], sorted: bool) -> String {
    given(unpack(text, list).map(|mut values| {
        let schema = values.one();
        if sorted {
            cert_core::identify_sorted(&schema)
        } else {
            cert_core::identify(&schema)
        }
    }))
}

/// A schema, compiled, with the noncer that belongs to it; or why there is none.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Certifier {
    cert: Result<Rc<Cert<Sha256Hasher, BuiltIn>>, String>,
}

#[wasm_bindgen]
impl Certifier {
    /// Compiles a packed schema. Nonces are public (0), keyed by a `secret` (1), or keyed by one for
    /// the asset of this id (2).
    #[wasm_bindgen(constructor)]
    pub fn new(text: &[u8], list: &[u32], nonces: u8, secret: &[u8], asset_id: &[u8]) -> Self {
        let cert = certify(text, list, nonces, secret, asset_id);
        Self {
            cert: cert.map(Rc::new).map_err(|error| thrown(&error)),
        }
    }

    /// Whether it can be used, as every result says it.
    pub fn check(&self) -> String {
        match &self.cert {
            Ok(_) => given(Ok(String::new())),
            Err(error) => error.clone(),
        }
    }

    /// An operation without callbacks, on what is packed: data, then what else it takes.
    ///
    /// | operation | takes | gives |
    /// |---|---|---|
    /// | 0: imprint | | the imprint |
    /// | 1: notarize | | a list of proofs as JSON |
    /// | 2: disclose | paths | a list of proofs as JSON |
    /// | 3: calculate | evidence | the imprint, or nothing |
    /// | 4: verify | evidence, imprint | a report as JSON |
    /// | 5: expose | paths | the part of the data as JSON |
    pub fn run(&self, operation: u8, text: &[u8], list: &[u32]) -> String {
        match &self.cert {
            Ok(cert) if operation == EXPOSE => given(exposed(cert, text, list)),
            _ => self.start(operation, text, list, false, false).finish(),
        }
    }

    /// Starts the same operation. `hasher` and `noncer` say what is asked for.
    pub fn start(
        &self,
        operation: u8,
        text: &[u8],
        list: &[u32],
        hasher: bool,
        noncer: bool,
    ) -> Run {
        let session = self.cert.clone().and_then(|cert| {
            let task = unpack(text, list).and_then(|mut values| values.task(operation));
            let session = task.and_then(|task| cert.session(task, Callers { hasher, noncer }));
            match session {
                Ok(session) => Ok((cert, session)),
                Err(error) => Err(thrown(&error)),
            }
        });
        Run { session }
    }
}

/// An operation under way, or why it is not.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Run {
    session: Result<(Rc<Cert<Sha256Hasher, BuiltIn>>, Session), String>,
}

#[wasm_bindgen]
impl Run {
    /// Up to `limit` requests that can be answered now, as JSON: `[id, path]` for a nonce, for a hash
    /// `[id, path, position, value]`, without the value where it is absent.
    pub fn requests(&mut self, limit: usize) -> String {
        let mut requests = Vec::new();
        if let Ok((_, session)) = &mut self.session {
            for request in session.requests(limit) {
                requests.push(request.to_value());
            }
        }
        list(requests)
    }

    /// Answers a request.
    pub fn answer(&mut self, id: usize, result: &[u8]) {
        if let Ok((_, session)) = &mut self.session {
            session.answer(id, text(result).into());
        }
    }

    /// The result, as [`Certifier::run`] gives it.
    pub fn finish(&self) -> String {
        match &self.session {
            Ok((cert, session)) => given(cert.finish(session).map(written)),
            Err(error) => error.clone(),
        }
    }
}

/// The noncers that need no JavaScript.
#[derive(Debug)]
enum BuiltIn {
    Path(PathNoncer),
    Keyed(Box<KeyedNoncer>),
}

impl BuiltIn {
    fn noncer(&self) -> &dyn Noncer {
        match self {
            Self::Path(noncer) => noncer,
            Self::Keyed(noncer) => noncer.as_ref(),
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

fn certify(
    text: &[u8],
    list: &[u32],
    nonces: u8,
    secret: &[u8],
    asset_id: &[u8],
) -> Result<Cert<Sha256Hasher, BuiltIn>, CertError> {
    let noncer = match nonces {
        0 => BuiltIn::Path(PathNoncer),
        1 => BuiltIn::Keyed(Box::new(KeyedNoncer::new(secret)?)),
        _ => {
            let keyed = KeyedNoncer::for_asset(secret, self::text(asset_id))?;
            BuiltIn::Keyed(Box::new(keyed))
        }
    };
    Cert::with(&unpack(text, list)?.one(), Sha256Hasher, noncer)
}

fn exposed(
    cert: &Cert<Sha256Hasher, BuiltIn>,
    text: &[u8],
    list: &[u32],
) -> Result<String, CertError> {
    let mut values = unpack(text, list)?;
    let data = values.one();
    Ok(cert.expose(&data, &values.paths()?).to_json())
}

/// Values that were packed together, to be taken one after the other.
struct Values {
    all: Vec<Value>,
    taken: usize,
}

impl Values {
    /// The next value; null where there is none.
    fn one(&mut self) -> Value {
        let value = self.all.get_mut(self.taken).map(mem::take);
        self.taken = self.taken.saturating_add(1);
        value.unwrap_or_default()
    }

    fn paths(&mut self) -> Result<Vec<Path>, CertError> {
        Path::list_from(&self.one())
    }

    fn task(&mut self, operation: u8) -> Result<Task, CertError> {
        let data = self.one();
        Ok(match operation {
            0 => Task::Imprint(data),
            1 => Task::Notarize(data),
            2 => Task::Disclose(data, self.paths()?),
            3 => Task::Calculate(data, self.one()),
            _ => {
                let evidence = self.one();
                let imprint = self.one();
                Task::Verify(data, evidence, imprint.as_str().unwrap_or_default().into())
            }
        })
    }
}

fn unpack(text: &[u8], list: &[u32]) -> Result<Values, CertError> {
    Ok(Values {
        all: Value::unpack(self::text(text), list)?,
        taken: 0,
    })
}

/// What JavaScript's own encoder made of a text.
fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap_or_default()
}

fn written(outcome: Outcome) -> String {
    match outcome {
        Outcome::Imprint(imprint) => imprint,
        Outcome::Proofs(proofs) => proofs_to_value(&proofs).to_json(),
        Outcome::Calculated(imprint) => imprint.unwrap_or_default(),
        Outcome::Report(report) => report.to_value().to_json(),
    }
}

/// A result as JavaScript takes it: `=` after it, or after an error `!`.
fn given(result: Result<String, CertError>) -> String {
    match result {
        Ok(mut text) => {
            text.push('=');
            text
        }
        Err(error) => thrown(&error),
    }
}

/// An error as JavaScript takes it: `[code, path, message]` as JSON, and `!`.
fn thrown(error: &CertError) -> String {
    let mut text = list(vec![
        Value::from(error.code().as_str()),
        error.path().to_value(),
        Value::from(error.text()),
    ]);
    text.push('!');
    text
}

/// JSON text of values that are not deep.
fn list(items: Vec<Value>) -> String {
    Array::try_from(items).map_or_else(|_| String::new(), |items| Value::Array(items).to_json())
}
