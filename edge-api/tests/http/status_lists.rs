//! Status lists: who gets places, and which certificates a list calls revoked.

use std::collections::BTreeSet;

use alloy_primitives::hex;
use cert_badge::{ListFacts, PublicKey, StatusList, read_status_list, status_token, to_sign};
use ed25519_dalek::{Signature, Signer as _, SigningKey, VerifyingKey};
use serde_json::{Value, json};

use crate::files::{self, Archive, reference};
use crate::support::people::{IMPRINT, Person};
use crate::support::{self, Answer, Call, SETTINGS};

/// Another imprint than [`IMPRINT`].
const OTHER: &str = "0000000000000000000000000000000000000000000000000000000000000001";
/// The number of places of a list.
const PLACES: u64 = 131_072;

/// The private key of status lists: the first test vector of RFC 8032, section 7.1.
const KEY: &str = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";

/// The settings of a service with status lists that are not cached.
pub fn settings() -> Vec<(&'static str, &'static str)> {
    let own = [("STATUS_KEY", KEY), ("BADGE_CACHE_SECONDS", "0")];
    [files::settings().as_slice(), &own].concat()
}

fn archive() -> Archive {
    Archive::on(support::shared(&settings()))
}

/// Returns the request for the places of certificates.
pub fn drawing(person: &Person, ledger: &Value, certificates: &[(&str, &str)]) -> Call {
    let entries: Vec<Value> = certificates
        .iter()
        .map(|(asset, imprint)| json!({ "assetId": asset, "imprint": imprint }))
        .collect();
    let path = format!("/ledgers/{}/status-entries", reference(ledger));
    person.post(path, &json!({ "entries": entries }))
}

/// Returns the address of a ledger in the form that the paths of lists have.
pub fn address(ledger: &Value) -> String {
    ledger["id"].as_str().expect("an address").to_lowercase()
}

/// Returns the key in the service's DID document, and checks the document.
fn service_key(archive: &Archive, host: &str) -> (PublicKey, String) {
    let answer = archive.get("/.well-known/did.json");
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/did+json"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=300"));
    let document = answer.json();
    let method = &document["verificationMethod"][0];
    let key = method["publicKeyMultibase"].as_str().expect("a key");
    let key = PublicKey::parse(key).expect("a key");
    let (broken, id) = cert_badge::problems(&document, host, &key);
    assert_eq!(broken, [], "{document}");
    (key, id.expect("an id"))
}

/// Returns a list after checking its signature, its times and its headers.
fn list(archive: &Archive, ledger: &Value, number: u32) -> StatusList {
    let path = format!("/status/{}/{number}", address(ledger));
    let answer = archive.get(&path);
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/ld+json"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    assert_eq!(answer.header("cache-control"), Some("public, max-age=0"));
    assert_eq!(answer.header("vary"), Some("accept"));
    let list = read_status_list(answer.text()).expect("a status list");
    let (_, host) = archive.origin.split_once("://").expect("an origin");
    assert_eq!(list.host(), host);
    assert_eq!(list.address(), format!("{}{path}", archive.origin));
    assert!(list.is_valid_at(archive.world.host.now()));
    let (key, id) = service_key(archive, host);
    let proof = list.proof().expect("a proof");
    assert_eq!(proof.key_id(), id);
    let signature = Signature::from_bytes(&proof.signature().expect("a signature").0);
    let key = VerifyingKey::from_bytes(&key.0).expect("a key");
    key.verify_strict(&to_sign(&list, proof), &signature)
        .expect("a genuine signature");
    check_token(archive, &path, &answer.json(), &id);
    list
}

/// Checks that the status list token at the address of a list has the bits and the times of the list, and the service's signature.
fn check_token(archive: &Archive, path: &str, list: &Value, id: &str) {
    let media = "application/statuslist+jwt";
    let answer = archive.world.call(Call::get(path).header("accept", media));
    assert_eq!(answer.header("content-type"), Some(media));
    assert_eq!(answer.header("vary"), Some("accept"));
    assert_eq!(answer.header("access-control-allow-origin"), Some("*"));
    let time = |name: &str| {
        let time: jiff::Timestamp = list[name]
            .as_str()
            .expect("a time")
            .parse()
            .expect("a time");
        u64::try_from(time.as_millisecond()).expect("a time after 1970")
    };
    let (_, host) = archive.origin.split_once("://").expect("an origin");
    let facts = ListFacts {
        address: list["id"].as_str().expect("an address"),
        host,
        from: time("validFrom"),
        until: time("validUntil"),
        encoded: list["credentialSubject"]["encodedList"]
            .as_str()
            .expect("bits"),
    };
    let expected = status_token(&facts, id).expect("a token");
    let seed: [u8; 32] = hex::decode_to_array(KEY).expect("a key");
    // Signatures of Ed25519 are not random.
    let signature = SigningKey::from_bytes(&seed).sign(expected.to_sign());
    assert_eq!(answer.text(), expected.signed(&signature.to_bytes()));
}

