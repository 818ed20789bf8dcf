//! Domains that confirm accounts, and domains that do not. Fake servers publish the files and DNS records of the domains.

mod events;

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::ports::{FetchError, Fetched, Statement};
use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{Answer, Call, SETTINGS};

const UNI: &str = "uni.example";
/// A domain of the thief of an account's key.
const THIEF: &str = "thief.example";
const HOUR: u64 = 3_600_000;
const DAY: u64 = 24 * HOUR;

/// A service with a ledger of a funded owner.
struct Scene {
    service: Rc<RefCell<Service>>,
    world: World,
    owner: Person,
    ledger: Value,
}

/// Returns the `did.json` of a domain that lists an account.
fn file(domain: &str, account: &Person, issuer: Value) -> Value {
    json!({
        "id": format!("did:web:{domain}"),
        "assertionMethod": [{ "blockchainAccountId": format!("eip155:1:{}", account.id()) }],
        "service": [{ "type": "AssayIssuer", "serviceEndpoint": issuer }],
    })
}

fn fetched(status: u16, body: impl Into<Vec<u8>>) -> Fetched {
    Fetched {
        status,
        content_type: Some("application/json".to_owned()),
        location: None,
        allow_origin: Some("*".to_owned()),
        body: body.into(),
    }
}

/// Pads `text` with leading spaces to this number of bytes.
fn padded(text: &str, bytes: usize) -> String {
    format!("{}{text}", " ".repeat(bytes - text.len()))
}

fn url(domain: &str) -> String {
    format!("https://{domain}/.well-known/did.json")
}

impl Scene {
    fn new() -> Self {
        Self::with(&[])
    }

    fn with(vars: &[(&str, &str)]) -> Self {
        let service = Rc::new(RefCell::new(Service::new(&[vars, SETTINGS].concat())));
        let world = World::on(Box::new(Rc::clone(&service)));
        let owner = world.funded();
        let ledger = world.ledger(&owner, &[]);
        let scene = Self {
            service,
            world,
            owner,
            ledger,
        };
        // By default, the domain has no TXT records.
        scene.records(UNI, &[]);
        scene
    }

    /// Sets the response of a domain's server.
    fn serve(&self, domain: &str, answer: Result<Fetched, FetchError>) {
        self.service.borrow().http.set(&url(domain), answer);
    }

    /// Publishes a file that lists the owner, at the domain [`UNI`].
    fn publish(&self, issuer: Value) {
        let text = file(UNI, &self.owner, issuer).to_string();
        self.serve(UNI, Ok(fetched(200, text)));
    }

    /// Sets the TXT records of a domain.
    fn records(&self, domain: &str, values: &[String]) {
        let answers = values
            .iter()
            .map(|value| json!({ "type": 16, "data": format!("\"{value}\"") }));
        let answer = json!({ "Status": 0, "Answer": answers.collect::<Vec<_>>() });
        let url = format!("https://cloudflare-dns.com/dns-query?name=_assay.{domain}&type=TXT");
        let fetched = fetched(200, answer.to_string());
        self.service.borrow().http.set(&url, Ok(fetched));
    }

    fn put(&self, person: &Person, domain: &str) -> Answer {
        let call = person.put("/account/domain", &json!({ "domain": domain }));
        self.world.call(call)
    }

    /// Sets a person's domain, lets the service check it, and returns the result.
    fn named(&self, person: &Person, domain: &str) -> Value {
        self.put(person, domain).data();
        self.world.host.settle();
        self.domain(person)
    }

    fn domain(&self, person: &Person) -> Value {
        self.world.call(person.get("/account/domain")).data()
    }

    fn advance(&self, milliseconds: u64) {
        self.world.host.advance(milliseconds);
        self.world.host.settle();
    }

    /// Returns the addresses that the service requested since the last call.
    fn asked(&self) -> Vec<String> {
        let sent = self.service.borrow().http.take_sent();
        sent.into_iter().map(|fetch| fetch.url).collect()
    }

    fn check(&self, domain: &str, account: &Person) -> Answer {
        let target = format!("/issuers/{domain}/check?account={}", account.id());
        self.world.call(Call::get(target))
    }

    /// Checks a domain for the owner. Returns the result, the file's problem and the record's problem. A problem is null if there is none.
    fn diagnosed(&self, domain: &str) -> [Value; 3] {
        // Lets the cached result expire.
        self.world.host.advance(11_000);
        let found = self.check(domain, &self.owner).data();
        [
            found["result"].clone(),
            found["file"]["problem"]["reason"].clone(),
            found["record"]["problem"]["reason"].clone(),
        ]
    }

    fn stored(&self, column: &str) -> Value {
        let service = self.service.borrow();
        let all = Statement::new("SELECT * FROM issuer_checks ORDER BY domain LIMIT 1");
        service.database.run(&[all]).expect("rows")[0].list[0][column].clone()
    }
}

#[test]
fn a_new_domain_is_checked_at_once_and_confirms_the_account() {
    let scene = Scene::new();
    scene.publish(json!({ "name": "University of Example", "logo": "https://uni.example/l.svg" }));
    let made = scene.put(&scene.owner, "Uni.Example.").data();
    assert_eq!(
        (&made["domain"], &made["state"], &made["isBeingChecked"]),
        (&json!(UNI), &json!("pending"), &json!(true))
    );
    let before = scene.world.host.now();
    scene.world.host.settle();
    let found = scene.domain(&scene.owner);
    assert_eq!(found["state"], "confirmed", "{found}");
    assert_eq!(found["checkedBy"], "didJson");
    assert_eq!(found["name"], "University of Example");
    assert_eq!(found["logo"], "https://uni.example/l.svg");
    assert_eq!(found["ledgers"], Value::Null);
    assert_eq!(found["isBeingChecked"], false);
    assert_eq!(found["firstSeen"], found["lastSeen"]);
    assert_eq!(scene.stored("check_at"), before + DAY);
    // The file decides, so DNS is not queried.
    assert_eq!(scene.asked(), [url(UNI)]);
}

