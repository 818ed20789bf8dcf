//! Append-only files of NDJSON, which let a command continue after any interruption.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::failure::Failure;

/// The state that the lines of a file add up to.
pub(crate) trait Lines: Default {
    type Line: Clone + Serialize + DeserializeOwned;

    /// Applies the next line.
    ///
    /// # Errors
    /// The reason why the line cannot follow the lines before it.
    fn apply(&mut self, line: Self::Line) -> Result<(), String>;
}

/// An open file. It is locked, so two processes cannot do the same work.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    path: PathBuf,
}

impl Journal {
    /// Opens or creates the file, locks it, reads its lines, and removes a last line that a crash cut off.
    pub(crate) fn open<State: Lines>(path: &Path) -> Result<(Self, State), Failure> {
        let failed = |error: &dyn std::fmt::Display| {
            Failure::new("state-unreadable", format!("{}: {error}", path.display()))
        };
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        // The lines can identify recipients, so only the file's owner may read them.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(|error| failed(&error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(failed(&"another process uses this file"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&error)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)
            .map_err(|error| failed(&error))?;
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |last| last.saturating_add(1));
        bytes.truncate(whole);
        file.set_len(u64::try_from(whole).unwrap_or(u64::MAX))
            .map_err(|error| failed(&error))?;
        file.seek(SeekFrom::End(0))
            .map_err(|error| failed(&error))?;
        let text = String::from_utf8(bytes).map_err(|error| failed(&error))?;
        let mut state = State::default();
        for (number, line) in (1_usize..).zip(text.lines()) {
            let read = serde_json::from_str(line).map_err(|error| error.to_string());
            read.and_then(|line| state.apply(line))
                .map_err(|error| failed(&format_args!("line {number}: {error}")))?;
        }
        let path = path.to_owned();
        Ok((Self { file, path }, state))
    }

    /// Appends lines, waits until they are on the disk, and then applies them to `state`.
    pub(crate) fn append<State: Lines>(
        &mut self,
        state: &mut State,
        lines: &[State::Line],
    ) -> Result<(), Failure> {
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line).map_err(|error| self.failed(&error))?;
            text.push(b'\n');
        }
        self.file
            .write_all(&text)
            .and_then(|()| self.file.sync_data())
            .map_err(|error| self.failed(&error))?;
        for line in lines {
            state
                .apply(line.clone())
                .map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Failure {
        Failure::new(
            "state-unwritable",
            format!("{}: {error}", self.path.display()),
        )
    }
}
