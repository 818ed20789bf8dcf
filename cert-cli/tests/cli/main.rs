//! The program as a process: files, standard input, exit codes.
#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    unreachable_pub,
    reason = "a test that cannot continue should stop"
)]

mod aih1;
mod aih2;
mod described;
mod encodings;
mod inputs;
mod pipe;
#[cfg(unix)]
mod readme;
mod support;
