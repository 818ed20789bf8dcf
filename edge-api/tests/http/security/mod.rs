//! Attacks on other accounts, with and without keys.

mod claims;
mod edges;
mod load;
mod mutations;
mod signatures;
mod spending;
mod strangers;
