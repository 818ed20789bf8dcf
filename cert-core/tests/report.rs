//! Tests the findings of `verify`, value by value.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod support;

use cert_core::{
    Cert, MAX_ENTRIES, Omitted, Path, ReasonCode, Report, Status, Value, proofs_to_value,
};
use support::random::{Random, bytes};
use support::{assert_reads_back, json, paths};

const SCHEMA: &str = r#"{"type":"object","properties":{
    "name":{"type":"string"}, "year":{"type":"integer"}, "note":{},
    "owner":{"type":"object","properties":{"id":{},"tags":{"type":"array","items":{}}}},
    "parts":{"type":"array","items":{"type":"object","properties":{"no":{},"sub":{"type":"array","items":{}}}}},
    "empty":{"type":"object","properties":{}}
}}"#;

const DATA: &str = r#"{"name":"Ada","year":1815,"note":null,"owner":null,
    "parts":[{"no":1,"sub":[]},null,{"no":3}]}"#;

fn cert() -> Cert {
    Cert::new(&json(SCHEMA)).unwrap()
}

fn evidence(selected: &str) -> Value {
    proofs_to_value(
        &cert()
            .disclose(&json(DATA), &paths(&json(selected)))
            .unwrap(),
    )
}

fn report(claim: &str, evidence: &Value) -> Report {
    let imprint = cert().imprint(&json(DATA)).unwrap();
    let report = cert().verify(&json(claim), evidence, &imprint).unwrap();
    let calculated = cert().calculate(&json(claim), evidence).unwrap();
    assert_eq!(calculated == Some(imprint.clone()), report.valid);
    assert_reads_back(&report);
    let judgement = cert().judge(&json(claim), evidence, &imprint, &mut |_| ());
    assert_reads_back(&judgement.unwrap());
    report
}

/// Returns a line `path status reason` for each entry.
fn lines(report: &Report) -> Vec<String> {
    let line = |entry: &cert_core::Entry| {
        let reason = entry.reason.map_or("", |reason| reason.as_str());
        format!("{} {} {reason}", entry.path, entry.status.as_str())
            .trim()
            .to_owned()
    };
    report.entries.iter().map(line).collect()
}

/// A value that the evidence does not show is not covered, even if it is true.
#[test]
fn hidden_true_values_are_not_covered() {
    let mut state = 11;
    let mut hidden = 0;
    for _ in 0..300 {
        let drawn = bytes(&mut state);
        let mut random = Random(&drawn);
        let schema = random.schema();
        let data = random.data(&schema);
        let Ok(cert) = Cert::new(&schema) else {
            continue;
        };
        let Ok(imprint) = cert.imprint(&data) else {
            continue;
        };
        let proofs = cert.disclose(&data, &random.paths(&data)).unwrap();
        let report = cert.verify(&data, &proofs, &imprint).unwrap();
        assert_eq!(report.reasons, []);
        for entry in &report.entries {
            assert_ne!(
                entry.status,
                Status::NotProven,
                "{entry:?} of {}",
                data.to_json()
            );
            hidden += usize::from(entry.reason == Some(ReasonCode::NotCovered));
        }
    }
    assert!(hidden > 300, "{hidden}");
}

#[test]
fn a_true_document_is_proven_completely() {
    let report = report(DATA, &evidence("[[]]"));
    assert!(report.valid);
    assert_eq!(
        lines(&report),
        [
            "name proven",
            "year proven",
            "note proven",
            "owner proven",
            "parts[0].no proven",
            "parts[0].sub proven",
            "parts[2].no proven",
        ]
    );
    assert_eq!(report.proven, json(DATA));
    let list = &report.lists[0];
    assert_eq!(
        (list.path.to_string(), list.length, list.complete),
        ("parts".into(), 3, true)
    );
}

