//! `cargo xtask restore`: fills an empty database from a backup, and compares the result with the backup's hashes.

use std::collections::HashMap;
use std::io::{IsTerminal, Write};

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use serde::Deserialize;

use super::database::Database;
use super::folder::{Folder, Lines, Manifest};
use super::table::{Schema, Table, next_limit, rows, text_literal};
use crate::report;

/// The number of rows of a table that the first call of the verification reads.
const FIRST: usize = 500;
/// The only tables that have rows in a new database. Migrations insert these rows.
const BORN: [&str; 2] = ["instance", "development"];

/// The identity of the restored service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Identity {
    /// The backup's instance: claims and open orders stay valid. The old service must be off for good
    Keep,
    /// A new instance: the old service may keep running. With the embedded ledger, open orders and approvals have to be signed again
    New,
}

impl Identity {
    /// Asks the user on the terminal. Fails if the standard input is not a terminal.
    pub(super) fn ask(instance: &str) -> Result<Self> {
        const MEANING: &str = "--instance keep: the restored service is the same instance, and signed claims stay valid. The old service must be \
                               off for good. Otherwise, both services perform the same claims.\n  \
                               --instance new: the restored service is another instance. With the embedded ledger, open orders and approvals \
                               have to be signed again, and the ledgers of the backup get no new assets.";
        if !std::io::stdin().is_terminal() {
            bail!("choose the instance:\n  {MEANING}");
        }
        report::note(&format!(
            "The backup is of the instance {instance}.\n  {MEANING}"
        ));
        eprint!("keep or new? ");
        std::io::stderr().flush()?;
        let mut answer = String::new();
        std::io::stdin().read_line(&mut answer)?;
        Self::from_str(answer.trim(), true).map_err(|_| anyhow::anyhow!("expected `keep` or `new`"))
    }
}

/// The state of a running restoration. The database stores it until the restoration is complete.
#[derive(Debug, Deserialize)]
struct Progress {
    backup: String,
    /// The table that is being filled, and the number of its lines that are loaded. The name is empty after the last table.
    name: String,
    line: usize,
    /// The triggers to create at the end, as a JSON list of SQL.
    triggers: String,
}

/// Fills the database. If a run with the same backup and identity was stopped, continues it.
pub(super) fn run(
    database: &mut Database<'_>,
    folder: &Folder,
    manifest: &Manifest,
    id: &str,
    identity: Identity,
    part_bytes: usize,
) -> Result<()> {
    // The identity is a part of the restoration's id, so a continued run cannot change the identity.
    let backup = format!("{id} {identity:?}");
    let mut restore = Restore {
        database,
        folder,
        manifest,
        backup,
        keeps_instance: identity == Identity::Keep,
        part_bytes,
    };
    let progress = match restore.progress()? {
        Some(progress) if progress.backup == restore.backup => {
            report::note("  an earlier run is continued");
            progress
        }
        Some(_) => bail!(
            "the database is partly filled from another backup or with another --instance: continue with that one, or delete the database"
        ),
        None => restore.start()?,
    };
    report::step("load the rows", || restore.load(&progress))?;
    report::step("compare the rows with the backup", || restore.compare())?;
    restore.finish(&progress)
}

struct Restore<'a, 'b> {
    database: &'a mut Database<'b>,
    folder: &'a Folder,
    manifest: &'a Manifest,
    backup: String,
    keeps_instance: bool,
    /// Bytes of SQL that are loaded in one transaction.
    part_bytes: usize,
}

impl Restore<'_, '_> {
    /// Returns the tables to fill. A new instance has its own id, and does not accept the API keys of the old service.
    fn tables(&self) -> impl Iterator<Item = &Table> {
        let tables = self.manifest.schema.tables.iter();
        let of_old = ["instance", "api_keys"];
        tables.filter(move |table| self.keeps_instance || !of_old.contains(&table.name.as_str()))
    }

