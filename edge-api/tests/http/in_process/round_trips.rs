//! The work of every route in the database: batches and statements before the answer, and after it. The table in docs/scale.md states
//! them, and gives the reason for each further batch before an answer.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

use serde_json::{Value, json};

use super::wallet::Offer;
use crate::books;
use crate::files::upload;
use crate::sessions::{bearer, message, sign_in_with};
use crate::support::native::{Service, block_on};
use crate::support::people::{IMPRINT, Person, World};
use crate::support::{Call, WEBHOOK_SECRET, openapi};

/// The settings of a development instance. The movable clock is off, because it would cost one batch.
const SETTINGS: &[(&str, &str)] = &[
    ("ENVIRONMENT", "development"),
    ("DEPOSITS", "test"),
    ("FILES", "on"),
    (
        "STATUS_KEY",
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
    ),
];

/// An operation of the OpenAPI document that this test does not call, because its requests come from the payment provider.
const ELSEWHERE: &str = "POST /deposits/stripe";
/// Prefixes of the operator's routes. These routes are called so rarely that their cost does not matter.
const RARE: [&str; 2] = ["/admin/", "/metrics"];

/// The document with the table of all routes.
const TABLE: &str = include_str!("../../../../docs/scale.md");

/// Work in the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Work {
    batches: usize,
    statements: usize,
}

impl Work {
    /// Returns the result of `act`, and the work that it causes.
    fn of<T>(service: &Service, act: impl FnOnce() -> T) -> (T, Self) {
        let so_far = || Self {
            batches: service.database.round_trips(),
            statements: service.database.statements(),
        };
        let before = so_far();
        let result = act();
        let after = so_far();
        let work = Self {
            batches: after.batches - before.batches,
            statements: after.statements - before.statements,
        };
        (result, work)
    }
}

/// A row of the table, without its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    route: String,
    /// The work before the answer, and after it: hints, the log, and the messages of the queue.
    work: [Work; 2],
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [before, after] = self.work;
        write!(
            f,
            "| `{}` | {} | {} | {} | {} |",
            self.route, before.batches, before.statements, after.batches, after.statements
        )
    }
}

struct Scene {
    service: Rc<RefCell<Service>>,
    world: World,
    owner: Person,
    rows: Vec<Row>,
}

impl Scene {
    /// Calls a documented route. Adds its work to the table, unless the same route is in the table with the same work. Returns the
    /// response's `data`, or null.
    #[track_caller]
    fn takes(&mut self, route: &str, call: &Call) -> Value {
        let service = self.service.borrow();
        let (answer, before) = Work::of(&service, || block_on(service.answer(call)));
        let text = String::from_utf8_lossy(&answer.response.body).into_owned();
        // The asset's metadata is not served, so the badge reports that it could not be read.
        // A product without a serial number has no certificate.
        let answered = answer.response.status.is_success()
            || ["\"path\":\"metadata\"", "\"linkset\""]
                .iter()
                .any(|part| text.contains(part));
        assert!(answered, "{route}: {text}");
        let ((), after) = Work::of(&service, || {
            block_on(service.finish(answer.after));
            while let Some(job) = service.queue.take() {
                block_on(service.app().on_message(&job)).expect("a handled message");
            }
        });
        drop(service);
        self.world.host.settle();
        let row = Row {
            route: route.to_owned(),
            work: [before, after],
        };
        if !self.rows.contains(&row) {
            self.rows.push(row);
        }
        let envelope = serde_json::from_str::<Value>(&text);
        envelope.map_or(Value::Null, |envelope| envelope["data"].clone())
    }

    fn get(&mut self, route: &str, reference: &str) {
        let (start, parameter) = route.split_once('{').unwrap_or((route, ""));
        let end = parameter.split_once('}').map_or("", |(_, end)| end);
        let target = if parameter.is_empty() {
            route.to_owned()
        } else {
            format!("{start}{reference}{end}")
        };
        let call = self.owner.get(target);
        self.takes(&format!("GET {route}"), &call);
    }

