//! Replays recorded requests of the original JavaScript client with unchanged bodies. The service must accept all
//! requests except those in [`REFUSED`]. The responses must contain the fields that the client reads.

use std::rc::Rc;

use edge_api::native::Sqlite;
use serde_json::Value;

use crate::support::native::Service;
use crate::support::people::Person;
use crate::support::{Answer, Call, Host};

const LEDGER: &str = "0x2b961e3959b79326a8e7f64ef0d2d825707669b5";
const LEDGER_REF: &str = "5dfa35251991e62dff302c01";
const ORDER_REF: &str = "5dfa35251991e62dff302e08";
const DEPLOYMENT_REF: &str = "5dfa35251991e62dff302e01";
const APPROVAL_REF: &str = "5e5fb8a27dc38b0007b6a3c7";
const REQUEST_REF: &str = "5dfa35251991e62dff302d01";

/// Converts a recorded reference to the form of the references of this service.
fn own_form(reference: &str) -> String {
    let (time, rest) = reference.split_at(12);
    format!("{}-{}-7000-8000-{rest}", &time[..8], &time[8..])
}

/// The accounts that sign in the recording.
const SIGNERS: [&str; 3] = [
    "0x70997970c51812dc3a010c7d01b50e0d17dc79c8",
    "0x15d34aaf54267db7d7c367839aaf71a00a2c6a65",
    "0x9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
];

/// Reason for a refusal: the requests pay with a token other than the platform token. The embedded ledger has only the
/// platform token.
const OTHER_TOKEN: &str = "the order pays with a token other than the platform token";
/// Reason for a refusal: the test of the original client invented this order, so no recorded request creates it.
const NO_SUCH_ORDER: &str = "no recorded request creates this order";

/// The requests that are refused: the start of the record's name, the method, the error codes, and the reason.
const REFUSED: &[(&str, &str, &[u64], &str)] = &[
    (
        "createDeployment with 0x-prefixed schemaId",
        "POST",
        &[400_001],
        "the client hashes the characters after `0x` unlike the contracts, so the claim does not match",
    ),
    ("createOrder kind 3", "POST", &[400_004], OTHER_TOKEN),
    ("createOrder all six kinds", "POST", &[400_004], OTHER_TOKEN),
    (
        "createOrder fractional value",
        "POST",
        &[400_004],
        OTHER_TOKEN,
    ),
    (
        "createOrder value below one unit",
        "POST",
        &[400_004],
        OTHER_TOKEN,
    ),
    (
        "createOrder value as string",
        "POST",
        &[400_004],
        OTHER_TOKEN,
    ),
    (
        "createOrder wildcard, empty signersIds",
        "POST",
        &[400_004],
        OTHER_TOKEN,
    ),
    (
        "signOrder as second signer",
        "GET",
        &[400_011],
        "its order transfers a token other than the platform token, so it cannot be created",
    ),
    (
        "signOrder as second signer",
        "PUT",
        &[400_011],
        "its order transfers a token other than the platform token, so it cannot be created",
    ),
    (
        "getLedgerAsset odd id",
        "GET",
        &[400_000],
        "the client does not encode `/`, so the path has one more segment",
    ),
    (
        "TOLERANCE createOrder after init with payment: numeric assetCreateCost",
        "POST",
        &[422_012],
        "the recording server had a different price from this fixture",
    ),
    (
        "TOLERANCE createOrder after init with payment: assetCreateCost \"0\"",
        "POST",
        &[422_012],
        "the recording server had a different price from this fixture",
    ),
    ("TOLERANCE", "GET", &[400_011], NO_SUCH_ORDER),
    ("TOLERANCE", "PUT", &[400_011], NO_SUCH_ORDER),
    ("TOLERANCE", "DELETE", &[400_011], NO_SUCH_ORDER),
];

fn recording() -> Value {
    let text = include_str!("../../../../tests/vectors/claims/client-requests.json");
    serde_json::from_str(text).expect("the recording")
}

/// Converts a recorded request to a call.
fn call_of(request: &Value) -> Call {
    let method = match request["method"].as_str().expect("a method") {
        "GET" => "GET",
        "POST" => "POST",
        "PUT" => "PUT",
        "DELETE" => "DELETE",
        other => panic!("{other}"),
    };
    // The recording's references come from another server and have a different form.
    let recorded = [
        LEDGER_REF,
        ORDER_REF,
        DEPLOYMENT_REF,
        APPROVAL_REF,
        REQUEST_REF,
    ];
    let url = request["url"].as_str().expect("a URL").to_owned();
    let url = recorded.iter().fold(url, |url, reference| {
        url.replace(reference, &own_form(reference))
    });
    let mut call = Call::new(method, url);
    for (name, value) in request["headers"].as_object().expect("headers") {
        // Headers of the connection are not replayed.
        if !matches!(name.as_str(), "host" | "connection" | "content-length") {
            call = call.header(name, value.as_str().expect("text"));
        }
    }
    call.body = request["rawBody"].as_str().unwrap_or_default().into();
    call
}