    fn progress(&mut self) -> Result<Option<Progress>> {
        let exists = "SELECT name FROM sqlite_master WHERE name = 'restore_progress'".to_owned();
        if self.database.query(&[exists])?.concat().is_empty() {
            return Ok(None);
        }
        let found = self
            .database
            .query(&["SELECT backup, name, line, triggers FROM restore_progress".to_owned()])?;
        Ok(rows(&found.concat())?.into_iter().next())
    }

    /// Checks that the database has the backup's schema, and only the rows that migrations insert. Then deletes these rows from the tables to
    /// fill. Also removes the database's triggers, because the backup already contains the rows that the triggers would add.
    fn start(&mut self) -> Result<Progress> {
        let mut statements = Schema::statements().to_vec();
        statements
            .push("SELECT sql FROM sqlite_master WHERE type = 'trigger' ORDER BY name".to_owned());
        statements
            .push("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name".to_owned());
        let answers = self.database.query(&statements)?;
        let (described, rest) = answers
            .split_at_checked(3)
            .context("an answer is missing")?;
        let [triggers, names] = rest else {
            bail!("an answer is missing");
        };
        let schema = Schema::read(described)?;
        if schema != self.manifest.schema {
            let last = |schema: &Schema| schema.migrations.last().cloned().unwrap_or_default();
            bail!(
                "the backup has the tables of migration {}, but this release has the tables of migration {}: restore with release {}, which made the backup, then \
                 upgrade by `cargo xtask deploy`",
                last(&self.manifest.schema),
                last(&schema),
                self.manifest.release
            );
        }
        let filled = schema
            .tables
            .iter()
            .filter(|table| !BORN.contains(&table.name.as_str()));
        let statements: Vec<_> = filled
            .map(|table| format!("SELECT '{0}' AS name FROM \"{0}\" LIMIT 1", table.name))
            .collect();
        #[derive(Deserialize)]
        struct Named {
            name: String,
        }
        let filled: Vec<Named> = rows(&self.database.query(&statements)?.concat())?;
        if !filled.is_empty() {
            let names: Vec<_> = filled.iter().map(|table| table.name.as_str()).collect();
            bail!(
                "the database is not empty, it has rows in {}: restore into a new --env or state folder",
                names.join(", ")
            );
        }
        #[derive(Deserialize)]
        struct Trigger {
            sql: String,
        }
        let triggers: Vec<_> = rows::<Trigger>(triggers)?
            .into_iter()
            .map(|trigger| trigger.sql)
            .collect();
        let names: Vec<Named> = rows(names)?;
        let first = self
            .tables()
            .next()
            .map(|table| table.name.clone())
            .unwrap_or_default();
        let progress = Progress {
            backup: self.backup.clone(),
            name: first,
            line: 0,
            triggers: serde_json::to_string(&triggers)?,
        };
        let mut statements = vec![
            "CREATE TABLE restore_progress (only INTEGER PRIMARY KEY CHECK (only = 1), backup TEXT NOT NULL, name TEXT NOT NULL, \
             line INTEGER NOT NULL, triggers TEXT NOT NULL)"
                .to_owned(),
            format!(
                "INSERT INTO restore_progress (only, backup, name, line, triggers) VALUES (1, {}, {}, 0, {})",
                text_literal(&progress.backup),
                text_literal(&progress.name),
                text_literal(&progress.triggers)
            ),
        ];
        statements.extend(
            names
                .iter()
                .map(|trigger| format!("DROP TRIGGER \"{}\"", trigger.name)),
        );
        let born = BORN
            .iter()
            .filter(|table| self.keeps_instance || **table != "instance");
        statements.extend(born.map(|table| format!("DELETE FROM {table}")));
        self.database.query(&statements)?;
        Ok(progress)
    }

