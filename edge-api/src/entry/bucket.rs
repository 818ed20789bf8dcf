//! The R2 bucket of hosted files. These bindings cover only the three methods that the service needs, which makes them smaller than those
//! of the `worker` crate.

use async_trait::async_trait;
use js_sys::{Array, ArrayBuffer, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;
use worker::wasm_bindgen_futures::JsFuture;

use crate::ports::Objects;

#[wasm_bindgen]
extern "C" {
    /// A bucket's binding.
    type Bucket;

    #[wasm_bindgen(method)]
    fn put(this: &Bucket, key: &str, content: &Uint8Array) -> Promise;
    #[wasm_bindgen(method)]
    fn get(this: &Bucket, key: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn delete(this: &Bucket, keys: &Array) -> Promise;

    /// An object with its content.
    type Object;

    #[wasm_bindgen(method, js_name = arrayBuffer)]
    fn content(this: &Object) -> Promise;
}

/// The binding `FILES_BUCKET`.
pub(super) struct R2(Bucket);

impl R2 {
    /// Returns the binding, if the service has one.
    pub(super) fn of(env: &Env) -> Option<Self> {
        let bound = Reflect::get(env.as_ref(), &JsValue::from_str("FILES_BUCKET")).ok()?;
        bound.is_object().then(|| Self(bound.unchecked_into()))
    }
}

async fn done(promise: Promise) -> Result<JsValue, String> {
    let settled = JsFuture::from(promise).await;
    settled.map_err(|error| format!("the bucket did not answer: {error:?}"))
}

#[async_trait(?Send)]
impl Objects for R2 {
    async fn put(&self, key: &str, content: &[u8]) -> Result<(), String> {
        done(self.0.put(key, &Uint8Array::from(content)))
            .await
            .map(drop)
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        let object = done(self.0.get(key)).await?;
        if !object.is_object() {
            return Ok(None);
        }
        let content = done(object.unchecked_into::<Object>().content()).await?;
        Ok(Some(
            Uint8Array::new(&content.unchecked_into::<ArrayBuffer>()).to_vec(),
        ))
    }

    async fn delete(&self, keys: &[String]) -> Result<(), String> {
        let keys: Array = keys.iter().map(|key| JsValue::from_str(key)).collect();
        done(self.0.delete(&keys)).await.map(drop)
    }
}
