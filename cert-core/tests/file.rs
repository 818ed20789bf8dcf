//! Certificates' files, by the vectors that the pages' reader passes as well.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on should stop"
)]

use cert_core::ErrorCode;
use cert_core::file::{CertificateFile, FileError};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../tests/vectors/file/files.json")).unwrap()
}

fn cases(list: &Value) -> impl Iterator<Item = (&str, &str, &Value)> {
    list.as_array().unwrap().iter().map(|case| {
        let text = |name: &str| case[name].as_str().unwrap();
        (text("name"), text("text"), case)
    })
}

#[test]
fn files_have_the_content_of_the_vectors() {
    let vectors = vectors();
    let mut count = 0;
    for (name, text, _) in cases(&vectors["accepted"]) {
        let expected: Value = serde_json::from_str(text).unwrap();
        let file = CertificateFile::parse(text).unwrap_or_else(|error| panic!("{name}: {error}"));
        for (member, found) in [
            ("service", &file.service),
            ("ledger", &file.ledger),
            ("asset", &file.asset),
            ("imprint", &file.imprint),
        ] {
            assert_eq!(expected[member], **found, "{name}");
        }
        let json =
            |value: &cert_core::Value| -> Value { serde_json::from_str(&value.to_json()).unwrap() };
        assert_eq!(expected["schema"], json(&file.schema), "{name}");
        assert_eq!(expected["evidence"], json(&file.evidence), "{name}");
        let document = file.document.as_ref().map_or(Value::Null, json);
        assert_eq!(expected["document"], document, "{name}");
        let confirmation = file.confirmation.as_ref();
        assert_eq!(
            expected["confirmation"]["domain"].as_str(),
            confirmation.map(|confirmation| confirmation.domain.as_str()),
            "{name}"
        );
        count += 1;
    }
    assert!(count >= 10, "{count} vectors");
}

#[test]
fn other_texts_are_refused_for_the_reason_of_the_vectors() {
    let vectors = vectors();
    let mut count = 0;
    for (name, text, case) in cases(&vectors["refused"]) {
        let error = CertificateFile::parse(text).map(|_| ()).expect_err(name);
        let key = match &error {
            FileError::TooLarge => "file.size",
            FileError::Json(error) if error.code() == ErrorCode::KeyDuplicate => "file.duplicate",
            FileError::Json(_) | FileError::NotObject => "file.json",
            FileError::Newer => "file.version",
            FileError::Unknown(_) => "file.unknown",
            FileError::Missing(_) => "file.missing",
            _ => "file.member",
        };
        assert_eq!(case["key"], key, "{name}: {error}");
        count += 1;
    }
    assert!(count >= 80, "{count} vectors");
}
