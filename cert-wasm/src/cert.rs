//! Certification.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::mem;

use cert_core::{
    Cert, CertError, Deferred, Hasher, KeyedNoncer, Noncer, Packed, PackedProofs, Path, PathNoncer,
    Sha256Hasher, Value, identify_text, pack_paths, pack_proofs, pack_questions, pack_report,
};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::throw_str;
use zeroize::{Zeroize as _, Zeroizing};

use crate::result::given;

/// The bit of `callers` that stands for hashes, and the one for nonces.
const HASHER: u8 = 1;
const NONCER: u8 = 2;

/// A schema, once it is compiled, with the noncer that belongs to it; and the memory that operations are asked and answered in.
///
/// JavaScript makes room for what is packed, writes it there, calls an operation, and reads the result in place: each operation
/// gives the result's length.
///
/// The operations that hash take `callers`, which says what comes from JavaScript: bit 0 stands for hashes, bit 1 for nonces. Where
/// anything does, no answers at all give the questions, packed; then so many bytes of `answers`, which are packed strings, follow
/// what is asked.
#[wasm_bindgen]
#[derive(Default)]
pub struct Certifier {
    cert: Option<OwnCert>,
    /// Whether what the schema does not describe is an error.
    strict: bool,
    bytes: Vec<u8>,
}

#[wasm_bindgen]
impl Certifier {
    /// No schema yet.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// The address of room for so many bytes; those that are there stay, unless none are to.
    pub fn room(&mut self, count: usize) -> usize {
        self.bytes.resize(count, 0);
        if count == 0 {
            self.bytes = Vec::new();
        }
        self.bytes.as_ptr().addr()
    }

    /// Takes a schema; and where nonces are keyed the id of the asset that a secret is to be derived for, or null, and after what is
    /// packed so many bytes of a `secret`, which are wiped. Gives nothing.
    pub fn compile(&mut self, strict: bool, secret: usize) -> usize {
        let secret = self.secret(secret);
        let (packed, _) = self.taken(0);
        self.strict = strict;
        let result = compiled(packed, &secret).map(|cert| {
            self.cert = Some(cert);
            Vec::new()
        });
        self.give(result)
    }

    /// Takes a schema as JSON text, gives its id: `0x` and 64 hexadecimal characters.
    pub fn identify(&mut self) -> usize {
        let (mut packed, _) = self.taken(0);
        let text = packed.value();
        self.give(text.map(|text| identify_text(text.as_str().unwrap_or_default()).into()))
    }

    /// Takes data, gives the imprint.
    pub fn imprint(&mut self, callers: u8, answers: usize) -> usize {
        self.certify(Operation::Imprint, callers, answers)
    }

    /// Takes data, gives packed proofs and their order.
    pub fn notarize(&mut self, callers: u8, answers: usize) -> usize {
        self.certify(Operation::Notarize, callers, answers)
    }

    /// Takes data and paths, gives packed proofs and their order.
    pub fn disclose(&mut self, callers: u8, answers: usize) -> usize {
        self.certify(Operation::Disclose, callers, answers)
    }

    /// Takes data and proofs, gives the imprint or nothing.
    pub fn calculate(&mut self, callers: u8, answers: usize) -> usize {
        self.certify(Operation::Calculate, callers, answers)
    }

    /// Takes data, an imprint and proofs, gives a packed report.
    pub fn verify(&mut self, callers: u8, answers: usize) -> usize {
        self.certify(Operation::Verify, callers, answers)
    }

    /// Takes data and paths, gives the part of the data as JSON.
    pub fn expose(&mut self) -> usize {
        let (packed, _) = self.taken(0);
        let result = exposed(self.cert(), packed);
        self.give(result)
    }

    /// Takes data, gives the packed paths that the schema does not describe.
    pub fn uncovered(&mut self) -> usize {
        let (mut packed, _) = self.taken(0);
        let data = packed.value();
        let result = data.map(|data| pack_paths(&self.cert().uncovered(&data)));
        self.give(result)
    }
}

/// The operations that hash.
#[derive(Clone, Copy)]
enum Operation {
    Imprint,
    Notarize,
    Disclose,
    Calculate,
    Verify,
}

impl Operation {
    /// Whether the operation makes a statement about the data as a whole, rather than checking somebody else's.
    const fn certifies(self) -> bool {
        matches!(self, Self::Imprint | Self::Notarize | Self::Disclose)
    }
}

