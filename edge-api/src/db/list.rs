//! The SQL of lists: the statements for a page and for the total.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::page::{Bounds, Key, Page, Sort};
use super::sql::Values;
use crate::ports::{Database, DatabaseError, Param, Statement, exactly};

/// The highest total that is exact. This limit bounds the number of rows that counting reads.
pub(crate) const TOTAL_MAX: u32 = 10_000;

/// Maximum number of rows that a page reads if a filter has no index. If these rows do not fill the page, the next page continues
/// after them. An index would avoid this limit, but each inserted row would then cost one more write.
const SCAN_LIMIT: u32 = 10_000;

/// A list that is sorted by a key. Its SQL is built from constant strings, and contains only the conditions in use. A condition
/// such as `?1 IS NULL OR …` would keep SQLite from using the index.
pub(crate) struct List<K> {
    columns: &'static str,
    rows: &'static str,
    key: &'static [&'static str],
    bounds: Bounds<K>,
    conditions: Vec<String>,
    /// Conditions without an index.
    filters: Vec<String>,
    params: Vec<Param>,
}

impl<K: Key> List<K> {
    /// Creates a list: `SELECT columns FROM rows`, in the order of `key`.
    pub(crate) fn new(
        columns: &'static str,
        rows: &'static str,
        key: &'static [&'static str],
    ) -> Self {
        Self {
            columns,
            rows,
            key,
            bounds: Bounds::all(),
            conditions: Vec::new(),
            filters: Vec::new(),
            params: Vec::new(),
        }
    }

    /// Keeps only rows that meet a condition. `?` in the condition is replaced by the placeholder of the value.
    pub(crate) fn only(mut self, condition: &'static str, value: impl Into<Param>) -> Self {
        let condition = self.bound(condition, value.into());
        self.conditions.push(condition);
        self
    }

    /// Keeps only rows that meet a condition that has no parameter.
    pub(crate) fn always(mut self, condition: &'static str) -> Self {
        self.conditions.push(condition.to_owned());
        self
    }

    /// Like [`List::only`], for a list of values, which the condition gets as JSON. Keeps all rows if `values` is `None`.
    pub(crate) fn among(self, condition: &'static str, values: Option<Vec<String>>) -> Self {
        match values {
            Some(values) => self.only(condition, Value::from(values).to_string()),
            None => self,
        }
    }

    /// Keeps only rows whose keys are within the bounds.
    pub(crate) fn within(self, bounds: Bounds<K>) -> Self {
        Self { bounds, ..self }
    }

    /// Like [`List::only`], for a condition that no index supports. A page then reads only the first [`SCAN_LIMIT`] rows
    /// after the cursor.
    pub(crate) fn scanned(mut self, condition: &'static str, value: impl Into<Param>) -> Self {
        let condition = self.bound(condition, value.into());
        self.filters.push(condition);
        self
    }

    /// Returns true if rows are filtered without an index. A page may then have fewer items than its limit although the
    /// list continues.
    pub(crate) fn is_scanned(&self) -> bool {
        !self.filters.is_empty()
    }

    fn bound(&mut self, condition: &'static str, value: Param) -> String {
        self.params.push(value);
        condition.replace('?', &format!("?{}", self.params.len()))
    }

    /// Returns the statement that selects the rows of a page, and one row more if there is a next page.
    pub(crate) fn page(&self, page: &Page, cursor: Option<&K>) -> Statement {
        let order = self.order(page.sort);
        let rest = self.bounds.behind(cursor, page.sort);
        let columns = self.columns;
        let mut sql = self.select(columns, &rest);
        if self.is_scanned() {
            sql.text += &format!("{order} LIMIT {SCAN_LIMIT}");
            let filters = self.filters.join(" AND ");
            sql.text = format!("SELECT {columns} FROM ({}) WHERE {filters}", sql.text);
        }
        let (limit, skip) = (sql.bind(page.fetch()), sql.bind(page.skip));
        sql.text += &format!("{order} LIMIT {limit} OFFSET {skip}");
        sql.statement()
    }

    /// Returns the statement that selects, as `last`, the key of the last row that a page may read ([`SCAN_LIMIT`]). Selects
    /// nothing if the list ends before this row.
    pub(crate) fn scan_end(&self, page: &Page, cursor: Option<&K>) -> Statement {
        let rest = self.bounds.behind(cursor, page.sort);
        let mut sql = self.select(&format!("{} AS last", self.key.join(", ")), &rest);
        let order = self.order(page.sort);
        sql.text += &format!("{order} LIMIT 1 OFFSET {SCAN_LIMIT} - 1");
        sql.statement()
    }

    /// Returns the statement that counts the list's rows. `seen` is the number of rows that were read, at most [`TOTAL_MAX`] + 1.
    /// `total` is the number of these rows that pass the filters.
    pub(crate) fn total(&self) -> Statement {
        let (columns, order) = if self.is_scanned() {
            (self.columns, self.order(Sort::Descending))
        } else {
            ("1", String::new())
        };
        let mut sql = self.select(columns, &self.bounds);
        let limit = sql.bind(TOTAL_MAX.saturating_add(1));
        let total = if self.is_scanned() {
            format!("coalesce(sum({}), 0)", self.filters.join(" AND "))
        } else {
            "count(*)".to_owned()
        };
        sql.text = format!(
            "SELECT count(*) AS seen, {total} AS total FROM ({}{order} LIMIT {limit})",
            sql.text
        );
        sql.statement()
    }

    /// Fetches the page after a cursor, and the first row of the next page if there is one. Also fetches the total, up to one above
    /// [`TOTAL_MAX`], in the same round trip.
    pub(crate) async fn fetch_behind<T: DeserializeOwned>(
        &self,
        db: &dyn Database,
        page: &Page,
        cursor: Option<&K>,
    ) -> Result<(Vec<T>, u32), DatabaseError> {
        let statements = vec![self.page(page, cursor), self.total()];
        let [rows, total] = exactly(db.batch(statements).await?)?;
        Ok((rows.all()?, total.total()?))
    }

    fn order(&self, sort: Sort) -> String {
        match sort {
            Sort::Ascending => format!(" ORDER BY {}", self.key.join(", ")),
            Sort::Descending => format!(" ORDER BY {} DESC", self.key.join(" DESC, ")),
        }
    }

    /// Returns the SQL that selects columns of the rows that are within the bounds and meet the conditions.
    fn select(&self, columns: &str, bounds: &Bounds<K>) -> Sql {
        let mut sql = Sql {
            text: format!("SELECT {columns} FROM {}", self.rows),
            values: self.params.clone().into(),
        };
        let mut conditions = self.conditions.clone();
        let key = self.key.join(", ");
        for (bound, comparison) in [(&bounds.after, '>'), (&bounds.before, '<')] {
            let Some(bound) = bound else { continue };
            let values: Vec<String> = bound
                .params()
                .into_iter()
                .map(|value| sql.bind(value))
                .collect();
            conditions.push(format!("({key}) {comparison} ({})", values.join(", ")));
        }
        for (index, condition) in conditions.iter().enumerate() {
            sql.text += if index == 0 { " WHERE " } else { " AND " };
            sql.text += condition;
        }
        sql
    }
}

/// A statement under construction.
struct Sql {
    text: String,
    values: Values,
}

impl Sql {
    fn bind(&mut self, value: impl Into<Param>) -> String {
        self.values.bind(value)
    }

    fn statement(self) -> Statement {
        self.values.statement(self.text)
    }
}

impl List<String> {
    /// Like [`List::fetch_behind`], for a list whose key is the text in the cursor.
    pub(crate) async fn fetch<T: DeserializeOwned>(
        &self,
        db: &dyn Database,
        page: &Page,
    ) -> Result<(Vec<T>, u32), DatabaseError> {
        self.fetch_behind(db, page, page.after.as_ref()).await
    }
}
