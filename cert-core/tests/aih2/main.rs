//! Tests AIH-2: with vectors, rule by rule, and by comparison with a slow model.

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
