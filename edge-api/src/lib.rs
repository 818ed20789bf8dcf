//! The asset certification and order service: an HTTP API for signed asset-ledger orders, deployments and approvals,
//! and a badge that says whether an asset is valid.
//!
//! Everything but the `entry` module is plain Rust that knows no host and runs in native tests; `entry` ties it to
//! the Workers runtime. A request goes `app` (phases) → `routes` (one file per resource) → a use case (`records`,
//! `orders`, `deposits`, `badge`) → `ledger` and SQL.

mod accounts;
mod api;
mod app;
mod approvals;
mod auth;
mod badge;
mod config;
mod deployments;
mod deposits;
pub mod http;
mod idempotency;
mod instance;
mod ledger;
mod limits;
#[cfg(feature = "native")]
pub mod openapi;
mod orders;
mod outbound;
pub mod ports;
mod records;
mod routes;
mod statistics;
mod strangers;
mod text;
mod webhooks;

#[cfg(target_arch = "wasm32")]
mod entry;
#[cfg(feature = "native")]
pub mod native;

pub use app::{After, Answer, App, Isolate};
pub use config::{
    AddressOverrides, Config, ConfigError, CostName, Deposits, Price, PriceSource, ProxyRole,
    Secret, Stripe, Weakened,
};
pub use limits::{Limit, Limits, Scope};