/// Returns a service with the recording's addresses and accounts, a ledger on which all signers have abilities, and
/// asset 100 if `with_asset` is true.
fn service(recording: &Value, with_asset: bool) -> (Service, Rc<Sqlite>) {
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    let gateways = &recording["gatewayConfig"];
    let recorded = [
        ("GATEWAY_ACTIONS", text(&gateways["actionsOrderId"])),
        (
            "GATEWAY_DEPLOY",
            text(&gateways["assetLedgerDeployOrderId"]),
        ),
        ("TOKEN_ADDRESS", text(&recording["payment"]["tokenAddress"])),
        (
            "PAYMENT_RECEIVER",
            text(&recording["payment"]["receiverAddress"]),
        ),
    ];
    let mut vars: Vec<(&str, &str)> = recorded
        .iter()
        .map(|(name, value)| (*name, value.as_str()))
        .collect();
    vars.push(("AUTH_TEXT", "I accept 0xcert terms of use."));
    vars.push(("AUTH_ETH_SIGN", "sha256"));
    let service = Service::new(&vars);
    assert_eq!(recording["fixedNow"], service.now());

    // The service's own proxies are used, because claims do not cover the proxies' addresses.
    let account = service.call(Person::new().get("/account")).data();
    let proxy = |name: &str| text(&account["gateway"]["proxies"][name]).to_lowercase();
    let [create, update, manage] = ["createAsset", "updateAsset", "manageAbilities"].map(proxy);
    let [value, transfer, destroy] =
        ["transferValue", "safeTransferAsset", "destroyAsset"].map(proxy);
    let mut sql = format!(
        "INSERT INTO ledgers (id, ref, name, symbol, uri_prefix, uri_postfix, schema_id, capabilities, owner_id, \
         asset_count, created_at) VALUES ('{LEDGER}', '{3}', 'L', 'L', 'https://example.com/', '', \
         '0x{0:064}', '[1,2,3,4]', '{1}', {2}, 1);",
        0,
        SIGNERS[0],
        u8::from(with_asset),
        own_form(LEDGER_REF),
    );
    if with_asset {
        sql += &format!(
            "INSERT INTO assets (ledger_id, id, owner_id, imprint, created_at, updated_at) VALUES ('{LEDGER}', '{:064x}', '{}', '{:064}', 1, 1);",
            100, SIGNERS[0], 0
        );
    }
    let reference = own_form(LEDGER_REF);
    for (account, abilities) in [(create, 16), (update, 128), (manage, 1)] {
        sql += &format!(
            "INSERT INTO abilities VALUES ('{LEDGER}', '{account}', {abilities}, '{reference}');"
        );
    }
    for signer in SIGNERS {
        let much = format!("{:064x}", 10_u128.pow(24));
        sql += &format!(
            "INSERT INTO abilities VALUES ('{LEDGER}', '{signer}', 2047, '{reference}');
             INSERT INTO operators VALUES ('{LEDGER}', '{signer}', '{transfer}');
             INSERT INTO operators VALUES ('{LEDGER}', '{signer}', '{destroy}');
             INSERT INTO accounts (id, created_at) VALUES ('{signer}', 1);
             INSERT INTO balances VALUES ('{signer}', '{much}');
             INSERT INTO allowances VALUES ('{signer}', '{value}', '{much}');
             INSERT INTO allowances VALUES ('{signer}', '{LEDGER}', '{much}');"
        );
    }
    let database = Rc::clone(&service.database);
    database.execute(&sql).expect("the fixture");
    (service, database)
}

