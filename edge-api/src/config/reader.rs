//! Reads variables and explains errors in them.

use order_core::Address;

use super::limits::{Limit, Limits, limit_variable};
use super::{AddressOverrides, Weakened};
use crate::ports::Scope;

/// The settings that are missing, unknown or have an invalid value, each with a reason. `; ` separates the reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub String);

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl ConfigError {
    /// Adds the reasons of another error.
    #[must_use]
    pub fn and(self, other: Option<Self>) -> Self {
        let reasons = [Some(self), other].into_iter().flatten();
        let reasons: Vec<String> = reasons.map(|Self(why)| why).collect();
        Self(reasons.join("; "))
    }
}

/// Collects the mistakes in settings, so that an operator can correct them together.
#[derive(Default)]
pub(super) struct Mistakes(Vec<String>);

impl Mistakes {
    /// Adds a mistake.
    pub(super) fn add(&mut self, why: String) {
        self.0.push(why);
    }

    /// Returns the value, or adds the mistake.
    pub(super) fn note<T>(&mut self, read: Result<T, ConfigError>) -> Option<T> {
        read.map_err(|ConfigError(why)| self.add(why)).ok()
    }

    /// Returns the settings if there is no mistake.
    pub(super) fn finish<T>(self, read: Option<T>) -> Result<T, ConfigError> {
        match read {
            Some(read) if self.0.is_empty() => Ok(read),
            _ => Err(ConfigError(self.0.join("; "))),
        }
    }
}

/// Reads variables and explains errors in them.
pub(super) struct Reader<'a, F> {
    pub(super) variable: &'a F,
}

impl<F: Fn(&str) -> Option<String>> Reader<'_, F> {
    pub(super) fn text(&self, name: &str) -> Option<String> {
        (self.variable)(name)
            .map(|text| text.trim().to_owned())
            .filter(|text| !text.is_empty())
    }

    pub(super) fn parsed<T>(
        &self,
        name: &str,
        default: &str,
        parse: impl Fn(&str) -> Option<T>,
        what: &str,
    ) -> Result<T, ConfigError> {
        let text = self.text(name).unwrap_or_else(|| default.to_owned());
        parse(&text).ok_or_else(|| ConfigError(format!("`{name}` is `{text}`; it must be {what}")))
    }

    pub(super) fn choice<T: Copy>(
        &self,
        name: &str,
        default: &str,
        choices: &[(&str, T)],
    ) -> Result<T, ConfigError> {
        let names: Vec<String> = choices
            .iter()
            .map(|(name, _)| format!("`{name}`"))
            .collect();
        let find = |text: &str| {
            choices
                .iter()
                .find(|(name, _)| *name == text)
                .map(|(_, value)| *value)
        };
        self.parsed(name, default, find, &names.join(" or "))
    }

    pub(super) fn limit(&self, scope: Scope) -> Result<Option<Limit>, ConfigError> {
        self.parsed(limit_variable(scope), "off", Limits::parse, Limits::FORM)
    }

    pub(super) fn flag(&self, name: &str) -> Result<bool, ConfigError> {
        self.choice(
            name,
            "false",
            &[("false", false), ("true", true), ("0", false), ("1", true)],
        )
    }

    /// Reads the settings that weaken a service. All but `WEBHOOK_CONFIRMATION` need a development instance.
    pub(super) fn weakened(&self, development: bool, wrong: &mut Mistakes) -> Option<Weakened> {
        let private_fetch = wrong.note(self.flag("ALLOW_PRIVATE_FETCH"));
        let movable_clock = wrong.note(self.flag("MOVABLE_CLOCK"));
        let abort_at = self.text("ABORT_AT");
        let given = [
            ("ALLOW_PRIVATE_FETCH", private_fetch == Some(true)),
            ("MOVABLE_CLOCK", movable_clock == Some(true)),
            ("ABORT_AT", abort_at.is_some()),
        ];
        for (name, _) in given.iter().filter(|(_, is_on)| *is_on && !development) {
            wrong.add(format!(
                "`{name}` weakens the service and needs `ENVIRONMENT=development`"
            ));
        }
        let unconfirmed_webhooks = wrong.note(self.choice(
            "WEBHOOK_CONFIRMATION",
            "required",
            &[("required", false), ("off", true)],
        ));
        Some(Weakened {
            private_fetch: private_fetch?,
            movable_clock: movable_clock?,
            abort_at,
            unconfirmed_webhooks: unconfirmed_webhooks?,
        })
    }

    /// Reads the addresses of gateways and token that the operator sets.
    pub(super) fn overrides(&self) -> Result<AddressOverrides, ConfigError> {
        let mut wrong = Mistakes::default();
        let mut address = |name| wrong.note(self.address(name));
        let read = (
            address("GATEWAY_ACTIONS"),
            address("GATEWAY_DEPLOY"),
            address("TOKEN_ADDRESS"),
        );
        let (actions, deploy, token) = read;
        let read = actions.zip(deploy).zip(token);
        wrong.finish(read.map(|((actions, deploy), token)| AddressOverrides {
            actions,
            deploy,
            token,
        }))
    }

    pub(super) fn address(&self, name: &str) -> Result<Option<Address>, ConfigError> {
        self.text(name)
            .map(|text| {
                text.parse().map_err(|_| {
                    ConfigError(format!(
                        "`{name}` is `{text}`; it must be an Ethereum address"
                    ))
                })
            })
            .transpose()
    }

    /// Reads addresses that are separated by commas. Returns an empty list if the variable is not set.
    pub(super) fn addresses(&self, name: &str) -> Result<Vec<Address>, ConfigError> {
        let text = self.text(name).unwrap_or_default();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let read: Result<_, _> = text.split(',').map(|one| one.trim().parse()).collect();
        read.map_err(|_| {
            ConfigError(format!(
                "`{name}` is `{text}`; it must be Ethereum addresses separated by commas"
            ))
        })
    }
}

/// Returns a variable's name: `COST_ASSET_CREATE` for `COST` and `assetCreate`.
pub(super) fn variable_name(prefix: &str, camel: &str) -> String {
    let mut name = prefix.to_owned();
    name.push('_');
    for character in camel.chars() {
        if character.is_ascii_uppercase() {
            name.push('_');
        }
        name.push(character.to_ascii_uppercase());
    }
    name
}
