//! The command line.

use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Args, Parser, Subcommand, ValueEnum, value_parser};

use crate::backup::Identity;
use crate::deploy::{Domain, Environment};
use crate::fuzz;

/// The default port of `cargo xtask dev` and of wrangler.
pub(crate) const DEVELOPMENT_PORT: u16 = 8787;

/// Every task of a developer and of CI.
///
/// Needs Rust by rustup, and Node.js 22.12 or newer with npm. On Linux, Node.js 20 is enough, because a newer version is then installed into
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
    Deploy(DeployOptions),
    /// Copy the database of a running service into a folder; run it again to continue a stopped copy
    Backup(BackupOptions),
    /// Fill a new, empty database from the folder of a backup and compare it with the backup's hashes; run it again to continue
    Restore(RestoreOptions),
    /// Build and check the artefacts of a release into target/release-artefacts: packages, crates, tool, Worker, components, checksums
    Release(ReleaseOptions),
    /// Call a route of a service as an administrator: `admin --url URL --key FILE POST /admin/pause message=… reason=…`; or print the
    /// address of a key's account: `admin --key FILE`
    Admin(AdminOptions),
    /// Run the locked version of wrangler in edge-api, with a suitable Node.js and the file of `--env`; uploads check the settings first
    Wrangler(WranglerOptions),
}

/// The default port of a chain: anvil's own.
const CHAIN_PORT: u16 = 8545;

/// The ledger of a service on this machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// The ledger in the service's database
    Embedded,
    /// A chain on this machine (anvil, from npm) with the original 0xcert contracts
    Anvil,
}

#[derive(Debug, Args)]
pub(crate) struct DevOptions {
    /// Port on 127.0.0.1; 0 picks a free one
    #[arg(long, default_value_t = DEVELOPMENT_PORT)]
    pub(crate) port: u16,
    /// Folder for the database, the cache and the chain, kept between runs [default: .state beside Cargo.toml; .state/anvil with a chain]
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// Start from an empty state
    #[arg(long)]
    pub(crate) reset: bool,
    /// The ledger
    #[arg(long, value_enum, default_value_t = Backend::Embedded)]
    pub(crate) ledger: Backend,
    /// Port of the chain on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "PORT", default_value_t = CHAIN_PORT)]
    pub(crate) chain_port: u16,
    /// A setting of the Worker; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) var: Vec<String>,
    /// Build the Worker as it is deployed: the build is slower, and the Worker answers faster
    #[arg(long)]
    pub(crate) release: bool,
    /// Log every request, not only failures
    #[arg(long)]
    pub(crate) verbose: bool,
}

#[derive(Debug, Args)]
#[command(
    override_usage = "cargo xtask test [PART]...\n       cargo xtask test <PART>... <NAME>",
    after_help = parts_help()
)]
pub(crate) struct TestOptions {
    /// Parts to run, in this order [default: all except hosts]. A last word that is not a part is a NAME: only tests whose name contains it run
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
    /// clippy, native and for wasm, with warnings as errors; no file except those that git ignores may name a registry's host; licences, sources and use of dependencies
    Lint,
    /// The Rust tests of all crates, on this machine
    Native,
    /// The HTTP suite of the Worker, on a local chain with the original contracts
    Chain,
    /// A build of the cores for a target without an operating system
    BareMetal,
    /// The fuzz targets of the certification library, for a few seconds each; needs a C++ compiler
    Fuzz,
    /// The npm packages, in Node.js
    Wasm,
    /// The Worker in workerd, over HTTP; the pages in Chromium; requests that Schemathesis makes from the description of the API (needs Python 3)
    Workerd,
    /// The packed npm packages in frameworks, bundlers, test runners and runtimes, which this part installs (1.1 GB); runs only if it is named
    Hosts,
}

impl Part {
    /// Returns true if the part has named tests. All other parts are checks without names. `cargo xtask fuzz` selects single fuzz targets.
    const fn has_named_tests(self) -> bool {
        matches!(
            self,
            Self::Native | Self::Chain | Self::Wasm | Self::Workerd | Self::Hosts
        )
    }

