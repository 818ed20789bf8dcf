//! Prints a report of AIH-2 for people.

use cert_core::CertError;
use cert_core::aih2::{Omitted, Report};
use cert_core::text::visible;

use crate::output::{NOT_PROVEN, print_note};
use crate::path::shown;

/// Prints a line for each proven value, absent property, list and error. The verdict comes last.
pub(crate) fn summary(report: &Report) {
    let mut lines = Vec::new();
    let mut line = |what: &str, about: String| lines.push(format!("{what:<12} {about}"));
    for entry in &report.entries {
        line("proven", shown(&entry.path));
    }
    for path in &report.absent {
        line("absent", format!("{}: proven to be absent", shown(path)));
    }
    for list in &report.lists {
        line("list", format!("{}: {list}", shown(&list.path)));
    }
    for problem in &report.errors {
        let place = if problem.path.is_empty() {
            String::new()
        } else {
            format!("{}: ", shown(&problem.path))
        };
        let reason = problem.message();
        line(
            "refused",
            format!("{place}{reason} ({})", problem.code.as_str()),
        );
    }
    let Omitted {
        errors,
        entries,
        absent,
        objects: _,
        lists,
        shown: _,
    } = report.omitted;
    for (what, count) in [
        ("proven", entries),
        ("absent", absent),
        ("list", lists),
        ("refused", errors),
    ] {
        if count > 0 {
            line(what, format!("… {count} more"));
        }
    }
    let proven = "PROVEN: the imprint certifies everything that is shown";
    lines.push(if report.valid { proven } else { NOT_PROVEN }.to_owned());
    for line in lines {
        print_note(&visible(&line));
    }
}

/// Prints the reason why no imprint can be computed from evidence.
pub(crate) fn refused(error: &CertError) {
    print_note(&visible(&format!(
        "{:<12} {error} ({})",
        "refused",
        error.code().as_str()
    )));
}