#[test]
fn daily_checks_extend_the_confirmed_period() {
    let scene = Scene::new();
    scene.publish(json!({}));
    let first = scene.named(&scene.owner, UNI);
    scene.asked();
    scene.advance(DAY - 1);
    assert!(scene.asked().is_empty());
    scene.advance(1);
    assert_eq!(scene.asked(), [url(UNI)]);
    let second = scene.domain(&scene.owner);
    assert_eq!(second["firstSeen"], first["firstSeen"]);
    assert_ne!(second["lastSeen"], first["lastSeen"]);
}

#[test]
fn an_impostor_with_the_same_name_is_not_confirmed() {
    let scene = Scene::new();
    scene.publish(json!({ "name": "University of Example" }));
    let impostor = scene.world.funded();
    scene.world.ledger(&impostor, &[]);
    let found = scene.named(&impostor, UNI);
    assert_eq!(
        (&found["state"], &found["reason"]),
        (&json!("notConfirmed"), &json!("not-listed")),
        "{found}"
    );
    assert_eq!(
        (&found["name"], &found["logo"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn a_look_alike_domain_is_shown_in_punycode() {
    let scene = Scene::new();
    // In `uиi.example`, the second letter is Cyrillic.
    let domain = "xn--ui-wlc.example";
    let text = file(
        domain,
        &scene.owner,
        json!({ "name": "University of Example" }),
    );
    scene.serve(domain, Ok(fetched(200, text.to_string())));
    let found = scene.named(&scene.owner, "u\u{438}i.example");
    assert_eq!(found["state"], "confirmed", "{found}");
    assert_eq!(found["domain"], domain);
    assert_eq!(found["displayDomain"], domain);
    let good = scene.put(&scene.owner, "münchen.example").data();
    assert_eq!(good["domain"], "xn--mnchen-3ya.example");
    assert_eq!(good["displayDomain"], "münchen.example");
}

#[test]
fn each_failure_has_its_own_reason() {
    let scene = Scene::new();
    let listing = |domain: &str, person: &Person| file(domain, person, json!({})).to_string();
    let own = listing(UNI, &scene.owner);
    let redirect = |to: &str| Fetched {
        location: Some(to.to_owned()),
        ..fetched(302, "")
    };
    scene.service.borrow().http.set(
        "https://uni.example/did.json",
        Ok(fetched(200, own.clone())),
    );
    // A redirect to another host is not followed, even if that host has a file.
    scene.service.borrow().http.set(
        "https://www.uni.example/did.json",
        Ok(fetched(200, own.clone())),
    );
    for (answer, result, reason) in [
        (Ok(fetched(200, own.clone())), "confirmed", json!(null)),
        (Ok(redirect("/did.json")), "confirmed", json!(null)),
        (
            Ok(redirect("https://www.uni.example/did.json")),
            "notConfirmed",
            json!("redirect"),
        ),
        (
            Ok(redirect("http://uni.example/did.json")),
            "notConfirmed",
            json!("redirect"),
        ),
        (
            Ok(redirect("https://169.254.169.254/did.json")),
            "notConfirmed",
            json!("redirect"),
        ),
        (
            Ok(redirect("/.well-known/did.json")),
            "notConfirmed",
            json!("redirect"),
        ),
        (Ok(fetched(404, "")), "notConfirmed", json!("missing")),
        (Ok(fetched(403, "")), "notConfirmed", json!("status")),
        (Ok(fetched(503, "")), "unclear", json!("unavailable")),
        (Err(FetchError::Timeout), "unclear", json!("timeout")),
        (
            Err(FetchError::Failed("no route".to_owned())),
            "unclear",
            json!("unreachable"),
        ),
        (
            Ok(fetched(200, "<!doctype html><title>Home</title>")),
            "notConfirmed",
            json!("html"),
        ),
        (
            Ok(fetched(200, "did: web")),
            "notConfirmed",
            json!("not-json"),
        ),
        (
            Ok(fetched(200, padded(&own, 65_537))),
            "notConfirmed",
            json!("too-large"),
        ),
        (
            Ok(fetched(200, padded(&own, 65_536))),
            "confirmed",
            json!(null),
        ),
        (
            Ok(fetched(200, listing("other.example", &scene.owner))),
            "notConfirmed",
            json!("wrong-id"),
        ),
        (
            Ok(fetched(200, listing(UNI, &Person::new()))),
            "notConfirmed",
            json!("not-listed"),
        ),
        (Ok(fetched(200, "[]")), "notConfirmed", json!("malformed")),
    ] {
        let shown = format!("{answer:?}");
        scene.serve(UNI, answer);
        let found = scene.diagnosed(UNI);
        assert_eq!(
            found,
            [json!(result), reason, json!("no-record")],
            "{shown}"
        );
        let asked = scene.asked();
        assert!(
            asked
                .iter()
                .all(|url| !url.contains("www.") && !url.contains("169.254")),
            "{asked:?}"
        );
    }
}

#[test]
fn the_response_has_the_file_and_the_record_to_publish() {
    let scene = Scene::new();
    scene.serve(UNI, Ok(fetched(404, "")));
    let answer = scene.check(UNI, &scene.owner).data();
    assert_eq!(answer["file"]["at"], url(UNI));
    assert_eq!(answer["record"]["at"], "_assay.uni.example");
    let text = answer["file"]["publish"].as_str().expect("a string");
    scene.serve(UNI, Ok(fetched(200, text)));
    assert_eq!(scene.diagnosed(UNI)[0], "confirmed");
    let record = answer["record"]["publish"]
        .as_str()
        .expect("a string")
        .to_owned();
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.records(UNI, &[record]);
    let found = scene.diagnosed(UNI);
    assert_eq!(found, [json!("confirmed"), json!("missing"), json!(null)]);
}

#[test]
fn two_accounts_of_a_domain_are_confirmed_by_the_offered_files() {
    let scene = Scene::new();
    let second = scene.world.funded();
    let offered = |account: &Person| {
        scene.world.host.advance(11_000);
        let file = scene.check(UNI, account).data()["file"].clone();
        assert_eq!(file["isWhole"], true, "{file}");
        file["publish"].as_str().expect("a string").to_owned()
    };
    scene.serve(UNI, Ok(fetched(404, "")));
    let mut first: Value = serde_json::from_str(&offered(&scene.owner)).expect("JSON");
    let key = cert_badge::entry(UNI, "vc-1", &cert_badge::PublicKey([7; 32]));
    let issuer = json!({ "name": "Uni", "logo": "https://uni.example/l.svg", "contact": "a@uni.example", "revoked": [] });
    first["service"][0]["serviceEndpoint"] = issuer.clone();
    first["verificationMethod"]
        .as_array_mut()
        .expect("a list")
        .insert(0, key.clone());
    first["alsoKnownAs"] = json!(["https://uni.example"]);
    scene.serve(UNI, Ok(fetched(200, first.to_string())));
    assert_eq!(scene.named(&scene.owner, UNI)["state"], "confirmed");

    let text = offered(&second);
    let both: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(both["service"][0]["serviceEndpoint"], issuer);
    assert_eq!(both["verificationMethod"][0], key);
    assert_eq!(both["alsoKnownAs"], first["alsoKnownAs"]);
    scene.serve(UNI, Ok(fetched(200, text.as_str())));
    assert_eq!(scene.named(&second, UNI)["state"], "confirmed");
    assert_eq!(scene.named(&scene.owner, UNI)["state"], "confirmed");
    assert_eq!(scene.issuer().1, "confirmed");
    // The file has both accounts, so nothing is added for either.
    assert_eq!(offered(&scene.owner), text);
    assert_eq!(offered(&second), text);
}

#[test]
fn no_whole_file_is_offered_in_place_of_one_that_cannot_be_read() {
    let scene = Scene::new();
    let own = file(UNI, &scene.world.funded(), json!({ "name": "Uni" }));
    let text = own.to_string();
    let revoked = file(UNI, &scene.owner, json!({ "revoked": [scene.owner.id()] }));
    let mut wide = own.clone();
    wide["more"] = "x".repeat((64 << 10) - text.len() - 20).into();
    let mut strict = own.clone();
    strict["id"] = "did:web:UNI.example".into();
    for answer in [
        Err(FetchError::Timeout),
        Ok(fetched(503, "")),
        Ok(fetched(403, "")),
        Ok(fetched(200, format!("{text},"))),
        Ok(fetched(200, text.replace(UNI, "www.uni.example"))),
        Ok(fetched(
            200,
            text.replace("AssayIssuer\"", "AssayIssuer\",\"x\":1")
                .replace("{\"name\"", "[{\"name\"")
                .replace("\"Uni\"}", "\"Uni\"}]"),
        )),
        Ok(fetched(200, strict.to_string())),
        Ok(fetched(200, revoked.to_string())),
        Ok(fetched(200, wide.to_string())),
        Ok(fetched(200, padded(&text, (64 << 10) + 1))),
    ] {
        let shown = format!("{answer:?}");
        scene.serve(UNI, answer);
        scene.world.host.advance(11_000);
        let found = scene.check(UNI, &scene.owner).data();
        assert_eq!(found["file"]["isWhole"], false, "{shown}");
        let text = found["file"]["publish"].as_str().expect("a string");
        let entries: Value = serde_json::from_str(text).expect("JSON");
        let names: Vec<&String> = entries.as_object().expect("an object").keys().collect();
        assert_eq!(names, ["assertionMethod", "verificationMethod"], "{shown}");
        // On their own, the entries confirm nothing. Added to the file, they confirm the account.
        scene.serve(UNI, Ok(fetched(200, text)));
        assert_eq!(scene.diagnosed(UNI)[1], "wrong-id");
        let mut added = own.clone();
        added["verificationMethod"] = entries["verificationMethod"].clone();
        let references = added["assertionMethod"].as_array_mut().expect("a list");
        references.push(entries["assertionMethod"][0].clone());
        scene.serve(UNI, Ok(fetched(200, added.to_string())));
        assert_eq!(scene.diagnosed(UNI)[0], "confirmed");
    }
    scene.serve(UNI, Ok(fetched(200, "<!doctype html>")));
    scene.world.host.advance(11_000);
    assert_eq!(
        scene.check(UNI, &scene.owner).data()["file"]["isWhole"],
        true
    );
}

#[test]
fn a_file_without_the_account_ends_its_confirmation_although_dns_fails() {
    let scene = Scene::new();
    scene.publish(json!({}));
    assert_eq!(scene.named(&scene.owner, UNI)["state"], "confirmed");
    let url = format!("https://cloudflare-dns.com/dns-query?name=_assay.{UNI}&type=TXT");
    let http = |answer| scene.service.borrow().http.set(&url, answer);
    http(Err(FetchError::Timeout));
    let other = file(UNI, &Person::new(), json!({}));
    scene.serve(UNI, Ok(fetched(200, other.to_string())));
    let found = scene.named(&scene.owner, UNI);
    assert_eq!(
        [&found["state"], &found["reason"]],
        ["notConfirmed", "not-listed"]
    );
    assert_eq!(scene.issuer().1, "wasConfirmed");
}

/// Serves a file of the domain. Returns the reasons of the notes about it.
fn noted(scene: &Scene, answer: Fetched) -> Vec<String> {
    scene.serve(UNI, Ok(answer));
    scene.world.host.advance(11_000);
    let notes = scene.check(UNI, &scene.owner).data()["notes"].clone();
    let notes = notes.as_array().expect("a list").clone();
    notes
        .iter()
        .map(|note| note["reason"].as_str().expect("a reason").to_owned())
        .collect()
}

#[test]
fn rules_of_badges_that_a_file_breaks_are_noted_without_effect() {
    let scene = Scene::new();
    let notes = |change: &dyn Fn(&mut Value)| {
        let issuer = json!({ "name": "Uni", "logo": "https://uni.example/logo.svg" });
        let mut text = file(UNI, &scene.owner, issuer);
        let accounts = text["assertionMethod"].as_array().expect("a list").clone();
        let key = cert_badge::entry(UNI, "vc-1", &cert_badge::PublicKey([7; 32]));
        text["@context"] = json!(["https://www.w3.org/ns/did/v1"]);
        text["assertionMethod"] = [vec![key["id"].clone()], accounts].concat().into();
        text["verificationMethod"] = json!([key]);
        change(&mut text);
        let found = noted(&scene, fetched(200, text.to_string()));
        assert_eq!(scene.diagnosed(UNI)[0], "confirmed");
        found
    };
    assert!(notes(&|_| {}).is_empty());
    let change = |pointer: &'static str, value: Value| {
        move |text: &mut Value| *text.pointer_mut(pointer).expect(pointer) = value.clone()
    };
    for (pointer, value, reasons) in [
        ("/@context", json!(null), &["did-context"][..]),
        (
            "/verificationMethod/0/controller",
            json!("did:web:else.example"),
            &["badge-key-controller"],
        ),
        (
            "/verificationMethod/0/type",
            json!("Ed25519VerificationKey2020"),
            &["did-key-form"],
        ),
        (
            "/verificationMethod/0/id",
            json!("#vc-1"),
            &["did-relative", "badge-key-purpose"],
        ),
        (
            "/assertionMethod/0",
            json!("did:web:uni.example#vc-2"),
            &["badge-key-purpose"],
        ),
    ] {
        assert_eq!(notes(&change(pointer, value)), reasons, "{pointer}");
    }
    // A key of JWTs, in a form that one library does not know.
    let key = cert_badge::JwtKey::from_point(&[4; 65]).expect("a point");
    let with_jwt_key = |kind: &'static str| {
        move |text: &mut Value| {
            let mut method = cert_badge::entry(UNI, "jwt-1", &key);
            method["type"] = json!(kind);
            let methods = text["verificationMethod"].as_array_mut().expect("a list");
            methods.push(method);
        }
    };
    assert_eq!(notes(&with_jwt_key("JsonWebKey")), ["did-key-form"]);
    assert!(notes(&with_jwt_key("JsonWebKey2020")).is_empty());
    // Without a badge key, the rules do not matter.
    let without = |text: &mut Value| {
        text["verificationMethod"] = json!([]);
        text["@context"] = json!(null);
    };
    assert!(notes(&without).is_empty());
}

#[test]
fn a_file_that_lists_the_services_key_is_noted() {
    let scene = Scene::with(&[(
        "STATUS_KEY",
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    )]);
    let document = scene.world.call(Call::get("/.well-known/did.json"));
    let method = document.json()["verificationMethod"][0].clone();
    let issuer = json!({ "name": "Uni", "logo": "https://uni.example/logo.svg" });
    let mut text = file(UNI, &scene.owner, issuer);
    text["verificationMethod"] = json!([method]);
    let found = noted(&scene, fetched(200, text.to_string()));
    assert_eq!(found, ["service-key-listed"]);
    assert_eq!(scene.diagnosed(UNI)[0], "confirmed");
}

#[test]
fn a_file_that_web_pages_may_not_read_is_noted() {
    let scene = Scene::new();
    let reasons = |answer: Fetched| noted(&scene, answer);
    let issuer = json!({ "name": "Uni", "logo": "https://uni.example/logo.svg" });
    let text = file(UNI, &scene.owner, issuer).to_string();
    let plain = fetched(200, text.clone());
    assert!(reasons(plain.clone()).is_empty());
    for (allowed, noted) in [
        (None, true),
        (Some("https://else.example"), true),
        (Some("http://service.localhost"), false),
    ] {
        let found = reasons(Fetched {
            allow_origin: allowed.map(str::to_owned),
            ..plain.clone()
        });
        assert_eq!(
            found.contains(&"cors-missing".to_owned()),
            noted,
            "{allowed:?}"
        );
    }
    let nameless = file(UNI, &scene.owner, json!({ "name": "Uni\u{202e}" })).to_string();
    assert_eq!(reasons(fetched(200, nameless)), ["no-name", "no-logo"]);
}

#[test]
fn dns_alone_confirms_without_a_name() {
    let scene = Scene::new();
    scene.serve(UNI, Ok(fetched(404, "")));
    let record = format!("did=did:pkh:eip155:1:{}", scene.owner.id());
    scene.records(UNI, &[record]);
    let found = scene.named(&scene.owner, UNI);
    assert_eq!(found["state"], "confirmed", "{found}");
    assert_eq!(found["checkedBy"], "dns");
    assert_eq!(found["name"], Value::Null);
}

#[test]
fn a_malformed_record_is_explained() {
    let scene = Scene::new();
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.records(UNI, &[scene.owner.id().to_string()]);
    let found = scene.named(&scene.owner, UNI);
    assert_eq!(found["reason"], "malformed-record", "{found}");
}

#[test]
fn the_file_has_precedence_over_dns() {
    let scene = Scene::new();
    let record = format!("did=did:pkh:eip155:1:{}", scene.owner.id());
    scene.records(UNI, &[record]);
    // The file disowns the account, so the record does not count.
    let owner = scene.owner.id();
    scene.publish(json!({ "revoked": [owner] }));
    let found = scene.named(&scene.owner, UNI);
    assert_eq!(found["state"], "disowned", "{found}");
    // The file limits the confirmation to one ledger. The record does not extend the confirmation to all ledgers, even
    // while the file cannot be read.
    scene.publish(json!({ "ledgers": ["0x1111111111111111111111111111111111111111"] }));
    let found = scene.named(&scene.owner, UNI);
    assert_eq!(found["state"], "confirmed", "{found}");
    assert_eq!(found["ledgers"].as_array().expect("a list").len(), 1);
    scene.serve(UNI, Err(FetchError::Timeout));
    let found = scene.named(&scene.owner, UNI);
    assert_eq!(found["reason"], "timeout");
    assert_eq!(found["ledgers"].as_array().expect("a list").len(), 1);
}

#[test]
fn a_server_that_does_not_answer_ends_a_confirmation_after_a_week() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    let last_seen = scene.stored("last_seen");
    for failure in [
        Err(FetchError::Timeout),
        Ok(fetched(503, "")),
        Err(FetchError::Failed("refused".to_owned())),
    ] {
        scene.serve(UNI, failure);
        scene.advance(2 * DAY);
        let found = scene.domain(&scene.owner);
        assert_eq!(found["state"], "confirmed", "{found}");
        assert!(found["reason"].is_string());
    }
    assert_eq!(scene.stored("last_seen"), last_seen);
    scene.advance(DAY + 1);
    assert_eq!(scene.domain(&scene.owner)["state"], "notConfirmed");
}

#[test]
fn the_confirmed_period_stays_after_a_domain_stops_confirming() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    let first = scene.domain(&scene.owner);
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.advance(DAY);
    scene.advance(DAY + 1);
    let ended = scene.domain(&scene.owner);
    assert_eq!(ended["state"], "notConfirmed", "{ended}");
    assert_eq!(ended["firstSeen"], first["firstSeen"]);
    assert_eq!(ended["lastSeen"], first["lastSeen"]);
    assert_eq!(ended["earlier"], json!([]));
    // A later confirmation starts a new period.
    scene.publish(json!({}));
    scene.advance(DAY);
    let again = scene.domain(&scene.owner);
    assert_eq!(again["state"], "confirmed");
    assert_ne!(again["firstSeen"], first["firstSeen"]);
    let period = json!([{ "from": first["firstSeen"], "to": first["lastSeen"] }]);
    assert_eq!(again["earlier"], period);
}

