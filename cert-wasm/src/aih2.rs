//! The class `Cert` of AIH-2. Without the feature `aih2` it can only verify.

use alloc::string::ToString as _;
use alloc::vec::Vec;

use cert_core::aih2::{Asset, Evidence, MAX_EVIDENCE_DEPTH, Report};
#[cfg(feature = "aih2")]
use cert_core::aih2::{Keys, Values};
use cert_core::verdict::Expiry;
use cert_core::verdict::aih2::judged;
use cert_core::{CertError, ErrorCode, MAX_JSON_DEPTH, Path, Value};
use js_sys::Promise;
#[cfg(feature = "aih2")]
use js_sys::Reflect;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::js::{give, is_cert_error, take, thrown};
#[cfg(feature = "aih2")]
use crate::js::{give_paths, take_paths};
#[cfg(feature = "aih2")]
use crate::options::flag;
use crate::options::{known, schema_of, wrong};
use crate::verdict::Record;
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

#[wasm_bindgen(raw_module = "../../src/refused.js")]
extern "C" {
    /// Converts the error of a document or evidence that is not JSON to a report. Rethrows any other error.
    #[wasm_bindgen(catch)]
    fn refused(error: &JsValue) -> Result<JsValue, JsValue>;
}

/// An imprint that no evidence has.
const NO_IMPRINT: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// Certifies and verifies the documents of one schema under AIH-2. Reuse the object: the schema is compiled once.
#[wasm_bindgen]
pub struct Cert {
    cert: cert_core::aih2::Cert,
    /// The expiry fields of the schema.
    expiry: Expiry,
    /// `None` if the options have neither a key nor a secret. Such a `Cert` cannot certify.
    #[cfg(feature = "aih2")]
    keys: Option<Keys>,
}

#[wasm_bindgen]
impl Cert {
    /// @throws `CertError` for a wrong option, and for a schema that cannot certify anything
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "CertOptions")] options: &JsValue,
    ) -> Result<Self, JsValue> {
        #[cfg(feature = "aih2")]
        let options = known(options, "schema, profile, key, secret, assetId")?;
        #[cfg(not(feature = "aih2"))]
        let options = known(options, "schema, profile")?;
        let schema = schema_of(&options, "AIH-2")?;
        #[cfg(feature = "aih2")]
        let keys = crate::options::keys(&options)?;
        let schema = take_exact(&schema, MAX_JSON_DEPTH)?;
        let cert = cert_core::aih2::Cert::new(&schema);
        Ok(Self {
            expiry: Expiry::of(&schema),
            cert: cert.map_err(|error| thrown(&error))?,
            #[cfg(feature = "aih2")]
            keys,
        })
    }

    /// Resolves to the imprint computed from the evidence. Resolves to null if the document or the evidence is not JSON. Also resolves to
    /// null if the evidence is refused, belongs to another schema or does not cover the whole document. The caller omits the document if
    /// the evidence has values. Rejects for evidence of AIH-1, and with errors thrown by a getter of the document or the evidence.
    #[wasm_bindgen(skip_typescript)]
    pub fn calculate(&self, document: &JsValue, evidence: &JsValue) -> Promise {
        let (document, evidence) = match evidence.is_undefined() {
            true => (None, document),
            false => (Some(document), evidence),
        };
        promise(match read(document, evidence) {
            Err(error) if is_cert_error(&error) => Ok(JsValue::NULL),
            Err(error) => Err(error),
            Ok((document, evidence)) => require_aih2(&evidence).map(|()| {
                let imprint = Evidence::from_value(&evidence)
                    .and_then(|evidence| self.cert.calculate(document.as_ref(), &evidence));
                imprint.map_or(JsValue::NULL, |imprint| imprint.to_string().into())
            }),
        })
    }

    /// Reports which values the evidence proves under an imprint from a trusted source, and why other values are not proven.
    #[wasm_bindgen(skip_typescript)]
    pub fn verify(
        &self,
        document: &JsValue,
        evidence: &JsValue,
        imprint: &JsValue,
        options: &JsValue,
    ) -> Promise {
        // Without a document, every argument is one position earlier.
        let (document, evidence, imprint, options) = match imprint.is_string() {
            true => (Some(document), evidence, imprint, options),
            false => (None, document, evidence, imprint),
        };
        promise(self.verified(document, evidence, imprint, options))
    }

    /// Returns the verdict on the documents of an asset.
    #[wasm_bindgen(skip_typescript)]
    pub fn judge(
        &self,
        document: &JsValue,
        evidence: &JsValue,
        record: &JsValue,
        now: f64,
    ) -> Promise {
        let document = Some(document).filter(|document| !document.is_null());
        promise(self.judged(document, evidence, record, now))
    }
}

