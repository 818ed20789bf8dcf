//! Rules for new migrations, and migrations that repair rows of older versions.

use edge_api::native::Sqlite;
use edge_api::ports::Statement;
use serde_json::{Value, json};

/// The number of migrations in the older version that stored the rows.
const BEFORE: usize = 6;

const ADA: &str = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
const BOB: &str = "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";

/// The last migration that [`migrations_only_add`] does not check.
const BEFORE_THE_RULE: &str = "0015_words.sql";

/// The last migration that may change rows. Later migrations may not, because D1 stops a migration after 30 seconds.
const BEFORE_SWEEPS: &str = "0020_past_imprints.sql";

/// The previous version of the code runs on the new tables until the new version is deployed, and again after a
/// rollback. A migration must therefore not remove or rename tables or columns.
#[test]
fn migrations_only_add() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations");
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        let name = path
            .file_name()
            .and_then(|name| name.to_str())
            .expect("a name");
        if name <= BEFORE_THE_RULE {
            seen += 1;
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a migration");
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("--"));
        let words = code
            .flat_map(str::split_whitespace)
            .map(str::to_uppercase)
            .collect::<Vec<_>>()
            .join(" ");
        for taken in ["RENAME ", "DROP TABLE ", "DROP COLUMN "] {
            assert!(
                !words.contains(taken),
                "{name}: {taken}breaks the previous version of the code, which still runs"
            );
        }
        if name > BEFORE_SWEEPS {
            assert_eq!(
                backfill(&words),
                None,
                "{name}: change rows in the sweep instead"
            );
        }
    }
    assert_eq!(seen, 15);
}

/// Returns the first statement outside of triggers that updates, deletes or copies rows, or `None`. `words` is in upper case, with single
/// spaces.
fn backfill(words: &str) -> Option<&str> {
    let mut in_trigger = false;
    words.split(';').map(str::trim).find(|statement| {
        let starts_trigger = statement.starts_with("CREATE TRIGGER");
        let was_in_trigger = in_trigger || starts_trigger;
        in_trigger = was_in_trigger && *statement != "END";
        let changes_rows = ["UPDATE ", "DELETE "]
            .iter()
            .any(|verb| statement.starts_with(verb))
            || (statement.starts_with("INSERT ") && statement.contains(" SELECT "));
        !was_in_trigger && changes_rows
    })
}

#[test]
fn statements_that_change_rows_are_found_outside_of_triggers() {
    let trigger =
        "CREATE TRIGGER T AFTER INSERT ON A BEGIN UPDATE A SET B = 1; DELETE FROM A; END;";
    assert_eq!(
        backfill(&format!("ALTER TABLE A ADD COLUMN B; {trigger}")),
        None
    );
    for statement in [
        "UPDATE A SET B = 1",
        "DELETE FROM A",
        "INSERT INTO A (B) SELECT B FROM C",
    ] {
        assert_eq!(
            backfill(&format!("{trigger} {statement};")),
            Some(statement)
        );
    }
}

fn order(signed: &[&str], expiration: u64) -> Value {
    let claim = |account: &str| {
        if signed.contains(&account) {
            "3:0x12"
        } else {
            ""
        }
    };
    let signers =
        [ADA, BOB].map(|account| json!({ "accountId": account, "claim": claim(account) }));
    json!({
        "automatedPerform": true, "wildcardSigner": false, "priority": 4,
        "order": { "signers": signers, "wildcardClaim": null, "actions": [{ "kind": 6 }], "seed": 1, "expiration": expiration },
    })
}

fn approval(kind: u8) -> Value {
    json!({ "priority": 4, "approval": { "kind": kind } })
}

fn insert(database: &Sqlite, reference: &str, kind: u8, status: u8, expires_at: u64, body: &Value) {
    let (ada, bob) = (ADA.to_lowercase(), BOB.to_lowercase());
    let sql = format!(
        "INSERT INTO records (ref, kind, hash, creator_id, status, priority, expires_at, body, created_at, updated_at) \
         VALUES ('{reference}', {kind}, '{reference}', '{ada}', {status}, 4, {expires_at}, '{body}', 1, 1); \
         INSERT INTO record_parties (account_id, kind, ref, status) VALUES ('{ada}', {kind}, '{reference}', {status});"
    );
    database.execute(&sql).expect("an older row");
    if kind == 0 {
        let sql = format!(
            "INSERT INTO record_parties (account_id, kind, ref, status) VALUES ('{bob}', 0, '{reference}', {status});"
        );
        database.execute(&sql).expect("a party");
    }
}

fn column(database: &Sqlite, sql: &'static str) -> Vec<Value> {
    let mut answers = database.run(&[Statement::new(sql)]).expect("an answer");
    let rows = answers.pop().expect("rows").list;
    rows.into_iter().map(|row| row["value"].clone()).collect()
}

