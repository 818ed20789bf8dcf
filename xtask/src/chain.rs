//! A chain on this machine with the original 0xcert contracts: tests/chain/host.mjs as a child process.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};

use anyhow::{Context, Result, bail};
use serde::Deserialize;

use crate::node::Node;
use crate::workspace::Workspace;

/// The chain's folder in a state folder.
pub(crate) const FOLDER: &str = "chain";

/// The file that describes a chain, in the chain's folder.
pub(crate) const DESCRIPTION: &str = "chain.json";

/// Seconds between two blocks, about as on layer 2 chains.
const BLOCK_SECONDS: u32 = 2;

/// A running chain. It stops when this value is dropped, because its standard input ends then.
#[derive(Debug)]
pub(crate) struct Chain {
    child: Child,
    lines: BufReader<ChildStdout>,
}

/// A chain whose contracts can be called.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Ready {
    /// The address of the chain's JSON-RPC.
    pub(crate) url: String,
    pub(crate) chain_id: u64,
    /// True if the chain is new.
    pub(crate) created: bool,
    /// The Worker's settings for this chain.
    vars: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
struct Unavailable {
    ready: bool,
    #[serde(default)]
    why: String,
}

impl Chain {
    /// Starts the chain that is stored in a folder, or a new chain. Waits until its contracts can be called.
    pub(crate) fn start(
        workspace: &Workspace,
        node: &Node,
        port: u16,
        folder: &Path,
    ) -> Result<(Self, Ready)> {
        let mut command = node.script(workspace.root(), &workspace.path("tests/chain/host.mjs"));
        command.arg("--port").arg(port.to_string());
        command.arg("--block-time").arg(BLOCK_SECONDS.to_string());
        command.arg("--state").arg(folder);
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("Node.js could not be started for the chain")?;
        let stdout = child
            .stdout
            .take()
            .context("the chain has no standard output")?;
        let mut chain = Self {
            child,
            lines: BufReader::new(stdout),
        };
        let mut line = String::new();
        if chain.lines.read_line(&mut line)? == 0 {
            bail!("the chain did not start");
        }
        let ready = read(&line)?;
        Ok((chain, ready))
    }

    /// Waits until the chain has ended.
    pub(crate) fn ended(&mut self) -> Result<()> {
        let mut rest = Vec::new();
        self.lines.read_to_end(&mut rest)?;
        self.child.wait()?;
        Ok(())
    }
}

impl Ready {
    /// Returns the Worker's settings for this chain, as `NAME=VALUE`.
    pub(crate) fn vars(&self) -> impl Iterator<Item = String> {
        self.vars
            .iter()
            .map(|(name, value)| format!("{name}={value}"))
    }

    /// Returns the value of one of the Worker's settings. Empty if the chain has no such setting.
    pub(crate) fn var(&self, name: &str) -> &str {
        self.vars.get(name).map_or("", String::as_str)
    }
}

/// Parses the line in which a chain reports that it is ready. Fails with the reason if the chain cannot run on this machine.
fn read(line: &str) -> Result<Ready> {
    let said = || format!("the chain said `{}`", line.trim());
    let available: Unavailable = serde_json::from_str(line).with_context(said)?;
    if !available.ready {
        bail!("{}", available.why);
    }
    serde_json::from_str(line).with_context(said)
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn the_settings_of_a_ready_chain_are_read() {
        let line = r#"{"ready":true,"url":"http://127.0.0.1:8545","chainId":31337,"created":false,"owner":"0x1","vars":{"LEDGER":"evm","CHAIN_ID":"31337"}}"#;
        let ready = read(line).unwrap();
        assert_eq!((ready.chain_id, ready.created), (31337, false));
        assert_eq!(ready.url, "http://127.0.0.1:8545");
        assert_eq!(ready.var("LEDGER"), "evm");
        let vars: Vec<String> = ready.vars().collect();
        assert_eq!(vars, ["CHAIN_ID=31337", "LEDGER=evm"]);
    }

    #[test]
    fn the_error_is_the_reason_why_the_chain_cannot_run() {
        let why = "npm's package is not installed for plan9 on sparc";
        let line = format!(r#"{{"ready":false,"why":"{why}"}}"#);
        assert_eq!(format!("{:#}", read(&line).unwrap_err()), why);
        assert!(read("hello").is_err());
        assert!(read(r#"{"ready":true}"#).is_err());
    }
}