#[test]
fn a_domain_without_a_confirmation_is_no_longer_checked_after_a_month() {
    let scene = Scene::new();
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.named(&scene.owner, UNI);
    for _ in 0..30 {
        scene.advance(DAY);
    }
    scene.asked();
    assert_eq!(scene.domain(&scene.owner)["nextCheckAt"], Value::Null);
    scene.advance(10 * DAY);
    assert!(scene.asked().iter().all(|asked| !asked.contains(UNI)));
    scene.publish(json!({}));
    assert_eq!(scene.named(&scene.owner, UNI)["state"], "confirmed");
}

#[test]
fn an_unfunded_account_gets_one_check_per_request() {
    let scene = Scene::new();
    let poor = Person::new();
    let text = file(UNI, &poor, json!({})).to_string();
    scene.serve(UNI, Ok(fetched(200, text)));
    assert_eq!(scene.named(&poor, UNI)["state"], "confirmed");
    scene.asked();
    scene.advance(DAY);
    assert!(scene.asked().is_empty());
    let found = scene.domain(&poor);
    assert_eq!(
        (&found["reason"], &found["nextCheckAt"]),
        (&json!("unfunded"), &Value::Null)
    );
    // An unfunded account gets no further checks, so its confirmation lapses.
    scene.advance(7 * DAY);
    assert_eq!(scene.domain(&poor)["state"], "notConfirmed");
}

