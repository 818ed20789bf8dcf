//! Every task of a developer and of CI, behind one command: `cargo xtask help` lists them.

mod bench;
mod build;
mod chain;
mod cli;
mod conventions;
mod demo;
mod dependencies;
mod dev;
mod docs;
mod fuzz;
mod hosts;
mod mutants;
mod node;
mod operate;
mod options;
mod parts;
mod process;
mod release;
mod report;
mod server;
mod stamp;
mod tally;
mod test;
mod wasm;
mod watch;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use crate::cli::{Cli, Task};
use crate::workspace::Workspace;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli) {
        Ok(code) => code,
        Err(error) => {
            report::error(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(cli: Cli) -> anyhow::Result<ExitCode> {
    let workspace = Workspace::find()?;
    match cli.task {
        Task::Dev(options) => dev::run(&workspace, &options),
        Task::Test(options) => test::run(&workspace, &options.selection()?),
        Task::Build(options) => build::run(&workspace, &options),
        Task::Docs => docs::run(&workspace),
        Task::Fuzz(options) => fuzz::run(&workspace, &options),
        Task::Mutants => mutants::run(&workspace),
        Task::Demo(options) => demo::run(&workspace, &options),
        Task::Bench(options) => bench::run(&workspace, &options),
        Task::Check(options) => operate::run(&workspace, "check", &options),
        Task::Alerts(options) => operate::run(&workspace, "alerts", &options),
        Task::Backup(options) => operate::run(&workspace, "backup", &options),
        Task::Restore(options) => operate::run(&workspace, "restore", &options),
        Task::Deploy(options) => operate::run(&workspace, "deploy", &options),
        Task::Release(options) => release::run(&workspace, &options),
        Task::Admin(options) => operate::run(&workspace, "admin", &options),
        Task::Wrangler(options) => operate::run(&workspace, "wrangler", &options),
    }
}
