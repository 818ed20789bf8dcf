//! What crosses the border, as JSON text.

use cert_core::{Array, CertError, Value};
use wasm_bindgen::JsValue;

pub(crate) fn read(text: &str) -> Result<Value, JsValue> {
    Value::parse(text).map_err(thrown)
}

/// An error as JavaScript expects it: `[code, path, message]` as JSON text.
pub(crate) fn thrown(error: CertError) -> JsValue {
    let parts = vec![
        Value::from(error.code().as_str()),
        error.path().to_value(),
        Value::from(error.to_string()),
    ];
    JsValue::from_str(&list(parts).unwrap_or_default())
}

/// A list as JSON text; an error for one that is too deep, which those made here are not.
pub(crate) fn list(parts: Vec<Value>) -> Result<String, CertError> {
    Array::try_from(parts).map(|array| Value::Array(array).to_json())
}
