//! Rules for new migrations, and the range of stored integers.

use edge_api::native::Sqlite;
use edge_api::ports::Statement;

/// The first migration, which creates the tables.
const FIRST: &str = "0001_service.sql";

/// The previous version of the code runs on the new tables until the new version is deployed, and again after a
/// rollback. A migration must therefore not remove or rename tables or columns. It also changes no rows, because D1 stops a
/// migration after 30 seconds.
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
        if name == FIRST {
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
        assert_eq!(
            backfill(&words),
            None,
            "{name}: change rows in the sweep instead"
        );
    }
    assert_eq!(seen, 1);
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
