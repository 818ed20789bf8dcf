//! Contract calls that perform and cancel requests, and a reader of the deployments in such calls.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use alloy_primitives::{B256, Keccak256};

use super::abi::{
    Tuple, Word, address_word, array, array_of_tails, bytes, content, head, integer, items,
    read_address, read_integer, tail, text,
};
use crate::approval::Approval;
use crate::claim::{Claim, ClaimError, ClaimText};
use crate::deployment::{Deploy, LedgerData, MAX_NAME_CHARS, MAX_URI_CHARS};
use crate::error::FieldError;
use crate::gateways::Gateways;
use crate::order::{Order, OrderRequest};
use crate::request::Request;
use crate::types::{Address, Amount, Capabilities, Capability, Expiration, SchemaId, Seed};

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

/// Checks a claim. The contract does not know the wildcard's account. From a wrong claim, the contract would recover an arbitrary address
/// and perform the order for this address.
fn verified(claim: &ClaimText, hash: &B256, account: Address) -> Result<Claim, CallError> {
    claim
        .verify(hash, account)
        .map_err(|error| CallError::Claim(account, error))
}

/// Encodes a signature as `{r, s, v, kind}`. Both kinds of claims sign the same digest, so both are kind 0 for the contracts.
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

/// Adds the arguments of an approval. If `with_signer` is true, the approving account is the first of them.
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

/// A deployment as any sender can pass it to the gateway.
///
/// The gateway accepts more than this service does. A text is `None` if it is not UTF-8 or longer than this service allows. An account is
/// `None` if it is the zero address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployInput {
    /// The hash of the deployment.
    pub claim: B256,
    /// The account that requests the ledger and pays. Anybody can perform a deployment for the zero address, whose signature the gateway
    /// does not check.
    pub maker: Option<Address>,
    /// The only account that may execute the deployment through the gateway's function for deployments with a taker.
    pub taker: Option<Address>,
    /// The ledger's name.
    pub name: Option<String>,
    /// The ledger's symbol.
    pub symbol: Option<String>,
    /// The text before the id in the URI of an asset.
    pub uri_prefix: Option<String>,
    /// The text after the id in the URI of an asset.
    pub uri_postfix: Option<String>,
    /// The schema of the ledger's assets.
    pub schema_id: SchemaId,
    /// The capabilities of the ledger. Interface ids that do not belong to a capability are left out.
    pub capabilities: Capabilities,
    /// The account that gets every ability.
    pub owner: Option<Address>,
    /// The contract of the tokens that the maker pays.
    pub token: Option<Address>,
    /// The receiver of the payment. If it is `None`, the account that performs the deployment through the function for any taker is paid.
    pub receiver: Option<Address>,
    /// The amount of the payment.
    pub value: Amount,
    /// The salt of the hash. `None` if the number is larger than this service allows.
    pub seed: Option<Seed>,
    /// The last second in which the deployment is valid. `None` if this service does not allow such a late time.
    pub expiration: Option<Expiration>,
}

/// Reads the input of a transaction that `gateway` executed to perform a deployment. Returns `None` for the input of another function, and
/// for arguments that the gateway does not accept.
///
/// The gateway writes [`DeployEvent::Performed`](super::DeployEvent::Performed) with the hash of each deployment. Compare the
/// hashes. The maker chooses the token of the payment, and the token's contract can perform another deployment in the same transaction.
#[must_use]
pub fn read_deployment(gateway: Address, input: &[u8]) -> Option<DeployInput> {
    let (function, arguments) = input.split_first_chunk()?;
    if ![selector::PERFORM_DEPLOY, selector::PERFORM_DEPLOY_ANY_TAKER].contains(function) {
        return None;
    }
    let deploy = tail(arguments, 0)?;
    let [maker, taker, _, token, receiver, value, seed, expiration] = head(deploy)?;
    let ledger = tail(deploy, 2)?;
    let [_, _, _, _, schema_id, _, owner] = head(ledger)?;
    let content = |index| content(tail(ledger, index)?);
    let (name, symbol) = (content(0)?, content(1)?);
    let (uri_prefix, uri_postfix) = (content(2)?, content(3)?);
    let interfaces = items(tail(ledger, 5)?)?;

    let ledger_hash = packed(&[
        name,
        symbol,
        uri_prefix,
        uri_postfix,
        schema_id,
        interfaces.as_flattened(),
        owner.last_chunk::<20>()?,
    ]);
    let transfer_hash = packed(&[
        token.last_chunk::<20>()?,
        receiver.last_chunk::<20>()?,
        value,
    ]);
    Some(DeployInput {
        claim: packed(&[
            gateway.as_bytes(),
            maker.last_chunk::<20>()?,
            taker.last_chunk::<20>()?,
            ledger_hash.as_slice(),
            transfer_hash.as_slice(),
            seed,
            expiration,
        ]),
        maker: read_address(maker)?,
        taker: read_address(taker)?,
        name: text(name, MAX_NAME_CHARS),
        symbol: text(symbol, MAX_NAME_CHARS),
        uri_prefix: text(uri_prefix, MAX_URI_CHARS),
        uri_postfix: text(uri_postfix, MAX_URI_CHARS),
        schema_id: SchemaId::from(*schema_id),
        capabilities: read_capabilities(interfaces)?,
        owner: read_address(owner)?,
        token: read_address(token)?,
        receiver: read_address(receiver)?,
        value: Amount::from_be_bytes(*value),
        seed: read_integer(seed).and_then(|seed| Seed::try_from(seed).ok()),
        expiration: read_integer(expiration).and_then(Expiration::from_seconds),
    })
}

/// The maximum number of gateway calls that [`find_deployment`] reads in one input. An input of 128 kB could contain thousands.
const CALLS_MAX: usize = 64;

/// Finds the deployment with this hash in the input of a transaction. `None` if the first 64 gateway calls in the input do not contain it.
///
/// The input may be for another contract that calls the gateway, such as a smart wallet or a contract that makes many calls.
#[must_use]
pub fn find_deployment(gateway: Address, claim: &B256, input: &[u8]) -> Option<DeployInput> {
    let functions = [selector::PERFORM_DEPLOY, selector::PERFORM_DEPLOY_ANY_TAKER];
    let starts = input.windows(4).enumerate();
    let starts = starts.filter(|(_, window)| functions.iter().any(|function| window == function));
    starts.take(CALLS_MAX).find_map(|(start, _)| {
        let found = read_deployment(gateway, input.get(start..)?)?;
        (found.claim == *claim).then_some(found)
    })
}

/// Returns the hash of parts without padding or lengths between them, as contracts pack them.
fn packed(parts: &[&[u8]]) -> B256 {
    let mut hasher = Keccak256::new();
    for part in parts {
        hasher.update(part);
    }
    hasher.finalize()
}

/// Returns the distinct capabilities among interface ids. `None` if a word has more than the four bytes of an id. Contracts refuse such a
/// word.
fn read_capabilities(interfaces: &[Word]) -> Option<Capabilities> {
    let mut numbers = Vec::new();
    for word in interfaces {
        let (id, zeros) = word.split_first_chunk()?;
        if zeros.iter().any(|byte| *byte != 0) {
            return None;
        }
        let mut known = Capability::ALL.iter();
        let capability = known.find(|known| known.interface_id() == *id);
        let number = capability.map(|capability| u64::from(capability.number()));
        if let Some(number) = number
            && !numbers.contains(&number)
        {
            numbers.push(number);
        }
    }
    Capabilities::from_list(&numbers).ok()
}
