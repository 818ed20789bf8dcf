//! Simulates a process that is killed right before or after a chosen database round trip. This round trip never returns, and
//! [`Mortal::run`] drops the future of the process.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use edge_api::ports::{Database, DatabaseError, Rows, Statement};

/// The database batch at which to stop. Batches are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The batch never reaches the database.
    Before(usize),
    /// The batch takes effect, but its answer is lost.
    After(usize),
}

/// Runs a trial for each possible stop in order. A trial returns true if it was stopped. Ends at the first round trip at
/// which no trial was stopped, and returns the number of stopped trials. Panics after `most` round trips.
pub fn at_every_step(most: usize, mut trial: impl FnMut(Stop) -> bool) -> usize {
    let mut stops = 0;
    for number in 0..most {
        let stopped = [Stop::Before(number), Stop::After(number)].map(&mut trial);
        if stopped == [false; 2] {
            return stops;
        }
        stops += stopped.into_iter().filter(|stopped| *stopped).count();
    }
    panic!("more than {most} round trips")
}

/// A database that can stop answering.
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

    /// Runs a future until the database stops answering at this point (true) or the future ends (false).
    pub fn stops(&self, stop: Stop, future: impl Future<Output = impl Sized>) -> bool {
        self.arm(Some(stop));
        let ended = self.run(future);
        self.arm(None);
        ended.is_none()
    }

    /// Counts round trips from now on, and stops at the chosen one. `None`: does not stop.
    pub fn arm(&self, stop: Option<Stop>) {
        self.stop.set(stop);
        self.batches.set(0);
        self.stopped.set(false);
    }

    /// Runs a future until it ends (`Some`) or the database stops answering (`None`).
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

/// A database that simulates a race: it runs other changes right before the first batch with a statement that contains
/// `trigger`.
pub struct RacingDatabase {
    inner: Rc<dyn Database>,
    trigger: &'static str,
    changes: RefCell<Vec<Statement>>,
}

impl RacingDatabase {
    pub fn new(inner: Rc<dyn Database>, trigger: &'static str) -> Self {
        Self {
            inner,
            trigger,
            changes: RefCell::default(),
        }
    }

    /// Sets the other changes, which run once.
    pub fn arm(&self, changes: impl IntoIterator<Item = Statement>) {
        *self.changes.borrow_mut() = changes.into_iter().collect();
    }

    /// Returns true if the other changes have not happened yet.
    pub fn armed(&self) -> bool {
        !self.changes.borrow().is_empty()
    }
}

#[async_trait(?Send)]
impl Database for RacingDatabase {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        if statements
            .iter()
            .any(|statement| statement.sql.contains(self.trigger))
        {
            let changes = self.changes.take();
            if !changes.is_empty() {
                self.inner.batch(changes).await?;
            }
        }
        self.inner.batch(statements).await
    }
}