#[test]
fn unfunded_accounts_cannot_flood_a_domain_with_checks() {
    let scene = Scene::new();
    let (mut asked, mut people) = (0, Vec::new());
    for number in 0..40_u32 {
        let poor = Person::new();
        people.push(poor.clone());
        let body = json!({ "domain": UNI });
        let call = poor.put("/account/domain", &body);
        let call = call.from(&format!("198.51.{}.1", number % 250));
        scene.world.call(call).data();
        scene.world.host.settle();
        asked += scene
            .asked()
            .iter()
            .filter(|asked| **asked == url(UNI))
            .count();
    }
    assert_eq!(asked, 20);
    // Funded accounts are counted separately.
    scene.publish(json!({}));
    assert_eq!(scene.named(&scene.owner, UNI)["state"], "confirmed");
    // Checks of unfunded accounts beyond the quota are not queued, so they cannot delay the checks of funded accounts.
    scene.asked();
    let last = people.pop().expect("a person");
    let found = scene.domain(&last);
    assert_eq!(
        (&found["reason"], &found["nextCheckAt"]),
        (&json!("quota"), &Value::Null)
    );
    scene.advance(HOUR);
    assert!(scene.asked().is_empty());
    // In the next hour, twenty more unfunded accounts get a check.
    for poor in people.iter().rev().take(30) {
        scene.put(poor, UNI).data();
        scene.world.host.settle();
    }
    let later = scene.asked();
    assert_eq!(later.iter().filter(|asked| **asked == url(UNI)).count(), 20);
}