impl Certifier {
    /// Returns the packed request, and the `count` bytes after it.
    fn taken(&mut self, count: usize) -> (Packed, Vec<u8>) {
        let mut packed = mem::take(&mut self.bytes);
        let more = packed.split_off(packed.len().saturating_sub(count));
        (Packed::new(packed), more)
    }

    /// Cuts the last `count` bytes, the secret, off the request and wipes them there.
    fn secret(&mut self, count: usize) -> Zeroizing<Vec<u8>> {
        let start = self.bytes.len().saturating_sub(count);
        let given = self.bytes.get_mut(start..).unwrap_or_default();
        let secret = Zeroizing::new(given.to_vec());
        given.zeroize();
        self.bytes.truncate(start);
        secret
    }

    fn give(&mut self, result: Result<Vec<u8>, CertError>) -> usize {
        self.bytes = given(result);
        self.bytes.len()
    }

    fn cert(&self) -> &OwnCert {
        match &self.cert {
            Some(cert) => cert,
            // The constructor of `Cert` in pkg/cert/src/api.js compiles first.
            None => throw_str("no schema is compiled"),
        }
    }

    fn certify(&mut self, operation: Operation, callers: u8, answers: usize) -> usize {
        let (packed, answers) = self.taken(answers);
        let result = self.certified(operation, packed, callers, answers);
        self.give(result)
    }

    fn certified(
        &self,
        operation: Operation,
        packed: Packed,
        callers: u8,
        answers: Vec<u8>,
    ) -> Result<Vec<u8>, CertError> {
        let cert = self.cert();
        let task = self.task(operation, packed)?;
        let deferred = Deferred {
            hasher: callers & HASHER != 0,
            noncer: callers & NONCER != 0,
        };
        if callers == 0 {
            return task.run(cert);
        }
        if answers.is_empty() {
            return Ok(pack_questions(
                &cert.questions(deferred, |cert| task.run(cert))?,
            ));
        }
        let answers = Packed::new(answers).strings();
        cert.answered(deferred, &answers, |cert| task.run(cert))
    }

    fn task(&self, operation: Operation, mut packed: Packed) -> Result<Task, CertError> {
        let data = packed.value()?;
        if self.strict && operation.certifies() {
            self.cert().require_covered(&data)?;
        }
        Ok(match operation {
            Operation::Imprint => Task::Imprint(data),
            Operation::Notarize => Task::Notarize(data),
            Operation::Disclose => Task::Disclose(data, packed.paths()?),
            Operation::Calculate => Task::Calculate(data, packed.proofs()),
            Operation::Verify => {
                let imprint = packed.value()?;
                let imprint = imprint.as_str().unwrap_or_default().into();
                Task::Verify(data, packed.proofs(), imprint)
            }
        })
    }
}

/// An operation that hashes, with everything it takes.
enum Task {
    Imprint(Value),
    Notarize(Value),
    Disclose(Value, Vec<Path>),
    Calculate(Value, PackedProofs),
    Verify(Value, PackedProofs, String),
}

impl Task {
    fn run<H: Hasher, N: Noncer>(&self, cert: &Cert<H, N>) -> Result<Vec<u8>, CertError> {
        Ok(match self {
            Self::Imprint(data) => cert.imprint(data)?.into(),
            Self::Notarize(data) => pack_proofs(&cert.notarize(data)?),
            Self::Disclose(data, paths) => pack_proofs(&cert.disclose(data, paths)?),
            Self::Calculate(data, proofs) => {
                cert.calculate(data, proofs)?.unwrap_or_default().into()
            }
            Self::Verify(data, proofs, imprint) => {
                pack_report(&cert.verify(data, proofs, imprint)?)
            }
        })
    }
}

/// The certification that needs no JavaScript.
type OwnCert = Cert<Sha256Hasher, Box<dyn Noncer>>;

fn compiled(mut packed: Packed, secret: &[u8]) -> Result<OwnCert, CertError> {
    let schema = packed.value()?;
    let noncer: Box<dyn Noncer> = if packed.is_empty() {
        Box::new(PathNoncer)
    } else {
        Box::new(match packed.value()?.as_str() {
            None => KeyedNoncer::new(secret)?,
            Some(asset_id) => KeyedNoncer::for_asset(secret, asset_id)?,
        })
    };
    Cert::with(&schema, Sha256Hasher, noncer)
}

fn exposed(cert: &OwnCert, mut packed: Packed) -> Result<Vec<u8>, CertError> {
    let data = packed.value()?;
    let paths = packed.paths()?;
    Ok(cert.expose(&data, &paths).to_json().into())
}
