//! Pages of lists (`docs/interface.md`, "Conventions").

use serde::Serialize;

use super::{Handled, Parameter, Parameters, Query, cursor, parameter, with_meta};
use crate::api::PageMeta;
use crate::db::{Page, Sort, TOTAL_MAX};
use crate::failure::{Problem, invalid, not_a_cursor};

/// Default number of items on a page (`docs/interface.md`, "Limits").
const LIMIT_DEFAULT: u32 = 25;
/// Maximum number of items on a page. A larger `limit` is reduced to this number.
const LIMIT_MAX: u32 = 100;
/// Maximum number of items to skip. The database reads each skipped item, while a cursor goes to its position directly.
const SKIP_MAX: u32 = 10_000;
impl Page {
    /// Returns the answer of a list, given the fetched rows and the total up to one above `TOTAL_MAX`. `key` returns an item's
    /// sort key, and `view` returns the item as the answer shows it.
    pub(crate) fn answer<T, A: Serialize>(
        &self,
        (mut items, total): (Vec<T>, u32),
        key: impl Fn(&T) -> String,
        view: impl Fn(&T) -> A,
    ) -> Handled {
        let meta = self.finish(&mut items, total, false, key);
        with_meta(items.iter().map(view).collect::<Vec<_>>(), meta)
    }

    /// Like [`Page::answer`], for a list whose answer shows the rows unchanged.
    pub(crate) fn answer_rows<T: Serialize>(
        &self,
        (mut items, total): (Vec<T>, u32),
        key: impl Fn(&T) -> String,
    ) -> Handled {
        let meta = self.finish(&mut items, total, false, key);
        with_meta(items, meta)
    }

    /// Removes the first row of the next page, if there is one, and returns the page's `meta`. `exact` is true if `total` is exact
    /// even above `TOTAL_MAX`.
    pub(crate) fn finish<T>(
        &self,
        items: &mut Vec<T>,
        total: u32,
        exact: bool,
        key: impl Fn(&T) -> String,
    ) -> PageMeta {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let more = items.len() > limit;
        items.truncate(limit);
        PageMeta {
            skip: self.skip,
            limit: self.limit,
            total: if exact { total } else { total.min(TOTAL_MAX) },
            total_is_minimum: !exact && total > TOTAL_MAX,
            next: items
                .last()
                .filter(|_| more)
                .map(|last| cursor::write(&self.path, &key(last))),
        }
    }

    /// Completes `meta` for a list whose filter scanned only a part of the rows. If `meta` has no cursor yet, the next
    /// page starts where the scan ended.
    pub(crate) fn continue_after_scan(
        &self,
        mut meta: PageMeta,
        end: Option<String>,
        counted_all: bool,
    ) -> PageMeta {
        let end = end.map(|key| cursor::write(&self.path, &key));
        meta.next = meta.next.or(end);
        meta.total_is_minimum |= !counted_all;
        meta
    }
}

impl Parameters for Page {
    const OWN: &'static [Parameter] = &[
        parameter!(
            "skip",
            "The number of items to skip. To go further, use `after`.",
            schema { "type": "integer", "minimum": 0, "maximum": SKIP_MAX, "default": 0 }
        ),
        parameter!(
            "limit",
            "The maximum number of items. Values above 100 are reduced to 100.",
            schema { "type": "integer", "minimum": 1, "maximum": u32::MAX, "default": LIMIT_DEFAULT }
        ),
        parameter!(
            "after",
            "`meta.next` of an earlier page of this list, unchanged. The page starts after the earlier page. A page far from the start costs no more than the first.",
            schema { "type": "string" }
        ),
        parameter!(
            "sort",
            "1: oldest first. 2: newest first.",
            schema { "type": "integer", "enum": [1, 2], "default": 2 }
        ),
    ];

    const IS_LIST: bool = true;

    fn read(query: &Query, errors: &mut Vec<Problem>) -> Self {
        let mut number = |name: &str, default: u32| match query.get(name).map(str::parse::<u32>) {
            None => default,
            Some(Ok(number)) => number,
            Some(Err(_)) => {
                errors.push(invalid(
                    name,
                    format!("`{name}` must be a whole number of 0 or more"),
                ));
                default
            }
        };
        let (skip, limit) = (number("skip", 0), number("limit", LIMIT_DEFAULT));
        if skip > SKIP_MAX {
            errors.push(invalid(
                "skip",
                format!(
                    "`skip` must be {SKIP_MAX} or less: to go further, set `after` to `meta.next` of the previous page"
                ),
            ));
        }
        if limit == 0 {
            errors.push(invalid("limit", "`limit` must be 1 or more".to_owned()));
        }
        let sort = match query.get("sort") {
            None | Some("2") => Sort::Descending,
            Some("1") => Sort::Ascending,
            Some(_) => {
                errors.push(invalid(
                    "sort",
                    "`sort` must be 1 (ascending) or 2 (descending)".to_owned(),
                ));
                Sort::Descending
            }
        };
        let after = query.get("after").and_then(|text| {
            let key = cursor::read(&query.path, text).map(str::to_owned);
            if key.is_none() {
                errors.push(not_a_cursor());
            }
            key
        });
        Self {
            skip,
            limit: limit.min(LIMIT_MAX),
            after,
            sort,
            path: query.path.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Query {
        Query::parse("/orders", text)
    }

    #[test]
    fn pages_have_defaults_bounds_and_errors() {
        let mut errors = vec![];
        let page = Page::read(&parsed(""), &mut errors);
        assert_eq!(
            (page.skip, page.limit, page.sort),
            (0, 25, Sort::Descending)
        );
        let page = Page::read(&parsed("skip=3&limit=500&sort=1"), &mut errors);
        assert_eq!(
            (page.skip, page.limit, page.sort),
            (3, 100, Sort::Ascending)
        );
        assert!(errors.is_empty());
        Page::read(&parsed("skip=-1&limit=0&sort=3"), &mut errors);
        assert_eq!(
            errors
                .iter()
                .map(|error| error.path.as_str())
                .collect::<Vec<_>>(),
            ["skip", "limit", "sort"]
        );
        for (skip, wrong) in [("10000", 0), ("10001", 1), ("4000000000", 1)] {
            let mut errors = vec![];
            Page::read(&parsed(&format!("skip={skip}")), &mut errors);
            assert_eq!(errors.len(), wrong, "{skip}");
            assert!(errors.iter().all(|error| error.path == "skip"
                && error.message.contains("`after`")
                && error.message.contains("10000")));
        }
    }

    #[test]
    fn a_page_has_a_cursor_if_another_page_follows() {
        let page = Page::read(&parsed("limit=2"), &mut vec![]);
        let mut items = vec![1, 2, 3];
        let meta = page.finish(&mut items, 10_001, false, ToString::to_string);
        assert_eq!(
            (
                items,
                meta.next.as_deref(),
                meta.total,
                meta.total_is_minimum
            ),
            (vec![1, 2], Some("2.467b81e0"), 10_000, true)
        );
        let meta = page.finish(&mut vec![4], 3, false, ToString::to_string);
        assert_eq!(
            (meta.next, meta.total, meta.total_is_minimum),
            (None, 3, false)
        );
    }
}
