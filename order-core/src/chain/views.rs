//! Calls that read the contracts, and the readers of their answers.
//!
//! Each function returns a [`View`], a call with the reader of its answer. The documentation of the function describes the answer.
//!
//! A contract writes each answer in one form only. Readers refuse every other form, so a provider cannot send more or less than one answer.
//! A call that reverts has no answer: [`Revert`](super::Revert) reads the reason.

use alloc::string::String;
use alloc::vec::Vec;

use alloy_primitives::{B256, hex};

use super::abi::{
    Cursor, Tuple, Word, address_word, array_of_tails, bytes, integer, read_address, read_bool,
    read_integer, text, words,
};
use super::calldata::{Call, call};
use super::log;
use crate::deployment::{MAX_NAME_CHARS, MAX_URI_CHARS};
use crate::gateways::Gateways;
use crate::request::Request;
use crate::types::{Abilities, Address, Amount, AssetId, Imprint, NotValid, SchemaId};

/// The first four bytes of a call, which select the function. Tests compare them with the ABI of the contracts.
pub(super) mod selector {
    pub(in super::super) const BALANCE: [u8; 4] = [0x70, 0xa0, 0x82, 0x31];
    pub(in super::super) const ALLOWANCE: [u8; 4] = [0xdd, 0x62, 0xed, 0x3e];
    pub(in super::super) const IS_RECIPIENT: [u8; 4] = [0x13, 0xc5, 0xd2, 0x52];
    pub(in super::super) const OWNER: [u8; 4] = [0x63, 0x52, 0x21, 0x1e];
    pub(in super::super) const IMPRINT: [u8; 4] = [0x49, 0x84, 0x66, 0x80];
    pub(in super::super) const SCHEMA: [u8; 4] = [0xca, 0xae, 0x18, 0x8e];
    pub(in super::super) const URI: [u8; 4] = [0xc8, 0x7b, 0x56, 0xdd];
    pub(in super::super) const APPROVED: [u8; 4] = [0x08, 0x18, 0x12, 0xfc];
    pub(in super::super) const IS_OPERATOR: [u8; 4] = [0xe9, 0x85, 0xe9, 0xc5];
    pub(in super::super) const ABILITIES: [u8; 4] = [0x45, 0xa3, 0x2c, 0x86];
    pub(in super::super) const NAME: [u8; 4] = [0x06, 0xfd, 0xde, 0x03];
    pub(in super::super) const SYMBOL: [u8; 4] = [0x95, 0xd8, 0x9b, 0x41];
    pub(in super::super) const URI_PREFIX: [u8; 4] = [0x62, 0xb9, 0x9a, 0xd4];
    pub(in super::super) const URI_POSTFIX: [u8; 4] = [0xc2, 0x98, 0xbb, 0xa5];
    pub(in super::super) const SUPPORTS: [u8; 4] = [0x01, 0xff, 0xc9, 0xa7];
    pub(in super::super) const IS_PAUSED: [u8; 4] = [0xb1, 0x87, 0xbd, 0x26];
    pub(in super::super) const SUPPLY: [u8; 4] = [0x18, 0x16, 0x0d, 0xdd];
    pub(in super::super) const CLAIM_PERFORMED: [u8; 4] = [0x23, 0xbf, 0x33, 0x96];
    pub(in super::super) const CLAIM_CANCELED: [u8; 4] = [0x59, 0x03, 0x18, 0x29];
    pub(in super::super) const ORDER_PERFORMED: [u8; 4] = [0xd9, 0x81, 0xe7, 0x36];
    pub(in super::super) const ORDER_CANCELED: [u8; 4] = [0x58, 0x89, 0xbf, 0x5e];
    pub(in super::super) const PROXY: [u8; 4] = [0xab, 0xd9, 0x0f, 0x85];
    pub(in super::super) const DEPLOYMENT_PERFORMED: [u8; 4] = [0xc9, 0xf6, 0x00, 0xf7];
    pub(in super::super) const DEPLOYMENT_CANCELED: [u8; 4] = [0x52, 0xaf, 0x3e, 0xbd];
    pub(in super::super) const DEPLOY_PROXY: [u8; 4] = [0xe1, 0x4d, 0x89, 0x44];
    pub(in super::super) const CREATE_ASSET_PROXY: [u8; 4] = [0xe2, 0x4a, 0x0d, 0x87];
    pub(in super::super) const TRANSFER_VALUE_PROXY: [u8; 4] = [0x0e, 0xef, 0xdb, 0xad];
    pub(in super::super) const SAFE_TRANSFER_ASSET_PROXY: [u8; 4] = [0x81, 0xc6, 0x6f, 0x62];
    pub(in super::super) const UPDATE_ASSET_PROXY: [u8; 4] = [0xc0, 0x2d, 0x00, 0xc1];
    pub(in super::super) const MANAGE_ABILITIES_PROXY: [u8; 4] = [0xa9, 0xd6, 0xe2, 0xf4];
    pub(in super::super) const DESTROY_ASSET_PROXY: [u8; 4] = [0x72, 0x04, 0xdd, 0xcd];
    /// Not a function of the original contracts: see [`l1_fee`](super::l1_fee).
    pub(in super::super) const L1_FEE: [u8; 4] = [0x49, 0x94, 0x8e, 0x0e];
    /// Not a function of the original contracts: see [`multicall`](super::multicall).
    pub(in super::super) const AGGREGATE: [u8; 4] = [0x82, 0xad, 0x56, 0xcb];
}

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

