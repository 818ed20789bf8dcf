//! Counts the tests that runners report, and shows their output.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The endings of the names of JavaScript test files.
pub(crate) const TEST_FILES: [&str; 2] = [".test.js", ".test.mjs"];

/// The numbers of checks and tests that passed and failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    passed: u64,
    failed: u64,
}

impl Tally {
    /// Returns the number of checks and tests that ran.
    pub(crate) fn ran(&self) -> u64 {
        self.passed.saturating_add(self.failed)
    }

    pub(crate) fn pass(&mut self) {
        self.passed = self.passed.saturating_add(1);
    }

    /// Raises the number of failures to at least one. A failed run may have stopped before it counted a failed test.
    pub(crate) fn require_failure(&mut self) {
        self.failed = self.failed.max(1);
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
    }

    /// Parses the counts in a line of a runner's summary: cargo's `test result: ok. 3 passed; 0 failed; …`, or Node's `ℹ pass 3`. Returns `None`
    /// for other lines.
    fn read(line: &str) -> Option<Self> {
        if let Some((_, counts)) = line
            .strip_prefix("test result: ")
            .and_then(|rest| rest.split_once(". "))
        {
            let mut counts = counts.split("; ");
            let mut next = |word: &str| counts.next()?.strip_suffix(word)?.trim().parse().ok();
            return Some(Self {
                passed: next("passed")?,
                failed: next("failed")?,
            });
        }
        let count = |word: &str| {
            line.strip_prefix("ℹ ")?
                .strip_prefix(word)?
                .trim()
                .parse()
                .ok()
        };
        match (count("pass "), count("fail ")) {
            (Some(passed), _) => Some(Self { passed, failed: 0 }),
            (_, Some(failed)) => Some(Self { passed: 0, failed }),
            _ => None,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// Runs a test runner, shows its output and adds its counts. Fails if the runner fails or ran no test.
pub(crate) fn run(command: &mut Command, tally: &mut Tally) -> Result<()> {
    let before = tally.ran();
    count(command, tally)?;
    if tally.ran() == before {
        bail!("the test runner ran no test");
    }
    Ok(())
}

/// Like [`run`], but succeeds even if no test ran, for example because none matches the selected name.
pub(crate) fn count(command: &mut Command, tally: &mut Tally) -> Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let stdout = child
        .stdout
        .take()
        .context("the test runner has no standard output")?;
    let mut found = Tally::default();
    let mut empty_files: u64 = 0;
    for line in BufReader::new(stdout).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        eprintln!("{line}");
        if let Some(counts) = Tally::read(line.trim_end()) {
            found.add(&counts);
        }
        empty_files = empty_files.saturating_add(u64::from(is_empty_file(&line)));
    }
    found.passed = found.passed.saturating_sub(empty_files);
    let status = child.wait()?;
    tally.add(&found);
    if !status.success() {
        bail!("tests failed ({status})");
    }
    Ok(())
}

/// Returns true if a line of Node's output reports a file in which no test ran. Since version 22, Node counts such a file as a passed test.
fn is_empty_file(line: &str) -> bool {
    let name = line
        .strip_prefix("✔ ")
        .and_then(|rest| rest.rsplit_once(" ("))
        .map(|(name, _)| name);
    name.is_some_and(|name| TEST_FILES.iter().any(|end| name.ends_with(end)))
}

#[cfg(test)]
mod tests {
    use super::{Tally, is_empty_file};

    #[test]
    fn files_without_a_selected_test_do_not_count() {
        assert!(is_empty_file("✔ tests/pages/site.test.mjs (65.862667ms)"));
        assert!(is_empty_file("✔ /a folder/b.test.js (1ms)\n"));
        assert!(!is_empty_file("✔ alpha one (0.520985ms)"));
        assert!(!is_empty_file("✖ tests/pages/site.test.mjs (65.862667ms)"));
    }

    #[test]
    fn summaries_of_both_runners_are_read() {
        let cargo = "test result: FAILED. 12 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(
            Tally::read(cargo),
            Some(Tally {
                passed: 12,
                failed: 2
            })
        );
        assert_eq!(
            Tally::read("ℹ pass 7"),
            Some(Tally {
                passed: 7,
                failed: 0
            })
        );
        assert_eq!(
            Tally::read("ℹ fail 1"),
            Some(Tally {
                passed: 0,
                failed: 1
            })
        );
        assert_eq!(Tally::read("ℹ tests 8"), None);
        assert_eq!(Tally::read("test result: unknown"), None);
    }
}
