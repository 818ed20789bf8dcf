//! Examples: requests to the service and its answers, which `tests/http/in_process/examples.rs` recorded.

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
    /// Returns the recorded request of an operation, if there is one.
    pub(super) fn request(&self, operation: &str) -> Option<&Value> {
        self.0.get(operation)?.get("request")
    }

    /// Returns the recorded answer of an operation with this status, if there is one.
    pub(super) fn answer(&self, operation: &str, status: u16) -> Option<&Value> {
        let answers = self.0.get(operation)?.get("answers")?;
        answers.get(status.to_string())
    }
}
