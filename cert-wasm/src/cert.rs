//! Certification.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use cert_core::{
    Callers, Cert, CertError, KeyedNoncer, Noncer, Outcome, Packed, PathNoncer, Sha256Hasher, Task,
    identify_text, pack_questions, pack_report,
};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::result::given;

// The operations on data.
const IMPRINT: u8 = 0;
const NOTARIZE: u8 = 1;
const DISCLOSE: u8 = 2;
const CALCULATE: u8 = 3;
const EXPOSE: u8 = 5;
// The others.
const COMPILE: u8 = 6;
const IDENTIFY: u8 = 7;
/// Makes room for what is packed, and says where a result is.
const ROOM: u8 = 8;

/// A schema, once it is compiled, with the noncer that belongs to it; and the memory that operations are asked and answered in.
///
/// JavaScript makes room for what is packed, writes it there, lets it run, and reads the result in place.
#[wasm_bindgen]
#[derive(Default)]
pub struct Certifier {
    cert: Option<OwnCert>,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Certifier {
    /// No schema yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// An operation on what is packed: data, then what else it takes. `callers` says what comes from JavaScript: bit 0 stands for
    /// hashes, bit 1 for nonces. Where anything does, no answers at all give the questions, packed; then so many bytes of answers,
    /// which are packed strings, follow what is asked. Gives the length of the result.
    ///
    /// | operation | takes | gives |
    /// |---|---|---|
    /// | 0: imprint | data | the imprint |
    /// | 1: notarize | data | packed proofs, and their order |
    /// | 2: disclose | data, paths | packed proofs, and their order |
    /// | 3: calculate | data, proofs | the imprint, or nothing |
    /// | 4: verify | data, imprint, proofs | a packed report |
    /// | 5: expose | data, paths | the part of the data as JSON |
    /// | 6: compile | a schema, and what keys nonces if they are not public: a secret, as a string of a character for each byte, and the id of the asset that one is to be derived for, or null | nothing |
    /// | 7: identify | a schema, as JSON text | its id: `0x` and 64 hexadecimal characters |
    /// | 8: room | | the address of room for so many bytes; those that are there stay, unless none are to |
    pub fn run(&mut self, operation: u8, callers: u8, count: usize) -> usize {
        if operation == ROOM {
            self.bytes.resize(count, 0);
            if count == 0 {
                self.bytes = Vec::new();
            }
            return self.bytes.as_ptr().addr();
        }
        let mut packed = mem::take(&mut self.bytes);
        let answers = packed.split_off(packed.len().saturating_sub(count));
        self.bytes = given(self.result(operation, Packed::new(packed), callers, answers));
        self.bytes.len()
    }
}

impl Certifier {
    fn result(
        &mut self,
        operation: u8,
        mut packed: Packed,
        callers: u8,
        answers: Vec<u8>,
    ) -> Result<Vec<u8>, CertError> {
        match (operation, &self.cert) {
            (COMPILE, _) => self.cert = Some(compiled(packed)?),
            (IDENTIFY, _) => {
                let text = packed.value()?;
                return Ok(identify_text(text.as_str().unwrap_or_default()).into());
            }
            (EXPOSE, Some(cert)) => return exposed(cert, packed),
            (_, Some(cert)) => return certified(cert, operation, packed, callers, answers),
            // What is not compiled certifies nothing.
            (_, None) => {}
        }
        Ok(Vec::new())
    }
}

fn certified(
    cert: &OwnCert,
    operation: u8,
    packed: Packed,
    callers: u8,
    answers: Vec<u8>,
) -> Result<Vec<u8>, CertError> {
    let task = task(operation, packed)?;
    let from = Callers {
        hasher: callers & 1 != 0,
        noncer: callers & 2 != 0,
    };
    if callers != 0 && answers.is_empty() {
        return Ok(pack_questions(&cert.questions(&task, from)?));
    }
    let answers = Packed::new(answers).strings();
    Ok(written(cert.finish_packed(&task, from, &answers)?))
}

/// The certification that needs no JavaScript.
type OwnCert = Cert<Sha256Hasher, Box<dyn Noncer>>;

fn compiled(mut packed: Packed) -> Result<OwnCert, CertError> {
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
        IMPRINT => Task::Imprint(data),
        NOTARIZE => Task::Notarize(data),
        DISCLOSE => Task::Disclose(data, packed.paths()?),
        CALCULATE => Task::Calculate(data, Box::new(packed.proofs())),
        // VERIFY
        _ => {
            let imprint = packed.value()?;
            let imprint = imprint.as_str().unwrap_or_default().into();
            Task::Verify(data, Box::new(packed.proofs()), imprint)
        }
    })
}

fn written(outcome: Outcome<Vec<u8>>) -> Vec<u8> {
    match outcome {
        Outcome::Imprint(imprint) => imprint.into(),
        Outcome::Proofs(proofs) => proofs,
        Outcome::Calculated(imprint) => imprint.unwrap_or_default().into(),
        Outcome::Report(report) => pack_report(&report),
    }
}