impl Cert {
    /// Returns the report. A valid report includes the given document. Without one, it includes a document built from the evidence's values,
    /// or null if too many items of the built document would be hidden.
    fn verified(
        &self,
        document: Option<&JsValue>,
        evidence: &JsValue,
        imprint: &JsValue,
        options: &JsValue,
    ) -> Result<JsValue, JsValue> {
        if !imprint.is_string() {
            return Err(wrong("the imprint to verify against has to be a string"));
        }
        let asset = asset_of(options)?;
        // A string with half of a surrogate pair is not an imprint.
        let imprint = take_exact(imprint, MAX_JSON_DEPTH).unwrap_or_default();
        let imprint = imprint.as_str().unwrap_or_default();
        let (document, evidence) = match read(document, evidence) {
            Ok(read) => read,
            Err(error) => return refused(&error),
        };
        require_aih2(&evidence)?;
        let shown = self.report(document.as_ref(), &evidence, imprint, asset.as_ref());
        Ok(give(|writer| {
            writer.aih2_report(&shown.report, shown.document(document.as_ref()));
        }))
    }

    /// Returns the report with the document to show.
    fn report(
        &self,
        given: Option<&Value>,
        evidence: &Value,
        imprint: &str,
        asset: Option<&Asset>,
    ) -> Shown {
        let mut made = None;
        let report = Evidence::from_value(evidence).and_then(|evidence| {
            let imprint = imprint.parse()?;
            let report = match asset {
                Some(asset) => self
                    .cert
                    .verify_asset_read(given, &evidence, &imprint, asset),
                None => self.cert.verify_read(given, &evidence, &imprint),
            }?;
            if report.valid && given.is_none() {
                made = self.cert.document(&evidence);
            }
            Ok(report)
        });
        let report = report.unwrap_or_else(|error| self.cert.refused(given, &error));
        Shown { report, made }
    }

    /// Returns the verdict on the documents of an asset. `document` may have members that only locate its schema and evidence.
    fn judged(
        &self,
        document: Option<&JsValue>,
        evidence: &JsValue,
        record: &JsValue,
        now: f64,
    ) -> Result<JsValue, JsValue> {
        let record = Record::take(record, now)?;
        let (document, evidence) = read(document, evidence)?;
        require_aih2(&evidence)?;
        let document = document.map(|document| self.cert.without_pointers(document));
        let mut last = None;
        let verdict = record.judge(&mut |imprint| {
            // The report has the evidence's own imprint, even under this one.
            let imprint = if imprint.is_empty() {
                NO_IMPRINT
            } else {
                imprint
            };
            let shown = self.report(document.as_ref(), &evidence, imprint, record.asset());
            let judged = judged(self.expiry.clone(), &shown.report);
            let given = shown.report.imprint.as_ref();
            let given = given.map(|given| given.digits());
            last = Some(shown);
            Ok((judged, given))
        });
        let verdict = verdict.map_err(|error| thrown(&error))?;
        let shown = last.unwrap_or_default();
        Ok(give(|writer| {
            writer.verdict(&verdict);
            writer.aih2_report(&shown.report, shown.document(document.as_ref()));
        }))
    }
}

/// A report, with the document that was built from the evidence's values if there is one.
#[derive(Default)]
struct Shown {
    report: Report,
    made: Option<Value>,
}

