//! Tests of the field rules of approvals.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use serde_json::{Value, json};

use super::*;
use crate::testing::{
    ABSENT, NOW_MS, Required, assert_refused, claims, edited, list, no_addresses, no_expirations,
    no_whole_numbers, places,
};

/// An approval of the vectors, in a request: kind 7 or 8.
fn body(kind: u8) -> Value {
    let file = claims();
    let vector = list(&file, "approvals")
        .iter()
        .find(|vector| vector["apiApproval"]["kind"] == kind)
        .unwrap();
    json!({"priority": 4, "claim": "any", "approval": vector["apiApproval"]})
}

fn parse(body: &Value) -> Result<ApprovalRequest, Vec<FieldError>> {
    ApprovalRequest::parse(body, NOW_MS)
}

fn refused(kind: u8, edits: &Value, expected: &[(u32, &str)]) {
    assert_refused(parse(&edited(&body(kind), edits)), expected, edits);
}

#[test]
fn approvals_survive_a_round_trip_through_json() {
    for kind in [7, 8] {
        let request = parse(&body(kind)).unwrap();
        assert_eq!(request.approval.kind().number(), kind);
        let stored = serde_json::to_value(&request.approval).unwrap();
        assert_eq!(stored, body(kind)["approval"]);
        assert_eq!(
            serde_json::from_value::<Approval>(stored).unwrap(),
            request.approval
        );
    }
    assert!(serde_json::from_value::<Approval>(json!({"kind": 9})).is_err());
}

#[test]
fn missing_and_wrong_fields_have_their_codes() {
    let number = json!(5);
    let none = |code| (code, json!([]));
    let no_amounts = json!(["1.5", "-1", "0x10", "ten"]);
    let rule = |field: &str, missing, wrong, other_type| Required {
        pointer: format!("/{}", field.replace('.', "/")).leak(),
        path: field.to_string().leak(),
        missing,
        wrong,
        other_type,
    };
    let address = |field: &str, missing, wrong| {
        let field = format!("approval.{field}");
        rule(&field, missing, (wrong, no_addresses()), json!(5))
    };
    let shared = || {
        [
            rule(
                "priority",
                &[422125],
                (422125, json!([0, 5, 1.5])),
                json!("1"),
            ),
            rule("claim", &[422122], none(422122), json!(5)),
            rule("approval", &[422121], none(422121), json!([])),
            rule(
                "approval.kind",
                &[422121],
                (422121, json!([0, 1, 6, 9, 7.5])),
                json!("7"),
            ),
        ]
    };
    let operator = [
        address("ledgerId", &[422126], 422127),
        address("owner", &[422128], 422129),
        address("operator", &[422130], 422131),
        rule(
            "approval.isOperator",
            &[422132],
            none(422132),
            json!("true"),
        ),
        rule(
            "approval.tokenTransferData",
            &[422133],
            none(422133),
            json!([]),
        ),
        address("tokenTransferData.ledgerId", &[422137], 422138),
        address("tokenTransferData.receiverId", &[422139], 422139),
        rule(
            "approval.tokenTransferData.value",
            &[422140],
            (422140, no_amounts.clone()),
            number.clone(),
        ),
        rule(
            "approval.seed",
            &[422135],
            (422135, no_whole_numbers()),
            json!("1"),
        ),
        rule(
            "approval.expiration",
            &[422136],
            (422136, no_expirations()),
            json!("soon"),
        ),
    ];
    let value = [
        address("ledgerId", &[422144], 422145),
        address("approver", &[422146], 422147),
        address("spender", &[422149], 422150),
        rule(
            "approval.value",
            &[422151],
            (422151, no_amounts.clone()),
            number.clone(),
        ),
        address("feeRecipient", &[422152], 422153),
        rule("approval.feeValue", &[422155], (422155, no_amounts), number),
        rule(
            "approval.seed",
            &[422156],
            (422156, no_whole_numbers()),
            json!("1"),
        ),
        rule(
            "approval.expiration",
            &[422157],
            (422157, no_expirations()),
            json!("soon"),
        ),
    ];
    for (kind, rules) in [(7, &operator[..]), (8, &value[..])] {
        for rule in shared().iter().chain(rules) {
            rule.check(&body(kind), |body| parse(body).map(drop));
        }
    }
}

