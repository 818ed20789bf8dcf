//! Revoking assets of others: who may, what it leaves, and the attacks on it.

use std::rc::Rc;

use serde_json::{Value, json};

use crate::support::native::{Service, block_on};
use crate::support::people::{IMPRINT, Person, World};
use crate::support::{Answer, SETTINGS};

/// The cost of revoking an asset.
const COST: &str = "1300000000000000000";
/// Enough for the payment of any order in these tests.
const PAID: &str = "9000000000000000000";

/// An office with a ledger. A colleague has issued the asset 7 to itself, and has no ability any more.
struct Office {
    world: World,
    owner: Person,
    deputy: Person,
    colleague: Person,
    ledger: Value,
}

impl Office {
    fn of(world: World, capabilities: &[u8]) -> Self {
        let owner = world.funded();
        let ledger = world.ledger(&owner, capabilities);
        let (deputy, colleague) = (world.funded(), world.funded());
        let office = Self {
            world,
            owner,
            deputy,
            colleague,
            ledger,
        };
        office.give(&office.deputy, &[32]);
        office.give(&office.colleague, &[512]);
        office
            .world
            .asset(&office.colleague, &office.ledger, "7", &office.colleague);
        office.give(&office.colleague, &[]);
        office.world.host.advance(5);
        office
    }

    fn new() -> Self {
        Self::of(World::new(), &[1, 2, 4])
    }

    /// Returns a signed and paid order of one action.
    fn order(&self, signer: &Person, action: Value) -> Value {
        let payment = self.world.payment(signer, PAID);
        let mut body = self.world.order(&[signer], json!([action, payment]));
        self.world.sign(&mut body, &[signer]);
        body
    }

    fn give(&self, account: &Person, abilities: &[u16]) {
        let set = json!({
            "kind": 5, "ledgerId": self.ledger["id"], "abilities": abilities,
            "receiverId": account.id(), "senderId": self.owner.id(),
        });
        let order = self.order(&self.owner, set);
        assert_eq!(self.world.performed(&self.owner, &order)["status"], 7);
    }

    fn action(&self, kind: u8, sender: &Person, asset: &str) -> Value {
        json!({ "kind": kind, "ledgerId": self.ledger["id"], "assetId": asset, "senderId": sender.id() })
    }

    /// Returns an order in which the sender revokes an asset.
    fn revocation(&self, sender: &Person, asset: &str) -> Value {
        self.order(sender, self.action(7, sender, asset))
    }

    fn revoke(&self, sender: &Person, asset: &str) -> Answer {
        let body = self.revocation(sender, asset);
        self.world.call(sender.post("/orders", &body))
    }

    fn of_asset(&self, asset: &str, what: &str) -> String {
        let ledger = self.ledger["ref"].as_str().expect("a reference");
        format!("/ledgers/{ledger}/assets/{asset}{what}")
    }

    fn give_reason(&self, person: &Person, reason: &str) -> Answer {
        let path = self.of_asset("7", "/withdrawal");
        self.world
            .call(person.put(path, &json!({ "reason": reason })))
    }

    fn exists(&self, asset: &str) -> bool {
        self.world.owner_of(&self.ledger, asset).is_some()
    }
}

#[test]
fn a_revoked_asset_is_withdrawn_by_the_account_that_revoked_it() {
    let office = Office::new();
    let (world, deputy, colleague) = (&office.world, &office.deputy, &office.colleague);
    let mut cheap = world.order(
        &[deputy],
        json!([
            office.action(7, deputy, "7"),
            world.payment(deputy, "1299999999999999999"),
        ]),
    );
    world.sign(&mut cheap, &[deputy]);
    world
        .call(deputy.post("/orders", &cheap))
        .fails(422, &[422_012]);
    let mut body = world.order(
        &[deputy],
        json!([office.action(7, deputy, "7"), world.payment(deputy, COST)]),
    );
    world.sign(&mut body, &[deputy]);
    let made = world.performed(deputy, &body);
    assert_eq!(made["status"], 7, "{made}");
    assert_eq!(made["order"]["actions"][0]["kind"], 7);
    world.host.advance(5);
    assert!(!office.exists("7"));

    let history = world
        .call(colleague.get(office.of_asset("7", "/history")))
        .data();
    let last = &history["changes"][0];
    assert_eq!(
        [&last["kind"], &last["by"], &last["orderRef"]],
        [&json!("withdrawn"), &json!(deputy.id()), &made["ref"]],
        "{history}"
    );
    let listed = world
        .call(office.owner.get("/certificates?status=withdrawn"))
        .data();
    assert_eq!(
        [
            &listed[0]["id"],
            &listed[0]["createdBy"],
            &listed[0]["endedBy"]
        ],
        [&json!("7"), &json!(colleague.id()), &json!(deputy.id())]
    );
    let events = world
        .call(office.owner.get("/activity?kinds=withdrawn"))
        .data();
    assert_eq!(
        [
            &events[0]["assetId"],
            &events[0]["by"],
            &events[0]["orderRef"]
        ],
        [&json!("7"), &json!(deputy.id()), &made["ref"]]
    );
    let counts = world.call(office.owner.get("/certificates/counts")).data();
    assert_eq!(counts[0]["months"][0]["withdrawn"], 1, "{counts}");

    // The reason is the words of the account that withdrew, not of the account that lost the asset.
    for person in [colleague, &office.owner, &Person::new()] {
        office.give_reason(person, "mine").fails(403, &[403_002]);
    }
    let given = office.give_reason(deputy, "Issued without an exam").data();
    assert_eq!(
        given["reasonBy"],
        json!({ "account": deputy.id(), "role": "other" })
    );
    office
        .give_reason(colleague, "Valid, ask me")
        .fails(403, &[403_002]);

    // A repeated order is the first one. A new order finds no asset.
    let again = world.call(deputy.post("/orders", &body));
    assert_eq!((again.status, &again.data()["ref"]), (200, &made["ref"]));
    office.revoke(deputy, "7").fails(400, &[400_005]);
    // As after destroying, the id is free. The order that revoked the first asset does not revoke the second.
    world.asset(&office.owner, &office.ledger, "7", &office.owner);
    world.call(deputy.post("/orders", &body)).data();
    world
        .call(Person::new().post("/orders", &body))
        .fails(409, &[409_001]);
    world.host.settle();
    assert!(office.exists("7"));
}

