//! Changes of an asset's status that orders do not make: the reason of a withdrawal.

mod reason;
mod withdrawal;

pub(crate) use reason::Reason;
pub(crate) use withdrawal::{WithdrawnAsset, give_reason};
