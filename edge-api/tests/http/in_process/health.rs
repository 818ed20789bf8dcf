//! Health probes have no rate limit. They query the database at most once a second, and report its failures.

use std::cell::Cell;
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::ports::{Database, DatabaseError, Rows, Statement};

use crate::support::native::Service;
use crate::support::{Call, Host, PRODUCTION};

/// A database that a test can break, and that counts its batches.
struct Breakable {
    inner: Rc<dyn Database>,
    broken: Rc<Cell<bool>>,
    asked: Rc<Cell<usize>>,
}

#[async_trait(?Send)]
impl Database for Breakable {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.asked.set(self.asked.get() + 1);
        if self.broken.get() {
            return Err(DatabaseError::Unavailable("broken".to_owned()));
        }
        self.inner.batch(statements).await
    }
}

#[test]
fn five_hundred_probes_query_the_database_once_a_second() {
    let (broken, asked) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(0)));
    let service = Service::with_database(PRODUCTION, |inner| {
        Rc::new(Breakable {
            inner,
            broken: Rc::clone(&broken),
            asked: Rc::clone(&asked),
        })
    });
    let probe = || service.call(Call::get("/health")).status;
    for _ in 0..500 {
        assert_eq!(probe(), 200);
        service.advance(4);
    }
    // The 500 probes take two seconds in total.
    let queries = asked.take();
    assert!((1..=3).contains(&queries), "{queries} queries");
    // Concurrent probes share one query. The fake clock advances while the other probes wait for the result.
    service.advance(1_000);
    let answers = service.call_all(vec![Call::get("/health"); 20]);
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert_eq!(asked.take(), 1);

    // A failure of the database is visible within a second, and so is its recovery.
    broken.set(true);
    service.advance(1_000);
    assert_eq!((probe(), probe()), (503, 503));
    assert_eq!(asked.take(), 1);
    broken.set(false);
    service.advance(1_000);
    assert_eq!(probe(), 200);
}
