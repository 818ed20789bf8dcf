//! Requests to other servers: which addresses they may go to, how long they may take and how much they may answer.
//!
//! The runtime filters the addresses that a name resolves to; everything that an address says by itself is checked here, at
//! the start and again at every redirect.

mod address;
mod send;

pub(crate) use address::{OWN_HOST, Policy, Refused, Target};
pub(crate) use send::{BUSY, FetchSession, Outgoing, Received, SendError};
