//! Prints the steps of a task and their expected times before the task starts.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use crate::report;
use crate::stamp::Stamp;
use crate::workspace::Workspace;

/// A build step, identified by its stamp.
struct Build {
    stamp: &'static str,
    title: &'static str,
    /// Approximate seconds for a first build on a machine with two cores.
    seconds: u64,
}

/// The build steps that are announced, in the order in which they run.
const BUILDS: [Build; 8] = [
    Build {
        stamp: "npm",
        title: "npm packages of the lock file",
        seconds: 15,
    },
    Build {
        stamp: "cert",
        title: "certification library for npm",
        seconds: 35,
    },
    Build {
        stamp: "aih2",
        title: "AIH-2 for npm",
        seconds: 20,
    },
    Build {
        stamp: "verify",
        title: "AIH-2's verifier for npm",
        seconds: 15,
    },
    Build {
        stamp: "validate",
        title: "validation for npm",
        seconds: 30,
    },
    Build {
        stamp: "client",
        title: "API client for npm",
        seconds: 55,
    },
    Build {
        stamp: "worker-dev",
        title: "Worker (development build)",
        seconds: 180,
    },
    Build {
        stamp: "worker-dev-evm",
        title: "Worker with a ledger on a chain (development build)",
        seconds: 200,
    },
];

/// Prints the task's description, and the expected times of the builds in `stamps` that have no stamp.
pub(crate) fn builds(workspace: &Workspace, task: &str, stamps: &[&'static str]) {
    let first: Vec<&Build> = BUILDS
        .iter()
        .filter(|build| stamps.contains(&build.stamp))
        .filter(|build| !Stamp::of(workspace, build.stamp).exists())
        .collect();
    report::note(task);
    if first.is_empty() {
        report::note("  Only changed parts are rebuilt.");
        return;
    }
    report::note("  The first build takes some minutes. Estimates for two cores:");
    let steps = first.iter().map(|build| (build.title, build.seconds));
    report::note(&table(steps));
}

/// The duration of a step when it last succeeded on this machine.
#[derive(Debug)]
pub(crate) struct Last(PathBuf);

impl Last {
    pub(crate) fn of(workspace: &Workspace, step: &str) -> Self {
        Self(workspace.cache().join(format!("{step}.seconds")))
    }

    pub(crate) fn seconds(&self) -> Option<u64> {
        fs::read_to_string(&self.0).ok()?.trim().parse().ok()
    }

    /// Stores the duration. A failure is ignored. The next estimate is then the last stored time, or the time of a first run.
    pub(crate) fn took(&self, time: Duration) {
        let folder = self.0.parent().map_or(Ok(()), fs::create_dir_all);
        let _ = folder.and_then(|()| fs::write(&self.0, time.as_secs().to_string()));
    }
}

/// Returns a table with a line for each title and its time, and a line with the sum if there are several.
pub(crate) fn table<'a>(steps: impl Iterator<Item = (&'a str, u64)>) -> String {
    let mut lines = Vec::new();
    let mut sum = 0_u64;
    for (title, seconds) in steps {
        lines.push(format!("    {title:<36}{:>8}", roughly(seconds)));
        sum = sum.saturating_add(seconds);
    }
    if lines.len() > 1 {
        lines.push(format!("    {:<36}{:>8}", "in all", roughly(sum)));
    }
    lines.join("\n")
}

fn roughly(seconds: u64) -> String {
    match seconds {
        0..=4 => "moments".to_owned(),
        5..=89 => format!("{} s", seconds.next_multiple_of(5)),
        _ => format!("{} min", seconds.saturating_add(30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::{BUILDS, roughly, table};

    #[test]
    fn times_are_rounded() {
        let said: Vec<String> = [0, 4, 7, 89, 90, 149, 151, 630]
            .map(roughly)
            .into_iter()
            .collect();
        let wanted = [
            "moments", "moments", "10 s", "90 s", "2 min", "2 min", "3 min", "11 min",
        ];
        assert_eq!(said, wanted);
    }

    #[test]
    fn cargo_shows_the_progress_of_building_xtask() {
        let alias = include_str!("../../.cargo/config.toml")
            .lines()
            .find(|line| line.starts_with("xtask = "));
        assert!(alias.is_some_and(|line| !line.contains("quiet")));
    }

    #[test]
    fn the_table_has_a_sum_if_there_are_several_steps() {
        assert_eq!(table([("one", 60)].into_iter()).lines().count(), 1);
        let two = table([("one", 60), ("two", 120)].into_iter());
        assert!(two.ends_with("3 min"), "{two}");
        assert!(BUILDS.iter().all(|build| build.seconds > 0));
    }
}
