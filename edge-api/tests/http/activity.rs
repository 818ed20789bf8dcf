//! The events of an account and of the ledgers that it manages.

use serde_json::{Value, json};

use crate::sessions::{bearer, token};
use crate::support::people::{IMPRINT, Person, World};

/// Returns the listed kinds, separated by spaces.
fn kinds(world: &World, caller: &Person, query: &str) -> String {
    let events = list(world, caller, query);
    let kinds = events
        .iter()
        .map(|event| event["kind"].as_str().expect("a kind"));
    kinds.collect::<Vec<_>>().join(" ")
}

fn list(world: &World, caller: &Person, query: &str) -> Vec<Value> {
    let answer = world.call(caller.get(format!("/activity?{query}")));
    answer.data().as_array().expect("a list").clone()
}

fn give(world: &World, owner: &Person, ledger: &Value, account: &Person, abilities: &[u16]) {
    let set = json!({
        "kind": 5, "ledgerId": ledger["id"], "abilities": abilities,
        "receiverId": account.id(), "senderId": owner.id(),
    });
    let mut body = world.order(
        &[owner],
        json!([set, world.payment(owner, "3000000000000000000")]),
    );
    world.sign(&mut body, &[owner]);
    assert_eq!(world.performed(owner, &body)["status"], 7);
    world.host.advance(5);
}

#[test]
fn managers_see_what_others_did_on_their_ledgers() {
    let world = World::new();
    let (owner, colleague) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    give(&world, &owner, &ledger, &colleague, &[512]);
    let create = json!({
        "kind": 1, "ledgerId": ledger["id"], "assetId": "7", "assetImprint": IMPRINT,
        "senderId": colleague.id(), "receiverId": owner.id(),
    });
    let payment = world.payment(&colleague, "3000000000000000000");
    let mut body = world.order(&[&colleague], json!([create, payment]));
    world.sign(&mut body, &[&colleague]);
    let made = world.performed(&colleague, &body);
    world.host.advance(5);

    assert_eq!(kinds(&world, &owner, ""), "issued abilitiesSet");
    let events = list(&world, &owner, "");
    assert_eq!(events[0]["by"], json!(colleague.id()));
    assert_eq!(events[0]["assetId"], "7");
    assert_eq!(events[0]["orderRef"], made["ref"]);
    assert_eq!(events[1]["accountId"], json!(colleague.id()));
    assert_eq!(events[1]["abilities"], json!([512]));
    assert_eq!(events[1]["by"], json!(owner.id()));

    // An account that may only create assets does not see what others did.
    assert_eq!(kinds(&world, &colleague, ""), "");
    give(&world, &owner, &ledger, &colleague, &[2, 512]);
    assert_eq!(
        kinds(&world, &colleague, ""),
        "abilitiesSet issued abilitiesSet"
    );

    let by_colleague = format!("accountId={}", colleague.id());
    assert_eq!(kinds(&world, &owner, &by_colleague), "issued");
    assert_eq!(
        kinds(&world, &owner, "kinds=abilitiesSet&sort=1&limit=1"),
        "abilitiesSet"
    );
    assert_eq!(kinds(&world, &owner, "ledgerRefs=none"), "");
    let reference = ledger["ref"].as_str().expect("a reference");
    assert_eq!(
        kinds(
            &world,
            &owner,
            &format!("ledgerRefs={reference}&kinds=issued")
        ),
        "issued"
    );
    assert_eq!(kinds(&world, &owner, "fromDate=2100-01-01"), "");
    world
        .call(owner.get("/activity?kinds=slept"))
        .fails(400, &[400_101]);
    world
        .call(owner.get("/activity?skip=501"))
        .fails(400, &[400_101]);
}

