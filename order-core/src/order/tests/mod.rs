//! Tests of the field rules of actions orders. For each rule, requests break the rule and have exactly the expected errors.

mod parties;

use alloc::format;
use alloc::string::ToString;
use alloc::vec;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::*;
use crate::testing::{
    ABSENT, NOW_MS, Required, assert_refused, claims, edited, list, no_addresses, no_expirations,
    no_whole_numbers, order_request, places, text,
};
use crate::types::Priority;

const A: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const B: &str = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
const C: &str = "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65";
const LEDGER: &str = "0x2b961E3959b79326A8e7F64Ef0d2d825707669b5";
const IMPRINT: &str = "d747e6ffd1aa3f83efef2931e3cc22c653ea97a32c1ee7289e4966b6964ecdfb";

/// An order of A and C with one action of each kind, kind `k` at index `k - 1`.
fn body() -> Value {
    json!({
        "priority": 2,
        "automatedPerform": false,
        "wildcardSigner": false,
        "order": {
            "signers": [{"accountId": A, "claim": "any"}, {"accountId": C}],
            "actions": [
                {"kind": 1, "ledgerId": LEDGER, "assetId": "1", "assetImprint": IMPRINT, "senderId": A, "receiverId": B},
                {"kind": 2, "ledgerId": LEDGER, "assetId": "2", "senderId": A, "receiverId": B},
                {"kind": 3, "ledgerId": LEDGER, "value": "3", "senderId": C, "receiverId": B},
                {"kind": 4, "ledgerId": LEDGER, "assetId": "4", "assetImprint": IMPRINT, "senderId": A},
                {"kind": 5, "ledgerId": LEDGER, "abilities": [16, 512], "senderId": A, "receiverId": B},
                {"kind": 6, "ledgerId": LEDGER, "assetId": "6", "senderId": A},
                {"kind": 7, "ledgerId": LEDGER, "assetId": "7", "senderId": A},
            ],
            "seed": 1,
            "expiration": NOW_MS + 1000,
        },
    })
}

fn parse(body: &Value) -> Result<OrderRequest, Vec<FieldError>> {
    OrderRequest::parse(body, NOW_MS)
}

/// Asserts that the body with these edits is refused with exactly these errors.
fn refused(edits: &Value, expected: &[(u32, &str)]) {
    assert_refused(parse(&edited(&body(), edits)), expected, edits);
}

fn accepted(edits: &Value) -> OrderRequest {
    parse(&edited(&body(), edits)).unwrap_or_else(|errors| panic!("{edits}: {errors:?}"))
}

#[test]
fn an_order_is_read_unchanged() {
    let request = accepted(&json!({}));
    assert_eq!(request.priority, Priority::Medium);
    assert!(!request.automated_perform);
    assert!(!request.wildcard_signer);
    let kinds: Vec<u8> = request
        .order
        .actions
        .iter()
        .map(|a| a.kind().number())
        .collect();
    assert_eq!(kinds, [1, 2, 3, 4, 5, 6, 7]);

    // The order is stored and returned unchanged. A missing claim is empty text.
    let mut expected = body()["order"].clone();
    expected["signers"][1]["claim"] = json!("");
    expected["wildcardClaim"] = Value::Null;
    let stored = serde_json::to_value(&request.order).unwrap();
    assert_eq!(stored, expected);
    assert_eq!(
        serde_json::from_value::<Order>(stored).unwrap(),
        request.order
    );
}

#[test]
fn orders_survive_a_round_trip_through_json() {
    for vector in list(&claims(), "actionsOrders") {
        let order = order_request(&vector["apiOrder"]).unwrap().order;
        let stored = serde_json::to_string(&order).unwrap();
        let read: Order = serde_json::from_str(&stored).unwrap();
        assert_eq!(read, order, "{}", text(vector, "name"));
        assert!(read.same_content(&order));
    }
}

#[test]
fn missing_and_wrong_fields_have_their_codes() {
    for rule in [
        Required {
            pointer: "/priority",
            path: "priority",
            missing: &[422010],
            wrong: (422010, json!([0, 5, -1, 1.5])),
            other_type: json!("1"),
        },
        Required {
            pointer: "/order",
            path: "order",
            missing: &[422009],
            wrong: (422009, json!([])),
            other_type: json!([]),
        },
        Required {
            pointer: "/order/seed",
            path: "order.seed",
            missing: &[422002],
            wrong: (422002, no_whole_numbers()),
            other_type: json!("1"),
        },
        Required {
            pointer: "/order/expiration",
            path: "order.expiration",
            missing: &[422003],
            wrong: (422003, no_expirations()),
            other_type: json!("2033-01-01T00:00:00Z"),
        },
        Required {
            pointer: "/order/actions",
            path: "order.actions",
            missing: &[422900],
            wrong: (422900, json!([[], "all"])),
            other_type: json!({}),
        },
    ] {
        rule.check(&body(), |body| parse(body).map(drop));
    }
}

