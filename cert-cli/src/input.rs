//! Reads files and standard input.

use std::borrow::Cow;
use std::env::VarError;
use std::fmt;
use std::fs;
use std::io::{self, Read as _};

use cert_core::{CONVENTIONS, CertError, Value, aih2, convention};
use encoding_rs::{UTF_16BE, UTF_16LE};
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

    /// Returns a key's digits, with the name of the file or environment variable that has them. `None` if no file is named and the
    /// variable is not set. The caller checks the digits.
    pub(crate) fn key<'n>(
        &mut self,
        file: Option<&'n str>,
        variable: &'n str,
    ) -> Result<Option<(&'n str, Zeroizing<String>)>, Failure> {
        if let Some(file) = file {
            let text = Zeroizing::new(self.text(file)?);
            return Ok(Some((file, digits(&text))));
        }
        let value = self.variable(variable)?;
        Ok(value.map(|text| (variable, digits(&text))))
    }

    /// Returns the value of an environment variable, or `None` if it is not set.
    pub(crate) fn variable(&self, name: &str) -> Result<Option<Zeroizing<String>>, Failure> {
        match std::env::var(name) {
            Ok(text) => Ok(Some(Zeroizing::new(text))),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => Err(not_text(name, "it is not valid Unicode")),
        }
    }

    /// Reads text: UTF-8 with or without a byte order mark, or UTF-16 with one, as Windows PowerShell writes it.
    pub(crate) fn text(&mut self, input: &str) -> Result<String, Failure> {
        let bytes = self.bytes(input)?;
        self.decoded(input, bytes)
    }

    /// Returns the text of bytes that were read from an input.
    pub(crate) fn decoded(&self, input: &str, bytes: Vec<u8>) -> Result<String, Failure> {
        decode(bytes).map_err(|reason| not_text(input, reason))
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

const UTF8_MARK: &[u8] = b"\xef\xbb\xbf";

/// Decodes text without its byte order mark. Fails with the reason if the bytes are not text in a known encoding. Invalid bytes are never
/// replaced, because a replaced character would make a certified value look changed.
fn decode(bytes: Vec<u8>) -> Result<String, String> {
    // The input may be a key, so bytes that do not become the result are wiped.
    let mut bytes = Zeroizing::new(bytes);
    let utf16 = match bytes.as_slice() {
        [0xff, 0xfe, rest @ ..] => Some((UTF_16LE, rest)),
        [0xfe, 0xff, rest @ ..] => Some((UTF_16BE, rest)),
        _ => None,
    };
    let text = if let Some((encoding, rest)) = utf16 {
        encoding
            .decode_without_bom_handling_and_without_replacement(rest)
            .map(Cow::into_owned)
            .ok_or("its byte order mark says UTF-16, but it is not valid UTF-16")?
    } else {
        let mark = bytes.strip_prefix(UTF8_MARK).map_or(0, |_| UTF8_MARK.len());
        bytes.drain(..mark);
        String::from_utf8(std::mem::take(&mut *bytes)).map_err(|error| {
            let offset = error.utf8_error().valid_up_to().saturating_add(mark);
            drop(Zeroizing::new(error.into_bytes()));
            format!("the byte at offset {offset} is not valid UTF-8")
        })?
    };
    // Neither JSON nor a key contains U+0000. Most bytes of UTF-16 or UTF-32 without its mark are valid UTF-8 with many of them.
    if text.contains('\0') {
        drop(Zeroizing::new(text));
        return Err(
            "it contains the character U+0000, as UTF-16 without a byte order mark does".to_owned(),
        );
    }
    Ok(text)
}

fn not_text(input: &str, reason: impl fmt::Display) -> Failure {
    Failure::new(
        "input-not-text",
        format_args!(
            "{}: not readable as text: {reason}. Save it as UTF-8",
            named(input)
        ),
    )
}

/// Returns the lower-case digits of a key, without the prefix `0x` and white space around it.
fn digits(text: &str) -> Zeroizing<String> {
    let text = text.trim();
    let digits = text
        .strip_prefix("0x")
        .or_else(|| text.strip_prefix("0X"))
        .unwrap_or(text);
    Zeroizing::new(digits.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Vectors {
        accepted: Vec<Case>,
        refused: Vec<Case>,
    }

    #[derive(serde::Deserialize)]
    struct Case {
        name: String,
        bytes: String,
        text: Option<String>,
    }

    impl Case {
        fn decode(&self) -> Result<String, String> {
            let pairs = self.bytes.as_bytes().chunks(2);
            let byte = |pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
            decode(pairs.map(byte).collect())
        }
    }

    #[test]
    fn bytes_are_decoded_as_in_the_vectors() {
        let text = include_str!("../../tests/vectors/text/encodings.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        for case in &vectors.accepted {
            assert_eq!(case.decode().ok(), case.text, "{}", case.name);
        }
        for case in &vectors.refused {
            assert!(case.decode().is_err(), "{}", case.name);
        }
    }
}
