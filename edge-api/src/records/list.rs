//! Lists of records. The cost of a page does not grow with the number of the account's records. Different kinds of
//! filters have different statements, because SQLite cannot use the index for an optional condition.
//! See `docs/decisions/0028-lists.md`.

use order_core::{Address, RequestKind, Status};
use serde_json::{Value, json};

use super::store::{columns, each};
use super::{Record, Role};
use crate::context::Context;
use crate::db::{Page, Sort, TOTAL_MAX};
use crate::ports::{DatabaseError, Level, Statement, exactly};
use crate::text::account_key;

/// A query for a list of records.
pub(crate) struct Lookup {
    pub(crate) kind: RequestKind,
    pub(crate) account: Address,
    pub(crate) references: Option<Vec<String>>,
    pub(crate) statuses: Option<Vec<Status>>,
    pub(crate) roles: Option<Vec<Role>>,
    pub(crate) page: Page,
}

impl Lookup {
    /// Returns the roles to list. If neither roles nor references are given, the role `Invited` is left out, because any account
    /// can invite any other account to sign.
    fn roles(&self) -> &[Role] {
        match (&self.roles, &self.references) {
            (Some(roles), _) => roles,
            (None, Some(_)) => &Role::ALL,
            (None, None) => &[Role::Creator, Role::Signer],
        }
    }
}

/// An entry of a list. The record is `None` if it cannot be read.
#[derive(Debug)]
pub(crate) struct Listed {
    pub(crate) reference: String,
    pub(crate) record: Option<Record>,
}

/// SQL after `FROM`: the rows of account `?1` and kind `?2` in `record_parties`, under the alias `$name`.
macro_rules! own {
    ($name:literal) => {
        concat!(
            "record_parties ",
            $name,
            " WHERE ",
            $name,
            ".account_id = ?1 AND ",
            $name,
            ".kind = ?2 "
        )
    };
}

/// SQL that filters by the references `?5`, the roles `?3` and the statuses `?4`, all JSON lists. A null `?4` allows any status.
/// The `+` signs keep SQLite from scanning all rows of a role or status.
macro_rules! named {
    () => {
        "AND p.ref IN (SELECT value FROM json_each(?5)) AND +p.role IN (SELECT value FROM json_each(?3)) \
         AND (?4 IS NULL OR +p.status IN (SELECT value FROM json_each(?4))) "
    };
}

/// SQL that selects a page of the list `$which` in one direction: skips `?8` rows after the reference `?6`, and selects the next
/// `?7` rows. If `?6` is null, the page starts at an end of the list: every reference is a UUID, which is greater than the
/// empty string and less than `~`.
macro_rules! page {
    ($which:ident ascending) => {
        page!(@ $which, " > coalesce(?6, '') ", "ref LIMIT ")
    };
    ($which:ident descending) => {
        page!(@ $which, " < coalesce(?6, '~') ", "ref DESC LIMIT ")
    };
    // The index orders the rows of each role, and of each status within a role. The statement takes a page of rows from
    // each of these groups, and merges them.
    (@ all, $behind:literal, $order:literal) => {
        page!(@ merged, "json_each(?3) o", "q.role = o.value AND ?4 IS NULL", $behind, $order)
    };
    (@ of_status, $behind:literal, $order:literal) => {
        page!(
            @ merged, "json_each(?3) o CROSS JOIN json_each(?4) s", "q.role = o.value AND q.status = s.value", $behind, $order
        )
    };
    (@ named, $behind:literal, $order:literal) => {
        concat!(
            "SELECT ", columns!(), " FROM ", "records r JOIN ", own!("p"), "AND p.ref = r.ref ", named!(),
            "AND p.ref", $behind, "ORDER BY p.", $order, "?7 OFFSET ?8"
        )
    };
    (@ merged, $parts:literal, $part:literal, $behind:literal, $order:literal) => {
        concat!(
            "SELECT ", columns!(), " FROM (SELECT p.ref FROM ", $parts, " CROSS JOIN ", own!("p"),
            "AND p.ref IN (SELECT q.ref FROM ", own!("q"), "AND ", $part, " AND ?5 IS NULL AND q.ref", $behind,
            "ORDER BY q.", $order, "?7 + ?8) ORDER BY p.", $order, "?7 OFFSET ?8) page CROSS JOIN records r \
             ON r.ref = page.ref ORDER BY page.", $order, "?7"
        )
    };
}

/// SQL that counts the rows of the list, up to `?6`.
macro_rules! counted {
    (all) => {
        counted!(@ concat!("FROM json_each(?3) o CROSS JOIN ", own!("p"), "AND p.role = o.value AND ?4 IS NULL AND ?5 IS NULL"))
    };
    (of_status) => {
        counted!(@ concat!(
            "FROM json_each(?3) o CROSS JOIN json_each(?4) s CROSS JOIN ", own!("p"),
            "AND p.role = o.value AND p.status = s.value AND ?5 IS NULL"
        ))
    };
    (named) => {
        counted!(@ concat!("FROM ", own!("p"), named!()))
    };
    (@ $rows:expr) => {
        concat!("SELECT count(*) AS total FROM (SELECT 1 ", $rows, " LIMIT ?6)")
    };
}

/// Returns a JSON list of distinct numbers. A repeated number would repeat its rows.
fn numbers(list: impl Iterator<Item = u8>) -> String {
    let mut numbers: Vec<u8> = list.collect();
    numbers.sort_unstable();
    numbers.dedup();
    Value::from(numbers).to_string()
}

/// Returns a page of the records that the account may list, and the first record of the next page if there is one. Also returns
/// the total, up to one above `TOTAL_MAX`. If a record cannot be read, logs its error, and returns an entry without the record.
pub(crate) async fn list(
    ctx: &Context<'_>,
    lookup: &Lookup,
) -> Result<(Vec<Listed>, u32), DatabaseError> {
    let references = lookup.references.clone().map(Value::from);
    let statuses = lookup.statuses.as_ref();
    let statuses = statuses.map(|list| numbers(list.iter().map(|status| status.number())));
    let (page, count) = match (lookup.page.sort, &references, &statuses) {
        (Sort::Ascending, None, None) => (page!(all ascending), counted!(all)),
        (Sort::Descending, None, None) => (page!(all descending), counted!(all)),
        (Sort::Ascending, None, Some(_)) => (page!(of_status ascending), counted!(of_status)),
        (Sort::Descending, None, Some(_)) => (page!(of_status descending), counted!(of_status)),
        (Sort::Ascending, Some(_), _) => (page!(named ascending), counted!(named)),
        (Sort::Descending, Some(_), _) => (page!(named descending), counted!(named)),
    };
    let bound = |sql: &'static str| {
        Statement::new(sql)
            .bind(account_key(&lookup.account))
            .bind(lookup.kind as u8)
            .bind(numbers(lookup.roles().iter().map(|role| *role as u8)))
            .bind(statuses.as_deref())
            .bind(references.as_ref().map(Value::to_string))
    };
    let rows = bound(page)
        .bind(lookup.page.after.as_deref())
        .bind(lookup.page.fetch())
        .bind(lookup.page.skip);
    let total = bound(count).bind(TOTAL_MAX.saturating_add(1));
    let [rows, total] = exactly(ctx.db().batch(vec![rows, total]).await?)?;
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
