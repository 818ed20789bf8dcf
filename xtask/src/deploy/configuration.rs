//! `deploy/<env>.jsonc`: wrangler's configuration of one deployed service. It combines the template `edge-api/wrangler.jsonc` with the
//! operator's own part: settings, domain, account and ids. The operator's part is read back from the file.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::build::Edition;
use crate::files;
use crate::workspace::Workspace;

/// wrangler's configuration as it comes with the project. Operators do not edit it.
pub(super) const TEMPLATE: &str = "edge-api/wrangler.jsonc";
/// The folder of the files that this module writes. It is not committed.
const FOLDER: &str = "deploy";
/// The name of the environment that is used without `--env`.
const PRODUCTION: &str = "production";
/// The maximum length of an environment's name. Names of Workers, queues and buckets may have 63 characters.
const NAME_MAX: usize = 24;
/// The parts of the template that are paths in the folder of a build, relative to the template's folder.
const BUILT: [&str; 2] = ["/main", "/assets/directory"];

/// The name of an environment: lower-case letters, digits and single hyphens, at most 24 characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Environment(String);

impl Default for Environment {
    fn default() -> Self {
        Self(PRODUCTION.to_owned())
    }
}

impl fmt::Display for Environment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for Environment {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_word = |word: &str| {
            !word.is_empty()
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if text.len() <= NAME_MAX && text.split('-').all(is_word) {
            Ok(Self(text.to_owned()))
        } else {
            Err(format!(
                "expected lower-case letters, digits and single hyphens, at most {NAME_MAX} characters, such as `staging`"
            ))
        }
    }
}

impl Environment {
    /// Returns the words of a command line that select this environment, with a space before them. Empty for `production`.
    pub(super) fn option(&self) -> String {
        if self.0 == PRODUCTION {
            String::new()
        } else {
            format!(" --env {self}")
        }
    }

    /// Returns the file of this environment.
    pub(super) fn file(&self, workspace: &Workspace) -> PathBuf {
        workspace.path(FOLDER).join(format!("{self}.jsonc"))
    }

    /// Returns the file that records this environment's deployments.
    pub(super) fn record(&self, workspace: &Workspace) -> PathBuf {
        workspace.path(FOLDER).join(format!("{self}.log"))
    }

    /// Returns this environment's name for a resource of the template. For example, `assay-jobs` becomes `assay-staging-jobs` in the
    /// environment `staging`.
    fn own(&self, worker: &str, name: &str) -> String {
        match name.strip_prefix(worker) {
            Some(rest) if self.0 != PRODUCTION => format!("{worker}-{self}{rest}"),
            _ => name.to_owned(),
        }
    }

    /// Returns the number of a rate limiter's namespace. Workers of one account that have the same number share the counter.
    fn namespace(&self, limiter: &str, template: &str) -> String {
        if self.0 == PRODUCTION {
            return template.to_owned();
        }
        let digest = Sha256::digest(format!("{self}/{limiter}"));
        let bytes = digest.iter().take(4).copied();
        let number = bytes.fold(0_u64, |number, byte| number << 8 | u64::from(byte));
        // Numbers below 10,000 are left to people who number their namespaces themselves.
        number.saturating_add(10_000).to_string()
    }
}

/// A host name for the service: at least two labels of letters, digits and hyphens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Domain(String);

impl FromStr for Domain {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let is_label = |label: &str| {
            !label.is_empty()
                && label
                    .bytes()
                    .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
        };
        if text.contains('.') && text.len() <= 253 && text.split('.').all(is_label) {
            Ok(Self(text.to_owned()))
        } else {
            Err("expected a host name in lower case, such as `assets.example.org`".to_owned())
        }
    }
}

/// An id that the platform assigned to a database or cache.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Assigned {
    binding: String,
    #[serde(alias = "database_id", default)]
    id: String,
}

/// The operator's part of a configuration.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
struct Own {
    account_id: Option<String>,
    vars: BTreeMap<String, String>,
    routes: Vec<Value>,
    d1_databases: Vec<Assigned>,
    kv_namespaces: Vec<Assigned>,
}

