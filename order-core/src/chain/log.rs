//! The logs that the contracts write.
//!
//! A reader returns `None` for an unknown kind of log, and an error for a known kind with the wrong shape. The caller selects the reader by
//! the contract's address, because any contract can write any log.

use alloy_primitives::{B256, b256};

use super::abi::{Word, read_address, read_bool, read_integer, words};
use crate::types::{Abilities, Address, Amount, AssetId, Imprint, NotValid};

/// The first topics of logs: hashes of the events' signatures. Tests compare them with the ABI of the contracts.
pub(super) mod topic {
    use super::{B256, b256};

    pub(in super::super) const PERFORM_ORDER: B256 =
        b256!("a4be90ab47bcea0c591eaa7dd28b8ba0329e7ebddac48c5f2ca9fed68d08cf08");
    pub(in super::super) const CANCEL_ORDER: B256 =
        b256!("e8d9861dbc9c663ed3accd261bbe2fe01e0d3d9e5f51fa38523b265c7757a93a");
    pub(in super::super) const ORDER_PROXY_CHANGE: B256 =
        b256!("8edda873a8ad561ecebeb71ceb3ae6bcb70c2b76a3fcb869859895c4d4fc7416");
    pub(in super::super) const PERFORM_DEPLOY: B256 =
        b256!("492318801c2cec532d47019a0b69f83b8d5b499a022b7adb6100a766050644f2");
    pub(in super::super) const CANCEL_DEPLOY: B256 =
        b256!("421b43caf093b5e58d1ea89ca0d80151eda923342cf3cfddf5eb6b30d4947ba0");
    pub(in super::super) const DEPLOY_PROXY_CHANGE: B256 =
        b256!("427ee0ec515416f6ef107d53338080aa8cdf1763bb545dfd1585d1d5a6f6872f");
    pub(in super::super) const SET_ABILITIES: B256 =
        b256!("d1d59d2d212a435434e7a4a4676427610dfe2b6268b01e541d280d65bf3d6b90");
    pub(in super::super) const TRANSFER: B256 =
        b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
    pub(in super::super) const APPROVAL: B256 =
        b256!("8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");
    pub(in super::super) const APPROVAL_FOR_ALL: B256 =
        b256!("17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31");
    pub(in super::super) const IMPRINT_UPDATE: B256 =
        b256!("da81dc3bdaf65b621535dbd08fc4032c7e22d5ccab12c8aa2ad010611471d627");
    pub(in super::super) const IS_PAUSED: B256 =
        b256!("ff4a5dbbab6b1963d10f5edd139f33a7987ecb3c4f65969be77ddba28d946594");
    pub(in super::super) const RECIPIENT: B256 =
        b256!("a5fe0c8d62c32b5b6f14437194dfe68f86aaf45f6d384976081103e7db408bbc");
}

const MALFORMED: NotValid = NotValid("a log of the original contracts");

/// A log of a contract.
#[derive(Clone, Copy, Debug)]
pub struct Log<'a> {
    /// The topics. The first is the hash of the event's signature.
    pub topics: &'a [B256],
    /// The arguments that are not topics.
    pub data: &'a [u8],
}

impl Log<'_> {
    /// Returns the topics after the first and the words of the data. Fails unless there are exactly `T` and `D` of them.
    fn shape<const T: usize, const D: usize>(&self) -> Result<([Word; T], [Word; D]), NotValid> {
        let topics = self.topics.get(1..).unwrap_or_default();
        let topics: [B256; T] = topics.try_into().map_err(|_| MALFORMED)?;
        let data = words(self.data).ok_or(MALFORMED)?;
        Ok((topics.map(|topic| topic.0), data))
    }

    fn first_topic(&self) -> Option<B256> {
        self.topics.first().copied()
    }
}

/// Reads an address that may be the zero address.
fn account(word: &Word) -> Result<Option<Address>, NotValid> {
    read_address(word).ok_or(MALFORMED)
}

/// Reads an address that cannot be the zero address.
fn some_account(word: &Word) -> Result<Address, NotValid> {
    account(word)?.ok_or(MALFORMED)
}

fn flag(word: &Word) -> Result<bool, NotValid> {
    read_bool(word).ok_or(MALFORMED)
}

/// Reads abilities. Contracts store 256 bits, of which only the lowest eleven have a meaning.
pub(super) fn abilities([.., high, low]: Word) -> Result<Abilities, NotValid> {
    Abilities::from_bits(u16::from_be_bytes([high, low]) & Abilities::ALL.bits())
}

