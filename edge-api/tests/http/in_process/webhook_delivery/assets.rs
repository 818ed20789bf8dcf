//! Events about assets: the changes that cause them, their recipients, and their limits.

use serde_json::{Value, json};

use super::{MINUTE, OTHER_URL, Scene, Sent, URL, answers};
use crate::support::people::{IMPRINT, Person};

/// An amount that covers the costs of every order in these tests.
const COSTS: &str = "20000000000000000000";

fn imprint(byte: &str) -> String {
    byte.repeat(32)
}

fn create(ledger: &Value, by: &Person, id: &str, holder: &Person) -> Value {
    json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": id, "assetImprint": IMPRINT,
        "senderId": by.id(), "receiverId": holder.id(),
    })
}

fn update(ledger: &Value, by: &Person, id: &str, imprint: &str) -> Value {
    json!({ "kind": 4, "ledgerId": ledger["id"], "assetId": id, "assetImprint": imprint, "senderId": by.id() })
}

fn destroy(ledger: &Value, by: &Person, id: &str) -> Value {
    json!({ "kind": 6, "ledgerId": ledger["id"], "assetId": id, "senderId": by.id() })
}

impl Scene {
    /// Creates a scene with a ledger whose assets can be destroyed and updated. The owner has no webhook.
    fn revocable() -> Self {
        let mut scene = Self::new();
        scene.ledger = scene.world.ledger(&scene.owner, &[1, 2, 4]);
        scene
    }

    /// Registers a webhook whose receiver answers 200.
    fn receives(&self, person: &Person, url: &str, kinds: &[u8]) {
        self.register(person, url, kinds);
        self.answer(url, answers(200));
    }

    /// Performs an order of these actions, for which the signer pays.
    fn perform(&self, signer: &Person, actions: &[Value]) -> Value {
        let payment = self.world.payment(signer, COSTS);
        let actions = [actions, &[payment]].concat();
        let mut body = self.world.order(&[signer], json!(actions));
        self.world.sign(&mut body, &[signer]);
        let order = self.world.performed(signer, &body);
        assert_eq!(order["status"], 7, "{order}");
        order
    }

    fn give_reason(&self, person: &Person, id: &str, reason: &str) {
        let ledger = self.ledger["ref"].as_str().unwrap();
        let path = format!("/ledgers/{ledger}/assets/{id}/withdrawal");
        let given = self
            .world
            .call(person.put(path, &json!({ "reason": reason })));
        assert_eq!(given.status, 200);
        self.world.host.settle();
    }

    /// Returns the assets in the events of kind 4 since the last call, each with the address that the event was sent
    /// to.
    fn changed(&self) -> Vec<(String, Value)> {
        let sent = self.sent().into_iter();
        sent.filter(|sent| sent.body["kind"] == 4)
            .map(|sent| (sent.url, sent.body["asset"].clone()))
            .collect()
    }
}

/// Returns id, status and imprint.
fn brief(asset: &Value) -> Value {
    json!([asset["assetId"], asset["status"], asset["imprint"]])
}

