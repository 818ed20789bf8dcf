//! D1 as the database port. A batch crosses to JavaScript as a single string, and its rows come back as a single string. Passing values
//! separately would cost one call for each value.

use std::cell::OnceCell;

use async_trait::async_trait;
use serde_json::Value;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;
use worker::D1Database;

use crate::ports::{Copies, Database, DatabaseError, Param, Rows, Statement};

#[wasm_bindgen]
extern "C" {
    /// Runs statements, `[[sql, [value, …]], …]`, in one transaction. Resolves to the rows of each statement, or
    /// rejects with the reason.
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = assayBatch)]
    async fn run(database: &JsValue, statements: &str) -> Result<JsValue, JsValue>;

    /// Returns the size of the database in bytes after the last batch of this isolate.
    #[wasm_bindgen(js_namespace = globalThis, js_name = assayBytes)]
    fn bytes() -> Option<f64>;

    /// Returns a session that starts at a bookmark, or with `first-primary` or `first-unconstrained`.
    #[wasm_bindgen(catch, js_namespace = globalThis, js_name = assaySession)]
    fn session(database: &JsValue, start: &str) -> Result<JsValue, JsValue>;

    /// Returns a session's bookmark, if it has one.
    #[wasm_bindgen(js_namespace = globalThis, js_name = assayBookmark)]
    fn bookmark(session: &JsValue) -> Option<String>;
}

/// The binding, and the session of the current request.
pub(super) struct D1 {
    database: D1Database,
    session: OnceCell<JsValue>,
}

impl D1 {
    pub(super) fn new(database: D1Database) -> Self {
        Self {
            database,
            session: OnceCell::new(),
        }
    }
}

fn failed(reason: &JsValue) -> DatabaseError {
    let text = reason.as_string().unwrap_or_default();
    if text.contains("constraint") {
        DatabaseError::from_constraint(&text)
    } else {
        DatabaseError::Unavailable(text)
    }
}

fn not_json(error: &serde_json::Error) -> DatabaseError {
    DatabaseError::Bug(format!("a batch is not JSON: {error}"))
}

#[async_trait(?Send)]
impl Database for D1 {
    fn start_session(&self, copies: Copies) {
        let start = match &copies {
            Copies::Primary => "first-primary",
            Copies::Any => "first-unconstrained",
            Copies::Since(bookmark) => bookmark,
        };
        // If the session cannot start, the primary answers. The primary has every committed change.
        if let Ok(session) = session(self.database.as_ref(), start) {
            let _started = self.session.set(session);
        }
    }

    fn bookmark(&self) -> Option<String> {
        bookmark(self.session.get()?)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the platform reports whole numbers of bytes below 2^53"
    )]
    fn bytes(&self) -> Option<u64> {
        bytes().map(|bytes| bytes as u64)
    }

    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        statements.iter().try_for_each(Statement::carried)?;
        let listed: Vec<(&str, &[Param])> = statements
            .iter()
            .map(|statement| (statement.sql.as_ref(), statement.params.as_slice()))
            .collect();
        let text = serde_json::to_string(&listed).map_err(|error| not_json(&error))?;
        let database = self.session.get().unwrap_or(self.database.as_ref());
        let answer = run(database, &text)
            .await
            .map_err(|reason| failed(&reason))?;
        let results: Vec<Vec<Value>> =
            serde_json::from_str(&answer.as_string().unwrap_or_default())
                .map_err(|error| not_json(&error))?;
        let results = results.into_iter().zip(&statements);
        Ok(results
            .map(|(rows, statement)| Rows::carried(rows, &statement.sql))
            .collect())
    }
}
