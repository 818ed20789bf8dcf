//! Tests of the badge in this process: a ledger in SQLite, other servers with prepared answers, and a virtual clock.

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

mod bounds;
mod caching;
mod certificate;
mod fetching;
mod images;
mod standing;
mod time;
mod verdicts;
mod world;
