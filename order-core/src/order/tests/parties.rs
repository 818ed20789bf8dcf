//! Tests of the parties of an order: signers, senders, receivers and the wildcard, with their claims.

use alloc::format;
use alloc::string::ToString;

use serde_json::{Value, json};

use super::{A, B, C, accepted, body, refused};
use crate::order::{Action, OrderRequest};
use crate::testing::{ABSENT, NOW_MS, no_addresses};

#[test]
fn an_order_without_signers_needs_a_wildcard() {
    let one_action = json!([body()["order"]["actions"][3]]);
    let mut action = one_action.clone();
    action[0]["senderId"] = json!(null);
    for none in [json!(ABSENT), json!(null), json!(""), json!([])] {
        refused(
            &json!({"/order/signers": none, "/order/actions": one_action}),
            &[(422001, "order.signers")],
        );
        let request = accepted(&json!({
            "/order/signers": none, "/order/actions": action, "/wildcardSigner": true,
        }));
        assert_eq!(request.order.signers, []);
    }
}

#[test]
fn signers_are_a_list_of_distinct_accounts() {
    for no_list in [json!({}), json!("0x"), json!(3), json!(true)] {
        refused(
            &json!({"/order/signers": no_list}),
            &[(422900, "order.signers")],
        );
    }
    for entry in [json!(null), json!(A), json!(5), json!([])] {
        refused(
            &json!({"/order/signers/1": entry}),
            &[(422900, "order.signers[1]")],
        );
    }
    let path = "order.signers[1].accountId";
    let mut wrong = no_addresses().as_array().unwrap().clone();
    wrong.extend([json!(ABSENT), json!(null), json!(""), json!(5)]);
    // The same account twice, in upper and lower case.
    wrong.extend([json!(A), json!(A.to_lowercase())]);
    for account in wrong {
        let edits =
            json!({"/order/signers/1": {"accountId": C}, "/order/signers/1/accountId": account});
        refused(&edits, &[(422900, path)]);
    }
}

#[test]
fn the_sender_is_a_listed_signer() {
    refused(
        &json!({"/order/actions/1/senderId": B, "/order/actions/3/senderId": B}),
        &[
            (422060, "order.actions[1].senderId"),
            (422060, "order.actions[3].senderId"),
        ],
    );
    // The hash contains the zero address instead of the wildcard's account, so this account does not count as a listed signer.
    let claim = json!({"accountId": B, "claim": "any"});
    refused(
        &json!({"/wildcardSigner": true, "/order/wildcardClaim": claim, "/order/actions/1/senderId": B}),
        &[(422060, "order.actions[1].senderId")],
    );
    // If the list of signers is wrong, senders are not compared with the list.
    refused(
        &json!({"/order/signers/0/accountId": "x"}),
        &[(422900, "order.signers[0].accountId")],
    );
    let lower = accepted(&json!({"/order/actions/1/senderId": A.to_lowercase()}));
    assert_eq!(lower.order.actions[1].sender_id().unwrap().to_string(), A);
}

#[test]
fn the_wildcard_is_sender_or_receiver_but_not_both() {
    for empty in [json!(ABSENT), json!(null), json!(""), json!(7)] {
        let request = accepted(&json!({
            "/wildcardSigner": true,
            "/order/actions/0/receiverId": empty,
            "/order/actions/2/senderId": empty,
            "/order/actions/5/senderId": empty,
        }));
        assert_eq!(request.order.actions[2].sender_id(), None);
        assert_eq!(request.order.actions[5].sender_id(), None);
        let Action::CreateAsset { receiver_id, .. } = &request.order.actions[0] else {
            panic!("the first action creates an asset");
        };
        assert_eq!(*receiver_id, None);
        refused(
            &json!({
                "/wildcardSigner": true,
                "/order/actions/1/receiverId": empty,
                "/order/actions/1/senderId": empty,
            }),
            &[(422057, "order.actions[1]")],
        );
    }
    refused(
        &json!({"/order/actions/1/receiverId": "", "/order/actions/1/senderId": "x"}),
        &[
            (422060, "order.actions[1].senderId"),
            (422057, "order.actions[1].receiverId"),
        ],
    );
}

