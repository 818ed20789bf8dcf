//! Tests values that the schema does not describe.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod support;

use cert_core::{Cert, ErrorCode, MAX_UNCOVERED, Path, PathStep};
use support::json;

const SCHEMA: &str = r#"{ "type": "object", "properties": {
    "name": { "type": "string" }, "any": true, "empty": { "type": "object", "properties": {} },
    "maker": { "type": "object", "properties": { "name": {} } },
    "books": { "type": "array", "items": { "type": "object", "properties": { "title": {} } } },
    "nothings": { "type": "array", "items": { "type": "object", "properties": {} } },
    "rows": { "type": "array", "items": { "type": "array", "items": {} } }
} }"#;

fn cert() -> Cert {
    Cert::new(&json(SCHEMA)).unwrap()
}

fn uncovered(data: &str) -> Vec<String> {
    let paths = cert().uncovered(&json(data));
    paths.iter().map(|path| path.to_value().to_json()).collect()
}

#[test]
fn paths_that_the_schema_does_not_describe_are_listed() {
    for (data, paths) in [
        ("{}", &[][..]),
        ("null", &[]),
        (
            r#"{"name":"x","any":null,"empty":{},"maker":{"name":1},"books":[{"title":1},{},null],"rows":[[1],[]]}"#,
            &[],
        ),
        (r#"{"nmae":"x","any":1}"#, &[r#"["nmae"]"#]),
        // A null under a misspelt key is uncovered like any other value.
        (r#"{"b":null,"a":{"deep":[1]}}"#, &[r#"["b"]"#, r#"["a"]"#]),
        (
            r#"{"maker":{"born":1815,"name":"Ada"},"empty":{"x":1}}"#,
            &[r#"["maker","born"]"#, r#"["empty","x"]"#],
        ),
        (
            r#"{"books":[{"title":1},{"titel":2},{"title":3,"isbn":4}],"nothings":[{},{"x":1}]}"#,
            &[
                r#"["books",1,"titel"]"#,
                r#"["books",2,"isbn"]"#,
                r#"["nothings",1,"x"]"#,
            ],
        ),
        (
            r#"{"maker.name":1,"":2}"#,
            &[r#"["maker.name"]"#, r#"[""]"#],
        ),
    ] {
        assert_eq!(uncovered(data), paths, "{data}");
    }
    // Certification itself refuses data of another kind.
    for mismatched in [
        r#"{"name":{"x":1}}"#,
        r#"{"maker":[1]}"#,
        r#"{"books":{"title":1}}"#,
    ] {
        assert_eq!(uncovered(mismatched).len(), 0, "{mismatched}");
        let error = cert().imprint(&json(mismatched)).unwrap_err();
        assert_eq!(error.code(), ErrorCode::DataTypeMismatch);
    }
}

/// Only covered values affect the imprint.
#[test]
fn uncovered_values_do_not_affect_the_imprint() {
    let cert = cert();
    let imprint = |data: &str| cert.imprint(&json(data)).unwrap();
    let all = imprint(r#"{"name":"x","books":[{"title":1,"titel":2}],"extra":3}"#);
    assert_eq!(all, imprint(r#"{"name":"x","books":[{"title":1}]}"#));
    assert_ne!(all, imprint(r#"{"name":"x"}"#));
}

#[test]
fn require_covered_fails_with_the_first_uncovered_path() {
    let data = r#"{"name":"x","books":[{"title":1},{"titel":2}],"extra":3}"#;
    let error = cert().require_covered(&json(data)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::DataUncovered);
    assert_eq!(
        error.path(),
        &Path::from(["books".into(), 1.into(), PathStep::from("titel")])
    );
    assert_eq!(
        error.to_string(),
        "the schema does not describe the value, so it would not be certified (at `books[1].titel`)"
    );
    cert().require_covered(&json(r#"{"name":"x"}"#)).unwrap();
}

#[test]
fn uncovered_paths_are_bounded() {
    let rows: Vec<String> = (0..1_000)
        .map(|at| format!(r#"{{"titel":{at}}}"#))
        .collect();
    let named = uncovered(&format!(r#"{{"books":[{}],"extra":1}}"#, rows.join(",")));
    assert_eq!(named.len(), MAX_UNCOVERED);
    assert_eq!(named.last().unwrap(), r#"["books",99,"titel"]"#);
}
