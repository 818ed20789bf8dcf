//! Codes of sessions, API keys and the account's access.

use serde_json::json;

use super::Book;
use crate::sessions::{bearer, challenge, key, message, sign_in_with, token};
use crate::support::people::Person;
use crate::support::{self, Call, SETTINGS};

pub fn provoke(book: &mut Book) {
    let host = support::service();
    let person = Person::new();
    let text = message(&person, &challenge(&*host));
    host.call(sign_in_with(&person, &text)).data();
    book.add(
        &[401_003],
        "POST /sessions with a message that was already used to sign in",
        &host.call(sign_in_with(&person, &text)),
    );
    book.add(
        &[422_940],
        "POST /sessions with the message of another service",
        &host.call(sign_in_with(
            &person,
            &text.replace("URI: http", "URI: https"),
        )),
    );
    let text = message(&person, &challenge(&*host));
    let signed = |signature: &str| {
        let body = json!({ "message": text, "signature": signature });
        host.call(Call::new("POST", "/sessions").json(&body))
    };
    let other = Person::new().sign_text(&text);
    book.add(
        &[400_001],
        "POST /sessions with another account's signature",
        &signed(&other),
    );
    book.add(
        &[422_941],
        "POST /sessions with the signature of a smart account",
        &signed(&format!("0x{}", "00".repeat(97))),
    );

    let session = token(&*host, &person);
    let (_, read) = key(&*host, &session, &["read"]);
    book.add(
        &[403_020],
        "GET /account/webhook with an API key for `read`",
        &host.call(bearer("GET", "/account/webhook", &read)),
    );
    book.add(
        &[403_021],
        "GET /sessions with an API key",
        &host.call(bearer("GET", "/sessions", &read)),
    );
    let body = json!({ "name": "server", "scopes": ["read"] });
    book.add(
        &[403_021],
        "POST /account/keys with the signed header",
        &host.call(person.post("/account/keys", &body)),
    );
    let cookie = format!("__Host-session={session}");
    let from_other_site = Call::get("/account")
        .header("cookie", &cookie)
        .header("origin", "https://other.example");
    book.add(
        &[403_022],
        "GET /account with the session's cookie from a page of another origin",
        &host.call(from_other_site),
    );
    for _ in 1..20 {
        key(&*host, &session, &["read"]);
    }
    let another = bearer("POST", "/account/keys", &session).json(&body);
    book.add(
        &[429_003],
        "POST /account/keys with 20 keys",
        &host.call(another),
    );
    book.add(
        &[404_002],
        "DELETE /sessions/none",
        &host.call(person.delete("/sessions/none")),
    );
    book.add(
        &[404_003],
        "DELETE /account/keys/none",
        &host.call(person.delete("/account/keys/none")),
    );
    host.call(bearer("DELETE", "/sessions/current", &session))
        .data();
    book.add(
        &[401_001],
        "GET /account with the token of a session that has ended",
        &host.call(bearer("GET", "/account", &session)),
    );
    let strict = support::shared(&[SETTINGS, &[("LEGACY_AUTH", "off")]].concat());
    book.add(
        &[401_002],
        "GET /account with the signed header, if `LEGACY_AUTH` is off",
        &strict.call(person.get("/account")),
    );
}
