//! The logs that the contracts write.
//!
//! A reader returns `None` for an unknown kind of log, and an error for a known kind with the wrong shape. The caller selects the reader by
//! the contract's address, because any contract can write any log.

use alloy_primitives::{B256, U256};
use alloy_sol_types::SolEvent;

use super::contracts::{ActionsGateway, DeployGateway, Token, Xcert};
use super::strict;
use crate::types::{Abilities, Address, Amount, AssetId, Imprint, NotValid};

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
    fn first_topic(&self) -> Option<B256> {
        self.topics.first().copied()
    }

    fn read<E: SolEvent>(&self) -> Result<E, NotValid> {
        strict::log(self).ok_or(MALFORMED)
    }
}

/// Reads an address. `None` is the zero address.
pub(super) fn account(address: alloy_primitives::Address) -> Option<Address> {
    Address::from_bytes(address.into())
}

/// Reads abilities. Contracts store 256 bits, of which only the lowest eleven have a meaning.
pub(super) fn abilities(bits: U256) -> Result<Abilities, NotValid> {
    let known = bits & U256::from(Abilities::ALL.bits());
    Abilities::from_bits(known.saturating_to())
}

/// A log of the gateway that performs orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderEvent {
    /// The order with this hash was performed.
    Performed(B256),
    /// The order with this hash was canceled.
    Canceled(B256),
    /// A proxy was set or removed, or an account's abilities to configure the gateway changed.
    Configured,
}

impl OrderEvent {
    /// The first topics of the logs that this enumeration represents.
    pub const TOPICS: [B256; 4] = [
        ActionsGateway::Perform::SIGNATURE_HASH,
        ActionsGateway::Cancel::SIGNATURE_HASH,
        ActionsGateway::ProxyChange::SIGNATURE_HASH,
        ActionsGateway::SetAbilities::SIGNATURE_HASH,
    ];

    /// Reads a log of the gateway. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of a known kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<OrderEvent>, NotValid> {
        use ActionsGateway::{Cancel, Perform, ProxyChange, SetAbilities};
        Ok(Some(match log.first_topic() {
            Some(Perform::SIGNATURE_HASH) => OrderEvent::Performed(log.read::<Perform>()?.claim),
            Some(Cancel::SIGNATURE_HASH) => OrderEvent::Canceled(log.read::<Cancel>()?.claim),
            Some(ProxyChange::SIGNATURE_HASH) => {
                log.read::<ProxyChange>()?;
                OrderEvent::Configured
            }
            Some(SetAbilities::SIGNATURE_HASH) => {
                log.read::<SetAbilities>()?;
                OrderEvent::Configured
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
    /// The proxy that creates ledgers was replaced, or an account's abilities to configure the gateway changed.
    Configured,
}

impl DeployEvent {
    /// The first topic of [`DeployEvent::Performed`].
    pub const PERFORMED: B256 = DeployGateway::Perform::SIGNATURE_HASH;

    /// The first topics of the logs that this enumeration represents.
    pub const TOPICS: [B256; 4] = [
        DeployGateway::Perform::SIGNATURE_HASH,
        DeployGateway::Cancel::SIGNATURE_HASH,
        DeployGateway::ProxyChange::SIGNATURE_HASH,
        DeployGateway::SetAbilities::SIGNATURE_HASH,
    ];

    /// Reads a log of the gateway. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of a known kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<DeployEvent>, NotValid> {
        use DeployGateway::{Cancel, Perform, ProxyChange, SetAbilities};
        Ok(Some(match log.first_topic() {
            Some(Perform::SIGNATURE_HASH) => {
                let event: Perform = log.read()?;
                DeployEvent::Performed {
                    claim: event.claim,
                    maker: account(event.maker),
                    ledger: account(event.createdContract).ok_or(MALFORMED)?,
                }
            }
            Some(Cancel::SIGNATURE_HASH) => DeployEvent::Canceled(log.read::<Cancel>()?.claim),
            Some(ProxyChange::SIGNATURE_HASH) => {
                log.read::<ProxyChange>()?;
                DeployEvent::Configured
            }
            Some(SetAbilities::SIGNATURE_HASH) => {
                log.read::<SetAbilities>()?;
                DeployEvent::Configured
            }
            _ => return Ok(None),
        }))
    }
}

/// A log of an asset ledger that changes its assets or abilities. Contracts answer approvals when they are needed.
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
    /// An account's new abilities. `None` is the zero address, which the contract accepts here.
    AbilitiesSet(Option<Address>, Abilities),
}

impl LedgerEvent {
    /// The first topics of the logs that this enumeration represents.
    pub const TOPICS: [B256; 3] = [
        Xcert::Transfer::SIGNATURE_HASH,
        Xcert::TokenURIIntegrityDigestUpdate::SIGNATURE_HASH,
        Xcert::SetAbilities::SIGNATURE_HASH,
    ];

    /// Reads a log of an asset ledger. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of a known kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<LedgerEvent>, NotValid> {
        use Xcert::{SetAbilities, TokenURIIntegrityDigestUpdate, Transfer};
        Ok(Some(match log.first_topic() {
            Some(Transfer::SIGNATURE_HASH) => {
                let event: Transfer = log.read()?;
                let id = AssetId::from(event.id);
                match (account(event.from), account(event.to)) {
                    (None, Some(owner)) => LedgerEvent::Created { id, owner },
                    (Some(from), Some(to)) => LedgerEvent::Moved { id, from, to },
                    (Some(owner), None) => LedgerEvent::Destroyed { id, owner },
                    (None, None) => return Err(MALFORMED),
                }
            }
            Some(TokenURIIntegrityDigestUpdate::SIGNATURE_HASH) => {
                let event: TokenURIIntegrityDigestUpdate = log.read()?;
                LedgerEvent::ImprintSet(event.id.into(), Imprint::from(event.imprint.0))
            }
            Some(SetAbilities::SIGNATURE_HASH) => {
                let event: SetAbilities = log.read()?;
                LedgerEvent::AbilitiesSet(account(event.target), abilities(event.abilities)?)
            }
            _ => return Ok(None),
        }))
    }
}

/// A log of the platform token: tokens moved. A move from the zero address, which is `None`, creates tokens, and a move to it destroys them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenMove {
    /// The payer.
    pub from: Option<Address>,
    /// The receiver.
    pub to: Option<Address>,
    /// The amount in base units.
    pub value: Amount,
}

impl TokenMove {
    /// The first topic of the log.
    pub const TOPICS: [B256; 1] = [Token::Transfer::SIGNATURE_HASH];

    /// Reads a log of the token. Returns `None` for a log of another kind.
    ///
    /// # Errors
    ///
    /// If a log of this kind has the wrong shape.
    pub fn read(log: &Log<'_>) -> Result<Option<TokenMove>, NotValid> {
        if log.first_topic() != Some(Token::Transfer::SIGNATURE_HASH) {
            return Ok(None);
        }
        let event: Token::Transfer = log.read()?;
        Ok(Some(TokenMove {
            from: account(event.from),
            to: account(event.to),
            value: event.value.into(),
        }))
    }
}
