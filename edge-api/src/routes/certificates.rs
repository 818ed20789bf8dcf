//! `/certificates`: the assets of all registers of an account (`docs/interface.md`, "Additions").

use order_core::{Address, AssetId};

use super::common::{account_of, check_merged};
use crate::api::{self, CertificateStatus};
use crate::db::{Page, Period};
use crate::ledger::projection::{
    self, CertificateLookup, CertificateRow, CountsLookup, LEDGERS_MAX,
};
use crate::web::{Handled, Ids, Input, Matching, Named, Names, Route, private, query, with_meta};

impl Named for CertificateStatus {
    const ALL: &'static [Self] = &[Self::InForce, Self::Replaced, Self::Withdrawn];

    fn name(&self) -> &str {
        match self {
            Self::InForce => "in-force",
            Self::Replaced => "replaced",
            Self::Withdrawn => "withdrawn",
        }
    }
}

query! {
    /// The parameters of the list of certificates.
    pub(super) struct CertificateQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        ids ("filterIds"): Ids<AssetId>,
        /// Only certificates of ledgers with one of these references, at most 50. Without this parameter, the list
        /// covers the caller's first 50 ledgers by reference.
        ledgers ("ledgerRefs"): Ids<String>,
        /// Only certificates whose creation this account signed.
        creator ("creatorId"): Matching<Address>,
        /// Only certificates of this owner, or withdrawn certificates whose last owner it was.
        owner ("ownerId"): Matching<Address>,
        /// Only certificates with one of these statuses.
        statuses ("status"): Names<CertificateStatus>,
        ..period: Period,
    }
}

query! {
    /// The parameters of the counts of certificates.
    pub(super) struct CountsQuery {
        ..page: Page,
        /// Only ledgers with one of these references.
        ledgers ("ledgerRefs"): Ids<String>,
    }
}

pub(super) const ROUTES: &[Route] = &[
    Route::get("/certificates", private!(Read, list))
        .query::<CertificateQuery>()
        .served_by_copies()
        .lists::<api::Certificate>("getCertificates", "List the certificates of all ledgers")
        .details(
            "Lists the assets of all ledgers on which the caller has an ability, the newest \
             first, including withdrawn ones. The period is that of the issue. Another account \
             can give the caller an ability on its own ledger, so the list can contain \
             certificates of strangers: choose ledgers with `ledgerRefs`. `skip` is at most \
             500. With `creatorId` or `status=in-force`, a page can have fewer items than its \
             limit although the list continues, and `meta.total` can be a minimum.",
        ),
    Route::get("/certificates/counts", private!(Read, counts))
        .query::<CountsQuery>()
        .served_by_copies()
        .lists::<api::CertificateCounts>(
            "getCertificateCounts",
            "Count certificates by ledger, month and status",
        )
        .details(
            "Lists the ledgers on which the caller has an ability, with the last 120 months in \
             which certificates were issued.",
        ),
];

/// GET /certificates
pub(super) async fn list(input: &Input<'_>, caller: Address) -> Handled {
    let query: CertificateQuery = input.query.parsed()?;
    check_merged(&query.page, query.ledgers.as_ref(), LEDGERS_MAX)?;
    let lookup = CertificateLookup {
        account: caller,
        ids: query.ids,
        ledgers: query.ledgers,
        creator: account_of(query.creator),
        owner: account_of(query.owner),
        statuses: query.statuses,
        period: query.period,
        page: query.page,
    };
    let mut found = projection::certificates(input.ctx.db(), &lookup).await?;
    let page = &lookup.page;
    let meta = page.finish(
        &mut found.rows,
        found.total,
        false,
        CertificateRow::cursor_key,
    );
    let meta = page.continue_after_scan(meta, found.end, found.counted_all);
    let rows = found.rows.iter().map(CertificateRow::view);
    with_meta(rows.collect::<Vec<_>>(), meta)
}

/// GET /certificates/counts
pub(super) async fn counts(input: &Input<'_>, caller: Address) -> Handled {
    let query: CountsQuery = input.query.parsed()?;
    let lookup = CountsLookup {
        account: caller,
        ledgers: query.ledgers,
        page: query.page,
    };
    let found = projection::certificate_counts(input.ctx.db(), &lookup).await?;
    lookup
        .page
        .answer_rows(found, |counts: &api::CertificateCounts| {
            counts.ledger_ref.0.clone()
        })
}
