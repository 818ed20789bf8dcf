//! Compares calls, transactions and logs with recorded ones of the original client, the original contracts and Ethereum's main network.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;

use alloy_primitives::{B256, U256, hex};
use alloy_sol_types::{SolCall, SolEvent};
use proptest::prelude::*;
use serde_json::{Value, json};

mod deployments;

use super::contracts::{ActionsGateway, DeployGateway, Token, Xcert};
use super::*;
use crate::testing::{
    NOW_MS, address, claims, deploy, gateways, list, order_request, places, prefixed, text,
};
use crate::{
    Action, Address, Amount, ApprovalRequest, AssetId, ClaimError, ClaimKind, ClaimText, Code,
    DeploymentRequest, FieldError, Gateways, Imprint, OrderRequest, PrivateKey, Request,
    SignerClaim,
};

/// Encodes a number as a word of the ABI.
pub(super) fn integer(number: u64) -> [u8; 32] {
    U256::from(number).to_be_bytes()
}

/// Encodes `bytes` or a `string`, without its offset.
pub(super) fn bytes(bytes: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::from(integer(bytes.len() as u64));
    encoded.extend(bytes);
    encoded.resize(encoded.len().next_multiple_of(32), 0);
    encoded
}

fn abi() -> Value {
    serde_json::from_str(include_str!("../../../tests/vectors/claims/abi.json")).unwrap()
}

/// Returns the hash of the only function or event whose signature starts with `name` and `(`.
fn listed(abi: &Value, contract: &str, kind: &str, name: &str) -> String {
    let all = abi[contract][kind].as_object().unwrap();
    let start = alloc::format!("{name}(");
    let mut found = all.iter().filter(|(text, _)| text.starts_with(&start));
    let (_, hash) = found.next().unwrap();
    assert!(found.next().is_none(), "{contract}.{name}");
    hash.as_str().unwrap().into()
}

#[test]
fn selectors_equal_the_contracts_selectors() {
    let abi = abi();
    let [gateway, deploys, ledger, token] = [
        "ActionsGateway",
        "XcertDeployGateway",
        "XcertCustom",
        "DappToken",
    ];
    for (contract, name, ours) in [
        (gateway, "perform", ActionsGateway::performCall::SELECTOR),
        (gateway, "cancel", ActionsGateway::cancelCall::SELECTOR),
        (deploys, "perform", DeployGateway::performCall::SELECTOR),
        (
            deploys,
            "performAnyTaker",
            DeployGateway::performAnyTakerCall::SELECTOR,
        ),
        (deploys, "cancel", DeployGateway::cancelCall::SELECTOR),
        (
            ledger,
            "setApprovalForAllWithSignature",
            Xcert::setApprovalForAllWithSignatureCall::SELECTOR,
        ),
        (
            ledger,
            "cancelSetApprovalForAllWithSignature",
            Xcert::cancelSetApprovalForAllWithSignatureCall::SELECTOR,
        ),
        (
            token,
            "approveWithSignature",
            Token::approveWithSignatureCall::SELECTOR,
        ),
        (
            token,
            "cancelApproveWithSignature",
            Token::cancelApproveWithSignatureCall::SELECTOR,
        ),
    ] {
        assert_eq!(listed(&abi, contract, "functions", name), prefixed(ours));
    }
    for (contract, name, ours) in [
        (token, "balanceOf", Token::balanceOfCall::SELECTOR),
        (token, "allowance", Token::allowanceCall::SELECTOR),
        (
            token,
            "whitelistedRecipients",
            Token::whitelistedRecipientsCall::SELECTOR,
        ),
        (ledger, "ownerOf", Xcert::ownerOfCall::SELECTOR),
        (
            ledger,
            "tokenURIIntegrity",
            Xcert::tokenURIIntegrityCall::SELECTOR,
        ),
        (ledger, "tokenURI", Xcert::tokenURICall::SELECTOR),
        (ledger, "getApproved", Xcert::getApprovedCall::SELECTOR),
        (
            ledger,
            "isApprovedForAll",
            Xcert::isApprovedForAllCall::SELECTOR,
        ),
        (
            ledger,
            "addressToAbility",
            Xcert::addressToAbilityCall::SELECTOR,
        ),
        (ledger, "name", Xcert::nameCall::SELECTOR),
        (ledger, "symbol", Xcert::symbolCall::SELECTOR),
        (ledger, "uriPrefix", Xcert::uriPrefixCall::SELECTOR),
        (ledger, "uriPostfix", Xcert::uriPostfixCall::SELECTOR),
        (
            ledger,
            "supportsInterface",
            Xcert::supportsInterfaceCall::SELECTOR,
        ),
        (ledger, "totalSupply", Xcert::totalSupplyCall::SELECTOR),
        (
            ledger,
            "claimPerformed",
            Xcert::claimPerformedCall::SELECTOR,
        ),
        (
            ledger,
            "claimCancelled",
            Xcert::claimCancelledCall::SELECTOR,
        ),
        (token, "claimPerformed", Xcert::claimPerformedCall::SELECTOR),
        (token, "claimCancelled", Xcert::claimCancelledCall::SELECTOR),
        (
            gateway,
            "orderPerformed",
            ActionsGateway::orderPerformedCall::SELECTOR,
        ),
        (
            gateway,
            "orderCancelled",
            ActionsGateway::orderCancelledCall::SELECTOR,
        ),
        (gateway, "proxies", ActionsGateway::proxiesCall::SELECTOR),
        (
            deploys,
            "deployPerformed",
            DeployGateway::deployPerformedCall::SELECTOR,
        ),
        (
            deploys,
            "deployCancelled",
            DeployGateway::deployCancelledCall::SELECTOR,
        ),
        (
            deploys,
            "xcertDeployProxy",
            DeployGateway::xcertDeployProxyCall::SELECTOR,
        ),
        (
            deploys,
            "xcertCreateProxy",
            DeployGateway::xcertCreateProxyCall::SELECTOR,
        ),
        (
            deploys,
            "tokenTransferProxy",
            DeployGateway::tokenTransferProxyCall::SELECTOR,
        ),
        (
            token,
            "tokenTransferProxy",
            DeployGateway::tokenTransferProxyCall::SELECTOR,
        ),
        (
            deploys,
            "nftSafeTransferProxy",
            DeployGateway::nftSafeTransferProxyCall::SELECTOR,
        ),
        (
            deploys,
            "xcertUpdateProxy",
            DeployGateway::xcertUpdateProxyCall::SELECTOR,
        ),
        (
            deploys,
            "abilitableManageProxy",
            DeployGateway::abilitableManageProxyCall::SELECTOR,
        ),
        (
            deploys,
            "xcertBurnProxy",
            DeployGateway::xcertBurnProxyCall::SELECTOR,
        ),
    ] {
        assert_eq!(listed(&abi, contract, "functions", name), prefixed(ours));
    }
    for (contract, name, ours) in [
        (gateway, "Perform", ActionsGateway::Perform::SIGNATURE_HASH),
        (gateway, "Cancel", ActionsGateway::Cancel::SIGNATURE_HASH),
        (
            gateway,
            "ProxyChange",
            ActionsGateway::ProxyChange::SIGNATURE_HASH,
        ),
        (gateway, "SetAbilities", Xcert::SetAbilities::SIGNATURE_HASH),
        (deploys, "Perform", DeployGateway::Perform::SIGNATURE_HASH),
        (deploys, "Cancel", DeployGateway::Cancel::SIGNATURE_HASH),
        (
            deploys,
            "ProxyChange",
            DeployGateway::ProxyChange::SIGNATURE_HASH,
        ),
        (deploys, "SetAbilities", Xcert::SetAbilities::SIGNATURE_HASH),
        (ledger, "Transfer", Xcert::Transfer::SIGNATURE_HASH),
        (
            ledger,
            "TokenURIIntegrityDigestUpdate",
            Xcert::TokenURIIntegrityDigestUpdate::SIGNATURE_HASH,
        ),
        (ledger, "SetAbilities", Xcert::SetAbilities::SIGNATURE_HASH),
        (token, "Transfer", Xcert::Transfer::SIGNATURE_HASH),
    ] {
        assert_eq!(listed(&abi, contract, "events", name), prefixed(ours));
    }
}

