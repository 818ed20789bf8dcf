//! Certification.

use alloc::boxed::Box;
use alloc::vec::Vec;

use cert_core::{
    Callers, Cert, CertError, KeyedNoncer, Noncer, Outcome, Packed, PathNoncer, Sha256Hasher, Task,
    pack_proofs, pack_questions, pack_report,
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
    cert: Result<OwnCert, Vec<u8>>,
}

#[wasm_bindgen]
impl Certifier {
    /// Compiles a packed schema. What keys nonces follows, or nothing if they are public: a secret, as a
    /// string of a character for each byte, and the id of the asset that one is to be derived for, or null.
    #[wasm_bindgen(constructor)]
    pub fn new(packed: Vec<u8>) -> Self {
        let cert = certify(Packed::new(packed));
        Self {
            cert: cert.map_err(|error| thrown(&error)),
        }
    }

    /// An operation on what is packed: data, then what else it takes. `callers` says what comes from JavaScript: bit 0 stands for
    /// hashes, bit 1 for nonces. Where anything does, no answers at all give the questions, packed; then the answers come as packed
    /// strings.
    ///
    /// | operation | takes | gives |
    /// |---|---|---|
    /// | 0: imprint | | the imprint |
    /// | 1: notarize | | packed proofs |
    /// | 2: disclose | paths | packed proofs |
    /// | 3: calculate | proofs | the imprint, or nothing |
    /// | 4: verify | imprint, proofs | a packed report |
    /// | 5: expose | paths | the part of the data as JSON |
    /// | 6: nothing | not even data | nothing, unless the schema is at fault |
    pub fn run(&self, operation: u8, packed: Vec<u8>, callers: u8, answers: Vec<u8>) -> Vec<u8> {
        self.with(|cert| match operation {
            NOTHING => Ok(Vec::new()),
            EXPOSE => exposed(cert, Packed::new(packed)),
            _ => {
                let task = task(operation, Packed::new(packed))?;
                let from = Callers {
                    hasher: callers & 1 != 0,
                    noncer: callers & 2 != 0,
                };
                if callers != 0 && answers.is_empty() {
                    return Ok(pack_questions(&cert.questions(&task, from)?));
                }
                let answers = Packed::new(answers).strings();
                Ok(written(cert.finish(&task, from, &answers)?))
            }
        })
    }
}

impl Certifier {
    fn with(&self, run: impl FnOnce(&OwnCert) -> Result<Vec<u8>, CertError>) -> Vec<u8> {
        match &self.cert {
            Ok(cert) => given(run(cert)),
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
        Outcome::Report(report) => pack_report(&report),
    }
}
