//! Calls that read the contracts, and the readers of their answers.
//!
//! Each function returns a [`View`], a call with the reader of its answer. The documentation of the function describes the answer.
//!
//! A contract writes each answer in one form only. Readers refuse every other form, so a provider cannot send more or less than one answer.
//! A call that reverts has no answer: [`Revert`](super::Revert) reads the reason.

use alloc::string::String;
use alloc::vec::Vec;

use alloy_primitives::{B256, Bytes, U256, hex};
use alloy_sol_types::SolCall;

use super::calldata::Call;
use super::contracts::{
    ActionsGateway, DeployGateway, GasPriceOracle, Multicall3, MulticallCall, Token, Xcert,
};
use super::{log, strict, text};
use crate::deployment::{MAX_NAME_CHARS, MAX_URI_CHARS};
use crate::gateways::Gateways;
use crate::request::Request;
use crate::types::{Abilities, Address, Amount, AssetId, Imprint, NotValid};

/// The address of the Multicall3 contract on nearly every public chain. Source: the repository mds1/multicall3.
///
/// A private chain has no contract there until its operator deploys one.
pub const MULTICALL: Address =
    Address::from_bytes(hex!("ca11bde05977b3631167028862be2a173976ca11")).unwrap();

/// The address of the contract that knows the fee of layer 1, on chains of Optimism's kind. Source: the OP Stack's specification of
/// predeploys.
pub const GAS_PRICE_ORACLE: Address =
    Address::from_bytes(hex!("420000000000000000000000000000000000000f")).unwrap();

/// Maximum characters of an asset's URI: the longest prefix and postfix of a deployment around the 78 digits of the largest id.
const MAX_ASSET_URI_CHARS: usize = 2 * MAX_URI_CHARS + 78;

const MALFORMED: NotValid = NotValid("an answer of the original contracts");

/// A call that reads a contract, and the reader of its answer.
#[derive(Clone, Debug)]
#[must_use]
pub struct View<T> {
    /// The call.
    pub call: Call,
    /// The number of calls that the call makes, or zero.
    calls: usize,
    reader: fn(&[u8], usize) -> Option<T>,
}

impl<T> View<T> {
    fn new<C: SolCall>(to: Address, call: &C) -> View<T>
    where
        T: FromAnswer<C::Return>,
    {
        View {
            call: Call::new(to, call),
            calls: 0,
            reader: |data, _| T::from_answer(strict::answer::<C>(data)?),
        }
    }

    /// Reads the answer of the call.
    ///
    /// # Errors
    ///
    /// If the answer has the wrong shape. The answer of an address without a contract is empty, which is wrong for every call.
    pub fn read(&self, answer: &[u8]) -> Result<T, NotValid> {
        (self.reader)(answer, self.calls).ok_or(MALFORMED)
    }
}

/// A value that a contract answers as `A`. `None` if the contract cannot have this value.
trait FromAnswer<A>: Sized {
    fn from_answer(answer: A) -> Option<Self>;
}

impl FromAnswer<bool> for bool {
    fn from_answer(answer: bool) -> Option<Self> {
        Some(answer)
    }
}

impl FromAnswer<U256> for Amount {
    fn from_answer(answer: U256) -> Option<Self> {
        Some(answer.into())
    }
}

impl FromAnswer<U256> for u64 {
    fn from_answer(answer: U256) -> Option<Self> {
        answer.try_into().ok()
    }
}

impl FromAnswer<U256> for Abilities {
    fn from_answer(answer: U256) -> Option<Self> {
        log::abilities(answer).ok()
    }
}

impl FromAnswer<alloy_primitives::Address> for Option<Address> {
    fn from_answer(answer: alloy_primitives::Address) -> Option<Self> {
        Some(log::account(answer))
    }
}

impl FromAnswer<ActionsGateway::proxiesReturn> for (Option<Address>, u8) {
    fn from_answer(answer: ActionsGateway::proxiesReturn) -> Option<Self> {
        Some((log::account(answer.proxyAddress), answer.kind))
    }
}

impl FromAnswer<Xcert::tokenURIIntegrityReturn> for Imprint {
    fn from_answer(answer: Xcert::tokenURIIntegrityReturn) -> Option<Self> {
        let digest: [u8; 32] = answer.digest.as_ref().try_into().ok()?;
        (answer.hashAlgorithm == b"sha256"[..]).then(|| digest.into())
    }
}

impl View<Option<String>> {
    /// Reads a text of at most `MOST` characters.
    fn text<const MOST: usize, C: SolCall<Return = Bytes>>(to: Address, call: &C) -> Self {
        View {
            call: Call::new(to, call),
            calls: 0,
            reader: |data, _| Some(text(&strict::answer::<C>(data)?, MOST)),
        }
    }
}

/// Returns the amount of tokens of an account.
pub fn balance(token: Address, account: Address) -> View<Amount> {
    let owner = account.into();
    View::new(token, &Token::balanceOfCall { owner })
}

