//! The badge. The ledger is in the database, other servers give prepared answers, some after a delay, and the
//! clock is virtual.

mod bounds;
mod caching;
mod fetching;
mod images;
mod page;
mod standing;
mod verdicts;
mod world;

use crate::badge::certificate;
