//! Calls the platform through wrangler. Every call gets the environment's file by `--config`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use super::configuration::{Configuration, Kind, Resource};
use crate::node::Node;
use crate::process;
use crate::workspace::Workspace;

/// Strings in wrangler's output. Each of them shows that the Worker was never deployed.
const NO_WORKER: [&str; 4] = [
    "code: 10007",
    "code: 10090",
    "has no deployments",
    "If this is a new Worker",
];

/// An account of the person who is logged in.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Account {
    pub(super) id: String,
    pub(super) name: String,
}

#[derive(Debug, Deserialize)]
struct Login {
    #[serde(default)]
    accounts: Vec<Account>,
}

/// A database or cache of the account.
#[derive(Debug, Deserialize)]
struct Existing {
    #[serde(alias = "uuid")]
    id: String,
    #[serde(alias = "title")]
    name: String,
}

#[derive(Debug, Deserialize)]
struct Secret {
    name: String,
}

/// A deployment of the Worker, from the file in which wrangler records deployments.
#[derive(Debug, Deserialize)]
pub(super) struct Deployed {
    pub(super) version_id: Option<String>,
    #[serde(default)]
    targets: Vec<String>,
}

impl Deployed {
    /// Returns the address below workers.dev, if the Worker has one.
    pub(super) fn address(&self) -> Option<String> {
        let hosts = self
            .targets
            .iter()
            .map(|target| target.trim_start_matches("https://"));
        hosts
            .filter(|host| host.ends_with(".workers.dev"))
            .map(|host| format!("https://{host}"))
            .next()
    }
}

/// wrangler in the version of the lock file. It stores the login itself.
pub(super) struct Wrangler<'a> {
    workspace: &'a Workspace,
    node: &'a Node,
    config: PathBuf,
    account: Option<String>,
    /// The file to which wrangler appends a line for each deployment.
    record: PathBuf,
}

/// The result of a call of wrangler.
struct Ended {
    succeeded: bool,
    stdout: String,
    stderr: String,
}

