//! The database port: statements, rows and errors.

use std::borrow::Cow;

use async_trait::async_trait;
use order_core::json;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The largest integer that the database transmits without loss: 2^53 − 1, because D1's numbers are doubles.
pub const INTEGER_MAX: u64 = order_core::MAX_SAFE_INTEGER;

/// A bound value of a statement.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Param {
    /// SQL NULL.
    Null,
    /// A whole number within ±[`INTEGER_MAX`]. The database refuses any other number.
    Integer(i64),
    /// Text.
    Text(String),
}

impl From<i64> for Param {
    fn from(value: i64) -> Self {
        Self::Integer(value)
    }
}
impl From<u64> for Param {
    fn from(value: u64) -> Self {
        Self::Integer(i64::try_from(value).unwrap_or(i64::MAX))
    }
}
impl From<u32> for Param {
    fn from(value: u32) -> Self {
        Self::Integer(i64::from(value))
    }
}
impl From<u8> for Param {
    fn from(value: u8) -> Self {
        Self::Integer(i64::from(value))
    }
}
impl From<bool> for Param {
    fn from(value: bool) -> Self {
        Self::Integer(i64::from(value))
    }
}
impl From<&str> for Param {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}
impl From<String> for Param {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}
impl<T: Into<Param>> From<Option<T>> for Param {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A SQL statement with numbered parameters (`?1`, `?2`, …).
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The SQL. It contains only literals from the source code, never input.
    pub sql: Cow<'static, str>,
    /// The values for `?1`, `?2`, …
    pub params: Vec<Param>,
    /// The bytes that the statement stores, for quotas.
    pub stored: Stored,
    /// The ordering key of deliveries. After the commit, a queue message starts them if the statement returned a row.
    pub delivers: Option<String>,
}

/// Bytes that a statement stores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// The bytes of the bound values and of a row's header, plus `more`.
    Bound {
        /// Additional bytes, for example for index entries, for a part that is never deleted, or for a file in the bucket.
        more: u64,
    },
    /// Exactly this number of bytes. Used for statements that replace stored bytes or store none.
    Exactly(u64),
}

impl Statement {
    /// Returns a statement without parameters.
    #[must_use]
    pub fn new(sql: &'static str) -> Self {
        Self::built(Cow::Borrowed(sql), Vec::new())
    }

    /// Returns a statement with SQL from a builder, and its parameters.
    pub(crate) fn built(sql: Cow<'static, str>, params: Vec<Param>) -> Self {
        Self {
            sql,
            params,
            stored: Stored::Bound { more: 0 },
            delivers: None,
        }
    }

    /// Declares that the statement stores `more` bytes in addition to its values.
    #[must_use]
    pub fn storing(self, more: u64) -> Self {
        Self {
            stored: Stored::Bound { more },
            ..self
        }
    }

    /// Declares how many bytes the statement stores, in place of counting its bound values.
    #[must_use]
    pub fn storing_exactly(self, bytes: u64) -> Self {
        Self {
            stored: Stored::Exactly(bytes),
            ..self
        }
    }

    /// Starts the deliveries under an ordering key after the commit, if the statement returned a row.
    #[must_use]
    pub fn delivering(self, ordering_key: &str) -> Self {
        Self {
            delivers: Some(ordering_key.to_owned()),
            ..self
        }
    }

    /// Binds the next parameter.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Param>) -> Self {
        self.params.push(value.into());
        self
    }

    /// Binds a list as one JSON parameter, which the SQL reads with `json_each`. D1 allows at most 100 parameters for each statement.
    ///
    /// # Errors
    /// If a value cannot be written as JSON. All types of this crate can.
    pub fn bind_json(self, value: &impl Serialize) -> Result<Self, DatabaseError> {
        let text = serde_json::to_string(value)
            .map_err(|error| DatabaseError::Bug(format!("a parameter is not JSON: {error}")))?;
        Ok(self.bind(text))
    }

    /// Checks that the database can store every parameter without loss.
    ///
    /// # Errors
    /// If a whole number is outside ±[`INTEGER_MAX`].
    pub fn carried(&self) -> Result<(), DatabaseError> {
        let beyond = |param: &Param| match param {
            Param::Integer(number) if number.unsigned_abs() > INTEGER_MAX => Some(*number),
            _ => None,
        };
        match self.params.iter().find_map(beyond) {
            None => Ok(()),
            Some(number) => Err(DatabaseError::Bug(format!(
                "{number} cannot be bound: it is outside ±(2^53 − 1)"
            ))),
        }
    }
}

/// The rows that a statement returned.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// A JSON object for each row.
    pub list: Vec<serde_json::Value>,
    /// The first table of the statement, for errors.
    table: String,
}

