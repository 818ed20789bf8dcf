//! Round trips to the database before a response: at most two for a read, five to upload a file, and four for any other
//! change.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde_json::{Value, json};

use crate::files::upload;
use crate::sessions::{bearer, message, sign_in_with};
use crate::support::native::{Service, block_on};
use crate::support::people::{Person, World};
use crate::support::{Call, WEBHOOK_SECRET, openapi};

/// The settings of a development instance. The movable clock is off, because it would cost one round trip.
/// Identification is required, which costs one round trip.
const SETTINGS: &[(&str, &str)] = &[
    ("ENVIRONMENT", "development"),
    ("DEPOSITS", "test"),
    ("REQUIRE_IDENTIFICATION", "true"),
    ("FILES", "on"),
];

/// An operation of the OpenAPI document that this test does not call, because its requests come from the payment provider.
const ELSEWHERE: &str = "POST /deposits/stripe";
/// Prefixes of the operator's routes. These routes are called so rarely that their cost does not matter.
const RARE: [&str; 2] = ["/admin/", "/metrics"];

struct Scene {
    service: Rc<RefCell<Service>>,
    world: World,
    owner: Person,
    seen: BTreeSet<String>,
}

impl Scene {
    /// Calls a documented route, and asserts the number of round trips before the response. Returns the response's `data`,
    /// or null.
    #[track_caller]
    fn takes(&mut self, trips: usize, route: &str, call: &Call) -> Value {
        let service = self.service.borrow();
        let before = service.database.round_trips();
        let answer = block_on(service.answer(call));
        let taken = service.database.round_trips() - before;
        let text = String::from_utf8_lossy(&answer.response.body).into_owned();
        // The asset's metadata is not served, so the badge reports that it could not be read.
        let answered =
            answer.response.status.is_success() || text.contains("\"path\":\"metadata\"");
        assert!(answered, "{route}: {text}");
        assert_eq!(taken, trips, "{route}");
        let limit = match route {
            // The object of a new file is queued for deletion before it is stored, which takes one more round trip.
            "POST /files" => 5,
            _ if call.method == "GET" => 2,
            _ => 4,
        };
        assert!(taken <= limit, "{route} takes {taken}");
        block_on(service.app().after(answer.after));
        drop(service);
        self.world.host.settle();
        self.seen.insert(route.to_owned());
        let envelope = serde_json::from_str::<Value>(&text);
        envelope.map_or(Value::Null, |envelope| envelope["data"].clone())
    }

    fn get(&mut self, trips: usize, route: &str, reference: &str) {
        let (start, parameter) = route.split_once('{').unwrap_or((route, ""));
        let end = parameter.split_once('}').map_or("", |(_, end)| end);
        let target = if parameter.is_empty() {
            route.to_owned()
        } else {
            format!("{start}{reference}{end}")
        };
        let call = self.owner.get(target);
        self.takes(trips, &format!("GET {route}"), &call);
    }

    /// Creates a record without and with an idempotency key. Returns the record of the first call.
    fn creates(&mut self, path: &str, trips: [usize; 2], bodies: [Value; 2]) -> String {
        let route = format!("POST {path}");
        let [first, second] = bodies;
        let call = self.owner.post(path, &first);
        let made = self.takes(trips[0], &route, &call);
        let call = self
            .owner
            .post(path, &second)
            .header("idempotency-key", "key");
        self.takes(trips[1], &route, &call);
        made["ref"].as_str().expect("a reference").to_owned()
    }
}

fn scene() -> Scene {
    let service = Rc::new(RefCell::new(Service::new(SETTINGS)));
    let world = World::on(Box::new(Rc::clone(&service)));
    let owner = Person::new();
    let mut scene = Scene {
        service,
        world,
        owner,
        seen: BTreeSet::new(),
    };
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    });
    let call = scene.owner.put("/account", &information);
    scene.takes(1, "PUT /account", &call);
    scene
}