#[test]
fn missing_fields_of_an_action_have_their_codes() {
    let no_ids = json!([
        "-1",
        "1.0",
        "0x",
        "0xg",
        " 1",
        "1_0",
        &format!("0x1{}", "0".repeat(64))
    ]);
    let no_imprints = json!([
        "0x",
        "abc",
        &IMPRINT[2..],
        &format!("{IMPRINT}ff"),
        &format!("0X{IMPRINT}")
    ]);
    for (kind, has_receiver) in [
        (1, true),
        (2, true),
        (3, true),
        (4, false),
        (5, true),
        (6, false),
        (7, false),
    ] {
        let index = kind - 1;
        let rule = |field: &str, missing, wrong, other_type| Required {
            pointer: format!("/order/actions/{index}/{field}").leak(),
            path: format!("order.actions[{index}].{field}").leak(),
            missing,
            wrong,
            other_type,
        };
        let (ledger, asset, imprint): (&[u32], &[u32], &[u32]) = if kind == 1 {
            (&[422004, 422036], &[422005, 422023], &[422006, 422024])
        } else {
            (&[422004], &[422005], &[422006])
        };
        let mut rules = vec![
            rule(
                "kind",
                &[422900],
                (422900, json!([0, 8, 9, 1.5])),
                json!("1"),
            ),
            rule("ledgerId", ledger, (422058, no_addresses()), json!(5)),
            rule("senderId", &[422057], (422060, no_addresses()), json!(5)),
        ];
        if has_receiver {
            rules.push(rule(
                "receiverId",
                &[422057],
                (422059, no_addresses()),
                json!(5),
            ));
        }
        if [1, 2, 4, 6, 7].contains(&kind) {
            rules.push(rule("assetId", asset, (422005, no_ids.clone()), json!(100)));
        }
        if [1, 4].contains(&kind) {
            rules.push(rule(
                "assetImprint",
                imprint,
                (422158, no_imprints.clone()),
                json!(7),
            ));
        }
        if kind == 3 {
            let wrong = json!(["1.5", "-1", "0x10", "1e3", "ten"]);
            rules.push(rule("value", &[422007], (422070, wrong), json!(10)));
        }
        if kind == 5 {
            let wrong = json!([
                [0],
                [3],
                [4],
                [8],
                [16, 16],
                [16, "512"],
                [2048],
                [1.5],
                [16, null]
            ]);
            rules.push(rule("abilities", &[422900], (422900, wrong), json!(16)));
        }
        for rule in rules {
            rule.check(&body(), |body| parse(body).map(drop));
        }
    }
}

#[test]
fn all_errors_are_reported_in_the_order_of_the_fields() {
    refused(
        &json!({
            "/priority": 9,
            "/automatedPerform": "yes",
            "/order/signers/1/accountId": "nobody",
            "/order/actions/0": {"kind": 1},
            "/order/actions/2/value": "1.5",
            "/order/actions/4/abilities": [3],
            "/order/actions/4/ledgerId": "0x",
            "/order/seed": -1,
            "/order/expiration": ABSENT,
        }),
        &[
            (422900, "automatedPerform"),
            (422010, "priority"),
            (422900, "order.signers[1].accountId"),
            (422004, "order.actions[0].ledgerId"),
            (422036, "order.actions[0].ledgerId"),
            (422005, "order.actions[0].assetId"),
            (422023, "order.actions[0].assetId"),
            (422006, "order.actions[0].assetImprint"),
            (422024, "order.actions[0].assetImprint"),
            (422057, "order.actions[0].receiverId"),
            (422057, "order.actions[0].senderId"),
            (422070, "order.actions[2].value"),
            (422058, "order.actions[4].ledgerId"),
            (422900, "order.actions[4].abilities"),
            (422002, "order.seed"),
            (422003, "order.expiration"),
        ],
    );
}

#[test]
fn a_body_that_is_not_an_object_lacks_all_fields() {
    for body in [json!(null), json!([]), json!("order"), json!(1), json!({})] {
        let errors = places(&parse(&body).unwrap_err());
        assert_eq!(
            errors,
            [(422010, "priority".into()), (422009, "order".into())],
            "{body}"
        );
    }
}

#[test]
fn flags_are_booleans_and_default_to_true() {
    for flag in ["automatedPerform", "wildcardSigner"] {
        let pointer = format!("/{flag}");
        for wrong in [json!("true"), json!(1), json!(""), json!([]), json!({})] {
            refused(&json!({ pointer.as_str(): wrong }), &[(422900, flag)]);
        }
    }
    for missing in [json!(ABSENT), json!(null)] {
        let request = accepted(&json!({"/automatedPerform": missing, "/wildcardSigner": missing}));
        assert!(
            request.automated_perform && request.wildcard_signer,
            "{missing}"
        );
    }
}