/// A log of the gateway that performs orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderEvent {
    /// The order with this hash was performed.
    Performed(B256),
    /// The order with this hash was canceled.
    Canceled(B256),
    /// The proxy with this number was set to an address, or removed if it is `None`. Hashes of orders contain these numbers.
    ProxyChanged(u64, Option<Address>),
    /// The account's abilities to configure the gateway changed. `None` is the zero address.
    AbilitiesSet(Option<Address>),
}

impl OrderEvent {
    /// The first topics of the logs that this enumeration represents.
    pub const TOPICS: [B256; 4] = [
        topic::PERFORM_ORDER,
        topic::CANCEL_ORDER,
        topic::ORDER_PROXY_CHANGE,
        topic::SET_ABILITIES,
    ];

    /// Reads a log of the gateway. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of a known kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<OrderEvent>, NotValid> {
        Ok(Some(match log.first_topic() {
            Some(topic::PERFORM_ORDER) => {
                let ([claim], []) = log.shape()?;
                OrderEvent::Performed(B256::new(claim))
            }
            Some(topic::CANCEL_ORDER) => {
                let ([claim], []) = log.shape()?;
                OrderEvent::Canceled(B256::new(claim))
            }
            Some(topic::ORDER_PROXY_CHANGE) => {
                let ([index], [proxy]) = log.shape()?;
                let index = read_integer(&index).ok_or(MALFORMED)?;
                OrderEvent::ProxyChanged(index, account(&proxy)?)
            }
            Some(topic::SET_ABILITIES) => {
                let ([target, _], []) = log.shape()?;
                OrderEvent::AbilitiesSet(account(&target)?)
            }
            _ => return Ok(None),
        }))
    }
}

/// A log of the gateway that performs deployments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeployEvent {
    /// A deployment was performed.
    Performed {
        /// The deployment's hash.
        claim: B256,
        /// The account that pays. Anybody can perform a deployment for the zero address, whose signature the gateway does not check.
        maker: Option<Address>,
        /// The new ledger.
        ledger: Address,
    },
    /// The deployment with this hash was canceled.
    Canceled(B256),
    /// The proxy that creates ledgers was replaced.
    ProxyChanged(Option<Address>),
    /// The account's abilities to configure the gateway changed. `None` is the zero address.
    AbilitiesSet(Option<Address>),
}

impl DeployEvent {
    /// The first topic of [`DeployEvent::Performed`].
    pub const PERFORMED: B256 = topic::PERFORM_DEPLOY;

    /// The first topics of the logs that this enumeration represents.
    pub const TOPICS: [B256; 4] = [
        topic::PERFORM_DEPLOY,
        topic::CANCEL_DEPLOY,
        topic::DEPLOY_PROXY_CHANGE,
        topic::SET_ABILITIES,
    ];

    /// Reads a log of the gateway. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of a known kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<DeployEvent>, NotValid> {
        Ok(Some(match log.first_topic() {
            Some(topic::PERFORM_DEPLOY) => {
                let ([maker, taker], [ledger, claim]) = log.shape()?;
                account(&taker)?;
                DeployEvent::Performed {
                    claim: B256::new(claim),
                    maker: account(&maker)?,
                    ledger: some_account(&ledger)?,
                }
            }
            Some(topic::CANCEL_DEPLOY) => {
                let ([_, _], [claim]) = log.shape()?;
                DeployEvent::Canceled(B256::new(claim))
            }
            Some(topic::DEPLOY_PROXY_CHANGE) => {
                let ([], [proxy]) = log.shape()?;
                DeployEvent::ProxyChanged(account(&proxy)?)
            }
            Some(topic::SET_ABILITIES) => {
                let ([target, _], []) = log.shape()?;
                DeployEvent::AbilitiesSet(account(&target)?)
            }
            _ => return Ok(None),
        }))
    }
}

