//! The crate held against the slow verifier.

use cert_core::aih2::{Cert, Evidence, Report};
use cert_core::{ErrorCode, Value};
use serde_json::{Value as Json, json};

use super::judge::{Judged, Pair, With, judge};

/// Evidence as both read it.
#[derive(PartialEq)]
pub(crate) struct Claim {
    pub(crate) evidence: Json,
    pub(crate) document: Option<Json>,
}

/// Both judge a claim: gives the report under the imprint that the evidence has, if it is sound. The two must agree.
pub(crate) fn agreed(cert: &Cert, schema: &Json, claim: &Claim) -> Option<Report> {
    let value = |json: &Json| Value::try_from(json).unwrap();
    let (json, document) = (value(&claim.evidence), claim.document.as_ref().map(value));
    let verify = |cert: &Cert, imprint: &str| cert.verify(document.as_ref(), &json, imprint);
    let first = verify(cert, &"0".repeat(64)).unwrap();
    assert!(!first.valid && first.entries.is_empty(), "{first:?}");
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
    let calculated = cert.calculate(document.as_ref(), &evidence).ok();
    assert_eq!(calculated, report.imprint.filter(|_| report.valid));

    // The work that is counted before anything is hashed is that which is done.
    let limited = |work| {
        let cert = Cert::new(&value(schema)).unwrap().with_most_work(work);
        verify(&cert, &imprint)
    };
    assert_eq!(limited(slow.work).unwrap(), report);
    let error = limited(slow.work - 1).unwrap_err();
    assert_eq!(error.code(), ErrorCode::TooMuchWork);
    Some(report)
}

/// The slow verifier's judgement of evidence that is well-formed.
fn slow(schema: &Json, claim: &Claim) -> Option<Judged> {
    let proof = bytes(claim.evidence["proof"].as_str().unwrap());
    let Some(values) = claim.evidence.get("values") else {
        let document = claim.document.as_ref()?;
        return judge(schema, &proof, With::Document(document));
    };
    // A page beside values has to be a document, whatever else it says.
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

/// An index may be written `1.0`.
fn index(step: &Json) -> Json {
    match step.as_f64() {
        Some(number) => json!(number as u64),
        None => step.clone(),
    }
}

/// A list whose order means nothing.
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

/// The bytes of base64url.
pub(crate) fn bytes(text: &str) -> Vec<u8> {
    let digit = |char: u8| match char {
        b'A'..=b'Z' => char - b'A',
        b'a'..=b'z' => char - b'a' + 26,
        b'0'..=b'9' => char - b'0' + 52,
        b'-' => 62,
        b'_' => 63,
        other => panic!("{other} is no digit"),
    };
    let mut bits = vec![];
    for char in text.bytes() {
        bits.extend((0..6).rev().map(|bit| digit(char) >> bit & 1));
    }
    bits.chunks_exact(8)
        .map(|bits| bits.iter().fold(0, |byte, bit| byte << 1 | bit))
        .collect()
}
