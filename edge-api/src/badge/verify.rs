//! Verdicts and reports: from what is kept, else by a verification, of which an asset has one at a time.

use std::rc::Rc;

use http::{HeaderValue, header};
use order_core::{Code, json};
use serde_json::json;

use super::Badge;
use super::budget::Share;
use super::check::{Checked, gather};
use super::memory::REPORT_MAX;
use super::report::report_of;
use super::store;
use super::subject::Subject;
use super::verdict::{Standing, Validity, Verdict};
use crate::failure::Failure;
use crate::ports::Room;

/// Milliseconds between two looks whether another request's verification has ended.
const POLL_MS: u64 = 25;
/// Milliseconds that a request waits for another's verification at most; a little more than one may last.
const WAIT_MS: u64 = 12_000;

/// Bytes that have to be left of the isolate's memory for documents before a verification starts: those of most.
const ROOM_MIN: usize = 64 << 10;
/// Bytes of an asset's documents above which a verification is noted before it begins. Smaller ones cannot use up what there is; and
/// a note is not free: in another place it may be seen before the verdict that follows it.
const TRIAL_MIN: usize = 128 << 10;
/// Seconds after which a request that others kept from an answer is worth sending again.
const RETRY_SECONDS: u32 = 1;
/// The reason why a verification under trial is not started again.
const TRIAL: &str = "trial";

/// The answer that a request asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Verdict,
    Report,
}

impl Wanted {
    /// The cache key.
    fn key(self, asset: &str) -> String {
        match self {
            Self::Verdict => format!("verdict/{asset}"),
            Self::Report => format!("report/{asset}"),
        }
    }
}

/// Whether an asset is valid. `origin` is the address under which the service was called.
///
/// # Errors
/// 400017 where others keep the service busy, and faults of the database.
pub(crate) async fn verdict(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
) -> Result<Verdict, Failure> {
    Ok(obtain(ctx, origin, subject, Wanted::Verdict).await?.0)
}

/// Whether an asset is valid, and `data` of `/badge.json` as JSON text.
///
/// # Errors
/// As [`verdict`].
pub(crate) async fn report(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
) -> Result<(Validity, String), Failure> {
    let (verdict, report) = obtain(ctx, origin, subject, Wanted::Report).await?;
    Ok((verdict.validity, report))
}

/// From what is kept; else by a verification, unless another request is at it: then from what that one keeps.
async fn obtain(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
    wanted: Wanted,
) -> Result<(Verdict, String), Failure> {
    let asset = subject.key();
    let (clock, memory) = (ctx.ports().clock.as_ref(), ctx.memory);
    let waits_until = clock.now_ms().saturating_add(WAIT_MS);
    let wait = async || {
        if clock.now_ms() >= waits_until {
            return Err(busy());
        }
        clock.sleep(POLL_MS).await;
        Ok(())
    };
    loop {
        if wanted == Wanted::Report && memory.reports.left(clock.now_ms()) < REPORT_MAX {
            wait().await?;
            continue;
        }
        if let Some(kept) = kept(ctx, &asset, wanted).await {
            return Ok(kept);
        }
        if memory.documents.left(clock.now_ms()) < ROOM_MIN {
            wait().await?;
            continue;
        }
        if let Some(_permit) = memory.begin(&asset, clock.now_ms()) {
            return verify(ctx, origin, subject, wanted).await;
        }
        while memory.is_verifying(&asset, clock.now_ms()) {
            wait().await?;
        }
    }
}

/// Returns the cached verdict on an asset, if it still holds.
async fn kept(ctx: &Badge<'_>, asset: &str, wanted: Wanted) -> Option<(Verdict, String)> {
    let key = wanted.key(asset);
    let memory = ctx.memory;
    let share = memory.reports.share(ctx.ports().clock.now_ms());
    if wanted == Wanted::Report && store::get_here(ctx, &key).is_none() && !share.take(REPORT_MAX) {
        return None;
    }
    decode(&store::get(ctx, &key).await?)
}

/// Verifies an asset.
async fn verify(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
    wanted: Wanted,
) -> Result<(Verdict, String), Failure> {
    let now = ctx.ports().clock.now_ms();
    let room: Rc<Share> = Rc::new(ctx.memory.documents.share(now));
    let gathered = gather(ctx, origin, subject, Rc::clone(&room) as Rc<dyn Room>).await?;
    if gathered.bytes_to_check() > TRIAL_MIN {
        begin_trial(ctx, &subject.key()).await?;
    }
    let checked = gathered.check();
    // Without an asset there is no work to save.
    if checked.verdict.standing != Standing::InForce {
        let verdict = checked.verdict.clone();
        return Ok((verdict, report_of(subject, checked)?));
    }
    keep(ctx, subject, wanted, checked).await
}

/// Notes in the cache that an asset's large documents are about to be verified, because that may end the program and every request in it.
/// For ten seconds no other request tries them, unless a verdict shows that they did no harm.
async fn begin_trial(ctx: &Badge<'_>, asset: &str) -> Result<(), Failure> {
    let key = format!("trial/{asset}");
    if store::get(ctx, &key).await.is_some() && kept(ctx, asset, Wanted::Verdict).await.is_none() {
        let message = "the asset could not be checked a moment ago: ask again in ten seconds";
        return Err(unavailable(message));
    }
    store::put(ctx, &key, store::seconds(ctx, Some(TRIAL)), b"").await;
    Ok(())
}

fn busy() -> Failure {
    unavailable("other requests keep the service busy: ask again in a moment")
}

fn unavailable(message: &str) -> Failure {
    Failure::one(Code::BadgeDataUnavailable, "metadata", message)
        .header(header::RETRY_AFTER, HeaderValue::from(RETRY_SECONDS))
}

/// Keeps what was found: the verdict, and the report where it was asked for.
async fn keep(
    ctx: &Badge<'_>,
    subject: &Subject,
    wanted: Wanted,
    checked: Checked,
) -> Result<(Verdict, String), Failure> {
    let (asset, verdict) = (subject.key(), checked.verdict.clone());
    let failure = match verdict.validity {
        Validity::Unknown => verdict.findings.first(),
        _ => None,
    };
    let seconds = store::seconds(ctx, failure.map(|finding| finding.reason.as_str()));
    let stored = encode(&verdict, "");
    store::put(ctx, &Wanted::Verdict.key(&asset), seconds, &stored).await;
    if wanted == Wanted::Verdict {
        return Ok((verdict, String::new()));
    }
    let report = report_of(subject, checked)?;
    let stored = encode(&verdict, &report);
    store::put(ctx, &Wanted::Report.key(&asset), seconds, &stored).await;
    Ok((verdict, report))
}

/// A line of JSON with the verdict, then the report.
fn encode(verdict: &Verdict, report: &str) -> Vec<u8> {
    format!("{}\n{report}", json!(verdict)).into_bytes()
}

fn decode(stored: &[u8]) -> Option<(Verdict, String)> {
    let (verdict, report) = std::str::from_utf8(stored).ok()?.split_once('\n')?;
    Some((json::from_text(verdict).ok()?, report.to_owned()))
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
            b"{\"findings\":[],\"standing\":\"inForce\",\"validity\":\"valid\"}\n{\"valid\":true}"
        );
        assert_eq!(
            decode(&stored),
            Some((verdict, "{\"valid\":true}".to_owned()))
        );
        assert_eq!(decode(b"{}"), None);
        assert_eq!(decode(b"{}\n"), None);
    }
}