impl Rows {
    /// Creates rows from the values that a host has read. An integer outside ±[`INTEGER_MAX`] has already lost digits,
    /// so a string replaces it. Reading this string as a number then fails, but other rows can still be read.
    #[must_use]
    pub fn carried(mut rows: Vec<serde_json::Value>, sql: &str) -> Self {
        let cells = rows.iter_mut().filter_map(serde_json::Value::as_object_mut);
        for cell in cells.flat_map(serde_json::Map::values_mut) {
            if let Some(number) = cell.as_number().filter(|number| is_beyond(number)) {
                *cell = serde_json::Value::String(format!("{number}, outside ±(2^53 − 1)"));
            }
        }
        Self {
            list: rows,
            table: first_table(sql).to_owned(),
        }
    }

    /// Returns every row as `T`.
    ///
    /// # Errors
    /// [`DatabaseError::Corrupt`] if a row does not have this shape.
    pub fn all<T: DeserializeOwned>(self) -> Result<Vec<T>, DatabaseError> {
        self.each().map(|(_, row)| row).collect()
    }

    /// Returns a pair for each row: the row's key, and the row as `T`. The key is empty if the row has none.
    pub(crate) fn each<T: DeserializeOwned>(
        self,
    ) -> impl Iterator<Item = (String, Result<T, DatabaseError>)> {
        let Self { list, table } = self;
        list.into_iter().map(move |row| {
            let key = key_of(&row);
            let row = json::from_value(row)
                .map_err(|error| DatabaseError::corrupt(table.clone(), key.as_str(), error));
            (key, row)
        })
    }

    /// Returns the first row as `T`, if there is one.
    ///
    /// # Errors
    /// As [`Rows::all`].
    pub fn first<T: DeserializeOwned>(mut self) -> Result<Option<T>, DatabaseError> {
        self.list.truncate(1);
        Ok(self.all()?.pop())
    }

    /// Returns the number in the column `total` of the first row, or 0 without a row.
    ///
    /// # Errors
    /// As [`Rows::all`].
    pub fn total(self) -> Result<u32, DatabaseError> {
        #[derive(Deserialize)]
        struct Row {
            total: u32,
        }
        Ok(self.first::<Row>()?.map_or(0, |row| row.total))
    }

    /// Returns true if there is no row.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// Returns the first table that a statement names, or an empty string.
fn first_table(sql: &str) -> &str {
    let mut words = sql.split([' ', '(', ')', ',']);
    while let Some(word) = words.next() {
        if matches!(word, "FROM" | "JOIN" | "INTO" | "UPDATE")
            && let Some(table) = words.next()
            && !matches!(table, "" | "SELECT" | "json_each")
        {
            return table;
        }
    }
    ""
}

/// Returns the value of the first column that can be the row's key, or an empty string.
fn key_of(row: &serde_json::Value) -> String {
    ["ref", "id", "account_id", "key"]
        .into_iter()
        .find_map(|column| row.get(column)?.as_str())
        .unwrap_or_default()
        .to_owned()
}

/// Returns true if a number is whole and outside ±[`INTEGER_MAX`].
fn is_beyond(number: &serde_json::Number) -> bool {
    /// [`INTEGER_MAX`] as a double.
    const MAX: f64 = 9_007_199_254_740_991.0;
    number
        .as_f64()
        .is_some_and(|number| number.abs() > MAX && number.fract() == 0.0)
}

/// The kind of a fault of the service, as log lines show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Fault {
    Unavailable,
    Corrupt,
    Bug,
}

/// The reason why a batch failed, or why its rows cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DatabaseError {
    /// A guard failed: the data that the batch is based on has changed.
    Guard,
    /// A unique constraint was violated. The string names table and column (`records.hash`).
    Unique(String),
    /// The daily quota that unfunded accounts share is used up.
    SharedQuota,
    /// The daily quota of a funded account is used up.
    AccountQuota,
    /// The database did not answer, or refused for a reason of its own. A retry can succeed.
    Unavailable(String),
    /// A stored row has a form that this code never writes. Retrying cannot help; an operator has to look at the row.
    Corrupt {
        /// The table. Empty if it is not known.
        table: Cow<'static, str>,
        /// The row's key. Empty if it is not known.
        key: String,
        /// The reason why the row cannot be read.
        why: String,
    },
    /// The service has a bug. Retrying cannot help.
    Bug(String),
}

impl DatabaseError {
    /// Returns true if a concurrent change made the batch fail, so a new decision can succeed. The loss of an
    /// idempotency key's lease does not count as such a change.
    #[must_use]
    pub fn is_conflict(&self) -> bool {
        match self {
            Self::Guard => true,
            Self::Unique(what) => !what.starts_with("idempotency_keys."),
            Self::SharedQuota
            | Self::AccountQuota
            | Self::Unavailable(_)
            | Self::Corrupt { .. }
            | Self::Bug(_) => false,
        }
    }

    /// Returns the error for a stored row that cannot be read.
    pub(crate) fn corrupt(
        table: impl Into<Cow<'static, str>>,
        key: impl Into<String>,
        why: impl std::fmt::Display,
    ) -> Self {
        Self::Corrupt {
            table: table.into(),
            key: key.into(),
            why: why.to_string(),
        }
    }

