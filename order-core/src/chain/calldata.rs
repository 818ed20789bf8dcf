//! The calls of contracts that perform and cancel requests.

use alloc::vec::Vec;
use core::fmt;

use alloy_primitives::B256;

use super::abi::{Tuple, Word, address_word, array, array_of_tails, bytes, integer};
use crate::approval::Approval;
use crate::claim::{Claim, ClaimError, ClaimText};
use crate::deployment::{Deploy, LedgerData};
use crate::error::FieldError;
use crate::gateways::Gateways;
use crate::order::{Order, OrderRequest};
use crate::request::Request;
use crate::types::Address;

/// The first four bytes of a call, which select the function. Tests compare them with the ABI of the contracts.
pub(super) mod selector {
    pub(in super::super) const PERFORM_ORDER: [u8; 4] = [0xb4, 0x38, 0xba, 0xe1];
    pub(in super::super) const CANCEL_ORDER: [u8; 4] = [0x38, 0xa9, 0xbf, 0xcd];
    pub(in super::super) const PERFORM_DEPLOY: [u8; 4] = [0xb2, 0xa9, 0xe2, 0x76];
    pub(in super::super) const PERFORM_DEPLOY_ANY_TAKER: [u8; 4] = [0xef, 0x48, 0xe4, 0x0c];
    pub(in super::super) const CANCEL_DEPLOY: [u8; 4] = [0x9e, 0xbb, 0xc6, 0x00];
    pub(in super::super) const APPROVE_OPERATOR: [u8; 4] = [0x7f, 0x9b, 0x45, 0xb0];
    pub(in super::super) const CANCEL_APPROVE_OPERATOR: [u8; 4] = [0xce, 0x4e, 0x32, 0x73];
    pub(in super::super) const APPROVE_VALUE: [u8; 4] = [0x5d, 0x19, 0xeb, 0x86];
    pub(in super::super) const CANCEL_APPROVE_VALUE: [u8; 4] = [0xeb, 0x92, 0xad, 0x66];
}

/// A call of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The contract.
    pub to: Address,
    /// The selector of the function and its arguments.
    pub data: Vec<u8>,
}

/// The reason why a request cannot be performed by a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The order has no hash.
    Order(FieldError),
    /// A claim is missing. `None` is the wildcard.
    NotSigned(Option<Address>),
    /// A claim is not the account's signature of the hash.
    Claim(Address, ClaimError),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Order(error) => write!(f, "`{}`: {}", error.path, error.message),
            CallError::NotSigned(Some(account)) => write!(f, "`{account}` has not signed yet"),
            CallError::NotSigned(None) => f.write_str("no account has taken the wildcard's place"),
            CallError::Claim(account, error) => write!(f, "the claim of `{account}` {error}"),
        }
    }
}

impl core::error::Error for CallError {}

impl From<FieldError> for CallError {
    fn from(error: FieldError) -> Self {
        CallError::Order(error)
    }
}

/// Returns the call that performs a request. Any account can send the call, unless it performs a deployment with a taker. The contract
/// accepts such a call only from the taker.
///
/// # Errors
///
/// If a claim is missing or wrong. Every signer's claim is required. Otherwise, if the last signer's claim were missing, the gateway would
/// take the sender of the call as this signer.
pub fn perform(request: &Request, gateways: &Gateways) -> Result<Call, CallError> {
    let hash = request.hash(gateways)?;
    Ok(match request {
        Request::Order(request) => {
            let claims = order_claims(request, &hash)?;
            let signatures = claims.iter().map(|(_, claim)| signature(claim));
            let places: Vec<_> = claims.iter().map(|(place, _)| *place).collect();
            let data = order_data(&request.order, &places, gateways, request.wildcard_signer)?;
            let arguments = Tuple::default().tail(data).tail(array(signatures));
            call(gateways.actions, selector::PERFORM_ORDER, arguments)
        }
        Request::Deployment(request) => {
            let deploy = &request.deploy;
            let claim = verified(&request.claim, &hash, deploy.maker_id)?;
            let function = match deploy.taker_id {
                Some(_) => selector::PERFORM_DEPLOY,
                None => selector::PERFORM_DEPLOY_ANY_TAKER,
            };
            let arguments = Tuple::default().tail(deploy_data(deploy));
            call(gateways.deploy, function, with_claim(arguments, &claim))
        }
        Request::Approval(request) => {
            let approval = &request.approval;
            let claim = verified(&request.claim, &hash, approval.signer())?;
            let function = match approval {
                Approval::Operator(_) => selector::APPROVE_OPERATOR,
                Approval::Value(_) => selector::APPROVE_VALUE,
            };
            let arguments = approval_data(Tuple::default(), approval, true);
            call(
                approval.ledger_id(),
                function,
                with_claim(arguments, &claim),
            )
        }
    })
}

/// Returns the call that cancels a request. Contracts accept the call only from a signer of the order, from the maker of the deployment, or
/// from the account that gave the approval.
///
/// # Errors
///
/// If the order has no hash.
pub fn cancel(request: &Request, gateways: &Gateways) -> Result<Call, CallError> {
    Ok(match request {
        Request::Order(request) => {
            let (order, wildcard) = (&request.order, request.wildcard_signer);
            let listed = order.signers.iter().map(|signer| Some(signer.account_id));
            let places: Vec<_> = listed.chain(wildcard.then_some(None)).collect();
            let data = order_data(order, &places, gateways, wildcard)?;
            let arguments = Tuple::default().tail(data);
            call(gateways.actions, selector::CANCEL_ORDER, arguments)
        }
        Request::Deployment(request) => {
            let arguments = Tuple::default().tail(deploy_data(&request.deploy));
            call(gateways.deploy, selector::CANCEL_DEPLOY, arguments)
        }
        Request::Approval(request) => {
            let approval = &request.approval;
            // The token contract uses the caller as the approver.
            let (function, with_signer) = match approval {
                Approval::Operator(_) => (selector::CANCEL_APPROVE_OPERATOR, true),
                Approval::Value(_) => (selector::CANCEL_APPROVE_VALUE, false),
            };
            let arguments = approval_data(Tuple::default(), approval, with_signer);
            call(approval.ledger_id(), function, arguments)
        }
    })
}

