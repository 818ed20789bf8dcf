//! Settings of an instance, read once from the Worker's variables. If a value is wrong, the service does not start, and the
//! log gives the reason.

mod addresses;
mod backup;
mod chain;
mod deployers;
mod issuers;
mod limits;
mod monitoring;
mod names;
mod operator;
mod payments;
mod price;
mod reader;
mod status;
mod stripe;

pub use addresses::AddressOverrides;
pub use backup::Backup;
pub use chain::{Chain, Finality, RelayerKey};
pub(crate) use deployers::Deployers;
pub(crate) use issuers::ConfirmedAccount;
pub use limits::{Limit, Limits};
pub use monitoring::AlertLimits;
pub(crate) use monitoring::MetricsToken;
pub(crate) use operator::{Contact, Operator};
pub use payments::Deposits;
pub use price::{Price, PriceSource};
pub use reader::ConfigError;
pub use status::StatusKey;
pub use stripe::{Secret, Stripe};

use order_core::{Address, AuthorizationPolicy, Costs, EthSignReading, Gateways};

use self::reader::{Mistakes, Reader};
use crate::ports::Scope;

/// Default of `SERVICE_NAME`. Production does not start with the authorization text that results from this name.
const DEFAULT_NAME: &str = "assay";

/// Returns the default text to sign for the Authorization header, for a service of this name.
fn text_of(service_name: &str) -> String {
    format!("{service_name} api")
}

/// Everything that an operator can set.
#[derive(Clone, Debug)]
pub struct Config {
    /// The service's name; `SERVICE_NAME`. The default, `assay`, is for development.
    pub service_name: String,
    /// The platform's id of the version of the Worker that runs. Not a setting: the host sets it. `None` on hosts without versions.
    pub version_id: Option<String>,
    /// The text to sign for the Authorization header, and the meaning of ETH_SIGN signatures; `AUTH_TEXT`, `AUTH_ETH_SIGN`.
    pub authorization: AuthorizationPolicy,
    /// True if the signed Authorization header is accepted; `LEGACY_AUTH`.
    pub legacy_auth: bool,
    /// True for a development instance, which answers only under loopback names; `ENVIRONMENT=development`.
    pub development: bool,
    /// True if an account must provide its information before it uses most routes; `REQUIRE_IDENTIFICATION`.
    pub require_identification: bool,
    /// The source of deposits; `DEPOSITS`.
    pub deposits: Deposits,
    /// The price of a token in EUR; `TOKEN_PRICE_EUR`, default 0.042.
    pub token_price: Price,
    /// The server that provides the price of a token; `TICKER_URL`, `TICKER_POINTER`. `token_price` applies until the server has
    /// answered.
    pub price_source: Option<PriceSource>,
    /// The costs of actions in base units; `COST_…`. All are zero if `PAYMENTS` is `off`.
    pub costs: Costs,
    /// Accounts that may deploy ledgers; `DEPLOYERS`.
    pub deployers: Deployers,
    /// Accounts that may call `/admin` and `/metrics`; `ADMIN_ACCOUNTS`. Empty if no account may.
    pub admins: Vec<Address>,
    /// The address that gets alerts; `ALERT_URL`.
    pub alert_url: Option<Secret>,
    /// The address of the runbook, without a fragment; `RUNBOOK_URL`.
    pub runbook_url: String,
    /// The token with which a monitor reads `/metrics`; `METRICS_TOKEN`. `None` if only administrators may.
    pub metrics_token: Option<MetricsToken>,
    /// The size that the database can have, in bytes; `DATABASE_LIMIT_GB`, default 10.
    pub database_limit: u64,
    /// The limits of alerts; `ALERT_…`.
    pub alert_limits: AlertLimits,
    /// Nightly backups; `BACKUP_…`. `None` if the service makes none.
    pub backup: Option<Backup>,
    /// The account that receives payments; `PAYMENT_RECEIVER`. Defaults to an account of the instance for which no key
    /// exists. Production accepts the default only if all costs are zero.
    pub payment_receiver: Option<Address>,
    /// Addresses that replace those derived from the instance; `GATEWAY_…`, `TOKEN_ADDRESS`.
    pub addresses: AddressOverrides,
    /// The chain of the ledger; `LEDGER=evm` and the settings of `chain.rs`. `None` for the embedded ledger.
    pub chain: Option<Chain>,
    /// Seconds for which a badge's verdict is cached; `BADGE_CACHE_SECONDS`, default 60.
    pub badge_cache_seconds: u64,
    /// Accounts that the operator confirms as issuers; `CONFIRMED_ACCOUNTS`.
    pub confirmed_accounts: Vec<ConfirmedAccount>,
    /// The resolver for DNS records; `DOH_URL`. `None` if DNS is not used.
    pub resolver: Option<String>,
    /// The operator's name and addresses; `OPERATOR_…`.
    pub operator: Operator,
    /// True if the service hosts files; `FILES`.
    pub files: bool,
    /// The key of status lists; `STATUS_KEY`. `None` if the service has no status lists.
    pub status_key: Option<StatusKey>,
    /// Rate limits; `RATE_LIMIT_ADDRESS`, `RATE_LIMIT_ACCOUNT`.
    pub limits: Limits,
    /// Settings that weaken the service.
    pub weakened: Weakened,
}

