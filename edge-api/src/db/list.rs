//! Where a list's page starts, how long it is, and which part of time it is about.

use time::OffsetDateTime;

use crate::text::{day_of, reference_at};

/// Totals are exact up to this number, so that counting never costs more than reading it.
pub(crate) const TOTAL_MAX: u32 = 10_000;

/// Which way a list runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// Oldest first (1).
    Ascending,
    /// Newest first (2), and the default.
    Descending,
}

/// Where a page starts and how long it is.
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

/// The part of a list of references (UUIDv7) from which a page is taken; both ends lie outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// Behind this text.
    pub(crate) after: String,
    /// Before this one.
    pub(crate) before: String,
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

    /// Days that overlap the period: the first one, and the first behind the last.
    pub(crate) fn days(self) -> (u64, u64) {
        let (first, end) = self.milliseconds();
        let last = end.checked_sub(1).map(day_of);
        // A day ends at its last moment, which is later than any time of the day.
        (
            self.from.map_or(0, |_| day_of(first)),
            last.map_or(0, |day| day.saturating_add(1)),
        )
    }

    /// All references of the period.
    pub(crate) fn span(self) -> Span {
        let (first, end) = self.milliseconds();
        Span {
            after: reference_at(first),
            before: reference_at(end),
        }
    }
}

impl Span {
    /// What is left of it behind the place where the page starts.
    pub(crate) fn behind(&self, page: &Page) -> Self {
        let mut span = self.clone();
        match (&page.after, page.sort) {
            (Some(place), Sort::Ascending) if *place > span.after => span.after.clone_from(place),
            (Some(place), Sort::Descending) if *place < span.before => {
                span.before.clone_from(place);
            }
            _ => {}
        }
        span
    }
}
