//! Verdicts and reports: the ledger's current facts, with a cached check of the documents. In each isolate, an asset has at
//! most one check in flight.

use std::rc::Rc;

use http::{HeaderValue, header};
use order_core::{Code, json};
use serde_json::json;

use super::Badge;
use super::check::{OnLedger, gather, not_there};
use super::memory::REPORT_MAX;
use super::report::{report_of, tail_of};
use super::status::status;
use super::store;
use super::subject::Subject;
use super::texts::Texts;
use super::verdict::{Finding, Integrity, Outcome, Verdict};
use crate::api::BadgeDetails;
use crate::budget::Share;
use crate::failure::Failure;
use crate::issuers::{self, IssuerStanding};
use crate::ledger::projection::{AssetRow, Certified, LedgerRow, PastImprint, Withdrawal};
use crate::ledger::{Doubt, Standing};
use crate::ports::ByteBudget;

/// Milliseconds between two polls of another request's verification.
const POLL_MS: u64 = 25;
/// Maximum milliseconds that a request waits for memory or for another request's verification: slightly longer than a
/// verification may take.
const WAIT_MS: u64 = 12_000;

/// Free document memory in bytes that a verification needs to start. The documents of most assets fit into it.
const ROOM_MIN: usize = 64 << 10;
/// Minimum bytes of documents for which the start of a verification is noted in the cache. Smaller documents get no
/// note: another data centre could see the note before it sees the cached verdict, and refuse a request for no reason.
const NOTED_MIN: usize = 128 << 10;
/// Seconds after which a refused client may retry.
const RETRY_SECONDS: u64 = 1;
/// Maximum milliseconds for which caches may keep an answer, even if the check of the documents is cached for longer. A
/// withdrawn asset may appear as in force for that long.
const FRESH_MS: u64 = 60_000;
/// The message if the chain could not be read.
const NO_ANSWER: &str = "the ledger does not answer: ask again in a moment";
/// A note about the start of a check is cached like a failure with this reason: for at most ten seconds.
const START_NOTED: &str = "trial";

/// The kind of answer that a request needs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Verdict,
    Report,
}

impl Wanted {
    /// Returns the cache key of this kind of answer. `check` names the asset and its imprint.
    fn key(self, check: &str) -> String {
        match self {
            Self::Verdict => format!("verdict/{check}"),
            Self::Report => format!("report/{check}"),
        }
    }
}

/// A verdict on an asset, for the answer.
pub(crate) struct Answer {
    pub(crate) verdict: Verdict,
    /// `data` of `/badge.json` as JSON text. Empty unless requested.
    pub(crate) report: String,
    /// Seconds for which caches may keep the answer, rounded up.
    pub(crate) fresh_seconds: u64,
}

/// The result of checking an asset's documents under an imprint.
struct Found {
    outcome: Outcome,
    /// The report's part about the documents. Empty unless requested.
    tail: String,
    /// The time at which the cached check expires, in milliseconds since 1970.
    until: u64,
}

/// Returns the verdict on an asset. `origin` is the address under which the service was called.
///
/// # Errors
/// - 400017: other requests keep the service busy, or the chain does not confirm that the asset was never issued. Also if
///   a verification of the same large documents started less than ten seconds ago and has cached no verdict yet.
/// - Faults of the database.
pub(crate) async fn verdict(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
) -> Result<Answer, Failure> {
    answer(ctx, origin, subject, Wanted::Verdict).await
}

/// Returns the verdict with a report.
///
/// # Errors
/// The errors of [`verdict`].
pub(crate) async fn report(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
) -> Result<Answer, Failure> {
    answer(ctx, origin, subject, Wanted::Report).await
}

