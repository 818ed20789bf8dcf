//! Tests of the ledger's rules: the refusals of each check, the changes of each operation, and a comparison with a slow model.

mod checks;
mod model;
mod requests;
mod sequences;
mod world;
