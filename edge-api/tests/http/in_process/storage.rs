//! Daily quotas of stored bytes. All unfunded accounts share some quotas, and all holders of assets share one. Each client
//! network and each provider gets a part of the unfunded accounts' quotas. Each funded account has its own quota.

use std::rc::Rc;

use edge_api::native::Sqlite;
use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{Call, SETTINGS};

/// A number far beyond every quota.
const MUCH: u64 = 1_000_000_000_000;

struct Scene {
    database: Rc<Sqlite>,
    world: World,
}

impl Scene {
    fn new(settings: &[(&'static str, &'static str)]) -> Self {
        let service = Service::new(settings);
        let database = Rc::clone(&service.database);
        let world = World::on(Box::new(service));
        Self { database, world }
    }

    /// Creates an instance without costs.
    fn free() -> Self {
        let paid = |(name, _): &&(&str, &str)| *name != "DEPOSITS";
        let mut settings: Vec<_> = SETTINGS.iter().filter(paid).copied().collect();
        settings.extend([("DEPOSITS", "off"), ("PAYMENTS", "off")]);
        Self::new(&settings)
    }

    /// Simulates that other accounts have used this number of bytes of each quota whose key matches an SQL pattern.
    fn others_use(&self, key: &str, bytes: u64) {
        let sql = format!(
            "INSERT INTO quotas (key, period, used, expires_at) SELECT k.value, {day}, 0, 9e15 \
             FROM json_each('[\"work\",\"entrance\",\"signing\",\"lasting\",\"log\"]') n \
             CROSS JOIN json_each(json_array('unfunded:' || n.value, 'holders')) k WHERE true ON CONFLICT DO NOTHING; \
             UPDATE quotas SET used = {bytes} WHERE key LIKE '{key}'",
            day = self.world.host.now() / 86_400_000,
        );
        self.database.execute(&sql).expect("an update");
    }

    fn flood(&self) {
        self.others_use("unfunded:%", MUCH);
    }

    fn used(&self, key: &str) -> u64 {
        let statement =
            Statement::new("SELECT sum(used) AS used FROM quotas WHERE key LIKE ?1").bind(key);
        let rows = self.database.run(&[statement]).expect("rows");
        rows[0].list[0]["used"].as_u64().unwrap_or(0)
    }

    /// Returns an order with a payment of zero, so its signers need no tokens.
    fn payment_of_nothing(&self, signers: &[&Person]) -> Value {
        let payment = self.world.payment(signers[0], "0");
        self.world.order(signers, json!([payment]))
    }

    fn transfer(&self, ledger: &Value, from: &Person, to: &Person) -> Value {
        let action = json!({
            "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": from.id(), "receiverId": to.id(),
        });
        let mut body = self.world.order(&[from], json!([action]));
        self.world.sign(&mut body, &[from]);
        body
    }
}

fn information() -> Value {
    json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    })
}

fn path(order: &Value, change: &str) -> String {
    format!("/orders/{}{change}", order["ref"].as_str().expect("a ref"))
}

#[test]
fn a_flood_does_not_prevent_a_creator_from_canceling() {
    let scene = Scene::new(SETTINGS);
    let (creator, signer) = (Person::new(), Person::new());
    let mut body = scene.payment_of_nothing(&[&creator, &signer]);
    scene.world.sign(&mut body, &[&creator]);
    let order = scene.world.call(creator.post("/orders", &body)).data();
    scene.flood();
    let claim = signer.claim(&scene.world.order_hash(&body));
    let sign = signer.put(path(&order, "/sign"), &json!({ "claim": claim }));
    scene.world.call(sign).fails(429, &[429_000]);
    let canceled = scene.world.call(creator.delete(path(&order, ""))).data();
    assert_eq!(canceled["status"], 6);
}

