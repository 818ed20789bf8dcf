//! Metrics in the text format of Prometheus: counters of this isolate and of all isolates, and measures of the stored work.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::{Display, Write};

use super::measures::{self, Measures, SharedQuota};
use crate::answers::{BOUNDS, Tally, Unsaved};
use crate::context::Context;
use crate::ports::DatabaseError;

/// A route's method and pattern, and the status of its answers. The table of routes bounds the number of these keys.
type Key = (&'static str, &'static str, u16);

/// Counters of the answers of one isolate. They start at zero in each isolate.
#[derive(Default)]
pub(crate) struct Traffic {
    /// The time of the first answer, on the host's clock.
    since: Cell<Option<u64>>,
    answers: RefCell<BTreeMap<Key, Answers>>,
    /// Answers that are not in the database yet.
    pub(crate) unsaved: Unsaved,
}

#[derive(Clone, Copy, Default)]
struct Answers {
    count: u64,
    milliseconds: u64,
}

impl Traffic {
    /// Counts an answer of a route.
    pub(crate) fn count(&self, key: Key, milliseconds: u64, now: u64) {
        self.since.set(self.since.get().or(Some(now)));
        let mut answers = self.answers.borrow_mut();
        let entry = answers.entry(key).or_default();
        entry.count = entry.count.saturating_add(1);
        entry.milliseconds = entry.milliseconds.saturating_add(milliseconds);
        let (_, _, status) = key;
        self.unsaved.count(status, milliseconds);
    }

    /// Counts answers that the host gave in place of the service, because the program aborted.
    pub(crate) fn count_aborted(&self, answers: u32, now: u64) {
        for _ in 0..answers {
            self.count(("", "", 500), 0, now);
        }
    }
}

/// Returns the metrics. If the database does not answer, they contain only `database_up` and the isolate's counters.
///
/// # Errors
/// Errors of the database, except [`DatabaseError::Unavailable`].
pub(crate) async fn metrics(ctx: &Context<'_>, traffic: &Traffic) -> Result<String, DatabaseError> {
    let mut text = Text::default();
    match measures::read(ctx).await {
        Ok(measures) => text.measures(&measures),
        Err(DatabaseError::Unavailable(_)) => {
            text.one("database_up", "1 if the database answers", 0);
        }
        Err(error) => return Err(error),
    }
    text.traffic(traffic, ctx.ports().clock.now_ms());
    Ok(text.0)
}

/// The metrics as text.
#[derive(Default)]
struct Text(String);

impl Text {
    /// Adds a metric with its values. Labels are empty, or in braces: `{queue="records"}`.
    fn series<Labels: Display>(
        &mut self,
        name: &str,
        kind: &str,
        help: &str,
        values: impl IntoIterator<Item = (Labels, u64)>,
    ) {
        self.line(&format!("# HELP assay_{name} {help}"));
        self.line(&format!("# TYPE assay_{name} {kind}"));
        for (labels, value) in values {
            self.line(&format!("assay_{name}{labels} {value}"));
        }
    }

    fn line(&mut self, line: &str) {
        // Writing to a String cannot fail.
        let _written = writeln!(self.0, "{line}");
    }

    fn one(&mut self, name: &str, help: &str, value: u64) {
        self.series(name, "gauge", help, [("", value)]);
    }

    fn measures(&mut self, measures: &Measures) {
        self.one("database_up", "1 if the database answers", 1);
        let mut due = vec![
            ("records", measures.records_due_ms),
            ("webhooks", measures.webhooks_due_ms),
            ("issuers", measures.issuers_due_ms),
        ];
        if let Some(chain) = &measures.chain {
            due.push(("transactions", chain.sent_ms));
            self.one(
                "relayer_paused",
                "1 if the relayer sends nothing new",
                chain.paused.is_some().into(),
            );
            self.one(
                "block_age_seconds",
                "Seconds since the last block that was indexed",
                chain.block_ms.div_euclid(1_000),
            );
        }
        self.series(
            "due_seconds",
            "gauge",
            "Seconds since the earliest due time of waiting work",
            due.into_iter().map(|(queue, milliseconds)| {
                let seconds = milliseconds.div_euclid(1_000);
                (format!("{{queue=\"{queue}\"}}"), seconds)
            }),
        );
        for (name, help, value) in [
            (
                "pending_records",
                "Records that wait to be performed, at most 10000",
                measures.pending,
            ),
            (
                "webhook_backlog",
                "Webhook events that wait, at most 10000",
                measures.backlog,
            ),
            (
                "stuck_records",
                "Records that failed repeatedly, at most 10000",
                measures.stuck,
            ),
            (
                "dead_letters",
                "Dead letters that were not sent again, at most 10000",
                measures.dead_letters,
            ),
            (
                "waiting_admissions",
                "Requests for admission that wait for an administrator, at most 10000",
                measures.admissions,
            ),
        ] {
            self.one(name, help, value.into());
        }
        if let Some(bytes) = measures.database_bytes {
            self.one("database_bytes", "Size of the database in bytes", bytes);
        }
        self.one(
            "database_limit_bytes",
            "The size that the database can have, in bytes",
            measures.database_limit,
        );
        if let Some(age) = measures.backup_ms {
            self.one(
                "backup_age_seconds",
                "Seconds since the last nightly backup. Without one, seconds since the setting was first seen",
                age.div_euclid(1_000),
            );
        }
        self.answers(&measures.answers.total);
        let quotas = |value: fn(&SharedQuota) -> u64| {
            measures
                .quotas
                .iter()
                .map(move |quota| (format!("{{quota=\"{}\"}}", quota.name), value(quota)))
        };
        self.series(
            "quota_used_bytes",
            "gauge",
            "Bytes of the shared quotas that are used today",
            quotas(|quota| quota.used),
        );
        self.series(
            "quota_limit_bytes",
            "gauge",
            "Limits of the shared quotas in bytes per day",
            quotas(|quota| quota.limit),
        );
    }

