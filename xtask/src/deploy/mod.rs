//! Deploys the service: `cargo xtask deploy`. Each step can be repeated, so a stopped run continues when the command is run again.

mod checks;
mod configuration;
mod options;
mod platform;
mod record;
mod remote;
mod resources;

use std::ffi::OsString;
use std::path::Path;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

pub(crate) use configuration::{Environment, parse};
pub(crate) use options::{DeployOptions, WranglerOptions};
pub(crate) use remote::Remote;

use crate::node::Node;
use crate::server::{self, Server};
use crate::wasm::Profile;
use crate::workspace::Workspace;
use crate::{build, report, stamp};
use configuration::Configuration;
use options::DeployAction;
use platform::Wrangler;
use resources::{choose, create};

/// Secrets, each with a placeholder.
type Requirements = &'static [(&'static str, &'static str)];

/// The secrets that a setting needs if it has a certain value: the setting, the value, and the secrets with placeholders. Only the platform
/// has the secrets, so the Worker starts on this machine with the placeholders.
const SECRETS: [(&str, &str, Requirements); 3] = [
    (
        "DEPOSITS",
        "stripe",
        &[
            ("STRIPE_SECRET_KEY", "sk_live_placeholder000000000000"),
            (
                "STRIPE_WEBHOOK_SECRET",
                "whsec_cGxhY2Vob2xkZXIwMDAwMDAwMDAwMDAw",
            ),
        ],
    ),
    (
        "LEDGER",
        "evm",
        &[
            // The maximum number of addresses that the service allows, so that every quorum is valid.
            (
                "RPC_URLS",
                "https://1.invalid,https://2.invalid,https://3.invalid,https://4.invalid,\
                 https://5.invalid,https://6.invalid,https://7.invalid,https://8.invalid",
            ),
            (
                "RELAYER_KEY",
                "0x0000000000000000000000000000000000000000000000000000000000000001",
            ),
        ],
    ),
    (
        "SEND_PRIVATE",
        "only",
        &[("RPC_SEND_URLS", "https://private.invalid")],
    ),
];
/// Secrets that no setting requires.
const OPTIONAL_SECRETS: [&str; 1] = ["ALERT_URL"];

/// The output of host/smoke.mjs.
#[derive(Debug, Deserialize)]
struct Smoke {
    service: String,
    version: String,
    weakening: Vec<String>,
}

