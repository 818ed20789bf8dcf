//! The tables of a database, and the SQL that reads and writes their rows. The list of tables comes from the database itself,
//! so tables of later migrations are included.

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A row as the database returns it. The columns of a copied table are named by their numbers: `0`, `1`, ….
pub(super) type Row = Map<String, Value>;

/// Tables that are not copied: tables of SQLite, of the platform and of these commands. A restoration compares the list of applied
/// migrations, but does not copy the table that contains this list. Sessions and the nonces of sign-in messages are not copied. Otherwise, a
/// session that ended after the backup would work again.
pub(super) const FOREIGN: &str = "name GLOB 'sqlite_*' OR name GLOB '_cf_*' OR name GLOB 'd1_*' \
                                  OR name IN ('backup_capture', 'backup_changes', 'restore_progress', 'sessions', 'used_nonces')";

/// A value of a row. The variants are in SQLite's order, so keys compare as in the database.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(untagged)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Text(String),
}

impl Cell {
    /// Returns the value as an SQL expression.
    pub(super) fn literal(&self) -> String {
        match self {
            Self::Null => "NULL".to_owned(),
            Self::Integer(number) => number.to_string(),
            Self::Text(text) => text_literal(text),
        }
    }
}

/// Returns a string as an SQL expression. A NUL character becomes `char(0)`, because SQLite reads SQL only up to a NUL character.
pub(super) fn text_literal(text: &str) -> String {
    let parts = text
        .split('\0')
        .map(|part| format!("'{}'", part.replace('\'', "''")));
    parts.collect::<Vec<_>>().join("||char(0)||")
}

/// The type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub(super) enum Type {
    Integer,
    Text,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Column {
    pub(super) name: String,
    #[serde(rename = "type")]
    kind: Type,
}

/// A table whose rows are read in the order of its primary key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) columns: Vec<Column>,
    /// The columns of the primary key, as indexes into `columns`.
    pub(super) key: Vec<usize>,
    /// The tables that the table's foreign keys reference.
    pub(super) parents: Vec<String>,
}

/// The schema of a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Schema {
    /// Names of the applied migrations.
    pub(super) migrations: Vec<String>,
    /// The tables that can have rows. Each table follows the tables that its foreign keys reference.
    pub(super) tables: Vec<Table>,
    /// Tables without a primary key, such as `guards`. They are always empty, because their constraints refuse every row and abort the
    /// transaction that inserts it.
    pub(super) guards: Vec<String>,
}

#[derive(Debug, Deserialize)]
struct Described {
    table: String,
    name: String,
    #[serde(rename = "type")]
    kind: String,
    pk: usize,
}

#[derive(Debug, Deserialize)]
struct Reference {
    table: String,
    parent: String,
}

#[derive(Debug, Deserialize)]
struct Named {
    name: String,
}

impl Schema {
    /// The statements whose rows are the input of [`Schema::read`].
    pub(super) fn statements() -> [String; 3] {
        let own =
            format!("SELECT name FROM sqlite_master WHERE type = 'table' AND NOT ({FOREIGN})");
        [
            "SELECT name FROM d1_migrations ORDER BY id".to_owned(),
            format!(
                "SELECT m.name AS \"table\", c.name, c.type, c.pk FROM ({own}) m JOIN pragma_table_xinfo(m.name) c \
                 ORDER BY m.name, c.cid"
            ),
            format!(
                "SELECT DISTINCT m.name AS \"table\", f.\"table\" AS parent FROM ({own}) m JOIN pragma_foreign_key_list(m.name) f \
                 ORDER BY 1, 2"
            ),
        ]
    }

