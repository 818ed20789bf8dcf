//! Bytes of other servers' answers that an isolate holds at a time: it has 128 MB for everything, and what is read takes several
//! times its text.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use super::memory::DEAD_AFTER_MS;
use crate::ports::Room;

/// A number of bytes that requests share.
#[derive(Debug)]
pub(super) struct Budget {
    most: usize,
    shares: RefCell<BTreeMap<u64, Held>>,
    next: Cell<u64>,
}

/// Bytes that one request holds, and since when.
#[derive(Clone, Copy, Debug)]
struct Held {
    since: u64,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(most: usize) -> Rc<Self> {
        Rc::new(Self {
            most,
            shares: RefCell::default(),
            next: Cell::default(),
        })
    }

    /// A share of no bytes yet. `now` is the machine's time.
    pub(super) fn share(self: &Rc<Self>, now: u64) -> Share {
        let number = self.next.get();
        self.next.set(number.wrapping_add(1));
        self.reap(now);
        self.shares.borrow_mut().insert(
            number,
            Held {
                since: now,
                bytes: 0,
            },
        );
        Share {
            budget: Rc::clone(self),
            number,
        }
    }

    /// Bytes that nobody holds at this time of the machine's: the runtime may never go on with a request whose client went away.
    pub(super) fn left(&self, now: u64) -> usize {
        self.reap(now);
        self.free()
    }

    /// Takes back the shares of dead requests.
    fn reap(&self, now: u64) {
        let mut shares = self.shares.borrow_mut();
        shares.retain(|_, held| now.saturating_sub(held.since) < DEAD_AFTER_MS);
    }

    /// Bytes that no share has, be it dead or alive.
    fn free(&self) -> usize {
        let shares = self.shares.borrow();
        let held = shares.values().map(|held| held.bytes);
        self.most
            .saturating_sub(held.fold(0, usize::saturating_add))
    }
}

/// A request's part of a budget; given back when it is dropped.
#[derive(Debug)]
pub(super) struct Share {
    budget: Rc<Budget>,
    number: u64,
}

impl Room for Share {
    fn take(&self, bytes: usize) -> bool {
        if bytes > self.budget.free() {
            return false;
        }
        let mut shares = self.budget.shares.borrow_mut();
        // A share that was taken for dead is gone, so nothing can be added to it.
        shares.get_mut(&self.number).is_some_and(|held| {
            held.bytes = held.bytes.saturating_add(bytes);
            true
        })
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.shares.borrow_mut().remove(&self.number);
    }
}

/// Milliseconds of a window in which fetches are counted.
const WINDOW_MS: u64 = 10_000;
/// Fetches for one client address in a window at most. A page that shows many badges asks for the same few images.
pub(super) const FETCHES_MAX: u32 = 20;
/// Client addresses that are counted at most; those beyond share what is left of one.
const ADDRESSES_MAX: usize = 1_024;

/// Recent fetches per client address, counted in this isolate.
#[derive(Debug, Default)]
pub(super) struct PerAddress {
    window: Cell<u64>,
    counts: RefCell<BTreeMap<String, u32>>,
}

impl PerAddress {
    /// Counts a fetch; false where there were too many. `now` is the machine's time.
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
    fn fetches_are_counted_by_address_and_window() {
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

    #[test]
    fn what_is_held_is_bounded_and_given_back() {
        let budget = Budget::new(10);
        let (one, other) = (budget.share(0), budget.share(0));
        assert!(one.take(4) && other.take(5) && one.take(1));
        assert_eq!(budget.left(0), 0);
        assert!(!one.take(1) && other.take(0));
        drop(one);
        assert_eq!(budget.left(0), 5);
        assert!(other.take(5) && !other.take(1));
    }

    #[test]
    fn what_a_dead_request_held_is_free_again() {
        let budget = Budget::new(10);
        let dead = budget.share(0);
        assert!(dead.take(10));
        assert!(!budget.share(DEAD_AFTER_MS - 1).take(1));
        let heir = budget.share(DEAD_AFTER_MS);
        assert!(heir.take(10));
        // A dead request that comes back has no share left.
        assert!(!dead.take(0));
        drop(dead);
        assert_eq!(budget.left(DEAD_AFTER_MS), 0);
        // A look alone frees it, too: requests wait for room before they have a share.
        assert_eq!(budget.left(2 * DEAD_AFTER_MS), 10);
    }
}
