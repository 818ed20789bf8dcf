//! The chain of `LEDGER=evm`: its providers, contracts and relayer.

#[cfg(feature = "evm")]
mod read;

use order_core::{Address, PrivateKey};

use super::Secret;
use super::reader::{ConfigError, Reader};

/// Settings of a ledger on an EVM chain.
#[derive(Clone, Debug)]
pub struct Chain {
    /// The chain id (EIP-155); `CHAIN_ID`.
    pub id: u64,
    /// The URLs of the JSON-RPC providers, the preferred one first; `RPC_URLS`. Such a URL often contains an API key.
    pub providers: Vec<Secret>,
    /// The URLs to which each transaction is sent first; `RPC_SEND_URLS`. The providers also get a transaction if the next block
    /// does not contain it. If the list is empty, transactions are sent only to the providers.
    pub senders: Vec<Secret>,
    /// True if transactions are sent to `senders` only; `SEND_PRIVATE=only`.
    pub sends_privately: bool,
    /// The actions gateway; `GATEWAY_ACTIONS`.
    pub actions: Address,
    /// The gateway that performs deployments; `GATEWAY_DEPLOY`.
    pub deploy: Address,
    /// The platform token; `TOKEN_ADDRESS`.
    pub token: Address,
    /// The block in which the first of these contracts was created, or an earlier block; `CHAIN_START_BLOCK`.
    pub start_block: u64,
    /// The rule by which a block is final; `CONFIRMATIONS`.
    pub finality: Finality,
    /// The number of providers that must agree on a final state; `QUORUM`.
    pub quorum: usize,
    /// The key of the account that sends transactions; `RELAYER_KEY`.
    pub relayer: RelayerKey,
    /// The balance in wei that the relayer does not spend; `RELAYER_RESERVE`.
    pub reserve: u128,
    /// The highest price that the relayer pays for gas, in wei per unit; `FEE_CAP_GWEI`.
    pub fee_cap: u128,
    /// Maximum gas of a transaction; `TX_GAS_CAP`.
    pub gas_cap: u64,
    /// Maximum gas that failed transactions with an account may use within a day; `FAILED_GAS_MAX`.
    pub failed_gas_max: u64,
    /// Maximum number of transactions in flight, which no block contains yet; `INFLIGHT`.
    pub inflight: u32,
    /// Seconds from one block to the next; `BLOCK_SECONDS`. Determines how often the service queries the chain.
    pub block_seconds: u32,
    /// A build without a ledger on a chain has no value of this type, so the compiler leaves out all code for it.
    #[cfg(not(feature = "evm"))]
    pub absent: std::convert::Infallible,
}

/// The rule by which a block is final.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finality {
    /// The chain's own rule: the block tag `finalized`.
    Tag,
    /// A block is final when this number of blocks follows it.
    Confirmations(u64),
}

/// The key of the account that sends transactions. It is never logged or shown.
#[derive(Clone)]
pub struct RelayerKey(PrivateKey);

impl RelayerKey {
    pub(crate) fn key(&self) -> &PrivateKey {
        &self.0
    }
}

impl std::fmt::Debug for RelayerKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RelayerKey({})", self.0.address())
    }
}

/// The settings that need a ledger on a chain. The embedded ledger uses the other settings of a chain too.
const ONLY_ON_A_CHAIN: &[&str] = &[
    "ALLOW_ONE_PROVIDER",
    "BLOCK_SECONDS",
    "CHAIN_ID",
    "CHAIN_START_BLOCK",
    "CONFIRMATIONS",
    "FAILED_GAS_MAX",
    "FEE_CAP_GWEI",
    "INFLIGHT",
    "QUORUM",
    "RELAYER_KEY",
    "RELAYER_RESERVE",
    "RPC_SEND_URLS",
    "RPC_URLS",
    "SEND_PRIVATE",
    "TX_GAS_CAP",
];

/// The part of error messages that names the build with a ledger on a chain.
const OTHER_BUILD: &str = "another build of the Worker: the one in `dist-evm`, which releases contain and `cargo xtask build worker --evm` makes";

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Returns true if `LEDGER` is `evm`. `has_chain` is true if this build contains a ledger on a chain.
    ///
    /// # Errors
    /// - `LEDGER` is neither `embedded` nor `evm`.
    /// - `LEDGER` is `evm`, but this build has no ledger on a chain.
    /// - `LEDGER` is `embedded`, but another setting needs a ledger on a chain.
    pub(super) fn is_on_chain(&self, has_chain: bool) -> Result<bool, ConfigError> {
        let is_on = self.choice("LEDGER", "embedded", &[("embedded", false), ("evm", true)])?;
        let given = ONLY_ON_A_CHAIN
            .iter()
            .filter(|name| self.text(name).is_some())
            .fold(None, |first, name| first.or(Some(*name)));
        match given {
            _ if is_on && has_chain => Ok(true),
            _ if is_on => Err(ConfigError(format!(
                "`LEDGER` is `evm`, and needs {OTHER_BUILD}"
            ))),
            None => Ok(false),
            Some(name) => {
                let build = if has_chain {
                    String::new()
                } else {
                    format!(" and {OTHER_BUILD}")
                };
                Err(ConfigError(format!(
                    "`{name}` is a setting of a chain, and needs `LEDGER=evm`{build}"
                )))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    /// Calls [`Reader::is_on_chain`] with a single setting.
    fn is_on_chain(has_chain: bool, name: &str, value: &str) -> Result<bool, String> {
        let variable = |key: &str| (key == name).then(|| value.to_owned());
        let reader = Reader {
            variable: &variable,
        };
        let read = reader.is_on_chain(has_chain);
        read.map_err(|error| error.to_string())
    }

    #[test]
    fn settings_of_a_chain_need_a_chain() {
        for name in ONLY_ON_A_CHAIN {
            let config = Config::read(|key| match key {
                "SERVICE_NAME" => Some("ours".to_owned()),
                "PAYMENTS" => Some("off".to_owned()),
                key => (key == *name).then(|| "1".to_owned()),
            });
            let expected = format!("`{name}` is a setting of a chain, and needs `LEDGER=evm`");
            assert_eq!(config.unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn a_build_without_a_chain_refuses_its_settings_and_names_the_other_build() {
        let end = "another build of the Worker: the one in `dist-evm`, which releases contain and \
                   `cargo xtask build worker --evm` makes";
        assert_eq!(is_on_chain(true, "LEDGER", "evm"), Ok(true));
        assert_eq!(
            is_on_chain(false, "LEDGER", "evm"),
            Err(format!("`LEDGER` is `evm`, and needs {end}"))
        );
        for name in ONLY_ON_A_CHAIN {
            assert_eq!(
                is_on_chain(false, name, "1"),
                Err(format!(
                    "`{name}` is a setting of a chain, and needs `LEDGER=evm` and {end}"
                ))
            );
        }
        for has_chain in [true, false] {
            assert_eq!(is_on_chain(has_chain, "LEDGER", "embedded"), Ok(false));
            assert_eq!(is_on_chain(has_chain, "FILES", "on"), Ok(false));
            // The embedded ledger uses addresses of contracts too.
            assert_eq!(is_on_chain(has_chain, "TOKEN_ADDRESS", "0x12"), Ok(false));
        }
    }
}
