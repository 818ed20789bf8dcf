//! Tests reports: the status of each value of a document, and the asset that evidence must be for.

use cert_core::aih2::{Asset, Cert, DocumentKey, Evidence, Keys, Report, Values};
use cert_core::{ErrorCode, MAX_ENTRIES, MAX_PATH_BYTES, Path, Value};
use serde_json::{Value as Json, json};

const LEDGER: &str = "0x00000000000000000000000000000000000000aB";

fn value(json: &Json) -> Value {
    Value::try_from(json).unwrap()
}

/// A document of one schema, with its imprint.
struct Certified {
    cert: Cert,
    data: Value,
    imprint: String,
}

impl Certified {
    fn new(schema: &Json, data: &Json) -> Self {
        let (cert, data) = (Cert::new(&value(schema)).unwrap(), value(data));
        let imprint = cert.imprint(&data, &Self::keys()).unwrap().to_string();
        Self {
            cert,
            data,
            imprint,
        }
    }

    fn keys() -> Keys {
        Keys::Key(DocumentKey::from([7; 32]))
    }

    fn disclose(&self, paths: &Json, values: Values) -> Value {
        let paths = Path::list_from(&value(paths)).unwrap();
        let evidence = self
            .cert
            .disclose(&self.data, &Self::keys(), &paths, values);
        evidence.unwrap().to_value()
    }

    fn verify(&self, page: Option<&Json>, evidence: &Value) -> Report {
        let page = page.map(value);
        let report = self.cert.verify(page.as_ref(), evidence, &self.imprint);
        let report = report.unwrap();
        assert_reads_back(&report);
        report
    }

    fn verify_asset(&self, evidence: &Value, id: &str) -> Vec<String> {
        let asset = Asset::new(LEDGER, id).unwrap();
        let verified = self
            .cert
            .verify_asset(None, evidence, &self.imprint, &asset);
        let report = verified.unwrap();
        let typed = self.cert.verify_asset_read(
            None,
            &Evidence::from_value(evidence).unwrap(),
            &self.imprint.parse().unwrap(),
            &asset,
        );
        assert_eq!(typed.unwrap(), report);
        assert_eq!(report.valid, report.errors.is_empty());
        errors(&report)
    }
}

/// Asserts that a report that was written as JSON is read as an equal report.
pub(crate) fn assert_reads_back(report: &Report) {
    let text = serde_json::to_string(report).unwrap();
    assert_eq!(text, report.to_value().to_json());
    assert_eq!(&serde_json::from_str::<Report>(&text).unwrap(), report);
}

/// Returns the code and the path of each error.
fn errors(report: &Report) -> Vec<String> {
    let errors = report.errors.iter();
    errors
        .map(|error| format!("{} {}", error.code.as_str(), error.path))
        .collect()
}

/// Returns the path and the status of each value.
fn shown(report: &Report) -> Vec<String> {
    let values = report.shown.iter();
    values
        .map(|value| format!("{} {}", value.path, value.status.as_str()))
        .collect()
}

fn course() -> Certified {
    let schema = json!({ "type": "object", "properties": {
        "course": { "type": "object", "properties": { "title": {}, "hours": {} } },
        "grades": { "type": "array", "items": {} }, "holder": {}, "issuer": {}, "year": {} } });
    let data = json!({ "course": { "title": "Navigation", "hours": 24 }, "grades": [1, 2, 3], "holder": "Ada", "issuer": "Uni", "year": 1843 });
    Certified::new(&schema, &data)
}

#[test]
fn every_value_of_a_mixed_document_has_one_status() {
    let course = course();
    let evidence = course.disclose(
        &json!([["course", "title"], ["grades", 1], ["holder"]]),
        Values::Attach,
    );
    let page = json!({ "note": { "any": 1 }, "course": { "title": "Navigation", "hours": 240 }, "grades": [null, 5, 3],
        "holder": "Eve", "issuer": "Other", "year": null });
    let report = course.verify(Some(&page), &evidence);
    assert_eq!(
        shown(&report),
        [
            "course.hours not-covered",
            "course.title proven",
            "grades[1] changed",
            "grades[2] not-covered",
            "holder changed",
            "issuer not-covered",
            "note not-in-schema",
            "year not-covered",
        ]
    );
    assert_eq!(
        errors(&report),
        [
            "not-covered course.hours",
            "value-mismatch grades[1]",
            "not-covered grades[2]",
            "value-mismatch holder",
            "not-covered issuer",
            "not-in-schema note",
            "not-covered year",
        ]
    );
    assert!(!report.valid);
    // Entries come from the evidence, not from the document.
    let holder = report
        .entries
        .iter()
        .find(|entry| entry.path == Path::from(["holder"]));
    assert_eq!(holder.unwrap().value, Value::from("Ada"));
}

