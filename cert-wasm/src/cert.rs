//! The class `Cert` of AIH-1.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use cert_core::verdict::{Expiry, Findings};
use cert_core::{
    CertError, Hasher, Noncer, PathNoncer, Proof, Report, Sha256Hasher, Value, identify_sorted,
};
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::callbacks::{Callbacks, texts};
use crate::js::{give, give_paths, is_cert_error, take, take_paths, thrown};
use crate::options::{self, Nonces, flag, known, schema_of, wrong};
use crate::verdict::{Record, Verdict};
use crate::wire::{PackedProofs, pack_proofs};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("cert.d.ts");

#[wasm_bindgen(raw_module = "../src/pack.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = packProofs)]
    fn packed_proofs(proofs: &JsValue) -> Result<Vec<u8>, JsValue>;
}

#[wasm_bindgen(raw_module = "../src/unpack.js")]
extern "C" {
    #[wasm_bindgen(js_name = unpackProofs)]
    fn unpacked_proofs(bytes: &[u8]) -> JsValue;
}

/// Certifies and verifies the data of one schema. Reuse the object: the schema is compiled once.
#[wasm_bindgen]
pub struct Cert {
    compiled: Rc<Compiled>,
    schema: Value,
    /// The expiry fields of the schema.
    expiry: Expiry,
    /// Refuses data with values that the schema does not describe.
    strict: bool,
}

/// The state that a pending promise keeps until the callbacks have answered.
struct Compiled {
    cert: cert_core::Cert<Sha256Hasher, Box<dyn Noncer>>,
    callbacks: Callbacks,
}

