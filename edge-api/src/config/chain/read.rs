//! Reads the settings of a chain.

use order_core::{Address, MAX_SAFE_INTEGER, PrivateKey};

use super::super::reader::{ConfigError, Reader};
use super::super::{AddressOverrides, Deposits, Secret};
use super::{Chain, Finality, RelayerKey};

/// Maximum number of URLs in each setting. A quorum queries all providers, so their number must be small.
const PROVIDERS_MAX: usize = 8;

/// The number of wei in a gwei.
const GWEI: u128 = 1_000_000_000;

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the settings of a ledger on a chain.
    pub(in crate::config) fn chain(
        &self,
        addresses: &AddressOverrides,
        payment_receiver: Option<Address>,
        deposits: &Deposits,
    ) -> Result<Chain, ConfigError> {
        if !matches!(deposits, Deposits::Off) {
            return Err(ConfigError(
                "`LEDGER` is `evm`; `DEPOSITS` must be `off`, because the service cannot issue tokens on a chain".to_owned(),
            ));
        }
        let needed = |name: &str, value: Option<Address>| {
            value.ok_or_else(|| {
                ConfigError(format!(
                    "`LEDGER` is `evm`; `{name}` must be the address of the contract or account"
                ))
            })
        };
        needed("PAYMENT_RECEIVER", payment_receiver)?;
        let providers = self.urls("RPC_URLS")?;
        if providers.is_empty() {
            return Err(ConfigError(
                "`LEDGER` is `evm`; `RPC_URLS` must be the addresses of at least two JSON-RPC providers".to_owned(),
            ));
        }
        let senders = self.urls("RPC_SEND_URLS")?;
        let sends_privately =
            self.choice("SEND_PRIVATE", "off", &[("off", false), ("only", true)])?;
        if sends_privately && senders.is_empty() {
            return Err(ConfigError(
                "`SEND_PRIVATE` is `only`; `RPC_SEND_URLS` must be the addresses that keep transactions private".to_owned(),
            ));
        }
        let number = "a whole number";
        // The database stores whole numbers without loss only up to this limit.
        let is_small = |number: &u64| *number <= MAX_SAFE_INTEGER;
        let parse = |text: &str| text.parse().ok().filter(is_small);
        Ok(Chain {
            id: self.parsed("CHAIN_ID", "", parse, "the number of the chain")?,
            quorum: self.quorum(providers.len())?,
            providers,
            senders,
            sends_privately,
            actions: needed("GATEWAY_ACTIONS", addresses.actions)?,
            deploy: needed("GATEWAY_DEPLOY", addresses.deploy)?,
            token: needed("TOKEN_ADDRESS", addresses.token)?,
            start_block: self.parsed("CHAIN_START_BLOCK", "", parse, "the number of a block")?,
            finality: self.parsed(
                "CONFIRMATIONS",
                "finalized",
                finality,
                "`finalized` or a number of blocks",
            )?,
            relayer: self.relayer_key()?,
            reserve: self.parsed(
                "RELAYER_RESERVE",
                "10000000000000000",
                |text| text.parse().ok(),
                "an amount in wei",
            )?,
            fee_cap: self.parsed(
                "FEE_CAP_GWEI",
                "200",
                gwei,
                "a price in gwei such as `200` or `0.5`",
            )?,
            gas_cap: self.parsed("TX_GAS_CAP", "16777216", parse, number)?,
            failed_gas_max: self.parsed("FAILED_GAS_MAX", "20000000", parse, number)?,
            inflight: self.parsed(
                "INFLIGHT",
                "32",
                |text| {
                    text.parse()
                        .ok()
                        .filter(|count| (1..=1_000).contains(count))
                },
                "a number from 1 to 1000",
            )?,
            block_seconds: self.parsed(
                "BLOCK_SECONDS",
                "2",
                |text| {
                    text.parse()
                        .ok()
                        .filter(|seconds| (1..=60).contains(seconds))
                },
                "a number of seconds from 1 to 60",
            )?,
        })
    }

    /// Reads URLs that are separated by commas. Errors never repeat a URL, because it may contain a key.
    fn urls(&self, name: &str) -> Result<Vec<Secret>, ConfigError> {
        let text = self.text(name).unwrap_or_default();
        let urls: Vec<&str> = text
            .split(',')
            .map(str::trim)
            .filter(|url| !url.is_empty())
            .collect();
        let is_url = |url: &&str| url.starts_with("https://") || url.starts_with("http://");
        if urls.len() > PROVIDERS_MAX || !urls.iter().all(is_url) {
            return Err(ConfigError(format!(
                "`{name}` must be at most {PROVIDERS_MAX} addresses that begin with `https://` or `http://`, separated by commas"
            )));
        }
        Ok(urls
            .into_iter()
            .map(|url| Secret::from(url.to_owned()))
            .collect())
    }

    /// Reads the number of providers that must agree. A quorum of one needs a separate setting, because a single provider could
    /// lie.
    fn quorum(&self, providers: usize) -> Result<usize, ConfigError> {
        let may_be_one = self.flag("ALLOW_ONE_PROVIDER")?;
        let quorum: usize = self.parsed(
            "QUORUM",
            "2",
            |text| text.parse().ok().filter(|count| *count > 0),
            "the number of providers that must agree",
        )?;
        if quorum == 1 && !may_be_one {
            return Err(ConfigError(
                "`QUORUM` is `1`: one provider could lie to this service; set `ALLOW_ONE_PROVIDER=true` to accept this".to_owned(),
            ));
        }
        if quorum > providers {
            return Err(ConfigError(format!(
                "`QUORUM` is `{quorum}`, but `RPC_URLS` has {providers}: name more providers of different companies"
            )));
        }
        Ok(quorum)
    }

    fn relayer_key(&self) -> Result<RelayerKey, ConfigError> {
        let bytes = self
            .text("RELAYER_KEY")
            .and_then(|text| alloy_primitives::hex::decode_to_array(text).ok());
        bytes
            .and_then(|bytes: [u8; 32]| PrivateKey::from_bytes(&bytes).ok())
            .map(RelayerKey)
            .ok_or_else(|| {
                ConfigError(
                    "`RELAYER_KEY` must be a private key: `0x` and 64 hex digits".to_owned(),
                )
            })
    }
}

