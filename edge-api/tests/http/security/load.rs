//! Requests that try to cause expensive work. The service refuses invalid requests by its cheapest checks first, and stays
//! available.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::people::{IMPRINT, Person, World};
use crate::support::workerd::Server;
use crate::support::{Call, Host, SETTINGS};

/// Returns a body of exactly the maximum size.
fn filled(start: &str, filling: &str, end: &str) -> Vec<u8> {
    let room = (1 << 20) - start.len() - end.len();
    let mut body = start.to_owned();
    body.extend(
        filling
            .chars()
            .cycle()
            .take(room / filling.len() * filling.len()),
    );
    body.push_str(&" ".repeat((1 << 20) - body.len() - end.len()));
    body.push_str(end);
    assert_eq!(body.len(), 1 << 20);
    body.into_bytes()
}

#[test]
fn the_largest_bodies_of_every_kind_are_answered() {
    let world = World::new();
    let person = Person::new();
    let post = |route: &str, body: Vec<u8>| {
        let call = person.post(route, &json!({}));
        let call = Call { body, ..call };
        world.call(call)
    };
    let digits = "9".repeat(1 << 19);
    for (what, body, status) in [
        ("brackets", filled("", "[", ""), 400),
        ("objects", filled("", "{\"a\":", ""), 400),
        ("brackets and strings", filled("", "[\"", ""), 400),
        ("backslashes", filled("\"", "\\", "\""), 422),
        ("one long string", filled("{\"order\":\"", "x", "\"}"), 422),
        (
            "one key many times",
            filled("{", "\"order\":1,", "\"order\":1}"),
            400,
        ),
        ("empty lists", filled("[", "[],", "[]]"), 400),
        ("small objects", filled("[", "{\"\":1},", "1]"), 400),
        (
            "the maximum number of values",
            format!("{{\"order\":{{\"actions\":[{}1]}}}}", "1,".repeat(9_997)).into_bytes(),
            422,
        ),
        (
            "numbers",
            filled("{\"order\":{\"actions\":[", "1,", "1]}}"),
            400,
        ),
        (
            "signers",
            filled("{\"order\":{\"signers\":[", "{},", "{}]}}"),
            400,
        ),
        ("spaces", filled("{}", " ", ""), 422),
        (
            "a long number",
            format!("{{\"priority\":{digits}}}").into_bytes(),
            400,
        ),
        (
            "a long fraction",
            format!("{{\"priority\":0.{digits}}}").into_bytes(),
            422,
        ),
        ("a large exponent", b"{\"priority\":1e400}".to_vec(), 400),
        ("no UTF-8", b"{\"priority\":\"\xff\xfe\"}".to_vec(), 400),
        ("no UTF-8 at all", vec![0xff; 1 << 20], 400),
        (
            "half a surrogate pair",
            br#"{"priority":"\ud800"}"#.to_vec(),
            400,
        ),
        ("nulls", vec![0; 1 << 20], 400),
        ("one byte above the maximum", vec![b' '; (1 << 20) + 1], 413),
        ("twice the maximum", vec![b'['; 1 << 21], 413),
    ] {
        for route in ["/orders", "/deployments", "/approvals", "/deposits"] {
            let answer = post(route, body.clone());
            // Routes ignore unknown fields, so a body that is well-formed may also succeed.
            let fits = match status {
                422 => matches!(answer.status, 201 | 422),
                other => answer.status == other,
            };
            assert!(
                fits,
                "{route}: {what}: {} {}",
                answer.status,
                String::from_utf8_lossy(&answer.body[..answer.body.len().min(500)])
            );
            // A large request does not cause a large answer.
            assert!(
                answer.body.len() < 100_000,
                "{route}: {what}: {} bytes",
                answer.body.len()
            );
        }
    }
    assert_eq!(world.call(person.get("/account")).status, 200);
}

/// Returns an unsigned order with the maximum number of actions, a hundred.
fn largest(world: &World, signers: &[Person], action: &Value) -> Value {
    let people: Vec<&Person> = signers.iter().collect();
    world.order(&people, Value::Array(vec![action.clone(); 100]))
}

