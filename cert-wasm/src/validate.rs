//! Validation of data against JSON Schemas.

use cert_core::Validator;
use wasm_bindgen::prelude::*;

use crate::text::{list, read, thrown};

/// A schema, compiled.
#[wasm_bindgen]
#[derive(Debug)]
pub struct SchemaValidator {
    validator: Validator,
}

#[wasm_bindgen]
impl SchemaValidator {
    /// Compiles a schema.
    ///
    /// # Errors
    /// What is wrong with the schema.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: &str) -> Result<Self, JsValue> {
        let validator = Validator::new(&read(schema)?).map_err(thrown)?;
        Ok(Self { validator })
    }

    /// What in the data the schema does not allow: a list of violations.
    ///
    /// # Errors
    /// What is wrong with the data before any schema.
    pub fn validate(&self, data: &str) -> Result<String, JsValue> {
        let found = self.validator.validate(&read(data)?).map_err(thrown)?;
        list(found.iter().map(cert_core::Violation::to_value).collect()).map_err(thrown)
    }
}