#[test]
fn values_after_a_place_of_the_wrong_kind_are_reported() {
    let course = course();
    let evidence = course.disclose(&json!([["course", "title"], ["grades", 0]]), Values::Attach);
    let page = json!({ "course": "Navigation", "grades": { "0": 1 }, "holder": "Eve" });
    let report = course.verify(Some(&page), &evidence);
    assert_eq!(
        shown(&report),
        ["course changed", "grades changed", "holder not-covered"]
    );
    let report = course.verify(Some(&json!({ "holder": "Eve" })), &evidence);
    assert_eq!(shown(&report), ["holder not-covered"]);
    assert_eq!(
        errors(&report),
        [
            "not-covered holder",
            "value-mismatch course",
            "value-mismatch grades"
        ]
    );
}

#[test]
fn hidden_true_values_are_not_reported_as_changed() {
    let course = course();
    for values in [Values::Attach, Values::Detach] {
        let evidence = course.disclose(&json!([["holder"]]), values);
        let page = json!({ "holder": "Ada", "issuer": "Uni" });
        let report = course.verify(Some(&page), &evidence);
        assert_eq!(errors(&report), ["not-covered issuer"]);
        assert_eq!(shown(&report), ["holder proven", "issuer not-covered"]);
        assert!(
            report.errors[0]
                .message()
                .contains("anyone may have added it")
        );
    }
}

#[test]
fn items_beyond_the_possible_length_are_reported_as_changed() {
    let list = json!({ "type": "array", "items": {}, "maxItems": 3 });
    let schema = json!({ "type": "object", "properties": { "l": list } });
    let certified = Certified::new(&schema, &json!({ "l": ["a", "b", "c"] }));
    let evidence = certified.disclose(&json!([["l", 0]]), Values::Attach);
    // The hidden block has the third item and a fourth slot, which only fills the tree.
    let report = certified.verify(Some(&json!({ "l": ["a", "b", "c", "d"] })), &evidence);
    let statuses = [
        "l[0] proven",
        "l[1] not-covered",
        "l[2] not-covered",
        "l[3] changed",
    ];
    assert_eq!(shown(&report), statuses);
    assert_eq!(
        errors(&report),
        [
            "not-covered l[1]",
            "not-covered l[2]",
            "value-mismatch l[3]"
        ]
    );
}

#[test]
fn empty_objects_and_lists_have_a_status() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "object", "properties": { "x": {} } }, "b": { "type": "object", "properties": { "x": {} } },
        "c": { "type": "array", "items": {} }, "d": { "type": "array", "items": {} }, "e": { "type": "array", "items": {} } } });
    let data = json!({ "a": {}, "b": { "x": 1 }, "c": [], "d": [1], "e": [] });
    let certified = Certified::new(&schema, &data);
    let evidence = certified.disclose(&json!([["a"], ["b"], ["c"], ["d"]]), Values::Attach);
    let page = json!({ "a": {}, "b": {}, "c": [], "d": [], "e": [] });
    let report = certified.verify(Some(&page), &evidence);
    assert_eq!(
        shown(&report),
        [
            "a proven",
            "b changed",
            "c proven",
            "d changed",
            "e not-covered"
        ]
    );
    assert_eq!(
        errors(&report),
        ["value-mismatch b.x", "value-mismatch d", "not-covered e"]
    );
}

#[test]
fn refused_evidence_proves_no_value() {
    let course = course();
    let page = json!({ "holder": "Ada", "course": {}, "note": 1 });
    let statuses = [
        "course not-proven",
        "holder not-proven",
        "note not-in-schema",
    ];
    let evidence = course.disclose(&json!([["issuer"]]), Values::Attach);
    for evidence in [
        &evidence,
        &value(&json!({ "profile": "AIH-2" })),
        &value(&json!(null)),
    ] {
        let imprint = "0".repeat(64);
        let report = course.cert.verify(Some(&value(&page)), evidence, &imprint);
        assert_eq!(shown(&report.unwrap()), statuses);
    }
    let report = course
        .cert
        .verify(Some(&value(&page)), &evidence, "no imprint");
    assert_eq!(shown(&report.unwrap()), statuses);
}