    /// Reads the schema.
    ///
    /// # Errors
    /// If a table has a column of a type that these commands do not support, or if the foreign keys form a circle.
    pub(super) fn read(answers: &[Vec<Row>]) -> Result<Self> {
        let [migrations, columns, references] = answers else {
            bail!("the database did not describe its schema");
        };
        let migrations: Vec<Named> = rows(migrations)?;
        let references: Vec<Reference> = rows(references)?;
        let mut found: Vec<(Table, Vec<(usize, usize)>)> = Vec::new();
        for described in rows::<Described>(columns)? {
            if found
                .last()
                .is_none_or(|(table, _)| table.name != described.table)
            {
                let parents = references
                    .iter()
                    .filter(|reference| reference.table == described.table)
                    .map(|reference| reference.parent.clone());
                let table = Table {
                    name: described.table.clone(),
                    columns: Vec::new(),
                    key: Vec::new(),
                    parents: parents.collect(),
                };
                found.push((table, Vec::new()));
            }
            let Some((table, key)) = found.last_mut() else {
                continue;
            };
            let kind = match described.kind.as_str() {
                "INTEGER" => Type::Integer,
                "TEXT" => Type::Text,
                other => bail!(
                    "the column `{}` of `{}` has the type {other}, which backups do not support yet: extend xtask/src/backup/table.rs",
                    described.name,
                    described.table
                ),
            };
            if described.pk > 0 {
                key.push((described.pk, table.columns.len()));
            }
            table.columns.push(Column {
                name: described.name,
                kind,
            });
        }
        let (mut tables, mut guards) = (Vec::new(), Vec::new());
        for (mut table, mut key) in found {
            key.sort_unstable();
            table.key = key.into_iter().map(|(_, column)| column).collect();
            if table.key.is_empty() {
                guards.push(table.name);
            } else {
                tables.push(table);
            }
        }
        Ok(Self {
            migrations: migrations.into_iter().map(|named| named.name).collect(),
            tables: parents_first(tables)?,
            guards,
        })
    }

    /// Returns the number of columns of the widest table.
    pub(super) fn width(&self) -> usize {
        let widths = self.tables.iter().map(|table| table.columns.len());
        widths.max().unwrap_or_default()
    }

    pub(super) fn table(&self, name: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.name == name)
    }
}

/// Sorts tables so that each table follows the tables that its foreign keys reference. Fails if the foreign keys form a circle.
fn parents_first(mut rest: Vec<Table>) -> Result<Vec<Table>> {
    let mut sorted: Vec<Table> = Vec::new();
    while !rest.is_empty() {
        let is_ready = |table: &Table| {
            let known = |parent: &String| sorted.iter().any(|before| before.name == *parent);
            table.parents.iter().all(known)
        };
        let Some(next) = rest.iter().position(is_ready) else {
            let names: Vec<_> = rest.iter().map(|table| table.name.as_str()).collect();
            bail!("the foreign keys of {} form a circle", names.join(", "));
        };
        sorted.push(rest.remove(next));
    }
    Ok(sorted)
}

/// Returns the number of rows of a table that the next call reads, so that the call reads about 4 MB from `tables` tables. `bytes` and `rows`
/// are the size of the table's last page. Returns `None` if this page has no rows.
pub(super) fn next_limit(bytes: usize, rows: usize, tables: usize) -> Option<usize> {
    const CALL: usize = 4_000_000;
    const MOST: usize = 20_000;
    let mean = bytes.checked_div(rows)?.max(1);
    let share = CALL.checked_div(tables.clamp(1, 16))?;
    Some(share.checked_div(mean)?.clamp(1, MOST))
}

/// Deserializes rows as `T`.
pub(super) fn rows<T: for<'de> Deserialize<'de>>(rows: &[Row]) -> Result<Vec<T>> {
    let read = rows
        .iter()
        .map(|row| serde_json::from_value(row.clone().into()));
    read.collect::<Result<_, _>>()
        .context("the database returned rows of another form")
}

