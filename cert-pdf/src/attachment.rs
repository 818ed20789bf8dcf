//! Finds the certificate's file that is attached to a PDF.
//!
//! A PDF stores an attachment as a stream whose dictionary has the media type, directly in the file. So the reader needs neither the table of objects nor
//! compressed objects: it looks for streams with the media type of a certificate. Programs that save a PDF again keep this form. Encryption changes it.

use flate2::{Decompress, FlushDecompress, Status};

use crate::error::PdfError;
use crate::write::MEDIA_TYPE;
use cert_core::file::MAX_FILE;

/// The largest PDF, in bytes.
pub const MAX_PDF: usize = 20 * 1024 * 1024;
/// The most bytes of a stream's dictionary.
const MAX_DICTIONARY: usize = 2048;
/// The most streams that are looked at.
const MAX_STREAMS: usize = 100_000;
/// The header stands in the first bytes. Some programs write other bytes before it.
const HEADER_WITHIN: usize = 1024;

/// Returns true if bytes begin like a PDF.
#[must_use]
pub fn is_pdf(bytes: &[u8]) -> bool {
    let start = bytes.get(..HEADER_WITHIN).unwrap_or(bytes);
    find(start, b"%PDF-", 0).is_some()
}

/// Returns the text of the certificate's file that is attached to a PDF.
///
/// # Errors
/// The bytes are no PDF or too many, or the PDF has a password, no certificate, several different ones, or a broken one.
pub fn certificate_in(bytes: &[u8]) -> Result<String, PdfError> {
    if bytes.len() > MAX_PDF {
        return Err(PdfError::PdfTooLarge);
    }
    if !is_pdf(bytes) {
        return Err(PdfError::NotPdf);
    }
    let mut found: Option<Vec<u8>> = None;
    let mut at = 0;
    let mut streams: usize = 0;
    while let Some(keyword) = find(bytes, b"stream", at) {
        at = keyword.saturating_add(b"stream".len());
        streams = streams.saturating_add(1);
        if streams > MAX_STREAMS {
            return Err(PdfError::PdfTooLarge);
        }
        let Some(dictionary) = dictionary_before(bytes, keyword) else {
            continue;
        };
        if !is_certificate(&dictionary) {
            continue;
        }
        let content = content(bytes, at, &dictionary).map_err(|error| match error {
            // A password changes the content and leaves the dictionary as it is.
            PdfError::Broken if is_encrypted(bytes) => PdfError::Encrypted,
            error => error,
        })?;
        match &found {
            Some(known) if *known != content => return Err(PdfError::SeveralCertificates),
            _ => found = Some(content),
        }
    }
    match found {
        Some(content) => String::from_utf8(content).map_err(|_| PdfError::Broken),
        None if is_encrypted(bytes) => Err(PdfError::Encrypted),
        None => Err(PdfError::NoCertificate),
    }
}

fn is_encrypted(bytes: &[u8]) -> bool {
    find(bytes, b"/Encrypt", 0).is_some()
}

/// Returns the dictionary that ends before the keyword of its stream, with its names decoded. `None` if there is none.
fn dictionary_before(bytes: &[u8], keyword: usize) -> Option<String> {
    let from = keyword.saturating_sub(MAX_DICTIONARY);
    let before = bytes.get(from..keyword)?.trim_ascii_end();
    let before = before.strip_suffix(b">>")?;
    // The dictionary of a stream belongs to an object, whose keyword stands before it.
    let start = before.windows(4).rposition(|window| window == b" obj")?;
    let dictionary = before.get(start..)?;
    let mut text = String::new();
    let mut rest = dictionary;
    while let Some((first, after)) = rest.split_first() {
        let escaped = (*first == b'#').then(|| after.get(..2)).flatten();
        let byte = escaped
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte {
            Some(byte) => {
                text.push(char::from(byte));
                rest = after.get(2..)?;
            }
            None => {
                text.push(char::from(*first));
                rest = after;
            }
        }
    }
    Some(text)
}

fn is_certificate(dictionary: &str) -> bool {
    value_of(dictionary, "/Subtype").is_some_and(|value| {
        let name = value.strip_prefix('/').unwrap_or_default();
        let rest = name.strip_prefix(MEDIA_TYPE);
        rest.is_some_and(|rest| {
            !rest.starts_with(|char: char| char.is_ascii_alphanumeric() || "+-.".contains(char))
        })
    })
}

/// Returns the text after a key.
fn value_of<'d>(dictionary: &'d str, key: &str) -> Option<&'d str> {
    let mut rest = dictionary;
    while let Some((_, after)) = rest.split_once(key) {
        // `/Length` is also the start of `/Length1`.
        if !after.starts_with(|char: char| char.is_ascii_alphanumeric()) {
            return Some(after.trim_ascii_start());
        }
        rest = after;
    }
    None
}

/// Returns the content of the stream whose keyword ends at a place.
fn content(bytes: &[u8], keyword_end: usize, dictionary: &str) -> Result<Vec<u8>, PdfError> {
    let rest = bytes.get(keyword_end..).ok_or(PdfError::Broken)?;
    let rest = rest
        .strip_prefix(b"\r\n")
        .or_else(|| rest.strip_prefix(b"\n"))
        .ok_or(PdfError::Broken)?;
    let end = find(rest, b"endstream", 0).ok_or(PdfError::Broken)?;
    let rest = rest.get(..end).ok_or(PdfError::Broken)?;
    match value_of(dictionary, "/Filter") {
        // A stream of zlib marks its own end.
        Some(filter) if is_only_flate(filter) => inflate(rest),
        Some(_) => Err(PdfError::Broken),
        None => {
            let content = rest.trim_ascii_end();
            if content.len() > MAX_FILE {
                return Err(PdfError::FileTooLarge);
            }
            Ok(content.to_vec())
        }
    }
}

fn is_only_flate(filter: &str) -> bool {
    let filter = filter
        .strip_prefix('[')
        .unwrap_or(filter)
        .trim_ascii_start();
    let rest = filter
        .strip_prefix("/FlateDecode")
        .map(str::trim_ascii_start);
    rest.is_some_and(|rest| {
        !rest.starts_with("/ASCII") && !rest.starts_with("/Flate") && !rest.starts_with("/LZW")
    })
}

/// Decompresses a stream of zlib, at most [`MAX_FILE`] bytes. A few bytes can decompress to many.
fn inflate(bytes: &[u8]) -> Result<Vec<u8>, PdfError> {
    const STEP: usize = 64 * 1024;
    let mut stream = Decompress::new(true);
    let mut content = Vec::new();
    loop {
        content.reserve(STEP);
        let read = usize::try_from(stream.total_in()).map_err(|_| PdfError::Broken)?;
        let rest = bytes.get(read..).ok_or(PdfError::Broken)?;
        let before = (read, content.len());
        let status = stream
            .decompress_vec(rest, &mut content, FlushDecompress::None)
            .map_err(|_| PdfError::Broken)?;
        if content.len() > MAX_FILE {
            return Err(PdfError::FileTooLarge);
        }
        if status == Status::StreamEnd {
            return Ok(content);
        }
        let after = usize::try_from(stream.total_in()).map_err(|_| PdfError::Broken)?;
        if (after, content.len()) == before {
            return Err(PdfError::Broken);
        }
    }
}

/// Returns the place of a text in bytes, from a place on.
fn find(bytes: &[u8], text: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    let found = rest.windows(text.len()).position(|window| window == text)?;
    from.checked_add(found)
}
