//! Files and standard input.

use std::fs;
use std::io::{self, Read as _};

use cert_core::{CONVENTIONS, Value, convention};

use crate::failure::{Failure, named};

/// Reads inputs; standard input can be read only once.
#[derive(Debug, Default)]
pub(crate) struct Inputs {
    stdin_taken: bool,
}

impl Inputs {
    pub(crate) fn bytes(&mut self, input: &str) -> Result<Vec<u8>, Failure> {
        let read = if input == "-" {
            if std::mem::replace(&mut self.stdin_taken, true) {
                return Err(Failure::new(
                    "input-twice",
                    "only one input can be standard input: name a file for the other",
                ));
            }
            let mut bytes = Vec::new();
            io::stdin().read_to_end(&mut bytes).map(|_| bytes)
        } else {
            fs::read(input)
        };
        read.map_err(|error| {
            Failure::new(
                "input-unreadable",
                format_args!("{} could not be read: {error}", named(input)),
            )
        })
    }

    pub(crate) fn json(&mut self, input: &str) -> Result<Value, Failure> {
        let bytes = self.bytes(input)?;
        let text = std::str::from_utf8(&bytes).map_err(|error| {
            let message = format!(
                "{}: JSON has to be UTF-8, and the text is not from byte {} on",
                named(input),
                error.valid_up_to()
            );
            Failure::new("json-invalid", message)
        })?;
        if text.starts_with('\u{feff}') {
            let message = format!(
                "{}: the text starts with a byte order mark, which JSON has none of: save it as UTF-8 without one",
                named(input)
            );
            return Err(Failure::new("json-invalid", message));
        }
        Value::parse(text).map_err(|error| Failure::of(input, error))
    }

    /// A schema: a convention by its number or a schema id, else a file.
    pub(crate) fn schema(&mut self, input: &str) -> Result<Value, Failure> {
        let newest = CONVENTIONS
            .iter()
            .rfind(|known| known.number.to_string() == input)
            .map(|known| known.text);
        match newest.or_else(|| convention(&input.to_ascii_lowercase())) {
            Some(text) => Value::parse(text).map_err(|error| Failure::of(input, error)),
            None => self.json(input),
        }
    }
}