#[test]
fn checks_of_domains_are_limited_per_network_and_per_domain() {
    let scene = Scene::new();
    let check = |number: usize, domain: &str, address: &str| {
        let target = format!("/issuers/{domain}/check?account={}", Person::new().id());
        assert!(number < 1_000);
        scene.world.call(Call::get(target).from(address))
    };
    // A result is cached for ten seconds.
    scene.check(UNI, &scene.owner).data();
    scene.asked();
    scene.check(UNI, &scene.owner).data();
    assert!(scene.asked().is_empty());
    // A network may request 60 checks an hour, of any domains.
    let statuses: Vec<u16> = (0..70)
        .map(|number| check(number, &format!("n{number}.example"), "198.51.100.7").status)
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 60);
    let refused = check(0, "another.example", "198.51.100.7");
    refused.fails(429, &[429_000]);
    assert_eq!(refused.header("retry-after"), Some("3600"));
    // A domain may be checked 60 times an hour, by any networks.
    let statuses: Vec<u16> = (0..70)
        .map(|number| check(number, "one.example", &format!("203.0.{number}.1")).status)
        .collect();
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 60);
    // In the next hour, checks are allowed again.
    scene.world.host.advance(HOUR);
    assert_eq!(check(0, "one.example", "198.51.100.7").status, 200);
}

