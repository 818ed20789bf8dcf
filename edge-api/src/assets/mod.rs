//! Events about the status of assets, and the reasons for withdrawals. A reason is not part of an order.

mod events;
mod reason;
mod withdrawal;

pub(crate) use events::order_events;
pub(crate) use reason::Reason;
pub(crate) use withdrawal::{WithdrawnAsset, give_reason};
