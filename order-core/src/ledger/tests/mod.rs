//! The ledger's rules: what each check refuses, what operations change, and a slow model beside them.

mod checks;
mod model;
mod requests;
mod sequences;
mod world;