    /// Adds the answers of all isolates.
    fn answers(&mut self, total: &Tally) {
        let counter = |of: u64| [("", of)];
        self.series(
            "answers_total",
            "counter",
            "Answers of all isolates",
            counter(total.requests),
        );
        self.series(
            "answers_failed_total",
            "counter",
            "Answers of all isolates with a status of 500 or more",
            counter(total.failures),
        );
        let bounds = BOUNDS.into_iter().zip(total.within);
        let buckets = bounds.map(|(bound, within)| (format!("_bucket{{le=\"{bound}\"}}"), within));
        let all = [
            ("_bucket{le=\"+Inf\"}", total.requests),
            ("_sum", total.milliseconds),
            ("_count", total.requests),
        ];
        self.series(
            "answer_milliseconds",
            "histogram",
            "Milliseconds that all isolates took for their answers",
            buckets.chain(all.map(|(name, value)| (name.to_owned(), value))),
        );
    }

    fn traffic(&mut self, traffic: &Traffic, now: u64) {
        let age = traffic
            .since
            .get()
            .map_or(0, |since| now.saturating_sub(since));
        let seconds = age.div_euclid(1_000);
        self.one(
            "isolate_age_seconds",
            "Seconds since the first request of this isolate",
            seconds,
        );
        let answers = traffic.answers.borrow();
        let counters = |value: fn(&Answers) -> u64| {
            answers
                .iter()
                .map(move |((method, route, status), counted)| {
                    let labels =
                        format!("{{method=\"{method}\",route=\"{route}\",status=\"{status}\"}}");
                    (labels, value(counted))
                })
        };
        self.series(
            "requests_total",
            "counter",
            "Requests that this isolate answered",
            counters(|counted| counted.count),
        );
        self.series(
            "request_milliseconds_total",
            "counter",
            "Milliseconds that this isolate took to answer requests, in total",
            counters(|counted| counted.milliseconds),
        );
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::answers::Sums;
    use crate::monitor::measures::Chain;

    /// Returns the names of metrics in a text.
    fn names(text: &str) -> BTreeSet<&str> {
        let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
        text.split(|sign| !is_part(sign))
            .filter(|word| word.starts_with("assay_"))
            .collect()
    }

    #[test]
    fn rules_and_dashboard_name_only_metrics_that_the_service_writes() {
        let mut text = Text::default();
        text.measures(&Measures {
            records_due_ms: 0,
            webhooks_due_ms: 0,
            issuers_due_ms: 0,
            pending: 0,
            backlog: 0,
            stuck: 0,
            dead_letters: 0,
            admissions: 0,
            database_bytes: Some(1),
            database_limit: 2,
            backup_ms: Some(0),
            answers: Sums::default(),
            quotas: Vec::new(),
            chain: Some(Chain {
                relayer: order_core::Address::from_bytes([1; 20]).unwrap(),
                paused: None,
                is_low: false,
                sent_ms: 0,
                block_ms: 0,
                final_ms: 0,
                failed_gas: 0,
                failed_gas_max: 0,
            }),
        });
        text.traffic(&Traffic::default(), 0);
        let written = names(&text.0);
        for used in [
            include_str!("../../../docs/monitoring/rules.yml"),
            include_str!("../../../docs/monitoring/dashboard.json"),
        ] {
            let unknown: Vec<_> = names(used).difference(&written).copied().collect();
            assert_eq!(unknown, Vec::<&str>::new());
            assert!(names(used).len() > 8);
        }
    }
}