/// Returns the amount of an owner's tokens that a spender may use.
pub fn allowance(token: Address, owner: Address, spender: Address) -> View<Amount> {
    let (owner, spender) = (owner.into(), spender.into());
    View::new(token, &Token::allowanceCall { owner, spender })
}

/// Returns true if the account may receive tokens by orders and deployments.
pub fn is_recipient(token: Address, account: Address) -> View<bool> {
    let account = account.into();
    View::new(token, &Token::whitelistedRecipientsCall { account })
}

/// Returns the owner of an asset. Reverts with 006002 if the asset does not exist, so the original ledgers never answer `None`.
pub fn owner(ledger: Address, id: &AssetId) -> View<Option<Address>> {
    let id = (*id).into();
    View::new(ledger, &Xcert::ownerOfCall { id })
}

/// Returns the imprint of an asset. Reverts with 007003 if the asset does not exist.
pub fn imprint(ledger: Address, id: &AssetId) -> View<Imprint> {
    let id = (*id).into();
    View::new(ledger, &Xcert::tokenURIIntegrityCall { id })
}

/// Returns the URI of an asset: empty if the ledger's prefix is empty. Reverts with 006002 if the asset does not exist.
///
/// The answer is `None` if the text is not UTF-8, or longer than a deployment of this service allows. Contracts store any bytes.
pub fn uri(ledger: Address, id: &AssetId) -> View<Option<String>> {
    let id = (*id).into();
    View::text::<MAX_ASSET_URI_CHARS, _>(ledger, &Xcert::tokenURICall { id })
}

/// Returns the account that may move an asset, in addition to its owner and the owner's operators. Reverts with 006002 if the asset does
/// not exist.
pub fn approved(ledger: Address, id: &AssetId) -> View<Option<Address>> {
    let id = (*id).into();
    View::new(ledger, &Xcert::getApprovedCall { id })
}

/// Returns true if an operator may act on all assets of an owner.
pub fn is_operator(ledger: Address, owner: Address, operator: Address) -> View<bool> {
    let (owner, operator) = (owner.into(), operator.into());
    View::new(ledger, &Xcert::isApprovedForAllCall { owner, operator })
}

/// Returns the abilities of an account on a ledger. Bits that have no meaning are ignored.
pub fn abilities(ledger: Address, account: Address) -> View<Abilities> {
    let account = account.into();
    View::new(ledger, &Xcert::addressToAbilityCall { account })
}

/// Returns the name of a ledger or of a token.
///
/// The answer is `None` if the text is not UTF-8, or longer than a deployment of this service allows. Contracts store any bytes.
pub fn name(contract: Address) -> View<Option<String>> {
    View::text::<MAX_NAME_CHARS, _>(contract, &Xcert::nameCall {})
}

/// Returns the symbol of a ledger or of a token, or `None` like [`name`].
pub fn symbol(contract: Address) -> View<Option<String>> {
    View::text::<MAX_NAME_CHARS, _>(contract, &Xcert::symbolCall {})
}

/// Returns the text before the id in a ledger's URIs, or `None` like [`name`]. The ledger's owner can change this text, and the change
/// writes no log.
pub fn uri_prefix(ledger: Address) -> View<Option<String>> {
    View::text::<MAX_URI_CHARS, _>(ledger, &Xcert::uriPrefixCall {})
}

/// Returns the text after the id in a ledger's URIs, or `None` like [`name`]. The ledger's owner can change this text, and the change
/// writes no log.
pub fn uri_postfix(ledger: Address) -> View<Option<String>> {
    View::text::<MAX_URI_CHARS, _>(ledger, &Xcert::uriPostfixCall {})
}

/// Returns true if the contract has an ERC-165 interface, such as [`Capability::interface_id`](crate::Capability::interface_id).
pub fn supports(contract: Address, interface: [u8; 4]) -> View<bool> {
    let id = interface.into();
    View::new(contract, &Xcert::supportsInterfaceCall { id })
}

/// Returns the number of assets on a ledger.
pub fn supply(ledger: Address) -> View<u64> {
    View::new(ledger, &Xcert::totalSupplyCall {})
}

/// Returns true if a request was performed, by any sender. `hash` is the hash of the request.
pub fn performed(request: &Request, gateways: &Gateways, hash: &B256) -> View<bool> {
    match request {
        Request::Order(_) => order_performed(gateways.actions, hash),
        Request::Deployment(_) => deployment_performed(gateways.deploy, hash),
        Request::Approval(request) => claim_performed(request.approval.ledger_id(), hash),
    }
}

/// Returns true if a request was canceled by a call. `hash` is the hash of the request.
pub fn canceled(request: &Request, gateways: &Gateways, hash: &B256) -> View<bool> {
    match request {
        Request::Order(_) => order_canceled(gateways.actions, hash),
        Request::Deployment(_) => deployment_canceled(gateways.deploy, hash),
        Request::Approval(request) => claim_canceled(request.approval.ledger_id(), hash),
    }
}