#[test]
fn invalid_domains_and_internal_addresses_are_refused() {
    let scene = Scene::with(&[("ALLOW_PRIVATE_FETCH", "false")]);
    let long = format!("{}.example", "a".repeat(64));
    for text in [
        "",
        " ",
        "localhost",
        "intranet",
        "127.0.0.1",
        "10.0.0.1",
        "0x7f000001",
        "2130706433",
        "[::1]",
        "169.254.169.254",
        "metadata.google.internal",
        "printer.local",
        "uni.example:8443",
        "uni.example:443x",
        "user@uni.example",
        "user:password@uni.example",
        "https://uni.example",
        "uni.example/path",
        "uni.example?x",
        "uni.example#x",
        "uni%2eexample",
        "uni.example\\evil",
        "uni example",
        "*.example",
        "a_b.example",
        "-a.example",
        "service.localhost",
        "１２７.0.0.1",
        "xn--a.example",
        &long,
    ] {
        let refused = scene.put(&scene.owner, text);
        assert_eq!(
            (refused.status, refused.errors()),
            (422, vec!["422930 domain".to_owned()]),
            "{text}"
        );
    }
    for body in [json!({}), json!({ "domain": 7 }), json!({ "domain": null })] {
        let call = scene.owner.put("/account/domain", &body);
        assert_eq!(scene.world.call(call).errors(), ["422930 domain"]);
    }
    let target = format!("/issuers/10.0.0.1/check?account={}", scene.owner.id());
    let refused = scene.world.call(Call::get(target));
    assert_eq!(refused.status, 400, "{:?}", refused.json());
    let refused = scene.world.call(Call::get("/issuers/10.0.0.1/check"));
    assert_eq!(
        refused.json()["errors"].as_array().expect("errors").len(),
        2
    );
    assert!(scene.asked().is_empty());
}

#[test]
fn only_the_owner_can_set_a_ledgers_domain() {
    let scene = Scene::new();
    scene.publish(json!({}));
    let path = format!(
        "/ledgers/{}/domain",
        scene.ledger["ref"].as_str().expect("a ref")
    );
    let body = json!({ "domain": UNI });
    let other = scene.world.funded();
    let call = |call: Call| scene.world.call(call);
    call(other.put(&path, &body)).fails(403, &[403_001]);
    call(other.delete(&path)).fails(403, &[403_001]);
    call(scene.owner.put("/ledgers/none/domain", &body)).fails(400, &[400_004]);
    call(other.get("/ledgers/none/domain")).fails(400, &[400_004]);
    let none = call(other.get(&path)).data();
    assert_eq!(
        (&none["domain"], &none["state"]),
        (&Value::Null, &Value::Null)
    );
    call(scene.owner.put(&path, &body)).data();
    scene.world.host.settle();
    // Every account may read the ledger's domain.
    let found = call(other.get(&path)).data();
    assert_eq!(found["state"], "confirmed");
    assert_eq!(found["ledgerId"], scene.ledger["id"]);
    // When the ledger's own domain is removed, the domain that the owner has set for all ledgers applies.
    scene.put(&scene.owner, "other.example").data();
    assert_eq!(call(scene.owner.get(&path)).data()["domain"], UNI);
    let left = call(scene.owner.delete(&path)).data();
    assert_eq!(
        (&left["domain"], &left["ledgerId"]),
        (&json!("other.example"), &Value::Null)
    );
}

#[test]
fn a_removed_domain_is_no_longer_checked() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    let removed = scene
        .world
        .call(scene.owner.delete("/account/domain"))
        .data();
    assert_eq!(removed["domain"], Value::Null);
    assert_eq!(scene.domain(&scene.owner)["domain"], Value::Null);
    scene.asked();
    scene.advance(2 * DAY);
    assert!(scene.asked().is_empty());
    // The row with the confirmed period stays. Domains that never confirmed the account are deleted.
    assert_eq!(
        (scene.stored("domain"), scene.stored("named")),
        (json!(UNI), json!(0))
    );
    for number in 0..5 {
        scene
            .put(&scene.owner, &format!("n{number}.example"))
            .data();
    }
    let service = scene.service.borrow();
    let count = Statement::new("SELECT count(*) AS total FROM issuer_checks");
    let rows = service.database.run(&[count]).expect("rows");
    assert_eq!(rows[0].list[0]["total"], 2);
}