/// Returns the claims of a recorded call. `None` if the service does not accept the kind of a claim.
fn used(vector: &Value) -> Option<Vec<ClaimText>> {
    let perform = &vector["perform"];
    let texts = match &perform["claimsUsed"] {
        Value::Array(texts) => texts.clone(),
        _ => vec![perform["claimUsed"].clone()],
    };
    let texts = texts.iter().map(|text| text.as_str().unwrap());
    let accepted = texts.map(|text| {
        let kind = text.split(':').next().unwrap();
        ["0", "3"]
            .contains(&kind)
            .then(|| ClaimText::new(text).unwrap())
    });
    accepted.collect()
}

/// Returns the recorded order with its claims. The account in the wildcard's place is the last signer in the record.
fn signed_order(vector: &Value) -> Option<OrderRequest> {
    let mut request = order_request(&vector["apiOrder"]).unwrap();
    let order = &mut request.order;
    let mut claims = used(vector)?.into_iter();
    for (signer, claim) in order.signers.iter_mut().zip(&mut claims) {
        signer.claim = Some(claim);
    }
    let wildcard = claims.next().map(|claim| {
        let signer = list(vector, "claims").last().unwrap();
        SignerClaim {
            account_id: address(text(signer, "signer")),
            claim: Some(claim),
        }
    });
    assert_eq!(wildcard.is_some(), request.wildcard_signer);
    order.wildcard_claim = wildcard;
    Some(request)
}

fn gateways_for(vector: &Value) -> Gateways {
    let mut gateways = gateways();
    if text(vector, "name").contains("unsafeRecipientIds") {
        let ledger = &vector["apiOrder"]["order"]["actions"][0];
        gateways.unsafe_recipients = [address(text(ledger, "ledgerId"))].into();
    }
    gateways
}

/// Returns every recorded request that the service accepts, with its record.
fn recorded() -> Vec<(Request, Value)> {
    let file = claims();
    let mut requests = Vec::new();
    for vector in list(&file, "actionsOrders") {
        if let Some(request) = signed_order(vector) {
            requests.push((Request::Order(Box::new(request)), vector.clone()));
        }
    }
    for vector in list(&file, "deployments") {
        let claim = used(vector).unwrap().pop().unwrap();
        if let Ok(deploy) = deploy(&vector["apiDeploy"]) {
            let body = json!({"priority": 1, "claim": claim.as_str(), "deploy": deploy});
            let request = DeploymentRequest::parse(&body, NOW_MS).unwrap();
            requests.push((Request::Deployment(Box::new(request)), vector.clone()));
        }
    }
    for vector in list(&file, "approvals") {
        let claim = used(vector).unwrap().pop().unwrap();
        let approval = &vector["apiApproval"];
        let body = json!({"priority": 1, "claim": claim.as_str(), "approval": approval});
        let request = ApprovalRequest::parse(&body, NOW_MS).unwrap();
        requests.push((Request::Approval(Box::new(request)), vector.clone()));
    }
    requests
}

