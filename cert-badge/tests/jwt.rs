//! SD-JWTs, badges as JWT and status list tokens: `tests/vectors/vc`.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

use base64ct::{Base64UrlUnpadded, Encoding as _};
use cert_badge::{
    Agreement, Badge, BadgeJwt, Certificate, Issuer, JwtKey, JwtSignature, ListFacts, OnLedger,
    Parts, Place, Refusal, Rule, SdJwt, encode, findings, issuer_metadata, key_with_id,
    lists_for_jwts, problems, status_token,
};
use cert_core::{Path, Value};
use ring::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use serde_json::{Value as Json, json};

fn vectors() -> Json {
    serde_json::from_str(include_str!("../../tests/vectors/vc/jwts.json")).unwrap()
}

fn text<'a>(vectors: &'a Json, name: &str) -> &'a str {
    vectors[name].as_str().unwrap()
}

fn value(json: &Json) -> Value {
    Value::parse(&json.to_string()).unwrap()
}

/// The certificate of the vectors, with its whole document or a changed one.
fn certificate(vectors: &Json) -> Certificate {
    let [schema, document, evidence] =
        ["schema", "document", "evidence"].map(|name| value(&vectors[name]));
    let parts = Parts {
        schema: &schema,
        document: Some(&document),
        evidence: &evidence,
    };
    Certificate::proven(parts, text(vectors, "imprint")).unwrap()
}

fn ledger(vectors: &Json) -> OnLedger<'_> {
    OnLedger {
        service: text(vectors, "service"),
        ledger: text(vectors, "ledger"),
        asset: text(vectors, "asset"),
        issuer: Issuer {
            domain: text(vectors, "domain"),
            name: None,
        },
        created: vectors["created"].as_u64().unwrap(),
    }
}

const PLACE: Place = Place {
    list: 0,
    index: 4711,
};

/// Returns the key of the vectors from the issuer's `did.json`.
fn key(vectors: &Json) -> JwtKey {
    let domain = text(vectors, "domain");
    key_with_id(&vectors["did"], domain, text(vectors, "keyId")).unwrap()
}

fn is_signed(vectors: &Json, bytes: &[u8], signature: &JwtSignature) -> bool {
    let key = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key(vectors).point());
    key.verify(bytes, &signature.0).is_ok()
}

#[test]
fn an_sd_jwt_is_made_as_in_the_vectors_and_its_signature_is_valid() {
    let vectors = vectors();
    let certificate = certificate(&vectors);
    let digits = text(&vectors, "documentKey");
    let document_key = certificate.document_key().unwrap();
    assert_eq!(const_hex::encode(document_key.as_bytes()), digits);
    let holder = JwtKey::from_jwk(&vectors["holderJwk"]).unwrap();
    for (name, holder) in [("sdJwt", None), ("bound", Some(&holder))] {
        let given = text(&vectors, name);
        let read = SdJwt::read(given).unwrap();
        assert!(is_signed(
            &vectors,
            read.jwt().to_sign(),
            read.jwt().signature()
        ));
        let made = certificate
            .to_sd_jwt(
                &ledger(&vectors),
                Some(PLACE),
                holder,
                text(&vectors, "keyId"),
            )
            .unwrap();
        assert_eq!(made.to_sign(), read.jwt().to_sign());
        // The order of disclosures is free.
        let sorted = |text: &str| {
            let mut parts: Vec<String> = text.split('~').map(str::to_owned).collect();
            parts.sort_unstable();
            parts
        };
        assert_eq!(
            sorted(&made.signed(&read.jwt().signature().0)),
            sorted(given)
        );
        assert_eq!(read.issuer(), "uni.example");
        assert_eq!(read.imprint(), text(&vectors, "imprint"));
        assert_eq!(read.status().unwrap().1, PLACE);
        assert!(read.page().starts_with("https://certs.example/c/0x137b"));
        let (from, until) = (1_782_777_600_000, 1_877_558_399_000);
        for (time, is_valid) in [
            (from - 1, false),
            (from, true),
            (until, true),
            (until + 1_000, false),
        ] {
            assert_eq!(read.is_valid_at(time), is_valid, "{time}");
        }
    }
}

