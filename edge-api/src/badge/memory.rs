//! An isolate's state between requests for badges: recent answers, verifications in flight, and memory budgets.
//!
//! It contains only plain data, because the runtime ends futures and streams with the request that created them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::fetches::PerAddress;
use crate::budget::{Budget, DEAD_AFTER_MS};
use crate::single_flight::SingleFlight;

/// Maximum bytes of recent answers. An isolate has 128 MB for everything.
const BYTES_MAX: usize = 8 << 20;
/// Maximum bytes of a recent answer. Larger answers, which can only be reports, are stored only in the shared cache.
const ENTRY_MAX: usize = 1 << 20;
/// Maximum number of recent answers.
const ENTRIES_MAX: usize = 1024;

/// Maximum bytes of documents that are fetched or wait to be verified: enough for the largest documents of two assets. The
/// documents of only one asset are parsed at a time, because parsing blocks the isolate.
const DOCUMENTS_MAX: usize = 14 << 20;
/// Maximum bytes of large reports in transfer from the shared cache: enough for two of the largest reports.
const REPORTS_MAX: usize = 2 * REPORT_MAX;
/// Bytes of the largest report: its three documents and a margin.
pub(super) const REPORT_MAX: usize = 7 << 20;
/// Maximum bytes of images from other servers.
const IMAGES_MAX: usize = 4 << 20;

/// An isolate's memory of badges.
#[derive(Debug)]
pub(crate) struct Memory {
    recent: RefCell<BTreeMap<String, Kept>>,
    /// The verifications in flight, by asset and imprint.
    pub(super) verifying: SingleFlight,
    /// The status lists that are being computed, by ledger and number.
    pub(crate) listing: SingleFlight,
    /// Memory for the documents of verifications.
    pub(super) documents: Rc<Budget>,
    /// Memory for reports read from the shared cache.
    pub(super) reports: Rc<Budget>,
    /// Memory for images from other servers.
    pub(super) images: Rc<Budget>,
    /// Image fetches per client network.
    pub(super) fetched: PerAddress,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            recent: RefCell::default(),
            verifying: SingleFlight::new(DEAD_AFTER_MS),
            listing: SingleFlight::new(DEAD_AFTER_MS),
            documents: Budget::new(DOCUMENTS_MAX),
            reports: Budget::new(REPORTS_MAX),
            images: Budget::new(IMAGES_MAX),
            fetched: PerAddress::default(),
        }
    }
}

#[derive(Debug)]
struct Kept {
    until: u64,
    bytes: Rc<[u8]>,
}

impl Memory {
    /// Returns the bytes cached under `key` and the time at which they expire, which may have passed. `None` if there are none.
    pub(super) fn get(&self, key: &str) -> Option<(u64, Rc<[u8]>)> {
        self.recent
            .borrow()
            .get(key)
            .map(|kept| (kept.until, Rc::clone(&kept.bytes)))
    }

    /// Caches bytes until `until`, unless they are larger than [`ENTRY_MAX`]. A full cache first evicts expired entries, then
    /// the entries that expire first.
    pub(super) fn put(&self, key: &str, now: u64, until: u64, bytes: &[u8]) {
        if bytes.len() > ENTRY_MAX {
            return;
        }
        let bytes = Rc::from(bytes);
        let mut recent = self.recent.borrow_mut();
        recent.insert(key.to_owned(), Kept { until, bytes });
        let full = |recent: &BTreeMap<String, Kept>| {
            recent.len() > ENTRIES_MAX
                || recent.values().map(|kept| kept.bytes.len()).sum::<usize>() > BYTES_MAX
        };
        if full(&recent) {
            recent.retain(|_, kept| kept.until > now);
        }
        while full(&recent) {
            let first = recent
                .iter()
                .filter(|(other, _)| *other != key)
                .min_by_key(|(_, kept)| kept.until);
            let Some(first) = first.map(|(key, _)| key.clone()) else {
                break;
            };
            recent.remove(&first);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(memory: &Memory) -> Vec<String> {
        memory.recent.borrow().keys().cloned().collect()
    }

    #[test]
    fn cached_answers_are_bounded_in_number_and_size() {
        let memory = Memory::default();
        let small = b"x";
        for number in 0..ENTRIES_MAX + 10 {
            memory.put(
                &format!("{number:05}"),
                0,
                100 + u64::try_from(number).unwrap(),
                small,
            );
        }
        assert_eq!(keys(&memory).len(), ENTRIES_MAX);
        assert_eq!(keys(&memory)[0], "00010");
        // Expired entries are evicted before valid ones.
        memory.put("new", 100 + 500, 10_000, small);
        assert_eq!(
            (keys(&memory)[0].as_str(), keys(&memory).len()),
            ("00501", ENTRIES_MAX + 10 - 501 + 1)
        );

        let large = vec![0; ENTRY_MAX];
        for number in 0..8 {
            memory.put(&format!("large{number}"), 600, 20_000 + number, &large);
        }
        // The eight large entries fill the cache, so the other entries, which expire first, were evicted.
        assert_eq!(
            keys(&memory),
            (0..8)
                .map(|number| format!("large{number}"))
                .collect::<Vec<_>>()
        );
        memory.put("another", 600, 30_000, &large);
        assert!(memory.get("large0").is_none() && memory.get("another").is_some());
        memory.put("too large", 600, 40_000, &vec![0; ENTRY_MAX + 1]);
        assert!(memory.get("too large").is_none() && memory.get("large1").is_some());
    }
}