    /// Loads the rows that are not loaded yet. The transaction of each part also records the progress.
    fn load(&mut self, progress: &Progress) -> Result<()> {
        if progress.name.is_empty() {
            return Ok(());
        }
        let tables: Vec<Table> = self
            .tables()
            .skip_while(|table| table.name != progress.name)
            .cloned()
            .collect();
        let mut part: Vec<String> = Vec::new();
        let mut bytes = 0_usize;
        for table in &tables {
            let skipped = if table.name == progress.name {
                progress.line
            } else {
                0
            };
            for (at, line) in self.folder.lines(table)?.enumerate().skip(skipped) {
                let statements = table.insert(&table.parse(&line?)?);
                bytes = statements
                    .iter()
                    .fold(bytes, |sum, statement| sum.saturating_add(statement.len()));
                part.extend(statements);
                if bytes >= self.part_bytes {
                    self.load_part(&mut part, &table.name, at.saturating_add(1))?;
                    bytes = 0;
                }
            }
        }
        for sequence in &self.manifest.sequences {
            let (name, seq) = (text_literal(&sequence.name), sequence.seq);
            part.push(format!("DELETE FROM sqlite_sequence WHERE name = {name}"));
            part.push(format!(
                "INSERT INTO sqlite_sequence (name, seq) VALUES ({name}, {seq})"
            ));
        }
        self.load_part(&mut part, "", 0)
    }

    fn load_part(&mut self, part: &mut Vec<String>, table: &str, line: usize) -> Result<()> {
        part.push(format!(
            "UPDATE restore_progress SET name = {}, line = {line}",
            text_literal(table)
        ));
        self.database.load(part).context(
            "the rows could not be loaded. Run the command again: it continues where it was",
        )?;
        part.clear();
        if !table.is_empty() {
            report::note(&format!("  {table}: {line} rows"));
        }
        Ok(())
    }

    /// Reads all rows back, and compares each table's number of rows and hash with the manifest.
    fn compare(&mut self) -> Result<()> {
        let mut unread: Vec<(Table, Lines, Option<Vec<_>>, usize)> = self
            .tables()
            .map(|table| (table.clone(), Lines::default(), None, FIRST))
            .collect();
        let mut found = HashMap::new();
        while !unread.is_empty() {
            let statements: Vec<_> = unread
                .iter()
                .map(|(table, _, after, limit)| table.page(after.as_deref(), *limit))
                .collect();
            let answers = self
                .database
                .query(&statements)
                .context("the rows could not be read back. Run the command again: it continues with this comparison")?;
            let tables = unread.len();
            for ((table, lines, after, limit), page) in unread.iter_mut().zip(&answers) {
                let mut bytes = 0_usize;
                for row in page {
                    let cells = table.cells(row)?;
                    let line = serde_json::to_string(&cells)?;
                    bytes = bytes.saturating_add(line.len());
                    lines.add(&line);
                    *after = Some(table.key_of(&cells));
                }
                if page.len() < *limit {
                    found.insert(
                        table.name.clone(),
                        std::mem::take(lines).finish(&table.name),
                    );
                }
                *limit = next_limit(bytes, page.len(), tables).unwrap_or(*limit);
            }
            unread.retain(|(table, ..)| !found.contains_key(&table.name));
        }
        for expected in &self.manifest.tables {
            if let Some(found) = found.get(&expected.name)
                && found != expected
            {
                bail!(
                    "`{}` has {} rows with the hash {} instead of {} rows with {}: delete the database and restore again",
                    expected.name,
                    found.rows,
                    found.sha256,
                    expected.rows,
                    expected.sha256
                );
            }
        }
        Ok(())
    }

    /// Creates the triggers again and drops the table `restore_progress`, in one transaction. As long as this table exists, the database is
    /// incomplete.
    fn finish(&mut self, progress: &Progress) -> Result<()> {
        let triggers: Vec<String> = serde_json::from_str(&progress.triggers)?;
        let end = "DROP TABLE restore_progress".to_owned();
        let statements: Vec<_> = triggers.into_iter().chain([end]).collect();
        self.database.query(&statements).map(drop)
    }
}
