//! Readings of the chain that the requests of an isolate share. Anybody can ask for a badge, and providers charge for each call.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::context::Context;
use crate::ledger::LedgerError;
use crate::single_flight::SingleFlight;

/// Maximum number of remembered readings of one kind.
const ENTRIES_MAX: usize = 1_000;
/// Milliseconds between two looks at a reading in flight.
const POLL_MS: u64 = 20;
/// Milliseconds after which the request that reads counts as dead.
const DEAD_AFTER_MS: u64 = 11_000;

/// Readings of one kind by their keys.
pub(super) struct Shared<T> {
    recent: RefCell<BTreeMap<String, (u64, T)>>,
    reading: SingleFlight,
}

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Self {
            recent: RefCell::default(),
            reading: SingleFlight::new(DEAD_AFTER_MS),
        }
    }
}

impl<T: Clone> Shared<T> {
    /// Returns a reading that is younger than `fresh_ms` and that `fits` accepts. Reads if there is none, or waits for a reading in flight.
    pub(super) async fn get(
        &self,
        ctx: &Context<'_>,
        key: &str,
        fresh_ms: u64,
        fits: impl Fn(&T) -> bool,
        read: impl AsyncFnOnce() -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let clock = &ctx.ports().clock;
        let mut has_waited = false;
        loop {
            let now = clock.now_ms();
            if let Some((at, known)) = self.recent.borrow().get(key)
                && now.saturating_sub(*at) < fresh_ms
                && fits(known)
            {
                return Ok(known.clone());
            }
            let permit = self.reading.begin(key, now);
            // After a reading in flight that failed, the requests that waited for it read at the same time.
            if permit.is_some() || has_waited {
                let found = read().await?;
                let mut recent = self.recent.borrow_mut();
                if recent.len() >= ENTRIES_MAX {
                    recent.clear();
                }
                recent.insert(key.to_owned(), (clock.now_ms(), found.clone()));
                return Ok(found);
            }
            while self.reading.is_in_flight(key, clock.now_ms()) {
                clock.sleep(POLL_MS).await;
            }
            has_waited = true;
        }
    }
}
