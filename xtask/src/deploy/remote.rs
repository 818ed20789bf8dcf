//! The database of a deployed service, reached through wrangler in the version of the lock file.

use std::fs;

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use super::configuration::{Configuration, Environment, Kind};
use super::platform::Wrangler;
use super::resources::{choose, create};
use crate::node::Node;
use crate::report;
use crate::workspace::Workspace;

/// The binding of the database in the Worker.
const BINDING: &str = "DB";

/// A database of the platform.
pub(crate) struct Remote<'a> {
    workspace: &'a Workspace,
    wrangler: Wrangler<'a>,
}

impl<'a> Remote<'a> {
    /// Opens the database of a deployed service.
    ///
    /// # Errors
    /// If no service of this environment was deployed from this workspace.
    pub(crate) fn open(
        workspace: &'a Workspace,
        node: &'a Node,
        environment: &Environment,
    ) -> Result<Self> {
        let configuration = Configuration::load(workspace, environment)?;
        if configuration.account().is_none() {
            bail!(
                "{} does not exist or names no account, so this command cannot find the service: copy the file from the machine that deployed the service",
                configuration.path().display()
            );
        }
        let wrangler = Wrangler::new(
            workspace,
            node,
            &configuration,
            environment.record(workspace),
        );
        Ok(Self {
            workspace,
            wrangler,
        })
    }

    /// Creates the database of a service that is not deployed yet, with all its tables.
    ///
    /// # Errors
    /// If the service's Worker is deployed already, because it would use the database while a backup is being restored into it.
    pub(crate) fn create(
        workspace: &'a Workspace,
        node: &'a Node,
        environment: &Environment,
        account: Option<&str>,
    ) -> Result<Self> {
        let mut configuration = Configuration::load(workspace, environment)?;
        configuration.save(workspace)?;
        let record = environment.record(workspace);
        let mut wrangler = Wrangler::new(workspace, node, &configuration, record);
        let account = report::step("the login", || {
            choose(&wrangler.accounts()?, account, configuration.account())
        })?;
        wrangler.set_account(&account.id);
        configuration.set_account(&account.id);
        configuration.save(workspace)?;
        if wrangler.active_version()?.is_some() {
            bail!(
                "the service `{}` is deployed already, and would use the database during the restoration: restore into a new --env, and \
                 deploy it afterwards",
                configuration.worker()
            );
        }
        let mut resources = configuration.resources();
        resources.retain(|resource| resource.kind == Kind::Database);
        create(workspace, &wrangler, &mut configuration, &resources)?;
        report::step("migrations of the database", || {
            wrangler.migrate(&resources)
        })?;
        Ok(Self {
            workspace,
            wrangler,
        })
    }

    /// Runs statements as one batch. Returns the rows of each statement.
    pub(crate) fn query(&self, sql: &str) -> Result<Vec<Vec<Map<String, Value>>>> {
        self.wrangler.query(BINDING, sql)
    }

    /// Runs statements that return no rows. Either all of them take effect, or none.
    pub(crate) fn load(&self, sql: &str) -> Result<()> {
        let folder = self.workspace.cache();
        fs::create_dir_all(&folder)?;
        let file = folder.join(format!("restore-{}.sql", std::process::id()));
        write_private(&file, sql).with_context(|| format!("writing {}", file.display()))?;
        let loaded = self.wrangler.import(BINDING, &file);
        fs::remove_file(&file)?;
        loaded
    }
}

/// Writes a file that only this user can read, because it contains personal data.
fn write_private(file: &std::path::Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;

    let mut options = fs::File::options();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)?.write_all(text.as_bytes())
}
