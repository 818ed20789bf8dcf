//! Limits the gas that the relayer spends without an effect.
//!
//! A request can pass the simulation and fail in the block. For example, an account can spend its assets in between, or a contract that receives
//! an asset can refuse it. The relayer then pays for the gas of a failed transaction. The gas of failed transactions is therefore counted for the
//! accounts that signed the request, and for the contracts that receive assets by it. A transaction counts with its maximum gas until a block
//! shows its effect. Requests wait while this sum would exceed a limit.

use std::collections::{BTreeMap, BTreeSet};

use order_core::{Action, Address, Request};
use serde::Deserialize;

use crate::context::Context;
use crate::ledger::LedgerError;
use crate::ledger::evm::memory::Evm;
use crate::ledger::evm::rpc::{Ask, data};
use crate::ports::Statement;
use crate::text::{DAY_MS, account_key};

/// The key of the row that counts a failed request once.
const ALL: &str = "*";

/// The least gas of a transaction that calls a contract.
const LEAST: u64 = 21_000;

/// The gas of a request's account or receiver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Spent {
    /// The gas of failed transactions within a day.
    failed: u64,
    /// In addition, the maximum gas of transactions whose effect no block shows.
    all: u64,
    /// The average maximum gas of the transactions whose effect no block shows. 0 if there are none.
    usual: u64,
}

/// The gas that is counted for some accounts.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Waste(BTreeMap<String, Spent>);

/// An account that has used up its limit.
#[derive(Debug, PartialEq, Eq)]
pub(in super::super) struct Exceeded {
    pub(in super::super) account: String,
    pub(in super::super) failed: u64,
    /// True if failed transactions alone are the reason. The account then has to wait up to a day.
    pub(in super::super) is_failed: bool,
}

/// Returns the accounts for which a request's gas is counted.
fn keys(request: &Request) -> BTreeSet<String> {
    let signers = request.signatories();
    let all = signers.iter().copied().chain(receivers(request));
    all.map(|account| account_key(&account)).collect()
}

/// Returns the accounts that receive existing assets. Only such a receiver is called by the contracts.
pub(in super::super) fn receivers(request: &Request) -> Vec<Address> {
    let Request::Order(order) = request else {
        return Vec::new();
    };
    let receiver = |action: &Action| match action {
        Action::TransferAsset { receiver_id, .. } => *receiver_id,
        _ => None,
    };
    order.order.actions.iter().filter_map(receiver).collect()
}

impl Waste {
    /// Reads the gas that is counted for the accounts of requests.
    pub(in super::super) async fn read(
        ctx: &Context<'_>,
        requests: impl IntoIterator<Item = &Request>,
    ) -> Result<Self, LedgerError> {
        #[derive(Deserialize)]
        struct Row {
            key: String,
            failed: Option<u64>,
            open: Option<u64>,
            transactions: u64,
        }
        let keys: BTreeSet<String> = requests.into_iter().flat_map(keys).collect();
        // 2 is the status Processing. A later status shows the transaction's effect.
        let select = Statement::new(
            "SELECT k.value AS key, \
             (SELECT sum(g.gas) FROM relay_gas g WHERE g.key = k.value AND g.failed = 1 AND g.since > ?2) AS failed, \
             sum(o.gas) AS open, count(o.gas) AS transactions FROM json_each(?1) k \
             LEFT JOIN relay_gas o ON o.key = k.value AND o.failed = 0 \
             AND EXISTS (SELECT 1 FROM records r WHERE r.ref = o.ref AND r.status = 2) GROUP BY k.value",
        );
        let select = select
            .bind_json(&keys)?
            .bind(ctx.now().saturating_sub(DAY_MS));
        let rows: Vec<Row> = ctx.db().query(select).await?.all()?;
        let spent = |row: Row| {
            let (failed, open) = (row.failed.unwrap_or_default(), row.open.unwrap_or_default());
            let all = failed.saturating_add(open);
            let usual = open.checked_div(row.transactions).unwrap_or_default();
            (row.key, Spent { failed, all, usual })
        };
        Ok(Self(rows.into_iter().map(spent).collect()))
    }

