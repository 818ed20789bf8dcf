//! Contract calls that perform and cancel requests.

use alloc::format;
use alloc::vec::Vec;
use core::fmt;

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolCall;

use super::contracts::{self, ActionsGateway, DeployGateway, Token, Xcert};
use crate::approval::Approval;
use crate::claim::{Claim, ClaimError, ClaimText};
use crate::deployment::{Deploy, LedgerData};
use crate::error::{Code, FieldError};
use crate::gateways::Gateways;
use crate::order::{Action, Order, OrderRequest};
use crate::request::Request;
use crate::types::Address;

/// A call of a contract.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The contract.
    pub to: Address,
    /// The selector of the function and its arguments.
    pub data: Vec<u8>,
}

impl Call {
    pub(super) fn new(to: Address, call: &impl SolCall) -> Call {
        let data = call.abi_encode();
        Call { to, data }
    }
}

/// The reason why there is no call for a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The order has no hash.
    Order(FieldError),
    /// The claim of this account is missing. `None` if no account has taken the wildcard's place.
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
/// If the order has no hash, or a claim is missing or wrong. Every signer's claim is required: without the last signer's claim, the gateway
/// would take the sender of the call as this signer.
pub fn perform(request: &Request, gateways: &Gateways) -> Result<Call, CallError> {
    let hash = request.hash(gateways)?;
    Ok(match request {
        Request::Order(request) => {
            request.order.check_proxies()?;
            let claims = order_claims(request, &hash)?;
            let signatures = claims.iter().map(|(_, claim)| signature(claim)).collect();
            let places = claims.iter().map(|(place, _)| *place);
            let order = order_data(&request.order, places, gateways, request.wildcard_signer)?;
            Call::new(
                gateways.actions,
                &ActionsGateway::performCall { order, signatures },
            )
        }
        Request::Deployment(request) => {
            let deploy = &request.deploy;
            let signature = signature(&verified(&request.claim, &hash, deploy.maker_id)?);
            let deployment = deploy_data(deploy);
            match deploy.taker_id {
                Some(_) => Call::new(
                    gateways.deploy,
                    &DeployGateway::performCall {
                        deployment,
                        signature,
                    },
                ),
                None => Call::new(
                    gateways.deploy,
                    &DeployGateway::performAnyTakerCall {
                        deployment,
                        signature,
                    },
                ),
            }
        }
        Request::Approval(request) => {
            let claim = verified(&request.claim, &hash, request.approval.signer())?;
            approve(&request.approval, signature(&claim))
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
            let places = listed.chain(wildcard.then_some(None));
            let order = order_data(order, places, gateways, wildcard)?;
            Call::new(gateways.actions, &ActionsGateway::cancelCall { order })
        }
        Request::Deployment(request) => {
            let deployment = deploy_data(&request.deploy);
            Call::new(gateways.deploy, &DeployGateway::cancelCall { deployment })
        }
        Request::Approval(request) => cancel_approval(&request.approval),
    })
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

/// Checks a claim. The contract does not know the wildcard's account. From a wrong claim, the contract would recover an arbitrary address
/// and perform the order for this address.
fn verified(claim: &ClaimText, hash: &B256, account: Address) -> Result<Claim, CallError> {
    claim
        .verify(hash, account)
        .map_err(|error| CallError::Claim(account, error))
}

/// Both kinds of claims sign the same digest, so both are kind 0 for the contracts.
fn signature(claim: &Claim) -> contracts::Signature {
    contracts::Signature {
        r: claim.r().into(),
        s: claim.s().into(),
        v: claim.v(),
        kind: 0,
    }
}

/// Returns the address of an account, or the zero address for `None`.
fn or_zero(account: Option<Address>) -> alloy_primitives::Address {
    account.map_or(alloy_primitives::Address::ZERO, Into::into)
}

impl Order {
    /// Checks that the contracts have a proxy for each action.
    ///
    /// # Errors
    ///
    /// 422916 if an action revokes an asset.
    pub fn check_proxies(&self) -> Result<(), FieldError> {
        let revokes = |action: &Action| matches!(action, Action::RevokeAsset { .. });
        match self.actions.iter().position(revokes) {
            Some(index) => Err(FieldError::new(
                Code::RevokeNotOnChain,
                format!("order.actions[{index}].kind"),
            )),
            None => Ok(()),
        }
    }
}

fn order_data(
    order: &Order,
    places: impl Iterator<Item = Option<Address>>,
    gateways: &Gateways,
    wildcard_signer: bool,
) -> Result<contracts::Order, FieldError> {
    order.check_proxies()?;
    let calls = order.proxy_calls(gateways, wildcard_signer)?;
    let actions = calls.into_iter().map(|call| contracts::Action {
        proxyId: call.proxy,
        contractAddress: call.ledger.into(),
        params: call.params.into_bytes().into(),
    });
    Ok(contracts::Order {
        signers: places.map(or_zero).collect(),
        actions: actions.collect(),
        seed: U256::from(order.seed.number()),
        expiration: U256::from(order.expiration.seconds()),
    })
}

fn deploy_data(deploy: &Deploy) -> contracts::Deployment {
    let transfer = &deploy.token_transfer_data;
    contracts::Deployment {
        maker: deploy.maker_id.into(),
        taker: or_zero(deploy.taker_id),
        ledger: ledger_data(&deploy.asset_ledger_data),
        payment: contracts::Payment {
            token: transfer.ledger_id.into(),
            to: transfer.receiver_id.into(),
            value: transfer.value.into(),
        },
        seed: U256::from(deploy.seed.number()),
        expiration: U256::from(deploy.expiration.seconds()),
    }
}

fn ledger_data(data: &LedgerData) -> contracts::LedgerData {
    let capabilities = data.capabilities.iter();
    contracts::LedgerData {
        name: data.name.clone(),
        symbol: data.symbol.clone(),
        uriPrefix: data.uri_prefix.clone(),
        uriPostfix: data.uri_postfix.clone(),
        schemaId: B256::from(*data.schema_id.as_bytes()),
        capabilities: capabilities
            .map(|capability| capability.interface_id().into())
            .collect(),
        owner: data.owner_id.into(),
    }
}

fn approve(approval: &Approval, signature: contracts::Signature) -> Call {
    let seed = U256::from(approval.seed().number());
    let expiration = U256::from(approval.expiration().seconds());
    match approval {
        Approval::Operator(operator) => Call::new(
            approval.ledger_id(),
            &Xcert::setApprovalForAllWithSignatureCall {
                owner: operator.owner.into(),
                operator: operator.operator.into(),
                approved: operator.is_operator,
                feeToken: operator.token_transfer_data.ledger_id.into(),
                feeValue: operator.token_transfer_data.value.into(),
                feeRecipient: operator.token_transfer_data.receiver_id.into(),
                seed,
                expiration,
                signature,
            },
        ),
        Approval::Value(value) => Call::new(
            approval.ledger_id(),
            &Token::approveWithSignatureCall {
                approver: value.approver.into(),
                spender: value.spender.into(),
                value: value.value.into(),
                feeRecipient: value.fee_recipient.into(),
                feeValue: value.fee_value.into(),
                seed,
                expiration,
                signature,
            },
        ),
    }
}

fn cancel_approval(approval: &Approval) -> Call {
    let seed = U256::from(approval.seed().number());
    let expiration = U256::from(approval.expiration().seconds());
    match approval {
        Approval::Operator(operator) => Call::new(
            approval.ledger_id(),
            &Xcert::cancelSetApprovalForAllWithSignatureCall {
                owner: operator.owner.into(),
                operator: operator.operator.into(),
                approved: operator.is_operator,
                feeToken: operator.token_transfer_data.ledger_id.into(),
                feeValue: operator.token_transfer_data.value.into(),
                feeRecipient: operator.token_transfer_data.receiver_id.into(),
                seed,
                expiration,
            },
        ),
        // The token contract uses the caller as the approver.
        Approval::Value(value) => Call::new(
            approval.ledger_id(),
            &Token::cancelApproveWithSignatureCall {
                spender: value.spender.into(),
                value: value.value.into(),
                feeRecipient: value.fee_recipient.into(),
                feeValue: value.fee_value.into(),
                seed,
                expiration,
            },
        ),
    }
}