#[test]
fn the_owner_of_a_revoked_asset_gives_no_reason_for_an_order_that_it_created() {
    let office = Office::new();
    let (world, deputy, colleague) = (&office.world, &office.deputy, &office.colleague);
    let asked = office.revocation(deputy, "7");
    assert_eq!(world.performed(colleague, &asked)["status"], 7);
    office
        .give_reason(colleague, "Valid, ask me")
        .fails(403, &[403_002]);
    office.give_reason(deputy, "Asked for by its owner").data();
}

#[test]
fn an_asset_that_is_revoked_and_created_in_one_order_shows_who_did_it() {
    let office = Office::new();
    let (world, deputy, colleague) = (&office.world, &office.deputy, &office.colleague);
    office.give(deputy, &[32, 512]);
    world.host.advance(5);
    let create = json!({
        "kind": 1, "ledgerId": office.ledger["id"], "assetId": "7", "assetImprint": "e".repeat(64),
        "senderId": deputy.id(), "receiverId": deputy.id(),
    });
    let mut body = world.order(
        &[deputy],
        json!([
            office.action(7, deputy, "7"),
            create,
            world.payment(deputy, PAID)
        ]),
    );
    world.sign(&mut body, &[deputy]);
    let made = world.performed(deputy, &body);
    assert_eq!(made["status"], 7, "{made}");
    let path = office.of_asset("7", "/history");
    let history = world.call(colleague.get(path)).data();
    for (change, kind) in [(0, "replaced"), (1, "transferred")] {
        let change = &history["changes"][change];
        assert_eq!(
            [&change["kind"], &change["by"], &change["orderRef"]],
            [&json!(kind), &json!(deputy.id()), &made["ref"]],
            "{history}"
        );
    }
    assert_eq!(history["changes"][2]["by"], json!(colleague.id()));
}

#[test]
fn nobody_else_can_revoke() {
    let office = Office::new();
    let world = &office.world;
    let (owner, deputy, colleague) = (&office.owner, &office.deputy, &office.colleague);
    // Accounts with every other ability, and with the ability on a ledger of their own.
    let outsider = world.funded();
    let own = world.ledger(&outsider, &[1, 2, 4]);
    office.give(colleague, &[1, 2, 16, 64, 128, 256, 512, 1024]);
    for sender in [colleague, &outsider] {
        office.revoke(sender, "7").fails(422, &[422_914]);
    }
    // An approval of the gateway gives no right to revoke, and its lack takes none.
    world.lets_ledger_collect(colleague, &office.ledger);
    let approval = world.operator_approval(colleague, &office.ledger, outsider.id(), true);
    assert_eq!(world.approved(colleague, &approval)["status"], 7);
    office.revoke(&outsider, "7").fails(422, &[422_914]);
    // The ledger of the order is signed: the owner of another ledger cannot name it for this asset.
    let mut moved = office.order(
        &outsider,
        json!({ "kind": 7, "ledgerId": own["id"], "assetId": "7", "senderId": outsider.id() }),
    );
    world
        .call(outsider.post("/orders", &moved))
        .fails(400, &[400_005]);
    moved["order"]["actions"][0]["ledgerId"] = office.ledger["id"].clone();
    world
        .call(outsider.post("/orders", &moved))
        .fails(400, &[400_001]);
    // A signature of another account does not replace the sender's.
    let mut lent = world.order(
        &[&outsider],
        json!([
            office.action(7, deputy, "7"),
            world.payment(&outsider, PAID)
        ]),
    );
    lent["order"]["signers"][0]["claim"] = json!("0:0x00");
    world
        .call(outsider.post("/orders", &lent))
        .fails(422, &[422_060]);
    // No account takes the sender's place without the ability.
    let mut wild = world.order(
        &[owner],
        json!([office.action(7, deputy, "7"), world.payment(owner, PAID)]),
    );
    wild["wildcardSigner"] = json!(true);
    wild["order"]["actions"][0]["senderId"] = json!("");
    world.sign(&mut wild, &[owner]);
    let made = world.call(owner.post("/orders", &wild)).data();
    assert_eq!(made["status"], 0);
    let sign = |person: &Person| {
        let claim = person.claim(&world.order_hash(&wild));
        let path = format!("/orders/{}/sign", made["ref"].as_str().unwrap());
        world.call(person.put(path, &json!({ "claim": claim })))
    };
    sign(colleague).fails(422, &[422_914]);
    assert!(office.exists("7"));
    assert_eq!(sign(deputy).data()["status"], 7);
    assert!(!office.exists("7"));
}

