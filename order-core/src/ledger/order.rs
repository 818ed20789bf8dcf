//! The effects of an actions order on the ledger, and the reasons to refuse it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::change::Change;
use super::snapshot::Snapshot;
use super::state::{Held, Party, Refusal, State};
use crate::error::{Code, FieldError};
use crate::gateways::Gateways;
use crate::order::{Action, Order};
use crate::types::{Abilities, Address, AssetId, Capability};

impl Order {
    /// Returns 400004 for each action whose ledger does not exist.
    ///
    /// Transfers of value name the platform token. All other actions name asset ledgers.
    #[must_use]
    pub fn unknown_ledgers(&self, gateways: &Gateways, snapshot: &Snapshot) -> Vec<FieldError> {
        let exists = |action: &Action| match action {
            Action::TransferValue { ledger_id, .. } => *ledger_id == gateways.token,
            other => snapshot.has_asset_ledger(other.ledger_id(), gateways),
        };
        self.actions
            .iter()
            .enumerate()
            .filter(|(_, action)| !exists(action))
            .map(|(index, action)| {
                FieldError::with_message(
                    Code::LedgerNotFound,
                    format!("order.actions[{index}].ledgerId"),
                    format!("the ledger `{}` does not exist", action.ledger_id()),
                )
            })
            .collect()
    }
}

/// Applies an order to the ledger that `snapshot` shows.
///
/// Each action is checked against the state that the earlier actions leave. A refused action changes nothing.
///
/// While `wildcard` is `None`, checks of the wildcard's account are skipped, and actions of this account are assumed to succeed. The
/// changes are then incomplete and must not be written. An order that is accepted with `None` but refused with an account is refused only
/// because of this account.
///
/// The snapshot must hold the values at [`Order::read_set`] for the same `wildcard`.
///
/// # Errors
///
/// An error for every failed check, with the path of its field.
pub fn apply_order(
    order: &Order,
    wildcard: Option<Address>,
    gateways: &Gateways,
    snapshot: &Snapshot,
) -> Result<Vec<Change>, Vec<FieldError>> {
    let mut errors = order.unknown_ledgers(gateways, snapshot);
    if !errors.is_empty() {
        return Err(errors);
    }
    let mut state = State::new(snapshot);
    for (index, action) in order.actions.iter().enumerate() {
        let mut step = Step {
            state: &mut state,
            gateways,
            ledger: action.ledger_id(),
            path: format!("order.actions[{index}]"),
            sender: action.sender_id().or(wildcard),
            errors: Vec::new(),
        };
        step.apply(action, wildcard);
        errors.append(&mut step.errors);
    }
    if errors.is_empty() {
        Ok(state.changes())
    } else {
        Err(errors)
    }
}

/// The state of an action that is being applied.
struct Step<'a, 's> {
    state: &'a mut State<'s>,
    gateways: &'a Gateways,
    ledger: Address,
    path: String,
    sender: Party,
    errors: Vec<FieldError>,
}

impl Step<'_, '_> {
    /// Adds the error `code` at a field of the action unless `holds`.
    fn require(&mut self, holds: bool, code: Code, field: &str) {
        if !holds {
            let path = format!("{}.{field}", self.path);
            self.errors.push(FieldError::new(code, path));
        }
    }

    fn require_sender_able(&mut self, ability: Abilities, code: Code) {
        // The wildcard's account is not known yet, so its abilities cannot be checked.
        if let Some(sender) = self.sender {
            let able = self.state.is_able(self.ledger, sender, ability);
            self.require(able, code, "senderId");
        }
    }

    fn require_proxy_able(&mut self, proxy: Address, ability: Abilities, code: Code) {
        let able = self.state.is_able(self.ledger, proxy, ability);
        self.require(able, code, "ledgerId");
    }

    /// Checks that the sender owns the asset and lets the proxy act on it. The proxy may act if it is an operator of all assets of the
    /// sender, or if it is `approved` for this asset.
    fn require_owned(
        &mut self,
        asset: Option<&Held>,
        approved: Option<Address>,
        proxy: Address,
        not_owner: Code,
        no_approval: Code,
    ) {
        let Some(sender) = self.sender else {
            return;
        };
        if asset.is_none_or(|asset| asset.owner != Some(sender)) {
            // Only the owner can give approvals, so another sender has no approval to check.
            self.require(false, not_owner, "senderId");
        } else {
            let may_act =
                approved == Some(proxy) || self.state.is_operator(self.ledger, sender, proxy);
            self.require(may_act, no_approval, "senderId");
        }
    }