impl Shown {
    /// Returns the document that the report proves: the given one or the built one.
    fn document<'s>(&'s self, given: Option<&'s Value>) -> Option<&'s Value> {
        given.filter(|_| self.report.valid).or(self.made.as_ref())
    }
}

#[cfg(feature = "aih2")]
#[wasm_bindgen]
impl Cert {
    /// Returns the schema id that evidence contains, `0x` and 64 hexadecimal characters. It is the hash of the schema's canonical text
    /// (RFC 8785), so reformatting the schema does not change the id.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub fn identify(&self) -> JsValue {
        self.cert.schema_id().to_string().into()
    }

    /// Computes the imprint of a document, `aih2:` and 64 hexadecimal characters.
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

    /// Makes detached evidence that opens everything, for the holder to keep. The evidence contains the document key.
    #[wasm_bindgen(unchecked_return_type = "Promise<Evidence>")]
    pub fn notarize(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Promise {
        promise(self.certify(data, |data, keys| given(self.cert.notarize(data, keys))))
    }

    /// Makes evidence for the values at `paths` only. Includes the values unless `detached` is true. The path of an absent property adds
    /// a proof of its absence. The step `'-'` adds a proof of a list's end.
    #[wasm_bindgen(unchecked_return_type = "Promise<Evidence>")]
    pub fn disclose(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Path[]")] paths: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "DiscloseOptions")] options: &JsValue,
    ) -> Promise {
        promise(self.certify(data, |data, keys| {
            let (paths, values) = (take_paths(paths)?, values(options)?);
            given(self.cert.disclose(data, keys, &paths, values))
        }))
    }

    /// Makes evidence that reveals less than the given evidence. This needs no key.
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

    /// Returns the document for detached evidence with the same `paths`. Hidden properties are missing, and hidden items before the last
    /// shown item are null.
    #[wasm_bindgen(unchecked_return_type = "{ [key: string]: Json }")]
    pub fn expose(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "readonly Path[]")] paths: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let exposed = self
            .cert
            .expose(&take_exact(data, MAX_JSON_DEPTH)?, &take_paths(paths)?);
        Ok(give(|writer| writer.value(&exposed)))
    }

    /// Returns the paths of keys that the schema does not have, such as misspelt keys, at most 100. Certifying data with such a key fails.
    #[wasm_bindgen(unchecked_return_type = "(string | number)[][]")]
    pub fn uncovered(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data")] data: &JsValue,
    ) -> Result<JsValue, JsValue> {
        Ok(give_paths(
            &self.cert.uncovered(&take_exact(data, MAX_JSON_DEPTH)?),
        ))
    }

    /// Returns the paths of all properties and items that the schema can disclose, at most 10,000. The index 0 represents every item of a
    /// list.
    #[wasm_bindgen(unchecked_return_type = "(string | number)[][]")]
    pub fn paths(&self) -> JsValue {
        give_paths(&self.cert.paths())
    }
}

/// Returns the paths of the values that can only be shown as a whole, although the schema describes their content. It does so by a keyword that
/// certification does not read, such as `$ref` or `anyOf`. To show the parts of such a value one by one, write `type` with `properties` or `items` in
/// place of the keyword. The index 0 represents every item of a list. Returns at most 10,000 paths.
///
/// @throws `CertError` for a schema that is not JSON
#[cfg(feature = "aih2")]
#[wasm_bindgen(js_name = shownWhole, unchecked_return_type = "(string | number)[][]")]
pub fn shown_whole(
    #[wasm_bindgen(unchecked_param_type = "Data")] schema: &JsValue,
) -> Result<JsValue, JsValue> {
    let schema = take_exact(schema, MAX_JSON_DEPTH)?;
    Ok(give_paths(&cert_core::aih2::shown_whole(&schema)))
}

