//! Compares preimages and hashes with the results of the original packages and contracts for the same orders.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use alloy_primitives::{B256, keccak256};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::testing::{
    NOW_MS, claims, client_requests, deploy, gateways, list, order_request, places, prefixed, text,
};
use crate::{
    Action, Approval, ApprovalRequest, AuthorizationPolicy, Claim, ClaimText, Code,
    DeploymentRequest, EthSignReading, Gateways, Order, OrderRequest,
};

/// Returns the contracts for which the vector's order was hashed.
fn gateways_for(vector: &Value) -> Gateways {
    let mut gateways = gateways();
    if text(vector, "name").contains("unsafeRecipientIds") {
        let ledger = vector["apiOrder"]["order"]["actions"][0]["ledgerId"].as_str();
        gateways.unsafe_recipients = [ledger.unwrap().parse().unwrap()].into();
    }
    gateways
}

#[test]
fn orders_pack_and_hash_like_the_original_gateway() {
    let file = claims();
    let vectors = list(&file, "actionsOrders");
    assert_eq!(vectors.len(), 13);
    let mut kinds = Vec::new();
    for vector in vectors {
        let name = text(vector, "name");
        let request = order_request(&vector["apiOrder"]).unwrap();
        let (order, wildcard) = (&request.order, request.wildcard_signer);
        let gateways = gateways_for(vector);

        let mut before = B256::ZERO;
        let steps = list(vector, "actionSteps");
        assert_eq!(order.actions.len(), steps.len(), "{name}");
        for (index, step) in steps.iter().enumerate() {
            let packed = order
                .action_step(index, before, &gateways, wildcard)
                .unwrap();
            assert_eq!(prefixed(packed.bytes()), text(step, "packed"), "{name}");
            before = keccak256(packed.bytes());
            assert_eq!(prefixed(before), text(step, "actionsHashAfter"), "{name}");
            kinds.push(order.actions[index].kind().number());
        }
        let preimage = order.preimage(&gateways, wildcard).unwrap();
        assert_eq!(
            prefixed(preimage.bytes()),
            text(vector, "orderPreimage"),
            "{name}"
        );
        let hash = order.hash(&gateways, wildcard).unwrap();
        assert_eq!(prefixed(hash), text(vector, "orderHash"), "{name}");
        assert_eq!(
            prefixed(hash),
            text(&vector["onChain"], "getOrderDataClaim"),
            "{name}"
        );

        recovers(list(vector, "claims"), &hash, None);
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, [1, 2, 3, 4, 5, 6]);
}

/// Returns an order of one action for each kind, with the same ledger, asset, parties and seed.
fn of_kind(kind: u8, action: &Value) -> Result<OrderRequest, Vec<crate::FieldError>> {
    let mut action = action.clone();
    action["kind"] = json!(kind);
    order_request(&json!({
        "wildcardSigner": false,
        "order": {
            "signers": [{"accountId": action["senderId"]}],
            "actions": [action],
            "seed": 1,
            "expiration": 4_102_444_800_000_u64,
        },
    }))
}

proptest! {
    /// Only the four bytes of the proxy differ between revoking and destroying, and no other kind has these bytes. A claim therefore signs
    /// one kind of action.
    #[test]
    fn a_claim_signs_one_kind_of_action(
        ledger in any::<[u8; 20]>(),
        asset in any::<u128>(),
        imprint in any::<[u8; 32]>(),
        sender in any::<[u8; 20]>(),
        receiver in any::<[u8; 20]>(),
        seed in 0_u64..1 << 53,
    ) {
        prop_assume!([ledger, sender, receiver].iter().all(|account| *account != [0; 20]));
        let gateways = gateways();
        let fields = json!({
            "ledgerId": prefixed(ledger), "assetId": asset.to_string(), "assetImprint": prefixed(imprint), "value": asset.to_string(),
            "abilities": [16], "senderId": prefixed(sender), "receiverId": prefixed(receiver),
        });
        let mut hashes = Vec::new();
        let mut steps = Vec::new();
        for kind in 1..=7 {
            let mut request = of_kind(kind, &fields).unwrap();
            request.order.seed = serde_json::from_value(json!(seed)).unwrap();
            hashes.push(request.hash(&gateways).unwrap());
            steps.push(request.order.action_step(0, B256::ZERO, &gateways, false).unwrap().into_bytes());
        }
        hashes.sort_unstable();
        hashes.dedup();
        prop_assert_eq!(hashes.len(), 7);
        let (destroys, revokes) = (&steps[5], &steps[6]);
        prop_assert_eq!(&revokes[32..36], &[0, 0, 0, 7]);
        prop_assert!(steps[..6].iter().all(|step| step[32..36] != revokes[32..36]));
        prop_assert_eq!([&destroys[..32], &destroys[36..]], [&revokes[..32], &revokes[36..]]);
    }
}

