//! Failures of a command, with a stable code and a sentence for the user.

use std::fmt;

use cert_core::text::visible;
use cert_core::{CertError, MAX_VIOLATIONS, Violation};

/// The errors to print, one line for each. There is at least one.
#[derive(Debug)]
pub(crate) struct Failure(Vec<String>);

impl Failure {
    pub(crate) fn new(code: &str, message: impl fmt::Display) -> Self {
        Self(vec![format!("error[{code}]: {message}")])
    }

    /// Converts an error of the library. `input` is the name of the input that caused it.
    pub(crate) fn of(input: &str, error: CertError) -> Self {
        Self::new(
            error.code().as_str(),
            format_args!("{}: {error}", named(input)),
        )
    }

    /// Returns a failure with a line for each violation. `input` is the name of the document.
    pub(crate) fn violations(input: &str, violations: &[Violation]) -> Self {
        let line =
            |violation: &Violation| format!("error[data-invalid]: {}: {violation}", named(input));
        let mut lines: Vec<String> = violations.iter().map(line).collect();
        if lines.len() >= MAX_VIOLATIONS {
            lines.push("there may be more violations".to_owned());
        }
        Self(lines)
    }
}

/// Returns the name of an input for messages: its file name, or `standard input` for `-`.
pub(crate) fn named(input: &str) -> &str {
    if input == "-" {
        "standard input"
    } else {
        input
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self
            .0
            .iter()
            .map(|line| visible(line).into_owned())
            .collect();
        f.write_str(&lines.join("\n"))
    }
}
