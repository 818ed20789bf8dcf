//! The class `Cert`.

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::string::String;
use alloc::vec::Vec;

use cert_core::{Noncer, Outcome, Path, PathNoncer, Sha256Hasher, Task, Value, identify_sorted};
use js_sys::Promise;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::callbacks::Callbacks;
use crate::js::{give, is_cert_error, take, thrown};
use crate::options::{self, Nonces, Options, wrong};
use crate::wire::{self, PackedProofs, pack_proofs};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("cert.d.ts");

#[wasm_bindgen(raw_module = "../src/pack.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = packPaths)]
    fn packed_paths(paths: &JsValue) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(catch, js_name = packProofs)]
    fn packed_proofs(proofs: &JsValue) -> Result<Vec<u8>, JsValue>;
}

#[wasm_bindgen(raw_module = "../src/unpack.js")]
extern "C" {
    #[wasm_bindgen(js_name = unpackProofs)]
    fn unpacked_proofs(bytes: &[u8]) -> JsValue;
}

/// Certification of the data of one schema. Keep it: the schema is compiled once.
#[wasm_bindgen]
pub struct Cert {
    compiled: Rc<Compiled>,
    schema: Value,
    /// Whether data that the schema does not describe is refused.
    strict: bool,
}

/// What a promise keeps until its callbacks have answered.
struct Compiled {
    cert: cert_core::Cert<Sha256Hasher, Box<dyn Noncer>>,
    callbacks: Callbacks,
}

#[wasm_bindgen]
impl Cert {
    /// @throws {CertError} for a schema that cannot certify anything
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "CertOptions")] options: &JsValue,
    ) -> Result<Self, JsValue> {
        let options = Options::new(options, &["schema", "hasher", "noncer", "strict"])?;
        let schema = options.get("schema")?;
        if schema.is_undefined() {
            return Err(wrong(&["the option `schema` is required"]));
        }
        let hasher = options::hasher(&options)?;
        let (noncer, own): (_, Box<dyn Noncer>) = match options::nonces(&options)? {
            Nonces::Callback(noncer) => (Some(noncer), Box::new(PathNoncer)),
            Nonces::Own(noncer) => (None, noncer),
        };
        let schema = take(&schema)?;
        let strict = options.flag("strict")?;
        let cert = cert_core::Cert::with(&schema, Sha256Hasher, own);
        let compiled = Rc::new(Compiled {
            cert: cert.map_err(|error| thrown(&error))?,
            callbacks: Callbacks { hasher, noncer },
        });
        Ok(Self {
            compiled,
            schema,
            strict,
        })
    }

    /// The id of the schema, `0x` and 64 hexadecimal characters, exactly as `JSON.stringify` writes it or
    /// with sorted keys.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub fn identify(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "{ sorted?: boolean | undefined }")]
        options: &JsValue,
    ) -> Result<JsValue, JsValue> {
        id(&self.schema, options)
    }

    /// The imprint of the data: a hash of everything in it that the schema describes.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn imprint(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Promise {
        self.promise(self.certifiable(data).map(Task::Imprint))
    }

    /// All proofs, from which any value can be verified: the issuer's own copy.
    #[wasm_bindgen(unchecked_return_type = "Promise<Proof[]>")]
    pub fn notarize(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Promise {
        self.promise(self.certifiable(data).map(Task::Notarize))
    }

    /// The proofs that it takes to verify the values at `paths` and no more.
    #[wasm_bindgen(unchecked_return_type = "Promise<Proof[]>")]
    pub fn disclose(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Path[]")] paths: &JsValue,
    ) -> Promise {
        let task = || Ok(Task::Disclose(self.certifiable(data)?, take_paths(paths)?));
        self.promise(task())
    }

    /// A new object with only the values at `paths`; skipped positions of arrays are null.
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

    /// The paths of the data that the schema does not describe, so that nothing certifies what is there: at most a hundred. A
    /// misspelt key is one.
    #[wasm_bindgen(unchecked_return_type = "(string | number)[][]")]
    pub fn uncovered(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let paths = self.compiled.cert.uncovered(&take(data)?);
        Ok(give(|writer| {
            writer.array(paths.len());
            for path in &paths {
                writer.path(path.steps());
            }
        }))
    }

    /// The imprint that the evidence gives, or null unless the evidence is sound and everything in the
    /// data that the schema describes is covered by it and agrees with it. Rejects with what a hasher fails with, or with what a
    /// getter or `toJSON` of the data or the evidence throws.
    #[wasm_bindgen(unchecked_return_type = "Promise<string | null>")]
    pub fn calculate(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Proof[] | Evidence")] proofs: &JsValue,
    ) -> Promise {
        match take(data) {
            // What is no JSON has no imprint; that is no error of who asks.
            Err(error) if is_cert_error(&error) => Promise::resolve(&JsValue::NULL),
            data => {
                let task = || Ok(Task::Calculate(data?, Box::new(take_proofs(proofs)?)));
                self.promise(task())
            }
        }
    }

    /// Says of every value of the data whether the evidence proves it under `imprint`, and why not.
    #[wasm_bindgen(unchecked_return_type = "Promise<Report>")]
    pub fn verify(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Proof[] | Evidence")] proofs: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "string")] imprint: &JsValue,
    ) -> Promise {
        let task = || {
            if !imprint.is_string() {
                return Err(wrong(&["the imprint to verify against has to be a string"]));
            }
            let (data, imprint) = (take(data)?, take(imprint)?);
            let imprint = imprint.as_str().unwrap_or_default().into();
            Ok(Task::Verify(data, Box::new(take_proofs(proofs)?), imprint))
        };
        self.promise(task())
    }
}

