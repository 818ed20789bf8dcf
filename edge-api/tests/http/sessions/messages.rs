//! Sign-in messages that the service must refuse.

use serde_json::json;

use super::{bearer, challenge, message, sign_in, sign_in_with};
use crate::support::people::Person;
use crate::support::{self, Call, SETTINGS};

#[test]
fn a_message_signs_in_once() {
    let host = support::service();
    let person = Person::new();
    let text = message(&person, &challenge(&*host));
    let token = host.call(sign_in_with(&person, &text)).data()["token"].clone();
    host.call(sign_in_with(&person, &text))
        .fails(401, &[401_003]);
    let token = token.as_str().expect("a token");
    host.call(bearer("DELETE", "/sessions/current", token))
        .data();
    host.call(sign_in_with(&person, &text))
        .fails(401, &[401_003]);
    // Another account's message with the same nonce is refused too.
    let other = Person::new();
    let text = text.replace(&person.id().to_string(), &other.id().to_string());
    host.call(sign_in_with(&other, &text))
        .fails(401, &[401_003]);
}

#[test]
fn only_one_of_many_equal_requests_signs_in() {
    let host = support::service();
    let person = Person::new();
    let text = message(&person, &challenge(&*host));
    let calls = (0..8).map(|_| sign_in_with(&person, &text)).collect();
    let answers = host.call_all(calls);
    let signed_in = answers.iter().filter(|answer| answer.status == 201);
    assert_eq!(signed_in.count(), 1);
    for answer in answers.iter().filter(|answer| answer.status != 201) {
        answer.fails(401, &[401_003]);
    }
    let listed = host.call(person.get("/sessions"));
    assert_eq!(listed.meta()["total"], 1);
}

#[test]
fn a_message_for_another_service_or_time_is_refused() {
    let host = support::service();
    let person = Person::new();
    let fields = challenge(&*host);
    let domain = fields["domain"].as_str().expect("a domain");
    let uri = fields["uri"].as_str().expect("an address");
    let nonce = fields["nonce"].as_str().expect("a nonce");
    let good = message(&person, &fields);
    let start = format!("{domain} wants");
    let line = |name: &str, value: &str| (format!("\n{name}: {value}"), name.to_owned());
    let (issued, _) = line("Issued At", fields["issuedAt"].as_str().expect("a time"));
    let (expires, _) = line(
        "Expiration Time",
        fields["expirationTime"].as_str().expect("a time"),
    );
    let cases = [
        (start.clone(), "certificates.example wants".to_owned()),
        (start.clone(), format!("{domain}.example wants")),
        (start.clone(), "localhost:1 wants".to_owned()),
        (start.clone(), format!("https://{start}")),
        (
            format!("URI: {uri}"),
            "URI: https://certificates.example".to_owned(),
        ),
        (
            format!("URI: {uri}"),
            format!("URI: {uri}.certificates.example"),
        ),
        (
            format!("URI: {uri}"),
            format!("URI: {uri}@certificates.example"),
        ),
        ("Chain ID: 1".to_owned(), "Chain ID: 137".to_owned()),
        ("Version: 1".to_owned(), "Version: 2".to_owned()),
        (
            issued.clone(),
            "\nIssued At: 2020-01-01T00:00:00Z".to_owned(),
        ),
        (
            issued.clone(),
            "\nIssued At: 2220-01-01T00:00:00Z".to_owned(),
        ),
        (issued, "\nIssued At: 2020-02-31T00:00:00Z".to_owned()),
        (
            expires.clone(),
            "\nExpiration Time: 2020-01-01T00:00:00Z".to_owned(),
        ),
        (
            expires.clone(),
            "\nNot Before: 2220-01-01T00:00:00Z".to_owned(),
        ),
        (expires, "\nOther: 1".to_owned()),
        (good.clone(), good.replace('\n', "\r\n")),
        (good.clone(), format!("{good}\n")),
        (
            good.clone(),
            format!("{good}\nRequest ID: {}", "a".repeat(2_000)),
        ),
        (good.clone(), "sign in".to_owned()),
    ];
    for (from, to) in cases {
        assert!(good.contains(&from), "{from}");
        let text = good.replacen(&from, &to, 1);
        let answer = host.call(sign_in_with(&person, &text));
        assert_eq!(answer.errors(), ["422940 message"], "{to}");
    }
    // Nonces that the service did not create.
    let made_up = "0".repeat(nonce.len());
    for other in [
        "12345678",
        &made_up,
        &nonce.to_uppercase(),
        &nonce.replacen('0', "1", 1),
    ] {
        if other == nonce {
            continue;
        }
        let text = good.replacen(nonce, other, 1);
        host.call(sign_in_with(&person, &text))
            .fails(401, &[401_003]);
    }
    // None of these attempts has used up the nonce. The message's URI may be below the service's URL.
    let text = good.replacen(&format!("URI: {uri}"), &format!("URI: {uri}/issue/"), 1);
    host.call(sign_in_with(&person, &text)).data();
}

#[test]
fn a_nonce_expires_after_ten_minutes() {
    let host = support::own(SETTINGS);
    let person = Person::new();
    let fields = challenge(&*host);
    let text = message(&person, &fields);
    let (endless, _) = text.split_once("\nExpiration Time").expect("an end");
    host.advance(10 * 60_000);
    host.call(sign_in_with(&person, endless))
        .fails(401, &[401_003]);
    let answer = host.call(sign_in_with(&person, &text));
    assert_eq!(answer.errors(), ["422940 message"]);
}

#[test]
fn only_the_key_of_the_messages_account_can_sign_it() {
    let host = support::service();
    let (ada, eve) = (Person::new(), Person::new());
    let text = message(&ada, &challenge(&*host));
    let call = |signature: &str| {
        let body = json!({ "message": text, "signature": signature });
        Call::new("POST", "/sessions").json(&body)
    };
    let good = ada.sign_text(&text);
    let of_header = ada.authorization().replacen("3:", "", 1);
    let digits = good.strip_prefix("0x").expect("hex");
    let high = format!("0x{}{}", &digits[..64], "f".repeat(66));
    for signature in [
        &eve.sign_text(&text),
        &ada.sign_text("another text"),
        &of_header,
        "",
        "0x",
        digits,
        &good[..130],
        &format!("3:{good}"),
        &format!("0x{}", "0".repeat(130)),
        &high,
    ] {
        let answer = host.call(call(signature));
        assert_eq!(
            (answer.status, answer.errors()),
            (400, vec!["400001 signature".to_owned()]),
            "{signature}"
        );
    }
    // Signatures of smart accounts. ERC-1271 allows any length. Signatures of ERC-6492 end with a fixed word.
    let contract = format!("0x{}", "ab".repeat(97));
    let counterfactual = format!("0x{}{}", "00".repeat(320), "6492".repeat(16));
    for signature in [contract, counterfactual] {
        host.call(call(&signature)).fails(422, &[422_941]);
    }
    host.call(call(&good)).data();
    assert_eq!(host.call(eve.get("/sessions")).meta()["total"], 0);
}

#[test]
fn the_signed_header_does_not_start_a_session_without_a_message() {
    let host = support::service();
    let person = Person::new();
    for body in [
        json!({}),
        json!({ "message": 1, "signature": 1 }),
        json!({ "message": "assay api", "signature": person.authorization() }),
    ] {
        let call = person.post("/sessions", &body);
        assert_eq!(host.call(call).errors(), ["422940 message"], "{body}");
    }
    sign_in(&*host, &person);
}
