//! Reads files and standard input.

use std::fs;
use std::io::{self, Read as _};

use cert_core::{CONVENTIONS, CertError, Value, aih2, convention};

use crate::failure::{Failure, named};

/// A reader of JSON: `Value::parse`, or AIH-2's stricter reader.
pub(crate) type Parse = fn(&str) -> Result<Value, CertError>;

/// Evidence by its profile.
#[derive(Debug)]
pub(crate) enum Evidence {
    Aih1(Value),
    /// The evidence, or the reason why it proves nothing.
    Aih2(Result<aih2::Evidence, CertError>),
}

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

    /// Reads a text in UTF-8.
    pub(crate) fn text(&mut self, input: &str) -> Result<String, Failure> {
        let text = String::from_utf8(self.bytes(input)?).map_err(|error| {
            let message = format!(
                "{}: JSON has to be UTF-8, but the text is not valid from byte {} on",
                named(input),
                error.utf8_error().valid_up_to()
            );
            Failure::new("json-invalid", message)
        })?;
        if text.starts_with('\u{feff}') {
            let message = format!(
                "{}: the text starts with a byte order mark, which JSON does not allow: save it as UTF-8 without byte order mark",
                named(input)
            );
            return Err(Failure::new("json-invalid", message));
        }
        Ok(text)
    }

    /// Reads JSON with the rules of a profile.
    pub(crate) fn json(&mut self, input: &str, parse: Parse) -> Result<Value, Failure> {
        parse(&self.text(input)?).map_err(|error| Failure::of(input, error))
    }

    /// Reads a schema: a convention by its number or a schema id, otherwise a file.
    pub(crate) fn schema(&mut self, input: &str, parse: Parse) -> Result<Value, Failure> {
        let newest = CONVENTIONS
            .iter()
            .rfind(|known| known.number.to_string() == input)
            .map(|known| known.text);
        match newest.or_else(|| convention(&input.to_ascii_lowercase())) {
            Some(text) => parse(text).map_err(|error| Failure::of(input, error)),
            None => self.json(input, parse),
        }
    }

    /// Reads evidence. Its member `profile` decides how it is read.
    pub(crate) fn evidence(&mut self, input: &str) -> Result<Evidence, Failure> {
        let text = self.text(input)?;
        let value = match Value::parse(&text) {
            Ok(value) => value,
            // Evidence of AIH-2 may be nested a few levels deeper than a document.
            Err(error) => {
                return match aih2::Evidence::parse(&text) {
                    Ok(evidence) => Ok(Evidence::Aih2(Ok(evidence))),
                    Err(_) => Err(Failure::of(input, error)),
                };
            }
        };
        let profile = value.as_object().and_then(|object| object.get("profile"));
        match profile.map(Value::as_str) {
            None => Ok(Evidence::Aih1(value)),
            Some(Some(aih2::PROFILE)) => Ok(Evidence::Aih2(aih2::Evidence::parse(&text))),
            Some(_) => Err(Failure::new(
                "profile-unknown",
                format_args!(
                    "{}: the evidence is of a profile that this tool does not know",
                    named(input)
                ),
            )),
        }
    }
}