impl Table {
    /// Returns the statement that reads a page of rows: the rows after the key `after`, or the first rows. All values are read as text, because
    /// large integers lose digits as JSON numbers.
    pub(super) fn page(&self, after: Option<&[Cell]>, limit: usize) -> String {
        let columns = self.columns.iter().enumerate();
        let columns =
            columns.map(|(at, column)| format!("CAST(\"{}\" AS TEXT) AS \"{at}\"", column.name));
        let key = self.key_columns("").join(", ");
        let condition = after.map_or_else(String::new, |after| {
            let values: Vec<_> = after.iter().map(Cell::literal).collect();
            format!(" WHERE ({key}) > ({})", values.join(", "))
        });
        format!(
            "SELECT {} FROM \"{}\"{condition} ORDER BY {key} LIMIT {limit}",
            columns.collect::<Vec<_>>().join(", "),
            self.name
        )
    }

    /// Returns the quoted names of the key's columns, each after a prefix.
    pub(super) fn key_columns(&self, prefix: &str) -> Vec<String> {
        let columns = self.key.iter().filter_map(|at| self.columns.get(*at));
        columns
            .map(|column| format!("{prefix}\"{}\"", column.name))
            .collect()
    }

    /// Parses the values of a row that the database returned.
    ///
    /// # Errors
    /// If a value does not have the type of its column.
    pub(super) fn cells(&self, row: &Row) -> Result<Vec<Cell>> {
        let cells = self.columns.iter().enumerate().map(|(at, column)| {
            let cell = match (row.get(&at.to_string()), column.kind) {
                (None | Some(Value::Null), _) => Some(Cell::Null),
                (Some(Value::String(text)), Type::Text) => Some(Cell::Text(text.clone())),
                (Some(Value::String(text)), Type::Integer) => text.parse().ok().map(Cell::Integer),
                _ => None,
            };
            cell.with_context(|| {
                format!(
                    "a value of `{}.{}` is not {:?}",
                    self.name, column.name, column.kind
                )
            })
        });
        cells.collect()
    }

    /// Parses a line of the table's file. Fails if the line does not have a value for each column.
    pub(super) fn parse(&self, line: &str) -> Result<Vec<Cell>> {
        let cells: Vec<Cell> =
            serde_json::from_str(line).context("a line is not a list of values")?;
        if cells.len() != self.columns.len() {
            bail!(
                "a line has {} values instead of {}",
                cells.len(),
                self.columns.len()
            );
        }
        Ok(cells)
    }

    /// Returns the key of a row.
    pub(super) fn key_of(&self, cells: &[Cell]) -> Vec<Cell> {
        let key = self.key.iter().filter_map(|at| cells.get(*at));
        key.cloned().collect()
    }

    /// Returns the statements that insert a row. On the platform, a statement may have at most about 100 KB. Only the first part of a long text is
    /// therefore inserted, and further statements append the other parts.
    pub(super) fn insert(&self, cells: &[Cell]) -> Vec<String> {
        /// Maximum bytes of a long text in one statement, not counting the escapes of its quotes.
        const PART: usize = 40_000;
        let mut values = Vec::new();
        let mut rest = Vec::new();
        for (cell, column) in cells.iter().zip(&self.columns) {
            let Cell::Text(text) = cell else {
                values.push(cell.literal());
                continue;
            };
            let mut parts = parts(text, PART).into_iter();
            values.push(text_literal(parts.next().unwrap_or_default()));
            rest.extend(parts.map(|part| (column.name.as_str(), part)));
        }
        let columns: Vec<_> = self
            .columns
            .iter()
            .map(|column| format!("\"{}\"", column.name))
            .collect();
        let insert = format!(
            "INSERT INTO \"{}\" ({}) VALUES ({})",
            self.name,
            columns.join(", "),
            values.join(", ")
        );
        let key = self.key_of(cells);
        let is_row: Vec<_> = self
            .key_columns("")
            .iter()
            .zip(&key)
            .map(|(column, cell)| format!("{column} = {}", cell.literal()))
            .collect();
        let is_row = is_row.join(" AND ");
        let completed = rest.into_iter().map(|(column, part)| {
            format!(
                "UPDATE \"{}\" SET \"{column}\" = \"{column}\" || {} WHERE {is_row}",
                self.name,
                text_literal(part)
            )
        });
        std::iter::once(insert).chain(completed).collect()
    }
}

