//! The class `Cert` of AIH-2. Without the feature `aih2` it is a verifier alone.

use alloc::string::ToString as _;
use alloc::vec::Vec;

#[cfg(feature = "aih2")]
use cert_core::aih2::Keys;
use cert_core::aih2::{Evidence, MAX_EVIDENCE_DEPTH, Report};
use cert_core::{Array, CertError, ErrorCode, MAX_JSON_DEPTH, Path, Value};
use js_sys::{Promise, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::js::{give, is_cert_error, take, thrown};
#[cfg(feature = "aih2")]
use crate::js::{give_paths, take_paths};
use crate::options::{Options, wrong};
use crate::wire;

#[cfg(feature = "aih2")]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("aih2.d.ts");
#[cfg(not(feature = "aih2"))]
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("aih2_verify.d.ts");

#[wasm_bindgen(raw_module = "../../src/pack.js")]
extern "C" {
    #[wasm_bindgen(catch, js_name = packExact)]
    fn packed_exact(value: &JsValue, levels: usize) -> Result<Vec<u8>, JsValue>;
}

/// Certification and verification of the documents of one schema under AIH-2. Keep it: the schema is compiled once.
#[wasm_bindgen]
pub struct Cert {
    cert: cert_core::aih2::Cert,
    /// Verifying takes none.
    #[cfg(feature = "aih2")]
    keys: Option<Keys>,
}

#[wasm_bindgen]
impl Cert {
    /// @throws `CertError` for a schema that cannot certify anything
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "CertOptions")] options: &JsValue,
    ) -> Result<Self, JsValue> {
        #[cfg(feature = "aih2")]
        let names = ["schema", "profile", "key", "secret", "assetId"];
        #[cfg(not(feature = "aih2"))]
        let names = ["schema", "profile"];
        let options = Options::new(options, &names)?;
        options.profile("AIH-2")?;
        #[cfg(feature = "aih2")]
        let keys = crate::options::keys(&options)?;
        let schema = take_exact(&options.required("schema")?)?;
        let cert = cert_core::aih2::Cert::new(&schema);
        Ok(Self {
            cert: cert.map_err(|error| thrown(&error))?,
            #[cfg(feature = "aih2")]
            keys,
        })
    }

    /// The imprint that the evidence gives, or null unless it is sound and of the schema, and nothing in the document is uncovered. The
    /// document is left out where the evidence has values. Rejects with what a getter of the document or the evidence throws, and for
    /// evidence of AIH-1.
    #[wasm_bindgen(skip_typescript)]
    pub fn calculate(&self, document: &JsValue, evidence: &JsValue) -> Promise {
        let (document, evidence) = match evidence.is_undefined() {
            true => (None, document),
            false => (Some(document), evidence),
        };
        promise(read(document, evidence).map(|read| {
            let imprint = read.and_then(|(document, evidence)| {
                let evidence = Evidence::from_value(&evidence)?;
                self.cert.calculate(document.as_ref(), &evidence)
            });
            imprint.map_or(JsValue::NULL, |imprint| imprint.to_string().into())
        }))
    }

    /// What the evidence proves under an imprint from a trusted place, and why not.
    #[wasm_bindgen(skip_typescript)]
    pub fn verify(&self, document: &JsValue, evidence: &JsValue, imprint: &JsValue) -> Promise {
        let (document, evidence, imprint) = match imprint.is_undefined() {
            true => (None, document, evidence),
            false => (Some(document), evidence, imprint),
        };
        if !imprint.is_string() {
            return promise(Err(wrong(&[
                "the imprint to verify against has to be a string",
            ])));
        }
        // A text with half of a surrogate pair is no imprint.
        let imprint = take(imprint).unwrap_or_default();
        let imprint = imprint.as_str().unwrap_or_default();
        promise(read(document, evidence).map(|read| {
            let report = read.and_then(|(document, evidence)| {
                self.cert.verify(document.as_ref(), &evidence, imprint)
            });
            let report = report.unwrap_or_else(|error| Report::refused(&error));
            give(|writer| writer.aih2_report(&report))
        }))
    }
}

