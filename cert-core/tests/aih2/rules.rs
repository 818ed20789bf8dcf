//! Tests the rules of the specification, one by one. In each case, a dishonest issuer has certified exactly the tree that is shown.

use cert_core::Value;
use cert_core::aih2::{Cert, Report};
use serde_json::{Value as Json, json};

use crate::report::assert_reads_back;
use crate::tokens::{Node, evidence, halves, hidden, leaf, list, object, void};

fn value(json: &Json) -> Value {
    Value::try_from(json).unwrap()
}

/// Returns the report about a tree. The evidence is attached if there are values.
fn report(schema: &Json, root: &Node, document: Option<Json>, values: Option<Json>) -> Report {
    let (imprint, mut evidence) = evidence(schema, root);
    if let Some(values) = values {
        evidence["values"] = values;
    }
    let cert = Cert::new(&value(schema)).unwrap();
    let document = document.map(|document| value(&document));
    let report = cert
        .verify(document.as_ref(), &value(&evidence), &imprint)
        .unwrap();
    assert_reads_back(&report);
    report
}

/// Returns the codes and paths of a report's errors.
fn errors(report: &Report) -> Vec<(String, String)> {
    assert_eq!(report.valid, report.errors.is_empty());
    let error = |error: &cert_core::aih2::Problem| (error.code.to_string(), error.path.to_string());
    report.errors.iter().map(error).collect()
}

#[track_caller]
fn refused(report: &Report, code: &str, path: &str) {
    assert_eq!(errors(report), [(code.to_owned(), path.to_owned())]);
}

/// Returns a schema with two properties: a list `l` and a value `z`.
fn lists(items: Json, max: Option<u32>) -> Json {
    let mut list = json!({ "type": "array", "items": items });
    if let Some(max) = max {
        list["maxItems"] = max.into();
    }
    json!({ "type": "object", "properties": { "l": list, "z": {} } })
}

/// Returns a root object with this `l` and a hidden `z`.
fn with_list(l: Node) -> Node {
    object(1, halves(l, hidden(200)))
}

fn shown(l: Json) -> Option<Json> {
    Some(json!({ "l": l }))
}

#[test]
fn a_list_of_two_items_follows_the_formulas() {
    let schema = lists(json!({}), None);
    let tree = || with_list(list(1, halves(leaf(1, &json!(7)), leaf(2, &json!(8)))));
    let found = report(&schema, &tree(), shown(json!([7, 8])), None);
    assert_eq!(errors(&found), []);
    assert_eq!(
        (
            found.lists[0].at_most,
            found.lists[0].length,
            found.lists[0].complete
        ),
        (2, Some(2), true)
    );
    assert!(!found.objects[0].complete);
    let values = json!([[["l", 1], 8], [["l", 0], 7]]);
    assert_eq!(errors(&report(&schema, &tree(), None, Some(values))), []);
    let found = report(&schema, &tree(), shown(json!([7, 9])), None);
    refused(&found, "imprint-mismatch", "");
    assert!(found.entries.is_empty() && found.lists.is_empty());
    assert!(found.imprint.is_some());
}

#[test]
fn ends_are_proven_by_voids() {
    let schema = lists(json!({}), None);
    // The item before the end is hidden, so the list may be shorter.
    let (left, right) = (
        halves(leaf(1, &json!(1)), hidden(2)),
        halves(hidden(3), void(4)),
    );
    let found = report(
        &schema,
        &with_list(list(2, halves(left, right))),
        shown(json!([1])),
        None,
    );
    assert_eq!(errors(&found), []);
    assert_eq!((found.lists[0].at_most, found.lists[0].length), (3, None));
    // After the end, an item, a hidden slot and halves are refused.
    for after in [leaf(9, &json!(1)), hidden(9), halves(void(1), void(2))] {
        let is_item = matches!(after.block, crate::model::Block::Open(_));
        let tree = match after.block {
            crate::model::Block::Halves(..) => halves(halves(leaf(1, &json!(1)), void(2)), after),
            _ => halves(halves(leaf(1, &json!(1)), void(2)), halves(after, void(4))),
        };
        let values = if is_item {
            json!([[["l", 0], 1], [["l", 2], 1]])
        } else {
            json!([[["l", 0], 1]])
        };
        let found = report(&schema, &with_list(list(2, tree)), None, Some(values));
        refused(&found, "list-order", "l");
    }
    // A list of two items in a tree for four.
    let tree = halves(halves(leaf(1, &json!(1)), leaf(2, &json!(2))), void(3));
    let found = report(
        &schema,
        &with_list(list(2, tree)),
        shown(json!([1, 2])),
        None,
    );
    refused(&found, "list-depth", "l");
    // A list that is proven empty must be shown. A list that is not proven empty must not be shown as empty.
    for (l, code) in [(json!([]), None), (json!(null), Some("value-mismatch"))] {
        let found = report(&schema, &with_list(list(0, void(1))), shown(l), None);
        assert_eq!(errors(&found).first().map(|(code, _)| code.as_str()), code);
    }
    let found = report(&schema, &with_list(list(0, void(1))), Some(json!({})), None);
    refused(&found, "not-covered", "l");
    let found = report(
        &schema,
        &with_list(list(0, hidden(1))),
        shown(json!([])),
        None,
    );
    refused(&found, "not-covered", "l");
    // A list of which only the depth is open.
    let found = report(
        &schema,
        &with_list(list(3, hidden(1))),
        Some(json!({})),
        None,
    );
    assert_eq!(errors(&found), []);
    assert_eq!(
        (
            found.lists[0].at_most,
            found.lists[0].length,
            found.lists[0].complete
        ),
        (8, None, false)
    );
}

