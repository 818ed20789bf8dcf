//! The badge with a ledger in the database, other servers with prepared answers and delays, and a virtual clock.

mod bounds;
mod caching;
mod fetching;
mod images;
mod standing;
mod verdicts;
mod world;

use crate::badge::certificate;