/// The name of the hash function of imprints and schema ids in answers of ledgers.
const HASH_FUNCTION: &[u8] = b"sha256";

const MALFORMED: NotValid = NotValid("an answer of the original contracts");

/// A call that reads a contract, and the reader of its answer.
#[derive(Clone, Debug)]
pub struct View<T> {
    /// The call.
    pub call: Call,
    reader: Reader<T>,
}

#[derive(Clone, Debug)]
enum Reader<T> {
    Answer(fn(&[u8]) -> Result<T, NotValid>),
    /// Reads the answers of this number of calls.
    Answers(fn(&[u8], usize) -> Result<T, NotValid>, usize),
}

impl<T> View<T> {
    fn new(
        to: Address,
        selector: [u8; 4],
        arguments: &[Word],
        read: fn(&[u8]) -> Result<T, NotValid>,
    ) -> View<T> {
        let arguments = arguments.iter().copied();
        View {
            call: call(to, selector, arguments.fold(Tuple::default(), Tuple::word)),
            reader: Reader::Answer(read),
        }
    }

    /// Reads the answer of the call.
    ///
    /// # Errors
    ///
    /// If the answer has the wrong shape. The answer of an address without a contract is empty, which is wrong for every call.
    pub fn read(&self, answer: &[u8]) -> Result<T, NotValid> {
        match self.reader {
            Reader::Answer(read) => read(answer),
            Reader::Answers(read, calls) => read(answer, calls),
        }
    }
}

/// Returns the amount of tokens of an account.
#[must_use]
pub fn balance(token: Address, account: Address) -> View<Amount> {
    View::new(token, selector::BALANCE, &[of(account)], read_amount)
}

/// Returns the amount of an owner's tokens that a spender may use.
#[must_use]
pub fn allowance(token: Address, owner: Address, spender: Address) -> View<Amount> {
    let arguments = [of(owner), of(spender)];
    View::new(token, selector::ALLOWANCE, &arguments, read_amount)
}

/// Returns true if the account may receive tokens by orders and deployments.
#[must_use]
pub fn is_recipient(token: Address, account: Address) -> View<bool> {
    View::new(token, selector::IS_RECIPIENT, &[of(account)], read_flag)
}

/// Returns the owner of an asset. Reverts with 006002 if the asset does not exist, so the original ledgers never answer `None`.
#[must_use]
pub fn owner(ledger: Address, id: &AssetId) -> View<Option<Address>> {
    View::new(ledger, selector::OWNER, &[id.to_be_bytes()], read_account)
}

/// Returns the imprint of an asset. Reverts with 007003 if the asset does not exist.
#[must_use]
pub fn imprint(ledger: Address, id: &AssetId) -> View<Imprint> {
    let read = |answer: &[u8]| read_digest(answer).map(Imprint::from);
    View::new(ledger, selector::IMPRINT, &[id.to_be_bytes()], read)
}

/// Returns the schema of an asset, which is the schema of its ledger. Reverts with 007003 if the asset does not exist.
#[must_use]
pub fn schema(ledger: Address, id: &AssetId) -> View<SchemaId> {
    let read = |answer: &[u8]| read_digest(answer).map(SchemaId::from);
    View::new(ledger, selector::SCHEMA, &[id.to_be_bytes()], read)
}

