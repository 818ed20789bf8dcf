//! Sends large answers. host/worker.mjs writes an answer in parts. If the client does not read the answer, the service can end it and free its
//! memory.

use std::rc::Rc;

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use worker::Context;
use worker::wasm_bindgen_futures::JsFuture;
use worker::web_sys::ReadableStream;

use crate::budget::Share;
use crate::ports::Transfer;

#[wasm_bindgen]
extern "C" {
    /// An answer that host/worker.mjs is writing.
    #[derive(Debug)]
    type Sending;

    #[wasm_bindgen(js_namespace = globalThis, js_name = assaySend)]
    fn begin(body: &Uint8Array) -> Sending;

    /// Returns the body as a stream.
    #[wasm_bindgen(method, getter)]
    fn readable(this: &Sending) -> ReadableStream;
    /// Returns the number of bytes that the client has read.
    #[wasm_bindgen(method, getter)]
    fn sent(this: &Sending) -> f64;
    /// Returns a promise that resolves when the client has read the whole answer or has disconnected, or when the answer was ended.
    #[wasm_bindgen(method, getter)]
    fn ended(this: &Sending) -> Promise;
    /// Ends the answer at its current position.
    #[wasm_bindgen(method)]
    fn end(this: &Sending);
}

impl Transfer for Sending {
    fn sent(&self) -> u64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a number of bytes"
        )]
        let bytes = Sending::sent(self) as u64;
        bytes
    }

    fn end(&self) {
        Sending::end(self);
    }
}

/// Sends a body. Its share of the budget lasts until the client has read the body, or until the transfer ends.
pub(super) fn send(body: &[u8], share: Rc<Share>, context: &Context) -> ReadableStream {
    let sending = begin(&Uint8Array::from(body));
    let (readable, ended) = (sending.readable(), sending.ended());
    share.follow(Rc::new(sending));
    context.wait_until(async move {
        // This promise never rejects.
        let _ended = JsFuture::from(ended).await;
        drop(share);
    });
    readable
}