/// Signs in, and uses the routes of sessions and keys. Reading a token costs one round trip.
fn credentials(scene: &mut Scene) {
    // The identity of the instance is cached.
    let fields = scene.takes(
        0,
        "GET /sessions/challenge",
        &Call::get("/sessions/challenge"),
    );
    let message = message(&scene.owner, &fields);
    // Round trips: the nonce, and the session.
    let call = sign_in_with(&scene.owner, &message);
    let session = scene.takes(2, "POST /sessions", &call);
    let token = session["token"].as_str().expect("a token").to_owned();
    let call = |method, target: &str| bearer(method, target.to_owned(), &token);
    scene.takes(2, "GET /sessions", &call("GET", "/sessions"));
    let body = json!({ "name": "a", "scopes": ["read"] });
    let create = call("POST", "/account/keys").json(&body);
    // Round trips: the token, the count, and the key.
    let key = scene.takes(3, "POST /account/keys", &create);
    scene.takes(2, "GET /account/keys", &call("GET", "/account/keys"));
    let path = format!(
        "/account/keys/{}",
        key["ref"].as_str().expect("a reference")
    );
    scene.takes(3, "DELETE /account/keys/{keyRef}", &call("DELETE", &path));
    scene.takes(2, "GET /account/access", &call("GET", "/account/access"));
    let body = json!({ "legacyAuth": true });
    let put = call("PUT", "/account/access").json(&body);
    scene.takes(2, "PUT /account/access", &put);
    scene.takes(
        3,
        "DELETE /sessions/{sessionRef}",
        &call("DELETE", "/sessions/current"),
    );
}

