//! Requests to other servers: allowed addresses, deadlines and size limits.
//!
//! The runtime checks the IP addresses that a host name resolves to. This module checks the URL itself, for the first
//! request and for every redirect.

mod address;
mod send;

pub(crate) use address::{OWN_HOST, Policy, Refused, Target, is_loopback};
pub(crate) use send::{BUSY, FetchSession, Outgoing, Received, SendError};
