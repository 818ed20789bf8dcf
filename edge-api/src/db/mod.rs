//! The database as the service uses it: what is decided is committed in one place, lists are built in one place, and rows
//! are read in one way.

mod decision;
mod list;
mod page;
pub(crate) mod quota;
pub(crate) mod retention;
pub(crate) mod rows;
pub(crate) mod storage;

pub(crate) use decision::{Decision, commit, decide_and_commit};
pub(crate) use list::{List, TOTAL_MAX};
pub(crate) use page::{Bounds, Page, Period, Sort};

/// A condition on account `?1`, or on the account in a column: it is funded, that is, it has tokens or an ability on some ledger. An
/// account with neither costs nothing to make.
macro_rules! funded {
    () => {
        $crate::db::funded!("?1")
    };
    ($account:literal) => {
        concat!(
            "(EXISTS (SELECT 1 FROM balances WHERE account_id = ",
            $account,
            " AND amount <> printf('%064d', 0)) OR EXISTS (SELECT 1 FROM abilities WHERE account_id = ",
            $account,
            "))"
        )
    };
}
pub(crate) use funded;
