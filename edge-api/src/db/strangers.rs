//! Bounds what accounts without tokens and abilities ("strangers") may store per day. Such accounts cost nothing to make, so a bound for
//! each would be none: all of them share a budget of bytes, and those of one client address share a smaller one. Members, accounts with
//! tokens or an ability on some ledger, are not counted.
//!
//! A batch is measured by the bytes that it binds and those that its statements declare, and pays in its own transaction: a batch beyond
//! the budget does not commit ([`DatabaseError::Budget`]).

use alloy_primitives::keccak256;
use order_core::Address;

use super::established;
use crate::context::Context;
use crate::network::network_key;
use crate::ports::{DatabaseError, Param, Statement};
use crate::text::{account_key, day_of, hash_key};

/// Bytes of a day for one kind of change: of all strangers together, and of those of each client address.
#[derive(Clone, Copy)]
pub(crate) struct Budget {
    name: &'static str,
    all: u64,
    address: u64,
}

/// Requests that wait for somebody, webhooks, and whatever has no budget of its own.
pub(crate) const WORK: Budget = Budget {
    name: "all",
    all: 100_000_000,
    address: 10_000_000,
};
/// Information and deposits, which make a member of a stranger: whoever uses up another budget keeps nobody from paying.
pub(crate) const ENTRANCE: Budget = Budget {
    name: "entrance",
    all: 30_000_000,
    address: 1_000_000,
};
/// Signatures and cancellations: the orders of members wait for them.
pub(crate) const SIGNING: Budget = Budget {
    name: "signing",
    all: 20_000_000,
    address: 2_000_000,
};
/// Requests that are performed, whose records are never given back.
pub(crate) const LASTING: Budget = Budget {
    name: "lasting",
    all: 20_000_000,
    address: 1_000_000,
};
/// Bytes a day of the log of strangers' requests. A request beyond it is not logged.
const LOG_BYTES: u64 = 20_000_000;
/// Bytes that a statement stores beside what it binds: a row's head, and its places in indexes.
const STATEMENT_BYTES: u64 = 100;
/// Bytes of a bound number.
const NUMBER_BYTES: u64 = 8;

/// Counts a batch of account `?1` on day `?2`, and aborts it beyond the budgets `?3`: pairs of a source and its bytes.
macro_rules! sql {
    ($($established:expr),*) => {
        [
            concat!(
                "INSERT INTO stranger_days (day, source, bytes) SELECT ?2, value ->> 0, ?4 FROM json_each(?3) WHERE NOT ",
                $($established,)*
                " ON CONFLICT (day, source) DO UPDATE SET bytes = bytes + excluded.bytes"
            ),
            concat!(
                "INSERT INTO stranger_guards SELECT 0 WHERE EXISTS (SELECT 1 FROM json_each(?3) b CROSS JOIN stranger_days d \
                 WHERE d.day = ?2 AND d.source = b.value ->> 0 AND d.bytes > b.value ->> 1) AND NOT ",
                $($established,)*
            ),
        ]
    };
}

/// The first statements of a batch, by which a stranger pays for the rest; for others they do nothing.
pub(crate) fn pay(
    ctx: &Context<'_>,
    account: &Address,
    budget: Budget,
    batch: &[Statement],
) -> Result<[Statement; 2], DatabaseError> {
    let mut budgets = vec![(budget.name.to_owned(), budget.all)];
    if let Some(address) = &ctx.client_address {
        budgets.push((source(ctx, &budget, address), budget.address));
    }
    let sql = sql!(established!());
    statements(sql, ctx.now(), account, bytes(batch), &budgets)
}

/// The same for a batch that writes the log, which has nothing to write for an account without a row.
pub(crate) fn pay_log(
    now: u64,
    account: &Address,
    batch: &[Statement],
) -> Result<[Statement; 2], DatabaseError> {
    let budgets = [("log".to_owned(), LOG_BYTES)];
    let sql = sql!(
        established!(),
        " AND EXISTS (SELECT 1 FROM accounts WHERE id = ?1)"
    );
    statements(sql, now, account, bytes(batch), &budgets)
}

/// A client address as the sums name it: one of another day or service is another text.
fn source(ctx: &Context<'_>, budget: &Budget, address: &str) -> String {
    let text = format!(
        "{} {} {} {}",
        budget.name,
        ctx.config().authorization.text(),
        day_of(ctx.now()),
        network_key(address)
    );
    hash_key(&keccak256(text))
}

fn bytes(batch: &[Statement]) -> u64 {
    let of_param = |param: &Param| match param {
        Param::Null => 0,
        Param::Integer(_) => NUMBER_BYTES,
        Param::Text(text) => u64::try_from(text.len()).unwrap_or(u64::MAX),
    };
    batch
        .iter()
        .flat_map(|statement| &statement.params)
        .map(of_param)
        .chain(
            batch
                .iter()
                .map(|statement| STATEMENT_BYTES.saturating_add(statement.more_bytes)),
        )
        .fold(0, u64::saturating_add)
}

fn statements(
    [count, guard]: [&'static str; 2],
    now: u64,
    account: &Address,
    bytes: u64,
    budgets: &[(String, u64)],
) -> Result<[Statement; 2], DatabaseError> {
    let bound = |sql| {
        Statement::new(sql)
            .bind(account_key(account))
            .bind(day_of(now))
            .bind_json(&budgets)
    };
    Ok([bound(count)?.bind(bytes), bound(guard)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_as_large_as_what_it_binds() {
        let statement = Statement::new("")
            .bind("12345")
            .bind(7_u32)
            .bind(None::<&str>);
        assert_eq!(bytes(&[]), 0);
        assert_eq!(bytes(std::slice::from_ref(&statement)), 113);
        assert_eq!(bytes(&[statement.clone(), statement]), 226);
    }
}
