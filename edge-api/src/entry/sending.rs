//! Large answers on their way: host/worker.mjs writes them bit by bit, so that the memory of one that nobody reads can be had back.

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
    /// An answer that host/worker.mjs writes.
    #[derive(Debug)]
    type Sending;

    #[wasm_bindgen(js_namespace = globalThis, js_name = assaySend)]
    fn begin(body: &Uint8Array) -> Sending;

    /// The body as a stream.
    #[wasm_bindgen(method, getter)]
    fn readable(this: &Sending) -> ReadableStream;
    /// Bytes that the client has taken.
    #[wasm_bindgen(method, getter)]
    fn sent(this: &Sending) -> f64;
    /// Resolves when the client has all of it, or gets no more.
    #[wasm_bindgen(method, getter)]
    fn ended(this: &Sending) -> Promise;
    /// Ends it where it is.
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

/// Sends a body, which has its room until the client has it.
pub(super) fn send(body: &[u8], room: Rc<Share>, context: &Context) -> ReadableStream {
    let sending = begin(&Uint8Array::from(body));
    let (readable, ended) = (sending.readable(), sending.ended());
    room.follow(Rc::new(sending));
    context.wait_until(async move {
        // It never rejects.
        let _ended = JsFuture::from(ended).await;
        drop(room);
    });
    readable
}