#[test]
fn a_wildcard_claim_is_complete_and_not_from_a_listed_signer() {
    let with = |claim: Value| json!({"/wildcardSigner": true, "/order/wildcardClaim": claim});
    let given = accepted(&with(json!({"accountId": B, "claim": "any"}))).order;
    assert_eq!(given.wildcard().unwrap().to_string(), B);
    for none in [
        json!(null),
        json!(""),
        json!("x"),
        json!({}),
        json!({"accountId": "", "claim": ""}),
    ] {
        assert_eq!(
            accepted(&with(none.clone())).order.wildcard_claim,
            None,
            "{none}"
        );
    }
    let at = "order.wildcardClaim";
    let cases = [
        (json!({"accountId": A, "claim": "any"}), "accountId"),
        (json!({"accountId": "nobody", "claim": "any"}), "accountId"),
        (json!({"claim": "any"}), "accountId"),
        (json!({"accountId": B}), "claim"),
        (json!({"accountId": B, "claim": ""}), "claim"),
        (json!({"accountId": B, "claim": 5}), "claim"),
    ];
    for (claim, field) in cases {
        refused(&with(claim), &[(422900, &format!("{at}.{field}"))]);
    }
    refused(
        &json!({"/order/wildcardClaim": {"accountId": B, "claim": "any"}}),
        &[(422900, at)],
    );
}

#[test]
fn an_order_is_fully_signed_if_all_signers_have_claims() {
    let request = accepted(&json!({}));
    assert!(
        !request.is_fully_signed(),
        "the second signer has not signed"
    );
    let request = accepted(&json!({"/order/signers/1/claim": "x"}));
    assert!(request.is_fully_signed());
    let open = OrderRequest {
        wildcard_signer: true,
        ..request
    };
    assert!(
        !open.is_fully_signed(),
        "no account has signed as the wildcard"
    );
    let request = accepted(&json!({
        "/wildcardSigner": true,
        "/order/signers/1/claim": "x",
        "/order/wildcardClaim": {"accountId": B, "claim": "y"},
    }));
    assert!(request.is_fully_signed());
    let wildcard = request.order.wildcard();
    let masked = OrderRequest {
        order: request.order.without_claims(),
        ..request
    };
    assert!(!masked.is_fully_signed());
    assert_eq!(masked.order.wildcard(), wildcard);
    assert!(!serde_json::to_string(&masked).unwrap().contains("\"x\""));
}

#[test]
fn contents_are_compared_without_claims() {
    let order = accepted(&json!({"/wildcardSigner": true})).order;
    for (mut edits, same) in [
        (
            json!({"/order/signers/0/claim": "other", "/order/signers/1/claim": "too"}),
            true,
        ),
        (
            json!({"/order/wildcardClaim": {"accountId": B, "claim": "any"}}),
            true,
        ),
        (json!({"/order/seed": 2}), false),
        (json!({"/order/expiration": NOW_MS + 2000}), false),
        (json!({"/order/actions/0/assetId": "0x2"}), false),
        (
            json!({"/order/signers/1": {"accountId": C}, "/order/actions/5": body()["order"]["actions"][4]}),
            false,
        ),
    ] {
        edits["/wildcardSigner"] = json!(true);
        assert_eq!(order.same_content(&accepted(&edits).order), same, "{edits}");
    }
}

#[test]
fn signers_are_the_listed_accounts_and_no_others() {
    let claim = json!({"accountId": B, "claim": "any"});
    let order = accepted(&json!({"/wildcardSigner": true, "/order/wildcardClaim": claim})).order;
    let is_signer = |account: &str| order.is_signer(account.parse().unwrap());
    assert!(is_signer(A) && is_signer(C));
    assert!(!is_signer(B), "the wildcard's account is not listed");
}

#[test]
fn an_invalid_wildcard_flag_is_the_only_error() {
    refused(
        &json!({"/wildcardSigner": "yes", "/order/actions/1/senderId": null}),
        &[(422900, "wildcardSigner")],
    );
}
