//! Administrators: admission, the audit log, and the restrictions that administrators set.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use edge_api::native::Sqlite;
use serde_json::{Value, json};

use super::wallet::Offer;
use crate::files::{put_form, upload};
use crate::status_lists::drawing;
use crate::support::native::Service;
use crate::support::openapi;
use crate::support::people::{IMPRINT, Person, World};
use crate::support::{Answer, Call, SETTINGS, WEBHOOK_SECRET};

/// A service and one of its administrators.
struct Scene {
    world: World,
    admin: Person,
    service: Rc<RefCell<Service>>,
    database: Rc<Sqlite>,
}

fn scene(admins: &str, more: &[(&str, &str)]) -> Scene {
    let admin = Person::known(9);
    let settings = [SETTINGS, &[("ADMIN_ACCOUNTS", admins)], more].concat();
    let service = Service::new(&settings).queueing();
    let database = Rc::clone(&service.database);
    let service = Rc::new(RefCell::new(service));
    Scene {
        world: World::on(Box::new(Rc::clone(&service))),
        admin,
        service,
        database,
    }
}

/// Returns a string field.
fn text(value: &Value, name: &str) -> String {
    value[name].as_str().expect("a string").to_owned()
}

/// Returns the setting that lists the administrator of a scene and one other account.
fn admins() -> String {
    format!("{}, {}", Person::known(8).id(), Person::known(9).id())
}

impl Scene {
    fn new() -> Self {
        scene(&admins(), &[])
    }

    /// Sends a change with a reason as the administrator. Returns the data of the response.
    #[track_caller]
    fn post(&self, path: &str, body: &Value) -> Value {
        let mut body = body.clone();
        body["reason"] = json!("Ticket 7");
        self.world.call(self.admin.post(path, &body)).data()
    }

    /// Returns the entries of the audit log, oldest first, as `action subject reason`. `-` replaces a missing field.
    fn log(&self) -> Vec<String> {
        let entries = self
            .world
            .call(self.admin.get("/admin/audit?sort=1"))
            .data();
        let text = |entry: &Value, name: &str| entry[name].as_str().unwrap_or("-").to_owned();
        let line = |entry: &Value| {
            ["action", "subject", "reason"]
                .map(|name| text(entry, name))
                .join(" ")
        };
        entries
            .as_array()
            .expect("a list")
            .iter()
            .map(line)
            .collect()
    }

    /// Advances the clock until cached restrictions expire, so every isolate reads them again.
    fn wait(&self) {
        self.world.host.advance(5_000);
    }
}

#[test]
fn only_listed_accounts_with_their_own_signature_are_admitted() {
    let scene = Scene::new();
    let owner = scene.world.funded();
    let near = {
        let mut digits = scene.admin.id().to_string().to_lowercase();
        let last = if digits.pop() == Some('0') { '1' } else { '0' };
        digits.push(last);
        digits
    };
    let calls: [fn(&Person) -> Call; 3] = [
        |person| person.get("/admin/audit"),
        |person| person.post("/admin/pause", &json!({ "message": "m", "reason": "r" })),
        |person| {
            let body = json!({ "address": person.id(), "amount": "1", "reason": "r" });
            person.post("/admin/grants", &body)
        },
    ];
    for call in calls {
        for person in [&Person::new(), &owner] {
            scene.world.call(call(person)).fails(403, &[403_010]);
        }
        let unsigned = Call {
            headers: Vec::new(),
            ..call(&scene.admin)
        };
        scene.world.call(unsigned).fails(401, &[400_001]);
        // The signature of a different string recovers to another account, not to the administrator.
        let mut forged = call(&scene.admin);
        let other =
            order_core::AuthorizationPolicy::new("other api", order_core::EthSignReading::Text);
        let key = order_core::PrivateKey::from_bytes(&[9; 32]).expect("a key");
        forged.headers[0].1 = key.authorization(order_core::ClaimKind::PersonalSign, &other);
        scene.world.call(forged).fails(403, &[403_010]);
        // If the setting is empty or lists only another account, the administrator's call is refused.
        for admins in ["", " ", near.as_str()] {
            let scene = self::scene(admins, &[]);
            scene.world.call(call(&scene.admin)).fails(403, &[403_010]);
        }
    }
    // The refused calls left no audit entry, and the account received no tokens.
    assert_eq!(scene.log(), Vec::<String>::new());
    assert_eq!(scene.world.balance(&Person::known(9)), 0);
    assert_eq!(scene.log(), ["GET /admin/audit - -"]);
}

