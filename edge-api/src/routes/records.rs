//! What the routes of orders, deployments and approvals share.

use order_core::Address;
use serde_json::Value;

use crate::app::{Call, Input};
use crate::http::{Failure, Success};
use crate::records::{self, Kind, Lookup, Record};

/// A page of the caller's records: `skip`, `limit`, `after`, `sort`, `filterIds`, `statuses`.
pub(super) async fn page(
    call: &Call<'_>,
    input: &Input<'_>,
    caller: Address,
    kind: Kind,
    view: impl Fn(&Record) -> Value,
) -> Result<Success, Failure> {
    let lookup = input.query.read(|query, errors| Lookup {
        kind,
        account: caller,
        page: query.page(errors),
        references: query.list("filterIds", errors),
        statuses: query.statuses(errors),
    })?;
    let found = records::list(call.db(), &lookup).await?;
    lookup
        .page
        .answer(found, |record| record.reference.clone(), view)
}
