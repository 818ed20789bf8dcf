//! Verdicts and reports: from what is kept, else by a verification, of which an asset has one at a time.

use order_core::{Address, AssetId, Code};
use serde_json::json;

use super::check::{Checked, check};
use super::store;
use super::verdict::{Validity, Verdict};
use crate::app::Call;
use crate::http::Failure;

/// Milliseconds between two looks whether another request's verification has ended.
const POLL_MS: u64 = 25;
/// Milliseconds that a request waits for another's verification at most; a little more than one may last.
const WAIT_MS: u64 = 12_000;

/// The asset in question. What is kept of it depends on nothing else of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) ledger: Address,
    pub(crate) asset: AssetId,
}

impl Subject {
    /// Ledger and asset as a key.
    fn key(&self) -> String {
        format!(
            "{}/{}",
            crate::text::account_key(&self.ledger),
            self.asset.to_hex64()
        )
    }
}

/// What a request wants to know.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Verdict,
    Report,
}

impl Wanted {
    /// The first part of its key.
    fn name(self) -> &'static str {
        match self {
            Self::Verdict => "verdict",
            Self::Report => "report",
        }
    }
}

/// Whether an asset is valid. `origin` is the address under which the service was called.
///
/// # Errors
/// 400016, and faults of the database.
pub(crate) async fn verdict(
    call: &Call<'_>,
    origin: &str,
    subject: &Subject,
) -> Result<Verdict, Failure> {
    Ok(obtain(call, origin, subject, Wanted::Verdict).await?.0)
}

/// Whether an asset is valid, and `data` of `/badge.json` as JSON text.
///
/// # Errors
/// 400016, and faults of the database.
pub(crate) async fn report(
    call: &Call<'_>,
    origin: &str,
    subject: &Subject,
) -> Result<(Validity, String), Failure> {
    let (verdict, report) = obtain(call, origin, subject, Wanted::Report).await?;
    Ok((verdict.validity, report))
}

/// From what is kept; else by a verification, unless another request is at it: then from what that one keeps.
async fn obtain(
    call: &Call<'_>,
    origin: &str,
    subject: &Subject,
    wanted: Wanted,
) -> Result<(Verdict, String), Failure> {
    let (key, asset) = (
        format!("{}/{}", wanted.name(), subject.key()),
        subject.key(),
    );
    let (clock, memory) = (call.ports().clock.as_ref(), &call.isolate().badge);
    let waits_until = clock.now_ms().saturating_add(WAIT_MS);
    loop {
        if let Some(kept) = store::get(call, &key)
            .await
            .and_then(|stored| decode(&stored))
        {
            return Ok(kept);
        }
        if let Some(_turn) = memory.begin(&asset, clock.now_ms()) {
            let checked = check(call, origin, subject).await?;
            return Ok(keep(call, &asset, wanted, checked).await);
        }
        while memory.is_verifying(&asset, clock.now_ms()) {
            if clock.now_ms() >= waits_until {
                let message = "other requests are still checking the asset; try again".to_owned();
                return Err(Failure::one(
                    Code::BadgeDataUnavailable,
                    "metadata",
                    message,
                ));
            }
            clock.sleep(POLL_MS).await;
        }
    }
}

/// Keeps what was found: the verdict, and the report where it was asked for.
async fn keep(call: &Call<'_>, asset: &str, wanted: Wanted, checked: Checked) -> (Verdict, String) {
    let (verdict, report) = match wanted {
        Wanted::Verdict => (checked.verdict, String::new()),
        Wanted::Report => checked.into_report(),
    };
    let failure = match verdict.validity {
        Validity::Valid | Validity::Invalid => None,
        Validity::Unknown => Some(
            verdict
                .findings
                .first()
                .map_or("", |finding| finding.reason.as_str()),
        ),
    };
    let seconds = store::seconds(call, failure);
    for (kind, report) in [(Wanted::Verdict, ""), (Wanted::Report, report.as_str())] {
        if kind == Wanted::Verdict || wanted == Wanted::Report {
            let stored = encode(&verdict, report);
            store::put(call, &format!("{}/{asset}", kind.name()), seconds, &stored).await;
        }
    }
    (verdict, report)
}

/// A line of JSON with the verdict, then the report.
fn encode(verdict: &Verdict, report: &str) -> Vec<u8> {
    format!("{}\n{report}", json!(verdict)).into_bytes()
}

fn decode(stored: &[u8]) -> Option<(Verdict, String)> {
    let (verdict, report) = std::str::from_utf8(stored).ok()?.split_once('\n')?;
    Some((serde_json::from_str(verdict).ok()?, report.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_pinned() {
        let verdict = Verdict::from_findings([]);
        let stored = encode(&verdict, "{\"valid\":true}");
        assert_eq!(
            stored,
            b"{\"findings\":[],\"validity\":\"valid\"}\n{\"valid\":true}"
        );
        assert_eq!(
            decode(&stored),
            Some((verdict, "{\"valid\":true}".to_owned()))
        );
        assert_eq!(decode(b"{}"), None);
        assert_eq!(decode(b"{}\n"), None);
    }
}
