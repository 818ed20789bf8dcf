//! `cargo xtask backup`: reads all tables page by page while the service runs, and the changes that the service makes in the meantime.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufWriter, Write};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::capture;
use super::database::Database;
use super::folder::{self, Appended, FORMAT, Folder, Lines, Manifest, Sequence, TableFile};
use super::table::{Cell, Row, Schema, Table, next_limit, rows};
use crate::{files, report};

/// The maximum number of changes that a call reads.
const CHANGES: usize = 5_000;
/// The number of successive calls that may fail. Each repetition reads a quarter of the previous number of rows.
const TRIES: u32 = 4;

/// The state of a running backup. It is saved after each call, so that a stopped run can be continued.
#[derive(Debug, Serialize, Deserialize)]
struct Progress {
    /// The id of the recording of changes.
    capture: String,
    instance: String,
    schema: Schema,
    tables: BTreeMap<String, Read>,
    /// The number of the last change that was read, and the size of the file of changes in bytes.
    seq: i64,
    bytes: u64,
    /// The last change that the backup contains. `None` until all tables have been read.
    cut: Option<Cut>,
}

/// The progress of reading a table: the key of the last row, and the numbers of rows and bytes so far.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Read {
    after: Option<Vec<Cell>>,
    rows: u64,
    bytes: u64,
    is_complete: bool,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Cut {
    seq: i64,
    at: String,
}

/// A row after a change, or only the key of a deleted row.
#[derive(Debug, Serialize, Deserialize)]
struct Change {
    seq: i64,
    table: String,
    is_deleted: bool,
    row: Vec<Cell>,
}

/// The recording of changes has ended, so the pages read so far are useless.
#[derive(Debug)]
struct Lost;

impl std::fmt::Display for Lost {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("the record of changes has ended")
    }
}

impl std::error::Error for Lost {}

/// Reads a database into a folder. If a run into this folder was stopped, continues it. Fails if the folder has a finished backup.
pub(super) fn run(
    database: &mut Database<'_>,
    folder: &Folder,
    source: &str,
    first_rows: usize,
) -> Result<Manifest> {
    if folder.is_finished() {
        bail!(
            "{} has a finished backup: choose another folder with --into",
            folder.path().display()
        );
    }
    folder.create()?;
    let mut export = Export {
        database,
        folder,
        first_rows,
    };
    let mut progress = match export.saved()? {
        Some(progress) => {
            report::note("  an earlier run is continued");
            progress
        }
        None => export.start()?,
    };
    match export.read(&mut progress) {
        Err(error) if error.is::<Lost>() => {
            report::note(&format!(
                "  the recording of changes ended: no call prolonged it for {} minutes, or another backup replaced it. The backup starts again",
                capture::SECONDS / 60
            ));
            progress = export.start()?;
            export.read(&mut progress)?;
        }
        result => result?,
    }
    let sequences = export.end(&progress)?;
    let manifest = report::step("merge rows and changes", || {
        let tables = export.merge(&progress)?;
        let cut = progress
            .cut
            .clone()
            .context("the time of the backup's end was not recorded")?;
        Ok(Manifest {
            format: FORMAT,
            source: source.to_owned(),
            release: env!("CARGO_PKG_VERSION").to_owned(),
            instance: progress.instance.clone(),
            at: cut.at,
            schema: progress.schema.clone(),
            tables,
            sequences,
        })
    })?;
    folder.finish(&manifest)?;
    Ok(manifest)
}

struct Export<'a, 'b> {
    database: &'a mut Database<'b>,
    folder: &'a Folder,
    first_rows: usize,
}

