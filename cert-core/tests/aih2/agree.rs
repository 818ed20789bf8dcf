//! Compares the crate with the slow verifier.

use cert_core::aih2::{Cert, Evidence, Report, Status, ValueFinding};
use cert_core::{ErrorCode, Value};
use serde_json::{Value as Json, json};

use super::judge::{Judged, Pair, With, judge};
use super::model::{Says, split};

/// Evidence and optionally a document, in the form that both verifiers read.
#[derive(PartialEq)]
pub(crate) struct Claim {
    pub(crate) evidence: Json,
    pub(crate) document: Option<Json>,
}

/// Judges a claim with both verifiers, which must agree. Returns the report under the imprint of the evidence itself, or `None` if the
/// evidence is refused.
pub(crate) fn agreed(cert: &Cert, schema: &Json, claim: &Claim) -> Option<Report> {
    let value = |json: &Json| Value::try_from(json).unwrap();
    let (json, document) = (value(&claim.evidence), claim.document.as_ref().map(value));
    let verify = |cert: &Cert, imprint: &str| cert.verify(document.as_ref(), &json, imprint);
    let first = verify(cert, &"0".repeat(64)).unwrap();
    assert!(!first.valid && first.entries.is_empty(), "{first:?}");
    let is_open =
        |value: &ValueFinding| !matches!(value.status, Status::NotProven | Status::NotInSchema);
    assert!(!first.shown.iter().any(is_open), "{first:?}");
    let Ok(evidence) = Evidence::from_value(&json) else {
        assert_eq!(first.imprint, None);
        return None;
    };
    if evidence.schema_id() != cert.schema_id() {
        assert_eq!(first.imprint, None);
        return None;
    }
    let slow = slow(schema, claim);
    let found = first.imprint.map(|imprint| *imprint.as_bytes());
    assert_eq!(
        found,
        slow.as_ref().map(|slow| slow.imprint),
        "{:?}",
        first.errors
    );
    let (slow, imprint) = (slow?, first.imprint?.to_string());
    let report = verify(cert, &imprint).unwrap();
    let told: Json = (&report.to_value()).into();
    for (name, expected) in [
        ("entries", &slow.says.entries),
        ("absent", &slow.says.absent),
        ("objects", &slow.says.objects),
        ("lists", &slow.says.lists),
    ] {
        assert_eq!(sorted(&told[name]), sorted(&json!(expected)), "{name}");
    }
    let page = claim.document.as_ref();
    let is_page = page.is_some() && claim.evidence.get("values").is_some();
    let same = !is_page || page == slow.says.document.as_ref();
    assert_eq!(report.valid, slow.faults.is_empty() && same, "{report:?}");
    if !is_page {
        assert_eq!(sorted(&told["errors"]), sorted(&json!(slow.faults)));
    }
    assert_shown(schema, page, &slow.says, &told);
    let calculated = cert.calculate(document.as_ref(), &evidence).ok();
    assert_eq!(calculated, report.imprint.filter(|_| report.valid));

    // The number of hashes that the crate counts in advance equals the number that the slow verifier computes.
    let limited = |work| {
        let cert = Cert::new(&value(schema)).unwrap().with_most_work(work);
        verify(&cert, &imprint)
    };
    assert_eq!(limited(slow.work).unwrap(), report);
    let error = limited(slow.work - 1).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooMuchWork);
    Some(report)
}

/// Checks that each value of a document has one status, in the order of the document. The status follows from what the evidence says
/// about the value's path and the paths above it.
fn assert_shown(schema: &Json, page: Option<&Json>, says: &Says, told: &Json) {
    let Some(page) = page else {
        assert_eq!(told["shown"], json!([]));
        return;
    };
    let mut expected = vec![];
    shown(schema, page, vec![], says, &mut expected);
    assert_eq!(told["shown"], json!(expected), "{page}");
    let wrong = |code: &str| {
        told["errors"]
            .as_array()
            .unwrap()
            .iter()
            .any(|error| error["code"] == code)
    };
    for (status, code) in [
        ("changed", "value-mismatch"),
        ("not-in-schema", "not-in-schema"),
        ("not-covered", "not-covered"),
    ] {
        let is_shown = expected.iter().any(|value| value["status"] == status);
        assert!(
            !is_shown || wrong(code) || code == "not-in-schema" || told["valid"] == false,
            "{told}"
        );
    }
}

