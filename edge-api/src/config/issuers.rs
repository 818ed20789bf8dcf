//! Issuers: the accounts that the operator confirms, and the resolver for the DNS records of domains.

use order_core::Address;

use super::reader::{ConfigError, Reader};
use crate::text::{NAME_MAX, shown_name};

/// The default resolver. The company that runs it also runs the network of the Workers.
const RESOLVER: &str = "https://cloudflare-dns.com/dns-query";

/// An account that the operator of this service confirms, such as an account of the operator's own organisation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmedAccount {
    /// The account.
    pub account: Address,
    /// The name that the operator gives the account.
    pub name: String,
}

impl ConfirmedAccount {
    /// Parses `0x… University of Example`. Returns `None` if the address or the name is not valid.
    fn parse(text: &str) -> Option<Self> {
        let (account, name) = text.trim().split_once(' ')?;
        Some(Self {
            account: account.parse().ok()?,
            name: shown_name(name, NAME_MAX)?.to_owned(),
        })
    }
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the accounts that the operator confirms. Names may contain commas, so entries are separated by semicolons.
    pub(super) fn confirmed_accounts(&self) -> Result<Vec<ConfirmedAccount>, ConfigError> {
        self.parsed(
            "CONFIRMED_ACCOUNTS",
            "",
            |text| {
                let entries = text.split(';').filter(|entry| !entry.trim().is_empty());
                entries.map(ConfirmedAccount::parse).collect()
            },
            "addresses with names, such as `0x3C44…93BC University of Example; 0x7099…79C8 Museum`",
        )
    }

    /// Reads the resolver's address. Returns `None` if the setting is `off`, which means that DNS is not used.
    pub(super) fn resolver(&self, development: bool) -> Result<Option<String>, ConfigError> {
        let is_url =
            |text: &str| text.starts_with("https://") || development && text.starts_with("http://");
        self.parsed(
            "DOH_URL",
            RESOLVER,
            |text| match text {
                "off" => Some(None),
                _ => is_url(text).then(|| Some(text.to_owned())),
            },
            "`off`, or the https address of a DNS-over-HTTPS resolver that answers in JSON",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};

    const ONE: &str = "0x3Aa5ebB10DC797CAC828524e59A333d0A371443c";
    const OTHER: &str = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";

    fn read(name: &str, value: &str) -> Result<Config, ConfigError> {
        Config::read(|key| {
            let required = [("PAYMENTS", "off"), ("SERVICE_NAME", "ours")];
            let mut settings = [(name, value)].into_iter().chain(required);
            let found = settings.find(|(setting, _)| *setting == key);
            found.map(|(_, value)| value.to_owned())
        })
    }

    #[test]
    fn the_operator_confirms_accounts_with_names() {
        let config = read(
            "CONFIRMED_ACCOUNTS",
            &format!("{ONE} Department of Law, Example; {OTHER}  Museum ;"),
        );
        let accounts = config.unwrap().confirmed_accounts;
        let names: Vec<&str> = accounts.iter().map(|entry| entry.name.as_str()).collect();
        assert_eq!(names, ["Department of Law, Example", "Museum"]);
        assert_eq!(accounts[0].account.to_string(), ONE);
        assert!(
            read("CONFIRMED_ACCOUNTS", "")
                .unwrap()
                .confirmed_accounts
                .is_empty()
        );
        let long = format!("{ONE} {}", "n".repeat(101));
        for wrong in [
            ONE,
            &format!("{ONE} "),
            "Museum",
            "0x12 Museum",
            &format!("{ONE} Muse\u{202e}um"),
            &format!("{ONE} Museum, {OTHER}; x"),
            &long,
        ] {
            let error = read("CONFIRMED_ACCOUNTS", wrong).unwrap_err().0;
            assert!(error.contains("`CONFIRMED_ACCOUNTS`"), "{wrong}: {error}");
        }
    }

    #[test]
    fn the_resolver_is_queried_over_tls() {
        let resolver = |url| read("DOH_URL", url).map(|config| config.resolver);
        assert_eq!(resolver("off"), Ok(None));
        assert_eq!(
            resolver("https://dns.example/q"),
            Ok(Some("https://dns.example/q".to_owned()))
        );
        assert!(resolver("").unwrap().is_some());
        for wrong in ["http://dns.example/", "dns.example", "on"] {
            assert!(resolver(wrong).unwrap_err().0.contains("`DOH_URL`"));
        }
    }
}
