//! The folder of a backup: a file of rows for each table, and the manifest, which is written last.
//!
//! `tables/<name>.ndjson` has one row per line: a JSON list of values in the order of the manifest's columns. Lines
//! are sorted by primary key, so equal tables have equal files.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::table::{Schema, Table};
use crate::files::{hex, replace};

/// The version of the folder's format.
pub(super) const FORMAT: u32 = 1;

/// The description of a finished backup.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub(super) format: u32,
    /// The name of the environment that was read, or `state` for a state folder.
    pub(super) source: String,
    /// The release of this project that made the backup.
    pub(super) release: String,
    /// The instance's id. Claims are bound to it.
    pub(super) instance: String,
    /// The time of the database's state in the backup, in UTC.
    pub(super) at: String,
    pub(super) schema: Schema,
    pub(super) tables: Vec<TableFile>,
    /// The last used id of each table with AUTOINCREMENT (`sqlite_sequence`). A restored database must not use an id again.
    pub(super) sequences: Vec<Sequence>,
}

/// The file of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TableFile {
    pub(super) name: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    /// SHA-256 of the file in hex.
    pub(super) sha256: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Sequence {
    pub(super) name: String,
    pub(super) seq: i64,
}

/// Counts and hashes the lines of a table's file.
#[derive(Debug, Default)]
pub(super) struct Lines {
    rows: u64,
    bytes: u64,
    hash: Sha256,
}

impl Lines {
    /// Adds a line, which is given without its line break.
    pub(super) fn add(&mut self, line: &str) {
        self.rows = self.rows.saturating_add(1);
        let bytes = u64::try_from(line.len()).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(1);
        self.hash.update(line);
        self.hash.update("\n");
    }

    pub(super) fn finish(self, table: &str) -> TableFile {
        TableFile {
            name: table.to_owned(),
            rows: self.rows,
            bytes: self.bytes,
            sha256: hex(&self.hash.finalize()),
        }
    }
}

pub(super) struct Folder(PathBuf);

impl Folder {
    pub(super) fn new(path: &Path) -> Self {
        Self(path.to_owned())
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }

    fn manifest_path(&self) -> PathBuf {
        self.0.join("manifest.json")
    }

    pub(super) fn is_finished(&self) -> bool {
        self.manifest_path().is_file()
    }

    /// Returns the path of a table's file.
    pub(super) fn rows(&self, table: &str) -> PathBuf {
        self.0.join("tables").join(format!("{table}.ndjson"))
    }

    /// Returns the path of a file of an unfinished backup.
    pub(super) fn partial(&self, name: &str) -> PathBuf {
        self.0.join("partial").join(name)
    }

    /// Creates the folder. Only this user can read it, because it will contain personal data.
    pub(super) fn create(&self) -> Result<()> {
        for folder in [
            self.0.clone(),
            self.0.join("tables"),
            self.0.join("partial"),
        ] {
            fs::create_dir_all(&folder)
                .with_context(|| format!("creating {}", folder.display()))?;
        }
        keep_private(&self.0)
    }

    /// Writes the manifest and deletes the files of the unfinished backup.
    pub(super) fn finish(&self, manifest: &Manifest) -> Result<()> {
        replace(&self.manifest_path(), &serde_json::to_vec_pretty(manifest)?)?;
        fs::remove_dir_all(self.0.join("partial"))
            .context("deleting the files of the unfinished backup")
    }

    /// Reads the manifest. Also returns the SHA-256 of the manifest, which identifies the backup.
    ///
    /// # Errors
    /// If the backup is not finished, or has another format.
    pub(super) fn manifest(&self) -> Result<(Manifest, String)> {
        let path = self.manifest_path();
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => bail!(
                "{} has no manifest.json, so it is not a finished backup: finish it with `cargo xtask backup --into {}` and the \
                 same `--env` or `--state` as before, or choose another folder",
                self.0.display(),
                self.0.display()
            ),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        let manifest: Manifest = serde_json::from_slice(&bytes).with_context(|| {
            format!(
                "{} is damaged or is not a manifest of this format: copy the backup again, or restore another one",
                path.display()
            )
        })?;
        if manifest.format != FORMAT {
            bail!(
                "the backup has format {}, and this release reads format {FORMAT} only: restore it with release {}",
                manifest.format,
                manifest.release
            );
        }
        Ok((manifest, hex(&Sha256::digest(&bytes))))
    }

