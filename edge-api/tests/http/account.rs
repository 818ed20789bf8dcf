//! An account's information about itself, and the routes that require it.

use std::cell::RefCell;
use std::rc::Rc;

use edge_api::native::Sqlite;
use edge_api::ports::Statement;
use serde_json::{Value, json};

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{self, Call, SETTINGS, with};

fn information() -> Value {
    json!({
        "firstName": "Ada", "lastName": "Byron", "email": "ada@example.com", "streetAddress": "1 Main Street",
        "postalCode": "1000", "city": "Ljubljana", "country": "Slovenia",
    })
}

fn company() -> Value {
    json!({
        "name": "Engines Ltd", "streetAddress": "2 Main Street", "postalCode": "1000", "city": "Ljubljana",
        "country": "Slovenia", "taxNumber": "SI123", "phoneNumber": 38_640_123_456_u64,
    })
}

#[test]
fn an_account_shows_the_last_stored_information() {
    let world = World::new();
    let person = Person::new();
    let before = world.call(person.get("/account")).data();
    assert_eq!(
        (
            &before["information"],
            &before["isIdentified"],
            &before["createdAt"]
        ),
        (&json!(null), &json!(false), &json!(null))
    );
    let answer = world.call(person.put("/account", &information()));
    let stored = answer.data();
    assert_eq!(answer.status, 200);
    let mut expected = information();
    expected["isCompany"] = json!(false);
    expected["companyInformation"] = json!(null);
    assert_eq!(
        (&stored["information"], &stored["isIdentified"]),
        (&expected, &json!(true))
    );
    assert!(stored["createdAt"].is_string());
    assert_eq!(world.call(person.get("/account")).data(), stored);

    let mut other = information();
    other["isCompany"] = json!(true);
    other["companyInformation"] = company();
    let stored = world.call(person.put("/account", &other)).data();
    assert_eq!(stored["information"]["companyInformation"], company());
    // An account that is not a company has no company information, even if the request contains it.
    other["isCompany"] = json!(false);
    let stored = world.call(person.put("/account", &other)).data();
    assert_eq!(stored["information"]["companyInformation"], json!(null));
    // Other accounts are unchanged.
    let outsider = world.call(Person::new().get("/account")).data();
    assert_eq!(outsider["information"], json!(null));
}

#[test]
fn an_account_lists_the_addresses_for_claims_and_payments() {
    let world = World::new();
    let account = world.call(Person::new().get("/account")).data();
    let keys =
        |value: &Value| -> Vec<String> { value.as_object().unwrap().keys().cloned().collect() };
    assert_eq!(
        keys(&account),
        [
            "balance",
            "createdAt",
            "feeAllowance",
            "gateway",
            "id",
            "information",
            "isIdentified",
            "isPaymentRequired",
            "mayDeploy",
            "payment"
        ]
    );
    assert_eq!(
        keys(&account["payment"]),
        [
            "assetApproveCost",
            "assetCreateCost",
            "assetDeployCost",
            "assetDestroyCost",
            "assetRevokeCost",
            "assetTransferCost",
            "assetUpdateCost",
            "dappValueApproveCost",
            "receiverAddress",
            "setAbilitiesCost",
            "tokenAddress",
            "valueTransferCost"
        ]
    );
    assert_eq!(
        keys(&account["gateway"]),
        [
            "actionsOrderId",
            "assetLedgerDeployOrderId",
            "backend",
            "chainId",
            "proxies"
        ]
    );
    assert_eq!(
        keys(&account["gateway"]["proxies"]),
        [
            "createAsset",
            "destroyAsset",
            "manageAbilities",
            "safeTransferAsset",
            "transferAsset",
            "transferValue",
            "updateAsset"
        ]
    );
    assert_eq!(account["payment"]["assetDeployCost"], "5000000000000000000");
}

