//! Limits the image fetches that each client network may cause.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// Length of a window in milliseconds. The counts start again at zero in each window.
const WINDOW_MS: u64 = 10_000;
/// Maximum fetches for a client network in a window. A page with many badges requests the same few images.
pub(super) const FETCHES_MAX: u32 = 20;
/// Number of client networks that are counted separately. All further networks share one count.
const ADDRESSES_MAX: usize = 1_024;

/// Recent fetches per client network, counted in this isolate.
#[derive(Debug, Default)]
pub(super) struct PerAddress {
    window: Cell<u64>,
    counts: RefCell<BTreeMap<String, u32>>,
}

impl PerAddress {
    /// Counts a fetch for the client network `address`. Returns false if the limit is exceeded. `now` is the host's time in
    /// milliseconds.
    pub(super) fn allow(&self, address: &str, now: u64) -> bool {
        let mut counts = self.counts.borrow_mut();
        let window = now.checked_div(WINDOW_MS).unwrap_or(0);
        if self.window.replace(window) != window {
            counts.clear();
        }
        let known = counts.len() < ADDRESSES_MAX || counts.contains_key(address);
        let count = counts
            .entry(if known { address } else { "" }.to_owned())
            .or_default();
        *count = count.saturating_add(1);
        *count <= FETCHES_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fetches_are_limited_for_each_client_network_and_window() {
        let counted = PerAddress::default();
        for _ in 0..FETCHES_MAX {
            assert!(counted.allow("a", 0));
        }
        assert!(!counted.allow("a", 1) && counted.allow("b", 1));
        assert!(counted.allow("a", WINDOW_MS));
        for number in 0..ADDRESSES_MAX {
            counted.allow(&number.to_string(), WINDOW_MS);
        }
        assert!(counted.counts.borrow().len() <= ADDRESSES_MAX + 1);
    }
}
