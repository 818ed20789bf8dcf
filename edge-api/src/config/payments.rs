//! Costs, the receiver of payments, and the source of deposits.

use order_core::{Address, Costs};

use super::reader::{ConfigError, Mistakes, Reader, variable_name};
use super::stripe::Stripe;

/// Returns the variables that set costs, with the name of each cost: `COST_ASSET_CREATE`, ….
pub(super) fn cost_variables() -> impl Iterator<Item = (String, &'static str)> {
    Costs::NAMES
        .iter()
        .map(|name| (variable_name("COST", name.trim_end_matches("Cost")), *name))
}

/// The source of deposits.
#[derive(Clone, Debug)]
pub enum Deposits {
    /// POST /deposits is refused with 400103.
    Off,
    /// Deposits succeed immediately, without a payment.
    Test,
    /// Card payments through Stripe.
    Stripe(Stripe),
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    /// Reads the source of deposits. A Stripe key alone does not enable deposits. Free test deposits need a development
    /// instance, because tokens must not be free where they have a value.
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
                    "`DEPOSITS` is `test`, which gives tokens away and needs `ENVIRONMENT=development`; \
                     it may be `off` or `stripe`"
                        .to_owned(),
                ));
            }
            Kind::Test => Deposits::Test,
            Kind::Stripe => Deposits::Stripe(Stripe::read(|name| self.text(name))?),
        })
    }

    /// Reads the costs and their receiver. The receiver is `None` if it is not set.
    pub(super) fn payments(
        &self,
        development: bool,
        deposits: &Deposits,
    ) -> Result<(Costs, Option<Address>), ConfigError> {
        let receiver = self.address("PAYMENT_RECEIVER")?;
        let is_on = self.choice("PAYMENTS", "on", &[("on", true), ("off", false)])?;
        if !is_on {
            let given = cost_variables()
                .map(|(variable, _)| variable)
                .find(|variable| self.text(variable).is_some());
            return match (given, deposits) {
                (Some(variable), _) => Err(ConfigError(format!(
                    "`PAYMENTS` is `off`, so all costs are zero; `{variable}` must not be set"
                ))),
                (None, Deposits::Stripe(_)) => Err(ConfigError(
                    "`PAYMENTS` is `off`, so all costs are zero; `DEPOSITS` must be `off` too, because \
                     it would sell tokens that nobody needs"
                        .to_owned(),
                )),
                (None, Deposits::Off | Deposits::Test) => Ok((Costs::FREE, receiver)),
            };
        }
        let costs = self.costs()?;
        if receiver.is_none() && costs != Costs::FREE && !development {
            return Err(ConfigError(
                "`PAYMENT_RECEIVER` must be set to the account that receives the fees: otherwise they would go to an account \
                 for which no key exists. If nothing should have a cost, set `PAYMENTS` to `off`"
                    .to_owned(),
            ));
        }
        Ok((costs, receiver))
    }

    /// Reads the costs. A cost whose variable is not set has its default.
    fn costs(&self) -> Result<Costs, ConfigError> {
        let (mut costs, mut wrong) = (Costs::default(), Mistakes::default());
        for (variable, name) in cost_variables() {
            let text = self.text(&variable);
            if let (Some(text), Some(cost)) = (text, costs.named_mut(name)) {
                match text.parse() {
                    Ok(read) => *cost = read,
                    Err(_) => wrong.add(format!(
                        "`{variable}` is `{text}`; it must be a whole number of base units"
                    )),
                }
            }
        }
        wrong.finish(Some(costs))
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
            let named = ("SERVICE_NAME", "ours");
            let mut settings = variables.iter().chain([&named]);
            let found = settings.find(|(key, _)| *key == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn fees_need_a_receiver_except_in_development() {
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
    fn without_payments_all_costs_are_zero() {
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
