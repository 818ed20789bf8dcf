//! Reads request bodies with a function of host/worker.mjs. That file also drains the rest of a body that the service does not need.

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::wasm_bindgen_futures::JsFuture;
use worker::web_sys::Request;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = globalThis, js_name = assayRead)]
    fn first_bytes(request: &Request, limit: u32) -> Promise;
}

/// Returns the first bytes of a body, at most `limit`. Returns `None` if the client disconnects before the body is complete.
pub(super) async fn read(request: &Request, limit: usize) -> Option<Vec<u8>> {
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let read = JsFuture::from(first_bytes(request, limit)).await.ok()?;
    Some(read.dyn_into::<Uint8Array>().ok()?.to_vec())
}
