//! Tests of the field rules of deployments.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::*;
use crate::testing::{
    ABSENT, NOW_MS, Required, assert_refused, claims, edited, list, no_addresses, no_expirations,
    no_whole_numbers, places,
};

const TAKER: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

/// The first deployment of the vectors, in a request.
fn body() -> Value {
    json!({
        "priority": 3,
        "claim": "any",
        "deploy": list(&claims(), "deployments")[0]["apiDeploy"],
    })
}

fn parse(body: &Value) -> Result<DeploymentRequest, Vec<FieldError>> {
    DeploymentRequest::parse(body, NOW_MS)
}

fn refused(edits: &Value, expected: &[(u32, &str)]) {
    assert_refused(parse(&edited(&body(), edits)), expected, edits);
}

fn accepted(edits: &Value) -> Deploy {
    let request = parse(&edited(&body(), edits));
    request
        .unwrap_or_else(|errors| panic!("{edits}: {errors:?}"))
        .deploy
}

#[test]
fn a_deployment_survives_a_round_trip_through_json() {
    let deploy = accepted(&json!({}));
    let stored = serde_json::to_value(&deploy).unwrap();
    let mut expected = body()["deploy"].clone();
    expected["takerId"] = Value::Null;
    let schema = format!(
        "0x{}",
        expected["assetLedgerData"]["schemaId"].as_str().unwrap()
    );
    expected["assetLedgerData"]["schemaId"] = json!(schema);
    assert_eq!(stored, expected);
    assert_eq!(serde_json::from_value::<Deploy>(stored).unwrap(), deploy);
}

#[test]
fn missing_and_wrong_fields_have_their_codes() {
    let rule = |pointer: &'static str, missing, wrong, other_type| Required {
        pointer,
        path: pointer[1..].replace('/', ".").leak(),
        missing,
        wrong,
        other_type,
    };
    let none = |code| (code, json!([]));
    let number = json!(5);
    let no_amounts = json!(["1.5", "-1", "0x10", "ten"]);
    let no_capabilities = json!([[0], [5], [1, 1], ["1"], [1.5]]);
    let no_schemas = json!([
        "0x",
        "abc",
        "0x".to_string() + &"0".repeat(63),
        "g".repeat(64)
    ]);
    let data = "/deploy/assetLedgerData";
    let at = |field| -> &'static str { format!("{data}/{field}").leak() };
    for rule in [
        rule(
            "/priority",
            &[422900],
            (422900, json!([0, 5, 1.5])),
            json!("1"),
        ),
        rule("/claim", &[422008], none(422008), number.clone()),
        rule("/deploy", &[422038], none(422038), json!([])),
        rule(
            "/deploy/makerId",
            &[422052],
            (422052, no_addresses()),
            number.clone(),
        ),
        rule(data, &[422039], none(422039), json!("x")),
        rule(
            at("name"),
            &[422040],
            (422900, json!(["é".repeat(256)])),
            number.clone(),
        ),
        rule(
            at("symbol"),
            &[422041],
            (422900, json!(["x".repeat(256)])),
            number.clone(),
        ),
        rule(
            at("uriPrefix"),
            &[422043],
            (422900, json!(["x".repeat(2049)])),
            number.clone(),
        ),
        rule(
            at("schemaId"),
            &[422044],
            (422044, no_schemas),
            number.clone(),
        ),
        rule(
            at("capabilities"),
            &[422045],
            (422046, no_capabilities),
            number.clone(),
        ),
        rule(
            at("ownerId"),
            &[422047],
            (422048, no_addresses()),
            number.clone(),
        ),
        rule(
            "/deploy/tokenTransferData",
            &[422049],
            none(422049),
            json!([]),
        ),
        rule(
            "/deploy/tokenTransferData/ledgerId",
            &[422050],
            (422051, no_addresses()),
            number.clone(),
        ),
        rule(
            "/deploy/tokenTransferData/receiverId",
            &[422053],
            (422053, no_addresses()),
            number.clone(),
        ),
        rule(
            "/deploy/tokenTransferData/value",
            &[422054],
            (422054, no_amounts),
            number,
        ),
        rule(
            "/deploy/seed",
            &[400007],
            (400007, no_whole_numbers()),
            json!("1"),
        ),
        rule(
            "/deploy/expiration",
            &[422064],
            (422064, no_expirations()),
            json!("soon"),
        ),
    ] {
        rule.check(&body(), |body| parse(body).map(drop));
    }
}