#[test]
fn a_flood_does_not_stop_holders_from_transferring_and_registering() {
    let scene = Scene::free();
    let (issuer, holder, buyer) = (Person::new(), Person::new(), Person::new());
    let ledger = {
        let mut body = scene.world.deployment(&issuer, &[1, 2]);
        body["deploy"]["tokenTransferData"]["value"] = json!("0");
        scene.world.sign_deployment(&mut body, &issuer);
        let made = scene.world.call(issuer.post("/deployments", &body)).data();
        scene.world.host.settle();
        let made = scene
            .world
            .call(issuer.get(format!("/deployments/{}", made["ref"].as_str().unwrap())));
        let reference = made.data()["ledgerRef"].as_str().unwrap().to_owned();
        scene
            .world
            .call(issuer.get(format!("/ledgers/{reference}")))
            .data()
    };
    let mut creation = scene.world.creation(&issuer, &ledger, "1", &holder);
    creation["order"]["actions"][1]["value"] = json!("0");
    scene.world.sign(&mut creation, &[&issuer]);
    assert_eq!(scene.world.performed(&issuer, &creation)["status"], 7);
    for person in [&holder, &buyer] {
        let proxy = scene.world.gateways.proxies.safe_transfer_asset;
        let mut body = scene.world.operator_approval(person, &ledger, proxy, true);
        body["approval"]["tokenTransferData"]["value"] = json!("0");
        scene.world.sign_approval(&mut body, person);
        scene.world.call(person.post("/approvals", &body)).data();
    }
    scene.world.host.settle();
    scene.flood();
    // The buyer is unfunded, so the flood blocks the buyer's requests.
    let call = buyer.put("/account", &information());
    scene.world.call(call).fails(429, &[429_000]);
    let call = holder.put("/account", &information());
    assert_eq!(scene.world.call(call).status, 200);
    let body = scene.transfer(&ledger, &holder, &buyer);
    assert_eq!(scene.world.performed(&holder, &body)["status"], 7);
    assert!(scene.used("holders") > 4_096);
    // The buyer is a holder now, so the quota of holders applies. That quota is used up.
    scene.others_use("holders", 19_999_999);
    let body = scene.transfer(&ledger, &buyer, &holder);
    let call = buyer.post("/orders", &body);
    scene.world.call(call).fails(429, &[429_000]);
}

#[test]
fn an_order_counts_towards_the_quota_of_its_funded_signer() {
    let scene = Scene::new(SETTINGS);
    let (funded, other) = (scene.world.funded(), Person::new());
    scene.flood();
    let key = format!("account:{}", funded.id().to_string().to_lowercase());
    let before = scene.used(&key);
    // An unfunded account sends the order.
    let mut body = scene.payment_of_nothing(&[&other, &funded]);
    scene.world.sign(&mut body, &[&funded]);
    let order = scene.world.call(other.post("/orders", &body)).data();
    let sent = scene.used(&key);
    assert!(sent > before + 4_096, "{before} {sent}");
    // Then the unfunded account signs the order.
    let claim = other.claim(&scene.world.order_hash(&body));
    let call = other.put(path(&order, "/sign"), &json!({ "claim": claim }));
    assert_eq!(scene.world.call(call).data()["status"], 7);
    assert!(scene.used(&key) > sent);
    // An invalid claim in the funded account's name does not count.
    let mut forged = scene.payment_of_nothing(&[&other, &funded]);
    let hash = scene.world.order_hash(&forged);
    forged["order"]["signers"][1]["claim"] = json!(other.claim(&hash));
    assert_ne!(scene.world.call(other.post("/orders", &forged)).status, 201);
}

#[test]
fn a_signature_counts_the_bytes_it_adds() {
    let scene = Scene::free();
    let people: Vec<Person> = (0..32).map(|_| Person::new()).collect();
    let signers: Vec<&Person> = people.iter().collect();
    let actions: Vec<Value> = (0..100)
        .map(|_| scene.world.payment(&people[0], "0"))
        .collect();
    let body = scene.world.order(&signers, json!(actions));
    let order = scene.world.call(people[0].post("/orders", &body)).data();
    let hash = scene.world.order_hash(&body);
    for person in &people[..8] {
        let body = json!({ "claim": person.claim(&hash) });
        scene
            .world
            .call(person.put(path(&order, "/sign"), &body))
            .data();
    }
    let each = scene.used("unfunded:signing") / 8;
    // The bytes are the claim, the account's row, and an event.
    assert!((150..2_000).contains(&each), "{each}");
}