#[test]
fn errors_are_listed_even_if_other_findings_are_omitted() {
    // The paths of proven values exceed the bound before the first error is found.
    let name = "n".repeat(MAX_PATH_BYTES / 100);
    let row = json!({ "type": "object", "properties": { &name: {} } });
    let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "items": row }, "z": {} } });
    let rows: Vec<Json> = (0..200).map(|at| json!({ &name: at })).collect();
    let certified = Certified::new(&schema, &json!({ "a": rows, "z": "true" }));
    let page = json!({ "a": rows, "z": "forged" });
    for values in [Values::Attach, Values::Detach] {
        let evidence = certified.disclose(&json!([["a"]]), values);
        let report = certified.verify(Some(&page), &evidence);
        assert!(report.omitted.entries > 0);
        assert!(!report.valid, "{:?}", report.omitted);
        assert_eq!(errors(&report), ["not-covered z"]);
    }
}

#[test]
fn values_of_each_status_have_their_own_bound() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "items": {} }, "b": { "type": "array", "items": {} } } });
    let many = MAX_ENTRIES + 5;
    let certified = Certified::new(&schema, &json!({ "a": vec![1; many], "b": [] }));
    let evidence = certified.disclose(&json!([["a"]]), Values::Attach);
    let page = json!({ "a": vec![1; many], "b": vec![2; many] });
    let report = certified.verify(Some(&page), &evidence);
    let count = |status: &str| {
        shown(&report)
            .iter()
            .filter(|text| text.ends_with(status))
            .count()
    };
    assert_eq!(
        (count(" proven"), count(" not-covered")),
        (MAX_ENTRIES, MAX_ENTRIES)
    );
    assert_eq!(report.omitted.shown, 10);
}

#[test]
fn a_copied_imprint_is_refused_for_another_asset() {
    let schema =
        json!({ "type": "object", "properties": { "assetId": {}, "ledgerId": {}, "name": {} } });
    let certify = |data: Json| Certified::new(&schema, &data);
    let all = json!([["assetId"], ["ledgerId"], ["name"]]);
    let own = certify(json!({ "ledgerId": LEDGER.to_lowercase(), "assetId": "16", "name": "Ada" }));
    let evidence = own.disclose(&all, Values::Attach);
    for id in ["16", "0x10", "016"] {
        assert_eq!(own.verify_asset(&evidence, id), [""; 0], "{id}");
    }
    assert_eq!(
        own.verify_asset(&evidence, "17"),
        ["asset-mismatch assetId"]
    );
    // A thief hides the asset's ids.
    for (paths, expected) in [
        (
            json!([["name"]]),
            vec!["asset-hidden ledgerId", "asset-hidden assetId"],
        ),
        (
            json!([["name"], ["assetId"]]),
            vec!["asset-hidden ledgerId"],
        ),
        (
            json!([["name"], ["ledgerId"]]),
            vec!["asset-hidden assetId"],
        ),
    ] {
        let evidence = own.disclose(&paths, Values::Attach);
        assert!(own.verify(None, &evidence).valid);
        assert_eq!(own.verify_asset(&evidence, "16"), expected);
    }
    let other =
        certify(json!({ "ledgerId": LEDGER.replace('a', "c"), "assetId": "16", "name": "Ada" }));
    let evidence = other.disclose(&all, Values::Attach);
    assert_eq!(
        other.verify_asset(&evidence, "16"),
        ["asset-mismatch ledgerId"]
    );
    // Ids that are proven absent, and ids with another meaning.
    for (data, expected) in [
        (json!({ "name": "Ada" }), vec![]),
        (json!({ "ledgerId": LEDGER, "name": "Ada" }), vec![]),
        (json!({ "ledgerId": LEDGER, "assetId": 16 }), vec![]),
        (
            json!({ "ledgerId": LEDGER, "assetId": 17 }),
            vec!["asset-mismatch assetId"],
        ),
        (
            json!({ "ledgerId": LEDGER, "assetId": "A-16" }),
            vec!["asset-mismatch assetId"],
        ),
        (
            json!({ "ledgerId": "general ledger", "assetId": "17" }),
            vec![],
        ),
        (json!({ "assetId": "17" }), vec![]),
        (json!({ "ledgerId": [LEDGER], "assetId": null }), vec![]),
    ] {
        let certified = certify(data.clone());
        let evidence = certified.disclose(&all, Values::Attach);
        assert_eq!(certified.verify_asset(&evidence, "16"), expected, "{data}");
    }
}

