//! Ledgers and their assets, which any account may read.

use serde_json::json;

use crate::support::people::{IMPRINT, Person, World};

#[test]
fn accounts_with_an_ability_list_the_ledger() {
    let world = World::new();
    let (owner, outsider) = (world.funded(), Person::new());
    let first = world.ledger(&owner, &[]);
    world.host.advance(1);
    let second = world.ledger(&owner, &[2]);
    assert_eq!(
        world.call(owner.get("/ledgers")).data(),
        json!([second, first])
    );
    assert_eq!(
        world.call(owner.get("/ledgers?sort=1&limit=1")).data(),
        json!([first])
    );
    assert_eq!(
        world.call(owner.get("/ledgers")).meta(),
        json!({ "skip": 0, "limit": 25, "total": 2 })
    );
    assert_eq!(world.call(outsider.get("/ledgers")).data(), json!([]));
    // Any account may read a single ledger.
    assert_eq!(
        world
            .call(outsider.get(format!("/ledgers/{}", first["ref"].as_str().unwrap())))
            .data(),
        first
    );
}

#[test]
fn missing_ledgers_and_assets_are_400004_or_400005() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let reference = ledger["ref"].as_str().unwrap();
    let nobody = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    for name in ["none", nobody, "0x12", "'; DROP TABLE assets; --"] {
        let name = name.replace(' ', "%20");
        world
            .call(owner.get(format!("/ledgers/{name}")))
            .fails(400, &[400_004]);
        world
            .call(owner.get(format!("/ledgers/{name}/assets")))
            .fails(400, &[400_004]);
        world
            .call(owner.get(format!("/ledgers/{name}/assets/1")))
            .fails(400, &[400_004]);
    }
    let above = "115792089237316195423570985008687907853269984665640564039457584007913129639936";
    for id in ["1", "-1", "x", "1.0", "0x", above, "a%20b"] {
        world
            .call(owner.get(format!("/ledgers/{reference}/assets/{id}")))
            .fails(400, &[400_005]);
    }
    assert_eq!(
        world
            .call(owner.get(format!("/ledgers/{reference}/assets")))
            .data(),
        json!([])
    );
}

#[test]
fn assets_page_filter_and_sort_by_creation() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    // The order of the ids is not the order of creation. Each order creates two assets, which have the same time of creation.
    let create = |id: &str| {
        json!({
            "kind": 1, "ledgerId": ledger["id"], "assetId": id, "assetImprint": IMPRINT,
            "senderId": owner.id(), "receiverId": owner.id(),
        })
    };
    let max = "115792089237316195423570985008687907853269984665640564039457584007913129639935";
    for ids in [[max, "3"], ["20", "1"]] {
        let payment = world.payment(&owner, "6000000000000000000");
        let mut body = world.order(&[&owner], json!([create(ids[0]), create(ids[1]), payment]));
        world.sign(&mut body, &[&owner]);
        assert_eq!(world.performed(&owner, &body)["status"], 7);
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let path = format!("/ledgers/{}/assets", ledger["ref"].as_str().unwrap());
    let list = |query: &str| {
        let answer = world.call(owner.get(format!("{path}?{query}")));
        let ids: Vec<String> = answer
            .data()
            .as_array()
            .unwrap()
            .iter()
            .map(|asset| asset["id"].as_str().unwrap().to_owned())
            .collect();
        (ids, answer.meta())
    };
    let (all, meta) = list("sort=1");
    assert_eq!(meta["total"], 4);
    let descending: Vec<String> = all.iter().rev().cloned().collect();
    assert_eq!(list("").0, descending);
    let mut walked = Vec::new();
    let mut query = "sort=1&limit=1".to_owned();
    loop {
        let (page, meta) = list(&query);
        walked.extend(page);
        let Some(next) = meta["next"].as_str() else {
            break;
        };
        query = format!("sort=1&limit=1&after={next}");
    }
    assert_eq!(walked, all);
    assert_eq!(
        list("filterIds=3,0x14,77,x&sort=1"),
        (
            vec!["3".to_owned(), "20".to_owned()],
            json!({ "skip": 0, "limit": 25, "total": 2 })
        )
    );
    assert_eq!(list("skip=3&sort=1").0, all[3..]);
}

#[test]
fn assets_are_listed_by_their_owner() {
    let world = World::new();
    let (issuer, holder) = (world.funded(), Person::new());
    world.host.allow(&holder);
    let ledger = world.ledger(&issuer, &[]);
    for (asset, receiver) in [("1", &holder), ("2", &issuer), ("3", &holder)] {
        world.asset(&issuer, &ledger, asset, receiver);
    }
    let path = format!("/ledgers/{}/assets?sort=1", ledger["id"].as_str().unwrap());
    let list = |query: &str| {
        let answer = world.call(issuer.get(format!("{path}&{query}")));
        let data = answer.data();
        let ids = data.as_array().unwrap().iter();
        let ids: Vec<String> = ids
            .map(|asset| asset["id"].as_str().unwrap().to_owned())
            .collect();
        (ids.join(" "), answer.meta()["total"].clone())
    };
    let of_holder = format!("ownerId={}", holder.id());
    assert_eq!(list(&of_holder), ("1 3".to_owned(), json!(2)));
    assert_eq!(
        list(&format!("{of_holder}&limit=1")),
        ("1".to_owned(), json!(2))
    );
    assert_eq!(
        list(&format!("{of_holder}&filterIds=2,3")),
        ("3".to_owned(), json!(1))
    );
    assert_eq!(
        list(&of_holder.to_lowercase().replace("ownerid", "ownerId")),
        ("1 3".to_owned(), json!(2))
    );
    // An account without assets, and a value that is no account, match no asset.
    assert_eq!(
        list(&format!("ownerId={}", Person::new().id())),
        (String::new(), json!(0))
    );
    assert_eq!(list("ownerId=x"), (String::new(), json!(0)));
    assert_eq!(list("ownerId="), ("1 2 3".to_owned(), json!(3)));
}

#[test]
#[ignore = "needs the built Worker: cargo xtask test workerd"]
fn the_runtime_accepts_the_bookmarks_that_it_returned() {
    let world = World::new();
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let change = world.call(owner.post("/deposits", &json!({ "amount": 1000 })));
    let bookmark = change.header("x-bookmark").expect("a bookmark").to_owned();
    let target = format!("/ledgers/{}", ledger["ref"].as_str().unwrap());
    let read = world.call(owner.get(&target).header("x-bookmark", &bookmark));
    assert_eq!(read.data(), ledger);
    assert!(read.header("x-bookmark").expect("a bookmark") >= bookmark.as_str());
    let read = world.call(owner.get(&target));
    assert!(read.header("x-bookmark").expect("a bookmark") >= bookmark.as_str());
}
