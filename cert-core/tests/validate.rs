//! Tests validation: values that hashes cannot distinguish, and schemas and data that are designed to stall their reader.
#![cfg(feature = "validate")]
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{CONVENTIONS, Cert, ErrorCode, MAX_VIOLATIONS, Path, PathStep, Validator, Value};
use support::{at, cases, json, json_with_infinities};

fn violations(schema: &str, data: &str) -> Vec<String> {
    let validator = Validator::new(&json(schema)).unwrap();
    let data = json(data);
    let found = validator.validate(&data).unwrap();
    assert_eq!(found.is_empty(), validator.is_valid(&data).unwrap());
    found.iter().map(ToString::to_string).collect()
}

#[test]
fn values_with_equal_hashes_are_distinguished() {
    let schema = r#"{ "type": "object", "required": ["c"], "properties": {
        "a": { "type": "integer" }, "b": { "type": "boolean" }, "c": { "type": ["string", "null"] }
    } }"#;
    let cert = Cert::new(&json(schema)).unwrap();
    let genuine = r#"{"a":1,"b":true,"c":null}"#;
    assert_eq!(violations(schema, genuine), [""; 0]);
    for (data, expected) in [
        (
            r#"{"a":"1","b":true,"c":null}"#,
            "the value is not of type \"integer\" (at `a`)",
        ),
        (
            r#"{"a":1,"b":"true","c":""}"#,
            "the value is not of type \"boolean\" (at `b`)",
        ),
        (r#"{"a":1,"b":true}"#, "\"c\" is a required property"),
    ] {
        assert_eq!(
            cert.imprint(&json(data)).unwrap(),
            cert.imprint(&json(genuine)).unwrap()
        );
        assert_eq!(violations(schema, data), [expected], "{data}");
    }
    // Numbers are doubles, so `1.0` is an integer.
    assert_eq!(violations(schema, r#"{"a":1.0,"c":null}"#), [""; 0]);
    assert_eq!(violations(schema, r#"{"a":1e300,"c":null}"#), [""; 0]);
    assert_eq!(violations(schema, r#"{"a":1.5,"c":null}"#).len(), 1);
}

#[test]
fn violations_name_data_and_schema_path() {
    let schema = json(
        r#"{ "properties": {
            "0": { "items": { "properties": { "a/b~": { "enum": ["x"] } } } }, "list": { "items": { "maxLength": 2 } }
        } }"#,
    );
    let data = json(r#"{ "0": [{}, { "a/b~": "secret" }], "list": ["ok", "long"] }"#);
    let found = Validator::new(&schema).unwrap().validate(&data).unwrap();
    let found: Vec<String> = found
        .iter()
        .map(|violation| violation.to_value().to_json())
        .collect();
    assert_eq!(
        found,
        [
            r#"{"path":["0",1,"a/b~"],"keyword":"enum","schemaPath":"/properties/0/items/properties/a~1b~0/enum","message":"the value is not one of \"x\""}"#,
            r#"{"path":["list",1],"keyword":"maxLength","schemaPath":"/properties/list/items/maxLength","message":"the value is longer than 2 characters"}"#,
        ]
    );
}

/// A key is reported as it is spelt in the document, even if it looks special in a JSON Pointer (RFC 6901).
#[test]
fn keys_that_look_special_in_a_json_pointer_are_reported_exactly() {
    for key in [
        "01",
        "1",
        "-0",
        "",
        "~1",
        "~0",
        "/",
        "~",
        "0/1",
        "%30",
        "99999999999999999999",
    ] {
        let object = |value: &str| format!("{{{}:{value}}}", Value::from(key).to_json());
        let schema = json(&format!(
            r#"{{"properties":{}}}"#,
            object(r#"{"items":{"maxLength":0}}"#)
        ));
        let data = json(&object(r#"["","x"]"#));
        let found = Validator::new(&schema).unwrap().validate(&data).unwrap();
        let place = [PathStep::from(key), 1.into()];
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].path, Path::from(place), "{key}");
    }
}

#[test]
fn drafts_and_formats_are_supported() {
    let with = |draft: &str, rest: &str| format!(r#"{{ "$schema": "{draft}", {rest} }}"#);
    let tuple = r#""prefixItems": [{ "type": "string" }]"#;
    let old_tuple = r#""items": [{ "type": "string" }]"#;
    let newest = "https://json-schema.org/draft/2020-12/schema";
    assert_eq!(violations(&with(newest, tuple), "[1]").len(), 1);
    assert_eq!(
        violations(
            &with("http://json-schema.org/draft-07/schema#", tuple),
            "[1]"
        )
        .len(),
        0
    );
    assert_eq!(
        violations(
            &with("http://json-schema.org/draft-07/schema#", old_tuple),
            "[1]"
        )
        .len(),
        1
    );
    // The default is draft 7, even if `$schema` has an address that belongs to no draft.
    assert_eq!(violations(&format!("{{ {old_tuple} }}"), "[1]").len(), 1);
    assert_eq!(
        violations(&with("https://example.com/own.json", old_tuple), "[1]").len(),
        1
    );
    for draft in [newest, "http://json-schema.org/draft-07/schema#"] {
        for (format, good, bad) in [
            ("date", "2024-02-29", "2023-02-29"),
            ("date-time", "2024-02-29T10:00:00Z", "2024-02-29 10:00"),
            ("email", "ada@example.com", "ada"),
            ("uri", "https://example.com/a", "/a"),
            ("ipv4", "127.0.0.1", "127.0.0.256"),
        ] {
            let schema = with(draft, &format!(r#""format": "{format}""#));
            assert_eq!(violations(&schema, &format!("{good:?}")), [""; 0]);
            assert_eq!(
                violations(&schema, &format!("{bad:?}")).len(),
                1,
                "{format}"
            );
        }
        assert_eq!(
            violations(&with(draft, r#""format": "of my own""#), "1"),
            [""; 0]
        );
    }
}

/// Cases of the JSON Schema Test Suite: `tests/vectors/json-schema/README.md`.
#[test]
fn international_formats_are_asserted() {
    let path = format!(
        "{}/../tests/vectors/json-schema/idn-formats.json",
        env!("CARGO_MANIFEST_DIR")
    );
    let vectors = json(&std::fs::read_to_string(path).unwrap());
    let mut wrong = Vec::new();
    let mut refused = 0;
    for (format, texts) in vectors.as_object().unwrap().iter() {
        let schema = format!(r#"{{ "format": "{format}" }}"#);
        let validator = Validator::new(&json(&schema)).unwrap();
        for (key, is_allowed) in [("valid", true), ("invalid", false)] {
            for text in at(texts, key).as_array().unwrap().as_slice() {
                refused += usize::from(!is_allowed);
                if validator.is_valid(text).unwrap() != is_allowed {
                    wrong.push(format!("{format}: {}", text.to_json()));
                }
            }
        }
    }
    // An IPv4 literal may have leading zeros (RFC 5321, section 4.1.3). The library refuses them.
    assert_eq!(wrong, [r#"idn-email: "user@[01.0.0.1]""#]);
    assert!(refused >= 50, "{refused}");
}

/// The validator reads only the schema, so it cannot know the vocabularies of another metaschema.
#[test]
fn a_metaschema_of_another_address_has_no_effect() {
    let metaschema = r#"{
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://example.com/no-validation",
        "$vocabulary": { "https://json-schema.org/draft/2020-12/vocab/core": true }
    }"#;
    let schema = format!(
        r#"{{ "$schema": "https://example.com/no-validation", "definitions": {{ "meta": {metaschema} }}, "minimum": 10 }}"#
    );
    assert_eq!(violations(&schema, "1").len(), 1);
}

#[test]
fn conventions_and_vectors_can_be_validated() {
    for convention in CONVENTIONS {
        let validator = Validator::new(&json(convention.text)).unwrap();
        let asset =
            r#"{ "$schema": "https://example.com/a.json", "name": "Nighthawks", "data": [] }"#;
        assert!(
            validator.is_valid(&json(asset)).unwrap(),
            "{}",
            convention.number
        );
        let wrong = asset.replace("[]", "1").replace(r#""Nighthawks""#, "1");
        assert!(
            !validator.is_valid(&json(&wrong)).unwrap(),
            "{}",
            convention.number
        );
    }
    for case in cases("reference.json") {
        assert!(Validator::new(at(&case, "schema")).is_ok());
    }
}

#[test]
fn malformed_schemas_are_refused() {
    for (schema, code, path, message) in [
        (
            "1",
            ErrorCode::SchemaInvalid,
            "",
            "the schema is not a JSON Schema",
        ),
        (
            r#"{"type":"objekt"}"#,
            ErrorCode::SchemaInvalid,
            "type",
            "the schema is not a JSON Schema",
        ),
        (
            r#"{"properties":{"a":{"maxLength":-1}}}"#,
            ErrorCode::SchemaInvalid,
            "properties.a.maxLength",
            "less than the minimum of 0",
        ),
        (
            r#"{"pattern":"("}"#,
            ErrorCode::SchemaInvalid,
            "pattern",
            "regex",
        ),
        (
            r#"{"pattern":"(a{1000}){1000}"}"#,
            ErrorCode::SchemaInvalid,
            "pattern",
            "regex",
        ),
        (
            r##"{"$ref":"#/definitions/none"}"##,
            ErrorCode::SchemaReferenceUnresolved,
            "",
            "has no target",
        ),
        (
            r#"{"$ref":"https://example.com/other.json"}"#,
            ErrorCode::SchemaReferenceUnresolved,
            "",
            "`https://example.com/other.json` is not part of the schema",
        ),
        (
            r#"{"$ref":"file:///etc/passwd"}"#,
            ErrorCode::SchemaReferenceUnresolved,
            "",
            "nothing is fetched",
        ),
        (
            r#"{"$ref":"other.json"}"#,
            ErrorCode::SchemaReferenceUnresolved,
            "",
            "nothing is fetched",
        ),
        (
            r#"{"maximum":"∞"}"#,
            ErrorCode::NumberNotFinite,
            "maximum",
            "finite",
        ),
    ] {
        let error = Validator::new(&json_with_infinities(schema)).unwrap_err();
        assert_eq!(
            (error.code(), error.path().to_string().as_str()),
            (code, path),
            "{schema}: {error}"
        );
        assert!(error.message().contains(message), "{schema}: {error}");
    }
    let error = Validator::new(&json("{}"))
        .unwrap()
        .validate(&json_with_infinities(r#"{"a":[0,"∞"]}"#))
        .unwrap_err();
    assert_eq!(
        (error.code(), error.path().to_string().as_str()),
        (ErrorCode::NumberNotFinite, "a[1]")
    );
    // A part of a schema may be referenced by the address that it declares.
    let own = r#"{"$id":"https://example.com/a.json","definitions":{"b":{"$id":"b.json","type":"string"}},"$ref":"b.json"}"#;
    assert_eq!(violations(own, "1").len(), 1);
}

#[test]
fn hostile_schemas_and_data_do_not_stall_validation() {
    // Patterns that backtrack.
    let (long, some) = ("a".repeat(50_000), "a".repeat(40));
    assert_eq!(
        violations(r#"{"pattern":"^(a+)+$"}"#, &format!("\"{long}!\"")).len(),
        1
    );
    let found = violations(
        r#"{"pattern":"^(a|a)*\\1b(?!c)$"}"#,
        &format!("\"{}!\"", some),
    );
    assert_eq!(
        found,
        ["matching the value against the pattern would take too long"]
    );
    let texts = vec![format!("\"{}!\"", some); 200].join(",");
    let found = violations(
        r#"{"items":{"pattern":"^(a|a)*\\1b(?!c)$"}}"#,
        &format!("[{texts}]"),
    );
    assert!(!found.is_empty());

    // References that lead to themselves.
    for schema in [
        r##"{"$ref":"#"}"##,
        r##"{"allOf":[{"$ref":"#"},{"$ref":"#"}]}"##,
        r##"{"anyOf":[{"$ref":"#/definitions/a"}],"definitions":{"a":{"not":{"$ref":"#/definitions/b"}},"b":{"allOf":[{"$ref":"#"}]}}}"##,
    ] {
        violations(schema, "1");
    }
    // Data in which every item violates the schema, and data with a very long message.
    let many = vec!["[]"; 120_000].join(",");
    assert_eq!(
        violations(r#"{"items":{"type":"string"}}"#, &format!("[{many}]")).len(),
        1
    );
    let some = vec!["[]"; 20_000].join(",");
    assert_eq!(
        violations(r#"{"items":{"type":"string"}}"#, &format!("[{some}]")).len(),
        MAX_VIOLATIONS
    );
    let keys: Vec<String> = (0..10_000).map(|n| format!("\"key{n}\":{n}")).collect();
    let found = violations(
        r#"{"additionalProperties":false}"#,
        &format!("{{{}}}", keys.join(",")),
    );
    assert!(found.len() == 1 && found[0].len() < 400, "{found:?}");

    // The maximum nesting depth of JSON in this crate.
    let deep = format!("{}1{}", "[".repeat(256), "]".repeat(256));
    assert_eq!(
        violations(
            r##"{"type":["array","string"],"items":{"$ref":"#"}}"##,
            &deep
        )
        .len(),
        1
    );
    let deep = format!("{}{{}}{}", r#"{"not":"#.repeat(255), "}".repeat(255));
    assert!(Validator::new(&Value::parse(&deep).unwrap()).is_ok());
}
