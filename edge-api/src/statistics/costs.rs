//! What performing cost whom, summed by day, in the transaction of the performing itself.

use std::collections::BTreeMap;

use order_core::{Action, Address, Amount, Approval, Gateways, TokenTransfer};
use serde::Deserialize;
use serde_json::{Value, json};

use super::DayLookup;
use crate::ports::{Database, DatabaseError, Rows, Statement, exactly};
use crate::records::Work;
use crate::text::{account_key, day_of};

/// What an account paid in a day.
#[derive(Clone, Debug)]
pub(crate) struct CostRow {
    pub(crate) day: u64,
    pub(crate) orders: u64,
    pub(crate) deployments: u64,
    pub(crate) approvals: u64,
    pub(crate) actions: u64,
    pub(crate) amount: Amount,
}

/// What one account pays for a piece of work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Share {
    orders: u8,
    deployments: u8,
    approvals: u8,
    actions: usize,
    amount: Amount,
}

/// Who pays what for a piece of work: what reaches the payment receiver.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Paid(BTreeMap<Address, Share>);

impl Paid {
    /// What `work` pays. An order counts for the account of its last payment, which is the one that the service asks
    /// for; further transfers to the payment receiver count as amounts of those who make them.
    pub(crate) fn of(work: &Work, gateways: &Gateways) -> Self {
        let mut paid = Self::default();
        match work {
            Work::Order(request) => {
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
            Work::Deployment(request) => {
                let transfer = &request.deploy.token_transfer_data;
                if let Some(share) = paid.transfer(request.deploy.maker_id, transfer, gateways) {
                    share.deployments = 1;
                }
            }
            Work::Approval(request) => {
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

    /// Reads the sums so far, which [`Paid::writes`] adds to.
    pub(crate) fn read(&self, now: u64) -> Statement {
        let accounts: Vec<Value> = self.0.keys().map(|id| json!(account_key(id))).collect();
        Statement::new(
            "SELECT account_id, amount FROM costs WHERE day = ?2 AND account_id IN (SELECT value FROM json_each(?1))",
        )
        .bind(Value::from(accounts).to_string())
        .bind(day_of(now))
    }

    /// Statements that add what is paid to the day's sums. Their batch ends with [`DatabaseError::Guard`] if a sum is no
    /// longer what `sums`, the answer to [`Paid::read`], says: amounts are added here, because SQLite cannot.
    pub(crate) fn writes(&self, sums: Rows, now: u64) -> Result<Vec<Statement>, DatabaseError> {
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
                .bind(day_of(now))
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
    Amount::from_hex64(text)
        .map_err(|_| DatabaseError::Unavailable("a stored sum is not valid".to_owned()))
}

/// A page of an account's days, and how many there are.
pub(crate) async fn costs(
    db: &dyn Database,
    lookup: &DayLookup,
) -> Result<(Vec<CostRow>, u32), DatabaseError> {
    #[derive(Deserialize)]
    struct Row {
        day: u64,
        orders: u64,
        deployments: u64,
        approvals: u64,
        actions: u64,
        amount: String,
    }
    let statements = lookup.statements(
        "SELECT day, orders, deployments, approvals, actions, amount FROM costs \
         WHERE account_id = ?1 AND day >= ?2 AND day < ?3 ORDER BY day LIMIT ?4 OFFSET ?5",
        "SELECT day, orders, deployments, approvals, actions, amount FROM costs \
         WHERE account_id = ?1 AND day >= ?2 AND day < ?3 ORDER BY day DESC LIMIT ?4 OFFSET ?5",
        "SELECT count(*) AS total FROM costs WHERE account_id = ?1 AND day >= ?2 AND day < ?3",
    );
    let [rows, total] = exactly(db.batch(statements).await?)?;
    let rows = rows.all::<Row>()?.into_iter().map(|row| {
        Ok(CostRow {
            day: row.day,
            orders: row.orders,
            deployments: row.deployments,
            approvals: row.approvals,
            actions: row.actions,
            amount: amount(&row.amount)?,
        })
    });
    Ok((rows.collect::<Result<_, DatabaseError>>()?, total.total()?))
}
