//! Reads deployments in the inputs of transactions.

use alloc::string::String;
use alloc::vec::Vec;

use alloy_primitives::{B256, FixedBytes, keccak256};
use alloy_sol_types::abi::AbiDecoderConfig;
use alloy_sol_types::{SolCall, SolValue};

use super::contracts::{DeployGateway, DeploymentInput};
use super::text;
use crate::deployment::MAX_NAME_CHARS;
use crate::hash::Packed;
use crate::types::{Address, Capabilities, Capability, SchemaId};

/// The functions that perform a deployment, which is their first argument.
const FUNCTIONS: [[u8; 4]; 2] = [
    DeployGateway::performCall::SELECTOR,
    DeployGateway::performAnyTakerCall::SELECTOR,
];

/// The data of a ledger in a deployment, which any sender can pass to the gateway.
///
/// The gateway accepts more than this service does. A text is `None` if it is not UTF-8 or longer than this service allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeployInput {
    /// The hash of the deployment.
    pub claim: B256,
    /// The ledger's name.
    pub name: Option<String>,
    /// The ledger's symbol.
    pub symbol: Option<String>,
    /// The schema of the ledger's assets.
    pub schema_id: SchemaId,
    /// The capabilities of the ledger. Interface ids that do not belong to a capability are left out.
    pub capabilities: Capabilities,
    /// The account that gets every ability. `None` is the zero address.
    pub owner: Option<Address>,
}

/// Reads the input of a transaction that `gateway` executed to perform a deployment. Returns `None` for the input of another function, and
/// for arguments that the gateway does not accept.
///
/// The gateway writes [`DeployEvent::Performed`](super::DeployEvent::Performed) with the hash of each deployment. Compare the
/// hashes. The maker chooses the token of the payment, and the token's contract can perform another deployment in the same transaction.
#[must_use]
pub fn read_deployment(gateway: Address, input: &[u8]) -> Option<DeployInput> {
    let (function, arguments) = input.split_first_chunk()?;
    if !FUNCTIONS.contains(function) {
        return None;
    }
    let deployment = decoded(arguments)?;
    let ledger = &deployment.ledger;
    Some(DeployInput {
        claim: claim(gateway, &deployment),
        name: text(&ledger.name, MAX_NAME_CHARS),
        symbol: text(&ledger.symbol, MAX_NAME_CHARS),
        schema_id: SchemaId::from(ledger.schemaId.0),
        capabilities: capabilities(&ledger.capabilities)?,
        owner: Address::from_bytes(ledger.owner.into()),
    })
}

/// Decodes the first argument as the gateway does: values may overlap, have gaps between them, or lack padding at the end.
#[expect(
    clippy::disallowed_methods,
    reason = "any sender can encode the input of a transaction in an unusual form"
)]
fn decoded(arguments: &[u8]) -> Option<DeploymentInput> {
    let config = AbiDecoderConfig::new().validate(true);
    DeploymentInput::abi_decode_with_config(arguments, config).ok()
}

/// Returns the hash of a deployment as the gateway computes it.
fn claim(gateway: Address, deployment: &DeploymentInput) -> B256 {
    let ledger = &deployment.ledger;
    let mut ledger_data = Packed::default();
    for text in [
        &ledger.name,
        &ledger.symbol,
        &ledger.uriPrefix,
        &ledger.uriPostfix,
    ] {
        ledger_data.raw(text);
    }
    ledger_data.raw(ledger.schemaId.as_slice());
    for capability in &ledger.capabilities {
        ledger_data.raw(capability.as_slice());
        ledger_data.raw(&[0; 28]);
    }
    ledger_data.raw(ledger.owner.as_slice());

    let mut payment = Packed::default();
    payment.raw(deployment.payment.token.as_slice());
    payment.raw(deployment.payment.to.as_slice());
    payment.raw(&deployment.payment.value.to_be_bytes::<32>());

    let mut packed = Packed::default();
    packed.raw(gateway.as_bytes());
    packed.raw(deployment.maker.as_slice());
    packed.raw(deployment.taker.as_slice());
    packed.raw(keccak256(ledger_data.bytes()).as_slice());
    packed.raw(keccak256(payment.bytes()).as_slice());
    packed.raw(&deployment.seed.to_be_bytes::<32>());
    packed.raw(&deployment.expiration.to_be_bytes::<32>());
    keccak256(packed.bytes())
}

/// The maximum number of gateway calls that [`find_deployment`] reads in one input. An input of 128 kB could contain thousands.
const CALLS_MAX: usize = 64;

/// Finds the deployment with this hash in the input of a transaction. `None` if the first 64 gateway calls in the input do not contain it.
///
/// The input may be for another contract that calls the gateway, such as a smart wallet or a contract that makes many calls.
#[must_use]
pub fn find_deployment(gateway: Address, claim: &B256, input: &[u8]) -> Option<DeployInput> {
    let starts = input.windows(4).enumerate();
    let starts = starts.filter(|(_, window)| FUNCTIONS.iter().any(|function| window == function));
    starts.take(CALLS_MAX).find_map(|(start, _)| {
        let found = read_deployment(gateway, input.get(start..)?)?;
        (found.claim == *claim).then_some(found)
    })
}

/// Returns the distinct capabilities among interface ids, in the order of the ids.
fn capabilities(interfaces: &[FixedBytes<4>]) -> Option<Capabilities> {
    let mut numbers = Vec::new();
    for interface in interfaces {
        let mut known = Capability::ALL.iter();
        let capability = known.find(|known| *interface == known.interface_id());
        let number = capability.map(|capability| u64::from(capability.number()));
        if let Some(number) = number
            && !numbers.contains(&number)
        {
            numbers.push(number);
        }
    }
    Capabilities::from_list(&numbers).ok()
}