#[test]
fn each_change_of_an_assets_status_is_sent_after_the_orders_events() {
    let scene = Scene::revocable();
    let (owner, ledger) = (&scene.owner, &scene.ledger);
    scene.receives(owner, URL, &[]);
    let asset = |status: &str, imprint: Value, reason: Value, by: Value| {
        json!({
            "ledgerId": ledger["id"], "assetId": "1", "status": status, "imprint": imprint,
            "reason": reason, "reasonBy": by,
        })
    };
    for (action, expected) in [
        (
            create(ledger, owner, "1", owner),
            asset("inForce", json!(IMPRINT), Value::Null, Value::Null),
        ),
        (
            update(ledger, owner, "1", &imprint("ab")),
            asset("replaced", json!(imprint("ab")), Value::Null, Value::Null),
        ),
        (
            destroy(ledger, owner, "1"),
            asset("withdrawn", Value::Null, Value::Null, Value::Null),
        ),
    ] {
        scene.perform(owner, &[action]);
        let sent = scene.sent();
        let kinds: Vec<&Value> = sent.iter().map(|sent| &sent.body["kind"]).collect();
        assert_eq!(kinds, [0, 0, 0, 0, 4]);
        let Some(Sent { body, id, .. }) = sent.last() else {
            panic!("events")
        };
        let whole = json!({
            "id": id, "kind": 4, "event": 4, "requestRef": null, "requestKind": null, "status": null,
            "asset": expected, "createdAt": body["createdAt"],
        });
        assert_eq!(*body, whole);
    }
    scene.give_reason(owner, "1", "Issued by mistake");
    let by = json!({ "account": owner.id(), "role": "issuer" });
    let reason = asset(
        "withdrawn",
        Value::Null,
        json!("Issued by mistake"),
        by.clone(),
    );
    assert_eq!(scene.changed(), [(URL.to_owned(), reason)]);
    // Giving the same reason again changes nothing.
    scene.give_reason(owner, "1", "Issued by mistake");
    assert_eq!(scene.changed(), []);
    scene.perform(owner, &[create(ledger, owner, "1", owner)]);
    let again = asset("inForce", json!(IMPRINT), Value::Null, Value::Null);
    assert_eq!(scene.changed(), [(URL.to_owned(), again)]);
}

#[test]
fn an_order_sends_one_event_about_each_asset() {
    let scene = Scene::revocable();
    let (owner, ledger) = (&scene.owner, &scene.ledger);
    scene.perform(owner, &[create(ledger, owner, "1", owner)]);
    scene.receives(owner, URL, &[4]);
    let (ab, cd) = (imprint("ab"), imprint("cd"));
    let holder = Person::new();
    let actions = [
        create(ledger, owner, "3", owner),
        update(ledger, owner, "1", &ab),
        create(ledger, owner, "2", owner),
        update(ledger, owner, "3", &ab),
        destroy(ledger, owner, "2"),
        update(ledger, owner, "1", &cd),
    ];
    scene.perform(owner, &actions);
    let briefs: Vec<Value> = scene
        .changed()
        .iter()
        .map(|(_, asset)| brief(asset))
        .collect();
    let expected = [
        json!(["3", "inForce", ab]),
        json!(["1", "replaced", cd]),
        json!(["2", "withdrawn", null]),
    ];
    assert_eq!(briefs, expected);
    // A transfer changes no status.
    let transfer = json!({
        "kind": 2, "ledgerId": ledger["id"], "assetId": "1", "senderId": owner.id(), "receiverId": holder.id(),
    });
    scene.perform(owner, &[transfer]);
    assert_eq!(scene.changed(), []);
}

#[test]
fn only_subscribers_of_the_kind_get_events_about_assets() {
    for (kinds, expected) in [
        (&[][..], vec![0, 0, 0, 0, 4]),
        (&[0, 1, 2, 3], vec![0, 0, 0, 0]),
        (&[4], vec![4]),
    ] {
        let scene = Scene::registered(kinds);
        let action = create(&scene.ledger, &scene.owner, "1", &scene.owner);
        scene.perform(&scene.owner, &[action]);
        let sent = scene.sent();
        let sent: Vec<&Value> = sent.iter().map(|sent| &sent.body["kind"]).collect();
        assert_eq!(sent, expected, "{kinds:?}");
    }
}

