//! Tests the bounds of depth and work, and documents that show too much of a list.

use cert_core::Value;
use cert_core::aih2::{Cert, Evidence, MAX_PLACEHOLDERS};
use serde_json::{Value as Json, json};

use crate::model::Block;
use crate::tokens::{Node, evidence, halves, hidden, leaf, list, object};

fn value(json: &Json) -> Value {
    Value::try_from(json).unwrap()
}

#[test]
fn a_document_has_no_placeholder_after_its_last_shown_item() {
    let inner = json!({ "type": "array", "items": {} });
    let schema =
        json!({ "type": "object", "properties": { "l": { "type": "array", "items": inner } } });
    // The second item is a list. The proof opens only its depth, so a document does not show it.
    let items = halves(list(0, leaf(1, &json!(1))), list(1, hidden(2)));
    let (imprint, mut evidence) = evidence(&schema, &object(0, list(1, items)));
    evidence["values"] = json!([[["l", 0, 0], 1]]);
    let cert = Cert::new(&value(&schema)).unwrap();
    let verify = |page: Json| {
        let (page, evidence) = (value(&page), value(&evidence));
        cert.verify(Some(&page), &evidence, &imprint).unwrap()
    };
    assert!(verify(json!({ "l": [[1]] })).valid);
    let found = verify(json!({ "l": [[1], null] }));
    let error = &found.errors[0];
    let told = (error.code.to_string(), error.path.to_string());
    assert_eq!(told, ("not-covered".to_owned(), "l[1]".to_owned()));
}

#[test]
fn a_document_built_from_evidence_has_a_bounded_number_of_placeholders() {
    let list_of = json!({ "type": "array", "items": {} });
    let schema = json!({ "type": "object", "properties": { "l": list_of, "m": list_of } });
    let cert = Cert::new(&value(&schema)).unwrap();
    // A list of 2^depth slots. Only the slot at `index` is open.
    let one_item = |index: u64, depth: u8| {
        let block = (0..depth).fold(leaf(1, &json!("x")), |block, level| {
            match (index >> level) & 1 {
                0 => halves(block, hidden(2)),
                _ => halves(hidden(2), block),
            }
        });
        list(depth, block)
    };
    let most = MAX_PLACEHOLDERS as u64;
    for (l, m, items) in [
        ((most, 17), None, Some((MAX_PLACEHOLDERS + 1, 0))),
        ((most + 1, 17), None, None),
        ((1 << 31, 32), None, None),
        (
            (most - 2, 16),
            Some((2, 2)),
            Some((MAX_PLACEHOLDERS - 1, 3)),
        ),
        ((most - 2, 16), Some((3, 2)), None),
    ] {
        let other = m.map_or_else(|| hidden(3), |(index, depth)| one_item(index, depth));
        let root = object(1, halves(one_item(l.0, l.1), other));
        let (imprint, mut evidence) = evidence(&schema, &root);
        let mut values = vec![json!([["l", l.0], "x"])];
        values.extend(m.map(|(index, _)| json!([["m", index], "x"])));
        evidence["values"] = json!(values);
        let evidence = Evidence::parse(&evidence.to_string()).unwrap();
        let imprint = imprint.parse().unwrap();
        assert!(cert.verify_read(None, &evidence, &imprint).unwrap().valid);
        let lengths = cert.document(&evidence).map(|document| {
            let object = document.as_object().unwrap();
            let length = |name| {
                object
                    .get(name)
                    .map_or(0, |list| list.as_array().unwrap().len())
            };
            (length("l"), length("m"))
        });
        assert_eq!(lengths, items, "{l:?} {m:?}");
    }
}

#[test]
fn values_in_evidence_have_the_depth_limit_of_documents() {
    let schema = json!({ "type": "object", "properties": { "z": {} } });
    for (levels, code) in [(255, None), (256, Some("json-too-deep"))] {
        let deep = (0..levels).fold(json!(1), |inner, _| json!([inner]));
        // The root is an object that has one slot.
        let (imprint, mut evidence) = evidence(&schema, &object(0, leaf(1, &deep)));
        evidence["values"] = json!([[["z"], deep]]);
        let found = Evidence::parse(&evidence.to_string());
        let found = found.map_err(|error| error.code().to_string());
        assert_eq!(found.as_ref().err().map(String::as_str), code);
        if let Ok(evidence) = found {
            let cert = Cert::new(&value(&schema)).unwrap();
            let imprint = imprint.parse().unwrap();
            assert!(cert.verify_read(None, &evidence, &imprint).unwrap().valid);
        }
    }
}

#[test]
fn evidence_beyond_the_work_limit_is_refused_before_hashing() {
    let names = (0..1000).map(|number| (number.to_string(), json!({})));
    let names: serde_json::Map<_, _> = names.collect();
    let row = json!({ "type": "object", "properties": names });
    let schema =
        json!({ "type": "object", "properties": { "l": { "type": "array", "items": row } } });
    // Hashing an empty row takes about 1,000 voids, 1,000 nodes, and two keys for each node.
    let document = json!({ "l": vec![json!({}); 1100] });
    let root = Node {
        block: Block::Open([5; 32]),
        hash: [0; 32],
    };
    let (imprint, evidence) = evidence(&schema, &root);
    let cert = Cert::new(&value(&schema)).unwrap();
    let found = cert.verify(Some(&value(&document)), &value(&evidence), &imprint);
    let found = found.unwrap();
    let codes: Vec<_> = found
        .errors
        .iter()
        .map(|error| error.code.to_string())
        .collect();
    assert_eq!(codes, ["too-much-work"]);
    assert_eq!(found.imprint, None);
}
