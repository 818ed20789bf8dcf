//! The R2 bucket of hosted files.

use async_trait::async_trait;
use worker::{Bucket, Env};

use crate::ports::Objects;

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

    async fn delete(&self, keys: &[String]) -> Result<(), String> {
        let deleted = self.0.delete_multiple(keys.to_vec()).await;
        deleted.map_err(no_answer)
    }
}
