//! The options of backups.

use std::path::PathBuf;

use clap::Args;

use super::restore::Identity;
use crate::deploy::Environment;

#[derive(Debug, Args)]
pub(crate) struct BackupOptions {
    /// The deployed service to copy [default: production]
    #[arg(long, value_name = "ENV", conflicts_with = "state")]
    pub(crate) env: Option<Environment>,
    /// The state folder of a service on this machine to copy, while no server uses it
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// The folder of the copy, by default `backups/<ENV>` beside Cargo.toml
    #[arg(long, value_name = "FOLDER")]
    pub(crate) into: Option<PathBuf>,
    /// Rows of each table that the first call reads; later calls read about 4 MB
    #[arg(long, default_value_t = 500, value_parser = rows)]
    pub(crate) rows: usize,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreOptions {
    /// The folder of the copy
    pub(crate) folder: PathBuf,
    /// The new service to fill, which must not be deployed yet
    #[arg(long, value_name = "ENV", conflicts_with = "state")]
    pub(crate) env: Option<Environment>,
    /// The state folder of a service on this machine to fill
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// Bytes of SQL that one transaction loads
    #[arg(long, value_name = "BYTES", default_value_t = 4_000_000)]
    pub(crate) part: usize,
    /// Keep the backup's instance, or create a new one [default: ask]
    #[arg(long, value_enum)]
    pub(crate) instance: Option<Identity>,
    /// The id of the Cloudflare account, if the login has several accounts
    #[arg(long, value_name = "ID")]
    pub(crate) account: Option<String>,
}

fn rows(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(rows @ 1..=20_000) => Ok(rows),
        _ => Err("expected a number from 1 to 20000".to_owned()),
    }
}
