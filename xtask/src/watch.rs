//! Watches files by polling them every 0.4 s. Polling is cheap for a few hundred files, and works in the same way on every system.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use anyhow::Result;

use crate::stamp;

const PAUSE: Duration = Duration::from_millis(400);

/// The files below some roots, with their sizes and times at the last poll.
#[derive(Debug)]
pub(crate) struct Watch {
    roots: Vec<PathBuf>,
    seen: BTreeMap<PathBuf, (u64, SystemTime)>,
}

impl Watch {
    pub(crate) fn new(roots: Vec<PathBuf>) -> Result<Self> {
        let seen = look(&roots)?;
        Ok(Self { roots, seen })
    }

    /// Blocks until a file has been created, changed or removed, and the next poll finds no further change. Returns one such file.
    pub(crate) fn wait(&mut self) -> Result<PathBuf> {
        let mut changed = None;
        loop {
            std::thread::sleep(PAUSE);
            let now = look(&self.roots)?;
            if now == self.seen {
                if let Some(path) = changed {
                    return Ok(path);
                }
                continue;
            }
            let appeared = now
                .iter()
                .find(|(path, state)| self.seen.get(*path) != Some(state));
            let gone = self.seen.keys().find(|path| !now.contains_key(*path));
            changed = appeared.map(|(path, _)| path).or(gone).cloned().or(changed);
            self.seen = now;
        }
    }
}

fn look(roots: &[PathBuf]) -> Result<BTreeMap<PathBuf, (u64, SystemTime)>> {
    let mut seen = BTreeMap::new();
    for path in stamp::tree(roots)? {
        // A file may be removed after it was listed and before its metadata is read.
        if let Ok(metadata) = path.metadata()
            && metadata.is_file()
        {
            seen.insert(path, (metadata.len(), metadata.modified()?));
        }
    }
    Ok(seen)
}