#[test]
fn list_depth_is_bounded_and_follows_max_items() {
    for (max, depth, code) in [
        (None, 32, None),
        (None, 33, Some("list-depth")),
        (None, 255, Some("list-depth")),
        (Some(5), 3, None),
        (Some(5), 2, Some("list-depth")),
        (Some(5), 4, Some("list-depth")),
        (Some(0), 0, None),
        (Some(u32::MAX), 32, None),
        (Some(u32::MAX), 31, Some("list-depth")),
    ] {
        let found = report(
            &lists(json!({}), max),
            &with_list(list(depth, hidden(1))),
            Some(json!({})),
            None,
        );
        let found = errors(&found);
        match code {
            Some(code) => assert_eq!(
                found,
                [(code.to_owned(), "l".to_owned())],
                "{max:?} {depth}"
            ),
            // A list with `maxItems` 0 is empty.
            None if max == Some(0) => {
                assert_eq!(found, [("not-covered".to_owned(), "l".to_owned())])
            }
            None => assert_eq!(found, [], "{max:?} {depth}"),
        }
    }
}

#[test]
fn items_past_max_items_are_refused() {
    let schema = lists(json!({ "type": "array", "items": {} }), Some(3));
    let inner = || list(0, void(9));
    let four = |last: Node| {
        with_list(list(
            2,
            halves(halves(hidden(1), inner()), halves(hidden(3), last)),
        ))
    };
    // The fourth slot of a list with at most three items. Next to a hidden item, this slot must not be hidden. A void in this slot proves
    // only that the list has at most three items.
    let found = report(&schema, &four(hidden(4)), None, Some(json!([])));
    refused(&found, "proof-shape", "l");
    let found = report(&schema, &four(void(4)), None, Some(json!([])));
    assert_eq!(errors(&found), []);
    assert_eq!((found.lists[1].at_most, found.lists[1].length), (3, None));
    let found = report(&schema, &four(inner()), None, Some(json!([])));
    refused(&found, "list-too-long", "l");
    let found = report(
        &schema,
        &four(leaf(4, &json!(1))),
        None,
        Some(json!([[["l", 3], 1]])),
    );
    refused(&found, "list-too-long", "l");
    let tree = with_list(list(2, halves(hidden(1), leaf(4, &json!(1)))));
    let found = report(&schema, &tree, shown(json!([1, 1, 1, 1])), None);
    refused(&found, "list-too-long", "l");
    // All three slots are open, so nothing is hidden, whatever comes after them.
    let three = halves(halves(inner(), inner()), halves(inner(), hidden(4)));
    let found = report(
        &schema,
        &with_list(list(2, three)),
        shown(json!([[], [], []])),
        None,
    );
    assert_eq!(errors(&found), []);
    let all = found
        .lists
        .iter()
        .find(|list| list.path.steps().len() == 1)
        .unwrap();
    assert_eq!((all.at_most, all.length, all.complete), (3, Some(3), true));
}

