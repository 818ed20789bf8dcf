//! Pages of lists: where one starts, how long it is, and which part of time or of a key it is about.

use time::OffsetDateTime;

use crate::ports::Param;
use crate::text::{day_of, reference_at};

/// The direction of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Oldest first (1).
    Ascending,
    /// Newest first (2), and the default.
    Descending,
}

/// A page's start and length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Page {
    /// Items passed over.
    pub(crate) skip: u32,
    /// Items at most.
    pub(crate) limit: u32,
    /// The place of an earlier answer's cursor: the page starts behind it.
    pub(crate) after: Option<String>,
    /// The direction.
    pub(crate) sort: Sort,
    /// The list's path, to which its cursors belong.
    pub(crate) path: String,
}

impl Page {
    /// Rows to ask for: one more than the page shows tells whether there is a next one.
    pub(crate) fn fetch(&self) -> u32 {
        self.limit.saturating_add(1)
    }
}

/// The part of time that a list is about: later than `fromDate`, earlier than `toDate`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Period {
    pub(crate) from: Option<OffsetDateTime>,
    pub(crate) to: Option<OffsetDateTime>,
}

/// The first whole millisecond since 1970 after a time, or not before it.
fn next_ms(time: OffsetDateTime, strictly: bool) -> u64 {
    let nanoseconds = time.unix_timestamp_nanos();
    let mut milliseconds = nanoseconds.div_euclid(1_000_000);
    if strictly || nanoseconds.rem_euclid(1_000_000) > 0 {
        milliseconds = milliseconds.saturating_add(1);
    }
    u64::try_from(milliseconds).unwrap_or(0)
}

impl Period {
    /// Milliseconds: the first inside, and the first behind the end.
    pub(crate) fn milliseconds(self) -> (u64, u64) {
        (
            self.from.map_or(0, |from| next_ms(from, true)),
            self.to.map_or(u64::MAX, |to| next_ms(to, false)),
        )
    }

    /// Days that overlap the period.
    pub(crate) fn days(self) -> Bounds<u64> {
        let (first, end) = self.milliseconds();
        let first = self.from.map_or(0, |_| day_of(first));
        let last = end.checked_sub(1).map(day_of);
        Bounds {
            after: first.checked_sub(1),
            // A day ends at its last moment, which is later than any time of the day.
            before: Some(last.map_or(0, |day| day.saturating_add(1))),
        }
    }

    /// All references (UUIDv7) of the period.
    pub(crate) fn span(self) -> Bounds<String> {
        let (first, end) = self.milliseconds();
        Bounds {
            after: Some(reference_at(first)),
            before: Some(reference_at(end)),
        }
    }
}

/// A value of the columns that a list is ordered by.
pub(crate) trait Key: Ord + Clone {
    /// A value for each column.
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

/// The part of a list that is counted; both ends lie outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bounds<K> {
    pub(crate) after: Option<K>,
    pub(crate) before: Option<K>,
}

impl<K: Key> Bounds<K> {
    /// The whole list.
    pub(crate) fn all() -> Self {
        Self {
            after: None,
            before: None,
        }
    }

    /// The part that is left of it behind a cursor.
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
