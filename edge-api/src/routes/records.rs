//! Code that the routes of orders, deployments and approvals share.

use order_core::{Address, Request, RequestKind};
use serde::Serialize;

use crate::failure::{Problem, invalid};
use crate::records::{self, Created, Lookup, Record, Role};
use crate::web::{Handled, Input, Query, Success, with_meta};

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

/// Answers with a page of the caller's records. Reads `skip`, `limit`, `after`, `sort`, `filterIds` and
/// `statuses`, and for orders also `roles`.
pub(super) async fn page<A: Serialize>(
    input: &Input<'_>,
    caller: Address,
    kind: RequestKind,
    view: impl Fn(&Record) -> A,
) -> Handled {
    let lookup = input.query.read(|query, errors| Lookup {
        kind,
        account: caller,
        page: query.page(errors),
        references: query.list("filterIds", errors),
        statuses: query.statuses(errors),
        roles: match kind {
            RequestKind::Order => roles(query, errors),
            RequestKind::Deployment | RequestKind::Approval => None,
        },
    })?;
    let (mut found, total) = records::list(input.ctx, &lookup).await?;
    let key = |listed: &records::Listed| listed.reference.clone();
    let meta = lookup.page.finish(&mut found, total, false, key);
    let shown = found.iter().filter_map(|listed| listed.record.as_ref());
    with_meta(shown.map(view).collect::<Vec<_>>(), meta)
}

/// Parses `roles`. Returns `None` if the parameter is missing, or if it is not valid, which adds an error.
fn roles(query: &Query, errors: &mut Vec<Problem>) -> Option<Vec<Role>> {
    let role = |name: &String| Role::ALL.into_iter().find(|role| role.name() == name);
    let parsed: Option<Vec<Role>> = query.list("roles", errors)?.iter().map(role).collect();
    if parsed.is_none() {
        let names = Role::ALL.map(Role::name).join("`, `");
        errors.push(invalid(
            "roles",
            format!("`roles` must list one or more of `{names}`"),
        ));
    }
    parsed
}