#[test]
fn calls_equal_those_of_the_original_client() {
    let requests = recorded();
    assert_eq!(requests.len(), 18);
    for (request, vector) in requests {
        let name = text(&vector, "name");
        let call = perform(&request, &gateways_for(&vector)).unwrap();
        let sent = &vector["perform"]["tx"];
        assert_eq!(call.to, address(text(sent, "to")), "{name}");
        assert_eq!(prefixed(&call.data), text(sent, "data"), "{name}");
    }
}

/// Returns the number of signers and of signatures in the call that performs an order.
fn counts(call: &Call) -> (u64, u64) {
    let data = &call.data[4..];
    let at = |offset: usize| U256::from_be_slice(&data[offset..offset + 32]).to::<usize>();
    let (order, signatures) = (at(0), at(32));
    let signers = order + at(order);
    (at(signers) as u64, at(signatures) as u64)
}

#[test]
fn an_order_is_never_sent_with_fewer_claims_than_signers() {
    let mut orders = 0;
    for (request, vector) in recorded() {
        let Request::Order(request) = request else {
            continue;
        };
        orders += 1;
        let gateways = gateways_for(&vector);
        let places = request.order.signers.len() + usize::from(request.wildcard_signer);
        let whole = perform(&Request::Order(request.clone()), &gateways).unwrap();
        assert_eq!(counts(&whole), (places as u64, places as u64));
        for place in 0..places {
            let mut fewer = request.clone();
            let missing = match fewer.order.signers.get_mut(place) {
                Some(signer) => {
                    signer.claim = None;
                    Some(signer.account_id)
                }
                None => {
                    fewer.order.wildcard_claim = None;
                    None
                }
            };
            let refused = perform(&Request::Order(fewer), &gateways);
            assert_eq!(refused, Err(CallError::NotSigned(missing)));
        }
    }
    assert_eq!(orders, 12);
}

#[test]
fn no_call_revokes_an_asset() {
    let mut revoking = 0;
    for (request, vector) in recorded() {
        let Request::Order(mut request) = request else {
            continue;
        };
        for action in &mut request.order.actions {
            let Action::DestroyAsset {
                ledger_id,
                asset_id,
                sender_id,
            } = action.clone()
            else {
                continue;
            };
            *action = Action::RevokeAsset {
                ledger_id,
                asset_id,
                sender_id,
            };
            revoking += 1;
        }
        let revokes = |action: &Action| matches!(action, Action::RevokeAsset { .. });
        let Some(index) = request.order.actions.iter().position(revokes) else {
            continue;
        };
        // An order that waits for a claim is refused too. Otherwise people would sign an order that can never be performed.
        request.order.signers[0].claim = None;
        let expected = FieldError::new(
            Code::RevokeNotOnChain,
            alloc::format!("order.actions[{index}].kind"),
        );
        let gateways = gateways_for(&vector);
        for call in [perform, cancel] {
            let refused = call(&Request::Order(request.clone()), &gateways);
            assert_eq!(refused, Err(CallError::Order(expected.clone())));
        }
    }
    assert!(revoking > 0);
}

#[test]
fn a_claim_of_another_account_is_not_sent() {
    let stranger = PrivateKey::from_bytes(&[7; 32]).unwrap();
    for (mut request, vector) in recorded() {
        let gateways = gateways_for(&vector);
        let hash = request.hash(&gateways).unwrap();
        let claim = ClaimText::from(stranger.claim(ClaimKind::EthSign, &hash));
        let account = match &mut request {
            Request::Order(request) => {
                let order = &mut request.order;
                let last = order.wildcard_claim.as_mut().or(order.signers.last_mut());
                let signer = last.unwrap();
                signer.claim = Some(claim);
                signer.account_id
            }
            Request::Deployment(request) => {
                request.claim = claim;
                request.deploy.maker_id
            }
            Request::Approval(request) => {
                request.claim = claim;
                request.approval.signer()
            }
        };
        let expected = Err(CallError::Claim(account, ClaimError::OtherAccount));
        assert_eq!(perform(&request, &gateways), expected);
    }
}

#[test]
fn a_cancellation_repeats_the_data_of_the_performing_call() {
    for (request, vector) in recorded() {
        let gateways = gateways_for(&vector);
        let [perform, cancel] = [perform, cancel].map(|call| call(&request, &gateways).unwrap());
        assert_eq!(cancel.to, perform.to);
        let (selector, data) = cancel.data.split_first_chunk::<4>().unwrap();
        let sent = &perform.data[4..];
        let (expected, same) = match &request {
            // The order is the only argument of a cancellation. The data has the argument's offset in one word, and then the order.
            Request::Order(_) => {
                let order = &data[32..];
                (
                    ActionsGateway::cancelCall::SELECTOR,
                    order == &sent[64..64 + order.len()],
                )
            }
            Request::Deployment(_) => (
                DeployGateway::cancelCall::SELECTOR,
                data[32..] == sent[160..],
            ),
            // The cancellation lacks the signature, which is the last four words. For kind 8 it also lacks the approver, who sends the
            // call.
            Request::Approval(request) => match request.approval.kind() {
                crate::ApprovalKind::Operator => {
                    let approval = &sent[..sent.len() - 128];
                    (
                        Xcert::cancelSetApprovalForAllWithSignatureCall::SELECTOR,
                        data == approval,
                    )
                }
                crate::ApprovalKind::Value => {
                    let approval = &sent[32..sent.len() - 128];
                    (
                        Token::cancelApproveWithSignatureCall::SELECTOR,
                        data == approval,
                    )
                }
            },
        };
        assert_eq!(*selector, expected);
        assert!(same, "{}", text(&vector, "name"));
    }
}