/// A part of the platform that the service needs and that has to be created before its first deployment.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Resource {
    pub(super) kind: Kind,
    /// The name in the operator's Cloudflare account.
    pub(super) name: String,
    /// The name of the binding in the Worker. Empty for a queue.
    pub(super) binding: String,
    /// The id that the platform assigned. `None` until the resource is created, and for queues and buckets.
    pub(super) id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Database,
    Namespace,
    Queue,
    Bucket,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Database => "D1 database",
            Self::Namespace => "KV namespace",
            Self::Queue => "queue",
            Self::Bucket => "R2 bucket",
        })
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} `{}`", self.kind, self.name)
    }
}

/// The configuration of one deployed service.
#[derive(Debug)]
pub(super) struct Configuration {
    template: Value,
    own: Own,
    environment: Environment,
    path: PathBuf,
}

impl Configuration {
    /// Reads the template, and the operator's part if the service has been configured before.
    ///
    /// # Errors
    /// If a file is not JSON with comments on separate lines, or if a value has the wrong type.
    pub(super) fn load(workspace: &Workspace, environment: &Environment) -> Result<Self> {
        let path = environment.file(workspace);
        let own = match fs::read_to_string(&path) {
            Ok(text) => parse(&text)
                .and_then(serde_json::from_value)
                .with_context(|| format!("{} is not valid", path.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Own::default(),
            Err(error) => {
                return Err(error).with_context(|| format!("reading {}", path.display()));
            }
        };
        Ok(Self {
            template: read(&workspace.path(TEMPLATE))?,
            own,
            environment: environment.clone(),
            path,
        })
    }

    /// Returns the path of the file that wrangler reads.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Moves this configuration to another folder of the workspace, so that a dry run does not change the operator's file.
    pub(super) fn move_to(&mut self, folder: &Path) {
        self.path = folder.join(format!("{}.jsonc", self.environment));
    }

    /// Changes a setting. An empty value restores the template's value.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        if value.is_empty() {
            self.own.vars.remove(name);
        } else {
            self.own.vars.insert(name.to_owned(), value.to_owned());
        }
    }

    /// Sets the service's own domain. The domain must be a zone of the Cloudflare account, or below such a zone.
    pub(super) fn set_domain(&mut self, domain: &Domain) {
        self.own.routes = vec![json!({ "pattern": domain.0, "custom_domain": true })];
    }

    /// Returns the address of the service's own domain. `None` if it has no domain.
    pub(super) fn domain(&self) -> Option<String> {
        let route = self.own.routes.first()?;
        let host = route.get("pattern")?.as_str()?.split('/').next()?;
        Some(format!("https://{host}"))
    }

    pub(super) fn account(&self) -> Option<&str> {
        self.own.account_id.as_deref()
    }

    pub(super) fn set_account(&mut self, id: &str) {
        self.own.account_id = Some(id.to_owned());
    }

    /// Records the id that the platform assigned to a database or cache. No-op for queues and buckets.
    pub(super) fn assign(&mut self, resource: &Resource, id: &str) {
        let list = match resource.kind {
            Kind::Database => &mut self.own.d1_databases,
            Kind::Namespace => &mut self.own.kv_namespaces,
            Kind::Queue | Kind::Bucket => return,
        };
        list.retain(|assigned| assigned.binding != resource.binding);
        list.push(Assigned {
            binding: resource.binding.clone(),
            id: id.to_owned(),
        });
    }

    /// Returns the name of the Worker.
    pub(super) fn worker(&self) -> String {
        let name = text(&self.template, "/name");
        self.environment.own(name, name)
    }

    /// Returns the effective value of a setting.
    pub(super) fn setting(&self, name: &str) -> &str {
        self.own.vars.get(name).map_or_else(
            || text(&self.template, &format!("/vars/{name}")),
            String::as_str,
        )
    }

    /// Returns the build of the Worker that the settings need.
    pub(super) fn edition(&self) -> Edition {
        edition(self.setting("LEDGER"))
    }

