//! Requests and answers cross to JavaScript as one text each. Passing each header separately would cost several calls.

use js_sys::Uint8Array;
use serde::Deserialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::{Context, web_sys};

use super::sending;
use crate::web::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response};

#[wasm_bindgen]
extern "C" {
    /// Returns a request without its body as JSON: [`Head`].
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = assayHead)]
    fn head_of(request: &web_sys::Request) -> Result<String, JsValue>;

    /// Creates an answer. `headers` is JSON, `[[name, value], …]`. `body` is bytes, a stream or `undefined`.
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = assayAnswer)]
    fn make(status: u16, headers: &str, body: &JsValue) -> Result<web_sys::Response, JsValue>;
}

/// A request without its body, as the host writes it.
#[derive(Deserialize)]
struct Head {
    method: String,
    origin: String,
    path: String,
    /// Empty, or with its question mark.
    query: String,
    headers: Vec<(String, String)>,
}

fn failed(error: impl ToString) -> worker::Error {
    worker::Error::RustError(error.to_string())
}

/// Returns a request without its body.
pub(super) fn head(request: &web_sys::Request) -> worker::Result<Request> {
    let head: Head = order_core::json::from_text(&head_of(request)?).map_err(failed)?;
    let mut headers = HeaderMap::new();
    for (name, value) in head.headers {
        // Skips headers that HTTP/1.1 could not carry. The runtime should not pass any.
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            headers.append(name, value);
        }
    }
    let client_address = headers
        .get("cf-connecting-ip")
        .and_then(|value| value.to_str().ok())
        .map(str::to_owned);
    Ok(Request {
        method: Method::from_bytes(head.method.as_bytes()).map_err(failed)?,
        origin: head.origin,
        path: head.path,
        query: head.query.strip_prefix('?').unwrap_or_default().to_owned(),
        headers,
        body: Vec::new(),
        client_address,
    })
}

/// Returns an answer for the runtime.
pub(super) fn answer(response: Response, context: &Context) -> worker::Result<web_sys::Response> {
    let headers: Vec<(&str, &str)> = response
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)))
        .collect();
    let headers = serde_json::to_string(&headers).map_err(failed)?;
    let body = match response.share {
        _ if response.body.is_empty() => JsValue::UNDEFINED,
        None => Uint8Array::from(response.body.as_slice()).into(),
        Some(share) => sending::send(&response.body, share, context).into(),
    };
    Ok(make(response.status.as_u16(), &headers, &body)?)
}