#[test]
fn reduced_sd_jwts_are_read_and_compared_with_the_public_part() {
    let vectors = vectors();
    let (jwt, _) = text(&vectors, "sdJwt").split_once('~').unwrap();
    let document = value(&vectors["document"]);
    for reduced in vectors["reduced"].as_array().unwrap() {
        let disclosures = reduced["disclosures"].as_array().unwrap();
        let presented = disclosures
            .iter()
            .fold(format!("{jwt}~"), |text, disclosure| {
                format!("{text}{}~", disclosure.as_str().unwrap())
            });
        let read = SdJwt::read(&presented).unwrap();
        let shown = reduced["document"].as_object().unwrap();
        let fields = read.compared(document.as_object());
        assert_eq!(fields.len(), shown.len(), "{reduced}");
        assert!(fields.iter().all(|(name, agreement)| shown.contains_key(*name) && *agreement == Agreement::Same));
        // Without a public part, and with other values.
        assert!(
            read.compared(None)
                .iter()
                .all(|(_, agreement)| *agreement == Agreement::NotPublic)
        );
        let other: serde_json::Map<_, _> = shown
            .keys()
            .map(|name| (name.clone(), json!("other")))
            .collect();
        let other = value(&Json::Object(other));
        assert!(
            read.compared(other.as_object())
                .iter()
                .all(|(_, agreement)| *agreement == Agreement::Different)
        );
    }
    let read = SdJwt::read(text(&vectors, "sdJwt")).unwrap();
    let public = value(
        &json!({ "name": "Applied Cryptography", "holder": { "name": "Ada Example" }, "modules": [null, "Signatures"], "grade": "B", "notes": [1] }),
    );
    let mut compared = read.compared(public.as_object());
    compared.sort_unstable();
    let found: Vec<_> = compared
        .iter()
        .filter(|(_, agreement)| *agreement != Agreement::NotPublic)
        .collect();
    assert_eq!(
        found,
        [
            &("grade", Agreement::Different),
            &("name", Agreement::Same),
            &("notes", Agreement::Different)
        ]
    );
}

#[test]
fn malformed_sd_jwts_are_refused_although_their_signatures_are_valid() {
    let vectors = vectors();
    let refused = vectors["refused"].as_array().unwrap();
    assert!(refused.len() > 25);
    for pair in refused {
        let read = SdJwt::read(pair[1].as_str().unwrap());
        assert_eq!(read.err(), Some(Refusal::Foreign), "{}", pair[0]);
    }
    assert_eq!(
        SdJwt::read(&"~".repeat(11 << 20)).err(),
        Some(Refusal::TooLarge)
    );
}

#[test]
fn every_changed_character_is_refused_or_breaks_the_signature() {
    let vectors = vectors();
    let given = text(&vectors, "sdJwt");
    for at in 0..given.len() {
        let other = if &given[at..=at] == "A" { "B" } else { "A" };
        let changed = [&given[..at], other, &given[at + 1..]].concat();
        if let Ok(read) = SdJwt::read(&changed) {
            assert!(
                !is_signed(&vectors, read.jwt().to_sign(), read.jwt().signature()),
                "{at}"
            );
        }
    }
}

#[test]
fn an_sd_jwt_needs_the_private_file_and_names_that_no_claim_has() {
    let vectors = vectors();
    let reduced = certificate(&vectors)
        .reduced(&[Path::from(["name"])])
        .unwrap();
    assert!(reduced.document_key().is_none());
    let made = reduced.to_sd_jwt(&ledger(&vectors), None, None, "did:web:uni.example#jwt-1");
    assert_eq!(made.err(), Some(Refusal::NotPrivate));
    for document in [
        json!({ "status": "valid" }),
        json!({ "exp": 1 }),
        json!({ "_sd_alg": "" }),
        json!({ "extra": { "_sd": [] } }),
        json!({ "extra": [{ "...": "" }] }),
        json!({ "extra": (0..5_000).collect::<Vec<_>>() }),
    ] {
        let made = certificate_of(&document).to_sd_jwt(
            &ledger(&vectors),
            None,
            None,
            "did:web:uni.example#jwt-1",
        );
        let expected = match document["extra"].is_array() && document["extra"][0].is_number() {
            true => Refusal::TooLarge,
            false => Refusal::ReservedName,
        };
        assert_eq!(made.err(), Some(expected), "{document}");
    }
}

