//! Progress for people, on standard error: a bar on a terminal, a line every few seconds elsewhere.

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// The width of the bar, in characters.
const WIDTH: usize = 30;
/// The minimum time between two updates on a terminal.
const OFTEN: Duration = Duration::from_millis(100);
/// The minimum time between two updates elsewhere.
const SELDOM: Duration = Duration::from_secs(5);

/// The progress of one kind of work.
pub(crate) struct Progress {
    /// The words after the counts, such as `certified` or `MB certified`.
    done: &'static str,
    total: usize,
    is_terminal: bool,
    started: Instant,
    now: Mutex<(usize, Instant)>,
}

impl Progress {
    pub(crate) fn new(done: &'static str, total: usize) -> Self {
        let started = Instant::now();
        Self {
            done,
            total,
            is_terminal: io::stderr().is_terminal(),
            started,
            now: Mutex::new((0, started)),
        }
    }

    /// Adds finished work to the count, and shows the progress if an update is due.
    pub(crate) fn add(&self, count: usize) {
        let Ok(mut now) = self.now.lock() else {
            return;
        };
        now.0 = now.0.saturating_add(count);
        let pause = if self.is_terminal { OFTEN } else { SELDOM };
        if now.1.elapsed() >= pause {
            now.1 = Instant::now();
            self.show(now.0);
        }
    }

    /// Ends the bar and returns the time that the work took.
    pub(crate) fn end(self) -> Duration {
        if self.is_terminal {
            let count = self.now.lock().map(|now| now.0).unwrap_or_default();
            self.show(count);
            drop(writeln!(io::stderr()));
        }
        self.started.elapsed()
    }

    fn show(&self, count: usize) {
        let text = format!(
            "{} of {} {}",
            grouped(count),
            grouped(self.total),
            self.done
        );
        let mut out = io::stderr().lock();
        let shown = if self.is_terminal {
            let full = count
                .saturating_mul(WIDTH)
                .checked_div(self.total)
                .unwrap_or(WIDTH)
                .min(WIDTH);
            let rest = WIDTH.saturating_sub(full);
            write!(
                out,
                "\r[{}{}] {text}\u{1b}[K",
                "#".repeat(full),
                " ".repeat(rest)
            )
            .and_then(|()| out.flush())
        } else {
            writeln!(out, "{text}")
        };
        drop(shown);
    }
}

/// Formats a number with commas between groups of three digits.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && digits.len().saturating_sub(index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_separated() {
        let texts = [0, 999, 1_000, 10_000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "999", "1,000", "10,000", "1,234,567"]);
    }
}