fn shown(schema: &Json, value: &Json, path: Vec<Json>, says: &Says, all: &mut Vec<Json>) {
    let below = |step: Json| [&path[..], &[step]].concat();
    match split(schema, value) {
        Some('O') if value != &json!({}) => {
            for (key, value) in value.as_object().unwrap() {
                let path = below(json!(key));
                match schema["properties"].get(key) {
                    Some(schema) => shown(schema, value, path, says, all),
                    None => all.push(json!({ "path": path, "status": "not-in-schema" })),
                }
            }
        }
        Some('A') if value != &json!([]) => {
            // A `null` that is the placeholder of a hidden item is not a value.
            let length = given(says, &path)
                .and_then(Json::as_array)
                .map_or(0, Vec::len);
            for (at, item) in value.as_array().unwrap().iter().enumerate() {
                let path = below(json!(at));
                let is_open = says
                    .entries
                    .iter()
                    .any(|entry| entry["path"] == json!(path));
                let is_hidden = given(says, &path).is_none_or(Json::is_null) && !is_open;
                let is_placeholder = item.is_null() && at < length && is_hidden;
                if !is_placeholder {
                    shown(&schema["items"], item, path, says, all);
                }
            }
        }
        _ => {
            let status = status(value, &path, says);
            all.push(json!({ "path": path, "status": status }));
        }
    }
}

/// Returns the value at a path of the detached document.
fn given<'s>(says: &'s Says, path: &[Json]) -> Option<&'s Json> {
    let document = says.document.as_ref()?;
    path.iter().try_fold(document, |value, step| match step {
        Json::String(key) => value.get(key),
        other => value.get(other.as_u64()? as usize),
    })
}

fn status(value: &Json, path: &[Json], says: &Says) -> &'static str {
    let at = |list: &[Json], path: &[Json]| {
        list.iter()
            .find(|item| item["path"] == json!(path))
            .cloned()
    };
    let is_absent = |path: &[Json]| says.absent.iter().any(|absent| *absent == json!(path));
    if let Some(entry) = at(&says.entries, path) {
        return if entry["value"] == *value {
            "proven"
        } else {
            "changed"
        };
    }
    for length in 0..=path.len() {
        let (above, rest) = path.split_at(length);
        let list = at(&says.lists, above);
        let says_otherwise = match rest.first() {
            // True if the evidence opens a list where the path has a key, or a shorter list or an object where the path has an index.
            // Leaves and absent values are checked below.
            Some(Json::String(_)) => list.is_some(),
            Some(step) => {
                let past = list.is_some_and(|list| list["atMost"].as_u64() <= step.as_u64());
                past || at(&says.objects, above).is_some()
            }
            None if (value.is_null() || *value == json!([])) && list.is_some() => {
                match given(says, above) {
                    // A list without shown items.
                    None | Some(Json::Null) => return "not-covered",
                    Some(given) => return if given == value { "proven" } else { "changed" },
                }
            }
            None => match at(&says.objects, above) {
                Some(_) if given(says, above) == Some(value) => return "proven",
                object => object.is_some() || list.is_some(),
            },
        };
        if says_otherwise || is_absent(above) || at(&says.entries, above).is_some() {
            return "changed";
        }
    }
    "not-covered"
}

/// Returns the slow verifier's judgement of well-formed evidence, or `None` if the slow verifier refuses it.
fn slow(schema: &Json, claim: &Claim) -> Option<Judged> {
    let proof = bytes(claim.evidence["proof"].as_str().unwrap());
    let Some(values) = claim.evidence.get("values") else {
        let document = claim.document.as_ref()?;
        return judge(schema, &proof, With::Document(document));
    };
    // A document given with attached evidence must be an object.
    if claim
        .document
        .as_ref()
        .is_some_and(|page| !page.is_object())
    {
        return None;
    }
    let pair = |pair: &Json| -> Pair {
        let path = pair[0].as_array().unwrap().iter().map(index);
        (path.collect(), pair[1].clone())
    };
    let pairs: Vec<_> = values.as_array().unwrap().iter().map(pair).collect();
    judge(schema, &proof, With::Pairs(&pairs))
}

/// Returns a step. An index becomes an integer, because evidence may write it as `1.0`.
fn index(step: &Json) -> Json {
    match step.as_f64() {
        Some(number) => json!(number as u64),
        None => step.clone(),
    }
}

/// Returns a list in a fixed order, for lists whose order has no meaning.
pub(crate) fn sorted(list: &Json) -> Vec<String> {
    let mut items: Vec<_> = list
        .as_array()
        .unwrap()
        .iter()
        .map(Json::to_string)
        .collect();
    items.sort();
    items
}

/// Returns the bytes of a base64url text.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let digit = |char: u8| match char {
        b'A'..=b'Z' => char - b'A',
        b'a'..=b'z' => char - b'a' + 26,
        b'0'..=b'9' => char - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        other => panic!("the byte {other} is not a base64url digit"),
    };
    let mut bits = vec![];
    for char in text.bytes() {
        bits.extend((0..6).rev().map(|bit| digit(char) >> bit & 1));
    }
    bits.chunks_exact(8)
        .map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit))
        .collect()
}