    /// Returns all resources that have to exist before the Worker is deployed.
    pub(super) fn resources(&self) -> Vec<Resource> {
        let worker = text(&self.template, "/name");
        let own = |name: &str| self.environment.own(worker, name);
        let mut found = Vec::new();
        for item in items(&self.template, "/d1_databases") {
            let name = own(text(item, "/database_name"));
            found.push(self.resource(Kind::Database, name, item));
        }
        for item in items(&self.template, "/kv_namespaces") {
            let binding = text(item, "/binding").to_lowercase().replace('_', "-");
            let name = format!("{}-{binding}", self.worker());
            found.push(self.resource(Kind::Namespace, name, item));
        }
        let queues: BTreeSet<String> = [
            ("/queues/producers", "/queue"),
            ("/queues/consumers", "/queue"),
            ("/queues/consumers", "/dead_letter_queue"),
        ]
        .into_iter()
        .flat_map(|(list, name)| items(&self.template, list).map(move |item| text(item, name)))
        .filter(|name| !name.is_empty())
        .map(own)
        .collect();
        for name in queues {
            found.push(self.resource(Kind::Queue, name, &Value::Null));
        }
        for item in items(&self.template, "/r2_buckets").filter(|_| self.keeps_files()) {
            let name = own(text(item, "/bucket_name"));
            found.push(self.resource(Kind::Bucket, name, item));
        }
        found
    }

    fn resource(&self, kind: Kind, name: String, item: &Value) -> Resource {
        let binding = text(item, "/binding").to_owned();
        Resource {
            kind,
            name,
            id: self.id_of(kind, &binding).map(str::to_owned),
            binding,
        }
    }

    fn id_of(&self, kind: Kind, binding: &str) -> Option<&str> {
        let list = match kind {
            Kind::Database => &self.own.d1_databases,
            Kind::Namespace => &self.own.kv_namespaces,
            Kind::Queue | Kind::Bucket => return None,
        };
        let found = list.iter().find(|assigned| assigned.binding == binding)?;
        (!is_unset(&found.id)).then_some(found.id.as_str())
    }

    /// Returns true if the service stores files, which needs a bucket.
    pub(super) fn keeps_files(&self) -> bool {
        !["", "off"].contains(&self.setting("FILES"))
    }

    /// Returns wrangler's configuration.
    ///
    /// # Errors
    /// If the template does not have a part that every service needs, or if the file is not in the workspace.
    pub(super) fn render(&self, workspace: &Workspace) -> Result<Value> {
        let mut value = self.template.clone();
        let home = relative(&self.path, workspace)?;
        let dist = self.edition().folder();
        for pointer in BUILT {
            let path = slot(&mut value, pointer)?;
            let file = path.as_str().and_then(|path| path.strip_prefix("dist/"));
            let file =
                file.with_context(|| format!("`{pointer}` of {TEMPLATE} is not in `dist`"))?;
            *path = format!("{home}/{dist}/{file}").into();
        }
        for database in items_mut(&mut value, "/d1_databases") {
            if let Some(folder) = database.get_mut("migrations_dir") {
                *folder = format!("{home}/{}", folder.as_str().unwrap_or_default()).into();
            }
        }
        let worker = text(&self.template, "/name").to_owned();
        for (list, name) in [
            ("/d1_databases", "database_name"),
            ("/queues/producers", "queue"),
            ("/queues/consumers", "queue"),
            ("/queues/consumers", "dead_letter_queue"),
            ("/r2_buckets", "bucket_name"),
        ] {
            for item in items_mut(&mut value, list) {
                if let Some(name) = item.get_mut(name) {
                    *name = self
                        .environment
                        .own(&worker, name.as_str().unwrap_or_default())
                        .into();
                }
            }
        }
        for (kind, list, id) in [
            (Kind::Database, "/d1_databases", "database_id"),
            (Kind::Namespace, "/kv_namespaces", "id"),
        ] {
            for item in items_mut(&mut value, list) {
                let binding = text(item, "/binding").to_owned();
                if let (Some(assigned), Some(id)) = (self.id_of(kind, &binding), item.get_mut(id)) {
                    *id = assigned.into();
                }
            }
        }
        let limiters = slot(&mut value, "/ratelimits")?;
        *limiters = items(&self.template, "/ratelimits")
            .filter_map(|limiter| self.limiter(limiter))
            .collect();
        let top = value
            .as_object_mut()
            .with_context(|| format!("{TEMPLATE} is not an object"))?;
        top.insert("name".to_owned(), self.worker().into());
        // `cargo xtask` builds the Worker before it calls wrangler.
        top.remove("build");
        if !self.keeps_files() {
            top.remove("r2_buckets");
        }
        if let Some(account) = &self.own.account_id {
            top.insert("account_id".to_owned(), account.as_str().into());
        }
        if !self.own.routes.is_empty() {
            top.insert("routes".to_owned(), self.own.routes.clone().into());
            // The service gets only one address. Otherwise, published links and badges could use the second address and keep it in use.
            for other in ["workers_dev", "preview_urls"] {
                top.insert(other.to_owned(), false.into());
            }
        }
        let vars = slot(&mut value, "/vars")?
            .as_object_mut()
            .with_context(|| format!("`vars` of {TEMPLATE} is not an object"))?;
        for (name, chosen) in &self.own.vars {
            vars.insert(name.clone(), chosen.as_str().into());
        }
        Ok(value)
    }