#[test]
fn the_state_of_a_request_is_read_from_the_contract_of_its_calls() {
    for (request, vector) in recorded() {
        let gateways = gateways_for(&vector);
        let hash = request.hash(&gateways).unwrap();
        let (performed, canceled) = match &request {
            Request::Order(_) => (
                ActionsGateway::orderPerformedCall::SELECTOR,
                ActionsGateway::orderCancelledCall::SELECTOR,
            ),
            Request::Deployment(_) => (
                DeployGateway::deployPerformedCall::SELECTOR,
                DeployGateway::deployCancelledCall::SELECTOR,
            ),
            Request::Approval(_) => (
                Xcert::claimPerformedCall::SELECTOR,
                Xcert::claimCancelledCall::SELECTOR,
            ),
        };
        for (asked, selector) in [
            (views::performed(&request, &gateways, &hash), performed),
            (views::canceled(&request, &gateways, &hash), canceled),
        ] {
            assert_eq!(asked.call.to, perform(&request, &gateways).unwrap().to);
            assert_eq!(asked.call.data, [&selector, hash.as_slice()].concat());
        }
    }
}

fn word(text: &str) -> B256 {
    text.parse().unwrap()
}

/// A log of a record.
struct Recorded {
    address: Address,
    topics: Vec<B256>,
    data: Vec<u8>,
}

impl Recorded {
    fn log(&self) -> Log<'_> {
        Log {
            topics: &self.topics,
            data: &self.data,
        }
    }
}

fn logs(vector: &Value) -> Vec<Recorded> {
    let events = vector["onChain"]["performed"]["events"].as_array();
    let events = events.into_iter().flatten();
    events
        .map(|event| Recorded {
            address: address(text(event, "address")),
            topics: list(event, "topics")
                .iter()
                .map(|topic| word(topic.as_str().unwrap()))
                .collect(),
            data: hex::decode(text(event, "data")).unwrap(),
        })
        .collect()
}

#[test]
fn recorded_logs_name_the_request_and_its_effects() {
    let gateways = gateways();
    let (mut performed, mut effects, mut ignored) = (0, 0, 0);
    for (request, vector) in recorded() {
        let hash = request.hash(&gateways_for(&vector)).unwrap();
        for recorded in logs(&vector) {
            let log = recorded.log();
            if recorded.address == gateways.actions {
                let event = OrderEvent::read(&log).unwrap();
                assert_eq!(event, Some(OrderEvent::Performed(hash)));
                performed += 1;
            } else if recorded.address == gateways.deploy {
                let Some(DeployEvent::Performed { claim, maker, .. }) =
                    DeployEvent::read(&log).unwrap()
                else {
                    panic!("the log is of another kind");
                };
                assert_eq!((claim, maker), (hash, request.signatories().pop()));
                performed += 1;
            } else if recorded.topics[0] == Token::Transfer::SIGNATURE_HASH
                && recorded.topics.len() == 3
            {
                // The log of an asset's transfer has a fourth topic.
                assert!(TokenMove::read(&log).unwrap().is_some());
                effects += 1;
            } else if LedgerEvent::read(&log).unwrap().is_some() {
                effects += 1;
            } else {
                ignored += 1;
            }
        }
    }
    // The logs of every order that succeeded and of three deployments. No log has the hash of an approval.
    assert_eq!((performed, effects, ignored), (14, 26, 3));
}