#[test]
fn every_invalid_field_has_its_error_code() {
    let world = World::new();
    let person = Person::new();
    let mut whole = information();
    whole["isCompany"] = json!(true);
    whole["companyInformation"] = company();
    let required = [
        ("/firstName", 422_098),
        ("/lastName", 422_099),
        ("/email", 422_100),
        ("/streetAddress", 422_102),
        ("/postalCode", 422_103),
        ("/city", 422_104),
        ("/country", 422_105),
        ("/companyInformation/name", 422_107),
        ("/companyInformation/streetAddress", 422_108),
        ("/companyInformation/postalCode", 422_109),
        ("/companyInformation/city", 422_110),
        ("/companyInformation/country", 422_111),
        ("/companyInformation/taxNumber", 422_112),
        ("/companyInformation/phoneNumber", 422_113),
    ];
    let check = |pointer: &str, value: Option<Value>, code: u64| {
        let body = with(&whole, pointer, value.clone());
        let answer = world.call(person.put("/account", &body));
        let path = pointer.trim_start_matches('/').replace('/', ".");
        assert_eq!(
            (answer.status, answer.errors()),
            (422, vec![format!("{code} {path}")]),
            "{pointer} {value:?}"
        );
    };
    for (pointer, code) in required {
        for value in [
            None,
            Some(json!(null)),
            Some(json!("")),
            Some(json!(" \t")),
            Some(json!([])),
            Some(json!(true)),
        ] {
            check(pointer, value, code);
        }
        check(pointer, Some(json!("x".repeat(256))), 422_900);
    }
    for email in [
        "x",
        "a@b",
        "a b@example.com",
        "a@example.com\nBcc: b@example.com",
    ] {
        check("/email", Some(json!(email)), 422_101);
    }
    for number in [json!(-1), json!(1.5), json!(1e30)] {
        check("/companyInformation/phoneNumber", Some(number), 422_113);
    }
    for flag in [json!("true"), json!(1), json!("")] {
        check("/isCompany", Some(flag), 422_900);
    }
    for company in [None, Some(json!(null)), Some(json!("x")), Some(json!([]))] {
        check("/companyInformation", company, 422_106);
    }
    // All errors are reported together, and nothing is stored.
    let answer = world.call(person.put(
        "/account",
        &json!({ "isCompany": true, "companyInformation": {} }),
    ));
    assert_eq!(answer.codes(), required.map(|(_, code)| code));
    for nothing in [json!({}), json!([]), json!("x"), json!(null)] {
        world
            .call(person.put("/account", &nothing))
            .fails(422, &[422_097]);
    }
    let account = world.call(person.get("/account")).data();
    assert_eq!(
        (&account["information"], &account["createdAt"]),
        (&json!(null), &json!(null))
    );
}

#[test]
fn a_phone_number_may_be_a_number_or_a_string() {
    let world = World::new();
    let person = Person::new();
    for phone in [
        json!(0),
        json!("+386 40 123 456"),
        json!(38_640_123_456_u64),
    ] {
        let mut body = information();
        body["isCompany"] = json!(true);
        body["companyInformation"] = company();
        body["companyInformation"]["phoneNumber"] = phone.clone();
        let stored = world.call(person.put("/account", &body)).data();
        assert_eq!(
            stored["information"]["companyInformation"]["phoneNumber"],
            phone
        );
    }
}

/// Settings of an instance that requires identified accounts.
fn strict() -> Vec<(&'static str, &'static str)> {
    [SETTINGS, &[("REQUIRE_IDENTIFICATION", "true")]].concat()
}

#[test]
fn unidentified_accounts_are_restricted_if_identification_is_required() {
    let world = World::on(support::shared(&strict()));
    let person = Person::new();
    let reference = "018bcfe5-6800-7000-8000-000000000000";
    let get = [
        "/orders".to_owned(),
        format!("/orders/{reference}"),
        "/deployments".to_owned(),
        format!("/deployments/{reference}"),
        "/approvals".to_owned(),
        format!("/approvals/{reference}"),
        "/account/abilities".to_owned(),
        "/ledgers".to_owned(),
        format!("/ledgers/{reference}"),
        format!("/ledgers/{reference}/abilities"),
        format!("/ledgers/{reference}/accounts"),
        format!("/ledgers/{reference}/assets"),
        format!("/ledgers/{reference}/assets/1"),
    ];
    for path in &get {
        world.call(person.get(path.as_str())).fails(403, &[400_014]);
    }
    for path in ["/orders", "/deployments", "/deposits"] {
        world
            .call(person.post(path, &json!({})))
            .fails(403, &[400_014]);
    }
    let order = format!("/orders/{reference}");
    world
        .call(person.delete(order.as_str()))
        .fails(403, &[400_014]);
    world
        .call(person.put(format!("{order}/perform"), &json!({})))
        .fails(403, &[400_014]);
    // The interface specification does not list 400014 for these routes.
    world
        .call(person.put(format!("{order}/sign"), &json!({})))
        .fails(400, &[400_011]);
    world
        .call(person.post("/approvals", &json!({})))
        .fails(422, &[422_121, 422_122, 422_125]);
    assert_eq!(world.call(person.get("/account")).status, 200);

    // Incomplete information does not identify the account.
    assert_eq!(
        world
            .call(person.put("/account", &json!({ "firstName": "Ada" })))
            .status,
        422
    );
    world.call(person.get("/orders")).fails(403, &[400_014]);
    world.call(person.put("/account", &information())).data();
    for path in &get {
        let answer = world.call(person.get(path.as_str()));
        assert_ne!(answer.status, 403, "{path}");
    }
    assert_eq!(
        world
            .call(person.post("/deposits", &json!({ "amount": 1000 })))
            .status,
        201
    );
    // Another account's information does not identify an account.
    world
        .call(Person::new().get("/orders"))
        .fails(403, &[400_014]);
}

#[test]
fn identification_is_optional_by_default() {
    let world = World::new();
    assert_eq!(world.call(Person::new().get("/orders")).status, 200);
}