#[test]
fn a_replacement_is_an_event_of_the_account_that_signed_it() {
    let world = World::new();
    let (owner, colleague) = (world.funded(), world.funded());
    // The ledger's imprints can be updated.
    let ledger = world.ledger(&owner, &[1, 2]);
    give(&world, &owner, &ledger, &colleague, &[512, 1024]);
    world.asset(&owner, &ledger, "7", &owner);
    world.host.advance(5);
    let update = json!({
        "kind": 4, "ledgerId": ledger["id"], "assetId": "7", "assetImprint": "ab".repeat(32), "senderId": colleague.id(),
    });
    let payment = world.payment(&colleague, "3000000000000000000");
    let mut body = world.order(&[&colleague], json!([update, payment]));
    world.sign(&mut body, &[&colleague]);
    let made = world.performed(&colleague, &body);
    assert_eq!(made["status"], 7);
    world.host.advance(5);

    assert_eq!(kinds(&world, &owner, ""), "replaced issued abilitiesSet");
    let events = list(&world, &owner, "kinds=replaced");
    assert_eq!(events.len(), 1);
    assert_eq!(events[0]["by"], json!(colleague.id()));
    assert_eq!(events[0]["assetId"], "7");
    assert_eq!(events[0]["orderRef"], made["ref"]);
    let by_owner = format!("kinds=replaced&accountId={}", owner.id());
    assert_eq!(kinds(&world, &owner, &by_owner), "");
    // Each event is on one page, in both orders.
    for sort in [1, 2] {
        let mut read = Vec::new();
        for skip in 0..3 {
            read.extend(list(
                &world,
                &owner,
                &format!("limit=1&skip={skip}&sort={sort}"),
            ));
        }
        let mut read: Vec<_> = read.iter().map(|event| event["kind"].clone()).collect();
        if sort == 2 {
            read.reverse();
        }
        assert_eq!(json!(read), json!(["abilitiesSet", "issued", "replaced"]));
    }
    // The last imprint of a destroyed asset ended by its withdrawal.
    let destroy =
        json!({ "kind": 6, "ledgerId": ledger["id"], "assetId": "7", "senderId": owner.id() });
    let payment = world.payment(&owner, "3000000000000000000");
    let mut body = world.order(&[&owner], json!([destroy, payment]));
    world.sign(&mut body, &[&owner]);
    assert_eq!(world.performed(&owner, &body)["status"], 7);
    world.host.advance(5);
    assert_eq!(
        kinds(&world, &owner, ""),
        "withdrawn replaced issued abilitiesSet"
    );
}

#[test]
fn domains_and_keys_are_events_of_their_account() {
    let world = World::new();
    let (owner, manager) = (world.funded(), world.funded());
    let ledger = world.ledger(&owner, &[]);
    let reference = ledger["ref"].as_str().expect("a reference");
    let domain = json!({ "domain": "uni.example" });
    let of_ledger = format!("/ledgers/{reference}/domain");
    for call in [
        owner.put("/account/domain", &domain),
        owner.put(&of_ledger, &domain),
        owner.delete(&of_ledger),
        owner.delete("/account/domain"),
        // There is no domain to remove.
        owner.delete("/account/domain"),
    ] {
        world.call(call).data();
        world.host.advance(5);
    }
    let token = token(world.host.as_ref(), &owner);
    let body = json!({ "name": "Archive", "scopes": ["read"] });
    let key = world
        .call(bearer("POST", "/account/keys", &token).json(&body))
        .data();
    world.host.advance(5);
    let path = format!(
        "/account/keys/{}",
        key["ref"].as_str().expect("a reference")
    );
    world.call(bearer("DELETE", &path, &token)).data();

    let all = "keyRevoked keyCreated domainRemoved domainRemoved domainSet domainSet";
    assert_eq!(kinds(&world, &owner, ""), all);
    let events = list(&world, &owner, "kinds=keyRevoked,domainSet");
    assert_eq!(events[0]["keyName"], "Archive");
    assert_eq!(events[1]["ledgerRef"], ledger["ref"]);
    assert_eq!(
        [&events[2]["domain"], &events[2]["ledgerRef"]],
        [&json!("uni.example"), &Value::Null]
    );

    // Another manager of the ledger sees its domain, and neither keys nor other domains.
    give(&world, &owner, &ledger, &manager, &[2]);
    assert_eq!(
        kinds(&world, &manager, ""),
        "abilitiesSet domainRemoved domainSet"
    );

    let whole = list(&world, &owner, "");
    for query in ["sort=2".to_owned(), format!("accountId={}", owner.id())] {
        let (mut walked, mut after) = (Vec::new(), String::new());
        loop {
            let path = format!("/activity?{query}&limit=1{after}");
            let answer = world.call(owner.get(path));
            walked.extend(answer.data().as_array().expect("a list").clone());
            let Some(next) = answer.meta()["next"].as_str().map(str::to_owned) else {
                break;
            };
            after = format!("&after={next}");
        }
        assert_eq!(walked, whole, "{query}");
    }
}
