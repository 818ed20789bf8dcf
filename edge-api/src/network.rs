//! Groups client addresses by network, for limits and quotas.

use std::net::IpAddr;

use alloy_primitives::hex;
use sha2::{Digest, Sha256};

/// Database keys of a client's networks. Each key is a hash of the network and the instance's secret number. Without this number,
/// an address cannot be found by hashing all possible addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// The address itself for IPv4, its /48 for IPv6.
    pub(crate) network: String,
    /// The provider's network: the /16 of the address for IPv4, its /32 for IPv6.
    pub(crate) provider: String,
}

impl Client {
    /// Computes the keys of an address. `instance` is the instance's secret number.
    pub(crate) fn new(instance: &[u8; 32], address: &str) -> Self {
        let keyed = |network: String| {
            let hash = Sha256::new()
                .chain_update(instance)
                .chain_update(network)
                .finalize();
            hex::encode(hash.get(..16).unwrap_or_default())
        };
        Self {
            network: keyed(network_key(address)),
            provider: keyed(provider_key(address)),
        }
    }
}

/// Returns the rate-limit key of an address. Groups IPv6 by /64, because a client with one IPv6 address usually controls all
/// 2^64 addresses of its network.
pub(crate) fn address_key(text: &str) -> String {
    key_of_network(text, |[a, b, c, d, ..]| {
        format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
    })
}

/// Like `address_key`, but groups IPv6 by /48, the usual size of a site (RFC 6177). Used for daily quotas.
pub(crate) fn network_key(text: &str) -> String {
    key_of_network(text, |[a, b, c, ..]| format!("{a:x}:{b:x}:{c:x}::/48"))
}

/// Groups addresses by provider: /16 for IPv4, and /32 for IPv6, the usual allocation to a provider.
fn provider_key(text: &str) -> String {
    match text.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V6(address)) => {
            let [a, b, ..] = address.segments();
            format!("{a:x}:{b:x}::/32")
        }
        Ok(IpAddr::V4(address)) => {
            let [a, b, ..] = address.octets();
            format!("{a}.{b}.0.0/16")
        }
        Err(_) => text.to_owned(),
    }
}

fn key_of_network(text: &str, of_v6: impl Fn([u16; 8]) -> String) -> String {
    match text.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V6(address)) => of_v6(address.segments()),
        Ok(address) => address.to_string(),
        Err(_) => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_network_share_a_key() {
        for (one, other, same) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.1", "::ffff:192.0.2.1", true),
            ("2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", true),
            ("2001:db8:1:2::1", "2001:DB8:0001:0002::1", true),
            ("2001:db8:1:2::1", "2001:db8:1:3::1", false),
            ("2001:db8:1:2::1", "2001:db8:2:2::1", false),
            ("::1", "::2", true),
        ] {
            assert_eq!(
                address_key(one) == address_key(other),
                same,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn networks_of_one_provider_share_a_key() {
        for (one, other, same) in [
            ("192.0.2.1", "192.0.77.9", true),
            ("192.0.2.1", "192.1.2.1", false),
            ("2001:db8:1::1", "2001:db8:ffff::1", true),
            ("2001:db8:1::1", "2001:db9:1::1", false),
        ] {
            assert_eq!(
                provider_key(one) == provider_key(other),
                same,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn a_clients_key_depends_on_the_instances_secret_number() {
        let client = |instance| Client::new(&[instance; 32], "192.0.2.1");
        assert_eq!(client(1), client(1));
        assert_ne!(client(1).network, client(2).network);
        assert_ne!(client(1).provider, client(2).provider);
    }

    #[test]
    fn a_site_is_one_network() {
        let key = network_key("2001:db8:1:2::1");
        assert_eq!(key, network_key("2001:db8:1:ffff::1"));
        assert_ne!(key, network_key("2001:db8:2:2::1"));
        assert_eq!(network_key("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