#[test]
fn erasing_information_affects_no_other_data_and_no_other_account() {
    let world = World::new();
    let (person, other) = (world.funded(), world.funded());
    for one in [&person, &other] {
        world.call(one.put("/account", &information())).data();
    }
    let before = world.call(person.get("/account")).data();
    let erased = world.call(person.delete("/account/information"));
    let mut expected = before.clone();
    expected["information"] = json!(null);
    expected["isIdentified"] = json!(false);
    assert_eq!((erased.status, erased.data()), (200, expected.clone()));
    assert_eq!(world.call(person.get("/account")).data(), expected);
    // Repeating the request has no effect.
    let again = world.call(person.delete("/account/information")).data();
    assert_eq!(again, expected);
    let kept = world.call(other.get("/account")).data();
    assert_eq!(kept["information"]["email"], "ada@example.com");
    assert_eq!(
        world.call(person.put("/account", &information())).data(),
        before
    );

    // Erasing information that does not exist creates no row for the account.
    let nobody = Person::new();
    let answer = world.call(nobody.delete("/account/information")).data();
    assert_eq!(
        (&answer["information"], &answer["createdAt"]),
        (&json!(null), &json!(null))
    );
    let unsigned = Call::new("DELETE", "/account/information");
    world.call(unsigned).fails(401, &[400_001]);
    let read = world.call(person.get("/account/information"));
    assert_eq!((read.status, read.header("allow")), (405, Some("DELETE")));
}

#[test]
fn an_account_that_erases_its_information_is_no_longer_identified() {
    let world = World::on(support::shared(&strict()));
    let person = Person::new();
    world.call(person.put("/account", &information())).data();
    assert_eq!(world.call(person.get("/orders")).status, 200);
    for _ in 0..2 {
        world.call(person.delete("/account/information")).data();
        world.call(person.get("/orders")).fails(403, &[400_014]);
        world
            .call(person.post("/deposits", &json!({ "amount": 1000 })))
            .fails(403, &[400_014]);
    }
    world.call(person.put("/account", &information())).data();
    assert_eq!(world.call(person.get("/orders")).status, 200);
}

/// Returns every row of every table as one string.
fn dump(database: &Sqlite) -> String {
    let query = |sql: String| {
        let rows = database.run(&[Statement::new(Box::leak(sql.into_boxed_str()))]);
        rows.expect("rows").remove(0).list
    };
    let tables = query("SELECT name FROM sqlite_master WHERE type = 'table'".to_owned());
    let rows = tables.iter().map(|table| {
        let name = table["name"].as_str().expect("a name");
        json!({ name: query(format!("SELECT * FROM \"{name}\"")) }).to_string()
    });
    rows.collect::<Vec<_>>().join("\n")
}

#[test]
fn no_table_contains_erased_information() {
    let service = Rc::new(RefCell::new(Service::new(SETTINGS)));
    let world = World::on(Box::new(Rc::clone(&service)));
    let person = world.funded();
    let mut secret = information();
    secret["isCompany"] = json!(true);
    secret["companyInformation"] = company();
    let texts = [
        "Byron",
        "ada@example.com",
        "Main Street",
        "Engines Ltd",
        "SI123",
        "38640123456",
    ];
    // Sends writes, reads and refused requests, with and without idempotency keys. Then creates a ledger and an asset.
    let key = |call: Call, key: &str| call.header("idempotency-key", key);
    world
        .call(key(person.put("/account", &secret), "put"))
        .data();
    world.call(person.get("/account")).data();
    let mut wrong = secret.clone();
    wrong["email"] = json!("ada@example.com@");
    wrong["companyInformation"]["taxNumber"] = json!("SI123".repeat(100));
    world
        .call(person.put("/account", &wrong))
        .fails(422, &[422_101, 422_900]);
    for path in [
        "/deposits",
        "/orders",
        "/deployments",
        "/approvals",
        "/account/webhook/test",
    ] {
        world.call(key(person.post(path, &secret), path));
    }
    world
        .call(person.post("/account/information", &secret))
        .fails(405, &[405_000]);
    let ledger = world.ledger(&person, &[1, 2]);
    world.asset(&person, &ledger, "1", &person);
    world.host.settle();
    let held = |text: &&str| dump(&service.borrow().database).contains(*text);
    assert!(
        texts.iter().all(held),
        "the information is stored before it is erased"
    );
    world.call(person.delete("/account/information")).data();
    world.host.settle();
    assert_eq!(texts.into_iter().filter(held).collect::<Vec<_>>(), [""; 0]);
    let lines = service.borrow().log.lines();
    let logged = lines
        .iter()
        .map(|(_, line)| line.to_string())
        .collect::<String>();
    assert_eq!(
        texts
            .into_iter()
            .filter(|text| logged.contains(text))
            .collect::<Vec<_>>(),
        [""; 0]
    );
}

#[test]
fn an_exhausted_shared_quota_does_not_prevent_erasure() {
    let service = Rc::new(RefCell::new(Service::new(SETTINGS)));
    let world = World::on(Box::new(Rc::clone(&service)));
    let person = Person::new();
    world.call(person.put("/account", &information())).data();
    let database = Rc::clone(&service.borrow().database);
    database
        .execute("UPDATE quotas SET used = 1000000000000")
        .expect("exhausted quotas");
    world
        .call(person.put("/account", &information()))
        .fails(429, &[429_000]);
    let erased = world.call(person.delete("/account/information")).data();
    assert_eq!(erased["information"], json!(null));
}