    /// Creates a record without and with an idempotency key. Returns the record of the first call.
    fn creates(&mut self, path: &str, bodies: [Value; 2]) -> String {
        let route = format!("POST {path}");
        let [first, second] = bodies;
        let call = self.owner.post(path, &first);
        let made = self.takes(&route, &call);
        let call = self
            .owner
            .post(path, &second)
            .header("idempotency-key", "key");
        self.takes(&format!("{route}{WITH_KEY}"), &call);
        made["ref"].as_str().expect("a reference").to_owned()
    }
}

/// Marks a row for requests with an idempotency key.
const WITH_KEY: &str = ", with a key";

fn scene() -> Scene {
    let service = Rc::new(RefCell::new(Service::new(SETTINGS)));
    let world = World::on(Box::new(Rc::clone(&service)));
    let owner = Person::new();
    let mut scene = Scene {
        service,
        world,
        owner,
        rows: Vec::new(),
    };
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    });
    let call = scene.owner.put("/account", &information);
    scene.takes("PUT /account", &call);
    scene
}

/// Signs in, and uses the routes of sessions and keys.
fn credentials(scene: &mut Scene) {
    let fields = scene.takes("GET /sessions/challenge", &Call::get("/sessions/challenge"));
    let message = message(&scene.owner, &fields);
    let call = sign_in_with(&scene.owner, &message);
    let session = scene.takes("POST /sessions", &call);
    let token = session["token"].as_str().expect("a token").to_owned();
    let call = |method, target: &str| bearer(method, target.to_owned(), &token);
    scene.takes("GET /sessions", &call("GET", "/sessions"));
    let body = json!({ "name": "a", "scopes": ["read"] });
    let create = call("POST", "/account/keys").json(&body);
    let key = scene.takes("POST /account/keys", &create);
    scene.takes("GET /account/keys", &call("GET", "/account/keys"));
    let path = format!(
        "/account/keys/{}",
        key["ref"].as_str().expect("a reference")
    );
    scene.takes("DELETE /account/keys/{keyRef}", &call("DELETE", &path));
    scene.takes("GET /account/access", &call("GET", "/account/access"));
    let body = json!({ "legacyAuth": true });
    let put = call("PUT", "/account/access").json(&body);
    scene.takes("PUT /account/access", &put);
    scene.takes(
        "DELETE /sessions/{sessionRef}",
        &call("DELETE", "/sessions/current"),
    );
}