#[test]
fn misplaced_tokens_are_refused() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "object", "properties": { "x": {} } }, "b": { "type": "array", "items": {} }, "c": {} } });
    let three = |a: Node, b: Node, c: Node| object(2, halves(halves(a, b), halves(c, hidden(9))));
    let x = || object(0, leaf(1, &json!(1)));
    let document = Some(json!({ "a": { "x": 1 } }));
    let found = report(
        &schema,
        &three(x(), hidden(2), leaf(3, &json!(1))),
        Some(json!({ "a": { "x": 1 }, "c": 1 })),
        None,
    );
    assert_eq!(errors(&found), []);
    for (tree, code, path) in [
        // Objects and lists in places where the schema does not split them.
        (three(x(), x(), hidden(3)), "proof-shape", "b"),
        (
            three(list(0, hidden(1)), hidden(2), leaf(3, &json!(1))),
            "proof-shape",
            "a",
        ),
        (
            three(hidden(1), x(), leaf(3, &json!(1))),
            "proof-shape",
            "b",
        ),
        (three(x(), hidden(2), x()), "proof-shape", "c"),
        // A place above a slot, a place after the last slot, and halves of a slot.
        (object(2, halves(x(), hidden(2))), "proof-shape", ""),
        (
            object(2, halves(hidden(1), halves(hidden(3), x()))),
            "proof-shape",
            "",
        ),
        (
            three(halves(hidden(1), void(2)), hidden(2), hidden(3)),
            "proof-shape",
            "",
        ),
        // Both halves hidden, and nothing open at all.
        (
            object(2, halves(halves(hidden(1), hidden(2)), void(3))),
            "proof-shape",
            "",
        ),
        (object(2, hidden(1)), "proof-shape", ""),
        (
            three(object(0, hidden(1)), hidden(2), leaf(3, &json!(1))),
            "proof-shape",
            "a",
        ),
        (hidden(1), "nothing-open", ""),
        (halves(void(1), void(2)), "proof-shape", ""),
        (list(0, hidden(1)), "proof-shape", ""),
    ] {
        refused(&report(&schema, &tree, document.clone(), None), code, path);
    }
    // An open object is shown, even if it appears empty.
    let absent = || three(object(0, void(1)), hidden(2), leaf(3, &json!(1)));
    let found = report(&schema, &absent(), Some(json!({ "a": {}, "c": 1 })), None);
    assert_eq!(errors(&found), []);
    for a in [
        json!({ "c": 1 }),
        json!({ "a": null, "c": 1 }),
        json!({ "a": [], "c": 1 }),
    ] {
        refused(
            &report(&schema, &absent(), Some(a), None),
            "value-mismatch",
            "a",
        );
    }
    // A document given with values must equal the document that contains these values.
    let values = json!([[["c"], 1]]);
    for (page, expected) in [
        (json!({ "a": {}, "c": 1 }), vec![]),
        (json!({ "a": {}, "c": 2 }), vec![("value-mismatch", "c")]),
        (json!({ "a": {} }), vec![("value-mismatch", "c")]),
        (json!({ "c": 1 }), vec![("value-mismatch", "a")]),
        (
            json!({ "a": { "x": 1 }, "c": 1 }),
            vec![("value-mismatch", "a.x")],
        ),
        (
            json!({ "a": {}, "b": [], "c": 1 }),
            vec![("not-covered", "b")],
        ),
        (
            json!({ "a": {}, "c": 1, "d": 1 }),
            vec![("not-in-schema", "d")],
        ),
        (
            json!({ "a": 7, "c": [] }),
            vec![("value-mismatch", "a"), ("value-mismatch", "c")],
        ),
    ] {
        let found = report(&schema, &absent(), Some(page.clone()), Some(values.clone()));
        let expected: Vec<_> = expected
            .iter()
            .map(|(code, path)| ((*code).to_owned(), (*path).to_owned()))
            .collect();
        assert_eq!(errors(&found), expected, "{page}");
    }
}

#[test]
fn uncovered_places_do_not_refute_other_places() {
    let schema = lists(json!({}), None);
    let tree = || {
        with_list(list(
            2,
            halves(halves(hidden(1), leaf(2, &json!(null))), hidden(3)),
        ))
    };
    for (document, expected) in [
        (json!({ "l": [null, null] }), vec![]),
        (json!({ "l": [0, null] }), vec![("not-covered", "l[0]")]),
        (
            json!({ "l": [null, null, null] }),
            vec![("not-covered", "l[2]")],
        ),
        (
            json!({ "l": [null, null, null, 4] }),
            vec![("not-covered", "l[2]"), ("not-covered", "l[3]")],
        ),
        (
            json!({ "l": [null, null], "z": null }),
            vec![("not-covered", "z")],
        ),
        (
            json!({ "l": [null, null], "y": null }),
            vec![("not-in-schema", "y")],
        ),
    ] {
        let found = report(&schema, &tree(), Some(document.clone()), None);
        let expected: Vec<_> = expected
            .iter()
            .map(|(code, path)| ((*code).to_owned(), (*path).to_owned()))
            .collect();
        assert_eq!(errors(&found), expected, "{document}");
        assert_eq!(found.entries.len(), 1, "{document}");
        assert_eq!(
            found.imprint.map(|imprint| imprint.to_string()),
            Some(evidence(&schema, &tree()).0)
        );
    }
}

