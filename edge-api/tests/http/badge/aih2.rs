//! Badges of assets that are certified with AIH-2, or whose evidence has an unknown profile.

use cert_core::{Path, aih2, identify, identify_sorted};
use serde_json::{Value, json};

use super::Issuer;
use super::certificate::{self, Certificate};

/// A schema without the fields `$schema` and `$evidence`.
const SCHEMA: &str = r#"{"type":"object","properties":{
    "name":{"type":"string"},"born":{"type":"integer"},"died":{"type":"integer"},
    "tags":{"type":"array","items":{"type":"string"}}
}}"#;
/// A schema with fields for the ids of the asset for which a document is certified.
const NAMING: &str = r#"{"type":"object","properties":{
    "name":{"type":"string"},"ledgerId":{"type":"string"},"assetId":{"type":"string"}
}}"#;
const DATA: &str = r#"{"name":"Ada","born":1815,"tags":["a","b","c"]}"#;
const SHOWN: &str = r#"[["name"],["tags",0]]"#;

pub fn of(data: &str, paths: &str, attach: bool) -> Certificate {
    certificate(SCHEMA, data, paths, attach)
}

/// Certifies `data`, which follows `schema`, with AIH-2, and makes `paths` public. The metadata also contains `$schema` and
/// `$evidence`, even if the schema does not have these fields.
fn certificate(schema: &str, data: &str, paths: &str, attach: bool) -> Certificate {
    let (schema, data) = (certificate::json(schema), certificate::json(data));
    let cert = aih2::Cert::new(&schema).expect("a schema");
    let paths = Path::list_from(&certificate::json(paths)).expect("paths");
    let keys = aih2::Keys::Key([7; 32].into());
    let values = if attach {
        aih2::Values::Attach
    } else {
        aih2::Values::Detach
    };
    let evidence = cert.disclose(&data, &keys, &paths, values);
    let pointers = r#""$schema":"schema.json","$evidence":"evidence.json""#;
    let shown = cert.expose(&data, &paths).to_json();
    let metadata = shown.replacen('{', &format!("{{{pointers},"), 1);
    let digits = cert.imprint(&data, &keys).expect("an imprint").to_string();
    Certificate {
        metadata: certificate::json(&metadata.replace(",}", "}")),
        evidence: evidence.expect("evidence").to_value(),
        schema,
        imprint: digits.replace("aih2:", ""),
    }
}

/// Replaces the first occurrence of a string in the evidence.
fn with_evidence(certificate: &Certificate, from: &str, to: &str) -> Certificate {
    let text = certificate.evidence.to_json();
    assert!(text.contains(from), "{from} is not in {text}");
    Certificate {
        evidence: certificate::json(&text.replacen(from, to, 1)),
        ..certificate.clone()
    }
}

#[test]
fn matching_evidence_is_valid_attached_or_detached() {
    let issuer = Issuer::new();
    for attach in [true, false] {
        for paths in [SHOWN, r#"[[]]"#, r#"[["born"],["died"]]"#, r#"[["tags"]]"#] {
            let issued = issuer.publish(&of(DATA, paths, attach));
            assert_eq!(issued.says("1"), "valid", "{paths} {attach}");
        }
    }
}

#[test]
fn a_ledger_may_use_any_of_the_schemas_three_ids() {
    let certificate = of(DATA, SHOWN, true);
    let own = aih2::Cert::new(&certificate.schema)
        .expect("a schema")
        .schema_id();
    let ids = [
        identify(&certificate.schema),
        identify_sorted(&certificate.schema),
        own.to_string(),
    ];
    assert_ne!(ids[0], ids[1]);
    let issuer = Issuer::new();
    let published = |id: &str| {
        let issued = issuer.ledger_of(id, &certificate);
        issued.publish("1", &certificate);
        issued.finding("1")
    };
    for id in ids {
        assert_eq!(published(&id), (json!(true), " ".to_owned()), "{id}");
    }
    assert_eq!(
        published(&format!("0x{}", "ab".repeat(32))),
        (Value::Null, "schema-differs schema".to_owned())
    );
}

#[test]
fn attached_evidence_names_the_field_that_differs() {
    let issuer = Issuer::new();
    let changed = of(DATA, SHOWN, true).altered("\"Ada\"", "\"Eva\"");
    assert_eq!(
        issuer.verdict(&changed),
        (json!(false), "value-mismatch metadata.name".to_owned())
    );
    let item = of(DATA, SHOWN, true).altered("\"a\"", "\"A\"");
    assert_eq!(
        issuer.verdict(&item),
        (json!(false), "value-mismatch metadata.tags[0]".to_owned())
    );
    // Detached evidence does not contain the values, so the finding names no field.
    let detached = of(DATA, SHOWN, false).altered("\"Ada\"", "\"Eva\"");
    assert_eq!(
        issuer.verdict(&detached),
        (json!(false), "imprint-mismatch evidence".to_owned())
    );
}