#[test]
fn the_work_of_every_route_is_the_documented_work() {
    let mut scene = scene();
    let deposit = json!({ "amount": 100_000 });
    let deposit = scene.creates("/deposits", [deposit.clone(), deposit]);

    let bodies = [1, 2].map(|_| scene.world.deployment(&scene.owner, &[1, 2]));
    let deployment = scene.creates("/deployments", bodies);
    let made = scene
        .world
        .call(scene.owner.get(format!("/deployments/{deployment}")))
        .data();
    let ledger = scene.world.call(scene.owner.get(format!(
        "/ledgers/{}",
        made["ledgerRef"].as_str().expect("a ledger")
    )));
    let ledger = ledger.data();
    let ledger_ref = ledger["ref"].as_str().expect("a reference").to_owned();

    let bodies = [1, 2].map(|number| {
        let receiver = scene.owner.clone();
        scene
            .world
            .creation(&scene.owner, &ledger, &number.to_string(), &receiver)
    });
    let order = scene.creates("/orders", bodies);

    scene.world.lets_ledger_collect(&scene.owner, &ledger);
    let proxy = scene.world.gateways.proxies.destroy_asset;
    let bodies = [true, false].map(|on| {
        scene
            .world
            .operator_approval(&scene.owner, &ledger, proxy, on)
    });
    let approval = scene.creates("/approvals", bodies);

    // The three changes of an order: sign, perform and cancel.
    for (asset, change) in [("3", "sign"), ("4", "perform"), ("5", "")] {
        let receiver = scene.owner.clone();
        let mut body = scene
            .world
            .creation(&scene.owner, &ledger, asset, &receiver);
        body["automatedPerform"] = json!(change == "sign");
        let claim = body["order"]["signers"][0]["claim"].take();
        body["order"]["signers"][0]["claim"] = if change == "sign" {
            json!("")
        } else {
            claim.clone()
        };
        let made = scene.world.call(scene.owner.post("/orders", &body)).data();
        let path = format!("/orders/{}", made["ref"].as_str().expect("a reference"));
        let (route, call) = match change {
            "sign" => (
                "PUT /orders/{orderRef}/sign",
                scene
                    .owner
                    .put(format!("{path}/sign"), &json!({ "claim": claim })),
            ),
            "perform" => (
                "PUT /orders/{orderRef}/perform",
                scene.owner.put(format!("{path}/perform"), &json!({})),
            ),
            _ => ("DELETE /orders/{orderRef}", scene.owner.delete(path)),
        };
        scene.takes(route, &call);
    }

    let webhook =
        json!({ "url": "https://hooks.assay.example/", "events": [], "secret": WEBHOOK_SECRET });
    let call = scene.owner.put("/account/webhook", &webhook);
    scene.takes("PUT /account/webhook", &call);
    let call = scene.owner.post("/account/webhook/rotate", &json!({}));
    scene.takes("POST /account/webhook/rotate", &call);
    let call = scene.owner.post("/account/webhook/test", &json!({}));
    let delivery = scene.takes("POST /account/webhook/test", &call);
    let delivery = delivery["ref"].as_str().expect("a reference");
    let call = scene.owner.post(
        format!("/account/webhook/deliveries/{delivery}/redeliver"),
        &json!({}),
    );
    scene.takes("POST /account/webhook/deliveries/{ref}/redeliver", &call);

    let domain = json!({ "domain": "uni.example" });
    let call = scene.owner.put("/account/domain", &domain);
    scene.takes("PUT /account/domain", &call);
    let path = format!("/ledgers/{ledger_ref}/domain");
    let call = scene.owner.put(&path, &domain);
    scene.takes("PUT /ledgers/{ledgerRef}/domain", &call);
    let call = scene.owner.get(&path);
    scene.takes("GET /ledgers/{ledgerRef}/domain", &call);
    let call = scene.owner.delete(&path);
    scene.takes("DELETE /ledgers/{ledgerRef}/domain", &call);
    let account = scene.owner.id();
    let call = Call::get(format!("/issuers/uni.example/check?account={account}"));
    scene.takes("GET /issuers/{domain}/check", &call);

    let request = scene.world.call(scene.owner.get("/requests")).data();
    let request = request[0]["ref"].as_str().expect("a reference").to_owned();
    for (route, reference) in [
        ("/orders", ""),
        ("/orders/{orderRef}", order.as_str()),
        ("/deployments", ""),
        ("/deployments/{deploymentRef}", &deployment),
        ("/approvals", ""),
        ("/approvals/{approvalRef}", &approval),
        ("/deposits", ""),
        ("/deposits/{depositRef}", &deposit),
        ("/account/abilities", ""),
        ("/account/domain", ""),
        ("/account/webhook", ""),
        ("/account/webhook/deliveries", ""),
        ("/activity", ""),
        ("/admission", ""),
        ("/certificates", ""),
        ("/certificates/counts", ""),
        ("/ledgers", ""),
        ("/ledgers/{ledgerRef}", &ledger_ref),
        ("/ledgers/{ledgerRef}/abilities", &ledger_ref),
        ("/ledgers/{ledgerRef}/accounts", &ledger_ref),
        ("/ledgers/{ledgerRef}/assets", &ledger_ref),
        ("/requests", ""),
        ("/requests/{requestRef}", &request),
        ("/stats/costs", ""),
        ("/stats/traffic", ""),
    ] {
        scene.get(route, reference);
    }
    let call = scene.owner.get(format!("/ledgers/{ledger_ref}/assets/1"));
    scene.takes("GET /ledgers/{ledgerRef}/assets/{assetId}", &call);
    let call = scene
        .owner
        .get(format!("/ledgers/{ledger_ref}/assets/1/history"));
    scene.takes("GET /ledgers/{ledgerRef}/assets/{assetId}/history", &call);
    let approval = scene
        .world
        .operator_approval(&scene.owner, &ledger, proxy, true);
    scene.world.approved(&scene.owner, &approval);
    let destroy = json!({ "kind": 6, "ledgerId": ledger["id"], "assetId": "2", "senderId": scene.owner.id() });
    let payment = scene.world.payment(&scene.owner, "3000000000000000000");
    let mut body = scene
        .world
        .order(&[&scene.owner], json!([destroy, payment]));
    scene.world.sign(&mut body, &[&scene.owner]);
    scene.world.performed(&scene.owner, &body);
    let path = format!("/ledgers/{ledger_ref}/assets/2/withdrawal");
    let call = scene.owner.put(path, &json!({ "reason": "lost" }));
    let route = "PUT /ledgers/{ledgerRef}/assets/{assetId}/withdrawal";
    scene.takes(route, &call);

    let file = upload(&scene.owner, &[("ledgerRef", &ledger_ref)], b"{}");
    let file = scene.takes("POST /files", &file);
    let hash = file["hash"].as_str().expect("a hash");
    scene.takes("GET /files/{hash}", &Call::get(format!("/files/{hash}")));
    let named = format!(
        "UPDATE file_uses SET path = '{}/c/1'",
        account.to_string().to_lowercase()
    );
    scene
        .service
        .borrow()
        .database
        .execute(&named)
        .expect("a named file");
    let call = Call::get(format!("/files/{account}/c/1"));
    scene.takes("GET /files/{owner}/{collection}/{document}", &call);
    let files = format!("/ledgers/{ledger_ref}/accounts/{account}/files");
    let route = "DELETE /ledgers/{ledgerRef}/accounts/{accountId}/files";
    scene.takes(route, &scene.owner.delete(files));

    credentials(&mut scene);

    let body =
        json!({ "organisation": "University of Example", "contact": "registrar@uni.example" });
    let call = scene.owner.post("/admission", &body);
    scene.takes("POST /admission", &call);

    let call = books::publication(&scene.owner, books::KEY);
    scene.takes("PUT /account/book-key", &call);
    let version = books::Version {
        number: 1,
        readers: vec![scene.owner.id()],
        content: b"cipher text",
    };
    let call = version.signed(&scene.owner, &ledger);
    scene.takes("PUT /ledgers/{ledgerRef}/book", &call);
    scene.get("/ledgers/{ledgerRef}/book-keys", &ledger_ref);
    scene.get("/ledgers/{ledgerRef}/book", &ledger_ref);
    let call = scene.owner.get(format!("/ledgers/{ledger_ref}/book/1"));
    scene.takes("GET /ledgers/{ledgerRef}/book/{version}", &call);

    let path = format!("/ledgers/{ledger_ref}/status-entries");
    let body = json!({ "entries": [{ "assetId": "1", "imprint": IMPRINT }] });
    let call = scene.owner.post(path, &body);
    scene.takes("POST /ledgers/{ledgerRef}/status-entries", &call);
    let address = ledger["id"].as_str().expect("an address");
    let list = Call::get(format!("/status/{address}/0"));
    scene.takes("GET /status/{ledgerRef}/{list}", &list);
    let document = Call::get("/.well-known/did.json");
    scene.takes("GET /.well-known/did.json", &document);
    let product = format!("/gs1/{address}/01/09506000134352");
    let item = Call::get(format!("{product}/21/1?linkType=linkset"));
    scene.takes("GET /gs1/{ledgerRef}/01/{gtin}/{qualifier}/{serial}", &item);
    let product = Call::get(product);
    scene.takes("GET /gs1/{ledgerRef}/01/{gtin}", &product);
    let resolver = Call::get("/.well-known/gs1resolver");
    scene.takes("GET /.well-known/gs1resolver", &resolver);

    let body = json!({ "ciphertext": "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8", "days": 7 });
    let link = scene.takes("POST /links", &Call::new("POST", "/links").json(&body));
    let reference = link["id"].as_str().expect("an id");
    scene.takes("GET /s/{linkId}", &Call::get(format!("/s/{reference}")));
    let key = json!({ "endKey": link["endKey"] });
    let end = Call::new("PUT", format!("/links/{reference}/end")).json(&key);
    scene.takes("PUT /links/{linkId}/end", &end);

    let (offer, ended) = (Offer::badge(1), Offer::badge(2));
    for offer in [&offer, &ended] {
        let call = offer.deposit(&scene.owner, &ledger);
        scene.takes("POST /ledgers/{ledgerRef}/wallet-offers", &call);
    }
    let path = format!("/ledgers/{ledger_ref}/wallet-offers/{}", ended.hash());
    let call = scene.owner.delete(path);
    scene.takes(
        "DELETE /ledgers/{ledgerRef}/wallet-offers/{codeHash}",
        &call,
    );
    for name in ["openid-credential-issuer", "oauth-authorization-server"] {
        let path = format!("/.well-known/{name}");
        scene.takes(&format!("GET {path}"), &Call::get(path.as_str()));
    }
    scene.takes("POST /wallet/token", &offer.exchange());
    let call = offer.pick_up(&offer.token());
    scene.takes("POST /wallet/credential", &call);

    let call = scene.owner.delete("/account/webhook");
    scene.takes("DELETE /account/webhook", &call);
    let call = scene.owner.delete("/account/domain");
    scene.takes("DELETE /account/domain", &call);

    // All routes that require identification must be called before this call, because they fail afterwards.
    let call = scene.owner.delete("/account/information");
    scene.takes("DELETE /account/information", &call);

    for route in ["/account", "/stats/tickers", "/health", "/operator"] {
        scene.get(route, "");
    }
    for route in [
        "/images/trusted.svg",
        "/images/unconfirmed.svg",
        "/images/untrusted.svg",
        "/images/withdrawn.svg",
        "/images/not-issued.svg",
        "/images/unknown.svg",
        "/images/disowned.svg",
        "/images/expired.svg",
        "/images/replaced.svg",
        "/images/no-longer-confirmed.svg",
    ] {
        scene.get(route, "");
    }
    let id = ledger["id"].as_str().expect("an address");
    for (route, asset) in [("/badge", 1), ("/badge.json", 2)] {
        let call = Call::get(format!("{route}?ledgerId={id}&assetId={asset}"));
        for _ in 0..2 {
            scene.takes(&format!("GET {route}"), &call);
        }
    }
    // Programs get the certificate's data, which is the badge's report.
    let certificate = Call::get(format!("/c/{id}/1"));
    scene.takes("GET /c/{ledgerRef}/{assetId}", &certificate);

    let routes: BTreeSet<String> = documented_routes();
    let called = scene.rows.iter().map(|row| {
        let route = row.route.as_str();
        route.strip_suffix(WITH_KEY).unwrap_or(route).to_owned()
    });
    assert_eq!(called.collect::<BTreeSet<_>>(), routes);
    compare(&scene.rows);
}