#[test]
fn logs_of_ledgers_become_the_changes_that_they_report() {
    let [a, b] = [1, 2].map(|byte| Address::from_bytes([byte; 20]).unwrap());
    let [a_word, b_word] =
        [a, b].map(|account| alloy_primitives::Address::from(account).into_word());
    let none = B256::ZERO;
    let id = AssetId::from(7);
    let id_word = B256::new(id.to_be_bytes());
    let many = B256::repeat_byte(0xff);
    let ledger = |topics: &[B256], data: &[u8]| LedgerEvent::read(&Log { topics, data });
    for (topics, data, expected) in [
        (
            vec![Xcert::Transfer::SIGNATURE_HASH, none, a_word, id_word],
            vec![],
            LedgerEvent::Created { id, owner: a },
        ),
        (
            vec![Xcert::Transfer::SIGNATURE_HASH, a_word, b_word, id_word],
            vec![],
            LedgerEvent::Moved { id, from: a, to: b },
        ),
        (
            vec![Xcert::Transfer::SIGNATURE_HASH, a_word, none, id_word],
            vec![],
            LedgerEvent::Destroyed { id, owner: a },
        ),
        (
            vec![
                Xcert::TokenURIIntegrityDigestUpdate::SIGNATURE_HASH,
                id_word,
            ],
            vec![9; 32],
            LedgerEvent::ImprintSet(id, Imprint::from([9; 32])),
        ),
        (
            vec![Xcert::SetAbilities::SIGNATURE_HASH, a_word, many],
            vec![],
            LedgerEvent::AbilitiesSet(Some(a), crate::Abilities::ALL),
        ),
    ] {
        assert_eq!(ledger(&topics, &data), Ok(Some(expected)));
        // Logs of the same kind with a wrong shape are refused.
        assert!(ledger(&topics, &[data.as_slice(), &[0]].concat()).is_err());
        assert!(ledger(&[topics.as_slice(), &[none]].concat(), &data).is_err());
        assert!(ledger(&topics[..topics.len() - 1], &data).is_err());
    }
    for [from, to] in [[none, none], [many, a_word]] {
        let topics = [Xcert::Transfer::SIGNATURE_HASH, from, to, id_word];
        assert!(ledger(&topics, &[]).is_err());
    }
    assert_eq!(ledger(&[], &[]), Ok(None));
    assert_eq!(ledger(&[many], &[]), Ok(None));
    let value = Amount::from(5);
    let token = |topics: &[B256]| {
        let data = value.to_be_bytes();
        TokenMove::read(&Log {
            topics,
            data: &data,
        })
    };
    let moved = TokenMove {
        from: None,
        to: Some(a),
        value,
    };
    assert_eq!(
        token(&[Xcert::Transfer::SIGNATURE_HASH, none, a_word]),
        Ok(Some(moved))
    );
    assert!(token(&[Xcert::Transfer::SIGNATURE_HASH, a_word]).is_err());
    assert_eq!(token(&[many, none, a_word]), Ok(None));
    let order = |topics: &[B256], data: &[u8]| OrderEvent::read(&Log { topics, data });
    let removed = [ActionsGateway::ProxyChange::SIGNATURE_HASH, many];
    assert_eq!(order(&removed, &[0; 32]), Ok(Some(OrderEvent::Configured)));
    assert!(order(&removed, &[0xff; 32]).is_err());
    assert_eq!(
        order(&[ActionsGateway::Cancel::SIGNATURE_HASH, many], &[]),
        Ok(Some(OrderEvent::Canceled(many)))
    );
    let canceled = DeployEvent::read(&Log {
        topics: &[DeployGateway::Cancel::SIGNATURE_HASH, a_word, none],
        data: many.as_slice(),
    });
    assert_eq!(canceled, Ok(Some(DeployEvent::Canceled(many))));
}

/// Returns the data of a revert with a reason.
fn reverted(reason: &str) -> Vec<u8> {
    let mut data = vec![0x08, 0xc3, 0x79, 0xa0];
    data.extend(integer(32));
    data.extend(bytes(reason.as_bytes()));
    data
}

#[test]
fn reasons_are_read_from_the_data_of_a_revert() {
    // The data that a node sent for `require(false, "006002")`.
    let recorded = "08c379a00000000000000000000000000000000000000000000000000000000000000020\
        0000000000000000000000000000000000000000000000000000000000000006\
        3030363030320000000000000000000000000000000000000000000000000000";
    assert_eq!(hex::encode(reverted("006002")), recorded);
    let reason = |text: &str| Revert::Reason(text.into());
    assert_eq!(Revert::read(&reverted("006002")), reason("006002"));
    assert_eq!(Revert::read(&reverted("")), reason(""));
    assert_eq!(
        Revert::read(&reverted(&"ž".repeat(5_000))),
        reason(&"ž".repeat(128))
    );
    assert_eq!(Revert::read(&[]), Revert::Silent);
    let cut = reverted("006002");
    for length in 1..cut.len() - 26 {
        assert_eq!(Revert::read(&cut[..length]), Revert::Other, "{length}");
    }
    let mut far = cut;
    far[4..36].fill(0xff);
    assert_eq!(Revert::read(&far), Revert::Other);
}

/// Returns codes and paths of the errors that a reason can mean.
fn refused(reason: &str, request: &Request) -> Vec<(u32, String)> {
    match Revert::Reason(reason.into()).meaning(request) {
        Meaning::Refused(errors) => places(&errors),
        other => panic!("{other:?}"),
    }
}

