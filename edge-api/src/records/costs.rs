//! The costs of requests, summed by account and day in the transaction that makes the request final.

use std::collections::BTreeMap;

use order_core::{Action, Address, Amount, Approval, Gateways, Request, TokenTransfer};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::context::Context;
use crate::ledger::Ledger;
use crate::ports::{DatabaseError, Rows, Statement};
use crate::text::{account_key, day_of};

/// Returns statements that add the payments of requests to the sums of the day. The batch fails with [`DatabaseError::Guard`] if a sum has
/// changed since it was read.
///
/// Call this function once for all requests of a transaction. With two calls, the statements of the first call would change
/// the sums that the second call has read, so the guard would fail.
pub(super) async fn booked(
    ctx: &Context<'_>,
    ledger: &dyn Ledger,
    requests: &[&Request],
) -> Result<Vec<Statement>, DatabaseError> {
    if requests.is_empty() {
        return Ok(Vec::new());
    }
    let identity = ledger.identity(ctx).await?;
    let mut paid = Paid::default();
    for request in requests {
        paid.merge(Paid::of(request, &identity.instance.gateways));
    }
    if paid.0.is_empty() {
        return Ok(Vec::new());
    }
    let day = day_of(ctx.now());
    let sums = ctx.db().query(paid.select(day)?).await?;
    paid.booked(day, sums)
}

/// An account's share of costs: the number of requests and actions, and the amount.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Share {
    orders: usize,
    deployments: usize,
    approvals: usize,
    actions: usize,
    amount: Amount,
}

/// The costs of requests by account: the amounts that reach the payment receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Paid(BTreeMap<Address, Share>);

impl Paid {
    /// Returns the costs of a request. An order is counted once, for the sender of its last transfer to the payment
    /// receiver. Other transfers to the receiver add only an amount to the sums of their senders. A request without a
    /// transfer to the receiver is not counted.
    pub(super) fn of(request: &Request, gateways: &Gateways) -> Self {
        let mut paid = Self::default();
        match request {
            Request::Order(request) => {
                let mut payer = None;
                for action in &request.order.actions {
                    let Action::TransferValue {
                        ledger_id,
                        value,
                        receiver_id,
                        sender_id,
                    } = action
                    else {
                        continue;
                    };
                    let or_wildcard = |id: &Option<Address>| id.or(request.order.wildcard());
                    let reaches = *ledger_id == gateways.token
                        && or_wildcard(receiver_id) == Some(gateways.payment_receiver);
                    if let (true, Some(sender)) = (reaches, or_wildcard(sender_id)) {
                        paid.add(sender, *value);
                        payer = Some(sender);
                    }
                }
                if let Some(share) = payer.and_then(|payer| paid.0.get_mut(&payer)) {
                    share.orders = 1;
                    share.actions = request.order.actions.len();
                }
            }
            Request::Deployment(request) => {
                let transfer = &request.deploy.token_transfer_data;
                if let Some(share) = paid.transfer(request.deploy.maker_id, transfer, gateways) {
                    share.deployments = 1;
                }
            }
            Request::Approval(request) => {
                let share = match &request.approval {
                    Approval::Operator(approval) => {
                        paid.transfer(approval.owner, &approval.token_transfer_data, gateways)
                    }
                    Approval::Value(approval) => (approval.fee_recipient
                        == gateways.payment_receiver)
                        .then(|| paid.add(approval.approver, approval.fee_value)),
                };
                if let Some(share) = share {
                    share.approvals = 1;
                }
            }
        }
        paid
    }

    fn add(&mut self, account: Address, amount: Amount) -> &mut Share {
        let share = self.0.entry(account).or_default();
        share.amount = sum(share.amount, amount);
        share
    }

    /// Adds the costs of other requests.
    fn merge(&mut self, other: Self) {
        for (account, more) in other.0 {
            let share = self.0.entry(account).or_default();
            share.orders = share.orders.saturating_add(more.orders);
            share.deployments = share.deployments.saturating_add(more.deployments);
            share.approvals = share.approvals.saturating_add(more.approvals);
            share.actions = share.actions.saturating_add(more.actions);
            share.amount = sum(share.amount, more.amount);
        }
    }

    fn transfer(
        &mut self,
        payer: Address,
        transfer: &TokenTransfer,
        gateways: &Gateways,
    ) -> Option<&mut Share> {
        let reaches = transfer.ledger_id == gateways.token
            && transfer.receiver_id == gateways.payment_receiver;
        reaches.then(|| self.add(payer, transfer.value))
    }

    /// Returns the statement that reads the sums of the day.
    pub(super) fn select(&self, day: u64) -> Result<Statement, DatabaseError> {
        let accounts: Vec<String> = self.0.keys().map(account_key).collect();
        let select = Statement::new(
            "SELECT c.account_id, c.amount FROM json_each(?1) k CROSS JOIN costs c ON c.account_id = k.value AND c.day = ?2",
        );
        Ok(select.bind_json(&accounts)?.bind(day))
    }

    /// Returns the statements that store the sums with the payments added. SQLite's integers are too small for these amounts, so Rust code
    /// adds them.
    pub(super) fn booked(&self, day: u64, sums: Rows) -> Result<Vec<Statement>, DatabaseError> {
        #[derive(Deserialize)]
        struct Row {
            account_id: String,
            amount: String,
        }
        if self.0.is_empty() {
            return Ok(Vec::new());
        }
        let mut known = BTreeMap::new();
        for row in sums.all::<Row>()? {
            known.insert(row.account_id, amount(&row.amount)?);
        }
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (account, share) in &self.0 {
            let key = account_key(account);
            let old = known.get(&key).copied().unwrap_or_default();
            before.push(json!([key, old.to_hex64()]));
            after.push(json!([
                key,
                share.orders,
                share.deployments,
                share.approvals,
                share.actions,
                sum(old, share.amount).to_hex64()
            ]));
        }
        let over = |sql, list: Vec<Value>| {
            Statement::new(sql)
                .bind(Value::from(list).to_string())
                .bind(day)
        };
        Ok(vec![
            over(
                "INSERT INTO guards SELECT 0 FROM json_each(?1) k \
                 LEFT JOIN costs c ON c.account_id = k.value ->> 0 AND c.day = ?2 \
                 WHERE coalesce(c.amount, printf('%064d', 0)) <> k.value ->> 1",
                before,
            ),
            over(
                "INSERT INTO costs (account_id, day, orders, deployments, approvals, actions, amount) \
                 SELECT value ->> 0, ?2, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 \
                 FROM json_each(?1) WHERE true \
                 ON CONFLICT (account_id, day) DO UPDATE SET orders = orders + excluded.orders, \
                 deployments = deployments + excluded.deployments, approvals = approvals + excluded.approvals, \
                 actions = actions + excluded.actions, amount = excluded.amount",
                after,
            ),
        ])
    }
}

fn sum(one: Amount, other: Amount) -> Amount {
    one.checked_add(other).unwrap_or(Amount::MAX)
}

fn amount(text: &str) -> Result<Amount, DatabaseError> {
    Amount::from_hex64(text).map_err(|why| DatabaseError::corrupt("costs", "", why))
}
