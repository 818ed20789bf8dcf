//! The examples of the OpenAPI document: requests and responses, recorded while a few accounts use the API.
//!
//! `cargo xtask docs` writes the examples. A test fails if the service's responses differ from the examples.

use std::cell::RefCell;
use std::rc::Rc;

use cert_core::{Cert, Path, Value as Document, identify, proofs_to_value};
use edge_api::native::FakeHttp;
use edge_api::ports::{Fetched, Statement};
use serde_json::{Map, Value, json};

use super::wallet::Offer;
use crate::books;
use crate::files;
use crate::sessions;
use crate::status_lists;
use crate::support::native::Service;
use crate::support::openapi::operation;
use crate::support::people::{CREATE_COST, IMPRINT, Person, World};
use crate::support::stripe::{self, FakeStripe};
use crate::support::{Answer, Call, SETTINGS, WEBHOOK_SECRET, outside, with};

/// The `request` of each operation, and its `answers` by status.
type Recorded = Map<String, Value>;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/openapi/examples.json");

const SITE: &str = "https://example.com";
const SCHEMA: &str = r#"{"type":"object","title":"Course certificate","properties":{
    "name":{"type":"string"},"course":{"type":"string"},"grade":{"type":"string"},
    "$schema":{"type":"string"},"$evidence":{"type":"string"}}}"#;
const DATA: &str = r#"{"name":"Ada Lovelace","course":"Mathematics","grade":"A",
    "$schema":"https://example.com/schema.json","$evidence":"https://example.com/evidence/100.json"}"#;
const PUBLIC: [&str; 4] = ["name", "course", "$schema", "$evidence"];

/// The number of characters of a short link's id.
const LINK_ID: usize = 16;

#[test]
fn the_examples_equal_the_responses_of_the_service() {
    let mut recorded = Recorded::new();
    account_and_ledger(&mut recorded);
    card_payment(&mut recorded);
    health(&mut recorded);
    credentials(&mut recorded);
    administration(&mut recorded);
    let recorded = Value::Object(recorded);
    if std::env::var_os("ASSAY_WRITE_DOCS").is_some() {
        let text = serde_json::to_string_pretty(&recorded).unwrap();
        std::fs::write(FILE, text + "\n").unwrap();
    }
    let kept: Value = serde_json::from_str(&std::fs::read_to_string(FILE).unwrap()).unwrap();
    assert!(
        masked(&kept) == masked(&recorded),
        "examples.json differs from the service's responses: run `cargo xtask docs` and review the changes"
    );
}

/// Replaces the random values of a recording. They change whenever changed code draws more or fewer random bytes.
fn masked(value: &Value) -> Value {
    let is_reference = |text: &str| {
        let mut parts = text.split(['-', '.']).map(str::len);
        [8, 4, 4, 4, 12]
            .iter()
            .all(|len| parts.next() == Some(*len))
    };
    let is_secret = |text: &str| {
        let starts = ["whsec_", "assay_session_", "assay_key_"];
        starts.iter().any(|start| text.starts_with(start)) || text.contains("\nNonce: ")
    };
    let is_link = |text: &str| text.len() == LINK_ID || text.contains("/s/");
    match value {
        Value::String(text) if is_link(text) => json!("link"),
        Value::String(text) if is_reference(text) => json!("reference"),
        Value::String(text) if is_secret(text) => json!("secret"),
        Value::Array(items) => items.iter().map(masked).collect(),
        Value::Object(fields) => fields
            .iter()
            .map(|(name, value)| match name.as_str() {
                "nonce" | "signature" | "endKey" | "index" => (name.clone(), json!("random")),
                _ => (name.clone(), masked(value)),
            })
            .collect(),
        scalar => scalar.clone(),
    }
}

/// A service whose calls are recorded. Its accounts, addresses and hashes are the same in each run.
struct Scene<'r> {
    world: World,
    http: Rc<FakeHttp>,
    recorded: RefCell<&'r mut Recorded>,
}

impl<'r> Scene<'r> {
    fn new(service: Service, recorded: &'r mut Recorded) -> Self {
        let fixed = "UPDATE instance SET id = 'a9f0c4d1e6b35827a9f0c4d1e6b35827a9f0c4d1e6b35827a9f0c4d1e6b35827'";
        service.database.run(&[Statement::new(fixed)]).unwrap();
        let http = Rc::clone(&service.http);
        Self {
            world: World::on(Box::new(service)),
            http,
            recorded: RefCell::new(recorded),
        }
    }