/// Returns the URI of an asset: empty if the ledger's prefix is empty. Reverts with 006002 if the asset does not exist.
///
/// The answer is `None` if the text is not UTF-8, or longer than a deployment of this service allows. Contracts store any bytes.
#[must_use]
pub fn uri(ledger: Address, id: &AssetId) -> View<Option<String>> {
    let read = read_text::<MAX_ASSET_URI_CHARS>;
    View::new(ledger, selector::URI, &[id.to_be_bytes()], read)
}

/// Returns the account that may move an asset, in addition to its owner and the owner's operators. Reverts with 006002 if the asset does
/// not exist.
#[must_use]
pub fn approved(ledger: Address, id: &AssetId) -> View<Option<Address>> {
    let id = id.to_be_bytes();
    View::new(ledger, selector::APPROVED, &[id], read_account)
}

/// Returns true if an operator may act on all assets of an owner.
#[must_use]
pub fn is_operator(ledger: Address, owner: Address, operator: Address) -> View<bool> {
    let arguments = [of(owner), of(operator)];
    View::new(ledger, selector::IS_OPERATOR, &arguments, read_flag)
}

/// Returns the abilities of an account on a ledger. Bits that have no meaning are ignored.
#[must_use]
pub fn abilities(ledger: Address, account: Address) -> View<Abilities> {
    let read = |answer: &[u8]| log::abilities(one(answer)?);
    View::new(ledger, selector::ABILITIES, &[of(account)], read)
}

/// Returns the name of a ledger or of a token.
///
/// The answer is `None` if the text is not UTF-8, or longer than a deployment of this service allows. Contracts store any bytes.
#[must_use]
pub fn name(contract: Address) -> View<Option<String>> {
    View::new(contract, selector::NAME, &[], read_text::<MAX_NAME_CHARS>)
}

/// Returns the symbol of a ledger or of a token, or `None` like [`name`].
#[must_use]
pub fn symbol(contract: Address) -> View<Option<String>> {
    View::new(contract, selector::SYMBOL, &[], read_text::<MAX_NAME_CHARS>)
}

/// Returns the text before the id in a ledger's URIs, or `None` like [`name`]. The ledger's owner can change this text, and the change
/// writes no log.
#[must_use]
pub fn uri_prefix(ledger: Address) -> View<Option<String>> {
    let read = read_text::<MAX_URI_CHARS>;
    View::new(ledger, selector::URI_PREFIX, &[], read)
}

/// Returns the text after the id in a ledger's URIs, or `None` like [`name`]. The ledger's owner can change this text, and the change
/// writes no log.
#[must_use]
pub fn uri_postfix(ledger: Address) -> View<Option<String>> {
    let read = read_text::<MAX_URI_CHARS>;
    View::new(ledger, selector::URI_POSTFIX, &[], read)
}

/// Returns true if the contract has an ERC-165 interface, such as [`Capability::interface_id`](crate::Capability::interface_id).
#[must_use]
pub fn supports(contract: Address, interface: [u8; 4]) -> View<bool> {
    let mut word = [0; 32];
    for (byte, id) in word.iter_mut().zip(interface) {
        *byte = id;
    }
    View::new(contract, selector::SUPPORTS, &[word], read_flag)
}

/// Returns true if transfers of a ledger's assets are stopped.
#[must_use]
pub fn is_paused(ledger: Address) -> View<bool> {
    View::new(ledger, selector::IS_PAUSED, &[], read_flag)
}

/// Returns the number of assets on a ledger.
#[must_use]
pub fn supply(ledger: Address) -> View<u64> {
    let read = |answer: &[u8]| read_integer(&one(answer)?).ok_or(MALFORMED);
    View::new(ledger, selector::SUPPLY, &[], read)
}

/// Returns true if a request was performed, by any sender. `hash` is the hash of the request.
#[must_use]
pub fn performed(request: &Request, gateways: &Gateways, hash: &B256) -> View<bool> {
    match request {
        Request::Order(_) => order_performed(gateways.actions, hash),
        Request::Deployment(_) => deployment_performed(gateways.deploy, hash),
        Request::Approval(request) => claim_performed(request.approval.ledger_id(), hash),
    }
}

