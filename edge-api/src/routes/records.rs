//! Code that the routes of orders, deployments and approvals share.

use order_core::{Address, Request};
use serde::Serialize;

use crate::records::{self, Created, Lookup, Record};
use crate::web::{Handled, Input, Success, with_meta};

/// Creates a record. Answers 201 with a new record, or 200 with an existing record.
pub(super) async fn create_record<A: Serialize>(
    input: &Input<'_>,
    caller: Address,
    request: Request,
    view: impl Fn(&Record) -> A,
) -> Handled {
    let created = records::create(
        input.ctx,
        input.ledger,
        caller,
        request,
        input.conflicts.get(),
    )
    .await?;
    created.answered(|created| match created {
        Created::New(record) => Success::created(view(record)),
        Created::Known(record) => Success::ok(view(record)),
    })
}

/// Answers with a page of records.
pub(super) async fn page<A: Serialize>(
    input: &Input<'_>,
    lookup: Lookup,
    view: impl Fn(&Record) -> A,
) -> Handled {
    let (mut found, total) = records::list(input.ctx, &lookup).await?;
    let key = |listed: &records::Listed| listed.reference.clone();
    let meta = lookup.page.finish(&mut found, total, false, key);
    let shown = found.iter().filter_map(|listed| listed.record.as_ref());
    with_meta(shown.map(view).collect::<Vec<_>>(), meta)
}