impl<'a> Wrangler<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        node: &'a Node,
        configuration: &Configuration,
        record: PathBuf,
    ) -> Self {
        Self {
            workspace,
            node,
            config: configuration.path().to_owned(),
            account: configuration.account().map(str::to_owned),
            record,
        }
    }

    /// Sets the Cloudflare account of all later calls.
    pub(super) fn set_account(&mut self, id: &str) {
        self.account = Some(id.to_owned());
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = self.node.tool(&self.workspace.path("edge-api"), "wrangler");
        command.args(words).arg("--config").arg(&self.config);
        // The configuration file does not use wrangler's own environments.
        command.env_remove("CLOUDFLARE_ENV");
        command.env("WRANGLER_SEND_METRICS", "false");
        // Some commands do not read the account from the file.
        if let Some(account) = &self.account {
            command.env("CLOUDFLARE_ACCOUNT_ID", account);
        }
        command.stdin(Stdio::null());
        command
    }

    fn end(&self, words: &[&str]) -> Result<Ended> {
        let mut command = self.command(words);
        if words == ["deploy"] {
            command.env("WRANGLER_OUTPUT_FILE_PATH", &self.record);
        }
        let output = process::finish(&mut command)?;
        Ok(Ended {
            succeeded: output.status.success(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        })
    }

    fn call(&self, words: &[&str]) -> Result<String> {
        let end = self.end(words)?;
        if !end.succeeded {
            bail!(
                "`wrangler {}` failed\n{}{}",
                words.join(" "),
                end.stdout,
                end.stderr
            );
        }
        Ok(end.stdout)
    }

    fn json<T: for<'de> Deserialize<'de>>(&self, words: &[&str]) -> Result<T> {
        let text = self.call(words)?;
        serde_json::from_str(&text)
            .with_context(|| format!("`wrangler {}` said `{}`", words.join(" "), text.trim()))
    }

    /// Returns the accounts that the login may use.
    ///
    /// # Errors
    /// The command for logging in, if no account is logged in.
    pub(super) fn accounts(&self) -> Result<Vec<Account>> {
        let words = ["whoami", "--json"];
        let end = self.end(&words)?;
        if let Ok(login) = serde_json::from_str::<Login>(&end.stdout)
            && end.succeeded
        {
            return Ok(login.accounts);
        }
        let is_logged_out = serde_json::from_str::<Value>(&end.stdout)
            .is_ok_and(|answer| answer.get("loggedIn") == Some(&Value::Bool(false)));
        if is_logged_out {
            bail!(
                "not logged in to the platform: run `cargo xtask wrangler login`, or set CLOUDFLARE_API_TOKEN"
            );
        }
        bail!("`wrangler whoami` failed\n{}{}", end.stdout, end.stderr);
    }

    /// Returns the id of a resource in the account, or `None` if the resource does not exist. The id of a queue or bucket is its name.
    ///
    /// # Errors
    /// If the configuration names an id that the account does not have, or if wrangler fails.
    pub(super) fn find(&self, resource: &Resource) -> Result<Option<String>> {
        let Resource { kind, name, id, .. } = resource;
        match kind {
            Kind::Database | Kind::Namespace => {
                let words: &[&str] = match kind {
                    Kind::Database => &["d1", "list", "--json"],
                    _ => &["kv", "namespace", "list"],
                };
                let all: Vec<Existing> = self.json(words)?;
                let found = all.into_iter().find(|existing| match id {
                    Some(id) => existing.id == *id,
                    None => existing.name == *name,
                });
                match (found, id) {
                    (None, Some(id)) => bail!(
                        "the account has no {kind} with the id {id}, which {} names. Choose the account that has it with --account, or remove the id \
                         from the file: the next run then creates an empty one",
                        self.config.display()
                    ),
                    (found, _) => Ok(found.map(|existing| existing.id)),
                }
            }
            Kind::Queue => {
                let words = ["queues", "info", name];
                let end = self.end(&words)?;
                let line = format!("Queue Name: {name}");
                // The platform may also return queues whose names only begin with this name.
                if end.succeeded {
                    let is_this = end.stdout.lines().any(|said| said.trim() == line);
                    return Ok(is_this.then(|| name.clone()));
                }
                if end.stdout.contains("does not exist") || end.stderr.contains("does not exist") {
                    return Ok(None);
                }
                bail!(
                    "`wrangler queues info {name}` failed\n{}{}",
                    end.stdout,
                    end.stderr
                );
            }
            Kind::Bucket => {
                let list = self.call(&["r2", "bucket", "list"])?;
                let names = list
                    .lines()
                    .filter_map(|line| line.trim().strip_prefix("name:"));
                let is_listed = names.map(str::trim).any(|listed| listed == name);
                Ok(is_listed.then(|| name.clone()))
            }
        }
    }

    /// Creates a resource and returns its id.
    pub(super) fn create(&self, resource: &Resource) -> Result<String> {
        let Resource { kind, name, .. } = resource;
        // Without this option, wrangler asks whether to change the file.
        let words: &[&str] = match kind {
            Kind::Database => &["d1", "create", name, "--update-config=false"],
            Kind::Namespace => &["kv", "namespace", "create", name, "--update-config=false"],
            Kind::Queue => &["queues", "create", name],
            Kind::Bucket => &["r2", "bucket", "create", name, "--update-config=false"],
        };
        self.call(words)?;
        match kind {
            Kind::Queue | Kind::Bucket => Ok(name.clone()),
            Kind::Database | Kind::Namespace => self.find(resource)?.with_context(|| {
                format!(
                    "the {kind} `{name}` was created, and is not listed yet: run the command again"
                )
            }),
        }
    }

    /// Returns the names of the Worker's secrets. Empty if the Worker was never deployed.
    pub(super) fn secrets(&self) -> Result<Vec<String>> {
        let words = ["secret", "list", "--format", "json"];
        let end = self.end(&words)?;
        if end.is_unknown_worker() {
            return Ok(Vec::new());
        }
        if !end.succeeded {
            bail!(
                "`wrangler secret list` failed\n{}{}",
                end.stdout,
                end.stderr
            );
        }
        let secrets: Vec<Secret> = serde_json::from_str(&end.stdout)
            .with_context(|| format!("`wrangler secret list` said `{}`", end.stdout.trim()))?;
        Ok(secrets.into_iter().map(|secret| secret.name).collect())
    }

    /// Applies the missing migrations of the databases among these resources.
    pub(super) fn migrate(&self, resources: &[Resource]) -> Result<()> {
        for database in resources
            .iter()
            .filter(|resource| resource.kind == Kind::Database)
        {
            self.call(&["d1", "migrations", "apply", &database.binding, "--remote"])?;
        }
        Ok(())
    }

    /// Runs SQL statements in a database as one batch. Returns the rows of each statement.
    pub(super) fn query(
        &self,
        binding: &str,
        sql: &str,
    ) -> Result<Vec<Vec<serde_json::Map<String, Value>>>> {
        #[derive(Deserialize)]
        struct Answer {
            results: Vec<serde_json::Map<String, Value>>,
        }
        let text = self.execute(binding, "--command", sql)?;
        let answers: Vec<Answer> = serde_json::from_str(&text)
            .context("`wrangler d1 execute` did not answer with JSON")?;
        Ok(answers.into_iter().map(|answer| answer.results).collect())
    }

    /// Runs a file of SQL in a database. Either all its statements take effect, or none. Other requests to the database wait meanwhile.
    pub(super) fn import(&self, binding: &str, file: &Path) -> Result<()> {
        self.execute(binding, "--file", &file.to_string_lossy())
            .map(drop)
    }

    fn execute(&self, binding: &str, option: &str, value: &str) -> Result<String> {
        let words = [
            "d1", "execute", binding, "--remote", "--yes", "--json", option, value,
        ];
        let end = self.end(&words)?;
        // The error message does not contain the command, because the command contains rows of the database.
        if !end.succeeded {
            bail!("`wrangler d1 execute` failed\n{}{}", end.stdout, end.stderr);
        }
        Ok(end.stdout)
    }

    /// Returns the version that answers all requests, or `None` if the Worker was never deployed.
    pub(super) fn active_version(&self) -> Result<Option<String>> {
        let words = ["deployments", "status", "--json"];
        let end = self.end(&words)?;
        if end.is_unknown_worker() {
            return Ok(None);
        }
        if !end.succeeded {
            bail!(
                "`wrangler deployments status` failed\n{}{}",
                end.stdout,
                end.stderr
            );
        }
        let status: Value = serde_json::from_str(&end.stdout)?;
        let version = status.pointer("/versions/0/version_id");
        Ok(version.and_then(Value::as_str).map(str::to_owned))
    }

    /// Uploads the Worker with its pages, and makes the new version answer all requests.
    pub(super) fn deploy(&self) -> Result<Deployed> {
        self.call(&["deploy"])?;
        super::record::last_deployed(&self.record)
    }

    /// Bundles the Worker with its pages and checks the configuration. Uploads nothing.
    pub(super) fn simulate(&self) -> Result<()> {
        self.call(&["deploy", "--dry-run"]).map(drop)
    }

    /// Makes an earlier version answer all requests: `version`, or the version before the active one.
    pub(super) fn roll_back(&self, version: Option<&str>, reason: &str) -> Result<()> {
        let mut words = vec!["rollback"];
        words.extend(version);
        words.extend(["--yes", "--message", reason]);
        self.call(&words).map(drop)
    }
}

impl Ended {
    fn is_unknown_worker(&self) -> bool {
        let said = |text: &str| self.stdout.contains(text) || self.stderr.contains(text);
        !self.succeeded && NO_WORKER.iter().any(|text| said(text))
    }
}