/// Certifies a document under a schema that has its fields.
fn certificate_of(document: &Json) -> Certificate {
    use cert_core::aih2::{Cert, DocumentKey, Keys};
    let properties: serde_json::Map<_, _> = document
        .as_object()
        .unwrap()
        .keys()
        .map(|name| (name.clone(), json!({})))
        .collect();
    let schema = value(&json!({ "type": "object", "properties": properties }));
    let document = value(document);
    let cert = Cert::new(&schema).unwrap();
    let keys = Keys::Key(DocumentKey::from([7; 32]));
    let imprint = cert.imprint(&document, &keys).unwrap().to_string();
    let evidence = cert.notarize(&document, &keys).unwrap().to_value();
    let parts = Parts {
        schema: &schema,
        document: Some(&document),
        evidence: &evidence,
    };
    Certificate::proven(parts, &imprint).unwrap()
}

fn badges() -> Vec<Badge> {
    let vectors: Json =
        serde_json::from_str(include_str!("../../tests/vectors/badge/badges.json")).unwrap();
    let all = vectors["badges"].as_array().unwrap().iter();
    all.map(|one| cert_badge::read(&one["signed"].to_string()).unwrap())
        .collect()
}

#[test]
fn badges_as_jwt_are_read_and_made_as_other_software_made_them() {
    let vectors = vectors();
    let given = vectors["badges"].as_array().unwrap();
    assert_eq!(given.len(), 8);
    for (badge, given) in badges().into_iter().zip(given) {
        let given = given.as_str().unwrap();
        let read = BadgeJwt::read(given).unwrap();
        assert_eq!(read.badge(), &badge.clone().unsigned());
        assert!(is_signed(
            &vectors,
            read.jwt().to_sign(),
            read.jwt().signature()
        ));
        let made = badge.to_jwt(text(&vectors, "keyId")).unwrap();
        assert_eq!(made.signed(&read.jwt().signature().0), given);
    }
}

#[test]
fn a_jwt_that_says_something_else_than_its_badge_is_refused() {
    let vectors = vectors();
    let given = vectors["badges"][0].as_str().unwrap();
    let parts: Vec<&str> = given.split('.').collect();
    let decode =
        |part: &str| String::from_utf8(Base64UrlUnpadded::decode_vec(part).unwrap()).unwrap();
    let [header, payload] = [parts[0], parts[1]].map(decode);
    let with = |header: &str, payload: &str| {
        let [header, payload] =
            [header, payload].map(|text| Base64UrlUnpadded::encode_string(text.as_bytes()));
        BadgeJwt::read(&format!("{header}.{payload}.{}", parts[2]))
    };
    assert!(with(&header, &payload).is_ok());
    for (from, to) in [
        (
            "\"iss\":\"did:web:uni.example\"",
            "\"iss\":\"did:web:other.example\"",
        ),
        ("\"jti\":\"urn", "\"jti\":\"urm"),
        ("\"sub\":\"urn", "\"sub\":\"urm"),
        ("\"nbf\":", "\"nbf\":1"),
        ("\"nbf\":", "\"iat\":1,\"nbf\":"),
        ("{\"iss\"", "{\"vc\":{},\"iss\""),
        ("{\"iss\"", "{\"iss\":\"did:web:other.example\",\"iss\""),
        ("{\"iss\"", "{ \"iss\""),
        ("OpenBadgeCredential", "OtherCredential"),
    ] {
        let changed = payload.replacen(from, to, 1);
        assert_ne!(changed, payload, "{from}");
        assert_eq!(
            with(&header, &changed).err(),
            Some(Refusal::Foreign),
            "{to}"
        );
    }
    for (from, to) in [
        ("ES256", "none"),
        ("ES256", "EdDSA"),
        ("\"JWT\"", "\"dc+sd-jwt\""),
        ("{", "{\"jwk\":{},"),
        ("{", "{\"alg\":\"ES256\","),
    ] {
        assert_eq!(
            with(&header.replacen(from, to, 1), &payload).err(),
            Some(Refusal::Foreign),
            "{to}"
        );
    }
    for foreign in [
        "",
        "eyJ",
        "..",
        "a.b.c",
        &given[1..],
        &format!("{given}~"),
        &format!("{given}."),
    ] {
        assert_eq!(
            BadgeJwt::read(foreign).err(),
            Some(Refusal::Foreign),
            "{foreign}"
        );
    }
}