#[test]
fn round_trips_of_every_route_are_pinned() {
    let mut scene = scene();
    // Round trips: identification, the balance, and the deposit with its credit.
    let deposit = json!({ "amount": 100_000 });
    let deposit = scene.creates("/deposits", [3, 3], [deposit.clone(), deposit]);

    // Round trips: identification, the hash, the ledger's state, and the record with its events.
    let bodies = [1, 2].map(|_| scene.world.deployment(&scene.owner, &[1, 2]));
    let deployment = scene.creates("/deployments", [4, 4], bodies);
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
    let order = scene.creates("/orders", [4, 4], bodies);

    scene.world.lets_ledger_collect(&scene.owner, &ledger);
    let proxy = scene.world.gateways.proxies.destroy_asset;
    let bodies = [true, false].map(|on| {
        scene
            .world
            .operator_approval(&scene.owner, &ledger, proxy, on)
    });
    let approval = scene.creates("/approvals", [3, 4], bodies);

    // The three changes of an order: sign, perform and cancel.
    for (asset, change, trips) in [("3", "sign", 3), ("4", "perform", 3), ("5", "", 3)] {
        let receiver = scene.owner.clone();
        let mut body = scene
            .world
            .creation(&scene.owner, &ledger, asset, &receiver);
        body["automatedPerform"] = json!(false);
        let claim = body["order"]["signers"][0]["claim"].take();
        body["order"]["signers"][0]["claim"] = if change == "sign" {
            json!("")
        } else {
            claim.clone()
        };
        let made = scene.world.call(scene.owner.post("/orders", &body)).data();
        let path = format!("/orders/{}", made["ref"].as_str().expect("a reference"));
        let (route, call, trips) = match change {
            // The interface specification does not require identification for signing.
            "sign" => (
                "PUT /orders/{orderRef}/sign",
                scene
                    .owner
                    .put(format!("{path}/sign"), &json!({ "claim": claim })),
                trips - 1,
            ),
            "perform" => (
                "PUT /orders/{orderRef}/perform",
                scene.owner.put(format!("{path}/perform"), &json!({})),
                trips,
            ),
            _ => ("DELETE /orders/{orderRef}", scene.owner.delete(path), trips),
        };
        scene.takes(trips, route, &call);
    }

    let webhook =
        json!({ "url": "https://hooks.assay.example/", "events": [], "secret": WEBHOOK_SECRET });
    let call = scene.owner.put("/account/webhook", &webhook);
    scene.takes(2, "PUT /account/webhook", &call);
    let call = scene.owner.post("/account/webhook/rotate", &json!({}));
    scene.takes(3, "POST /account/webhook/rotate", &call);
    let call = scene.owner.post("/account/webhook/test", &json!({}));
    let delivery = scene.takes(3, "POST /account/webhook/test", &call);
    let delivery = delivery["ref"].as_str().expect("a reference");
    let call = scene.owner.post(
        format!("/account/webhook/deliveries/{delivery}/redeliver"),
        &json!({}),
    );
    scene.takes(4, "POST /account/webhook/deliveries/{ref}/redeliver", &call);

    let domain = json!({ "domain": "uni.example" });
    let call = scene.owner.put("/account/domain", &domain);
    scene.takes(2, "PUT /account/domain", &call);
    let path = format!("/ledgers/{ledger_ref}/domain");
    let call = scene.owner.put(&path, &domain);
    scene.takes(3, "PUT /ledgers/{ledgerRef}/domain", &call);
    let call = scene.owner.get(&path);
    scene.takes(2, "GET /ledgers/{ledgerRef}/domain", &call);
    let call = scene.owner.delete(&path);
    scene.takes(3, "DELETE /ledgers/{ledgerRef}/domain", &call);
    let account = scene.owner.id();
    let call = Call::get(format!("/issuers/uni.example/check?account={account}"));
    // The only round trip counts the quota, because the identity of the instance is cached.
    scene.takes(1, "GET /issuers/{domain}/check", &call);

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
        // Round trips: identification, and the query itself.
        scene.get(2, route, reference);
    }
    let call = scene.owner.get(format!("/ledgers/{ledger_ref}/assets/1"));
    scene.takes(2, "GET /ledgers/{ledgerRef}/assets/{assetId}", &call);
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
    // Round trips: identification, the asset's standing, and the reason.
    let path = format!("/ledgers/{ledger_ref}/assets/2/withdrawal");
    let call = scene.owner.put(path, &json!({ "reason": "lost" }));
    let route = "PUT /ledgers/{ledgerRef}/assets/{assetId}/withdrawal";
    scene.takes(3, route, &call);

    let file = upload(&scene.owner, &[("ledgerRef", &ledger_ref)], b"{}");
    let file = scene.takes(5, "POST /files", &file);
    let hash = file["hash"].as_str().expect("a hash");
    scene.takes(1, "GET /files/{hash}", &Call::get(format!("/files/{hash}")));
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
    scene.takes(1, "GET /files/{owner}/{collection}/{document}", &call);
    let files = format!("/ledgers/{ledger_ref}/accounts/{account}/files");
    let route = "DELETE /ledgers/{ledgerRef}/accounts/{accountId}/files";
    scene.takes(3, route, &scene.owner.delete(files));

    credentials(&mut scene);

    let call = scene.owner.delete("/account/webhook");
    scene.takes(2, "DELETE /account/webhook", &call);
    let call = scene.owner.delete("/account/domain");
    scene.takes(2, "DELETE /account/domain", &call);

    // All routes that require identification must be called before this call, because they fail afterwards.
    let call = scene.owner.delete("/account/information");
    scene.takes(1, "DELETE /account/information", &call);

    for (route, trips) in [("/account", 1), ("/stats/tickers", 1), ("/health", 1)] {
        scene.get(trips, route, "");
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
        scene.get(0, route, "");
    }
    let id = ledger["id"].as_str().expect("an address");
    for (route, asset) in [("/badge", 1), ("/badge.json", 2)] {
        // One round trip reads the ledger each time. The documents are not in the database.
        let call = Call::get(format!("{route}?ledgerId={id}&assetId={asset}"));
        for trips in [1, 1] {
            scene.takes(trips, &format!("GET {route}"), &call);
        }
    }
    // Programs get the certificate's data, which is the badge's report.
    let certificate = Call::get(format!("/c/{id}/1"));
    scene.takes(1, "GET /c/{ledgerRef}/{assetId}", &certificate);

    scene.seen.insert(ELSEWHERE.to_owned());
    let paths = openapi::document()["paths"].as_object().expect("paths");
    let routes: BTreeSet<String> = paths
        .iter()
        .filter(|(path, _)| !RARE.iter().any(|rare| path.starts_with(rare)))
        .flat_map(|(path, methods)| {
            let methods = methods.as_object().expect("methods").keys();
            methods
                .filter(|method| ["get", "post", "put", "delete"].contains(&method.as_str()))
                .map(move |method| format!("{} {path}", method.to_uppercase()))
        })
        .collect();
    assert_eq!(scene.seen, routes);
}
