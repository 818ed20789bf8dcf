//! The hashes that claims sign.
//!
//! The hashes equal those of the 0xcert contracts, version 2: bytes are packed, integers are big-endian, and an absent account is the zero
//! address.

mod packed;

use alloc::format;
use alloc::vec::Vec;

use alloy_primitives::{B256, keccak256};

use crate::approval::Approval;
use crate::deployment::{Deploy, LedgerData};
use crate::error::{Code, FieldError};
use crate::gateways::Gateways;
use crate::order::{Action, Order};
use crate::transfer::TokenTransfer;
use crate::types::Address;

pub(crate) use packed::Packed;

impl Order {
    /// The number that revoking an asset has in hashes, in the place of a proxy's. No contract has a proxy with this number, so no claim
    /// for a contract can be read as a revocation.
    const REVOKE: u32 = 7;

    pub(crate) fn hash(
        &self,
        gateways: &Gateways,
        wildcard_signer: bool,
    ) -> Result<B256, FieldError> {
        Ok(keccak256(self.preimage(gateways, wildcard_signer)?.bytes()))
    }

    fn preimage(&self, gateways: &Gateways, wildcard_signer: bool) -> Result<Packed, FieldError> {
        let mut actions_hash = B256::ZERO;
        for index in 0..self.actions.len() {
            let step = self.action_step(index, actions_hash, gateways, wildcard_signer)?;
            actions_hash = keccak256(step.bytes());
        }
        let mut packed = Packed::default();
        packed.address(Some(gateways.actions));
        for signer in &self.signers {
            packed.address_word(Some(signer.account_id));
        }
        if wildcard_signer {
            packed.address_word(None);
        }
        packed.raw(actions_hash.as_slice());
        packed.integer(self.seed.number());
        packed.integer(self.expiration.seconds());
        Ok(packed)
    }

    /// Returns the bytes that the action at `index` adds to the hash chain of the actions.
    fn action_step(
        &self,
        index: usize,
        before: B256,
        gateways: &Gateways,
        wildcard_signer: bool,
    ) -> Result<Packed, FieldError> {
        let mut packed = Packed::default();
        packed.raw(before.as_slice());
        if let Some(action) = self.actions.get(index) {
            let call = self.proxy_call(index, action, gateways, wildcard_signer)?;
            packed.raw(&call.proxy.to_be_bytes());
            packed.address(Some(call.ledger));
            packed.raw(call.params.bytes());
        }
        Ok(packed)
    }

    /// Returns the calls of the proxies, one for each action.
    ///
    /// # Errors
    ///
    /// Like [`Order::hash`].
    pub(crate) fn proxy_calls(
        &self,
        gateways: &Gateways,
        wildcard_signer: bool,
    ) -> Result<Vec<ProxyCall>, FieldError> {
        self.actions
            .iter()
            .enumerate()
            .map(|(index, action)| self.proxy_call(index, action, gateways, wildcard_signer))
            .collect()
    }

    fn proxy_call(
        &self,
        index: usize,
        action: &Action,
        gateways: &Gateways,
        wildcard_signer: bool,
    ) -> Result<ProxyCall, FieldError> {
        let path = |field: &str| format!("order.actions[{index}].{field}");
        let missing = |field| FieldError::new(Code::ActionPartyMissing, path(field));
        let receiver = |receiver: Option<Address>| match receiver {
            None if !wildcard_signer => Err(missing("receiverId")),
            given => Ok(given),
        };
        let mut params = Packed::default();
        let proxy = match action {
            Action::CreateAsset {
                asset_id,
                asset_imprint,
                receiver_id,
                ..
            } => {
                params.raw(asset_imprint.as_bytes());
                params.raw(&asset_id.to_be_bytes());
                params.address(receiver(*receiver_id)?);
                0
            }
            Action::TransferAsset {
                ledger_id,
                asset_id,
                receiver_id,
                ..
            } => {
                params.raw(&asset_id.to_be_bytes());
                params.address(receiver(*receiver_id)?);
                gateways.asset_transfer(*ledger_id).0
            }
            Action::TransferValue {
                value, receiver_id, ..
            } => {
                params.raw(&value.to_be_bytes());
                params.address(receiver(*receiver_id)?);
                1
            }
            Action::UpdateAsset {
                asset_id,
                asset_imprint,
                ..
            } => {
                params.raw(asset_imprint.as_bytes());
                params.raw(&asset_id.to_be_bytes());
                4
            }
            Action::SetAbilities {
                abilities,
                receiver_id,
                ..
            } => {
                params.integer(abilities.bits().into());
                params.address(receiver(*receiver_id)?);
                5
            }
            Action::DestroyAsset { asset_id, .. } => {
                params.raw(&asset_id.to_be_bytes());
                6
            }
            Action::RevokeAsset { asset_id, .. } => {
                params.raw(&asset_id.to_be_bytes());
                Self::REVOKE
            }
        };
        let position = match action.sender_id() {
            Some(sender) => self
                .signers
                .iter()
                .position(|signer| signer.account_id == sender),
            None if wildcard_signer => Some(self.signers.len()),
            None => return Err(missing("senderId")),
        };
        // One byte is enough for the position, because an order lists at most 32 signers.
        let position = position
            .and_then(|position| u8::try_from(position).ok())
            .ok_or_else(|| FieldError::new(Code::ActionSenderNotValid, path("senderId")))?;
        params.raw(&[position]);
        Ok(ProxyCall {
            proxy,
            ledger: action.ledger_id(),
            params,
        })
    }
}

