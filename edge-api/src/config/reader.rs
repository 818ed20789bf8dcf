//! Reads variables and explains errors in them.

use order_core::Address;

use super::limits::{Limit, Limits, limit_variable};
use crate::ports::Scope;

/// A setting that is missing or has an invalid value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigError(pub String);

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
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
