//! No statement of the service reads a whole table: SQLite itself says how it runs each one.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use async_trait::async_trait;
use edge_api::native::Sqlite;
use edge_api::ports::{Database, DatabaseError, Rows, Statement};
use serde_json::json;

use crate::support::native::Service;
use crate::support::people::{Person, World};
use crate::support::{Host, SETTINGS};

/// A database that notes every statement.
struct Noting {
    inner: Rc<dyn Database>,
    seen: Rc<RefCell<BTreeSet<&'static str>>>,
}

#[async_trait(?Send)]
impl Database for Noting {
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        self.seen
            .borrow_mut()
            .extend(statements.iter().map(|statement| statement.sql));
        self.inner.batch(statements).await
    }
}

/// Tables of one row, lists that come as a parameter, and an index that holds what waits and nothing else.
const SMALL: [&str; 5] = [
    "instance",
    "development",
    "json_each",
    "k",
    "records USING INDEX records_to_perform",
];

/// The steps of a statement's plan that read a table from end to end.
fn scans(database: &Sqlite, sql: &str) -> Vec<String> {
    let explain: &'static str = format!("EXPLAIN QUERY PLAN {sql}").leak();
    let parameters = (1..=32)
        .rev()
        .find(|number| sql.contains(&format!("?{number}")));
    let statement = (0..parameters.unwrap_or(0)).fold(Statement::new(explain), |s, _| s.bind(1_u8));
    let rows = database.run(&[statement]).expect("a plan").remove(0).0;
    rows.iter()
        .filter_map(|row| row["detail"].as_str())
        .filter(|step| step.starts_with("SCAN ") && !step.contains("CONSTANT ROW"))
        // An alias stands for a parameter's list where the plan calls it a virtual table.
        .filter(|step| !step.contains("VIRTUAL TABLE"))
        .filter(|step| !SMALL.contains(&&step[5..]))
        // What is read is a part that the plan has cut out before.
        .filter(|step| !step.contains("(subquery") && !step[5..].starts_with('('))
        .map(str::to_owned)
        .collect()
}

#[test]
fn no_statement_reads_a_whole_table() {
    let seen = Rc::new(RefCell::new(BTreeSet::new()));
    let service = Service::with_database(SETTINGS, |inner| {
        Rc::new(Noting {
            inner,
            seen: Rc::clone(&seen),
        })
    });
    let database = Rc::clone(&service.database);
    let world = World::on(Box::new(service));
    walk(&world);
    let seen = seen.borrow();
    assert!(seen.len() > 40, "{}", seen.len());
    let found: Vec<(String, &str)> = seen
        .iter()
        .flat_map(|sql| {
            scans(&database, sql)
                .into_iter()
                .map(move |step| (step, *sql))
        })
        .collect();
    assert!(found.is_empty(), "{found:#?}");
    // The check can fail.
    assert_eq!(
        scans(
            &database,
            "SELECT count(*) FROM records WHERE priority = ?1"
        ),
        ["SCAN records"]
    );
}

/// Asks everything that can be asked of orders, deployments, approvals, ledgers and accounts.
fn walk(world: &World) {
    let (owner, other) = (world.funded(), Person::new());
    let ledger = world.ledger(&owner, &[1, 2]);
    world.asset(&owner, &ledger, "1", &owner);
    world.lets_ledger_collect(&owner, &ledger);
    let proxy = world.gateways.proxies.destroy_asset;
    for is_operator in [false, true] {
        let body = world.operator_approval(&owner, &ledger, proxy, is_operator);
        assert_eq!(world.approved(&owner, &body)["status"], 7);
    }
    let mut waiting = world.creation(&owner, &ledger, "2", &other);
    waiting["automatedPerform"] = json!(false);
    let call = owner
        .post("/orders", &waiting)
        .header("idempotency-key", "k");
    let made = world.call(call).data();
    let order = format!("/orders/{}", made["ref"].as_str().expect("a reference"));
    world.call(owner.get(order.as_str())).data();
    world.call(owner.delete(order.as_str())).data();
    let reference = ledger["ref"].as_str().expect("a reference");
    let of_ledger = |what: &str| format!("/ledgers/{reference}{what}");
    let id = owner.id();
    let lists = [
        ("/orders".to_owned(), "filterIds=x&statuses=0,7"),
        ("/deployments".to_owned(), "filterIds=x&statuses=0,7"),
        ("/approvals".to_owned(), "filterIds=x&statuses=0,7"),
        ("/account/abilities".to_owned(), ""),
        ("/ledgers".to_owned(), ""),
        (of_ledger("/assets"), "filterIds=1"),
        (
            of_ledger("/abilities"),
            &*format!("filterAccountIds={id}").leak(),
        ),
        (of_ledger("/accounts"), ""),
    ];
    for (path, filter) in lists {
        for query in ["", "sort=1", "after=0", filter, &format!("sort=1&{filter}")] {
            let answer = world.call(owner.get(format!("{path}?{query}")));
            assert_eq!(answer.status, 200, "{path}?{query}");
        }
    }
    for path in [of_ledger(""), of_ledger("/assets/1"), "/account".to_owned()] {
        world.call(owner.get(path)).data();
    }
    let host: &dyn Host = &*world.host;
    host.settle();
}
