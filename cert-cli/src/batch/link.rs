//! The short form of a certificate in a link. docs/spec/file.md specifies it.

use std::io::{self, Write as _};

use base64ct::{Base64UrlUnpadded, Encoding as _};
use flate2::Compression;
use flate2::write::DeflateEncoder;
use serde::Serialize;

/// The maximum length of the short form, in characters.
const MAX_LENGTH: usize = 8192;

/// The members of the short form.
#[derive(Serialize)]
pub(crate) struct Copy<'a> {
    pub(crate) schema: &'a cert_core::Value,
    pub(crate) document: &'a serde_json::Value,
    pub(crate) evidence: &'a cert_core::Value,
}

/// Returns the short form of a certificate, or `None` if it would be too long for a link.
pub(crate) fn fragment(copy: &Copy<'_>) -> Result<Option<String>, serde_json::Error> {
    let copy = serde_json::to_vec(copy)?;
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
    let packed = packed
        .write_all(&copy)
        .and_then(|()| packed.finish())
        .map_err(|error: io::Error| serde_json::Error::io(error))?;
    let form = format!("1{}", Base64UrlUnpadded::encode_string(&packed));
    Ok((form.len() <= MAX_LENGTH).then_some(form))
}
