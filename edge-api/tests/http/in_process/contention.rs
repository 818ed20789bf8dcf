//! Jobs whose transactions conflict with concurrent changes.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::ports::{Database, DatabaseError, Job, Rows, Statement};
use serde_json::Value;

use crate::support::SETTINGS;
use crate::support::native::{Service, block_on};
use crate::support::people::{Person, World};

/// A database that simulates conflicts with another process: the next `conflicts` updates of a record's status fail.
struct Contended {
    inner: Rc<dyn Database>,
    conflicts: Cell<usize>,
}

#[async_trait(?Send)]
impl Database for Contended {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        let is_change = |statement: &Statement| statement.sql.contains("UPDATE records SET status");
        if statements.iter().any(is_change)
            && let Some(left) = self.conflicts.get().checked_sub(1)
        {
            self.conflicts.set(left);
            return Err(DatabaseError::Guard);
        }
        self.inner.batch(statements).await
    }
}

/// Delivers the message that performs a deployment. The first `conflicts` attempts fail with a conflict. Returns the
/// deployment's status, the milliseconds that passed, and the service.
fn performed(conflicts: usize) -> (Value, u64, Rc<RefCell<Service>>) {
    let mut contended = None;
    let service = Service::with_database(SETTINGS, |inner| {
        let database = Rc::new(Contended {
            inner,
            conflicts: Cell::default(),
        });
        contended = Some(Rc::clone(&database));
        database
    })
    .queueing();
    let contended = contended.unwrap();
    let service = Rc::new(RefCell::new(service));
    let world = World::on(Box::new(Rc::clone(&service)));
    let owner = world.funded();
    let made = create(&world, &owner);
    contended.conflicts.set(conflicts);
    let before = world.host.now();
    deliver(&service.borrow());
    assert_eq!(contended.conflicts.get(), conflicts.saturating_sub(5));
    let passed = world.host.now() - before;
    let path = format!("/deployments/{}", made["ref"].as_str().unwrap());
    let status = world.call(owner.get(path)).data()["status"].clone();
    (status, passed, service)
}

fn create(world: &World, owner: &Person) -> Value {
    let body = world.deployment(owner, &[1]);
    world.call(owner.post("/deployments", &body)).data()
}

fn deliver(service: &Service) {
    while let Some(job) = service.queue.take() {
        block_on(service.app().on_message(&job)).unwrap();
    }
}

#[test]
fn a_job_in_conflict_waits_before_each_of_four_retries() {
    for (conflicts, least, most) in [(0, 0, 0), (1, 25, 50), (4, 1_525, 3_050)] {
        let (status, passed, service) = performed(conflicts);
        assert_eq!(status, 7, "{conflicts}");
        assert!((least..=most).contains(&passed), "{conflicts}: {passed}");
        assert_eq!(service.borrow().queue.waiting(), []);
    }
}

#[test]
fn a_job_that_gave_up_is_retried_by_a_delayed_message() {
    let (status, _, service) = performed(5);
    assert_eq!(status, 1);
    let service = service.borrow();
    let lines = service.log.lines();
    assert!(
        lines
            .iter()
            .any(|(_, line)| line["event"] == "perform.contended")
    );
    assert!(matches!(service.queue.waiting()[..], [Job::Perform { .. }]));
    service.clock.advance(4_999);
    assert_eq!(service.queue.take(), None);
    service.clock.advance(1);
    deliver(&service);
    let select = Statement::new("SELECT status FROM records");
    let rows = block_on(service.database.query(select)).unwrap();
    assert_eq!(rows.list[0]["status"], 7);
}
