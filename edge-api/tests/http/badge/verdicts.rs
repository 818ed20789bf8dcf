//! Which certificates are valid, and which are not.

use serde_json::{Value, json};

use super::certificate::{self, Certificate};
use super::{Issuer, shows};

#[test]
fn a_changed_field_is_invalid() {
    let issuer = Issuer::new();
    let certificate = Certificate::new();
    for (from, to) in [
        ("\"Ada\"", "\"Eva\""),
        ("\"Ada\"", "null"),
        ("1843", "1844"),
        ("1843", "\"1843\""),
    ] {
        let issued = issuer.publish(&certificate.altered(from, to));
        let answer = issued.image("1");
        shows(&answer, "invalid", "untrusted.svg");
        assert_eq!(answer.header("cache-control"), Some("public, max-age=60"));
        let (valid, finding) = issued.finding("1");
        assert_eq!(valid, false);
        assert!(finding.starts_with("value-mismatch metadata."), "{finding}");
    }
}

#[test]
fn another_imprint_is_invalid() {
    let other = Certificate {
        imprint: "ab".repeat(32),
        ..Certificate::new()
    };
    assert_eq!(
        Issuer::new().verdict(&other),
        (json!(false), "imprint-mismatch evidence".to_owned())
    );
}

#[test]
fn an_uncovered_field_is_invalid_even_if_it_is_true() {
    let issuer = Issuer::new();
    let certificate = Certificate::new();
    for (added, finding) in [
        (r#","born":1815}"#, "not-covered metadata.born"),
        (r#","born":null}"#, "not-covered metadata.born"),
        (r#","tags":[]}"#, "not-covered metadata.tags"),
        (r#","tags":["a","b"]}"#, "not-covered metadata.tags[0]"),
    ] {
        let text = certificate.metadata.to_json();
        let metadata = certificate::json(&format!("{}{added}", text.strip_suffix('}').unwrap()));
        let longer = Certificate {
            metadata,
            ..certificate.clone()
        };
        let found = issuer.verdict(&longer);
        assert_eq!(found, (json!(false), finding.to_owned()), "{added}");
    }
    let certificate = Certificate::with_public(&["name"]);
    let text = certificate.metadata.to_json();
    let metadata = certificate::json(&format!(
        r#"{},"book":{{}}}}"#,
        text.strip_suffix('}').unwrap()
    ));
    let longer = Certificate {
        metadata,
        ..certificate
    };
    assert_eq!(
        issuer.verdict(&longer),
        (json!(false), "nothing-stated metadata.book".to_owned())
    );
}

#[test]
fn pointers_that_no_proof_covers_are_invalid_and_alone_prove_nothing() {
    let issuer = Issuer::new();
    let certificate = Certificate::new();
    assert_eq!(
        issuer.verdict(&certificate.altered("schema.json", "./schema.json")),
        (json!(false), "value-mismatch metadata.$schema".to_owned())
    );
    assert_eq!(
        issuer.verdict(&Certificate::with_public(&[])),
        (json!(false), "nothing-proven metadata".to_owned())
    );
}

#[test]
fn what_the_schema_does_not_describe_changes_nothing() {
    let issuer = Issuer::new();
    let longer = Certificate::new().altered("{\"title\"", "{\"note\":[{}],\"title\"");
    assert_eq!(issuer.publish(&longer).says("1"), "valid");
}

#[test]
fn numbers_are_doubles_and_keys_are_unique() {
    let issuer = Issuer::new();
    let certificate = Certificate::with_public(&["born"]);
    let issued = issuer.publish(&certificate);
    let text = certificate.metadata.to_json();
    issued.serve("/1.json", text.replace("1815", "18.15e2"));
    assert_eq!(issued.says("1"), "valid");
    let twice = text.replace("\"born\":1815", "\"born\":0,\"born\":1815");
    issued.publish("2", &certificate);
    issued.serve("/2.json", twice);
    let answer = issued.answer("2");
    assert_eq!(
        (answer.status, answer.errors()),
        (400, vec!["400017 metadata".to_owned()])
    );
    assert_eq!(
        issued.finding("2"),
        (Value::Null, "not-json metadata".to_owned())
    );
}