#[test]
fn reasons_become_the_codes_of_the_actions_that_they_fit() {
    let requests = recorded();
    let named = |name: &str| {
        let found = requests
            .iter()
            .find(|(_, vector)| text(vector, "name").contains(name));
        &found.unwrap().0
    };
    let all = named("all six action kinds");
    let Request::Order(order) = all else {
        panic!("the request is not an order");
    };
    // Returns the paths of a field in all actions of a kind.
    let at = |kind: u8, field: &str| -> Vec<String> {
        let actions = order.order.actions.iter().enumerate();
        actions
            .filter(|(_, action)| action.kind().number() == kind)
            .map(|(index, _)| alloc::format!("order.actions[{index}].{field}"))
            .collect()
    };
    for (reason, expected) in [
        ("015009", vec![(422071, 1, "senderId")]),
        (
            "017001",
            vec![
                (422072, 1, "ledgerId"),
                (422078, 4, "ledgerId"),
                (422061, 5, "ledgerId"),
            ],
        ),
        ("006006", vec![(422013, 1, "assetId")]),
        (
            "006002",
            vec![(422074, 2, "senderId"), (422082, 6, "senderId")],
        ),
        ("006004", vec![(422073, 2, "senderId")]),
        ("007002", vec![(422911, 2, "ledgerId")]),
        ("006005", vec![(422912, 2, "receiverId")]),
        ("010001", vec![(422075, 3, "value")]),
        ("010002", vec![(422076, 3, "senderId")]),
        ("010003", vec![(422910, 3, "receiverId")]),
        ("015010", vec![(422077, 4, "senderId")]),
        ("007003", vec![(400005, 4, "assetId")]),
        ("015011", vec![(422062, 5, "senderId")]),
        ("015012", vec![(422082, 6, "senderId")]),
        ("007004", vec![(422081, 6, "senderId")]),
    ] {
        let mut expected: Vec<_> = expected
            .into_iter()
            .flat_map(|(code, kind, field)| at(kind, field).into_iter().map(move |at| (code, at)))
            .collect();
        let mut errors = refused(reason, all);
        errors.sort();
        expected.sort();
        assert_eq!(errors, expected, "{reason}");
    }
    let (deploy, operator, value) = (
        named("deployment, no taker"),
        named("isOperator=true"),
        named("dapp value approve"),
    );
    for (request, reason, code, path) in [
        (deploy, "009002", 422037, "deploy.takerId"),
        (deploy, "009004", 400001, "claim"),
        (deploy, "010001", 422079, "deploy.tokenTransferData.value"),
        (deploy, "010002", 422080, "deploy.makerId"),
        (
            deploy,
            "010003",
            422910,
            "deploy.tokenTransferData.receiverId",
        ),
        (operator, "007005", 422123, "claim"),
        (
            operator,
            "010001",
            422141,
            "approval.tokenTransferData.value",
        ),
        (operator, "010002", 422142, "approval.owner"),
        (
            operator,
            "010003",
            422910,
            "approval.tokenTransferData.receiverId",
        ),
        (value, "010007", 422123, "claim"),
        (value, "010001", 422148, "approval.feeValue"),
        (all, "015005", 400001, "order.signers"),
        (all, "another", 422900, "order"),
        (deploy, "another", 400007, "deploy"),
        (value, "another", 400018, "approval"),
    ] {
        assert_eq!(
            refused(reason, request),
            [(code, path.to_string())],
            "{reason}"
        );
    }
    let silent = Revert::Silent.meaning(all);
    let receiver = at(2, "receiverId").pop().unwrap();
    assert!(matches!(silent, Meaning::Refused(errors) if places(&errors) == [(422912, receiver)]));
    for (request, expired, performed, canceled) in [
        (all, "015004", "015007", "015006"),
        (deploy, "009003", "009006", "009005"),
        (operator, "007008", "007007", "007009"),
        (value, "010009", "010008", "010011"),
    ] {
        let meaning = |reason: &str| Revert::Reason(reason.into()).meaning(request);
        assert_eq!(meaning(expired), Meaning::Expired(request.expired()));
        assert_eq!(meaning(performed), Meaning::Performed);
        assert_eq!(meaning(canceled), Meaning::Canceled);
    }
}

/// Transaction 0x0ec0b6a2df4d87424e5f6ad2a654e27aaeb7dac20ae9e8385cc09087ad532ee0 of Ethereum's main network.
#[test]
fn a_transaction_of_the_main_network_is_reproduced() {
    let transaction = Transaction {
        chain_id: 1,
        nonce: 0x42,
        gas: 44_386,
        fee: Fee::Dynamic {
            max_fee: 20_000_000_000,
            tip: 1_000_000_000,
        },
        value: 0,
        call: Call {
            to: address("0x6069a6c32cf691f5982febae4faf8a6f3ab2f0f6"),
            data: hex::decode(
                "a22cb4650000000000000000000000005eee75727d804a2b13038928d36f8b188945a57a\
                 0000000000000000000000000000000000000000000000000000000000000000",
            )
            .unwrap(),
        },
    };
    let hash = transaction.signing_hash();
    assert_eq!(
        hash,
        word("0x0d5688ac3897124635b6cf1bc0e29d6dfebceebdc10a54d74f2ef8b56535b682")
    );
    let [r, s] = [
        "840cfc572845f5786e702984c2a582528cad4b49b2a10b9db1be7fca90058565",
        "25e7109ceb98168d95b09b18bbf6b685130e0562f233877d492b94eee0c5b6d1",
    ]
    .map(|digits| hex::decode_to_array(digits).unwrap());
    let signature = TransactionSignature::new(r, s, Parity::Even).unwrap();
    assert_eq!(
        signature.recover(&hash),
        Ok(address("0xdd6b8b3dc6b7ad97db52f08a275ff4483e024cea"))
    );
    let signed = transaction.signed(&signature);
    assert_eq!(
        signed.hash,
        word("0x0ec0b6a2df4d87424e5f6ad2a654e27aaeb7dac20ae9e8385cc09087ad532ee0")
    );
    assert_eq!(
        hex::encode(&signed.raw),
        "02f8b00142843b9aca008504a817c80082ad62946069a6c32cf691f5982febae4faf8a6f3ab2f0f680b844a22cb4650000\
         000000000000000000005eee75727d804a2b13038928d36f8b188945a57a00000000000000000000000000000000000000\
         00000000000000000000000000c080a0840cfc572845f5786e702984c2a582528cad4b49b2a10b9db1be7fca90058565a0\
         25e7109ceb98168d95b09b18bbf6b685130e0562f233877d492b94eee0c5b6d1"
            .replace(' ', "")
    );
}

