//! Virtual time. It advances only while all futures wait for it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::pin::pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use async_trait::async_trait;
use edge_api::native::FakeClock;
use edge_api::ports::Clock;
use futures_util::future::poll_fn;

/// A clock that [`VirtualClock::run`] moves. Concurrent sleeps overlap. With a [`FakeClock`], which moves whenever a future sleeps, they
/// add up.
pub struct VirtualClock {
    /// The time, which the other ports of a service share.
    time: Rc<FakeClock>,
    sleepers: RefCell<BTreeMap<u64, Vec<Waker>>>,
}

struct Flag(AtomicBool);

impl Wake for Flag {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl VirtualClock {
    pub fn new(time: Rc<FakeClock>) -> Self {
        Self {
            time,
            sleepers: RefCell::default(),
        }
    }

    pub fn now(&self) -> u64 {
        self.time.now_ms()
    }

    pub fn advance(&self, milliseconds: u64) {
        self.time.advance(milliseconds);
    }

    /// Moves the time forward to `end`, unless it is later already.
    fn advance_to(&self, end: u64) {
        self.advance(end.saturating_sub(self.now()));
    }

    /// Runs a future until it ends.
    pub fn run<F: Future>(&self, future: F) -> F::Output {
        self.run_until(u64::MAX, future).expect("the future ends")
    }

    /// Runs a future until it ends (`Some`) or the time reaches `end` (`None`).
    pub fn run_until<F: Future>(&self, end: u64, future: F) -> Option<F::Output> {
        let mut future = pin!(future);
        let flag = Arc::new(Flag(AtomicBool::new(true)));
        let waker = Waker::from(Arc::clone(&flag));
        loop {
            while flag.0.swap(false, Ordering::Relaxed) {
                if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker))
                {
                    return Some(output);
                }
            }
            let (time, wakers) = self
                .sleepers
                .borrow_mut()
                .pop_first()
                .expect("a future waits for the time");
            if time > end {
                self.advance_to(end);
                return None;
            }
            self.advance_to(time);
            wakers.into_iter().for_each(Waker::wake);
        }
    }
}

#[async_trait(?Send)]
impl Clock for VirtualClock {
    fn now_ms(&self) -> u64 {
        self.now()
    }

    async fn sleep(&self, milliseconds: u64) {
        let end = self.now() + milliseconds;
        poll_fn(|context| {
            if self.now() >= end {
                return Poll::Ready(());
            }
            self.sleepers
                .borrow_mut()
                .entry(end)
                .or_default()
                .push(context.waker().clone());
            Poll::Pending
        })
        .await;
    }
}