#[test]
fn completing_an_unfunded_order_counts_all_of_its_bytes() {
    let scene = Scene::free();
    let (creator, signer) = (Person::new(), Person::new());
    let actions: Vec<Value> = (0..50)
        .map(|_| scene.world.payment(&creator, "0"))
        .collect();
    let mut body = scene.world.order(&[&creator, &signer], json!(actions));
    scene.world.sign(&mut body, &[&creator]);
    let order = scene.world.call(creator.post("/orders", &body)).data();
    assert_eq!(scene.used("unfunded:lasting"), 0);
    let claim = signer.claim(&scene.world.order_hash(&body));
    let call = signer.put(path(&order, "/sign"), &json!({ "claim": claim }));
    assert_eq!(scene.world.call(call).data()["status"], 7);
    let stored = Statement::new("SELECT length(body) AS bytes FROM records");
    let stored = scene.database.run(&[stored]).expect("rows")[0].list[0]["bytes"].as_u64();
    assert!(scene.used("unfunded:lasting") > 4_096 + stored.expect("a record"));
}

/// Returns how often a new account can store its information from a client address, at most 300 times.
fn registers(scene: &Scene, address: &str) -> usize {
    let person = Person::new();
    (0..300)
        .take_while(|_| {
            let call = person.put("/account", &information()).from(address);
            scene.world.call(call).status == 200
        })
        .count()
}

#[test]
fn a_network_gets_a_fraction_of_the_remaining_quota() {
    let scene = Scene::new(SETTINGS);
    // With half of the quota left, a network still gets a whole megabyte.
    scene.others_use("unfunded:entrance", 15_000_000);
    assert_eq!(registers(&scene, "198.51.100.1"), 300);
    // With less than half of the quota left, a network gets a 200th of the rest. Ten megabytes are left at first, then one.
    scene.others_use("unfunded:entrance", 20_000_000);
    let of_ten = registers(&scene, "198.52.100.2");
    scene.others_use("unfunded:entrance", 29_000_000);
    let of_one = registers(&scene, "198.53.100.3");
    assert!(
        (8..14).contains(&(of_ten / of_one)) && of_one >= 5,
        "{of_ten} {of_one}"
    );
    // An account of yet another network can then store as much as the last account.
    assert!(registers(&scene, "198.54.100.4") + 1 >= of_one);
}

#[test]
fn the_networks_of_one_provider_share_a_part_of_the_quota() {
    let scene = Scene::new(SETTINGS);
    registers(&scene, "198.51.100.1");
    registers(&scene, "2001:db8:1::1");
    scene.others_use("unfunded:entrance:provider:%", 7_500_000);
    // The networks of one provider share a quarter of the quota. For two providers, this quarter is used up.
    assert_eq!(registers(&scene, "198.51.7.7"), 0);
    assert_eq!(registers(&scene, "2001:db8:2::1"), 0);
    assert_eq!(registers(&scene, "198.52.100.1"), 300);
    assert_eq!(registers(&scene, "2001:db9:1::1"), 300);
}

