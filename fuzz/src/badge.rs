//! Reads badges, also as JWT and in pictures, SD-JWTs and status lists, as the importers get them from strangers.

use cert_badge::bake::{bake, unbake};
use cert_badge::{BadgeJwt, Proof, PublicKey, SdJwt, listed_key, read, read_status_list, to_sign};
use serde_json::Value as Json;

/// A PNG of one pixel.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0:~\x9bU\0\0\0\nIDATx\x9cc\xf8\x0f\0\x01\x01\x01\0\xb18\xf6\x14\0\0\0\0IEND\xaeB`\x82";
const SVG: &[u8] = b"<svg xmlns=\"http://www.w3.org/2000/svg\"><rect/></svg>";

/// Returns the signed badges of the vectors, as JSON, as JWT and inside pictures, the SD-JWTs, and the signed status lists.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let signed = |text: &str, name: &str| -> Vec<String> {
        let vectors: Json = serde_json::from_str(text).unwrap();
        let all = vectors[name].as_array().unwrap();
        all.iter().map(|case| case["signed"].to_string()).collect()
    };
    let badges = include_str!("../../tests/vectors/badge/badges.json");
    let lists = include_str!("../../tests/vectors/badge/lists.json");
    let mut seeds = Vec::new();
    for badge in signed(badges, "badges") {
        seeds.push(bake(PNG, &badge).unwrap());
        seeds.push(bake(SVG, &badge).unwrap());
        seeds.push(badge.into_bytes());
    }
    let lists = signed(lists, "lists").into_iter().map(String::into_bytes);
    seeds.extend(lists);
    let jwts: Json =
        serde_json::from_str(include_str!("../../tests/vectors/vc/jwts.json")).unwrap();
    let texts = [&jwts["sdJwt"], &jwts["bound"]].into_iter();
    let texts = texts.chain(jwts["badges"].as_array().unwrap());
    seeds.extend(texts.map(|text| text.as_str().unwrap().as_bytes().to_vec()));
    seeds
}

/// Takes a badge, a picture, a JWT or a status list. A badge that is taken out of a picture must be the one that is put in again. A badge or a list must
/// stay the same when it is written and read again, and must be plain JSON for other programs.
pub fn badge(input: &[u8]) {
    if let Ok(inside) = unbake(input) {
        if let Ok(baked) = bake(input, &inside) {
            assert_eq!(unbake(&baked).as_ref(), Ok(&inside));
        }
        read_badge(&inside);
    }
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    read_badge(text);
    if let Ok(jwt) = BadgeJwt::read(text) {
        let made = jwt.badge().to_jwt(jwt.jwt().key_id()).unwrap();
        assert_eq!(
            BadgeJwt::read(&made.signed(&jwt.jwt().signature().0))
                .unwrap()
                .badge(),
            jwt.badge()
        );
        read_badge(&jwt.badge().to_json());
    }
    if let Ok(jwt) = SdJwt::read(text) {
        assert!(jwt.page().len() <= text.len() + 100 && jwt.issuer().len() <= text.len());
        let fields = jwt.compared(None);
        assert!(fields.len() <= text.matches('~').count());
        let _ = (jwt.status(), jwt.is_valid_at(0), jwt.is_valid_at(u64::MAX));
    }
    if let Ok(list) = read_status_list(text) {
        let again = read_status_list(&list.to_json()).unwrap();
        assert_eq!(again, list);
        assert!(list.is_revoked(u32::MAX).is_none());
        assert!(list.host().len() <= text.len() && list.address().len() <= text.len());
        let _ = (list.is_revoked(0), list.is_valid_at(0));
        look_up(list.proof(), &list.host());
        if let Some(proof) = list.proof() {
            assert_eq!(to_sign(&again, proof), to_sign(&list, proof));
        }
    }
}

fn read_badge(text: &str) {
    let Ok(badge) = read(text) else { return };
    let written = badge.to_json();
    assert!(written.is_ascii());
    let again = read(&written).unwrap();
    assert_eq!(again, badge);
    assert!(serde_json::from_str::<Json>(text).is_ok());
    let _ = (
        badge.place(),
        badge.status_list(),
        badge.evidence(),
        badge.name(),
    );
    look_up(badge.proof(), &badge.issuer());
    if let Some(proof) = badge.proof() {
        assert_eq!(to_sign(&again, proof), to_sign(&badge, proof));
        for picture in [PNG, SVG] {
            let baked = bake(picture, &written).unwrap();
            assert_eq!(unbake(&baked).as_ref(), Ok(&written));
        }
    }
}

/// Looks up the key of a signature in a file that lists it under its id.
fn look_up(proof: Option<&Proof>, domain: &str) {
    let Some(proof) = proof else { return };
    let key = PublicKey([1; 32]);
    let id = proof.key_id();
    let file = serde_json::json!({
        "id": id.split('#').next(),
        "verificationMethod": [{ "id": id, "publicKeyMultibase": key.to_string() }],
        "assertionMethod": [id],
    });
    let found = listed_key(&file, domain, proof);
    assert!(found.is_none_or(|found| found == key));
}
