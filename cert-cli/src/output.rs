//! Prints results to standard output, and notes for people to standard error.

use std::io::{self, IsTerminal as _, Write as _};

use cert_core::text::visible;
use cert_core::{ErrorCode, Omitted, Path, Report, Status, Value};

use crate::failure::{Failure, named};
use crate::path::shown;

/// The number of leading items whose positions are certain. AIH-1 orders items by their indexes as text (0, 1, 10, 2). In a
/// list whose end is not proven, the third shown item may be the eleventh item of the list.
const ORDERED: usize = 2;

/// The result of a verification.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) is_proven: bool,
    pub(crate) report: Value,
}

/// Prints a line to standard output. If the reader closed the pipe, as `head` does, the line is dropped. This is not a failure, so the
/// exit code still reports the verdict.
pub(crate) fn line(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written(writeln!(out, "{text}").and_then(|()| out.flush()))
}

fn written(outcome: io::Result<()>) -> Result<(), Failure> {
    match outcome {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(
            "output-failed",
            format_args!("standard output could not be written: {error}"),
        )),
        _ => Ok(()),
    }
}

/// Writes bytes to standard output. A closed pipe is no failure, as for [`line()`].
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    written(out.write_all(bytes).and_then(|()| out.flush()))
}

pub(crate) fn json(value: &Value, pretty: bool) -> Result<(), Failure> {
    if !pretty && !io::stdout().is_terminal() {
        return line(&value.to_json());
    }
    let mut text = String::new();
    indented(&mut text, value, 0);
    line(&text)
}

fn indented(out: &mut String, value: &Value, level: usize) {
    let inner = level.saturating_add(1);
    let start = |out: &mut String, first: bool, level: usize| {
        out.push_str(if first { "\n" } else { ",\n" });
        out.extend(std::iter::repeat_n("  ", level));
    };
    match value {
        Value::Object(object) if !object.is_empty() => {
            out.push('{');
            for (at, (key, value)) in object.iter().enumerate() {
                start(out, at == 0, inner);
                out.push_str(&Value::from(key).to_json());
                out.push_str(": ");
                indented(out, value, inner);
            }
            start(out, true, level);
            out.push('}');
        }
        Value::Array(array) if !array.is_empty() => {
            out.push('[');
            for (at, value) in array.iter().enumerate() {
                start(out, at == 0, inner);
                indented(out, value, inner);
            }
            start(out, true, level);
            out.push(']');
        }
        other => out.push_str(&other.to_json()),
    }
}

/// Prints a line for each value, incomplete list and reason of a report. The verdict comes last.
pub(crate) fn summary(report: &Report) {
    let mut lines = Vec::new();
    for entry in &report.entries {
        let what = match entry.status {
            Status::Proven => "proven",
            Status::NotProven => "not proven",
            Status::NotCovered => "not covered",
        };
        let why = entry
            .reason
            .map_or_else(String::new, |reason| format!(": {}", reason.message()));
        lines.push(format!("{what:<12} {}{why}", shown(&entry.path)));
    }
    for list in report.lists.iter().filter(|list| !list.complete) {
        let places = if list.length > ORDERED {
            "; if the list has more than ten items, the third and later shown items may have other positions"
        } else {
            ""
        };
        lines.push(format!(
            "{:<12} {}: there may be more items than are shown{places}",
            "list",
            shown(&list.path)
        ));
    }
    let Omitted {
        proven,
        not_proven,
        not_covered,
        lists,
    } = report.omitted;
    for (what, count) in [
        ("proven", proven),
        ("not proven", not_proven),
        ("not covered", not_covered),
        ("list", lists),
    ] {
        if count > 0 {
            lines.push(format!("{what:<12} … {count} more"));
        }
    }
    for reason in &report.reasons {
        let place = if reason.path.is_empty() {
            String::new()
        } else {
            format!(" (proof of `{}`)", shown(&reason.path))
        };
        lines.push(format!(
            "{:<12} {}{place}",
            "refused",
            reason.code.message()
        ));
    }
    let proven =
        "PROVEN: the imprint certifies every value of the document that the schema describes";
    lines.push(if report.valid { proven } else { NOT_PROVEN }.to_owned());
    for line in lines {
        print_note(&visible(&line));
    }
}

/// The verdict if not everything is proven.
pub(crate) const NOT_PROVEN: &str = "NOT PROVEN";

/// The maximum number of paths in a warning.
const NAMED: usize = 10;

/// Warns about values that the certificate does not cover, such as values under a misspelt key.
pub(crate) fn warn_of_uncovered(input: &str, paths: &[Path]) {
    let Some(list) = listed(paths) else {
        return;
    };
    let line = format!(
        "warning[{}]: {}: the schema does not describe these values, so they are not certified: {list} (with --strict this is an error)",
        ErrorCode::DataUncovered,
        named(input),
    );
    print_note(&visible(&line));
}

/// The effect on values of AIH-2 that can only be shown as a whole.
pub(crate) const ONLY_WHOLE: &str = "so they can only be shown as a whole";

/// Warns about values that cannot be split into parts, although the schema describes their parts. `effect` is the end of the sentence.
pub(crate) fn warn_of_whole(schema: &str, paths: &[Path], effect: &str) {
    let Some(list) = listed(paths) else {
        return;
    };
    let line = format!(
        "warning[{}]: {}: the schema describes these values by a keyword that certification does not read, such as `$ref` or `anyOf`, {effect}: {list}",
        ErrorCode::PathNotSeparable,
        named(schema),
    );
    print_note(&visible(&line));
}

/// Returns the first paths as text, or `None` if there are none.
fn listed(paths: &[Path]) -> Option<String> {
    let mut list: Vec<String> = paths.iter().take(NAMED).map(shown).collect();
    if paths.len() > NAMED {
        list.push("and more".to_owned());
    }
    (!list.is_empty()).then(|| list.join(", "))
}

/// Prints a line for people to standard error. If standard error is closed, the line is lost. The exit code still reports the verdict.
pub(crate) fn print_note(line: &str) {
    drop(writeln!(io::stderr(), "{line}"));
}