/// A log of an asset ledger.
///
/// Accounts that are `None` are the zero address, which the contract accepts in these places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LedgerEvent {
    /// A new asset. The log has no imprint.
    Created {
        /// The asset.
        id: AssetId,
        /// Its first owner.
        owner: Address,
    },
    /// An asset got a new owner. The asset's approval ends.
    Moved {
        /// The asset.
        id: AssetId,
        /// The previous owner.
        from: Address,
        /// The new owner.
        to: Address,
    },
    /// An asset was destroyed by its owner, or revoked on the ledger.
    Destroyed {
        /// The asset.
        id: AssetId,
        /// The last owner.
        owner: Address,
    },
    /// An asset got a new imprint.
    ImprintSet(AssetId, Imprint),
    /// The new account that may move the asset, in addition to its owner and the owner's operators.
    Approved(AssetId, Option<Address>),
    /// An operator's right to act on all assets of an owner was granted or revoked.
    OperatorSet {
        /// The owner.
        owner: Option<Address>,
        /// The operator.
        operator: Option<Address>,
        /// True if the right was granted.
        approved: bool,
    },
    /// An account's new abilities.
    AbilitiesSet(Option<Address>, Abilities),
    /// True if transfers are stopped.
    Paused(bool),
}

impl LedgerEvent {
    /// The first topics of the logs that change the assets or abilities of a ledger.
    pub const TOPICS: [B256; 3] = [topic::TRANSFER, topic::IMPRINT_UPDATE, topic::SET_ABILITIES];

    /// Reads a log of an asset ledger. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of a known kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<LedgerEvent>, NotValid> {
        Ok(Some(match log.first_topic() {
            Some(topic::TRANSFER) => {
                let ([from, to, id], []) = log.shape()?;
                let id = AssetId::from_be_bytes(id);
                match (account(&from)?, account(&to)?) {
                    (None, Some(owner)) => LedgerEvent::Created { id, owner },
                    (Some(from), Some(to)) => LedgerEvent::Moved { id, from, to },
                    (Some(owner), None) => LedgerEvent::Destroyed { id, owner },
                    (None, None) => return Err(MALFORMED),
                }
            }
            Some(topic::IMPRINT_UPDATE) => {
                let ([id], [imprint]) = log.shape()?;
                LedgerEvent::ImprintSet(AssetId::from_be_bytes(id), Imprint::from(imprint))
            }
            Some(topic::APPROVAL) => {
                let ([_, approved, id], []) = log.shape()?;
                LedgerEvent::Approved(AssetId::from_be_bytes(id), account(&approved)?)
            }
            Some(topic::APPROVAL_FOR_ALL) => {
                let ([owner, operator], [approved]) = log.shape()?;
                LedgerEvent::OperatorSet {
                    owner: account(&owner)?,
                    operator: account(&operator)?,
                    approved: flag(&approved)?,
                }
            }
            Some(topic::SET_ABILITIES) => {
                let ([target, bits], []) = log.shape()?;
                LedgerEvent::AbilitiesSet(account(&target)?, abilities(bits)?)
            }
            Some(topic::IS_PAUSED) => {
                let ([], [paused]) = log.shape()?;
                LedgerEvent::Paused(flag(&paused)?)
            }
            _ => return Ok(None),
        }))
    }
}

/// A log of the platform token.
///
/// Accounts that are `None` are the zero address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenEvent {
    /// Tokens moved. A move from the zero address creates tokens, and a move to the zero address destroys them.
    Moved {
        /// The payer.
        from: Option<Address>,
        /// The receiver.
        to: Option<Address>,
        /// The amount in base units.
        value: Amount,
    },
    /// A spender may now use another amount of an owner's tokens.
    Approved {
        /// The owner of the tokens.
        owner: Option<Address>,
        /// The spender.
        spender: Option<Address>,
        /// The amount in base units.
        value: Amount,
    },
    /// True if the account may receive tokens by orders and deployments.
    RecipientSet(Option<Address>, bool),
}

impl TokenEvent {
    /// The first topic of the logs that change balances.
    pub const TOPICS: [B256; 1] = [topic::TRANSFER];

    /// Reads a log of the token. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of a known kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<TokenEvent>, NotValid> {
        Ok(Some(match log.first_topic() {
            Some(topic::TRANSFER) => {
                let ([from, to], [value]) = log.shape()?;
                TokenEvent::Moved {
                    from: account(&from)?,
                    to: account(&to)?,
                    value: Amount::from_be_bytes(value),
                }
            }
            Some(topic::APPROVAL) => {
                let ([owner, spender], [value]) = log.shape()?;
                TokenEvent::Approved {
                    owner: account(&owner)?,
                    spender: account(&spender)?,
                    value: Amount::from_be_bytes(value),
                }
            }
            Some(topic::RECIPIENT) => {
                let ([target], [allowed]) = log.shape()?;
                TokenEvent::RecipientSet(account(&target)?, flag(&allowed)?)
            }
            _ => return Ok(None),
        }))
    }
}
