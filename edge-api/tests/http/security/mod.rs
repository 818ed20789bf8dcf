//! What people with keys of their own, and people with none, try against the accounts of others.

mod claims;
mod edges;
mod load;
mod mutations;
mod signatures;
mod spending;
mod strangers;
