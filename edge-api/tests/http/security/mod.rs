//! Attacks on other accounts, with and without keys.

mod claims;
mod edges;
mod load;
mod mutations;
mod other_accounts;
mod signatures;
mod spending;
