//! Tests that reading a document in parts gives the same imprint, uncovered paths and errors as reading it whole.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use proptest::prelude::*;

use crate::cert::Cert;
use crate::error::ErrorCode;
use crate::hash::keyed::KeyedNoncer;
use crate::hash::sha256::Sha256Hasher;
use crate::json::value::Value;
use crate::steps;

const SCHEMA: &str = r#"{ "type": "object", "properties": {
    "name": { "type": "string" },
    "rows": { "type": "array", "items": { "type": "object", "properties": { "id": {}, "tags": { "type": "array", "items": {} } } } },
    "inner": { "type": "object", "properties": { "list": { "type": "array", "items": { "type": "array", "items": {} } }, "b": {} } },
    "nothing": { "type": "object", "properties": {} },
    "empties": { "type": "array", "items": { "type": "object", "properties": {} } }
} }"#;

fn cert() -> Cert {
    Cert::new(&Value::parse(SCHEMA).unwrap()).unwrap()
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_string()),
        Just("true".to_string()),
        any::<i32>().prop_map(|number| number.to_string()),
        "[a-c,\\]}{ ü]{0,6}".prop_map(|text| Value::from(text).to_json()),
    ]
}

/// Generates a list with random white space.
fn list(item: impl Strategy<Value = String>, most: usize) -> impl Strategy<Value = String> {
    (proptest::collection::vec(item, 0..most), "[ \n]{0,2}").prop_map(|(items, space)| {
        format!(
            "[{space}{}{space}]",
            items.join(&format!("{space},{space}"))
        )
    })
}

fn document() -> impl Strategy<Value = String> {
    let row = (scalar(), list(scalar(), 14))
        .prop_map(|(id, tags)| format!(r#"{{"id":{id},"tags":{tags},"other":1}}"#));
    let inner = (list(list(scalar(), 4), 14), scalar())
        .prop_map(|(list, b)| format!(r#"{{ "list": {list} , "b": {b} }}"#));
    let members = (
        scalar(),
        list(row, 90),
        prop_oneof![Just("null".to_string()), inner],
        list(Just("{}".to_string()), 3),
        scalar(),
    );
    members.prop_map(|(name, rows, inner, empties, more)| {
        format!(r#" {{"name":{name}, "more":{more},"rows":{rows},"nothing":{{}},"inner":{inner},"empties":{empties}}} "#)
    })
}

proptest! {
    #[test]
    fn reading_in_parts_gives_the_same_imprint(text in document(), part in 1_usize..200) {
        let data = Value::parse(&text).unwrap();
        let secret = KeyedNoncer::new(&[7; 32]).unwrap();
        let keyed = Cert::with(&Value::parse(SCHEMA).unwrap(), Sha256Hasher, secret).unwrap();
        let (imprint, mut uncovered) = cert().imprint_text_in_parts(&text, part, &mut |_| ()).unwrap();
        prop_assert_eq!(&imprint, &cert().imprint(&data).unwrap());
        // `imprint_text_in_parts` lists uncovered paths in long members last. Both lists are therefore
        // sorted before they are compared.
        let mut expected = cert().uncovered(&data);
        uncovered.sort();
        expected.sort();
        prop_assert_eq!(uncovered, expected);
        let (imprint, _) = keyed.imprint_text_in_parts(&text, part, &mut |_| ()).unwrap();
        prop_assert_eq!(imprint, keyed.imprint(&data).unwrap());
    }

    /// A changed text is refused when it is read in parts if and only if it is refused when it is read whole.
    #[test]
    fn reading_in_parts_accepts_and_refuses_the_same_texts(text in document(), part in 1_usize..200, at in any::<proptest::sample::Index>(), by in "[\\[\\]{},:\"a1 ]{0,2}") {
        let mut chars: Vec<char> = text.chars().collect();
        let at = at.index(chars.len());
        chars.splice(at..=at, by.chars());
        let text: String = chars.into_iter().collect();
        let whole = Value::parse(&text).and_then(|data| cert().imprint(&data));
        let parts = cert().imprint_text_in_parts(&text, part, &mut |_| ());
        match (whole, parts) {
            (Ok(whole), Ok((parts, _))) => prop_assert_eq!(whole, parts),
            (Err(_), Err(_)) => {}
            (whole, parts) => prop_assert!(false, "{:?} {:?}", whole, parts),
        }
    }
}

#[test]
fn the_work_for_an_object_grows_linearly_with_its_keys() {
    steps::assert_linear(|count| {
        let member = |value: &'static str| move |at: usize| format!(r#""k{at}":{value}"#);
        let object = |value| (0..count).map(member(value)).collect::<Vec<_>>().join(",");
        let schema = format!(r#"{{"type":"object","properties":{{{}}}}}"#, object("{}"));
        let schema = Cert::new(&Value::parse(&schema).unwrap()).unwrap();
        let text = format!("{{{}}}", object("1"));
        steps::of(|| drop(schema.imprint_text_in_parts(&text, 1, &mut |_| ()).unwrap()))
    });
}

#[test]
fn errors_have_their_path_from_the_root() {
    for (text, code, path) in [
        (
            r#"{"rows":[{"id":1},{"id":1,"id":2}]}"#,
            ErrorCode::KeyDuplicate,
            "rows[1].id",
        ),
        (
            r#"{"rows":[{"id":1},{"id":{}}]}"#,
            ErrorCode::DataTypeMismatch,
            "rows[1].id",
        ),
        (
            r#"{"rows":[{"id":1},2]}"#,
            ErrorCode::DataTypeMismatch,
            "rows[1]",
        ),
        (
            r#"{"rows":[{"id":1}],"rows":[]}"#,
            ErrorCode::KeyDuplicate,
            "rows",
        ),
        (
            r#"{"nothing":{"a":{}},"empties":[{},1],"name":"a"}"#,
            ErrorCode::DataTypeMismatch,
            "empties[1]",
        ),
        (
            r#"{"name":1e999,"rows":[]}"#,
            ErrorCode::NumberNotFinite,
            "name",
        ),
    ] {
        let whole = Value::parse(text)
            .and_then(|data| cert().imprint(&data))
            .unwrap_err();
        let parts = cert()
            .imprint_text_in_parts(text, 1, &mut |_| ())
            .unwrap_err();
        assert_eq!(
            (whole.code(), whole.path().to_string().as_str()),
            (code, path),
            "{text}"
        );
        assert_eq!((parts.code(), parts.path()), (code, whole.path()), "{text}");
    }
}

#[test]
fn nesting_depth_is_counted_from_the_root() {
    let deep = |levels: usize| {
        let levels = levels.saturating_sub(1);
        format!(r#"{{"more":{}{}}}"#, "[".repeat(levels), "]".repeat(levels))
    };
    assert!(
        cert()
            .imprint_text_in_parts(&deep(256), 1, &mut |_| ())
            .is_ok()
    );
    let error = cert()
        .imprint_text_in_parts(&deep(257), 1, &mut |_| ())
        .unwrap_err();
    assert_eq!(error.code(), ErrorCode::JsonTooDeep);
}
