//! Checks a configuration before anything is uploaded. wrangler itself would upload a configuration with these mistakes without a warning.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use serde_json::Value;

use super::configuration::{self, Environment, TEMPLATE, is_unset, items, needed_edition, text};
use crate::build::Edition;
use crate::workspace::Workspace;

/// The value of `SERVICE_NAME` in the template.
const DEFAULT_NAME: &str = "assay";

/// Returns true if wrangler would upload code with these arguments, or simulate an upload.
pub(super) fn uploads(arguments: &[OsString]) -> bool {
    let words: Vec<_> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let asks_for_help = words.iter().any(|word| ["--help", "-h"].contains(word));
    let uploads =
        words.contains(&"deploy") || words.windows(2).any(|two| two == ["versions", "upload"]);
    uploads && !asks_for_help
}

/// Returns the configuration that a call of wrangler uses, and the call's arguments, changed to select that configuration.
///
/// `--config` names the file directly. Otherwise the call gets the file of the environment in `--env`, by default `production`. If that
/// file does not exist, the call gets the template.
pub(super) fn selected(
    workspace: &Workspace,
    arguments: Vec<OsString>,
) -> (PathBuf, Vec<OsString>) {
    if let (Some(file), _) = option(&arguments, ["--config", "-c"]) {
        return (workspace.path("edge-api").join(file), arguments);
    }
    let (name, rest) = option(&arguments, ["--env", "-e"]);
    let environment = match name {
        None => Some(Environment::default()),
        Some(name) => name.parse().ok(),
    };
    let file = environment
        .map(|environment| environment.file(workspace))
        .filter(|file| file.is_file());
    match file {
        None => (workspace.path(TEMPLATE), arguments),
        Some(file) => {
            let chosen = [OsString::from("--config"), file.clone().into_os_string()];
            (file, chosen.into_iter().chain(rest).collect())
        }
    }
}

/// Returns the value of an option, and the arguments without the option. The option may be written as `--name value` or `--name=value`. The
/// value is `None` if the option or its value is missing.
fn option(arguments: &[OsString], names: [&str; 2]) -> (Option<String>, Vec<OsString>) {
    let mut value = None;
    let mut rest = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        let text = word.to_str().unwrap_or_default();
        let (name, joined) = match text.split_once('=') {
            Some((name, joined)) => (name, Some(joined)),
            None => (text, None),
        };
        if value.is_none() && names.contains(&name) {
            let next = || words.next()?.to_str();
            value = joined.or_else(next).map(str::to_owned);
        } else {
            rest.push(word.clone());
        }
    }
    (value, rest)
}

/// Checks the configuration file that wrangler will use for an upload. Returns the build of the Worker that its settings need.
///
/// # Errors
/// A sentence for each mistake in the file.
pub(super) fn upload(file: &Path) -> Result<Edition> {
    let configuration = configuration::read(file)?;
    let mut errors = unset_ids(&configuration);
    errors.extend(wrong_build(&configuration));
    errors.extend(mistakes(&configuration, "cargo xtask deploy"));
    refuse(&file.display().to_string(), &errors)?;
    Ok(needed_edition(&configuration))
}

/// Returns a sentence if `main` of the file is not the build of the Worker that the settings need.
fn wrong_build(configuration: &Value) -> Option<String> {
    let folder = needed_edition(configuration).folder();
    let main = text(configuration, "/main");
    let is_there = Path::new(main)
        .parent()
        .is_some_and(|parent| parent.ends_with(folder));
    (!is_there).then(|| {
        format!(
            "`main` is `{main}`, but with this `LEDGER` it must be `{folder}/worker.js`: `cargo xtask deploy` writes the right path"
        )
    })
}

/// Checks the settings of a configuration whose ids may be missing. `command` is the command that changes settings; the sentences quote it.
///
/// # Errors
/// A sentence for each mistake.
pub(super) fn settings(configuration: &Value, command: &str) -> Result<()> {
    refuse("the service", &mistakes(configuration, command))
}

fn refuse(what: &str, errors: &[String]) -> Result<()> {
    if errors.is_empty() {
        return Ok(());
    }
    bail!(
        "{what} is not ready to be deployed:\n  - {}",
        errors.join("\n  - ")
    );
}

fn unset_ids(configuration: &Value) -> Vec<String> {
    [
        ("/d1_databases", "/database_id", "database"),
        ("/kv_namespaces", "/id", "cache"),
    ]
    .into_iter()
    .filter(|(list, id, _)| items(configuration, list).any(|item| is_unset(text(item, id))))
    .map(|(_, id, name)| {
        let id = id.trim_start_matches('/');
        format!("the {name}'s `{id}` is not set: `cargo xtask deploy` creates the {name} and writes its id")
    })
    .collect()
}

