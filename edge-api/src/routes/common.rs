//! Parameters and parts of answers that several resources have.

use crate::api::{ChainBlock, StateMeta, Timestamp};
use crate::db::{Page, Period};
use crate::ledger::AsOf;
use crate::web::query;

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