    /// Returns the kind of fault, for alerts. `None` for conflicts and used-up quotas, which are not faults.
    pub(crate) fn fault(&self) -> Option<Fault> {
        match self {
            Self::Unavailable(_) => Some(Fault::Unavailable),
            Self::Corrupt { .. } => Some(Fault::Corrupt),
            Self::Bug(_) => Some(Fault::Bug),
            Self::Guard | Self::Unique(_) | Self::SharedQuota | Self::AccountQuota => None,
        }
    }

    /// Returns true if doing the same work again later may succeed.
    pub(crate) fn is_retryable(&self) -> bool {
        !matches!(self, Self::Corrupt { .. } | Self::Bug(_))
    }

    /// Converts SQLite's message about a violated constraint. The host may add text before and after the message. An unknown message
    /// becomes [`DatabaseError::Unavailable`].
    #[must_use]
    pub fn from_constraint(message: &str) -> Self {
        if message.contains("guard_holds") {
            return Self::Guard;
        }
        if message.contains("quota_shared") {
            return Self::SharedQuota;
        }
        if message.contains("quota_of_account") {
            return Self::AccountQuota;
        }
        match message.split_once("UNIQUE constraint failed: ") {
            Some((_, rest)) => Self::Unique(
                rest.split([',', ':', ' '])
                    .next()
                    .unwrap_or_default()
                    .to_owned(),
            ),
            None => Self::Unavailable(message.to_owned()),
        }
    }
}

impl std::fmt::Display for DatabaseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Guard => f.write_str("a guard of the batch did not hold"),
            Self::SharedQuota => f.write_str("the day's quota of unfunded accounts is used up"),
            Self::AccountQuota => f.write_str("the account's quota for the day is used up"),
            Self::Unique(what) => write!(f, "`{what}` is not unique"),
            Self::Unavailable(why) => write!(f, "the database did not answer: {why}"),
            Self::Corrupt { table, key, why } => {
                write!(f, "corrupt row `{key}` of `{table}`: {why}")
            }
            Self::Bug(why) => write!(f, "bug: {why}"),
        }
    }
}

/// The copies of the database that may answer the reads of a request. Writes always go to the primary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Copies {
    /// The primary, so every committed change is visible.
    Primary,
    /// Any copy. It may lack recent changes.
    Any,
    /// Any copy that has the changes up to a bookmark.
    Since(String),
}

/// A SQL database with SQLite's dialect.
#[async_trait(?Send)]
pub trait Database {
    /// Starts a session: from now on, the given copies answer this request's reads. Each read sees at least the state
    /// that the previous read saw. Without a session, the primary answers.
    fn start_session(&self, _copies: Copies) {}

    /// Returns the bookmark of the last state that this request's session saw. `None` if there is no session, or if it has no bookmark yet.
    fn bookmark(&self) -> Option<String> {
        None
    }

    /// Returns the size of the database in bytes, as the last batch found it. `None` if it is not known.
    fn bytes(&self) -> Option<u64> {
        None
    }

    /// Runs all statements in one transaction and one round trip: either all take effect or none.
    async fn batch(&self, statements: Vec<Statement>) -> Result<Vec<Rows>, DatabaseError>;

    /// Runs one statement.
    async fn query(&self, statement: Statement) -> Result<Rows, DatabaseError> {
        Ok(self
            .batch(vec![statement])
            .await?
            .into_iter()
            .next()
            .unwrap_or_default())
    }
}

/// Returns the results of a batch of `N` statements.
///
/// # Errors
/// If the host returned a different number of results.
pub fn exactly<const N: usize>(rows: Vec<Rows>) -> Result<[Rows; N], DatabaseError> {
    let count = rows.len();
    rows.try_into()
        .map_err(|_| DatabaseError::Bug(format!("{count} results instead of {N}")))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_corrupt_row_names_its_table_and_key() {
        #[derive(Debug, Deserialize)]
        struct Row {
            #[expect(dead_code, reason = "only its type counts")]
            status: u8,
        }
        let error = |row: serde_json::Value, sql: &str| {
            Rows::carried(vec![row], sql).first::<Row>().unwrap_err()
        };
        let row = json!({ "ref": "r1", "status": "new" });
        for sql in [
            "SELECT ref, status FROM records r WHERE r.ref = ?1",
            "SELECT ref, status FROM (SELECT * FROM records LIMIT 9) WHERE status = 1",
            "UPDATE records SET status = 1 RETURNING ref, status",
            "SELECT r.ref, r.status FROM json_each(?1) k JOIN records r ON r.ref = k.value",
        ] {
            match error(row.clone(), sql) {
                DatabaseError::Corrupt { table, key, .. } => {
                    assert_eq!((table.as_ref(), key.as_str()), ("records", "r1"), "{sql}");
                }
                other => panic!("{other}"),
            }
        }
        let unnamed = error(json!({}), "SELECT 1 AS one").to_string();
        assert!(unnamed.starts_with("corrupt row `` of ``: "), "{unnamed}");
    }
}
