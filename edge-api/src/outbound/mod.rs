//! Requests to other servers: allowed addresses, deadlines and limits of size.
//!
//! The runtime filters the IP addresses of a host name. This module checks the address itself, at the start and at
//! every redirect.

mod address;
mod send;

pub(crate) use address::{OWN_HOST, Policy, Refused, Target, is_loopback};
pub(crate) use send::{BUSY, FetchSession, Outgoing, Received, SendError};
