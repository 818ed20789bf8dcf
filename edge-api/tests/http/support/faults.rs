//! A host that stops dead: the database answers no more from a chosen round trip on, as if the process had been
//! killed right before or right after it.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use edge_api::ports::{Database, DatabaseError, Rows, Statement};

/// The point at which to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The batch never reaches the database.
    Before(usize),
    /// The batch takes effect and nobody hears of it.
    After(usize),
}

/// Tries every point at which to stop, in order, until neither side of a round trip stops its trial, because it ends before; gives how many
/// trials were stopped, which each of them says. Fails beyond `most` round trips.
pub fn at_every_step(most: usize, mut trial: impl FnMut(Stop) -> bool) -> usize {
    let mut stops = 0;
    for number in 0..most {
        let stopped = [Stop::Before(number), Stop::After(number)].map(&mut trial);
        if stopped == [false; 2] {
            return stops;
        }
        stops += stopped.into_iter().filter(|stopped| *stopped).count();
    }
    panic!("it takes more round trips than it should: {most}")
}

/// A database that can die.
pub struct Mortal {
    inner: Rc<dyn Database>,
    stop: Cell<Option<Stop>>,
    batches: Cell<usize>,
    stopped: Cell<bool>,
}

impl Mortal {
    pub fn new(inner: Rc<dyn Database>) -> Self {
        Self {
            inner,
            stop: Cell::new(None),
            batches: Cell::new(0),
            stopped: Cell::new(false),
        }
    }

    /// Runs a future that is stopped at that point; whether it came so far.
    pub fn stops(&self, stop: Stop, future: impl Future<Output = impl Sized>) -> bool {
        self.arm(Some(stop));
        let ended = self.run(future);
        self.arm(None);
        ended.is_none()
    }

    /// Counts round trips from now on and stops at the chosen one.
    pub fn arm(&self, stop: Option<Stop>) {
        self.stop.set(stop);
        self.batches.set(0);
        self.stopped.set(false);
    }

    /// Runs a future until it ends (`Some`) or the database dies under it (`None`).
    pub fn run<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Some(output);
            }
            if self.stopped.get() {
                return None;
            }
        }
    }
}

#[async_trait(?Send)]
impl Database for Mortal {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        let number = self.batches.get();
        self.batches.set(number + 1);
        if self.stop.get() == Some(Stop::Before(number)) {
            self.stopped.set(true);
            return pending().await;
        }
        let rows = self.inner.batch(statements).await;
        if self.stop.get() == Some(Stop::After(number)) {
            self.stopped.set(true);
            return pending().await;
        }
        rows
    }
}

/// A database in which somebody else is faster, once: right before the first batch with a statement that contains
/// `trigger`.
pub struct Meddled {
    inner: Rc<dyn Database>,
    trigger: &'static str,
    change: RefCell<Option<Statement>>,
}

impl Meddled {
    pub fn new(inner: Rc<dyn Database>, trigger: &'static str) -> Self {
        Self {
            inner,
            trigger,
            change: RefCell::default(),
        }
    }

    /// Sets the change that somebody else will make.
    pub fn arm(&self, change: Statement) {
        *self.change.borrow_mut() = Some(change);
    }

    /// Whether it is still to come.
    pub fn armed(&self) -> bool {
        self.change.borrow().is_some()
    }
}

#[async_trait(?Send)]
impl Database for Meddled {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        if statements
            .iter()
            .any(|statement| statement.sql.contains(self.trigger))
        {
            let change = self.change.borrow_mut().take();
            if let Some(change) = change {
                self.inner.batch(vec![change]).await?;
            }
        }
        self.inner.batch(statements).await
    }
}