/// A clerk may issue assets on the ledgers of two owners, and issues on both in one order.
#[test]
fn owners_and_holders_get_events_of_their_own_assets_only() {
    let scene = Scene::revocable();
    let [other_owner, clerk] = [(); 2].map(|()| scene.world.funded());
    let other_ledger = scene.world.ledger(&other_owner, &[1]);
    let [holder, other_holder, stranger] = [(); 3].map(|()| Person::new());
    for (owner, ledger) in [(&scene.owner, &scene.ledger), (&other_owner, &other_ledger)] {
        let grant = json!({
            "kind": 5, "ledgerId": ledger["id"], "senderId": owner.id(), "receiverId": clerk.id(), "abilities": [16, 512],
        });
        scene.perform(owner, &[grant]);
    }
    let people = [
        ("owner", &scene.owner),
        ("other-owner", &other_owner),
        ("clerk", &clerk),
        ("holder", &holder),
        ("other-holder", &other_holder),
        ("stranger", &stranger),
    ];
    for (name, person) in people {
        scene.receives(person, &format!("https://{name}.example/"), &[]);
    }
    let order = scene.perform(
        &clerk,
        &[
            create(&scene.ledger, &clerk, "1", &holder),
            create(&other_ledger, &clerk, "7", &other_holder),
        ],
    );
    let sent = scene.sent();
    let got = |name: &str| -> Vec<Value> {
        let url = format!("https://{name}.example/");
        let own = sent.iter().filter(|sent| sent.url == url);
        own.map(|sent| sent.body["asset"]["assetId"].clone())
            .collect()
    };
    assert_eq!(got("owner"), ["1"]);
    assert_eq!(got("other-owner"), ["7"]);
    assert_eq!(got("holder"), ["1"]);
    assert_eq!(got("other-holder"), ["7"]);
    assert_eq!(got("stranger"), Vec::<Value>::new());
    let null = Value::Null;
    let of_order = [&null, &null, &null, &null, &json!("1"), &json!("7")];
    assert_eq!(got("clerk").iter().collect::<Vec<_>>(), of_order);
    // Only the clerk is a party of the order, so no other receiver gets the order's reference.
    let reference = order["ref"].as_str().unwrap();
    for person in [&scene.owner, &holder] {
        let path = format!("/orders/{reference}");
        assert_eq!(scene.world.call(person.get(path)).status, 400);
        let listed = scene.deliveries(person);
        assert!(!json!(listed).to_string().contains(reference));
    }
    // The last holder and the ledger's owner get events about the withdrawal and its reason.
    let hers = create(&scene.ledger, &scene.owner, "2", &scene.owner);
    scene.perform(&scene.owner, &[hers]);
    scene.changed();
    let gift = json!({
        "kind": 2, "ledgerId": scene.ledger["id"], "assetId": "2", "senderId": scene.owner.id(),
        "receiverId": other_owner.id(),
    });
    scene.perform(&scene.owner, &[gift]);
    scene.withdraw_from(&other_owner, "2");
    scene.give_reason(&other_owner, "2", "Lost");
    let mut changed: Vec<_> = scene
        .changed()
        .into_iter()
        .map(|(url, asset)| (url, asset["reason"].clone()))
        .collect();
    changed.sort_by(|one, two| one.0.cmp(&two.0));
    let expected = ["other-owner", "other-owner", "owner", "owner"]
        .map(|name| format!("https://{name}.example/"))
        .into_iter()
        .zip([null.clone(), json!("Lost"), null, json!("Lost")]);
    assert_eq!(changed, expected.collect::<Vec<_>>());
}

#[test]
fn a_revocation_is_an_event_for_the_ledgers_owner_and_the_former_holder() {
    let scene = Scene::revocable();
    let (owner, ledger, holder) = (&scene.owner, &scene.ledger, scene.world.funded());
    scene.perform(owner, &[create(ledger, owner, "1", &holder)]);
    scene.receives(owner, URL, &[4]);
    scene.receives(&holder, OTHER_URL, &[4]);
    let revoke =
        json!({ "kind": 7, "ledgerId": ledger["id"], "assetId": "1", "senderId": owner.id() });
    scene.perform(owner, &[revoke]);
    let mut changed = scene.changed();
    changed.sort_by(|one, two| one.0.cmp(&two.0));
    let withdrawn = json!(["1", "withdrawn", null]);
    let mut urls = [URL, OTHER_URL];
    urls.sort_unstable();
    for ((url, asset), expected) in changed.iter().zip(urls) {
        assert_eq!((url.as_str(), brief(asset)), (expected, withdrawn.clone()));
    }
    assert_eq!(changed.len(), 2);
}

