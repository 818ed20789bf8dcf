//! Sessions of accounts that signed in with Ethereum, API keys, and attacks on both.

mod browsers;
mod keys;
mod lives;
mod messages;
mod operators;
mod scopes;
mod switches;

use serde_json::{Value, json};

use crate::support::people::Person;
use crate::support::{Answer, Call, Host};

/// Requests the fields of a sign-in message.
pub fn challenge(host: &dyn Host) -> Value {
    host.call(Call::get("/sessions/challenge")).data()
}

/// Returns the sign-in message of an account with the fields of a challenge.
pub fn message(person: &Person, challenge: &Value) -> String {
    let field = |name: &str| challenge[name].as_str().expect("a string").to_owned();
    format!(
        "{} wants you to sign in with your Ethereum account:\n{}\n\nSign in to the service.\n\nURI: {}\nVersion: {}\nChain ID: {}\n\
         Nonce: {}\nIssued At: {}\nExpiration Time: {}",
        field("domain"),
        person.id(),
        field("uri"),
        field("version"),
        challenge["chainId"],
        field("nonce"),
        field("issuedAt"),
        field("expirationTime"),
    )
}

/// Returns the call that signs in with a message.
pub fn sign_in_with(person: &Person, message: &str) -> Call {
    let body = json!({ "message": message, "signature": person.sign_text(message) });
    Call::new("POST", "/sessions").json(&body)
}

/// Signs in, and returns the new session.
pub fn sign_in(host: &dyn Host, person: &Person) -> Value {
    let message = message(person, &challenge(host));
    host.call(sign_in_with(person, &message)).data()
}

/// Signs in, and returns the token of the new session.
pub fn token(host: &dyn Host, person: &Person) -> String {
    let session = sign_in(host, person);
    session["token"].as_str().expect("a token").to_owned()
}

/// Returns a call with a session's token or an API key.
pub fn bearer(method: &'static str, target: impl Into<String>, token: &str) -> Call {
    Call::new(method, target).header("authorization", &format!("Bearer {token}"))
}

/// Creates an API key with the token of a session. Returns the key's reference and the secret key itself.
pub fn key(host: &dyn Host, session: &str, scopes: &[&str]) -> (String, String) {
    let body = json!({ "name": "server", "scopes": scopes });
    let made = host
        .call(bearer("POST", "/account/keys", session).json(&body))
        .data();
    let text = |name: &str| made[name].as_str().expect("a string").to_owned();
    (text("ref"), text("key"))
}

/// Asserts that the service refuses a session's token or an API key.
#[track_caller]
pub fn is_dead(host: &dyn Host, token: &str) {
    host.call(bearer("GET", "/account", token))
        .fails(401, &[401_001]);
}

/// Asserts that a session's token or an API key authenticates the account.
#[track_caller]
pub fn opens(host: &dyn Host, token: &str, person: &Person) -> Answer {
    let answer = host.call(bearer("GET", "/account", token));
    assert_eq!(answer.data()["id"], person.id().to_string());
    answer
}
