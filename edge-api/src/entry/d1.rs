//! D1 behind the database port.

use async_trait::async_trait;
use wasm_bindgen::JsValue;
use worker::{D1Database, D1PreparedStatement};

use crate::ports::{Database, DatabaseError, Param, Rows, Statement};

/// The binding.
pub(super) struct D1(pub(super) D1Database);

fn failed(error: &worker::Error) -> DatabaseError {
    let text = error.to_string();
    if text.contains("constraint") {
        DatabaseError::from_constraint(&text)
    } else {
        DatabaseError::Unavailable(text)
    }
}

fn value(param: &Param) -> JsValue {
    match param {
        Param::Null => JsValue::NULL,
        #[expect(
            clippy::cast_precision_loss,
            reason = "no batch has more than 2^53 − 1"
        )]
        Param::Integer(number) => JsValue::from_f64(*number as f64),
        Param::Text(text) => JsValue::from_str(text),
    }
}

impl D1 {
    fn prepare(&self, statement: &Statement) -> worker::Result<D1PreparedStatement> {
        let values: Vec<JsValue> = statement.params.iter().map(value).collect();
        self.0.prepare(statement.sql.as_ref()).bind(&values)
    }
}

#[async_trait(?Send)]
impl Database for D1 {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        statements.iter().try_for_each(Statement::carried)?;
        let prepared = statements
            .iter()
            .map(|statement| self.prepare(statement))
            .collect::<worker::Result<Vec<_>>>();
        let results = self
            .0
            .batch(prepared.map_err(|error| failed(&error))?)
            .await
            .map_err(|error| failed(&error))?;
        results
            .iter()
            .map(|result| {
                result
                    .results::<serde_json::Value>()
                    .map(Rows::carried)
                    .map_err(|error| failed(&error))
            })
            .collect()
    }
}
