//! Records which request is being polled, so that host/worker.mjs can find the request that caused a trap. After a trap, the WebAssembly
//! instance itself cannot report anything.

use std::pin::Pin;
use std::task::{Context, Poll};

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
extern "C" {
    /// Sets the host's note of the request that is being polled. `undefined` clears the note.
    #[wasm_bindgen(js_namespace = globalThis, js_name = assayPolling)]
    fn note(request: &JsValue);
}

/// A request's future. The host is told before and after each poll.
pub(super) struct Polled<F> {
    request: JsValue,
    future: Pin<Box<F>>,
}

impl<F> Polled<F> {
    pub(super) fn new(request: JsValue, future: F) -> Self {
        Self {
            request,
            future: Box::pin(future),
        }
    }
}

impl<F: Future> Future for Polled<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        note(&self.request);
        let polled = self.future.as_mut().poll(context);
        note(&JsValue::UNDEFINED);
        polled
    }
}