#[test]
fn each_call_is_recorded_once_with_its_effect() {
    let scene = Scene::new();
    let person = Person::new();
    let id = person.id().to_string();
    scene.post("/admin/grants", &json!({ "address": id, "amount": "5" }));
    assert_eq!(scene.world.balance(&person), 5);
    let body = json!({ "address": id, "amount": "7", "reason": "Twice" });
    for _ in 0..2 {
        let call = scene
            .admin
            .post("/admin/grants", &body)
            .header("idempotency-key", "k");
        scene.world.call(call).data();
    }
    assert_eq!(scene.world.balance(&person), 12);
    for (path, body, field) in [
        (
            "/admin/grants",
            json!({ "address": id, "amount": "5" }),
            "reason",
        ),
        (
            "/admin/grants",
            json!({ "address": id, "amount": "5", "reason": "a\nb" }),
            "reason",
        ),
        (
            "/admin/grants",
            json!({ "address": id, "amount": 5, "reason": "r" }),
            "amount",
        ),
        (
            "/admin/grants",
            json!({ "address": id, "amount": "-5", "reason": "r" }),
            "amount",
        ),
        (
            "/admin/grants",
            json!({ "address": id, "amount": "9".repeat(58), "reason": "r" }),
            "amount",
        ),
        (
            "/admin/grants",
            json!({ "address": "0x1", "amount": "5", "reason": "r" }),
            "address",
        ),
        ("/admin/blocks", json!({ "reason": "r" }), "address"),
        ("/admin/pause", json!({ "reason": "r" }), "message"),
    ] {
        let answer = scene.world.call(scene.admin.post(path, &body));
        assert_eq!(
            answer.errors(),
            [format!("422900 {field}")],
            "{path} {body}"
        );
    }
    let grant = |reason: &str| format!("POST /admin/grants {id} {reason}");
    assert_eq!(scene.log(), [grant("Ticket 7"), grant("Twice")]);
    let entries = scene
        .world
        .call(scene.admin.get("/admin/audit?limit=1"))
        .data();
    // Each read of the audit log is recorded too.
    assert_eq!(entries[0]["action"], "GET /admin/audit");
    let first = scene
        .world
        .call(scene.admin.get("/admin/audit?sort=1&limit=1"))
        .data();
    assert_eq!(
        first[0]["detail"],
        json!({ "address": id, "amount": "5" }).to_string()
    );
    assert_eq!(first[0]["accountId"], scene.admin.id().to_string());

    // If the entry in the audit log cannot be written, the call has no effect.
    scene
        .database
        .execute("ALTER TABLE audit_log RENAME TO lost")
        .expect("renamed");
    let call = scene.admin.post(
        "/admin/grants",
        &json!({ "address": id, "amount": "1", "reason": "r" }),
    );
    scene.world.call(call).fails(503, &[503_001]);
    assert_eq!(scene.world.balance(&person), 12);
}

#[test]
fn the_audit_log_cannot_be_changed() {
    let scene = Scene::new();
    scene.post("/admin/resume", &json!({}));
    for sql in [
        "UPDATE audit_log SET reason = 'other'",
        "DELETE FROM audit_log",
        "INSERT OR REPLACE INTO audit_log SELECT * FROM audit_log",
        "INSERT INTO audit_log SELECT * FROM audit_log WHERE true ON CONFLICT DO UPDATE SET reason = 'other'",
    ] {
        let refused = scene.database.execute(sql).expect_err(sql).to_string();
        assert!(refused.contains("append-only"), "{sql}: {refused}");
    }
    assert_eq!(scene.log(), ["POST /admin/resume - Ticket 7"]);
}

