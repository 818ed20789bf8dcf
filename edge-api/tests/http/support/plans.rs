//! Checks how SQLite runs each of the service's statements. The plan is checked the first time that any test of this
//! process runs the statement, so every tested statement is covered.

use std::collections::HashSet;
use std::rc::Rc;
use std::sync::{LazyLock, Mutex, PoisonError};

use async_trait::async_trait;
use edge_api::native::Sqlite;
use edge_api::ports::{Database, DatabaseError, Rows, Statement};

/// Steps of SQLite's plans that look costly, although their cost does not grow with stored data. Each entry has the step, a
/// part of the statement, and the rows that the step reads.
const BOUNDED: &[(&str, &str, &str)] = &[
    ("SCAN instance", "", "one row"),
    ("SCAN development", "", "one row"),
    ("SCAN blocks", "", "at most a thousand rows"),
    (
        "SCAN records USING COVERING INDEX sqlite_autoindex_records_2",
        "SELECT 1 WHERE EXISTS (",
        "one row",
    ),
    (
        "SCAN ledgers USING COVERING INDEX sqlite_autoindex_ledgers_2",
        "SELECT 1 WHERE EXISTS (",
        "one row",
    ),
    ("SCAN balances", "SELECT 1 WHERE EXISTS (", "one row"),
    (
        "SCAN u",
        "FROM chain_undo WHERE block > ?1",
        "the rows that the blocks after the final one changed",
    ),
    (
        GROUP,
        "FROM chain_undo WHERE block > ?1",
        "the rows that the blocks after the final one changed",
    ),
    (
        "SCAN n",
        "FROM chain_undo WHERE block > ?3",
        "the rows that the blocks after the final one changed",
    ),
    (
        "SEARCH l USING AUTOMATIC COVERING INDEX (key=?) LEFT-JOIN",
        "FROM chain_undo WHERE block > ?3",
        "the rows that the blocks after the final one changed",
    ),
    (
        GROUP,
        "FROM chain_undo WHERE block > ?3",
        "the rows that the blocks after the final one changed",
    ),
    (
        "SCAN accounts USING INDEX accounts_without_header",
        "ORDER BY id LIMIT ?1",
        "at most 1,001 rows of an index with only such rows",
    ),
    (
        SORT,
        "FROM sessions WHERE account_id = ?1",
        "the sessions of one account, at most 21",
    ),
    (
        "SCAN k",
        "ORDER BY ledger_ref LIMIT 50)",
        "at most 50 ledgers of one account",
    ),
    (
        SORT,
        "ORDER BY ledger_ref LIMIT 50)",
        "a page of certificates for each of these ledgers, or a bounded window",
    ),
    (
        "SCAN p",
        "ORDER BY ledger_ref LIMIT 50)",
        "the certificates of one page",
    ),
    (
        "SCAN k",
        "AS id) k CROSS JOIN account_events",
        "one account",
    ),
    (
        SORT,
        "AS id) k CROSS JOIN account_events",
        "a page of events, or a bounded window",
    ),
    (
        "SCAN a",
        "LIMIT 1000) a CROSS JOIN book_keys",
        "at most 1,000 accounts of a ledger",
    ),
    (
        "SCAN m",
        "FROM ledger_months",
        "at most 120 months of a ledger",
    ),
    (
        "SCAN e",
        "FROM ledger_endings",
        "at most 120 months of a ledger",
    ),
    (
        "SCAN k",
        "WHERE abilities & 3 <> 0 LIMIT 50)",
        "at most 50 ledgers of one account",
    ),
    (
        SORT,
        "WHERE abilities & 3 <> 0 LIMIT 50)",
        "a page of events for each of these ledgers, or a bounded window",
    ),
    (
        "SCAN page",
        "ORDER BY page.ref",
        "the references of one page",
    ),
    (
        "SCAN k",
        "FROM json_each(?1) GROUP BY 1) k",
        "the ledgers of one order",
    ),
    (
        "SCAN tickers",
        "ORDER BY id DESC LIMIT 1",
        "only the row with the highest `id`",
    ),
    (
        "SCAN n",
        "GROUP BY account_id) n",
        "the recipients of the events of one change",
    ),
    (
        "SCAN webhook_deliveries",
        "ORDER BY id LIMIT 1)",
        "only the first row",
    ),
    (
        "SCAN records USING INDEX records_to_perform",
        "ORDER BY priority DESC, created_at LIMIT ?1",
        "the first rows of an index with only such rows",
    ),
    (
        SORT,
        "ORDER BY +created_at",
        "the assets named in the request",
    ),
    (
        SORT,
        "ORDER BY p.ref",
        "a page of rows for each role and status",
    ),
    (SORT_LAST, "ORDER BY p.ref", "the records of one page"),
    (
        SORT,
        "LIMIT ?8) WHERE",
        "the bounded number of requests that a filter reads",
    ),
    (
        SORT,
        "check_at <= ?1 ORDER BY check_at LIMIT ?3",
        "at most 100,000 due uses of files",
    ),
    (
        GROUP,
        "FROM json_each(?1) GROUP BY 1) k",
        "the actions of one order",
    ),
    (
        "SCAN answers",
        "UNION ALL SELECT 0, sum(requests)",
        "a few periods of five minutes",
    ),
    (
        GROUP,
        "k LEFT JOIN relay_gas",
        "the accounts of at most ten requests",
    ),
    (
        GROUP,
        "GROUP BY account_id)",
        "the waiting deliveries of one record",
    ),
];
const SORT_LAST: &str = "USE TEMP B-TREE FOR LAST TERM OF ORDER BY";
const SORT: &str = "USE TEMP B-TREE FOR ORDER BY";
const GROUP: &str = "USE TEMP B-TREE FOR GROUP BY";

/// A database that checks the plan of each statement before it runs it.
pub struct Explained(pub Rc<Sqlite>);

#[async_trait(?Send)]
impl Database for Explained {
    fn bytes(&self) -> Option<u64> {
        self.0.bytes()
    }

    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        for statement in &statements {
            check(&self.0, statement);
        }
        self.0.batch(statements).await
    }
}

fn check(database: &Sqlite, statement: &Statement) {
    static SEEN: LazyLock<Mutex<HashSet<String>>> = LazyLock::new(Mutex::default);
    let mut seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    // If the statement has no plan because of an error, this function ignores the error. Running the statement reports it.
    if !seen.contains(statement.sql.as_ref())
        && let Ok(plan) = database.plan(statement)
    {
        let found = costly(&statement.sql, plan);
        assert!(found.is_empty(), "{}\n{found:#?}", statement.sql);
        seen.insert(statement.sql.clone().into_owned());
    }
}

/// Returns the steps of a statement's plan whose cost grows with a table.
pub fn costly(sql: &str, mut plan: Vec<String>) -> Vec<String> {
    plan.retain(|step| {
        let grows = match step.split_once(' ') {
            // Scans are allowed for a list in a parameter, for constant rows, and for the result of another step.
            Some(("SCAN", what)) => {
                !(what.contains("VIRTUAL TABLE") || what == "CONSTANT ROW" || what.starts_with('('))
            }
            Some(("SEARCH", what)) => what.contains("AUTOMATIC"),
            Some(("USE", _)) => true,
            _ => false,
        };
        let bounded = |(name, part, _): &(&str, &str, &str)| step == name && sql.contains(part);
        grows && !BOUNDED.iter().any(bounded)
    });
    plan
}
