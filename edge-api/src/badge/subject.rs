//! The asset that a badge is about.

use cert_core::aih2::Asset;
use order_core::{Address, AssetId};

use crate::text::account_key;

/// An asset and its ledger. Of a request, only these two are part of the cache key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) ledger: Address,
    pub(crate) asset: AssetId,
}

impl Subject {
    /// Returns ledger and asset in the form that the certification library compares with the ids of a document.
    pub(super) fn named(&self) -> Asset {
        Asset::from_bytes(*self.ledger.as_bytes(), self.asset.to_be_bytes())
    }

    /// Returns ledger and asset as a cache key.
    pub(super) fn key(&self) -> String {
        format!("{}/{}", account_key(&self.ledger), self.asset.to_hex64())
    }
}
