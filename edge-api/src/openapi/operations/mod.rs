//! The description of each route: its id, summary and text, its shapes, and its own errors.

mod account;
mod admin;
mod approvals;
mod badge;
mod deployments;
mod deposits;
mod files;
mod issuers;
mod ledgers;
mod orders;
mod requests;
mod service;
mod sessions;
mod statistics;
mod webhooks;

use super::description::Operation;

/// Returns all operations in the order of the document: resource by resource.
pub(super) fn operations() -> Vec<Operation> {
    [
        orders::operations(),
        deployments::operations(),
        approvals::operations(),
        deposits::operations(),
        account::operations(),
        sessions::operations(),
        webhooks::operations(),
        ledgers::operations(),
        issuers::operations(),
        files::operations(),
        requests::operations(),
        statistics::operations(),
        badge::operations(),
        admin::operations(),
        service::operations(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