#[test]
fn a_claim_for_one_kind_is_no_claim_for_another() {
    let office = Office::new();
    let (world, owner) = (&office.world, &office.owner);
    world.asset(owner, &office.ledger, "8", owner);
    for (signed, sent) in [(6, 7), (7, 6), (4, 7), (2, 7)] {
        let mut action = office.action(signed, owner, "8");
        action["assetImprint"] = json!(IMPRINT);
        action["receiverId"] = json!(owner.id());
        let mut body = office.order(owner, action);
        body["order"]["actions"][0]["kind"] = json!(sent);
        world
            .call(owner.post("/orders", &body))
            .fails(400, &[400_001]);
    }
    for kind in [0, 8] {
        let mut body = office.revocation(owner, "8");
        body["order"]["actions"][0]["kind"] = json!(kind);
        let refused = world.call(owner.post("/orders", &body));
        assert_eq!(refused.errors(), ["422900 order.actions[0].kind"]);
    }
    assert!(office.exists("8"));
}

#[test]
fn a_ledger_without_the_capability_keeps_its_assets() {
    // The capability to destroy is another one.
    let office = Office::of(World::new(), &[1, 2, 3]);
    office.revoke(&office.owner, "7").fails(422, &[422_915]);
    office
        .revoke(&office.colleague, "7")
        .fails(422, &[422_914, 422_915]);
    assert!(office.exists("7"));
}

#[test]
fn an_ability_that_was_taken_back_does_not_revoke() {
    let office = Office::new();
    let (world, deputy) = (&office.world, &office.deputy);
    let mut body = office.revocation(deputy, "7");
    body["automatedPerform"] = json!(false);
    let waiting = world.call(deputy.post("/orders", &body)).data();
    assert_eq!(waiting["status"], 0);
    office.give(deputy, &[1, 2, 16, 64, 128, 256, 512, 1024]);
    world.fails_to_perform(deputy, &waiting, 422_914);
    assert!(office.exists("7"));
}

#[test]
fn concurrent_withdrawals_of_an_asset_have_one_effect() {
    const ISOLATES: usize = 3;
    let service = Rc::new(std::cell::RefCell::new(Service::new(SETTINGS)));
    let office = Office::of(World::on(Box::new(Rc::clone(&service))), &[1, 2, 4]);
    let (world, owner, deputy) = (&office.world, &office.owner, &office.deputy);
    world.asset(owner, &office.ledger, "8", owner);
    let destroy = office.order(owner, office.action(6, owner, "8"));
    let take = json!({
        "kind": 2, "ledgerId": office.ledger["id"], "assetId": "8", "senderId": owner.id(), "receiverId": deputy.id(),
    });
    let calls = [
        deputy.post("/orders", &office.revocation(deputy, "8")),
        owner.post("/orders", &destroy),
        owner.post("/orders", &office.revocation(owner, "8")),
        owner.post("/orders", &office.order(owner, take)),
    ];
    let answers = block_on(service.borrow().answers_of_isolates(ISOLATES, &calls));
    assert_eq!(answers.len(), calls.len());
    world.host.settle();
    assert!(!office.exists("8"));
    let mut withdrawals = 0;
    for person in [owner, deputy] {
        for order in world
            .call(person.get("/orders?statuses=7&limit=100"))
            .data()
            .as_array()
            .expect("a list")
        {
            let actions = order["order"]["actions"].as_array().expect("actions");
            withdrawals += actions
                .iter()
                .filter(|action| {
                    action["assetId"] == "8" && [json!(6), json!(7)].contains(&action["kind"])
                })
                .count();
        }
    }
    assert_eq!(withdrawals, 1);
}