#[test]
fn uncertified_values_are_invalid() {
    let issuer = Issuer::new();
    for attach in [true, false] {
        let added = of(DATA, SHOWN, attach).altered("\"name\":", "\"born\":1815,\"name\":");
        let issued = issuer.publish(&added);
        assert_eq!(
            issued.finding("1"),
            (json!(false), "not-covered metadata.born".to_owned())
        );
        // The added value is not certified, but no certified value has changed.
        assert_eq!(issued.report("1")["integrity"], "notCovered", "{attach}");
    }
    // AIH-2 certifies whole documents, so a key that is not in the schema is not covered.
    let other = of(DATA, SHOWN, false).altered("\"name\":", "\"note\":1,\"name\":");
    assert_eq!(
        issuer.verdict(&other),
        (json!(false), "not-in-schema metadata.note".to_owned())
    );
    let another = Certificate {
        imprint: "ab".repeat(32),
        ..of(DATA, SHOWN, true)
    };
    assert_eq!(
        issuer.verdict(&another),
        (json!(false), "imprint-mismatch evidence".to_owned())
    );
    // A proof that only shows the absence of a field proves no value of the asset.
    let absent = of(DATA, r#"[["died"]]"#, true);
    assert_eq!(
        issuer.verdict(&absent),
        (json!(false), "nothing-proven metadata".to_owned())
    );
}

#[test]
fn tampered_evidence_is_invalid_and_evidence_of_an_unknown_profile_is_unknown() {
    let issuer = Issuer::new();
    let certificate = of(DATA, SHOWN, true);
    for (from, to, expected) in [
        (
            "\"proof\":\"T",
            "\"proof\":\"=T",
            "evidence-malformed evidence",
        ),
        (
            "\"profile\"",
            "\"extra\":1,\"profile\"",
            "evidence-malformed evidence",
        ),
        (
            "\"schemaId\":\"0x",
            "\"schemaId\":\"",
            "schema-mismatch evidence",
        ),
        ("\"Ada\"", "\"Eva\"", "imprint-mismatch evidence"),
    ] {
        let (valid, found) = issuer.verdict(&with_evidence(&certificate, from, to));
        assert_eq!((valid, found.as_str()), (json!(false), expected), "{to}");
    }
    let unknown = (Value::Null, "evidence-profile-unknown evidence".to_owned());
    for profile in ["\"AIH-3\"", "\"aih-2\"", "null", "2", "\"AIH-1\""] {
        let other = with_evidence(&certificate, "\"AIH-2\"", profile);
        assert_eq!(issuer.verdict(&other), unknown, "{profile}");
    }
    // AIH-1 evidence with an added member `profile` counts as evidence of that profile. Here, the profile is unknown.
    let first = Certificate::new();
    let named = with_evidence(&first, "{", "{\"profile\":\"AIH-3\",");
    assert_eq!(issuer.verdict(&named), unknown);
    let answer = issuer.publish(&named).answer("1");
    assert_eq!(
        (answer.status, answer.errors()),
        (400, vec!["400017 evidence".to_owned()])
    );
}

#[test]
fn an_emptied_document_is_reported_as_one_unproven_value() {
    let issuer = Issuer::new();
    let certificate = of(DATA, r#"[["name"]]"#, true);
    let emptied = Certificate {
        metadata: certificate::json(r#"{"$schema":"schema.json","$evidence":"evidence.json"}"#),
        ..certificate
    };
    let report = issuer.publish(&emptied).report("1");
    assert_eq!(
        report["values"],
        json!([{"path": "metadata", "status": "not-proven", "reason": "value-mismatch"}])
    );
}

#[test]
fn reports_show_how_complete_lists_are() {
    let issuer = Issuer::new();
    for (paths, expected) in [
        (r#"[["tags"]]"#, "all of 3"),
        (r#"[["tags",0]]"#, "at most 4"),
        (r#"[["tags",0],["tags","-"]]"#, "at most 3"),
        (
            r#"[["tags",2],["tags","-"]]"#,
            "3, of which some are hidden",
        ),
    ] {
        let report = issuer.publish(&of(DATA, paths, true)).report("1");
        assert_eq!(report["valid"], true, "{paths}");
        assert_eq!(report["lists"][0]["path"], "metadata.tags");
        assert_eq!(report["lists"][0]["message"], expected, "{paths}");
    }
    let first = issuer.publish(&Certificate::new());
    assert_eq!(first.report("1")["lists"], json!([]));
}

#[test]
fn a_document_that_names_another_asset_or_hides_its_ids_is_invalid() {
    let issuer = Issuer::new();
    let data = |ledger: &str, asset: &str| {
        format!(r#"{{"name":"Ada","ledgerId":"{ledger}","assetId":"{asset}"}}"#)
    };
    let other = "0x2222222222222222222222222222222222222222";
    let one = format!("0x{:064x}", 1);
    const ALL: &str = r#"[["name"],["ledgerId"],["assetId"]]"#;
    // If `named` is `None`, the document has the address of its own ledger.
    for (named, asset, shown, found) in [
        (None, one.as_str(), ALL, ""),
        (None, "1", ALL, ""),
        (None, "2", ALL, "asset-mismatch metadata.assetId"),
        (None, "INV-1", ALL, "asset-mismatch metadata.assetId"),
        (Some(other), "1", ALL, "asset-mismatch metadata.ledgerId"),
        // "our own" is not an address and "INV-1" is not an asset id, so the document names no asset.
        (Some("our own"), "INV-1", ALL, ""),
        // If an id is hidden, the document could belong to another asset.
        (
            Some(other),
            "1",
            r#"[["name"]]"#,
            "asset-hidden metadata.ledgerId",
        ),
        (
            None,
            "1",
            r#"[["name"],["ledgerId"]]"#,
            "asset-hidden metadata.assetId",
        ),
        (
            None,
            "1",
            r#"[["name"],["assetId"]]"#,
            "asset-hidden metadata.ledgerId",
        ),
    ] {
        let issued = issuer.ledger(&certificate(NAMING, r#"{"name":"Ada"}"#, ALL, true));
        let own = issued.ledger["id"].as_str().unwrap();
        let certificate = certificate(NAMING, &data(named.unwrap_or(own), asset), shown, true);
        issued.publish("1", &certificate);
        let (valid, reason) = issued.finding("1");
        assert_eq!(
            (valid, reason.trim()),
            (json!(found.is_empty()), found),
            "{named:?} {asset} {shown}"
        );
    }
    // A document that provably has no ids may be used for any asset.
    let unnamed = certificate(NAMING, r#"{"name":"Ada"}"#, ALL, true);
    assert_eq!(issuer.verdict(&unnamed).0, json!(true));
}

#[test]
fn a_thiefs_copy_with_reduced_evidence_is_not_valid() {
    let issuer = Issuer::new();
    let issued = issuer.ledger(&certificate(NAMING, r#"{"name":"Ada"}"#, "[[]]", true));
    let own = issued.ledger["id"].as_str().unwrap();
    let data = format!(r#"{{"name":"Ada","ledgerId":"{own}","assetId":"1"}}"#);
    let genuine = certificate(NAMING, &data, "[[]]", true);
    issued.publish("1", &genuine);
    assert_eq!(issued.finding("1"), (json!(true), " ".to_owned()));
    // The thief has a ledger and a server. The copy has the genuine imprint, and evidence that hides the asset's ids.
    let cert = aih2::Cert::new(&genuine.schema).expect("a schema");
    let evidence = aih2::Evidence::from_value(&genuine.evidence).expect("evidence");
    let name = Path::list_from(&certificate::json(r#"[["name"]]"#)).expect("paths");
    let reduced = cert
        .reduce(None, &evidence, &name, aih2::Values::Attach)
        .expect("evidence");
    let stolen = Certificate {
        metadata: certificate::json(
            r#"{"$schema":"schema.json","$evidence":"evidence.json","name":"Ada"}"#,
        ),
        evidence: reduced.to_value(),
        ..genuine.clone()
    };
    let theft = issuer.publish(&stolen);
    assert_eq!(
        theft.finding("1"),
        (json!(false), "asset-hidden metadata.ledgerId".to_owned())
    );
    assert_eq!(theft.report("1")["integrity"], "notCovered");
    // The complete evidence shows the genuine asset's ids.
    let theft = issuer.publish(&genuine);
    assert_eq!(
        theft.finding("1"),
        (json!(false), "asset-mismatch metadata.ledgerId".to_owned())
    );
    assert_eq!(theft.report("1")["integrity"], "otherAsset");
}

#[test]
fn evidence_beyond_the_work_limit_is_unknown() {
    let issuer = Issuer::new();
    // Each item takes two keys and two hashes.
    let items = vec!["0"; 262_143].join(",");
    let schema = r#"{"type":"object","properties":{"name":{"type":"string"},"list":{"type":"array","items":{"type":"integer"}}}}"#;
    let data = format!(r#"{{"name":"Ada","list":[{items}]}}"#);
    let certificate = certificate(schema, &data, r#"[["name"],["list"]]"#, false);
    assert_eq!(
        issuer.verdict(&certificate),
        (Value::Null, "too-much-work evidence".to_owned())
    );
}

#[test]
fn a_document_with_an_ambiguous_number_is_unknown() {
    let certificate = of(DATA, r#"[["born"]]"#, false);
    let issuer = Issuer::new();
    let issued = issuer.publish(&certificate);
    assert_eq!(issued.says("1"), "valid");
    let text = certificate.metadata.to_json();
    for (id, number) in [("2", "9007199254740993"), ("3", "1000000000000000000000")] {
        issued.publish(id, &certificate);
        issued.serve(&format!("/{id}.json"), text.replace("1815", number));
        assert_eq!(
            issued.finding(id),
            (Value::Null, "not-json metadata".to_owned())
        );
    }
    assert_eq!(issued.answer("2").status, 400);
}
