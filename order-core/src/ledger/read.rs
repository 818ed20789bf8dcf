//! The keys to read before an order, a deployment or an approval can be applied.

use super::snapshot::ReadSet;
use crate::approval::Approval;
use crate::deployment::Deploy;
use crate::gateways::Gateways;
use crate::order::{Action, Order};
use crate::types::Address;

impl Order {
    /// Returns the keys that [`apply_order`](super::apply_order) reads. `wildcard` is the account in the wildcard's place, if there is one.
    #[must_use]
    pub fn read_set(&self, gateways: &Gateways, wildcard: Option<Address>) -> ReadSet {
        let proxies = &gateways.proxies;
        let mut set = ReadSet::default();
        for action in &self.actions {
            let ledger = action.ledger_id();
            let sender = action.sender_id().or(wildcard);
            let able = |proxy: Address| sender.into_iter().chain([proxy]).map(|a| (ledger, a));
            let operated = |proxy| sender.map(|sender| (ledger, sender, proxy));
            if !matches!(action, Action::TransferValue { .. }) {
                set.ledgers.insert(ledger);
            }
            match action {
                Action::CreateAsset { asset_id, .. } => {
                    set.assets.insert((ledger, *asset_id));
                    set.abilities.extend(able(proxies.create_asset));
                }
                Action::TransferAsset { asset_id, .. } => {
                    set.assets.insert((ledger, *asset_id));
                    set.operators
                        .extend(operated(gateways.asset_transfer(ledger).1));
                }
                Action::TransferValue { receiver_id, .. } => {
                    set.balances.extend(sender);
                    set.balances.extend(receiver_id.or(wildcard));
                    set.recipients.extend(receiver_id.or(wildcard));
                    set.allowances
                        .extend(sender.map(|sender| (sender, proxies.transfer_value)));
                }
                Action::UpdateAsset { asset_id, .. } => {
                    set.assets.insert((ledger, *asset_id));
                    set.abilities.extend(able(proxies.update_asset));
                }
                Action::SetAbilities { receiver_id, .. } => {
                    set.abilities.extend(able(proxies.manage_abilities));
                    set.abilities
                        .extend(receiver_id.or(wildcard).map(|account| (ledger, account)));
                }
                Action::DestroyAsset { asset_id, .. } => {
                    set.assets.insert((ledger, *asset_id));
                    set.operators.extend(operated(proxies.destroy_asset));
                }
                Action::RevokeAsset { asset_id, .. } => {
                    set.assets.insert((ledger, *asset_id));
                    set.abilities.extend(sender.map(|sender| (ledger, sender)));
                }
            }
        }
        set
    }
}

impl Deploy {
    /// Returns the keys that [`apply_deployment`](super::apply_deployment) reads. They do not include the new ledger, which does not exist
    /// yet.
    #[must_use]
    pub fn read_set(&self, gateways: &Gateways) -> ReadSet {
        let (maker, receiver) = (self.maker_id, self.token_transfer_data.receiver_id);
        let mut set = ReadSet::default();
        set.balances.extend([maker, receiver]);
        set.allowances
            .extend([(maker, gateways.proxies.transfer_value)]);
        set.recipients.extend([receiver]);
        set
    }
}

impl Approval {
    /// Returns the keys that [`apply_approval`](super::apply_approval) reads.
    #[must_use]
    pub fn read_set(&self) -> ReadSet {
        let mut set = ReadSet::default();
        match self {
            Approval::Operator(approval) => {
                let (ledger, owner) = (approval.ledger_id, approval.owner);
                let receiver = approval.token_transfer_data.receiver_id;
                set.ledgers.extend([ledger]);
                set.operators.extend([(ledger, owner, approval.operator)]);
                set.balances.extend([owner, receiver]);
                set.allowances.extend([(owner, ledger)]);
                set.recipients.extend([receiver]);
            }
            Approval::Value(approval) => {
                set.balances
                    .extend([approval.approver, approval.fee_recipient]);
                set.allowances
                    .extend([(approval.approver, approval.spender)]);
            }
        }
        set
    }
}
