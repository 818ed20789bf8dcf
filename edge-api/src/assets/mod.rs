//! The status of assets: its events, and the reasons of withdrawals, which no order gives.

mod events;
mod reason;
mod withdrawal;

pub(crate) use events::order_events;
pub(crate) use reason::Reason;
pub(crate) use withdrawal::{WithdrawnAsset, give_reason};
