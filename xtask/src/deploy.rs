//! Checks the configuration before `cargo xtask wrangler deploy`. wrangler itself would upload these mistakes without a warning.

use std::ffi::OsString;
use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::node::Node;
use crate::server::{self, Server};
use crate::wasm::Profile;
use crate::workspace::Workspace;
use crate::{build, report};

/// wrangler's configuration of the Worker.
const FILE: &str = "edge-api/wrangler.jsonc";
/// The value of `SERVICE_NAME` in the file that comes with the project.
const DEFAULT_NAME: &str = "assay";
/// Secrets that `DEPOSITS=stripe` needs to start. They are stored at the platform, so the check runs with these in their place.
const PLACEHOLDERS: [&str; 2] = [
    "STRIPE_SECRET_KEY=sk_live_placeholder000000000000",
    "STRIPE_WEBHOOK_SECRET=whsec_cGxhY2Vob2xkZXIwMDAwMDAwMDAwMDAw",
];

/// The findings about a configuration, as sentences.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    /// Mistakes, which prevent the deployment.
    errors: Vec<String>,
    /// Settings that may be intended, which give warnings.
    warnings: Vec<String>,
}

/// Returns true if wrangler would upload code, or simulate an upload.
pub(crate) fn uploads(arguments: &[OsString]) -> bool {
    let words: Vec<_> = arguments.iter().filter_map(|word| word.to_str()).collect();
    let asks_for_help = words.iter().any(|word| ["--help", "-h"].contains(word));
    let uploads =
        words.contains(&"deploy") || words.windows(2).any(|two| two == ["versions", "upload"]);
    uploads && !asks_for_help
}

/// Checks wrangler.jsonc, and starts the Worker on this machine with its settings.
///
/// # Errors
/// A sentence for each mistake in the file, or the setting that the Worker refuses.
pub(crate) fn check(workspace: &Workspace, node: &Node, arguments: &[OsString]) -> Result<()> {
    let text =
        fs::read_to_string(workspace.path(FILE)).with_context(|| format!("reading {FILE}"))?;
    let configuration = parse(&text)
        .with_context(|| format!("{FILE} is not JSON with comments on lines of their own"))?;
    let Findings { errors, warnings } = examine(&configuration);
    for elsewhere in ["--env", "-e", "--config", "-c"] {
        if arguments.iter().any(|argument| argument == elsewhere) {
            report::note(&format!(
                "warning: `{elsewhere}` is not checked, only the top level of {FILE} is"
            ));
        }
    }
    for warning in &warnings {
        report::note(&format!("warning: {warning}"));
    }
    if !errors.is_empty() {
        bail!(
            "{FILE} is not ready to be deployed:\n  - {}",
            errors.join("\n  - ")
        );
    }
    let dist = build::worker(workspace, node, Profile::Release)?;
    let mut server = report::step("the Worker starts with its settings", || {
        start(workspace, node, &dist)
    })?;
    for weakening in server.ready()?.weakening {
        report::note(&format!("warning: `{weakening}` weakens the service"));
    }
    Ok(())
}

fn start(workspace: &Workspace, node: &Node, dist: &std::path::Path) -> Result<Server> {
    Server::start(
        workspace,
        node,
        &server::Options {
            port: 0,
            state: None,
            dist,
            vars: &PLACEHOLDERS.map(str::to_owned),
            sweep_seconds: 0,
            watch: false,
            quiet: true,
            log: None,
        },
    )
}

/// JSON with comments on lines of their own.
fn parse(text: &str) -> serde_json::Result<Value> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    serde_json::from_str(&lines.collect::<Vec<_>>().join("\n"))
}

