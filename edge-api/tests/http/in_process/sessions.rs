//! The stored data of sessions and API keys: limits, deletion, export and erasure.

use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::sessions::{bearer, challenge, is_dead, key, message, opens, sign_in_with, token};
use crate::support::native::Service;
use crate::support::people::Person;
use crate::support::{Call, Host, SETTINGS};

const HOUR: u64 = 3_600_000;

fn count(service: &Service, sql: &'static str) -> u64 {
    let rows = service.database.run(&[Statement::new(sql)]).expect("rows");
    rows[0].list[0]["total"].as_u64().expect("a number")
}

fn sessions(service: &Service) -> u64 {
    count(service, "SELECT count(*) AS total FROM sessions")
}

fn nonces(service: &Service) -> u64 {
    count(service, "SELECT count(*) AS total FROM used_nonces")
}

#[test]
fn a_flood_of_challenges_and_refused_messages_stores_nothing() {
    let service = Service::new(SETTINGS);
    let (ada, eve) = (Person::new(), Person::new());
    let before = service.database.round_trips();
    let made: Vec<Value> = (0..200).map(|_| challenge(&service)).collect();
    // Each request reads the clock of this development instance in one round trip. One more may read the instance's identity.
    assert!(service.database.round_trips() - before <= 201);
    for fields in &made {
        let text = message(&ada, fields);
        let body = json!({ "message": text, "signature": eve.sign_text(&text) });
        service
            .call(Call::new("POST", "/sessions").json(&body))
            .fails(400, &[400_001]);
    }
    assert_eq!((sessions(&service), nonces(&service)), (0, 0));
    assert_eq!(count(&service, "SELECT count(*) AS total FROM accounts"), 0);
    assert_eq!(count(&service, "SELECT count(*) AS total FROM quotas"), 0);
}

#[test]
fn challenges_and_messages_count_towards_the_limit_of_the_client_address() {
    let service = Service::new(&[SETTINGS, &[("RATE_LIMIT_ADDRESS", "2/10")]].concat());
    let person = Person::new();
    let text = message(&person, &challenge(&service));
    service.call(sign_in_with(&person, &text)).data();
    service
        .call(Call::get("/sessions/challenge"))
        .fails(429, &[429_000]);
    service
        .call(sign_in_with(&person, "x"))
        .fails(429, &[429_000]);
}

/// Signs in new accounts from one address until the service refuses. Returns the number of accounts that signed in.
fn flood(service: &Service, address: &str) -> usize {
    for count in 0..4_000 {
        let person = Person::new();
        let text = message(&person, &challenge(service));
        let answer = service.call(sign_in_with(&person, &text).from(address));
        if answer.status != 201 {
            answer.fails(429, &[429_000]);
            return count;
        }
    }
    panic!("there is no limit");
}

#[test]
fn a_flood_of_sign_ins_exhausts_only_its_own_quota() {
    let service = Service::new(SETTINGS);
    let funded = Person::new();
    service
        .call(funded.post("/deposits", &json!({ "amount": 1000 })))
        .data();
    let signed_in = flood(&service, "192.0.2.66");
    assert!((500..4_000).contains(&signed_in), "{signed_in}");
    assert_eq!(nonces(&service), sessions(&service));
    // Accounts at other addresses can still sign in, and funded accounts can do so at this address too. Deposits at this
    // address have their own quota.
    token(&service, &Person::new());
    let text = message(&funded, &challenge(&service));
    service
        .call(sign_in_with(&funded, &text).from("192.0.2.66"))
        .data();
    let person = Person::new();
    service
        .call(
            person
                .post("/deposits", &json!({ "amount": 1000 }))
                .from("192.0.2.66"),
        )
        .data();
    // Thirteen hours later, the sweep deletes all sessions and nonces.
    service.advance(13 * HOUR);
    service.clean();
    assert_eq!((sessions(&service), nonces(&service)), (0, 0));
}

#[test]
fn the_sweep_deletes_ended_sessions_keys_and_nonces() {
    let service = Service::new(SETTINGS);
    let person = Person::new();
    let session = token(&service, &person);
    key(&service, &session, &["read"]);
    let body = json!({ "name": "short", "scopes": ["read"], "expiresAt": challenge(&service)["expirationTime"] });
    service
        .call(bearer("POST", "/account/keys", &session).json(&body))
        .data();
    service.advance(10 * 60_000);
    service.clean();
    assert_eq!(nonces(&service), 0);
    assert_eq!(sessions(&service), 1);
    assert_eq!(count(&service, "SELECT count(*) AS total FROM api_keys"), 1);
    service.advance(12 * HOUR);
    service.clean();
    assert_eq!(sessions(&service), 0);
    assert_eq!(count(&service, "SELECT count(*) AS total FROM api_keys"), 1);
}

