//! Requests that a read-only copy of the database may answer: public reads, and some reads with a bookmark.

use std::cell::RefCell;
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::native::Sqlite;
use edge_api::ports::{Copies, Database, DatabaseError, Rows, Statement};
use serde_json::json;

use crate::support::native::Service;
use crate::support::people::World;
use crate::support::{Call, SETTINGS};

/// The bookmark of the primary's current state.
const NEW: &str = "00000002-00000000-00000000-00000000000000000000000000000002";
/// The bookmark of an earlier state.
const OLD: &str = "00000001-00000000-00000000-00000000000000000000000000000001";

/// A database with a copy that never receives the primary's changes.
struct Copied {
    primary: Rc<dyn Database>,
    copy: Sqlite,
    session: RefCell<Option<Copies>>,
}

#[async_trait(?Send)]
impl Database for Copied {
    fn start_session(&self, copies: Copies) {
        self.session.replace(Some(copies));
    }

    fn bookmark(&self) -> Option<String> {
        self.session.borrow().is_some().then(|| NEW.to_owned())
    }

    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        let lags = match &*self.session.borrow() {
            None | Some(Copies::Primary) => false,
            Some(Copies::Any) => true,
            Some(Copies::Since(bookmark)) => bookmark == OLD,
        };
        if lags {
            self.copy.batch(statements).await
        } else {
            self.primary.batch(statements).await
        }
    }
}

#[test]
fn public_reads_may_lag_and_a_bookmark_shows_the_callers_own_writes() {
    let made = RefCell::new(None);
    let service = Service::with_database(SETTINGS, |primary| {
        let copied = Rc::new(Copied {
            primary,
            copy: Sqlite::new().expect("a database"),
            session: RefCell::default(),
        });
        made.replace(Some(Rc::clone(&copied)));
        copied
    });
    let database = made.take().expect("the database");
    let world = World::on(Box::new(service));
    let owner = world.funded();
    let ledger = world.ledger(&owner, &[]);
    let target = format!("/ledgers/{}", ledger["ref"].as_str().unwrap());
    // Each request has its own database session.
    let call = |call: Call| {
        database.session.take();
        let answer = world.call(call);
        (answer, database.session.take())
    };

    let (answer, session) = call(owner.get(&target));
    assert_eq!(
        (answer.header("x-bookmark"), session),
        (Some(NEW), Some(Copies::Primary))
    );
    assert_eq!(answer.data(), ledger);
    let (answer, session) = call(owner.get(&target).header("x-bookmark", NEW));
    assert_eq!(answer.header("x-bookmark"), Some(NEW));
    assert_eq!(session, Some(Copies::Since(NEW.to_owned())));
    assert_eq!(answer.data(), ledger);
    let (answer, _) = call(owner.get(&target).header("x-bookmark", OLD));
    answer.fails(400, &[400_004]);
    // A header that is not a bookmark is ignored, so a caller cannot choose a copy with another string.
    let (answer, session) = call(
        owner
            .get(&target)
            .header("x-bookmark", "first-unconstrained"),
    );
    assert_eq!((answer.status, session), (200, Some(Copies::Primary)));

    // Changes use the primary for reads and writes, even if the caller sends a bookmark.
    let deposit = owner.post("/deposits", &json!({ "amount": 1000 }));
    let (answer, session) = call(deposit.header("x-bookmark", OLD));
    assert_eq!((answer.status, session), (201, Some(Copies::Primary)));
    assert_eq!(answer.header("x-bookmark"), Some(NEW));
    // Private routes that copies do not serve always read the primary.
    let (answer, session) = call(owner.get("/account").header("x-bookmark", OLD));
    assert_eq!((answer.status, session), (200, Some(Copies::Primary)));

    let badge = format!(
        "/badge.json?ledgerId={}&assetId=1",
        ledger["id"].as_str().unwrap()
    );
    let (lagging, session) = call(Call::get(&badge));
    assert_eq!(
        (lagging.header("x-bookmark"), session),
        (None, Some(Copies::Any))
    );
    let (current, _) = call(Call::get(&badge).header("x-bookmark", NEW));
    assert_ne!(lagging.body, current.body);
}
