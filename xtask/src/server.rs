//! The Worker running on this machine: host/serve.mjs as a child process.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use serde_json::Value;

use crate::node::Node;
use crate::workspace::Workspace;

/// The options of a server.
#[derive(Debug)]
pub(crate) struct Options<'a> {
    pub(crate) port: u16,
    /// The folder for the state, such as the databases and the cache. If `None`, the state is deleted when the server ends.
    pub(crate) state: Option<&'a Path>,
    pub(crate) dist: &'a Path,
    pub(crate) vars: &'a [String],
    pub(crate) sweep_seconds: u32,
    /// True if the server switches to new builds as they appear.
    pub(crate) watch: bool,
    /// True if only warnings and errors are logged, not every request.
    pub(crate) quiet: bool,
    /// The file for the logs of the server and the Worker. If `None`, the logs go to the terminal.
    pub(crate) log: Option<&'a Path>,
}

/// A running server. It stops when this value is dropped, because its standard input ends then.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    lines: BufReader<ChildStdout>,
}

/// An event that a server reports.
#[derive(Debug)]
pub(crate) enum Event {
    /// The server answers requests.
    Ready(Ready),
    /// The server answers from a new build.
    Reloaded,
    /// The server has ended. Its last output is on standard error.
    Ended,
}

/// A server that answers requests.
#[derive(Debug, Deserialize)]
pub(crate) struct Ready {
    pub(crate) url: String,
}

impl Server {
    /// Starts a server. [`Server::next`] returns an event when the server is ready.
    pub(crate) fn start(workspace: &Workspace, node: &Node, options: &Options<'_>) -> Result<Self> {
        let mut command = node.script(workspace.root(), &workspace.path("edge-api/host/serve.mjs"));
        command.arg("--port").arg(options.port.to_string());
        command.arg("--dist").arg(options.dist);
        command
            .arg("--sweep-every")
            .arg(options.sweep_seconds.to_string());
        command.arg("--private-network");
        if let Some(state) = options.state {
            command.arg("--state").arg(state);
        }
        for var in options.vars {
            command.arg("--var").arg(var);
        }
        if options.watch {
            command.arg("--watch");
        }
        if options.quiet {
            command.arg("--quiet");
        }
        if let Some(log) = options.log {
            let file =
                File::create(log).with_context(|| format!("creating `{}`", log.display()))?;
            command.stderr(file);
        }
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Node.js could not be started for the server")?;
        let stdout = child
            .stdout
            .take()
            .context("the server has no standard output")?;
        Ok(Self {
            child,
            lines: BufReader::new(stdout),
        })
    }

    /// Waits for the server's next event.
    pub(crate) fn next(&mut self) -> Result<Event> {
        let mut line = String::new();
        if self.lines.read_line(&mut line)? == 0 {
            self.child.wait()?;
            return Ok(Event::Ended);
        }
        let message: Value = serde_json::from_str(&line)
            .with_context(|| format!("the server said `{}`", line.trim()))?;
        Ok(if message.get("ready").is_some() {
            Event::Ready(serde_json::from_value(message)?)
        } else {
            Event::Reloaded
        })
    }

    /// Waits until the server answers, and returns its address. Fails if the server ends instead.
    pub(crate) fn address(&mut self) -> Result<String> {
        match self.next()? {
            Event::Ready(ready) => Ok(ready.url),
            Event::Reloaded | Event::Ended => bail!("the server did not start"),
        }
    }
}

/// Settings for a developer's machine, followed by `more`, which can override them. Actions cost tokens, and deposits succeed without a
/// payment. Hosted files are on. The Worker may send requests to private addresses, such as this machine's. Badges are
/// cached for two seconds, and rate limits are off. `GET /health` lists settings that weaken the service.
pub(crate) fn development_vars(more: &[String]) -> Vec<String> {
    [
        "ENVIRONMENT=development",
        "PAYMENTS=on",
        "DEPOSITS=test",
        "FILES=on",
        "ALLOW_PRIVATE_FETCH=true",
        "BADGE_CACHE_SECONDS=2",
        "RATE_LIMIT_ADDRESS=off",
        "RATE_LIMIT_ACCOUNT=off",
    ]
    .map(str::to_owned)
    .into_iter()
    .chain(more.iter().cloned())
    .collect()
}