    /// Compares every file with the manifest.
    ///
    /// # Errors
    /// Names the first file that is missing or differs, and tells the user what to do.
    pub(super) fn verify(&self, manifest: &Manifest) -> Result<()> {
        let mend = "copy the backup again from where it is kept, or restore another one. This run restored nothing from it";
        let names = manifest.schema.tables.iter().map(|table| &table.name);
        if !names.eq(manifest.tables.iter().map(|file| &file.name)) {
            bail!("the manifest does not name a file for each table: {mend}");
        }
        for expected in &manifest.tables {
            let path = self.rows(&expected.name);
            let file = match File::open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                    bail!("{} is missing: {mend}", path.display())
                }
                Err(error) => {
                    return Err(error).with_context(|| format!("reading {}", path.display()));
                }
            };
            let bytes = file.metadata()?.len();
            if bytes != expected.bytes {
                bail!(
                    "{} has {bytes} bytes instead of {}: {mend}",
                    path.display(),
                    expected.bytes
                );
            }
            let mut lines = Lines::default();
            let mut reader = BufReader::new(file);
            let mut buffer = vec![0; 1 << 16];
            loop {
                let read = reader
                    .read(&mut buffer)
                    .with_context(|| format!("reading {}", path.display()))?;
                let Some(part) = buffer.get(..read).filter(|part| !part.is_empty()) else {
                    break;
                };
                lines.hash.update(part);
            }
            if hex(&lines.hash.finalize()) != expected.sha256 {
                bail!(
                    "{} was changed after the backup (its SHA-256 is not the manifest's): {mend}",
                    path.display()
                );
            }
        }
        Ok(())
    }

    /// Reads the lines of a table's file.
    pub(super) fn lines(&self, table: &Table) -> Result<impl Iterator<Item = Result<String>>> {
        lines(&self.rows(&table.name))
    }
}

/// Reads the lines of a file.
pub(super) fn lines(path: &Path) -> Result<impl Iterator<Item = Result<String>> + use<>> {
    let file = File::open(path).with_context(|| format!("reading {}", path.display()))?;
    let name = path.display().to_string();
    Ok(BufReader::new(file)
        .lines()
        .map(move |line| line.with_context(|| format!("reading {name}"))))
}

/// A file to which lines are appended.
pub(super) struct Appended {
    file: BufWriter<File>,
    bytes: u64,
}

impl Appended {
    /// Opens a file and truncates it to `bytes` bytes. Further bytes come from a run that was stopped before it recorded them. Fails if the
    /// file is shorter.
    pub(super) fn open(path: &Path, bytes: u64) -> Result<Self> {
        let open = || {
            let mut options = File::options();
            let file = options
                .create(true)
                .truncate(false)
                .read(true)
                .write(true)
                .open(path)?;
            if file.metadata()?.len() < bytes {
                return Err(std::io::Error::other(
                    "the file is shorter than recorded: delete the folder and start again",
                ));
            }
            file.set_len(bytes)?;
            let mut file = file;
            std::io::Seek::seek(&mut file, std::io::SeekFrom::End(0))?;
            Ok(file)
        };
        let file = open().with_context(|| format!("opening {}", path.display()))?;
        Ok(Self {
            file: BufWriter::new(file),
            bytes,
        })
    }

    pub(super) fn add(&mut self, line: &str) -> Result<()> {
        writeln!(self.file, "{line}")?;
        let bytes = u64::try_from(line.len()).unwrap_or(u64::MAX);
        self.bytes = self.bytes.saturating_add(bytes).saturating_add(1);
        Ok(())
    }

    /// Writes everything to the disk and returns the size of the file.
    pub(super) fn sync(mut self) -> Result<u64> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        Ok(self.bytes)
    }
}

#[cfg(unix)]
fn keep_private(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;

    Ok(fs::set_permissions(
        folder,
        fs::Permissions::from_mode(0o700),
    )?)
}

#[cfg(not(unix))]
fn keep_private(_: &Path) -> Result<()> {
    Ok(())
}