#[test]
fn a_pause_refuses_changes_but_not_reads_or_administrators() {
    let scene = Scene::new();
    let owner = scene.world.funded();
    let ledger = scene.world.ledger(&owner, &[]);
    let order = scene.world.creation(&owner, &ledger, "1", &owner);
    let accepted = scene.world.call(owner.post(
        "/orders",
        &scene.world.creation(&owner, &ledger, "2", &owner),
    ));
    scene.post("/admin/pause", &json!({ "message": "Back at noon" }));
    scene.wait();
    let paused = |answer: &Answer| {
        answer.fails(503, &[503_000]);
        assert_eq!(answer.header("retry-after"), Some("60"));
        assert_eq!(answer.json()["errors"][0]["message"], "Back at noon");
    };
    paused(&scene.world.call(owner.post("/orders", &order)));
    paused(&scene.world.call(owner.delete("/account/webhook")));
    paused(&scene.world.call(Call::new("POST", "/deposits/stripe")));
    scene.world.call(owner.get("/orders")).data();
    let health = scene.world.call(Call::get("/health")).data();
    assert_eq!(health["pause"], "Back at noon");
    let state = scene.world.call(scene.admin.get("/admin/pause")).data();
    assert_eq!(state["message"], "Back at noon");
    // Orders that were accepted before the pause are still performed.
    scene.world.host.settle();
    let reference = accepted.data()["ref"]
        .as_str()
        .expect("a reference")
        .to_owned();
    assert_eq!(
        scene
            .world
            .call(owner.get(format!("/orders/{reference}")))
            .data()["status"],
        7
    );

    scene.post("/admin/resume", &json!({}));
    scene.wait();
    assert_eq!(scene.world.performed(&owner, &order)["status"], 7);
}

#[test]
fn a_blocked_account_keeps_its_assets_and_can_be_unblocked() {
    let scene = Scene::new();
    let world = &scene.world;
    let (owner, thief) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[1, 2]);
    world.asset(&owner, &ledger, "1", &thief);
    let address = json!({ "address": thief.id() });
    let badge = format!(
        "/badge.json?ledgerId={}&assetId=1",
        ledger["id"].as_str().expect("an address")
    );
    let before = world.call(Call::get(badge.as_str())).data();
    let waiting = {
        let order = json!({ "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": thief.id(), "receiverId": owner.id() });
        let mut order = world.order(
            &[&thief],
            json!([order, world.payment(&thief, "2000000000000000000")]),
        );
        world.sign(&mut order, &[&thief]);
        order
    };
    let pending = world
        .call(owner.post("/orders", &world.creation(&owner, &ledger, "2", &owner)))
        .data();
    scene.post("/admin/blocks", &address);
    // The thief's order is refused immediately, even if another account sends it.
    let sent = world.call(owner.post("/orders", &waiting));
    sent.fails(403, &[403_011]);
    scene.wait();
    for call in [
        thief.get("/account"),
        thief.post("/orders", &waiting),
        thief.delete("/account/webhook"),
    ] {
        world.call(call).fails(403, &[403_011]);
    }
    world
        .call(Call::get("/health").header("authorization", &thief.authorization()))
        .data();
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(thief.id())));
    assert_eq!(
        world.call(Call::get(badge.as_str())).data()["asset"],
        before["asset"]
    );
    let listed = world.call(scene.admin.get("/admin/blocks")).data();
    assert_eq!(
        (&listed[0]["address"], &listed[0]["reason"]),
        (&json!(thief.id()), &json!("Ticket 7"))
    );
    // Other accounts are not affected.
    world.host.settle();
    let pending = format!("/orders/{}", pending["ref"].as_str().expect("a reference"));
    assert_eq!(world.call(owner.get(pending)).data()["status"], 7);

    scene.post("/admin/unblock", &address);
    scene.wait();
    world.call(thief.get("/account")).data();
    assert_eq!(
        world.call(scene.admin.get("/admin/blocks")).data(),
        json!([])
    );
}

#[test]
fn a_blocked_ledger_refuses_new_orders_and_fails_accepted_ones() {
    let scene = Scene::new();
    let world = &scene.world;
    let owner = world.funded();
    let (ledger, other) = (world.ledger(&owner, &[]), world.ledger(&owner, &[]));
    let make = |asset: &str| owner.post("/orders", &world.creation(&owner, &ledger, asset, &owner));
    let accepted = world.call(make("1")).data();
    scene.post("/admin/blocks", &json!({ "address": ledger["id"] }));
    world.call(make("2")).fails(403, &[403_012]);
    world.host.settle();
    let target = format!("/orders/{}", accepted["ref"].as_str().expect("a reference"));
    let order = world.call(owner.get(target)).data();
    assert_eq!(
        (&order["status"], &order["error"]["code"]),
        (&json!(4), &json!(403_012)),
        "{order}"
    );
    world.asset(&owner, &other, "1", &owner);
    scene.post("/admin/unblock", &json!({ "address": ledger["id"] }));
    world.asset(&owner, &ledger, "3", &owner);
}

