//! The databases that `cargo xtask backup` reads and `cargo xtask restore` fills. A database belongs to a deployed service, or is in a state
//! folder on this machine.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::json;

use super::table::Row;
use crate::deploy::Remote;
use crate::node::Node;
use crate::workspace::Workspace;

/// A database.
pub(super) enum Database<'a> {
    Remote(Remote<'a>),
    Local(Local),
}

impl Database<'_> {
    /// Runs statements as one transaction, and returns the rows of each statement.
    pub(super) fn query(&mut self, statements: &[String]) -> Result<Vec<Vec<Row>>> {
        let answers = match self {
            Self::Remote(remote) => remote.query(&statements.join(";\n"))?,
            Self::Local(local) => local.query(statements)?,
        };
        if answers.len() != statements.len() {
            bail!(
                "the database answered {} of {} statements",
                answers.len(),
                statements.len()
            );
        }
        Ok(answers)
    }

    /// Runs many statements that return no rows, as one transaction.
    pub(super) fn load(&mut self, statements: &[String]) -> Result<()> {
        match self {
            Self::Remote(remote) => remote.load(&format!("{};\n", statements.join(";\n"))),
            Self::Local(local) => local.query(statements).map(drop),
        }
    }
}

/// The database of a state folder, which workerd opens. host/database.mjs runs as a child process.
pub(super) struct Local {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Results(Vec<Vec<Row>>),
    Error(String),
}

impl Local {
    /// Opens the database of a state folder. If `migrate` is true, creates a missing folder and applies missing migrations. Otherwise, fails
    /// if the folder has no database.
    pub(super) fn open(
        workspace: &Workspace,
        node: &Node,
        state: &Path,
        migrate: bool,
    ) -> Result<Self> {
        let mut command = node.script(
            workspace.root(),
            &workspace.path("edge-api/host/database.mjs"),
        );
        command.arg("--state").arg(state);
        if migrate {
            command.arg("--migrate");
        } else if !state.join("d1").is_dir() {
            bail!(
                "{} has no database: name the folder of `cargo xtask dev --state`",
                state.display()
            );
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Node.js could not be started for the database")?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("the database has no output")?;
        Ok(Self {
            child,
            input,
            output: BufReader::new(output),
        })
    }

    fn query(&mut self, statements: &[String]) -> Result<Vec<Vec<Row>>> {
        let input = self.input.as_mut().context("the database is closed")?;
        writeln!(input, "{}", json!(statements)).context("the local database ended")?;
        let mut line = String::new();
        if self.output.read_line(&mut line)? == 0 {
            bail!("the local database ended");
        }
        match serde_json::from_str(&line)? {
            Answer::Results(results) => Ok(results),
            Answer::Error(message) => bail!("{message}"),
        }
    }
}

impl Drop for Local {
    /// Ends the process and waits until it has written everything.
    fn drop(&mut self) {
        self.input = None;
        drop(self.child.wait());
    }
}
