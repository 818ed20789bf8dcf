//! Validation of data against JSON Schemas.

use alloc::string::String;
use alloc::vec::Vec;

use cert_core::{Array, CertError, Packed, Validator, Value, Violation};
use wasm_bindgen::prelude::wasm_bindgen;

use crate::result::{given, thrown};

/// A schema, compiled; or why it is not.
#[wasm_bindgen]
pub struct SchemaValidator {
    validator: Result<Validator, CertError>,
}

#[wasm_bindgen]
impl SchemaValidator {
    /// Compiles a packed schema.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: Vec<u8>) -> Self {
        let schema = Packed::new(schema).value();
        Self {
            validator: schema.and_then(|schema| Validator::new(&schema)),
        }
    }

    /// Nothing, unless the schema is at fault.
    pub fn check(&self) -> Vec<u8> {
        match &self.validator {
            Ok(_) => given(Ok(Vec::new())),
            Err(error) => thrown(error),
        }
    }

    /// What in the packed data the schema does not allow: a list of violations as JSON.
    pub fn validate(&self, data: Vec<u8>) -> Vec<u8> {
        match &self.validator {
            Ok(validator) => {
                given(violations(validator, Packed::new(data)).map(String::into_bytes))
            }
            Err(error) => thrown(error),
        }
    }
}

fn violations(validator: &Validator, mut data: Packed) -> Result<String, CertError> {
    let found = validator.validate(&data.value()?)?;
    let found: Vec<Value> = found.iter().map(Violation::to_value).collect();
    Ok(Value::from(Array::try_from(found)?).to_json())
}
