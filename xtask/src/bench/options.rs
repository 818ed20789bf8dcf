//! The subjects of benchmarks, and their options.

use clap::{Args, Subcommand, value_parser};

use crate::options::Backend;

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