/// An action as the actions gateway performs it. The hash of the order and the calldata both contain it.
pub(crate) struct ProxyCall {
    /// The number of the proxy.
    pub(crate) proxy: u32,
    /// The ledger or the token.
    pub(crate) ledger: Address,
    /// The packed arguments. Their last byte is the sender's position among the signers.
    pub(crate) params: Packed,
}

impl Deploy {
    /// Returns the hash that the deployment's claim signs.
    ///
    /// The hash does not separate name, symbol, prefix and postfix, so different deployments can have equal hashes.
    #[must_use]
    pub fn hash(&self, gateways: &Gateways) -> B256 {
        keccak256(self.preimage(gateways).bytes())
    }

    fn preimage(&self, gateways: &Gateways) -> Packed {
        let ledger_data = keccak256(self.asset_ledger_data.preimage().bytes());
        let transfer = keccak256(self.token_transfer_data.preimage().bytes());
        let mut packed = Packed::default();
        packed.address(Some(gateways.deploy));
        packed.address(Some(self.maker_id));
        packed.address(self.taker_id);
        packed.raw(ledger_data.as_slice());
        packed.raw(transfer.as_slice());
        packed.integer(self.seed.number());
        packed.integer(self.expiration.seconds());
        packed
    }
}

impl LedgerData {
    fn preimage(&self) -> Packed {
        let mut packed = Packed::default();
        for text in [
            &self.name,
            &self.symbol,
            &self.uri_prefix,
            &self.uri_postfix,
        ] {
            packed.raw(text.as_bytes());
        }
        packed.raw(self.schema_id.as_bytes());
        for capability in self.capabilities.iter() {
            packed.raw(&capability.interface_id());
            packed.raw(&[0; 28]);
        }
        packed.address(Some(self.owner_id));
        packed
    }
}

impl TokenTransfer {
    fn preimage(&self) -> Packed {
        let mut packed = Packed::default();
        packed.address(Some(self.ledger_id));
        packed.address(Some(self.receiver_id));
        packed.raw(&self.value.to_be_bytes());
        packed
    }
}

impl Approval {
    /// Returns the hash that the approval's claim signs. It contains the ledger or the token, not a gateway.
    #[must_use]
    pub fn hash(&self) -> B256 {
        keccak256(self.preimage().bytes())
    }

    fn preimage(&self) -> Packed {
        let mut packed = Packed::default();
        packed.address(Some(self.ledger_id()));
        match self {
            Approval::Operator(approval) => {
                let fee = &approval.token_transfer_data;
                packed.address(Some(approval.owner));
                packed.address(Some(approval.operator));
                packed.raw(&[approval.is_operator.into()]);
                packed.address(Some(fee.ledger_id));
                packed.raw(&fee.value.to_be_bytes());
                packed.address(Some(fee.receiver_id));
            }
            Approval::Value(approval) => {
                packed.address(Some(approval.approver));
                packed.address(Some(approval.spender));
                packed.raw(&approval.value.to_be_bytes());
                packed.address(Some(approval.fee_recipient));
                packed.raw(&approval.fee_value.to_be_bytes());
            }
        }
        packed.integer(self.seed().number());
        packed.integer(self.expiration().seconds());
        packed
    }
}

#[cfg(test)]
mod tests;
