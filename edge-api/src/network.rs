//! Client addresses as they are counted: by network.

use std::net::IpAddr;

/// The key that an address is counted by. A client that has one IPv6 address has the other 2^64 of its network too.
pub(crate) fn address_key(text: &str) -> String {
    key_of_network(text, |[a, b, c, d, ..]| {
        format!("{a:x}:{b:x}:{c:x}:{d:x}::/64")
    })
}

/// Like `address_key`, but groups IPv6 by /48, the usual size of a site (RFC 6177). Used for daily quotas.
pub(crate) fn network_key(text: &str) -> String {
    key_of_network(text, |[a, b, c, ..]| format!("{a:x}:{b:x}:{c:x}::/48"))
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
    fn addresses_of_one_network_are_one() {
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
    fn a_site_is_one_network() {
        let key = network_key("2001:db8:1:2::1");
        assert_eq!(key, network_key("2001:db8:1:ffff::1"));
        assert_ne!(key, network_key("2001:db8:2:2::1"));
        assert_eq!(network_key("::ffff:192.0.2.1"), "192.0.2.1");
    }
}
