//! Certification.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::vec::Vec;

use cert_core::{
    Callers, Cert, CertError, KeyedNoncer, Noncer, Outcome, Packed, PathNoncer, Session,
    Sha256Hasher, Task, pack_proofs, pack_requests,
};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::result::{given, thrown};

// The operations that need no hash.
const EXPOSE: u8 = 5;
const NOTHING: u8 = 6;

/// The id of a packed schema: `0x` and 64 hexadecimal characters.
#[wasm_bindgen]
pub fn identify(packed: Vec<u8>, sorted: bool) -> Vec<u8> {
    given(Packed::new(packed).value().map(|schema| {
        let id = if sorted {
            cert_core::identify_sorted(&schema)
        } else {
            cert_core::identify(&schema)
        };
        id.into()
    }))
}

/// A schema, compiled, with the noncer that belongs to it; or why there is none.
#[wasm_bindgen]
pub struct Certifier {
    cert: Result<Rc<OwnCert>, CertError>,
}

#[wasm_bindgen]
impl Certifier {
    /// Compiles a packed schema. What keys nonces follows, or nothing if they are public: a secret, as a
    /// string of a character for each byte, and the id of the asset that one is to be derived for, or null.
    #[wasm_bindgen(constructor)]
    pub fn new(packed: Vec<u8>) -> Self {
        let cert = certify(Packed::new(packed));
        Self {
            cert: cert.map(Rc::new),
        }
    }

    /// An operation without callbacks, on what is packed: data, then what else it takes.
    ///
    /// | operation | takes | gives |
    /// |---|---|---|
    /// | 0: imprint | | the imprint |
    /// | 1: notarize | | packed proofs |
    /// | 2: disclose | paths | packed proofs |
    /// | 3: calculate | proofs | the imprint, or nothing |
    /// | 4: verify | imprint, proofs | a report as JSON |
    /// | 5: expose | paths | the part of the data as JSON |
    /// | 6: nothing | not even data | nothing, unless the schema is at fault |
    pub fn run(&self, operation: u8, packed: Vec<u8>) -> Vec<u8> {
        match &self.cert {
            Ok(_) if operation == NOTHING => given(Ok(Vec::new())),
            Ok(cert) if operation == EXPOSE => given(exposed(cert, Packed::new(packed))),
            _ => self.start(operation, packed, false, false).finish(),
        }
    }

    /// Starts the same operation. `hasher` and `noncer` say what is asked for.
    pub fn start(&self, operation: u8, packed: Vec<u8>, hasher: bool, noncer: bool) -> Run {
        let session = match &self.cert {
            Err(error) => Err(thrown(error)),
            Ok(cert) => task(operation, Packed::new(packed))
                .and_then(|task| cert.session(task, Callers { hasher, noncer }))
                .map(|session| (Rc::clone(cert), session))
                .map_err(|error| thrown(&error)),
        };
        Run { session }
    }
}

/// An operation under way, or why it is not.
#[wasm_bindgen]
pub struct Run {
    session: Result<(Rc<OwnCert>, Session), Vec<u8>>,
}

#[wasm_bindgen]
impl Run {
    /// Up to `limit` requests that can be answered now, packed.
    pub fn requests(&mut self, limit: usize) -> Vec<u8> {
        let requests = match &mut self.session {
            Ok((_, session)) => session.requests(limit),
            Err(_) => Vec::new(),
        };
        given(Ok(pack_requests(requests)))
    }

    /// Answers a request.
    pub fn answer(&mut self, id: usize, result: &[u8]) {
        if let Ok((_, session)) = &mut self.session {
            // JavaScript's own encoder made it.
            session.answer(id, str::from_utf8(result).unwrap_or_default().into());
        }
    }

    /// The result, as [`Certifier::run`] gives it.
    pub fn finish(&self) -> Vec<u8> {
        match &self.session {
            Ok((cert, session)) => given(cert.finish(session).map(written)),
            Err(error) => error.clone(),
        }
    }
}

/// The certification that needs no JavaScript.
type OwnCert = Cert<Sha256Hasher, Box<dyn Noncer>>;

fn certify(mut packed: Packed) -> Result<OwnCert, CertError> {
    let schema = packed.value()?;
    let noncer: Box<dyn Noncer> = if packed.is_empty() {
        Box::new(PathNoncer)
    } else {
        let mut secret = Vec::new();
        for char in packed.value()?.as_str().unwrap_or_default().chars() {
            if let Ok(byte) = u8::try_from(char) {
                secret.push(byte);
            }
        }
        Box::new(match packed.value()?.as_str() {
            None => KeyedNoncer::new(&secret)?,
            Some(asset_id) => KeyedNoncer::for_asset(&secret, asset_id)?,
        })
    };
    Cert::with(&schema, Sha256Hasher, noncer)
}

fn exposed(cert: &OwnCert, mut packed: Packed) -> Result<Vec<u8>, CertError> {
    let data = packed.value()?;
    let paths = packed.paths()?;
    Ok(cert.expose(&data, &paths).to_json().into())
}

fn task(operation: u8, mut packed: Packed) -> Result<Task, CertError> {
    let data = packed.value()?;
    Ok(match operation {
        0 => Task::Imprint(data),
        1 => Task::Notarize(data),
        2 => Task::Disclose(data, packed.paths()?),
        3 => Task::Calculate(data, Box::new(packed.proofs())),
        _ => {
            let imprint = packed.value()?;
            let imprint = imprint.as_str().unwrap_or_default().into();
            Task::Verify(data, Box::new(packed.proofs()), imprint)
        }
    })
}

fn written(outcome: Outcome) -> Vec<u8> {
    match outcome {
        Outcome::Imprint(imprint) => imprint.into(),
        Outcome::Proofs(proofs) => pack_proofs(&proofs),
        Outcome::Calculated(imprint) => imprint.unwrap_or_default().into(),
        Outcome::Report(report) => report.to_value().to_json().into(),
    }
}