/// The example of EIP-155.
#[test]
fn a_legacy_transaction_is_signed_like_the_example_of_its_standard() {
    let transaction = Transaction {
        chain_id: 1,
        nonce: 9,
        gas: 21_000,
        fee: Fee::Legacy {
            gas_price: 20_000_000_000,
        },
        value: 1_000_000_000_000_000_000,
        call: Call {
            to: address("0x3535353535353535353535353535353535353535"),
            data: Vec::new(),
        },
    };
    assert_eq!(
        transaction.signing_hash(),
        word("0xdaf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53")
    );
    let key = PrivateKey::from_bytes(&[0x46; 32]).unwrap();
    assert_eq!(
        hex::encode(transaction.sign(&key).raw),
        "f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef6134\
         0bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3\
         dc64214b297fb1966a3b6d83"
            .replace(' ', "")
    );
}

#[test]
fn a_signature_with_a_high_s_is_refused() {
    let key = PrivateKey::from_bytes(&[1; 32]).unwrap();
    let claim = key.claim(ClaimKind::EthSign, &B256::repeat_byte(3));
    let order = U256::from_str_radix(
        "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141",
        16,
    );
    let high = order.unwrap() - U256::from_be_bytes(claim.s());
    let twin = TransactionSignature::new(claim.r(), high.to_be_bytes(), Parity::Odd);
    assert_eq!(twin, Err(ClaimError::HighS));
    let zero = TransactionSignature::new(claim.r(), [0; 32], Parity::Odd);
    assert_eq!(zero, Err(ClaimError::Range));
}

/// RLP by the definition in the Ethereum yellow paper, appendix B.
mod rlp {
    use super::Vec;

    fn with_header(kind: u8, content: &[u8]) -> Vec<u8> {
        let length = content.len();
        let digits = significant(&length.to_be_bytes());
        let mut encoded = match length {
            0..56 => alloc::vec![kind + length as u8],
            _ => [&[kind + 55 + digits.len() as u8], digits.as_slice()].concat(),
        };
        encoded.extend(content);
        encoded
    }

    fn significant(number: &[u8]) -> Vec<u8> {
        let digits = number.iter().skip_while(|byte| **byte == 0);
        digits.copied().collect()
    }

    pub(super) fn bytes(content: &[u8]) -> Vec<u8> {
        match content {
            [byte @ 0..0x80] => alloc::vec![*byte],
            _ => with_header(0x80, content),
        }
    }

    pub(super) fn number(big_endian: &[u8]) -> Vec<u8> {
        bytes(&significant(big_endian))
    }

    pub(super) fn list(items: &[Vec<u8>]) -> Vec<u8> {
        with_header(0xc0, &items.concat())
    }
}

/// Examples of the Ethereum wiki and of ethereum/tests, `RLPTests/rlptest.json`.
#[test]
fn the_second_encoder_reproduces_the_published_examples() {
    let lorem = "Lorem ipsum dolor sit amet, consectetur adipisicing elit";
    for (encoded, expected) in [
        (rlp::bytes(b""), "80"),
        (rlp::bytes(&[0]), "00"),
        (rlp::bytes(&[0x7f]), "7f"),
        (rlp::bytes(&[0x80]), "8180"),
        (rlp::bytes(b"dog"), "83646f67"),
        (
            rlp::bytes(lorem.as_bytes()),
            &alloc::format!("b838{}", hex::encode(lorem)),
        ),
        (rlp::number(&[0]), "80"),
        (rlp::number(&[0, 15]), "0f"),
        (rlp::number(&1_000_u64.to_be_bytes()), "8203e8"),
        (rlp::number(&100_000_u64.to_be_bytes()), "830186a0"),
        (
            rlp::number(&0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f_u128.to_be_bytes()),
            "8f0102030405060708090a0b0c0d0e0f",
        ),
        (
            rlp::list(&[rlp::bytes(b"cat"), rlp::bytes(b"dog")]),
            "c88363617483646f67",
        ),
    ] {
        assert_eq!(hex::encode(encoded), expected);
    }
    // The set theoretical representation of three.
    let none = rlp::list(&[]);
    let one = rlp::list(core::slice::from_ref(&none));
    let two = rlp::list(&[none.clone(), one.clone()]);
    assert_eq!(
        hex::encode(rlp::list(&[none, one, two])),
        "c7c0c1c0c3c0c1c0"
    );
}

/// Returns the bytes of a signed EIP-1559 transaction. `signature` has the three numbers of the signature.
fn by_definition(
    transaction: &Transaction,
    max_fee: u128,
    tip: u128,
    signature: [&[u8]; 3],
) -> Vec<u8> {
    let mut fields = vec![
        rlp::number(&transaction.chain_id.to_be_bytes()),
        rlp::number(&transaction.nonce.to_be_bytes()),
        rlp::number(&tip.to_be_bytes()),
        rlp::number(&max_fee.to_be_bytes()),
        rlp::number(&transaction.gas.to_be_bytes()),
        rlp::bytes(transaction.call.to.as_bytes()),
        rlp::number(&transaction.value.to_be_bytes()),
        rlp::bytes(&transaction.call.data),
        rlp::list(&[]),
    ];
    fields.extend(signature.map(rlp::number));
    [&[2], rlp::list(&fields).as_slice()].concat()
}

/// Returns the part of a tuple that starts at the offset in word `index`.
fn tail(tuple: &[u8], index: usize) -> &[u8] {
    &tuple[U256::from_be_slice(&tuple[index * 32..][..32]).to::<usize>()..]
}