#[test]
fn rows_logs_and_errors_contain_no_token() {
    let service = Service::new(SETTINGS);
    let person = Person::new();
    let session = token(&service, &person);
    let (_, read) = key(&service, &session, &["read"]);
    service
        .call(person.post("/deposits", &json!({ "amount": 1000 })))
        .data();
    opens(&service, &session, &person);
    let mut shown = String::new();
    for text in [&session, &read] {
        for call in [
            bearer("GET", "/account/keys", text),
            bearer("PUT", "/account/access", text).json(&json!({})),
            bearer("GET", "/account", &format!("{text}A")),
            Call::get("/account").header("cookie", &format!("__Host-session={text}A")),
        ] {
            shown += &String::from_utf8_lossy(&service.call(call).body);
        }
    }
    let lines: Vec<String> = service
        .log
        .lines()
        .iter()
        .map(|(_, line)| line.to_string())
        .collect();
    let dump = "SELECT group_concat(s.token_hash || s.ref) || (SELECT group_concat(token_hash || name) FROM api_keys) \
                || (SELECT group_concat(url) FROM requests) AS total FROM sessions s";
    let rows = service.database.run(&[Statement::new(dump)]).expect("rows");
    let stored = rows[0].list[0]["total"].to_string();
    assert!(stored.len() > 100, "{stored}");
    for text in [&session, &read] {
        let secret = text.rsplit_once('_').map_or(text.as_str(), |_| &text[14..]);
        for place in [&shown, &lines.join("\n"), &stored] {
            assert!(!place.contains(secret), "{place}");
        }
    }
}

#[test]
fn an_export_has_sessions_and_keys_and_an_erasure_ends_them() {
    let admin = Person::known(9);
    let admins = admin.id().to_string();
    let service = Service::new(&[SETTINGS, &[("ADMIN_ACCOUNTS", admins.as_str())]].concat());
    let (ada, bob) = (Person::new(), Person::new());
    let (adas, bobs) = (token(&service, &ada), token(&service, &bob));
    let (_, adas_key) = key(&service, &adas, &["orders"]);
    let path = format!("/admin/accounts/{}", ada.id());
    let data = service.call(admin.get(format!("{path}/data"))).data();
    let items = data["items"].as_array().expect("items");
    let kinds: Vec<&str> = items
        .iter()
        .filter_map(|item| item["kind"].as_str())
        .collect();
    assert_eq!(
        kinds.iter().filter(|kind| **kind == "session").count(),
        1,
        "{kinds:?}"
    );
    assert_eq!(
        kinds.iter().filter(|kind| **kind == "key").count(),
        1,
        "{kinds:?}"
    );
    assert!(!data.to_string().contains("hash"), "{data}");
    let reason = json!({ "reason": "Asked by the account" });
    service
        .call(admin.post(format!("{path}/erase"), &reason))
        .data();
    is_dead(&service, &adas);
    is_dead(&service, &adas_key);
    opens(&service, &bobs, &bob);
}

#[test]
fn a_database_error_does_not_count_as_a_wrong_token() {
    let service = Service::new(SETTINGS);
    let session = token(&service, &Person::new());
    service
        .database
        .execute("ALTER TABLE sessions RENAME TO elsewhere")
        .expect("renamed");
    service
        .call(bearer("GET", "/account", &session))
        .fails(503, &[503_001]);
}

#[test]
fn an_account_that_refuses_the_header_is_found_among_a_thousand() {
    let service = Service::new(SETTINGS);
    let (ada, bob) = (Person::new(), Person::new());
    let rows = format!(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1100) \
         INSERT INTO accounts (id, created_at, header_off_at) SELECT printf('0x%040x', i), 0, 1 FROM n; \
         INSERT INTO accounts (id, created_at, header_off_at) VALUES (lower('{}'), 0, 1)",
        ada.id()
    );
    service.database.execute(&rows).expect("rows");
    service.call(ada.get("/account")).fails(401, &[401_002]);
    service.call(bob.get("/account")).data();
}

#[test]
fn a_nonce_of_another_instance_or_host_is_refused() {
    let (one, other) = (Service::new(SETTINGS), Service::new(SETTINGS));
    let person = Person::new();
    let text = message(&person, &challenge(&one));
    other
        .call(sign_in_with(&person, &text))
        .fails(401, &[401_003]);
    // The same service has two host names. A message for the second name cannot use a nonce that was made for the first.
    let text = text.replace("service.localhost", "other.localhost");
    let call = sign_in_with(&person, &text).header("host", "other.localhost");
    one.call(call).fails(401, &[401_003]);
    let fields = one.call(Call::get("/sessions/challenge").header("host", "other.localhost"));
    let text = message(&person, &fields.data());
    let answer = one.call(sign_in_with(&person, &text));
    assert_eq!(answer.errors(), ["422940 message", "422940 message"]);
    one.call(sign_in_with(&person, &text).header("host", "other.localhost"))
        .data();
}
