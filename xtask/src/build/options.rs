//! The options of a build.

use clap::{Args, ValueEnum};

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
    /// The tables of the pages, into cert-tables/dist
    Tables,
    /// The PDFs of the pages, into cert-pdf/dist
    Pdf,
    /// The Open Badges of the pages, into cert-badge/dist
    Badge,
    /// The Worker, into edge-api/dist
    Worker,
    /// All of them
    All,
}
