//! Tests that use the service's internals, such as its database and memory, or inject faults. The test run in workerd
//! skips these tests.

mod admin;
mod backups;
mod badge;
mod chain;
mod contention;
mod copies;
pub mod evm;
mod examples;
mod files;
mod health;
mod issuers;
mod links;
mod migrations;
mod monitor;
mod plans;
mod replay;
mod request_log;
mod round_trips;
mod sessions;
mod status_lists;
mod storage;
mod sweep;
mod unfunded;
pub mod wallet;
mod webhook_delivery;