/// Creates the record that a path names, by sending another recorded request. Then gives the record the recorded reference.
/// Does nothing if the path names no record.
fn hold(service: &Service, recording: &Value, path: &str, name: &str) {
    let order = if name.starts_with("signOrder as wildcard") {
        "createOrder wildcard, no payer, no receiver"
    } else {
        "createOrder automatedPerform false"
    };
    let held = [
        (ORDER_REF, order, "records"),
        (DEPLOYMENT_REF, "createDeployment ETH_SIGN", "records"),
        (APPROVAL_REF, "createApproval asset", "records"),
        (REQUEST_REF, "getAccount", "requests"),
    ];
    let Some((reference, from, table)) = held
        .into_iter()
        .find(|(reference, ..)| path.contains(reference))
    else {
        return;
    };
    let records = recording["records"].as_array().expect("records");
    let request = records
        .iter()
        .find(|record| record["name"] == from)
        .map(|record| &record["requests"][0])
        .expect("the recorded request");
    let made = service.call(call_of(request));
    assert!(made.status < 300, "{from}: {}", made.json());
    let old = match table {
        "requests" => made.json()["id"].clone(),
        _ => made.data()["ref"].clone(),
    };
    let reference = own_form(reference);
    let old = old.as_str().expect("a reference").to_owned();
    let mut sql = format!(
        "PRAGMA foreign_keys = OFF; UPDATE {table} SET ref = '{reference}' WHERE ref = '{old}';"
    );
    if table == "records" {
        sql += &format!("UPDATE record_parties SET ref = '{reference}' WHERE ref = '{old}';");
    }
    service.database.execute(&sql).expect("another reference");
}

/// Asserts that a response has the fields that the client reads, with the recorded values where they are known.
fn reads(recording: &Value, record: &Value, request: &Value, answer: &Answer) {
    let name = record["name"].as_str().expect("a name");
    let body = answer.json();
    assert!(body["id"].is_string() && body["meta"].is_object(), "{name}");
    assert_eq!(body["status"], answer.status, "{name}");
    let data = &body["data"];
    let method = request["method"].as_str().expect("a method");
    match (method, request["path"].as_str().expect("a path")) {
        ("GET", "/account") => {
            assert_eq!(data["payment"], recording["payment"], "{name}");
            assert!(data["id"].is_string(), "{name}");
        }
        ("POST", "/orders" | "/deployments" | "/approvals") => {
            // The service must compute the hash that the client's claims sign.
            if let Some(hash) = record["claimChecks"][0]["orderHash"].as_str() {
                assert_eq!(data["hash"], hash, "{name}");
            }
            assert!(data["ref"].is_string() && data["status"].is_u64(), "{name}");
        }
        ("GET", path) if path.starts_with("/orders/") => {
            // The fields that the client's `signOrder` hashes.
            let order = &data["order"];
            assert!(data["wildcardSigner"].is_boolean(), "{name}");
            assert!(
                order["seed"].is_u64() && order["expiration"].is_u64(),
                "{name}"
            );
            for signer in order["signers"].as_array().expect("signers") {
                assert!(signer["accountId"].is_string(), "{name}");
                assert!(signer["claim"].is_string(), "{name}");
            }
            for action in order["actions"].as_array().expect("actions") {
                assert!(
                    action["kind"].is_u64() && action["ledgerId"].is_string(),
                    "{name}"
                );
            }
            if let Some(hash) = record["claimChecks"][0]["orderHash"].as_str() {
                assert_eq!(data["hash"], hash, "{name}");
            }
        }
        _ => {}
    }
}

#[test]
fn requests_of_the_original_client_are_accepted() {
    let recording = recording();
    let mut accepted = 0;
    let mut unused: Vec<_> = REFUSED.iter().collect();
    for record in recording["records"].as_array().expect("records") {
        let name = record["name"].as_str().expect("a name");
        let requests = record["requests"].as_array().expect("requests");
        let creates = |request: &Value| {
            let actions = &request["body"]["order"]["actions"];
            actions
                .as_array()
                .is_some_and(|actions| actions.iter().any(|action| action["kind"] == 1))
        };
        let creates = requests.iter().any(creates)
            || requests.iter().any(|request| {
                request["path"]
                    .as_str()
                    .is_some_and(|path| path.contains(ORDER_REF))
            });
        let (service, _database) = service(&recording, !creates);
        let referring = requests
            .iter()
            .filter_map(|request| request["path"].as_str())
            .find(|path| path.split('/').count() > 2)
            .filter(|_| !name.starts_with("signOrder as second signer"));
        if let Some(path) = referring {
            hold(&service, &recording, path, name);
        }
        for request in requests {
            let call = call_of(request);
            let answer = service.call(call.clone());
            if answer.status < 300 {
                accepted += 1;
                reads(&recording, record, request, &answer);
                continue;
            }
            let refusal = REFUSED
                .iter()
                .find(|(start, method, ..)| name.starts_with(start) && *method == call.method)
                .unwrap_or_else(|| {
                    panic!("{name}: {} {}: {}", call.method, call.target, answer.json())
                });
            assert_eq!(answer.codes(), refusal.2, "{name}: {}", answer.json());
            unused.retain(|other| *other != refusal);
        }
    }
    assert!(
        unused.is_empty(),
        "no request was refused as listed in `REFUSED`: {unused:?}"
    );
    // The number is pinned, so requests cannot disappear unnoticed from the recording or the fixture.
    assert_eq!(accepted, 77);
}
