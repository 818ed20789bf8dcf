//! The prices of the service's work, and the checks that requests pay these prices.

use alloc::format;
use alloc::string::String;

use crate::approval::Approval;
use crate::deployment::Deploy;
use crate::draft::Unsigned;
use crate::error::{Code, FieldError};
use crate::gateways::Gateways;
use crate::order::{Action, ActionKind, Order};
use crate::types::{Address, Amount};

/// Declares [`Costs`]. Each line has a field, its name in answers and settings, and its default in tenths of a token.
macro_rules! costs {
    ($($(#[$doc:meta])* $field:ident, $name:literal, $tenths:literal;)*) => {
        /// The price of each kind of work, in base units of the platform token.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Costs {
            $($(#[$doc])* pub $field: Amount,)*
        }

        impl Costs {
            /// Costs that are all zero.
            pub const FREE: Costs = Costs {
                $($field: Amount::ZERO,)*
            };

            /// The name of each cost in answers, such as `assetCreateCost`.
            pub const NAMES: &[&str] = &[$($name),*];

            /// Returns the cost with this name. `None` if no cost has this name.
            pub fn named_mut(&mut self, name: &str) -> Option<&mut Amount> {
                match name {
                    $($name => Some(&mut self.$field),)*
                    _ => None,
                }
            }
        }

        /// Returns the default prices, 1 to 5 tokens.
        impl Default for Costs {
            fn default() -> Self {
                // A token has 10^18 base units.
                let tenths = |tenths: u128| Amount::from(tenths.saturating_mul(100_000_000_000_000_000));
                Costs {
                    $($field: tenths($tenths),)*
                }
            }
        }
    };
}

costs! {
    /// Creating an asset.
    create_asset, "assetCreateCost", 30;
    /// Transferring an asset.
    transfer_asset, "assetTransferCost", 11;
    /// Transferring value, other than the payment itself.
    transfer_value, "valueTransferCost", 10;
    /// Updating an imprint.
    update_asset, "assetUpdateCost", 14;
    /// Setting abilities.
    set_abilities, "setAbilitiesCost", 12;
    /// Destroying an asset.
    destroy_asset, "assetDestroyCost", 15;
    /// Revoking an asset.
    revoke_asset, "assetRevokeCost", 13;
    /// Deploying an asset ledger.
    deploy, "assetDeployCost", 50;
    /// An approval of an operator.
    approve_operator, "assetApproveCost", 16;
    /// An approval of value.
    approve_value, "dappValueApproveCost", 17;
}

impl Costs {
    /// Returns the price of an action.
    #[must_use]
    pub fn of(&self, kind: ActionKind) -> Amount {
        match kind {
            ActionKind::CreateAsset => self.create_asset,
            ActionKind::TransferAsset => self.transfer_asset,
            ActionKind::TransferValue => self.transfer_value,
            ActionKind::UpdateAsset => self.update_asset,
            ActionKind::SetAbilities => self.set_abilities,
            ActionKind::DestroyAsset => self.destroy_asset,
            ActionKind::RevokeAsset => self.revoke_asset,
        }
    }
}

impl Order {
    /// Checks that the order pays for its actions.
    ///
    /// The last action is the payment if it transfers the platform token to the payment receiver. The payment itself has no price; every
    /// other action has a price. An order whose prices are all zero needs no payment.
    ///
    /// # Errors
    ///
    /// 422012 if a payment is due, but is missing or too small.
    pub fn check_payment(&self, costs: &Costs, gateways: &Gateways) -> Result<(), FieldError> {
        let (priced, paid) = self.bill(gateways);
        let due = due(priced, costs);
        if due.is_zero() || paid.is_some_and(|paid| paid >= due) {
            return Ok(());
        }
        let path = match self.actions.len().checked_sub(1) {
            Some(last) if paid.is_some() => format!("order.actions[{last}].value"),
            _ => String::from("order.actions"),
        };
        let message = format!(
            "the last action must transfer at least {due} base units of the token `{}` to `{}`",
            gateways.token, gateways.payment_receiver
        );
        Err(FieldError::with_message(
            Code::OrderPaymentNotValid,
            path,
            message,
        ))
    }

    /// Returns the actions that have a price, and the amount of the payment. The amount is `None` if the last action is not a payment.
    fn bill(&self, gateways: &Gateways) -> (&[Action], Option<Amount>) {
        match self.actions.split_last() {
            Some((last, before)) => match payment(last, gateways) {
                Some(paid) => (before, Some(paid)),
                None => (&self.actions, None),
            },
            None => (&[], None),
        }
    }

    /// Returns the order without its payment. `None` if no payment is due or the order has none.
    #[must_use]
    pub fn without_payment(&self, costs: &Costs, gateways: &Gateways) -> Option<Order> {
        let (priced, paid) = self.bill(gateways);
        paid.filter(|_| !due(priced, costs).is_zero())
            .map(|_| Order {
                actions: priced.to_vec(),
                ..self.clone()
            })
    }
}

/// Returns the total cost of the actions.
fn due(actions: &[Action], costs: &Costs) -> Amount {
    actions.iter().fold(Amount::ZERO, |sum, action| {
        sum.checked_add(costs.of(action.kind()))
            .unwrap_or(Amount::MAX)
    })
}

/// Returns the amount that an action pays to the service. `None` if the action is not a payment.
fn payment(action: &Action, gateways: &Gateways) -> Option<Amount> {
    match action {
        Action::TransferValue {
            ledger_id,
            value,
            receiver_id,
            ..
        } if *ledger_id == gateways.token && *receiver_id == Some(gateways.payment_receiver) => {
            Some(*value)
        }
        _ => None,
    }
}

impl Deploy {
    /// Checks that the deployment pays its price in the platform token. Unless the price is zero, the payment must go to the payment
    /// receiver.
    ///
    /// # Errors
    ///
    /// 422055 if the payment is too small, or has a wrong token or receiver.
    pub fn check_payment(&self, costs: &Costs, gateways: &Gateways) -> Result<(), FieldError> {
        let payment = &self.token_transfer_data;
        Fee {
            due: costs.deploy,
            code: Code::DeployPaymentNotValid,
            path: "deploy.tokenTransferData",
        }
        .check(
            payment.ledger_id,
            payment.receiver_id,
            payment.value,
            gateways,
        )
    }
}

impl Approval {
    /// Checks that the approval pays its price in the platform token. Unless the price is zero, the payment must go to the payment receiver.
    ///
    /// # Errors
    ///
    /// 422134 (kind 7) or 422154 (kind 8) if the payment is too small, or has a wrong token or receiver.
    pub fn check_payment(&self, costs: &Costs, gateways: &Gateways) -> Result<(), FieldError> {
        match self {
            Approval::Operator(approval) => {
                let payment = &approval.token_transfer_data;
                Fee {
                    due: costs.approve_operator,
                    code: Code::ApprovePaymentNotValid,
                    path: "approval.tokenTransferData",
                }
                .check(
                    payment.ledger_id,
                    payment.receiver_id,
                    payment.value,
                    gateways,
                )
            }
            Approval::Value(approval) => Fee {
                due: costs.approve_value,
                code: Code::ValueApprovePaymentNotValid,
                path: "approval.feeValue",
            }
            .check(
                approval.ledger_id,
                approval.fee_recipient,
                approval.fee_value,
                gateways,
            ),
        }
    }
}

impl Unsigned {
    /// Checks the payment against the configured costs and addresses.
    ///
    /// # Errors
    ///
    /// 422055, 422134 or 422154 if the payment is too small, or has a wrong token or receiver.
    pub fn check_fields(&self, gateways: &Gateways, costs: &Costs) -> Result<(), FieldError> {
        match self {
            Self::Deployment(deploy) => deploy.check_payment(costs, gateways),
            Self::Approval(approval) => approval.check_payment(costs, gateways),
        }
    }
}

/// A price, and the code and path of the error if the price is not paid.
struct Fee {
    due: Amount,
    code: Code,
    path: &'static str,
}

impl Fee {
    fn check(
        &self,
        token: Address,
        receiver: Address,
        value: Amount,
        gateways: &Gateways,
    ) -> Result<(), FieldError> {
        let is_free = self.due.is_zero();
        let pays = receiver == gateways.payment_receiver && value >= self.due;
        if token == gateways.token && (is_free || pays) {
            return Ok(());
        }
        let message = format!(
            "the payment must be at least {} base units of the token `{}` to `{}`",
            self.due, gateways.token, gateways.payment_receiver
        );
        Err(FieldError::with_message(self.code, self.path, message))
    }
}

#[cfg(test)]
mod tests;