fn places(answer: &Answer) -> Vec<(u64, u64)> {
    let data = answer.data();
    let entries = data["entries"].as_array().expect("entries");
    let number = |entry: &Value, name: &str| entry[name].as_u64().expect("a number");
    entries
        .iter()
        .map(|entry| (number(entry, "list"), number(entry, "index")))
        .collect()
}

#[test]
fn a_certificate_keeps_its_place() {
    let archive = archive();
    let ledger = archive.ledger("places", None);
    let prefixed = format!("aih2:{}", IMPRINT.to_uppercase());
    let certificates = [
        ("1", IMPRINT),
        ("2", IMPRINT),
        ("0x1", prefixed.as_str()),
        ("1", OTHER),
    ];
    let answer = archive
        .world
        .call(drawing(&archive.owner, &ledger, &certificates));
    let first = places(&answer);
    let data = answer.data();
    assert_eq!(data["entries"][2]["imprint"], prefixed);
    assert_eq!(data["entries"][2]["assetId"], "1");
    assert_eq!(first[0], first[2]);
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), 3);
    assert!(
        first
            .iter()
            .all(|(list, index)| *list == 0 && *index < PLACES)
    );

    // Once more, in another order, with a new one, by the address of the ledger.
    let more = [("3", IMPRINT), ("1", OTHER), ("2", IMPRINT), ("1", IMPRINT)];
    let again = json!({ "id": ledger["id"], "ref": ledger["id"] });
    let again = places(&archive.world.call(drawing(&archive.owner, &again, &more)));
    assert_eq!(again[1..], [first[3], first[1], first[0]]);
    assert!(!first.contains(&again[0]));

    // Another ledger has lists of its own.
    let other = archive.ledger("more-places", None);
    let found = archive.get(&format!("/status/{}/0", address(&other)));
    found.fails(404, &[404_006]);
}

#[test]
fn a_list_says_which_certificates_are_not_in_force() {
    let archive = archive();
    let ledger = archive.ledger("bits", None);
    let certificates = [("1", IMPRINT), ("2", IMPRINT), ("3", IMPRINT), ("3", OTHER)];
    let drawn = places(
        &archive
            .world
            .call(drawing(&archive.owner, &ledger, &certificates)),
    );
    let revoked = || {
        let list = list(&archive, &ledger, 0);
        let bit =
            |(_, index): &(u64, u64)| list.is_revoked(u32::try_from(*index).expect("a place"));
        // A place that no certificate has.
        let unused = (0..PLACES).find(|index| !drawn.contains(&(0, *index)));
        assert_eq!(bit(&(0, unused.expect("a place"))), Some(false));
        drawn
            .iter()
            .map(|place| bit(place).expect("a bit"))
            .collect::<Vec<_>>()
    };
    // No certificate was issued yet.
    assert_eq!(revoked(), [true; 4]);
    for asset in ["1", "2", "3"] {
        archive.create(&ledger, asset, IMPRINT);
    }
    assert_eq!(revoked(), [false, false, false, true]);
    // Withdrawn.
    archive.destroy(&ledger, "1");
    assert_eq!(revoked(), [true, false, false, true]);
    // Replaced.
    let replacement = json!({
        "kind": 4, "ledgerId": ledger["id"], "assetId": "3", "assetImprint": OTHER, "senderId": archive.owner.id(),
    });
    let order = archive.order(replacement);
    assert_eq!(archive.world.performed(&archive.owner, &order)["status"], 7);
    assert_eq!(revoked(), [true, false, true, false]);
}