    /// Returns the account for which a transaction with this gas would exceed the limit. A transaction of an account without any counted gas
    /// never exceeds it.
    pub(in super::super) fn exceeded(
        &self,
        request: &Request,
        gas: u64,
        limit: u64,
    ) -> Option<Exceeded> {
        keys(request).into_iter().find_map(|account| {
            let Spent { failed, all, .. } = self.0.get(&account).copied()?;
            let is_over = |spent: u64| spent > 0 && spent.saturating_add(gas) > limit;
            is_over(all).then_some(Exceeded {
                account,
                failed,
                is_failed: is_over(failed),
            })
        })
    }

    /// Returns true if no transaction of the request's accounts fits into the limit.
    pub(super) fn is_used_up(&self, request: &Request, limit: u64) -> bool {
        let exceeded = self.exceeded(request, LEAST, limit);
        exceeded.is_some_and(|exceeded| exceeded.is_failed)
    }

    /// Returns true if a transaction with the usual gas of the request's accounts fits into the limit, and counts this gas. The real gas is known
    /// only after the simulation, which would be for nothing if the request has to wait anyway.
    pub(super) fn takes(&mut self, request: &Request, limit: u64) -> bool {
        let keys = keys(request);
        let usual = keys.iter().filter_map(|key| self.0.get(key));
        let gas = usual.map(|spent| spent.usual).max().unwrap_or_default();
        let gas = gas.max(LEAST);
        let fits = self.exceeded(request, gas, limit).is_none();
        if fits {
            self.count(keys, gas);
        }
        fits
    }

    fn count(&mut self, keys: BTreeSet<String>, gas: u64) {
        for key in keys {
            let spent = self.0.entry(key).or_default();
            spent.all = spent.all.saturating_add(gas);
        }
    }

    /// Counts a transaction that is signed now. Returns the statement that stores its gas.
    pub(super) fn add(
        &mut self,
        ctx: &Context<'_>,
        (request, reference): (&Request, &str),
        gas: u64,
    ) -> Result<Statement, LedgerError> {
        let keys = keys(request);
        self.count(keys.clone(), gas);
        let insert = Statement::new(
            "INSERT INTO relay_gas (key, ref, gas, since) SELECT value, ?2, ?3, ?4 FROM json_each(?1) WHERE true \
             ON CONFLICT (key, ref) DO UPDATE SET gas = excluded.gas, since = excluded.since, failed = 0",
        );
        let insert = insert.bind_json(&keys)?.bind(reference);
        Ok(insert.bind(gas).bind(ctx.now()))
    }
}

/// Returns statements that count the used gas of a failed transaction. Receivers without code are not counted, because they cannot make a
/// transaction fail.
pub(super) async fn count_failed(
    evm: &Evm,
    ctx: &Context<'_>,
    (request, reference): (&Request, &str),
    gas: u64,
) -> Result<Vec<Statement>, LedgerError> {
    let mut receivers: Vec<Address> = receivers(request);
    receivers.sort_unstable();
    receivers.dedup();
    let codes: Vec<Ask> = receivers.iter().copied().map(Ask::code).collect();
    let codes = match codes.is_empty() {
        true => Vec::new(),
        false => evm.rpc(ctx).ask(&codes).await?,
    };
    let mut keys: BTreeSet<String> = request.signatories().iter().map(account_key).collect();
    keys.insert(ALL.to_owned());
    for (receiver, code) in receivers.iter().zip(codes) {
        // The code of a contract that an answer must not contain is cut, and then counts as none. Such a contract is larger than chains allow.
        if !data(&code.value()?)?.is_empty() {
            keys.insert(account_key(receiver));
        }
    }
    let insert = Statement::new(
        "INSERT INTO relay_gas (key, ref, gas, since, failed) SELECT value, ?2, ?3, ?4, 1 FROM json_each(?1)",
    );
    Ok(vec![
        forget(reference),
        insert
            .bind_json(&keys)?
            .bind(reference)
            .bind(gas)
            .bind(ctx.now()),
    ])
}

/// Returns a statement that forgets the gas of a request whose transactions did not fail.
pub(super) fn forget(reference: &str) -> Statement {
    Statement::new("DELETE FROM relay_gas WHERE ref = ?1").bind(reference)
}

/// Returns a statement that forgets the transactions that failed more than a day ago.
pub(super) fn forget_old(ctx: &Context<'_>) -> Statement {
    Statement::new("DELETE FROM relay_gas WHERE failed = 1 AND since <= ?1")
        .bind(ctx.now().saturating_sub(DAY_MS))
}