/// Returns the operations of the OpenAPI document that change data and name a ledger in their path or body, as
/// `method path`.
fn operations_on_a_ledger() -> BTreeSet<String> {
    let document = openapi::document();
    let names_ledger = |operation: &Value| {
        let in_path = json!({ "$ref": "#/components/parameters/ledgerRef" });
        let parameters = operation["parameters"].as_array().into_iter().flatten();
        let media = operation["requestBody"]["content"].as_object();
        let mut bodies = media.into_iter().flat_map(|media| media.values());
        parameters
            .into_iter()
            .any(|parameter| *parameter == in_path)
            || bodies.any(|body| {
                let reference = body["schema"]["$ref"].as_str().unwrap_or("#");
                let schema = document.pointer(&reference[1..]).expect("a schema");
                !schema["properties"]["ledgerRef"].is_null()
            })
    };
    let paths = document["paths"].as_object().expect("paths");
    let all = paths.iter().flat_map(|(path, methods)| {
        let methods = methods.as_object().expect("methods").iter();
        let changes =
            methods.filter(|(method, operation)| *method != "get" && names_ledger(operation));
        changes.map(move |(method, _)| format!("{method} {path}"))
    });
    all.collect()
}

#[test]
fn a_blocked_ledger_refuses_every_change_that_names_it() {
    let scene = scene(&admins(), &[("FILES", "on")]);
    let world = &scene.world;
    let (owner, holder) = (world.funded(), world.funded());
    let (ledger, other) = (world.ledger(&owner, &[1, 2]), world.ledger(&owner, &[1, 2]));
    let perform = |action: Value| {
        let payment = world.payment(&owner, "5000000000000000000");
        let mut body = world.order(&[&owner], json!([action, payment]));
        world.sign(&mut body, &[&owner]);
        assert_eq!(world.performed(&owner, &body)["status"], 7);
    };
    for asset in ["1", "2"] {
        world.asset(
            &owner,
            &ledger,
            asset,
            if asset == "1" { &holder } else { &owner },
        );
    }
    perform(json!({ "kind": 6, "ledgerId": ledger["id"], "assetId": "2", "senderId": owner.id() }));
    world.lets_ledger_collect(&holder, &ledger);
    let proxy = world.gateways.proxies.safe_transfer_asset;
    let approval = world.operator_approval(&holder, &ledger, proxy, true);
    assert_eq!(world.approved(&holder, &approval)["status"], 7);
    let transfer = {
        let action = json!({ "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": holder.id(), "receiverId": owner.id() });
        let mut body = world.order(
            &[&holder],
            json!([action, world.payment(&holder, "2000000000000000000")]),
        );
        world.sign(&mut body, &[&holder]);
        body
    };

    // The operations, each with a call and the response's status if the ledger is not blocked.
    let (id, reference) = (text(&ledger, "id"), text(&ledger, "ref"));
    let calls = |name: &str| -> Vec<(&str, Call, u16)> {
        let offer = Offer::badge(if name == id { 1 } else { 2 });
        let path = format!("/ledgers/{name}");
        let domain = json!({ "domain": "uni.example" });
        let reason = json!({ "reason": "Issued by mistake" });
        let withdrawal = |asset: &str| format!("{path}/assets/{asset}/withdrawal");
        vec![
            (
                "post /files",
                upload(&owner, &[("ledgerRef", name)], b"{}"),
                201,
            ),
            (
                "post /files",
                upload(&owner, &[("ledgerRef", name), ("assetId", "1")], b"{}"),
                201,
            ),
            (
                "post /files",
                upload(&holder, &[("ledgerRef", name), ("assetId", "1")], b"{}"),
                403,
            ),
            (
                "post /ledgers/{ledgerRef}/status-entries",
                drawing(&owner, &json!({ "ref": name }), &[("1", IMPRINT)]),
                404,
            ),
            (
                "post /ledgers/{ledgerRef}/wallet-offers",
                offer.deposit(&owner, &json!({ "ref": name })),
                201,
            ),
            (
                "delete /ledgers/{ledgerRef}/wallet-offers/{codeHash}",
                owner.delete(format!("{path}/wallet-offers/{}", offer.hash())),
                200,
            ),
            (
                "put /ledgers/{ledgerRef}/domain",
                owner.put(format!("{path}/domain"), &domain),
                200,
            ),
            (
                "delete /ledgers/{ledgerRef}/domain",
                owner.delete(format!("{path}/domain")),
                200,
            ),
            (
                "put /ledgers/{ledgerRef}/book",
                put_form(&owner, &format!("{path}/book"), &[("version", "1")], b"{}"),
                422,
            ),
            (
                "put /ledgers/{ledgerRef}/assets/{assetId}/withdrawal",
                owner.put(withdrawal("2"), &reason),
                200,
            ),
            (
                "put /ledgers/{ledgerRef}/assets/{assetId}/withdrawal",
                holder.put(withdrawal("1"), &reason),
                400,
            ),
            (
                "delete /ledgers/{ledgerRef}/accounts/{accountId}/files",
                owner.delete(format!("{path}/accounts/{}/files", holder.id())),
                200,
            ),
        ]
    };
    let tried: BTreeSet<String> = calls(&id)
        .iter()
        .map(|(name, ..)| (*name).to_owned())
        .collect();
    assert_eq!(tried, operations_on_a_ledger());

    scene.post("/admin/blocks", &json!({ "address": ledger["id"] }));
    scene.wait();
    for name in [id.as_str(), reference.as_str(), id.to_lowercase().as_str()] {
        for (_, call, _) in calls(name) {
            world.call(call).fails(403, &[403_012]);
        }
    }
    world
        .call(holder.post("/orders", &transfer))
        .fails(403, &[403_012]);
    // Reads still work, the holder keeps the asset, and other ledgers are not affected.
    for path in ["", "/abilities", "/assets", "/assets/1", "/domain"] {
        world
            .call(holder.get(format!("/ledgers/{reference}{path}")))
            .data();
    }
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(holder.id())));
    let badge = format!("/badge.json?ledgerId={id}&assetId=1");
    world.call(Call::get(badge.as_str())).data();
    let stored = world.call(upload(
        &owner,
        &[("ledgerRef", &text(&other, "ref"))],
        b"{}",
    ));
    assert_eq!(stored.status, 201);
    world.call(owner.delete("/account/domain")).data();

    scene.post("/admin/unblock", &json!({ "address": ledger["id"] }));
    scene.wait();
    for (name, call, status) in calls(&reference) {
        assert_eq!(world.call(call).status, status, "{name}");
    }
    assert_eq!(world.performed(&holder, &transfer)["status"], 7);
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(owner.id())));
}