/// Deploys the service, or rolls it back to an earlier version.
pub(crate) fn run(workspace: &Workspace, options: &DeployOptions) -> Result<ExitCode> {
    let _lock = stamp::lock(&workspace.cache(), "deploy")?;
    let node = Node::ready(workspace)?;
    match &options.action {
        Some(DeployAction::Rollback { service, version }) => {
            roll_back(workspace, &node, &service.env, version.as_deref())?;
        }
        None => deploy(workspace, &node, options)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn deploy(workspace: &Workspace, node: &Node, options: &DeployOptions) -> Result<()> {
    let mut configuration = configure(workspace, options)?;
    let command = format!("cargo xtask deploy{}", options.service.env.option());
    checks::settings(&configuration.render(workspace)?, &command)?;
    report::note("The monthly costs: docs/operating.md, \"Costs\".");
    if !options.dry_run {
        configuration.save(workspace)?;
    }

    let dist = build::worker(workspace, node, configuration.edition(), Profile::Release)?;
    if options.dry_run {
        let record = workspace.cache().join("deploy/dry-run.log");
        configuration.move_to(&workspace.cache().join("deploy"));
        configuration.save(workspace)?;
        warn(&starts(workspace, node, &dist, configuration.path())?);
        let wrangler = Wrangler::new(workspace, node, &configuration, record);
        report::step("wrangler accepts the configuration", || wrangler.simulate())?;
        for resource in configuration.resources() {
            report::note(&format!("  needed: {resource}"));
        }
        report::note(
            "Nothing was created, because of --dry-run. Missing resources are created by the same command without it.",
        );
        return Ok(());
    }
    starts(workspace, node, &dist, configuration.path())?;

    let record = options.service.env.record(workspace);
    let mut wrangler = Wrangler::new(workspace, node, &configuration, record.clone());
    let account = report::step("the login", || {
        let chosen = options.account.clone();
        let chosen = chosen.or_else(|| std::env::var("CLOUDFLARE_ACCOUNT_ID").ok());
        choose(
            &wrangler.accounts()?,
            chosen.as_deref(),
            configuration.account(),
        )
    })?;
    wrangler.set_account(&account.id);
    report::note(&format!("  account {} ({})", account.name, account.id));
    configuration.set_account(&account.id);
    configuration.save(workspace)?;

    let resources = configuration.resources();
    create(workspace, &wrangler, &mut configuration, &resources)?;
    ensure_secrets(&wrangler, &configuration, &options.service.env)?;
    report::step("migrations of the database", || {
        wrangler.migrate(&resources)
    })?;
    let before = wrangler.active_version()?;
    release(workspace, node, &wrangler, &configuration, &record).map_err(|error| {
        undo(
            workspace,
            node,
            &wrangler,
            &configuration,
            &record,
            before,
            error,
        )
    })
}

/// Uploads the Worker and tests it at its address.
fn release(
    workspace: &Workspace,
    node: &Node,
    wrangler: &Wrangler<'_>,
    configuration: &Configuration,
    record: &Path,
) -> Result<()> {
    let deployed = report::step("upload of the Worker and its pages", || wrangler.deploy())?;
    let version = deployed
        .version_id
        .as_deref()
        .context("wrangler did not name the version that it deployed")?;
    let address = configuration.domain().or_else(|| deployed.address()).context(
        "the Worker was deployed without an address: set a domain with --domain, or allow addresses below workers.dev for the account",
    )?;
    let said = report::step(&format!("smoke test of {address}"), || {
        smoke(workspace, node, &address)
    })?;
    record::passed(record, version, &address)?;
    finish(&address, version, &said);
    Ok(())
}

/// Returns the secrets that the settings need, with their placeholders. `setting` returns the value of a setting.
fn needed_secrets<'s>(setting: impl Fn(&str) -> &'s str) -> Vec<(&'static str, &'static str)> {
    SECRETS
        .iter()
        .filter(|(name, value, _)| setting(name) == *value)
        .flat_map(|(.., secrets)| secrets.iter().copied())
        .collect()
}

fn is_secret(name: &str) -> bool {
    let mut needed = SECRETS.iter().flat_map(|(.., secrets)| secrets.iter());
    OPTIONAL_SECRETS.contains(&name) || needed.any(|(secret, _)| *secret == name)
}

/// Reads the configuration of the environment and applies the options to it.
fn configure(workspace: &Workspace, options: &DeployOptions) -> Result<Configuration> {
    let mut configuration = Configuration::load(workspace, &options.service.env)?;
    for (name, value) in &options.set {
        if is_secret(name) {
            bail!(
                "`{name}` is a secret, which must not be in a file: `cargo xtask wrangler secret put {name}{}`",
                options.service.env.option()
            );
        }
        configuration.set(name, value);
    }
    if let Some(domain) = &options.domain {
        configuration.set_domain(domain);
    }
    Ok(configuration)
}

/// Starts the Worker on this machine with the settings of a configuration. Returns the settings that weaken the service.
///
/// # Errors
/// If the Worker refuses a setting.
fn starts(
    workspace: &Workspace,
    node: &Node,
    dist: &Path,
    configuration: &Path,
) -> Result<Vec<String>> {
    let file = configuration::read(configuration)?;
    let secrets = needed_secrets(|name| configuration::text(&file, &format!("/vars/{name}")));
    let vars: Vec<String> = secrets
        .iter()
        .map(|(name, placeholder)| format!("{name}={placeholder}"))
        .collect();
    report::step("the Worker starts with its settings", || {
        let mut server = Server::start(
            workspace,
            node,
            &server::Options {
                port: 0,
                state: None,
                dist,
                configuration: Some(configuration),
                vars: &vars,
                sweep_seconds: 0,
                watch: false,
                quiet: true,
                log: None,
            },
        )?;
        let ready = server.ready().context(
            "the Worker refuses its settings: correct each by `--set NAME=VALUE`; an empty value restores the default",
        );
        Ok(ready?.weakening)
    })
}

fn warn(weakening: &[String]) {
    for setting in weakening {
        report::note(&format!("warning: `{setting}` weakens the service"));
    }
}

/// Fails if the platform does not have a secret that the settings need.
fn ensure_secrets(
    wrangler: &Wrangler<'_>,
    configuration: &Configuration,
    environment: &Environment,
) -> Result<()> {
    let needed = needed_secrets(|name| configuration.setting(name));
    if needed.is_empty() {
        return Ok(());
    }
    let present = wrangler.secrets()?;
    let missing: Vec<String> = needed
        .iter()
        .filter(|(name, _)| !present.iter().any(|present| present == name))
        .map(|(name, _)| {
            format!(
                "\n  cargo xtask wrangler secret put {name}{}",
                environment.option()
            )
        })
        .collect();
    if !missing.is_empty() {
        bail!(
            "the settings need secrets that the platform does not have. Store them, then run this command again:{}",
            missing.concat()
        );
    }
    Ok(())
}

/// Tests a deployed service from outside.
fn smoke(workspace: &Workspace, node: &Node, address: &str) -> Result<Smoke> {
    let script = workspace.path("edge-api/host/smoke.mjs");
    let mut command = node.script(workspace.root(), &script);
    let output = command
        .arg(address)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("Node.js could not be started for the smoke test")?;
    if !output.status.success() {
        bail!("the service at {address} does not answer as it should");
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn finish(address: &str, version: &str, said: &Smoke) {
    report::note(&format!(
        "\n  {} answers at {address}, version {} ({version})",
        said.service, said.version
    ));
    if said.weakening.is_empty() {
        report::note("  no setting weakens it");
    }
    warn(&said.weakening);
}

/// Rolls back after a failed release, to the last version that passed its smoke test, or to the version before the release. If the release
/// did not change the active version, does nothing. Returns `error` with the result of the rollback. An upload can fail after its version
/// became active, for example at a queue or a domain.
fn undo(
    workspace: &Workspace,
    node: &Node,
    wrangler: &Wrangler<'_>,
    configuration: &Configuration,
    record: &Path,
    before: Option<String>,
    error: anyhow::Error,
) -> anyhow::Error {
    let active = match wrangler.active_version() {
        Ok(active) if active == before => return error.context("the code was not replaced"),
        Ok(active) => active,
        Err(unknown) => {
            return error.context(format!(
                "the release failed, and it is unknown whether its version is active: {unknown}"
            ));
        }
    };
    let tested = record::last_tested(record, active.as_deref())
        .ok()
        .flatten();
    let Some(target) = tested.map(|tested| tested.version_id).or(before) else {
        return error.context(
            "the release failed. It is the first version, so there is none to return to: mend the cause and run this command again",
        );
    };
    let back = report::step(&format!("rollback to the version {target}"), || {
        wrangler.roll_back(Some(&target), "the release failed")
    });
    if let Err(again) = back {
        return error.context(format!(
            "the release failed, and so did the rollback, so the new code still answers: {again}"
        ));
    }
    let address = configuration
        .domain()
        .or_else(|| record::last_deployed(record).ok()?.address());
    let answers = address.is_some_and(|address| smoke(workspace, node, &address).is_ok());
    let state = if answers {
        "which answers as it should"
    } else {
        "which does not answer as it should either, so the cause may lie outside of the code"
    };
    error.context(format!(
        "the release failed. The code was rolled back to the version {target}, {state}. The tables keep their new migrations, which the earlier version can use"
    ))
}

fn roll_back(
    workspace: &Workspace,
    node: &Node,
    environment: &Environment,
    version: Option<&str>,
) -> Result<()> {
    let configuration = Configuration::load(workspace, environment)?;
    if configuration.account().is_none() {
        bail!(
            "{} does not exist or names no account, so this command knows no service to roll back",
            configuration.path().display()
        );
    }
    let record = environment.record(workspace);
    let wrangler = Wrangler::new(workspace, node, &configuration, record.clone());
    let active = wrangler
        .active_version()?
        .context("the service was never deployed")?;
    let tested = record::last_tested(&record, Some(&active))?;
    let target = version.or(tested.as_ref().map(|tested| tested.version_id.as_str()));
    report::step("rollback", || {
        wrangler.roll_back(target, "cargo xtask deploy rollback")
    })?;
    let now = wrangler.active_version()?.unwrap_or_default();
    let address = configuration
        .domain()
        .or(tested.map(|tested| tested.address));
    match address {
        Some(address) => {
            let said = report::step(&format!("smoke test of {address}"), || {
                smoke(workspace, node, &address)
            })?;
            finish(&address, &now, &said);
        }
        None => report::note(&format!("  version {now} answers now")),
    }
    Ok(())
}

/// Runs wrangler of the lock file in edge-api, with the file of the environment if there is one. Before an upload, checks the settings and
/// builds and starts the Worker.
pub(crate) fn wrangler(workspace: &Workspace, arguments: Vec<OsString>) -> Result<ExitCode> {
    let node = Node::ready(workspace)?;
    let (file, arguments) = checks::selected(workspace, arguments);
    if checks::uploads(&arguments) {
        let edition = checks::upload(&file)?;
        let dist = build::worker(workspace, &node, edition, Profile::Release)?;
        warn(&starts(workspace, &node, &dist, &file)?);
    }
    let mut wrangler = node.tool(&workspace.path("edge-api"), "wrangler");
    let status = wrangler.args(arguments).status()?;
    Ok(if status.success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_and_other_settings_are_distinguished() {
        for secret in [
            "STRIPE_SECRET_KEY",
            "STRIPE_WEBHOOK_SECRET",
            "ALERT_URL",
            "RPC_URLS",
            "RPC_SEND_URLS",
            "RELAYER_KEY",
        ] {
            assert!(is_secret(secret), "{secret}");
        }
        assert!(!is_secret("SERVICE_NAME"));
    }

    #[test]
    fn settings_name_the_secrets_that_they_need() {
        let needed = |settings: &[(&str, &'static str)]| -> Vec<&str> {
            let setting = |name: &str| {
                let found = settings.iter().find(|(key, _)| *key == name);
                found.map_or("", |(_, value)| *value)
            };
            let secrets = needed_secrets(setting);
            secrets.into_iter().map(|(name, _)| name).collect()
        };
        assert_eq!(needed(&[("DEPOSITS", "off")]), [""; 0]);
        assert_eq!(
            needed(&[("DEPOSITS", "stripe")]),
            ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"]
        );
        assert_eq!(needed(&[("LEDGER", "evm")]), ["RPC_URLS", "RELAYER_KEY"]);
        assert_eq!(
            needed(&[("LEDGER", "evm"), ("SEND_PRIVATE", "only")]),
            ["RPC_URLS", "RELAYER_KEY", "RPC_SEND_URLS"]
        );
    }
}