    /// Returns the parts that run by default, as in CI. The hosts would take too long to install.
    pub(crate) fn by_default() -> Vec<Self> {
        let all = Self::value_variants().iter().copied();
        all.filter(|part| *part != Self::Hosts).collect()
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

#[derive(Debug, Args)]
pub(crate) struct BuildOptions {
    /// Product to build
    #[arg(value_enum, default_value_t = Product::All)]
    pub(crate) product: Product,
    /// Build the Worker with the ledger on an EVM chain (`LEDGER=evm`), into edge-api/dist-evm
    #[arg(long)]
    pub(crate) evm: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Product {
    /// The npm package of the certification library, into pkg/cert/dist
    Cert,
    /// The npm package of the API client, into pkg/client/dist
    Client,
    /// The custom elements for pages, into pkg/elements/dist
    Elements,
    /// The Worker, into edge-api/dist
    Worker,
    /// All of them
    All,
}

#[derive(Debug, Args)]
pub(crate) struct FuzzOptions {
    /// Target to fuzz [default: all of them, in parallel]
    #[arg(value_parser = fuzz::TARGETS)]
    pub(crate) target: Option<String>,
    /// Seconds for each target
    #[arg(long, default_value_t = 60)]
    pub(crate) seconds: u32,
}

#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// A running server [default: the server of `cargo xtask dev`, otherwise a new one for the demo]
    #[arg(long)]
    pub(crate) url: Option<String>,
    /// The ledger of the server
    #[arg(long, value_enum, default_value_t = Backend::Embedded)]
    pub(crate) ledger: Backend,
    /// The state folder of `cargo xtask dev --ledger anvil` [default: .state/anvil beside Cargo.toml]
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// A JSON file with your own asset metadata
    #[arg(long, value_name = "FILE", requires = "schema")]
    pub(crate) metadata: Option<PathBuf>,
    /// The JSON Schema that describes the metadata
    #[arg(long, value_name = "FILE", requires = "metadata")]
    pub(crate) schema: Option<PathBuf>,
    /// The certification profile [default: AIH-2]
    #[arg(long, value_parser = ["AIH-1", "AIH-2"])]
    pub(crate) profile: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BenchOptions {
    /// Subject to measure
    #[command(subcommand)]
    pub(crate) subject: Subject,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Subject {
    /// The Worker in workerd: a large ledger against a small one, and the latency and throughput of the main routes
    Api,
    /// The Worker in workerd, aborted at every step: each accepted change must happen exactly once
    Faults(FaultsOptions),
    /// The Worker in workerd with a chain of one-second blocks: blocks until all orders are final, and requests to the chain's providers
    ChainLoad(ChainLoadOptions),
    /// The Worker in workerd with an empty database, while it indexes a ledger from a chain: seconds, and calls to the chain's providers
    ChainCold(ChainColdOptions),
    /// The Worker in workerd on a chain, attacked by accounts and providers: memory, gas and calls to providers must stay within bounds
    ChainHostile(ChainHostileOptions),
    /// The Worker in workerd under attack: memory, storage and the delay of other clients must stay within bounds
    Hostile(HostileOptions),
    /// The database in workerd: rows, bytes and transactions of a request, an order and an asset, for docs/scale.md
    Scale,
    /// The certification library, native and in WebAssembly, compared with npm's @0xcert/cert and with bare hashing
    Cert,
    /// `cert batch` from a table to final certificates on a service in workerd
    Batch(BatchOptions),
    /// The rules of orders against the original contracts on a local chain: verdicts, reasons and states of random requests
    Chain(ChainOptions),
    /// The size of a proof of one field: both profiles and SD-JWT measured, other formats computed
    Sizes,
    /// The size of the Worker's WebAssembly, by crate and module
    Worker(WorkerOptions),
}

#[derive(Debug, Args)]
pub(crate) struct WorkerOptions {
    /// The Worker with the ledger on an EVM chain
    #[arg(long)]
    pub(crate) evm: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HostileOptions {
    /// Names of attacks [default: all except hosts]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct BatchOptions {
    /// Rows of the table
    #[arg(long, default_value_t = 10_000, value_parser = value_parser!(u32).range(1..=100_000))]
    pub(crate) rows: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ChainOptions {
    /// Number of random requests
    #[arg(long, default_value_t = 10_000, value_parser = value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// Seed of the random numbers, to repeat a run
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u32,
}

#[derive(Debug, Args)]
pub(crate) struct FaultsOptions {
    /// Number of rounds. Each round aborts the Worker at the next step. After the last step, one round kills it at a random moment. With a
    /// chain, each round has one fault
    #[arg(long, default_value_t = 200, value_parser = value_parser!(u32).range(1..))]
    pub(crate) rounds: u32,
    /// The ledger. With a chain, its providers fail too, and it is reorganised
    #[arg(long, value_enum, default_value_t = Backend::Embedded)]
    pub(crate) ledger: Backend,
    /// Part of the names of the faults to run on a chain [default: all except hosts]
    #[arg(long, value_name = "NAME", requires = "ledger")]
    pub(crate) only: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ChainColdOptions {
    /// Number of assets on the ledger
    #[arg(long, default_value_t = 100_000, value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub(crate) assets: u32,
}

#[derive(Debug, Args)]
pub(crate) struct ChainHostileOptions {
    /// Names of the attacks [default: all]
    pub(crate) names: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ChainLoadOptions {
    /// Number of orders, each of which creates an asset and pays for it
    #[arg(long, default_value_t = 500, value_parser = value_parser!(u32).range(1..=5_000))]
    pub(crate) orders: u32,
}

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DeployOptions {
    #[command(subcommand)]
    pub(crate) action: Option<DeployAction>,
    #[command(flatten)]
    pub(crate) service: ServiceOptions,
    /// Do everything that needs no Cloudflare account, and create, upload and change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// A setting of the service, kept in deploy/<ENV>.jsonc; may be repeated; an empty value restores the default
    #[arg(long, value_name = "NAME=VALUE", value_parser = setting)]
    pub(crate) set: Vec<(String, String)>,
    /// Serve the service at this host name instead of below workers.dev; its zone must be in the Cloudflare account
    #[arg(long, value_name = "HOST")]
    pub(crate) domain: Option<Domain>,
    /// The id of the Cloudflare account, if the login has several accounts
    #[arg(long, value_name = "ID")]
    pub(crate) account: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ServiceOptions {
    /// The service to deploy: each has its own file deploy/<ENV>.jsonc, address, database and queues
    #[arg(long, value_name = "ENV", default_value_t = Environment::default())]
    pub(crate) env: Environment,
}

#[derive(Debug, Args)]
pub(crate) struct BackupOptions {
    /// The deployed service to copy [default: production]
    #[arg(long, value_name = "ENV", conflicts_with = "state")]
    pub(crate) env: Option<Environment>,
    /// The state folder of a service on this machine to copy, while no server uses it
    #[arg(long, value_name = "DIR")]
    pub(crate) state: Option<PathBuf>,
    /// The folder of the copy [default: backups/<ENV> beside Cargo.toml]
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

#[derive(Debug, Subcommand)]
pub(crate) enum DeployAction {
    /// Roll back to the last version that passed its smoke test, or to the named one; the database keeps its tables
    Rollback {
        #[command(flatten)]
        service: ServiceOptions,
        /// A version's id, from `cargo xtask wrangler versions list`
        version: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ReleaseOptions {
    /// Publish nothing: print the publish commands instead. The working tree and the changelog are not checked
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct AdminOptions {
    /// The address of the service
    #[arg(long, requires = "method")]
    pub(crate) url: Option<String>,
    /// A file with the private key of an account in `ADMIN_ACCOUNTS`, 64 hexadecimal digits
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
    /// GET or POST
    #[arg(requires_all = ["url", "path"])]
    pub(crate) method: Option<String>,
    /// The path with its query, such as `/admin/audit?limit=5`
    pub(crate) path: Option<String>,
    /// Fields of the body
    #[arg(value_name = "NAME=VALUE", value_parser = variable)]
    pub(crate) fields: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct WranglerOptions {
    /// Arguments for wrangler
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) arguments: Vec<OsString>,
}

fn setting(text: &str) -> Result<(String, String), String> {
    let variable = variable(text)?;
    let (name, value) = variable.split_once('=').unwrap_or_default();
    Ok((name.to_owned(), value.trim().to_owned()))
}

fn variable(text: &str) -> Result<String, String> {
    match text.split_once('=') {
        Some((name, _)) if !name.is_empty() => Ok(text.to_owned()),
        _ => Err("expected NAME=VALUE".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_call_of_an_administrator_needs_an_address_a_method_and_a_path() {
        let is_valid = |words: &[&str]| {
            let key = ["xtask", "admin", "--key", "admin.key"];
            Cli::try_parse_from(key.iter().chain(words)).is_ok()
        };
        let url = "--url=https://certificates.example.org";
        assert!(is_valid(&[]));
        assert!(is_valid(&[url, "GET", "/admin/audit"]));
        assert!(is_valid(&[url, "POST", "/admin/pause", "reason=Upgrade"]));
        for incomplete in [&[url][..], &[url, "GET"], &["GET", "/admin/audit"]] {
            assert!(!is_valid(incomplete), "{incomplete:?}");
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
}