/// Reads `bytes` or a `string`, and checks that zeros fill its last word.
fn content(tail: &[u8]) -> &[u8] {
    let length = U256::from_be_slice(&tail[..32]).to::<usize>();
    let padding = &tail[32 + length..][..length.next_multiple_of(32) - length];
    assert!(padding.iter().all(|byte| *byte == 0));
    &tail[32..][..length]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn texts_of_any_length_are_read_back_from_a_deployments_call(
        texts in proptest::array::uniform4(".{0,70}"),
        capabilities in Just([1, 2, 3, 4]).prop_shuffle(),
        count in 0_usize..5,
    ) {
        let mut requests = recorded().into_iter().map(|(request, _)| request);
        let request = requests.find_map(|request| match request {
            Request::Deployment(request) => Some(request),
            _ => None,
        });
        let mut request = request.unwrap();
        let data = &mut request.deploy.asset_ledger_data;
        [data.name, data.symbol, data.uri_prefix, data.uri_postfix] = texts.clone();
        data.capabilities = crate::Capabilities::from_list(&capabilities[..count]).unwrap();
        let ids: Vec<[u8; 4]> = data.capabilities.iter().map(crate::Capability::interface_id).collect();
        let call = cancel(&Request::Deployment(request), &gateways()).unwrap();
        let deploy = tail(&call.data[4..], 0);
        let ledger = tail(deploy, 2);
        for (index, text) in texts.iter().enumerate() {
            prop_assert_eq!(content(tail(ledger, index)), text.as_bytes());
        }
        let listed = tail(ledger, 5);
        prop_assert_eq!(&listed[..32], integer(count as u64));
        let listed: Vec<[u8; 4]> = listed[32..].chunks(32).map(|word| word[..4].try_into().unwrap()).collect();
        prop_assert_eq!(listed, ids);
        prop_assert_eq!(call.data.len() % 32, 4);
    }

    #[test]
    fn signed_transactions_equal_those_of_a_second_encoder(
        numbers in any::<(u64, u64, u64, u64, u128, u128)>(),
        shift in 0_u32..128,
        to in any::<[u8; 20]>(),
        data in prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..80),
            proptest::collection::vec(any::<u8>(), 250..300),
            proptest::collection::vec(any::<u8>(), 65_500..65_600),
        ],
    ) {
        let (chain_id, nonce, gas, small, max_fee, value) = numbers;
        let (max_fee, tip) = (max_fee >> shift, u128::from(small) >> shift);
        let Some(to) = Address::from_bytes(to) else { return Ok(()) };
        let transaction = Transaction {
            chain_id,
            nonce: nonce >> (shift / 2),
            gas,
            fee: Fee::Dynamic { max_fee, tip },
            value: value >> shift,
            call: Call { to, data },
        };
        let key = PrivateKey::from_bytes(&[5; 32]).unwrap();
        let hash = transaction.signing_hash();
        let (signature, odd) = key.sign_prehash(&hash);
        let (r, s) = signature.split_bytes();
        let [r, s]: [[u8; 32]; 2] = [r.into(), s.into()];
        let parity = if odd { Parity::Odd } else { Parity::Even };
        let again = TransactionSignature::new(r, s, parity).unwrap();
        prop_assert_eq!(again.recover(&hash), Ok(key.address()));
        let signed = transaction.sign(&key);
        prop_assert_eq!(&transaction.signed(&again), &signed);
        let rest = [&[u8::from(odd)], r.as_slice(), s.as_slice()];
        prop_assert_eq!(signed.raw, by_definition(&transaction, max_fee, tip, rest));
    }

    #[test]
    fn no_log_or_revert_data_makes_a_reader_panic(
        kind in 0_usize..10,
        topics in proptest::collection::vec(any::<[u8; 32]>(), 0..5),
        data in proptest::collection::vec(any::<u8>(), 0..130),
    ) {
        let kinds = [
            ActionsGateway::Perform::SIGNATURE_HASH, ActionsGateway::Cancel::SIGNATURE_HASH, ActionsGateway::ProxyChange::SIGNATURE_HASH, DeployGateway::Perform::SIGNATURE_HASH,
            DeployGateway::Cancel::SIGNATURE_HASH, DeployGateway::ProxyChange::SIGNATURE_HASH, Xcert::SetAbilities::SIGNATURE_HASH, Xcert::Transfer::SIGNATURE_HASH,
            Xcert::TokenURIIntegrityDigestUpdate::SIGNATURE_HASH,
        ];
        let first = kinds.get(kind).copied();
        let topics: Vec<B256> = first.into_iter().chain(topics.into_iter().map(B256::new)).collect();
        let log = Log { topics: &topics, data: &data };
        let read = [
            OrderEvent::read(&log).map(|event| event.is_some()),
            DeployEvent::read(&log).map(|event| event.is_some()),
            LedgerEvent::read(&log).map(|event| event.is_some()),
            TokenMove::read(&log).map(|event| event.is_some()),
        ];
        // At least one reader reads or refuses a log of a known kind. All readers ignore other logs.
        prop_assert_eq!(first.is_some(), read.iter().any(|read| *read != Ok(false)));
        let mut reverted = vec![0x08, 0xc3, 0x79, 0xa0];
        reverted.extend(data);
        prop_assert_ne!(Revert::read(&reverted), Revert::Silent);
    }
}
