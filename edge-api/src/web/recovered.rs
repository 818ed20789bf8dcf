//! The accounts of signed Authorization headers, cached by each isolate.

use std::collections::HashMap;

use alloy_primitives::B256;
use order_core::Address;

/// Maximum number of cached headers in an isolate. A client sends the same header in each request, and recovering its
/// account is the most expensive step of a read.
const CACHE_CAPACITY: usize = 2048;

/// Accounts by the hash of the signed header. The header itself is a credential and is not cached.
#[derive(Default)]
pub(crate) struct RecoveredAccounts(HashMap<B256, Address>);

impl RecoveredAccounts {
    pub(super) fn get(&self, key: &B256) -> Option<Address> {
        self.0.get(key).copied()
    }

    pub(super) fn insert(&mut self, key: B256, account: Address) {
        if self.0.len() >= CACHE_CAPACITY {
            // Random headers recover to accounts too, so anyone can fill the cache. The cache is cleared as a whole, so
            // a flood of such headers cannot influence which entries are evicted.
            self.0.clear();
        }
        self.0.insert(key, account);
    }
}
