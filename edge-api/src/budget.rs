//! Memory that the requests of an isolate share, for documents from other servers and for answers that clients have not
//! read yet. An isolate has 128 MB for all its work. See `docs/decisions/0039-unread-answers.md`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

use crate::ports::{ByteBudget, Transfer};

/// Milliseconds after which a request counts as dead. Live requests take less time. If a client disconnects, the
/// runtime may neither end its request nor continue it.
pub(crate) const DEAD_AFTER_MS: u64 = 11_000;
/// Grace period of an answer in milliseconds. An answer is never ended earlier.
const GRACE_MS: u64 = 1_000;

/// A number of bytes that requests share.
#[derive(Debug)]
pub(crate) struct Budget {
    most: usize,
    shares: RefCell<BTreeMap<u64, Held>>,
    next: Cell<u64>,
}

/// A share: its bytes, and the time at which its request created it.
#[derive(Debug)]
struct Held {
    since: u64,
    bytes: usize,
    /// The answer's transfer to its client, once it has begun.
    transfer: Option<Rc<dyn Transfer>>,
}

impl Budget {
    pub(crate) fn new(most: usize) -> Rc<Self> {
        Rc::new(Self {
            most,
            shares: RefCell::default(),
            next: Cell::default(),
        })
    }

    /// Returns an empty share. `now` is the machine's time.
    pub(crate) fn share(self: &Rc<Self>, now: u64) -> Share {
        let number = self.next.get();
        self.next.set(number.wrapping_add(1));
        self.reap(now);
        self.shares.borrow_mut().insert(
            number,
            Held {
                since: now,
                bytes: 0,
                transfer: None,
            },
        );
        Share {
            budget: Rc::clone(self),
            number,
        }
    }

    /// Returns the free bytes at `now`, the machine's time. First removes the shares of dead requests, because the runtime
    /// may never continue a request whose client has disconnected.
    pub(crate) fn left(&self, now: u64) -> usize {
        self.reap(now);
        self.free()
    }

    /// Returns a share of `bytes` for an answer. If too few bytes are free, ends the answers that clients read most slowly, so that a
    /// few open connections cannot use up the budget. Returns `None` if this does not free enough bytes, or if `bytes` exceeds the budget.
    pub(crate) fn admit(self: &Rc<Self>, bytes: usize, now: u64) -> Option<Share> {
        let share = self.share(now);
        while !share.take(bytes) {
            if bytes > self.most || !self.end_slowest(now) {
                return None;
            }
        }
        Some(share)
    }

    /// Ends the answer that its client reads at the lowest rate. Returns false if no transfer of an answer has begun, or if
    /// every answer in transfer is still in its grace period.
    fn end_slowest(&self, now: u64) -> bool {
        let slowest = {
            let shares = self.shares.borrow();
            let transfers = shares.iter().filter_map(|(number, held)| {
                let age = now.saturating_sub(held.since);
                let transfer = held.transfer.as_ref().filter(|_| age >= GRACE_MS)?;
                let rate = transfer.sent().saturating_mul(1000).checked_div(age)?;
                Some((rate, held.since, *number, Rc::clone(transfer)))
            });
            transfers.min_by_key(|(rate, since, ..)| (*rate, *since))
        };
        let Some((.., number, transfer)) = slowest else {
            return false;
        };
        transfer.end();
        self.shares.borrow_mut().remove(&number);
        true
    }

    /// Removes the shares of dead requests. An answer in transfer keeps its share, however long it takes.
    fn reap(&self, now: u64) {
        let mut shares = self.shares.borrow_mut();
        shares.retain(|_, held| {
            held.transfer.is_some() || now.saturating_sub(held.since) < DEAD_AFTER_MS
        });
    }

    /// Returns the bytes that no share holds. Shares of dead requests still count as held.
    fn free(&self) -> usize {
        let shares = self.shares.borrow();
        let held = shares.values().map(|held| held.bytes);
        self.most
            .saturating_sub(held.fold(0, usize::saturating_add))
    }
}

/// A request's part of a budget, returned on drop.
#[derive(Debug)]
pub(crate) struct Share {
    budget: Rc<Budget>,
    number: u64,
}

impl Share {
    /// Records that the answer's transfer has begun. The share then lasts until it is dropped, or until the answer is
    /// ended to make room.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub(crate) fn follow(&self, transfer: Rc<dyn Transfer>) {
        if let Some(held) = self.budget.shares.borrow_mut().get_mut(&self.number) {
            held.transfer = Some(transfer);
        }
    }
}

impl ByteBudget for Share {
    fn take(&self, bytes: usize) -> bool {
        if bytes > self.budget.free() {
            return false;
        }
        let mut shares = self.budget.shares.borrow_mut();
        // The share of a dead request or of an ended answer is removed, so it cannot grow.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_bytes_are_bounded_and_returned() {
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
    fn the_share_of_a_dead_request_is_freed() {
        let budget = Budget::new(10);
        let dead = budget.share(0);
        assert!(dead.take(10));
        assert!(!budget.share(DEAD_AFTER_MS - 1).take(1));
        let heir = budget.share(DEAD_AFTER_MS);
        assert!(heir.take(10));
        // A dead request that continues has no share left.
        assert!(!dead.take(0));
        drop(dead);
        assert_eq!(budget.left(DEAD_AFTER_MS), 0);
        // Reading the free bytes also removes dead shares, because requests wait for room before they have a share.
        assert_eq!(budget.left(2 * DEAD_AFTER_MS), 10);
    }

    /// A transfer of an answer. The client has read `sent` bytes.
    #[derive(Debug)]
    struct Way {
        sent: u64,
        ended: Cell<bool>,
    }

    impl Transfer for Way {
        fn sent(&self) -> u64 {
            self.sent
        }

        fn end(&self) {
            self.ended.set(true);
        }
    }

    fn sending(share: &Share, sent: u64) -> Rc<Way> {
        let way = Rc::new(Way {
            sent,
            ended: Cell::new(false),
        });
        share.follow(Rc::clone(&way) as Rc<dyn Transfer>);
        way
    }

    #[test]
    fn the_answer_that_is_read_most_slowly_ends_first() {
        let budget = Budget::new(10);
        let shares = [4, 4, 2].map(|bytes| budget.admit(bytes, 0).unwrap());
        let [read, unread, slow] =
            [(0, 3), (1, 0), (2, 1)].map(|(share, sent)| sending(&shares[share], sent));
        // Each answer has a grace period of a second.
        assert!(budget.admit(1, GRACE_MS - 1).is_none());
        let ended = || [&read, &unread, &slow].map(|way| way.ended.get());
        let heir = budget.admit(4, GRACE_MS).unwrap();
        assert_eq!(ended(), [false, true, false]);
        // Dropping an ended answer's share frees nothing a second time.
        drop(shares);
        assert_eq!(budget.left(GRACE_MS), 6);
        drop(heir);
        assert!(budget.admit(11, GRACE_MS).is_none());
    }

    #[test]
    fn an_answer_that_is_read_slowly_lasts_while_there_is_room() {
        let budget = Budget::new(10);
        let share = budget.admit(9, 0).unwrap();
        let way = sending(&share, 0);
        assert!(budget.admit(1, 2 * DEAD_AFTER_MS).is_some());
        assert!(!way.ended.get());
        assert_eq!(budget.left(3 * DEAD_AFTER_MS), 1);
    }
}