/// No original client or contract knows this kind. The hash was computed with `@noble/hashes` from the formula in `docs/spec/orders.md`.
#[test]
fn revoking_hashes_like_the_specifications_formula() {
    let fields = json!({
        "ledgerId": prefixed([0x22; 20]), "assetId": "100", "senderId": prefixed([0x33; 20]),
    });
    let mut request = of_kind(7, &fields).unwrap();
    request.order.seed = serde_json::from_value(json!(1_535_113_820)).unwrap();
    request.order.expiration = serde_json::from_value(json!(1_607_731_200)).unwrap();
    let gateways = Gateways {
        actions: crate::testing::address(&prefixed([0x11; 20])),
        ..gateways()
    };
    assert_eq!(
        prefixed(request.hash(&gateways).unwrap()),
        "0xe2fc8ec3f279a49ed5c24b485148165eaae029956c3282e2b05f5a254ded4bdb"
    );
}

#[test]
fn kinds_outside_of_one_to_seven_are_refused() {
    let fields = json!({
        "ledgerId": prefixed([1; 20]), "assetId": "1", "senderId": prefixed([2; 20]), "receiverId": prefixed([3; 20]),
    });
    for kind in [0, 8, 9, 255] {
        let errors = of_kind(kind, &fields).unwrap_err();
        let expected = (422900, "order.actions[0].kind".to_string());
        assert_eq!(places(&errors), [expected], "{kind}");
    }
    assert!(of_kind(7, &fields).is_ok());
}

/// Checks that every claim recovers to its signer if this service accepts the claim's kind, and is refused otherwise.
fn recovers(claims: &[Value], hash: &B256, default_signer: Option<&str>) {
    assert!(!claims.is_empty());
    for vector in claims {
        let parsed = text(vector, "claim").parse::<Claim>();
        if !matches!(vector["kind"].as_u64(), Some(0 | 3)) {
            assert_eq!(parsed, Err(crate::ClaimError::Kind));
            continue;
        }
        let claim = parsed.unwrap();
        let digest = crate::claim::eip191_digest(hash.as_slice());
        assert_eq!(prefixed(digest), text(vector, "digestSigned"));
        assert_eq!(prefixed(claim.r()), text(vector, "r"));
        assert_eq!(prefixed(claim.s()), text(vector, "s"));
        assert_eq!(u64::from(claim.v()), vector["v"].as_u64().unwrap());
        assert_eq!(claim.to_string(), text(vector, "claim"));
        let signer = vector["signer"].as_str().or(default_signer).unwrap();
        assert_eq!(claim.recover(hash).unwrap().to_string(), signer);
    }
}

#[test]
fn deployments_pack_and_hash_like_the_original_gateway() {
    let file = claims();
    let vectors = list(&file, "deployments");
    assert_eq!(vectors.len(), 4);
    let gateways = gateways();
    for vector in vectors {
        let name = text(vector, "name");
        if name.contains("no receiver") {
            // The contract lets any taker receive the payment. The service requires a receiver.
            let errors = deploy(&vector["apiDeploy"]).unwrap_err();
            let expected = (422053, "deploy.tokenTransferData.receiverId".to_string());
            assert_eq!(places(&errors), [expected]);
            continue;
        }
        let deploy = deploy(&vector["apiDeploy"]).unwrap();
        for (preimage, hash, packed) in [
            (
                "xcertDataPreimage",
                "xcertDataHash",
                deploy.asset_ledger_data.preimage(),
            ),
            (
                "transferDataPreimage",
                "transferDataHash",
                deploy.token_transfer_data.preimage(),
            ),
            ("preimage", "hash", deploy.preimage(&gateways)),
        ] {
            assert_eq!(prefixed(packed.bytes()), text(vector, preimage), "{name}");
            assert_eq!(
                prefixed(keccak256(packed.bytes())),
                text(vector, hash),
                "{name}"
            );
        }
        let hash = deploy.hash(&gateways);
        assert_eq!(
            prefixed(hash),
            text(&vector["onChain"], "getDeployDataClaim"),
            "{name}"
        );
        recovers(
            list(vector, "claims"),
            &hash,
            Some(text(vector, "makerHashed")),
        );
    }
}

