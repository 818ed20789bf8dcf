//! Badges made from certificates: which values go where, and which are refused.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use cert_badge::{Facts, Issuer, Place, Refusal, Shown, make, read};
use cert_core::Value;
use proptest::prelude::*;
use serde_json::json;

fn parsed(value: &serde_json::Value) -> Value {
    Value::parse(&value.to_string()).unwrap()
}

fn schema() -> serde_json::Value {
    json!({ "type": "object", "title": "Course", "properties": {
        "name": { "type": "string" }, "description": { "type": "string" }, "holder": { "type": "string" }, "issuedAt": { "type": "string" },
        "hours": { "type": "number" }, "grade": { "type": "string", "title": "Mark" }, "validUntil": { "type": "string" }, "image": { "type": "string" } } })
}

fn document() -> serde_json::Value {
    json!({ "name": "Applied Cryptography", "description": "Ten weeks", "holder": "Ada Example", "issuedAt": "2026-06-30", "hours": 96,
        "grade": "A", "validUntil": "2029-06-30", "image": "data:image/png;base64,iVBORw0KGgo=" })
}

fn made_with(
    schema: &serde_json::Value,
    document: &serde_json::Value,
    act: impl FnOnce(&mut Facts<'_>),
) -> Result<serde_json::Value, Refusal> {
    made_shown(schema, document, Shown::Public, act)
}

fn made_shown(
    schema: &serde_json::Value,
    document: &serde_json::Value,
    shown: Shown<'_>,
    act: impl FnOnce(&mut Facts<'_>),
) -> Result<serde_json::Value, Refusal> {
    let (schema, document) = (parsed(schema), parsed(document));
    let mut facts = Facts {
        service: "https://certs.example",
        ledger: "0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed",
        asset: "17",
        imprint: "aih2:be80",
        schema: &schema,
        document: &document,
        issuer: Issuer {
            domain: "uni.example",
            name: Some("University of Example"),
        },
        created: 1_751_328_000_000,
        shown,
        status: None,
        with_email: false,
    };
    act(&mut facts);
    let badge = make(&facts)?;
    // A badge reads as it was written.
    assert_eq!(read(&badge.to_json()).unwrap(), badge);
    Ok(serde_json::from_str(&badge.to_json()).unwrap())
}

fn made(document: &serde_json::Value) -> Result<serde_json::Value, Refusal> {
    made_with(&schema(), document, |_| ())
}

#[test]
fn the_values_of_a_course_are_in_its_badge() {
    let badge = made_with(&schema(), &document(), |facts| {
        facts.status = Some(Place {
            list: 2,
            index: 4711,
        })
    })
    .unwrap();
    let page = "https://certs.example/c/0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed/17";
    assert_eq!(badge["name"], "Applied Cryptography");
    assert_eq!(
        badge["issuer"],
        json!({ "id": "did:web:uni.example", "type": ["Profile"], "name": "University of Example", "url": "https://uni.example/" })
    );
    assert_eq!(
        (&badge["validFrom"], &badge["validUntil"]),
        (
            &json!("2026-06-30T00:00:00Z"),
            &json!("2029-06-30T23:59:59Z")
        )
    );
    let subject = &badge["credentialSubject"];
    assert_eq!(
        subject["result"],
        json!([{ "id": format!("{page}#result"), "type": ["Result"], "resultDescription": format!("{page}#grade"), "value": "A" }])
    );
    let achievement = &subject["achievement"];
    assert_eq!(achievement["achievementType"], "Course");
    assert_eq!(
        (
            &achievement["description"],
            &achievement["criteria"]["narrative"]
        ),
        (&json!("Ten weeks"), &json!("Ten weeks"))
    );
    assert_eq!(
        achievement["image"],
        json!({ "id": "data:image/png;base64,iVBORw0KGgo=", "type": "Image" })
    );
    assert_eq!(achievement["resultDescription"][0]["name"], "Mark");
    assert_eq!(
        badge["evidence"],
        json!([{ "id": page, "type": ["Evidence"], "name": "Certificate on the ledger", "description": "aih2:be80" }])
    );
    let list = "https://certs.example/status/0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed/2";
    assert_eq!(
        (
            &badge["credentialStatus"]["id"],
            &badge["credentialStatus"]["statusListCredential"]
        ),
        (&json!(format!("{list}#4711")), &json!(list))
    );
    // The holder's name and the hours are one click away, behind the evidence.
    assert!(!badge.to_string().contains("Ada") && !badge.to_string().contains("96"));
}

#[test]
fn values_that_are_not_proven_are_left_out_or_replaced() {
    let badge = made(&json!({ "name": "Applied Cryptography" })).unwrap();
    assert_eq!(badge["validFrom"], "2025-07-01T00:00:00Z");
    assert!(badge.get("validUntil").is_none() && badge.get("credentialStatus").is_none());
    let subject = &badge["credentialSubject"];
    assert!(subject.get("result").is_none() && subject.get("identifier").is_none());
    let achievement = &subject["achievement"];
    assert!(achievement.get("image").is_none() && achievement.get("resultDescription").is_none());
    assert_eq!(
        (
            &achievement["description"],
            &achievement["criteria"]["narrative"]
        ),
        (
            &json!("Applied Cryptography"),
            &json!("Applied Cryptography")
        )
    );
    for without in [
        json!({}),
        json!({ "name": null }),
        json!({ "name": "  " }),
        json!({ "name": 7 }),
        json!(null),
        json!([]),
    ] {
        assert_eq!(made(&without), Err(Refusal::NameMissing), "{without}");
    }
}

#[test]
fn marks_of_the_schema_take_precedence_over_names() {
    let mut schema = schema();
    let properties = schema["properties"].as_object_mut().unwrap();
    properties.insert(
        "degree".to_owned(),
        json!({ "type": "string", "x-assay-badge": "name" }),
    );
    properties["description"]["x-assay-badge"] = json!("none");
    properties["holder"]["x-assay-badge"] = json!("email");
    schema["x-assay-badge"] = json!("MicroCredential");
    let mut document = document();
    document["degree"] = json!("Master");
    document["holder"] = json!(" Ada@Example.org ");
    let badge = made_with(&schema, &document, |facts| facts.with_email = true).unwrap();
    assert_eq!(badge["name"], "Master");
    let subject = &badge["credentialSubject"];
    assert_eq!(
        (
            &subject["achievement"]["description"],
            &subject["achievement"]["achievementType"]
        ),
        (&json!("Master"), &json!("MicroCredential"))
    );
    // printf 'Assay badge salt\n0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed\n17\naih2:be80' | sha256sum
    let salt = "8459e1481f84c24a852279cc2af35b4d";
    // printf 'ada@example.org8459e1481f84c24a852279cc2af35b4d' | sha256sum
    let hash = "sha256$f555ea3d137d793d6a358f8d56c893eda4a40755d011ebfb6fdfc8b21c1aa244";
    assert_eq!(
        (
            &subject["identifier"][0]["salt"],
            &subject["identifier"][0]["identityHash"]
        ),
        (&json!(salt), &json!(hash))
    );
    let without = made_with(&schema, &document, |_| ()).unwrap();
    assert!(without["credentialSubject"].get("identifier").is_none());
}

#[test]
fn pictures_of_strangers_and_malformed_ones_are_left_out() {
    for (image, is_kept) in [
        ("https://uni.example/logo.png", true),
        ("data:image/jpeg;base64,AAAA", true),
        ("https://evil.example/uni.example/x.png", false),
        ("https://uni.example.evil.example/x.png", false),
        ("http://uni.example/logo.png", false),
        ("data:image/svg+xml;base64,AAAA", false),
        ("data:image/png;base64,A A", false),
        ("https://uni.example/<x>", false),
        ("javascript:alert(1)", false),
        ("", false),
    ] {
        let badge = made(&json!({ "name": "x", "image": image })).unwrap();
        assert_eq!(
            badge["credentialSubject"]["achievement"]
                .get("image")
                .is_some(),
            is_kept,
            "{image}"
        );
    }
}

#[test]
fn grades_have_the_type_of_their_value() {
    for (grade, expected) in [
        (json!("A"), Some(("LetterGrade", "A"))),
        (json!("B+"), Some(("LetterGrade", "B+"))),
        (json!("sehr gut"), Some(("Result", "sehr gut"))),
        (json!(1.5), Some(("RawScore", "1.5"))),
        (json!(2), Some(("RawScore", "2"))),
        (json!(true), None),
        (json!(null), None),
        (json!(" "), None),
        (json!({ "a": 1 }), None),
    ] {
        let badge = made(&json!({ "name": "x", "grade": grade })).unwrap();
        let subject = &badge["credentialSubject"];
        let found = subject.get("result").map(|result| {
            (
                subject["achievement"]["resultDescription"][0]["resultType"]
                    .as_str()
                    .unwrap(),
                result[0]["value"].as_str().unwrap(),
            )
        });
        assert_eq!(found, expected, "{grade}");
    }
}

#[test]
fn control_characters_that_programs_escape_differently_become_spaces() {
    let badge =
        made(&json!({ "name": "a\u{0}b\u{8}c\u{7f}d\u{85}e\tf\ng\rh", "grade": "\u{1}\u{c}x" }))
            .unwrap();
    assert_eq!(badge["name"], "a b c d e\tf\ng\rh");
    assert_eq!(badge["credentialSubject"]["result"][0]["value"], "  x");
}

#[test]
fn links_that_are_too_long_and_malformed_parts_are_refused() {
    let linked = |link: &str| made_shown(&schema(), &document(), Shown::Link(link), |_| ());
    let long = "1".repeat(8193);
    assert_eq!(linked(&long), Err(Refusal::LinkTooLong));
    assert!(linked(&long[1..]).is_ok());
    for wrong in ["1 2", "1>", "1\"", "1é"] {
        assert_eq!(linked(wrong), Err(Refusal::Malformed("evidence")));
    }
    let huge = json!({ "name": "x", "description": "é".repeat(1 << 20) });
    assert_eq!(made(&huge), Err(Refusal::TooLarge));
}

proptest! {
    #[test]
    fn equal_facts_give_equal_badges_and_other_values_other_badges(name in "\\PC{1,40}", other in "\\PC{1,40}", grade in ".{0,9}") {
        prop_assume!(!name.trim().is_empty() && !other.trim().is_empty());
        let document = |name: &str| json!({ "name": name, "grade": grade });
        prop_assert_eq!(made(&document(&name)), made(&document(&name)));
        prop_assert_eq!(made(&document(&name)) == made(&document(&other)), name == other);
    }
}
