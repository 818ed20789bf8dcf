//! Reads of contracts. Right before a request, transactions that the service did not send change the contracts.

use edge_api::ports::Clock;
use order_core::Address;
use serde_json::{Value, json};

use super::scene::Scene;
use crate::support::Call;
use crate::support::anvil::Arg;
use crate::support::people::{CREATE_COST, IMPRINT, Person, World};

/// The error codes of an accepted request: none.
const NONE: [u64; 0] = [];

/// The number of base units in a token: 10^18.
const TOKEN: u128 = 10_u128.pow(18);

impl Scene {
    /// Calls the ledger's contract in a transaction of this account.
    fn transact(&self, from: Address, function: &str, args: &[Arg<'_>]) {
        self.anvil.send(from, self.contract(), function, args);
    }

    fn token(&self) -> Address {
        self.anvil.contract("token")
    }

    fn account(&self, person: &Person) -> crate::support::Answer {
        self.world.call(person.get("/account"))
    }

    fn asset(&self, id: &str) -> crate::support::Answer {
        let reference = self.ledger["ref"].as_str().unwrap();
        let target = format!("/ledgers/{reference}/assets/{id}");
        self.world.call(self.owner.get(target))
    }

    /// Sends a paid order that transfers asset 1 from the owner to a new account. Returns the error codes, or none if the order is accepted.
    fn transfer_codes(&self) -> Vec<u64> {
        let receiver = Person::new();
        let action = json!({
            "kind": 2,
            "ledgerId": self.ledger["id"],
            "assetId": "1",
            "senderId": self.owner.id(),
            "receiverId": receiver.id(),
        });
        self.codes(json!([
            action,
            self.world.payment(&self.owner, "1100000000000000000")
        ]))
    }

    /// Sends a paid order that creates asset 2. Returns the error codes, or none if the order is accepted.
    fn create_codes(&self) -> Vec<u64> {
        let body = self
            .world
            .creation(&self.owner, &self.ledger, "2", &self.owner);
        self.codes(body["order"]["actions"].clone())
    }

    /// Sends an order of the owner that is stored but not performed. Returns the error codes, or none if the order is accepted.
    fn codes(&self, actions: Value) -> Vec<u64> {
        let mut body = self.world.order(&[&self.owner], actions);
        body["automatedPerform"] = json!(false);
        self.world.sign(&mut body, &[&self.owner]);
        self.world.call(self.owner.post("/orders", &body)).codes()
    }
}

/// Formats a time like the service's responses.
fn time(milliseconds: u64) -> String {
    let time = jiff::Timestamp::from_millisecond(i64::try_from(milliseconds).unwrap());
    format!("{:.3}", time.unwrap())
}

/// Parses the hexadecimal digits of an imprint as a number.
fn imprint(digits: &str) -> order_core::Amount {
    order_core::Amount::from_hex64(digits).unwrap()
}

#[test]
fn requests_are_checked_against_the_contracts() {
    let scene = Scene::new(&[]);
    scene
        .world
        .asset(&scene.owner, &scene.ledger, "1", &scene.owner);
    let owner = Arg::Account(scene.owner.id());
    let proxy = scene.world.gateways.proxies.safe_transfer_asset;
    assert_eq!(
        (scene.transfer_codes(), scene.create_codes()),
        (vec![], vec![])
    );

    // Operators and single approvals.
    let operator = |is_operator| [Arg::Account(proxy), Arg::Flag(is_operator)];
    scene.transact(
        scene.owner.id(),
        "setApprovalForAll(address,bool)",
        &operator(false),
    );
    assert_eq!(scene.transfer_codes(), [422_073]);
    scene.transact(
        scene.owner.id(),
        "approve(address,uint256)",
        &[Arg::Account(proxy), Arg::Number(1)],
    );
    assert_eq!(scene.transfer_codes(), NONE);

    // The index has the ledger's capabilities, but not its pause. Only the simulation finds that transfers are paused.
    scene.transact(scene.owner.id(), "setPause(bool)", &[Arg::Flag(true)]);
    assert_eq!(
        (scene.transfer_codes(), scene.create_codes()),
        (vec![422_911], vec![])
    );
    scene.transact(scene.owner.id(), "setPause(bool)", &[Arg::Flag(false)]);

    // Abilities.
    scene.transact(
        scene.owner.id(),
        "grantAbilities(address,uint256)",
        &[owner.clone(), Arg::Number(512)],
    );
    let creator = [owner.clone(), Arg::Number(512)];
    scene.transact(
        scene.owner.id(),
        "revokeAbilities(address,uint256)",
        &creator,
    );
    assert_eq!(scene.create_codes(), [422_071]);
    scene.transact(
        scene.owner.id(),
        "grantAbilities(address,uint256)",
        &creator,
    );

    // Owners and existing assets.
    scene.transact(
        scene.owner.id(),
        "transferFrom(address,address,uint256)",
        &[owner, Arg::Account(scene.anvil.owner()), Arg::Number(1)],
    );
    assert_eq!(scene.transfer_codes(), [422_074]);
    let create = [
        Arg::Account(scene.owner.id()),
        Arg::Number(2),
        Arg::Amount(imprint(IMPRINT)),
    ];
    scene.transact(scene.owner.id(), "create(address,uint256,bytes32)", &create);
    assert_eq!(scene.create_codes(), [422_013]);
    scene.transact(scene.owner.id(), "destroy(uint256)", &[Arg::Number(2)]);
    assert_eq!(scene.create_codes(), NONE);
}

#[test]
fn payments_are_checked_against_the_token() {
    let scene = Scene::new(&[]);
    let token = scene.token();
    let create = || scene.create_codes();
    assert_eq!(create(), NONE);
    let proxy = scene.world.gateways.proxies.transfer_value;
    let allow = |amount| {
        scene.anvil.send(
            scene.owner.id(),
            token,
            "approve(address,uint256)",
            &[Arg::Account(proxy), Arg::Number(amount)],
        );
    };
    allow(0);
    assert_eq!(create(), [422_076]);
    allow(CREATE_COST.parse().unwrap());
    assert_eq!(create(), NONE);
    // The token lets only some accounts receive payments.
    let other = Person::new();
    let mut payment = scene.world.payment(&scene.owner, "1");
    payment["receiverId"] = json!(other.id());
    let fee = scene.world.payment(&scene.owner, "1000000000000000000");
    let codes = scene.codes(json!([payment, fee]));
    assert!(codes.contains(&422_910), "{codes:?}");
    let listed = [
        Arg::Account(scene.anvil.payment_receiver()),
        Arg::Flag(false),
    ];
    scene.anvil.send(
        scene.anvil.owner(),
        token,
        "setWhitelistedRecipient(address,bool)",
        &listed,
    );
    assert_eq!(create(), [422_910]);
    let listed = [
        Arg::Account(scene.anvil.payment_receiver()),
        Arg::Flag(true),
    ];
    scene.anvil.send(
        scene.anvil.owner(),
        token,
        "setWhitelistedRecipient(address,bool)",
        &listed,
    );
    // The owner sends all tokens to an account that may receive them.
    let all = scene.world.balance(&scene.owner);
    let transfer = [
        Arg::Account(scene.anvil.payment_receiver()),
        Arg::Number(all),
    ];
    scene.anvil.send(
        scene.owner.id(),
        token,
        "transfer(address,uint256)",
        &transfer,
    );
    assert_eq!(create(), [422_075]);
    assert_eq!(scene.world.balance(&scene.owner), 0);
}

#[test]
fn an_asset_is_read_from_the_last_block() {
    let scene = Scene::new(&[]);
    scene
        .world
        .asset(&scene.owner, &scene.ledger, "1", &scene.owner);
    let indexed = scene.asset("1").data();
    let holder = Person::new();
    // A transfer, and a change of the metadata's address. The change writes no log.
    let transfer = [
        Arg::Account(scene.owner.id()),
        Arg::Account(holder.id()),
        Arg::Number(1),
    ];
    scene.transact(
        scene.owner.id(),
        "transferFrom(address,address,uint256)",
        &transfer,
    );
    let uri = [Arg::Text("https://new.example/"), Arg::Text("")];
    scene.transact(scene.owner.id(), "setUri(string,string)", &uri);
    let answer = scene.asset("1");
    let asset = answer.data();
    assert_eq!(asset["ownerId"], holder.id().to_string());
    assert_eq!(asset["uri"], "https://new.example/1");
    assert_eq!(
        (&asset["imprint"], &asset["createdAt"]),
        (&indexed["imprint"], &indexed["createdAt"])
    );
    let head = scene.anvil.head();
    assert_eq!(
        answer.meta(),
        json!({ "block": { "number": head, "final": false } })
    );
    // With an empty prefix, the asset has no metadata address.
    scene.transact(
        scene.owner.id(),
        "setUri(string,string)",
        &[Arg::Text(""), Arg::Text("x")],
    );
    assert_eq!(scene.asset("1").data()["uri"], "");
    // The index does not have this asset yet.
    let create = [
        Arg::Account(holder.id()),
        Arg::Number(7),
        Arg::Amount(imprint(IMPRINT)),
    ];
    scene.transact(scene.owner.id(), "create(address,uint256,bytes32)", &create);
    let asset = scene.asset("7").data();
    assert_eq!(
        (&asset["ownerId"], &asset["imprint"]),
        (&json!(holder.id()), &json!(IMPRINT))
    );
    // The index still has this asset, although it is destroyed.
    scene.transact(holder.id(), "destroy(uint256)", &[Arg::Number(1)]);
    scene.asset("1").fails(400, &[400_005]);
}

#[test]
fn without_providers_an_asset_is_read_from_the_index() {
    let scene = Scene::new(&[]);
    scene
        .world
        .asset(&scene.owner, &scene.ledger, "1", &scene.owner);
    let before = scene.asset("1").data();
    scene.service.borrow().work();
    let indexed = scene.anvil.head();
    let transfer = [
        Arg::Account(scene.owner.id()),
        Arg::Account(scene.anvil.owner()),
        Arg::Number(1),
    ];
    scene.transact(
        scene.owner.id(),
        "transferFrom(address,address,uint256)",
        &transfer,
    );
    scene.lose_providers();
    let answer = scene.asset("1");
    assert_eq!(answer.data(), before);
    assert_eq!(
        answer.meta(),
        json!({ "block": { "number": indexed, "final": false } })
    );
}

#[test]
fn without_providers_a_balance_is_the_last_known_one() {
    let scene = Scene::new(&[]);
    let (known, unknown) = (World::credited(&scene.anvil), Person::new());
    let answer = scene.account(&known);
    let head = scene.anvil.head();
    assert_eq!(
        answer.meta(),
        json!({ "block": { "number": head, "final": false } })
    );
    assert_eq!(answer.data()["balance"], (10_000 * TOKEN).to_string());
    // The response to a change of the account has the same balance and block.
    let erased = scene.world.call(known.delete("/account/information"));
    assert_eq!(
        (erased.meta(), erased.data()),
        (answer.meta(), answer.data())
    );
    let read_at = scene.anvil.clock.now_ms();
    // Within a minute, an unchanged balance is not stored again. A changed balance is.
    scene.anvil.clock.advance(30_000);
    scene.account(&known).data();
    scene.lose_providers();
    let answer = scene.account(&known);
    assert_eq!(answer.data()["balance"], (10_000 * TOKEN).to_string());
    assert_eq!(answer.meta(), json!({ "asOf": time(read_at) }));
    scene.account(&unknown).fails(503, &[503_001]);
    scene
        .providers
        .iter()
        .for_each(|provider| provider.recover());
    scene.anvil.credit(known.id(), TOKEN);
    scene.account(&known).data();
    let read_at = scene.anvil.clock.now_ms();
    scene.lose_providers();
    let answer = scene.account(&known);
    assert_eq!(answer.data()["balance"], (10_001 * TOKEN).to_string());
    assert_eq!(answer.meta(), json!({ "asOf": time(read_at) }));
}

#[test]
fn without_providers_health_answers_200_with_a_problem() {
    let scene = Scene::new(&[]);
    scene
        .world
        .asset(&scene.owner, &scene.ledger, "1", &scene.owner);
    scene.service.borrow().work();
    let health = || scene.world.call(Call::get("/health"));
    // The string that a monitor should search for, according to `docs/operating.md`.
    let sign = "\"problem\":null";
    assert!(health().text().contains(sign));
    scene.lose_providers();
    scene.anvil.clock.advance(2_000);
    let answer = health();
    assert_eq!((answer.status, answer.text().contains(sign)), (200, false));
    assert!(answer.data()["chain"]["problem"].is_string());
    // Reads still work. New orders are refused.
    let target = format!("/ledgers/{}/assets", scene.ledger["ref"].as_str().unwrap());
    assert_eq!(scene.world.call(scene.owner.get(target)).status, 200);
    let body = scene
        .world
        .creation(&scene.owner, &scene.ledger, "2", &scene.owner);
    let refused = scene.world.call(scene.owner.post("/orders", &body));
    refused.fails(503, &[503_001]);
}

#[test]
fn one_provider_is_enough_for_reads() {
    let scene = Scene::new(&[]);
    scene.providers[0].go_down();
    assert_eq!(scene.account(&scene.owner).status, 200);
    assert_eq!(scene.create_codes(), NONE);
}

#[test]
fn an_order_of_assets_that_a_stranger_makes_up_causes_few_calls() {
    let scene = Scene::new(&[]);
    let stranger = Person::new();
    let actions: Vec<Value> = (0..99)
        .map(|id| {
            json!({ "kind": 2, "ledgerId": scene.ledger["id"], "assetId": (1_000 + id).to_string(),
                "senderId": stranger.id(), "receiverId": Person::new().id() })
        })
        .chain([scene.world.payment(&stranger, "900000000000000000000")])
        .collect();
    let mut body = scene.world.order(&[&stranger], json!(actions));
    scene.world.sign(&mut body, &[&stranger]);
    scene.calls("");
    let refused = scene.world.call(stranger.post("/orders", &body));
    assert_eq!(refused.status, 422);
    // The answer still names many of the actions.
    let errors = refused.errors();
    assert!(errors.len() > 20, "{errors:?}");
    assert!(errors.contains(&"422074 order.actions[0].senderId".to_owned()));
    assert_at_most(7, scene.calls(""));
}

/// The calls for the rules of an order, and its simulation.
const CALLS: usize = 31;

#[track_caller]
fn assert_at_most(limit: usize, calls: usize) {
    assert!(calls <= limit, "{calls} calls");
}

impl Scene {
    /// Returns the number of calls since the last call of this function whose methods start with `prefix`.
    fn calls(&self, prefix: &str) -> usize {
        let calls = self
            .providers
            .iter()
            .flat_map(|provider| provider.take_calls());
        calls.filter(|method| method.starts_with(prefix)).count()
    }

