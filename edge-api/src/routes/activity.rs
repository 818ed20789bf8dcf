//! `/activity`: what happened in an account and on the ledgers that it manages.

use order_core::Address;

use super::common::{account_of, check_merged};
use crate::activity::{self, ActivityLookup, Event, LEDGERS_MAX};
use crate::api::{self, ActivityKind};
use crate::db::{Page, Period};
use crate::web::{Handled, Ids, Input, Matching, Named, Names, Route, private, query, with_meta};

impl Named for ActivityKind {
    const ALL: &'static [Self] = &Self::ALL;

    fn name(&self) -> &str {
        match self {
            Self::Issued => "issued",
            Self::Withdrawn => "withdrawn",
            Self::AbilitiesSet => "abilitiesSet",
            Self::DomainSet => "domainSet",
            Self::DomainRemoved => "domainRemoved",
            Self::KeyCreated => "keyCreated",
            Self::KeyRevoked => "keyRevoked",
            Self::Replaced => "replaced",
        }
    }
}

query! {
    /// The parameters of the list of activity.
    pub(super) struct ActivityQuery {
        ..page: Page,
        /// Only events of these kinds.
        kinds ("kinds"): Names<ActivityKind>,
        /// Only events that this account caused.
        by ("accountId"): Matching<Address>,
        /// Only events of ledgers with one of these references, at most 50. Events without a ledger are then left out.
        ledgers ("ledgerRefs"): Ids<String>,
        ..period: Period,
    }
}

pub(super) const ROUTES: &[Route] = &[Route::get("/activity", private!(Account, list))
    .query::<ActivityQuery>()
    .served_by_copies()
    .lists::<api::Activity>("getActivity", "List what happened")
    .details(
        "Lists the events of the caller's own settings, and of the ledgers on which the \
             caller has ability 1 or 2 (manage abilities): who issued, replaced, withdrew, gave \
             abilities, or set a domain. The first 50 such ledgers by reference are listed. Another account \
             can give the caller such an ability on its own ledger, so the list can contain \
             events of strangers: choose ledgers with `ledgerRefs`. Nobody sees another \
             account's API keys. Events of domains and keys are kept for 400 days, and the last \
             replacements of each asset. `skip` is at \
             most 500. `meta.total` can be a minimum. With a filter, a page can have fewer items \
             than its limit although the list continues.",
    )];

/// GET /activity
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let query: ActivityQuery = input.query.parsed()?;
    check_merged(&query.page, query.ledgers.as_ref(), LEDGERS_MAX)?;
    let lookup = ActivityLookup {
        account: caller,
        kinds: query.kinds,
        by: account_of(query.by),
        ledgers: query.ledgers,
        period: query.period,
        page: query.page,
    };
    let mut found = activity::activity(input.ctx.db(), &lookup).await?;
    let page = &lookup.page;
    let meta = page.finish(&mut found.events, found.total, false, Event::cursor_key);
    let meta = page.continue_after_scan(meta, found.end, found.counted_all);
    let events = found.events.iter().filter_map(Event::view);
    with_meta(events.collect::<Vec<_>>(), meta)
}
