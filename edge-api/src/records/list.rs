//! Lists of records. Every text of SQL here costs what the page costs, however many records an account has: a condition that
//! may be off would keep SQLite from using the index where it is on, so that there is a text for each.

use order_core::{Address, Status};
use serde_json::Value;

use super::store::{columns, records};
use super::{Kind, Record};
use crate::http::{Page, Sort, TOTAL_MAX};
use crate::ports::{Database, DatabaseError, Statement, exactly};
use crate::text::account_key;

/// What a list asks for.
pub(crate) struct Lookup {
    pub(crate) kind: Kind,
    pub(crate) account: Address,
    pub(crate) references: Option<Vec<String>>,
    pub(crate) statuses: Option<Vec<Status>>,
    pub(crate) page: Page,
}

/// The rows of account `?1` and kind `?2`.
macro_rules! own {
    () => {
        "record_parties p WHERE p.account_id = ?1 AND p.kind = ?2 "
    };
}

/// Those among the named ones, `?3` as JSON, that have one of the statuses `?4` as JSON, or any where that is null.
macro_rules! named {
    () => {
        "AND p.ref IN (SELECT value FROM json_each(?3)) \
         AND (?4 IS NULL OR p.status IN (SELECT value FROM json_each(?4))) "
    };
}

/// A page of the list `$which`, in one direction: behind the place `?5`, `?6` rows from the `?7`th on. References are
/// UUIDs: they are greater than the empty text, and less than `~`.
macro_rules! page {
    ($which:ident ascending) => {
        page!(@ $which, " > coalesce(?5, '') ", "ref LIMIT ")
    };
    ($which:ident descending) => {
        page!(@ $which, " < coalesce(?5, '~') ", "ref DESC LIMIT ")
    };
    (@ all, $behind:literal, $order:literal) => {
        concat!(
            "SELECT ", columns!(), " FROM records r JOIN ", own!(),
            "AND p.ref = r.ref AND ?3 IS NULL AND ?4 IS NULL AND p.ref", $behind, "ORDER BY p.", $order, "?6 OFFSET ?7"
        )
    };
    // Each status has its rows in order: of each, as many as the page could take are merged.
    (@ of_status, $behind:literal, $order:literal) => {
        concat!(
            "SELECT ", columns!(), " FROM json_each(?4) s CROSS JOIN records r ON r.ref IN (SELECT p.ref FROM ", own!(),
            "AND ?3 IS NULL AND p.status = s.value AND p.ref", $behind, "ORDER BY p.", $order, "?6 + ?7) ORDER BY r.",
            $order, "?6 OFFSET ?7"
        )
    };
    (@ named, $behind:literal, $order:literal) => {
        concat!(
            "SELECT ", columns!(), " FROM records r JOIN ", own!(), "AND p.ref = r.ref ", named!(),
            "AND p.ref", $behind, "ORDER BY p.", $order, "?6 OFFSET ?7"
        )
    };
}

/// How many there are, counted as far as `?5`.
macro_rules! counted {
    (all) => {
        counted!(@ concat!("FROM ", own!(), "AND ?3 IS NULL AND ?4 IS NULL"))
    };
    (of_status) => {
        counted!(@ concat!("FROM json_each(?4) s CROSS JOIN ", own!(), "AND ?3 IS NULL AND p.status = s.value"))
    };
    (named) => {
        counted!(@ concat!("FROM ", own!(), named!()))
    };
    (@ $rows:expr) => {
        concat!("SELECT count(*) AS total FROM (SELECT 1 ", $rows, " LIMIT ?5)")
    };
}

/// A page of the records that the account may list, one row more than it shows, and how many there are.
pub(crate) async fn list(
    db: &dyn Database,
    lookup: &Lookup,
) -> Result<(Vec<Record>, u32), DatabaseError> {
    let references = lookup.references.clone().map(Value::from);
    let statuses = lookup.statuses.as_ref().map(|statuses| {
        let mut numbers: Vec<u8> = statuses.iter().map(|status| status.number()).collect();
        numbers.sort_unstable();
        // Named twice, its rows would come twice.
        numbers.dedup();
        Value::from(numbers)
    });
    let (page, count) = match (lookup.page.sort, &references, &statuses) {
        (Sort::Ascending, None, None) => (page!(all ascending), counted!(all)),
        (Sort::Descending, None, None) => (page!(all descending), counted!(all)),
        (Sort::Ascending, None, Some(_)) => (page!(of_status ascending), counted!(of_status)),
        (Sort::Descending, None, Some(_)) => (page!(of_status descending), counted!(of_status)),
        (Sort::Ascending, Some(_), _) => (page!(named ascending), counted!(named)),
        (Sort::Descending, Some(_), _) => (page!(named descending), counted!(named)),
    };
    let bound = |sql: &'static str| {
        let json = |list: &Option<Value>| list.as_ref().map(Value::to_string);
        Statement::new(sql)
            .bind(account_key(&lookup.account))
            .bind(lookup.kind as u8)
            .bind(json(&references))
            .bind(json(&statuses))
    };
    let rows = bound(page)
        .bind(lookup.page.after.as_deref())
        .bind(lookup.page.fetch())
        .bind(lookup.page.skip);
    let total = bound(count).bind(TOTAL_MAX.saturating_add(1));
    let [rows, total] = exactly(db.batch(vec![rows, total]).await?)?;
    Ok((records(rows)?, total.total()?))
}