/// Splits a text into parts of at most `most` bytes.
fn parts(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while rest.len() > most {
        let (part, after) = rest.split_at(rest.floor_char_boundary(most));
        parts.push(part);
        rest = after;
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(table: &str, name: &str, kind: &str, pk: u32) -> Row {
        let value = serde_json::json!({ "table": table, "name": name, "type": kind, "pk": pk });
        value.as_object().cloned().unwrap()
    }

    fn schema(columns: &[Row], references: &[(&str, &str)]) -> Result<Schema> {
        let references = references.iter().map(|(table, parent)| {
            let value = serde_json::json!({ "table": table, "parent": parent });
            value.as_object().cloned().unwrap()
        });
        Schema::read(&[Vec::new(), columns.to_vec(), references.collect()])
    }

    fn assets() -> Table {
        let columns = [
            described("assets", "note", "TEXT", 0),
            described("assets", "id", "INTEGER", 2),
            described("assets", "ledger_id", "TEXT", 1),
        ];
        schema(&columns, &[]).unwrap().tables.remove(0)
    }

    #[test]
    fn tables_follow_the_tables_that_they_reference() {
        let columns = ["a", "b", "c"].map(|table| described(table, "id", "TEXT", 1));
        let found = schema(&columns, &[("a", "c"), ("c", "b")]).unwrap();
        let names: Vec<_> = found
            .tables
            .iter()
            .map(|table| table.name.as_str())
            .collect();
        assert_eq!(names, ["b", "c", "a"]);
        let error = schema(&columns, &[("a", "c"), ("c", "a")]).unwrap_err();
        assert!(error.to_string().contains("form a circle"), "{error}");
    }

    #[test]
    fn a_column_of_an_unsupported_type_is_refused() {
        let error = schema(&[described("a", "bytes", "BLOB", 0)], &[]).unwrap_err();
        assert!(error.to_string().contains("`bytes` of `a`"), "{error}");
    }

    #[test]
    fn a_page_starts_after_a_key_of_several_columns() {
        let after = [Cell::Text("it's".to_owned()), Cell::Integer(7)];
        assert_eq!(
            assets().page(Some(&after), 10),
            "SELECT CAST(\"note\" AS TEXT) AS \"0\", CAST(\"id\" AS TEXT) AS \"1\", CAST(\"ledger_id\" AS TEXT) AS \"2\" FROM \"assets\" \
             WHERE (\"ledger_id\", \"id\") > ('it''s', 7) ORDER BY \"ledger_id\", \"id\" LIMIT 10"
        );
    }

    #[test]
    fn values_keep_their_types_and_all_their_digits() {
        let row = serde_json::json!({ "0": null, "1": "9007199254740993", "2": "0x1" });
        let cells = assets().cells(row.as_object().unwrap()).unwrap();
        assert_eq!(
            serde_json::to_string(&cells).unwrap(),
            "[null,9007199254740993,\"0x1\"]"
        );
        assert_eq!(
            assets().parse("[null,9007199254740993,\"0x1\"]").unwrap(),
            cells
        );
        let row = serde_json::json!({ "0": null, "1": "x", "2": "0x1" });
        assert!(assets().cells(row.as_object().unwrap()).is_err());
        assert!(assets().parse("[null]").is_err());
    }

    #[test]
    fn a_long_text_is_inserted_in_parts_between_characters() {
        let text = "é'".repeat(30_000);
        let cells = [
            Cell::Text(text.clone()),
            Cell::Integer(1),
            Cell::Text("l".to_owned()),
        ];
        let statements = assets().insert(&cells);
        assert_eq!(statements.len(), 3);
        assert!(statements.iter().all(|statement| statement.len() < 100_000));
        assert!(statements[1].ends_with("WHERE \"ledger_id\" = 'l' AND \"id\" = 1"));
        assert_eq!(parts(&text, 40_000).concat(), text);
        assert_eq!(text_literal("a\0'b"), "'a'||char(0)||'''b'");
    }
}