#[test]
fn only_accounts_that_create_or_update_assets_get_places() {
    let archive = archive();
    let ledger = archive.ledger("abilities", None);
    let draw = |person: &Person| {
        let certificates = [("1", IMPRINT)];
        archive.world.call(drawing(person, &ledger, &certificates))
    };
    draw(&Person::new()).fails(403, &[403_004]);
    for (abilities, allowed) in [
        (json!([16]), true),
        (json!([128]), true),
        (json!([512]), true),
        (json!([1024]), true),
        (json!([1, 2, 32, 64, 256]), false),
    ] {
        let person = Person::new();
        archive.grant(&ledger, &person, abilities.clone());
        let answer = draw(&person);
        assert_eq!(
            answer.status,
            if allowed { 200 } else { 403 },
            "{abilities}"
        );
    }
    let unknown = json!({ "ref": "0x1111111111111111111111111111111111111111" });
    let call = drawing(&archive.owner, &unknown, &[("1", IMPRINT)]);
    archive.world.call(call).fails(400, &[400_004]);
}

#[test]
fn malformed_requests_for_places_are_explained() {
    let archive = archive();
    let ledger = archive.ledger("malformed", None);
    let post = |body: &Value| {
        let path = format!("/ledgers/{}/status-entries", reference(&ledger));
        archive.world.call(archive.owner.post(path, body))
    };
    let entry = |asset: Value, imprint: Value| json!({ "assetId": asset, "imprint": imprint });
    let many = |count: usize| json!({ "entries": vec![entry(json!("1"), json!(IMPRINT)); count] });
    for body in [
        json!({}),
        json!({ "entries": [] }),
        json!({ "entries": {} }),
        json!({ "entries": "1" }),
        many(1_001),
    ] {
        post(&body).fails(422, &[422_900]);
    }
    assert_eq!(places(&post(&many(1_000))).len(), 1_000);
    let wrong = [
        entry(json!("-1"), json!(IMPRINT)),
        entry(json!(1), json!(IMPRINT)),
        entry(json!("1"), json!("")),
        entry(json!("1"), json!(format!("aih1:{IMPRINT}"))),
        entry(json!("1"), json!(format!("{IMPRINT}00"))),
        json!(null),
    ];
    let answer = post(&json!({ "entries": wrong }));
    answer.fails(422, &[422_900; 7]);
    let paths: Vec<Value> = answer.json()["errors"]
        .as_array()
        .expect("errors")
        .iter()
        .map(|error| error["path"].clone())
        .collect();
    assert_eq!(paths[0], "entries[0].assetId");
    assert_eq!(paths[6], "entries[5].imprint");
}

#[test]
fn unknown_lists_and_other_spellings_are_404() {
    let archive = archive();
    let ledger = archive.ledger("unknown", None);
    let id = address(&ledger);
    archive
        .get(&format!("/status/{id}/0"))
        .fails(404, &[404_006]);
    archive
        .world
        .call(drawing(&archive.owner, &ledger, &[("1", IMPRINT)]));
    list(&archive, &ledger, 0);
    for path in [
        format!("/status/{id}/1"),
        format!("/status/{id}/00"),
        format!("/status/{id}/+0"),
        format!("/status/{id}/-1"),
        format!("/status/{id}/4294967296"),
        format!("/status/{id}/x"),
        format!("/status/{}/0", reference(&ledger)),
        "/status/0x1111111111111111111111111111111111111111/0".to_owned(),
    ] {
        archive.get(&path).fails(404, &[404_006]);
    }
    // Equal lists have equal signatures, in any spelling of the address.
    let mixed = archive.get(&format!(
        "/status/{}/0",
        ledger["id"].as_str().expect("an id")
    ));
    assert_eq!(
        read_status_list(mixed.text()).map(|list| list.address().to_owned()),
        Ok(format!("{}/status/{id}/0", archive.origin))
    );
}

#[test]
fn without_a_key_there_are_no_status_lists() {
    let archive = Archive::on(support::shared(&files::settings()));
    let ledger = archive.ledger("off", None);
    let call = drawing(&archive.owner, &ledger, &[("1", IMPRINT)]);
    archive.world.call(call).fails(404, &[404_005]);
    for path in [
        format!("/status/{}/0", address(&ledger)),
        "/.well-known/did.json".to_owned(),
    ] {
        archive.get(&path).fails(404, &[404_005]);
    }
    let health = archive.get("/health").data();
    assert_eq!(health["statusLists"], "off");
    let with = Archive::on(support::shared(&settings()));
    assert_eq!(with.get("/health").data()["statusLists"], "on");
    assert!(SETTINGS.iter().all(|(name, _)| *name != "STATUS_KEY"));
}