#[test]
fn the_largest_order_is_checked_cheapest_first() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let signers: Vec<Person> = (0..32).map(|_| Person::new()).collect();
    let action = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "1", "assetImprint": IMPRINT,
        "senderId": signers[31].id(), "receiverId": signers[0].id(),
    });
    let mut body = largest(&world, &signers, &action);
    let bad = owner.claim(&world.order_hash(&body));
    for signer in body["order"]["signers"].as_array_mut().unwrap() {
        signer["claim"] = json!(bad);
    }
    let post = |body: &Value| world.call(owner.post("/orders", body));
    // The payment and the existence of the ledgers are checked before any claim.
    assert_eq!(post(&body).codes(), [422_012]);
    let last = body["order"]["actions"].as_array_mut().unwrap();
    last[99] = world.payment(&signers[0], "297000000000000000000");
    for action in &mut last[..99] {
        action["ledgerId"] = json!(signers[0].id());
    }
    assert_eq!(post(&body).codes(), [400_004; 21]);
    // Then all claims are checked, and the ledger's rules last.
    for action in &mut body["order"]["actions"].as_array_mut().unwrap()[..99] {
        action["ledgerId"] = ledger["id"].clone();
    }
    assert_eq!(post(&body).codes(), [400_001; 21]);
    let people: Vec<&Person> = signers.iter().collect();
    world.sign(&mut body, &people);
    let answer = post(&body);
    assert_eq!(answer.status, 422);
    assert_eq!(answer.codes(), [422_071; 21]);
    // An order with one signer or action too many gets only the error for that list, because the rest is not parsed.
    let mut more = body.clone();
    let list = more["order"]["signers"].as_array_mut().unwrap();
    list.push(json!({ "accountId": owner.id(), "claim": bad }));
    assert_eq!(post(&more).errors(), ["422900 order.signers"]);
    let mut more = body.clone();
    let list = more["order"]["actions"].as_array_mut().unwrap();
    list.insert(0, action);
    assert_eq!(post(&more).errors(), ["422900 order.actions"]);
}

/// Sends bodies that are shorter or longer than their declared length, and bodies that arrive slowly. This needs a real
/// socket.
#[test]
#[ignore = "needs the built Worker: cargo xtask test workerd"]
fn a_body_must_have_its_declared_length_within_the_limit() {
    let server = Server::own(SETTINGS);
    let person = Person::new();
    let head = |fields: &str| {
        format!(
            "POST /deposits HTTP/1.1\r\nHost: {}\r\nAuthorization: {}\r\nConnection: close\r\n{fields}\r\n\r\n",
            server.socket(),
            person.authorization()
        )
    };
    let exchange = |fields: &str, parts: &[&[u8]], pause: Duration| -> String {
        let mut stream = TcpStream::connect(server.socket()).expect("a connection");
        stream.write_all(head(fields).as_bytes()).expect("a head");
        for part in parts {
            // The server may close the connection after it has read enough.
            if stream.write_all(part).is_err() {
                break;
            }
            std::thread::sleep(pause);
        }
        let _closed_by_the_other = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _cut = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    let at_once = Duration::ZERO;
    let whole: &[u8] = br#"{"amount":1000}"#;
    let short = exchange("Content-Length: 100", &[whole], at_once);
    assert!(short.contains("400100"), "{short}");
    let long = exchange("Content-Length: 10", &[whole], at_once);
    assert!(long.contains("400100"), "{long}");
    let megabyte = vec![b' '; 1 << 20];
    let large = exchange("Content-Length: 1073741824", &[&megabyte, b"  "], at_once);
    assert!(large.contains("413000"), "{large}");
    // Many slow clients that send one byte at a time do not delay others.
    let letters: Vec<&[u8]> = whole.chunks(1).collect();
    let pause = Duration::from_millis(50);
    std::thread::scope(|scope| {
        let slow: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| exchange("Content-Length: 15", &letters, pause)))
            .collect();
        assert_eq!(server.call(Call::get("/health")).status, 200);
        for answer in slow {
            let answer = answer.join().expect("an answer");
            assert!(answer.starts_with("HTTP/1.1 201"), "{answer}");
        }
    });
    assert_eq!(server.call(person.get("/account")).status, 200);
}
