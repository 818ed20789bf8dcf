//! Costs, the receiver of payments, and where deposits come from.

use order_core::{Address, Amount, Costs};

use super::reader::{ConfigError, Reader, variable_name};
use super::stripe::Stripe;

/// A kind of cost.
#[derive(Clone, Copy)]
pub struct CostName {
    /// Its name in GET /account, such as `assetCreateCost`.
    pub name: &'static str,
    slot: fn(&mut Costs) -> &mut Amount,
}

impl CostName {
    /// Every cost.
    pub const ALL: [Self; 10] = [
        Self {
            name: "assetCreateCost",
            slot: |costs| &mut costs.create_asset,
        },
        Self {
            name: "assetTransferCost",
            slot: |costs| &mut costs.transfer_asset,
        },
        Self {
            name: "valueTransferCost",
            slot: |costs| &mut costs.transfer_value,
        },
        Self {
            name: "assetUpdateCost",
            slot: |costs| &mut costs.update_asset,
        },
        Self {
            name: "setAbilitiesCost",
            slot: |costs| &mut costs.set_abilities,
        },
        Self {
            name: "assetDestroyCost",
            slot: |costs| &mut costs.destroy_asset,
        },
        Self {
            name: "assetRevokeCost",
            slot: |costs| &mut costs.revoke_asset,
        },
        Self {
            name: "assetDeployCost",
            slot: |costs| &mut costs.deploy,
        },
        Self {
            name: "assetApproveCost",
            slot: |costs| &mut costs.approve_operator,
        },
        Self {
            name: "dappValueApproveCost",
            slot: |costs| &mut costs.approve_value,
        },
    ];

    /// The cost of this name.
    pub fn of(self, costs: &mut Costs) -> &mut Amount {
        (self.slot)(costs)
    }
}

impl CostName {
    /// The variable that sets it: `COST_ASSET_CREATE`, ….
    pub(super) fn variable(self) -> String {
        variable_name("COST", self.name.trim_end_matches("Cost"))
    }
}

/// The source of deposits.
#[derive(Clone, Debug)]
pub enum Deposits {
    /// POST /deposits answers 400103.
    Off,
    /// Deposits succeed at once, without a payment.
    Test,
    /// Card payments that Stripe takes.
    Stripe(Stripe),
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// A key alone never switches deposits on, and nobody gets tokens for nothing where they are to be worth something.
    pub(super) fn deposits(&self, development: bool) -> Result<Deposits, ConfigError> {
        #[derive(Clone, Copy)]
        enum Kind {
            Off,
            Test,
            Stripe,
        }
        let kinds = [
            ("off", Kind::Off),
            ("test", Kind::Test),
            ("stripe", Kind::Stripe),
        ];
        Ok(match self.choice("DEPOSITS", "off", &kinds)? {
            Kind::Off => Deposits::Off,
            Kind::Test if !development => {
                return Err(ConfigError(
                    "`DEPOSITS` is `test`, which gives tokens for nothing and needs `ENVIRONMENT=development`; \
                     it may be `off` or `stripe`"
                        .to_owned(),
                ));
            }
            Kind::Test => Deposits::Test,
            Kind::Stripe => Deposits::Stripe(Stripe::read(|name| self.text(name))?),
        })
    }

    /// The costs and who receives them.
    pub(super) fn payments(
        &self,
        development: bool,
        deposits: &Deposits,
    ) -> Result<(Costs, Option<Address>), ConfigError> {
        let receiver = self.address("PAYMENT_RECEIVER")?;
        let is_on = self.choice("PAYMENTS", "on", &[("on", true), ("off", false)])?;
        if !is_on {
            let given = CostName::ALL
                .iter()
                .map(|cost| cost.variable())
                .find(|variable| self.text(variable).is_some());
            return match (given, deposits) {
                (Some(variable), _) => Err(ConfigError(format!(
                    "`PAYMENTS` is `off`, so that nothing costs anything; `{variable}` must not be set"
                ))),
                (None, Deposits::Stripe(_)) => Err(ConfigError(
                    "`PAYMENTS` is `off`, so that nothing costs anything; `DEPOSITS` must be `off` too, because \
                     it would sell tokens that nobody needs"
                        .to_owned(),
                )),
                (None, Deposits::Off | Deposits::Test) => Ok((Costs::FREE, receiver)),
            };
        }
        let costs = self.costs()?;
        if receiver.is_none() && costs != Costs::FREE && !development {
            return Err(ConfigError(
                "`PAYMENT_RECEIVER` must be set to the account that receives the fees: without it nobody could \
                 ever use them. Where nothing is to cost anything, set `PAYMENTS` to `off`"
                    .to_owned(),
            ));
        }
        Ok((costs, receiver))
    }

    /// The default costs, each replaced where its variable is set.
    fn costs(&self) -> Result<Costs, ConfigError> {
        let mut costs = Costs::default();
        for cost in CostName::ALL {
            let variable = cost.variable();
            if let Some(text) = self.text(&variable) {
                *cost.of(&mut costs) = text.parse().map_err(|_| {
                    ConfigError(format!(
                        "`{variable}` is `{text}`; it must be a whole number of base units"
                    ))
                })?;
            }
        }
        Ok(costs)
    }
}

#[cfg(test)]
mod tests {
    use order_core::Costs;

    use super::super::{Config, ConfigError};

    const RECEIVER: (&str, &str) = (
        "PAYMENT_RECEIVER",
        "0x3Aa5ebB10DC797CAC828524e59A333d0A371443c",
    );

    fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::read(|name| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn fees_need_a_receiver_but_in_development() {
        for variables in [&[][..], &[("PAYMENTS", "on")]] {
            let error = read(variables).unwrap_err().0;
            assert!(
                error.contains("`PAYMENT_RECEIVER`") && error.contains("`PAYMENTS`"),
                "{error}"
            );
        }
        assert!(read(&[RECEIVER]).unwrap().takes_payments());
        assert!(
            read(&[("ENVIRONMENT", "development")])
                .unwrap()
                .takes_payments()
        );
    }

    #[test]
    fn without_payments_nothing_costs_anything() {
        let config = read(&[("PAYMENTS", "off")]).unwrap();
        assert_eq!(config.costs, Costs::FREE);
        assert!(!config.takes_payments());
        let error = read(&[("PAYMENTS", "off"), ("COST_ASSET_DEPLOY", "1")]).unwrap_err();
        assert!(error.0.contains("`COST_ASSET_DEPLOY`"), "{error}");
        let error = read(&[
            ("PAYMENTS", "off"),
            ("DEPOSITS", "stripe"),
            ("STRIPE_SECRET_KEY", "sk_test_51Habcdefghijkl"),
            ("STRIPE_WEBHOOK_SECRET", "whsec_abcdefghijklmnopqrstuvwxyz"),
        ])
        .unwrap_err();
        assert!(error.0.contains("`DEPOSITS`"), "{error}");
    }

    #[test]
    fn a_cost_is_a_whole_number() {
        let error = read(&[RECEIVER, ("COST_ASSET_CREATE", "3.5")]).unwrap_err();
        assert!(error.0.contains("`COST_ASSET_CREATE` is `3.5`"), "{error}");
    }
}