#[test]
fn lists_beyond_the_maximum_are_refused_unread() {
    let account = |index: usize| format!("0x{:040x}", index + 1);
    let signers = |count| -> Vec<Value> {
        (0..count)
            .map(|i| json!({"accountId": account(i)}))
            .collect()
    };
    let mut own: Vec<Value> = signers(MAX_SIGNERS - 2);
    own.extend([json!({"accountId": A}), json!({"accountId": C})]);
    assert_eq!(
        accepted(&json!({"/order/signers": own}))
            .order
            .signers
            .len(),
        32
    );
    own.push(json!({"accountId": "nobody"}));
    refused(
        &json!({"/order/signers": own}),
        &[(422900, "order.signers")],
    );

    let action = body()["order"]["actions"][5].clone();
    let actions = vec![action; MAX_ACTIONS];
    assert_eq!(
        accepted(&json!({"/order/actions": actions}))
            .order
            .actions
            .len(),
        100
    );
    let actions = vec![json!({}); MAX_ACTIONS + 1];
    refused(
        &json!({"/order/actions": actions}),
        &[(422900, "order.actions")],
    );
}

#[test]
fn an_action_that_is_not_an_object_is_refused() {
    for action in [json!(null), json!("transfer"), json!(2), json!([])] {
        refused(
            &json!({"/order/actions/1": action}),
            &[(422900, "order.actions[1]")],
        );
    }
}

#[test]
fn an_order_that_has_expired_is_refused() {
    let second = NOW_MS;
    for past in [0, 1, NOW_MS / 1000, second, second + 999] {
        refused(
            &json!({"/order/expiration": past}),
            &[(422900, "order.expiration")],
        );
    }
    for (future, number) in [
        (NOW_MS / 1000 + 1, second + 1000),
        (second + 1000, second + 1000),
        (253_402_300_799_999, 253_402_300_799_999),
    ] {
        let order = accepted(&json!({"/order/expiration": future})).order;
        assert_eq!(order.expiration.number(), number);
    }
}

#[test]
fn whole_numbers_may_be_written_with_a_fraction_or_an_exponent() {
    let text = body().to_string().replace("\"seed\":1", "\"seed\":1.7e12");
    let order = parse(&serde_json::from_str(&text).unwrap()).unwrap().order;
    assert_eq!(order.seed.number(), 1_700_000_000_000);
    // Large numbers must be plain digits. With a fraction or an exponent, a slightly inexact reader would read another
    // whole number.
    for inexact in ["9007199254740991.0", "1e15", "-1e3", "1e400"] {
        let text = body()
            .to_string()
            .replace("\"seed\":1", &format!("\"seed\":{inexact}"));
        if let Ok(body) = serde_json::from_str(&text) {
            assert_refused(parse(&body), &[(422002, "order.seed")], &json!(inexact));
        }
    }
    let text = body().to_string().replace("\"kind\":6", "\"kind\":6.0");
    assert!(parse(&serde_json::from_str(&text).unwrap()).is_ok());
}

#[test]
fn unknown_members_are_ignored() {
    let request = accepted(&json!({
        "/status": 3, "/order/bar": 2, "/order/actions/5/receiverId": "x", "/order/signers/0/baz": [],
    }));
    assert_eq!(request, accepted(&json!({})));
}

#[test]
fn error_messages_have_the_path_and_the_value() {
    let long = format!("{}!", "x".repeat(1000));
    let errors = parse(&edited(
        &body(),
        &json!({"/order/seed": -1, "/order/actions/2/value": long, "/order/actions/0/assetId": ""}),
    ))
    .unwrap_err();
    let messages: Vec<&str> = errors.iter().map(|error| &*error.message).collect();
    assert_eq!(
        messages,
        [
            "the action's assetId is missing",
            "the asset's id is missing",
            &format!(
                "`order.actions[2].value` must be an unsigned 256-bit integer in decimal digits, in \
                 the token's smallest unit, not `{}…`",
                "x".repeat(60)
            ),
            "`order.seed` must be a whole number from 0 to 9007199254740991, not `-1`",
        ]
    );
}

#[test]
fn errors_of_missing_fields_state_the_expected_value() {
    let errors = parse(&edited(&body(), &json!({"/order/signers/0": {}}))).unwrap_err();
    let error = errors.first().unwrap();
    assert_eq!(
        (error.code.number(), &*error.path),
        (422900, "order.signers[0].accountId")
    );
    let sentence = "`order.signers[0].accountId` is missing: it must be an Ethereum address";
    assert!(error.message.starts_with(sentence), "{}", error.message);
}

#[test]
fn error_messages_show_or_count_a_wrong_list() {
    let message = |edits: &Value| {
        let errors = parse(&edited(&body(), edits)).unwrap_err();
        errors.first().unwrap().message.clone()
    };
    let abilities = message(&json!({"/order/actions/4/abilities": [7]}));
    assert!(abilities.ends_with(", not `[7]`"), "{abilities}");
    let actions = message(&json!({"/order/actions": vec![json!({}); 101]}));
    assert!(actions.ends_with(", not a list of 101"), "{actions}");
}