    /// Returns a rate limiter with the limit in the settings, or `None` if the setting is `off`.
    fn limiter(&self, limiter: &Value) -> Option<Value> {
        let mut limiter = limiter.clone();
        let name = text(&limiter, "/name").to_owned();
        let announced = self.setting(&format!("RATE_{name}"));
        if announced == "off" {
            return None;
        }
        let numbers = announced
            .split_once('/')
            .and_then(|(limit, period)| Some((limit.parse().ok()?, period.parse().ok()?)));
        // The Worker itself refuses a setting of any other form, and explains why.
        if let Some((limit, period)) = numbers {
            let (limit, period): (u64, u64) = (limit, period);
            *limiter.get_mut("simple")? = json!({ "limit": limit, "period": period });
        }
        let namespace = limiter.get_mut("namespace_id")?;
        let template = namespace.as_str().unwrap_or_default();
        *namespace = self.environment.namespace(&name, template).into();
        Some(limiter)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// If the file cannot be written, or if [`Self::render`] fails.
    pub(super) fn save(&self, workspace: &Workspace) -> Result<()> {
        let header = format!(
            "// Written by `cargo xtask deploy{}`. It is not committed: keep a copy, because it names the database.\n\
             // Settings are in \"vars\": change them here, or by `--set NAME=VALUE`. Secrets do not belong here.\n\
             // Kept from one run to the next: vars, routes, account_id and ids. Everything else comes from {TEMPLATE}.\n",
            self.environment.option()
        );
        let text = format!(
            "{header}{}\n",
            serde_json::to_string_pretty(&self.render(workspace)?)?
        );
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        files::replace(&self.path, text.as_bytes())
    }
}

/// Returns the build of the Worker for a value of `LEDGER`.
fn edition(ledger: &str) -> Edition {
    Edition::on_chain(ledger.trim() == "evm")
}

/// Returns the build of the Worker that the settings in a configuration need.
pub(super) fn needed_edition(file: &Value) -> Edition {
    edition(text(file, "/vars/LEDGER"))
}

/// Returns the relative path from a configuration's folder to the folder of the template.
fn relative(path: &Path, workspace: &Workspace) -> Result<String> {
    let folder = path
        .parent()
        .and_then(|folder| folder.strip_prefix(workspace.root()).ok());
    let Some(folder) = folder else {
        bail!("{} is not in the workspace", path.display());
    };
    Ok("../".repeat(folder.components().count()) + "edge-api")
}

/// Reads a configuration.
///
/// # Errors
/// If the file cannot be read, or is not JSON with comments on separate lines.
pub(super) fn read(path: &Path) -> Result<Value> {
    let text = fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
    parse(&text).with_context(|| {
        format!(
            "{} is not JSON with comments on separate lines",
            path.display()
        )
    })
}

/// Parses JSON with comments on separate lines.
pub(crate) fn parse(text: &str) -> serde_json::Result<Value> {
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    serde_json::from_str(&lines.collect::<Vec<_>>().join("\n"))
}

/// Returns true if an id is missing or consists of zeros, as in the template.
pub(super) fn is_unset(id: &str) -> bool {
    id.bytes().all(|byte| matches!(byte, b'0' | b'-'))
}

/// Returns a string of a configuration, without white space around it. Empty if it is missing.
pub(super) fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .map(str::trim)
        .unwrap_or_default()
}

