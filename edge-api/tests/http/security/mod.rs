//! Attacks on other accounts and on the service: misused claims, forged signatures, changed fields, expensive requests and
//! concurrent requests.

mod claims;
mod edges;
mod load;
mod mutations;
mod other_accounts;
mod signatures;
mod spending;
