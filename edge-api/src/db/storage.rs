//! Bounds the bytes that accounts may store per day. Three kinds of accounts have different quotas:
//!
//! - A **funded account** has tokens, or an ability on some ledger. It has its own daily quota ([`ACCOUNT_BYTES`]).
//! - A **holder** owns an asset and is not funded. All holders share one quota.
//! - Any other account is **unfunded**. Unfunded accounts cost nothing to create, so a quota for each account would be no
//!   limit. All unfunded accounts share one quota for each kind of change.
//!
//! Each client network and each provider network ([`Client`]) may use only a part of a shared quota. Once others have used
//! half of the quota, the network may use only a fraction of the rest. So only hundreds of client networks together can use up a
//! quota.
//! `docs/decisions/0022-quotas-for-unfunded-accounts.md` has the figures.
//!
//! A statement may declare its exact size. Otherwise, its size is the bytes of its parameters, [`STATEMENT_BYTES`], and any
//! additional bytes that it declares. The size of a batch is the sum of its statements' sizes. The batch's own transaction
//! counts this size. If the payer's quota is then exceeded, a guard aborts the batch ([`DatabaseError::SharedQuota`],
//! [`DatabaseError::AccountQuota`]).

use order_core::Address;

use super::funded;
use super::quota::{Period, Quota, count_quotas, quota_limit, quota_sums};
use crate::context::Context;
use crate::network::Client;
use crate::ports::{DatabaseError, Param, Statement, Stored};
use crate::text::account_key;

/// Bytes per day that accounts share, in total and for each client network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Budget {
    name: &'static str,
    total: u64,
    network: u64,
}

/// Requests that wait for a signature, webhooks, and any change without its own budget.
pub(crate) const WORK: Budget = Budget {
    name: "unfunded:work",
    total: 80_000_000,
    network: 10_000_000,
};
/// Account information, an account's setting for the signed header, and deposits. They have their own budget, so exhausting
/// another budget cannot block new customers.
pub(crate) const ENTRANCE: Budget = Budget {
    name: "unfunded:entrance",
    total: 30_000_000,
    network: 1_000_000,
};
/// Signing in. Without this separate budget, a flood of sign-ins could block deposits, and a flood of deposits could block
/// sign-ins.
pub(crate) const SESSIONS: Budget = Budget {
    name: "unfunded:sessions",
    total: 20_000_000,
    network: 1_000_000,
};
/// Signatures on orders that no funded account has created or signed.
pub(crate) const SIGNING: Budget = Budget {
    name: "unfunded:signing",
    total: 20_000_000,
    network: 2_000_000,
};
/// Performed requests and reasons for withdrawals. They are stored forever.
pub(crate) const LASTING: Budget = Budget {
    name: "unfunded:lasting",
    total: 20_000_000,
    network: 1_000_000,
};
/// The request log. Requests beyond this budget are not logged.
const LOG: Budget = Budget {
    name: "unfunded:log",
    total: 20_000_000,
    network: 1_000_000,
};
/// All changes that holders make. The log lines of their requests count in [`LOG`] instead.
const HOLDERS: Budget = Budget {
    name: "holders",
    total: 20_000_000,
    network: 1_000_000,
};

/// The budgets that accounts share.
pub(crate) const SHARED: [Budget; 7] = [WORK, ENTRANCE, SESSIONS, SIGNING, LASTING, LOG, HOLDERS];

/// Bytes that a funded account may store in a day, including the log of its requests.
pub(crate) const ACCOUNT_BYTES: u64 = 1 << 28;

/// A provider network may use a quarter of a budget: the total divided by this number.
const PROVIDER_PART: u64 = 4;
/// Once others have used half of a budget, a client network may use 1/200 of the rest.
const NETWORK_DIVISOR: u64 = 200;
/// Once others have used half of a budget, a provider network may use 1/20 of the rest.
const PROVIDER_DIVISOR: u64 = 20;

/// Bytes counted for a row's header and index entries, for each statement that does not declare its exact size.
const STATEMENT_BYTES: u64 = 100;
/// Bytes counted for a numeric parameter.
const NUMBER_BYTES: u64 = 8;

/// The quota that pays for a transaction.
#[derive(Clone, Debug)]
pub(crate) struct Payment {
    budget: Budget,
    /// Accounts that may pay if the caller is not funded, such as an order's creator and signatories. The first funded account
    /// pays.
    sponsors: Vec<Address>,
    /// Bytes to count in a shared quota in addition to the bytes of the statements.
    more_bytes: u64,
}

impl From<Budget> for Payment {
    fn from(budget: Budget) -> Self {
        Self {
            budget,
            sponsors: Vec::new(),
            more_bytes: 0,
        }
    }
}

impl Payment {
    /// Lets the first funded account among these pay if the caller is not funded.
    pub(crate) fn sponsored_by(self, sponsors: Vec<Address>) -> Self {
        Self { sponsors, ..self }
    }

    /// Counts additional bytes if a shared quota pays. A funded account's own quota does not count these bytes again.
    pub(crate) fn with_more(self, more_bytes: u64) -> Self {
        Self { more_bytes, ..self }
    }
}

/// SQL expression for the payer: the first funded account in the JSON list `?2`, whose first entry is the caller. If no account
/// is funded, the payer is `holder` if the caller owns an asset, otherwise `unfunded`.
macro_rules! payer {
    () => {
        concat!(
            "coalesce((SELECT k.value FROM json_each(?2) k WHERE ",
            funded!("k.value"),
            " LIMIT 1), \
             CASE WHEN EXISTS (SELECT 1 FROM assets WHERE owner_id = ?2 ->> 0) THEN 'holder' ELSE 'unfunded' END)"
        )
    };
}