#[test]
fn a_taker_is_optional_and_requires_a_payment_receiver() {
    for none in [json!(null), json!(""), json!(5)] {
        assert_eq!(accepted(&json!({"/deploy/takerId": none})).taker_id, None);
    }
    let deploy = accepted(&json!({"/deploy/takerId": TAKER}));
    assert_eq!(deploy.taker_id.unwrap().to_string(), TAKER);
    for wrong in no_addresses().as_array().unwrap() {
        refused(
            &json!({"/deploy/takerId": wrong}),
            &[(422037, "deploy.takerId")],
        );
    }
    let receiver = "deploy.tokenTransferData.receiverId";
    for missing in [json!(ABSENT), json!(null), json!("")] {
        refused(
            &json!({"/deploy/takerId": TAKER, "/deploy/tokenTransferData/receiverId": missing}),
            &[(422063, receiver)],
        );
        refused(
            &json!({"/deploy/takerId": "x", "/deploy/tokenTransferData/receiverId": missing}),
            &[(422037, "deploy.takerId"), (422063, receiver)],
        );
    }
    refused(
        &json!({"/deploy/takerId": TAKER, "/deploy/tokenTransferData/receiverId": "x"}),
        &[(422053, receiver)],
    );
}

#[test]
fn postfix_and_capabilities_may_be_empty() {
    for none in [json!(ABSENT), json!(null), json!(""), json!(5)] {
        let deploy = accepted(&json!({"/deploy/assetLedgerData/uriPostfix": none}));
        assert_eq!(deploy.asset_ledger_data.uri_postfix, "");
    }
    refused(
        &json!({"/deploy/assetLedgerData/uriPostfix": "x".repeat(2049)}),
        &[(422900, "deploy.assetLedgerData.uriPostfix")],
    );
    let deploy = accepted(&json!({"/deploy/assetLedgerData/capabilities": []}));
    assert_eq!(
        deploy.asset_ledger_data.capabilities,
        Capabilities::default()
    );
    // The limit counts characters, not bytes.
    accepted(&json!({"/deploy/assetLedgerData/name": "é".repeat(255)}));
}

#[test]
fn a_deployment_is_valid_up_to_its_expiration() {
    let second = NOW_MS;
    for past in [0, second / 1000 - 1, second - 1] {
        refused(
            &json!({"/deploy/expiration": past}),
            &[(400007, "deploy.expiration")],
        );
    }
    for (valid, number) in [
        (second / 1000, second),
        (second, second),
        (NOW_MS + 1, NOW_MS + 1),
    ] {
        assert_eq!(
            accepted(&json!({"/deploy/expiration": valid}))
                .expiration
                .number(),
            number
        );
    }
}

#[test]
fn a_body_without_a_claim_is_an_unsigned_draft() {
    let gateways = crate::testing::gateways();
    let whole = parse(&body()).unwrap().deploy;
    for absent in [json!(ABSENT), json!(null), json!("")] {
        let body = edited(&body(), &json!({"/claim": absent}));
        let draft = DeploymentRequest::read(&body, NOW_MS).unwrap();
        let Draft::Unsigned(content) = draft else {
            panic!("the draft is signed");
        };
        assert_eq!(content.signer(), whole.maker_id);
        assert_eq!(content.hash(&gateways), whole.hash(&gateways));
        let body = edited(&body, &json!({"/priority": 9}));
        let errors = DeploymentRequest::read(&body, NOW_MS).unwrap_err();
        let expected = [(422900, "priority"), (422008, "claim")];
        assert_eq!(
            places(&errors),
            expected.map(|(code, path)| (code, path.to_string()))
        );
    }
}

#[test]
fn all_errors_are_reported_in_the_order_of_the_fields() {
    for nothing in [json!({}), json!(null), json!([])] {
        let errors = places(&parse(&nothing).unwrap_err());
        let expected = [(422900, "priority"), (422008, "claim"), (422038, "deploy")];
        assert_eq!(
            errors,
            expected.map(|(code, path)| (code, path.to_string()))
        );
    }
    refused(
        &json!({"/deploy": {"assetLedgerData": {}, "tokenTransferData": {}}}),
        &[
            (422052, "deploy.makerId"),
            (422040, "deploy.assetLedgerData.name"),
            (422041, "deploy.assetLedgerData.symbol"),
            (422043, "deploy.assetLedgerData.uriPrefix"),
            (422044, "deploy.assetLedgerData.schemaId"),
            (422045, "deploy.assetLedgerData.capabilities"),
            (422047, "deploy.assetLedgerData.ownerId"),
            (422050, "deploy.tokenTransferData.ledgerId"),
            (422053, "deploy.tokenTransferData.receiverId"),
            (422054, "deploy.tokenTransferData.value"),
            (400007, "deploy.seed"),
            (422064, "deploy.expiration"),
        ],
    );
}
