//! What JavaScript itself has. js-sys has it too, and with it shims for all closures that it knows, which no optimiser takes out again: a
//! kilobyte of what a page loads.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(typescript_type = "Promise<any>")]
    pub type Promise;

    #[wasm_bindgen(static_method_of = Promise)]
    pub(crate) fn resolve(value: &JsValue) -> Promise;

    #[wasm_bindgen(static_method_of = Promise)]
    pub(crate) fn reject(error: &JsValue) -> Promise;

    /// The value of a property, or what its getter throws.
    #[wasm_bindgen(catch, js_namespace = Reflect)]
    pub(crate) fn get(object: &JsValue, name: &str) -> Result<JsValue, JsValue>;
}

#[cfg(feature = "cert")]
#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(is_type_of = JsValue::is_function)]
    pub(crate) type Function;
}