#[cfg(feature = "aih2")]
#[wasm_bindgen]
impl Cert {
    /// The id of the schema that evidence carries, `0x` and 64 hexadecimal characters: the hash of its canonical text (RFC 8785), which no
    /// reformatting changes.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub fn identify(&self) -> JsValue {
        self.cert.schema_id().to_string().into()
    }

    /// The imprint of a document, `aih2:` and 64 hexadecimal characters.
    #[wasm_bindgen(unchecked_return_type = "Promise<string>")]
    pub fn imprint(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Promise {
        promise(self.certify(data, |data, keys| {
            let imprint = self.cert.imprint(data, keys);
            Ok(imprint.map_err(|error| thrown(&error))?.to_string().into())
        }))
    }

    /// Evidence that opens everything, detached: the holder's own copy. It holds the document key.
    #[wasm_bindgen(unchecked_return_type = "Promise<Evidence>")]
    pub fn notarize(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Promise {
        promise(self.certify(data, |data, keys| given(self.cert.notarize(data, keys))))
    }

    /// Evidence for what is at `paths` and no more: with its values, unless `detached` is true. The path of an absent property opens a proof
    /// of its absence, and `'-'` the end of a list.
    #[wasm_bindgen(unchecked_return_type = "Promise<Evidence>")]
    pub fn disclose(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Path[]")] paths: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "DiscloseOptions")] options: &JsValue,
    ) -> Promise {
        promise(self.certify(data, |data, keys| {
            let (paths, attach) = (take_paths(paths)?, attaches(options)?);
            given(self.cert.disclose(data, keys, &paths, attach))
        }))
    }

    /// Evidence for less than other evidence opens, which takes no key.
    #[wasm_bindgen(skip_typescript)]
    pub fn reduce(
        &self,
        document: &JsValue,
        evidence: &JsValue,
        paths: &JsValue,
        options: &JsValue,
    ) -> Promise {
        promise(self.reduced(document, evidence, paths, options))
    }

    /// The detached document for some paths: hidden properties are missing, hidden items before the last one that is shown are null.
    #[wasm_bindgen(unchecked_return_type = "{ [key: string]: Json }")]
    pub fn expose(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Path[]")] paths: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let exposed = self.cert.expose(&take_exact(data)?, &take_paths(paths)?);
        Ok(give(|writer| writer.value(&exposed)))
    }

    /// The paths of keys that the schema does not have, for each of which certifying is refused: at most a hundred. A misspelt key is one.
    #[wasm_bindgen(unchecked_return_type = "(string | number)[][]")]
    pub fn uncovered(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Result<JsValue, JsValue> {
        Ok(give_paths(&self.cert.uncovered(&take_exact(data)?)))
    }

    /// The paths that the schema can disclose: of all properties and items, at most 10,000. The path of a list's items has the index 0,
    /// which stands for any.
    #[wasm_bindgen(unchecked_return_type = "(string | number)[][]")]
    pub fn paths(&self) -> JsValue {
        give_paths(&self.cert.paths())
    }
}

#[cfg(feature = "aih2")]
impl Cert {
    /// Certifies data with the keys. Without any it fails: a key that is drawn in silence is lost.
    fn certify(
        &self,
        data: &JsValue,
        make: impl FnOnce(&Value, &Keys) -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue> {
        let missing = || wrong(&["certifying takes the option `key` or `secret`"]);
        let keys = self.keys.as_ref().ok_or_else(missing)?;
        make(&take_exact(data)?, keys)
    }

    fn reduced(
        &self,
        document: &JsValue,
        evidence: &JsValue,
        paths: &JsValue,
        options: &JsValue,
    ) -> Result<JsValue, JsValue> {
        // Evidence with values comes without a document, and all others are one place earlier.
        let alone = is_evidence(document)? && !is_evidence(evidence)?;
        let (document, evidence, paths, options) = match alone {
            true => (None, document, evidence, paths),
            false => (Some(document), evidence, paths, options),
        };
        let (paths, attach) = (take_paths(paths)?, attaches(options)?);
        let (document, evidence) = read(document, evidence)?.map_err(|error| thrown(&error))?;
        let evidence = Evidence::from_value(&evidence).map_err(|error| thrown(&error))?;
        given(
            self.cert
                .reduce(document.as_ref(), &evidence, &paths, attach),
        )
    }
}

/// Whether this names a profile, as evidence does.
#[cfg(feature = "aih2")]
fn is_evidence(value: &JsValue) -> Result<bool, JsValue> {
    Ok(value.is_object() && !Reflect::get(value, &"profile".into())?.is_undefined())
}

/// Whether values are attached.
#[cfg(feature = "aih2")]
fn attaches(options: &JsValue) -> Result<bool, JsValue> {
    let detached = Options::new(options, &["detached"])?.flag("detached")?;
    Ok(!detached)
}

/// Gives evidence to JavaScript.
#[cfg(feature = "aih2")]
fn given(evidence: Result<Evidence, CertError>) -> Result<JsValue, JsValue> {
    let evidence = evidence.map_err(|error| thrown(&error))?;
    Ok(give(|writer| writer.aih2_evidence(&evidence)))
}

fn promise(result: Result<JsValue, JsValue>) -> Promise {
    match result {
        Ok(value) => Promise::resolve(&value),
        Err(error) => Promise::reject(&error),
    }
}

/// Takes a document or a schema as it is now, or throws the reason why it is no JSON as it stands.
fn take_exact(value: &JsValue) -> Result<Value, JsValue> {
    let bytes = packed_exact(value, MAX_JSON_DEPTH)?;
    wire::value(bytes, MAX_JSON_DEPTH).map_err(|error| thrown(&error))
}

/// What is shown, if anything is, and its evidence.
type Read = (Option<Value>, Value);

/// Takes what is shown and its evidence as they are now. What is no JSON is an error to be told; what a getter throws is thrown.
fn read(
    document: Option<&JsValue>,
    evidence: &JsValue,
) -> Result<Result<Read, CertError>, JsValue> {
    let document = match document.map(|document| caught(document, MAX_JSON_DEPTH)) {
        None => None,
        Some(document) => match document? {
            Ok(document) => Some(document),
            Err(error) => return Ok(Err(error)),
        },
    };
    let evidence = caught(evidence, MAX_EVIDENCE_DEPTH)?;
    if evidence.as_ref().is_ok_and(is_aih1) {
        return Err(thrown(&CertError::new(
            ErrorCode::ProfileUnknown,
            Path::root(),
            "the evidence is of AIH-1: import `Cert` from `@assay/cert`",
        )));
    }
    Ok(evidence.map(|evidence| (document, evidence)))
}

/// Whether this is evidence of AIH-1: a list, or an object with a list as `data` that names no profile.
fn is_aih1(evidence: &Value) -> bool {
    let Some(object) = evidence.as_object() else {
        return evidence.as_array().is_some();
    };
    let data = object.get("data").and_then(Value::as_array);
    data.is_some() && object.get("profile").is_none()
}

/// Takes a value as it is now; an error of `pack.js` is caught.
fn caught(value: &JsValue, levels: usize) -> Result<Result<Value, CertError>, JsValue> {
    let error = match packed_exact(value, levels) {
        Ok(bytes) => return Ok(wire::value(bytes, levels)),
        Err(error) => error,
    };
    if !is_cert_error(&error) {
        return Err(error);
    }
    let (code, message) = match take(&Reflect::get(&error, &"code".into())?)?.as_str() {
        Some("json-too-deep") => (ErrorCode::JsonTooDeep, "this is nested too deep"),
        Some("surrogate-unpaired") => (
            ErrorCode::SurrogateUnpaired,
            "a string holds half of a surrogate pair",
        ),
        _ => (ErrorCode::JsonInvalid, "this is not a JSON value"),
    };
    // A path is read where a list of them is.
    let paths = Array::try_from(Vec::from([take(&Reflect::get(&error, &"path".into())?)?]));
    let paths = paths.and_then(|paths| Path::list_from(&paths.into()));
    let path = paths.ok().and_then(|mut paths| paths.pop());
    Ok(Err(CertError::new(code, path.unwrap_or_default(), message)))
}
