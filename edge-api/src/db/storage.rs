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

use const_format::concatcp;
use order_core::Address;
use serde::Serialize;

use super::funded;
use super::quota::{Period, QUOTA_LIMIT, Quota, count_quotas, quota_sums};
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

/// Short links, which visitors without an account create. They are kept for at most 30 days.
pub(crate) const LINKS: Budget = Budget {
    name: "links",
    total: 20_000_000,
    network: 200_000,
};

/// Requests for admission. Each is kept for at most 90 days, and people read all of them.
pub(crate) const ADMISSIONS: Budget = Budget {
    name: "unfunded:admissions",
    total: 300_000,
    network: 20_000,
};

/// The budgets that accounts and visitors share.
pub(crate) const SHARED: [Budget; 9] = [
    WORK, ENTRANCE, SESSIONS, SIGNING, LASTING, LOG, HOLDERS, LINKS, ADMISSIONS,
];

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

/// SQL expression for the payer's quotas in `?1`, a [`Payers`]. The payer is the first funded account. If no account is funded, the
/// holders' quotas pay for a caller that owns an asset, and the unfunded accounts' quotas pay for any other caller.
const OF_PAYER: &str = concatcp!(
    "coalesce((SELECT k.value -> 'own' FROM json_each(?1, '$.accounts') k WHERE ",
    funded!("k.value ->> 'account'"),
    " LIMIT 1), CASE WHEN EXISTS (SELECT 1 FROM assets WHERE owner_id = ?1 ->> '$.accounts[0].account') \
     THEN ?1 -> 'holder' ELSE ?1 -> 'unfunded' END)"
);

/// SQL for the shares `g` of the request log in the JSON list `?1`.
const LOG_SHARES: &str = "json_each(?1) g CROSS JOIN ";

/// SQL expression for the quotas of a share. A funded account has its own quota. All other accounts share quotas. Only the caller can pay,
/// and holders count as unfunded. An unfunded account without a row has no quotas, because the log does not store its requests.
const OF_SHARE: &str = concatcp!(
    "CASE WHEN ",
    funded!("g.value ->> 'account'"),
    " THEN g.value -> 'own' WHEN EXISTS (SELECT 1 FROM accounts WHERE id = g.value ->> 'account') THEN g.value -> 'shared' END"
);

/// SQL that adds the amounts of the quotas in the JSON list `$quotas`. `$before` is SQL before the list in `FROM`.
macro_rules! count {
    ($before:expr, $quotas:expr) => {
        count_quotas!(from const_format::concatcp!($before, "json_each(", $quotas, ") e"); "true")
    };
}

/// SQL that aborts the batch if one of the quotas in the JSON list `$quotas` is exceeded.
macro_rules! guard {
    ($before:expr, $quotas:expr) => {
        const_format::concatcp!(
            "INSERT INTO quota_guards SELECT CASE WHEN q.key GLOB '",
            OWN_QUOTA,
            "*' THEN 'account' ELSE 'shared' END FROM ",
            $before,
            quota_sums!($quotas),
            " WHERE q.used > ",
            QUOTA_LIMIT
        )
    };
}

/// An account that may pay.
#[derive(Serialize)]
struct Payer<'a> {
    account: &'a str,
    /// Its quota, if it is funded.
    own: [Quota; 1],
}

/// The quotas of all accounts that may pay. SQL selects the payer's quotas.
#[derive(Serialize)]
struct Payers<'a> {
    /// The caller, and then the sponsors.
    accounts: Vec<Payer<'a>>,
    holder: Vec<Quota>,
    unfunded: Vec<Quota>,
}

/// Returns the first statements of a batch. They count the batch in the payer's quota, and abort the batch if the quota is
/// exceeded.
pub(crate) fn pay(
    ctx: &Context<'_>,
    account: &Address,
    payment: &Payment,
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
    let now = ctx.now();
    let payers = accounts.iter().map(|account| Payer {
        account,
        own: [own_quota(account, now, bytes)],
    });
    let shared = bytes.saturating_add(payment.more_bytes);
    let payers = Payers {
        accounts: payers.collect(),
        holder: HOLDERS.quotas(now, ctx.client(), shared),
        unfunded: payment.budget.quotas(now, ctx.client(), shared),
    };
    let bound = |sql| Statement::new(sql).bind_json(&payers);
    Ok([bound(count!("", OF_PAYER))?, bound(guard!("", OF_PAYER))?])
}

/// Returns a batch that counts itself in a budget, and aborts if the budget is exceeded. For changes that no account makes.
pub(crate) fn pay_without_account(
    ctx: &Context<'_>,
    budget: Budget,
    batch: Vec<Statement>,
) -> Result<Vec<Statement>, DatabaseError> {
    let quotas = budget.quotas(ctx.now(), ctx.client(), bytes(&batch));
    let bound = |sql| Statement::new(sql).bind_json(&quotas);
    let payment = [bound(count!("", "?1"))?, bound(guard!("", "?1"))?];
    Ok(payment.into_iter().chain(batch).collect())
}

/// A part of a batch that writes the request log: the lines of an account whose requests come from one network.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LogShare<'a> {
    pub(crate) account: &'a str,
    pub(crate) client: Option<&'a Client>,
    /// The time of the first line, in milliseconds since 1970.
    pub(crate) now: u64,
    pub(crate) bytes: u64,
}

/// The quotas of a share, if its account is funded and otherwise.
#[derive(Serialize)]
struct LogQuotas<'a> {
    account: &'a str,
    own: [Quota; 1],
    shared: Vec<Quota>,
}

/// Like [`pay`], for a batch that writes the request log. Counts nothing for an unfunded account without a row in `accounts`.
pub(crate) fn pay_log<'a>(shares: &[LogShare<'a>]) -> Result<[Statement; 2], DatabaseError> {
    let quotas = |share: &LogShare<'a>| LogQuotas {
        account: share.account,
        own: [own_quota(share.account, share.now, share.bytes)],
        shared: LOG.quotas(share.now, share.client, share.bytes),
    };
    let shares: Vec<LogQuotas<'_>> = shares.iter().map(quotas).collect();
    let bound = |sql| Statement::new(sql).bind_json(&shares);
    Ok([
        bound(count!(LOG_SHARES, OF_SHARE))?,
        bound(guard!(LOG_SHARES, OF_SHARE))?,
    ])
}

/// The prefix of the keys of funded accounts' quotas.
const OWN_QUOTA: &str = "account:";

/// Returns the quota of a funded account.
fn own_quota(account: &str, now: u64, bytes: u64) -> Quota {
    let key = account_quota(account);
    Quota::new(key, Period::Day, now, ACCOUNT_BYTES, bytes)
}

/// Returns the key of a funded account's quota.
pub(crate) fn account_quota(account: &str) -> String {
    format!("{OWN_QUOTA}{account}")
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
    fn quotas(&self, now: u64, client: Option<&Client>, bytes: u64) -> Vec<Quota> {
        let total = Quota::new(self.name.to_owned(), Period::Day, now, self.total, bytes);
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
