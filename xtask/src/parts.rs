//! The parts of the tests, and the options that select them.

use std::fmt;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

#[derive(Debug, Args)]
#[command(
    override_usage = "cargo xtask test [PART]...\n       cargo xtask test <PART>... <NAME>",
    after_help = parts_help()
)]
pub(crate) struct TestOptions {
    /// Parts to run, in this order [default: all except fuzz, lowest, hosts and interop]. A last word that is not a part is a NAME: only tests whose name contains it run
    #[arg(value_name = "PART")]
    words: Vec<String>,
}

/// The parts of the tests to run, and a filter for the names of their tests.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Selection {
    pub(crate) parts: Vec<Part>,
    /// Only tests whose name contains this text run. If it is `None`, all tests run.
    pub(crate) name: Option<String>,
}

impl TestOptions {
    /// Splits the words into parts and a name.
    ///
    /// # Errors
    /// If more than one word follows the parts, or if a name has no part before it. Also if there is a name and one of the parts has no named
    /// tests.
    pub(crate) fn selection(&self) -> Result<Selection> {
        let part = |word: &String| Part::from_str(word, false).ok();
        let mut parts: Vec<Part> = self.words.iter().map_while(part).collect();
        let name = match self.words.get(parts.len()..).unwrap_or_default() {
            [] => None,
            [name] if parts.is_empty() => bail!(
                "`{name}` is not a part (parts: {}); the name of a test follows its part: `cargo xtask test native {name}`",
                all_parts()
            ),
            [name] => Some(name.clone()),
            [first, ..] => bail!(
                "only one name may follow the parts: `{first}` is not a part (parts: {})",
                all_parts()
            ),
        };
        if name.is_some()
            && let Some(part) = parts.iter().find(|part| !part.has_named_tests())
        {
            bail!("the part `{part}` has no tests to select by name");
        }
        if parts.is_empty() {
            parts = Part::by_default();
        }
        Ok(Selection { parts, name })
    }
}

fn all_parts() -> String {
    let names: Vec<String> = Part::value_variants().iter().map(Part::to_string).collect();
    names.join(", ")
}

/// The parts and their contents, for `--help`.
fn parts_help() -> String {
    let lines = Part::value_variants().iter().filter_map(|part| {
        let value = part.to_possible_value()?;
        let help = value.get_help()?;
        Some(format!("  {:<12}{help}\n", value.get_name()))
    });
    format!(
        "Parts:\n{}\nExample: `cargo xtask test native withdrawn` runs the Rust tests that have `withdrawn` in their names.",
        lines.collect::<String>()
    )
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Part {
    /// `cargo fmt --check`
    Format,
    /// clippy, native and for wasm, and rustdoc, with warnings as errors; no file except those that git ignores may name a registry's host; licences, sources and use of dependencies
    Lint,
    /// The Rust tests of all crates, on this machine
    Native,
    /// The HTTP suite of the Worker, on a local chain with the original contracts
    Chain,
    /// A build of the cores for a target without an operating system
    BareMetal,
    /// The fuzz targets of the certification library, guided by coverage, for a few seconds each; needs a C++ compiler; runs only if it is named. The part `native` runs them on seeds and on random changes of seeds
    Fuzz,
    /// The npm packages, in Node.js
    Wasm,
    /// The Worker in workerd, over HTTP; the pages in Chromium; requests that Schemathesis makes from the description of the API (needs Python 3)
    Workerd,
    /// The published crates, checked with the lowest version of Rust that each declares, which rustup installs; runs only if it is named
    Lowest,
    /// The packed npm packages in frameworks, bundlers, test runners and runtimes, which this part installs (1.1 GB); runs only if it is named
    Hosts,
    /// Badges in the programs of other makers, which this part installs (60 MB; needs Python 3); runs only if it is named
    Interop,
}

impl Part {
    /// Returns true if the part has named tests. All other parts are checks without names. `cargo xtask fuzz` selects single fuzz targets.
    const fn has_named_tests(self) -> bool {
        matches!(
            self,
            Self::Native | Self::Chain | Self::Wasm | Self::Workerd | Self::Hosts | Self::Interop
        )
    }

    /// Returns the parts that run by default. Other compilers, hosts and programs would take too long to install. Building the fuzz targets takes
    /// more than a minute, and they find little in the seconds that they run.
    pub(crate) fn by_default() -> Vec<Self> {
        let all = Self::value_variants().iter().copied();
        all.filter(|part| {
            !matches!(
                part,
                Self::Fuzz | Self::Lowest | Self::Hosts | Self::Interop
            )
        })
        .collect()
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_possible_value() {
            Some(value) => formatter.write_str(value.get_name()),
            None => Ok(()),
        }
    }
}
