//! Shares work that several requests of an isolate need at the same time. One request does the work, and the others
//! poll for its result.
//!
//! The others cannot await the result: a future belongs to the request that created it, and the runtime does not let
//! another request await it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ports::Clock;

/// Milliseconds between two looks at a permit that another request has.
const WAIT_MS: u64 = 4;

/// The pieces of work in flight, each with a key.
#[derive(Debug)]
pub(crate) struct SingleFlight {
    /// Milliseconds after which the request that does the work counts as dead. If a client disconnects, the runtime may
    /// neither continue nor end the client's request.
    dead_after_ms: u64,
    /// Start times by key, on the host's clock.
    started: Rc<RefCell<BTreeMap<String, u64>>>,
}

impl SingleFlight {
    pub(crate) fn new(dead_after_ms: u64) -> Self {
        Self {
            dead_after_ms,
            started: Rc::default(),
        }
    }

    /// Returns true if a request does the work of `key` and may still be alive. `now` is the time of the host's clock.
    pub(crate) fn is_in_flight(&self, key: &str, now: u64) -> bool {
        let started = self.started.borrow().get(key).copied();
        started.is_some_and(|started| now.saturating_sub(started) < self.dead_after_ms)
    }

    /// Takes the permit to do the work of `key`. `None` if another request has the permit and may still be alive.
    pub(crate) fn begin(&self, key: &str, now: u64) -> Option<Permit> {
        if self.is_in_flight(key, now) {
            return None;
        }
        self.started.borrow_mut().insert(key.to_owned(), now);
        Some(Permit {
            work: Rc::clone(&self.started),
            key: key.to_owned(),
            started: now,
        })
    }

    /// Waits for the permit to do the work of `key`, for at most this number of milliseconds. `None` if others had the permit all the
    /// time.
    pub(crate) async fn wait(
        &self,
        key: &str,
        clock: &dyn Clock,
        milliseconds: u64,
    ) -> Option<Permit> {
        let end = clock.now_ms().saturating_add(milliseconds);
        loop {
            let now = clock.now_ms();
            let permit = self.begin(key, now);
            if permit.is_some() || now >= end {
                return permit;
            }
            clock.sleep(WAIT_MS).await;
        }
    }
}

/// The permit to do the work of a key. Each key has at most one permit. A permit ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    work: Rc<RefCell<BTreeMap<String, u64>>>,
    key: String,
    started: u64,
}

impl Permit {
    /// Ends the permit. Every future that can hold a permit contains the code that drops it, so this code is kept out of line.
    #[inline(never)]
    fn end(&self) {
        let mut started = self.work.borrow_mut();
        // Another request may have taken over the work. That request has its own permit, which must stay.
        if started.get(&self.key) == Some(&self.started) {
            started.remove(&self.key);
        }
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.end();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEAD_AFTER_MS: u64 = 11_000;

    #[test]
    fn a_permit_is_exclusive_until_dropped() {
        let work = SingleFlight::new(DEAD_AFTER_MS);
        let permit = work.begin("a", 1_000).unwrap();
        assert!(work.begin("a", 1_001).is_none());
        assert!(work.begin("b", 1_001).is_some());
        drop(permit);
        assert!(work.begin("a", 1_002).is_some());
    }

    #[test]
    fn one_successor_takes_over_from_a_dead_request() {
        let work = SingleFlight::new(DEAD_AFTER_MS);
        let dead = work.begin("a", 0).unwrap();
        assert!(work.begin("a", DEAD_AFTER_MS - 1).is_none());
        let heir = work.begin("a", DEAD_AFTER_MS).unwrap();
        assert!(work.begin("a", DEAD_AFTER_MS).is_none());
        // If the dead request continues, it does not end its successor's permit.
        drop(dead);
        assert!(work.begin("a", DEAD_AFTER_MS).is_none());
        drop(heir);
        assert!(work.begin("a", DEAD_AFTER_MS).is_some());
    }
}
