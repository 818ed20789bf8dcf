//! An instance without costs: accounts need no tokens to deploy ledgers, create assets and give approvals.

use serde_json::{Value, json};

use crate::support::people::{Person, World};
use crate::support::{Call, PRODUCTION, SETTINGS, ready, shared};

fn world() -> World {
    let mut settings: Vec<_> = SETTINGS
        .iter()
        .copied()
        .filter(|(name, _)| *name != "DEPOSITS")
        .collect();
    settings.extend([("DEPOSITS", "off"), ("PAYMENTS", "off")]);
    World::on(shared(&settings))
}

/// Returns a deployment that pays an amount to a receiver.
fn deployment(world: &World, owner: &Person, receiver: Value, value: &str) -> Value {
    let mut body = world.deployment(owner, &[1, 2]);
    body["deploy"]["tokenTransferData"]["receiverId"] = receiver;
    body["deploy"]["tokenTransferData"]["value"] = json!(value);
    world.sign_deployment(&mut body, owner);
    body
}

fn done(world: &World, person: &Person, path: &str, body: &Value) -> Value {
    let made = world.call(person.post(path, body)).data();
    world.host.settle();
    let target = format!("{path}/{}", made["ref"].as_str().expect("a reference"));
    let record = world.call(person.get(target)).data();
    assert_eq!(record["status"], 7, "{record}");
    record
}

#[test]
fn health_and_account_show_that_payments_are_off() {
    let world = world();
    let health = world.call(Call::get("/health")).data();
    assert_eq!(health["payments"], "off");
    let account = world.call(Person::new().get("/account")).data();
    assert_eq!(account["isPaymentRequired"], false);
    let costs = account["payment"].as_object().unwrap().iter();
    let costs: Vec<_> = costs.filter(|(name, _)| name.ends_with("Cost")).collect();
    assert_eq!(costs.len(), 10);
    assert!(costs.iter().all(|(_, cost)| **cost == "0"), "{costs:?}");
    let paid = World::new();
    assert_eq!(paid.call(Call::get("/health")).data()["payments"], "on");
    let account = paid.call(Person::new().get("/account")).data();
    assert_eq!(account["isPaymentRequired"], true);
}

#[test]
fn accounts_without_tokens_deploy_create_and_approve() {
    let world = world();
    let (owner, holder) = (Person::new(), Person::new());
    // Clients compute this payment from GET /account: zero, to the payment receiver.
    let receiver = json!(world.gateways.payment_receiver);
    let body = deployment(&world, &owner, receiver, "0");
    let made = done(&world, &owner, "/deployments", &body);
    let target = format!("/ledgers/{}", made["ledgerRef"].as_str().unwrap());
    let ledger = world.call(owner.get(target)).data();

    let create = |asset: &str| {
        json!({
            "kind": 1,
            "ledgerId": ledger["id"],
            "assetId": asset,
            "assetImprint": crate::support::people::IMPRINT,
            "senderId": owner.id(),
            "receiverId": holder.id(),
        })
    };
    // If there are no costs, an order may have no payment, or a payment of 0 as its last action.
    for (asset, actions) in [
        ("1", json!([create("1")])),
        ("2", json!([create("2"), world.payment(&owner, "0")])),
    ] {
        let mut order = world.order(&[&owner], actions);
        world.sign(&mut order, &[&owner]);
        done(&world, &owner, "/orders", &order);
        assert_eq!(
            world.owner_of(&ledger, asset),
            Some(json!(holder.id())),
            "{asset}"
        );
    }

    let mut body = world.value_approval(&holder, world.gateways.proxies.transfer_value, "7");
    body["approval"]["feeValue"] = json!("0");
    world.sign_approval(&mut body, &holder);
    done(&world, &holder, "/approvals", &body);
    let mut body = world.operator_approval(&holder, &ledger, owner.id(), true);
    body["approval"]["tokenTransferData"]["value"] = json!("0");
    world.sign_approval(&mut body, &holder);
    done(&world, &holder, "/approvals", &body);
}

#[test]
fn a_payment_of_zero_may_go_to_any_receiver() {
    let world = world();
    let owner = Person::new();
    let body = deployment(&world, &owner, json!(Person::new().id()), "0");
    done(&world, &owner, "/deployments", &body);
    // Even on an instance without costs, an account cannot spend tokens that it does not have.
    let receiver = json!(world.gateways.payment_receiver);
    let body = deployment(&world, &owner, receiver, "1");
    world
        .call(owner.post("/deployments", &body))
        .fails(422, &[422_079, 422_080]);
}

#[test]
fn only_listed_accounts_deploy() {
    let (owner, outsider) = (Person::new(), Person::new());
    let named = owner.id().to_string();
    let deployers = [("DEPLOYERS", named.as_str())];
    let world = World::on(shared(&[PRODUCTION, &deployers].concat()));
    let receiver = json!(world.gateways.payment_receiver);
    let body = deployment(&world, &outsider, receiver.clone(), "0");
    let refused = world.call(outsider.post("/deployments", &body));
    refused.fails(400, &[400_007]);
    // Any account may submit the deployment. Only its maker must be listed.
    let body = deployment(&world, &owner, receiver, "0");
    let made = world.call(outsider.post("/deployments", &body)).data();
    assert_eq!(made["status"], ready());
}
