//! Finds contradictions between reports.

use std::collections::BTreeMap;

use cert_core::aih2::Report;
use cert_core::{Path, PathStep, Value};

/// A report's statement about one place.
#[derive(PartialEq)]
enum Said<'r> {
    Leaf(&'r Value),
    Absent,
    Object,
    List(u64, Option<u64>),
}

fn said(report: &Report) -> BTreeMap<&Path, Said<'_>> {
    let leaves = report
        .entries
        .iter()
        .map(|entry| (&entry.path, Said::Leaf(&entry.value)));
    let absent = report.absent.iter().map(|path| (path, Said::Absent));
    let objects = report
        .objects
        .iter()
        .map(|object| (&object.path, Said::Object));
    let list = |list: &'_ cert_core::aih2::ListFinding| Said::List(list.at_most, list.length);
    let lists = report.lists.iter().map(|found| (&found.path, list(found)));
    let all: Vec<_> = leaves.chain(absent).chain(objects).chain(lists).collect();
    let count = all.len();
    let said: BTreeMap<_, _> = all.into_iter().collect();
    assert_eq!(
        said.len(),
        count,
        "a report has two statements about one place"
    );
    said
}

/// Returns true if both statements about a place can be true.
fn agree(one: &Said<'_>, other: &Said<'_>) -> bool {
    match (one, other) {
        (Said::List(most, length), Said::List(other_most, other_length)) => {
            let fits =
                |length: &Option<u64>, most: &u64| length.is_none_or(|length| length <= *most);
            let same = length.is_none() || other_length.is_none() || length == other_length;
            same && fits(length, other_most) && fits(other_length, most)
        }
        (one, other) => one == other,
    }
}

/// Returns the first place where the second report contradicts the first.
pub(crate) fn contradiction(one: &Report, other: &Report) -> Option<Path> {
    let (one, other) = (said(one), said(other));
    let differs = |(path, said): (&&Path, &Said<'_>)| {
        let here = one.get(*path).is_some_and(|before| !agree(before, said));
        let above = (0..path.steps().len()).any(|count| {
            let above = Path::from(path.steps()[..count].to_vec());
            match (one.get(&above), &path.steps()[count]) {
                (None, _) => false,
                (Some(Said::Object), PathStep::Key(_)) => false,
                (Some(Said::List(most, _)), PathStep::Index(at)) => *at as u64 >= *most,
                _ => true,
            }
        });
        (here || above).then(|| (*path).clone())
    };
    other.iter().find_map(differs)
}
