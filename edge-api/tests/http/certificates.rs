//! The certificates of all ledgers of an account, their counts and their history.

use serde_json::{Value, json};

use crate::support::people::{IMPRINT, Person, World};

const OTHER: &str = "1111111111111111111111111111111111111111111111111111111111111111";

/// An office with a ledger on which assets can be updated and destroyed.
struct Office {
    world: World,
    owner: Person,
    ledger: Value,
}

impl Office {
    fn new() -> Self {
        let world = World::new();
        let owner = world.funded();
        let ledger = world.ledger(&owner, &[1, 2]);
        world.lets_ledger_collect(&owner, &ledger);
        let proxy = world.gateways.proxies.destroy_asset;
        let approval = world.operator_approval(&owner, &ledger, proxy, true);
        world.approved(&owner, &approval);
        Self {
            world,
            owner,
            ledger,
        }
    }

    fn perform(&self, signers: &[&Person], action: Value) -> Value {
        let payment = self.world.payment(&self.owner, "3000000000000000000");
        let mut body = self.world.order(signers, json!([action, payment]));
        self.world.sign(&mut body, signers);
        let made = self.world.performed(signers[0], &body);
        assert_eq!(made["status"], 7, "{made}");
        made
    }

    fn issue(&self, id: &str) {
        self.world.asset(&self.owner, &self.ledger, id, &self.owner);
        self.world.host.advance(5);
    }

    fn replace(&self, id: &str) -> Value {
        let made = self.perform(
            &[&self.owner],
            json!({
                "kind": 4, "ledgerId": self.ledger["id"], "assetId": id, "assetImprint": OTHER,
                "senderId": self.owner.id(),
            }),
        );
        self.world.host.advance(5);
        made
    }

    fn withdraw(&self, id: &str) -> Value {
        let made = self.perform(
            &[&self.owner],
            json!({ "kind": 6, "ledgerId": self.ledger["id"], "assetId": id, "senderId": self.owner.id() }),
        );
        self.world.host.advance(5);
        made
    }

    fn give(&self, account: &Person, abilities: &[u16]) {
        self.perform(
            &[&self.owner],
            json!({
                "kind": 5, "ledgerId": self.ledger["id"], "abilities": abilities,
                "receiverId": account.id(), "senderId": self.owner.id(),
            }),
        );
    }

    fn list(&self, caller: &Person, query: &str) -> Vec<Value> {
        let answer = self
            .world
            .call(caller.get(format!("/certificates?{query}")));
        answer.data().as_array().expect("a list").clone()
    }

    /// Returns the ids of the listed certificates, separated by spaces.
    fn ids(&self, query: &str) -> String {
        let all = self.list(&self.owner, query);
        let ids = all.iter().map(|one| one["id"].as_str().expect("an id"));
        ids.collect::<Vec<_>>().join(" ")
    }

    fn history(&self, caller: &Person, id: &str) -> Value {
        let ledger = self.ledger["ref"].as_str().expect("a reference");
        let path = format!("/ledgers/{ledger}/assets/{id}/history");
        self.world.call(caller.get(path)).data()["changes"].clone()
    }

    fn counts(&self) -> Value {
        let counts = self
            .world
            .call(self.owner.get("/certificates/counts"))
            .data();
        counts[0]["months"].clone()
    }
}

#[test]
fn certificates_keep_their_issuer_after_their_withdrawal() {
    let office = Office::new();
    for id in ["1", "2", "3"] {
        office.issue(id);
    }
    office.replace("2");
    office.withdraw("3");
    let owner = json!(office.owner.id());
    let all = office.list(&office.owner, "");
    let fields = |one: &Value| {
        ["id", "status", "createdBy", "endedBy", "imprint"].map(|field| one[field].clone())
    };
    let expected = [
        [
            json!("3"),
            json!("withdrawn"),
            owner.clone(),
            owner.clone(),
            json!(IMPRINT),
        ],
        [
            json!("2"),
            json!("replaced"),
            owner.clone(),
            Value::Null,
            json!(OTHER),
        ],
        [
            json!("1"),
            json!("in-force"),
            owner,
            Value::Null,
            json!(IMPRINT),
        ],
    ];
    assert_eq!(all.iter().map(fields).collect::<Vec<_>>(), expected);
    assert!(all[0]["endedAt"].is_string() && all[1]["replacedAt"].is_string());
    assert_eq!(all[2]["ledgerRef"], office.ledger["ref"]);
}

