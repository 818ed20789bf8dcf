//! Prints the progress of a task: one line when a step starts, and one line when the step ends.

use std::io::{IsTerminal, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};

/// Runs a step and prints its name, its result and its duration.
pub(crate) fn step<T>(name: &str, run: impl FnOnce() -> Result<T>) -> Result<T> {
    eprintln!("{} {name}", paint("36", "»"));
    let started = Instant::now();
    match run() {
        Ok(value) => {
            eprintln!("{} {name} {}", paint("32", "✓"), elapsed(started.elapsed()));
            Ok(value)
        }
        Err(error) => {
            eprintln!("{} {name} {}", paint("31", "✗"), elapsed(started.elapsed()));
            Err(error)
        }
    }
}

/// Prints a line.
pub(crate) fn note(text: &str) {
    eprintln!("{text}");
}

/// Prints an error and its causes, the outermost first.
pub(crate) fn error(error: &anyhow::Error) {
    eprintln!("{} {error}", paint("31;1", "error:"));
    for cause in error.chain().skip(1) {
        eprintln!("  because {cause}");
    }
}

pub(crate) fn elapsed(time: Duration) -> String {
    paint("2", &format!("{:.1} s", time.as_secs_f64()))
}

/// Prints the sizes of files, plain and gzipped, as a CDN or npm sends them. Returns the total gzipped size in bytes.
pub(crate) fn sizes(title: &str, files: &[&Path]) -> Result<usize> {
    eprintln!("  {title}");
    let (mut raw_sum, mut packed_sum) = (0_usize, 0_usize);
    for file in files {
        let bytes = std::fs::read(file).with_context(|| format!("reading `{}`", file.display()))?;
        let packed = gzipped(&bytes)?;
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        eprintln!(
            "    {name:<28} {:>10} bytes  {packed:>9} gzipped",
            bytes.len()
        );
        raw_sum = raw_sum.saturating_add(bytes.len());
        packed_sum = packed_sum.saturating_add(packed);
    }
    if files.len() > 1 {
        eprintln!(
            "    {:<28} {raw_sum:>10} bytes  {packed_sum:>9} gzipped",
            "together"
        );
    }
    Ok(packed_sum)
}

/// Returns the gzipped size in bytes.
pub(crate) fn gzipped(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

/// Colours `text` if standard error is a terminal and `NO_COLOR` is not set.
pub(crate) fn paint(code: &str, text: &str) -> String {
    let plain = !std::io::stderr().is_terminal() || std::env::var_os("NO_COLOR").is_some();
    if plain {
        text.to_owned()
    } else {
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }
}
