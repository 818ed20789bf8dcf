//! SQLite behind the database port. As in D1, a batch is one transaction.

use std::cell::{Cell, RefCell};
use std::sync::OnceLock;

use async_trait::async_trait;
use rusqlite::config::DbConfig;
use rusqlite::types::{Value as SqlValue, ValueRef};
use rusqlite::{Connection, ErrorCode, MAIN_DB, StatementStatus};
use serde_json::Value;

use crate::ports::{Database, DatabaseError, Param, Rows, Statement};

/// An in-memory database with the migrations applied.
pub struct Sqlite {
    connection: RefCell<Connection>,
    round_trips: Cell<usize>,
    statements: Cell<usize>,
    steps: Cell<u64>,
    yields: Cell<bool>,
}

/// The folder of the migrations. As for D1, all files are applied in the order of their names.
const MIGRATIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/migrations");

/// Returns the SQL of every migration in a folder, in the order of the file names.
fn migrations(folder: &str) -> Result<Vec<String>, DatabaseError> {
    let failed =
        |error: std::io::Error| DatabaseError::Unavailable(format!("reading `{folder}`: {error}"));
    let entries = std::fs::read_dir(folder).map_err(failed)?;
    let mut files = entries
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<Result<Vec<_>, _>>()
        .map_err(failed)?;
    files.retain(|file| file.extension().is_some_and(|end| end == "sql"));
    files.sort();
    let texts = files.iter().map(std::fs::read_to_string);
    texts.collect::<Result<_, _>>().map_err(failed)
}

impl Sqlite {
    /// Opens a fresh database. The process applies the migrations once, and copies the result for each database.
    ///
    /// # Errors
    /// SQLite's errors in the migrations.
    pub fn new() -> Result<Self, DatabaseError> {
        static MIGRATED: OnceLock<Vec<u8>> = OnceLock::new();
        let image = if let Some(image) = MIGRATED.get() {
            image
        } else {
            let image = Self::open(&migrations(MIGRATIONS)?)?.image()?;
            MIGRATED.get_or_init(|| image)
        };
        let database = Self::open(&[])?;
        let mut connection = database.connection.borrow_mut();
        connection
            .deserialize_read_exact(MAIN_DB, image.as_slice(), image.len(), false)
            .map_err(translate)?;
        drop(connection);
        // The migrations generate a random id for the instance. The copied database needs another id.
        database.execute("UPDATE instance SET id = lower(hex(randomblob(32)))")?;
        Ok(database)
    }

    /// Returns the database as the bytes of a database file.
    fn image(&self) -> Result<Vec<u8>, DatabaseError> {
        let mut connection = self.connection.borrow_mut();
        let image = connection.serialize(MAIN_DB).map_err(translate)?;
        Ok(image.to_vec())
    }

    fn open(migrations: &[String]) -> Result<Self, DatabaseError> {
        let connection = Connection::open_in_memory().map_err(translate)?;
        // The service has more than 200 statements. With the default of 16, most would be parsed again at each use.
        connection.set_prepared_statement_cache_capacity(1024);
        // With this setting, a plan depends only on the statement, not on its parameters. SQLite then parses statements less often.
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
            .map_err(translate)?;
        // D1 enforces foreign keys.
        connection
            .execute_batch("PRAGMA foreign_keys = ON")
            .map_err(translate)?;
        for migration in migrations {
            connection.execute_batch(migration).map_err(translate)?;
        }
        Ok(Self {
            connection: RefCell::new(connection),
            round_trips: Cell::new(0),
            statements: Cell::new(0),
            steps: Cell::new(0),
            yields: Cell::new(true),
        })
    }

    /// Applies all migrations except the first `applied` ones.
    ///
    /// # Errors
    /// SQLite's errors in the migrations.
    pub fn migrate(&self, applied: usize) -> Result<(), DatabaseError> {
        migrations(MIGRATIONS)?
            .iter()
            .skip(applied)
            .try_for_each(|migration| self.execute(migration))
    }

    /// Returns the number of batches run so far.
    #[must_use]
    pub fn round_trips(&self) -> usize {
        self.round_trips.get()
    }

    /// Returns the number of statements in the batches run so far.
    #[must_use]
    pub fn statements(&self) -> usize {
        self.statements.get()
    }