#[test]
fn approvals_pack_and_hash_like_the_original_contracts() {
    let file = claims();
    let vectors = list(&file, "approvals");
    assert_eq!(vectors.len(), 3);
    for vector in vectors {
        let name = text(vector, "name");
        let body = json!({"priority": 1, "claim": "later", "approval": vector["apiApproval"]});
        let approval = ApprovalRequest::parse(&body, NOW_MS).unwrap().approval;
        assert_eq!(
            prefixed(approval.preimage().bytes()),
            text(vector, "preimage"),
            "{name}"
        );
        assert_eq!(prefixed(approval.hash()), text(vector, "hash"), "{name}");
        assert_eq!(
            prefixed(approval.hash()),
            text(&vector["onChain"], "generateClaim"),
            "{name}"
        );
        let signer = approval.signer().to_string();
        recovers(list(vector, "claims"), &approval.hash(), Some(&signer));
    }
}

/// Returns the order of a quirk in the form of the interface specification.
fn quirk_order(quirk: &Value) -> Value {
    let order = &quirk["order"];
    let signers: Vec<Value> = list(order, "signers")
        .iter()
        .map(|account| json!({"accountId": account}))
        .collect();
    json!({
        "wildcardSigner": order["kind"] == 6,
        "order": {
            "signers": signers,
            "seed": order["seed"],
            "expiration": order["expiration"],
            "actions": order["actions"],
        },
    })
}