/// Reads the ledger's facts, then obtains the check of the documents under the asset's imprint.
async fn answer(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
    wanted: Wanted,
) -> Result<Answer, Failure> {
    let (clock, now) = (ctx.ports().clock.as_ref(), ctx.now());
    let read_at = clock.now_ms();
    let ledger = subject.ledger.to_string();
    let Standing {
        certified,
        doubt,
        about_ledger: issuer,
    } = ctx
        .ledger
        .standing(ctx, &ledger, &subject.asset, issuers::SELECT_STANDING)
        .await?;
    let empty_tail = || tail_of(&BadgeDetails::default(), Texts::default());
    let (outcome, tail, until) = match &certified {
        // The chain may have the asset, so the status `neverIssued` could be wrong.
        Certified::Never(_) if doubt.is_some() => {
            return Err(unavailable(NO_ANSWER, store::FAILURE_SECONDS));
        }
        Certified::InForce { .. } if let Some(doubt) = doubt => {
            let outcome = doubtful(doubt);
            (outcome, empty_tail()?, now)
        }
        Certified::InForce {
            ledger,
            asset,
            past,
            ..
        } => {
            let on_ledger = OnLedger {
                ledger,
                asset,
                past,
            };
            let found = obtain(ctx, origin, subject, on_ledger, wanted).await?;
            (found.outcome, found.tail, found.until)
        }
        Certified::Withdrawn {
            ledger,
            withdrawal,
            past,
        } if wanted == Wanted::Report
            && let Some(asset) = last_state(subject, ledger, withdrawal, past) =>
        {
            let on_ledger = OnLedger {
                ledger,
                asset: &asset,
                past,
            };
            let found = obtain(ctx, origin, subject, on_ledger, wanted).await?;
            // Documents that changed after the withdrawal are not those of the certificate.
            let tail = match found.outcome.integrity {
                Integrity::Unchanged => found.tail,
                _ => empty_tail()?,
            };
            (not_there(subject, &certified), tail, found.until)
        }
        Certified::NoLedger | Certified::Never(_) | Certified::Withdrawn { .. } => {
            let until = now.saturating_add(store::seconds(ctx, None).saturating_mul(1_000));
            (not_there(subject, &certified), empty_tail()?, until)
        }
    };
    let issuer = match certified.ledger() {
        None => IssuerStanding::NotConfirmed,
        Some(ledger) => {
            let subject = issuers::Subject {
                owner: &ledger.owner,
                ledger: &ledger.id,
                origin,
                now,
            };
            issuers::standing(&ctx.config().confirmed_accounts, &subject, issuer)?
        }
    };
    let status = status(&certified, &outcome, now);
    // A cached answer must not outlive the certificate.
    let expires_at = status.expires_at.map(|at| at.0).filter(|at| *at > now);
    let until = expires_at.map_or(until, |at| until.min(at));
    let verdict = Verdict::new(outcome, status, issuer);
    let report = match wanted {
        Wanted::Verdict => String::new(),
        Wanted::Report => report_of(subject, &certified, &verdict, &tail)?,
    };
    // Caching time counts from the read of the ledger, however long the check took.
    let took = clock.now_ms().saturating_sub(read_at);
    let left = until.saturating_sub(now).min(FRESH_MS).saturating_sub(took);
    Ok(Answer {
        verdict,
        report,
        fresh_seconds: left.div_ceil(1_000),
    })
}

/// Returns a withdrawn asset as it was before its withdrawal, so that its public documents can still be checked. `None` if the ledger's history does
/// not have its imprint.
fn last_state(
    subject: &Subject,
    ledger: &LedgerRow,
    withdrawal: &Withdrawal,
    past: &[PastImprint],
) -> Option<AssetRow> {
    let last = past.iter().find(|past| past.withdrawn)?;
    Some(AssetRow {
        id: subject.asset,
        owner: withdrawal.owner.unwrap_or(ledger.owner),
        imprint: last.imprint,
        created_at: withdrawal.issued_at.unwrap_or_default(),
        updated_at: withdrawal.withdrawn_at,
        uri: None,
    })
}

/// Returns the cached check of an asset's documents, joins one that is in flight, or starts one.
async fn obtain(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
    on_ledger: OnLedger<'_>,
    wanted: Wanted,
) -> Result<Found, Failure> {
    let check = format!("{}/{}", subject.key(), on_ledger.asset.imprint);
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
        if let Some(kept) = kept(ctx, &check, wanted).await {
            return Ok(kept);
        }
        if memory.documents.left(clock.now_ms()) < ROOM_MIN {
            wait().await?;
            continue;
        }
        if let Some(_permit) = memory.verifying.begin(&check, clock.now_ms()) {
            return verify(ctx, origin, subject, on_ledger, &check, wanted).await;
        }
        while memory.verifying.is_in_flight(&check, clock.now_ms()) {
            wait().await?;
        }
    }
}

/// Returns the cached check. `None` if there is none, if it has expired, or if there is no memory to read a large report.
async fn kept(ctx: &Badge<'_>, check: &str, wanted: Wanted) -> Option<Found> {
    let key = wanted.key(check);
    let memory = ctx.memory;
    let share = memory.reports.share(ctx.ports().clock.now_ms());
    if wanted == Wanted::Report && store::get_here(ctx, &key).is_none() && !share.take(REPORT_MAX) {
        return None;
    }
    let (until, stored) = store::get(ctx, &key).await?;
    let (outcome, tail) = decode(&stored)?;
    Some(Found {
        outcome,
        tail,
        until,
    })
}

