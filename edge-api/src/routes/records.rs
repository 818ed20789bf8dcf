//! What the routes of orders, deployments and approvals share.

use order_core::Address;
use serde::Serialize;

use crate::app::{Call, Input};
use crate::http::{Failure, Success};
use crate::records::{self, Kind, Lookup, Record};

/// A page of the caller's records: `skip`, `limit`, `after`, `sort`, `filterIds`, `statuses`, and `roles` where the kind has several.
pub(super) async fn page<A: Serialize>(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
    kind: Kind,
    view: impl Fn(&Record) -> A,
) -> Result<Success, Failure> {
    let lookup = input.query.read(|query, errors| Lookup {
        kind,
        account: caller,
        page: query.page(errors),
        references: query.list("filterIds", errors),
        statuses: query.statuses(errors),
        roles: match kind {
            Kind::Order => query.roles(errors),
            Kind::Deployment | Kind::Approval => None,
        },
    })?;
    let (mut found, total) = records::list(call, &lookup).await?;
    let meta = lookup
        .page
        .finish(&mut found, total, false, |listed| listed.reference.clone());
    let shown = found.iter().filter_map(|listed| listed.record.as_ref());
    Success::list(shown.map(view).collect::<Vec<_>>(), meta)
}