enum Quirk {
    /// The order is accepted. Its hash is the one that the contracts compute.
    ContractHash,
    /// The order is accepted. Its hash is the hash of this normal form, and differs from the hash of the original client.
    OtherHash(&'static str),
    /// The order is refused, with this code at this path.
    Refused(u32, &'static str),
}

fn decision(name: &str) -> Quirk {
    use Quirk::{ContractHash, OtherHash, Refused};
    match name {
        "deployment with non-ASCII name (client hashes charCodeAt hex, contract UTF-8)"
        | "deployment with a newline in the name (charCode < 0x10 gives one hex digit)"
        | "lower case addresses"
        | "asset id as hex string"
        | "wildcard account also listed as signer, empty senderId" => ContractHash,
        "deployment with 0x-prefixed schemaId" => OtherHash("without 0x in the schemaId"),
        "create asset with 0x-prefixed imprint" => OtherHash("without 0x in the imprint"),
        // The number is read as seconds. The client divides it by 1,000 and so hashes a time in 1970.
        "expiration given in seconds (client divides by 1000 again)" => {
            OtherHash("expiration in milliseconds")
        }
        "create asset with 31-byte imprint (right padded with 00)"
        | "create asset with 33-byte imprint" => Refused(422158, "order.actions[0].assetImprint"),
        "seed above 2^53-1" | "seed with a fraction (parseInt truncates)" => {
            Refused(422002, "order.seed")
        }
        "duplicate abilities are added, not or-ed" => Refused(422900, "order.actions[0].abilities"),
        "fixed order, sender not a signer" => Refused(422060, "order.actions[0].senderId"),
        "fixed order without receiverId" => Refused(422057, "order.actions[0].receiverId"),
        "dynamic order, sender and receiver both missing" => Refused(422057, "order.actions[0]"),
        "bad checksum address" => Refused(422900, "order.signers[0].accountId"),
        "value with a decimal point" => Refused(422070, "order.actions[0].value"),
        other => panic!("no decision about `{other}`"),
    }
}

#[test]
fn every_quirk_of_the_original_client_has_the_decided_result() {
    let file = claims();
    let quirks = list(&file, "quirks");
    assert_eq!(quirks.len(), 18);
    let gateways = gateways();
    for quirk in quirks {
        let name = text(quirk, "name");
        let original = quirk["originalClientHash"].as_str().unwrap_or_default();
        let result = if name.starts_with("deployment") {
            deploy(&quirk["order"]).map(|deploy| deploy.hash(&gateways))
        } else {
            order_request(&quirk_order(quirk)).map(|request| request.hash(&gateways).unwrap())
        };
        match decision(name) {
            Quirk::ContractHash => {
                assert_eq!(
                    prefixed(result.unwrap()),
                    text(quirk, "contractHash"),
                    "{name}"
                );
            }
            Quirk::OtherHash(same_as) => {
                let hash = result.unwrap();
                assert_ne!(prefixed(hash), original, "{name}");
                assert_eq!(hash, plain(quirk, &gateways), "{name}: {same_as}");
            }
            Quirk::Refused(code, path) => {
                assert_eq!(
                    places(&result.unwrap_err()),
                    [(code, path.to_string())],
                    "{name}"
                );
            }
        }
    }
}

/// Returns the hash of the quirk's order or deployment in its normal form.
fn plain(quirk: &Value, gateways: &Gateways) -> B256 {
    let mut quirk = quirk.clone();
    let order = &mut quirk["order"];
    if order["assetLedgerData"].is_object() {
        let schema = &mut order["assetLedgerData"]["schemaId"];
        *schema = json!(schema.as_str().unwrap().trim_start_matches("0x"));
        return deploy(order).unwrap().hash(gateways);
    }
    let seconds = order["expiration"].as_u64().unwrap();
    if seconds < 100_000_000_000 {
        order["expiration"] = json!(seconds * 1000);
    }
    if let Some(imprint) = order["actions"][0]["assetImprint"].as_str() {
        order["actions"][0]["assetImprint"] = json!(imprint.trim_start_matches("0x"));
    }
    let request = order_request(&quirk_order(&quirk)).unwrap();
    request.hash(gateways).unwrap()
}

/// Names of recorded calls whose claim does not sign the content of their body.
const CLIENT_SIGNS_OTHER_CONTENT: [&str; 1] =
    ["createDeployment with 0x-prefixed schemaId (as in the docs example)"];

#[test]
fn claims_of_recorded_requests_recover_to_their_accounts() {
    let file = client_requests();
    let gateways = gateways();
    let [mut orders, mut deployments, mut approvals, mut claims] = [0; 4];
    for record in list(&file, "records") {
        let name = text(record, "name");
        for request in list(record, "requests") {
            let body = &request["body"];
            if request["method"] != "POST" {
                continue;
            }
            let result = match text(request, "path") {
                "/orders" => {
                    let request = OrderRequest::parse(body, NOW_MS).unwrap();
                    let hash = request.hash(&gateways).unwrap();
                    orders += 1;
                    claims += request
                        .order
                        .signers
                        .iter()
                        .filter(|s| s.claim.is_some())
                        .count();
                    request.order.verify_claims(&hash).is_ok()
                }
                "/deployments" => {
                    let request = DeploymentRequest::parse(body, NOW_MS).unwrap();
                    deployments += 1;
                    request
                        .verify_claim(&request.deploy.hash(&gateways))
                        .is_ok()
                }
                "/approvals" => {
                    let request = ApprovalRequest::parse(body, NOW_MS).unwrap();
                    approvals += 1;
                    request.verify_claim(&request.approval.hash()).is_ok()
                }
                _ => continue,
            };
            assert_eq!(
                result,
                !CLIENT_SIGNS_OTHER_CONTENT.contains(&name),
                "{name}"
            );
        }
    }
    assert_eq!([orders, deployments, approvals, claims], [20, 3, 3, 18]);
}

#[test]
fn claims_of_sign_requests_recover_to_the_caller() {
    // The client signs the hash of the order that the server's previous answer contains.
    let file = client_requests();
    let gateways = gateways();
    let policy = AuthorizationPolicy::new("I accept 0xcert terms of use.", EthSignReading::Sha256);
    let mut refused = Vec::new();
    let mut checked = 0;
    for record in list(&file, "records") {
        let name = text(record, "name");
        let requests = list(record, "requests");
        let Some(at) = requests.iter().position(|request| {
            request["method"] == "PUT" && text(request, "path").ends_with("/sign")
        }) else {
            continue;
        };
        let answer = &record["responses"][at - 1]["body"]["data"];
        let Ok(order) = serde_json::from_value::<Order>(answer["order"].clone()) else {
            refused.push(name.rsplit(": ").next().unwrap());
            continue;
        };
        let wildcard = answer["wildcardSigner"].as_bool().unwrap_or(false);
        let hash = order.hash(&gateways, wildcard).unwrap();
        let header = text(&requests[at]["headers"], "authorization");
        let caller = policy.recover(header).unwrap();
        let claim = ClaimText::from_sign_request(&requests[at]["body"]).unwrap();
        assert!(claim.verify(&hash, caller).is_ok(), "{name}: {caller}");
        checked += 1;
    }
    assert_eq!(checked, 8);
    // The client accepts these forms in an answer, but this service never writes them.
    let forms = [
        "expiration as ISO string",
        "expiration as numeric string",
        "seed as string",
        "value as number",
        "kind as string",
        "wildcard with senderId \"\" (empty string)",
    ];
    assert_eq!(refused, forms);
}

#[test]
fn an_invalid_order_is_not_hashed() {
    let file = claims();
    let gateways = gateways();
    let read = |name: &str| {
        let vectors = list(&file, "actionsOrders");
        let vector = vectors.iter().find(|v| text(v, "name").starts_with(name));
        order_request(&vector.unwrap()["apiOrder"]).unwrap().order
    };
    let code = |order: &Order, wildcard| order.hash(&gateways, wildcard).unwrap_err();

    let wildcard = read("dynamic (wildcard): signer A1");
    let error = code(&wildcard, false);
    assert_eq!(
        (error.code, &*error.path),
        (Code::ActionPartyMissing, "order.actions[0].receiverId")
    );

    let mut fixed = read("fixed, two signers");
    fixed.signers.truncate(1);
    let error = code(&fixed, false);
    assert_eq!(error.code, Code::ActionSenderNotValid);

    let mut senderless = read("destroy asset");
    if let Action::DestroyAsset { sender_id, .. } = &mut senderless.actions[0] {
        *sender_id = None;
    }
    let error = code(&senderless, false);
    assert_eq!(
        (error.code, &*error.path),
        (Code::ActionPartyMissing, "order.actions[0].senderId")
    );
    assert!(senderless.hash(&gateways, true).is_ok());
}

#[test]
fn every_part_of_an_order_changes_its_hash() {
    let file = claims();
    let vector = list(&file, "actionsOrders")
        .iter()
        .find(|vector| text(vector, "name").starts_with("fixed, two signers"))
        .unwrap();
    let request = order_request(&vector["apiOrder"]).unwrap();
    let gateways = gateways();
    let hash = |order: &Order| order.hash(&gateways, false).unwrap();
    let mut seen = alloc::collections::BTreeSet::from([hash(&request.order)]);
    let mut other = |name: &str, order: &Order, wildcard| {
        let hash = order.hash(&gateways, wildcard).unwrap();
        assert!(seen.insert(hash), "{name} does not change the hash");
    };
    other("a wildcard", &request.order, true);
    let change = |change: &dyn Fn(&mut Order)| {
        let mut order = request.order.clone();
        change(&mut order);
        order
    };
    other(
        "the seed",
        &change(&|o| o.seed = 7.try_into().unwrap()),
        false,
    );
    other(
        "the expiration",
        &change(&|o| o.expiration = 4102444801.try_into().unwrap()),
        false,
    );
    other(
        "the order of the signers",
        &change(&|o| o.signers.reverse()),
        false,
    );
    other(
        "the order of the actions",
        &change(&|o| o.actions.reverse()),
        false,
    );
    for index in 0..request.order.actions.len() {
        other(
            &format!("action {index}"),
            &change(&|o| {
                o.actions.remove(index);
            }),
            false,
        );
    }
    let claimed = change(&|o| o.signers[0].claim = crate::ClaimText::new("any"));
    assert_eq!(
        hash(&claimed),
        hash(&request.order),
        "a claim must not change the hash"
    );
}

#[test]
fn the_approvals_of_the_vectors_have_distinct_hashes() {
    let file = claims();
    let hashes: alloc::collections::BTreeSet<B256> = list(&file, "approvals")
        .iter()
        .map(|vector| serde_json::from_value::<Approval>(vector["apiApproval"].clone()))
        .map(|approval| approval.unwrap().hash())
        .collect();
    assert_eq!(hashes.len(), 3);
}
