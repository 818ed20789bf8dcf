//! The asset certification and order service. It has an HTTP API for signed orders, deployments and approvals on asset
//! ledgers, and a badge that shows whether an asset is valid.
//!
//! All modules except `entry` are plain Rust: they do not depend on a host, and native tests run them. `entry` connects them to the Workers
//! runtime. A request goes through `app`, `web` (phases), `routes` (one file per resource) and a use case (`records`, `deposits`, `badge`).
//! The use case decides, and `db` commits the decision.

#![cfg_attr(
    not(feature = "evm"),
    allow(
        dead_code,
        unused_imports,
        reason = "only the ledger on a chain uses some items; the build with this ledger checks that all items are used"
    )
)]

mod accounts;
mod activity;
mod admin;
mod admissions;
mod answers;
mod api;
mod app;
mod assets;
mod backoff;
mod backups;
mod badge;
mod books;
mod budget;
mod config;
mod context;
mod db;
mod deposits;
mod failure;
mod files;
mod issuers;
mod jobs;
mod ledger;
mod links;
mod monitor;
mod network;
#[cfg(feature = "native")]
pub mod openapi;
mod outbound;
pub mod ports;
mod records;
mod routes;
mod sessions;
mod single_flight;
mod statistics;
mod status_lists;
mod text;
mod wallet;
pub mod web;
mod webhooks;

#[cfg(target_arch = "wasm32")]
mod entry;
#[cfg(feature = "native")]
pub mod native;

pub use app::{After, Answer, App, Isolate};
pub use config::{
    AddressOverrides, AlertLimits, Backup, Chain, Config, ConfigError, Deposits, Finality, Limit,
    Limits, Price, PriceSource, RelayerKey, Secret, StatusKey, Stripe, Weakened,
};
pub use ports::Scope;