#[test]
fn at_most_a_thousand_addresses_can_be_blocked() {
    let scene = Scene::new();
    let rows = "WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 1000) \
        INSERT INTO blocks SELECT printf('0x%040x', n), 'r', 0 FROM n";
    scene.database.execute(rows).expect("rows");
    let block = |address: &str| {
        let body = json!({ "address": address, "reason": "r" });
        scene.world.call(scene.admin.post("/admin/blocks", &body))
    };
    block("0x90f79bf6eb2c4f870365e785982e1f101e93b906").fails(422, &[422_900]);
    // At the maximum, the reason of an existing block can still be replaced.
    block("0x0000000000000000000000000000000000000001").data();
}

#[test]
fn a_restriction_applies_in_another_isolate_within_five_seconds() {
    let scene = Scene::new();
    let owner = scene.world.funded();
    scene.post("/admin/blocks", &json!({ "address": owner.id() }));
    // This isolate cached the restrictions before the account was blocked.
    scene.world.call(owner.get("/account")).data();
    scene.world.host.advance(4_999);
    scene.world.call(owner.get("/account")).data();
    scene.world.host.advance(1);
    scene
        .world
        .call(owner.get("/account"))
        .fails(403, &[403_011]);
    scene.service.borrow_mut().restart();
    scene
        .world
        .call(owner.get("/account"))
        .fails(403, &[403_011]);
}