#[test]
fn pairs_must_match_the_open_slots_exactly() {
    let inner = json!({ "type": "array", "items": { "type": "array", "items": {} } });
    let schema = json!({ "type": "object", "properties": { "l": inner, "z": {} } });
    let tree = || {
        let one = list(1, halves(leaf(1, &json!(1)), leaf(2, &json!(2))));
        with_list(list(1, halves(one, hidden(3))))
    };
    let right = json!([[["l", 0, 0], 1], [["l", 0, 1], 2]]);
    assert_eq!(
        errors(&report(&schema, &tree(), None, Some(right.clone()))),
        []
    );
    for (more, path) in [
        (json!([["z"], 1]), ""),
        (json!([["y"], 1]), ""),
        (json!([[0], 1]), ""),
        (json!([["l", 1], []]), "l"),
        (json!([["l", 0, 2], 3]), "l[0]"),
        (json!([["l", 0, "x"], 3]), "l[0]"),
        (json!([["l", "-"], 3]), "l"),
    ] {
        let mut values = right.clone();
        values.as_array_mut().unwrap().push(more);
        let found = report(&schema, &tree(), None, Some(values));
        refused(&found, "value-mismatch", path);
    }
    for values in [
        json!([]),
        json!([[["l", 0, 0], 1]]),
        json!([[["l", 0], [1, 2]]]),
        json!([[["l"], [[1, 2]]]]),
        json!([[[], {}]]),
    ] {
        assert!(
            !report(&schema, &tree(), None, Some(values.clone())).valid,
            "{values}"
        );
    }
    // If the key of the whole root is open, there is one pair, with an empty path.
    let root = Node {
        block: crate::model::Block::Open([5; 32]),
        hash: [0; 32],
    };
    for values in [
        json!([]),
        json!([[["l"], []]]),
        json!([[[], []]]),
        json!([[[], null]]),
    ] {
        refused(
            &report(&schema, &root, None, Some(values)),
            "value-mismatch",
            "",
        );
    }
}

#[test]
fn an_item_with_a_large_index_takes_no_memory() {
    let schema = lists(json!({}), Some(u32::MAX));
    let mut block = leaf(1, &json!(1));
    for level in 0..32 {
        block = if level == 0 {
            halves(block, hidden(2))
        } else {
            halves(hidden(2), block)
        };
    }
    let tree = with_list(list(32, block));
    let far = json!([[["l", 4_294_967_294_u32], 1]]);
    let found = report(&schema, &tree, None, Some(far.clone()));
    assert_eq!(errors(&found), []);
    assert_eq!(
        (found.lists[0].at_most, found.lists[0].length),
        (u32::MAX.into(), Some(u32::MAX.into()))
    );
    let found = report(&schema, &tree, shown(json!([1])), Some(far));
    assert!(!found.valid);
}

#[test]
fn the_last_slot_of_the_deepest_list_can_be_open() {
    let schema = lists(json!({}), None);
    let block = (0..32).fold(leaf(1, &json!(1)), |block, _| halves(hidden(2), block));
    let tree = with_list(list(32, block));
    let found = report(&schema, &tree, None, Some(json!([[["l", u32::MAX], 1]])));
    assert_eq!(errors(&found), []);
    assert_eq!(found.lists[0].length, Some(1 << 32));
    let beyond = json!([[["l", 1_u64 << 32], 1]]);
    let found = report(&schema, &tree, None, Some(beyond));
    refused(&found, "evidence-malformed", "values[0]");
}

#[test]
fn a_place_that_is_open_in_part_has_no_pair() {
    let schema = lists(json!({}), None);
    let tree = || with_list(list(1, halves(leaf(1, &json!(1)), hidden(2))));
    for (path, at) in [(json!([]), ""), (json!(["l"]), "l")] {
        for given in [json!(null), json!({}), json!([])] {
            let alone = json!([[path.clone(), given.clone()]]);
            refused(
                &report(&schema, &tree(), None, Some(alone)),
                "value-mismatch",
                at,
            );
        }
    }
}