/// Like `payer!`, for the request log. Only the caller can pay, and holders count as unfunded.
macro_rules! log_payer {
    () => {
        concat!("iif(", funded!("?2 ->> 0"), ", ?2 ->> 0, 'unfunded')")
    };
}

/// The SQL of two statements: the first counts a batch, and the second aborts the batch if a limit is exceeded. Both have an effect only
/// if `$condition` holds.
macro_rules! sql {
    ($payer:expr, $condition:literal) => {
        [
            count_quotas!("e.value ->> 'payer' = ", $payer, $condition),
            concat!(
                "INSERT INTO quota_guards SELECT CASE WHEN e.value ->> 'payer' IN ('holder', 'unfunded') THEN 'shared' ELSE 'account' END FROM ",
                quota_sums!("?1"),
                " WHERE q.used > ",
                quota_limit!(),
                " AND e.value ->> 'payer' = ",
                $payer,
                $condition
            ),
        ]
    };
}

/// Returns the first statements of a batch. They count the batch in the payer's quota, and abort the batch if the quota is
/// exceeded.
pub(crate) fn pay(
    ctx: &Context<'_>,
    account: &Address,
    payment: &Payment,
    batch: &[Statement],
) -> Result<[Statement; 2], DatabaseError> {
    statements(
        sql!(payer!(), ""),
        ctx.now(),
        ctx.client(),
        account,
        (
            payment,
            &[(payment.budget, "unfunded"), (HOLDERS, "holder")],
        ),
        batch,
    )
}

/// Like [`pay`], for a batch that writes the request log. Counts nothing for an account without a row in `accounts`,
/// because the log does not store its requests.
pub(crate) fn pay_log(
    now: u64,
    client: Option<&Client>,
    account: &Address,
    batch: &[Statement],
) -> Result<[Statement; 2], DatabaseError> {
    let sql = sql!(
        log_payer!(),
        " AND EXISTS (SELECT 1 FROM accounts WHERE id = ?2 ->> 0)"
    );
    let budgets = [(LOG, "unfunded")];
    statements(sql, now, client, account, (&LOG.into(), &budgets), batch)
}

fn statements(
    [count, guard]: [&'static str; 2],
    now: u64,
    client: Option<&Client>,
    account: &Address,
    (payment, shared_budgets): (&Payment, &[(Budget, &str)]),
    batch: &[Statement],
) -> Result<[Statement; 2], DatabaseError> {
    let bytes = bytes(batch);
    let mut accounts: Vec<String> = Vec::new();
    for account in [account].into_iter().chain(&payment.sponsors) {
        let key = account_key(account);
        if !accounts.contains(&key) {
            accounts.push(key);
        }
    }
    let of_account = |account: &String| {
        Quota::new(
            account_quota(account),
            Period::Day,
            now,
            ACCOUNT_BYTES,
            bytes,
        )
        .paid_by(account.as_str())
    };
    let mut quotas: Vec<Quota> = accounts.iter().map(of_account).collect();
    let shared = bytes.saturating_add(payment.more_bytes);
    for (budget, payer) in shared_budgets {
        quotas.extend(budget.quotas(now, client, shared, payer));
    }
    let bound = |sql| Statement::new(sql).bind_json(&quotas)?.bind_json(&accounts);
    Ok([bound(count)?, bound(guard)?])
}

/// Returns the key of a funded account's quota.
pub(crate) fn account_quota(account: &str) -> String {
    format!("account:{account}")
}

impl Budget {
    /// Returns the key of the budget's quota.
    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the budget's bytes per day.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Returns the budget's own quota, and the shares of the client's network and provider.
    fn quotas(&self, now: u64, client: Option<&Client>, bytes: u64, payer: &str) -> Vec<Quota> {
        let total =
            Quota::new(self.name.to_owned(), Period::Day, now, self.total, bytes).paid_by(payer);
        let share = |of: &str, key: &str, limit, divisor| {
            total.share(format!("{}:{of}:{key}", self.name), limit, divisor)
        };
        let shares = client.map(|client| {
            let provider_limit = self.total.div_euclid(PROVIDER_PART);
            [
                share("network", &client.network, self.network, NETWORK_DIVISOR),
                share(
                    "provider",
                    &client.provider,
                    provider_limit,
                    PROVIDER_DIVISOR,
                ),
            ]
        });
        let shares: Vec<Quota> = shares.into_iter().flatten().collect();
        [total].into_iter().chain(shares).collect()
    }
}

/// Returns the number of bytes that a batch stores.
fn bytes(batch: &[Statement]) -> u64 {
    let of_param = |param: &Param| match param {
        Param::Null => 0,
        Param::Integer(_) => NUMBER_BYTES,
        Param::Text(text) => u64::try_from(text.len()).unwrap_or(u64::MAX),
    };
    let of_statement = |statement: &Statement| match statement.stored {
        Stored::Bound { more } => statement
            .params
            .iter()
            .map(of_param)
            .chain([STATEMENT_BYTES, more])
            .fold(0, u64::saturating_add),
        Stored::Exactly(bytes) => bytes,
    };
    batch.iter().map(of_statement).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_counts_bound_and_declared_bytes() {
        let statement = Statement::new("")
            .bind("12345")
            .bind(7_u32)
            .bind(None::<&str>);
        assert_eq!(bytes(&[]), 0);
        assert_eq!(bytes(std::slice::from_ref(&statement)), 113);
        assert_eq!(bytes(&[statement.clone(), statement.clone()]), 226);
        assert_eq!(bytes(&[statement.clone().storing(7)]), 120);
        assert_eq!(bytes(&[statement.storing_exactly(5)]), 5);
    }
}
