//! Pages of lists: their start and length, and the period or range of keys that a list covers.

use time::OffsetDateTime;

use crate::ports::Param;
use crate::text::{day_of, reference_at};

/// The direction of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Oldest first; `sort=1`.
    Ascending,
    /// Newest first; `sort=2`, the default.
    Descending,
}

/// A page's start and length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Number of items to skip.
    pub(crate) skip: u32,
    /// Maximum number of items.
    pub(crate) limit: u32,
    /// The key in the cursor of an earlier answer. The page starts after it.
    pub(crate) after: Option<String>,
    /// The direction.
    pub(crate) sort: Sort,
    /// The list's path. A cursor is valid only for the list at this path.
    pub(crate) path: String,
}

impl Page {
    /// Returns the number of rows to fetch: one more than the page shows, to know if there is a next page.
    pub(crate) fn fetch(&self) -> u32 {
        self.limit.saturating_add(1)
    }
}

/// The period that a list covers: later than `fromDate`, and earlier than `toDate`. Both ends are optional.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Period {
    pub(crate) from: Option<OffsetDateTime>,
    pub(crate) to: Option<OffsetDateTime>,
}

/// Returns the first whole millisecond since 1970 at or after `time`. If `strictly` is true, returns the first whole
/// millisecond after `time`. Returns 0 for times before 1970.
fn next_ms(time: OffsetDateTime, strictly: bool) -> u64 {
    let nanoseconds = time.unix_timestamp_nanos();
    let mut milliseconds = nanoseconds.div_euclid(1_000_000);
    if strictly || nanoseconds.rem_euclid(1_000_000) > 0 {
        milliseconds = milliseconds.saturating_add(1);
    }
    u64::try_from(milliseconds).unwrap_or(0)
}

impl Period {
    /// Returns the first millisecond of the period, and the first millisecond after the period.
    pub(crate) fn milliseconds(self) -> (u64, u64) {
        (
            self.from.map_or(0, |from| next_ms(from, true)),
            self.to.map_or(u64::MAX, |to| next_ms(to, false)),
        )
    }

    /// Returns the bounds of the days that overlap the period.
    pub(crate) fn days(self) -> Bounds<u64> {
        let (first, end) = self.milliseconds();
        let first = self.from.map_or(0, |_| day_of(first));
        let last = end.checked_sub(1).map(day_of);
        Bounds {
            after: first.checked_sub(1),
            // The bound is exclusive, so it is the day after the period's last millisecond.
            before: Some(last.map_or(0, |day| day.saturating_add(1))),
        }
    }

    /// Returns the bounds of the references (UUIDv7) in the period.
    pub(crate) fn span(self) -> Bounds<String> {
        let (first, end) = self.milliseconds();
        Bounds {
            after: Some(reference_at(first)),
            before: Some(reference_at(end)),
        }
    }
}

/// A value of the columns that order a list.
pub(crate) trait Key: Ord + Clone {
    /// Returns a value for each column.
    fn params(&self) -> Vec<Param>;
}

impl Key for String {
    fn params(&self) -> Vec<Param> {
        vec![self.as_str().into()]
    }
}

impl Key for u64 {
    fn params(&self) -> Vec<Param> {
        vec![(*self).into()]
    }
}

impl Key for (u64, String) {
    fn params(&self) -> Vec<Param> {
        vec![self.0.into(), self.1.as_str().into()]
    }
}

/// The range of keys that a list covers. Both bounds are exclusive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds<K> {
    pub(crate) after: Option<K>,
    pub(crate) before: Option<K>,
}

impl<K: Key> Bounds<K> {
    /// Returns the bounds of the whole list.
    pub(crate) fn all() -> Self {
        Self {
            after: None,
            before: None,
        }
    }

    /// Returns the part of the range that follows a cursor in this direction. Returns the whole range if there is no cursor.
    pub(crate) fn behind(&self, cursor: Option<&K>, sort: Sort) -> Self {
        let mut rest = self.clone();
        let Some(cursor) = cursor else {
            return rest;
        };
        match sort {
            Sort::Ascending => rest.after = rest.after.max(Some(cursor.clone())),
            Sort::Descending => {
                let before = rest.before.into_iter().chain([cursor.clone()]);
                rest.before = before.min();
            }
        }
        rest
    }
}
