//! `cargo xtask backup` copies the database of a service into a folder. `cargo xtask restore` fills the database of a new service from such
//! a folder.

mod capture;
mod database;
mod export;
mod folder;
mod options;
mod restore;
mod table;

use std::path::Path;
use std::process::ExitCode;

use anyhow::Result;

pub(crate) use options::{BackupOptions, RestoreOptions};
pub(crate) use restore::Identity;

use crate::deploy::{Environment, Remote};
use crate::node::Node;
use crate::report;
use crate::workspace::Workspace;
use database::{Database, Local};
use folder::Folder;

/// Copies a database into a folder.
pub(crate) fn run(workspace: &Workspace, options: &BackupOptions) -> Result<ExitCode> {
    let node = Node::ready(workspace)?;
    let environment = options.env.clone().unwrap_or_default();
    let (mut database, source) = match &options.state {
        Some(state) => {
            let state = std::path::absolute(state)?;
            let local = Local::open(workspace, &node, &state, false)?;
            (Database::Local(local), "state".to_owned())
        }
        None => {
            let remote = Remote::open(workspace, &node, &environment)?;
            (Database::Remote(remote), environment.to_string())
        }
    };
    let path = match &options.into {
        Some(path) => std::path::absolute(path)?,
        None => workspace.path("backups").join(&source),
    };
    let folder = Folder::new(&path);
    let manifest = report::step(&format!("backup into {}", path.display()), || {
        export::run(&mut database, &folder, &source, options.rows)
    })?;
    let rows: u64 = manifest.tables.iter().map(|table| table.rows).sum();
    report::note(&format!(
        "\n  {rows} rows of {} tables, as they were at {}\n  \
         The folder has personal data and the signing secrets of webhooks: keep it as safe as the database.\n  \
         It has neither the Worker's secrets nor the content of hosted files.",
        manifest.tables.len(),
        manifest.at
    ));
    Ok(ExitCode::SUCCESS)
}

/// Fills a new database from a folder.
pub(crate) fn restore(workspace: &Workspace, options: &RestoreOptions) -> Result<ExitCode> {
    let folder = Folder::new(&std::path::absolute(&options.folder)?);
    let (manifest, id) = folder.manifest()?;
    report::step("check the files of the backup", || folder.verify(&manifest))?;
    let identity = match options.instance {
        Some(identity) => identity,
        None => Identity::ask(&manifest.instance)?,
    };
    let node = Node::ready(workspace)?;
    let mut database = match (&options.env, &options.state) {
        (Some(environment), _) => Database::Remote(Remote::create(
            workspace,
            &node,
            environment,
            options.account.as_deref(),
        )?),
        (None, Some(state)) => Database::Local(Local::open(
            workspace,
            &node,
            &std::path::absolute(state)?,
            true,
        )?),
        (None, None) => {
            anyhow::bail!("name the new service by --env, or a state folder by --state")
        }
    };
    restore::run(
        &mut database,
        &folder,
        &manifest,
        &id,
        identity,
        options.part,
    )?;
    next(options.env.as_ref(), options.state.as_deref(), identity);
    Ok(ExitCode::SUCCESS)
}

/// Prints the operator's next steps.
fn next(environment: Option<&Environment>, state: Option<&Path>, identity: Identity) {
    report::note("\n  All restored rows equal the backup's.");
    match (environment, state) {
        (Some(environment), _) => report::note(&format!(
            "  Next: `cargo xtask deploy --env {environment}` with the old service's settings, its secrets by `cargo xtask wrangler secret put`, \
             and its bucket's objects if FILES is on."
        )),
        (None, Some(state)) => report::note(&format!(
            "  Next: `cargo xtask dev --state {}`",
            state.display()
        )),
        (None, None) => {}
    }
    if identity == Identity::Keep {
        report::note(
            "  The old service must stay off. Otherwise, both services perform the same claims.",
        );
    }
}