#[test]
fn keys_of_p256_are_listed_as_json_web_key_2020() {
    let vectors = vectors();
    let (did, domain, id) = (
        &vectors["did"],
        text(&vectors, "domain"),
        text(&vectors, "keyId"),
    );
    let key = key(&vectors);
    assert_eq!(
        cert_badge::entry(domain, "jwt-1", &key),
        did["verificationMethod"][0]
    );
    assert_eq!(problems(did, domain, &key), (vec![], Some(id.to_owned())));
    assert_eq!(findings(did, domain, None), []);
    assert_eq!(JwtKey::from_point(&key.point()), Ok(key));
    let metadata = issuer_metadata(domain, "jwt-1", &key);
    assert_eq!(metadata, vectors["issuerMetadata"]);
    assert!(lists_for_jwts(&metadata, domain, id, &key));
    assert!(!lists_for_jwts(&metadata, "other.example", id, &key));
    assert!(!lists_for_jwts(
        &metadata,
        domain,
        "did:web:uni.example#jwt-2",
        &key
    ));
    assert!(!lists_for_jwts(&json!({}), domain, id, &key));
    let changed = |act: &dyn Fn(&mut Json)| {
        let mut changed = did.clone();
        act(&mut changed);
        (
            problems(&changed, domain, &key).0,
            findings(&changed, domain, None),
        )
    };
    let method = |name: &'static str, value: Json| {
        move |did: &mut Json| did["verificationMethod"][0][name] = value.clone()
    };
    let form = method("type", json!("JsonWebKey"));
    assert_eq!(changed(&form), (vec![Rule::Form], vec![Rule::Form]));
    assert_eq!(
        changed(&method("controller", json!("did:web:other.example"))).0,
        [Rule::Controller]
    );
    for (name, wrong) in [
        ("d", json!("AA")),
        ("crv", json!("P-384")),
        ("kty", json!("OKP")),
        ("x", json!("AA")),
        ("y", json!(1)),
    ] {
        let jwk =
            |did: &mut Json| did["verificationMethod"][0]["publicKeyJwk"][name] = wrong.clone();
        assert_eq!(changed(&jwk).0, [Rule::NotListed], "{name}");
    }
    let other = |did: &mut Json| did["assertionMethod"] = json!([]);
    assert_eq!(changed(&other).0, [Rule::Purpose]);
    for point in [&[][..], &[4; 64], &[2; 65], &[4; 66]] {
        assert_eq!(JwtKey::from_point(point), Err(Refusal::Key));
    }
}

#[test]
fn a_status_token_counts_bits_from_the_right() {
    let facts = |encoded| ListFacts {
        address: "https://certs.example/status/0x137b1d156156b8813ecb6ee9370c7e2d40d7f7ed/0",
        host: "certs.example",
        from: 1_782_907_200_000,
        until: 1_782_993_600_000,
        encoded,
    };
    // The example of draft-ietf-oauth-status-list, section 4.1.
    let encoded = encode([0, 3, 4, 5, 7, 8, 9, 13, 15, 131_071]);
    let token = status_token(&facts(&encoded), "did:web:certs.example#status-1").unwrap();
    let parts: Vec<Json> = core::str::from_utf8(token.to_sign())
        .unwrap()
        .split('.')
        .map(|part| serde_json::from_slice(&Base64UrlUnpadded::decode_vec(part).unwrap()).unwrap())
        .collect();
    assert_eq!(
        parts[0],
        json!({ "alg": "EdDSA", "typ": "statuslist+jwt", "kid": "did:web:certs.example#status-1" })
    );
    let mut claims = parts[1].clone();
    let list = claims["status_list"].take();
    assert_eq!(
        claims,
        json!({ "iss": "did:web:certs.example", "sub": facts("").address, "iat": 1_782_907_200, "exp": 1_782_993_600, "ttl": 60, "status_list": null })
    );
    assert_eq!(list["bits"], 1);
    let lst = Base64UrlUnpadded::decode_vec(list["lst"].as_str().unwrap()).unwrap();
    let bytes = miniz_oxide::inflate::decompress_to_vec_zlib(&lst).unwrap();
    assert_eq!(
        (bytes.len(), &bytes[..3], bytes[16_383]),
        (16_384, &[0xb9, 0xa3, 0][..], 0x80)
    );
    assert!(status_token(&facts("uAA"), "x").is_err());
}