impl Scene {
    /// Lets a holder destroy an asset of the scene's ledger.
    fn withdraw_from(&self, holder: &Person, id: &str) {
        self.world.lets_ledger_collect(holder, &self.ledger);
        let proxy = self.world.gateways.proxies.destroy_asset;
        let approval = self
            .world
            .operator_approval(holder, &self.ledger, proxy, true);
        assert_eq!(self.world.approved(holder, &approval)["status"], 7);
        self.perform(holder, &[destroy(&self.ledger, holder, id)]);
    }
}

#[test]
fn the_event_about_a_reason_follows_the_event_about_the_withdrawal() {
    let scene = Scene::revocable();
    let (owner, ledger) = (&scene.owner, &scene.ledger);
    scene.perform(owner, &[create(ledger, owner, "1", owner)]);
    scene.receives(owner, URL, &[4]);
    scene.answer(URL, answers(500));
    scene.perform(owner, &[destroy(ledger, owner, "1")]);
    scene.give_reason(owner, "1", "Withdrawn in error");
    let reasons = || -> Vec<Value> {
        let changed = scene.changed().into_iter();
        changed.map(|(_, asset)| asset["reason"].clone()).collect()
    };
    assert!(reasons().iter().all(Value::is_null));
    scene.answer(URL, answers(200));
    scene.advance_and_settle(30 * MINUTE);
    assert_eq!(reasons(), [Value::Null, json!("Withdrawn in error")]);
}

/// Any account may issue assets to any other account. Events about these assets must not use up the account's limit for the
/// events of its own requests.
#[test]
fn events_about_assets_have_their_own_limits() {
    let scene = Scene::new();
    let issuer = scene.world.funded();
    let ledger = scene.world.ledger(&issuer, &[]);
    let unfunded = Person::new();
    scene.receives(&scene.owner, URL, &[]);
    scene.receives(&unfunded, OTHER_URL, &[]);
    let issue = |id: &str, holder: &Person| {
        scene.perform(&issuer, &[create(&ledger, &issuer, id, holder)]);
        scene.changed().len()
    };
    assert_eq!(issue("1", &scene.owner), 1);
    assert_eq!(issue("2", &unfunded), 1);
    let execute = |sql: &str| scene.service.borrow().database.execute(sql).unwrap();
    let account = scene.owner.id().to_string().to_lowercase();
    execute(&format!(
        "UPDATE quotas SET used = used + 9998 WHERE key = 'asset-events:{account}'; \
         UPDATE quotas SET used = used + 19998 WHERE key = 'asset-events:unfunded'"
    ));
    for (id, holder, limit) in [("3", &scene.owner, "10000"), ("5", &unfunded, "20000")] {
        assert_eq!(issue(id, holder), 1);
        assert_eq!(issue(&format!("{id}0"), holder), 0);
        let webhook = scene.world.call(holder.get("/account/webhook")).data();
        let reason = webhook["stateReason"].as_str().unwrap();
        assert!(
            reason.contains(limit) && reason.contains("about assets"),
            "{reason}"
        );
    }
    // The account's orders still send events.
    scene.cause_event();
    assert_eq!(scene.delivered(), [(0, 0)]);
    // The limit of a host is counted separately too: other accounts may use the same host.
    let host = "asset-events:host:hooks.assay.example";
    execute(&format!(
        "DELETE FROM quotas WHERE key = 'asset-events:{account}'; UPDATE quotas SET used = 50000 WHERE key = '{host}'"
    ));
    assert_eq!(issue("6", &scene.owner), 0);
    let webhook = scene.world.call(scene.owner.get("/account/webhook")).data();
    let reason = webhook["stateReason"].as_str().unwrap();
    assert!(reason.contains("50000 events about assets"), "{reason}");
    scene.cause_event();
    assert_eq!(scene.delivered(), [(0, 0)]);
    execute(&format!("DELETE FROM quotas WHERE key = '{host}'"));
    // Events of orders do not use up the limit for events about assets either.
    execute(&format!(
        "DELETE FROM quotas WHERE key = 'asset-events:{account}'; \
         UPDATE quotas SET used = 10000 WHERE key = 'events:{account}'"
    ));
    scene.cause_event();
    assert_eq!(scene.delivered(), []);
    assert_eq!(issue("4", &scene.owner), 1);
}
