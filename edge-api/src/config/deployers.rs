//! The accounts that may deploy ledgers. A deployment makes the ledger's owner a funded account, because the owner gets
//! abilities on the ledger. A funded account has its own daily quota (`db/storage.rs`). A deployment fee keeps unfunded
//! accounts from deploying. Without a fee, the operator lists the deployers.

use order_core::{Address, Amount, Costs};

use super::reader::{ConfigError, Reader};

/// Accounts whose deployments an instance accepts; `DEPLOYERS`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deployers {
    /// Every account.
    Anyone,
    /// The listed accounts.
    Only(Vec<Address>),
}

impl Deployers {
    /// Returns true if this account may deploy.
    #[must_use]
    pub fn include(&self, maker: &Address) -> bool {
        match self {
            Self::Anyone => true,
            Self::Only(accounts) => accounts.contains(maker),
        }
    }
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads `DEPLOYERS`. The default is every account if deploying has a fee or the instance is for development. Otherwise
    /// the default is no account.
    pub(super) fn deployers(
        &self,
        development: bool,
        costs: &Costs,
    ) -> Result<Deployers, ConfigError> {
        match self.text("DEPLOYERS").as_deref() {
            Some("anyone") => Ok(Deployers::Anyone),
            Some(text) => text
                .split(',')
                .map(|account| account.trim().parse())
                .collect::<Result<_, _>>()
                .map(Deployers::Only)
                .map_err(|_| {
                    ConfigError(format!(
                        "`DEPLOYERS` is `{text}`; it must be `anyone`, or Ethereum addresses separated by commas"
                    ))
                }),
            None if development || costs.deploy != Amount::ZERO => Ok(Deployers::Anyone),
            None => Ok(Deployers::Only(Vec::new())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Config, ConfigError};
    use super::Deployers;

    const ONE: &str = "0x3Aa5ebB10DC797CAC828524e59A333d0A371443c";
    const OTHER: &str = "0x90f79bf6eb2c4f870365e785982e1f101e93b906";

    fn deployers(variables: &[(&str, &str)]) -> Result<Deployers, ConfigError> {
        let read = |name: &str| {
            let named = ("SERVICE_NAME", "ours");
            let mut settings = variables.iter().chain([&named]);
            let found = settings.find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        Config::read(read).map(|config| config.deployers)
    }

    #[test]
    fn free_deployments_need_a_listed_deployer() {
        let nobody = Deployers::Only(Vec::new());
        let paid = ("PAYMENT_RECEIVER", ONE);
        assert_eq!(deployers(&[("PAYMENTS", "off")]), Ok(nobody.clone()));
        assert_eq!(deployers(&[paid, ("COST_ASSET_DEPLOY", "0")]), Ok(nobody));
        assert_eq!(deployers(&[paid]), Ok(Deployers::Anyone));
        let development = [("PAYMENTS", "off"), ("ENVIRONMENT", "development")];
        assert_eq!(deployers(&development), Ok(Deployers::Anyone));
    }

    #[test]
    fn the_operator_lists_deployers() {
        let named = |text: &str| deployers(&[("PAYMENTS", "off"), ("DEPLOYERS", text)]);
        assert_eq!(named("anyone"), Ok(Deployers::Anyone));
        let both = named(&format!("{ONE}, {OTHER}")).unwrap();
        assert!(both.include(&ONE.parse().unwrap()) && both.include(&OTHER.parse().unwrap()));
        assert!(!named(ONE).unwrap().include(&OTHER.parse().unwrap()));
        for wrong in ["nobody", "0x12", "anyone,", &format!("{ONE} {OTHER}")] {
            assert!(
                named(wrong).unwrap_err().0.contains("`DEPLOYERS`"),
                "{wrong}"
            );
        }
    }
}
