//! Parses addresses with the runtime's parser. `fetch` uses the same parser, so both read an address in the same way. The
//! Worker also needs no Unicode tables of its own.

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::ports::Url;

#[wasm_bindgen]
extern "C" {
    /// `URL` of the URL standard.
    #[wasm_bindgen(js_name = URL)]
    pub(super) type Parsed;

    #[wasm_bindgen(catch, constructor, js_class = "URL")]
    pub(super) fn new(address: &str) -> Result<Parsed, JsValue>;
    #[wasm_bindgen(catch, constructor, js_class = "URL")]
    fn relative(address: &str, base: &str) -> Result<Parsed, JsValue>;

    #[wasm_bindgen(method, getter)]
    fn href(this: &Parsed) -> String;
    #[wasm_bindgen(method, getter)]
    pub(super) fn origin(this: &Parsed) -> String;
    #[wasm_bindgen(method, getter)]
    fn protocol(this: &Parsed) -> String;
    #[wasm_bindgen(method, getter)]
    fn username(this: &Parsed) -> String;
    #[wasm_bindgen(method, getter)]
    fn password(this: &Parsed) -> String;
    #[wasm_bindgen(method, getter)]
    fn hostname(this: &Parsed) -> String;
    #[wasm_bindgen(method, getter)]
    pub(super) fn pathname(this: &Parsed) -> String;
    #[wasm_bindgen(method, getter)]
    pub(super) fn search(this: &Parsed) -> String;
    #[wasm_bindgen(method, setter)]
    fn set_hash(this: &Parsed, hash: &str);
}

/// Parses an address, which may be relative to `base`, and removes its fragment. `None` if the address is invalid.
pub(super) fn parse(address: &str, base: Option<&Url>) -> Option<Url> {
    let parsed = match base {
        Some(base) => Parsed::relative(address, &base.href),
        None => Parsed::new(address),
    };
    let parsed = parsed.ok()?;
    parsed.set_hash("");
    Some(Url {
        href: parsed.href(),
        scheme: parsed.protocol().trim_end_matches(':').to_owned(),
        host: parsed.hostname(),
        origin: parsed.origin(),
        has_credentials: !parsed.username().is_empty() || !parsed.password().is_empty(),
    })
}