#[test]
fn every_verdict_has_its_reason() {
    let evidence = evidence(r#"[["name"],["owner","id"],["parts",0]]"#);
    let claim = r#"{"name":"Eve","year":1815,"note":null,"extra":1,"empty":{"x":1},
        "owner":{"id":null,"tags":[]},"parts":[{"no":1,"sub":[]},{},{"no":3}]}"#;
    let report = report(claim, &evidence);
    assert!(!report.valid && report.reasons.is_empty());
    assert_eq!(
        lines(&report),
        [
            "name not-proven value-mismatch",
            "year not-covered not-covered",
            "note not-covered not-covered",
            "extra not-covered not-in-schema",
            "empty.x not-covered not-in-schema",
            "owner.id proven",
            "owner.tags not-covered not-covered",
            "parts[0].no proven",
            "parts[0].sub proven",
            "parts[1] not-covered nothing-stated",
            "parts[2].no not-covered not-covered",
        ]
    );
    assert_eq!(
        report.proven,
        json(r#"{"owner":{"id":null},"parts":[{"no":1,"sub":[]}]}"#)
    );
    assert_eq!(
        (report.lists[0].length, report.lists[0].complete),
        (1, false)
    );
}

#[test]
fn claims_of_emptiness_need_a_proof() {
    let everything = evidence("[[]]");
    for (claim, expected) in [
        (r#"{"name":null}"#, "name not-proven value-mismatch"),
        (r#"{"year":"1815"}"#, "year not-proven value-mismatch"),
        (r#"{"note":""}"#, "note not-proven value-mismatch"),
        (r#"{"name":{}}"#, "name not-proven data-type-mismatch"),
        (r#"{"parts":[]}"#, "parts not-proven value-mismatch"),
        (r#"{"parts":null}"#, "parts not-proven value-mismatch"),
        (r#"{"parts":{}}"#, "parts not-proven data-type-mismatch"),
        (r#"{"owner":[]}"#, "owner not-proven data-type-mismatch"),
        (r#"{"owner":{}}"#, "owner not-covered nothing-stated"),
        (r#"{"owner":null}"#, "owner proven"),
        (r#"{"owner":{"tags":null}}"#, "owner.tags proven"),
        (
            r#"{"owner":{"tags":[1]}}"#,
            "owner.tags not-proven value-mismatch",
        ),
        (
            r#"{"owner":{"tags":[null]}}"#,
            "owner.tags not-proven value-mismatch",
        ),
        (
            r#"{"parts":[null,null,null,null]}"#,
            "parts not-covered nothing-stated",
        ),
        (
            r#"{"parts":[null,null,null,{"no":1}]}"#,
            "parts[3].no not-covered not-covered",
        ),
        (r#"{"parts":[null,{"no":null}]}"#, "parts[1].no proven"),
        (
            r#"{"parts":[{"sub":[1]}]}"#,
            "parts[0].sub not-proven value-mismatch",
        ),
        (r#"{"empty":null}"#, "empty not-covered nothing-stated"),
        (r#"{"empty":1}"#, "empty not-proven data-type-mismatch"),
        ("[]", "not-proven data-type-mismatch"),
        ("null", "not-proven value-mismatch"),
    ] {
        let report = report(claim, &everything);
        assert_eq!(
            lines(&report)
                .iter()
                .map(|line| line.trim())
                .collect::<Vec<_>>(),
            [expected],
            "{claim}"
        );
    }
    assert_eq!(
        lines(&report(r#"{"owner":null}"#, &evidence("[]"))),
        ["owner not-covered not-covered"]
    );
}

#[test]
fn no_value_is_proven_under_another_imprint() {
    let imprint = cert().imprint(&json(DATA)).unwrap();
    let everything = evidence("[[]]");
    for (written, valid) in [
        (imprint.clone(), true),
        (format!("0x{imprint}"), true),
        (format!("0x{}", imprint.to_uppercase()), true),
        (format!("{imprint} "), false),
        ("0".repeat(64), false),
        (String::new(), false),
    ] {
        let report = cert().verify(&json(DATA), &everything, &written).unwrap();
        assert_eq!(report.valid, valid, "{written}");
        assert_eq!(report.imprint.as_ref(), Some(&imprint));
        if !valid {
            assert_eq!(report.reasons[0].code.as_str(), "imprint-mismatch");
            assert!(
                lines(&report)
                    .iter()
                    .all(|line| line.ends_with("not-proven imprint-mismatch"))
            );
            assert_eq!(report.proven, json("{}"));
            assert!(report.lists.is_empty());
        }
    }
}

#[test]
fn the_reason_has_the_path_of_the_refused_proof() {
    let text = evidence("[[]]").to_json();
    let broken = json(&text.replace(r#""value":3"#, r#""value":4"#));
    let report = report(DATA, &broken);
    assert_eq!(report.reasons[0].code.as_str(), "link-mismatch");
    assert_eq!(report.imprint, None);
    assert_eq!(
        report.reasons[0].path,
        Path::from(vec!["parts".into(), 2.into()])
    );
}

/// AIH-1 cannot refuse this document, because genuine evidence for a list of up to ten items looks the same. In a longer list, `10` comes
/// before `2`, and a forger can close the list's proof early. The report therefore does not call the list complete.
#[test]
fn a_long_list_cut_short_is_not_complete() {
    let schema = r#"{"type":"object","properties":{"list":{"type":"array","items":{}}}}"#;
    let cert = Cert::new(&json(schema)).unwrap();
    let items: Vec<String> = (0..12).map(|item| item.to_string()).collect();
    let data = json(&format!(r#"{{"list":[{}]}}"#, items.join(",")));
    let imprint = cert.imprint(&data).unwrap();
    let mut proofs = cert.notarize(&data).unwrap();
    let list = &mut proofs[1];
    list.nodes.retain(|node| node.index <= 6);
    list.values.retain(|value| value.index < 3);
    let evidence = proofs_to_value(&proofs);
    let report = |claim: &str| cert.verify(&json(claim), &evidence, &imprint).unwrap();
    let moved = report(r#"{"list":[0,1,10]}"#);
    assert!(moved.valid && !moved.lists[0].complete);
    assert_eq!(moved.lists[0].length, 3);
    assert!(!report(r#"{"list":[0,1,2]}"#).valid);
    // The first two items have the same positions at every length.
    assert!(report(r#"{"list":[0,1]}"#).valid);
}

/// Items that contribute nothing to any hash are certified as an empty list. Evidence for the empty list does not prove the items' content.
#[test]
fn a_list_of_items_without_leaves_proves_no_item() {
    let items = r#"{"type":"object","properties":{"n":{"type":"object","properties":{}}}}"#;
    let schema = format!(
        r#"{{"type":"object","properties":{{"a":{{}},"l":{{"type":"array","items":{items}}}}}}}"#
    );
    let cert = Cert::new(&json(&schema)).unwrap();
    let data = json(r#"{"a":1}"#);
    let evidence = proofs_to_value(&cert.notarize(&data).unwrap());
    let imprint = cert.imprint(&data).unwrap();
    for (list, valid, expected) in [
        ("[]", true, &["l proven"][..]),
        ("null", true, &["l proven"]),
        ("[null]", true, &["l not-covered nothing-stated"]),
        ("[{}]", true, &["l[0] not-covered nothing-stated"]),
        (
            r#"[{"x":5},{"n":{"y":1}}]"#,
            true,
            &[
                "l[0].x not-covered not-in-schema",
                "l[1].n.y not-covered not-in-schema",
            ],
        ),
        (
            r#"["forged"]"#,
            false,
            &["l[0] not-proven data-type-mismatch"],
        ),
        ("[[1,2]]", false, &["l[0] not-proven data-type-mismatch"]),
        (
            r#"[{"n":5}]"#,
            false,
            &["l[0].n not-proven data-type-mismatch"],
        ),
    ] {
        let claim = json(&format!(r#"{{"l":{list}}}"#));
        let report = cert.verify(&claim, &evidence, &imprint).unwrap();
        assert_eq!(lines(&report), expected, "{list}");
        assert_eq!(report.valid, valid, "{list}");
        let calculated = cert.calculate(&claim, &evidence).unwrap();
        assert_eq!(calculated.is_some(), valid, "{list}");
        // In these cases, a document is valid if and only if it can be certified.
        assert_eq!(cert.imprint(&claim).is_ok(), valid, "{list}");
        let is_shown = matches!(list, "[]" | "null");
        assert_eq!(report.proven == claim, is_shown, "{list}");
        assert_eq!(report.proven == json("{}"), !is_shown, "{list}");
    }
}

/// The report counts the entries that it omits. Proven entries leave space for an entry that is not proven.
#[test]
fn a_long_report_counts_its_omissions() {
    let schema = r#"{"type":"object","properties":{"l":{"type":"array","items":{"type":"array","items":{}}},"n":{}}}"#;
    let cert = Cert::new(&json(schema)).unwrap();
    let count = MAX_ENTRIES + 2_000;
    let text = |last: &str| {
        let items = vec!["[1]"; count - 1].join(",");
        format!(r#"{{"l":[{items},[{last}]],"n":1}}"#)
    };
    let data = json(&text("1"));
    let (imprint, proofs) = (cert.imprint(&data).unwrap(), cert.notarize(&data).unwrap());
    for (claim, valid) in [(data.clone(), true), (json(&text("2")), false)] {
        let report = cert.verify(&claim, &proofs, &imprint).unwrap();
        assert_eq!(report.valid, valid);
        let differs = usize::from(!valid);
        let listed = |status| {
            let of_status = report.entries.iter().filter(|entry| entry.status == status);
            of_status.count()
        };
        assert_eq!(listed(Status::Proven), MAX_ENTRIES);
        assert_eq!(listed(Status::NotProven), differs);
        assert_eq!(report.lists.len(), MAX_ENTRIES);
        let omitted = Omitted {
            proven: count + 1 - differs - MAX_ENTRIES,
            lists: count + 1 - MAX_ENTRIES,
            ..Omitted::default()
        };
        assert_eq!(report.omitted, omitted);
        assert_reads_back(&report);
        assert_eq!(report.proven == data, valid);
        let written = report.to_value();
        let written = written.as_object().unwrap().get("omitted").unwrap();
        let expected = format!(
            r#"{{"proven":{},"notProven":0,"notCovered":0,"lists":{}}}"#,
            omitted.proven, omitted.lists
        );
        assert_eq!(written.to_json(), expected);
    }
    // A complete report does not mention omissions.
    let report = report(DATA, &evidence("[[]]"));
    assert!(report.omitted.is_nothing());
    let written = report.to_value();
    assert!(written.as_object().unwrap().get("omitted").is_none());
}

#[test]
fn reasons_are_read_by_their_code_and_path() {
    let report = report(DATA, &json("[]"));
    let written = serde_json::to_string(&report).unwrap();
    assert!(written.contains(r#"{"code":"root-missing","path":[],"message":"#));
    for (part, wrong) in [
        (r#""code":"root-missing""#, r#""code":"no-code""#),
        (r#""path":[]"#, r#""path":[null]"#),
        (r#""status":"not-proven""#, r#""status":"changed""#),
        (r#""valid":false"#, r#""valid":null"#),
        (r#""proven":{}"#, r#""proven":{"a":1,"a":2}"#),
    ] {
        assert!(written.contains(part), "{part}");
        let changed = written.replacen(part, wrong, 1);
        assert!(serde_json::from_str::<Report>(&changed).is_err(), "{wrong}");
    }
}
