//! The R2 bucket of hosted files.

use async_trait::async_trait;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::{Bucket, Env};

use crate::ports::Objects;

#[wasm_bindgen]
extern "C" {
    /// Stores the content at an address as an object in parts. Resolves to the number of bytes, or rejects with the reason.
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = assayCopy)]
    async fn copy_into(
        bucket: &JsValue,
        key: &str,
        address: &str,
        limit: f64,
    ) -> Result<JsValue, JsValue>;
}

/// The binding `FILES_BUCKET`.
pub(super) struct R2(Bucket);

impl R2 {
    /// Returns the binding, if the service has one.
    pub(super) fn of(env: &Env) -> Option<Self> {
        env.bucket("FILES_BUCKET").ok().map(Self)
    }
}

fn no_answer(error: worker::Error) -> String {
    format!("the bucket did not answer: {error}")
}

#[async_trait(?Send)]
impl Objects for R2 {
    async fn put(&self, key: &str, content: &[u8]) -> Result<(), String> {
        let put = self.0.put(key, content.to_vec()).execute().await;
        put.map(drop).map_err(no_answer)
    }

    async fn get(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        let object = self.0.get(key).execute().await.map_err(no_answer)?;
        let Some(object) = object else {
            return Ok(None);
        };
        match object.body() {
            Some(body) => body.bytes().await.map(Some).map_err(no_answer),
            None => Ok(None),
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "numbers of bytes below 2^53"
    )]
    async fn copy(&self, key: &str, address: &str, limit: u64) -> Result<u64, String> {
        let copied = copy_into(self.0.as_ref(), key, address, limit as f64).await;
        match copied {
            Ok(bytes) => Ok(bytes.as_f64().unwrap_or_default() as u64),
            Err(reason) => Err(reason.as_string().unwrap_or_default()),
        }
    }

    async fn delete(&self, keys: &[String]) -> Result<(), String> {
        let deleted = self.0.delete_multiple(keys.to_vec()).await;
        deleted.map_err(no_answer)
    }
}
