//! The command line.

use clap::{Parser, Subcommand};

use crate::bench::BenchOptions;
use crate::build::BuildOptions;
use crate::demo::DemoOptions;
use crate::dev::DevOptions;
use crate::fuzz::FuzzOptions;
use crate::operate::OperateOptions;
use crate::parts::TestOptions;
use crate::release::ReleaseOptions;

/// Every task of a developer and of CI.
///
/// Needs Rust by rustup, and Node.js 22.18 or newer with npm. On Linux, Node.js 20 is enough, because a newer version is then installed into
/// this folder. Tasks install everything else that they need into this folder.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", max_term_width = 110)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) task: Task,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Build everything, serve it on this machine, and rebuild after every change
    Dev(DevOptions),
    /// Run the checks and tests, all of them or the named parts; CI runs exactly this
    Test(TestOptions),
    /// Build the npm packages and the Worker
    Build(BuildOptions),
    /// Generate files from the service: www/openapi.json with its examples, docs/errors.md and the client's types; tests refuse outdated files
    Docs,
    /// Fuzz the certification library, guided by coverage
    Fuzz(FuzzOptions),
    /// Plant each fault of a list into AIH-2, and check that the tests fail
    Mutants,
    /// Walk through the service and the certification library against a running server
    Demo(DemoOptions),
    /// Measure speed: prints a table and writes it as JSON into target/bench
    Bench(BenchOptions),
    /// Deploy the service with its database, cache and queues, test it, and roll back if the test fails
    Deploy(OperateOptions),
    /// Test a deployed service, and list what its operator has left open
    Check(OperateOptions),
    /// Send a test message to the receiver of alerts, and store its address
    Alerts(OperateOptions),
    /// Copy the database of a running service into a folder; run it again to continue a stopped copy. `backup fetch` and `backup drill` use the
    /// newest nightly backup
    Backup(OperateOptions),
    /// Fill a new, empty database from the folder of a backup and compare it with the backup's hashes; run it again to continue
    Restore(OperateOptions),
    /// Build and check the artefacts of a release into target/release-artefacts: packages, crates, tool, Worker, components, checksums
    Release(ReleaseOptions),
    /// Call a route of a service as an administrator: `admin --url URL --key FILE POST /admin/pause message=… reason=…`; or print the
    /// address of a key's account: `admin --key FILE`
    Admin(OperateOptions),
    /// Run the locked version of wrangler in edge-api, with a suitable Node.js and the file of `--env`; uploads check the settings first
    Wrangler(OperateOptions),
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;
    use crate::bench::Subject;
    use crate::parts::{Part, Selection};

    fn rounds(words: &[&str]) -> Option<u32> {
        let cli = Cli::try_parse_from(["xtask", "bench", "faults"].iter().chain(words)).ok()?;
        match cli.task {
            Task::Bench(BenchOptions {
                subject: Subject::Faults(options),
            }) => Some(options.rounds),
            _ => None,
        }
    }

    fn selected(words: &[&str]) -> std::result::Result<Selection, String> {
        let cli = Cli::try_parse_from(["xtask", "test"].iter().chain(words));
        match cli.map_err(|error| error.to_string())?.task {
            Task::Test(options) => options.selection().map_err(|error| error.to_string()),
            _ => Err("not the tests".to_owned()),
        }
    }

    #[test]
    fn a_word_after_the_parts_is_the_name_of_tests() {
        let selection = |parts: &[Part], name: Option<&str>| Selection {
            parts: parts.to_vec(),
            name: name.map(str::to_owned),
        };
        let all = selection(&Part::by_default(), None);
        assert_eq!(selected(&[]), Ok(all));
        let parts = [Part::Native, Part::Lint];
        assert_eq!(selected(&["native", "lint"]), Ok(selection(&parts, None)));
        let parts = [Part::Wasm, Part::Native];
        let named = selection(&parts, Some("two words"));
        assert_eq!(selected(&["wasm", "native", "two words"]), Ok(named));
    }

    #[test]
    fn unknown_parts_and_names_for_parts_without_named_tests_are_refused() {
        for (words, expected) in [
            (
                &["natve"][..],
                "`natve` is not a part (parts: format, lint, native",
            ),
            (
                &["native", "one", "two"],
                "only one name may follow the parts: `one`",
            ),
            (
                &["native", "lint", "one"],
                "the part `lint` has no tests to select by name",
            ),
            (&["format", "one"], "the part `format` has no tests"),
            (&["fuzz", "aih2"], "the part `fuzz` has no tests"),
        ] {
            let message = selected(words).unwrap_err();
            assert!(message.contains(expected), "{message}");
        }
    }

    #[test]
    fn the_help_explains_names_and_lists_every_part() {
        let help = Cli::try_parse_from(["xtask", "test", "--help"])
            .unwrap_err()
            .to_string();
        assert!(help.contains("cargo xtask test <PART>... <NAME>"), "{help}");
        for part in Part::value_variants() {
            assert!(help.contains(&format!("\n  {part} ")), "{help}");
        }
    }

    #[test]
    fn the_number_of_faults_defaults_to_200() {
        assert_eq!(rounds(&[]), Some(200));
        assert_eq!(rounds(&["--rounds", "3"]), Some(3));
        for wrong in ["0", "-1", "x", ""] {
            assert_eq!(rounds(&["--rounds", wrong]), None, "{wrong}");
        }
    }

    #[test]
    fn cargo_shows_the_progress_of_building_xtask() {
        let alias = include_str!("../../.cargo/config.toml")
            .lines()
            .find(|line| line.starts_with("xtask = "));
        assert!(alias.is_some_and(|line| !line.contains("quiet")));
    }
}
