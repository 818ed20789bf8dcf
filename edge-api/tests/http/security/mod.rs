//! Attacks on the accounts of others, by people with keys of their own and by people with none.

mod claims;
mod edges;
mod load;
mod mutations;
mod signatures;
mod spending;
mod strangers;