/// Settings that weaken the service. They default to off, and `/health` lists them while they are on.
#[derive(Clone, Debug, Default)]
pub struct Weakened {
    /// Outbound requests may use http and reach private addresses; `ALLOW_PRIVATE_FETCH`.
    pub private_fetch: bool,
    /// `PUT /development/clock` moves the service's time; `MOVABLE_CLOCK`.
    pub movable_clock: bool,
    /// The step at which the Worker aborts; `ABORT_AT`.
    pub abort_at: Option<String>,
    /// Webhooks receive events before their receivers have answered a challenge; `WEBHOOK_CONFIRMATION=off`. Production
    /// may use this setting for receivers that were written for another service.
    pub unconfirmed_webhooks: bool,
}

impl Config {
    /// Reads the settings through `variable`, which returns a variable's text.
    ///
    /// # Errors
    /// [`ConfigError`], which names each wrong variable and its valid values. [`Config::check_names`] finds unknown variables.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Result<Self, ConfigError> {
        let read = Reader {
            variable: &variable,
        };
        let mut wrong = Mistakes::default();
        let development = wrong.note(read.choice(
            "ENVIRONMENT",
            "production",
            &[("production", false), ("development", true)],
        ));
        // The rules for production apply if the environment cannot be read.
        let is_development = development == Some(true);
        let service_name = read
            .text("SERVICE_NAME")
            .unwrap_or_else(|| DEFAULT_NAME.to_owned());
        let text = read
            .text("AUTH_TEXT")
            .unwrap_or_else(|| text_of(&service_name));
        if !is_development && text == text_of(DEFAULT_NAME) {
            wrong.add(format!(
                "`SERVICE_NAME` is `{DEFAULT_NAME}`, the default: a signature of `{text}` is valid at every service of that name, so set \
                 `SERVICE_NAME` to a name of your own, such as your domain"
            ));
        }
        let weakened = read.weakened(is_development, &mut wrong);
        let deposits = wrong.note(read.deposits(is_development));
        let payments = deposits
            .as_ref()
            .and_then(|deposits| wrong.note(read.payments(is_development, deposits)));
        let deployers = payments
            .as_ref()
            .and_then(|(costs, _)| wrong.note(read.deployers(is_development, costs)));
        let addresses = wrong.note(read.overrides());
        let is_on_chain = wrong.note(read.is_on_chain(cfg!(feature = "evm")));
        #[cfg(feature = "evm")]
        let chain = match (is_on_chain, &addresses, &payments, &deposits) {
            (Some(true), Some(addresses), Some((_, receiver)), Some(deposits)) => wrong
                .note(read.chain(addresses, *receiver, deposits))
                .map(Some),
            _ => Some(None),
        };
        // Without the feature, `LEDGER=evm` is a mistake.
        #[cfg(not(feature = "evm"))]
        let chain = is_on_chain.map(|_| None);
        let eth_sign = wrong.note(read.choice(
            "AUTH_ETH_SIGN",
            "text",
            &[
                ("text", EthSignReading::Text),
                ("sha256", EthSignReading::Sha256),
            ],
        ));
        let switch = [("off", false), ("on", true)];
        let legacy_auth = wrong.note(read.choice("LEGACY_AUTH", "on", &switch));
        let require_identification = wrong.note(read.flag("REQUIRE_IDENTIFICATION"));
        let token_price = wrong.note(read.parsed(
            "TOKEN_PRICE_EUR",
            "0.042",
            Price::parse,
            "a positive decimal such as `0.042`",
        ));
        let price_source = read.text("TICKER_URL").map(|url| PriceSource {
            url,
            pointer: read
                .text("TICKER_POINTER")
                .unwrap_or_else(|| "/price".to_owned()),
        });
        let admins = wrong.note(read.addresses("ADMIN_ACCOUNTS"));
        let runbook_url = wrong.note(read.runbook_url());
        let metrics_token = wrong.note(read.metrics_token());
        let database_limit = wrong.note(read.database_limit());
        let alert_limits = wrong.note(read.alert_limits());
        let backup = wrong.note(read.backup());
        let badge_cache_seconds = wrong.note(read.parsed(
            "BADGE_CACHE_SECONDS",
            "60",
            |text| text.parse().ok(),
            "a number of seconds",
        ));
        let confirmed_accounts = wrong.note(read.confirmed_accounts());
        let resolver = wrong.note(read.resolver(is_development));
        let operator = wrong.note(read.operator());
        let files = wrong.note(read.choice("FILES", "off", &switch));
        let status_key = wrong.note(read.status_key());
        let by_address = wrong.note(read.limit(Scope::Address));
        let by_account = wrong.note(read.limit(Scope::Account));
        let config = move || {
            let (costs, payment_receiver) = payments?;
            Some(Self {
                authorization: AuthorizationPolicy::new(text, eth_sign?),
                legacy_auth: legacy_auth?,
                service_name,
                version_id: None,
                development: development?,
                require_identification: require_identification?,
                deposits: deposits?,
                token_price: token_price?,
                price_source,
                deployers: deployers?,
                costs,
                admins: admins?,
                alert_url: read.text("ALERT_URL").map(Secret::from),
                runbook_url: runbook_url?,
                metrics_token: metrics_token?,
                database_limit: database_limit?,
                alert_limits: alert_limits?,
                backup: backup?,
                payment_receiver,
                addresses: addresses?,
                chain: chain?,
                badge_cache_seconds: badge_cache_seconds?,
                confirmed_accounts: confirmed_accounts?,
                resolver: resolver?,
                operator: operator?,
                files: files?,
                status_key: status_key?,
                limits: Limits {
                    address: by_address?,
                    account: by_account?,
                },
                weakened: weakened?,
            })
        };
        wrong.finish(config())
    }

    /// Returns true if any action costs tokens.
    #[must_use]
    pub fn takes_payments(&self) -> bool {
        self.costs != Costs::FREE
    }

    /// Returns `on`, or `off` if the service has no status lists.
    #[must_use]
    pub fn status_lists(&self) -> &'static str {
        match self.status_key {
            Some(_) => "on",
            None => "off",
        }
    }

    /// Returns the addresses of the gateways, the token and the payment receiver. Each is set by the operator, or derived from
    /// the instance.
    #[must_use]
    pub fn gateways(&self, instance: &[u8; 32]) -> Gateways {
        let mut gateways = Gateways::derive(instance);
        let set = |slot: &mut Address, value: Option<Address>| {
            if let Some(value) = value {
                *slot = value;
            }
        };
        set(&mut gateways.actions, self.addresses.actions);
        set(&mut gateways.deploy, self.addresses.deploy);
        set(&mut gateways.token, self.addresses.token);
        set(&mut gateways.payment_receiver, self.payment_receiver);
        gateways
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads the given settings together with the required settings.
    fn read(variables: &[(&str, &str)]) -> Result<Config, ConfigError> {
        Config::read(|name| {
            variables
                .iter()
                .chain(&[("PAYMENTS", "off"), ("SERVICE_NAME", "ours")])
                .find(|(key, _)| *key == name)
                .map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn production_refuses_the_default_text() {
        let development = ("ENVIRONMENT", "development");
        for default in [
            ("SERVICE_NAME", "assay"),
            ("SERVICE_NAME", " "),
            ("AUTH_TEXT", "assay api"),
        ] {
            let error = read(&[default]).unwrap_err().0;
            assert!(error.contains("set `SERVICE_NAME`"), "{error}");
            let local = read(&[default, development]).unwrap();
            assert_eq!(local.authorization.text(), "assay api");
        }
        // The operator may choose the text of another service.
        assert!(read(&[("SERVICE_NAME", "assay"), ("AUTH_TEXT", "sign in to us")]).is_ok());
    }

    #[test]
    fn webhooks_are_confirmed_unless_the_setting_is_off() {
        assert!(!read(&[]).unwrap().weakened.unconfirmed_webhooks);
        let off = read(&[("WEBHOOK_CONFIRMATION", "off")]).unwrap();
        assert!(off.weakened.unconfirmed_webhooks);
    }

    #[test]
    fn free_tokens_need_development() {
        let error = read(&[("DEPOSITS", "test")]).unwrap_err().0;
        assert!(error.contains("ENVIRONMENT=development"), "{error}");
        assert!(read(&[("DEPOSITS", "test"), ("ENVIRONMENT", "development")]).is_ok());
    }

    #[test]
    fn weakening_settings_need_development() {
        for name in ["ALLOW_PRIVATE_FETCH", "MOVABLE_CLOCK", "ABORT_AT"] {
            assert!(read(&[(name, "true")]).unwrap_err().0.contains(name));
            assert!(read(&[(name, "true"), ("ENVIRONMENT", "development")]).is_ok());
        }
    }

    #[test]
    fn errors_of_wrong_values_name_the_variable() {
        for (name, value) in [
            ("ENVIRONMENT", "dev"),
            ("DEPOSITS", "yes"),
            ("TOKEN_PRICE_EUR", "free"),
            ("PAYMENT_RECEIVER", "0x12"),
            ("ADMIN_ACCOUNTS", "0x12"),
            ("PAYMENTS", "no"),
            ("GATEWAY_ACTIONS", "me"),
            ("REQUIRE_IDENTIFICATION", "maybe"),
            ("RATE_LIMIT_ADDRESS", "300"),
            ("RATE_LIMIT_ACCOUNT", "300/30"),
            ("WEBHOOK_CONFIRMATION", "no"),
            ("FILES", "true"),
            ("LEGACY_AUTH", "false"),
        ] {
            assert!(
                read(&[(name, value)])
                    .unwrap_err()
                    .0
                    .contains(&format!("`{name}` is `{value}`")),
                "{name}"
            );
        }
    }

    #[test]
    fn all_mistakes_are_named_together() {
        let given = [
            ("ENVIRONMENT", "dev"),
            ("MOVABLE_CLOCK", "true"),
            ("PAYMENTS", "on"),
            ("COST_ASSET_CREATE", "free"),
            ("COST_ASSET_UPDATE", "-1"),
            ("GATEWAY_DEPLOY", "me"),
            ("TOKEN_ADDRESS", "me"),
            ("FILES", "true"),
        ];
        let why = read(&given).unwrap_err().0;
        for (name, _) in given.iter().filter(|(name, _)| *name != "PAYMENTS") {
            assert!(why.contains(&format!("`{name}`")), "{name}: {why}");
        }
        let why = Config::check_names(["DEPOSIT", "PAYMENT"]).unwrap_err().0;
        assert!(
            why.contains("`DEPOSITS`") && why.contains("`PAYMENTS`"),
            "{why}"
        );
    }

    #[test]
    fn addresses_are_derived_unless_set() {
        let derived = read(&[]).unwrap().gateways(&[1; 32]);
        assert_ne!(
            derived.actions,
            read(&[]).unwrap().gateways(&[2; 32]).actions
        );
        let address = "0x3Aa5ebB10DC797CAC828524e59A333d0A371443c";
        let set = read(&[("GATEWAY_ACTIONS", address)])
            .unwrap()
            .gateways(&[1; 32]);
        assert_eq!(set.actions.to_string(), address);
        assert_eq!(set.deploy, derived.deploy);
        assert_eq!(set.proxies, derived.proxies);
    }
}
