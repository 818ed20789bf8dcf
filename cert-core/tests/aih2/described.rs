//! Tests the paths that can be disclosed under a schema, and the paths in a document that its schema does not describe.

use cert_core::aih2::{self, Cert, Keys, Values};
use cert_core::{ErrorCode, MAX_ENTRIES, MAX_PATH_BYTES, MAX_UNCOVERED, Path, Value};
use serde_json::Value as Json;

use crate::random::Random;

const SCHEMA: &str = r#"{ "type": "object", "properties": {
    "name": { "type": "string" }, "any": true, "empty": { "type": ["null", "object"], "properties": {} }, "open": { "type": "object" },
    "books": { "type": "array", "items": { "type": "object", "properties": { "title": {}, "by.name": {} } } },
    "rows": { "type": "array", "items": { "type": "array", "items": {} } }, "tuple": { "type": "array", "items": [{}] },
    "both": { "type": ["array", "object"], "properties": { "x": {} }, "items": { "type": "object", "properties": { "y": {} } } }
} }"#;

fn cert(schema: &str) -> Cert {
    Cert::new(&aih2::parse(schema).unwrap()).unwrap()
}

fn texts(paths: &[Path]) -> Vec<String> {
    paths.iter().map(|path| path.to_value().to_json()).collect()
}

#[test]
fn objects_and_lists_come_before_their_content() {
    assert_eq!(
        texts(&cert(SCHEMA).paths()),
        [
            r#"["any"]"#,
            r#"["books"]"#,
            r#"["books",0]"#,
            r#"["books",0,"by.name"]"#,
            r#"["books",0,"title"]"#,
            r#"["both"]"#,
            r#"["both","x"]"#,
            r#"["both",0]"#,
            r#"["both",0,"y"]"#,
            r#"["empty"]"#,
            r#"["name"]"#,
            r#"["open"]"#,
            r#"["rows"]"#,
            r#"["rows",0]"#,
            r#"["rows",0,0]"#,
            r#"["tuple"]"#,
        ]
    );
    let nothing = cert(r#"{"type":"object","properties":{}}"#);
    assert_eq!(nothing.paths(), []);
}

#[test]
fn every_path_of_a_random_schema_can_be_disclosed() {
    let mut count = 0;
    for seed in 0..500 {
        let case = Random::new(seed).case();
        let value = |json: &Json| Value::try_from(json).unwrap();
        let (cert, data) = (Cert::new(&value(&case.schema)).unwrap(), value(&case.data));
        assert_eq!(cert.uncovered(&data), []);
        for path in cert.paths() {
            let keys = Keys::Key(case.key.into());
            match cert.disclose(&data, &keys, std::slice::from_ref(&path), Values::Attach) {
                Ok(_) => count += 1,
                // The document has one leaf there. If the schema allows both objects and lists, the document may also have an object where
                // the path needs a list, or a list where the path needs an object.
                Err(error) => assert!(
                    [ErrorCode::PathNotSeparable, ErrorCode::PathsInvalid].contains(&error.code()),
                    "{path}: {error}"
                ),
            }
        }
    }
    assert!(count > 1_000, "{count}");
}

#[test]
fn a_long_list_of_paths_is_bounded() {
    let many = |count: usize| {
        let members = (0..count).map(|at| format!(r#""{at}":{{}}"#));
        let members = members.collect::<Vec<_>>().join(",");
        format!(r#"{{"type":"object","properties":{{{members}}}}}"#)
    };
    let paths = |count: usize| cert(&many(count)).paths().len();
    assert_eq!(paths(MAX_ENTRIES - 1), MAX_ENTRIES - 1);
    assert_eq!(paths(MAX_ENTRIES + 1), MAX_ENTRIES);
    // The text of a key counts once for each path that contains it.
    let key = "k".repeat(MAX_PATH_BYTES / 100);
    let long = format!(
        r#"{{"type":"object","properties":{{"{key}":{}}}}}"#,
        many(1_000)
    );
    assert_eq!(cert(&long).paths().len(), 99);
}

#[test]
fn keys_that_the_schema_lacks_are_listed_and_refused() {
    let cert = cert(SCHEMA);
    let refusal = |data: &Value| cert.imprint(data, &Keys::Key([1; 32].into())).err();
    for (data, paths) in [
        ("{}", &[][..]),
        (
            r#"{"name":{"x":1},"any":[{"y":2}],"open":{"z":3},"tuple":[{"a":1}],"empty":null,"rows":[null,[1]],"books":{"title":1},
                "both":[{"y":1}]}"#,
            &[],
        ),
        (r#"{"nmae":"x","any":1}"#, &[r#"["nmae"]"#]),
        (r#"{"b":null,"a":{"deep":[1]}}"#, &[r#"["b"]"#, r#"["a"]"#]),
        (
            r#"{"books":[{"title":1},{"titel":2},{"by.name":3,"isbn":4}],"empty":{"x":1},"both":{"y":1}}"#,
            &[
                r#"["books",1,"titel"]"#,
                r#"["books",2,"isbn"]"#,
                r#"["empty","x"]"#,
                r#"["both","y"]"#,
            ],
        ),
    ] {
        let data = aih2::parse(data).unwrap();
        let uncovered = cert.uncovered(&data);
        assert_eq!(texts(&uncovered), paths, "{}", data.to_json());
        // The error of certification has one of these paths.
        let refused = refusal(&data).map(|error| (error.code(), error.path().clone()));
        assert_eq!(refused.is_some(), !paths.is_empty(), "{refused:?}");
        if let Some((code, path)) = refused {
            assert_eq!(code, ErrorCode::NotInSchema);
            assert!(uncovered.contains(&path), "{path}");
        }
    }
    assert_eq!(cert.uncovered(&aih2::parse("[]").unwrap()), []);
    let rows: Vec<String> = (0..1_000).map(|at| format!(r#"{{"x":{at}}}"#)).collect();
    let many = aih2::parse(&format!(r#"{{"books":[{}],"extra":1}}"#, rows.join(","))).unwrap();
    let named = texts(&cert.uncovered(&many));
    assert_eq!(named.len(), MAX_UNCOVERED);
    assert_eq!(named.last().unwrap(), r#"["books",99,"x"]"#);
}