    /// Returns the number of steps that SQLite's virtual machine has run so far. Unlike elapsed time, this number is
    /// the same in every run.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Returns SQLite's query plan for a statement, one line for each step.
    ///
    /// # Errors
    /// SQLite's errors.
    pub fn plan(&self, statement: &Statement) -> Result<Vec<String>, DatabaseError> {
        let connection = self.connection.borrow();
        let mut prepared = connection
            .prepare(&format!("EXPLAIN QUERY PLAN {}", statement.sql))
            .map_err(translate)?;
        let steps = prepared
            .query_map(params(statement), |row| row.get("detail"))
            .map_err(translate)?;
        steps.collect::<Result<_, _>>().map_err(translate)
    }

    /// Runs any number of SQL statements, for example to insert a test's fixture.
    ///
    /// # Errors
    /// SQLite's errors.
    pub fn execute(&self, sql: &str) -> Result<(), DatabaseError> {
        self.connection
            .borrow()
            .execute_batch(sql)
            .map_err(translate)
    }

    /// Runs one batch now.
    ///
    /// # Errors
    /// As [`Database::batch`].
    pub fn run(&self, statements: &[Statement]) -> Result<Vec<Rows>, DatabaseError> {
        self.round_trips
            .set(self.round_trips.get().saturating_add(1));
        self.statements
            .set(self.statements.get().saturating_add(statements.len()));
        statements.iter().try_for_each(Statement::carried)?;
        let mut connection = self.connection.borrow_mut();
        let transaction = connection.transaction().map_err(translate)?;
        let rows = statements
            .iter()
            .map(|statement| self.one(&transaction, statement))
            .collect::<Result<_, _>>()?;
        transaction.commit().map_err(translate)?;
        Ok(rows)
    }

    fn one(&self, connection: &Connection, statement: &Statement) -> Result<Rows, DatabaseError> {
        let mut prepared = connection
            .prepare_cached(&statement.sql)
            .map_err(translate)?;
        let names: Vec<String> = prepared.column_names().map(str::to_owned).collect();
        let mut rows = prepared.query(params(statement)).map_err(translate)?;
        let mut found = Vec::new();
        while let Some(row) = rows.next().map_err(translate)? {
            let mut object = serde_json::Map::new();
            for (index, name) in names.iter().enumerate() {
                let value = match row.get_ref(index).map_err(translate)? {
                    ValueRef::Null | ValueRef::Blob(_) => Value::Null,
                    ValueRef::Integer(number) => Value::from(number),
                    ValueRef::Real(number) => Value::from(number),
                    ValueRef::Text(text) => Value::from(String::from_utf8_lossy(text)),
                };
                object.insert(name.clone(), value);
            }
            found.push(Value::Object(object));
        }
        drop(rows);
        let steps = u64::try_from(prepared.reset_status(StatementStatus::VmStep)).unwrap_or(0);
        self.steps.set(self.steps.get().saturating_add(steps));
        Ok(Rows::carried(found, &statement.sql))
    }
}

fn params(statement: &Statement) -> rusqlite::ParamsFromIter<Vec<SqlValue>> {
    let value = |param: &Param| match param {
        Param::Null => SqlValue::Null,
        // D1's numbers are doubles, so this database also binds numbers as doubles.
        #[expect(
            clippy::cast_precision_loss,
            reason = "no batch has more than 2^53 − 1"
        )]
        Param::Integer(number) => SqlValue::Real(*number as f64),
        Param::Text(text) => SqlValue::Text(text.clone()),
    };
    rusqlite::params_from_iter(statement.params.iter().map(value).collect())
}

#[expect(clippy::needless_pass_by_value, reason = "used as a map_err function")]
fn translate(error: rusqlite::Error) -> DatabaseError {
    let text = error.to_string();
    if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) {
        return DatabaseError::from_constraint(&text);
    }
    DatabaseError::Unavailable(text)
}

#[async_trait(?Send)]
impl Database for Sqlite {
    fn bytes(&self) -> Option<u64> {
        let connection = self.connection.borrow();
        let read = |name: &str| -> Option<u64> {
            let number: i64 = connection
                .pragma_query_value(None, name, |row| row.get(0))
                .ok()?;
            number.try_into().ok()
        };
        read("page_count")?.checked_mul(read("page_size")?)
    }

    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError> {
        if self.yields.get() {
            // Yields before and after every round trip, so concurrent requests interleave there.
            super::fakes::yield_now().await;
        }
        let rows = self.run(&statements);
        if self.yields.get() {
            super::fakes::yield_now().await;
        }
        rows
    }
}