#[test]
fn a_funded_account_has_its_own_daily_quota() {
    let scene = Scene::new(SETTINGS);
    let (person, other) = (scene.world.funded(), scene.world.funded());
    let key = format!("account:{}", person.id().to_string().to_lowercase());
    let order = || {
        let mut body = scene.payment_of_nothing(&[&person]);
        scene.world.sign(&mut body, &[&person]);
        scene.world.call(person.post("/orders", &body))
    };
    let before = scene.used(&key);
    assert_eq!(order().status, 201);
    // The quota counts the record and the log line of the request.
    let after = scene.used(&key);
    assert!(after > before + 4_096, "{before} {after}");
    scene.world.call(person.get("/account")).data();
    assert!(scene.used(&key) > after + 100);
    scene.others_use(&key, (1 << 28) - 1);
    let refusal = order();
    refusal.fails(429, &[429_000]);
    assert_eq!(refusal.header("retry-after"), Some("3600"));
    let message = refusal.json()["errors"][0]["message"].to_string();
    assert!(message.contains("this account"), "{message}");
    let logged = || {
        let count = Statement::new("SELECT count(*) AS count FROM requests");
        scene.database.run(&[count]).expect("rows")[0].list[0]["count"].as_u64()
    };
    let before = logged();
    assert_eq!(scene.world.call(person.get("/account")).status, 200);
    assert_eq!(logged(), before);
    // Other accounts can still store data. This account can store data again on the next day.
    let call = other.put("/account", &information());
    assert_eq!(scene.world.call(call).status, 200);
    scene.world.host.advance(86_400_000);
    assert_eq!(order().status, 201);
}

#[test]
fn refused_orders_with_idempotency_keys_store_only_a_log_line() {
    let scene = Scene::new(SETTINGS);
    let person = scene.world.funded();
    let action = json!({ "kind": 1, "ledgerId": "x", "assetId": "y", "receiverId": "z" });
    let body = json!({ "order": { "actions": vec![action; 100] } });
    for number in 0..5 {
        let key = format!("{}{number}", "k".repeat(200));
        let call = person
            .post("/orders", &body)
            .header("idempotency-key", &key);
        assert_eq!(scene.world.call(call).status, 422);
    }
    let rows = [
        "SELECT count(*) AS number FROM idempotency_keys",
        "SELECT max(length(path) + length(url) + length(errors)) AS number FROM requests",
    ]
    .map(|sql| {
        let rows = scene.database.run(&[Statement::new(sql)]).expect("rows");
        rows[0].list[0]["number"].as_u64().expect("a number")
    });
    assert_eq!(rows[0], 0);
    assert!(rows[1] < 2_000, "{rows:?}");
}

#[test]
fn each_client_address_has_a_share_of_the_log_quota() {
    let scene = Scene::new(SETTINGS);
    let [one, other] = ["198.51.100.1", "203.0.113.1"].map(|address| {
        let person = Person::new();
        let call = person.put("/account", &information()).from(address);
        scene.world.call(call).data();
        move || -> Call { person.get("/account").from(address) }
    });
    let logged = |call: Call| {
        let count = || {
            let count = Statement::new("SELECT count(*) AS count FROM requests");
            scene.database.run(&[count]).expect("rows")[0].list[0]["count"].as_u64()
        };
        let before = count();
        assert_eq!(scene.world.call(call).status, 200);
        count() != before
    };
    assert!(logged(one()) && logged(other()));
    let keys = Statement::new("SELECT key FROM quotas WHERE key LIKE 'unfunded:log:network:%'");
    let keys = scene.database.run(&[keys]).expect("rows")[0].list.clone();
    assert_eq!(keys.len(), 2, "{keys:?}");
    let spend = |key: &Value| {
        let key = key["key"].as_str().expect("a key");
        scene.others_use(key, 999_999);
    };
    spend(&keys[0]);
    let (first, second) = (logged(one()), logged(other()));
    assert_ne!(first, second, "exactly one of the two is logged");
    spend(&keys[1]);
    assert!(!logged(one()) && !logged(other()));
}

#[test]
fn quota_keys_of_client_addresses_differ_between_instances() {
    let keys = || {
        let scene = Scene::new(SETTINGS);
        assert!(registers(&scene, "198.51.100.1") > 0);
        let keys =
            Statement::new("SELECT key FROM quotas WHERE key LIKE '%:network:%' ORDER BY key");
        scene.database.run(&[keys]).expect("rows")[0].list.clone()
    };
    let (one, other) = (keys(), keys());
    assert_eq!(one.len(), 2, "{one:?}");
    assert!(
        one.iter().all(|key| !other.contains(key)),
        "{one:?} {other:?}"
    );
}
