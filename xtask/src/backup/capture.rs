//! Records the changes while a backup runs. A snapshot of the platform ends with the call that reads it, so a backup reads
//! pages of rows from different states. Triggers write the new state of each changed row into `backup_changes`, in the transaction that
//! changes the row. Pages and changes together give the state at one moment: see docs/decisions/0049-backups.md.

use super::table::{Schema, Table, text_literal};

/// Changes are recorded until this many seconds after the last call of a backup. Within this time, a stopped run can
/// be continued. After this time the triggers write nothing, so an abandoned backup does not fill the database.
pub(super) const SECONDS: u32 = 3600;

/// Returns the statements that remove an earlier recording, which has the triggers `earlier`, and start a new recording.
pub(super) fn start(id: &str, schema: &Schema, earlier: &[String]) -> Vec<String> {
    let columns: Vec<_> = (0..schema.width()).map(|at| format!("c{at}")).collect();
    let mut statements = stop(earlier);
    statements.extend([
        // `until` is the end of the recording, in seconds since 1970.
        "CREATE TABLE backup_capture (only INTEGER PRIMARY KEY CHECK (only = 1), id TEXT NOT NULL, until INTEGER NOT NULL)".to_owned(),
        // The numbers ascend in the order of commits, because the database runs one writing transaction at a time.
        format!(
            "CREATE TABLE backup_changes (seq INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, deleted INTEGER NOT NULL, {})",
            columns.join(", ")
        ),
        format!(
            "INSERT INTO backup_capture (only, id, until) VALUES (1, {}, unixepoch() + {SECONDS})",
            text_literal(id)
        ),
    ]);
    statements.extend(schema.tables.iter().flat_map(triggers));
    statements
}

/// Returns the statements that end a recording: they remove its triggers and its tables.
pub(super) fn stop(triggers: &[String]) -> Vec<String> {
    let drop = |name: &String| format!("DROP TRIGGER IF EXISTS \"{name}\"");
    let tables =
        ["backup_changes", "backup_capture"].map(|table| format!("DROP TABLE IF EXISTS {table}"));
    triggers.iter().map(drop).chain(tables).collect()
}

/// The statement that lists the triggers of a recording.
pub(super) const TRIGGERS: &str =
    "SELECT name FROM sqlite_master WHERE type = 'trigger' AND name GLOB 'backup_capture_*'";

/// Returns the statement that prolongs the recording. The statement returns no row if the recording has ended, even if it ended only a
/// moment ago.
pub(super) fn prolong(id: &str) -> String {
    format!(
        "UPDATE backup_capture SET until = unixepoch() + {SECONDS} WHERE id = {} AND until > unixepoch() RETURNING until",
        text_literal(id)
    )
}

/// Returns the statement that reads at most `limit` changes after the number `seq`, up to the number `last` if there is one.
pub(super) fn changes(width: usize, seq: i64, last: Option<i64>, limit: usize) -> String {
    let columns: Vec<_> = (0..width)
        .map(|at| format!("CAST(c{at} AS TEXT) AS \"{at}\""))
        .collect();
    let last = last.map_or_else(String::new, |last| format!(" AND seq <= {last}"));
    format!(
        "SELECT seq, name, deleted, {} FROM backup_changes WHERE seq > {seq}{last} ORDER BY seq LIMIT {limit}",
        columns.join(", ")
    )
}

/// Returns the triggers that record the changes of a table. They store the values unchanged, because an encoding with more bytes could
/// exceed the platform's limit for a row. The service's own statement would then fail.
///
/// SQLite runs no trigger for a row that `REPLACE` deletes, so the service must not use `REPLACE` (`edge-api/tests/layers.rs`).
fn triggers(table: &Table) -> [String; 3] {
    let name = &table.name;
    let named = |prefix: &str, columns: &[usize]| {
        let columns = columns.iter().filter_map(|at| table.columns.get(*at));
        let columns = columns.map(|column| format!("{prefix}\"{}\"", column.name));
        columns.collect::<Vec<_>>().join(", ")
    };
    let numbered = |columns: &[usize]| {
        let columns = columns.iter().map(|at| format!("c{at}"));
        columns.collect::<Vec<_>>().join(", ")
    };
    let all: Vec<usize> = (0..table.columns.len()).collect();
    let changed = format!(
        "INSERT INTO backup_changes (name, deleted, {}) VALUES ('{name}', 0, {})",
        numbered(&all),
        named("NEW.", &all)
    );
    let gone = format!(
        "INSERT INTO backup_changes (name, deleted, {}) SELECT '{name}', 1, {}",
        numbered(&table.key),
        named("OLD.", &table.key)
    );
    let has_moved: Vec<_> = table
        .key_columns("OLD.")
        .iter()
        .zip(table.key_columns("NEW."))
        .map(|(old, new)| format!("{old} IS NOT {new}"))
        .collect();
    let has_moved = has_moved.join(" OR ");
    let trigger = |event: &str, does: &str| {
        format!(
            "CREATE TRIGGER \"backup_capture_{name}_{event}\" AFTER {event} ON \"{name}\" \
             WHEN (SELECT until FROM backup_capture) > unixepoch() BEGIN {does}; END"
        )
    };
    [
        trigger("INSERT", &changed),
        trigger("UPDATE", &format!("{gone} WHERE {has_moved}; {changed}")),
        trigger("DELETE", &gone),
    ]
}
