//! Sessions from the sign-in to their end.

use serde_json::json;

use super::{bearer, challenge, is_dead, message, opens, sign_in, sign_in_with, token};
use crate::support::people::Person;
use crate::support::{self, Call, SETTINGS};

const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

#[test]
fn a_session_opens_its_account_until_it_ends() {
    let host = support::service();
    let person = Person::new();
    let (one, other) = (sign_in(&*host, &person), sign_in(&*host, &person));
    assert_eq!(one["accountId"], person.id().to_string());
    let [one_token, other_token] =
        [&one, &other].map(|session| session["token"].as_str().expect("a token").to_owned());
    assert_ne!(one_token, other_token);
    opens(&*host, &one_token, &person);

    let listed = host.call(bearer("GET", "/sessions", &one_token)).data();
    let listed = listed.as_array().expect("a list");
    let seen: Vec<_> = listed
        .iter()
        .map(|session| (&session["ref"], &session["isCurrent"]))
        .collect();
    assert_eq!(
        seen,
        [(&other["ref"], &json!(false)), (&one["ref"], &json!(true))]
    );
    assert!(
        !listed
            .iter()
            .any(|session| session.to_string().contains("assay_session"))
    );
    // With the signed header, the list has the same sessions, and none of them is current.
    let listed = host.call(person.get("/sessions")).data();
    assert_eq!(listed[1]["isCurrent"], false);

    let target = format!("/sessions/{}", other["ref"].as_str().expect("a reference"));
    host.call(bearer("DELETE", &target, &one_token)).data();
    is_dead(&*host, &other_token);
    host.call(bearer("DELETE", &target, &one_token))
        .fails(404, &[404_002]);
    let ended = host.call(bearer("DELETE", "/sessions/current", &one_token));
    assert_eq!(ended.data()["isCurrent"], true);
    assert_eq!(ended.header("set-cookie"), None);
    // A stolen token is worthless after its owner has signed out.
    is_dead(&*host, &one_token);
    host.call(bearer("DELETE", "/sessions/current", &one_token))
        .fails(401, &[401_001]);
}

#[test]
fn an_account_cannot_see_or_end_the_sessions_of_another() {
    let host = support::service();
    let (ada, eve) = (Person::new(), Person::new());
    let session = sign_in(&*host, &ada);
    let eves = token(&*host, &eve);
    let target = format!(
        "/sessions/{}",
        session["ref"].as_str().expect("a reference")
    );
    host.call(bearer("DELETE", &target, &eves))
        .fails(404, &[404_002]);
    let listed = host.call(bearer("GET", "/sessions", &eves)).data();
    assert_eq!(listed.as_array().expect("a list").len(), 1);
    opens(&*host, session["token"].as_str().expect("a token"), &ada);
    // A request with the signed header has no session, so it has no current session to end.
    host.call(ada.delete("/sessions/current"))
        .fails(404, &[404_002]);
}

#[test]
fn an_unused_session_ends_after_twelve_hours() {
    let host = support::own(SETTINGS);
    let person = Person::new();
    let (used, unused) = (token(&*host, &person), token(&*host, &person));
    host.advance(12 * HOUR - 60_000);
    opens(&*host, &used, &person);
    host.advance(60_000);
    is_dead(&*host, &unused);
    host.advance(11 * HOUR);
    opens(&*host, &used, &person);
    host.advance(12 * HOUR);
    is_dead(&*host, &used);
    // The session ended without a sweep, and a sweep changes nothing.
    host.settle();
    is_dead(&*host, &used);
}

#[test]
fn every_session_ends_after_thirty_days() {
    let host = support::own(SETTINGS);
    let person = Person::new();
    let token = token(&*host, &person);
    for _ in 0..60 {
        host.advance(12 * HOUR - 60_000);
        opens(&*host, &token, &person);
    }
    let listed = host.call(bearer("GET", "/sessions", &token)).data();
    assert!(listed[0]["expiresAt"].as_str() > listed[0]["usedAt"].as_str());
    host.advance(30 * DAY - 60 * (12 * HOUR - 60_000) - 60_000);
    opens(&*host, &token, &person);
    host.advance(60_000);
    is_dead(&*host, &token);
}

#[test]
fn the_twenty_first_session_ends_the_one_that_would_expire_first() {
    let host = support::own(SETTINGS);
    let person = Person::new();
    let first = token(&*host, &person);
    host.advance(60_000);
    let second = token(&*host, &person);
    host.advance(10 * 60_000);
    // This use postpones the end of the first session.
    opens(&*host, &first, &person);
    for _ in 0..18 {
        token(&*host, &person);
    }
    token(&*host, &person);
    let listed = host.call(person.get("/sessions?limit=100"));
    assert_eq!(listed.meta()["total"], 20);
    opens(&*host, &first, &person);
    is_dead(&*host, &second);
}

#[test]
fn strings_that_are_not_tokens_are_refused() {
    let host = support::service();
    let person = Person::new();
    let token = token(&*host, &person);
    let long = "A".repeat(8_000);
    let tail = token.strip_prefix("assay_session_").expect("a session");
    for text in [
        "assay_session_",
        tail,
        &format!("assay_key_{tail}"),
        &token.to_uppercase(),
        &format!("{token}="),
        &long,
    ] {
        is_dead(&*host, text);
    }
    // The name of the scheme is case-insensitive (RFC 9110, section 11.1).
    let call = Call::get("/account").header("authorization", &format!("bearer {token}"));
    host.call(call).data();
    // Two Authorization headers are ambiguous, so the request is refused.
    let twice = person
        .get("/account")
        .header("authorization", &format!("Bearer {token}"));
    host.call(twice).fails(401, &[400_001]);
}

#[test]
fn a_client_cannot_choose_its_token() {
    let host = support::service();
    let person = Person::new();
    let chosen = format!("assay_session_{}", "A".repeat(43));
    let text = message(&person, &challenge(&*host));
    let call = sign_in_with(&person, &text)
        .header("authorization", &format!("Bearer {chosen}"))
        .header("cookie", &format!("__Host-session={chosen}"));
    let mut body: serde_json::Value = serde_json::from_slice(&call.body).expect("a body");
    body["token"] = json!(chosen);
    let mut refused = call.clone();
    refused.body = body.to_string().into_bytes();
    host.call(refused).fails(422, &[422_900]);
    let session = host.call(call).data();
    assert_ne!(session["token"], chosen);
    is_dead(&*host, &chosen);
    let cookie = Call::get("/account").header("cookie", &format!("__Host-session={chosen}"));
    host.call(cookie).fails(401, &[401_001]);
}
