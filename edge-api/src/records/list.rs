//! Lists of records. The cost of a page does not grow with the number of the account's records. A statement contains only the
//! conditions in use, because SQLite cannot use the index for an optional condition. See `docs/decisions/0028-lists.md`.
//!
//! A filter of these lists is a field of [`Lookup`] and a condition in [`Lookup::rows`]. Statement and index must have these properties, or a
//! page reads all rows of the account:
//! - The columns of the index are the account, the filtered columns, `status`, and finally `ref`. A list merges the first rows of each combination of
//!   their values. An index of `record_parties` has `kind` and `role` too.
//! - Rows of `records` have no role, so the condition on `q.role` is left out. Their account is `creator_id`.
//! - With `filterIds`, SQLite must find the rows by `ref`. The condition is then `+q.creator_id = ?1`. Without the `+`, SQLite reads all rows
//!   with the filter's value. No test finds this.
//! - A partial index (`WHERE kind = 1`) needs the same literal in the statement. With a parameter, a plan may not use
//!   the index: `native/sqlite.rs` sets `SQLITE_DBCONFIG_ENABLE_QPSG`, so plans do not depend on parameters.
//! - A value inside the JSON of `body` needs an expression with the same text in index and statement. `json_extract` fails on malformed
//!   JSON, so the expression is `CASE WHEN json_valid(body) THEN json_extract(body, '$.x') END`.

use order_core::{Address, RequestKind, Status};
use serde_json::{Value, json};

use super::store::{COLUMNS, each};
use super::{Record, Role};
use crate::context::Context;
use crate::db::{Page, Sort, TOTAL_MAX};
use crate::ports::{DatabaseError, Level, Param, Statement, exactly};
use crate::text::account_key;

/// A query for a list of records.
pub(crate) struct Lookup {
    pub(crate) kind: RequestKind,
    pub(crate) account: Address,
    pub(crate) page: Page,
    pub(crate) references: Option<Vec<String>>,
    pub(crate) statuses: Option<Vec<Status>>,
    pub(crate) roles: Option<Vec<Role>>,
}

impl Lookup {
    /// Returns a query for all records of a kind that the account lists.
    pub(crate) fn new(kind: RequestKind, account: Address, page: Page) -> Self {
        Self {
            kind,
            account,
            page,
            references: None,
            statuses: None,
            roles: None,
        }
    }

    /// Returns the roles to list. If neither roles nor references are given, the role `Invited` is left out, because any account
    /// can invite any other account to sign.
    fn roles(&self) -> &[Role] {
        match (&self.roles, &self.references) {
            (Some(roles), _) => roles,
            (None, Some(_)) => &Role::ALL,
            (None, None) => &[Role::Creator, Role::Signer],
        }
    }

    /// Returns the rows of the list. An index of `record_parties` has the rows of each role and status in the order of the list. A filter
    /// by a column of `records` has rows `q` of `records` instead, from such an index.
    fn rows(&self) -> Rows {
        let parties = "record_parties q WHERE q.account_id = ?1 AND q.kind = ?2";
        let mut rows = Rows::new(parties, self);
        let roles = self.roles().iter().map(|role| *role as u8);
        rows.among("q.role", roles.collect());
        // The index has the rows of each status.
        let statuses = self.statuses.as_deref().unwrap_or(Status::ALL).iter();
        rows.among("q.status", statuses.map(|status| status.number()).collect());
        rows
    }
}

/// SQL for the rows of a list, with the values of its parameters. The first two parameters are the account and the kind.
#[derive(Clone)]
struct Rows {
    /// SQL after `FROM`: the rows `q` of one group, which an index has in the order of the list.
    group: String,
    /// SQL before `group`: the tables of the values that the groups have. Each combination of values is a group.
    values: String,
    /// True if the query names the records. They are then one group, because they are at most a hundred.
    is_named: bool,
    params: Vec<Param>,
}