#[test]
fn evidence_that_proves_no_value_is_invalid_for_an_asset() {
    let book = json!({ "type": "object", "properties": { "title": {} } });
    let tags = json!({ "type": "array", "items": {} });
    let schema = json!({ "type": "object", "properties": { "$schema": {}, "book": book, "name": {}, "tags": tags } });
    let data = json!({ "$schema": "s.json", "book": {}, "tags": [] });
    let certified = Certified::new(&schema, &data);
    for (paths, expected) in [
        (json!([["book"]]), vec!["nothing-proven "]),
        (json!([["name"]]), vec!["nothing-proven "]),
        (json!([["$schema"]]), vec!["nothing-proven "]),
        (
            json!([["$schema"], ["book"], ["name"]]),
            vec!["nothing-proven "],
        ),
        (json!([["tags"]]), vec![]),
        (json!([["book"], ["tags"]]), vec![]),
    ] {
        let evidence = certified.disclose(&paths, Values::Attach);
        assert!(certified.verify(None, &evidence).valid, "{paths}");
        assert_eq!(certified.verify_asset(&evidence, "16"), expected, "{paths}");
    }
    // If there is already another error, `nothing-proven` is not added.
    let named = json!({ "type": "object", "properties": { "assetId": {}, "book": book } });
    let hidden = Certified::new(&named, &json!({ "assetId": "16", "book": {} }));
    let evidence = hidden.disclose(&json!([["book"]]), Values::Attach);
    assert_eq!(
        hidden.verify_asset(&evidence, "16"),
        ["asset-hidden assetId"]
    );
}

#[test]
fn an_asset_is_compared_even_if_its_ids_are_omitted() {
    let schema = json!({ "type": "object", "properties": { "a": { "type": "array", "items": {} }, "assetId": {}, "ledgerId": {} } });
    let data = json!({ "a": vec![1; MAX_ENTRIES + 5], "assetId": "16", "ledgerId": LEDGER });
    let certified = Certified::new(&schema, &data);
    let evidence = certified.disclose(&json!([[]]), Values::Attach);
    assert!(certified.verify(None, &evidence).omitted.entries > 0);
    assert_eq!(certified.verify_asset(&evidence, "16"), [""; 0]);
    assert_eq!(
        certified.verify_asset(&evidence, "17"),
        ["asset-mismatch assetId"]
    );
}

#[test]
fn malformed_assets_are_refused() {
    for (ledger, asset) in [("", "1"), (LEDGER, "one"), (LEDGER, "")] {
        let error = Asset::new(ledger, asset).unwrap_err();
        assert_eq!(error.code(), ErrorCode::OptionInvalid);
    }
}

#[test]
fn only_reports_are_read() {
    let certified = Certified::new(
        &json!({ "type": "object", "properties": { "a": {}, "l": { "type": "array", "items": {} } } }),
        &json!({ "a": 1, "l": [1.5, null] }),
    );
    let evidence = certified.disclose(&json!([["a"], ["l"]]), Values::Attach);
    let report = certified.verify(Some(&json!({ "a": 1, "l": [1.5, null] })), &evidence);
    let written = serde_json::to_value(&report).unwrap();
    for (pointer, wrong) in [
        ("/valid", json!(1)),
        ("/imprint", json!("aih2:00")),
        ("/errors", json!([{ "code": "no-code", "path": [] }])),
        ("/entries/0/path", json!("a")),
        ("/entries/0/path/0", json!(-1)),
        ("/entries/0/path/0", json!(1.5)),
        ("/entries/0/path/0", json!(true)),
        ("/objects/0/complete", json!(null)),
        ("/lists/0/atMost", json!(-1)),
        ("/shown/0/status", json!("Proven")),
        ("/omitted", json!(null)),
    ] {
        let mut changed = written.clone();
        match changed.pointer_mut(pointer) {
            Some(place) => *place = wrong.clone(),
            None => changed["omitted"] = wrong.clone(),
        }
        let read = serde_json::from_value::<Report>(changed);
        assert!(read.is_err(), "{pointer} {wrong}");
    }
    // Members that a later version adds are ignored.
    let mut later = written;
    later["later"] = json!(1);
    assert_eq!(serde_json::from_value::<Report>(later).unwrap(), report);
}