/// Fetches an asset's documents and checks them.
async fn verify(
    ctx: &Badge<'_>,
    origin: &str,
    subject: &Subject,
    on_ledger: OnLedger<'_>,
    check: &str,
    wanted: Wanted,
) -> Result<Found, Failure> {
    let now = ctx.ports().clock.now_ms();
    let share: Rc<Share> = Rc::new(ctx.memory.documents.share(now));
    let held = Rc::clone(&share) as Rc<dyn ByteBudget>;
    let gathered = gather(ctx, origin, subject, on_ledger, held).await;
    if gathered.bytes_to_check() > NOTED_MIN {
        note_start(ctx, check).await?;
    }
    let checked = gathered.check();
    let outcome = checked.outcome;
    let failure = match outcome.integrity {
        Integrity::NotChecked => outcome.findings.first(),
        _ => None,
    };
    let seconds = store::seconds(ctx, failure.map(|finding| finding.reason.as_str()));
    let stored = encode(&outcome, "");
    let until = store::put(ctx, &Wanted::Verdict.key(check), seconds, &stored).await;
    let mut tail = String::new();
    if wanted == Wanted::Report {
        tail = tail_of(&checked.details, checked.texts)?;
        let stored = encode(&outcome, &tail);
        store::put(ctx, &Wanted::Report.key(check), seconds, &stored).await;
    }
    Ok(Found {
        outcome,
        tail,
        until,
    })
}

/// Notes in the cache that the verification of large documents starts. Such a verification may exhaust the isolate's memory
/// and abort all requests of the isolate. For ten seconds, other requests for the same documents fail, unless a verdict is
/// cached first.
async fn note_start(ctx: &Badge<'_>, check: &str) -> Result<(), Failure> {
    let key = format!("trial/{check}");
    if store::get(ctx, &key).await.is_some() && kept(ctx, check, Wanted::Verdict).await.is_none() {
        let message = "the asset could not be checked a moment ago: ask again in ten seconds";
        return Err(unavailable(message, store::FAILURE_SECONDS));
    }
    store::put(ctx, &key, store::seconds(ctx, Some(START_NOTED)), b"").await;
    Ok(())
}

/// Returns the outcome for an asset whose standing the chain does not confirm.
fn doubtful(doubt: Doubt) -> Outcome {
    let (reason, message) = match doubt {
        Doubt::NoAnswer => ("ledger-unavailable", NO_ANSWER),
        Doubt::Differ => (
            "ledger-unavailable",
            "the providers of the ledger's data differ about this asset: ask again later, or ask the issuer",
        ),
        Doubt::Behind => (
            "ledger-behind",
            "the ledger has just changed, and the service does not have all changes yet: ask again in a moment",
        ),
    };
    Outcome::not_checked(Finding::unavailable(reason, "ledgerId", message.to_owned()))
}

fn busy() -> Failure {
    unavailable(
        "other requests keep the service busy: ask again in a moment",
        RETRY_SECONDS,
    )
}

fn unavailable(message: &str, retry_seconds: u64) -> Failure {
    Failure::one(Code::BadgeDataUnavailable, "metadata", message)
        .header(header::RETRY_AFTER, HeaderValue::from(retry_seconds))
}

/// Returns a line of JSON with the outcome, then the tail of the report.
fn encode(outcome: &Outcome, tail: &str) -> Vec<u8> {
    format!("{}\n{tail}", json!(outcome)).into_bytes()
}

fn decode(stored: &[u8]) -> Option<(Outcome, String)> {
    let (outcome, tail) = std::str::from_utf8(stored).ok()?.split_once('\n')?;
    Some((json::from_text(outcome).ok()?, tail.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_form_is_pinned() {
        let outcome = Outcome {
            integrity: Integrity::Unchanged,
            findings: Vec::new(),
            expires_at: None,
            earlier: None,
        };
        let stored = encode(&outcome, ",\"metadata\":null}");
        assert_eq!(
            stored,
            b"{\"earlier\":null,\"expires_at\":null,\"findings\":[],\"integrity\":\"unchanged\"}\n,\"metadata\":null}"
        );
        assert_eq!(
            decode(&stored),
            Some((outcome, ",\"metadata\":null}".to_owned()))
        );
        assert_eq!(decode(b"{}"), None);
        assert_eq!(decode(b"{}\n"), None);
    }
}