    /// Returns an order in which each payer moves nothing, and the last payer moves nothing to `last`. The buyer pays for the order. Nothing is
    /// signed.
    fn moving_nothing(&self, payers: &[Person], buyer: &Person, last: &str) -> Value {
        let mut actions: Vec<Value> = payers
            .iter()
            .map(|payer| self.world.payment(payer, "0"))
            .collect();
        actions.last_mut().unwrap()["receiverId"] = json!(last);
        let cost = actions.len() as u128 * TOKEN;
        actions.push(self.world.payment(buyer, &cost.to_string()));
        let mut signers: Vec<&Person> = payers.iter().collect();
        signers.push(buyer);
        self.world.order(&signers, json!(actions))
    }
}

#[test]
fn an_order_that_fails_only_on_the_chain_causes_few_calls() {
    let scene = Scene::new(&[]);
    let owner = &scene.owner;
    // The token allows none of these receivers, but the index does not have this fact.
    let mut actions: Vec<Value> = (0..99)
        .map(|_| {
            let mut action = scene.world.payment(owner, "0");
            action["receiverId"] = json!(Person::new().id());
            action
        })
        .collect();
    actions.push(scene.world.payment(owner, &(99 * TOKEN).to_string()));
    let mut body = scene.world.order(&[owner], json!(actions));
    scene.world.sign(&mut body, &[owner]);
    scene.calls("");
    let refused = scene.world.call(owner.post("/orders", &body));
    assert_eq!(refused.status, 422);
    let errors = refused.errors();
    let is_of_receiver = |error: &String| error.starts_with("422910");
    assert!(
        errors.len() > 20 && errors.iter().all(is_of_receiver),
        "{errors:?}"
    );
    assert_at_most(CALLS, scene.calls(""));
}

#[test]
fn a_simulation_refuses_an_order_whose_last_action_fails() {
    let scene = Scene::new(&[]);
    let payers: Vec<Person> = (0..31).map(|_| Person::new()).collect();
    let mut body = scene.moving_nothing(&payers, &scene.owner, &Person::new().id().to_string());
    let signers: Vec<&Person> = payers.iter().chain([&scene.owner]).collect();
    scene.world.sign(&mut body, &signers);
    scene.calls("");
    let refused = scene.world.call(payers[0].post("/orders", &body));
    assert_eq!(refused.status, 422);
    let errors = refused.errors();
    assert!(errors.contains(&"422910".to_owned()), "{errors:?}");
    assert_at_most(CALLS, scene.calls(""));
}

#[test]
fn a_stored_order_that_the_contracts_refuse_causes_few_calls() {
    let scene = Scene::new(&[]);
    let payers: Vec<Person> = (0..31).map(|_| Person::new()).collect();
    let mut body = scene.moving_nothing(&payers, &scene.owner, &Person::new().id().to_string());
    let signers: Vec<&Person> = payers.iter().collect();
    scene.world.sign(&mut body, &signers);
    scene.calls("");
    let order = scene.world.call(payers[0].post("/orders", &body)).data();
    let target = format!("/orders/{}", order["ref"].as_str().unwrap());
    assert_at_most(CALLS, scene.calls(""));
    let claim = scene.owner.claim(&scene.world.order_hash(&body));
    let sign = scene
        .owner
        .put(format!("{target}/sign"), &json!({ "claim": claim }));
    scene.world.call(sign).data();
    scene.service.borrow().work();
    let order = scene.world.call(payers[0].get(target)).data();
    assert_eq!(
        (&order["status"], &order["error"]["code"]),
        (&json!(4), &json!(422_910))
    );
    assert_at_most(CALLS, scene.calls("eth_call"));
}

#[test]
fn the_index_does_not_refuse_an_order_that_the_chain_allows() {
    let scene = Scene::new(&[]);
    let payers: Vec<Person> = (0..31).map(|_| Person::new()).collect();
    // The index does not have these tokens yet.
    let buyer = World::credited(&scene.anvil);
    let receiver = scene.anvil.payment_receiver().to_string();
    let mut body = scene.moving_nothing(&payers, &buyer, &receiver);
    let signers: Vec<&Person> = payers.iter().chain([&buyer]).collect();
    scene.world.sign(&mut body, &signers);
    scene.calls("");
    scene.world.call(buyer.post("/orders", &body)).data();
    assert_at_most(CALLS, scene.calls(""));
}