/// Returns true if a request was canceled by a call. `hash` is the hash of the request.
#[must_use]
pub fn canceled(request: &Request, gateways: &Gateways, hash: &B256) -> View<bool> {
    match request {
        Request::Order(_) => order_canceled(gateways.actions, hash),
        Request::Deployment(_) => deployment_canceled(gateways.deploy, hash),
        Request::Approval(request) => claim_canceled(request.approval.ledger_id(), hash),
    }
}

/// Returns true if the order with this hash was performed.
#[must_use]
pub fn order_performed(gateway: Address, hash: &B256) -> View<bool> {
    View::new(gateway, selector::ORDER_PERFORMED, &[hash.0], read_flag)
}

/// Returns true if the order with this hash was canceled.
#[must_use]
pub fn order_canceled(gateway: Address, hash: &B256) -> View<bool> {
    View::new(gateway, selector::ORDER_CANCELED, &[hash.0], read_flag)
}

/// Returns true if the deployment with this hash was performed.
#[must_use]
pub fn deployment_performed(gateway: Address, hash: &B256) -> View<bool> {
    let selector = selector::DEPLOYMENT_PERFORMED;
    View::new(gateway, selector, &[hash.0], read_flag)
}

/// Returns true if the deployment with this hash was canceled.
#[must_use]
pub fn deployment_canceled(gateway: Address, hash: &B256) -> View<bool> {
    let selector = selector::DEPLOYMENT_CANCELED;
    View::new(gateway, selector, &[hash.0], read_flag)
}

/// Returns true if the approval with this hash was performed. `contract` is the ledger of an approval
/// of kind 7, or the token of an approval of kind 8.
#[must_use]
pub fn claim_performed(contract: Address, hash: &B256) -> View<bool> {
    View::new(contract, selector::CLAIM_PERFORMED, &[hash.0], read_flag)
}

/// Returns true if the approval with this hash was canceled. `contract` is the ledger of an approval
/// of kind 7, or the token of an approval of kind 8.
#[must_use]
pub fn claim_canceled(contract: Address, hash: &B256) -> View<bool> {
    View::new(contract, selector::CLAIM_CANCELED, &[hash.0], read_flag)
}

/// Returns a proxy of the gateway that performs orders, and the kind of its actions: 0 creates, 1 transfers, 2 updates, 3 manages, 4
/// destroys. A removed proxy has no address.
///
/// If the number was never assigned, the contract uses up all gas. Do not include this call in a [`multicall`], whose other calls would fail.
#[must_use]
pub fn proxy(gateway: Address, index: u64) -> View<(Option<Address>, u8)> {
    let read = |answer: &[u8]| {
        let [proxy, kind] = words(answer).ok_or(MALFORMED)?;
        let proxy = read_address(&proxy).ok_or(MALFORMED)?;
        let kind = read_integer(&kind).and_then(|kind| u8::try_from(kind).ok());
        Ok((proxy, kind.ok_or(MALFORMED)?))
    };
    View::new(gateway, selector::PROXY, &[integer(index)], read)
}

/// Returns the proxy that creates ledgers. This call and the next six calls go to the gateway that performs deployments.
#[must_use]
pub fn deploy_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, selector::DEPLOY_PROXY, &[], read_account)
}

/// Returns the proxy that moves tokens: [`Proxies::transfer_value`](crate::Proxies::transfer_value). The token answers this call too.
#[must_use]
pub fn transfer_value_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, selector::TRANSFER_VALUE_PROXY, &[], read_account)
}

/// Returns the proxy that may create assets on new ledgers: [`Proxies::create_asset`](crate::Proxies::create_asset).
#[must_use]
pub fn create_asset_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, selector::CREATE_ASSET_PROXY, &[], read_account)
}

/// Returns the proxy that may update assets of new ledgers: [`Proxies::update_asset`](crate::Proxies::update_asset).
#[must_use]
pub fn update_asset_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, selector::UPDATE_ASSET_PROXY, &[], read_account)
}

/// Returns the proxy that may set abilities on new ledgers: [`Proxies::manage_abilities`](crate::Proxies::manage_abilities).
#[must_use]
pub fn manage_abilities_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, selector::MANAGE_ABILITIES_PROXY, &[], read_account)
}

/// Returns the proxy that is an operator of the owner on new ledgers:
/// [`Proxies::safe_transfer_asset`](crate::Proxies::safe_transfer_asset).
#[must_use]
pub fn safe_transfer_asset_proxy(gateway: Address) -> View<Option<Address>> {
    let selector = selector::SAFE_TRANSFER_ASSET_PROXY;
    View::new(gateway, selector, &[], read_account)
}

