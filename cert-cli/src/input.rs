//! Reads files and standard input.

use std::fs;
use std::io::{self, Read as _};

use cert_core::{CONVENTIONS, CertError, Value, aih2, convention};
use zeroize::Zeroizing;

use crate::failure::{Failure, named};

/// A JSON parser: `Value::parse`, or the stricter `aih2::parse`.
pub(crate) type Parse = fn(&str) -> Result<Value, CertError>;

/// Evidence, by profile.
#[derive(Debug)]
pub(crate) enum Evidence {
    Aih1(Value),
    /// The parsed evidence, or the error of malformed evidence.
    Aih2(Result<aih2::Evidence, CertError>),
}

/// Reads inputs. Standard input can be read only once.
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
                    "only one input can be read from standard input: name a file for every other input",
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

    /// Reads a key as text. The caller checks its digits.
    pub(crate) fn key(&mut self, input: &str) -> Result<Zeroizing<String>, Failure> {
        let bytes = Zeroizing::new(self.bytes(input)?);
        let digits = std::str::from_utf8(&bytes).map_err(|_| {
            Failure::new(
                "option-invalid",
                format_args!(
                    "{}: a key is 64 hexadecimal digits, but the input is not text",
                    named(input)
                ),
            )
        })?;
        Ok(Zeroizing::new(digits.to_owned()))
    }

    /// Reads JSON text, which must be UTF-8 without a byte order mark.
    pub(crate) fn text(&mut self, input: &str) -> Result<String, Failure> {
        let text = String::from_utf8(self.bytes(input)?).map_err(|error| {
            let message = format!(
                "{}: JSON must be UTF-8, but the byte at offset {} is not valid: save the text as UTF-8",
                named(input),
                error.utf8_error().valid_up_to()
            );
            Failure::new("json-invalid", message)
        })?;
        if text.starts_with('\u{feff}') {
            let message = format!(
                "{}: the text starts with a byte order mark, which JSON does not allow: save the text as UTF-8 without it",
                named(input)
            );
            return Err(Failure::new("json-invalid", message));
        }
        Ok(text)
    }

    /// Reads a JSON value with the parser of a profile.
    pub(crate) fn json(&mut self, input: &str, parse: Parse) -> Result<Value, Failure> {
        parse(&self.text(input)?).map_err(|error| Failure::of(input, error))
    }

    /// Reads a schema. `input` is a file, the number of a convention (whose newest version is used), or the schema id of one version
    /// of a convention.
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

    /// Reads evidence of the profile that its member `profile` names. Evidence without this member is AIH-1.
    pub(crate) fn evidence(&mut self, input: &str) -> Result<Evidence, Failure> {
        let text = self.text(input)?;
        let value = match Value::parse(&text) {
            Ok(value) => value,
            // Evidence of AIH-2 may be nested a few levels deeper than `Value::parse` allows.
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
                    "{}: the evidence has an unknown `profile`: it must be `AIH-2`, or absent for AIH-1",
                    named(input)
                ),
            )),
        }
    }
}