/// The id of any schema: see {@link Cert.identify}.
#[wasm_bindgen(unchecked_return_type = "string")]
pub fn identify(
    #[wasm_bindgen(unchecked_param_type = "Data")] schema: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "{ sorted?: boolean | undefined }")]
    options: &JsValue,
) -> Result<JsValue, JsValue> {
    id(&take(schema)?, options)
}

fn id(schema: &Value, options: &JsValue) -> Result<JsValue, JsValue> {
    let id = match Options::new(options, &["sorted"])?.flag("sorted")? {
        true => identify_sorted(schema),
        false => cert_core::identify(schema),
    };
    Ok(id.into())
}

impl Cert {
    /// Takes data that a certificate is made of.
    fn certifiable(&self, data: &JsValue) -> Result<Value, JsValue> {
        let data = take(data)?;
        if self.strict {
            let covered = self.compiled.cert.require_covered(&data);
            covered.map_err(|error| thrown(&error))?;
        }
        Ok(data)
    }

    /// Promises what comes of an operation: at once, unless there are callbacks to wait for.
    fn promise(&self, task: Result<Task, JsValue>) -> Promise {
        let result = task.and_then(|task| {
            if self.compiled.callbacks.is_empty() {
                return self
                    .compiled
                    .finish(&task, &[])
                    .map(|result| Promise::resolve(&result));
            }
            let compiled = self.compiled.clone();
            let callers = compiled.callbacks.callers();
            let questions = compiled.cert.questions(&task, callers);
            let questions = questions.map_err(|error| thrown(&error))?;
            let finish = move |answers: &[String]| compiled.finish(&task, answers);
            self.compiled.callbacks.answer(&questions, finish)
        });
        result.unwrap_or_else(|error| Promise::reject(&error))
    }
}

impl Compiled {
    /// Runs an operation, given the answers to all questions.
    fn finish(&self, task: &Task, answers: &[String]) -> Result<JsValue, JsValue> {
        let outcome = self.cert.finish(task, self.callbacks.callers(), answers);
        Ok(match outcome.map_err(|error| thrown(&error))? {
            Outcome::Imprint(imprint) | Outcome::Calculated(Some(imprint)) => imprint.into(),
            Outcome::Calculated(None) => JsValue::NULL,
            Outcome::Proofs(proofs) => unpacked_proofs(&pack_proofs(&proofs)),
            Outcome::Report(report) => {
                let report = report.to_value();
                give(|writer| writer.value(&report))
            }
        })
    }
}

/// Takes paths as they are now.
fn take_paths(paths: &JsValue) -> Result<Vec<Path>, JsValue> {
    let paths = wire::value(packed_paths(paths)?);
    let paths = paths.and_then(|paths| Path::list_from(&paths));
    paths.map_err(|error| thrown(&error))
}

/// Takes evidence as it is now, whatever it is.
fn take_proofs(proofs: &JsValue) -> Result<PackedProofs, JsValue> {
    Ok(PackedProofs::new(packed_proofs(proofs)?))
}