/// Returns the items of a list of a configuration. Empty if the list is missing.
pub(super) fn items<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    let list = value.pointer(pointer).and_then(Value::as_array);
    list.into_iter().flatten()
}

fn items_mut<'a>(value: &'a mut Value, pointer: &str) -> impl Iterator<Item = &'a mut Value> {
    let list = value.pointer_mut(pointer).and_then(Value::as_array_mut);
    list.into_iter().flatten()
}

fn slot<'a>(value: &'a mut Value, pointer: &str) -> Result<&'a mut Value> {
    value
        .pointer_mut(pointer)
        .with_context(|| format!("{TEMPLATE} has no `{pointer}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workspace() -> Workspace {
        Workspace::find().unwrap()
    }

    /// Returns the configuration of a service that was never deployed.
    fn new(environment: &str) -> Configuration {
        let environment: Environment = environment.parse().unwrap();
        Configuration {
            template: read(&workspace().path(TEMPLATE)).unwrap(),
            own: Own::default(),
            path: environment.file(&workspace()),
            environment,
        }
    }

    fn rendered(configuration: &Configuration) -> Value {
        configuration.render(&workspace()).unwrap()
    }

    #[test]
    fn names_of_environments_and_domains_are_checked() {
        for name in ["staging", "a", "eu-west-1", "production"] {
            assert_eq!(name.parse::<Environment>().unwrap().to_string(), name);
        }
        for wrong in [
            "",
            "Staging",
            "a_b",
            "-a",
            "a-",
            "a--b",
            "../x",
            "a/b",
            "abcdefghijklmnopqrstuvwxy",
        ] {
            assert!(wrong.parse::<Environment>().is_err(), "{wrong}");
        }
        assert!("assets.example.org".parse::<Domain>().is_ok());
        for wrong in [
            "",
            "example",
            "https://example.org",
            "a..b",
            "A.example",
            "example.org/x",
        ] {
            assert!(wrong.parse::<Domain>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn environments_share_no_resource() {
        let names = |environment: &str| -> BTreeSet<String> {
            let resources = new(environment).resources();
            assert_eq!(resources.len(), 5, "{resources:?}");
            resources.iter().map(ToString::to_string).collect()
        };
        let [production, staging, other] = ["production", "staging", "other"].map(names);
        for expected in [
            "D1 database `assay`",
            "KV namespace `assay-cache`",
            "queue `assay-jobs-dead`",
        ] {
            assert!(production.contains(expected), "{production:?}");
        }
        assert!(
            staging.contains("queue `assay-staging-jobs`"),
            "{staging:?}"
        );
        assert!(production.is_disjoint(&staging) && staging.is_disjoint(&other));
        let mut named = new("staging");
        named.set("SERVICE_NAME", "certificates.example.org");
        let text = rendered(&named).to_string();
        assert!(
            !text.contains("\"assay\"") && !text.contains("\"assay-jobs\""),
            "{text}"
        );
        let counters = |environment: &str| {
            let file = rendered(&new(environment));
            items(&file, "/ratelimits")
                .map(|limiter| text_of(limiter, "/namespace_id"))
                .collect::<BTreeSet<_>>()
        };
        assert_eq!(counters("staging").len(), 2);
        assert!(counters("production").is_disjoint(&counters("staging")));
    }

    fn text_of(value: &Value, pointer: &str) -> String {
        text(value, pointer).to_owned()
    }

    #[test]
    fn the_operators_choices_are_read_back_from_the_file() {
        let mut chosen = new("staging");
        chosen.set("SERVICE_NAME", "certificates.example.org");
        chosen.set_domain(&"assets.example.org".parse().unwrap());
        chosen.set_account("0123");
        for resource in chosen.resources() {
            chosen.assign(&resource, &format!("id of {}", resource.binding));
        }
        let file = rendered(&chosen);
        assert_eq!(text(&file, "/d1_databases/0/database_id"), "id of DB");
        assert_eq!(text(&file, "/kv_namespaces/0/id"), "id of CACHE");
        assert_eq!(text(&file, "/account_id"), "0123");
        assert_eq!(file["workers_dev"], false);
        assert_eq!(file["preview_urls"], false);

        let own: Own = serde_json::from_value(file.clone()).unwrap();
        let again = Configuration {
            own,
            ..new("staging")
        };
        assert_eq!(rendered(&again), file);
        assert_eq!(
            again.domain().as_deref(),
            Some("https://assets.example.org")
        );
        assert_eq!(again.setting("SERVICE_NAME"), "certificates.example.org");
        assert!(again.resources().iter().all(|resource| {
            resource.id.is_some() == matches!(resource.kind, Kind::Database | Kind::Namespace)
        }));
    }

    #[test]
    fn ids_of_zeros_count_as_missing() {
        let own: Own = serde_json::from_value(rendered(&new("staging"))).unwrap();
        let again = Configuration {
            own,
            ..new("staging")
        };
        assert!(
            again
                .resources()
                .iter()
                .all(|resource| resource.id.is_none())
        );
    }

    #[test]
    fn rate_limiters_have_the_limits_of_the_settings() {
        let mut configuration = new("production");
        configuration.set("RATE_LIMIT_ADDRESS", "50/60");
        configuration.set("RATE_LIMIT_ACCOUNT", "off");
        let file = rendered(&configuration);
        let expected = json!([{ "name": "LIMIT_ADDRESS", "namespace_id": "7101", "simple": { "limit": 50, "period": 60 } }]);
        assert_eq!(file["ratelimits"], expected);
        configuration.set("RATE_LIMIT_ACCOUNT", "");
        assert_eq!(items(&rendered(&configuration), "/ratelimits").count(), 2);
    }

    #[test]
    fn paths_to_the_worker_are_relative_to_the_file() {
        let mut configuration = new("production");
        assert_eq!(
            text(&rendered(&configuration), "/main"),
            "../edge-api/dist/worker.js"
        );
        configuration.move_to(&workspace().cache().join("deploy"));
        let file = rendered(&configuration);
        assert_eq!(
            text(&file, "/d1_databases/0/migrations_dir"),
            "../../../edge-api/migrations"
        );
        assert_eq!(file.get("build"), None);
    }

    #[test]
    fn the_ledger_decides_which_build_is_uploaded() {
        let mut configuration = new("staging");
        for (ledger, folder, edition) in [
            ("", "dist", Edition::Embedded),
            ("embedded", "dist", Edition::Embedded),
            ("evm", "dist-evm", Edition::Evm),
            (" evm ", "dist-evm", Edition::Evm),
        ] {
            configuration.set("LEDGER", ledger);
            let file = rendered(&configuration);
            let [main, assets] = BUILT.map(|pointer| text_of(&file, pointer));
            assert_eq!(main, format!("../edge-api/{folder}/worker.js"));
            assert_eq!(assets, format!("../edge-api/{folder}/assets"));
            assert_eq!(configuration.edition(), edition);
            assert_eq!(needed_edition(&file), edition);
        }
    }

    #[test]
    fn a_bucket_is_needed_only_to_host_files() {
        let mut configuration = new("staging");
        configuration.template["r2_buckets"] =
            json!([{ "binding": "FILES_BUCKET", "bucket_name": "assay-files" }]);
        let is_needed = |configuration: &Configuration| {
            let names: Vec<_> = configuration
                .resources()
                .iter()
                .map(ToString::to_string)
                .collect();
            names.contains(&"R2 bucket `assay-staging-files`".to_owned())
        };
        assert!(!is_needed(&configuration));
        assert_eq!(rendered(&configuration).get("r2_buckets"), None);
        configuration.set("FILES", "on");
        assert!(is_needed(&configuration));
        let file = rendered(&configuration);
        assert_eq!(
            text(&file, "/r2_buckets/0/bucket_name"),
            "assay-staging-files"
        );
    }
}
