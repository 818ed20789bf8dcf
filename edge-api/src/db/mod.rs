//! The service's access to the database: committing decisions, building lists, reading rows, and counting quotas.

mod decision;
mod list;
mod page;
pub(crate) mod quota;
pub(crate) mod retention;
pub(crate) mod rows;
mod sql;
pub(crate) mod storage;

pub(crate) use decision::{Decision, commit, decide_and_commit, run};
pub(crate) use list::{List, TOTAL_MAX};
pub(crate) use page::{Bounds, Page, Period, Sort};
pub(crate) use sql::Values;

/// SQL condition that an account is funded: it has tokens, or an ability on some ledger. The account is `?1`, or the given SQL
/// expression.
macro_rules! funded {
    () => {
        $crate::db::funded!("?1")
    };
    ($account:literal) => {
        const_format::concatcp!(
            "(EXISTS (SELECT 1 FROM balances WHERE account_id = ",
            $account,
            " AND amount <> printf('%064d', 0)) OR EXISTS (SELECT 1 FROM abilities WHERE account_id = ",
            $account,
            "))"
        )
    };
}
pub(crate) use funded;