#[test]
fn a_check_that_never_ends_is_repeated_after_its_lease() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.put(&scene.owner, UNI).data();
    // Simulates a run that has leased the row and never ends.
    let lease = "UPDATE issuer_checks SET check_at = check_at + 60000";
    let service = scene.service.borrow();
    service
        .database
        .run(&[Statement::new(lease)])
        .expect("a lease");
    drop(service);
    scene.world.host.settle();
    assert!(scene.asked().is_empty());
    // After the lease, another run checks.
    scene.advance(60_000);
    assert_eq!(scene.domain(&scene.owner)["state"], "confirmed");
}

impl Scene {
    /// Returns the issuer, and the issuer's kind, from the report on an asset of the owner's ledger.
    fn issuer(&self) -> (Value, Value) {
        let ledger = self.ledger["id"].as_str().expect("an address");
        let target = format!("/badge.json?ledgerId={ledger}&assetId=404");
        let before = self.service.borrow().database.round_trips();
        let answer = self.world.call(Call::get(target)).data();
        // One round trip is for the clock of the development instance.
        assert_eq!(self.service.borrow().database.round_trips() - before, 2);
        (answer["issuer"].clone(), answer["issuer"]["kind"].clone())
    }
}

#[test]
fn the_badge_shows_the_domain_that_confirms() {
    let scene = Scene::new();
    let (issuer, kind) = scene.issuer();
    assert_eq!(
        (kind, &issuer["confirmed"]),
        (json!("notConfirmed"), &json!(false))
    );
    scene.publish(json!({ "name": "University of Example", "logo": "https://uni.example/l.svg" }));
    let named = scene.named(&scene.owner, UNI);
    let (issuer, _) = scene.issuer();
    assert_eq!(
        issuer,
        json!({
            "account": scene.owner.id(),
            "kind": "confirmed",
            "confirmed": true,
            "domain": UNI,
            "otherDomain": null,
            "name": "University of Example",
            "logo": "https://uni.example/l.svg",
            "firstSeen": named["firstSeen"],
            "lastSeen": named["lastSeen"],
            "checkedBy": "didJson",
        })
    );
    // A domain that does not confirm the owner is not shown, although the owner has set it.
    scene.put(&scene.owner, "impostor.example").data();
    scene.world.host.settle();
    let (issuer, kind) = scene.issuer();
    assert_eq!(
        (kind, &issuer["domain"]),
        (json!("wasConfirmed"), &json!(UNI))
    );
}

#[test]
fn the_badge_does_not_show_a_domain_that_never_confirmed() {
    let scene = Scene::new();
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.named(&scene.owner, UNI);
    let (issuer, kind) = scene.issuer();
    assert_eq!(
        (kind, &issuer["domain"]),
        (json!("notConfirmed"), &Value::Null)
    );
}

#[test]
fn a_domain_confirms_only_the_ledgers_that_it_lists() {
    let scene = Scene::new();
    scene.publish(json!({ "ledgers": ["0x1111111111111111111111111111111111111111"] }));
    assert_eq!(scene.named(&scene.owner, UNI)["state"], "confirmed");
    assert_eq!(scene.issuer().1, "notConfirmed");
    scene.publish(json!({ "ledgers": [scene.ledger["id"]] }));
    scene.named(&scene.owner, UNI);
    assert_eq!(scene.issuer().1, "confirmed");
}

#[test]
fn the_badge_shows_the_period_of_a_domain_that_stopped_confirming() {
    let scene = Scene::new();
    scene.publish(json!({ "name": "University of Example" }));
    let named = scene.named(&scene.owner, UNI);
    scene.serve(UNI, Ok(fetched(404, "")));
    scene.advance(DAY);
    assert_eq!(scene.issuer().1, "confirmed");
    scene.advance(DAY + 1);
    for _ in 0..2 {
        let (issuer, kind) = scene.issuer();
        assert_eq!(kind, "wasConfirmed");
        assert_eq!(issuer["domain"], UNI);
        assert_eq!(issuer["firstSeen"], named["firstSeen"]);
        assert_eq!(issuer["lastSeen"], named["lastSeen"]);
        // Removing the domain does not remove it from the badge.
        scene
            .world
            .call(scene.owner.delete("/account/domain"))
            .data();
    }
}

#[test]
fn the_badge_shows_an_unrenewed_confirmation_as_ended() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    // The sweep does not run, so no check renews the confirmation.
    scene.world.host.advance(7 * DAY);
    assert_eq!(scene.issuer().1, "confirmed");
    scene.world.host.advance(1);
    assert_eq!(scene.issuer().1, "wasConfirmed");
}

#[test]
fn an_account_stays_disowned_after_its_domain_is_removed() {
    let scene = Scene::new();
    scene.publish(json!({ "name": "University of Example" }));
    scene.named(&scene.owner, UNI);
    let owner = scene.owner.id();
    scene.publish(json!({ "name": "University of Example", "revoked": [owner] }));
    scene.advance(DAY);
    for _ in 0..2 {
        let (issuer, kind) = scene.issuer();
        assert_eq!((kind, &issuer["domain"]), (json!("disowned"), &json!(UNI)));
        assert_eq!(
            (&issuer["name"], &issuer["confirmed"]),
            (&Value::Null, &json!(false))
        );
        assert!(issuer["firstSeen"].is_string());
        scene
            .world
            .call(scene.owner.delete("/account/domain"))
            .data();
    }
}

