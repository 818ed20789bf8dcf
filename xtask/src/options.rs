//! Values that the options of several tasks have.

use clap::ValueEnum;

/// The default port of `cargo xtask dev` and of wrangler.
pub(crate) const DEVELOPMENT_PORT: u16 = 8787;

/// The default port of a chain: anvil's own.
pub(crate) const CHAIN_PORT: u16 = 8545;

/// The ledger of a service on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The ledger in the service's database
    Embedded,
    /// A chain on this machine (anvil, from npm) with the original 0xcert contracts
    Anvil,
}

/// Checks an argument of the form `NAME=VALUE`.
///
/// # Errors
/// If there is no name or no `=`.
pub(crate) fn variable(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}
