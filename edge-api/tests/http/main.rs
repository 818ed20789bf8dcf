//! Tests of the service's HTTP interface. The service runs in this process or, if `ASSAY_HOST=workerd` is set, in workerd.
//!
//! Only `edge-api/src/entry` names the Workers runtime, so everything else runs natively on SQLite with a movable clock, in seconds. In workerd, the same
//! tests check the built Worker. The module `in_process` needs access to the service's memory and runs only natively. In workerd, a
//! test gets its own server only if it moves the clock, counts work or needs special settings: a server costs 1.3 s of processor time.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::arithmetic_side_effects,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod abilities;
mod account;
mod activity;
mod admissions;
mod approvals;
mod badge;
mod books;
mod browsers;
mod certificates;
mod cursors;
mod deployments;
mod deposits;
mod errors;
mod exactly_once;
mod files;
mod forms;
mod frame;
mod free;
mod gs1;
mod idempotency;
mod in_process;
mod issuers;
mod ledgers;
mod limits;
mod openapi;
mod order_changes;
mod orders;
mod records;
mod refusals;
mod requests;
mod revocations;
mod security;
mod sessions;
mod sharing;
mod statistics;
mod status_lists;
mod stripe;
mod support;
mod tickers;
mod webhooks;
mod wildcard;
