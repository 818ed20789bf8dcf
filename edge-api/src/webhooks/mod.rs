//! Webhooks (`docs/interface.md`, "Events"): registered receivers, and an outbox of deliveries to them. See
//! `docs/decisions/0031-webhooks.md`.
//!
//! - The transaction that causes an event also writes a delivery for each account that is a recipient at that time
//!   ([`outbox`]).
//! - Each account gets the deliveries with the same ordering key in sequence: only the first waiting delivery has a due time.
//! - An attempt is leased, and only the run that holds the lease can store the outcome, so attempts of one delivery
//!   never overlap.
//! - If a lease ends without an outcome, the attempt becomes due again, so no attempt is lost.
//! - Accounts take turns. A turn is limited and ends at the first failure, so a slow or dead receiver delays the others only
//!   briefly.
//! - Events are sent only to receivers that want them: a new address must answer a challenge first ([`challenge`]).
//! - A receiver that has failed for a day, or answers 410, is paused until its owner registers it again.

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
pub(crate) use list::{find, list};
pub(crate) use manage::{Queued, redeliver, rotate, test};
pub(crate) use secret::Secret;
pub(crate) use store::{outbox, register, registered, remove, webhook};