/// Returns the proxy that may destroy assets of new ledgers: [`Proxies::destroy_asset`](crate::Proxies::destroy_asset).
#[must_use]
pub fn destroy_asset_proxy(gateway: Address) -> View<Option<Address>> {
    View::new(gateway, selector::DESTROY_ASSET_PROXY, &[], read_account)
}

/// Makes many calls in one block through one call of the Multicall3 contract, which is usually at [`MULTICALL`].
///
/// The answers are in the order of the calls. `None` is the answer of a call that reverted. A call of an address without a contract has an
/// empty answer.
#[must_use]
pub fn multicall(contract: Address, calls: &[Call]) -> View<Vec<Option<Vec<u8>>>> {
    let items = calls.iter().map(|call| {
        Tuple::default()
            .address(Some(call.to))
            .integer(true.into())
            .tail(bytes(&call.data))
            .encoded()
    });
    let arguments = Tuple::default().tail(array_of_tails(items));
    View {
        call: call(contract, selector::AGGREGATE, arguments),
        reader: Reader::Answers(read_answers, calls.len()),
    }
}

/// Returns the fee in wei that a chain of Optimism's kind takes for a transaction's bytes on layer 1.
#[must_use]
pub fn l1_fee(raw: &[u8]) -> View<Amount> {
    let arguments = Tuple::default().tail(bytes(raw));
    View {
        call: call(GAS_PRICE_ORACLE, selector::L1_FEE, arguments),
        reader: Reader::Answer(read_amount),
    }
}

fn of(account: Address) -> Word {
    address_word(Some(account))
}

fn one(answer: &[u8]) -> Result<Word, NotValid> {
    let [word] = words(answer).ok_or(MALFORMED)?;
    Ok(word)
}

fn read_amount(answer: &[u8]) -> Result<Amount, NotValid> {
    one(answer).map(Amount::from_be_bytes)
}

fn read_flag(answer: &[u8]) -> Result<bool, NotValid> {
    read_bool(&one(answer)?).ok_or(MALFORMED)
}

fn read_account(answer: &[u8]) -> Result<Option<Address>, NotValid> {
    read_address(&one(answer)?).ok_or(MALFORMED)
}

/// Reads a text of at most `MOST` characters.
fn read_text<const MOST: usize>(answer: &[u8]) -> Result<Option<String>, NotValid> {
    let mut cursor = Cursor::new(answer);
    let content = cursor
        .exactly(32)
        .and_then(|()| cursor.bytes())
        .filter(|_| cursor.is_at_end())
        .ok_or(MALFORMED)?;
    Ok(text(content, MOST))
}

/// Reads a hash of 32 bytes, followed by the name of its hash function.
fn read_digest(answer: &[u8]) -> Result<[u8; 32], NotValid> {
    let mut cursor = Cursor::new(answer);
    let mut read = || {
        cursor.exactly(64)?;
        cursor.exactly(128)?;
        let digest = cursor.bytes()?.try_into().ok()?;
        let is_whole = cursor.bytes()? == HASH_FUNCTION && cursor.is_at_end();
        is_whole.then_some(digest)
    };
    read().ok_or(MALFORMED)
}

/// Reads the answers of this number of calls. Each answer is `(bool success, bytes answer)`.
fn read_answers(answer: &[u8], calls: usize) -> Result<Vec<Option<Vec<u8>>>, NotValid> {
    let mut cursor = Cursor::new(answer);
    let mut read = || {
        cursor.exactly(32)?;
        cursor.exactly(calls)?;
        let mut offsets = Vec::new();
        for _ in 0..calls {
            offsets.push(*cursor.word()?);
        }
        let mut answers = Vec::new();
        let start = cursor.len().checked_add(calls.checked_mul(32)?)?;
        for offset in offsets {
            let position = start.checked_sub(cursor.len())?;
            (read_integer(&offset)? == u64::try_from(position).ok()?).then_some(())?;
            let success = read_bool(cursor.word()?)?;
            cursor.exactly(64)?;
            let answer = cursor.bytes()?;
            answers.push(success.then(|| answer.to_vec()));
        }
        cursor.is_at_end().then_some(answers)
    };
    read().ok_or(MALFORMED)
}

#[cfg(test)]
mod tests;
