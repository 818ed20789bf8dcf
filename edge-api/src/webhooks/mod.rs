//! Webhooks (`docs/interface.md`, "Events"): who wants to hear of what, and an outbox that tells them.
//!
//! - An event is written in the transaction that makes it, for every recipient of that moment ([`outbox`]).
//! - Deliveries of one record to one account go one after another: only the first that waits has a due time.
//! - An attempt is taken and its outcome written by statements that hold only for whoever has the lease, so that two
//!   are never under way and none is forgotten: a lease that ends without an outcome is an attempt to be repeated.
//! - Accounts take turns, and a turn ends at the first failure: a receiver that is slow or dead costs the others nothing.
//! - Events flow to receivers that want them: a new address answers a challenge first ([`challenge`]), and one that has
//!   failed for a day is paused until its owner registers it again.

mod attempts;
mod challenge;
mod config;
mod deliver;
mod events;
mod limits;
mod list;
mod manage;
mod secret;
mod store;

pub(crate) use config::{Registration, Webhook};
pub(crate) use deliver::{deliver, sweep};
pub(crate) use events::Event;
pub(crate) use limits::webhook_today;
pub(crate) use list::{Delivery, find, list};
pub(crate) use manage::{Queued, redeliver, rotate, test};
pub(crate) use secret::Secret;
pub(crate) use store::{outbox, register, registered, remove, waits, webhook};