#[test]
fn every_filter_of_certificates_is_applied() {
    let office = Office::new();
    for id in ["1", "2", "3", "4"] {
        office.issue(id);
    }
    office.replace("2");
    office.withdraw("3");
    let stranger = Person::new().id();
    let owner = office.owner.id();
    let reference = office.ledger["ref"].as_str().expect("a reference");
    for (query, expected) in [
        ("sort=1".to_owned(), "1 2 3 4"),
        ("status=withdrawn".to_owned(), "3"),
        ("status=replaced".to_owned(), "2"),
        ("status=in-force".to_owned(), "4 1"),
        ("status=in-force,withdrawn".to_owned(), "4 3 1"),
        ("status=in-force,replaced&sort=1".to_owned(), "1 2 4"),
        ("filterIds=3,1,x".to_owned(), "3 1"),
        (format!("creatorId={owner}"), "4 3 2 1"),
        (
            format!("creatorId={owner}&status=replaced&filterIds=1,2"),
            "2",
        ),
        (format!("creatorId={stranger}"), ""),
        (format!("ownerId={owner}&status=withdrawn"), "3"),
        (format!("ownerId={owner}&status=in-force"), "4 1"),
        (format!("ownerId={stranger}"), ""),
        ("ownerId=x".to_owned(), ""),
        (format!("ledgerRefs={reference}"), "4 3 2 1"),
        ("ledgerRefs=none".to_owned(), ""),
        ("fromDate=2100-01-01".to_owned(), ""),
        (
            "toDate=2100-01-01&fromDate=2000-01-01".to_owned(),
            "4 3 2 1",
        ),
    ] {
        assert_eq!(office.ids(&query), expected, "{query}");
    }
    let call = |query: &str| {
        office
            .world
            .call(office.owner.get(format!("/certificates?{query}")))
    };
    call("status=gone").fails(400, &[400_101]);
    call("skip=501").fails(400, &[400_101]);
    let refs = vec!["a"; 51].join(",");
    call(&format!("ledgerRefs={refs}")).fails(400, &[400_101]);
}

#[test]
fn pages_of_certificates_merge_ledgers_and_lose_none() {
    let office = Office::new();
    let second = office.world.ledger(&office.owner, &[]);
    for id in ["1", "2", "3"] {
        office.issue(id);
        office
            .world
            .asset(&office.owner, &second, id, &office.owner);
        office.world.host.advance(5);
    }
    office.withdraw("2");
    let owner = office.owner.id();
    for query in [
        "sort=2".to_owned(),
        "sort=1".to_owned(),
        format!("creatorId={owner}"),
        "status=in-force".to_owned(),
    ] {
        let whole = office.list(&office.owner, &query);
        let count = if query.starts_with("status") { 5 } else { 6 };
        assert_eq!(whole.len(), count, "{query}");
        let mut walked = Vec::new();
        let mut after = String::new();
        loop {
            let path = format!("/certificates?{query}&limit=1{after}");
            let answer = office.world.call(office.owner.get(path));
            walked.extend(answer.data().as_array().expect("a list").clone());
            let meta = answer.meta();
            assert_eq!(meta["total"], count);
            let Some(next) = meta["next"].as_str() else {
                break;
            };
            after = format!("&after={next}");
        }
        assert_eq!(walked, whole, "{query}");
    }
}

