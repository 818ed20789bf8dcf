//! AIH-2: its vectors, its rules one by one, and a slow model of it.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::arithmetic_side_effects,
    reason = "a test that cannot go on should stop"
)]

mod agree;
mod bounds;
mod described;
mod forge;
mod judge;
mod model;
mod paths;
mod properties;
mod random;
mod report;
mod rules;
mod tokens;
mod vectors;
