//! Parameters and parts of answers that several resources have.

use order_core::Address;

use crate::api::{ChainBlock, StateMeta, Timestamp};
use crate::db::{Page, Period};
use crate::failure::{Failure, invalid};
use crate::ledger::AsOf;
use crate::text::account_key;
use crate::web::{Filter, query};

query! {
    /// The parameters of lists of a period.
    pub(super) struct PeriodQuery {
        ..page: Page,
        ..period: Period,
    }
}

/// Returns the `meta` of an answer that shows the ledger's state at a block or time.
pub(super) fn state_meta(as_of: AsOf) -> StateMeta {
    let (block, as_of) = match as_of {
        AsOf::Commit => (None, None),
        AsOf::Block { number, is_final } => (Some(ChainBlock { number, is_final }), None),
        AsOf::Time(at) => (None, Some(Timestamp(at))),
    };
    StateMeta { block, as_of }
}

/// Maximum number of items to skip in a list merged from several ledgers. The database reads skipped rows of every ledger.
const SKIP_MAX: u32 = 500;

/// Checks the bounds of a page of a list merged from several ledgers, and that a filter names at most `most` ledgers.
///
/// # Errors
/// All values beyond their bounds.
pub(super) fn check_merged(
    page: &Page,
    ledgers: Option<&Vec<String>>,
    most: u32,
) -> Result<(), Failure> {
    let mut errors = Vec::new();
    if page.skip > SKIP_MAX {
        let why = format!(
            "`skip` must be {SKIP_MAX} or less: to go further, set `after` to `meta.next` of the previous page"
        );
        errors.push(invalid("skip", why));
    }
    let allowed = usize::try_from(most).unwrap_or(usize::MAX);
    if ledgers.is_some_and(|ledgers| ledgers.len() > allowed) {
        let why = format!("`ledgerRefs` must have {most} values or fewer");
        errors.push(invalid("ledgerRefs", why));
    }
    if errors.is_empty() {
        Ok(())
    } else {
        Err(Failure::new(errors))
    }
}

/// Returns the database key of the account that a filter names. An empty key matches nothing.
pub(super) fn account_of(filter: Filter<Address>) -> Option<String> {
    match filter {
        Filter::All => None,
        Filter::Only(account) => Some(account_key(&account)),
        Filter::Nothing => Some(String::new()),
    }
}
