use alloc::vec::Vec;
use alloc::{format, vec};

use cert_core::{
    Cert, CertError, ErrorCode, Evidence as _, Input, Location, MAX_JSON_DEPTH, RawEvidence,
    ReasonCode, Value,
};

use super::write::{Writer, of};
use super::*;

/// Joins a text and a list as JavaScript does.
fn packed(text: &str, list: &[u32]) -> Vec<u8> {
    let mut writer = Writer::default();
    writer.text = text.into();
    writer.list = list.into();
    writer.finish()
}

fn unpacked(text: &str, list: &[u32]) -> Result<Value, CertError> {
    value(packed(text, list), MAX_JSON_DEPTH)
}

fn repacked(value: &Value) -> Value {
    let mut writer = Writer::default();
    writer.value(value);
    super::value(writer.finish(), MAX_JSON_DEPTH).unwrap()
}

#[test]
fn packed_values_are_read() {
    let list = [
        of(OBJECT, 2),
        of(KEY, 1),
        of(ARRAY, 3),
        of(STRING, 4),
        of(NUMBER, 4),
        of(WHOLE, 17),
        of(KEY, 1),
        of(OBJECT, 1),
        of(KEY_AGAIN, 0),
        of(WORD, 2),
    ];
    let value = unpacked("aé😀c1.25ä", &list).unwrap();
    assert_eq!(value.to_json(), r#"{"a":["é😀c",1.25,17],"ä":{"a":false}}"#);
    let infinite = unpacked("Infinity", &[of(NUMBER, 8)]).unwrap();
    assert_eq!(infinite, Value::from(f64::INFINITY));
    // `JSON.stringify` also writes null for an infinite number.
    assert_eq!(repacked(&infinite), Value::Null);
}

#[test]
fn packed_values_survive_a_round_trip() {
    let many = (0..100).map(|at| format!(r#""key {at}":[{at},{{"key {at}":"é😀","x":-0.5}}]"#));
    let many = many.collect::<Vec<_>>().join(",");
    for text in [
        "null",
        "[true,false,0,536870911,536870912,4294967295,1e21,-1,\"\"]",
        r#"{"a":{"a":[{"a":"ä"},{"b":1,"a":2}]},"":[]}"#,
        &format!("{{{many}}}"),
    ] {
        let value = Value::parse(text).unwrap();
        assert_eq!(repacked(&value).to_json(), value.to_json());
    }
}

#[test]
fn malformed_bytes_are_refused() {
    let code = |text, list: &[u32]| unpacked(text, list).unwrap_err().code();
    for (text, list) in [
        ("", vec![]),
        ("", vec![8]), // missing text
        ("é", vec![16]),
        ("😀", vec![8]),   // half of a character
        ("", vec![8 + 4]), // a missing element
        ("", vec![8 + 5]),
        ("", vec![8 + 5, 3, 3]), // a word in place of a key
        ("", vec![8 + 5, 7, 3]), // a repetition of an unknown key
        ("", vec![6]),           // a key in place of a value
        ("", vec![24 + 3]),      // an absent value, allowed only in proofs
        ("", vec![u32::MAX - 3]),
        ("", vec![u32::MAX - 7]),
    ] {
        assert_eq!(code(text, &list), ErrorCode::JsonInvalid, "{text} {list:?}");
    }
    assert_eq!(
        code("a", &[16 + 5, 8 + 6, 3, 7, 3]),
        ErrorCode::KeyDuplicate
    );
    let deep = [&[12; 256][..], &[4]].concat();
    assert_eq!(code("", &deep), ErrorCode::JsonTooDeep);
    assert!(unpacked("", &[&[12; 256][..], &[3]].concat()).is_ok());
}

/// Packed proofs are read as the same evidence, whatever text they contain.
#[test]
fn packed_proofs_are_read_as_the_same_evidence() {
    let schema = r#"{"type":"object","properties":{
        "é😀":{"type":"array","items":{"type":"object","properties":{"a":{},"b":{"type":"array","items":{}}}}},
        "none":{}, "null":{}, "yes":{}, "no":{}, "half":{}, "many":{}, "text":{}}}"#;
    let rows = (0..12).map(|row| format!(r#"{{"a":"{row}ä","b":[{row}]}}"#));
    let rows = rows.collect::<Vec<_>>().join(",");
    let data = format!(
        r#"{{"é😀":[{rows}],"null":null,"yes":true,"no":false,"half":-0.5,"many":1e9,"text":"ö"}}"#
    );
    let data = Value::parse(&data).unwrap();
    let hasher = |input: Input<'_>, _: Location<'_>| Ok(format!("häsh{:06}", input.text().len()));
    let noncer = |location: Location<'_>| Ok(format!("{}😀", location.path()));
    let cert = Cert::with(&Value::parse(schema).unwrap(), hasher, noncer).unwrap();
    let proofs = cert.notarize(&data).unwrap();
    let packed = PackedProofs::new(pack_proofs(&proofs));
    let (mut one, mut other) = (RawEvidence::default(), RawEvidence::default());
    packed.read(&mut one).unwrap();
    proofs.read(&mut other).unwrap();
    assert_eq!(one, other);
}

#[test]
fn values_that_are_not_proofs_are_malformed() {
    let code = |list: &[u32]| {
        let packed = PackedProofs::new(packed("ab", list));
        packed.read(&mut RawEvidence::default()).unwrap_err().code
    };
    let (array, other) = (ARRAY, of(WORD, 4));
    let node = |index, hash| [of(ARRAY, 1), array, of(ARRAY, 1), index, hash, array];
    for list in [
        &[][..],
        &[other],
        &[of(ARRAY, 1)],
        &[of(ARRAY, 1), other],
        &[of(ARRAY, 1), array, array],
        &[of(ARRAY, 1), of(ARRAY, 1), of(WORD, 3), array, array],
        &node(of(WHOLE, 0), other),
        &node(of(WHOLE, 0), of(STRING, 3)),
        &node(of(WORD, 3), of(STRING, 1)),
        &[u32::MAX - 3],
    ] {
        assert_eq!(code(list), ReasonCode::EvidenceMalformed, "{list:?}");
    }
    for index in [of(STRING, 1), of(WORD, 0), of(WORD, 1)] {
        assert_eq!(
            code(&node(index, of(STRING, 1))),
            ReasonCode::IndexOutOfRange
        );
    }
}