fn mistakes(configuration: &Value, command: &str) -> Vec<String> {
    let mut errors = Vec::new();
    let setting = |name: &str| text(configuration, &format!("/vars/{name}"));
    if ["", DEFAULT_NAME].contains(&setting("SERVICE_NAME")) && setting("AUTH_TEXT").is_empty() {
        errors.push(format!(
            "`SERVICE_NAME` is the default, so a signature made for another service with that name would also sign in here. Choose a name of your own, such as your \
             domain: `{command} --set SERVICE_NAME=certificates.example.org`"
        ));
    }
    if setting("ENVIRONMENT") == "development" {
        errors.push(format!(
            "`ENVIRONMENT` is `development`, and a development instance answers only requests from its own machine: `{command} --set ENVIRONMENT=production`"
        ));
    }
    let is_off = |name: &str| configuration.get(name) == Some(&Value::Bool(false));
    if items(configuration, "/routes").next().is_some()
        && !(is_off("workers_dev") && is_off("preview_urls"))
    {
        errors.push(
            "`routes` names a domain, and the address below workers.dev is still on: set `workers_dev` and `preview_urls` to false".to_owned(),
        );
    }
    let is_free = setting("PAYMENTS") == "off" || setting("COST_ASSET_DEPLOY") == "0";
    if is_free && setting("DEPLOYERS").is_empty() {
        errors.push(format!(
            "`DEPLOYERS` is empty and deploying costs nothing, so nobody may deploy ledgers. Name your accounts: `{command} --set DEPLOYERS=0x…,0x…`"
        ));
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const COMMAND: &str = "cargo xtask deploy";

    fn shipped() -> Value {
        configuration::parse(include_str!("../../../edge-api/wrangler.jsonc")).unwrap()
    }

    /// Returns the template, completed as `cargo xtask deploy` does it.
    fn completed() -> Value {
        let mut configuration = shipped();
        let databases = configuration["d1_databases"].as_array_mut().unwrap();
        databases.truncate(1);
        databases[0]["database_id"] = json!("7d1f0000-0000-4000-8000-00000000c0de");
        configuration["kv_namespaces"][0]["id"] = json!("0f000000000000000000000000000000");
        configuration["vars"]["SERVICE_NAME"] = json!("certificates.example.org");
        configuration["vars"]["DEPLOYERS"] = json!("0x3Aa5ebB10DC797CAC828524e59A333d0A371443c");
        configuration
    }

    fn all(configuration: &Value) -> Vec<String> {
        let mut errors = unset_ids(configuration);
        errors.extend(wrong_build(configuration));
        errors.extend(mistakes(configuration, COMMAND));
        errors
    }

    fn with(pointer: &str, value: Value) -> Vec<String> {
        let mut configuration = completed();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        configuration.pointer_mut(parent).unwrap()[key] = value;
        all(&configuration)
    }

    #[test]
    fn a_completed_file_is_ready() {
        assert_eq!(all(&completed()), [""; 0]);
    }

    #[test]
    fn the_template_is_refused_with_one_sentence_and_command_per_missing_value() {
        let errors = all(&shipped());
        assert_eq!(errors.len(), 4, "{errors:?}");
        for (sentence, command) in errors.iter().zip([
            "`cargo xtask deploy` creates the database",
            "`cargo xtask deploy` creates the cache",
            "`cargo xtask deploy --set SERVICE_NAME=",
            "`cargo xtask deploy --set DEPLOYERS=",
        ]) {
            assert!(sentence.contains(command), "{sentence}");
        }
    }

    #[test]
    fn each_mistake_alone_is_found() {
        let errors = |pointer: &str, value: Value| with(pointer, value).len();
        for unset in [
            json!(null),
            json!(""),
            json!("00000000-0000-0000-0000-000000000000"),
        ] {
            assert_eq!(errors("/d1_databases/0/database_id", unset.clone()), 1);
            assert_eq!(errors("/kv_namespaces/0/id", unset), 1);
        }
        for name in ["", " ", "assay"] {
            assert_eq!(errors("/vars/SERVICE_NAME", json!(name)), 1, "`{name}`");
        }
        assert_eq!(errors("/vars/ENVIRONMENT", json!("development")), 1);
        assert_eq!(errors("/vars/DEPLOYERS", json!("")), 1);
    }

    #[test]
    fn a_build_without_the_ledger_of_the_settings_is_refused() {
        assert_eq!(with("/vars/LEDGER", json!("embedded")), [""; 0]);
        let errors = with("/vars/LEDGER", json!("evm"));
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(
            errors[0].contains("must be `dist-evm/worker.js`"),
            "{errors:?}"
        );
        let mut configuration = completed();
        configuration["main"] = json!("../edge-api/dist-evm/worker.js");
        assert_eq!(all(&configuration).len(), 1);
        configuration["vars"]["LEDGER"] = json!("evm");
        assert_eq!(all(&configuration), [""; 0]);
    }

    #[test]
    fn with_a_domain_the_other_addresses_must_be_off() {
        let mut configuration = completed();
        configuration["routes"] =
            json!([{ "pattern": "assets.example.org", "custom_domain": true }]);
        assert_eq!(all(&configuration).len(), 1);
        configuration["workers_dev"] = json!(false);
        assert_eq!(all(&configuration).len(), 1);
        configuration["preview_urls"] = json!(false);
        assert_eq!(all(&configuration), [""; 0]);
    }

    fn words(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn only_uploads_are_checked() {
        for line in [
            "deploy",
            "deploy --dry-run",
            "--log-level debug deploy",
            "versions upload --tag x",
        ] {
            assert!(uploads(&words(line)), "{line}");
        }
        for line in [
            "d1 create assay",
            "login",
            "deploy --help",
            "versions list",
            "deployments list",
        ] {
            assert!(!uploads(&words(line)), "{line}");
        }
    }

    #[test]
    fn the_option_for_the_environment_is_removed() {
        for line in [
            "tail --env staging x",
            "tail x -e=staging",
            "-e staging tail x",
        ] {
            let (name, rest) = option(&words(line), ["--env", "-e"]);
            assert_eq!(name.as_deref(), Some("staging"), "{line}");
            assert_eq!(rest, words("tail x"), "{line}");
        }
        assert_eq!(option(&words("tail --env"), ["--env", "-e"]).0, None);
        assert_eq!(
            option(&words("tail x"), ["--env", "-e"]),
            (None, words("tail x"))
        );
    }
}