fn finality(text: &str) -> Option<Finality> {
    match text {
        "finalized" => Some(Finality::Tag),
        blocks => blocks
            .parse()
            .ok()
            .filter(|blocks| (1..=100_000).contains(blocks))
            .map(Finality::Confirmations),
    }
}

/// Parses a price in gwei with at most nine decimals, and returns it in wei. Returns `None` if the price is not valid or zero.
fn gwei(text: &str) -> Option<u128> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if part.len() > 9 || !is_digits(part) || whole.is_empty() || !is_digits(whole) {
        return None;
    }
    let part: u128 = format!("{part:0<9}").parse().ok()?;
    let whole: u128 = whole.parse().ok()?;
    whole
        .checked_mul(GWEI)?
        .checked_add(part)
        .filter(|wei| *wei > 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;

    const KEY: &str = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
    const ADDRESS: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";

    /// The settings that have no default.
    const REQUIRED: &[(&str, &str)] = &[
        ("SERVICE_NAME", "ours"),
        ("LEDGER", "evm"),
        (
            "RPC_URLS",
            "https://a.example/secret, https://b.example/secret",
        ),
        ("CHAIN_ID", "8453"),
        ("CHAIN_START_BLOCK", "1000"),
        ("GATEWAY_ACTIONS", ADDRESS),
        ("GATEWAY_DEPLOY", ADDRESS),
        ("TOKEN_ADDRESS", ADDRESS),
        ("PAYMENT_RECEIVER", ADDRESS),
        ("RELAYER_KEY", KEY),
    ];

    /// Reads the required settings with these changes. An empty value removes a setting.
    fn read(changes: &[(&str, &str)]) -> Result<Chain, String> {
        let config = Config::read(|name| {
            let found = changes.iter().chain(REQUIRED).find(|(key, _)| *key == name);
            let value = found.map(|(_, value)| (*value).to_owned());
            value.filter(|value| !value.is_empty())
        });
        let config = config.map_err(|error| error.to_string())?;
        config.chain.ok_or_else(|| "no chain".to_owned())
    }

    #[test]
    fn settings_without_a_value_have_their_defaults() {
        let chain = read(&[]).unwrap();
        let urls: Vec<&str> = chain.providers.iter().map(Secret::expose).collect();
        assert_eq!(
            urls,
            ["https://a.example/secret", "https://b.example/secret"]
        );
        assert_eq!(
            (chain.id, chain.start_block, chain.quorum),
            (8_453, 1_000, 2)
        );
        assert_eq!(chain.finality, Finality::Tag);
        assert_eq!(chain.relayer.key().address().to_string(), ADDRESS);
        assert_eq!(chain.reserve, 10_u128.pow(16));
        assert_eq!(chain.fee_cap, 200 * GWEI);
        assert_eq!(
            (chain.gas_cap, chain.inflight, chain.block_seconds),
            (1 << 24, 32, 2)
        );
        assert_eq!(chain.failed_gas_max, 20_000_000);
        assert!(chain.senders.is_empty() && !chain.sends_privately);
    }

    #[test]
    fn given_values_replace_the_defaults() {
        let chain = read(&[
            ("CONFIRMATIONS", "12"),
            ("FEE_CAP_GWEI", "0.25"),
            ("QUORUM", "1"),
            ("ALLOW_ONE_PROVIDER", "true"),
            ("RPC_URLS", "http://127.0.0.1:8545"),
            ("RPC_SEND_URLS", "https://c.example"),
            ("SEND_PRIVATE", "only"),
        ])
        .unwrap();
        assert_eq!(chain.finality, Finality::Confirmations(12));
        assert_eq!(chain.fee_cap, GWEI / 4);
        assert_eq!((chain.quorum, chain.senders.len()), (1, 1));
        assert!(chain.sends_privately);
    }

    #[test]
    fn errors_name_the_setting_and_repeat_no_secret() {
        let many = ["https://x.example/secret"; 9].join(",");
        for (name, value) in [
            ("RPC_URLS", ""),
            ("RPC_URLS", "ftp://x.example/secret"),
            ("RPC_URLS", many.as_str()),
            ("RPC_SEND_URLS", "x.example/secret"),
            ("RELAYER_KEY", ""),
            ("RELAYER_KEY", "0x59c6995e998f97a5"),
            (
                "RELAYER_KEY",
                "0x0000000000000000000000000000000000000000000000000000000000000000",
            ),
            ("CHAIN_ID", ""),
            ("CHAIN_ID", "base"),
            ("CHAIN_ID", "9007199254740992"),
            ("CHAIN_START_BLOCK", ""),
            ("CHAIN_START_BLOCK", "-1"),
            ("GATEWAY_ACTIONS", ""),
            ("GATEWAY_ACTIONS", "0x12"),
            ("GATEWAY_DEPLOY", ""),
            ("TOKEN_ADDRESS", ""),
            ("PAYMENT_RECEIVER", ""),
            ("CONFIRMATIONS", "safe"),
            ("CONFIRMATIONS", "0"),
            ("CONFIRMATIONS", "100001"),
            ("QUORUM", "0"),
            ("QUORUM", "1"),
            ("QUORUM", "3"),
            ("ALLOW_ONE_PROVIDER", "yes"),
            ("RELAYER_RESERVE", "0.1"),
            ("FEE_CAP_GWEI", "0"),
            ("FEE_CAP_GWEI", "1.0000000001"),
            ("FEE_CAP_GWEI", "x"),
            ("TX_GAS_CAP", "16M"),
            ("FAILED_GAS_MAX", "20M"),
            ("INFLIGHT", "0"),
            ("INFLIGHT", "1001"),
            ("BLOCK_SECONDS", "0"),
            ("BLOCK_SECONDS", "61"),
            ("SEND_PRIVATE", "yes"),
            ("SEND_PRIVATE", "only"),
            ("DEPOSITS", "stripe"),
            ("LEDGER", "chain"),
        ] {
            let error = read(&[(name, value)]).unwrap_err();
            assert!(
                error.contains(&format!("`{name}`")),
                "{name}={value}: {error}"
            );
            assert!(
                !error.contains("secret") && !error.contains("59c6995e"),
                "{error}"
            );
        }
    }

    #[test]
    fn settings_in_debug_output_show_no_secret() {
        let chain = read(&[("RPC_SEND_URLS", "https://c.example/secret")]).unwrap();
        let shown = format!("{chain:?}");
        assert!(
            !shown.contains("secret") && !shown.contains("59c6995e"),
            "{shown}"
        );
        assert!(shown.contains(ADDRESS), "{shown}");
    }
}