    /// Sends a request. For each operation, records the first response of each status, and the body of the first successful
    /// request that has a JSON body.
    fn call(&self, call: Call) -> Answer {
        let answer = self.world.call(call.clone());
        let path = call.target.split('?').next().unwrap();
        let operation = operation(call.method, path).expect("an operation");
        let name = operation["operationId"].as_str().unwrap();
        let mut recorded = self.recorded.borrow_mut();
        let entry = recorded.entry(name).or_insert_with(|| json!({}));
        let status = answer.status.to_string();
        if entry["answers"].get(&status).is_none() {
            entry["answers"][&status] = answer.json();
        }
        let taken = answer.status < 300 && operation.get("requestBody").is_some();
        // A form is not recorded, because examples are JSON bodies.
        let json = serde_json::from_slice(&call.body).ok();
        if let Some(body) = json
            && taken
            && entry.get("request").is_none()
        {
            entry["request"] = body;
        }
        self.world.host.advance(1000);
        answer
    }

    /// Sends a request and returns the `ref` of the new record.
    fn made(&self, call: Call) -> String {
        let data = self.call(call).data();
        data["ref"].as_str().unwrap().to_owned()
    }

    fn settle(&self) {
        self.world.host.settle();
        self.world.host.advance(1000);
    }

    /// Serves a document at a path of the site.
    fn publish(&self, path: &str, document: &Document) {
        let fetched = Fetched {
            status: 200,
            content_type: Some("application/json".to_owned()),
            location: None,
            allow_origin: None,
            body: document.to_json().into_bytes(),
        };
        self.http.set(&format!("{SITE}{path}"), Ok(fetched));
    }

    /// Returns an order with the given seed, signed by the first signer.
    fn order(&self, seed: u64, signers: &[&Person], actions: Value) -> Value {
        let mut body = self.world.order(signers, actions);
        body["order"]["seed"] = json!(seed);
        self.world.sign(&mut body, &signers[..1]);
        body
    }

    /// Returns an order that creates an asset for the ledger's owner.
    fn creation(
        &self,
        seed: u64,
        owner: &Person,
        ledger: &Value,
        id: &str,
        imprint: &str,
    ) -> Value {
        let create = json!({
            "kind": 1,
            "ledgerId": ledger,
            "assetId": id,
            "assetImprint": imprint,
            "senderId": owner.id(),
            "receiverId": owner.id(),
        });
        let payment = self.world.payment(owner, CREATE_COST);
        self.order(seed, &[owner], json!([create, payment]))
    }

    /// Sends a request first without its claim, and then twice with the claim. Returns the new record's reference.
    fn signed(&self, person: &Person, path: &str, body: &Value) -> String {
        let unsigned = with(body, "/claim", None);
        self.call(person.post(path, &unsigned)).fails(
            422,
            &[if path == "/approvals" {
                422_122
            } else {
                422_008
            }],
        );
        let reference = self.made(person.post(path, body));
        assert_eq!(self.call(person.post(path, body)).status, 200);
        self.settle();
        reference
    }
}

