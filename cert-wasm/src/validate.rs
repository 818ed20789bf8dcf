//! Validation of data against JSON Schemas.

use core::cell::OnceCell;

use cert_core::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::js::{take, thrown};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = include_str!("validate.d.ts");

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(catch, js_namespace = crypto, js_name = getRandomValues)]
    fn draw(bytes: &mut [u8]) -> Result<JsValue, JsValue>;
}

/// A JSON Schema, compiled to validate data. `$schema` selects draft 4, 6, 7, 2019-09 or 2020-12; the default is draft 7. `format` is
/// asserted. References are not fetched: a reference that leads out of the schema is an error.
#[wasm_bindgen]
pub struct Validator {
    schema: Value,
    compiled: OnceCell<cert_core::Validator>,
}

#[wasm_bindgen]
impl Validator {
    /// @throws `CertError`: `schema-invalid` with the path in the schema, `schema-reference-unresolved`, or another code if the schema is
    /// not JSON. While a Worker's modules are evaluated, the schema cannot be compiled. Then the first `validate` throws the first two
    /// errors.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Data | boolean")] schema: &JsValue,
    ) -> Result<Self, JsValue> {
        let validator = Self {
            schema: take(schema)?,
            compiled: OnceCell::new(),
        };
        // Compiling draws random numbers for hash tables. A Worker cannot draw random numbers while its modules are evaluated. In this case,
        // the schema is compiled at its first use.
        if draw(&mut [0]).is_ok() {
            validator.compiled()?;
        }
        Ok(validator)
    }

    /// Returns the violations of the schema in the data, at most 100. The list is empty if the data is valid.
    #[wasm_bindgen(unchecked_return_type = "Violation[]")]
    pub fn validate(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Data | Json")] data: &JsValue,
    ) -> Result<JsValue, JsValue> {
        let data = take(data)?;
        let found = self.compiled()?.validate(&data);
        let found = found.map_err(|error| thrown(&error))?;
        Ok(serde_wasm_bindgen::to_value(&found)?)
    }
}

impl Validator {
    fn compiled(&self) -> Result<&cert_core::Validator, JsValue> {
        if let Some(compiled) = self.compiled.get() {
            return Ok(compiled);
        }
        let compiled = cert_core::Validator::new(&self.schema);
        let compiled = compiled.map_err(|error| thrown(&error))?;
        Ok(self.compiled.get_or_init(|| compiled))
    }
}

/// Validates data against a schema. To validate repeatedly, use a {@link Validator}, which compiles the schema only once.
#[wasm_bindgen(unchecked_return_type = "Violation[]")]
pub fn validate(
    #[wasm_bindgen(unchecked_param_type = "Data | boolean")] schema: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Data | Json")] data: &JsValue,
) -> Result<JsValue, JsValue> {
    Validator::new(schema)?.validate(data)
}
