//! The effects of deployments, approvals and credits on the ledger, and the reasons to refuse them.

use alloc::format;
use alloc::vec::Vec;

use super::change::Change;
use super::snapshot::Snapshot;
use super::state::{Refusal, State};
use crate::approval::Approval;
use crate::deployment::{Deploy, LedgerData};
use crate::error::{Code, FieldError};
use crate::gateways::Gateways;
use crate::types::{Abilities, Address, Amount};

/// The codes and paths of the errors of a failed payment. The code for a receiver is always 422910.
struct PaymentErrors {
    balance: (Code, &'static str),
    allowance: (Code, &'static str),
    receiver: &'static str,
    overflow: (Code, &'static str),
}

impl PaymentErrors {
    fn of(&self, refusals: Vec<Refusal>) -> Vec<FieldError> {
        refusals
            .into_iter()
            .map(|refusal| match refusal {
                Refusal::Balance => self.balance,
                Refusal::Allowance => self.allowance,
                Refusal::Receiver => (Code::TokenReceiverNotAllowed, self.receiver),
                Refusal::Overflow => self.overflow,
            })
            .map(|(code, path)| FieldError::new(code, path))
            .collect()
    }
}

/// Creates a ledger at the address `ledger`, and takes the maker's payment.
///
/// While `ledger` is `None`, no ledger is created. The changes are then incomplete and must not be written. No rule depends on the address.
///
/// The owner of a new ledger has every ability. The proxies may create and update assets and manage abilities, and the owner has approved
/// the proxies that move and destroy assets. Any taker may execute the deployment. The snapshot must hold the values at
/// [`Deploy::read_set`].
///
/// # Errors
///
/// 422055 if the payment is not in the platform token, or would overflow the receiver's balance. 422079 and 422080 if the maker's balance
/// or allowance does not cover the payment. 422910 if the token does not allow the payment's receiver.
pub fn apply_deployment(
    deploy: &Deploy,
    ledger: Option<Address>,
    gateways: &Gateways,
    snapshot: &Snapshot,
) -> Result<Vec<Change>, Vec<FieldError>> {
    let payment = &deploy.token_transfer_data;
    if payment.ledger_id != gateways.token {
        let path = "deploy.tokenTransferData.ledgerId";
        return Err([FieldError::new(Code::DeployPaymentNotValid, path)].into());
    }
    let proxies = &gateways.proxies;
    let mut state = State::new(snapshot);
    let value_path = "deploy.tokenTransferData.value";
    state
        .transfer_value(
            Some(deploy.maker_id),
            Some(proxies.transfer_value),
            Some(payment.receiver_id),
            payment.value,
        )
        .map_err(|refusals| {
            PaymentErrors {
                balance: (Code::DeployBalanceInsufficient, value_path),
                allowance: (Code::DeployNotApproved, "deploy.makerId"),
                receiver: "deploy.tokenTransferData.receiverId",
                overflow: (Code::DeployPaymentNotValid, value_path),
            }
            .of(refusals)
        })?;
    let Some(ledger) = ledger else {
        return Ok(state.changes());
    };
    let data = &deploy.asset_ledger_data;
    appoint(&mut state, ledger, data.owner_id, gateways);
    Ok(created(ledger, data, state))
}

/// Returns the changes that create a ledger. The changes of its payment are separate.
#[must_use]
pub fn new_ledger(ledger: Address, data: &LedgerData, gateways: &Gateways) -> Vec<Change> {
    let empty = Snapshot::default();
    let mut state = State::new(&empty);
    appoint(&mut state, ledger, data.owner_id, gateways);
    created(ledger, data, state)
}

/// Gives the abilities and approvals of a new ledger.
fn appoint(state: &mut State<'_>, ledger: Address, owner: Address, gateways: &Gateways) {
    let proxies = &gateways.proxies;
    for (account, abilities) in [
        (owner, Abilities::ALL),
        (proxies.create_asset, Abilities::CREATE),
        (proxies.update_asset, Abilities::UPDATE),
        (proxies.manage_abilities, Abilities::MANAGE),
    ] {
        // The owner may be any account, even a proxy, so the owner's abilities are added to abilities that the account already has.
        state.grant_abilities(ledger, account, abilities);
    }
    for proxy in [proxies.safe_transfer_asset, proxies.destroy_asset] {
        state.set_operator(ledger, owner, proxy, true);
    }
}

fn created(ledger: Address, data: &LedgerData, state: State<'_>) -> Vec<Change> {
    let created = Change::LedgerCreated {
        ledger,
        data: data.clone(),
    };
    [created].into_iter().chain(state.changes()).collect()
}

impl Approval {
    /// Returns 422127 or 422145 if the approval's ledger does not exist. Kind 7 takes an asset ledger, kind 8 the platform token.
    #[must_use]
    pub fn unknown_ledgers(&self, gateways: &Gateways, snapshot: &Snapshot) -> Vec<FieldError> {
        let ledger = self.ledger_id();
        let (exists, code) = match self {
            Approval::Operator(_) => (
                snapshot.has_asset_ledger(ledger, gateways),
                Code::ApproveLedgerNotValid,
            ),
            Approval::Value(_) => (ledger == gateways.token, Code::ValueApproveLedgerNotValid),
        };
        let error = (!exists).then(|| {
            let message = format!("the ledger `{ledger}` does not exist, or is of another kind");
            FieldError::with_message(code, "approval.ledgerId", message)
        });
        error.into_iter().collect()
    }
}

/// Applies an approval, and takes its payment.
///
/// The snapshot must hold the values at [`Approval::read_set`].
///
/// # Errors
///
/// Kind 7:
/// - 422127 if there is no such ledger
/// - 422134 if the payment is not in the platform token, or would overflow the receiver's balance
/// - 422141 and 422142 if the owner's balance, or its allowance for the asset ledger, does not cover the payment
/// - 422910 if the token does not allow the payment's receiver
///
/// Kind 8:
/// - 422145 if the ledger is not the platform token
/// - 422148 if the approver's balance does not cover the fee
/// - 422154 if the fee would overflow the receiver's balance
pub fn apply_approval(
    approval: &Approval,
    gateways: &Gateways,
    snapshot: &Snapshot,
) -> Result<Vec<Change>, Vec<FieldError>> {
    let unknown = approval.unknown_ledgers(gateways, snapshot);
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let mut state = State::new(snapshot);
    match approval {
        Approval::Operator(approval) => {
            let payment = &approval.token_transfer_data;
            if payment.ledger_id != gateways.token {
                let path = "approval.tokenTransferData.ledgerId";
                return Err([FieldError::new(Code::ApprovePaymentNotValid, path)].into());
            }
            let value_path = "approval.tokenTransferData.value";
            state
                .transfer_value(
                    Some(approval.owner),
                    // The asset ledger itself collects the payment.
                    Some(approval.ledger_id),
                    Some(payment.receiver_id),
                    payment.value,
                )
                .map_err(|refusals| {
                    PaymentErrors {
                        balance: (Code::ApproveBalanceInsufficient, value_path),
                        allowance: (Code::ApproveLedgerNotApproved, "approval.owner"),
                        receiver: "approval.tokenTransferData.receiverId",
                        overflow: (Code::ApprovePaymentNotValid, value_path),
                    }
                    .of(refusals)
                })?;
            state.set_operator(
                approval.ledger_id,
                approval.owner,
                approval.operator,
                approval.is_operator,
            );
        }
        Approval::Value(approval) => {
            let value_path = "approval.feeValue";
            // The token's contract collects this fee itself, so no allowance is needed, and any receiver is accepted.
            state
                .transfer_value(
                    Some(approval.approver),
                    None,
                    Some(approval.fee_recipient),
                    approval.fee_value,
                )
                .map_err(|refusals| {
                    PaymentErrors {
                        balance: (Code::ValueApproveBalanceInsufficient, value_path),
                        allowance: (Code::ValueApprovePaymentNotValid, value_path),
                        receiver: "approval.feeRecipient",
                        overflow: (Code::ValueApprovePaymentNotValid, value_path),
                    }
                    .of(refusals)
                })?;
            state.set_allowance(approval.approver, approval.spender, approval.value);
        }
    }
    Ok(state.changes())
}

/// Gives an account new platform tokens, and lets the gateways use them.
///
/// The snapshot must hold the account's balance and its allowance for [`Proxies::transfer_value`](crate::Proxies).
///
/// # Errors
///
/// 500000 if the balance would exceed 256 bits.
pub fn apply_credit(
    account: Address,
    amount: Amount,
    gateways: &Gateways,
    snapshot: &Snapshot,
) -> Result<Vec<Change>, FieldError> {
    let mut state = State::new(snapshot);
    let proxy = gateways.proxies.transfer_value;
    let balance = state.balance(account).checked_add(amount);
    let balance = balance.ok_or_else(|| FieldError::new(Code::Unhandled, ""))?;
    state.set_balance(account, balance);
    // The owner may already have approved a very high allowance, so the sum saturates.
    let allowance = state.allowance(account, proxy).checked_add(amount);
    state.set_allowance(account, proxy, allowance.unwrap_or(Amount::MAX));
    Ok(state.changes())
}

/// Takes platform tokens back from an account, and reduces the gateways' allowance by the same amount. Neither the balance nor the
/// allowance becomes negative.
///
/// The snapshot must hold the account's balance and its allowance for [`Proxies::transfer_value`](crate::Proxies).
#[must_use]
pub fn apply_debit(
    account: Address,
    amount: Amount,
    gateways: &Gateways,
    snapshot: &Snapshot,
) -> Vec<Change> {
    let mut state = State::new(snapshot);
    let proxy = gateways.proxies.transfer_value;
    state.set_balance(account, state.balance(account).saturating_sub(amount));
    let allowance = state.allowance(account, proxy).saturating_sub(amount);
    state.set_allowance(account, proxy, allowance);
    state.changes()
}