/// Returns the routes of the API, without the rare ones.
fn documented_routes() -> BTreeSet<String> {
    let paths = openapi::document()["paths"].as_object().expect("paths");
    let listed = paths
        .iter()
        .filter(|(path, _)| !RARE.iter().any(|rare| path.starts_with(rare)))
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods").keys();
            methods
                .filter(|method| ["get", "post", "put", "delete"].contains(&method.as_str()))
                .map(move |method| format!("{} {path}", method.to_uppercase()))
        });
    listed.filter(|route| route != ELSEWHERE).collect()
}

/// Compares the measured rows with the table in docs/scale.md.
fn compare(rows: &[Row]) {
    let mut measured: Vec<String> = rows.iter().map(Row::to_string).collect();
    measured.sort();
    let stated: Vec<(String, &str)> = TABLE
        .lines()
        .filter(|line| {
            ["GET", "POST", "PUT", "DELETE"]
                .iter()
                .any(|method| line.starts_with(&format!("| `{method} /")))
        })
        .map(|line| {
            let (work, reason) = line
                .trim_end_matches('|')
                .rsplit_once('|')
                .expect("a reason");
            (format!("{work}|"), reason.trim())
        })
        .collect();
    let listed: Vec<&String> = stated.iter().map(|(work, _)| work).collect();
    assert!(
        listed == measured.iter().collect::<Vec<_>>(),
        "docs/scale.md lists other work than:\n{}",
        measured.join("\n")
    );
    for (row, reason) in &stated {
        let batches = row.split('|').nth(2).map(str::trim);
        let is_one = matches!(batches, Some("0" | "1"));
        assert!(is_one || !reason.is_empty(), "no reason for {row}");
    }
}
