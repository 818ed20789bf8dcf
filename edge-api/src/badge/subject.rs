//! The asset that a badge is about.

use order_core::{Address, AssetId};

use crate::text::account_key;

/// The asset in question. What is kept of it depends on nothing else of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) ledger: Address,
    pub(crate) asset: AssetId,
}

impl Subject {
    /// Ledger and asset as a key.
    pub(super) fn key(&self) -> String {
        format!("{}/{}", account_key(&self.ledger), self.asset.to_hex64())
    }
}