#[cfg(feature = "aih2")]
impl Cert {
    /// Certifies data with the keys. Fails without keys, because a silently generated key would be lost.
    fn certify(
        &self,
        data: &JsValue,
        make: impl FnOnce(&Value, &Keys) -> Result<JsValue, JsValue>,
    ) -> Result<JsValue, JsValue> {
        let missing = || wrong("certifying needs the option `key` or `secret`");
        let keys = self.keys.as_ref().ok_or_else(missing)?;
        make(&take_exact(data, MAX_JSON_DEPTH)?, keys)
    }

    fn reduced(
        &self,
        document: &JsValue,
        evidence: &JsValue,
        paths: &JsValue,
        options: &JsValue,
    ) -> Result<JsValue, JsValue> {
        // The document may be omitted. Then every argument is one position earlier.
        let alone = is_evidence(document)? && !is_evidence(evidence)?;
        let (document, evidence, paths, options) = match alone {
            true => (None, document, evidence, paths),
            false => (Some(document), evidence, paths, options),
        };
        let (paths, values) = (take_paths(paths)?, values(options)?);
        let (document, evidence) = read(document, evidence)?;
        require_aih2(&evidence)?;
        let evidence = Evidence::from_value(&evidence).map_err(|error| thrown(&error))?;
        given(
            self.cert
                .reduce(document.as_ref(), &evidence, &paths, values),
        )
    }
}

/// Returns true if the value is an object with a `profile`, like evidence of AIH-2.
#[cfg(feature = "aih2")]
fn is_evidence(value: &JsValue) -> Result<bool, JsValue> {
    Ok(value.is_object() && !Reflect::get(value, &"profile".into())?.is_undefined())
}

/// Reads the option `detached`.
#[cfg(feature = "aih2")]
fn values(options: &JsValue) -> Result<Values, JsValue> {
    let is_detached = !options.is_undefined() && flag(&known(options, "detached")?, "detached")?;
    Ok(if is_detached {
        Values::Detach
    } else {
        Values::Attach
    })
}

/// Converts evidence for JavaScript.
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

/// Copies a value. Throws if the value is nested deeper than `levels`, or if a part of it has no exact JSON form.
fn take_exact(value: &JsValue, levels: usize) -> Result<Value, JsValue> {
    wire::value(packed_exact(value, levels)?, levels).map_err(|error| thrown(&error))
}

/// Copies the document, if there is one, and its evidence.
fn read(document: Option<&JsValue>, evidence: &JsValue) -> Result<(Option<Value>, Value), JsValue> {
    let document = document.map(|document| take_exact(document, MAX_JSON_DEPTH));
    let document = document.transpose()?;
    Ok((document, take_exact(evidence, MAX_EVIDENCE_DEPTH)?))
}

/// Returns the asset in the options of a verification, if there is one.
fn asset_of(options: &JsValue) -> Result<Option<Asset>, JsValue> {
    let options = take(&known(options, "asset")?)?;
    let Some(asset) = options.as_object().and_then(|options| options.get("asset")) else {
        return Ok(None);
    };
    let names = ["ledgerId", "assetId"];
    let asset = asset.as_object().filter(|asset| asset.len() == names.len());
    let text = |name| asset.and_then(|asset| asset.get(name)?.as_str());
    match names.map(text) {
        [Some(ledger_id), Some(asset_id)] => Asset::new(ledger_id, asset_id)
            .map(Some)
            .map_err(|error| thrown(&error)),
        _ => Err(wrong(
            "the option `asset` has to be `{ ledgerId, assetId }`, both strings",
        )),
    }
}

/// Refuses evidence of AIH-1: a list, or an object without `profile` whose `data` is a list.
fn require_aih2(evidence: &Value) -> Result<(), JsValue> {
    let is_aih1 = match evidence.as_object() {
        None => evidence.as_array().is_some(),
        Some(object) => {
            let data = object.get("data").and_then(Value::as_array);
            data.is_some() && object.get("profile").is_none()
        }
    };
    if is_aih1 {
        return Err(thrown(&CertError::new(
            ErrorCode::ProfileUnknown,
            Path::root(),
            "the evidence is of AIH-1: import `Cert` from `@assay/cert`",
        )));
    }
    Ok(())
}