/// Ada deposits, deploys a ledger, creates an asset and sells it to Bob.
fn account_and_ledger(recorded: &mut Recorded) {
    let scene = Scene::new(Service::new(&status_lists::settings()), recorded);
    let (ada, bob) = (Person::known(1), Person::known(2));
    let body = json!({ "ciphertext": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "days": 7 });
    let link = scene.call(Call::new("POST", "/links").json(&body)).data();
    let reference = link["id"].as_str().unwrap();
    scene.call(Call::get(format!("/s/{reference}"))).data();
    let key = json!({ "endKey": link["endKey"] });
    let end = Call::new("PUT", format!("/links/{reference}/end"));
    scene.call(end.json(&key)).data();
    let deposit = json!({ "amount": 5000 });
    let made = scene.made(ada.post("/deposits", &deposit));
    scene.call(ada.get("/deposits?limit=1"));
    scene.call(ada.get(format!("/deposits/{made}")));
    scene.call(bob.post("/deposits", &deposit));
    let information = json!({
        "firstName": "Ada",
        "lastName": "Lovelace",
        "email": "ada@example.com",
        "streetAddress": "12 St James's Square",
        "postalCode": "SW1Y 4JH",
        "city": "London",
        "country": "United Kingdom",
    });
    scene.call(ada.put("/account", &information));
    scene.call(ada.get("/account"));
    webhook(&scene, &ada);
    let ledger = deployment(&scene, &ada);
    orders(&scene, &ada, &bob, &ledger);
    approval(&scene, &ada, &ledger);
    domain(&scene, &ada, &ledger);
    let of_ledger = [("ledgerRef", ledger.as_str().unwrap())];
    scene.call(files::upload(&ada, &of_ledger, br#"{"name":"Course"}"#));
    scene.call(books::publication(&ada, books::KEY)).data();
    let version = books::Version {
        number: 1,
        readers: vec![ada.id()],
        content: b"cipher text",
    };
    let known = scene
        .world
        .call(ada.get(format!("/ledgers/{}", of_ledger[0].1)));
    scene.call(version.signed(&ada, &known.data())).data();
    for path in ["book-keys", "book", "book/1"] {
        scene.call(ada.get(format!("/ledgers/{}/{path}", of_ledger[0].1)));
    }
    let entries =
        json!({ "entries": [{ "assetId": "100", "imprint": format!("aih2:{IMPRINT}") }] });
    let entries_of = format!("/ledgers/{}/status-entries", of_ledger[0].1);
    scene.call(ada.post(entries_of, &entries));
    let (offer, used) = (Offer::badge(1), Offer::badge(2));
    scene.call(offer.deposit(&ada, &known.data()));
    scene.world.call(used.deposit(&ada, &known.data())).data();
    scene.call(used.exchange());
    scene.call(used.pick_up(&used.token()));
    let path = format!("/ledgers/{}/wallet-offers/{}", of_ledger[0].1, offer.hash());
    scene.call(ada.delete(path));
    let files_of_bob = format!("/ledgers/{}/accounts/{}/files", of_ledger[0].1, bob.id());
    scene.call(ada.delete(files_of_bob));
    deliveries(&scene, &ada);
    scene.call(ada.get("/activity?limit=3"));
    scene.call(ada.get("/stats/costs"));
    scene.call(ada.get("/stats/traffic"));
    scene.call(Call::get("/stats/tickers?limit=1"));
    scene.call(ada.get("/requests?methods=PUT&limit=1"));
    let requests = scene.call(ada.get("/requests?methods=PUT&limit=1")).data();
    let request = requests[0]["ref"].as_str().unwrap();
    scene.call(ada.get(format!("/requests/{request}")));
    scene.call(ada.delete("/account/webhook"));
    scene.call(ada.delete("/account/information"));
}

fn webhook(scene: &Scene<'_>, ada: &Person) {
    let events = format!("{SITE}/events");
    scene.http.serve(&events, |_| {
        Ok(Fetched {
            status: 204,
            content_type: None,
            location: None,
            allow_origin: None,
            body: Vec::new(),
        })
    });
    let webhook = json!({ "url": events, "events": [0, 1], "secret": WEBHOOK_SECRET });
    scene.call(ada.put("/account/webhook", &webhook));
    scene.settle();
    scene.call(ada.get("/account/webhook"));
    scene.call(ada.post("/account/webhook/rotate", &json!({})));
}

/// Sets a domain whose file confirms the account.
fn domain(scene: &Scene<'_>, ada: &Person, ledger: &Value) {
    let file = |issuer| {
        let text = json!({
            "id": "did:web:uni.example",
            "assertionMethod": [{ "blockchainAccountId": format!("eip155:1:{}", ada.id()) }],
            "service": [{ "type": "AssayIssuer", "serviceEndpoint": issuer }],
        });
        Fetched {
            status: 200,
            content_type: Some("application/json".to_owned()),
            location: None,
            allow_origin: None,
            body: text.to_string().into_bytes(),
        }
    };
    let issuer = json!({ "name": "University of Example", "logo": "https://uni.example/logo.svg" });
    let url = "https://uni.example/.well-known/did.json";
    scene.http.set(url, Ok(file(issuer)));
    let domain = json!({ "domain": "uni.example" });
    scene.call(ada.put("/account/domain", &domain));
    scene.settle();
    scene.call(ada.get("/account/domain"));
    let account = ada.id();
    scene.call(Call::get(format!(
        "/issuers/uni.example/check?account={account}"
    )));
    let path = format!("/ledgers/{}/domain", ledger.as_str().unwrap());
    scene.call(ada.put(&path, &domain));
    scene.call(ada.get(&path));
    scene.call(ada.delete(&path));
    scene.call(ada.delete("/account/domain"));
}

/// Deploys a ledger and returns its address.
fn deployment(scene: &Scene<'_>, ada: &Person) -> Value {
    let schema = Document::parse(SCHEMA).unwrap();
    let body = scene.world.deployment(ada, &[1, 2]);
    let body = with(&body, "/deploy/seed", Some(json!(1_700_000_000_001_u64)));
    let id = "/deploy/assetLedgerData/schemaId";
    let mut body = with(&body, id, Some(json!(identify(&schema))));
    scene.world.sign_deployment(&mut body, ada);
    let made = scene.signed(ada, "/deployments", &body);
    scene.call(ada.get("/deployments"));
    let made = scene.call(ada.get(format!("/deployments/{made}"))).data();
    let ledger = made["ledgerRef"].as_str().unwrap();
    scene.call(ada.get("/ledgers"));
    scene.call(ada.get(format!("/ledgers/{ledger}")));
    scene.call(ada.get(format!("/ledgers/{ledger}/abilities")));
    scene.call(ada.get(format!("/ledgers/{ledger}/accounts?limit=1")));
    scene.call(ada.get("/account/abilities"));
    made["ledgerId"].clone()
}

fn orders(scene: &Scene<'_>, ada: &Person, bob: &Person, ledger: &Value) {
    let (schema, data) = (
        Document::parse(SCHEMA).unwrap(),
        Document::parse(DATA).unwrap(),
    );
    let cert = Cert::new(&schema).unwrap();
    let paths: Vec<Path> = PUBLIC.iter().map(|key| Path::from_iter([*key])).collect();
    let proofs = proofs_to_value(&cert.disclose(&data, &paths).unwrap());
    let evidence = format!(
        r#"{{"$schema":"https://conventions.example/87.json","data":{}}}"#,
        proofs.to_json()
    );
    scene.publish("/schema.json", &schema);
    scene.publish("/assets/100.json", &cert.expose(&data, &paths));
    scene.publish("/evidence/100.json", &Document::parse(&evidence).unwrap());
    let imprint = cert.imprint(&data).unwrap();

    let body = scene.creation(1_700_000_000_002, ada, ledger, "100", &imprint);
    let unseeded = with(&body, "/order/seed", None);
    scene
        .call(ada.post("/orders", &unseeded))
        .fails(422, &[422_002]);
    let first = scene.made(ada.post("/orders", &body));
    scene.call(ada.post("/orders", &body));
    scene.settle();
    scene.call(ada.get(format!("/orders/{first}")));
    scene.call(ada.get("/orders?limit=1"));
    let address = ledger.as_str().unwrap();
    scene.call(ada.get(format!("/ledgers/{address}/assets")));
    scene.call(ada.get(format!("/ledgers/{address}/assets/100")));
    scene.call(Call::get(format!(
        "/badge.json?ledgerId={address}&assetId=100"
    )));
    scene.call(Call::get(format!("/c/{address}/100")));

    let token = scene.world.gateways.token;
    let sale = json!([
        { "kind": 2, "ledgerId": ledger, "assetId": "100", "senderId": ada.id(), "receiverId": bob.id() },
        { "kind": 3, "ledgerId": token, "senderId": bob.id(), "receiverId": ada.id(), "value": "10500000000000000000" },
        scene.world.payment(ada, "2100000000000000000"),
    ]);
    let body = scene.order(1_700_000_000_003, &[ada, bob], sale);
    let claim = bob.claim(&scene.world.order_hash(&body));
    let sale = scene.made(ada.post("/orders", &body));
    scene.call(bob.put(format!("/orders/{sale}/sign"), &json!({ "claim": claim })));

    let mut later = scene.creation(1_700_000_000_004, ada, ledger, "101", &imprint);
    later["automatedPerform"] = json!(false);
    let later = scene.made(ada.post("/orders", &later));
    scene.call(ada.put(format!("/orders/{later}/perform"), &json!({})));

    let mut never = scene.creation(1_700_000_000_005, ada, ledger, "102", &imprint);
    never["automatedPerform"] = json!(false);
    let never = scene.made(ada.post("/orders", &never));
    scene.call(ada.delete(format!("/orders/{never}")));
    scene.settle();

    let destroy = json!([
        { "kind": 6, "ledgerId": ledger, "assetId": "101", "senderId": ada.id() },
        scene.world.payment(ada, "2100000000000000000"),
    ]);
    let body = scene.order(1_700_000_000_007, &[ada], destroy);
    scene.world.performed(ada, &body);
    let reason = json!({ "reason": "Issued by mistake: the course was not completed." });
    let path = format!("/ledgers/{address}/assets/101/withdrawal");
    scene.call(ada.put(path, &reason)).data();
    scene.call(ada.get("/certificates"));
    scene.call(ada.get("/certificates/counts"));
    scene.call(ada.get(format!("/ledgers/{address}/assets/101/history")));
}

fn approval(scene: &Scene<'_>, ada: &Person, ledger: &Value) {
    let spender = ledger.as_str().unwrap().parse().unwrap();
    let body = scene
        .world
        .value_approval(ada, spender, "1600000000000000000");
    let mut body = with(&body, "/approval/seed", Some(json!(1_700_000_000_006_u64)));
    scene.world.sign_approval(&mut body, ada);
    let made = scene.signed(ada, "/approvals", &body);
    scene.call(ada.get("/approvals"));
    scene.call(ada.get(format!("/approvals/{made}")));
}

fn deliveries(scene: &Scene<'_>, ada: &Person) {
    let deliveries = scene
        .call(ada.get("/account/webhook/deliveries?limit=1"))
        .data();
    let reference = deliveries[0]["ref"].as_str().unwrap();
    for path in [
        "test".to_owned(),
        format!("deliveries/{reference}/redeliver"),
    ] {
        for status in [201, 200] {
            let answer = scene.call(ada.post(format!("/account/webhook/{path}"), &json!({})));
            assert_eq!(answer.status, status, "{path}");
        }
    }
    let sent = scene.http.take_sent();
    let mut bodies = sent.iter().filter_map(|fetch| {
        let body: Value = serde_json::from_slice(fetch.body.as_ref()?).ok()?;
        (body["kind"] == 0).then_some(body)
    });
    let event = json!({ "request": bodies.next().expect("an event of an order") });
    scene
        .recorded
        .borrow_mut()
        .insert("recordChanged".to_owned(), event);
}

/// Records an event of the payment provider.
fn card_payment(recorded: &mut Recorded) {
    let provider = FakeStripe::default();
    let vars = outside::native_vars(&stripe::settings());
    let service = Service::new(&outside::borrowed(&vars));
    outside::attach(&service, provider.handler());
    let scene = Scene::new(service, recorded);
    let host = &*scene.world.host;
    let made = stripe::deposit(host, &stripe::payer(host), 5000).data();
    let event = stripe::succeeded(&provider.intent(&made));
    scene.call(stripe::event_call(host, &event)).data();
}

/// Records the health of a deployed instance.
fn health(recorded: &mut Recorded) {
    let service = Service::new(&[
        ("SERVICE_NAME", "example"),
        ("PAYMENTS", "off"),
        ("RATE_LIMIT_ADDRESS", "300/10"),
        ("RATE_LIMIT_ACCOUNT", "200/10"),
        ("OPERATOR_NAME", "University of Example"),
        ("OPERATOR_CONTACT", "certificates@uni.example"),
        ("OPERATOR_IMPRINT_URL", "https://uni.example/imprint"),
        ("OPERATOR_PRIVACY_URL", "https://uni.example/privacy"),
    ]);
    let scene = Scene::new(service, recorded);
    scene.call(Call::get("/health")).data();
    scene.call(Call::get("/operator")).data();
}

/// Records the operations of sessions, API keys and access.
fn credentials(recorded: &mut Recorded) {
    let scene = Scene::new(Service::new(SETTINGS), recorded);
    let ada = Person::known(1);
    let fields = scene.call(Call::get("/sessions/challenge")).data();
    let message = sessions::message(&ada, &fields);
    let session = scene.call(sessions::sign_in_with(&ada, &message)).data();
    let token = session["token"].as_str().unwrap();
    let call = |method, target: &str| sessions::bearer(method, target.to_owned(), token);
    scene.call(call("GET", "/sessions")).data();
    let body = json!({ "name": "Shop server", "scopes": ["read", "orders"], "expiresAt": "2024-11-14T00:00:00.000Z" });
    let key = scene.call(call("POST", "/account/keys").json(&body)).data();
    scene.call(call("GET", "/account/keys")).data();
    let reference = key["ref"].as_str().unwrap();
    let revoke = call("DELETE", &format!("/account/keys/{reference}"));
    scene.call(revoke).data();
    scene.call(call("GET", "/account/access")).data();
    let access = json!({ "legacyAuth": false });
    scene
        .call(call("PUT", "/account/access").json(&access))
        .data();
    scene.call(call("DELETE", "/sessions/current")).data();
}

/// Records the operations of administrators.
fn administration(recorded: &mut Recorded) {
    let (admin, bob) = (Person::known(9), Person::known(2));
    let admins = admin.id().to_string();
    let settings = [("ADMIN_ACCOUNTS", admins.as_str()), ("DEPLOYERS", &admins)];
    let service = Service::new(&[SETTINGS, &settings].concat());
    let letter = "018bcfe5-6800-7000-8000-000000000001";
    let rows = format!(
        "INSERT INTO dead_letters VALUES ('{letter}', 'm', '{{\"job\":\"perform\",\"ref\":\"{letter}\"}}', 1700000000000, NULL); \
         INSERT INTO records (ref, kind, hash, creator_id, status, priority, expires_at, body, created_at, updated_at, queued, faults, aside_until) \
         VALUES ('{letter}', 0, '', '0x1111111111111111111111111111111111111111', 1, 2, 0, '{{', 1700000000000, 1700000000000, 1, 2, 1700000300000);"
    );
    service.database.execute(&rows).unwrap();
    let scene = Scene::new(service, recorded);
    let post = |path: &str, body: Value| scene.call(admin.post(path, &body)).data();
    let retried = json!({ "reason": "The row was repaired" });
    let request = json!({
        "organisation": "University of Example",
        "contact": "registrar@uni.example",
        "text": "We would like to issue diplomas.",
    });
    scene.call(bob.post("/admission", &request)).data();
    scene.call(bob.get("/admission")).data();
    let asked = scene.call(admin.get("/admin/admissions")).data();
    let asked = asked[0]["ref"].as_str().unwrap().to_owned();
    for decision in ["decline", "approve"] {
        let path = format!("/admin/admissions/{asked}/{decision}");
        post(
            &path,
            json!({ "reason": "The registrar confirmed it by phone" }),
        );
    }
    scene.call(admin.get("/admin/records")).data();
    post(&format!("/admin/records/{letter}/retry"), retried.clone());
    scene.call(admin.get("/admin/dead-letters")).data();
    post(&format!("/admin/dead-letters/{letter}/retry"), retried);
    let pause = json!({ "message": "We upgrade until noon", "reason": "Ticket 7" });
    post("/admin/pause", pause);
    scene.call(admin.get("/admin/pause")).data();
    post("/admin/resume", json!({ "reason": "Ticket 7" }));
    let address = json!({ "address": bob.id(), "reason": "The key was stolen" });
    post("/admin/blocks", address.clone());
    scene.call(admin.get("/admin/blocks")).data();
    post("/admin/unblock", address);
    let grant = json!({ "address": bob.id(), "amount": "1000000000000000000", "reason": "Pilot" });
    post("/admin/grants", grant);
    let quota = json!({ "address": bob.id(), "factor": 3, "reason": "Imports an archive" });
    post("/admin/quotas", quota);
    let of_bob = format!("/admin/accounts/{}", bob.id());
    scene.call(admin.get(format!("{of_bob}/data"))).data();
    post(
        &format!("{of_bob}/erase"),
        json!({ "reason": "Asked by the account" }),
    );
    scene.call(admin.get("/admin/audit?limit=1")).data();
}