#[wasm_bindgen]
impl Cert {
    /// @throws {CertError} for a wrong option, and for a schema that cannot certify anything
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "CertOptions")] options: &JsValue,
    ) -> Result<Self, JsValue> {
        let options = known(options, "schema, profile, hasher, noncer, strict")?;
        let schema = schema_of(&options, "AIH-1")?;
        let hasher = options::hasher(&options)?;
        let (noncer, own): (_, Box<dyn Noncer>) = match options::nonces(&options)? {
            Nonces::Callback(noncer) => (Some(noncer), Box::new(PathNoncer)),
            Nonces::Own(noncer) => (None, noncer),
        };
        let schema = take(&schema)?;
        let strict = flag(&options, "strict")?;
        let cert = cert_core::Cert::with(&schema, Sha256Hasher, own);
        let compiled = Rc::new(Compiled {
            cert: cert.map_err(|error| thrown(&error))?,
            callbacks: Callbacks { hasher, noncer },
        });
        Ok(Self {
            compiled,
            expiry: Expiry::of(&schema),
            schema,
            strict,
        })
    }

    /// Returns the id of the schema, `0x` and 64 hexadecimal characters: the hash of the schema's text as `JSON.stringify` writes it.
    /// If `sorted` is true, the keys are sorted first.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub fn identify(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ sorted?: boolean | undefined }")]
        options: &JsValue,
    ) -> Result<JsValue, JsValue> {
        id(&self.schema, options)
    }

    /// Computes the imprint of the data: a hash over all values that the schema describes.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn imprint(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Promise {
        let data = self.certifiable(data);
        self.promise(data.map(|data| -> Operation {
            Box::new(move |cert| cert.imprint(&data).map(Outcome::Imprint))
        }))
    }

    /// Makes the proofs of all values, for the issuer to keep.
    #[wasm_bindgen(unchecked_return_type = "Promise<Proof[]>")]
    pub fn notarize(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Promise {
        let data = self.certifiable(data);
        self.promise(data.map(|data| -> Operation {
            Box::new(move |cert| cert.notarize(&data).map(Outcome::Proofs))
        }))
    }

    /// Makes the proofs that are needed to verify the values at `paths`.
    #[wasm_bindgen(unchecked_return_type = "Promise<Proof[]>")]
    pub fn disclose(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Path[]")] paths: &JsValue,
    ) -> Promise {
        let operation = || -> Result<Operation, JsValue> {
            let (data, paths) = (self.certifiable(data)?, take_paths(paths)?);
            Ok(Box::new(move |cert| {
                cert.disclose(&data, &paths).map(Outcome::Proofs)
            }))
        };
        self.promise(operation())
    }

    /// Returns a new object with only the values at `paths`. Hidden items before the last shown item of an array are null.
    #[wasm_bindgen(unchecked_return_type = "{ [key: string]: Json }")]
    pub fn expose(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Path[]")] paths: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let data = take(data)?;
        let exposed = self.compiled.cert.expose(&data, &take_paths(paths)?);
        Ok(give(|writer| writer.value(&exposed)))
    }

    /// Returns the paths of data that the schema does not describe, such as misspelt keys, at most 100. Certificates leave out these
    /// values.
    #[wasm_bindgen(unchecked_return_type = "(string | number)[][]")]
    pub fn uncovered(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Result<JsValue, JsValue> {
        Ok(give_paths(&self.compiled.cert.uncovered(&take(data)?)))
    }

    /// Returns the paths of all values, objects and lists that the schema describes, at most 10,000. These are the paths that can be
    /// disclosed. The index 0 represents every item of a list.
    #[wasm_bindgen(unchecked_return_type = "(string | number)[][]")]
    pub fn paths(&self) -> JsValue {
        give_paths(&self.compiled.cert.paths())
    }

    /// Resolves to the imprint computed from the evidence. Resolves to null if the data is not JSON, or the evidence is refused. Also
    /// resolves to null if the evidence does not prove every value of the data that the schema describes. Rejects for evidence of AIH-2,
    /// and if a hasher or noncer fails. Also rejects with errors thrown by a getter or `toJSON` of the data or the evidence.
    #[wasm_bindgen(unchecked_return_type = "Promise<string | null>")]
    pub fn calculate(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Proof[] | Evidence")] proofs: &JsValue,
    ) -> Promise {
        // Callers may pass evidence of AIH-2 without a document. `data` is then read as evidence, which is refused for its profile.
        let alone = proofs.is_undefined().then_some(data);
        match take(data) {
            // Data that is not JSON has no imprint. This is a negative result, not an error of the caller.
            Err(error) if is_cert_error(&error) => Promise::resolve(&JsValue::NULL),
            data => {
                let operation = || -> Result<Operation, JsValue> {
                    let (data, proofs) = (data?, take_proofs(alone.unwrap_or(proofs))?);
                    Ok(Box::new(move |cert| {
                        cert.calculate(&data, &proofs).map(Outcome::Calculated)
                    }))
                };
                self.promise(operation())
            }
        }
    }

    /// Reports for every value of the data whether the evidence proves the value under `imprint`, and if not, the reason. Rejects for
    /// evidence of AIH-2, for data that is not JSON, and for an imprint that is not a string. Also rejects if a hasher or noncer fails, and
    /// with errors thrown by a getter or `toJSON` of the data or the evidence.
    #[wasm_bindgen(unchecked_return_type = "Promise<Report>")]
    pub fn verify(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Proof[] | Evidence")] proofs: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] imprint: &JsValue,
    ) -> Promise {
        let operation = || -> Result<Operation, JsValue> {
            if imprint.is_undefined() {
                // Callers may pass evidence of AIH-2 without a document. `data` is then read as evidence, which is refused for its
                // profile.
                take_proofs(data)?;
            }
            if !imprint.is_string() {
                return Err(wrong("the imprint to verify against has to be a string"));
            }
            let (data, imprint) = (take(data)?, take(imprint)?);
            let proofs = take_proofs(proofs)?;
            Ok(Box::new(move |cert| {
                let imprint = imprint.as_str().unwrap_or_default();
                cert.verify(&data, &proofs, imprint).map(Outcome::Report)
            }))
        };
        self.promise(operation())
    }
}

#[wasm_bindgen]
impl Cert {
    /// Returns the verdict on the documents of an asset (docs/spec/evidence.md): whether they were certified for it, and its status at the time
    /// `now`, in milliseconds since 1970. `record` is the asset's record from a trusted service, as `/badge.json` has it. Without an imprint
    /// in the record, `integrity` is never `unchanged`. Rejects as `verify` does. Also rejects a record with malformed ids.
    #[wasm_bindgen(unchecked_return_type = "Promise<Verdict<Report>>")]
    pub fn judge(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Proof[] | Evidence")] proofs: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "AssetRecord")] record: &JsValue,
        now: f64,
    ) -> Promise {
        let operation = || -> Result<Operation, JsValue> {
            let record = Record::take(record, now)?;
            let (data, proofs) = (take(data)?, take_proofs(proofs)?);
            let expiry = self.expiry.clone();
            Ok(Box::new(move |cert| {
                let mut last = None;
                let verdict = record.judge(&mut |imprint| {
                    let mut findings = Findings::new(expiry.clone(), &data);
                    let report = cert.verify_each(&data, &proofs, imprint, &mut |found| {
                        findings.add(&found);
                    })?;
                    let judged = findings.finish(&report.reasons, record.asset());
                    let given = report.imprint.clone();
                    last = Some(report);
                    Ok((judged, given))
                })?;
                Ok(Outcome::Verdict(verdict, last))
            }))
        };
        self.promise(operation())
    }
}

/// Returns the id of a schema, even of a schema that {@link Cert} refuses. See {@link Cert.identify}.
#[wasm_bindgen(unchecked_return_type = "string")]
pub fn identify(
    #[wasm_bindgen(unchecked_param_type = "Data")] schema: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "{ sorted?: boolean | undefined }")]
    options: &JsValue,
) -> Result<JsValue, JsValue> {
    id(&take(schema)?, options)
}

fn id(schema: &Value, options: &JsValue) -> Result<JsValue, JsValue> {
    let id = match flag(&known(options, "sorted")?, "sorted")? {
        true => identify_sorted(schema),
        false => cert_core::identify(schema),
    };
    Ok(id.into())
}

impl Cert {
    /// Copies data to certify. In strict mode, requires that the schema describes every value.
    fn certifiable(&self, data: &JsValue) -> Result<Value, JsValue> {
        let data = take(data)?;
        if self.strict {
            let covered = self.compiled.cert.require_covered(&data);
            covered.map_err(|error| thrown(&error))?;
        }
        Ok(data)
    }

    /// Returns a promise of the outcome of an operation. Without callbacks, the promise is already resolved or rejected.
    fn promise(&self, operation: Result<Operation, JsValue>) -> Promise {
        let result = operation.and_then(|operation| {
            if self.compiled.callbacks.is_empty() {
                let result = self.compiled.finish(&operation, &[]);
                return result.map(|result| Promise::resolve(&result));
            }
            let compiled = self.compiled.clone();
            let deferred = compiled.callbacks.deferred();
            let questions = compiled.cert.questions(deferred, |cert| operation(cert));
            let questions = questions.map_err(|error| thrown(&error))?;
            let rest = Rest {
                compiled,
                operation,
            };
            self.compiled.callbacks.answer(&questions, rest)
        });
        result.unwrap_or_else(|error| Promise::reject(&error))
    }
}

/// An operation with its arguments.
type Operation =
    Box<dyn Fn(&cert_core::Cert<&dyn Hasher, &dyn Noncer>) -> Result<Outcome, CertError>>;

/// The second run of an operation, which starts when JavaScript has answered all questions.
#[wasm_bindgen(skip_typescript)]
pub struct Rest {
    compiled: Rc<Compiled>,
    operation: Operation,
}

#[wasm_bindgen]
impl Rest {
    /// Runs the operation with the answers.
    #[wasm_bindgen(skip_typescript)]
    pub fn finish(self, answers: &JsValue) -> Result<JsValue, JsValue> {
        let answers = texts(&take(answers)?);
        self.compiled.finish(&self.operation, &answers)
    }
}

/// The outcome of an operation, before it is converted for JavaScript.
enum Outcome {
    Imprint(String),
    Calculated(Option<String>),
    Proofs(Vec<Proof>),
    Report(Report),
    Verdict(Verdict, Option<Report>),
}

impl Compiled {
    /// Runs an operation with the answers to all questions.
    fn finish(&self, operation: &Operation, answers: &[String]) -> Result<JsValue, JsValue> {
        let deferred = self.callbacks.deferred();
        let outcome = self
            .cert
            .answered(deferred, answers, |cert| operation(cert));
        Ok(match outcome.map_err(|error| thrown(&error))? {
            Outcome::Imprint(imprint) | Outcome::Calculated(Some(imprint)) => imprint.into(),
            Outcome::Calculated(None) => JsValue::NULL,
            Outcome::Proofs(proofs) => unpacked_proofs(&pack_proofs(&proofs)),
            Outcome::Report(report) => give(|writer| writer.report(&report)),
            Outcome::Verdict(verdict, report) => give(|writer| {
                writer.verdict(&verdict);
                match &report {
                    Some(report) => writer.report(report),
                    None => writer.null(),
                }
            }),
        })
    }
}

/// Copies evidence of any shape. The operation that reads the copy refuses malformed evidence.
fn take_proofs(proofs: &JsValue) -> Result<PackedProofs, JsValue> {
    Ok(PackedProofs::new(packed_proofs(proofs)?))
}
