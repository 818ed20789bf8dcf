//! Examples: requests and answers that `tests/http/in_process/examples.rs` recorded from the service.

use serde_json::{Map, Value};

/// Each operation's `request`, and its `answers` by status.
const RECORDED: &str = include_str!("examples.json");

pub(super) struct Examples(Map<String, Value>);

impl Default for Examples {
    fn default() -> Self {
        Self(serde_json::from_str(RECORDED).unwrap_or_default())
    }
}

impl Examples {
    /// Returns a request that the operation accepted.
    pub(super) fn request(&self, operation: &str) -> Option<&Value> {
        self.0.get(operation)?.get("request")
    }

    /// Returns an answer of the operation with this status.
    pub(super) fn answer(&self, operation: &str, status: u16) -> Option<&Value> {
        let answers = self.0.get(operation)?.get("answers")?;
        answers.get(status.to_string())
    }
}
