//! Monitoring for operators: measures of the stored work, alerts and metrics.
//! See `docs/decisions/0048-administration.md`.

mod alerts;
mod measures;
mod metrics;

pub(crate) use alerts::watch;
pub(crate) use metrics::{Traffic, metrics};
