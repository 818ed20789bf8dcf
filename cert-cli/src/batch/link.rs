//! The short form of a certificate in a link. docs/spec/file.md specifies it.

use std::io::{self, Read as _, Write as _};

use base64ct::{Base64UrlUnpadded, Encoding as _};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::Serialize;

/// The maximum length of the short form, in characters.
const MAX_LENGTH: usize = 8192;

/// The maximum length of the unpacked content, in bytes.
const MAX_CONTENT: u64 = 5 << 20;

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

/// Returns the JSON in a short form of version 1. `None` for other texts, and for content of more than 5 MiB.
pub(crate) fn content(form: &str) -> Option<String> {
    let digits = form
        .strip_prefix('1')
        .filter(|_| form.len() <= MAX_LENGTH)?;
    let packed = Base64UrlUnpadded::decode_vec(digits).ok()?;
    let mut text = String::new();
    let mut unpacked = DeflateDecoder::new(packed.as_slice()).take(MAX_CONTENT.saturating_add(1));
    let length = unpacked.read_to_string(&mut text).ok()?;
    let is_whole = u64::try_from(length).is_ok_and(|length| length <= MAX_CONTENT);
    is_whole.then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_form_gives_its_content_and_other_texts_give_nothing() {
        let value = cert_core::Value::parse(r#"{"a":[1,"\u00e9"]}"#).unwrap();
        let document = serde_json::Value::Null;
        let copy = Copy {
            schema: &value,
            document: &document,
            evidence: &value,
        };
        let form = fragment(&copy).unwrap().unwrap();
        let expected = r#"{"schema":{"a":[1,"é"]},"document":null,"evidence":{"a":[1,"é"]}}"#;
        assert_eq!(content(&form).as_deref(), Some(expected));
        let cut = form.get(..20).unwrap();
        for other in [
            "",
            "1",
            "2",
            "x",
            cut,
            &form.replacen('1', "2", 1),
            &format!("{form}="),
            &"1".repeat(9_000),
        ] {
            assert_eq!(content(other), None, "{other}");
        }
        let mut packed = DeflateEncoder::new(Vec::new(), Compression::best());
        packed.write_all(&vec![b' '; 6 << 20]).unwrap();
        let bomb = format!(
            "1{}",
            Base64UrlUnpadded::encode_string(&packed.finish().unwrap())
        );
        assert!(bomb.len() < 8_192);
        assert_eq!(content(&bomb), None);
    }
}