fn examine(configuration: &Value) -> Findings {
    let mut found = Findings::default();
    let mut error = |text: &str| found.errors.push(text.to_owned());
    for (list, key, what, command) in [
        (
            "d1_databases",
            "database_id",
            "the database's `database_id`",
            "d1 create assay",
        ),
        (
            "kv_namespaces",
            "id",
            "the cache's `id`",
            "kv namespace create CACHE",
        ),
    ] {
        let ids = configuration
            .get(list)
            .and_then(Value::as_array)
            .into_iter()
            .flatten();
        if ids.into_iter().any(|entry| is_unset(entry.get(key))) {
            error(&format!(
                "{what} is not set: put the id there that `cargo xtask wrangler {command}` prints"
            ));
        }
    }
    let setting = |name: &str| {
        let value = configuration.pointer(&format!("/vars/{name}"));
        value
            .and_then(Value::as_str)
            .map(str::trim)
            .unwrap_or_default()
    };
    if ["", DEFAULT_NAME].contains(&setting("SERVICE_NAME")) && setting("AUTH_TEXT").is_empty() {
        error(
            "`SERVICE_NAME` is the default, so a signature for any service of that name would open this one: set it to a name of your own, such as your domain",
        );
    }
    if setting("ENVIRONMENT") == "development" {
        error(
            "`ENVIRONMENT` is `development`, and such an instance answers to its own machine alone: set it to `production`",
        );
    }
    let is_off = |name: &str| configuration.get(name) == Some(&Value::Bool(false));
    let routes = configuration.get("routes").and_then(Value::as_array);
    if routes.is_some_and(|routes| !routes.is_empty())
        && !(is_off("workers_dev") && is_off("preview_urls"))
    {
        error(
            "`routes` names a domain, and the address below workers.dev is still on: set `workers_dev` and `preview_urls` to false",
        );
    }
    let is_free = setting("PAYMENTS") == "off" || setting("COST_ASSET_DEPLOY") == "0";
    if is_free && setting("DEPLOYERS").is_empty() {
        let text = "`DEPLOYERS` is empty and deploying costs nothing, so nobody may deploy ledgers: name your accounts there";
        found.warnings.push(text.to_owned());
    }
    found
}

/// Returns true if an id is missing or consists of zeros, as in the file that comes with the project.
fn is_unset(id: Option<&Value>) -> bool {
    let id = id.and_then(Value::as_str).unwrap_or_default();
    id.bytes().all(|byte| matches!(byte, b'0' | b'-'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shipped() -> Value {
        parse(include_str!("../../edge-api/wrangler.jsonc")).unwrap()
    }

    /// The file as an operator completes it.
    fn completed() -> Value {
        let mut configuration = shipped();
        configuration["d1_databases"][0]["database_id"] =
            json!("7d1f0000-0000-4000-8000-00000000c0de");
        configuration["kv_namespaces"][0]["id"] = json!("0f000000000000000000000000000000");
        configuration["vars"]["SERVICE_NAME"] = json!("certificates.example.org");
        configuration["vars"]["DEPLOYERS"] = json!("0x3Aa5ebB10DC797CAC828524e59A333d0A371443c");
        configuration
    }

    fn with(pointer: &str, value: Value) -> Findings {
        let mut configuration = completed();
        let (parent, key) = pointer.rsplit_once('/').unwrap();
        configuration.pointer_mut(parent).unwrap()[key] = value;
        examine(&configuration)
    }

    #[test]
    fn a_completed_file_is_ready() {
        assert_eq!(examine(&completed()), Findings::default());
    }

    #[test]
    fn the_shipped_file_is_refused_with_one_sentence_per_missing_value() {
        let Findings { errors, warnings } = examine(&shipped());
        assert_eq!((errors.len(), warnings.len()), (3, 1), "{errors:?}");
        for (sentence, what) in errors.iter().zip([
            "d1 create assay",
            "kv namespace create CACHE",
            "`SERVICE_NAME`",
        ]) {
            assert!(sentence.contains(what), "{sentence}");
        }
        assert!(warnings[0].contains("`DEPLOYERS`"));
    }

    #[test]
    fn each_mistake_alone_is_found() {
        let errors = |pointer: &str, value: Value| with(pointer, value).errors.len();
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
        assert_eq!(with("/vars/DEPLOYERS", json!("")).warnings.len(), 1);
    }

    #[test]
    fn a_domain_turns_the_other_addresses_off() {
        let mut configuration = completed();
        configuration["routes"] =
            json!([{ "pattern": "assets.example.org", "custom_domain": true }]);
        assert_eq!(examine(&configuration).errors.len(), 1);
        configuration["workers_dev"] = json!(false);
        assert_eq!(examine(&configuration).errors.len(), 1);
        configuration["preview_urls"] = json!(false);
        assert_eq!(examine(&configuration), Findings::default());
    }

    #[test]
    fn only_uploads_are_checked() {
        let uploads =
            |line: &str| uploads(&line.split(' ').map(OsString::from).collect::<Vec<_>>());
        for line in [
            "deploy",
            "deploy --dry-run",
            "--log-level debug deploy",
            "versions upload --tag x",
        ] {
            assert!(uploads(line), "{line}");
        }
        for line in [
            "d1 create assay",
            "login",
            "deploy --help",
            "versions list",
            "deployments list",
        ] {
            assert!(!uploads(line), "{line}");
        }
    }
}
