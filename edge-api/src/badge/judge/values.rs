//! The values of the metadata, each with its status: proven, not proven, or not covered by the evidence.

use cert_core::{Path, PathStep};

use super::in_metadata;
use crate::api::{BadgeDetails, BadgeValue, ValueStatus};

/// Maximum number of values in a report. A path has about a thousand bytes at most, so 500 values take less than a megabyte.
const VALUES_MAX: usize = 500;

/// The first values in document order, and the number of further values.
#[derive(Debug, Default)]
pub(super) struct Values {
    listed: Vec<BadgeValue>,
    omitted: u64,
}

impl Values {
    pub(super) fn add(&mut self, path: &[PathStep], status: ValueStatus, reason: Option<&str>) {
        if self.listed.len() >= VALUES_MAX {
            self.omit(1);
            return;
        }
        self.listed.push(BadgeValue {
            path: in_metadata(&Path::from(path)),
            status,
            reason: reason.map(str::to_owned),
        });
    }

    /// Counts values that are not listed.
    pub(super) fn omit(&mut self, values: u64) {
        self.omitted = self.omitted.saturating_add(values);
    }

    pub(super) fn into_details(self) -> BadgeDetails {
        BadgeDetails {
            lists: Vec::new(),
            values: self.listed,
            omitted_values: self.omitted,
        }
    }
}