impl Rows {
    /// Creates the rows from SQL after `FROM`. If the query has references, keeps only rows with these references.
    fn new(group: &str, lookup: &Lookup) -> Self {
        let account = account_key(&lookup.account);
        let mut rows = Self {
            group: group.to_owned(),
            values: String::new(),
            is_named: lookup.references.is_some(),
            params: vec![account.into(), (lookup.kind as u8).into()],
        };
        if let Some(references) = &lookup.references {
            let references = Value::from(references.clone()).to_string();
            rows.only("q.ref IN (SELECT value FROM json_each(?))", references);
        }
        rows
    }

    /// Adds a parameter and returns its placeholder.
    fn bind(&mut self, value: impl Into<Param>) -> String {
        self.params.push(value.into());
        format!("?{}", self.params.len())
    }

    /// Keeps only rows that meet a condition. `?` in the condition is replaced by the placeholder of the value.
    fn only(&mut self, condition: &str, value: impl Into<Param>) {
        let placeholder = self.bind(value);
        let condition = condition.replace('?', &placeholder);
        self.group += &format!(" AND {condition}");
    }

    /// Keeps only rows whose column has one of the numbers. The rows of each number are a group.
    fn among(&mut self, column: &str, mut numbers: Vec<u8>) {
        // A repeated number would repeat its rows.
        numbers.sort_unstable();
        numbers.dedup();
        let list = self.bind(Value::from(numbers).to_string());
        if self.is_named {
            // The `+` keeps SQLite from scanning all rows of a number.
            self.group += &format!(" AND +{column} IN (SELECT value FROM json_each({list}))");
        } else {
            let table = format!("v{}", self.params.len());
            self.values += &format!("json_each({list}) {table} CROSS JOIN ");
            self.group += &format!(" AND {column} = {table}.value");
        }
    }

    /// Returns the statement that selects the records of a page. It takes a page of rows from each group, and merges them.
    fn page(mut self, page: &Page) -> Statement {
        let (direction, behind) = match page.sort {
            Sort::Ascending => ("", "q.ref > ?"),
            Sort::Descending => (" DESC", "q.ref < ?"),
        };
        if let Some(after) = &page.after {
            self.only(behind, after.as_str());
        }
        let (limit, skip) = (self.bind(page.fetch()), self.bind(page.skip));
        let Self { group, values, .. } = &self;
        let sql = format!(
            "SELECT {COLUMNS} FROM (SELECT p.ref FROM {values}record_parties p WHERE p.account_id = ?1 AND p.kind = ?2 \
             AND p.ref IN (SELECT q.ref FROM {group} ORDER BY q.ref{direction} LIMIT {limit} + {skip}) \
             ORDER BY p.ref{direction} LIMIT {limit} OFFSET {skip}) page \
             CROSS JOIN records r ON r.ref = page.ref ORDER BY page.ref{direction}"
        );
        Statement::built(sql.into(), self.params)
    }

    /// Returns the statement that counts the rows, up to one above `TOTAL_MAX`.
    fn total(mut self) -> Statement {
        let limit = self.bind(TOTAL_MAX.saturating_add(1));
        let Self { group, values, .. } = &self;
        let sql =
            format!("SELECT count(*) AS total FROM (SELECT 1 FROM {values}{group} LIMIT {limit})");
        Statement::built(sql.into(), self.params)
    }
}

/// An entry of a list. The record is `None` if it cannot be read.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) reference: String,
    pub(crate) record: Option<Record>,
}

/// Returns a page of the records that the account may list, and the first record of the next page if there is one. Also returns
/// the total, up to one above `TOTAL_MAX`. If a record cannot be read, logs its error, and returns an entry without the record.
pub(crate) async fn list(
    ctx: &Context<'_>,
    lookup: &Lookup,
) -> Result<(Vec<Listed>, u32), DatabaseError> {
    let rows = lookup.rows();
    let statements = vec![rows.clone().page(&lookup.page), rows.total()];
    let [rows, total] = exactly(ctx.db().batch(statements).await?)?;
    let listed = each(rows).map(|(reference, record)| Listed {
        record: record
            .inspect_err(|error| {
                let why = error.to_string();
                ctx.log(
                    Level::Error,
                    json!({ "event": "record.unreadable", "ref": reference, "why": why }),
                );
            })
            .ok(),
        reference,
    });
    Ok((listed.collect(), total.total()?))
}