#[test]
fn a_raised_quota_lets_the_account_send_more_bytes() {
    let scene = Scene::new();
    let world = &scene.world;
    let owner = world.funded();
    let used = format!(
        "UPDATE quotas SET used = 268435456 WHERE key = lower('account:{}')",
        owner.id()
    );
    scene.database.execute(&used).expect("used up");
    let deposit = || world.call(owner.post("/deposits", &json!({ "amount": 1000 })));
    deposit().fails(429, &[429_000]);
    let raised = json!({ "address": owner.id(), "factor": 2 });
    let quota = scene.post("/admin/quotas", &raised);
    assert_eq!(quota["bytesPerDay"], 536_870_912);
    deposit().data();
    scene.post(
        "/admin/quotas",
        &json!({ "address": owner.id(), "factor": 1 }),
    );
    deposit().fails(429, &[429_000]);
    for factor in [json!(0), json!(101), json!("2"), json!(1.5)] {
        let body = json!({ "address": owner.id(), "factor": factor, "reason": "r" });
        let answer = world.call(scene.admin.post("/admin/quotas", &body));
        assert_eq!(answer.errors(), ["422900 factor"], "{factor}");
    }
}

#[test]
fn personal_data_is_exported_in_pages_and_erasure_keeps_ledger_data() {
    let scene = Scene::new();
    let world = &scene.world;
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    world.asset(&owner, &ledger, "1", &owner);
    let information = json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    });
    world.call(owner.put("/account", &information)).data();
    let webhook =
        json!({ "url": "https://hooks.assay.example/", "events": [], "secret": WEBHOOK_SECRET });
    world.call(owner.put("/account/webhook", &webhook)).data();
    world.host.settle();
    // The receiver of this address does not confirm it.
    let moved = json!({ "url": "https://moved.example/", "events": [] });
    world.call(owner.put("/account/webhook", &moved)).data();
    for _ in 0..120 {
        world.call(owner.get("/account")).data();
    }
    let path = format!("/admin/accounts/{}", owner.id());
    let export = || {
        let (mut kinds, mut from, mut text) = (Vec::new(), String::new(), String::new());
        loop {
            let target = format!("{path}/data?from={from}");
            let page = world.call(scene.admin.get(target)).data();
            for item in page["items"].as_array().expect("items") {
                kinds.push(item["kind"].as_str().expect("a kind").to_owned());
                text += item["data"].as_str().expect("data");
            }
            match page["next"].as_str() {
                Some(next) => from = next.to_owned(),
                None => return (kinds, text),
            }
        }
    };
    let (kinds, text) = export();
    let count = |kind: &str| kinds.iter().filter(|found| *found == kind).count();
    assert!(count("request") > 120, "{kinds:?}");
    assert_eq!(
        ["information", "webhook", "unconfirmedWebhook", "deposit"].map(count),
        [1, 1, 1, 1]
    );
    for personal in ["ada@example.com", "hooks.assay.example", "moved.example"] {
        assert!(text.contains(personal), "{personal}");
    }
    assert!(!text.contains(&owner.authorization()));
    let balance = world.balance(&owner);

    let erased = scene.post(&format!("{path}/erase"), &json!({}));
    assert_eq!(erased["isComplete"], true);
    let (kinds, text) = export();
    assert!(
        kinds
            .iter()
            .all(|kind| ["information", "deposit"].contains(&kind.as_str())),
        "{kinds:?}"
    );
    assert!(
        ["ada@example.com", "hooks.assay", "moved.example"]
            .iter()
            .all(|personal| !text.contains(personal)),
        "{text}"
    );
    assert_eq!(world.balance(&owner), balance);
    assert_eq!(world.owner_of(&ledger, "1"), Some(json!(owner.id())));
    for target in [
        format!("{path}/data?from=x"),
        format!("{path}/data?from=other.1"),
    ] {
        world.call(scene.admin.get(target)).fails(400, &[400_101]);
    }
    world
        .call(scene.admin.get("/admin/accounts/0x1/data"))
        .fails(404, &[400_000]);
    let log = scene.log();
    assert!(
        log.contains(&format!(
            "POST /admin/accounts/:accountId/erase {} Ticket 7",
            owner.id()
        )),
        "{log:?}"
    );
}