#[test]
fn stored_records_are_repaired() {
    let database = Sqlite::with_migrations(BEFORE).expect("a database");
    let far = 9_007_199_254_740_991;
    let second = 4_000_000_000_000;
    // The older version stored deployments and approvals with their expiration plus one millisecond.
    insert(&database, "a", 0, 1, far, &order(&[ADA, BOB], far));
    insert(&database, "b", 1, 1, far + 1, &json!({}));
    insert(&database, "c", 2, 1, far + 1, &approval(7));
    insert(&database, "d", 2, 1, far + 1, &approval(8));
    insert(
        &database,
        "e",
        0,
        7,
        second + 500,
        &order(&[ADA, BOB], second + 500),
    );
    insert(&database, "f", 1, 7, second + 501, &json!({}));
    insert(&database, "g", 2, 7, second + 501, &approval(8));
    insert(&database, "h", 2, 7, second + 1, &approval(7));
    // Two open orders, one unsigned and one signed by an account with tokens, and a canceled order.
    insert(&database, "i", 0, 0, second, &order(&[], second));
    insert(&database, "j", 0, 0, second, &order(&[BOB], second));
    insert(&database, "k", 0, 6, second, &order(&[BOB], second));
    let tokens = format!(
        "INSERT INTO balances VALUES ('{}', printf('%064x', 5))",
        BOB.to_lowercase()
    );
    database.execute(&tokens).expect("tokens");
    database.migrate(BEFORE).expect("the migrations");

    let ends = column(
        &database,
        "SELECT expires_at AS value FROM records ORDER BY ref",
    );
    let year = 253_402_300_800_000_u64;
    assert_eq!(
        ends,
        [
            year,
            year,
            year,
            year,
            second,
            second + 1000,
            second,
            second + 1000,
            second,
            second,
            second
        ]
        .map(|time| json!(time))
    );
    // The migration does not change the expiration that the signers agreed to.
    let bodies = column(
        &database,
        "SELECT body ->> '$.order.expiration' AS value FROM records WHERE ref = 'e'",
    );
    assert_eq!(bodies, [json!(second + 500)]);
    let lapses = column(
        &database,
        "SELECT (lapses_at - unixepoch() * 1000) / 86400000 AS value FROM records WHERE ref IN ('i', 'j') ORDER BY ref",
    );
    // The migration lets the unsigned order lapse after 30 days. If a second has passed since, 29 whole days are left.
    assert!(
        [29, 30].contains(&lapses[0].as_i64().unwrap()),
        "{lapses:?}"
    );
    assert!(lapses[1].as_i64().unwrap() > 1000, "{lapses:?}");
    assert_eq!(
        column(
            &database,
            "SELECT body ->> '$.order.actions' AS value FROM records WHERE ref = 'k'"
        ),
        ["[]"]
    );
    assert_eq!(
        column(
            &database,
            "SELECT body ->> '$.order.signers[1].claim' AS value FROM records WHERE ref IN ('j', 'k') ORDER BY ref",
        ),
        ["3:0x12", ""]
    );
    let roles = column(
        &database,
        "SELECT ref || role AS value FROM record_parties WHERE kind = 0 ORDER BY ref, role",
    );
    assert_eq!(
        roles,
        ["a0", "a1", "e0", "e1", "i0", "i2", "j0", "j1", "k0", "k1"]
    );
    let open = column(&database, "SELECT bytes AS value FROM open_orders");
    let bytes = order(&[], second).to_string().len() + order(&[BOB], second).to_string().len();
    assert_eq!(open, [json!(bytes)]);
}

#[test]
fn integers_beyond_two_to_the_53_are_refused_as_in_d1() {
    let database = Sqlite::new().expect("a database");
    let most = 9_007_199_254_740_991_i64;
    let bound = |number: i64| database.run(&[Statement::new("SELECT ?1 AS value").bind(number)]);
    for number in [0, most, -most] {
        let rows = bound(number).expect("a number").pop().expect("rows");
        assert_eq!(rows.list[0]["value"].as_f64(), Some(number as f64));
    }
    for number in [most + 1, -most - 1, i64::MAX, i64::MIN] {
        assert!(bound(number).is_err(), "{number}");
    }
    // Larger integers are not read as numbers. The other columns of the row can still be read.
    let read = Statement::new("SELECT 9007199254740992 AS value, 7 AS other");
    let rows = database.run(&[read]).expect("a row").pop().expect("rows");
    assert!(rows.list[0]["value"].is_string(), "{rows:?}");
    assert_eq!(rows.list[0]["other"], 7);
}

/// The number of migrations before `0018_event_kinds.sql`.
const BEFORE_EVENT_KINDS: usize = 17;

fn webhook(database: &Sqlite, account: &str, kinds: u8) {
    let sql = format!(
        "INSERT INTO webhooks (account_id, url, origin, service_origin, kinds, secret) \
         VALUES ('{account}', 'u', 'o', 's', {kinds}, 'k') ON CONFLICT (account_id) DO UPDATE SET kinds = excluded.kinds"
    );
    database.execute(&sql).expect("a webhook");
}

fn event_kinds(database: &Sqlite) -> Vec<Value> {
    column(
        database,
        "SELECT event_kinds AS value FROM webhooks ORDER BY account_id",
    )
}

#[test]
fn stored_subscriptions_to_four_kinds_become_subscriptions_to_all() {
    let database = Sqlite::with_migrations(BEFORE_EVENT_KINDS).expect("a database");
    webhook(&database, "a", 15);
    webhook(&database, "b", 5);
    database
        .migrate(BEFORE_EVENT_KINDS)
        .expect("the migrations");
    assert_eq!(event_kinds(&database), [json!(null), json!(5)]);
}

#[test]
fn kinds_that_the_previous_code_writes_are_kept() {
    let database = Sqlite::new().expect("a database");
    webhook(&database, "a", 15);
    webhook(&database, "b", 5);
    assert_eq!(event_kinds(&database), [json!(null), json!(5)]);
    webhook(&database, "a", 2);
    webhook(&database, "b", 15);
    assert_eq!(event_kinds(&database), [json!(2), json!(null)]);
    // The current code writes both columns.
    database
        .execute("UPDATE webhooks SET kinds = 15, event_kinds = 16")
        .expect("an update");
    assert_eq!(event_kinds(&database), [json!(16), json!(16)]);
}
