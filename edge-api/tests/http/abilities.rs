//! Lists of abilities: by account and by ledger.

use order_core::Address;
use serde_json::{Value, json};

use crate::support::people::{Person, World};

/// Gives accounts abilities on a ledger, in one order.
fn grant(world: &World, owner: &Person, ledger: &Value, grants: &[(Address, Value)]) {
    let mut actions: Vec<Value> = grants
        .iter()
        .map(|(receiver, abilities)| {
            json!({
                "kind": 5, "ledgerId": ledger["id"], "senderId": owner.id(), "receiverId": receiver,
                "abilities": abilities,
            })
        })
        .collect();
    actions.push(world.payment(owner, "100000000000000000000"));
    let mut body = world.order(&[owner], json!(actions));
    world.sign(&mut body, &[owner]);
    let order = world.performed(owner, &body);
    assert_eq!(order["status"], 7, "{order}");
}

fn reference(ledger: &Value) -> &str {
    ledger["ref"].as_str().expect("a reference")
}

/// Returns all items of a list. Asserts that pages by cursor, pages by `skip` and the list in one answer have the same items.
fn walk(world: &World, person: &Person, path: &str, query: &str) -> Vec<Value> {
    let page = |query: String| {
        let answer = world.call(person.get(format!("{path}?{query}")));
        (answer.data(), answer.meta())
    };
    let mut walked = Vec::new();
    let mut after = String::new();
    loop {
        let (items, meta) = page(format!("{query}&limit=1{after}"));
        let (skipped, _) = page(format!("{query}&limit=1&skip={}", walked.len()));
        assert_eq!(items, skipped);
        walked.extend(items.as_array().expect("a list").iter().cloned());
        match meta["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => break,
        }
    }
    let (all, meta) = page(query.to_owned());
    assert_eq!(all, json!(walked));
    assert_eq!(meta["total"], walked.len());
    walked
}

#[test]
fn an_account_sees_its_abilities_on_every_ledger() {
    let world = World::new();
    let (owner, helper) = (world.funded(), Person::new());
    let first = world.ledger(&owner, &[]);
    world.host.advance(1);
    let second = world.ledger(&owner, &[]);
    grant(&world, &owner, &first, &[(helper.id(), json!([512, 16]))]);
    grant(&world, &owner, &second, &[(helper.id(), json!([1]))]);
    let entry = |ledger: &Value, abilities: Value| json!({ "ledgerRef": ledger["ref"], "ledgerId": ledger["id"], "abilities": abilities });
    let (one, two) = (entry(&first, json!([16, 512])), entry(&second, json!([1])));
    let newest = walk(&world, &helper, "/account/abilities", "");
    assert_eq!(newest, [two.clone(), one.clone()]);
    let oldest = walk(&world, &helper, "/account/abilities", "sort=1");
    assert_eq!(oldest, [one, two.clone()]);
    let all = json!([1, 2, 16, 32, 64, 128, 256, 512, 1024]);
    assert_eq!(
        world.call(owner.get("/account/abilities")).data(),
        json!([entry(&second, all.clone()), entry(&first, all)])
    );
    // Granting an empty list removes all abilities.
    grant(&world, &owner, &first, &[(helper.id(), json!([]))]);
    assert_eq!(
        world.call(helper.get("/account/abilities")).data(),
        json!([two])
    );
    assert_eq!(
        world.call(Person::new().get("/account/abilities")).data(),
        json!([])
    );
    for query in ["limit=x", "skip=-1", "sort=0"] {
        world
            .call(helper.get(format!("/account/abilities?{query}")))
            .fails(400, &[400_101]);
    }
}

#[test]
fn a_ledger_lists_accounts_with_their_abilities() {
    let world = World::new();
    let (owner, outsider) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[]);
    let people: Vec<Address> = (0..3).map(|_| Person::new().id()).collect();
    let grants: Vec<(Address, Value)> = people.iter().map(|id| (*id, json!([16]))).collect();
    grant(&world, &owner, &ledger, &grants);
    let proxies = &world.gateways.proxies;
    let mut expected: Vec<(Address, Value)> = grants;
    expected.extend([
        (owner.id(), json!([1, 2, 16, 32, 64, 128, 256, 512, 1024])),
        (proxies.create_asset, json!([16])),
        (proxies.update_asset, json!([128])),
        (proxies.manage_abilities, json!([1])),
    ]);
    expected.sort_by_key(|(id, _)| id.to_string().to_lowercase());
    let abilities: Vec<Value> = expected
        .iter()
        .map(|(id, abilities)| json!({ "accountId": id, "abilities": abilities }))
        .collect();
    let accounts: Vec<Value> = expected.iter().map(|(id, _)| json!(id)).collect();
    let path = |what: &str| format!("/ledgers/{}/{what}", reference(&ledger));

    // Any account may read these lists, by the ledger's reference or address.
    assert_eq!(
        walk(&world, &outsider, &path("abilities"), "sort=1"),
        abilities
    );
    assert_eq!(
        walk(&world, &outsider, &path("accounts"), "sort=1"),
        accounts
    );
    let by_address = format!(
        "/ledgers/{}/accounts?sort=1",
        ledger["id"].as_str().unwrap()
    );
    assert_eq!(world.call(outsider.get(by_address)).data(), json!(accounts));
    let backwards: Vec<Value> = accounts.iter().rev().cloned().collect();
    assert_eq!(
        walk(&world, &outsider, &path("accounts"), "sort=2"),
        backwards
    );

    // A filter accepts addresses with a checksum and in lower case. Unknown and invalid addresses match no account.
    let query = format!(
        "filterAccountIds={},{},{},x,0x12",
        people[0],
        people[1].to_string().to_lowercase(),
        outsider.id()
    );
    let mut wanted: Vec<Value> = vec![json!(people[0]), json!(people[1])];
    wanted.sort_by_key(|id| id.as_str().unwrap().to_lowercase());
    assert_eq!(
        walk(
            &world,
            &outsider,
            &path("accounts"),
            &format!("{query}&sort=1")
        ),
        wanted
    );
    let filtered = walk(
        &world,
        &outsider,
        &path("abilities"),
        &format!("{query}&sort=1"),
    );
    assert_eq!(
        filtered
            .iter()
            .map(|entry| entry["accountId"].clone())
            .collect::<Vec<_>>(),
        wanted
    );
    let nobody = world.call(outsider.get(format!("{}?filterAccountIds[]=x", path("accounts"))));
    assert_eq!(
        (nobody.data(), nobody.meta()),
        (json!([]), json!({ "skip": 0, "limit": 25, "total": 0 }))
    );
}

#[test]
fn lists_of_a_missing_ledger_are_refused() {
    let world = World::new();
    let person = Person::new();
    for name in ["none", "0x12", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"] {
        for what in ["abilities", "accounts"] {
            world
                .call(person.get(format!("/ledgers/{name}/{what}")))
                .fails(400, &[400_004]);
        }
    }
    let many = ["x"; 101].join(",");
    for query in [
        "limit=0".to_owned(),
        "sort=9".to_owned(),
        format!("filterAccountIds={many}"),
    ] {
        world
            .call(person.get(format!("/ledgers/none/abilities?{query}")))
            .fails(400, &[400_101]);
    }
}
