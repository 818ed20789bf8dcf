//! What the routes of orders, deployments and approvals share.

use order_core::Address;
use serde_json::Value;

use crate::app::{Call, Input};
use crate::http::{Failure, Success, checked};
use crate::records::{self, Kind, Lookup, Record};

/// A page of the caller's records: `skip`, `limit`, `after`, `sort`, `filterIds`, `statuses`.
pub(super) async fn page(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
    kind: Kind,
    view: impl Fn(&Record) -> Value,
) -> Result<Success, Failure> {
    let mut errors = Vec::new();
    let lookup = Lookup {
        kind,
        account: caller,
        page: input.query.page(&mut errors),
        references: input.query.list("filterIds", &mut errors),
        statuses: input.query.statuses(&mut errors),
    };
    checked(errors)?;
    let (mut records, total) = records::list(call.db(), &lookup).await?;
    let meta = lookup.page.finish(&mut records, total, false, |record| {
        record.reference.clone()
    });
    Success::list(records.iter().map(view).collect::<Vec<_>>(), meta)
}