#[test]
fn approve_is_accepted_in_place_of_approval() {
    for kind in [7, 8] {
        let approval = body(kind)["approval"].clone();
        let expected = parse(&body(kind)).unwrap();
        for other in [json!(ABSENT), json!(null), json!("")] {
            let edits = json!({"/approval": other, "/approve": approval});
            assert_eq!(parse(&edited(&body(kind), &edits)).unwrap(), expected);
        }
        refused(
            kind,
            &json!({"/approval": ABSENT, "/approve": {"kind": 5}}),
            &[(422121, "approve.kind")],
        );
        // If the body has both members, `approval` takes precedence.
        refused(
            kind,
            &json!({"/approval": {"kind": 5}, "/approve": approval}),
            &[(422121, "approval.kind")],
        );
    }
}

#[test]
fn each_kind_compares_its_expiration_by_its_own_rule() {
    let second = NOW_MS;
    for (kind, last_past) in [(7, second - 1), (8, second + 999)] {
        for past in [0, last_past / 1000, last_past] {
            refused(
                kind,
                &json!({"/approval/expiration": past}),
                &[(400018, "approval.expiration")],
            );
        }
        for valid in [last_past / 1000 + 1, last_past + 1, last_past + 2] {
            let request = parse(&edited(
                &body(kind),
                &json!({"/approval/expiration": valid}),
            ));
            let milliseconds = if valid < 100_000_000_000 {
                valid * 1000
            } else {
                valid
            };
            assert_eq!(
                request.unwrap().approval.expiration().number(),
                milliseconds
            );
        }
    }
}

#[test]
fn a_body_without_a_claim_is_an_unsigned_draft() {
    let gateways = crate::testing::gateways();
    for kind in [7, 8] {
        let whole = parse(&body(kind)).unwrap().approval;
        for absent in [json!(ABSENT), json!(null), json!("")] {
            let body = edited(&body(kind), &json!({"/claim": absent}));
            let draft = ApprovalRequest::read(&body, NOW_MS).unwrap();
            let Draft::Unsigned(content) = draft else {
                panic!("the draft is signed");
            };
            assert_eq!(content.signer(), whole.signer());
            assert_eq!(content.hash(&gateways), whole.hash());
            let body = edited(&body, &json!({"/priority": 9}));
            let errors = ApprovalRequest::read(&body, NOW_MS).unwrap_err();
            let expected = [(422125, "priority"), (422122, "claim")];
            assert_eq!(
                places(&errors),
                expected.map(|(code, path)| (code, path.to_string()))
            );
        }
    }
}

#[test]
fn all_errors_are_reported_in_the_order_of_the_fields() {
    let errors = places(&parse(&json!([])).unwrap_err());
    let expected = [
        (422125, "priority"),
        (422122, "claim"),
        (422121, "approval"),
    ];
    assert_eq!(
        errors,
        expected.map(|(code, path)| (code, path.to_string()))
    );
    refused(
        7,
        &json!({"/approval": {"kind": 7, "tokenTransferData": {}}}),
        &[
            (422126, "approval.ledgerId"),
            (422128, "approval.owner"),
            (422130, "approval.operator"),
            (422132, "approval.isOperator"),
            (422137, "approval.tokenTransferData.ledgerId"),
            (422139, "approval.tokenTransferData.receiverId"),
            (422140, "approval.tokenTransferData.value"),
            (422135, "approval.seed"),
            (422136, "approval.expiration"),
        ],
    );
    refused(
        8,
        &json!({"/approval": {"kind": 8}}),
        &[
            (422144, "approval.ledgerId"),
            (422146, "approval.approver"),
            (422149, "approval.spender"),
            (422151, "approval.value"),
            (422152, "approval.feeRecipient"),
            (422155, "approval.feeValue"),
            (422156, "approval.seed"),
            (422157, "approval.expiration"),
        ],
    );
}
