//! Code that the routes of orders, deployments and approvals share.

use order_core::{Address, Request, RequestKind};
use serde::Serialize;

use crate::db::Page;
use crate::records::{self, Created, Lookup, Record};
use crate::web::{Handled, Ids, Input, Statuses, Success, query, with_meta};

query! {
    /// The parameters of the lists of deployments and approvals.
    pub(super) struct RecordQuery {
        ..page: Page,
        /// Only items with one of these references or ids.
        references ("filterIds"): Ids<String>,
        /// Only items with one of these statuses.
        statuses ("statuses"): Statuses,
    }
}

impl RecordQuery {
    /// Returns the lookup of an account's records of a kind.
    pub(super) fn lookup(self, kind: RequestKind, account: Address) -> Lookup {
        Lookup {
            kind,
            account,
            page: self.page,
            references: self.references,
            statuses: self.statuses,
            roles: None,
        }
    }
}

/// Creates a record. Answers 201 with a new record, or 200 with an existing record.
pub(super) async fn create_record<A: Serialize>(
    input: &Input<'_>,
    caller: Address,
    request: Request,
    view: impl Fn(&Record) -> A,
) -> Handled {
    let created = records::create(input.ctx, input.ledger, caller, request).await?;
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