#[test]
fn another_ledgers_certificates_are_listed_only_with_an_ability() {
    let office = Office::new();
    office.issue("1");
    let colleague = office.world.funded();
    assert!(office.list(&colleague, "").is_empty());
    office.give(&colleague, &[512]);
    assert_eq!(office.list(&colleague, "").len(), 1);
    // The colleague signs the creation in an order of the owner.
    office.perform(
        &[&office.owner, &colleague],
        json!({
            "kind": 1, "ledgerId": office.ledger["id"], "assetId": "2", "assetImprint": IMPRINT,
            "senderId": colleague.id(), "receiverId": office.owner.id(),
        }),
    );
    let by_colleague = format!("creatorId={}", colleague.id());
    assert_eq!(office.ids(&by_colleague), "2");
    assert_eq!(
        office.list(&office.owner, &by_colleague)[0]["createdBy"],
        json!(colleague.id())
    );
    office.withdraw("2");
    assert_eq!(office.ids(&by_colleague), "2");
    office.give(&colleague, &[]);
    assert!(office.list(&colleague, "").is_empty());
}

#[test]
fn the_history_of_an_asset_names_each_change() {
    let office = Office::new();
    let holder = Person::new();
    office.world.host.allow(&holder);
    office.issue("1");
    let replaced = office.replace("1");
    office.perform(
        &[&office.owner],
        json!({
            "kind": 2, "ledgerId": office.ledger["id"], "assetId": "1",
            "senderId": office.owner.id(), "receiverId": holder.id(),
        }),
    );
    office.issue("2");
    let withdrawn = office.withdraw("2");
    office.issue("2");
    // Any account may read it.
    let history = office.history(&Person::new(), "1");
    let kinds = |history: &Value| {
        let kinds = history.as_array().expect("a list").iter();
        let kinds = kinds.map(|change| change["kind"].as_str().expect("a kind").to_owned());
        kinds.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(kinds(&history), "transferred replaced issued");
    assert_eq!(history[0]["fromId"], json!(office.owner.id()));
    assert_eq!(history[0]["toId"], json!(holder.id()));
    assert_eq!(history[1]["orderRef"], replaced["ref"]);
    assert_eq!(history[1]["pastImprint"], IMPRINT);
    for change in history.as_array().expect("a list") {
        assert_eq!(change["by"], json!(office.owner.id()));
    }
    let again = office.history(&office.owner, "2");
    assert_eq!(kinds(&again), "issued withdrawn issued");
    assert_eq!(again[1]["orderRef"], withdrawn["ref"]);
    let ledger = office.ledger["ref"].as_str().expect("a reference");
    for (path, code) in [
        (format!("/ledgers/{ledger}/assets/9/history"), 400_005),
        (format!("/ledgers/{ledger}/assets/x/history"), 400_005),
        ("/ledgers/none/assets/1/history".to_owned(), 400_004),
    ] {
        office
            .world
            .call(office.owner.get(path))
            .fails(400, &[code]);
    }
}

#[test]
fn counts_follow_every_change_of_status() {
    let office = Office::new();
    let numbers = |counts: &Value| {
        ["issued", "inForce", "replaced", "withdrawn"].map(|name| counts[0][name].as_u64())
    };
    let expect = |expected: [u64; 4]| {
        assert_eq!(numbers(&office.counts()), expected.map(Some));
    };
    assert_eq!(office.counts(), json!([]));
    for id in ["1", "2", "3"] {
        office.issue(id);
    }
    expect([3, 3, 0, 0]);
    office.replace("1");
    expect([3, 2, 1, 0]);
    office.withdraw("1");
    expect([3, 2, 0, 1]);
    office.withdraw("2");
    expect([3, 1, 0, 2]);
    // An id that is issued again counts twice.
    office.issue("1");
    expect([4, 2, 0, 2]);
    assert_eq!(office.ids("status=withdrawn"), "2");
    office.withdraw("1");
    expect([4, 1, 0, 3]);
}
