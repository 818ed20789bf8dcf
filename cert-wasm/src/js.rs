//! The package's JavaScript that WebAssembly uses: functions that pack and unpack values, and the class of errors.

#[cfg(any(feature = "cert", feature = "aih2-verify", feature = "validate"))]
use alloc::vec::Vec;

use cert_core::CertError;
#[cfg(any(feature = "cert", feature = "aih2"))]
use cert_core::Path;
#[cfg(any(feature = "cert", feature = "aih2-verify", feature = "validate"))]
use cert_core::{MAX_JSON_DEPTH, Value};
#[cfg(any(feature = "cert", feature = "aih2-verify"))]
use wasm_bindgen::JsCast as _;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::wire::Writer;

#[cfg(any(feature = "cert", feature = "aih2-verify", feature = "validate"))]
#[cfg_attr(feature = "cert", wasm_bindgen(raw_module = "../src/pack.js"))]
#[cfg_attr(not(feature = "cert"), wasm_bindgen(raw_module = "../../src/pack.js"))]
extern "C" {
    #[wasm_bindgen(catch, js_name = pack)]
    fn packed(value: &JsValue) -> Result<Vec<u8>, JsValue>;
    #[cfg(any(feature = "cert", feature = "aih2"))]
    #[wasm_bindgen(catch, js_name = packPaths)]
    fn packed_paths(paths: &JsValue) -> Result<Vec<u8>, JsValue>;
}

#[cfg_attr(feature = "cert", wasm_bindgen(raw_module = "../src/unpack.js"))]
#[cfg_attr(
    not(feature = "cert"),
    wasm_bindgen(raw_module = "../../src/unpack.js")
)]
extern "C" {
    #[wasm_bindgen(js_name = unpack)]
    fn unpacked(bytes: &[u8]) -> JsValue;
}

#[cfg_attr(feature = "cert", wasm_bindgen(raw_module = "../src/error.js"))]
#[cfg_attr(not(feature = "cert"), wasm_bindgen(raw_module = "../../src/error.js"))]
extern "C" {
    /// The class of errors.
    #[wasm_bindgen(js_name = CertError)]
    type Failure;

    /// Returns a `CertError` whose message includes the path.
    pub(crate) fn failure(code: &str, message: &str, path: &JsValue) -> JsValue;
}

/// Copies a value. Throws if it is not JSON.
#[cfg(any(feature = "cert", feature = "aih2-verify", feature = "validate"))]
pub(crate) fn take(value: &JsValue) -> Result<Value, JsValue> {
    crate::wire::value(packed(value)?, MAX_JSON_DEPTH).map_err(|error| thrown(&error))
}

/// Copies a list of paths.
#[cfg(any(feature = "cert", feature = "aih2"))]
pub(crate) fn take_paths(paths: &JsValue) -> Result<Vec<Path>, JsValue> {
    let paths = crate::wire::value(packed_paths(paths)?, MAX_JSON_DEPTH);
    let paths = paths.and_then(|paths| Path::list_from(&paths));
    paths.map_err(|error| thrown(&error))
}

/// Converts paths for JavaScript.
#[cfg(any(feature = "cert", feature = "aih2"))]
pub(crate) fn give_paths(paths: &[Path]) -> JsValue {
    give(|writer| {
        writer.array(paths.len());
        for path in paths {
            writer.path(path.steps());
        }
    })
}

/// Returns true if the thrown value is an error of this library, not of a getter.
#[cfg(any(feature = "cert", feature = "aih2-verify"))]
pub(crate) fn is_cert_error(thrown: &JsValue) -> bool {
    thrown.is_instance_of::<Failure>()
}

/// Returns the JavaScript value for the value that `write` writes.
pub(crate) fn give<'v>(write: impl FnOnce(&mut Writer<'v>)) -> JsValue {
    let mut writer = Writer::default();
    write(&mut writer);
    unpacked(&writer.finish())
}

/// Converts an error to a JavaScript `CertError`.
pub(crate) fn thrown(error: &CertError) -> JsValue {
    failure(
        error.code().as_str(),
        error.message(),
        &give(|writer| writer.path(error.path().steps())),
    )
}