/// Returns true if the order with this hash was performed.
pub fn order_performed(gateway: Address, hash: &B256) -> View<bool> {
    View::new(
        gateway,
        &ActionsGateway::orderPerformedCall { claim: *hash },
    )
}

/// Returns true if the order with this hash was canceled.
pub fn order_canceled(gateway: Address, hash: &B256) -> View<bool> {
    View::new(
        gateway,
        &ActionsGateway::orderCancelledCall { claim: *hash },
    )
}

/// Returns true if the deployment with this hash was performed.
pub fn deployment_performed(gateway: Address, hash: &B256) -> View<bool> {
    View::new(
        gateway,
        &DeployGateway::deployPerformedCall { claim: *hash },
    )
}

/// Returns true if the deployment with this hash was canceled.
pub fn deployment_canceled(gateway: Address, hash: &B256) -> View<bool> {
    View::new(
        gateway,
        &DeployGateway::deployCancelledCall { claim: *hash },
    )
}

/// Returns true if the approval with this hash was performed. `contract` is the ledger of an approval
/// of kind 7, or the token of an approval of kind 8.
pub fn claim_performed(contract: Address, hash: &B256) -> View<bool> {
    View::new(contract, &Xcert::claimPerformedCall { claim: *hash })
}

/// Returns true if the approval with this hash was canceled. `contract` is the ledger of an approval
/// of kind 7, or the token of an approval of kind 8.
pub fn claim_canceled(contract: Address, hash: &B256) -> View<bool> {
    View::new(contract, &Xcert::claimCancelledCall { claim: *hash })
}

/// Returns a proxy of the gateway that performs orders, and the kind of its actions: 0 creates, 1 transfers, 2 updates, 3 manages, 4
/// destroys. A removed proxy has no address.
///
/// If the number was never assigned, the contract uses up all gas. Do not include this call in a [`multicall`], whose other calls would fail.
pub fn proxy(gateway: Address, index: u64) -> View<(Option<Address>, u8)> {
    let index = U256::from(index);
    View::new(gateway, &ActionsGateway::proxiesCall { index })
}

/// Returns the proxy that creates ledgers. This call and the next six calls go to the gateway that performs deployments.
pub fn deploy_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, &DeployGateway::xcertDeployProxyCall {})
}

/// Returns the proxy that moves tokens: [`Proxies::transfer_value`](crate::Proxies::transfer_value). The token answers this call too.
pub fn transfer_value_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, &DeployGateway::tokenTransferProxyCall {})
}

/// Returns the proxy that may create assets on new ledgers: [`Proxies::create_asset`](crate::Proxies::create_asset).
pub fn create_asset_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, &DeployGateway::xcertCreateProxyCall {})
}

/// Returns the proxy that may update assets of new ledgers: [`Proxies::update_asset`](crate::Proxies::update_asset).
pub fn update_asset_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, &DeployGateway::xcertUpdateProxyCall {})
}

/// Returns the proxy that may set abilities on new ledgers: [`Proxies::manage_abilities`](crate::Proxies::manage_abilities).
pub fn manage_abilities_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, &DeployGateway::abilitableManageProxyCall {})
}

/// Returns the proxy that is an operator of the owner on new ledgers:
/// [`Proxies::safe_transfer_asset`](crate::Proxies::safe_transfer_asset).
pub fn safe_transfer_asset_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, &DeployGateway::nftSafeTransferProxyCall {})
}

/// Returns the proxy that may destroy assets of new ledgers: [`Proxies::destroy_asset`](crate::Proxies::destroy_asset).
pub fn destroy_asset_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, &DeployGateway::xcertBurnProxyCall {})
}

/// Makes many calls in one block through one call of the Multicall3 contract, which is usually at [`MULTICALL`].
///
/// The answers are in the order of the calls. `None` is the answer of a call that reverted. A call of an address without a contract has an
/// empty answer.
pub fn multicall(contract: Address, calls: &[Call]) -> View<Vec<Option<Vec<u8>>>> {
    let calls = calls.iter().map(|call| MulticallCall {
        target: call.to.into(),
        allowFailure: true,
        callData: call.data.clone().into(),
    });
    let calls: Vec<_> = calls.collect();
    View {
        calls: calls.len(),
        call: Call::new(contract, &Multicall3::aggregate3Call { calls }),
        reader: read_answers,
    }
}

/// Returns the fee in wei that a chain of Optimism's kind takes for a transaction's bytes on layer 1.
pub fn l1_fee(raw: &[u8]) -> View<Amount> {
    let transaction = Bytes::copy_from_slice(raw);
    let call = GasPriceOracle::getL1FeeCall { transaction };
    View::new(GAS_PRICE_ORACLE, &call)
}

fn read_answers(data: &[u8], calls: usize) -> Option<Vec<Option<Vec<u8>>>> {
    let answers = strict::answer::<Multicall3::aggregate3Call>(data)?;
    let read = answers
        .into_iter()
        .map(|answer| answer.success.then(|| answer.returnData.into()));
    let read: Vec<_> = read.collect();
    (read.len() == calls).then_some(read)
}

#[cfg(test)]
mod tests;