pub(super) fn call(to: Address, selector: [u8; 4], arguments: Tuple) -> Call {
    let mut data = Vec::from(selector);
    data.append(&mut arguments.encoded());
    Call { to, data }
}

/// An account's place among the signers of the call, and its claim. `None` is the wildcard's place.
type Place = (Option<Address>, Claim);

/// Returns the place and the claim of every signer. The wildcard comes last.
fn order_claims(request: &OrderRequest, hash: &B256) -> Result<Vec<Place>, CallError> {
    let order = &request.order;
    let missing = |account| CallError::NotSigned(Some(account));
    let mut places = Vec::new();
    for signer in &order.signers {
        let account = signer.account_id;
        let claim = signer.claim.as_ref().ok_or_else(|| missing(account))?;
        places.push((Some(account), verified(claim, hash, account)?));
    }
    if request.wildcard_signer {
        let signer = order
            .wildcard_claim
            .as_ref()
            .ok_or(CallError::NotSigned(None))?;
        let account = signer.account_id;
        let claim = signer.claim.as_ref().ok_or_else(|| missing(account))?;
        places.push((None, verified(claim, hash, account)?));
    }
    Ok(places)
}

/// Checks a claim. A wrong claim in the wildcard's place recovers to an address that no person controls, and the contract would perform the
/// order for this address.
fn verified(claim: &ClaimText, hash: &B256, account: Address) -> Result<Claim, CallError> {
    claim
        .verify(hash, account)
        .map_err(|error| CallError::Claim(account, error))
}

/// Encodes a signature as `{r, s, v, kind}`. Both kinds of claims sign the same digest, which has the number 0 in the contracts.
fn signature(claim: &Claim) -> [Word; 4] {
    [claim.r(), claim.s(), integer(claim.v().into()), [0; 32]]
}

fn with_claim(arguments: Tuple, claim: &Claim) -> Tuple {
    signature(claim).into_iter().fold(arguments, Tuple::word)
}

fn order_data(
    order: &Order,
    places: &[Option<Address>],
    gateways: &Gateways,
    wildcard_signer: bool,
) -> Result<Vec<u8>, FieldError> {
    let signers = places.iter().map(|account| [address_word(*account)]);
    let calls = order.proxy_calls(gateways, wildcard_signer)?;
    let actions = calls.iter().map(|call| {
        Tuple::default()
            .integer(call.proxy.into())
            .address(Some(call.ledger))
            .tail(bytes(call.params.bytes()))
            .encoded()
    });
    Ok(Tuple::default()
        .tail(array(signers))
        .tail(array_of_tails(actions))
        .integer(order.seed.number())
        .integer(order.expiration.seconds())
        .encoded())
}

fn deploy_data(deploy: &Deploy) -> Vec<u8> {
    let transfer = &deploy.token_transfer_data;
    Tuple::default()
        .address(Some(deploy.maker_id))
        .address(deploy.taker_id)
        .tail(ledger_data(&deploy.asset_ledger_data))
        .address(Some(transfer.ledger_id))
        .address(Some(transfer.receiver_id))
        .word(transfer.value.to_be_bytes())
        .integer(deploy.seed.number())
        .integer(deploy.expiration.seconds())
        .encoded()
}

fn ledger_data(data: &LedgerData) -> Vec<u8> {
    let capabilities: Vec<[Word; 1]> = data
        .capabilities
        .iter()
        .map(|capability| {
            let mut word = [0; 32];
            for (byte, id) in word.iter_mut().zip(capability.interface_id()) {
                *byte = id;
            }
            [word]
        })
        .collect();
    let texts = [
        &data.name,
        &data.symbol,
        &data.uri_prefix,
        &data.uri_postfix,
    ];
    texts
        .into_iter()
        .fold(Tuple::default(), |tuple, text| {
            tuple.tail(bytes(text.as_bytes()))
        })
        .word(*data.schema_id.as_bytes())
        .tail(array(capabilities.into_iter()))
        .address(Some(data.owner_id))
        .encoded()
}

/// Adds the arguments of an approval. With `with_signer`, the approving account is one of them.
fn approval_data(arguments: Tuple, approval: &Approval, with_signer: bool) -> Tuple {
    let arguments = if with_signer {
        arguments.address(Some(approval.signer()))
    } else {
        arguments
    };
    let arguments = match approval {
        Approval::Operator(approval) => {
            let fee = &approval.token_transfer_data;
            arguments
                .address(Some(approval.operator))
                .integer(approval.is_operator.into())
                .address(Some(fee.ledger_id))
                .word(fee.value.to_be_bytes())
                .address(Some(fee.receiver_id))
        }
        Approval::Value(approval) => arguments
            .address(Some(approval.spender))
            .word(approval.value.to_be_bytes())
            .address(Some(approval.fee_recipient))
            .word(approval.fee_value.to_be_bytes()),
    };
    arguments
        .integer(approval.seed().number())
        .integer(approval.expiration().seconds())
}