    fn apply(&mut self, action: &Action, wildcard: Party) {
        let (ledger, proxies) = (self.ledger, &self.gateways.proxies);
        match action {
            Action::CreateAsset {
                asset_id,
                asset_imprint,
                receiver_id,
                ..
            } => {
                self.require_sender_able(Abilities::ALLOW_CREATE, Code::CreateNotAllowed);
                self.require_proxy_able(
                    proxies.create_asset,
                    Abilities::CREATE,
                    Code::CreateProxyNotAble,
                );
                let is_new = self.state.asset(ledger, *asset_id).is_none();
                self.require(is_new, Code::AssetIdNotUnique, "assetId");
                let asset = Held {
                    owner: receiver_id.or(wildcard),
                    imprint: *asset_imprint,
                    approved: None,
                };
                self.write_asset(*asset_id, Some(asset));
            }
            Action::TransferAsset {
                asset_id,
                receiver_id,
                ..
            } => {
                let asset = self.state.asset(ledger, *asset_id);
                let (_, proxy) = self.gateways.asset_transfer(ledger);
                self.require_owned(
                    asset.as_ref(),
                    asset.as_ref().and_then(|asset| asset.approved),
                    proxy,
                    Code::TransferNotOwner,
                    Code::TransferNotApproved,
                );
                // The asset may be missing here: `require_owned` checks nothing if the sender is the wildcard and has no account yet.
                if let Some(Held { imprint, .. }) = asset {
                    let asset = Held {
                        owner: receiver_id.or(wildcard),
                        imprint,
                        approved: None,
                    };
                    self.write_asset(*asset_id, Some(asset));
                }
            }
            Action::TransferValue {
                value, receiver_id, ..
            } => {
                let moved = self.state.transfer_value(
                    self.sender,
                    Some(proxies.transfer_value),
                    receiver_id.or(wildcard),
                    *value,
                );
                for refusal in moved.err().unwrap_or_default() {
                    let (code, field) = match refusal {
                        Refusal::Balance => (Code::ValueBalanceInsufficient, "value"),
                        Refusal::Allowance => (Code::ValueNotApproved, "senderId"),
                        Refusal::Receiver => (Code::TokenReceiverNotAllowed, "receiverId"),
                        Refusal::Overflow => (Code::ActionValueNotValid, "value"),
                    };
                    self.require(false, code, field);
                }
            }
            Action::UpdateAsset {
                asset_id,
                asset_imprint,
                ..
            } => {
                self.require_sender_able(Abilities::ALLOW_UPDATE, Code::UpdateNotAllowed);
                self.require_proxy_able(
                    proxies.update_asset,
                    Abilities::UPDATE,
                    Code::UpdateProxyNotAble,
                );
                self.require_capability(Capability::Update, Code::UpdateNotCapable);
                let asset = self.state.asset(ledger, *asset_id);
                self.require(asset.is_some(), Code::AssetNotFound, "assetId");
                if let Some(asset) = asset {
                    let imprint = *asset_imprint;
                    self.write_asset(*asset_id, Some(Held { imprint, ..asset }));
                }
            }
            Action::SetAbilities {
                abilities,
                receiver_id,
                ..
            } => {
                self.require_sender_able(Abilities::ALLOW_MANAGE, Code::ManageNotAllowed);
                self.require_proxy_able(
                    proxies.manage_abilities,
                    Abilities::MANAGE,
                    Code::ManageProxyNotAble,
                );
                if let (Some(receiver), true) = (receiver_id.or(wildcard), self.errors.is_empty()) {
                    self.state.set_abilities(ledger, receiver, *abilities);
                }
            }
            Action::DestroyAsset { asset_id, .. } => {
                let asset = self.state.asset(ledger, *asset_id);
                // The contracts let only operators destroy assets. The approval of a single asset only allows moving it.
                self.require_owned(
                    asset.as_ref(),
                    None,
                    proxies.destroy_asset,
                    Code::DestroyNotOwner,
                    Code::DestroyNotApproved,
                );
                self.require_capability(Capability::Destroy, Code::DestroyNotCapable);
                self.write_asset(*asset_id, None);
            }
            Action::RevokeAsset { asset_id, .. } => {
                // No proxy and no approval takes part, because the sender acts by its own ability.
                self.require_sender_able(Abilities::REVOKE, Code::RevokeNotAllowed);
                self.require_capability(Capability::Revoke, Code::RevokeNotCapable);
                let exists = self.state.asset(ledger, *asset_id).is_some();
                self.require(exists, Code::AssetNotFound, "assetId");
                self.write_asset(*asset_id, None);
            }
        }
    }

    fn require_capability(&mut self, capability: Capability, code: Code) {
        let capable = self.state.has_capability(self.ledger, capability);
        self.require(capable, code, "ledgerId");
    }

    /// Writes the asset unless a check of the action failed.
    fn write_asset(&mut self, id: AssetId, asset: Option<Held>) {
        if self.errors.is_empty() {
            self.state.set_asset(self.ledger, id, asset);
        }
    }
}