impl Export<'_, '_> {
    fn saved(&self) -> Result<Option<Progress>> {
        match fs::read(self.folder.partial("progress.json")) {
            Ok(bytes) => Ok(Some(serde_json::from_slice(&bytes).with_context(|| {
                format!(
                    "{} is damaged: delete the folder",
                    self.folder.partial("progress.json").display()
                )
            })?)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn save(&self, progress: &Progress) -> Result<()> {
        files::replace(
            &self.folder.partial("progress.json"),
            &serde_json::to_vec(progress)?,
        )
    }

    /// Starts to record changes. Fails if another backup of the database is being made, or was stopped recently. Also fails if a table without a
    /// primary key has rows.
    fn start(&mut self) -> Result<Progress> {
        let mut statements = Schema::statements().to_vec();
        statements.extend(
            [
                "SELECT id FROM instance",
                "SELECT lower(hex(randomblob(16))) AS id",
                capture::TRIGGERS,
                "SELECT name FROM sqlite_master WHERE name = 'backup_capture'",
            ]
            .map(str::to_owned),
        );
        let answers = self.database.query(&statements)?;
        let (described, rest) = answers
            .split_at_checked(3)
            .context("an answer is missing")?;
        let schema = Schema::read(described)?;
        let [instance, id, triggers, earlier] = rest else {
            bail!("an answer is missing");
        };
        if !earlier.is_empty() {
            let live = "SELECT 1 AS live FROM backup_capture WHERE until > unixepoch()".to_owned();
            let answers = self.database.query(&[live])?;
            if answers.iter().any(|rows| !rows.is_empty()) {
                bail!(
                    "another backup of this database runs, or was stopped less than {} minutes ago: continue it with --into and its \
                     folder, or wait",
                    capture::SECONDS / 60
                );
            }
        }
        let progress = Progress {
            capture: text(id, "id")?,
            instance: text(instance, "id")?,
            tables: schema
                .tables
                .iter()
                .map(|table| (table.name.clone(), Read::default()))
                .collect(),
            schema,
            seq: 0,
            bytes: 0,
            cut: None,
        };
        let names = triggers
            .iter()
            .map(|row| field(row, "name"))
            .collect::<Result<Vec<_>>>()?;
        // Saved before the call, so that a run that is stopped here can continue its own recording.
        self.save(&progress)?;
        let mut statements = capture::start(&progress.capture, &progress.schema, &names);
        let guards = progress.schema.guards.iter();
        statements
            .extend(guards.map(|table| format!("SELECT 1 AS found FROM \"{table}\" LIMIT 1")));
        let answers = self.database.query(&statements)?;
        let checked = answers.iter().rev().take(progress.schema.guards.len());
        if checked.into_iter().any(|rows| !rows.is_empty()) {
            // Otherwise the next run would continue this recording without the check.
            fs::remove_file(self.folder.partial("progress.json"))?;
            bail!(
                "a table without a primary key has rows, which a backup cannot contain: add a primary key by a migration"
            );
        }
        Ok(progress)
    }

    /// Reads until all rows and all changes up to the cut are in the folder.
    fn read(&mut self, progress: &mut Progress) -> Result<()> {
        let mut limits: HashMap<String, usize> = HashMap::new();
        while progress
            .cut
            .as_ref()
            .is_none_or(|cut| progress.seq < cut.seq)
        {
            self.call(progress, &mut limits)?;
            let rows: u64 = progress.tables.values().map(|read| read.rows).sum();
            let bytes: u64 = progress.tables.values().map(|read| read.bytes).sum();
            let mut unread: Vec<_> = progress
                .tables
                .iter()
                .filter(|(_, read)| !read.is_complete)
                .collect();
            unread.sort_unstable_by_key(|(_, read)| std::cmp::Reverse(read.rows));
            let unread: Vec<_> = unread
                .iter()
                .map(|(name, _)| name.as_str())
                .take(4)
                .collect();
            let left = if unread.is_empty() {
                String::new()
            } else {
                format!("; still reading {}", unread.join(", "))
            };
            #[expect(clippy::cast_precision_loss, reason = "a rounded size")]
            let megabytes = bytes as f64 / 1e6;
            report::note(&format!(
                "  {rows} rows ({megabytes:.1} MB) and {} changes{left}",
                progress.seq
            ));
        }
        Ok(())
    }

    /// Makes one call: prolongs the recording, and reads changes and a page of each unfinished table. Then stores the changes and pages.
    /// Repeats a failed call with fewer rows.
    fn call(&mut self, progress: &mut Progress, limits: &mut HashMap<String, usize>) -> Result<()> {
        let schema = progress.schema.clone();
        let is_unread = |table: &&Table| {
            progress
                .tables
                .get(&table.name)
                .is_some_and(|read| !read.is_complete)
        };
        let unread: Vec<&Table> = schema.tables.iter().filter(is_unread).collect();
        let mut divisor = 1_usize;
        let (answers, asked) = loop {
            let asked: Vec<usize> = unread
                .iter()
                .map(|table| limits.get(&table.name).copied().unwrap_or(self.first_rows))
                .map(|limit| limit.checked_div(divisor).unwrap_or(1).max(1))
                .collect();
            let mut statements = vec![
                capture::prolong(&progress.capture),
                format!("DELETE FROM backup_changes WHERE seq <= {}", progress.seq),
                capture::changes(
                    schema.width(),
                    progress.seq,
                    progress.cut.as_ref().map(|cut| cut.seq),
                    CHANGES.checked_div(divisor).unwrap_or(1).max(1),
                ),
                // A possible cut. It is used only by a call that reads no pages, so it comes after all pages. A statement sees only complete
                // transactions, so the cut is between two transactions.
                format!(
                    "SELECT coalesce(max(seq), {}) AS seq, strftime('%Y-%m-%dT%H:%M:%SZ') AS at FROM backup_changes",
                    progress.seq
                ),
            ];
            statements.extend(unread.iter().zip(&asked).map(|(table, limit)| {
                let read = progress.tables.get(&table.name);
                table.page(read.and_then(|read| read.after.as_deref()), *limit)
            }));
            match self.database.query(&statements) {
                Ok(answers) => break (answers, asked),
                Err(error) if error.to_string().contains("no such table: backup_capture") => {
                    return Err(Lost.into());
                }
                Err(error) if divisor >= 4_usize.pow(TRIES) => {
                    return Err(error.context("the database could not be read. Run the command again: it continues where it was"));
                }
                Err(error) => {
                    report::note(&format!(
                        "  a call failed and is repeated with fewer rows: {}",
                        first_line(&error)
                    ));
                    divisor = divisor.saturating_mul(4);
                }
            }
        };
        let [live, _, changes, cut, pages @ ..] = answers.as_slice() else {
            bail!("an answer is missing");
        };
        if live.is_empty() {
            return Err(Lost.into());
        }
        self.keep_changes(progress, changes)?;
        if unread.is_empty() && progress.cut.is_none() {
            progress.cut = rows::<Cut>(cut)?.into_iter().next();
        }
        for ((table, page), asked) in unread.iter().zip(pages).zip(asked) {
            let read = progress.tables.entry(table.name.clone()).or_default();
            let before = read.bytes;
            keep_page(self.folder, table, page, read)?;
            read.is_complete = page.len() < asked;
            let bytes = usize::try_from(read.bytes.saturating_sub(before)).unwrap_or(usize::MAX);
            if let Some(limit) = next_limit(bytes, page.len(), unread.len()) {
                limits.insert(table.name.clone(), limit);
            }
        }
        self.save(progress)
    }

    fn keep_changes(&self, progress: &mut Progress, changes: &[Row]) -> Result<()> {
        if changes.is_empty() {
            return Ok(());
        }
        let mut file = Appended::open(&self.folder.partial("changes.ndjson"), progress.bytes)?;
        for row in changes {
            let name = field(row, "name")?;
            let table = progress.schema.table(&name);
            let table =
                table.with_context(|| format!("a change names the unknown table `{name}`"))?;
            let number = |column: &str| row.get(column).and_then(Value::as_i64);
            let seq = number("seq").context("a change has no number")?;
            let change = Change {
                seq,
                is_deleted: number("deleted") == Some(1),
                row: table.cells(row)?,
                table: name,
            };
            file.add(&serde_json::to_string(&change)?)?;
            progress.seq = seq;
        }
        progress.bytes = file.sync()?;
        Ok(())
    }

    /// Stops the recording. Returns the highest row number that each table with automatic numbers has used. Fails if a migration has
    /// changed the tables during the backup.
    fn end(&mut self, progress: &Progress) -> Result<Vec<Sequence>> {
        let mut statements = Schema::statements().to_vec();
        statements.push(capture::TRIGGERS.to_owned());
        statements.push("SELECT name, seq FROM sqlite_sequence ORDER BY name".to_owned());
        let answers = self.database.query(&statements)?;
        let (described, rest) = answers
            .split_at_checked(3)
            .context("an answer is missing")?;
        let [triggers, sequences] = rest else {
            bail!("an answer is missing");
        };
        let names = triggers
            .iter()
            .map(|row| field(row, "name"))
            .collect::<Result<Vec<_>>>()?;
        // Another backup may have started while this run was stopped. Its recording must continue, so only this run's recording is stopped.
        let own = self.database.query(&[capture::prolong(&progress.capture)]);
        if own.is_ok_and(|answers| answers.iter().any(|rows| !rows.is_empty())) {
            self.database.query(&capture::stop(&names))?;
        }
        if Schema::read(described)? != progress.schema {
            bail!(
                "a migration changed the tables while the backup ran: delete {} and run the command again",
                self.folder.path().display()
            );
        }
        let mut sequences: Vec<Sequence> = rows(sequences)?;
        sequences.retain(|sequence| progress.schema.table(&sequence.name).is_some());
        Ok(sequences)
    }

    /// Applies the changes to the rows, and writes each table's file.
    fn merge(&self, progress: &Progress) -> Result<Vec<TableFile>> {
        // The last state of each changed row, by its key. `None` for a deleted row.
        type Changed = BTreeMap<Vec<Cell>, Option<String>>;
        let mut changed: HashMap<String, Changed> = HashMap::new();
        let file = self.folder.partial("changes.ndjson");
        if progress.bytes > 0 {
            // Cuts off bytes that a stopped run wrote without recording them in its progress.
            Appended::open(&file, progress.bytes)?.sync()?;
            for line in folder::lines(&file)? {
                let change: Change = serde_json::from_str(&line?)?;
                let Some(table) = progress.schema.table(&change.table) else {
                    continue;
                };
                let key = table.key_of(&change.row);
                let row = (!change.is_deleted)
                    .then(|| serde_json::to_string(&change.row))
                    .transpose()?;
                changed.entry(change.table).or_default().insert(key, row);
            }
        }
        let mut files = Vec::new();
        for table in &progress.schema.tables {
            let read = progress
                .tables
                .get(&table.name)
                .context("a table was not read")?;
            let source = self.folder.partial(&format!("{}.ndjson", table.name));
            Appended::open(&source, read.bytes)?.sync()?;
            let changes = changed.remove(&table.name).unwrap_or_default();
            let target = self.folder.rows(&table.name);
            let mut file = BufWriter::new(File::create(&target)?);
            let mut lines = Lines::default();
            merged(table, folder::lines(&source)?, changes, |line| {
                lines.add(line);
                writeln!(file, "{line}").with_context(|| format!("writing {}", target.display()))
            })?;
            file.flush()?;
            file.get_ref().sync_all()?;
            files.push(lines.finish(&table.name));
        }
        Ok(files)
    }
}

/// Passes the rows to `put` in the order of their keys: unchanged rows from the pages, and changed rows in their last state.
fn merged(
    table: &Table,
    pages: impl Iterator<Item = Result<String>>,
    changes: BTreeMap<Vec<Cell>, Option<String>>,
    mut put: impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    let mut changes = changes.into_iter().peekable();
    for line in pages {
        let line = line?;
        let key = table.key_of(&table.parse(&line)?);
        let mut has_changed = false;
        while let Some((changed, row)) = changes.next_if(|(changed, _)| *changed <= key) {
            has_changed |= changed == key;
            row.as_deref().map_or(Ok(()), &mut put)?;
        }
        if !has_changed {
            put(&line)?;
        }
    }
    changes.try_for_each(|(_, row)| row.as_deref().map_or(Ok(()), &mut put))
}

/// Appends a page of rows to the table's file. Fails if the rows are not in the order of their keys.
fn keep_page(folder: &Folder, table: &Table, page: &[Row], read: &mut Read) -> Result<()> {
    let mut file = Appended::open(
        &folder.partial(&format!("{}.ndjson", table.name)),
        read.bytes,
    )?;
    for row in page {
        let cells = table.cells(row)?;
        let key = table.key_of(&cells);
        if read.after.as_ref().is_some_and(|after| *after >= key) {
            bail!(
                "the rows of `{}` are not in the order of their keys",
                table.name
            );
        }
        file.add(&serde_json::to_string(&cells)?)?;
        read.after = Some(key);
        read.rows = read.rows.saturating_add(1);
    }
    read.bytes = file.sync()?;
    Ok(())
}

/// Returns a column of the first row. Fails if there is no row.
fn text(rows: &[Row], column: &str) -> Result<String> {
    field(
        rows.first()
            .context("the database has no row in a table that must have one")?,
        column,
    )
}

fn field(row: &Row, column: &str) -> Result<String> {
    let value = row.get(column).and_then(Value::as_str);
    Ok(value
        .with_context(|| format!("a row has no `{column}`"))?
        .to_owned())
}

fn first_line(error: &anyhow::Error) -> String {
    format!("{error:#}")
        .lines()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_merged_with_their_last_changes_in_the_order_of_keys() {
        let column = |name: &str, kind: &str, pk: u32| {
            let value = serde_json::json!({ "table": "t", "name": name, "type": kind, "pk": pk });
            value.as_object().cloned().unwrap()
        };
        let columns = vec![column("id", "INTEGER", 1), column("text", "TEXT", 0)];
        let schema = Schema::read(&[Vec::new(), columns, Vec::new()]).unwrap();
        let pages = ["[2,\"b\"]", "[4,\"d\"]", "[10,\"j\"]"].map(|line| Ok(line.to_owned()));
        let changes = [
            (1, Some("new, before all")),
            (3, None),
            (4, None),
            (5, Some("new")),
            (10, Some("changed")),
            (11, Some("new, after all")),
        ];
        let changes = changes.map(|(key, text)| {
            let row = text.map(|text| format!("[{key},{text:?}]"));
            (vec![Cell::Integer(key)], row)
        });
        let mut lines = Vec::new();
        let put = |line: &str| {
            lines.push(line.to_owned());
            Ok(())
        };
        merged(&schema.tables[0], pages.into_iter(), changes.into(), put).unwrap();
        assert_eq!(
            lines,
            [
                "[1,\"new, before all\"]",
                "[2,\"b\"]",
                "[5,\"new\"]",
                "[10,\"changed\"]",
                "[11,\"new, after all\"]"
            ]
        );
    }
}