/// Publishes a file of the thief's domain that lists the account, and names this domain.
fn steal(scene: &Scene) {
    let text = file(THIEF, &scene.owner, json!({})).to_string();
    scene.serve(THIEF, Ok(fetched(200, text)));
    assert_eq!(scene.named(&scene.owner, THIEF)["state"], "confirmed");
}

/// Checks that the badge shows the account as disowned, with both domains.
#[track_caller]
fn assert_both_are_shown(scene: &Scene) {
    let (issuer, kind) = scene.issuer();
    assert_eq!(
        (kind, &issuer["domain"], &issuer["otherDomain"]),
        (json!("disowned"), &json!(UNI), &json!(THIEF))
    );
    assert_eq!(issuer["confirmed"], json!(false));
}

#[test]
fn a_thief_who_names_another_domain_later_stays_disowned() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    scene.publish(json!({ "revoked": [scene.owner.id()] }));
    scene.advance(DAY);
    steal(&scene);
    assert_both_are_shown(&scene);
    // The thief gains nothing by leaving the domain, by naming it for the ledger alone, or by waiting.
    scene
        .world
        .call(scene.owner.delete("/account/domain"))
        .data();
    let (issuer, kind) = scene.issuer();
    assert_eq!(
        (kind, &issuer["otherDomain"]),
        (json!("disowned"), &Value::Null)
    );
    let ledger = scene.ledger["id"].as_str().expect("an address");
    let path = format!("/ledgers/{ledger}/domain");
    let body = json!({ "domain": THIEF });
    scene.world.call(scene.owner.put(&path, &body)).data();
    scene.world.host.settle();
    assert_both_are_shown(&scene);
    for _ in 0..40 {
        scene.advance(DAY);
    }
    assert_both_are_shown(&scene);
}

#[test]
fn a_thief_who_names_another_domain_first_is_disowned_too() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    steal(&scene);
    assert_eq!(scene.issuer().1, "confirmed");
    // The daily check of the thief's domain also reads the file of the domain that the account left.
    for _ in 0..60 {
        scene.advance(DAY);
    }
    assert_eq!(scene.issuer().1, "confirmed");
    scene.publish(json!({ "revoked": [scene.owner.id()] }));
    scene.advance(DAY);
    assert_both_are_shown(&scene);
}

#[test]
fn later_domains_do_not_displace_the_first_domain_of_an_account() {
    let scene = Scene::new();
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    for number in 0..15 {
        scene.advance(1);
        let domain = format!("a{number}.example");
        let text = file(&domain, &scene.owner, json!({})).to_string();
        scene.serve(&domain, Ok(fetched(200, text)));
        scene.named(&scene.owner, &domain);
    }
    scene.publish(json!({ "revoked": [scene.owner.id()] }));
    scene.asked();
    steal(&scene);
    assert_both_are_shown(&scene);
    // The file of the new domain, and ten files of former domains.
    assert_eq!(scene.asked().len(), 11);
}

#[test]
fn a_disowned_account_stays_so_while_the_file_is_missing_or_malformed() {
    let scene = Scene::new();
    scene.publish(json!({ "revoked": [scene.owner.id()] }));
    scene.named(&scene.owner, UNI);
    for answer in [
        Ok(fetched(404, "")),
        Ok(fetched(200, "<!doctype html>")),
        Ok(fetched(503, "")),
        Ok(fetched(
            200,
            json!({ "id": "did:web:other.example" }).to_string(),
        )),
    ] {
        scene.serve(UNI, answer);
        scene.advance(DAY);
        assert_eq!(scene.domain(&scene.owner)["state"], "disowned");
        assert_eq!(scene.issuer().1, "disowned");
    }
    // A readable file that no longer disowns the account ends this.
    let silent = json!({ "id": format!("did:web:{UNI}") }).to_string();
    scene.serve(UNI, Ok(fetched(200, silent)));
    scene.advance(DAY);
    assert_eq!(scene.domain(&scene.owner)["state"], "notConfirmed");
    assert_eq!(scene.issuer().1, "notConfirmed");
}

#[test]
fn the_operator_can_confirm_accounts() {
    let owner = Person::known(9);
    let accounts = format!("{} Payroll, University of Example", owner.id());
    let vars = [("CONFIRMED_ACCOUNTS", accounts.as_str())];
    let service = Rc::new(RefCell::new(Service::new(&[&vars, SETTINGS].concat())));
    let world = World::on(Box::new(Rc::clone(&service)));
    world
        .call(owner.post("/deposits", &json!({ "amount": 100_000 })))
        .data();
    let ledger = world.ledger(&owner, &[]);
    let scene = Scene {
        service,
        world,
        owner,
        ledger,
    };
    scene.records(UNI, &[]);
    let (issuer, kind) = scene.issuer();
    assert_eq!(kind, "operator");
    assert_eq!(issuer["name"], "Payroll, University of Example");
    assert_eq!(issuer["domain"], "service.localhost");
    assert_eq!(
        (&issuer["checkedBy"], &issuer["firstSeen"]),
        (&json!("operator"), &Value::Null)
    );
    // A domain that confirms or disowns the account takes precedence over the operator's confirmation.
    scene.publish(json!({}));
    scene.named(&scene.owner, UNI);
    assert_eq!(scene.issuer().1, "confirmed");
    let owner = scene.owner.id();
    scene.publish(json!({ "revoked": [owner] }));
    scene.named(&scene.owner, UNI);
    assert_eq!(scene.issuer().1, "disowned");
}
